"""Edges that no ball rounds: towards an end of theirs the two faces close upon each other.

There the body, or the gap, becomes thinner than any ball, so that no radius fits, however small. It is
so where a bore cuts through a rod of its own diameter. OpenCASCADE asked for such a fillet may never
return.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from OCP.BRepAdaptor import BRepAdaptor_Curve

from vcad_kernel.geometry.occt.sharp_edges import SharpEdge, turns_along

__all__ = ["knives"]

_NEAR_END = 1e-3
"""Share of the edge from its end at which the faces are looked at, and again at twice of it."""
_OPEN = 1.0
"""Radians between faces, where they are nearest, of an edge that need not be looked at."""
_THIN = 0.1
"""Radians between faces beyond which they do not close."""
_CLOSING = 0.05
"""Share of that angle which may be left at the very end, by prolonging it straight."""


def knives(corners: Sequence[SharpEdge]) -> list[SharpEdge]:
    """Those of the edges whose faces meet at no angle at an end of the edge, and at one elsewhere."""
    return [corner for corner in corners if _closes(corner)]


def _closes(corner: SharpEdge) -> bool:
    if math.pi - corner.turn > _OPEN:
        return False
    curve = BRepAdaptor_Curve(corner.edge)
    low, high = curve.FirstParameter(), curve.LastParameter()
    for end, inwards in ((low, high - low), (high, low - high)):
        stations = [end + inwards * _NEAR_END * count for count in (1.0, 2.0)]
        near, beyond = (math.pi - turn for turn, _ in turns_along(corner, stations))
        if near < _THIN and near < beyond and 2.0 * near - beyond <= _CLOSING * near:
            return True
    return False
