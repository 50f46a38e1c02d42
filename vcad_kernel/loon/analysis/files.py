"""What a text can use when it belongs to a folder of files: names that are there anyway, and modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from vcad_kernel.errors import LoonError
from vcad_kernel.loon.analysis.exports import exports
from vcad_kernel.loon.modules import ModuleFile, Project
from vcad_kernel.loon.reference import Entry

__all__ = ["FileKnowledge"]


class FileKnowledge:
    """A `Knowledge` of the names given and of a project's modules.

    project, folder: where modules are, and which folder's files ``use`` looks among first; None where the
    text belongs to none.
    """

    def __init__(self, entries: Mapping[str, Entry], project: Project | None, folder: Path | None) -> None:
        self._entries = entries
        self._project = project
        self._folder = folder

    def entries(self) -> Mapping[str, Entry]:
        """The names given."""
        return self._entries

    def modules(self) -> Sequence[str]:
        """The modules of the project."""
        return self._project.names() if self._project is not None else ()

    def exports(self, module: str) -> Mapping[str, Entry]:
        """What a module exports; empty when it cannot be found or read."""
        file = self.module(module)
        return _exports(file.text, file.name) if file is not None else {}

    def module(self, name: str) -> ModuleFile | None:
        """The file of a module; None when it cannot be found or read."""
        if self._project is None or self._folder is None:
            return None
        try:
            return self._project.find(name, self._folder)
        except LoonError:
            return None  # the checker says what is wrong with it, where it is used


@lru_cache(maxsize=64)
def _exports(text: str, name: str) -> Mapping[str, Entry]:
    return exports(text, name)
