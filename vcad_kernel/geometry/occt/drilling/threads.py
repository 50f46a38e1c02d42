"""Bodies with a helical thread, built face by face.

All faces of :mod:`vcad_kernel.geometry.sweeps.threads` are polygons in turn and height on which the radius is
linear, so every edge is straight in the parameters of both faces beside it: crests and roots stand on
cylinders, lead-ins on cones, and flanks on splines in the turn that are ruled across. Edges are made once and
shared; no boolean trims anything.

Earns its place by `test_threads_are_built_in_a_second`: OpenCASCADE takes 22 s to unite the swept turns of a
ridge with a rod.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Builder
from OCP.collections import Array1_gp_Pnt, Array1_gp_Pnt2d, Array2_gp_Pnt
from OCP.Geom import (
    Geom_BSplineCurve,
    Geom_BSplineSurface,
    Geom_Circle,
    Geom_ConicalSurface,
    Geom_Curve,
    Geom_CylindricalSurface,
    Geom_Line,
    Geom_Plane,
    Geom_Surface,
)
from OCP.Geom2d import Geom2d_BSplineCurve, Geom2d_Curve, Geom2d_Line
from OCP.gp import gp_Ax2, gp_Ax3, gp_Circ, gp_Dir, gp_Dir2d, gp_Pnt, gp_Pnt2d
from OCP.TopAbs import TopAbs_FORWARD, TopAbs_REVERSED
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Face, TopoDS_Shape, TopoDS_Shell, TopoDS_Solid, TopoDS_Wire

from vcad_kernel.geometry.occt.booleans.booleans import united
from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.validity import sound
from vcad_kernel.geometry.occt.sweeps.fitting import integers, reals
from vcad_kernel.geometry.occt.sweeps.profiles.sketches import direction_of, edge_on, point_of, segments_of, vertex_at
from vcad_kernel.geometry.occt.sweeps.revolving import turned_outline
from vcad_kernel.geometry.sweeps.boring import COSMETIC, threaded_rod, turned_about_z, turned_rod
from vcad_kernel.geometry.sweeps.profiles.profile import Profile
from vcad_kernel.geometry.sweeps.threads import Line, Piece, Slant, ThreadedBody, columns_of, events_of
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.solids.sweeps import Revolve
from vcad_kernel.operations.solids.threads import Thread

__all__ = ["thread", "threaded", "turned"]

_COARSE = Tessellation()

_CLOSE = 1e-7
_DEGREE = 9
"""Of the polynomials that stand for half a turn: within 5e-8 of a circle of radius 1."""
_SECTORS = 2
"""Faces of a turn: one must not meet its own seam."""
_STRAIGHT = 1e-9
_Z = gp_Dir(0.0, 0.0, 1.0)
_ORIGIN = gp_Pnt(0.0, 0.0, 0.0)
_FRAME = gp_Ax3(_ORIGIN, _Z, gp_Dir(1.0, 0.0, 0.0))


class _Corner(NamedTuple):
    turn: int
    """Its number."""
    height: int
    """Its number among those of the turn."""


class _Border(NamedTuple):
    """A straight piece of a border of a face, from one corner to another, as the face lies on its left."""

    start: _Corner
    end: _Corner
    line: Line | None
    """None runs upwards or downwards."""


def thread(build: Build, node: Thread, _operands: Operands) -> Brep | None:
    """The rod, or what is cut out for one, standing on the XY plane."""
    if node.cosmetic:
        build.warn(*COSMETIC)
        return turned(build, *turned_rod(build.document, build.node))
    return threaded(build, threaded_rod(node))


def threaded(build: Build, body: ThreadedBody) -> Brep | None:
    """A body with a thread, and what is turned below and above it."""
    try:
        solid, error = thread_solid(body)
    except OCCT_ERRORS as fault:
        raise build.fault("INVALID_PARAMETER", f"no such thread: {fault}", failed=False) from None
    parts = [sound(build, solid, "INVALID_PARAMETER").off_by(error, build.maker)]
    for corners, level, end in ((body.below, body.low, body.ends[0]), (body.above, body.high, body.ends[1])):
        if corners:
            outline = [(0.0, level), *corners, (0.0, end)]
            parts.append(turned(build, *turned_about_z(build.document, build.node, outline)))
    return united(build, parts)


def turned(build: Build, value: Revolve, profile: Profile) -> Brep:
    """A profile turned about the Z axis."""
    against = profile.outline(_COARSE).area < 0.0
    return turned_outline(build, value, profile, segments_of(profile, reverse=against))


def thread_solid(body: ThreadedBody) -> tuple[TopoDS_Solid, float]:
    """The thread of a body with flat ends, outward, and how far its flanks may be off, mm."""
    events = events_of(body)
    seams = _seams(events)
    turns = sorted((*seams, *(event + math.tau * math.ceil((seams[0] - event) / math.tau) for event in events)))
    return _Solid(body, (*turns, seams[0] + math.tau), {*seams}).made()


def _seams(events: Sequence[float]) -> list[float]:
    """Turns that divide a full one evenly, as far from all events as they can be."""
    part = math.tau / _SECTORS
    folded = sorted(event % part for event in events)
    gaps = [(after - before, before) for before, after in itertools.pairwise((*folded, folded[0] + part))]
    width, begin = max(gaps)
    return [(begin + 0.5 * width) % part + part * sector for sector in range(_SECTORS)]


class _Solid:
    def __init__(self, body: ThreadedBody, turns: Sequence[float], seams: set[float]) -> None:
        self._body = body
        self._columns = columns_of(body, turns)
        self._turns = self._columns.turns
        self._count = len(self._columns.heights)
        self._seams = [at for at, turn in enumerate(self._turns[:-1]) if turn in seams]
        self._builder = BRep_Builder()
        self._vertices: dict[_Corner, object] = {}
        self._radii: dict[_Corner, float] = {}
        self._edges: dict[tuple[_Corner, _Corner, bool], TopoDS_Edge] = {}
        self.error = 0.0

    def made(self) -> tuple[TopoDS_Solid, float]:
        shell = TopoDS_Shell()
        self._builder.MakeShell(shell)
        faces = [*self._faces()]
        loops = [(piece, self._loops(borders)) for piece, borders in faces]
        # a corner stays where more than two edges meet, or where a border turns
        self._kept = self._standing([loop for _, found in loops for loop in found])
        ends: dict[bool, list[tuple[_Corner, TopoDS_Edge]]] = {False: [], True: []}
        for piece, found in loops:
            self._builder.Add(shell, self._face(piece, found, ends))
        for upper in (False, True):
            self._builder.Add(shell, self._cap(ends[upper], upper=upper))
        shell.Closed(True)
        solid = TopoDS_Solid()
        self._builder.MakeSolid(solid)
        self._builder.Add(solid, shell)
        return solid, self.error

    # ------------------------------------------------------------ polygons

    def _sector(self, column: int) -> int:
        return sum(seam <= column for seam in self._seams)

    def _faces(self) -> Iterator[tuple[Piece, list[_Border]]]:
        """Each face with the borders of all its parts in the columns of one sector."""
        parts: dict[tuple[int, tuple[int, int]], list[tuple[int, Piece]]] = defaultdict(list)
        for column, stack in enumerate(self._columns.pieces):
            for piece in stack:
                parts[self._sector(column), piece.face].append((column, piece))
        for group in parts.values():
            # a cone may be in several places between the turns of the thread
            for members in self._connected(group):
                yield members[0][1], [border for column, piece in members for border in self._around(column, piece)]

    def _connected(self, group: list[tuple[int, Piece]]) -> list[list[tuple[int, Piece]]]:
        owner: dict[tuple[_Corner, _Corner], int] = {}
        sets: list[list[tuple[int, Piece]]] = []
        for member in group:
            sides = [
                tuple(sorted((border.start, border.end)))
                for border in self._around(*member)
                if border.line is None
            ]
            joined = sorted({owner[side] for side in sides if side in owner and sets[owner[side]]})
            if joined:
                into = joined[0]
                for other in joined[1:]:
                    sets[into] += sets[other]
                    sets[other] = []
                    owner.update({side: into for side, one in owner.items() if one == other})
            else:
                into = len(sets)
                sets.append([])
            sets[into].append(member)
            owner.update(dict.fromkeys(sides, into))
        return [members for members in sets if members]

    def _around(self, column: int, piece: Piece) -> list[_Border]:
        """Counter-clockwise, as seen from outside."""
        left, right = (self._side(side, piece) for side in (column, column + 1))
        borders = [_Border(low, high, None) for low, high in itertools.pairwise(right)]
        borders += [_Border(high, low, None) for low, high in itertools.pairwise(left)]
        for line, start, end in ((piece.lower, left[0], right[0]), (piece.upper, right[-1], left[-1])):
            borders.append(_Border(start, end, line))
        return [border for border in borders if border.start != border.end]

    def _side(self, turn: int, piece: Piece) -> list[_Corner]:
        at = self._turns[turn]
        heights = self._columns.heights[turn % self._count]
        corners = []
        for height in self._columns.corners(turn, piece.lower.at(at), piece.upper.at(at)):
            corner = _Corner(turn, height)
            corners.append(corner)
            self._radii.setdefault(self._own(corner), piece.radius.at(at, heights[height]))
        return corners

    def _own(self, corner: _Corner) -> _Corner:
        """The corner as it is called on both sides of where a full turn ends."""
        return _Corner(corner.turn % self._count, corner.height)

    def _height(self, corner: _Corner) -> float:
        return self._columns.heights[corner.turn % self._count][corner.height]

    def _loops(self, borders: list[_Border]) -> list[list[_Border]]:
        """What is left of the borders once those between two parts are gone, in order."""
        there = {(border.start, border.end): border for border in borders}
        left = {border.start: border for ends, border in there.items() if ends[::-1] not in there}
        assert len(left) == sum(ends[::-1] not in there for ends in there), "a face touches itself"
        loops = []
        while left:
            start = next(iter(left))
            loop = []
            while start in left:
                border = left.pop(start)
                loop.append(border)
                start = border.end
            loops.append(loop)
        return loops

    def _standing(self, loops: list[list[_Border]]) -> set[_Corner]:
        meeting: dict[_Corner, set[tuple[_Corner, _Corner]]] = defaultdict(set)
        kept: set[_Corner] = set()
        for loop in loops:
            for before, border in itertools.pairwise((loop[-1], *loop)):
                here = self._own(border.start)
                meeting[here] |= {self._ends(before), self._ends(border)}
                one, other = before.line, border.line
                if (one is None) != (other is None) or (
                    one is not None and other is not None and abs(one.rise - other.rise) > _STRAIGHT
                ):
                    kept.add(here)
        kept.update(corner for corner, edges in meeting.items() if len(edges) > 2)
        kept.update(corner for corner in meeting if corner.turn in self._seams)
        return kept

    def _ends(self, border: _Border) -> tuple[_Corner, _Corner]:
        one, other = sorted((self._own(border.start), self._own(border.end)))
        return one, other

    # ------------------------------------------------------------ edges

    def _vertex(self, corner: _Corner):
        corner = self._own(corner)
        known = self._vertices.get(corner)
        if known is None:
            known = self._vertices[corner] = vertex_at(self._place(corner), 4.0 * _CLOSE)
        return known

    def _place(self, corner: _Corner) -> NDArray[np.float64]:
        turn, radius = self._turns[corner.turn], self._radii[self._own(corner)]
        return np.array([radius * math.cos(turn), radius * math.sin(turn), self._height(corner)])

    def _edge(self, start: _Corner, end: _Corner) -> TopoDS_Edge:
        """From left to right, or upwards."""
        key = self._own(start), self._own(end), start.turn == end.turn
        known = self._edges.get(key)
        if known is None:
            curve, first, last = self._curve(start, end)
            known = edge_on(curve, first, last, self._vertex(start), self._vertex(end))
            self._edges[key] = known
        return known

    def _curve(self, start: _Corner, end: _Corner) -> tuple[Geom_Curve, float, float]:
        a, b = self._turns[start.turn], self._turns[end.turn]
        if start.turn == end.turn:
            here, there = self._place(start), self._place(end)
            return Geom_Line(point_of(here), direction_of(there - here)), 0.0, float(np.linalg.norm(there - here))
        radii = [self._radii[self._own(corner)] for corner in (start, end)]
        heights = [self._height(corner) for corner in (start, end)]
        if abs(radii[1] - radii[0]) <= _STRAIGHT and abs(heights[1] - heights[0]) <= _STRAIGHT:
            frame = gp_Ax2(gp_Pnt(0.0, 0.0, heights[0]), _Z, gp_Dir(1.0, 0.0, 0.0))
            return Geom_Circle(gp_Circ(frame, radii[0])), a, b
        spline = _turning(a, b)
        slope = (radii[1] - radii[0]) / (b - a)
        weights = np.array([radii[0] - slope * a, slope])
        flat = spline.poles[:, :2] * weights[0] + spline.poles[:, 2:4] * weights[1]
        rise = (heights[1] - heights[0]) / (b - a)
        poles = np.column_stack([flat, heights[0] + rise * (spline.turns - a)])
        points = Array1_gp_Pnt(1, len(poles))
        for index, pole in enumerate(poles.tolist(), 1):
            points.SetValue(index, gp_Pnt(*pole))
        knots = integers([_DEGREE + 1, _DEGREE + 1])
        return Geom_BSplineCurve(points, reals([a, b]), knots, _DEGREE), a, b

    # ------------------------------------------------------------ faces

    def _face(
        self, piece: Piece, loops: list[list[_Border]], ends: dict[bool, list[tuple[_Corner, TopoDS_Edge]]]
    ) -> TopoDS_Face:
        turns = [self._turns[border.start.turn] for loop in loops for border in loop]
        ground = self._ground(piece.radius, loops, min(turns), max(turns))
        face = TopoDS_Face()
        self._builder.MakeFace(face, ground.surface, _CLOSE)
        for loop in loops:
            wire = TopoDS_Wire()
            self._builder.MakeWire(wire)
            for start, end in self._straight(loop):
                forward = start.turn < end.turn or (start.turn == end.turn and start.height < end.height)
                low, high = (start, end) if forward else (end, start)
                edge = self._edge(low, high)
                span = BRep_range(edge)
                flat = ground.parameter_curve(
                    *((self._turns[corner.turn], self._height(corner), self._radii[self._own(corner)]) for corner in (low, high)), span
                )
                self._builder.UpdateEdge(edge, flat, ground.surface, TopLoc_Location(), _CLOSE)
                self._builder.UpdateEdge(edge, max(_CLOSE, 2.0 * self.error))
                self._builder.Add(wire, edge.Oriented(TopAbs_FORWARD if forward else TopAbs_REVERSED))
                if start.turn != end.turn:
                    for upper, level in ((False, self._body.low), (True, self._body.high)):
                        if all(abs(self._height(corner) - level) <= _STRAIGHT for corner in (start, end)):
                            ends[upper].append((self._own(low), edge))
            wire.Closed(True)
            self._builder.Add(face, wire)
        return face

    def _straight(self, loop: list[_Border]) -> list[tuple[_Corner, _Corner]]:
        """The ends of the edges of a loop."""
        begin = next(at for at, border in enumerate(loop) if self._own(border.start) in self._kept)
        loop = [*loop[begin:], *loop[:begin]]
        starts = [border.start for border in loop if self._own(border.start) in self._kept]
        stops = [border.end for border in loop if self._own(border.end) in self._kept]
        return list(zip(starts, stops, strict=True))

    def _ground(self, radius: Slant, loops: list[list[_Border]], first: float, last: float):
        if radius.by_height == 0.0:
            return _Round(Geom_CylindricalSurface(_FRAME, radius.start), 1.0, 0.0)
        if radius.by_turn == 0.0:
            angle = math.atan(radius.by_height)
            # about the height at which the face begins
            height = min(self._height(border.start) for loop in loops for border in loop)
            frame = gp_Ax3(gp_Pnt(0.0, 0.0, height), _Z, gp_Dir(1.0, 0.0, 0.0))
            return _Round(Geom_ConicalSurface(frame, angle, radius.at(0.0, height)), math.cos(angle), height)
        radii = [self._radii[self._own(border.start)] for loop in loops for border in loop]
        low, high = min(radii), max(radii)
        if radius.by_height < 0.0:
            low, high = high, low
        spline = _turning(first, last)
        self.error = max(self.error, spline.error * self._body.radius)
        return _Flank(radius, low, high, spline)

    def _cap(self, edges: list[tuple[_Corner, TopoDS_Edge]], *, upper: bool) -> TopoDS_Face:
        height = self._body.high if upper else self._body.low
        face, wire = TopoDS_Face(), TopoDS_Wire()
        plane = Geom_Plane(gp_Pnt(0.0, 0.0, height), gp_Dir(0.0, 0.0, 1.0 if upper else -1.0))
        self._builder.MakeFace(face, plane, _CLOSE)
        self._builder.MakeWire(wire)
        for _, edge in sorted(edges, key=lambda one: one[0], reverse=not upper):
            self._builder.Add(wire, edge.Oriented(TopAbs_FORWARD if upper else TopAbs_REVERSED))
        wire.Closed(True)
        self._builder.Add(face, wire)
        return face


def BRep_range(edge):
    from OCP.BRep import BRep_Tool
    return BRep_Tool.Range_s(edge)


class _Turning(NamedTuple):
    """cos t, sin t, t cos t and t sin t between two turns as a polynomial: what is linear in the turn is a sum."""

    poles: NDArray[np.float64]
    """(n, 4), of Bernstein."""
    turns: NDArray[np.float64]
    """(n,): the poles of the turn itself."""
    error: float
    """Largest distance found from the functions."""


def _functions(turn: NDArray[np.float64]) -> NDArray[np.float64]:
    cosine, sine = np.cos(turn), np.sin(turn)
    return np.column_stack([cosine, sine, turn * cosine, turn * sine])


@functools.lru_cache(maxsize=256)
def _turning(first: float, last: float) -> _Turning:
    # interpolated at the places of Chebyshev, with the ends where they belong
    inner = 0.5 * (1.0 - np.cos(math.pi * np.arange(1, _DEGREE) / _DEGREE))
    places = np.concatenate([[0.0], inner, [1.0]])
    goal = _functions(first + (last - first) * places)
    poles = np.linalg.solve(_bernstein(places), goal)
    poles[[0, -1]] = goal[[0, -1]]
    between = np.linspace(0.0, 1.0, 8 * _DEGREE)
    off = _bernstein(between)[:, :] @ poles - _functions(first + (last - first) * between)
    return _Turning(poles, np.linspace(first, last, _DEGREE + 1), float(np.abs(off[:, :2]).max()))


def _bernstein(at: NDArray[np.float64]) -> NDArray[np.float64]:
    """(len(at), degree + 1)"""
    rows = [math.comb(_DEGREE, k) * at**k * (1.0 - at) ** (_DEGREE - k) for k in range(_DEGREE + 1)]
    return np.stack(rows, axis=1)


class _Round:
    """A cylinder or a cone about the axis, by turn and height."""

    def __init__(self, surface: Geom_Surface, lean: float, base: float) -> None:
        self.surface = surface
        self._lean = lean
        self._base = base

    def parameter_curve(self, start, end, span) -> Geom2d_Curve:
        return _segment(
            (start[0], (start[1] - self._base) / self._lean), (end[0], (end[1] - self._base) / self._lean), span
        )


class _Flank:
    """A ruled surface of which each point of a line draws a helix."""

    def __init__(self, radius: Slant, low: float, high: float, spline: _Turning) -> None:
        self._low, self._high = low, high
        poles = Array2_gp_Pnt(1, len(spline.poles), 1, 2)
        for across, there in enumerate((low, high), 1):
            rows = zip(spline.poles.tolist(), spline.turns.tolist(), strict=True)
            for along, ((cosine, sine, _, _), turn) in enumerate(rows, 1):
                height = (there - radius.start - radius.by_turn * turn) / radius.by_height
                poles.SetValue(along, across, gp_Pnt(there * cosine, there * sine, height))
        self.surface = Geom_BSplineSurface(
            poles,
            reals(spline.turns[[0, -1]]),
            reals([0.0, 1.0]),
            integers([_DEGREE + 1, _DEGREE + 1]),
            integers([2, 2]),
            _DEGREE,
            1,
        )

    def parameter_curve(self, start, end, span) -> Geom2d_Curve:
        return _segment((start[0], self._across(start[2])), (end[0], self._across(end[2])), span)

    def _across(self, radius: float) -> float:
        return min(max((radius - self._low) / (self._high - self._low), 0.0), 1.0)


def _segment(start: Vec2, end: Vec2, span: Vec2) -> Geom2d_Curve:
    """The straight curve from one place to another as the edge's parameter runs."""
    length = span[1] - span[0]
    ahead = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    if abs(math.hypot(*ahead) - 1.0) <= 1e-12:
        # isolines are found to be such, and elementary
        origin = start[0] - span[0] * ahead[0], start[1] - span[0] * ahead[1]
        return Geom2d_Line(gp_Pnt2d(*origin), gp_Dir2d(*ahead))
    poles = Array1_gp_Pnt2d(1, 2)
    poles.SetValue(1, gp_Pnt2d(*start))
    poles.SetValue(2, gp_Pnt2d(*end))
    return Geom2d_BSplineCurve(poles, reals(span), integers([2, 2]), 1)
