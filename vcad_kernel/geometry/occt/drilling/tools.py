"""What a drill cuts with: cylinders, cones and steps, turned once and carried to each place."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeFace, BRepBuilderAPI_MakeVertex
from OCP.BRepClass import BRepClass_FaceClassifier
from OCP.BRepExtrema import BRepExtrema_DistShapeShape
from OCP.BRepPrimAPI import BRepPrimAPI_MakeCylinder
from OCP.BRepTools import BRepTools
from OCP.GeomAbs import GeomAbs_Line
from OCP.gp import gp_Ax2, gp_Dir, gp_Lin, gp_Pnt
from OCP.IntCurvesFace import IntCurvesFace_ShapeIntersector
from OCP.IntCurveSurface import IntCurveSurface_In, IntCurveSurface_Out
from OCP.TopAbs import TopAbs_IN
from OCP.TopoDS import TopoDS_Edge, TopoDS_Face

from vcad_kernel.geometry.occt.booleans.booleans import common, united
from vcad_kernel.geometry.occt.brep import Brep, edges_of
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.drilling.places import Ground, depths_of, places_on
from vcad_kernel.geometry.occt.drilling.threads import threaded, turned
from vcad_kernel.geometry.occt.transforms import moved
from vcad_kernel.geometry.sweeps.boring import Bores, threaded_bore, turned_bore
from vcad_kernel.geometry.sweeps.planes import Plane, matrix_onto
from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.operations.features.holes import DrillTool
from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.solids.threads import MOST_TURNS

__all__ = ["bores_in", "drill_tool"]

_LIFT = 0.01
"""Millimetres: far beyond rounding, and less than any air above a face."""


def drill_tool(build: Build, node: DrillTool, operands: Operands) -> Brep | None:
    """All holes as one body; None where there is nothing to drill into."""
    if operands[0] is None:
        return None
    assert build.source is not None
    bores = build.source.bores(build.document, build.node)
    build.notes.extend(bores.notes)
    body = threaded_bore(node, bores)
    if body is not None:
        bore = threaded(build, body)
    else:
        bore = turned(build, *turned_bore(build.document, build.node, bores))
    return None if bore is None else united(build, [moved(bore, place) for place in bores.places])


def bores_in(ground: Ground, tool: DrillTool) -> Bores:
    """Where the holes of a drill are, with what is to be said of them.

    Raises: GeometryError for places that the body does not have.
    """
    points = places_on(ground, tool.places)
    _, reach = depths_of(ground.brep, ground.plane)
    # a seat may be deeper than the body
    reach = max(reach, 1.0) + tool.seat
    _can_be_threaded(ground, tool, reach)
    strays = strays_among(ground, tool, points, reach)
    strays.tell(ground, points)
    # above a face that holds all of them there is nothing; a plane may run through the body
    lift = _LIFT if ground.frame is not None and not (strays.beside_face or strays.in_air) else 0.0
    places = tuple(matrix_onto(_plane_at(ground.plane, point)) for point in points)
    return Bores(places, reach, lift, tuple(ground.build.notes))


def _can_be_threaded(ground: Ground, tool: DrillTool, reach: float) -> None:
    depth = reach if tool.depth is None else tool.depth
    if tool.pitch is not None and depth > MOST_TURNS * tool.pitch:
        raise ground.build.fault(
            "THREAD_TOO_LONG",
            f"the thread would have {depth / tool.pitch:.0f} turns, and at most {MOST_TURNS} are cut",
            argument=":depth",
            failed=False,
            fix=f"give the hole a :depth of at most {MOST_TURNS * tool.pitch:g}, or leave :thread away",
        )


def _plane_at(plane: Plane, point: Vec2) -> Plane:
    return Plane(plane.place(np.array(point)), plane.x, plane.y)


# ---- holes that are not where holes should be: they leave the face or the body, or cut nothing ----
# A hole lies in the face if the circle at its surface does, all round; other holes may lie within it. One
# that begins in any plane is surrounded by the body somewhere below. One with a depth ends in the body. Lines
# along the wall of a hole say whether it does; that nothing is cut is found by a boolean.


OUTSIDE = "HOLE_OUTSIDE"
"""The warning of a hole that leaves the face or the body."""
CUTS_NOTHING = "HOLE_CUTS_NOTHING"
"""The warning of a hole that takes nothing away."""

_ALONG_EDGE = 33
"""Points of an edge that say how near it may come."""
_ROUND = 12
"""Lines along the wall of a hole."""
_FIRST_LINE = 0.1
"""Radians from x, so that no line runs along the edges of what stands square."""
_LINE = GeomAbs_Line.value
_IN, _OUT = IntCurveSurface_In.value, IntCurveSurface_Out.value
_NAMED = 4
"""Holes that a warning names; of more it says how many."""


@dataclass(frozen=True, slots=True)
class Strays:
    """What is wrong with the holes of a drill: positions, counted from 0."""

    beside_face: tuple[int, ...]
    out_of_body: tuple[int, ...]
    too_deep: tuple[int, ...]
    """Those that have a depth and come out where it ends, or before."""
    in_air: tuple[int, ...]
    """Those that cut nothing."""

    def tell(self, ground: Ground, points: Sequence[Vec2]) -> None:
        """Warn of them."""
        for code, which, singular, plural in (
            (OUTSIDE, self.beside_face, "leaves the face", "leave the face"),
            (OUTSIDE, self.out_of_body, "leaves the body", "leave the body"),
            (OUTSIDE, self.too_deep, "is deeper than the body there", "are deeper than the body there"),
            (CUTS_NOTHING, self.in_air, "cuts nothing", "cut nothing"),
        ):
            if which:
                named = ", ".join(f"({points[at][0]:.6g}, {points[at][1]:.6g})" for at in which[:_NAMED])
                more = f" and {len(which) - _NAMED} more" if len(which) > _NAMED else ""
                holes = f"the hole at {named} {singular}"
                ground.build.warn(
                    code, holes if len(which) == 1 else f"{len(which)} holes {plural}, at {named}{more}"
                )


def strays_among(ground: Ground, tool: DrillTool, points: Sequence[Vec2], reach: float) -> Strays:
    """The holes that are not where they should be. reach: how far holes go that go through, mm."""
    outlines = [_Outline(ground, face) for face in ground.frame.faces] if ground.frame else []
    wall = _Wall(ground, tool, reach)
    beside, out, deep, air = [], [], [], []
    for at, point in enumerate(points):
        in_face = any(outline.holds(point, 0.5 * tool.width) for outline in outlines)
        # within another hole of the face there may be something to drill further down
        over_face = in_face or any(outline.is_over(point, 0.5 * tool.width) for outline in outlines)
        if not in_face and wall.cuts_nothing(point):
            air.append(at)
        elif outlines and not over_face:
            beside.append(at)
        elif not outlines and not wall.surrounds(point):
            out.append(at)
        elif wall.ends_outside(point):
            deep.append(at)
    return Strays(tuple(beside), tuple(out), tuple(deep), tuple(air))


class _Outline:
    """The borders of one plane face, for circles on it."""

    def __init__(self, ground: Ground, face: TopoDS_Face) -> None:
        self._ground = ground
        self._face = face
        self._edges = [edge for edge in edges_of(face) if not BRep_Tool.Degenerated_s(edge)]
        places = np.array([self._sampled(edge) for edge in self._edges])
        plane = ground.plane
        self._samples = (places - plane.origin) @ np.column_stack([plane.x, plane.y])
        steps = np.linalg.norm(np.diff(self._samples, axis=1), axis=2)
        self._gaps = 1.1 * steps.max(axis=1)
        whole = BRepBuilderAPI_MakeFace(BRepTools.OuterWire_s(face), True)
        self._filled: TopoDS_Face = whole.Face() if whole.IsDone() else face

    @staticmethod
    def _sampled(edge: TopoDS_Edge) -> NDArray[np.float64]:
        curve = BRepAdaptor_Curve(edge)
        first, last = curve.FirstParameter(), curve.LastParameter()
        if curve.GetType().value == _LINE:
            return np.linspace(curve.Value(first).Coord(), curve.Value(last).Coord(), _ALONG_EDGE)
        return np.array([curve.Value(at).Coord() for at in np.linspace(first, last, _ALONG_EDGE).tolist()])

    def holds(self, point: Vec2, radius: float) -> bool:
        """Whether a circle lies in the face all round; holes of the face may lie within it."""
        return not self._crosses(point, radius) and self._is_in(self._face, point, radius)

    def is_over(self, point: Vec2, radius: float) -> bool:
        """Whether a circle lies within the outer outline, and crosses none of the others."""
        return not self._crosses(point, radius) and self._is_in(self._filled, point, radius)

    def _is_in(self, face: TopoDS_Face, point: Vec2, radius: float) -> bool:
        # where no border is crossed one point of the circle stands for all, unless a border touches it there
        for turn in (_FIRST_LINE, _FIRST_LINE + 2.0, _FIRST_LINE + 4.0):
            on_circle = (point[0] + radius * math.cos(turn), point[1] + radius * math.sin(turn))
            classified = BRepClass_FaceClassifier(face, gp_Pnt(*self._ground.plane.place(on_circle)), LINEAR)
            if classified.State() == TopAbs_IN:
                return True
        return False

    def _crosses(self, point: Vec2, radius: float) -> bool:
        """Whether a border runs through a circle, from its inside to its outside."""
        away = np.linalg.norm(self._samples - np.array(point), axis=2)
        nearest, furthest = away.min(axis=1), away.max(axis=1)
        doubtful = (nearest - self._gaps < radius) & (furthest > radius + LINEAR)
        place = gp_Pnt(*self._ground.plane.place(point))
        for at in np.flatnonzero(doubtful):
            if nearest[at] < radius - LINEAR:
                return True
            centre = BRepBuilderAPI_MakeVertex(place).Vertex()
            if BRepExtrema_DistShapeShape(centre, self._edges[at]).Value() < radius - LINEAR:
                return True
        return False


class _Wall:
    """The body along lines into it."""

    def __init__(self, ground: Ground, tool: DrillTool, reach: float) -> None:
        self._ground = ground
        self._tool = tool
        self._depth = reach if tool.depth is None else tool.depth
        self._rays = IntCurvesFace_ShapeIntersector()
        self._rays.Load(ground.brep.shape, LINEAR)
        self._inwards = gp_Dir(*(-ground.plane.normal))
        self._range = depths_of(ground.brep, ground.plane)

    def surrounds(self, point: Vec2) -> bool:
        """Whether the wall of a hole meets the body on all sides."""
        return all(self._meets(spans) for spans in self._along_wall(point))

    def ends_outside(self, point: Vec2) -> bool:
        """Whether a hole with a depth, or its point, comes out."""
        if self._tool.depth is None:
            return False
        if any(_end(spans) <= self._depth + LINEAR for spans in self._along_wall(point)):
            return True
        return bool(self._tool.point) and _end(self._spans(point)) <= self._depth + self._tool.point + LINEAR

    def cuts_nothing(self, point: Vec2) -> bool:
        """Whether nothing of the body is where a hole is."""
        radius = 0.5 * self._tool.width
        places = (point, *_circle(point, 0.5 * radius), *_circle(point, radius))
        if any(self._meets(self._spans(place), 10.0 * LINEAR) for place in places):
            return False
        build, tool = self._ground.build, self._tool
        axis = gp_Ax2(gp_Pnt(*self._ground.plane.place(point)), self._inwards)
        # as wide as at the surface, all the way: no part of the hole lies outside of it
        cylinder = BRepPrimAPI_MakeCylinder(axis, radius, self._depth + tool.point).Shape()
        return common(build, [self._ground.brep, Brep.made(cylinder, build.maker)]) is None

    def _along_wall(self, point: Vec2) -> list[list[Vec2]]:
        return [self._spans(on_wall) for on_wall in _circle(point, 0.5 * self._tool.wall)]

    def _meets(self, spans: Iterable[Vec2], least: float = LINEAR) -> bool:
        return any(min(high, self._depth) - max(low, 0.0) > least for low, high in spans)

    def _spans(self, point: Vec2) -> list[Vec2]:
        """Where a line into the body is in it: from and to so far below the plane, mm."""
        start = gp_Pnt(*self._ground.plane.place(point))
        self._rays.Perform(gp_Lin(start, self._inwards), *self._range)
        hits = sorted(
            (self._rays.WParameter(at), self._rays.Transition(at).value)
            for at in range(1, self._rays.NbPnt() + 1)
        )
        return _between(hits)


def _between(hits: Iterable[tuple[float, int]]) -> list[Vec2]:
    """From each crossing inwards to the next one outwards; where two faces meet, both may be crossed."""
    spans: list[Vec2] = []
    begun: float | None = None
    for depth, transition in hits:
        if transition == _IN and begun is None:
            begun = depth
        elif transition == _OUT and begun is not None:
            spans.append((begun, depth))
            begun = None
    return spans


def _end(spans: Sequence[Vec2]) -> float:
    """Where a line leaves the body for good; far up where it never is in it."""
    return spans[-1][1] if spans else -math.inf


def _circle(centre: Vec2, radius: float) -> list[Vec2]:
    turns = [_FIRST_LINE + at * math.tau / _ROUND for at in range(_ROUND)]
    return [(centre[0] + radius * math.cos(turn), centre[1] + radius * math.sin(turn)) for turn in turns]
