"""Bodies as users write them, one program a file: parts of other systems' examples, blends, shells, decimals.

    for name in names():
        program = source(name)

Each is one body, built within seconds and without a warning. What holds for every body is tested on all
of these.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["names", "source"]

_FOLDER = Path(__file__).parent


def names() -> list[str]:
    """All bodies, by the name of their file."""
    return sorted(path.stem for path in _FOLDER.glob("*.oo"))


def source(name: str) -> str:
    """The program that makes a body, in Loon."""
    return (_FOLDER / f"{name}.oo").read_text(encoding="utf-8")
