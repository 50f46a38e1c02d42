"""A name across files: where it is defined, and the changes that give it another one everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vcad_kernel.loon.analysis.document import Document, PlacedLocal
from vcad_kernel.loon.analysis.exports import exported
from vcad_kernel.loon.analysis.navigation import Edit, definition, renamable, renamed
from vcad_kernel.loon.scoping.bindings import Global
from vcad_kernel.lsp.documents import OpenDocument
from vcad_kernel.lsp.workspace import Workspace, path_of

__all__ = ["FileEdits", "Target", "rename_everywhere", "target"]


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


@dataclass(frozen=True, slots=True)
class FileEdits:
    """Changes to one text."""

    uri: str
    text: str
    """Before the changes."""
    edits: tuple[Edit, ...]


def rename_everywhere(workspace: Workspace, document: OpenDocument, offset: int, new: str) -> list[FileEdits]:
    """The changes that rename the name at an offset of an open text, in all files that use it.

    Raises: RenameRefused, and nothing is to be changed then.
    """
    analysed = workspace.analysed(document)
    mention = renamable(analysed, offset)
    out = [FileEdits(document.uri, document.text, renamed(analysed, mention, new))]
    path = path_of(document.uri)
    old = next((meaning.name for meaning in mention.meanings if isinstance(meaning, Global)), "")
    local = any(isinstance(meaning, PlacedLocal) for meaning in mention.meanings)
    if path is None or local or old not in exported(analysed):
        return out
    return [*out, *_importers(workspace, path, old, mention.occurrence.prefix, new)]


def _importers(workspace: Workspace, path: Path, old: str, prefix: str, new: str) -> Iterator[FileEdits]:
    """The changes to the files that import a name from the module at a path."""
    for file in workspace.files(path):
        if file == path:
            continue
        try:
            text = workspace.read(file)
        except (OSError, UnicodeDecodeError):
            continue  # no Loon text that could use anything
        if "use" not in text:
            continue
        edits = tuple(_in_importer(workspace, file, text, path, old, prefix, new))
        if edits:
            yield FileEdits(workspace.uri_of(file), text, edits)


def _in_importer(
    workspace: Workspace, file: Path, text: str, path: Path, old: str, prefix: str, new: str
) -> Iterator[Edit]:
    knowledge = workspace.knowledge_at(file)
    document = Document(text, knowledge)
    imports = {(item.module, item.alias) for section in document.walked for item in section.imports}
    for module, alias in imports:
        imported = knowledge.module(module)
        if imported is None or imported.path != path:
            continue
        name = Global("value", f"{alias}.{old}" if alias else old)
        if alias:
            for mention in document.mentions:
                if name in mention.meanings:
                    yield Edit(mention.start + len(prefix), mention.end, new)
            continue
        for placed in document.definitions.get(name, ()):
            if placed.definition.kind == "import" and placed.definition.owner == module:
                taken = document.mention_at(placed.name_start)
                if taken is not None:
                    yield from renamed(document, taken, new)
                break
