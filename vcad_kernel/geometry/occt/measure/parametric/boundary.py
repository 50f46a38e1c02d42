"""The boundary of a body as functions of arrays: faces, their borders, and how borders of neighbours meet.

Every node on an edge at which OpenCASCADE keeps only approximate curves is moved to where the two surfaces
themselves meet (``meeting_surfaces.py``). Where they do not, since they are
joined smoothly and only nearly, or since nobody made them to, a wall from border to border closes the
boundary. Lengths in millimetres.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_FORWARD, TopAbs_REVERSED
from OCP.TopExp import TopExp_Explorer
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import shape_map
from vcad_kernel.geometry.occt.measure.parametric.bsplines import Array, Numbers
from vcad_kernel.geometry.occt.measure.parametric.curves import borders_of
from vcad_kernel.geometry.occt.measure.parametric.edge_gaps import EXACT_EDGE
from vcad_kernel.geometry.occt.measure.parametric.meeting_surfaces import ROUNDING, cross, dots, met, unit
from vcad_kernel.geometry.occt.measure.parametric.surfaces import patches_of

__all__ = ["FINE", "QUICK", "SHORT", "Boundary", "Pieces", "Rule", "Walls", "breaks_between"]

_SIGNS = {TopAbs_FORWARD.value: 1.0, TopAbs_REVERSED.value: -1.0}
"""What counts as a border runs along its edge or against it; everything else lies in a face."""


def _derivative(nodes: Array) -> Array:
    """The matrix that makes slopes at the nodes of values there (barycentric, Berrut and Trefethen)."""
    apart = nodes[:, None] - nodes + np.eye(len(nodes))
    weights = 1.0 / apart.prod(axis=1)
    slopes = weights / weights[:, None] / apart
    np.fill_diagonal(slopes, 0.0)
    np.fill_diagonal(slopes, -slopes.sum(axis=1))
    return np.asarray(slopes)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of Gauss and Kronrod in [-1, 1], of which every other node is Gauss's."""

    nodes: Array
    weights: Array
    """(2, n): of the whole rule, and of Gauss's, which says how far off that may be."""
    slopes: Array
    """(n, n): makes derivatives at the nodes of values there."""

    @classmethod
    def of(cls, half: Sequence[tuple[float, float]], middle: float) -> Rule:
        """half: nodes and weights above 0, the outermost first. middle: the weight of 0."""
        above, shares = np.array(half).T
        nodes = np.concatenate([-above, [0.0], above[::-1]])
        rougher = np.zeros(len(nodes))
        rougher[1::2] = np.polynomial.legendre.leggauss(len(above))[1]
        weights = np.stack([np.concatenate([shares, [middle], shares[::-1]]), rougher])
        return cls(nodes, weights, _derivative(nodes))


FINE = Rule.of(
    (
        (0.991455371120812639206854697526329, 0.022935322010529224963732008058970),
        (0.949107912342758524526189684047851, 0.063092092629978553290700663189204),
        (0.864864423359769072789712788640926, 0.104790010322250183839876322541518),
        (0.741531185599394439863864773280788, 0.140653259715525918745189590510238),
        (0.586087235467691130294144691258013, 0.169004726639267902826583426598550),
        (0.405845151377397166906606412076961, 0.190350578064785409913256402421014),
        (0.207784955007898467600689403773245, 0.204432940075298892414161999234649),
    ),
    0.209482141084727828012999174891714,
)
"""Source: QUADPACK, qk15."""
QUICK = Rule.of(
    (
        (0.960491268708020283423507092629080, 0.104656226026467265193823857192073),
        (0.774596669241483377035853079956480, 0.268488089868333440728569280666710),
        (0.434243749346802558002071502844628, 0.401397414775962222905051818618432),
    ),
    0.450916538658474142345110087045571,
)
"""The same with 3 and 7 nodes, exact up to the eleventh degree. Source: A. S. Kronrod, Nodes and Weights of
Quadrature Formulas (1965)."""

SHORT = 24
"""Spans of a spline from which on each is taken to be so short that the quick rule will do: where it says
that it does not, the fine one is asked."""
_INNER = 3
"""Knots of a surface from which on some are not ends."""
_STEPS = 8
"""Of Newton's method to the crossing of a border and a knot; on a straight border one does."""
_SAME = 1e-9
"""Part of an edge below which a piece of it is none."""
_SMOOTH = 0.02
"""Sine of the angle between faces that are smoothly joined: a curve near both is as good as any other."""
_TOGETHER = 1e-6
"""Part of the coordinates by which the two curves of an edge may run ahead of each other at the same
parameter and still be moved to a place between; those that run further are moved each for itself."""
_EXACT, _SHARP, _BLENDED, _LATE = range(4)
_CLOSED, _GAP = 1e-14, 1e-3
"""Parts of a face's parameters: by so little the ends of its border miss each other by rounding, and by so
much they may."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """Of borders, smooth and not long."""

    rule: Rule
    """By whose nodes they are looked at."""
    side: Numbers
    """(n,): which side each is of, in order."""
    low: Array
    high: Array
    """(n,): its parameters."""
    spots: Array
    """(n, nodes, 2): places on the face, moved to where faces meet."""
    rates: Array
    """(n, nodes, 2): their derivatives by t in [-1, 1]."""


@dataclass(frozen=True, slots=True)
class Walls:
    """What stands between the borders of neighbours that do not meet."""

    middles: Array
    """(n, 3), seen from the middle of the boundary."""
    vectors: Array
    """(n, 3): outward, as long as the area that each place stands for."""
    error: Array
    """What might stand there instead: of volume and area."""
    gap: float
    """The widest, millimetres."""


class Boundary:
    """Faces and their borders, as functions of arrays."""

    def __init__(self, shape: TopoDS_Shape) -> None:
        signs, ways, faces, tolerances = [], [], [], []
        surfaces: list[BRepAdaptor_Surface] = []
        sides: list[tuple[TopoDS_Edge, TopoDS_Face]] = []
        edges = shape_map(shape, TopAbs_EDGE)
        meeting: dict[int, list[int]] = {}
        # OpenCASCADE is asked once for each face and side, and never again: what follows is arrays
        walk = TopExp_Explorer(shape, TopAbs_FACE)
        while walk.More():
            face = TopoDS.Face(walk.Current())
            walk.Next()
            sign = _SIGNS.get(face.Orientation().value)
            if sign is None:
                continue
            # what a border is does not depend on which side of the face is outside
            upright = TopoDS.Face(face.Oriented(TopAbs_FORWARD))
            around = TopExp_Explorer(upright, TopAbs_EDGE)
            while around.More():
                edge = TopoDS.Edge(around.Current())
                around.Next()
                way = _SIGNS.get(edge.Orientation().value)
                if way is not None:
                    meeting.setdefault(edges.FindIndex(edge), []).append(len(sides))
                    sides.append((edge, upright))
                    ways.append(way)
                    tolerances.append(BRep_Tool.Tolerance_s(edge))
                    faces.append(len(surfaces))
            signs.append(sign)
            surfaces.append(BRepAdaptor_Surface(face, False))
        self._tolerances = np.array(tolerances)
        """Of the edge of each side."""
        self._is_loose = self._tolerances > EXACT_EDGE
        self.is_closed = bool(sides)
        """Whether the border of every face comes round."""
        if not sides:
            return
        self.signs = np.array(signs)
        """Of each face, which way its normal is outward."""
        self.ways = np.array(ways)
        """Of each side, which is an edge as the border of a face: whether that runs along the edge."""
        self.faces = np.array(faces, np.intp)
        """Of each side."""
        # curves and surfaces of one kind are evaluated together, a call for all of a kind
        self._borders = borders_of(sides)
        self.groups = patches_of(surfaces)
        """Faces of one kind and their numbers, and of each face where it is among them."""
        self.group_of = np.zeros(len(surfaces), np.intp)
        self.member_of = np.zeros(len(surfaces), np.intp)
        for index, (_, members) in enumerate(self.groups):
            self.group_of[members] = index
            self.member_of[members] = np.arange(len(members))
        # pieces must be smooth before they are integrated, and where two sides share an edge they must agree
        self._cut_at_knots()
        self._is_pair, self._is_simple = np.zeros((2, len(sides)), np.bool_)
        """Of each side: whether two share its edge; and whether that is a line or so on elementary faces."""
        self._mates = self._mated(meeting)
        self._joints = np.zeros(len(sides), np.intp)
        self.first = self._first_pieces()
        """Those of short spans by themselves, since the quick rule will do for them."""
        # how large faces and body are, as seen at places along the borders: sums are taken about the middle
        count = len(signs)
        self.lowest, self.highest = np.full((count, 2), np.inf), np.full((count, 2), -np.inf)
        faces_there, middles = [], []
        for pieces in self.first:
            there = self.faces[pieces.side]
            np.minimum.at(self.lowest, there, pieces.spots.min(axis=1))
            np.maximum.at(self.highest, there, pieces.spots.max(axis=1))
            faces_there.append(there)
            middles.append(pieces.spots[:, len(pieces.rule.nodes) // 2])
        places, _, _ = self._tangents(np.concatenate(faces_there), np.concatenate(middles))
        low_corner, high_corner = places.min(axis=0), places.max(axis=0)
        self.middle = 0.5 * (low_corner + high_corner)
        self.size = float((high_corner - low_corner).max())
        self.corners: tuple[Numbers, Array, Array] = self._closing()

    def _cut_at_knots(self) -> None:
        """Cuts borders where they cross lines of a face along which it is not smooth."""
        cuts: list[tuple[int, int, float, float, float, float]] = []
        counts = [len(part) for part in self._borders.breaks]
        places, _ = self._borders.at(
            np.repeat(np.arange(len(counts)), counts), np.concatenate(self._borders.breaks)
        )
        for number, (face, spots) in enumerate(
            zip(self.faces.tolist(), np.split(places, np.cumsum(counts)[:-1]), strict=True)
        ):
            patches, _ = self.groups[self.group_of[face]]
            member = int(self.member_of[face])
            breaks = self._borders.breaks[number]
            for axis, part in enumerate(patches.breaks):
                along = spots[:, axis]
                if isinstance(part, float) or len(part[member]) < _INNER or np.ptp(along) == 0.0:
                    continue
                # a knot that lies between the two ends of a piece, and at neither, is crossed within it
                knots = breaks_between(
                    part[member], float(along.min()), float(along.max()), float(patches.periods[member, axis])
                )
                beside = along[:, None] - knots
                piece, knot = np.nonzero(
                    (beside[:-1] * beside[1:] < 0.0)
                    & (np.minimum(np.abs(beside[:-1]), np.abs(beside[1:])) > _SAME * np.ptp(along))
                )
                cuts += [
                    (
                        number,
                        axis,
                        knots[k],
                        breaks[i],
                        breaks[i + 1],
                        beside[i, k] / (along[i] - along[i + 1]),
                    )
                    for i, k in zip(piece.tolist(), knot.tolist(), strict=True)
                ]
        if not cuts:
            return
        sides, axes = (np.array([cut[column] for cut in cuts], np.intp) for column in (0, 1))
        # Newton's method for all crossings at once, from where a straight border would cross
        goal, low, high, share = (np.array([cut[column] for cut in cuts]) for column in (2, 3, 4, 5))
        parameters = low + share * (high - low)
        for _ in range(_STEPS):
            spots, rates = self._borders.at(sides, parameters)
            rows = np.arange(len(sides))
            miss, rate = spots[rows, axes] - goal, rates[rows, axes]
            step = np.where(rate != 0.0, miss / np.where(rate != 0.0, rate, 1.0), 0.0)
            parameters = np.clip(parameters - step, low, high)
            if np.all(np.abs(step) <= ROUNDING * (high - low)):
                break
        for cut in np.unique(sides).tolist():
            breaks = np.concatenate([self._borders.breaks[cut], parameters[sides == cut]])
            self._borders.breaks[cut] = _apart(breaks)

    def _mated(self, meeting: dict[int, list[int]]) -> Numbers:
        """For each side the other of its edge, where both may only be near the true curve; else -1."""
        mates = np.full(len(self.faces), -1, np.intp)
        elementary = [None not in patches.exact for patches, _ in self.groups]
        for sides in meeting.values():
            if len(sides) != 2:
                continue
            first, second = sides
            simple = self._borders.are_simple[first] and self._borders.are_simple[second]
            simple &= all(elementary[self.group_of[self.faces[side]]] for side in sides)
            exact = simple and not self._is_loose[first]
            self._is_simple[sides], self._is_pair[sides] = simple, True
            # a seam is where it is, unless it may be two curves
            is_seam = self.faces[first] == self.faces[second] and not self._is_loose[first]
            if not exact and not is_seam:
                mates[first], mates[second] = second, first
                # pieces of both are the same, so that their nodes are moved together
                breaks = np.concatenate([self._borders.breaks[side] for side in sides])
                self._borders.breaks[first] = self._borders.breaks[second] = _apart(breaks)
        return mates

    # --- places on borders -------------------------------------------------------------------------

    def _tangents(self, face: Numbers, spots: Array) -> tuple[Array, Array, Array]:
        """Points (n, 3) at places (n, 2) of faces (n,), and both tangents."""
        points, across, along = (np.empty((len(face), 3)) for _ in range(3))
        kinds = self.group_of[face]
        for index, (patches, _) in enumerate(self.groups):
            mine = np.flatnonzero(kinds == index)
            if len(mine):
                there = patches.rows(spots[mine, :1], spots[mine, 1:], self.member_of[face[mine]])
                points[mine], across[mine], along[mine] = (part[:, 0] for part in there)
        return points, across, along

    def _judge(self, number: Numbers, parameters: Array) -> None:
        """Says of each side with a mate how the two are brought together. parameters: of pieces, (k, m)."""
        mated = np.flatnonzero(self._mates[number] > number)
        if not len(mated):
            return
        pairs = np.stack([number[mated], self._mates[number[mated]]])
        flat = np.repeat(pairs, parameters.shape[1], axis=1)
        there, ways = [], []
        for side in flat:
            spots, rates = self._borders.at(side, parameters[mated].ravel())
            points, across, along = self._tangents(self.faces[side], spots)
            there.append((points, unit(cross(across, along))))
            ways.append(unit(rates[:, :1] * across + rates[:, 1:] * along))
        apart = there[0][0] - there[1][0]
        limit = np.abs(there[0][0]).max()
        worst = np.zeros((3, len(self._mates)))
        for row, figure in zip(
            worst,
            (
                np.abs(apart).max(axis=1),
                np.sqrt(np.maximum(1.0 - dots(there[0][1], there[1][1]) ** 2, 0.0)),
                np.abs(dots(ways[0], apart)),
            ),
            strict=True,
        ):
            np.maximum.at(row, flat[0], figure)
        joints = np.where(worst[1] > _SMOOTH, _SHARP, _BLENDED)
        joints[worst[2] > _TOGETHER * limit] = _LATE
        joints[worst[0] <= ROUNDING * limit] = _EXACT
        self._joints[pairs[0]] = self._joints[pairs[1]] = joints[pairs[0]]

    def _places(self, number: Numbers, parameters: Array) -> tuple[Array, Array, Array]:
        """Where sides (k,) run at parameters (k, m): as kept, derivatives, and moved to where faces meet."""
        flat, side = parameters.ravel(), np.repeat(number, parameters.shape[1])
        spots, rates = self._borders.at(side, flat)
        moved = spots.copy()
        for joint in (_SHARP, _BLENDED, _LATE):
            rows = np.flatnonzero((self._joints[number] == joint) & (self._mates[number] >= 0))
            if not len(rows):
                continue
            # what is between both sides is found once for both, a plane to stay in is one side's own
            rows, partners = (rows, rows[:0]) if joint == _LATE else self._paired(rows, number, parameters)
            count = parameters.shape[1]
            mine, yours = ((part[:, None] * count + np.arange(count)).ravel() for part in (rows, partners))
            own, other = side[mine], self._mates[side[mine]]
            surfaces = [partial(self._tangents, self.faces[part]) for part in (own, other)]
            beyond, _ = self._borders.at(other, flat[mine])
            plane = None
            if joint == _LATE:
                points, across, along = surfaces[0](spots[mine])
                plane = points, unit(rates[mine, :1] * across + rates[mine, 1:] * along)
            steps = 1 if joint == _BLENDED else 4
            moved[mine], there = met(surfaces, [spots[mine], beyond], plane, steps)
            moved[yours] = there[: len(yours)]
        shape = (*parameters.shape, 2)
        return spots.reshape(shape), rates.reshape(shape), moved.reshape(shape)

    def _paired(self, rows: Numbers, number: Numbers, parameters: Array) -> tuple[Numbers, Numbers]:
        """Of some rows those to look at, and the partners of the first of them, which are left out.

        A partner is the same piece of the same edge, seen from the other face.
        """
        edge = np.minimum(number[rows], self._mates[number[rows]])
        keys = np.stack([parameters[rows, -1], parameters[rows, 0], edge.astype(np.float64)])
        order = np.lexsort(keys)
        same = np.all(keys[:, order[1:]] == keys[:, order[:-1]], axis=0)
        first, second = order[:-1][same], order[1:][same]
        alone = np.setdiff1d(order, np.concatenate([first, second]), assume_unique=True)
        return rows[np.concatenate([first, alone])], rows[second]

    def pieces(self, number: Numbers, low: Array, high: Array, rule: Rule = FINE) -> Pieces:
        """Of sides (k,), from low to high parameters."""
        half = 0.5 * (high - low)
        parameters = (0.5 * (low + high))[:, None] + half[:, None] * rule.nodes
        spots, rates, moved = self._places(number, parameters)
        # the way from the curve is so short that the polynomial through the nodes has its slope
        rates = rates * half[:, None, None] + rule.slopes @ (moved - spots)
        return Pieces(rule, number, low, high, moved, rates)

    def _first_pieces(self) -> tuple[Pieces, ...]:
        breaks = self._borders.breaks
        counts = np.array([len(part) - 1 for part in breaks])
        number = np.repeat(np.arange(len(breaks)), counts)
        low = np.concatenate([part[:-1] for part in breaks])
        high = np.concatenate([part[1:] for part in breaks])
        # both sides of an edge have the same pieces
        short = counts[number] >= SHORT
        first = []
        for rule, those in ((QUICK, short), (FINE, ~short)):
            if those.any():
                ends = low[those], high[those]
                middles, halves = 0.5 * (ends[0] + ends[1]), 0.5 * (ends[1] - ends[0])
                self._judge(number[those], middles[:, None] + halves[:, None] * rule.nodes[1::4])
                first.append(self.pieces(number[those], *ends, rule))
        return tuple(first)

    def _closing(self) -> tuple[Numbers, Array, Array]:
        """What joins the ends of borders that miss each other: faces (n,), from (n, 2) and to (n, 2)."""
        ends = np.array([part[[0, -1]] for part in self._borders.breaks])
        _, _, moved = self._places(np.arange(len(ends)), ends)
        backwards = self.ways < 0.0
        moved[backwards] = moved[backwards][:, ::-1]
        spread = self.highest - self.lowest
        scale = np.where(spread > 0.0, spread, 1.0)
        faces, starts, stops = [], [], []
        bounded, first = np.unique(self.faces, return_index=True)
        self.is_closed = len(bounded) == len(self.signs)
        # sides come face by face
        for face, border in zip(bounded.tolist(), np.split(moved, first[1:]), strict=True):
            gaps = (np.abs(border[:, None, 1] - border[:, 0]) / scale[face]).max(axis=2)
            follower = _assigned(gaps)
            nearest = gaps[np.arange(len(border)), follower]
            self.is_closed &= bool(nearest.max() < _GAP)
            missing = np.flatnonzero(nearest > _CLOSED)
            faces.append(np.full(len(missing), face, np.intp))
            starts.append(border[missing, 1])
            stops.append(border[follower[missing], 0])
        if not faces:
            return np.zeros(0, np.intp), np.zeros((0, 2)), np.zeros((0, 2))
        return np.concatenate(faces), np.concatenate(starts), np.concatenate(stops)

    def walls(self) -> Walls:
        """What closes the boundary between borders of neighbours that do not meet.

        The faces alone do not close the boundary there. From border P to border Q, Q along the edge no
        further, the wall has the vector (Q - P) x dP. Whatever closes the gap instead within its width d
        encloses no more than a tube of radius d, pi d² an unit of length, and has about the wall's own area,
        d. Where more or fewer faces than two share an edge, a wall as wide as its tolerance counts as error.
        So do corners: a hole as wide as the ends of two borders are apart.
        """
        seen = [self._walls(pieces) for pieces in self.first]
        error = np.sum([part.error for part in seen], axis=0)
        faces, start, stop = self.corners
        holes = self._tangents(faces, start)[0] - self._tangents(faces, stop)[0]
        hidden = float(np.sum(holes**2))
        # a third of P·n, by the divergence theorem
        error = error + hidden * np.array([self.size / 3.0, 1.0])
        return Walls(
            np.concatenate([part.middles for part in seen]),
            np.concatenate([part.vectors for part in seen]),
            error,
            max(part.gap for part in seen),
        )

    def _walls(self, pieces: Pieces) -> Walls:
        """Those along some of the first pieces."""
        number, nodes, shares = pieces.side, pieces.rule.nodes, pieces.rule.weights[0]
        near, far = self._beside_each_other(pieces, self._joints[number] != _EXACT)
        here, onwards = self._run(pieces, near)
        there, _ = self._run(pieces, far)
        ahead = unit(onwards)
        apart = there - here
        apart -= dots(apart, ahead)[:, None] * ahead
        own = number[near]
        turn = np.repeat(self.ways[own] * self.signs[self.faces[own]], len(nodes))
        middle = 0.5 * (here + there) - self.middle
        weights = np.tile(shares, len(near))
        vectors = cross(apart, (weights * turn)[:, None] * onwards)
        width, length = np.sqrt(dots(apart, apart)), weights * np.sqrt(dots(onwards, onwards))
        error = length @ np.stack([math.pi * width**2, width], axis=1)
        stray = np.flatnonzero(self._is_loose[number] & ~self._is_pair[number])
        _, onwards = self._run(pieces, stray)
        lengths = np.sqrt(dots(onwards, onwards)).reshape(-1, len(nodes)) @ shares
        hidden = float(lengths @ self._tolerances[number[stray]])
        gap = max(width.max(initial=0.0), self._tolerances[number[stray]].max(initial=0.0))
        return Walls(middle, vectors, error + hidden * np.array([self.size / 3.0, 1.0]), float(gap))

    def _beside_each_other(self, pieces: Pieces, wanted: NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
        """Numbers of pieces of sides with mates, and of the mates': the same pieces in order."""
        number = pieces.side
        begins = np.searchsorted(number, np.arange(len(self._mates)))
        near = np.flatnonzero((self._mates[number] > number) & wanted)
        return near, begins[self._mates[number[near]]] + near - begins[number[near]]

    def contradiction(self) -> float:
        """How far lines and circles are from where planes, cylinders and the like meet, millimetres.

        A curve kept for what meets along another kind of curve only comes near. But a line in the wrong place
        is another body than its faces are.
        """
        return max(self._contradiction(pieces) for pieces in self.first)

    def _contradiction(self, pieces: Pieces) -> float:
        number, nodes = pieces.side, pieces.rule.nodes
        near, far = self._beside_each_other(pieces, self._is_simple[number])
        rows = np.concatenate([near, far])
        half = 0.5 * (pieces.high - pieces.low)[rows, None]
        parameters = 0.5 * (pieces.low + pieces.high)[rows, None] + half * nodes
        kept, _ = self._borders.at(np.repeat(number[rows], len(nodes)), parameters.ravel())
        here, _ = self._run(pieces, rows)
        there, _, _ = self._tangents(np.repeat(self.faces[number[rows]], len(nodes)), kept)
        return float(np.sqrt(dots(here - there, here - there)).max(initial=0.0))

    def _run(self, pieces: Pieces, rows: Numbers) -> tuple[Array, Array]:
        """Points (n * nodes, 3) of some pieces, and their derivatives."""
        faces = np.repeat(self.faces[pieces.side[rows]], len(pieces.rule.nodes))
        points, across, along = self._tangents(faces, pieces.spots[rows].reshape(-1, 2))
        way = pieces.rates[rows].reshape(-1, 2)
        return points, way[:, :1] * across + way[:, 1:] * along


def _assigned(gaps: Array) -> Numbers:
    """Which start follows each end, each once, the nearest first. gaps: (n, n), ends by starts."""
    follower: Numbers = np.asarray(gaps.argmin(axis=1))
    if len(np.unique(follower)) == len(follower):
        return follower
    # a border that touches itself: several begin where one ends
    taken_ends: set[int] = set()
    taken_starts: set[int] = set()
    for end, start in np.stack(np.unravel_index(np.argsort(gaps, axis=None), gaps.shape), axis=1).tolist():
        if end not in taken_ends and start not in taken_starts:
            follower[end] = start
            taken_ends.add(end)
            taken_starts.add(start)
    return follower


def breaks_between(breaks: Array | float, low: float, high: float, period: float) -> Array:
    """Where to cut between two parameters."""
    if isinstance(breaks, float):
        if not breaks:
            return np.empty(0)
        numbers = np.arange(math.floor(low / breaks) + 1, math.ceil(high / breaks))
        return np.asarray(numbers * breaks)
    there = breaks
    if math.isfinite(period) and len(breaks):
        first, last = math.floor((low - breaks[0]) / period), math.ceil((high - breaks[0]) / period)
        there = np.unique(np.concatenate([breaks[:-1] + turn * period for turn in range(first, last + 1)]))
    return np.asarray(there[(there > low) & (there < high)])


def _apart(breaks: Array) -> Array:
    """Parameters in order, of those that are all but the same one."""
    inorder = np.sort(breaks)
    keep = np.diff(inorder, prepend=-np.inf) > _SAME * (inorder[-1] - inorder[0])
    inorder = inorder[keep]
    return np.asarray(inorder)
