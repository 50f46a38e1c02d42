"""The shadow of a body on a plane, as a profile.

The plane is divided by the images of all edges and of the lines along which curved faces are seen edge-on;
each cell lies under the body or does not, which one ray says. So lines that are there for nothing do no harm,
and what bounds the shadow is exact where its curve is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from OCP.BOPTools import BOPTools_AlgoTools3D
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.BRepAlgoAPI import BRepAlgoAPI_Splitter
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeFace
from OCP.BRepClass import BRepClass_FaceClassifier
from OCP.collections import HArray1_gp_Pnt2d, List_TopoDS_Shape
from OCP.Geom2d import Geom2d_BSplineCurve
from OCP.Geom2dAPI import Geom2dAPI_Interpolate
from OCP.GeomAbs import (
    GeomAbs_Circle,
    GeomAbs_Cone,
    GeomAbs_Cylinder,
    GeomAbs_Ellipse,
    GeomAbs_Line,
    GeomAbs_Plane,
    GeomAbs_Sphere,
    GeomAbs_Torus,
)
from OCP.gp import gp_Dir, gp_Lin, gp_Pln, gp_Pnt, gp_Pnt2d, gp_Vec
from OCP.IntCurvesFace import IntCurvesFace_ShapeIntersector
from OCP.IntTools import IntTools_Context
from OCP.TopAbs import TopAbs_OUT
from OCP.TopoDS import TopoDS_Edge, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import compound_of, edges_of, faces_of
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.boxes import quick_box_of
from vcad_kernel.geometry.occt.sweeps.profiles.flattening import (
    flat,
    image_of,
    laid,
    round_image,
    straight_image,
)
from vcad_kernel.geometry.occt.sweeps.profiles.regions import curves_of_faces, plane_faces
from vcad_kernel.geometry.occt.sweeps.profiles.sketches import edge_of, location_in
from vcad_kernel.geometry.occt.transforms import scaled
from vcad_kernel.geometry.sweeps.planes import XY, Plane
from vcad_kernel.geometry.sweeps.profiles.curves import carried
from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.operations.bodies.parting import Project
from vcad_kernel.operations.profiles.sketches import Arc, Curve, EllipseArc, Line, Outlines, Spline

__all__ = ["shadow"]

_SAMPLES = 96
"""Places along a line on a face at which is asked whether it lies within the face's borders."""
_GRID = 96
"""Steps each way across a face without a closed form in which lines seen edge-on are looked for."""
_MIDDLE = 1.0, 1e3
"""Millimetres; sizes between which a body is looked at as it is."""
_LEVEL = 1e-12
"""Of a unit axis: what is less upright lies level."""
_ON_BORDER = 1e-9
"""Of a face's parameters, within which a point lies on its border."""
_ASKED = 16
"""Places along an edge at which its distance from its faces is measured."""
_SAME = 7
"""Digits after the point to which curves agree that are one."""

_Points: TypeAlias = NDArray[np.float64]
_GridSide: TypeAlias = tuple[tuple[int, int], tuple[int, int]]
_Track: TypeAlias = Callable[[float], tuple[float, float]]
"""Of a line on a face: its parameter → the face's."""


def shadow(build: Build, node: Project, operands: Operands) -> tuple[Plane, Outlines]:
    """The shadow of the body on the plane. Raises: BOOLEAN_FAILED."""
    body = operands[0]
    plane = build.plane(node.plane)
    if body is None:
        return plane, ()
    there, times = _of_middle_size(body.shape.Moved(location_in(plane)))
    fits: list[float] = []
    curves = [*_images_of_edges(there, fits), *_edge_on(there, fits)]
    distinct = {_key(curve): curve for curve in curves}
    cells = _cells(build, there, list(distinct.values()))
    rays = IntCurvesFace_ShapeIntersector()
    rays.Load(there, LINEAR)
    dark = [cell for cell in cells if _is_dark(rays, cell)]
    outlines = curves_of_faces(plane_faces(build, compound_of(dark)), fits)
    # where no spline is left, what was fitted lies within
    if any(isinstance(curve, Spline) for outline in outlines for curve in outline):
        build.fits.extend(fit / times for fit in fits)
    back = np.array([[1.0 / times, 0.0, 0.0], [0.0, 1.0 / times, 0.0]])
    return plane, tuple(tuple(carried(curve, back) for curve in outline) for outline in outlines)


def _of_middle_size(body: TopoDS_Shape) -> tuple[TopoDS_Shape, float]:
    """The body made smaller or larger, and by which power of two.

    OpenCASCADE divides the plane by curves that meet within 1e-7 mm, whatever the size.
    """
    size = max(high - low for low, high in zip(*quick_box_of(body), strict=True))
    if _MIDDLE[0] <= size <= _MIDDLE[1]:
        return body, 1.0
    times = 2.0 ** round(math.log2(math.sqrt(math.prod(_MIDDLE)) / size))
    return scaled(body, times), times


def _cells(build: Build, body: TopoDS_Shape, curves: list[Curve]) -> list[TopoDS_Face]:
    """The faces into which curves divide the plane around a body, but what lies about them all.

    That has holes, which OpenCASCADE does not always find.
    """
    low, high = quick_box_of(body)
    sheet = BRepBuilderAPI_MakeFace(gp_Pln(), low[0] - 1.0, high[0] + 1.0, low[1] - 1.0, high[1] + 1.0).Face()
    subjects, tools = List_TopoDS_Shape(), List_TopoDS_Shape()
    subjects.Append(sheet)
    for curve in curves:
        tools.Append(edge_of(curve, XY))
    splitting = BRepAlgoAPI_Splitter()
    splitting.SetArguments(subjects)
    splitting.SetTools(tools)
    try:
        splitting.Build()
        cells = faces_of(splitting.Shape())
    except OCCT_ERRORS as error:
        raise build.fault("BOOLEAN_FAILED", "the shadow's outline cannot be put together") from error
    return [cell for cell in cells if quick_box_of(cell)[0][0] > low[0] - 0.5]


def _is_dark(rays: IntCurvesFace_ShapeIntersector, cell: TopoDS_Face) -> bool:
    """Whether the body lies above or below the middle of a cell."""
    point, flat = gp_Pnt(), gp_Pnt2d()
    if BOPTools_AlgoTools3D.PointInFace_s(cell, point, flat, IntTools_Context()):
        return False  # a border without an inside
    rays.Perform(gp_Lin(point, gp_Dir(0.0, 0.0, 1.0)), -math.inf, math.inf)
    return bool(rays.NbPnt())


def _key(curve: Curve) -> tuple[str, tuple[float, ...]]:
    """What two curves have in common that are one, whichever way they run."""
    match curve:
        case Line():
            points = [*sorted((curve.start, curve.end))]
        case Arc():
            points = [*sorted((curve.start, curve.end)), curve.center, _middle(curve)]
        case EllipseArc():
            points = [*sorted((curve.start, curve.end)), curve.center, _middle(curve)]
        case _:
            points = list(min(curve.poles, curve.poles[::-1]))
    return type(curve).__name__, tuple(round(number, _SAME) + 0.0 for point in points for number in point)


def _middle(curve: Arc | EllipseArc) -> tuple[float, float]:
    edge = BRepAdaptor_Curve(edge_of(curve, XY))
    point = edge.Value(0.5 * (edge.FirstParameter() + edge.LastParameter()))
    return point.X(), point.Y()


# ---------------------------------------------------------------- edges


def _images_of_edges(body: TopoDS_Shape, fits: list[float]) -> Iterator[Curve]:
    """The edges of a body as they lie in the plane; what stands upright has no length there."""
    for face in faces_of(body):
        fits += [_off_face(edge, face) for edge in edges_of(face) if not BRep_Tool.Degenerated_s(edge)]
    for edge in edges_of(body):
        if not BRep_Tool.Degenerated_s(edge):
            yield from image_of(BRepAdaptor_Curve(edge), fits)


def _off_face(edge: TopoDS_Edge, face: TopoDS_Face) -> float:
    """How far an edge is at most from where a face has it, as far as was measured, mm; 0 for plain curves."""
    curve = BRepAdaptor_Curve(edge)
    if curve.GetType() in (GeomAbs_Line, GeomAbs_Circle, GeomAbs_Ellipse):
        return 0.0
    on_face = BRepAdaptor_Curve(edge, face)
    inner = np.linspace(curve.FirstParameter(), curve.LastParameter(), _ASKED + 2)[1:-1].tolist()
    return max(float(curve.Value(at).Distance(on_face.Value(at))) for at in inner)


# ---------------------------------------------------------------- lines along which faces are seen edge-on


def _edge_on(body: TopoDS_Shape, fits: list[float]) -> Iterator[Curve]:
    for face in faces_of(body):
        surface = BRepAdaptor_Surface(face, True)
        if surface.GetType() == GeomAbs_Plane:
            continue
        for track, first, last in _tracks(surface):
            inside = _inside(face, track, first, last)
            for start, end in inside:
                yield from _image_of_track(surface, track, start, end, fits)


def _upright(u: float) -> _Track:
    """Along a surface at one first parameter."""
    return lambda v: (u, v)


def _around(v: float) -> _Track:
    """Along a surface at one second parameter."""
    return lambda u: (u, v)


def _tracks(surface: BRepAdaptor_Surface) -> Iterator[tuple[_Track, float, float]]:
    """The lines on a surface along which its normal lies level, as functions to its parameters.

    Beyond the borders of the face, too.
    """
    kind = surface.GetType()
    u0, u1 = surface.FirstUParameter(), surface.LastUParameter()
    v0, v1 = surface.FirstVParameter(), surface.LastVParameter()
    if kind in (GeomAbs_Cylinder, GeomAbs_Cone):
        round_one = surface.Cylinder() if kind == GeomAbs_Cylinder else surface.Cone()
        frame = round_one.Position()
        p, q, up = frame.XDirection().Z(), frame.YDirection().Z(), frame.Direction().Z()
        lean = math.tan(round_one.SemiAngle()) if kind == GeomAbs_Cone else 0.0
        size = math.hypot(p, q)
        if size <= _LEVEL or abs(lean * up) > size:
            return
        half = math.acos(max(-1.0, min(1.0, lean * up / size)))
        for turn in (math.atan2(q, p) + half, math.atan2(q, p) - half):
            at = u0 + (turn - u0) % (2.0 * math.pi)
            for u in (at - 2.0 * math.pi, at):
                if u0 - 1e-12 <= u <= u1 + 1e-12:
                    yield _upright(u), v0, v1
    elif kind == GeomAbs_Sphere:
        frame = surface.Sphere().Position()
        axes = np.array(
            [axis.Coord() for axis in (frame.XDirection(), frame.YDirection(), frame.Direction())]
        )
        # the level great circle, in the sphere's own frame
        first, second = axes @ (1.0, 0.0, 0.0), axes @ (0.0, 1.0, 0.0)

        def on_ball(turn: float) -> tuple[float, float]:
            x, y, z = (math.cos(turn) * first + math.sin(turn) * second).tolist()
            u = math.atan2(y, x)
            return u0 + (u - u0) % (2.0 * math.pi), math.asin(max(-1.0, min(1.0, z)))

        yield on_ball, 0.0, 2.0 * math.pi
    elif kind == GeomAbs_Torus:
        frame = surface.Torus().Position()
        p, q, up = frame.XDirection().Z(), frame.YDirection().Z(), frame.Direction().Z()
        if abs(up) <= _LEVEL:
            # the axis lies level: the top and the bottom circle, and the rings square to the view
            for v in (0.5 * math.pi, 1.5 * math.pi):
                yield _around(v0 + (v - v0) % (2.0 * math.pi)), u0, u1
            for turn in (math.atan2(p, -q), math.atan2(-p, q)):
                yield _upright(u0 + (turn - u0) % (2.0 * math.pi)), v0, v1
            return
        for back in (0.0, math.pi):

            def on_ring(u: float, back: float = back) -> tuple[float, float]:
                out = p * math.cos(u) + q * math.sin(u)
                # cos v · out + sin v · up = 0
                v = math.atan2(-out, up) if up >= 0.0 else math.atan2(out, -up)
                return u, v0 + (v + back - v0) % (2.0 * math.pi)

            yield on_ring, u0, u1
    else:
        yield from _found_tracks(surface, (u0, u1), (v0, v1))


def _image_of_track(
    surface: BRepAdaptor_Surface, track: _Track, first: float, last: float, fits: list[float]
) -> Iterator[Curve]:
    def image(parameters: _Points) -> _Points:
        return np.array([flat(surface.Value(*track(float(parameter)))) for parameter in parameters])

    kind = surface.GetType()
    ends = image(np.array([first, last])).tolist()
    if kind in (GeomAbs_Cylinder, GeomAbs_Cone):
        yield from straight_image([(u, v) for u, v in ends])
    elif kind == GeomAbs_Sphere:
        ball = surface.Sphere()
        yield from round_image(np.array(flat(ball.Location())), ball.Radius() * np.eye(2), first, last)
    else:
        if kind != GeomAbs_Torus:
            fits.append(_short_of_border(surface, track, first, last))
        yield from laid(image, [first, 0.5 * (first + last), last], fits)


def _short_of_border(surface: BRepAdaptor_Surface, track: _Track, first: float, last: float) -> float:
    """How far the shadow may reach beyond a line that was followed on a surface without a closed form, mm.

    Where the surface leans by a there, not by 0, its border is further out by r · (1 − cos a), where it is
    bent with the radius r; r is taken to be no more than the line is wide.
    """
    point, along, across = gp_Pnt(), gp_Vec(), gp_Vec()
    lean, places = 0.0, []
    for at in np.linspace(first, last, _SAMPLES).tolist():
        surface.D1(*track(at), point, along, across)
        places.append(point.Coord())
        normal = along.Crossed(across)
        if normal.Magnitude() > 0.0:
            lean = max(lean, abs(normal.Z()) / normal.Magnitude())
    return 0.5 * lean**2 * float(np.linalg.norm(np.ptp(places, axis=0)))


def _inside(face: TopoDS_Face, track: _Track, first: float, last: float) -> list[tuple[float, float]]:
    """The stretches of a line on a face's surface that lie within its borders."""
    stops = np.linspace(first, last, _SAMPLES + 1).tolist()
    asked = BRepClass_FaceClassifier()

    def lies_in(parameter: float) -> bool:
        asked.Perform(face, gp_Pnt2d(*track(parameter)), _ON_BORDER)
        return bool(asked.State() != TopAbs_OUT)

    inside = [lies_in(stop) for stop in stops]
    stretches: list[tuple[float, float]] = []
    begun = stops[0] if inside[0] else None
    for (before, after), (was, now) in zip(
        itertools.pairwise(stops), itertools.pairwise(inside), strict=True
    ):
        if was is now:
            continue
        low, high = before, after
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if lies_in(middle) is was else (low, middle)
        if now:
            begun = high
        else:
            assert begun is not None
            stretches.append((begun, low))
            begun = None
    if begun is not None:
        stretches.append((begun, stops[-1]))
    return stretches


def _found_tracks(
    surface: BRepAdaptor_Surface, us: tuple[float, float], vs: tuple[float, float]
) -> Iterator[tuple[_Track, float, float]]:
    """The lines seen edge-on of a surface without a closed form, followed from cell to cell of a grid."""
    point, along, across = gp_Pnt(), gp_Vec(), gp_Vec()

    def tilt(u: float, v: float) -> float:
        surface.D1(u, v, point, along, across)
        return float(along.X() * across.Y() - along.Y() * across.X())

    grid = [np.linspace(*ends, _GRID + 1) for ends in (us, vs)]
    # a line seen edge-on parts the grid's corners: on one side of it the surface is seen from above
    sides = np.array([[tilt(u, v) > 0.0 for v in grid[1]] for u in grid[0]])

    def crossing(start: tuple[int, int], end: tuple[int, int]) -> tuple[float, float]:
        ends = [np.array([grid[0][at[0]], grid[1][at[1]]]) for at in (start, end)]
        was = sides[start]
        for _ in range(50):
            middle = 0.5 * (ends[0] + ends[1])
            ends[0 if (tilt(*middle) > 0.0) == was else 1] = middle
        u, v = ends[0].tolist()
        return u, v

    # a cell that the line goes through has two sides which it crosses, or four: each pair is a link
    links: dict[_GridSide, list[_GridSide]] = {}
    for i, j in itertools.product(range(_GRID), repeat=2):
        corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
        cut: list[_GridSide] = [
            (min(start, end), max(start, end))
            for start, end in zip(corners, [*corners[1:], corners[0]], strict=True)
            if sides[start] != sides[end]
        ]
        for side, other in (cut[:2], cut[2:]) if len(cut) == 4 else (cut,) if cut else ():
            links.setdefault(side, []).append(other)
            links.setdefault(other, []).append(side)
    # through the places of a chain, each found to the last digit, goes a spline, of which any arc can be had
    for chain in _chains(links):
        points = [crossing(*side) for side in chain]
        steps = [here for at, here in enumerate(points) if at == 0 or math.dist(here, points[at - 1]) > 1e-9]
        if len(steps) < 2:
            continue
        listed = HArray1_gp_Pnt2d(1, len(steps))
        for at, here in enumerate(steps, 1):
            listed.SetValue(at, gp_Pnt2d(*here))
        laying = Geom2dAPI_Interpolate(listed, False, 1e-12)
        laying.Perform()
        curve = laying.Curve()

        def along_it(parameter: float, curve: Geom2d_BSplineCurve = curve) -> tuple[float, float]:
            flat = curve.Value(parameter)
            return flat.X(), flat.Y()

        yield along_it, curve.FirstParameter(), curve.LastParameter()


def _chains(links: dict[_GridSide, list[_GridSide]]) -> Iterator[list[_GridSide]]:
    """Sides of the grid in the order in which lines cross them; a closed line ends where it began."""
    unused = {side: [*others] for side, others in links.items()}
    for start in sorted(unused, key=lambda side: len(links[side])):
        while unused[start]:
            chain = [start]
            while unused[chain[-1]]:
                after = unused[chain[-1]].pop()
                unused[after].remove(chain[-1])
                chain.append(after)
            yield chain
