"""Insets in which every face, edge and corner of the body stays: proven first, and only then built.

To move a body's topology along takes a hundredth of the time that cutting all moved faces with each other
does. It is right where

1. faces are planes, cylinders, cones, spheres and tori, edges are straight or round, and each of them moves
   straight (:mod:`vcad_kernel.geometry.occt.insets.moving.moving_boundary`);
2. no radius and no edge shrinks to nothing, and no two borders of one face come together: those that are
   further apart than both of them move within the face cannot;
3. no two places of the boundary meet that were apart. What the moving boundary leaves behind only grows, so
   that where two of its sheets first touch, the body lies between them, and they cannot look the same way:
   if all their outward normals lay in one open half-space, both would leave the same side of the place free.
   So pieces of the boundary (of faces by no more than 60°, sharp edges, corners) whose cones of normals may
   hold opposite ones must be further apart than both of them move; all others may be as near as they are.
   Pieces about one axis, which move within its half-planes, meet only where they lie in the same ones.
   Of a convex body none of that is asked: its insets are convex, too, as they are what moved half-spaces,
   cylinders, balls and the like have in common. Two sheets of such a one meet when nothing but a flat piece,
   a line or a point is left of it, and before that each face between them has lost its height or its edges,
   which 2 rules out.

Nothing of this is looked at after building: it holds for all distances up to the one that it is asked for.
Whatever is not that simple is not called wrong, but left to
:mod:`vcad_kernel.geometry.occt.insets.insetting`. Lengths in millimetres, angles in radians.

Earns its place by the benchmark of the bottle: a third of the time.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepTools import BRepTools
from OCP.TopAbs import TopAbs_FORWARD, TopAbs_SHELL
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS, TopoDS_Face, TopoDS_Iterator, TopoDS_Shape, TopoDS_Shell, TopoDS_Solid

from vcad_kernel.geometry.occt.brep import edges_of, faces_of, shape_map, solids_of
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.insets.moving.moved_copy import MovedCopy
from vcad_kernel.geometry.occt.insets.moving.moving_boundary import (
    PLANE,
    MovedEdges,
    MovingBoundary,
    NotStraight,
    Points,
)
from vcad_kernel.geometry.occt.insets.moving.sheets import Doubt, are_on_axis, boxes_of, facing, sags_of
from vcad_kernel.geometry.occt.measure.validity import is_valid
from vcad_kernel.geometry.tolerance import LINEAR

__all__ = ["KeptTopology"]

_MOST_MEASURED = 40
"""Pairs of shapes whose distance is looked for where that of their boxes is too small; 0.2 ms each."""
_PRECISION = 1e-7
"""Millimetres: OpenCASCADE's own."""


class KeptTopology:
    """The insets of one body as long as all of it stays."""

    def __init__(self, shape: TopoDS_Shape, opened: Sequence[TopoDS_Face] = ()) -> None:
        """shape: sound and outward oriented. opened: faces that stay where they are."""
        solids = solids_of(shape)
        self._place = solids[0].Location() if len(solids) == 1 else TopLoc_Location()
        """Where the body is: what is built is built where it was before it was placed."""
        self._shape = shape if self._place.IsIdentity() else solids[0].Located(TopLoc_Location())
        self._faces = faces_of(self._shape)
        placed = zip(self._faces, faces_of(shape), strict=True)
        self._opened = [face for face, there in placed if any(there.IsSame(other) for other in opened)]
        self._moving = self._solved()

    def inset(self, distance: float) -> TopoDS_Shape | None:
        """The inset as a solid; None where that is not proven, or where it reaches the boundary."""
        if self._opened:
            return None
        copy = self._copied(distance)
        if copy is None:
            return None
        inset = copy.shape.Moved(self._place)
        return inset if is_valid(inset) else None

    def hollowed(self, distance: float) -> tuple[TopoDS_Shape, list[list[TopoDS_Face]]] | None:
        """The body less its inset, and what is left of each opened face; None where that is not proven."""
        copy = self._copied(distance) if self._opened else None
        if copy is None:
            return None
        builder, shell, solid = BRep_Builder(), TopoDS_Shell(), TopoDS_Solid()
        builder.MakeShell(shell)
        rings = []
        for face, moved in zip(self._faces, copy.faces, strict=True):
            if self._is_open(face):
                rings.append(_rings(face, moved))
                continue
            builder.Add(shell, face)
            builder.Add(shell, moved.Reversed())
        for ring in itertools.chain.from_iterable(rings):
            builder.Add(shell, ring)
        shell.Closed(True)
        builder.MakeSolid(solid)
        builder.Add(solid, shell)
        hollow = solid.Moved(self._place)
        if not is_valid(hollow):
            return None
        return hollow, [[TopoDS.Face(ring.Moved(self._place)) for ring in there] for there in rings]

    def _copied(self, distance: float) -> MovedCopy | None:
        """The body with its boundary moved by the distance."""
        if self._moving is None or not self._holds(self._moving, distance):
            return None
        try:
            return MovedCopy(self._shape, self._moving, distance)
        except NotStraight:
            return None
        except OCCT_ERRORS:
            return None

    def _is_open(self, face: TopoDS_Face) -> bool:
        return any(face.IsSame(opened) for opened in self._opened)

    def _solved(self) -> MovingBoundary | None:
        if len(solids_of(self._shape)) != 1 or shape_map(self._shape, TopAbs_SHELL).Extent() != 1:
            return None
        try:
            moving = MovingBoundary(self._shape, self._faces, self._is_open)
        except NotStraight:
            return None
        stays = moving.speeds == 0.0
        # an opening is flat, alone, and becomes smaller all around
        at_corner = moving.at_corner
        if (
            (moving.whole.kinds[stays] != PLANE).any()
            or ((at_corner >= 0) & stays[at_corner]).sum(axis=1).max(initial=0) > 1
            or (moving.edges.are_concave & stays[moving.edges.faces].any(axis=1)).any()
        ):
            return None
        return moving

    def _holds(self, moving: MovingBoundary, distance: float) -> bool:
        """Whether all of the body stays up to an inset by a distance."""
        least = distance * (1.0 + 1e-6) + LINEAR
        room = min(moving.edges.rooms.min(initial=math.inf), *(surface.room for surface in moving.surfaces))
        if room <= least or not moving.fits(distance):
            return False
        sheets = iter(()) if moving.is_convex else facing(moving, distance)
        doubts = itertools.chain(_borders(moving, distance), sheets)
        for count, doubt in enumerate(doubts):
            if doubt.is_joined or count >= _MOST_MEASURED or not doubt.is_unfounded:
                return False
        return True


def _borders(moving: MovingBoundary, distance: float) -> Iterator[Doubt]:
    """Pairs of a face's edges, not next to each other, that may come together within the face."""
    edges = moving.edges
    # every edge twice, once for each of its faces
    faces, speeds = edges.faces.ravel(), edges.sideways.ravel()
    pairs = [_pairs(np.flatnonzero(faces == face)) for face in np.unique(faces[speeds > 0.0]).tolist()]
    if not pairs:
        return
    first, second = np.concatenate(pairs, axis=1)
    reaches = (speeds[first] + speeds[second]) * distance * (1.0 + 1e-6)
    first, second = first // 2, second // 2
    boxes = boxes_of(edges.points, sags_of(edges))
    apart = np.maximum(boxes[first, 0] - boxes[second, 1], boxes[second, 0] - boxes[first, 1])
    gaps = np.sqrt((np.maximum(apart, 0.0) ** 2).sum(axis=1))
    joined = (edges.corners[first, :, None] == edges.corners[second, None]).any(axis=(1, 2))
    near = (gaps <= reaches + LINEAR) & (reaches > 0.0) & ~joined
    first, second, reaches = first[near], second[near], reaches[near] + LINEAR
    near = _rims_apart(edges, first, second) <= reaches
    shapes, numbers = moving.numbers.edges, edges.numbers
    for edge, other, reach in zip(
        numbers[first[near]].tolist(), numbers[second[near]].tolist(), reaches[near].tolist(), strict=True
    ):
        yield Doubt(shapes[edge], shapes[other], reach, False)


def _pairs(members: NDArray[np.intp]) -> NDArray[np.intp]:
    """(2, n) of all."""
    return members[np.array(np.triu_indices(len(members), 1))]


def _rims_apart(edges: MovedEdges, first: NDArray[np.intp], second: NDArray[np.intp]) -> Points:
    """(n,) how far arcs about one axis are apart at least; 0 of others."""
    centres, axes, radii = edges.centres, edges.axes, edges.radii
    apart = np.hypot(
        radii[first] - radii[second],
        np.einsum("ni,ni->n", centres[second] - centres[first], axes[first]),
    )
    is_round = (edges.angles[first] > 0.0) & (edges.angles[second] > 0.0)
    shared = are_on_axis(axes[first], centres[first], axes[second], centres[second])
    return np.where(is_round & shared, apart, 0.0)


# ---------------------------------------------------------------- openings


def _rings(opened: TopoDS_Face, moved: TopoDS_Face) -> list[TopoDS_Face]:
    """What is left of an opened face between its borders and those that have moved: a wall around each.

    moved: its copy, which lies in the same plane.
    """
    builder, rings = BRep_Builder(), []
    outer = BRepTools.OuterWire_s(opened)
    for wire, inner in zip(_wires(opened), _wires(moved), strict=True):
        ring = TopoDS.Face(opened.Oriented(TopAbs_FORWARD).EmptyCopied())
        borders = [wire, inner.Reversed()]
        # around a hole the moved border is the outer one
        for border in borders if wire.IsSame(outer) else borders[::-1]:
            builder.Add(ring, border)
        for edge in edges_of(inner):
            curve = BRep_Tool.CurveOnSurface_s(edge, moved, 0.0, 0.0)
            builder.UpdateEdge(edge, curve, ring, _PRECISION)
        rings.append(TopoDS.Face(ring.Oriented(opened.Orientation())))
    return rings


def _wires(face: TopoDS_Face) -> list[TopoDS_Shape]:
    """As they are in the face when that is forward."""
    wires, walk = [], TopoDS_Iterator(face.Oriented(TopAbs_FORWARD))
    while walk.More():
        wires.append(walk.Value())
        walk.Next()
    return wires
