"""The folders under the open texts: modules, what is known outside a text, what is found wrong in it.

An open text counts instead of what is on disk, for the modules of other texts too.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from vcad_kernel.cad.file_findings import FileFindings
from vcad_kernel.cad.reference import ALL
from vcad_kernel.loon.analysis.document import Document
from vcad_kernel.loon.analysis.exports import FileKnowledge
from vcad_kernel.loon.diagnostics import Diagnostic
from vcad_kernel.loon.modules.modules import Project
from vcad_kernel.lsp.documents import OpenDocument, OpenDocuments

__all__ = ["BUILTINS", "Workspace", "path_of"]

BUILTINS = frozenset(name for name, entry in ALL.items() if entry.kind in ("function", "constant"))
"""The functions and constants that every text can use."""

_LOON_FILES = ("*.oo", "*.loon")


def path_of(uri: str) -> Path | None:
    """The file that a URI names; None for texts that are no files, such as unsaved ones."""
    parts = urlsplit(uri)
    return Path(url2pathname(parts.path)).resolve() if parts.scheme == "file" else None


class Workspace:
    """The folders that the editor has opened, seen through its open texts."""

    def __init__(self, documents: OpenDocuments) -> None:
        self._documents = documents
        self._roots: list[Path] = []
        self._findings = FileFindings(self.read)

    def add_folder(self, uri: str) -> None:
        """The editor opened a folder."""
        path = path_of(uri)
        if path is not None:
            self._roots.append(path)

    def remove_folder(self, uri: str) -> None:
        """The editor closed a folder."""
        path = path_of(uri)
        self._roots = [root for root in self._roots if root != path]

    def uri_of(self, path: Path) -> str:
        """The URI of a file, as the editor writes it when it has it open."""
        uris = (document.uri for document in self._documents if path_of(document.uri) == path)
        return next(uris, path.as_uri())

    def analysed(self, document: OpenDocument) -> Document:
        """An open text, analysed."""
        return Document(document.text, self.knowledge(document))

    def knowledge(self, document: OpenDocument) -> FileKnowledge:
        """What is known outside an open text."""
        path = path_of(document.uri)
        return self.knowledge_at(path) if path is not None else FileKnowledge(ALL, None, None)

    def knowledge_at(self, path: Path) -> FileKnowledge:
        """What is known outside the text of a file."""
        return FileKnowledge(ALL, self._project(path), path.parent)

    def findings(self, document: OpenDocument) -> tuple[Diagnostic, ...]:
        """What is wrong with an open text, or may be."""
        path = path_of(document.uri)
        if path is None:
            return self._findings.of(document.uri, document.text, None, None)
        return self._findings.of(path.name, document.text, path.parent, self._root(path))

    def files(self, path: Path) -> list[Path]:
        """The Loon files of the project that a file belongs to, those that are not saved yet included."""
        root = self._root(path)
        files = {file.resolve() for pattern in _LOON_FILES for file in root.rglob(pattern) if file.is_file()}
        unsaved = (path_of(document.uri) for document in self._documents)
        files.update(file for file in unsaved if file is not None and file.is_relative_to(root))
        return sorted(files)

    def read(self, path: Path) -> str:
        """The text of a file: as the editor shows it, else as it is on disk.

        Raises: OSError, UnicodeDecodeError.
        """
        for document in self._documents:
            if path_of(document.uri) == path:
                return document.text
        return path.read_text("utf-8")

    def _root(self, path: Path) -> Path:
        """The innermost open folder around a file, else the folder it is in."""
        around = [root for root in self._roots if path.is_relative_to(root)]
        return max(around, key=lambda root: len(root.parts), default=path.parent)

    def _project(self, path: Path) -> Project:
        return Project(self._root(path), read=self.read)
