"""What can be written next on a ``%%loon`` line: options, Python variables, files, names of parts.

Looks at names and files, never at values' insides; reads no Loon.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from notebook_ext.magics.line import EXPORTED

__all__ = ["HeadCompletion", "completed_head"]


_WORD_BEING_WRITTEN = re.compile(r"(?:\S|(?<=,)\s+)*\Z")
"""A list goes on after its commas, as in ``-i width, depth``."""

_PLAIN = (bool, int, float, str, list, tuple, dict)

_OF_IPYTHON = ("In", "Out")
"""Lists of cells and results that IPython keeps among the user's names."""


@dataclass(frozen=True, slots=True)
class HeadCompletion:
    """One way to go on; ``start`` is the offset in the head where it begins to replace."""

    text: str
    start: int
    kind: str
    detail: str = ""


def completed_head(
    head: str,
    parser: argparse.ArgumentParser,
    variables: Mapping[str, Any],
    parts: Sequence[str],
    folder: Path,
) -> list[HeadCompletion]:
    """The ways to go on after ``head``, the line from behind ``%%loon`` up to the cursor.

    parser: what takes the line. variables: the user's Python names. parts: names of parts there are.
    folder: what relative file names are relative to.
    """
    word = _word_being_written(head)
    start = len(head) - len(word)
    if word.startswith("-"):
        return [option for option in _options(parser, start) if option.text.startswith(word)]
    takes = _waiting_for(head[:start].split(), parser)
    if takes == "input":
        name = word.rpartition(",")[2].lstrip()
        return [
            HeadCompletion(variable, len(head) - len(name), "variable", type(value).__name__)
            for variable, value in sorted(variables.items())
            if variable.startswith(name) and _is_data(variable, value)
        ]
    if takes == "export":
        return [HeadCompletion(path, start, kind) for path, kind in _files(word, parts, folder)]
    named = [HeadCompletion(name, start, "part") for name in parts if name.startswith(word)]
    if takes == "output":
        return named
    if takes is not None:
        return []
    return [*named, *(() if word else _options(parser, start))]


def _word_being_written(head: str) -> str:
    match = _WORD_BEING_WRITTEN.search(head)
    return match[0] if match is not None else ""


def _waiting_for(before: Sequence[str], parser: argparse.ArgumentParser) -> str | None:
    """What the option takes whose value comes next; None where no option waits."""
    for action in _actions(parser):
        if before and before[-1] in action.option_strings and action.nargs != 0:
            return action.dest
    return None


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    yield from parser._actions  # argparse has no public way to ask


def _options(parser: argparse.ArgumentParser, start: int) -> list[HeadCompletion]:
    return [
        HeadCompletion(action.option_strings[-1], start, "option", action.help or "")
        for action in _actions(parser)
        if action.option_strings
    ]


def _is_data(name: str, value: object) -> bool:
    """Whether a Python variable is something that a Loon cell could take in."""
    if name.startswith("_") or name in _OF_IPYTHON:
        return False
    return value is None or isinstance(value, _PLAIN) or hasattr(type(value), "tolist")


def _files(word: str, parts: Sequence[str], folder: Path) -> Iterator[tuple[str, str]]:
    """File names for ``--export``: what is there already, folders, and a part's name in each format."""
    beginning, stem = os.path.split(word)
    shown = word[: len(word) - len(stem)]
    seen = set()
    for name, is_folder in _listing(folder, beginning):
        if not name.startswith(stem) or name.startswith("."):
            continue
        if is_folder or name.endswith(EXPORTED):
            seen.add(name)
            yield shown + name + ("/" if is_folder else ""), "path"
    bare = stem.rpartition(".")[0] or stem
    for proposed in [bare] if bare else parts:
        for suffix in EXPORTED:
            name = proposed + suffix
            if name.startswith(stem) and name not in seen:
                yield shown + name, "path"


def _listing(folder: Path, beginning: str) -> list[tuple[str, bool]]:
    """Names in a folder and whether each is a folder; nothing where there is none to read."""
    try:
        listed = folder / Path(beginning).expanduser()
        return sorted((path.name, path.is_dir()) for path in listed.iterdir())
    except (OSError, RuntimeError, ValueError):  # unreadable; the home of no user; no name of a file
        return []
