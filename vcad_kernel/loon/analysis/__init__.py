"""Tolerant analysis of one text, shared by notebooks, the prompt, editors and agents.

    knowledge    what the asker says about the world outside the text
    inferred     what the checker says of the types in a text
    document     one text with all of it; what the questions below are asked of
    cursor       where a cursor stands, and what could be written there
    symbols, completion, description, signature, navigation   the questions
    exports      what a module offers to those who use it
    utf16        editors count in UTF-16, the rest of this package in code points

Which binding a name means is found by the walk in scoping/, with what each form in forms/ binds.
Nothing here runs or changes anything, and nothing raises because a text is half-typed.
"""

from vcad_kernel.loon.analysis.completion import Completion, Completions, complete
from vcad_kernel.loon.analysis.description import describe
from vcad_kernel.loon.analysis.document import Document
from vcad_kernel.loon.analysis.knowledge import Knowledge, KnownEntries
from vcad_kernel.loon.analysis.signature import Signature, signature_at

__all__ = [
    "Completion",
    "Completions",
    "Document",
    "Knowledge",
    "KnownEntries",
    "Signature",
    "complete",
    "describe",
    "signature_at",
]
