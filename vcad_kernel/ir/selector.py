"""Which edges or faces of a solid a feature works on, as data (cad.md §2.8).

A selector holds criteria, never ids: it is applied to the solid each time that is built. All given
criteria must hold; ``largest`` and ``smallest`` then choose among what is left. How criteria are
measured on a B-rep is the exact kernel's business.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from vcad_kernel.ir.vectors import Vec2, Vec3

__all__ = ["EDGE_KINDS", "FACE_KINDS", "Coordinates", "Selector", "Target"]

Target: TypeAlias = Literal["edge", "face"]
Coordinates: TypeAlias = tuple[tuple[Literal["x", "y", "z"], float], ...]
"""World coordinates by axis, in the order x, y, z; not all three need be there."""

EDGE_KINDS = ("line", "circle", "other")
FACE_KINDS = ("plane", "cylinder", "cone", "sphere", "torus", "other")


@dataclass(frozen=True, slots=True)
class Selector:
    """Criteria for edges or faces; None = any. Lengths mm, areas mm²."""

    target: Target
    parallel: Vec3 | None = None
    """Edges: straight and along this direction, either way. Faces: planar and along it."""
    at: Coordinates | None = None
    """The middle lies there, within 1e-6 mm. Middle: of an edge the point at half its length (of a closed
    circle its centre); of a face its centroid."""
    above: Coordinates | None = None
    """The middle is beyond these coordinates by more than 1e-6 mm."""
    below: Coordinates | None = None
    length: Vec2 | None = None
    """Edges: (lowest, highest) length, both included within 1e-6."""
    radius: Vec2 | None = None
    """(lowest, highest) radius of a circle, cylinder, sphere, or minor radius of a torus."""
    convex: bool | None = None
    """Edges: material on the inside of the corner (True), or a concave corner (False)."""
    kind: str | None = None
    """One of EDGE_KINDS or FACE_KINDS."""
    normal: Vec3 | None = None
    """Faces: planar, with this outward normal."""
    largest: int | None = None
    """The so many longest edges or largest faces; ties all stay."""
    smallest: int | None = None
    adjacent: Selector | None = None
    """Edges: of a face that this selects. Faces: next to a face that this selects."""
    made_by: str | None = None
    """Made by a call of this function (``cylinder``) or by the form of this name."""
