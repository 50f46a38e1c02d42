"""A lesson for each code that a message may carry: what it means, a program that shows it, why the rule
is there, and the program repaired.

The texts are markdown, one file per code. Their programs are marked: ``loon wrong`` leads to the code,
``loon right`` runs and has no findings, ``loon wrong plate.oo`` is a file beside the wrong program.
Knows no checker and runs nothing; the tests do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

__all__ = ["RUN_TIME_CLASSES", "Lesson", "codes", "lesson"]

RUN_TIME_CLASSES: Final = (
    "index",
    "zero-division",
    "domain",
    "conversion",
    "empty",
    "assertion",
    "recursion-depth",
    "time-limit",
    "collection-size",
    "memory",
    "macro-expansions",
)
"""The classes of run-time errors that have no E-code; errors carry the class as their code."""

_FENCE = re.compile(r"^```loon \w.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Lesson:
    """One code, explained."""

    code: str
    title: str
    text: str
    """Markdown without the title and the marks."""


@cache
def codes() -> tuple[str, ...]:
    """All codes that have a lesson: errors in order, then warnings, then run-time classes."""
    names = (file.name for file in files(__name__).iterdir())
    numbered = sorted(name.removesuffix(".md") for name in names if re.fullmatch(r"[EW]\d{4}\.md", name))
    return (*numbered, *RUN_TIME_CLASSES)


@cache
def lesson(code: str) -> Lesson:
    """The lesson of a code.

    Raises: KeyError when there is none.
    """
    if code not in codes():
        raise KeyError(code)
    written = files(__name__).joinpath(f"{code}.md").read_text("utf-8")
    title, _, text = written.partition("\n")
    return Lesson(code, title.removeprefix("# "), _FENCE.sub("```loon", text.strip() + "\n"))
