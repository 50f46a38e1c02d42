"""What is requested of edges: a fillet of one radius, one that runs from radius to radius, a chamfer."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from vcad_kernel.geometry.occt.measure.topology.sharp_edges import SharpEdge

__all__ = ["Blend"]


@dataclass(frozen=True, slots=True)
class Blend:
    """A blend by kind and size. Millimetres."""

    kind: Literal["fillet", "chamfer"]
    size: float
    """Radius of the rolling ball, or how far a bevel reaches into each face."""
    end: float | None = None
    """Radius at the later end of each edge (in x, then y, then z), where that is another one."""

    @property
    def code(self) -> str:
        """The code of the error when it cannot be built."""
        return "FILLET_FAILED" if self.kind == "fillet" else "CHAMFER_FAILED"

    @property
    def noun(self) -> str:
        """What its size is called."""
        return "radius" if self.kind == "fillet" else "distance"

    @property
    def argument(self) -> str:
        """The argument that gives the size, as the user writes it."""
        if self.kind == "chamfer":
            return "d"
        return "r" if self.end is None else "r1"

    @property
    def largest(self) -> float:
        """The greatest size it has anywhere."""
        return max(self.size, self.end or 0.0)

    def sized(self, size: float) -> Blend:
        """The same in another size; the two radii keep their ratio."""
        end = None if self.end is None else self.end * size / self.size
        return replace(self, size=size, end=end)

    def trim(self, corner: SharpEdge) -> float:
        """How much of each of two flat faces the blend of the edge between them takes, millimetres."""
        if self.kind == "chamfer":
            return self.size
        return min(self.size, self.end or self.size) * math.tan(min(corner.turn, math.pi - 1e-6) / 2)

    def reach(self, corner: SharpEdge) -> float:
        """The widest strip that it takes of a face, millimetres."""
        return max(self.trim(corner), self.sized(self.largest).trim(corner) if self.end else 0.0)

    def section(self, corner: SharpEdge) -> float:
        """Area between the corner and the blend in a section square to the edge, mm².

        Fillet: the kite of the two tangents less the sector, r²·(tan(φ/2) - φ/2); chamfer: the
        triangle, d²·sin φ / 2. φ is the turn between the outward normals. Of a radius that
        changes, the mean of its square along the edge.
        """
        turn = min(corner.turn, math.pi - 1e-6)
        if self.kind == "chamfer":
            return self.size**2 * math.sin(turn) / 2
        mean = self.size**2
        if self.end is not None:
            mean = (self.size**2 + self.size * self.end + self.end**2) / 3
        return mean * (math.tan(turn / 2) - turn / 2)
