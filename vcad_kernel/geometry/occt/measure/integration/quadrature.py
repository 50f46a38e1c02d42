"""Volume, area and their moments of any body, by Gauss's rule along its edges and across its faces.

The divergence theorem makes integrals over faces of what is measured: with q = P·N, where P is a point
seen from a place amid the body and N the cross product of the tangents, ∭ dV = ∬ q/3, ∭ x dV = ∬ x q/4 and
∭ xy dV = ∬ xy q/5. Green's theorem makes integrals along the border of those: ∬ f du dv = ∮ (∫ f du) dv. The
inner one is exact where the surface is elementary; otherwise, and along every border, a rule of Gauss
and Kronrod with 7 and 15 nodes says how far off it may be, and whatever is too far off is halved. Where a
spline has many spans, each is short enough for 3 and 7 nodes; if not, the others are asked.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from OCP.TopoDS import TopoDS_Shape

from vcad_kernel.geometry.occt.measure.parametric.boundary import (
    FINE,
    QUICK,
    Boundary,
    Pieces,
    Rule,
    breaks_between,
)
from vcad_kernel.geometry.occt.measure.parametric.bsplines import Array, Numbers
from vcad_kernel.geometry.occt.measure.parametric.meeting_surfaces import cross
from vcad_kernel.geometry.occt.measure.parametric.surfaces import Patches

__all__ = ["Sums", "integrated"]

_RULED_NODES = 2
"""Along a line S = A + uB of a ruled surface the flux S · (B × (A' + uB')) is linear, as B · (B × …) is 0,
and what is multiplied by two coordinates is cubic: Gauss's two nodes are exact."""
_ALIKE = 1e-9
"""Relative difference of both rules of the quick one below which it is right to rounding."""
_QUANTITIES = 14
"""Volume, its three first and six second moments, area, its three first moments."""
_LEAST = 1e-300
_ROUNDS = 30
_MANY = 20000
"""Rounds of halving pieces that are not yet exact enough, and pieces after which there are no more."""
_STALLED, _ENOUGH = 0.25, 3e-10
"""Rounding is all that is left of an error which is so small and does not fall by so much any more."""


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


def integrated(shape: TopoDS_Shape, accuracy: float, *, encloses: bool = True) -> Sums | None:
    """The integrals over the boundary of a shape; None where a face's border is not closed.

    accuracy: relative, of volume, area and moments. encloses: whether it is the boundary of something; the
    volume that a lone face has about its middle may be 0, and is only found as well as its area.
    """
    boundary = Boundary(shape)
    sums = _Integration(boundary).sums(accuracy, encloses) if boundary.is_closed else None
    # a face that is no surface (a spline whose knots coincide) has no figures either
    return sums if sums is not None and math.isfinite(sums.volume + sums.area) else None


class _Integration:
    """The integrals over one boundary."""

    def __init__(self, boundary: Boundary) -> None:
        self._boundary = boundary
        count = len(boundary.signs)
        self._inner = np.zeros(count, np.intp)
        """Of each face, along which parameter its inner integral runs."""
        self._cuts: list[Array] = [np.empty(0)] * count
        """Where that is cut."""
        self._inner_parts = np.ones(count, np.intp)
        """Into how many parts each of its pieces is cut once more."""
        self._choose()

    def sums(self, accuracy: float, encloses: bool) -> Sums:
        """All integrals. accuracy: relative, of volume, its moments and area."""
        boundary, pieces = self._boundary, list(self._boundary.first)
        # moments count as volume at the body's size
        lengths = np.array([1.0] + [boundary.size] * 3 + [boundary.size**2] * 6)
        walls = boundary.walls()
        done, error, before = self._corner_sums(), walls.error, np.inf
        done[:10] += _integrands(walls.middles, walls.vectors)[:, :10].sum(axis=0)
        for _ in range(_ROUNDS):
            number, low, high = (
                np.concatenate(parts)
                for parts in zip(*((part.side, part.low, part.high) for part in pieces), strict=True)
            )
            face = boundary.faces[number]
            values, across, inside = self._of_pieces(pieces)
            total = done + values.sum(axis=0)
            least = _LEAST if encloses else abs(total[10]) * boundary.size
            scale = np.maximum(np.abs([total[0], total[10]]), [max(least, _LEAST), _LEAST])
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
            quick = np.concatenate([np.full(len(part.side), part.rule is QUICK) for part in pieces])
            split = bad & (wrong[0] > 0.5 * allowed) & ~quick
            keep = bad & ~split
            middle = 0.5 * (low + high)
            pieces = [
                boundary.pieces(
                    np.concatenate([number[keep], number[split], number[split]]),
                    np.concatenate([low[keep], low[split], middle[split]]),
                    np.concatenate([high[keep], middle[split], high[split]]),
                )
            ]
        else:
            done = done + self._of_pieces(pieces)[0].sum(axis=0)
            error = np.full(2, np.inf)
        volume, area = float(done[0]), float(done[10])
        # each face may be where its edges are
        shift = boundary.contradiction()
        error = error + shift * np.array([area, area / boundary.size])
        gap = max(walls.gap, shift)
        return Sums(boundary.middle, volume, done[1:4], done[4:10], area, done[11:14], error, gap)

    def _choose(self) -> None:
        """For each face, along which parameter the inner integral runs, and where it is cut."""
        boundary = self._boundary
        moving = np.zeros((len(boundary.signs), 2))
        for pieces in boundary.first:
            np.add.at(moving, boundary.faces[pieces.side], np.abs(pieces.rates).max(axis=1) > 0.0)
        for patches, members in boundary.groups:
            for index, member in enumerate(members):
                cuts = [
                    breaks_between(
                        part if isinstance(part, float) else part[index],
                        float(boundary.lowest[member, axis]),
                        float(boundary.highest[member, axis]),
                        float(patches.periods[index, axis]),
                    )
                    for axis, part in enumerate(patches.breaks)
                ]
                # inner integrals are computed for each node of what moves the other way
                cost = [
                    moving[member, 1 - axis] * (1 + len(cuts[axis])) * _node_count(patches, axis)
                    for axis in (0, 1)
                ]
                self._inner[member] = int(cost[1] < cost[0])
                self._cuts[member] = cuts[self._inner[member]]

    def _corner_sums(self) -> Array:
        faces, start, stop = self._boundary.corners
        spots, rates = (0.5 * (start + stop))[:, None], (0.5 * (stop - start))[:, None]
        values, _, _ = self._integral(faces, spots, rates, np.array([[2.0], [2.0]]))
        return np.asarray(values.sum(axis=0))

    def _of_pieces(self, pieces: Sequence[Pieces]) -> tuple[Array, Array, Array]:
        """For all pieces (n,) the integrals, (n, 14), and both their errors."""
        ways, faces = self._boundary.ways, self._boundary.faces
        there = [
            self._integral(
                faces[part.side], part.spots, part.rates * ways[part.side][:, None, None], part.rule.weights
            )
            for part in pieces
        ]
        values, across, inside = (np.concatenate(parts) for parts in zip(*there, strict=True))
        return values, across, inside

    def _integral(
        self, face: Numbers, spots: Array, rates: Array, weights: Array
    ) -> tuple[Array, Array, Array]:
        """For each piece (n, nodes, 2) the integrals, (n, 14), and both their errors."""
        count, nodes = spots.shape[:2]
        best = np.zeros((count, _QUANTITIES))
        across, inside = np.zeros_like(best), np.zeros_like(best)
        boundary, signs = self._boundary, self._boundary.signs
        for index, axis in itertools.product(range(len(boundary.groups)), (0, 1)):
            mine = np.flatnonzero((boundary.group_of[face] == index) & (self._inner[face] == axis))
            moving = mine[np.abs(rates[mine, :, 1 - axis]).max(axis=1, initial=0.0) > 0.0]
            if not len(moving):
                continue
            faces = np.repeat(face[moving], nodes)
            patches, _ = boundary.groups[index]
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
        lowest = self._boundary.lowest[faces, axis]
        ends = spots[:, axis]
        exact = patches.exact[axis]
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
        parts = self._inner_parts[faces[row]]
        if parts.max() > 1:
            place = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
            row, low, width = (np.repeat(part, parts) for part in (row, low, (high - low) / parts))
            low, high = low + place * width, low + (place + 1) * width
        is_ruled = patches.ruled[axis]
        if is_ruled:
            places, weights = _gauss(_RULED_NODES)
        elif exact is None:
            places, weights = FINE.nodes, FINE.weights
        else:
            places, weights = _gauss(exact)
        half = 0.5 * (high - low)
        along = (0.5 * (low + high))[:, None] + half[:, None] * places
        fixed = spots[row, 1 - axis][:, None]
        which = self._boundary.member_of[faces[row]]
        pair = (along, fixed) if axis == 0 else (fixed, along)
        points, u, v = patches.rows(*pair, which)
        points, normals = points - self._boundary.middle, cross(u, v)
        part = np.einsum("wm,nmq->nwq", weights, _integrands(points, normals))
        if is_ruled:
            part[..., 10:] = _ruled_areas(points, normals)
        part *= half[:, None, None]
        # rows are in order
        starts = np.flatnonzero(np.diff(row, prepend=-1))
        result[row[starts]] = np.add.reduceat(part, starts, axis=0)
        return result


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


def _node_count(patches: Patches, axis: int) -> int:
    """At how many places of an inner integral the surface is asked for."""
    return _RULED_NODES if patches.ruled[axis] else patches.exact[axis] or len(FINE.nodes)


def _ruled_areas(points: Array, normals: Array) -> Array:
    """(n, 2, 4): area and its moments by the better and by the rougher rule, along straight lines.

    points, normals: (n, 2, 3) at the nodes of Gauss. On a line of a ruled surface both are linear, as
    S = A + uB has the normal B × (A' + uB'), so nothing else of the surface is needed.
    """
    node = _gauss(_RULED_NODES)[0][1]
    (place, onwards), (normal, turning) = (
        (0.5 * (ends[:, 0] + ends[:, 1]), (ends[:, 1] - ends[:, 0]) / (2.0 * node))
        for ends in (points, normals)
    )
    squares = [
        np.einsum("nc,nc->n", left, right)[:, None]
        for left, right in ((normal, normal), (normal, turning), (turning, turning))
    ]
    sums = _of_widths(squares, QUICK)
    # a line that shrinks to a point has a kink there, or nearly so
    rough = np.abs(sums[:, :, 0] - sums[:, :, 1]).max(axis=1) > _ALIKE * sums[:, 0, 0]
    sums[rough] = _of_widths([part[rough] for part in squares], FINE)
    moments = sums[:, 0, :, None] * place[:, None] + sums[:, 1, :, None] * onwards[:, None]
    return np.concatenate([sums[:, 0, :, None], moments], axis=2)


def _of_widths(squares: Sequence[Array], rule: Rule) -> Array:
    """(n, 2, 2): integrals over t in [-1, 1] of w and t·w by both weights, w² = a + 2bt + ct² (n, 1) each."""
    nodes = rule.nodes
    widths = np.sqrt(np.maximum(squares[0] + nodes * (2.0 * squares[1] + nodes * squares[2]), 0.0))
    return np.stack([widths @ rule.weights.T, (widths * nodes) @ rule.weights.T], axis=1)


@cache
def _gauss(count: int) -> tuple[Array, Array]:
    """Nodes, and twice their weights: where the rule is exact there is no rougher one."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return nodes, np.stack([weights, weights])


def _less(difference: Array, size: Array) -> Array:
    """The error of the better of two rules that differ so much. Source: QUADPACK, qk15."""
    share = difference / np.maximum(size, 1e-300)
    return np.asarray(size * np.minimum(share, (200.0 * np.minimum(share, 1.0)) ** 1.5))
