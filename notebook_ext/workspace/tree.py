"""What lies in and below a folder, as far as an agent may see it: rows, a drawn tree, the hits of a glob."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from notebook_ext.workspace.gate import FileGate
from notebook_ext.workspace.name_patterns import NamePattern
from vcad_kernel.files import Entry

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
