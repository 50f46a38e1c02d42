"""Profiles as OpenCASCADE wires and faces: lines and circles where they are, ellipses on oblique axes.

Neighbouring segments on one line or one circle become one edge, so that a circle written as two
halves gives one cylinder. Wires run counter-clockwise about the profile's normal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Builder
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeEdge, BRepBuilderAPI_MakeFace
from OCP.collections import Array1_gp_Pnt
from OCP.Geom import Geom_BSplineCurve, Geom_Circle, Geom_Curve, Geom_Ellipse, Geom_Line
from OCP.gp import gp_Ax2, gp_Ax3, gp_Circ, gp_Dir, gp_Elips, gp_Pln, gp_Pnt, gp_Trsf, gp_Vec
from OCP.TopAbs import TopAbs_FORWARD, TopAbs_REVERSED
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import (
    TopoDS_Edge,
    TopoDS_Face,
    TopoDS_Vertex,
    TopoDS_Wire,
)

from vcad_kernel.geometry.occt.building import Build
from vcad_kernel.geometry.occt.sweeps.fitting import integers, reals
from vcad_kernel.geometry.sweeps.planes import Plane
from vcad_kernel.geometry.sweeps.profiles.crossing import signed_area
from vcad_kernel.geometry.sweeps.profiles.curves import backwards, between, ellipse_sweep
from vcad_kernel.geometry.sweeps.profiles.profile import Profile, arc_radius, arc_sweep, read_profile
from vcad_kernel.geometry.tolerance import LINEAR, Tessellation
from vcad_kernel.operations.node import NodeId, Vec2
from vcad_kernel.operations.profiles.sketches import Arc, Curve, Curves, EllipseArc, Line, Spline

__all__ = [
    "Stretch",
    "checked_profile",
    "direction_of",
    "edge_of",
    "edge_on",
    "face_in",
    "face_of",
    "location_in",
    "merged",
    "plane_of",
    "point_of",
    "segments_of",
    "stretch_of",
    "vector_of",
    "vertex_at",
    "wire_along",
    "wire_of",
]

_CLOSE = 1e-7
"""OpenCASCADE's own idea of coincidence, the tolerance of edges and vertices."""
_FOLLOWS = 1e-9
"""Relative: segments this near to one line or circle are one edge."""


Stretch: TypeAlias = tuple[Geom_Curve, float, float]
"""A curve, and the parameters between which it is meant."""


def plane_of(profile: Profile) -> Plane:
    """The sketch's own plane."""
    return Plane(profile.origin, profile.x, profile.y)


def point_of(position: Sequence[float] | NDArray[np.float64]) -> gp_Pnt:
    """As OpenCASCADE has it."""
    return gp_Pnt(*_numbers(position))


def vector_of(vector: Sequence[float] | NDArray[np.float64]) -> gp_Vec:
    """As OpenCASCADE has it."""
    return gp_Vec(*_numbers(vector))


def direction_of(vector: Sequence[float] | NDArray[np.float64]) -> gp_Dir:
    """As OpenCASCADE has it; the vector has a length."""
    return gp_Dir(*_numbers(vector))


def _numbers(vector: Sequence[float] | NDArray[np.float64]) -> Iterable[float]:
    return vector.tolist() if isinstance(vector, np.ndarray) else map(float, vector)


def location_in(plane: Plane) -> TopLoc_Location:
    """What carries the world to the coordinates of a plane, whose axes are square and of length 1."""
    change = gp_Trsf()
    axes = (direction_of(plane.normal), direction_of(plane.x))
    change.SetTransformation(gp_Ax3(point_of(plane.origin), *axes))
    return TopLoc_Location(change)


def checked_profile(build: Build, sketch: NodeId) -> tuple[Profile, Curves]:
    """A sketch after all its checks, and its segments counter-clockwise, each starting where the last ends.

    Raises: GeometryError SKETCH_DEGENERATE and the others of :func:`profile.read_profile`.
    """
    profile = read_profile(build.document, sketch)
    outline = profile.outline(Tessellation())
    return profile, segments_of(profile, reverse=signed_area(outline.points) < 0.0)


def segments_of(profile: Profile, *, reverse: bool = False) -> Curves:
    """The profile's segments with gaps within the tolerance closed; backwards if asked."""
    starts = [segment.start for segment in profile.segments]
    ends = starts[1:] + starts[:1]
    snapped = [between(*each) for each in zip(profile.segments, starts, ends, strict=True)]
    return tuple(backwards(segment) for segment in reversed(snapped)) if reverse else tuple(snapped)


# ---------------------------------------------------------------- neighbours on one curve


def merged(segments: Sequence[Curve]) -> Curves:
    """Fewer segments of the same outline; a whole circle becomes one arc that ends where it starts."""
    chain = list(segments)
    # begin at a corner, so that no run of segments is cut in two by the start of the list
    for index in range(len(chain)):
        if _joined(chain[index - 1], chain[index]) is None:
            chain = chain[index:] + chain[:index]
            break
    result = chain[:1]
    for segment in chain[1:]:
        joined = _joined(result[-1], segment)
        if joined is None:
            result.append(segment)
        else:
            result[-1] = joined
    return tuple(result)


def _joined(before: Curve, after: Curve) -> Curve | None:
    """Both as one segment, when they lie on one line or circle and run the same way."""
    if isinstance(before, Line) and isinstance(after, Line):
        a, b = _between(before.start, before.end), _between(after.start, after.end)
        turn, onward = a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]
        if onward > 0.0 and abs(turn) <= _FOLLOWS * onward:
            return Line(before.start, after.end)
    if isinstance(before, Arc) and isinstance(after, Arc) and before.ccw == after.ccw:
        radius = arc_radius(before)
        apart = max(math.dist(before.center, after.center), abs(radius - arc_radius(after)))
        together = abs(arc_sweep(before)) + abs(arc_sweep(after))
        full = math.dist(before.start, after.end) <= LINEAR
        # arcs of one circle join, unless both together would go round more than once
        if apart <= _FOLLOWS * max(1.0, radius) and (together < 360.0 - 1e-6 or full):
            end = before.start if full and together > 180.0 else after.end
            return Arc(before.start, end, before.center, before.ccw)
    return None


def _between(start: Vec2, end: Vec2) -> Vec2:
    return (end[0] - start[0], end[1] - start[1])


# ---------------------------------------------------------------- curves and edges


def vertex_at(position: NDArray[np.float64], tolerance: float = _CLOSE) -> TopoDS_Vertex:
    """A vertex of its own."""
    vertex = TopoDS_Vertex()
    BRep_Builder().MakeVertex(vertex, point_of(position), tolerance)
    return vertex


def edge_on(
    curve: Geom_Curve, first: float, last: float, start: TopoDS_Vertex, end: TopoDS_Vertex
) -> TopoDS_Edge:
    """The part of a curve from ``first`` to ``last``, which the vertices lie on within their tolerance."""
    builder, edge = BRep_Builder(), TopoDS_Edge()
    builder.MakeEdge(edge, curve, _CLOSE)
    builder.Add(edge, start.Oriented(TopAbs_FORWARD))
    builder.Add(edge, end.Oriented(TopAbs_REVERSED))
    builder.Range(edge, first, last)
    return edge


def edge_of(segment: Curve, plane: Plane) -> TopoDS_Edge:
    """One segment as an edge with ends of its own."""
    return BRepBuilderAPI_MakeEdge(*stretch_of(segment, plane)).Edge()


def stretch_of(segment: Curve, plane: Plane) -> Stretch:
    """A segment of a plane as a curve in space."""
    start = plane.place(segment.start)
    if isinstance(segment, Line):
        way = plane.place(segment.end) - start
        return Geom_Line(point_of(start), direction_of(way)), 0.0, float(np.linalg.norm(way))
    if isinstance(segment, Spline):
        return _spline_of(segment, plane)
    if isinstance(segment, EllipseArc):
        return _ellipse_of(segment, plane)
    whole = math.dist(segment.start, segment.end) <= 0.0
    sweep = 2.0 * math.pi if whole else abs(math.radians(arc_sweep(segment)))
    center = plane.place(segment.center)
    # half the axes of the image of the circle, as columns
    axes = arc_radius(segment) * np.column_stack([plane.x, plane.y])
    turn = 1.0 if segment.ccw else -1.0
    normal = turn * plane.normal
    if plane.conformal:
        first = start - center
        radius = float(np.linalg.norm(first))
        frame = gp_Ax2(point_of(center), direction_of(normal), direction_of(first))
        return Geom_Circle(gp_Circ(frame, radius)), 0.0, sweep
    # the singular values of the map are the half axes of the ellipse, and `turned[0]` leads to the long one
    _, (major, minor), turned = np.linalg.svd(axes, full_matrices=False)
    long = axes @ turned[0]
    # parameter of the ellipse at the start, measured in the sense of the arc
    heading = math.atan2(segment.start[1] - segment.center[1], segment.start[0] - segment.center[0])
    begin = turn * (heading - math.atan2(turned[0][1], turned[0][0]))
    begin %= 2.0 * math.pi
    frame = gp_Ax2(point_of(center), direction_of(normal), direction_of(long))
    return Geom_Ellipse(gp_Elips(frame, float(major), float(minor))), begin, begin + sweep


def _spline_of(segment: Spline, plane: Plane) -> Stretch:
    knots = sorted(set(segment.knots))
    poles = Array1_gp_Pnt(1, len(segment.poles))
    for at, pole in enumerate(segment.poles, 1):
        poles.SetValue(at, point_of(plane.place(pole)))
    counts = [segment.knots.count(knot) for knot in knots]
    curve = Geom_BSplineCurve(poles, reals(knots), integers(counts), segment.degree)
    return curve, knots[0], knots[-1]


def _ellipse_of(segment: EllipseArc, plane: Plane) -> Stretch:
    first, sweep = ellipse_sweep(segment)
    axes = np.column_stack([plane.x, plane.y]) @ np.column_stack([segment.major, segment.minor])
    if np.linalg.norm(axes[:, 1]) > np.linalg.norm(axes[:, 0]):
        # OpenCASCADE wants the longer half axis first: a quarter turn back along the curve
        axes, first = np.column_stack([axes[:, 1], -axes[:, 0]]), first - 0.5 * math.pi
    if sweep < 0.0:
        axes, first, sweep = axes * (1.0, -1.0), -first, -sweep
    major, minor = (float(np.linalg.norm(axis)) for axis in axes.T)
    normal = np.cross(axes[:, 0], axes[:, 1])
    frame = gp_Ax2(point_of(plane.place(segment.center)), direction_of(normal), direction_of(axes[:, 0]))
    first %= 2.0 * math.pi
    return Geom_Ellipse(gp_Elips(frame, major, minor)), first, first + sweep


def wire_of(segments: Sequence[Curve], plane: Plane) -> TopoDS_Wire:
    """One wire through a closed chain of segments; an arc that ends where it starts is a full circle."""
    curves = [stretch_of(segment, plane) for segment in segments]
    return wire_along(curves, [plane.place(segment.start) for segment in segments])


def wire_along(curves: Sequence[Stretch], corners: Sequence[NDArray[np.float64]]) -> TopoDS_Wire:
    """One closed wire along stretches of curves, the first of which starts at the first corner."""
    reach, places = [_CLOSE] * len(curves), [point_of(corner) for corner in corners]
    for index, (curve, first, last) in enumerate(curves):
        for parameter, corner in ((first, index), (last, (index + 1) % len(curves))):
            gap = curve.Value(parameter).Distance(places[corner])
            # a vertex must reach the ends of both its curves, which miss it by rounding or fitting
            reach[corner] = max(reach[corner], 1.1 * gap)
    vertices = [vertex_at(corner, near) for corner, near in zip(corners, reach, strict=True)]
    builder, wire = BRep_Builder(), TopoDS_Wire()
    builder.MakeWire(wire)
    ends = [*vertices[1:], vertices[0]]
    for (curve, first, last), start, end in zip(curves, vertices, ends, strict=True):
        builder.Add(wire, edge_on(curve, first, last, start, end))
    wire.Closed(True)
    return wire


def face_of(segments: Sequence[Curve], plane: Plane) -> TopoDS_Face:
    """The plane face inside a closed counter-clockwise chain, its normal that of the plane."""
    return face_in(wire_of(segments, plane), plane)


def face_in(wire: TopoDS_Wire, plane: Plane) -> TopoDS_Face:
    """The plane face inside a counter-clockwise wire."""
    surface = gp_Pln(point_of(plane.origin), direction_of(plane.normal))
    return BRepBuilderAPI_MakeFace(surface, wire, True).Face()
