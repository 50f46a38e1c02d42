"""Bodies with a helical thread, built face by face.

All faces of :mod:`vcad_kernel.geometry.sweeps.threads` are polygons in turn and height on which the radius is
linear, so every edge is straight in the parameters of both faces beside it: crests and roots stand on
cylinders, lead-ins on cones, and flanks on polynomials of the turn that are ruled across. Edges are made once
and shared. No boolean trims anything: those of OpenCASCADE take 22 s for 16 turns of a ridge that is swept
about a rod. Lengths are millimetres, angles radians.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

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
from OCP.TopoDS import (
    TopoDS_Edge,
    TopoDS_Face,
    TopoDS_Shape,
    TopoDS_Shell,
    TopoDS_Solid,
    TopoDS_Vertex,
    TopoDS_Wire,
)

from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.validity import rough_volume, sound
from vcad_kernel.geometry.occt.sweeps.fitting import integers, reals
from vcad_kernel.geometry.occt.sweeps.profiles.sketches import (
    direction_of,
    edge_on,
    point_of,
    segments_of,
    vertex_at,
)
from vcad_kernel.geometry.occt.sweeps.revolving import turned_outline
from vcad_kernel.geometry.occt.sweeps.sweeping import fused
from vcad_kernel.geometry.sweeps.boring import COSMETIC, threaded_rod, turned_about_z, turned_rod
from vcad_kernel.geometry.sweeps.profiles.profile import Profile
from vcad_kernel.geometry.sweeps.threads import Piece, Slant, ThreadedBody, columns_of, events_of
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.operations.node import Vec2, Vec3
from vcad_kernel.operations.solids.sweeps import Revolve
from vcad_kernel.operations.solids.threads import Thread

__all__ = ["thread", "threaded", "turned"]

_COARSE = Tessellation()
_CLOSE = 1e-7
_DEGREE = 9
"""Of the polynomials that stand for half a turn: within 1e-7 of a circle of radius 1."""
_SECTORS = 2
"""Faces of a turn: one must not meet its own seam."""
_STRAIGHT = 1e-9
_Z = gp_Dir(0.0, 0.0, 1.0)
_X = gp_Dir(1.0, 0.0, 0.0)


def thread(build: Build, node: Thread, _operands: Operands) -> Brep | None:
    """The rod, or what is cut out for one, standing on the XY plane."""
    if node.cosmetic:
        build.warn(*COSMETIC)
        return turned(build, *turned_rod(build.document, build.node))
    return threaded(build, threaded_rod(node))


def threaded(build: Build, body: ThreadedBody) -> Brep:
    """A body with a thread, and what is turned below and above it."""
    try:
        solid, error = _Solid(body).made()
        pieces: list[TopoDS_Shape] = [solid]
        for corners, level, end in (
            (body.below, body.low, body.ends[0]),
            (body.above, body.high, body.ends[1]),
        ):
            if corners:
                outline = [(0.0, level), *corners, (0.0, end)]
                pieces.append(turned(build, *turned_about_z(build.document, build.node, outline)).shape)
        whole = fused(pieces)
    except OCCT_ERRORS as fault:
        raise build.fault("INVALID_PARAMETER", f"no such thread: {fault}", failed=False) from None
    volume = sum(map(rough_volume, pieces))
    return sound(build, whole, "INVALID_PARAMETER", volume=volume).off_by(error, build.maker)


def turned(build: Build, value: Revolve, profile: Profile) -> Brep:
    """A profile turned about the Z axis."""
    against = profile.outline(_COARSE).area < 0.0
    return turned_outline(build, value, profile, segments_of(profile, reverse=against))


class _Corner(NamedTuple):
    """A corner of faces. Where a full turn ends it is called by both turns."""

    turn: int
    """Its number."""
    height: int
    """Its number among those of the turn, upwards."""


class _Border(NamedTuple):
    """A straight piece of the border of a face, which lies on its left as seen from outside."""

    start: _Corner
    end: _Corner
    rise: float | None
    """By radian; None runs upwards or downwards."""


class _Face(NamedTuple):
    """A face in one sector of the turn."""

    radius: Slant
    loops: list[list[_Border]]


_Part = tuple[int, Piece]
"""A piece and the number of its column."""
_Place = tuple[float, float, float]
"""Turn, height and radius."""


class _Ground(Protocol):
    """What a face stands on."""

    surface: Geom_Surface

    def spot(self, place: _Place) -> Vec2:
        """The parameters of a place."""


class _Solid:
    """The faces of a thread with flat ends while they are put together."""

    def __init__(self, body: ThreadedBody) -> None:
        events = events_of(body)
        seams = _seams(events)
        first = seams[0]
        inner = [event + math.tau * math.ceil((first - event) / math.tau) for event in events]
        self._body = body
        self._columns = columns_of(body, (*sorted((*seams, *inner)), first + math.tau))
        self._turns = self._columns.turns
        self._count = len(self._columns.heights)
        self._seams = [self._turns.index(seam) for seam in seams]
        # no part of a sector is further off than all of it
        self._error = _turning(first, first + math.tau / _SECTORS).error * body.radius
        self._near = max(_CLOSE, 2.0 * self._error)
        self._builder = BRep_Builder()
        self._radii: dict[_Corner, float] = {}
        self._vertices: dict[_Corner, TopoDS_Vertex] = {}
        self._edges: dict[tuple[_Corner, _Corner], tuple[TopoDS_Edge, Vec2]] = {}
        self._faces = [*self._traced()]
        self._standing = self._standing_corners()

    def made(self) -> tuple[TopoDS_Solid, float]:
        """The outward solid, and how far its flanks may be off, mm."""
        shell, solid = TopoDS_Shell(), TopoDS_Solid()
        self._builder.MakeShell(shell)
        rims: tuple[list[_Corner], list[_Corner]] = ([], [])
        for face in self._faces:
            self._builder.Add(shell, self._face(face))
            for start, end in (ends for loop in face.loops for ends in self._edges_of(loop)):
                for rim, level in zip(rims, (self._body.low, self._body.high), strict=True):
                    if start.turn != end.turn and self._is_at(level, start) and self._is_at(level, end):
                        rim.append(min(start, end))
        for rim, upper in zip(rims, (False, True), strict=True):
            self._builder.Add(shell, self._cap(rim, upper=upper))
        shell.Closed(True)
        self._builder.MakeSolid(solid)
        self._builder.Add(solid, shell)
        return solid, self._error

    # ------------------------------------------------------------ polygons

    def _traced(self) -> Iterator[_Face]:
        """Each face of a sector, with its border once round."""
        parts: dict[tuple[int, tuple[int, int]], list[_Part]] = defaultdict(list)
        for column, stack in enumerate(self._columns.pieces):
            sector = sum(seam <= column for seam in self._seams)
            for piece in stack:
                parts[sector, piece.face].append((column, piece))
        for group in parts.values():
            # a lead-in may be in several places between the turns of the thread
            for members in self._connected(group):
                borders = [border for part in members for border in self._around(*part)]
                yield _Face(members[0][1].radius, _loops(borders))

    def _connected(self, group: Iterable[_Part]) -> list[list[_Part]]:
        """Parts that share sides."""
        sets: list[tuple[set[tuple[_Corner, _Corner]], list[_Part]]] = []
        for part in group:
            sides = {
                (min(border[:2]), max(border[:2])) for border in self._around(*part) if border.rise is None
            }
            members = [part]
            apart = []
            for known, others in sets:
                if known.isdisjoint(sides):
                    apart.append((known, others))
                else:
                    sides |= known
                    members += others
            sets = [*apart, (sides, members)]
        return [members for _, members in sets]

    def _around(self, column: int, piece: Piece) -> list[_Border]:
        left, right = (self._side(turn, piece) for turn in (column, column + 1))
        borders = [_Border(low, high, None) for low, high in itertools.pairwise(right)]
        borders += [_Border(high, low, None) for low, high in itertools.pairwise(left)]
        borders += [
            _Border(left[0], right[0], piece.lower.rise),
            _Border(right[-1], left[-1], piece.upper.rise),
        ]
        return borders

    def _side(self, turn: int, piece: Piece) -> list[_Corner]:
        at = self._turns[turn]
        corners = []
        for height in self._columns.corners(turn, piece.lower.at(at), piece.upper.at(at)):
            corner = _Corner(turn, height)
            corners.append(corner)
            self._radii.setdefault(self._own(corner), piece.radius.at(at, self._height(corner)))
        return corners

    def _own(self, corner: _Corner) -> _Corner:
        """The corner by the name that it has in both of its turns."""
        return _Corner(corner.turn % self._count, corner.height)

    def _height(self, corner: _Corner) -> float:
        return self._columns.heights[corner.turn % self._count][corner.height]

    def _is_at(self, level: float, corner: _Corner) -> bool:
        return abs(self._height(corner) - level) <= _STRAIGHT

    def _place(self, corner: _Corner) -> _Place:
        return self._turns[corner.turn], self._height(corner), self._radii[self._own(corner)]

    def _standing_corners(self) -> set[_Corner]:
        """The corners at which edges end: where more than two meet, where a border bends, and at seams."""
        meeting: dict[_Corner, set[frozenset[_Corner]]] = defaultdict(set)
        standing: set[_Corner] = set()
        for loop in (loop for face in self._faces for loop in face.loops):
            for before, border in itertools.pairwise((loop[-1], *loop)):
                here = self._own(border.start)
                meeting[here] |= {frozenset(map(self._own, one[:2])) for one in (before, border)}
                if not _runs_on(before.rise, border.rise):
                    standing.add(here)
        return standing | {
            corner for corner, edges in meeting.items() if len(edges) > 2 or corner.turn in self._seams
        }

    def _edges_of(self, loop: Sequence[_Border]) -> list[tuple[_Corner, _Corner]]:
        """From where to where the edges of a loop run."""
        begin = next(at for at, border in enumerate(loop) if self._own(border.start) in self._standing)
        loop = [*loop[begin:], *loop[:begin]]
        starts = [border.start for border in loop if self._own(border.start) in self._standing]
        ends = [border.end for border in loop if self._own(border.end) in self._standing]
        return list(zip(starts, ends, strict=True))

    # ------------------------------------------------------------ edges

    def _vertex(self, corner: _Corner) -> TopoDS_Vertex:
        own = self._own(corner)
        known = self._vertices.get(own)
        if known is None:
            point = np.array(_point(self._place(own)))
            known = self._vertices[own] = vertex_at(point, 2.0 * self._near)
        return known

    def _edge(self, start: _Corner, end: _Corner) -> tuple[TopoDS_Edge, Vec2]:
        """From left to right, or upwards; with its range."""
        key = self._own(start), self._own(end)
        known = self._edges.get(key)
        if known is None:
            curve, span = _curve(self._place(start), self._place(end))
            edge = edge_on(curve, *span, self._vertex(start), self._vertex(end))
            self._builder.UpdateEdge(edge, self._near)
            known = self._edges[key] = edge, span
        return known

    # ------------------------------------------------------------ faces

    def _face(self, face: _Face) -> TopoDS_Face:
        ground = self._ground(face)
        made = TopoDS_Face()
        self._builder.MakeFace(made, ground.surface, _CLOSE)
        for loop in face.loops:
            wire = TopoDS_Wire()
            self._builder.MakeWire(wire)
            for start, end in self._edges_of(loop):
                low, high = min(start, end), max(start, end)
                edge, span = self._edge(low, high)
                flat = _straight(ground.spot(self._place(low)), ground.spot(self._place(high)), span)
                self._builder.UpdateEdge(edge, flat, ground.surface, TopLoc_Location(), self._near)
                self._builder.Add(wire, edge.Oriented(TopAbs_FORWARD if start == low else TopAbs_REVERSED))
            wire.Closed(True)
            self._builder.Add(made, wire)
        return made

    def _ground(self, face: _Face) -> _Ground:
        places = [self._place(border.start) for loop in face.loops for border in loop]
        turns, heights, radii = zip(*places, strict=True)
        radius = face.radius
        if radius.by_height == 0.0:
            return _Cylinder(radius.start)
        if radius.by_turn == 0.0:
            base = min(heights)
            return _Cone(base, radius.at(0.0, base), math.atan(radius.by_height))
        return _Flank(radius, (min(radii), max(radii)), _turning(min(turns), max(turns)))

    def _cap(self, rim: Iterable[_Corner], *, upper: bool) -> TopoDS_Face:
        """The flat end. rim: where the edges around it begin, once round."""
        height = self._body.high if upper else self._body.low
        face, wire = TopoDS_Face(), TopoDS_Wire()
        plane = Geom_Plane(gp_Pnt(0.0, 0.0, height), gp_Dir(0.0, 0.0, 1.0 if upper else -1.0))
        self._builder.MakeFace(face, plane, _CLOSE)
        self._builder.MakeWire(wire)
        starts = sorted(rim)
        edges = [
            self._edges[self._own(start), self._own(end)][0]
            for start, end in itertools.pairwise((*starts, starts[0]))
        ]
        for edge in edges if upper else reversed(edges):
            self._builder.Add(wire, edge.Oriented(TopAbs_FORWARD if upper else TopAbs_REVERSED))
        wire.Closed(True)
        self._builder.Add(face, wire)
        return face


def _seams(events: Sequence[float]) -> list[float]:
    """Turns that divide a full one evenly, far from all events.

    Not amid the widest gap between those: there the thread mostly reaches furthest along an axis, and the box
    of a body would be looked for at every corner.
    """
    part = math.tau / _SECTORS
    folded = sorted(event % part for event in events)
    width, begin = max((after - at, at) for at, after in itertools.pairwise((*folded, folded[0] + part)))
    return [(begin + 0.4 * width) % part + part * sector for sector in range(_SECTORS)]


def _loops(borders: Iterable[_Border]) -> list[list[_Border]]:
    """What is left of the borders of parts once those between two of them are gone, in order."""
    there = {border[:2]: border for border in borders if border.start != border.end}
    left = {border.start: border for (start, end), border in there.items() if (end, start) not in there}
    loops = []
    while left:
        start = next(iter(left))
        loop = []
        while start in left:
            loop.append(left.pop(start))
            start = loop[-1].end
        loops.append(loop)
    return loops


def _runs_on(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= _STRAIGHT


def _point(place: _Place) -> Vec3:
    turn, height, radius = place
    return radius * math.cos(turn), radius * math.sin(turn), height


def _curve(start: _Place, end: _Place) -> tuple[Geom_Curve, Vec2]:
    """A curve whose height and radius are linear in the turn, and its range: the turn, if that changes."""
    (a, low, near), (b, high, far) = start, end
    if a == b:
        here, there = (np.array(_point(place)) for place in (start, end))
        line = Geom_Line(point_of(here), direction_of(there - here))
        return line, (0.0, float(np.linalg.norm(there - here)))
    if abs(far - near) <= _STRAIGHT and abs(high - low) <= _STRAIGHT:
        return Geom_Circle(gp_Circ(gp_Ax2(gp_Pnt(0.0, 0.0, low), _Z, _X), near)), (a, b)
    turning = _turning(a, b)
    slope, rise = (far - near) / (b - a), (high - low) / (b - a)
    flat = turning.poles @ np.array(
        [(near - slope * a, 0.0), (0.0, near - slope * a), (slope, 0.0), (0.0, slope)]
    )
    points = Array1_gp_Pnt(1, _DEGREE + 1)
    for index, ((x, y), turn) in enumerate(zip(flat.tolist(), turning.turns.tolist(), strict=True), 1):
        points.SetValue(index, gp_Pnt(x, y, low + rise * (turn - a)))
    return Geom_BSplineCurve(points, reals([a, b]), integers([_DEGREE + 1, _DEGREE + 1]), _DEGREE), (a, b)


def _straight(start: Vec2, end: Vec2, span: Vec2) -> Geom2d_Curve:
    """The straight curve from one place of a surface to another, evenly over an edge's range."""
    length = span[1] - span[0]
    ahead = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    if abs(math.hypot(*ahead) - 1.0) <= 1e-12:
        # a line is known for one, and for a line of the surface
        origin = start[0] - span[0] * ahead[0], start[1] - span[0] * ahead[1]
        return Geom2d_Line(gp_Pnt2d(*origin), gp_Dir2d(*ahead))
    poles = Array1_gp_Pnt2d(1, 2)
    poles.SetValue(1, gp_Pnt2d(*start))
    poles.SetValue(2, gp_Pnt2d(*end))
    return Geom2d_BSplineCurve(poles, reals(span), integers([2, 2]), 1)


# ---------------------------------------------------------------- surfaces


class _Cylinder:
    """A crest or a root."""

    def __init__(self, radius: float) -> None:
        self.surface: Geom_Surface = Geom_CylindricalSurface(gp_Ax3(gp_Pnt(0.0, 0.0, 0.0), _Z, _X), radius)

    def spot(self, place: _Place) -> Vec2:
        return place[0], place[1]


class _Cone:
    """A lead-in."""

    def __init__(self, base: float, radius: float, angle: float) -> None:
        frame = gp_Ax3(gp_Pnt(0.0, 0.0, base), _Z, _X)
        self.surface: Geom_Surface = Geom_ConicalSurface(frame, angle, radius)
        self._base = base
        self._lean = math.cos(angle)

    def spot(self, place: _Place) -> Vec2:
        return place[0], (place[1] - self._base) / self._lean


class _Flank:
    """A flank between two radii: each point of a line draws a helix."""

    def __init__(self, radius: Slant, radii: Vec2, turning: _Turning) -> None:
        # across it runs upwards, so that its normal is outward
        self._from, self._to = radii if radius.by_height > 0.0 else radii[::-1]
        poles = Array2_gp_Pnt(1, _DEGREE + 1, 1, 2)
        for across, there in enumerate((self._from, self._to), 1):
            rows = zip(turning.poles.tolist(), turning.turns.tolist(), strict=True)
            for along, ((cosine, sine, _, _), turn) in enumerate(rows, 1):
                height = (there - radius.start - radius.by_turn * turn) / radius.by_height
                poles.SetValue(along, across, gp_Pnt(there * cosine, there * sine, height))
        self.surface: Geom_Surface = Geom_BSplineSurface(
            poles,
            reals(turning.turns[[0, -1]]),
            reals([0.0, 1.0]),
            integers([_DEGREE + 1, _DEGREE + 1]),
            integers([2, 2]),
            _DEGREE,
            1,
        )

    def spot(self, place: _Place) -> Vec2:
        across = (place[2] - self._from) / (self._to - self._from)
        return place[0], min(max(across, 0.0), 1.0)


class _Turning(NamedTuple):
    """cos t, sin t, t cos t and t sin t between two turns: what is linear in the turn is a sum of them."""

    poles: NDArray[np.float64]
    """(n, 4), of Bernstein's polynomials."""
    turns: NDArray[np.float64]
    """(n,): the poles of t itself."""
    error: float
    """Largest distance found from the circle of radius 1."""


@functools.lru_cache(maxsize=256)
def _turning(first: float, last: float) -> _Turning:
    # interpolated at the extremes of Chebyshev's polynomial, ends among them
    places = 0.5 * (1.0 - np.cos(math.pi * np.arange(_DEGREE + 1) / _DEGREE))
    goal = _functions(first + (last - first) * places)
    poles = np.asarray(np.linalg.solve(_bernstein(places), goal), np.float64)
    # faces meet at their ends to the last bit
    poles[[0, -1]] = goal[[0, -1]]
    between = np.linspace(0.0, 1.0, 8 * _DEGREE)
    off = _bernstein(between) @ poles - _functions(first + (last - first) * between)
    error = float(np.hypot(off[:, 0], off[:, 1]).max())
    return _Turning(poles, np.linspace(first, last, _DEGREE + 1), error)


def _functions(turn: NDArray[np.float64]) -> NDArray[np.float64]:
    cosine, sine = np.cos(turn), np.sin(turn)
    return np.column_stack([cosine, sine, turn * cosine, turn * sine])


def _bernstein(at: NDArray[np.float64]) -> NDArray[np.float64]:
    """(len(at), degree + 1)"""
    number = range(_DEGREE + 1)
    return np.stack([math.comb(_DEGREE, k) * at**k * (1.0 - at) ** (_DEGREE - k) for k in number], axis=1)
