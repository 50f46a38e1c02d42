"""Surfaces through curves and points: a region of a plane, or a plate that bends as little as it may.

The plate is OpenCASCADE's (GeomPlate: over a plane, a spline of least third derivatives, after Duchon), which
a B-spline surface follows. How far edges and points are off that surface is measured at places all over, and
kept with the face.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepOffsetAPI import BRepOffsetAPI_MakeFilling
from OCP.collections import Array2_gp_Pnt
from OCP.Geom import Geom_BSplineSurface, Geom_Surface
from OCP.GeomAbs import GeomAbs_C0
from OCP.GeomAPI import GeomAPI_ProjectPointOnSurf
from OCP.gp import gp_Pnt, gp_Vec
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS, TopoDS_Face, TopoDS_Wire

from vcad_kernel.geometry.occt.brep import Brep, faces_of
from vcad_kernel.geometry.occt.building import Build
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.validity import is_valid
from vcad_kernel.geometry.occt.patches.outline import PLACES, Edge, outline_of_patch, refuse_crossings, said
from vcad_kernel.geometry.occt.patches.slabs import parameter_curve
from vcad_kernel.geometry.occt.sweeps.fitting import DEGREE, basis, curve_of, fitted, integers, reals
from vcad_kernel.geometry.occt.sweeps.profiles.sketches import (
    edge_on,
    face_in,
    point_of,
    vertex_at,
    wire_along,
)
from vcad_kernel.geometry.sweeps.planes import Plane
from vcad_kernel.geometry.sweeps.profiles.crossing import contains, crosses_itself
from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.operations.planes import level_axis
from vcad_kernel.operations.solids.surfaces import Patch

__all__ = [
    "BORDER",
    "Border",
    "Surface",
    "clamped",
    "normals_of",
    "spline_surface",
    "surface_of",
    "values_of",
]

Points = NDArray[np.float64]

BORDER = 1e-9
"""Relative to the size of a patch: how near its borders are fitted on its surface."""
_FLAT = 1e-7
"""Millimetres from one plane within which edges and points lie in it."""
_CLOSE = 1e-7
_ENOUGH = 1e-4
"""Millimetres: a surface that is as near as this to its edges and points is not made finer."""
_MOST = 1e-3
"""Relative to the size of the patch: a surface that is further off is none."""
_EXACT = 1e-10
"""Relative to the size of the patch: what is no further off is off by rounding."""
_ROOM = 2.0
"""Times what is found: for what lies between the places that are looked at."""
_LOOSE = 10.0
"""Times how far a border is off where it was looked at: the tolerance of its edge."""
_STEPS = 12
"""Of the search for a foot point, each of which doubles its digits."""
_HOLDS = 0.05
"""How far a paraboloid must be from 0 along the outline, on average, of what it is across."""
_PIECES = (8, 16, 32)
"""Of the surface along each parameter, until it is near enough."""
_MARGIN = 0.02
"""Of the range of its parameters, by which the surface reaches beyond its outline."""
_HELD = 100.0
"""How much more the surface is held to edges and points than to the plate between them."""
_FAULTS: tuple[type[Exception], ...] = (*OCCT_ERRORS, ValueError)
"""Of a plate that cannot be made: no face is one of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Border:
    """An edge as it lies on the surface."""

    edge: Edge
    surface: Geom_Surface
    ends: tuple[Points, Points]
    """Parameters of its ends, which its neighbours share."""

    def parameters(self, shares: Points) -> Points:
        """(k, 2): those of the foot points of places (k,) along the edge, which rise or fall."""
        places = self.edge.at(shares)
        found = np.empty((len(shares), 2))
        here = self.ends[0] if len(shares) == 0 or shares[0] < 0.5 else self.ends[1]
        for at, place in enumerate(places):
            here = found[at] = _foot(self.surface, place, here)
        found[shares <= 0.0], found[shares >= 1.0] = self.ends
        return found

    def points(self, parameters: Points) -> Points:
        """(k, 3): places of the surface at parameters (k, 2)."""
        return values_of(self.surface, parameters)


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """The face of a patch, with what is needed to build on it."""

    face: Brep
    """Its outward side is that from which the first edge runs counter-clockwise around it."""
    plane: Plane | None
    """Where it is flat."""
    surface: Geom_Surface
    borders: tuple[Border, ...]
    """In order, along the first edge; none of a flat one."""
    polygon: Points
    """(n, 2): the outline among the parameters; of a flat one, none."""
    front: float
    """1, or -1 where the surface's own normal points to the back."""
    size: float
    """Of the box about the outline, mm."""

    @property
    def nbytes(self) -> int:
        """Memory held, roughly."""
        return 1 << 18


def surface_of(build: Build, node: Patch) -> Surface:
    """The surface of a node.

    Raises: GeometryError SKETCH_NOT_CLOSED, SKETCH_DEGENERATE, INVALID_PARAMETER for points that lie on an
    edge or beside the outline, PATCH_FAILED where no surface does it.
    """
    outline = outline_of_patch(build, node)
    places = np.vstack([edge.at(_shares()) for edge in outline])
    size = float(np.linalg.norm(np.ptp(places, axis=0)))
    plane = _plane_of(build, places)
    refuse_crossings(build, outline)
    _refuse_points_on_edges(build, node, outline)
    known = np.vstack([places, np.array(node.points).reshape(-1, 3)])
    if float(np.abs((known - plane.origin) @ plane.normal).max()) <= _FLAT:
        return _flat(build, node, outline, plane, size)
    if len(outline) == 1:
        # two curves at least, so that each has two ends
        outline = [outline[0].part(0.0, 0.5), outline[0].part(0.5, 1.0)]
    return _plate(build, node, outline, plane, size)


def _shares() -> Points:
    return np.linspace(0.0, 1.0, PLACES + 1)


def _refuse_points_on_edges(build: Build, node: Patch, outline: Sequence[Edge]) -> None:
    for number, point in enumerate(node.points, 1):
        for edge in outline:
            if _distance(edge, np.array(point)) <= LINEAR:
                message = f"points {number}, {said(point)}, lies on edge {edge.path}"
                fix = "leave it out: the surface meets its edges in any case"
                raise build.fault("INVALID_PARAMETER", message, argument="points", failed=False, fix=fix)


def _distance(edge: Edge, point: Points) -> float:
    """How far a point is from an edge, to rounding where it is near."""
    shares = np.linspace(0.0, 1.0, 4 * PLACES + 1)
    away = np.linalg.norm(edge.at(shares) - point, axis=1)
    at = int(away.argmin())
    low, high = shares[max(at - 1, 0)], shares[min(at + 1, len(shares) - 1)]
    best = float(away[at])
    for _ in range(8):
        shares = np.linspace(low, high, 17)
        away = np.linalg.norm(edge.at(shares) - point, axis=1)
        at = int(away.argmin())
        best = min(best, float(away[at]))
        low, high = shares[max(at - 1, 0)], shares[min(at + 1, len(shares) - 1)]
    return best


def _plane_of(build: Build, places: Points) -> Plane:
    """The plane of least squares, about which the outline runs counter-clockwise.

    Raises: GeometryError SKETCH_DEGENERATE where all lies on one line.
    """
    origin = places.mean(axis=0)
    _, spans, axes = np.linalg.svd(places - origin, full_matrices=False)
    if spans[1] <= LINEAR * math.sqrt(len(places)):
        message = "the edges lie on one line, and enclose no area"
        raise build.fault("SKETCH_DEGENERATE", message, argument="edges", failed=False)
    normal = np.where(np.abs(axes[2]) < 1e-12, 0.0, axes[2])
    normal /= np.linalg.norm(normal)
    # twice the area that the outline encloses, as a vector
    around = np.cross(places - origin, np.roll(places, -1, axis=0) - origin).sum(axis=0)
    if float(around @ normal) < 0.0:
        normal = -normal
    level = np.array(level_axis((float(normal[0]), float(normal[1]), float(normal[2]))))
    x = level - (level @ normal) * normal
    x /= np.linalg.norm(x)
    return Plane(origin, x, np.cross(normal, x))


# ---------------------------------------------------------------- in one plane


def _flat(build: Build, node: Patch, outline: Sequence[Edge], plane: Plane, size: float) -> Surface:
    """The region of a plane: its edges are the curves themselves."""
    polygon = _in_plane(plane, np.vstack([edge.at(_shares()[:-1]) for edge in outline]))
    if crosses_itself(polygon):
        raise build.fault("SKETCH_DEGENERATE", "the outline crosses itself", argument="edges", failed=False)
    for number, point in enumerate(node.points, 1):
        if not contains(polygon, _in_plane(plane, np.array([point]))[0]):
            raise _beside(build, number, point)
    curves = [(edge.curve, edge.first, edge.last) for edge in outline]
    face = face_in(wire_along(curves, [edge.start for edge in outline]), plane)
    if not is_valid(face):
        raise build.fault(node.FAILURE, "the region of the plane is not sound", argument="edges")
    off = max(edge.off for edge in outline)
    brep = Brep.made(face, build.maker).off_by(off, build.maker)
    return Surface(brep, plane, BRep_Tool.Surface_s(face), (), polygon, 1.0, size)


def _in_plane(plane: Plane, points: Points) -> Points:
    return (points - plane.origin) @ np.column_stack([plane.x, plane.y])


def _beside(build: Build, number: int, point: Sequence[float]) -> Exception:
    message = f"points {number}, {said(point)}, does not lie within the outline"
    fix = "the surface ends at its edges: leave the point out, or draw the edges around it"
    return build.fault("INVALID_PARAMETER", message, argument="points", failed=False, fix=fix)


# ---------------------------------------------------------------- plates


def _plate(build: Build, node: Patch, outline: Sequence[Edge], plane: Plane, size: float) -> Surface:
    plate = _filled(build, node, outline, plane)
    rough = _Laid(build, node, outline, plate)
    laid, off = rough, math.inf
    for pieces in _PIECES:
        finer = _Laid(build, node, outline, _smooth(rough, pieces))
        if max(finer.edges_off, finer.points_off) < off:
            laid, off = finer, max(finer.edges_off, finer.points_off)
        if off <= _ENOUGH:
            break
    if off > _MOST * size:
        what = "edges" if laid.edges_off >= laid.points_off else "points"
        message = f"no smooth surface meets all of the {what}: the nearest is {off:.3g} mm off"
        fix = "make several patches of it, or move points so that the surface need not bend so sharply"
        raise build.fault(node.FAILURE, message, argument=what, fix=fix)
    x, y = laid.polygon.T
    front = math.copysign(1.0, float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))
    face = _face(laid.borders, laid.surface, front, size)
    if not is_valid(face):
        message = "the surface within the edges is not sound"
        raise build.fault(node.FAILURE, message, argument="edges", fix="make several patches of it")
    off = max(edge.off for edge in outline) + (_ROOM * off if off > _EXACT * size else 0.0)
    brep = Brep.made(face, build.maker).off_by(off, build.maker)
    return Surface(brep, None, laid.surface, laid.borders, laid.polygon, front, size)


def _least(plane: Plane, outline: Sequence[Edge], node: Patch) -> int:
    """Which derivatives of the plate are least: the third ones, where edges and points hold it.

    Third derivatives leave paraboloids free; where one is 0 all along the outline, as on a circle, it would
    grow without an end. There the second ones are.
    """
    known = np.vstack([*(edge.at(_shares()) for edge in outline), np.array(node.points).reshape(-1, 3)])
    flat = _in_plane(plane, known)
    x, y = ((flat - flat.mean(axis=0)) / (0.5 * np.ptp(flat, axis=0).max())).T
    count = len(x)
    free = np.linalg.svd(np.column_stack([np.ones(count), x, y, x * x, x * y, y * y]), compute_uv=False)
    return 3 if free[-1] > _HOLDS * math.sqrt(count) else 2


def _filled(build: Build, node: Patch, outline: Sequence[Edge], plane: Plane) -> Geom_Surface:
    """OpenCASCADE's plate. Raises: GeometryError PATCH_FAILED."""
    # the derivative, points on edges, rounds, tolerances (2D, 3D, angle, curvature), degree and segments
    filling = BRepOffsetAPI_MakeFilling(
        _least(plane, outline, node), 30, 2, False, 1e-5, 1e-5, 0.01, 0.1, 8, 30
    )
    try:
        for edge in outline:
            filling.Add(edge.shape, GeomAbs_C0)
        for point in node.points:
            filling.Add(point_of(point))
        filling.Build()
        (face,) = faces_of(filling.Shape())
    except _FAULTS as error:
        message = "no surface could be laid through the edges and points"
        fix = "make several patches of it"
        raise build.fault(node.FAILURE, message, argument="edges", fix=fix) from error
    return BRep_Tool.Surface_s(face)


class _Laid:
    """The outline and the points as they lie on a surface.

    Raises: GeometryError PATCH_FAILED where the outline folds, INVALID_PARAMETER for points beside it.
    """

    def __init__(self, build: Build, node: Patch, outline: Sequence[Edge], surface: Geom_Surface) -> None:
        self.surface = surface
        corners = [_searched(surface, edge.start) for edge in outline]
        self.borders = tuple(
            Border(edge, surface, (corners[at], corners[(at + 1) % len(corners)]))
            for at, edge in enumerate(outline)
        )
        self.on_edges = np.vstack([edge.at(_shares()) for edge in outline])
        flat = [border.parameters(_shares()) for border in self.borders]
        self.feet = np.vstack(flat)
        self.polygon = np.vstack([places[:-1] for places in flat])
        if crosses_itself(self.polygon):
            message = "the outline folds over itself: from no side one sees all of the surface at once"
            fix = "make several patches of it, which meet along common edges"
            raise build.fault(node.FAILURE, message, argument="edges", fix=fix)
        self.edges_off = float(np.linalg.norm(values_of(surface, self.feet) - self.on_edges, axis=1).max())
        self.points = np.array(node.points).reshape(-1, 3)
        self.point_feet = np.array([_searched(surface, point) for point in self.points]).reshape(-1, 2)
        for number, (point, foot) in enumerate(zip(node.points, self.point_feet, strict=True), 1):
            if not contains(self.polygon, foot):
                raise _beside(build, number, point)
        away = np.linalg.norm(values_of(surface, self.point_feet) - self.points, axis=1)
        self.points_off = float(away.max(initial=0.0))


def _smooth(plate: _Laid, pieces: int) -> Geom_BSplineSurface:
    """A spline surface of degree 5 along a plate, of least squares, held to the edges and points.

    OpenCASCADE's own has kinks in its curvature, which its parallels have in their tangents.
    """
    low, high = plate.polygon.min(axis=0), plate.polygon.max(axis=0)
    room = _MARGIN * (high - low)
    ends = np.column_stack([low - room, high + room])
    knots = [np.linspace(start, stop, pieces + 1) for start, stop in ends.tolist()]
    flat = [clamped(each) for each in knots]
    bounds = np.array(plate.surface.Bounds()).reshape(2, 2)
    # 1. between the edges: as the plate lies
    spread = [np.linspace(start, stop, 2 * (pieces + DEGREE)) for start, stop in ends.tolist()]
    within = [np.clip(each, *bound) for each, bound in zip(spread, bounds, strict=True)]
    grid = np.array([plate.surface.Value(u, v).Coord() for u in within[0] for v in within[1]])
    across, along = (basis(*each) for each in zip(flat, spread, strict=True))
    normal = np.kron(across.T @ across, along.T @ along)
    right = np.kron(across, along).T @ grid
    # 2. at the edges and points: where they are themselves
    feet = np.vstack([plate.feet, plate.point_feet])
    held = np.einsum("ki,kj->kij", *(basis(each, feet[:, axis]) for axis, each in enumerate(flat))).reshape(
        len(feet), -1
    )
    normal += _HELD**2 * held.T @ held
    right += _HELD**2 * held.T @ np.vstack([plate.on_edges, plate.points])
    poles = np.linalg.solve(normal, right).reshape(pieces + DEGREE, pieces + DEGREE, 3)
    return spline_surface(knots, poles)


def clamped(knots: Points) -> Points:
    """Every knot as often as it counts: those at the ends degree + 1 times."""
    return np.concatenate([np.repeat(knots[0], DEGREE), knots, np.repeat(knots[-1], DEGREE)])


def spline_surface(knots: Sequence[Points], poles: Points) -> Geom_BSplineSurface:
    """The surface of degree 5 on clamped knots, for both parameters, with poles (m, n, 3)."""
    points = Array2_gp_Pnt(1, poles.shape[0], 1, poles.shape[1])
    for i, row in enumerate(poles, 1):
        for j, pole in enumerate(row, 1):
            points.SetValue(i, j, point_of(pole))
    counts = []
    for each in knots:
        count = np.ones(len(each), np.int64)
        count[[0, -1]] = DEGREE + 1
        counts.append(integers(count))
    return Geom_BSplineSurface(points, reals(knots[0]), reals(knots[1]), *counts, DEGREE, DEGREE)


def values_of(surface: Geom_Surface, parameters: Points) -> Points:
    """(k, 3): places of a surface at parameters (k, 2)."""
    return np.array([surface.Value(*pair).Coord() for pair in parameters.tolist()]).reshape(-1, 3)


def normals_of(surface: Geom_Surface, parameters: Points) -> tuple[Points, Points, Points]:
    """(k, 3), (k, 3), (k, 1): places of a surface, its own unit normals, its area by that of parameters."""
    place, along_u, along_v = gp_Pnt(), gp_Vec(), gp_Vec()
    found = np.empty((len(parameters), 9))
    for at, (u, v) in enumerate(parameters.tolist()):
        surface.D1(u, v, place, along_u, along_v)
        found[at] = place.Coord() + along_u.Coord() + along_v.Coord()
    normals = np.cross(found[:, 3:6], found[:, 6:])
    sizes = np.linalg.norm(normals, axis=1, keepdims=True)
    return found[:, :3], normals / sizes, sizes


def _face(borders: Sequence[Border], surface: Geom_Surface, front: float, size: float) -> TopoDS_Face:
    builder, face, wire = BRep_Builder(), TopoDS_Face(), TopoDS_Wire()
    builder.MakeFace(face, surface, _CLOSE)
    builder.MakeWire(wire)
    corners = [vertex_at(border.points(border.ends[0][None])[0], 2.0 * _CLOSE) for border in borders]
    edges = []
    for at, border in enumerate(borders):

        def images(shares: Points, border: Border = border) -> Points:
            parameters = border.parameters(shares)
            return np.hstack([border.points(parameters), parameters])

        spline = fitted(images, (0.0, 1.0), BORDER * size)
        ends = corners[at], corners[(at + 1) % len(corners)]
        edge = edge_on(curve_of(spline, spline.poles[:, :3]), 0.0, 1.0, *ends)
        near = max(_CLOSE, _LOOSE * spline.error)
        builder.UpdateEdge(
            edge, parameter_curve(spline, spline.poles[:, 3:]), surface, TopLoc_Location(), near
        )
        edges.append(edge)
    # counter-clockwise among the parameters, and the face turned where its normal is the other one
    for edge in edges if front > 0.0 else reversed(edges):
        builder.Add(wire, edge if front > 0.0 else TopoDS.Edge(edge.Reversed()))
    wire.Closed(True)
    builder.Add(face, wire)
    return face if front > 0.0 else TopoDS.Face(face.Reversed())


# ---------------------------------------------------------------- foot points


def _searched(surface: Geom_Surface, point: Points) -> Points:
    """Parameters of the place of a surface that is nearest to a point."""
    search = GeomAPI_ProjectPointOnSurf(point_of(point), surface)
    if search.NbPoints():
        u, v = search.LowerDistanceParameters()
        return _foot(surface, point, np.array([u, v]))
    # nearest on its border
    low_u, high_u, low_v, high_v = surface.Bounds()
    grid = [(u, v) for u in np.linspace(low_u, high_u, 65) for v in np.linspace(low_v, high_v, 65)]
    away = [surface.Value(*map(float, pair)).Distance(point_of(point)) for pair in grid]
    return _foot(surface, point, np.array(grid[int(np.argmin(away))]))


def _foot(surface: Geom_Surface, point: Points, start: Points) -> Points:
    """The foot of a point near to a surface, from a place near to it, by Gauss and Newton's steps."""
    low_u, high_u, low_v, high_v = surface.Bounds()
    u, v = map(float, start)
    place, along_u, along_v = gp_Pnt(), gp_Vec(), gp_Vec()
    for _ in range(_STEPS):
        surface.D1(u, v, place, along_u, along_v)
        off = point - np.array(place.Coord())
        first, second = np.array(along_u.Coord()), np.array(along_v.Coord())
        a, b, c = float(first @ first), float(first @ second), float(second @ second)
        p, q = float(first @ off), float(second @ off)
        whole = a * c - b * b
        du, dv = (c * p - b * q) / whole, (a * q - b * p) / whole
        u, v = min(max(u + du, low_u), high_u), min(max(v + dv, low_v), high_v)
        if abs(du) * math.sqrt(a) + abs(dv) * math.sqrt(c) <= 1e-13 * (1.0 + abs(u) + abs(v)):
            break
    return np.array([u, v])
