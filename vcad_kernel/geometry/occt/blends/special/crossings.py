"""Fillets where two cylinders of one radius cross: exact strips, laid in before all other edges are blended.

The edges between such cylinders are ellipses, which cross where both have a common tangent plane. There
the corner is no corner any more and its blend has no width, and OpenCASCADE's blends end there by luck:
they fail, fold, or miss the volume by 1e-5, as the seams lie. But all is known: a ball rolls along the
same ellipse of smaller or larger cylinders, and touches each cylinder along an ellipse.

A strip takes the place of one half of an ellipse, from crossing to crossing.

Earns its place by `test_blend_crossings_round_what_two_pipes_have_in_common`: OpenCASCADE alone misses the
volume by 2.5e-5, and by up to 6e-5 where the pipes cross askew.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Curve2d, BRepAdaptor_Surface
from OCP.BRepBuilderAPI import BRepBuilderAPI_Copy, BRepBuilderAPI_MakeFace
from OCP.collections import Array2_double, Array2_gp_Pnt
from OCP.ElSLib import ElSLib
from OCP.Geom import Geom_BSplineSurface
from OCP.GeomAbs import GeomAbs_Cylinder
from OCP.gp import gp_Cylinder, gp_Dir, gp_Lin, gp_Pnt, gp_Vec
from OCP.TopAbs import TopAbs_VERTEX
from OCP.TopoDS import TopoDS_Edge, TopoDS_Face

from vcad_kernel.geometry.occt.blends.builders import at_once
from vcad_kernel.geometry.occt.blends.request import Blend
from vcad_kernel.geometry.occt.blends.reseaming import (
    borders_of,
    cut_out,
    lies_on,
    patches,
    sewn_up,
    whole_tube,
)
from vcad_kernel.geometry.occt.brep import Brep, compound_of, edges_of, shape_map
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import outward_normal
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import SharpEdge, oriented_in, sharp_edges
from vcad_kernel.geometry.occt.sweeps.fitting import DEGREE, fitted, integers, reals
from vcad_kernel.geometry.occt.sweeps.profiles.sketches import point_of
from vcad_kernel.ir.digest import Digest

__all__ = ["at_crossings", "fits_crossings"]

_CYLINDER = GeomAbs_Cylinder.value
_SAME = 1e-6
"""Relative to the radius: cylinders of one radius, axes that meet, edges that end in the crossing."""
_FITTED = 1e-9
"""Relative to the radius: how well a strip keeps the ball's distance."""
_SKEW = 1e-3
"""Sine of the angle of the axes below which they are parallel for us."""

_ASIDE = 0.47
"""Share of the gap between borders at which a seam is laid: not in the middle, where symmetry puts things."""

_Vector = NDArray[np.float64]


def at_crossings(solid: Brep, corners: Sequence[SharpEdge], blend: Blend, maker: Digest) -> Brep | None:
    """The body with exact strips in its crossings and OpenCASCADE's blends elsewhere.

    None when it has no crossings, or they cannot be rounded.
    """
    if blend.kind != "fillet" or blend.end is not None:
        return None
    halves = _halves(corners, blend.size)
    if not halves:
        return None
    done = [corner for half in halves for corner in half.corners]
    others = [corner for corner in corners if not any(corner is rounded for rounded in done)]
    # where another edge ends in the crossing its blend would run into the strips
    if _touch(others, done):
        return None
    if not others:
        return _rounded(solid, blend.size, done, maker)
    # the other edges first, with the seams that they have; sewing may cut them into pieces
    prepared = at_once(solid, others, blend, maker)
    body = None if prepared is None else _rounded(prepared, blend.size, done, maker)
    if body is not None:
        return body
    body = _rounded(solid, blend.size, done, maker)
    if body is None:
        return None
    left = [corner for corner in sharp_edges(body.shape) if lies_on(corner, others)]
    return at_once(body, left, blend, maker)


def fits_crossings(corners: Sequence[SharpEdge], blend: Blend) -> bool:
    """Whether the ball is smaller than the cylinders within which it would roll."""
    if blend.kind != "fillet":
        return True
    crossings = (_crossing(corner, blend.largest) for corner in corners)
    return not any(crossing is not None and crossing[0].ball >= crossing[0].radius for crossing in crossings)


def _touch(corners: Sequence[SharpEdge], others: Sequence[SharpEdge]) -> bool:
    """Whether edges of the one kind end where edges of the other do."""
    ends, other_ends = (
        shape_map(compound_of(corner.edge for corner in some), TopAbs_VERTEX) for some in (corners, others)
    )
    return any(other_ends.Contains(ends.FindKey(index)) for index in range(1, ends.Extent() + 1))


def _rounded(solid: Brep, radius: float, meant: Sequence[SharpEdge], maker: Digest) -> Brep | None:
    """The body with strips along those of its edges that lie on the ones meant."""
    corners = [corner for corner in sharp_edges(solid.shape) if lies_on(corner, meant)]
    try:
        return _with_strips(solid, _halves(corners, radius), maker)
    except OCCT_ERRORS:
        return None


@dataclass(slots=True, eq=False)
class _Half:
    """One half of an ellipse in which two cylinders cross, and the ball that rolls along it."""

    centre: _Vector
    """Where the axes meet."""
    pole: _Vector
    """Unit vector square to both axes: towards the end of the half."""
    axes: tuple[_Vector, _Vector]
    out: _Vector
    """Unit vector along the bisector of the axes on which the middle of the half lies."""
    radius: float
    ball: float
    """Signed: positive when it rolls within the cylinders."""
    corners: list[SharpEdge] = field(default_factory=list)
    turned: float = 0.0
    """Angle that the edges take of the half, π when they are all there."""

    def radial(self, axis: _Vector) -> tuple[_Vector, float]:
        """The part of ``out`` that is square to an axis as a unit vector, and the slope along the axis."""
        along = float(self.out @ axis)
        square = self.out - along * axis
        size = float(np.linalg.norm(square))
        return square / size, along / size

    def covers(self, point: gp_Pnt, tube: gp_Cylinder) -> bool:
        """Whether the strip takes away a point of one of the two cylinders."""
        here = np.array((point.X(), point.Y(), point.Z())) - self.centre
        axis = _vector(tube.Axis().Direction())
        if not any(abs(float(axis @ own)) > 1.0 - _SAME for own in self.axes):
            return False
        square, slope = self.radial(axis)
        reach, height = float(here @ square), float(here @ axis)
        if reach <= 0.0 or abs(math.hypot(reach, float(here @ self.pole)) - self.radius) > 1e-6 * self.radius:
            return False
        low, high = sorted((self.radius, self.radius - self.ball))
        # along the generator both ellipses lie at multiples of the same height
        return low * reach * slope**2 <= height * slope * self.radius <= high * reach * slope**2

    def strip(self) -> TopoDS_Face:
        """The surface that the ball touches; its narrow ends are points."""
        # seen along an axis the ball's centre goes round on a circle; the plane of the half cuts it askew,
        # so that along ``out`` the ellipse is longer by 1 / sin of the angle between ``out`` and the axis
        (first, _), (second, _) = (self.radial(axis) for axis in self.axes)
        stretch = 1.0 / math.sqrt(1.0 - float(self.out @ self.axes[0]) ** 2)

        def stations(angle: _Vector) -> _Vector:
            sine, cosine = np.sin(angle)[:, None], np.cos(angle)[:, None]
            spine = self.centre + (self.radius - self.ball) * (sine * self.pole + stretch * cosine * self.out)
            normals = [sine * self.pole + cosine * radial for radial in (first, second)]
            # the arc between both points of contact: its middle pole is where the tangents meet, its weight
            # the cosine of half the angle
            cosine_between = np.einsum("ij,ij->i", *normals)[:, None]
            weight = np.sqrt((1.0 + cosine_between) / 2.0)
            middle = spine + self.ball * (normals[0] + normals[1]) / (1.0 + cosine_between)
            sides = [spine + self.ball * normal for normal in normals]
            return np.hstack([sides[0], weight * middle, weight, sides[1]])

        # across, the strip is an arc: a rational Bézier curve of three poles, fitted along with its weight
        spline = fitted(stations, (-math.pi / 2, math.pi / 2), _FITTED * self.radius)
        count = len(spline.poles)
        points, weights = Array2_gp_Pnt(1, 3, 1, count), Array2_double(1, 3, 1, count)
        for index, row in enumerate(spline.poles, 1):
            for across, (pole, weight) in enumerate(
                ((row[:3], 1.0), (row[3:6] / row[6], row[6]), (row[7:], 1.0)), 1
            ):
                points.SetValue(across, index, point_of(pole))
                weights.SetValue(across, index, float(weight))
        surface = Geom_BSplineSurface(
            points,
            weights,
            reals([0.0, 1.0]),
            reals(spline.knots),
            integers([3, 3]),
            integers(spline.multiplicities),
            2,
            DEGREE,
        )
        return BRepBuilderAPI_MakeFace(surface, 1e-7).Face()


def _halves(corners: Sequence[SharpEdge], radius: float) -> list[_Half]:
    """The halves all of whose edges are to be rounded."""
    halves: list[_Half] = []
    for corner in corners:
        crossing = _crossing(corner, radius)
        if crossing is None or crossing[0].ball >= crossing[0].radius:
            continue
        half, turn = crossing
        # several edges may lie on one half: only all of them together reach from crossing to crossing
        same = next((known for known in halves if _is_same(known, half)), None)
        if same is None:
            halves.append(half)
            same = half
        same.corners.append(corner)
        same.turned += turn
    return [half for half in halves if abs(half.turned - math.pi) <= 1e-5]


def _is_same(half: _Half, other: _Half) -> bool:
    spare = _SAME * half.radius
    return (
        float(np.linalg.norm(half.centre - other.centre)) <= spare
        and abs(half.radius - other.radius) <= spare
        and half.ball == other.ball
        and float(half.out @ other.out) > 1.0 - _SAME
        and abs(float(half.pole @ other.pole)) > 1.0 - _SAME
    )


def _crossing(corner: SharpEdge, radius: float) -> tuple[_Half, float] | None:
    """The half on which an edge lies, and the angle that it takes of it."""
    if corner.convex is None or corner.surfaces != (_CYLINDER, _CYLINDER):
        return None
    tubes = [BRepAdaptor_Surface(face, False).Cylinder() for face in corner.faces]
    size = tubes[0].Radius()
    if abs(tubes[1].Radius() - size) > _SAME * size:
        return None
    first, second = (_vector(tube.Axis().Direction()) for tube in tubes)
    normal = np.cross(first, second)
    skew = float(np.linalg.norm(normal))
    starts = [np.array((at.X(), at.Y(), at.Z())) for at in (tube.Location() for tube in tubes)]
    # axes that are parallel, or pass each other, make no ellipses
    if skew < _SKEW or abs(float((starts[1] - starts[0]) @ normal)) > _SAME * size * skew:
        return None
    # the point of the first axis nearest to the second, which is on it as they meet
    centre = starts[0] + first * float(np.cross(starts[1] - starts[0], second) @ normal) / skew**2
    curve = BRepAdaptor_Curve(corner.edge)
    low, high = curve.FirstParameter(), curve.LastParameter()
    points = [
        np.array((at.X(), at.Y(), at.Z())) - centre
        for at in (curve.Value(low + share * (high - low)) for share in (0.0, 0.25, 0.5, 0.75, 1.0))
    ]
    # both ellipses lie in the planes of the bisectors of the axes: on which side is the middle of the edge?
    out = max(
        (sign * (first + way * second) for sign in (1.0, -1.0) for way in (1.0, -1.0)),
        key=lambda bisector: float(bisector @ points[2]) / float(np.linalg.norm(bisector)),
    )
    out /= np.linalg.norm(out)
    pole = normal / skew
    side = _side(corner)
    if side is None:
        return None
    ball = radius * side * (1.0 if corner.convex else -1.0)
    half = _Half(centre, pole, (first, second), out, size, ball, [])
    square, _ = half.radial(first)
    # an edge of these two cylinders that leaves the plane, or crosses over, is no part of a half
    across = np.cross(pole, out)
    if any(abs(float(point @ across)) > 1e-5 * size or float(point @ out) < -1e-5 * size for point in points):
        return None
    # seen along an axis the ellipse is the circle of the cylinder, on which angles are measured
    angles = [math.atan2(float(point @ pole), float(point @ square)) for point in points]
    return half, abs(angles[-1] - angles[0])


def _side(corner: SharpEdge) -> float | None:
    """1 where both faces look away from their axes, -1 where both look towards them."""
    sides = set()
    for face in corner.faces:
        surface = BRepAdaptor_Surface(face, False)
        curve = BRepAdaptor_Curve2d(oriented_in(corner.edge, face), face)
        place = curve.Value((curve.FirstParameter() + curve.LastParameter()) / 2)
        outward = outward_normal(face, place)
        if outward is None:
            return None
        point, tube = surface.Value(place.X(), place.Y()), surface.Cylinder()
        from_axis = _vector(point) - _vector(tube.Location())
        sides.add(math.copysign(1.0, float(from_axis @ _vector(outward))))
    return sides.pop() if len(sides) == 1 else None


def _with_strips(solid: Brep, halves: Sequence[_Half], maker: Digest) -> Brep | None:
    """The body with its crossing edges round; None when the strips do not fit its faces."""
    # cutting and sewing leave marks on edges, which the old body must not bear
    copying = BRepBuilderAPI_Copy(solid.shape)
    old = [(half, [copying.ModifiedShape(corner.edge) for corner in half.corners]) for half in halves]
    strips = [half.strip() for half in halves]
    laid = [(strip, maker) for strip in strips]
    for patch in patches(Brep(copying.Shape(), solid.makers)):
        faces = [face for face, _ in patch]
        borders = borders_of(faces)
        near = [
            (half, strip)
            for (half, edges), strip in zip(old, strips, strict=True)
            if any(edge.IsSame(border) for edge in edges for border in borders)
        ]
        if not near:
            laid += patch
            continue
        tube = BRepAdaptor_Surface(faces[0], False).Cylinder()
        gone = [edge for _, edges in old for edge in edges]
        borders = [edge for edge in borders if not any(edge.IsSame(old_edge) for old_edge in gone)]
        for _, strip in near:
            borders += [edge for edge in edges_of(strip) if _runs_on(edge, tube)]

        # what lies between the old edge and the strip's own is cut off, with the seam out of the way
        taken = partial(_is_taken, [half for half, _ in near], tube)
        piece = cut_out(whole_tube(faces, _free_turn(borders, tube)), borders, faces, taken)
        if piece is None:
            return None
        laid.append((piece, patch[0][1]))
    return sewn_up(laid)


def _is_taken(halves: Sequence[_Half], tube: gp_Cylinder, point: gp_Pnt) -> bool:
    return any(half.covers(point, tube) for half in halves)


def _runs_on(edge: TopoDS_Edge, tube: gp_Cylinder) -> bool:
    if BRep_Tool.Degenerated_s(edge):
        return False
    curve = BRepAdaptor_Curve(edge)
    middle = curve.Value((curve.FirstParameter() + curve.LastParameter()) / 2)
    return bool(abs(gp_Lin(tube.Axis()).Distance(middle) - tube.Radius()) <= _SAME * tube.Radius())


def _free_turn(borders: Sequence[TopoDS_Edge], tube: gp_Cylinder) -> float:
    """An angle from a cylinder's seam to a place far from the ends and middles of the borders."""
    angles = set()
    for edge in borders:
        curve = BRepAdaptor_Curve(edge)
        low, high = curve.FirstParameter(), curve.LastParameter()
        for share in (0.0, 0.5, 1.0):
            angle, _ = ElSLib.Parameters_s(tube, curve.Value(low + share * (high - low)))
            angles.add(angle)
    ordered = sorted(angles)
    gaps = [(after - before, before) for before, after in pairwise([*ordered, ordered[0] + 2 * math.pi])]
    gap, start = max(gaps)
    angle = float(start + _ASIDE * gap)
    # a mirrored cylinder counts its angles the other way round
    return angle if tube.Direct() else -angle


def _vector(of: gp_Pnt | gp_Dir | gp_Vec) -> _Vector:
    return np.array((of.X(), of.Y(), of.Z()))
