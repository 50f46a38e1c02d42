"""What there is to say about the names that a text defines, for who has bound them and knows no more."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from vcad_kernel.loon.analysis.document import Document
from vcad_kernel.loon.analysis.symbols import doc_above
from vcad_kernel.loon.reference import Entry
from vcad_kernel.loon.scoping.bindings import ENTRY_KINDS
from vcad_kernel.loon.source import Source, Span

__all__ = ["entries_of"]


@lru_cache(maxsize=512)
def entries_of(source: Source) -> Mapping[str, Entry]:
    """The entries of a text's global names, each by its last definition; without types."""
    found = {}
    for several in Document(source.text).definitions.values():
        last = several[-1]
        definition = last.definition
        if definition.space != "value":
            continue
        found[definition.name] = Entry(
            definition.name,
            ENTRY_KINDS[definition.kind],
            definition.usage,
            doc=doc_above(source.text, last.start),
            place=Span(source, last.name_start, last.name_end).place(),
        )
    return found
