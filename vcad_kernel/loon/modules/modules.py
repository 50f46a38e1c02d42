"""Which file a module is: from the dotted name in ``use`` to its text, within one project folder.

A model reaches files in no other way, so this is also the fence: names are words joined by dots,
and what they lead to must lie inside the project once links are followed. Knows nothing of what
the text means.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path

from vcad_kernel.errors import LoonRuntimeError, VcadError
from vcad_kernel.paths import Workspace

__all__ = ["LARGEST", "ModuleFile", "Project", "module_fault"]

LARGEST = 4_000_000
"""Bytes that a module's file may have."""

_ENDINGS = (".oo", ".loon", ".cmp.oo")
"""In the order in which they are tried."""

_FILLED = frozenset({"node_modules", "site-packages", "__pycache__"})
"""Folders with many files that are no models."""

_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_+-]*")


def module_fault(
    code: str, message: str, *, why: str | None = None, fix: str | None = None
) -> LoonRuntimeError:
    """An import problem: E0500 no such module, E0501 no such export, E0502 a circle."""
    return LoonRuntimeError(message, code=code, why=why, fix=fix, details={"class": "module"})


@dataclass(frozen=True, slots=True)
class ModuleFile:
    """A module found."""

    name: str
    """As errors call it: the path from the project's folder."""
    path: Path
    """Canonical: the same file has one, however it is reached."""
    text: str


class Project:
    """The folder that modules come from.

    read: how a file's text is had, by default from the disk; an editor hands in one that knows unsaved text.
    It raises OSError or UnicodeDecodeError.
    """

    def __init__(self, root: Path, *, read: Callable[[Path], str] | None = None) -> None:
        self.root = root.resolve()
        self._files = Workspace(self.root, largest=LARGEST)
        self._read = read or self._from_disk

    def folder_of(self, file: Path) -> Path:
        """Where a file's imports look first: beside it, or in the project's folder if it lies outside."""
        folder = file.resolve().parent
        return folder if folder.is_relative_to(self.root) else self.root

    def find(self, module: str, folder: Path) -> ModuleFile:
        """The file that ``use module`` means in a file of ``folder``.

        Tried are the folder itself and then ``src`` of the project, each with .oo, .loon and .cmp.oo.
        Raises: LoonRuntimeError E0500.
        """
        words = module.split(".")
        if not all(_WORD.fullmatch(word) for word in words):
            raise module_fault(
                "E0500",
                f"{module} is no module's name",
                fix="a module's name is words joined by dots: [use lib.plate]",
            )
        tried = []
        for path in self._candidates(folder, words):
            if self._is_file(path):
                return self._opened(module, path)
            tried.append(self._shown(path))
        raise module_fault(
            "E0500",
            f"there is no module {module}",
            why="tried " + ", ".join(dict.fromkeys(tried)),
            fix="name a file beside this one, or one under src in the project's folder",
        )

    def _candidates(self, folder: Path, words: list[str]) -> Iterator[Path]:
        for base in (folder, self.root / "src"):
            for ending in _ENDINGS:
                yield base.joinpath(*words[:-1], words[-1] + ending)

    def _is_file(self, path: Path) -> bool:
        try:
            return path.is_file()
        except OSError as error:  # a folder that may not be looked into, a name too long for the disk
            raise self._no_text(path, error) from None

    def _opened(self, module: str, path: Path) -> ModuleFile:
        canonical = path.resolve()
        if not canonical.is_relative_to(self.root):
            raise module_fault(
                "E0500",
                f"the module {module} lies outside the project",
                why=f"{self._shown(path)} is a link out of the project's folder",
                fix="copy the file into the project",
            )
        return ModuleFile(self._shown(canonical), canonical, self._text(canonical))

    def _text(self, path: Path) -> str:
        try:
            return self._read(path)
        except (OSError, UnicodeDecodeError) as error:
            raise self._no_text(path, error) from None

    def _from_disk(self, path: Path) -> str:
        try:
            # not by its path: a link may have taken the place of what was looked at before
            data = self._files.read(str(path))
        except VcadError as refused:
            raise OSError(refused.details.get("reason") or refused.message) from refused
        # some editors begin a file with the mark of its encoding
        return TextIOWrapper(BytesIO(data), "utf-8-sig").read()

    def _no_text(self, path: Path, error: OSError | UnicodeDecodeError) -> LoonRuntimeError:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return module_fault("E0500", f"the module file {self._shown(path)} cannot be read", why=reason)

    def _shown(self, path: Path) -> str:
        try:
            return path.relative_to(self.root).as_posix()
        except ValueError:
            return path.name

    def names(self) -> tuple[str, ...]:
        """The modules of the project as ``use`` names them from its folder, for completion.

        Hidden folders and those that package managers fill are passed over.
        """
        modules = set()
        for base in (self.root / "src", self.root):
            for folder, inner, files in os.walk(base):
                inner[:] = [sub for sub in sorted(inner) if _WORD.fullmatch(sub) and sub not in _FILLED]
                for file in files:
                    stem = file.removesuffix(".oo").removesuffix(".cmp").removesuffix(".loon")
                    parts = [*Path(folder).relative_to(base).parts, stem]
                    if stem != file and all(_WORD.fullmatch(part) for part in parts):
                        modules.add(".".join(parts))
        return tuple(sorted(modules))
