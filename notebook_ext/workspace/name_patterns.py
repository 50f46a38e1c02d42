"""Globs over paths: ``*``, ``?`` and ``[…]`` within a name, ``**`` for any number of folders.

Names are compared in one Unicode normal form, with case.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from fnmatch import translate
from re import Pattern, compile  # noqa: A004 - nothing is compiled here but patterns
from typing import Final

from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["NamePattern"]

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
