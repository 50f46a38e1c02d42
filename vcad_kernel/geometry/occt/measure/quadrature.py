"""Volume, area and their moments of any body, by Gauss's rule along its edges and across its faces.

The divergence theorem makes integrals over faces of what is measured: with q = P·N, where P is a point
seen from a place amid the body and N the cross product of the tangents, ∭ dV = ∬ q/3, ∭ x dV = ∬ x q/4 and
∭ xy dV = ∬ xy q/5. Green's theorem makes integrals along the border of those: ∬ f du dv = ∮ (∫ f du) dv. The
inner one is exact where the surface is elementary; otherwise, and along every border, the rule of Gauss
and Kronrod with 7 and 15 nodes says how far off it may be, and whatever is too far off is halved.

Every node on an edge at which OpenCASCADE keeps only approximate curves is first moved to where the two
surfaces themselves meet (:mod:`vcad_kernel.geometry.occt.measure.meeting`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_FORWARD, TopAbs_REVERSED
from OCP.TopExp import TopExp_Explorer
from OCP.TopoDS import TopoDS, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import shape_map
from vcad_kernel.geometry.occt.measure.meeting import cross, met
from vcad_kernel.geometry.occt.measure.parametric import (
    Array,
    Border,
    Numbers,
    Patches,
    border_of,
    patches_of,
)

__all__ = ["Sums", "integrated"]

_SIGNS = {TopAbs_FORWARD.value: 1.0, TopAbs_REVERSED.value: -1.0}
"""What counts as a border runs along its edge or against it; everything else lies in a face."""

_HALF_NODES = np.array(
    [
        0.991455371120812639206854697526329,
        0.949107912342758524526189684047851,
        0.864864423359769072789712788640926,
        0.741531185599394439863864773280788,
        0.586087235467691130294144691258013,
        0.405845151377397166906606412076961,
        0.207784955007898467600689403773245,
    ]
)
_HALF_WEIGHTS = np.array(
    [
        0.022935322010529224963732008058970,
        0.063092092629978553290700663189204,
        0.104790010322250183839876322541518,
        0.140653259715525918745189590510238,
        0.169004726639267902826583426598550,
        0.190350578064785409913256402421014,
        0.204432940075298892414161999234649,
    ]
)
_NODES = np.concatenate([-_HALF_NODES, [0.0], _HALF_NODES[::-1]])
"""Of Kronrod, in [-1, 1]; every other one is Gauss's. Source: QUADPACK, qk15."""
_WEIGHTS = np.concatenate([_HALF_WEIGHTS, [0.209482141084727828012999174891714], _HALF_WEIGHTS[::-1]])
_ROUGHER = np.zeros(15)
_ROUGHER[1::2] = np.polynomial.legendre.leggauss(7)[1]
_BOTH = np.stack([_WEIGHTS, _ROUGHER])


def _derivative(nodes: Array) -> Array:
    """The matrix that makes slopes at the nodes of values there (barycentric, Berrut and Trefethen)."""
    apart = nodes[:, None] - nodes + np.eye(len(nodes))
    weights = 1.0 / apart.prod(axis=1)
    slopes = weights / weights[:, None] / apart
    np.fill_diagonal(slopes, 0.0)
    np.fill_diagonal(slopes, -slopes.sum(axis=1))
    return np.asarray(slopes)


_SLOPES = _derivative(_NODES)

_QUANTITIES = 14
"""Volume, its three first and six second moments, area, its three first moments."""
_LEAST = 1e-300
_ROUNDS = 30
_MANY = 20000
"""Rounds of halving pieces that are not yet exact enough, and pieces after which there are no more."""
_STALLED, _ENOUGH = 0.25, 3e-10
"""Rounding is all that is left of an error which is so small and does not fall by so much any more."""
_SAME = 1e-9
"""Part of an edge below which a piece of it is none."""
_GAP = 1e-3
"""Part of a face's parameters by which the ends of its border may miss each other."""


@dataclass(frozen=True, slots=True)
class Sums:
    """What a boundary encloses, signed, and how much of it there is."""

    origin: Array
    """Where moments are taken from, millimetres."""
    volume: float
    first: Array
    """(3,): ∭ x dV."""
    second: Array
    """(6,): ∭ of xx, yy, zz, xy, yz, zx."""
    area: float
    area_first: Array
    """(3,): ∬ x dA."""
    error: Array
    """Of volume and area, estimated; absolute."""


@dataclass(slots=True)
class _Side:
    """An edge as the border of a face."""

    face: int
    edge: int
    sign: float
    border: Border


def integrated(shape: TopoDS_Shape, accuracy: float) -> Sums | None:
    """The integrals over the boundary of a shape; None where a face's border is not closed.

    accuracy: relative, of volume, area and moments.
    """
    boundary = _Boundary(shape)
    return boundary.sums(accuracy) if boundary.is_closed else None


class _Boundary:
    """Faces and their borders, as functions of arrays."""

    def __init__(self, shape: TopoDS_Shape) -> None:
        self._signs: list[float] = []
        """Of each face."""
        self._sides: list[_Side] = []
        surfaces: list[BRepAdaptor_Surface] = []
        edges = shape_map(shape, TopAbs_EDGE)
        meeting: dict[int, list[int]] = {}
        walk = TopExp_Explorer(shape, TopAbs_FACE)
        while walk.More():
            face = TopoDS.Face(walk.Current())
            walk.Next()
            sign = _SIGNS.get(face.Orientation().value)
            if sign is None:
                continue
            number = len(surfaces)
            self._signs.append(sign)
            surfaces.append(BRepAdaptor_Surface(face, False))
            # what a border is does not depend on which side of the face is outside
            upright = TopoDS.Face(face.Oriented(TopAbs_FORWARD))
            around = TopExp_Explorer(upright, TopAbs_EDGE)
            while around.More():
                edge = TopoDS.Edge(around.Current())
                around.Next()
                way = _SIGNS.get(edge.Orientation().value)
                if way is not None:
                    index = edges.FindIndex(edge)
                    meeting.setdefault(index, []).append(len(self._sides))
                    self._sides.append(_Side(number, index, way, border_of(edge, upright)))
        self._groups = patches_of(surfaces)
        self._group_of = np.zeros(len(surfaces), np.intp)
        self._member_of = np.zeros(len(surfaces), np.intp)
        for index, (_, members) in enumerate(self._groups):
            self._group_of[members] = index
            self._member_of[members] = np.arange(len(members))
        self._elementary = np.array(
            [kind.exact[0] is not None and kind.exact[1] is not None for kind, _ in self._groups]
        )
        self._pairs: list[tuple[int, ...]] = []
        """Sides whose places are found together, and those that are found alone."""
        for sides in meeting.values():
            if len(sides) == 2 and self._may_miss(*sides):
                both = np.concatenate([self._sides[side].border.breaks for side in sides])
                for side in sides:
                    self._sides[side].border = replace(self._sides[side].border, breaks=_apart(both))
                self._pairs.append(tuple(sides))
            else:
                self._pairs += [(side,) for side in sides]
        self._pair_of = {side: pair for pair in self._pairs for side in pair}
        self._side_face = np.array([side.face for side in self._sides], np.intp)
        self._first = self._first_nodes()
        pieces, _, _, spots, _ = self._first
        count = len(self._signs)
        self._lowest, self._highest = np.full((count, 2), np.inf), np.full((count, 2), -np.inf)
        np.minimum.at(self._lowest, self._side_face[pieces], spots.min(axis=1))
        np.maximum.at(self._highest, self._side_face[pieces], spots.max(axis=1))
        places = self._amid(self._side_face[pieces], spots[:, 7])
        low_corner, high_corner = places.min(axis=0), places.max(axis=0)
        self._middle = 0.5 * (low_corner + high_corner)
        self._size = float((high_corner - low_corner).max())
        self._corners: tuple[Numbers, Array, Array] = self._closing()

    def _amid(self, face: Numbers, spots: Array) -> Array:
        """(n, 3): points of faces at places (n, 2)."""
        places = np.empty((len(face), 3))
        for index, (patches, _) in enumerate(self._groups):
            mine = self._group_of[face] == index
            pair = spots[mine, :1], spots[mine, 1:]
            places[mine] = patches.rows(*pair, self._member_of[face[mine]])[0][:, 0]
        return places

    def _may_miss(self, first: int, second: int) -> bool:
        """Whether two sides are of different faces and may be curves near the true one only."""
        one, other = self._sides[first], self._sides[second]
        if one.face == other.face:
            return False
        return not (
            one.border.is_simple
            and other.border.is_simple
            and self._elementary[self._group_of[[one.face, other.face]]].all()
        )

    # --- places on borders -------------------------------------------------------------------------

    def _met(self, numbers: Sequence[int], spots: Sequence[Array], rates: Sequence[Array]) -> list[Array]:
        """Places (n, 2) on the faces of two sides, moved to where those meet."""
        surfaces = [partial(self._surface_at, self._sides[number].face) for number in numbers]
        return met(surfaces, spots, rates)

    def _surface_at(self, face: int, spots: Array) -> tuple[Array, Array, Array]:
        patches, _ = self._groups[self._group_of[face]]
        which = np.full(len(spots), self._member_of[face])
        points, across, along = patches.rows(spots[:, :1], spots[:, 1:], which)
        return points[:, 0], across[:, 0], along[:, 0]

    def _nodes(self, numbers: Sequence[int], low: Array, high: Array) -> list[tuple[Array, Array]]:
        """Places and their derivatives by t in [-1, 1], (k, 15, 2) each, of pieces of a side.

        numbers: of a side alone, or of both sides of an edge whose curves may miss each other.
        """
        half = 0.5 * (high - low)
        parameters = ((0.5 * (low + high))[:, None] + half[:, None] * _NODES).ravel()
        there = [self._sides[number].border.at(parameters) for number in numbers]
        spots = [spot for spot, _ in there]
        rates = [rate.reshape(-1, 15, 2) * half[:, None, None] for _, rate in there]
        if len(numbers) > 1:
            met = self._met(numbers, spots, [rate for _, rate in there])
            # the way from the curve is so short that the polynomial through the nodes has its slope
            rates = [
                rate + _SLOPES @ (moved - spot).reshape(-1, 15, 2)
                for rate, moved, spot in zip(rates, met, spots, strict=True)
            ]
            spots = met
        return [(spot.reshape(-1, 15, 2), rate) for spot, rate in zip(spots, rates, strict=True)]

    def _closing(self) -> tuple[Numbers, Array, Array]:
        """What joins the ends of borders that miss each other: faces (n,), from (n, 2) and to (n, 2)."""
        corners: list[Array] = [np.empty(0)] * len(self._sides)
        for numbers in self._pairs:
            breaks = self._sides[numbers[0]].border.breaks
            there = [self._sides[number].border.at(breaks) for number in numbers]
            spots = [spot for spot, _ in there]
            if len(numbers) > 1:
                spots = self._met(numbers, spots, [rate for _, rate in there])
            for number, spot in zip(numbers, spots, strict=True):
                corners[number] = spot
        around: dict[int, list[int]] = {}
        for number, side in enumerate(self._sides):
            around.setdefault(side.face, []).append(number)
        faces, starts, stops = [], [], []
        self.is_closed = len(around) == len(self._signs)
        for face, border in around.items():
            ends = np.array(
                [corners[number][[0, -1] if self._sides[number].sign > 0.0 else [-1, 0]] for number in border]
            )
            spread = self._highest[face] - self._lowest[face]
            gaps = (np.abs(ends[:, None, 1] - ends[:, 0]) / np.where(spread > 0.0, spread, 1.0)).max(axis=2)
            follower = _assigned(gaps)
            nearest = gaps[np.arange(len(border)), follower]
            self.is_closed &= bool(nearest.max() < _GAP)
            missing = np.flatnonzero(nearest > 0.0)
            faces.append(np.full(len(missing), face, np.intp))
            starts.append(ends[missing, 1])
            stops.append(ends[follower[missing], 0])
        if not faces:
            return np.zeros(0, np.intp), np.zeros((0, 2)), np.zeros((0, 2))
        return np.concatenate(faces), np.concatenate(starts), np.concatenate(stops)

    # --- integrals ---------------------------------------------------------------------------------

    def sums(self, accuracy: float) -> Sums:
        """All integrals. accuracy: relative, of volume, its moments and area."""
        number, low, high, spots, rates = self._first
        face = self._side_face[number]
        ways = np.array([side.sign for side in self._sides])
        self._choose(face, rates)
        # moments count as volume at the body's size
        lengths = np.array([1.0] + [self._size] * 3 + [self._size**2] * 6)
        done, error, before = self._corner_sums(), np.zeros(2), np.inf
        for _ in range(_ROUNDS):
            turned = rates * ways[number][:, None, None]
            values, across, inside = self._integral(face, spots, turned, _BOTH)
            total = done + values.sum(axis=0)
            scale = np.maximum(np.abs([total[0], total[10]]), _LEAST)
            wrong = np.stack(
                [
                    np.stack([(part[:, :10] / lengths).max(axis=1), part[:, 10]], axis=1) / scale
                    for part in (across, inside)
                ]
            ).max(axis=2)
            allowed = accuracy / len(number)
            bad = wrong.sum(axis=0) > allowed
            left = wrong.sum()
            if left <= accuracy or _STALLED * before < left <= _ENOUGH or len(number) > _MANY:
                bad[:] = False
            before = left
            done = done + values[~bad].sum(axis=0)
            error = error + (across + inside)[~bad][:, [0, 10]].sum(axis=0)
            if not bad.any():
                break
            self._inner_parts[np.unique(face[bad & (wrong[1] > 0.5 * allowed)])] *= 2
            split = bad & (wrong[0] > 0.5 * allowed)
            keep = bad & ~split
            middle = 0.5 * (low + high)
            number, low, high = (
                np.concatenate([number[keep], number[split], number[split]]),
                np.concatenate([low[keep], low[split], middle[split]]),
                np.concatenate([high[keep], middle[split], high[split]]),
            )
            face = self._side_face[number]
            spots, rates = self._all_nodes(number, low, high)
        else:
            done = done + self._integral(face, spots, rates * ways[number][:, None, None], _BOTH)[0].sum(
                axis=0
            )
            error = np.full(2, np.inf)
        return Sums(self._middle, float(done[0]), done[1:4], done[4:10], float(done[10]), done[11:14], error)

    def _first_nodes(self) -> tuple[Numbers, Array, Array, Array, Array]:
        """Of all pieces: side, first and last parameter, places and derivatives."""
        parts = []
        for numbers in self._pairs:
            breaks = self._sides[numbers[0]].border.breaks
            low, high = breaks[:-1], breaks[1:]
            for number, (spots, rates) in zip(numbers, self._nodes(numbers, low, high), strict=True):
                parts.append((np.full(len(low), number, np.intp), low, high, spots, rates))
        return tuple(np.concatenate(column) for column in zip(*parts, strict=True))  # type: ignore[return-value]

    def _all_nodes(self, number: Numbers, low: Array, high: Array) -> tuple[Array, Array]:
        spots, rates = np.empty((len(number), 15, 2)), np.empty((len(number), 15, 2))
        for side in np.unique(number).tolist():
            mine = number == side
            pair = self._pair_of[side]
            nodes = self._nodes(pair, low[mine], high[mine])
            spots[mine], rates[mine] = nodes[pair.index(side)]
        return spots, rates

    def _choose(self, face: Numbers, rates: Array) -> None:
        """For each face, along which parameter the inner integral runs, and from where."""
        count = len(self._signs)
        self._inner_parts = np.ones(count, np.intp)
        self._inner = np.zeros(count, np.intp)
        moving = np.abs(rates).max(axis=1) > 0.0
        for patches, members in self._groups:
            exact = patches.exact
            if exact[0] is None and exact[1] is None:
                for member in members:
                    mine = face == member
                    cost = [
                        moving[mine][:, 1 - axis].sum()
                        * len(
                            _inside(
                                patches.breaks[axis], self._lowest[member, axis], self._highest[member, axis]
                            )
                        )
                        for axis in (0, 1)
                    ]
                    self._inner[members] = int(cost[1] < cost[0])
            else:
                nodes = [99 if part is None else part for part in exact]
                self._inner[members] = int(nodes[1] < nodes[0])

    def _corner_sums(self) -> Array:
        faces, start, stop = self._corners
        spots, rates = (0.5 * (start + stop))[:, None], (0.5 * (stop - start))[:, None]
        values, _, _ = self._integral(faces, spots, rates, np.array([[2.0], [2.0]]))
        return np.asarray(values.sum(axis=0))

    def _integral(
        self, face: Numbers, spots: Array, rates: Array, weights: Array
    ) -> tuple[Array, Array, Array]:
        """For each piece (n, nodes, 2) the integrals, (n, 14), and both their errors."""
        count, nodes = spots.shape[:2]
        best = np.zeros((count, _QUANTITIES))
        across, inside = np.zeros_like(best), np.zeros_like(best)
        signs = np.array(self._signs)
        for index, (patches, members) in enumerate(self._groups):
            mine = np.flatnonzero(self._group_of[face] == index)
            if not len(mine):
                continue
            axis = int(self._inner[members[0]])
            moving = mine[np.abs(rates[mine, :, 1 - axis]).max(axis=1) > 0.0]
            if not len(moving):
                continue
            faces = np.repeat(face[moving], nodes)
            inner = self._inner_integrals(patches, axis, faces, spots[moving].reshape(-1, 2))
            inner = inner.reshape(len(moving), nodes, 2, _QUANTITIES)
            turn = signs[face[moving]] * (1.0 if axis == 0 else -1.0)
            rate = rates[moving, :, 1 - axis] * turn[:, None]
            both = np.einsum("wn,kn,knrq->kwrq", weights, rate, inner)
            # area has no sign
            both[..., 10:] *= signs[face[moving]][:, None, None, None]
            best[moving] = both[:, 0, 0]
            across[moving] = _less(np.abs(both[:, 0, 0] - both[:, 1, 0]), np.abs(both[:, 0, 0]))
            inside[moving] = _less(np.abs(both[:, 0, 0] - both[:, 0, 1]), np.abs(both[:, 0, 0]))
        return best, across, inside

    def _inner_integrals(self, patches: Patches, axis: int, faces: Numbers, spots: Array) -> Array:
        """(n, 2, 14): from the lowest parameter to each place, by the better and by the rougher rule."""
        lowest = self._lowest[faces, axis]
        ends = spots[:, axis]
        exact = patches.exact[axis]
        top = max(float(ends.max()), float(lowest.max()))
        inside = _inside(patches.breaks[axis], float(lowest.min()), top, patches.periods[axis])
        parts = int(self._inner_parts[faces].max())
        edges = np.concatenate([[-np.inf], inside, [np.inf]])
        left = np.maximum(edges[:-1], lowest[:, None])
        right = np.minimum(edges[1:], ends[:, None])
        # what lies below the lowest is negative
        below = (ends < lowest)[:, None]
        left, right = np.where(below, lowest[:, None], left), np.where(below, ends[:, None], right)
        wanted = right > left
        wanted[:, 0] |= below[:, 0]
        row, span = np.nonzero(wanted)
        low, high = left[row, span], right[row, span]
        if parts > 1:
            steps = np.linspace(0.0, 1.0, parts + 1)
            width = high - low
            low, high = (
                (low[:, None] + width[:, None] * steps[:-1]).ravel(),
                (low[:, None] + width[:, None] * steps[1:]).ravel(),
            )
            row = np.repeat(row, parts)
        if exact is None:
            places, weights = _NODES, _BOTH
        else:
            places, one = np.polynomial.legendre.leggauss(exact)
            weights = np.stack([one, one])
        half = 0.5 * (high - low)
        along = (0.5 * (low + high))[:, None] + half[:, None] * places
        fixed = spots[row, 1 - axis][:, None]
        which = self._member_of[faces[row]]
        pair = (along, fixed) if axis == 0 else (fixed, along)
        points, u, v = patches.rows(*pair, which)
        values = _integrands(points - self._middle, cross(u, v))
        part = np.einsum("wm,nmq->nwq", weights, values) * half[:, None, None]
        result = np.zeros((len(faces), 2, _QUANTITIES))
        np.add.at(result, row, part)
        return result


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


def _integrands(points: Array, normals: Array) -> Array:
    """(…, 14): volume and its moments, area and its moments."""
    values = np.empty((*points.shape[:-1], _QUANTITIES))
    flux = np.einsum("...c,...c->...", points, normals)
    values[..., 0] = flux / 3.0
    values[..., 1:4] = points * (flux / 4.0)[..., None]
    values[..., 4:7] = points * points * (flux / 5.0)[..., None]
    values[..., 7:10] = points * np.roll(points, -1, axis=-1) * (flux / 5.0)[..., None]
    area = np.sqrt(np.einsum("...c,...c->...", normals, normals))
    values[..., 10] = area
    values[..., 11:14] = points * area[..., None]
    return values


def _inside(breaks: Array | float, low: float, high: float, period: float = math.inf) -> Array:
    """Where to cut between two parameters."""
    if isinstance(breaks, float):
        if high - low >= 1e299 or breaks >= 1e299:
            return np.empty(0)
        numbers = np.arange(math.floor(low / breaks) + 1, math.ceil(high / breaks))
        return np.asarray(numbers * breaks)
    there = breaks
    if math.isfinite(period):
        first, last = math.floor((low - breaks[0]) / period), math.ceil((high - breaks[0]) / period)
        there = np.unique(np.concatenate([breaks[:-1] + turn * period for turn in range(first, last + 1)]))
    return np.asarray(there[(there > low) & (there < high)])


def _apart(breaks: Array) -> Array:
    """Parameters in order, of those that are all but the same one."""
    inorder = np.sort(breaks)
    keep = np.diff(inorder, prepend=-np.inf) > _SAME * (inorder[-1] - inorder[0])
    inorder = inorder[keep]
    return np.asarray(inorder)


def _less(difference: Array, size: Array) -> Array:
    """The error of the better of two rules that differ so much. Source: QUADPACK, qk15."""
    share = difference / np.maximum(size, 1e-300)
    return np.asarray(size * np.minimum(share, (200.0 * np.minimum(share, 1.0)) ** 1.5))
