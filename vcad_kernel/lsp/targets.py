"""Where a name is defined: in its text, or in a module that it comes from."""

from __future__ import annotations

from dataclasses import dataclass

from vcad_kernel.loon.analysis.document import Document
from vcad_kernel.loon.analysis.exports import exported
from vcad_kernel.loon.analysis.navigation import definition
from vcad_kernel.loon.scoping.bindings import Global
from vcad_kernel.lsp.documents import OpenDocument
from vcad_kernel.lsp.workspace import Workspace

__all__ = ["Target", "target"]


@dataclass(frozen=True, slots=True)
class Target:
    """A stretch of a text, in code points."""

    uri: str
    text: str
    start: int
    end: int


def target(workspace: Workspace, document: OpenDocument, offset: int) -> Target | None:
    """Where the name at an offset of an open text is defined; None when that is no text of the user's."""
    analysed = workspace.analysed(document)
    origin = _origin(analysed, offset)
    if origin is not None:
        return _in_module(workspace, document, *origin)
    defined = definition(analysed, offset)
    return Target(document.uri, document.text, defined.start, defined.end) if defined is not None else None


def _origin(document: Document, offset: int) -> tuple[str, str] | None:
    """The module and the export that a name comes from; the export is empty for the module itself."""
    for section, walked in zip(document.sections, document.walked, strict=True):
        for item in walked.imports:
            if section.start + item.start <= offset <= section.start + item.end:
                return item.module, ""
    mention = document.mention_at(offset)
    for meaning in mention.meanings if mention is not None else ():
        if not isinstance(meaning, Global) or meaning.space != "value":
            continue
        for placed in document.definitions.get(meaning, ()):
            if placed.definition.kind == "import":
                return placed.definition.owner, meaning.name
        for alias, module in document.modules.items():
            if meaning.name.startswith(alias + ".") and meaning not in document.definitions:
                return module, meaning.name[len(alias) + 1 :]
    return None


def _in_module(workspace: Workspace, document: OpenDocument, module: str, name: str) -> Target | None:
    file = workspace.knowledge(document).module(module)
    if file is None:
        return None
    uri = workspace.uri_of(file.path)
    if not name:
        return Target(uri, file.text, 0, 0)
    placed = exported(Document(file.text)).get(name)
    return Target(uri, file.text, placed.name_start, placed.name_end) if placed is not None else None
