"""The unified diff of two versions of a text, as people and agents read it."""

from __future__ import annotations

import difflib

from notebook_ext.workspace.files.slices import lines_of

__all__ = ["unified"]

_CONTEXT = 3


def unified(before: str, after: str, name: str) -> str:
    """The diff of a file called ``name``; empty when nothing differs but line endings."""
    diff = difflib.unified_diff(
        [line.text for line in lines_of(before)],
        [line.text for line in lines_of(after)],
        f"a/{name}",
        f"b/{name}",
        n=_CONTEXT,
        lineterm="",
    )
    return "\n".join(diff)
