"""Volume, area and their moments of any body, by Gauss's rule along its edges and across its faces.

The divergence theorem makes integrals over faces of what is measured: with q = P·N, where P is a point
seen from a place amid the body and N the cross product of the tangents, ∭ dV = ∬ q/3, ∭ x dV = ∬ x q/4 and
∭ xy dV = ∬ xy q/5. Green's theorem makes integrals along the border of those: ∬ f du dv = ∮ (∫ f du) dv. The
inner one is exact where the surface is elementary; otherwise, and along every border, the rule of Gauss
and Kronrod with 7 and 15 nodes says how far off it may be, and whatever is too far off is halved.

Every node on an edge at which OpenCASCADE keeps only approximate curves is first moved to where the two
surfaces themselves meet (:mod:`vcad_kernel.geometry.occt.measure.meeting_surfaces`). Where they do not, since
they are joined smoothly and only nearly, or since nobody made them to, a wall from border to border closes
the boundary, and what else might stand in its place is in the error.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_FORWARD, TopAbs_REVERSED
from OCP.TopExp import TopExp_Explorer
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import shape_map
from vcad_kernel.geometry.occt.measure.edge_gaps import EXACT_EDGE
from vcad_kernel.geometry.occt.measure.meeting_surfaces import ROUNDING, cross, dots, met, unit
from vcad_kernel.geometry.occt.measure.parametric import (
    Array,
    Numbers,
    Patches,
    borders_of,
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
    """Of volume and area, estimated; absolute. What may stand in gaps between faces is in it."""
    gap: float
    """The widest between two faces that share an edge, millimetres."""


def integrated(shape: TopoDS_Shape, accuracy: float) -> Sums | None:
    """The integrals over the boundary of a shape; None where a face's border is not closed.

    accuracy: relative, of volume, area and moments.
    """
    boundary = _Boundary(shape)
    sums = boundary.sums(accuracy) if boundary.is_closed else None
    # a face that is no surface (a spline whose knots coincide) has no figures either
    return sums if sums is not None and math.isfinite(sums.volume + sums.area) else None


class _Boundary:
    """Faces and their borders, as functions of arrays."""

    def __init__(self, shape: TopoDS_Shape) -> None:
        signs, ways, faces, tolerances = [], [], [], []
        surfaces: list[BRepAdaptor_Surface] = []
        sides: list[tuple[TopoDS_Edge, TopoDS_Face]] = []
        edges = shape_map(shape, TopAbs_EDGE)
        meeting: dict[int, list[int]] = {}
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
        self._signs = np.array(signs)
        """Of each face."""
        self._ways = np.array(ways)
        """Of each side, which is an edge as the border of a face."""
        self._faces = np.array(faces, np.intp)
        """Of each side."""
        self._borders = borders_of(sides)
        self._groups = patches_of(surfaces)
        self._group_of = np.zeros(len(surfaces), np.intp)
        self._member_of = np.zeros(len(surfaces), np.intp)
        for index, (_, members) in enumerate(self._groups):
            self._group_of[members] = index
            self._member_of[members] = np.arange(len(members))
        self._cut_at_knots()
        self._is_pair, self._is_simple = np.zeros((2, len(sides)), np.bool_)
        """Of each side: whether two share its edge; and whether that is a line or so on elementary faces."""
        self._mates = self._mated(meeting)
        self._joints = np.zeros(len(sides), np.intp)
        self._first = self._first_nodes()
        pieces, _, _, spots, _ = self._first
        count = len(signs)
        self._lowest, self._highest = np.full((count, 2), np.inf), np.full((count, 2), -np.inf)
        np.minimum.at(self._lowest, self._faces[pieces], spots.min(axis=1))
        np.maximum.at(self._highest, self._faces[pieces], spots.max(axis=1))
        places, _, _ = self._tangents(self._faces[pieces], spots[:, 7])
        low_corner, high_corner = places.min(axis=0), places.max(axis=0)
        self._middle = 0.5 * (low_corner + high_corner)
        self._size = float((high_corner - low_corner).max())
        self._corners: tuple[Numbers, Array, Array] = self._closing()

    def _cut_at_knots(self) -> None:
        """Cuts borders where they cross lines of a face along which it is not smooth."""
        found: list[tuple[int, int, float, float, float, float]] = []
        for number, face in enumerate(self._faces.tolist()):
            patches, _ = self._groups[self._group_of[face]]
            member = int(self._member_of[face])
            if all(isinstance(part, float) or len(part[member]) < _INNER for part in patches.breaks):
                continue
            breaks = self._borders.breaks[number]
            spots, _ = self._borders.at(np.full(len(breaks), number), breaks)
            for axis, part in enumerate(patches.breaks):
                if isinstance(part, float):
                    continue
                along = spots[:, axis]
                knots = _inside(
                    part[member], float(along.min()), float(along.max()), float(patches.periods[member, axis])
                )
                beside = along[:, None] - knots
                piece, knot = np.nonzero(
                    (beside[:-1] * beside[1:] < 0.0)
                    & (np.minimum(np.abs(beside[:-1]), np.abs(beside[1:])) > _SAME * np.ptp(along))
                )
                found += [
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
        if not found:
            return
        sides, axes = (np.array([cut[column] for cut in found], np.intp) for column in (0, 1))
        goal, low, high, share = (np.array([cut[column] for cut in found]) for column in (2, 3, 4, 5))
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
        mates = np.full(len(self._faces), -1, np.intp)
        elementary = [None not in patches.exact for patches, _ in self._groups]
        for sides in meeting.values():
            if len(sides) != 2:
                continue
            first, second = sides
            simple = self._borders.are_simple[first] and self._borders.are_simple[second]
            simple &= all(elementary[self._group_of[self._faces[side]]] for side in sides)
            exact = simple and not self._is_loose[first]
            self._is_simple[sides], self._is_pair[sides] = simple, True
            # a seam is where it is, unless it may be two curves
            is_seam = self._faces[first] == self._faces[second] and not self._is_loose[first]
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
        kinds = self._group_of[face]
        for index, (patches, _) in enumerate(self._groups):
            mine = np.flatnonzero(kinds == index)
            if len(mine):
                there = patches.rows(spots[mine, :1], spots[mine, 1:], self._member_of[face[mine]])
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
            points, across, along = self._tangents(self._faces[side], spots)
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
            mine = np.flatnonzero((self._joints[side] == joint) & (self._mates[side] >= 0))
            if not len(mine):
                continue
            own, other = side[mine], self._mates[side[mine]]
            surfaces = [partial(self._tangents, self._faces[part]) for part in (own, other)]
            beyond, _ = self._borders.at(other, flat[mine])
            plane = None
            if joint == _LATE:
                points, across, along = surfaces[0](spots[mine])
                plane = points, unit(rates[mine, :1] * across + rates[mine, 1:] * along)
            steps = 1 if joint == _BLENDED else 4
            moved[mine] = met(surfaces, [spots[mine], beyond], plane, steps)[0]
        shape = (*parameters.shape, 2)
        return spots.reshape(shape), rates.reshape(shape), moved.reshape(shape)

    def _nodes(self, number: Numbers, low: Array, high: Array) -> tuple[Array, Array]:
        """Places and their derivatives by t in [-1, 1], (k, 15, 2) each, of pieces of sides (k,)."""
        half = 0.5 * (high - low)
        parameters = (0.5 * (low + high))[:, None] + half[:, None] * _NODES
        spots, rates, moved = self._places(number, parameters)
        # the way from the curve is so short that the polynomial through the nodes has its slope
        return moved, rates * half[:, None, None] + _SLOPES @ (moved - spots)

    def _first_nodes(self) -> tuple[Numbers, Array, Array, Array, Array]:
        """Of all pieces: side, first and last parameter, places and derivatives."""
        breaks = self._borders.breaks
        number = np.repeat(np.arange(len(breaks)), [len(part) - 1 for part in breaks])
        low = np.concatenate([part[:-1] for part in breaks])
        high = np.concatenate([part[1:] for part in breaks])
        self._judge(number, (0.5 * (low + high))[:, None] + 0.5 * (high - low)[:, None] * _NODES[1::4])
        return number, low, high, *self._nodes(number, low, high)

    def _closing(self) -> tuple[Numbers, Array, Array]:
        """What joins the ends of borders that miss each other: faces (n,), from (n, 2) and to (n, 2)."""
        ends = np.array([part[[0, -1]] for part in self._borders.breaks])
        _, _, moved = self._places(np.arange(len(ends)), ends)
        backwards = self._ways < 0.0
        moved[backwards] = moved[backwards][:, ::-1]
        spread = self._highest - self._lowest
        scale = np.where(spread > 0.0, spread, 1.0)
        faces, starts, stops = [], [], []
        bounded, first = np.unique(self._faces, return_index=True)
        self.is_closed = len(bounded) == len(self._signs)
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

    # --- integrals ---------------------------------------------------------------------------------

    def sums(self, accuracy: float) -> Sums:
        """All integrals. accuracy: relative, of volume, its moments and area."""
        number, low, high, spots, rates = self._first
        face = self._faces[number]
        ways = self._ways
        self._choose(face, rates)
        # moments count as volume at the body's size
        lengths = np.array([1.0] + [self._size] * 3 + [self._size**2] * 6)
        walls, error = self._walls()
        done, before = self._corner_sums() + walls, np.inf
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
            face = self._faces[number]
            spots, rates = self._nodes(number, low, high)
        else:
            done = done + self._integral(face, spots, rates * ways[number][:, None, None], _BOTH)[0].sum(
                axis=0
            )
            error = np.full(2, np.inf)
        volume, area = float(done[0]), float(done[10])
        # each face may be where its edges are
        shift = self._contradiction()
        error = error + shift * np.array([area, area / self._size])
        gap = max(self.gap, shift)
        return Sums(self._middle, volume, done[1:4], done[4:10], area, done[11:14], error, gap)

    def _choose(self, face: Numbers, rates: Array) -> None:
        """For each face, along which parameter the inner integral runs, and where it is cut."""
        count = len(self._signs)
        self._inner_parts = np.ones(count, np.intp)
        self._inner = np.zeros(count, np.intp)
        self._cuts: list[Array] = [np.empty(0)] * count
        moving = np.zeros((count, 2))
        np.add.at(moving, face, np.abs(rates).max(axis=1) > 0.0)
        for patches, members in self._groups:
            for index, member in enumerate(members):
                cuts = [
                    _inside(
                        part if isinstance(part, float) else part[index],
                        float(self._lowest[member, axis]),
                        float(self._highest[member, axis]),
                        float(patches.periods[index, axis]),
                    )
                    for axis, part in enumerate(patches.breaks)
                ]
                # inner integrals are computed for each node of what moves the other way
                cost = [
                    moving[member, 1 - axis] * (1 + len(cuts[axis])) * (patches.exact[axis] or len(_NODES))
                    for axis in (0, 1)
                ]
                self._inner[member] = int(cost[1] < cost[0])
                self._cuts[member] = cuts[self._inner[member]]

    def _walls(self) -> tuple[Array, Array]:
        """What stands between the borders of neighbours: integrals, (14,) without area, and errors.

        The faces alone do not close the boundary there. From border P to border Q, Q along the edge no
        further, the wall has the vector (Q - P) x dP. Whatever closes the gap instead within its width d
        encloses no more than a tube of radius d, pi d² an unit of length, and has about the wall's own area,
        d. Where more or fewer faces than two share an edge, a wall as wide as its tolerance counts as error.
        So do corners: a hole as wide as the ends of two borders are apart.
        """
        number, _, _, spots, rates = self._first
        near, far = self._beside_each_other(self._joints[number] != _EXACT)
        here, onwards = self._run(number[near], spots[near], rates[near])
        there, _ = self._run(number[far], spots[far], rates[far])
        ahead = unit(onwards)
        apart = there - here
        apart -= dots(apart, ahead)[:, None] * ahead
        own = number[near]
        turn = np.repeat(self._ways[own] * self._signs[self._faces[own]], len(_NODES))
        middle = 0.5 * (here + there) - self._middle
        values = _integrands(middle, cross(apart, turn[:, None] * onwards))
        values[:, 10:] = 0.0
        weights = np.tile(_WEIGHTS, len(near))
        width, length = np.sqrt(dots(apart, apart)), weights * np.sqrt(dots(onwards, onwards))
        error = length @ np.stack([math.pi * width**2, width], axis=1)
        self.gap = float(width.max(initial=0.0))
        stray = np.flatnonzero(self._is_loose[number] & ~self._is_pair[number])
        _, onwards = self._run(number[stray], spots[stray], rates[stray])
        lengths = np.sqrt(dots(onwards, onwards)).reshape(-1, len(_NODES)) @ _WEIGHTS
        hidden = float(lengths @ self._tolerances[number[stray]])
        self.gap = max(self.gap, float(self._tolerances[number[stray]].max(initial=0.0)))
        faces, start, stop = self._corners
        holes = self._tangents(faces, start)[0] - self._tangents(faces, stop)[0]
        hidden += float(np.sum(holes**2))
        # a third of P·n, by the divergence theorem
        return weights @ values, error + hidden * np.array([self._size / 3.0, 1.0])

    def _beside_each_other(self, wanted: NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
        """Numbers of first pieces of sides with mates, and of the mates': the same pieces in order."""
        number = self._first[0]
        begins = np.searchsorted(number, np.arange(len(self._mates)))
        near = np.flatnonzero((self._mates[number] > number) & wanted)
        return near, begins[self._mates[number[near]]] + near - begins[number[near]]

    def _contradiction(self) -> float:
        """How far lines and circles are from where planes, cylinders and the like meet, millimetres.

        A curve kept for what meets along another kind of curve only comes near. But a line in the wrong place
        is another body than its faces are.
        """
        number, low, high, spots, rates = self._first
        near, far = self._beside_each_other(self._is_simple[number])
        rows = np.concatenate([near, far])
        parameters = (0.5 * (low + high))[rows, None] + (0.5 * (high - low))[rows, None] * _NODES
        kept, _ = self._borders.at(np.repeat(number[rows], len(_NODES)), parameters.ravel())
        here, _ = self._run(number[rows], spots[rows], rates[rows])
        there, _, _ = self._tangents(np.repeat(self._faces[number[rows]], len(_NODES)), kept)
        return float(np.sqrt(dots(here - there, here - there)).max(initial=0.0))

    def _run(self, number: Numbers, spots: Array, rates: Array) -> tuple[Array, Array]:
        """Points (n * nodes, 3) of pieces of sides, and their derivatives."""
        faces = np.repeat(self._faces[number], len(_NODES))
        points, across, along = self._tangents(faces, spots.reshape(-1, 2))
        way = rates.reshape(-1, 2)
        return points, way[:, :1] * across + way[:, 1:] * along

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
        signs = self._signs
        for index, axis in itertools.product(range(len(self._groups)), (0, 1)):
            mine = np.flatnonzero((self._group_of[face] == index) & (self._inner[face] == axis))
            moving = mine[np.abs(rates[mine, :, 1 - axis]).max(axis=1, initial=0.0) > 0.0]
            if not len(moving):
                continue
            faces = np.repeat(face[moving], nodes)
            inner = self._inner_integrals(self._groups[index][0], axis, faces, spots[moving].reshape(-1, 2))
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

    def _edges(self, faces: Numbers) -> Array:
        """Of each face's inner integral all ends and cuts, in rows of one length."""
        present, row = np.unique(faces, return_inverse=True)
        width = max(len(self._cuts[face]) for face in present)
        edges = np.full((len(present), width + 2), np.inf)
        edges[:, 0] = -np.inf
        for number, face in enumerate(present.tolist()):
            edges[number, 1 : 1 + len(self._cuts[face])] = self._cuts[face]
        return edges[row]

    def _inner_integrals(self, patches: Patches, axis: int, faces: Numbers, spots: Array) -> Array:
        """(n, 2, 14): from the lowest parameter to each place, by the better and by the rougher rule."""
        lowest = self._lowest[faces, axis]
        ends = spots[:, axis]
        exact = patches.exact[axis]
        parts = int(self._inner_parts[faces].max())
        edges = self._edges(faces)
        left = np.maximum(edges[:, :-1], lowest[:, None])
        right = np.minimum(edges[:, 1:], ends[:, None])
        # what lies below the lowest is negative
        below = (ends < lowest)[:, None]
        left, right = np.where(below, lowest[:, None], left), np.where(below, ends[:, None], right)
        wanted = right > left
        wanted[:, 0] |= below[:, 0]
        row, span = np.nonzero(wanted)
        result = np.zeros((len(faces), 2, _QUANTITIES))
        if not len(row):
            return result
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
            places, weights = _gauss(exact)
        half = 0.5 * (high - low)
        along = (0.5 * (low + high))[:, None] + half[:, None] * places
        fixed = spots[row, 1 - axis][:, None]
        which = self._member_of[faces[row]]
        pair = (along, fixed) if axis == 0 else (fixed, along)
        points, u, v = patches.rows(*pair, which)
        values = _integrands(points - self._middle, cross(u, v))
        part = np.einsum("wm,nmq->nwq", weights, values) * half[:, None, None]
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


def _inside(breaks: Array | float, low: float, high: float, period: float) -> Array:
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


@cache
def _gauss(count: int) -> tuple[Array, Array]:
    """Nodes, and twice their weights: where the rule is exact there is no rougher one."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return nodes, np.stack([weights, weights])


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
