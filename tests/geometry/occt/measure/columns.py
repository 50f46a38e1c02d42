"""What two crossing solids have in common, found without any B-rep: the referee of exact figures.

The boundary of what is common is the part of each solid's boundary that lies in the other. A surface is
cut into columns of one constant parameter; along a column the other solid, known by inequalities, is
entered and left at roots that are bisected. In between Gauss's rule is used; across the columns the
tanh-sinh rule, which minds no root that appears or goes, from one column where one does to the next. Those
columns are solved for and not looked for among samples: however small a corner is that two walls cut off, the
curves in which the walls are met go far beyond it, and Newton's method comes along them from afar.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Measures", "Solid", "box", "cone", "crossed", "cylinder", "sphere", "torus"]

Array: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.intp]
Sheet: TypeAlias = tuple[Callable[[Array, Array], Array], tuple[float, float], tuple[float, float]]
"""Points (…, 3) by two parameters, and the ranges of those."""

_SAMPLES = 96
"""Along each column; between two of them no wall comes near and goes away more than once."""
_STARTS = 24
"""Of Newton's method, each way."""
_STEPS = 40
_REACH = 0.1
"""Part of a sheet that one step of Newton's method may go."""
_MET = 1e-9
"""Millimetres from walls and ends at which a place is on them; what is found is so to rounding."""
_LEVEL = 1e-7
"""Slope of a wall along a column at which it is touched there; the same."""
_SECOND = 1e-6
"""For differences of slopes, which steer Newton's method and do not limit it."""
_HALVINGS = 50
_DEPTH = 14
_NARROW = 1e-13
_AGREED = 1e-8
"""mm³ and mm²: half the columns leave so much that the other half leave the square of it."""
_STEP = 1e-30
"""Along the imaginary axis, for slopes without a difference of close numbers."""
_GAUSS = np.polynomial.legendre.leggauss(12)
_PARTS = 12
_SPAN = np.linspace(-3.2, 3.2, 65)


@dataclass(frozen=True)
class Solid:
    """A closed boundary and what is within."""

    sheets: tuple[Sheet, ...]
    """Either side up: the normal is turned outwards."""
    walls: Callable[[Array], list[Array]]
    """Points (…, 3) -> for each wall (…), positive beyond it; inside all are negative."""

    def outside(self, points: Array) -> Array:
        """Positive outside, negative inside, (…)."""
        return np.asarray(np.max(self.walls(points), axis=0))

    def moved(self, matrix: Array, offset: Array) -> Solid:
        """Under x -> M x + b."""
        inverse = np.linalg.inv(matrix)

        def carried(sheet: Sheet) -> Sheet:
            at, *ranges = sheet
            return (lambda s, t: at(s, t) @ matrix.T + offset, *ranges)  # type: ignore[return-value]

        return Solid(
            tuple(carried(sheet) for sheet in self.sheets),
            lambda points: self.walls((points - offset) @ inverse.T),
        )

    def lifted(self, z: float) -> Solid:
        """Moved along z."""
        return self.shifted(0.0, 0.0, z)

    def shifted(self, x: float, y: float, z: float) -> Solid:
        """Moved."""
        return self.moved(np.eye(3), np.array([x, y, z]))


def _turned(profile: Callable[[Array], tuple[Array, Array]], low: float, high: float) -> Sheet:
    def at(s: Array, t: Array) -> Array:
        radius, height = profile(t)
        return np.stack(np.broadcast_arrays(radius * np.cos(s), radius * np.sin(s), height), axis=-1)

    return at, (0.0, math.tau), (low, high)


def _ring(points: Array) -> Array:
    return np.asarray(np.sqrt(points[..., 0] ** 2 + points[..., 1] ** 2))


def cone(bottom: float, top: float, height: float) -> Solid:
    """About z, from 0 up."""

    def walls(points: Array) -> list[Array]:
        z = points[..., 2]
        return [_ring(points) - bottom - (top - bottom) * z / height, -z, z - height]

    return Solid(
        (
            _turned(lambda t: (bottom + (top - bottom) * t, height * t), 0.0, 1.0),
            _turned(lambda t: (bottom * t, 0.0 * t), 0.0, 1.0),
            _turned(lambda t: (top * t, height + 0.0 * t), 0.0, 1.0),
        ),
        walls,
    )


def cylinder(radius: float, height: float) -> Solid:
    return cone(radius, radius, height)


def sphere(radius: float) -> Solid:
    return Solid(
        (_turned(lambda t: (radius * np.cos(t), radius * np.sin(t)), -math.pi / 2, math.pi / 2),),
        lambda points: [np.sqrt((points**2).sum(axis=-1)) - radius],
    )


def torus(major: float, minor: float) -> Solid:
    return Solid(
        (_turned(lambda t: (major + minor * np.cos(t), minor * np.sin(t)), 0.0, math.tau),),
        lambda points: [np.sqrt((_ring(points) - major) ** 2 + points[..., 2] ** 2) - minor],
    )


def box(x: float, y: float, z: float) -> Solid:
    """From the origin."""
    size = np.array([x, y, z])

    def wall(axis: int, height: float) -> Sheet:
        one, other = (axis + 1) % 3, (axis + 2) % 3

        def at(s: Array, t: Array) -> Array:
            parts = [s, s, s]
            parts[axis], parts[one], parts[other] = height + 0.0 * s, s, t
            return np.stack(np.broadcast_arrays(*parts), axis=-1)

        return at, (0.0, size[one]), (0.0, size[other])

    return Solid(
        tuple(wall(axis, height) for axis in range(3) for height in (0.0, size[axis])),
        lambda points: [
            sign * points[..., axis] - size[axis] * (sign > 0) for axis in range(3) for sign in (1, -1)
        ],
    )


@dataclass(frozen=True)
class Measures:
    """What a solid measures, mm."""

    volume: float
    area: float
    centre: Array
    inertia: Array
    """About the centre."""

    @classmethod
    def of(cls, sums: Array) -> Measures:
        volume, offset = sums[0], sums[1:4] / sums[0]
        xx, yy, zz, xy, yz, zx = sums[4:10]
        moments = np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]]) - volume * np.outer(offset, offset)
        return cls(volume, sums[10], offset, np.trace(moments) * np.eye(3) - moments)


_EVERYWHERE = Solid((), lambda points: [np.full(points.shape[:-1], -1.0)])
_INSIDE_OUT = np.where(np.arange(11) < 10, -1.0, 1.0)


def crossed(first: Solid, second: Solid) -> tuple[Measures | None, Measures]:
    """The intersection of two solids, None where there is none, and what the second leaves of the first."""
    whole, shared, rest = (
        _within(*pair) for pair in ((first, _EVERYWHERE), (first, second), (second, first))
    )
    intersection = shared + rest
    return (
        Measures.of(intersection) if intersection[0] > 0.0 else None,
        Measures.of(whole - shared + rest * _INSIDE_OUT),
    )


def _within(owner: Solid, other: Solid) -> Array:
    """(11,): integrals over the part of a boundary that lies within another solid.

    Share of the volume, of its first moments (3) and of its second (6: xx, yy, zz, xy, yz, zx), and area.
    """
    return np.sum([_sheet_within(sheet, owner, other) for sheet in owner.sheets], axis=0)


def _sheet_within(sheet: Sheet, owner: Solid, other: Solid) -> Array:
    at, (first, last), ends = sheet
    edges = np.unique([first, *_turning_columns(sheet, other), last]).tolist()
    total = np.sum([_between(sheet, other, left, right, _DEPTH) for left, right in pairwise(edges)], axis=0)
    # one look amid the sheet says which way its normal is
    s, t = np.array(0.5 * (first + last) + 0.1), np.array(0.5 * (ends[0] + ends[1]))
    normal = _normals(at, s, t)
    step = 1e-6 * normal / np.linalg.norm(normal)
    outwards = np.sign(owner.outside(at(s, t) + step) - owner.outside(at(s, t) - step))
    return np.asarray(total * np.where(np.arange(11) < 10, outwards, 1.0))


def _turning_columns(sheet: Sheet, other: Solid) -> list[float]:
    """Where what is met changes: two walls at once, one that is touched, or one at the column's end."""
    at, columns, ends = sheet
    (first, last), (low, high) = columns, ends
    count = len(other.walls(at(np.array(first), np.array(low))))

    def heights(s: Array, t: Array) -> Array:
        return np.stack(other.walls(at(s, t)))

    def slopes(s: Array, t: Array) -> Array:
        return np.asarray(heights(s, t + 1j * _STEP).imag / _STEP)

    def met(pair: tuple[int, int], s: Array, t: Array) -> tuple[Array, Array]:
        """Two functions that vanish together, (2, n), and of each the derivatives by s and t, (2, 2, n)."""
        one, two = pair
        by_s, by_t = heights(s + 1j * _STEP, t).imag / _STEP, slopes(s, t)
        there = heights(s, t)
        if one != two:
            return there[[one, two]], np.stack([by_s[[one, two]], by_t[[one, two]]], axis=1)
        bend_s = (slopes(s + _SECOND, t)[one] - slopes(s - _SECOND, t)[one]) / (2.0 * _SECOND)
        bend_t = (slopes(s, t + _SECOND)[one] - slopes(s, t - _SECOND)[one]) / (2.0 * _SECOND)
        return np.stack([there[one], by_t[one]]), np.array([[by_s[one], by_t[one]], [bend_s, bend_t]])

    def ending(wall: int, s: Array, t: Array) -> tuple[Array, Array]:
        """The same for one wall at the ends of the columns, where t stays."""
        by_s = heights(s + 1j * _STEP, t).imag[wall] / _STEP
        none, all_ = np.zeros_like(s), np.ones_like(s)
        return np.stack([heights(s, t)[wall], none]), np.array([[by_s, none], [none, all_]])

    found = []
    amid = np.meshgrid(np.linspace(first, last, _STARTS), np.linspace(low, high, _STARTS))
    border = np.meshgrid(np.linspace(first, last, _STARTS**2), [low, high])
    problems = [(partial(met, (one, two)), amid) for one in range(count) for two in range(one, count)]
    problems += [(partial(ending, wall), border) for wall in range(count)]
    reach = _REACH * np.array([[last - first], [high - low]])
    for equations, start in problems:
        s, t = (part.ravel() + 0.0 for part in start)
        for _ in range(_STEPS):
            values, ((a, b), (c, d)) = equations(s, t)
            under = a * d - b * c
            under = np.where(under == 0.0, np.inf, under)
            step = np.stack([d * values[0] - b * values[1], a * values[1] - c * values[0]]) / under
            s, t = np.stack([s, t]) - np.clip(step, -reach, reach)
        values, _ = equations(s, t)
        solved = (np.abs(values[0]) < _MET) & (np.abs(values[1]) < _LEVEL) & (s > first) & (s < last)
        solved &= (t >= low - _MET) & (t <= high + _MET)
        solved[solved] = np.abs(other.outside(at(s[solved], t[solved]))) < _MET
        # from many starts to the same place, but for rounding
        order = np.sort(s[solved])
        found.append(order[np.diff(order, prepend=-np.inf) > _NARROW * (1.0 + np.abs(order))])
    result: list[float] = np.concatenate(found).tolist()
    return result


def _between(sheet: Sheet, other: Solid, left: float, right: float, depth: int) -> Array:
    """From one column to another, between which the other's walls are met in the same order."""
    if right - left <= _NARROW * (1.0 + abs(left)):
        return np.zeros(11)
    fine, coarse = _across(sheet, other, left, right)
    # walls that are met almost at once, or an axis that is passed close by
    if not depth or np.abs(fine - coarse).max() <= _AGREED:
        return fine
    half = left + 0.4871 * (right - left)
    return _between(sheet, other, left, half, depth - 1) + _between(sheet, other, half, right, depth - 1)


def _spread(first: float, last: float, count: int) -> Array:
    """Places closer to each other near both ends, where corners are, and symmetric about nothing."""
    part = np.linspace(0.0, 1.0, count + 1)
    part[1:-1] += 0.0137 / count
    return np.asarray(first + (last - first) * (0.4 * part + 0.3 * (1.0 - np.cos(math.pi * part))))


def _across(sheet: Sheet, other: Solid, left: float, right: float) -> tuple[Array, Array]:
    """Tanh-sinh from column to column, and the same with half the columns."""
    at = sheet[0]
    bent = math.pi / 2 * np.sinh(_SPAN)
    weight = math.pi / 2 * np.cosh(_SPAN) / np.cosh(bent) ** 2 * (_SPAN[1] - _SPAN[0])
    # distances from the nearer end, which keep their digits
    near = np.exp(-np.abs(bent)) / np.cosh(bent)
    half = 0.5 * (right - left)
    s = np.where(bent < 0.0, left + half * near, right - half * near)
    row, low, high = _intervals(sheet, other, s)
    steps = np.linspace(0.0, 1.0, _PARTS + 1)[:-1]
    part = (high - low) / _PARTS
    begin = (low[:, None] + (high - low)[:, None] * steps).ravel()
    number, part = np.repeat(row, _PARTS), np.repeat(part, _PARTS)
    t = begin[:, None] + part[:, None] * 0.5 * (_GAUSS[0] + 1.0)
    s_of = np.broadcast_to(s[number][:, None], t.shape)
    points, normal = at(s_of, t), _normals(at, s_of, t)
    length = np.linalg.norm(normal, axis=-1)[..., None]
    flux = (points * normal).sum(axis=-1)[..., None]
    mixed = points * np.roll(points, -1, axis=-1) * flux / 5.0
    parts = [flux / 3.0, points * flux / 4.0, points**2 * flux / 5.0, mixed, length]
    inner = np.einsum("rgq,g,r->rq", np.concatenate(parts, axis=-1), _GAUSS[1], 0.5 * part)
    fine = half * (weight[number] @ inner)
    coarse = half * (np.where(number % 2 == 0, 2.0 * weight[number], 0.0) @ inner)
    return fine, coarse


def _normals(at: Callable[[Array, Array], Array], s: Array, t: Array) -> Array:
    return np.cross(at(s + 1j * _STEP, t).imag / _STEP, at(s, t + 1j * _STEP).imag / _STEP)


def _intervals(sheet: Sheet, other: Solid, s: Array) -> tuple[Numbers, Array, Array]:
    """Numbers of columns, first and last parameter of what lies inside."""
    at, _, ends = sheet
    number, roots = _roots(sheet, other, s)
    number = np.concatenate([number, np.arange(len(s)), np.arange(len(s))])
    edges = np.concatenate([roots, np.full(len(s), ends[0]), np.full(len(s), ends[1])])
    order = np.lexsort((edges, number))
    number, edges = number[order], edges[order]
    same = number[:-1] == number[1:]
    low, high, row = edges[:-1][same], edges[1:][same], number[:-1][same]
    inside = (other.outside(at(s[row], 0.5 * (low + high))) < 0.0) & (high > low)
    return row[inside], low[inside], high[inside]


def _roots(sheet: Sheet, other: Solid, s: Array) -> tuple[Numbers, Array]:
    """Numbers of columns and where along them the walls of the other are crossed, each for itself."""
    at, _, ends = sheet
    t = _spread(*ends, _SAMPLES)
    heights = np.stack(other.walls(at(s[:, None], t)))
    slopes = np.stack(other.walls(at(s[:, None], t + 1j * _STEP))).imag
    found = []
    for wall, (height, slope) in enumerate(zip(heights, slopes, strict=True)):

        def beyond(row: Numbers, place: Array, wall: int = wall) -> Array:
            return np.sign(other.walls(at(s[row], place))[wall])

        def rising(row: Numbers, place: Array, wall: int = wall) -> Array:
            return np.sign(other.walls(at(s[row], place + 1j * _STEP))[wall].imag)

        # where a wall comes nearest between two samples it may be met twice
        row, place = np.nonzero(np.sign(slope[:, :-1]) != np.sign(slope[:, 1:]))
        nearest = _halved(rising, row, t[place], t[place + 1])
        crossed = np.nonzero(np.sign(height[:, :-1]) != np.sign(height[:, 1:]))
        twice = (np.sign(height[row, place]) == np.sign(height[row, place + 1])) & (
            beyond(row, nearest) != np.sign(height[row, place])
        )
        row, place, nearest = row[twice], place[twice], nearest[twice]
        number = np.concatenate([crossed[0], row, row])
        low = np.concatenate([t[crossed[1]], t[place], nearest])
        high = np.concatenate([t[crossed[1] + 1], nearest, t[place + 1]])
        found.append((number, _halved(beyond, number, low, high)))
    numbers, roots = zip(*found, strict=True)
    return np.concatenate(numbers), np.concatenate(roots)


def _halved(sign: Callable[[Numbers, Array], Array], row: Numbers, low: Array, high: Array) -> Array:
    """Where a sign changes between two places."""
    begins = sign(row, low)
    for _ in range(_HALVINGS if len(row) else 0):
        half = 0.5 * (low + high)
        same = sign(row, half) == begins
        low, high = np.where(same, half, low), np.where(same, high, half)
    return 0.5 * (low + high)
