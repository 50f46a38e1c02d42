"""A thing that was pointed at, in a view or by number."""

from __future__ import annotations

from typing import Literal

import msgspec

__all__ = ["Picked"]


class Picked(msgspec.Struct, frozen=True):
    """A face, edge or vertex of a part, or the part. Named by number, by point, or both."""

    kind: Literal["face", "edge", "vertex", "part"]
    index: int | None = None
    """Its number in the tables. Of a vertex twice that of its edge, and one more for the end of the line."""
    point: tuple[float, float, float] | None = None
    """Where it was touched, mm, as the part is placed. It counts where there is no number."""
