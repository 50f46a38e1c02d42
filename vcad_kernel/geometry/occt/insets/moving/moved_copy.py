"""A copy of a body whose boundary has gone where it was solved for: the same topology, other numbers.

OpenCASCADE's copy owns its surfaces and curves, which are moved as they are: planes and lines are shifted,
radii changed, ranges of parameters prolonged or cut. Nothing is intersected, so that corners and edges lie
where :mod:`vcad_kernel.geometry.occt.insets.moving.moving_boundary` has them, to the last digits. What goes
along the normal of a surface keeps its parameters on it, and most curves in parameters stay as they are.

Lengths in millimetres, angles in radians.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepBuilderAPI import BRepBuilderAPI_Copy
from OCP.Geom import (
    Geom_ConicalSurface,
    Geom_CylindricalSurface,
    Geom_Plane,
    Geom_RectangularTrimmedSurface,
    Geom_SphericalSurface,
    Geom_Surface,
    Geom_ToroidalSurface,
    Geom_TrimmedCurve,
)
from OCP.Geom2d import Geom2d_Curve, Geom2d_TrimmedCurve
from OCP.gp import gp_Pnt, gp_Pnt2d, gp_Vec, gp_Vec2d
from OCP.ShapeUpgrade import ShapeUpgrade_RemoveLocations
from OCP.TopAbs import TopAbs_VERTEX
from OCP.TopoDS import TopoDS, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import edges_of, faces_of, shape_map, solids_of
from vcad_kernel.geometry.occt.insets.moving.moving_boundary import (
    CONE,
    CYLINDER,
    PLANE,
    SPHERE,
    TORUS,
    MovingBoundary,
    NotStraight,
    Points,
    Surface,
)

__all__ = ["MovedCopy"]

_PRECISION = 1e-7
"""Millimetres: OpenCASCADE's own."""
_NOTHING = 1e-13
"""Millimetres: what is no shift at all."""
_ENDS = np.array([0.0, 0.5, 1.0])
_GEOMETRY: dict[int, type[Geom_Surface]] = {
    PLANE: Geom_Plane,
    CYLINDER: Geom_CylindricalSurface,
    CONE: Geom_ConicalSurface,
    SPHERE: Geom_SphericalSurface,
    TORUS: Geom_ToroidalSurface,
}


@dataclass(frozen=True, slots=True, eq=False)
class _Motions:
    """How the curves of n edges change: grown about their centres, then shifted, then cut elsewhere."""

    numbers: list[int]
    """Of the edges in the body."""
    shifts: Points
    """(n, 3); of lines square to them."""
    centres: Points
    """(n, 3) of arcs."""
    factors: Points
    """(n,) of arcs; 1 of lines."""
    slides: Points
    """(n, 2) what is added to the first and the last parameter."""


class MovedCopy:
    """The copy, by its parts, which are numbered as those of the body."""

    def __init__(self, shape: TopoDS_Shape, moving: MovingBoundary, distance: float) -> None:
        """shape: of one solid. moving: of it. Raises: NotStraight, and OpenCASCADE's own errors."""
        # geometry that is placed by a location would be moved in its own frame
        (solid,) = solids_of(shape)
        placing = ShapeUpgrade_RemoveLocations()
        placing.Remove(solid)
        self.shape = BRepBuilderAPI_Copy(placing.GetResult(), True, False).Shape()
        self.faces = faces_of(self.shape)
        self._edges = edges_of(self.shape)
        self._moving, self._distance, self._builder = moving, distance, BRep_Builder()
        numbers = moving.numbers
        if (len(self.faces), len(self._edges)) != (len(numbers.faces), len(numbers.edges)):
            raise NotStraight("a part of the boundary is there twice")
        self._away: list[float] = (-distance * moving.speeds * moving.whole.outward).tolist()
        """How far each surface goes away from its axis or the middle of its tube, a plane along its axis."""
        reach = distance * float(np.abs(moving.velocities).max(initial=0.0))
        for face, surface, away in zip(self.faces, moving.surfaces, self._away, strict=True):
            _move(_whole(BRep_Tool.Surface_s(face), surface.kind, reach), surface, away)
        self._move_corners()
        motions = _motions(moving, distance)
        self._move_flat_curves(motions)
        self._move_round_curves(motions)
        self._move_curves(motions)

    def _move_corners(self) -> None:
        numbered = shape_map(self.shape, TopAbs_VERTEX)
        places = (self._moving.corners + self._distance * self._moving.velocities).tolist()
        if numbered.Extent() != len(places):
            raise NotStraight("a corner is there twice")
        for index, place in enumerate(places, 1):
            vertex = TopoDS.Vertex(numbered.FindKey(index))
            self._builder.UpdateVertex(vertex, gp_Pnt(*place), _PRECISION)

    def _move_curves(self, motions: _Motions) -> None:
        """Those in space; after those in parameters, whose ends are looked up when the range is set."""
        rows = zip(
            motions.numbers, motions.shifts.tolist(), motions.centres.tolist(), motions.factors.tolist(),
            motions.slides.tolist(), strict=True,
        )  # fmt: skip
        for number, shift, centre, factor, (first, last) in rows:
            edge, old = self._edges[number], self._moving.numbers.curves.adaptors[number]
            assert old is not None
            curve = BRep_Tool.Curve_s(edge, 0.0, 0.0)
            # a fillet leaves edges that are parts of longer ones, and are to become longer perhaps
            if isinstance(curve, Geom_TrimmedCurve):
                curve = curve.BasisCurve()
                self._builder.UpdateEdge(edge, curve, 0.0)
            if factor != 1.0:
                curve.Scale(gp_Pnt(*centre), factor)
            curve.Translate(gp_Vec(*shift))
            self._builder.Range(edge, old.FirstParameter() + first, old.LastParameter() + last)

    def _move_flat_curves(self, motions: _Motions) -> None:
        """Those in the parameters of planes, which go as their edges do."""
        whole, edges = self._moving.whole, self._moving.edges
        index, side = np.nonzero(whole.kinds[edges.faces] == PLANE)
        at = edges.faces[index, side]
        across = whole.frames[at, :2]
        shifts = np.einsum("nij,nj->ni", across, motions.shifts[index])
        centres = np.einsum("nij,nj->ni", across, motions.centres[index] - whole.origins[at])
        columns = (edges.numbers[index], at, shifts, centres, motions.factors[index])
        for edge, face, shift, centre, factor in zip(*(column.tolist() for column in columns), strict=True):
            curve = self._curve_on(edge, face)
            if factor != 1.0:
                curve.Scale(gp_Pnt2d(*centre), factor)
            curve.Translate(gp_Vec2d(*shift))

    def _move_round_curves(self, motions: _Motions) -> None:
        """Those in the parameters of cylinders and cones, which go along the axis.

        Straight about an axis, or on a ball or a torus, everything goes along the normal only.
        """
        whole, edges = self._moving.whole, self._moving.edges
        kinds = whole.kinds[edges.faces]
        index, side = np.nonzero((kinds == CYLINDER) | (kinds == CONE))
        at = edges.faces[index, side]
        rising = np.einsum("ni,ni->n", whole.frames[at, 2], motions.shifts[index])
        for edge, face, rise in zip(edges.numbers[index].tolist(), at.tolist(), rising.tolist(), strict=True):
            if self._moving.surfaces[face].kind == CONE:
                tilt = self._moving.surfaces[face].shape[1]
                rise = (rise + self._away[face] * math.sin(tilt)) / math.cos(tilt)
            if abs(rise) > _NOTHING:
                self._curve_on(edge, face).Translate(gp_Vec2d(0.0, rise))

    def _curve_on(self, number: int, face: int) -> Geom2d_Curve:
        edge, there = self._edges[number], self.faces[face]
        curve = BRep_Tool.CurveOnSurface_s(edge, there, 0.0, 0.0)
        if curve is None:
            raise NotStraight("an edge has no curve on its face")
        if isinstance(curve, Geom2d_TrimmedCurve):
            curve = curve.BasisCurve()
            self._builder.UpdateEdge(edge, curve, there, 0.0)
        return curve


def _whole(surface: Geom_Surface, kind: int, reach: float) -> Geom_Surface:
    """What a part of a surface is a part of, as OpenCASCADE's offset leaves them.

    The part is made wider by a reach along those of its parameters that are lengths.
    """
    if not isinstance(surface, Geom_RectangularTrimmedSurface):
        return surface
    u0, u1, v0, v1 = surface.Bounds()
    if kind == PLANE:
        surface.SetTrim(u0 - 2.0 * reach, u1 + 2.0 * reach, v0 - 2.0 * reach, v1 + 2.0 * reach)
    elif kind in (CYLINDER, CONE):
        surface.SetTrim(u0, u1, v0 - 2.0 * reach, v1 + 2.0 * reach)
    return surface.BasisSurface()


def _move(surface: Geom_Surface, old: Surface, along: float) -> None:
    """along: as of MovedCopy._away. Raises: NotStraight."""
    if type(surface) is not _GEOMETRY[old.kind]:
        raise NotStraight("a surface is made of another one")
    if isinstance(surface, (Geom_CylindricalSurface, Geom_SphericalSurface)):
        surface.SetRadius(old.shape[0] + along)
    elif isinstance(surface, Geom_ToroidalSurface):
        surface.SetMinorRadius(old.shape[1] + along)
    elif isinstance(surface, Geom_ConicalSurface):
        # so that what goes along its normal keeps its parameters
        reference, tilt = old.shape
        surface.SetRadius(reference + along * math.cos(tilt))
        surface.Translate(_along_axis(old, -along * math.sin(tilt)))
    else:
        surface.Translate(_along_axis(old, along))


def _along_axis(surface: Surface, way: float) -> gp_Vec:
    x, y, z = surface.place[6:9]
    return gp_Vec(way * x, way * y, way * z)


def _motions(moving: MovingBoundary, distance: float) -> _Motions:
    """Of the edges between two faces, in their order, and of seams."""
    seams, edges = [number for number, _ in moving.seams], moving.edges
    curves, rows = moving.numbers.curves, edges.curves
    points, ways = edges.points[:, ::2], distance * edges.velocities[:, ::2]
    if seams:
        points = np.concatenate([points, curves.along(seams, _ENDS)[0]])
        ways = np.concatenate([ways, distance * _velocities_of_seams(moving, points[len(ways) :, 1])])
        rows = np.concatenate([rows, curves.rows[seams]])
    centres, axes, radii = rows[:, 6:9], rows[:, 9:12], rows[:, 12]
    is_arc = rows[:, 13] != 0.0
    along = np.where(is_arc[:, None], 0.0, axes)
    shifts = ways[:, 1] - np.einsum("ni,ni->n", ways[:, 1], along)[:, None] * along
    rising = np.einsum("ni,ni->n", ways[:, 1], axes)
    shifts[is_arc] = rising[is_arc, None] * axes[is_arc]
    radii = np.where(is_arc, radii, 1.0)
    out = points - centres[:, None]
    widening = np.einsum("ni,ni->n", ways[:, 1], out[:, 1]) / radii
    factors = np.where(is_arc, 1.0 + widening / radii, 1.0)
    slides = np.einsum("nki,ni->nk", ways[:, ::2], along)
    return _Motions([*edges.numbers.tolist(), *seams], shifts, centres, factors, slides)


def _velocities_of_seams(moving: MovingBoundary, middles: Points) -> Points:
    """(n, 3, 3) at both ends, which are corners, and in the middle (n, 3), where they go along the normal."""
    numbers, faces = np.array(moving.seams).T
    ends = np.array(moving.numbers.ends)[numbers, :2] - 1
    normals = moving.whole.at(middles, faces)[1]
    within = -moving.speeds[faces, None] * normals
    return np.stack([moving.velocities[ends[:, 0]], within, moving.velocities[ends[:, 1]]], axis=1)
