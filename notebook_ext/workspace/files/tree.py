"""What lies in and below a folder, as far as an agent may see it: rows, a drawn tree, the hits of a glob.

Globs: ``*``, ``?`` and ``[…]`` within a name, ``**`` for any number of folders; names are compared in one
Unicode normal form, with case.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import translate
from pathlib import Path
from re import Pattern, compile  # noqa: A004 - nothing is compiled here but patterns
from typing import Final, Literal, TypeAlias

from notebook_ext.workspace.files.gate import FileGate
from vcad_kernel.errors import ErrorCode, ServiceFailure
from vcad_kernel.system.files import Entry

__all__ = ["Drawn", "Found", "Kind", "drawn_tree", "found_files", "kind_of"]


Kind: TypeAlias = Literal["file", "folder", "other"]

_MOST_HITS: Final = 1_000
_MOST_VISITED: Final = 200_000
_MOST_LINES: Final = 2_000


@dataclass(frozen=True, slots=True)
class Found:
    """The hits of a search."""

    paths: tuple[Path, ...]
    truncated: bool
    """Whether there may be more."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A tree as text."""

    text: str
    files: int
    folders: int
    truncated: bool


def kind_of(entry: Entry) -> Kind:
    """What an entry is; of a link, what it leads to."""
    if entry.is_folder:
        return "folder"
    return "file" if entry.is_file else "other"


def found_files(
    gate: FileGate,
    folder: Path,
    pattern: str,
    *,
    operation: str,
    checkpoint: Callable[[], None] = lambda: None,
) -> Found:
    """The files below a folder that a glob matches, in the order of the tree; 1 000 at most.

    checkpoint: called now and then; what it raises ends the search. Raises: INVALID_PARAMS for the pattern.
    """
    wanted = NamePattern(pattern, operation=operation)
    paths: list[Path] = []
    below = gate.below(folder, operation=operation, depth=wanted.depth)
    for visited, (_, entry) in enumerate(below, 1):
        if visited % 1_000 == 0:
            checkpoint()
        if len(paths) == _MOST_HITS or visited > _MOST_VISITED:
            return Found(tuple(paths), True)
        if entry.is_file and wanted.matches(entry.path.parts[len(folder.parts) :]):
            paths.append(entry.path)
    return Found(tuple(paths), False)


def drawn_tree(gate: FileGate, folder: Path, max_depth: int, *, operation: str) -> Drawn:
    """A line for all down to ``max_depth`` levels, indented by two blanks each; folders end in ``/``."""
    lines: list[str] = []
    files = folders = 0
    for level, entry in gate.below(folder, operation=operation, depth=max_depth):
        if len(lines) == _MOST_LINES:
            return Drawn("\n".join(lines), files, folders, True)
        folders += entry.is_folder
        files += not entry.is_folder
        mark = " -> (link)" if entry.is_link else ""
        lines.append("  " * (level - 1) + entry.name + ("/" if entry.is_folder else "") + mark)
    return Drawn("\n".join(lines), files, folders, False)


_ANY_FOLDERS: Final = "**"
_LONGEST: Final = 500


class NamePattern:
    """One glob, for paths relative to a folder.

    Raises: ServiceFailure INVALID_PARAMS for one that leads out of the folder or is empty.
    """

    def __init__(self, text: str, *, operation: str) -> None:
        words = [word for word in text.replace("\\", "/").split("/") if word not in ("", ".")]
        if not words or text.startswith("/") or ".." in words or len(text) > _LONGEST:
            raise ServiceFailure(
                ErrorCode.INVALID_PARAMS,
                f"{text[:_LONGEST]!r} is no pattern for what lies below a folder",
                fix="write **/*.loon, parts/*.oo or notes?.md; name the folder as path",
                details={
                    "path": "pattern",
                    "expected": "a relative glob without ..",
                    "operation": operation,
                },
            )
        steps = [
            word for at, word in enumerate(words) if words[at - 1 : at] != [word] or word != _ANY_FOLDERS
        ]
        self._steps: tuple[Pattern[str] | None, ...] = tuple(
            None if word == _ANY_FOLDERS else compile(translate(unicodedata.normalize("NFC", word)))
            for word in steps
        )
        self.depth = None if None in self._steps else len(self._steps)
        """Levels below the folder at which it can match; None for any."""

    def matches(self, names: Sequence[str]) -> bool:
        """Whether it matches a path, given as its components."""
        # the places in the pattern that the names so far can have led to
        reached = self._after({0})
        for name in names:
            plain = unicodedata.normalize("NFC", name)
            following = set()
            for at in reached:
                if at < len(self._steps):
                    step = self._steps[at]
                    if step is None:
                        following.add(at)
                    elif step.match(plain):
                        following.add(at + 1)
            reached = self._after(following)
        return len(self._steps) in reached

    def _after(self, places: set[int]) -> set[int]:
        """With the places that ``**`` for no folder at all leads to."""
        wider = set(places)
        for at in places:
            while at < len(self._steps) and self._steps[at] is None:
                at += 1
                wider.add(at)
        return wider
