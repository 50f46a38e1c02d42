"""Levels: coordinates that rounding keeps apart are made one before a mesh boolean.

    levels = common_levels(coordinates)       # of every operand; None where nothing has to move
    levels.moved(positions)                   # the vertices of one of them, fitted to the others

A mesh boolean is exact about its operands' coordinates. A bore from 0.1 + 0.2 − 0.3 begins 5.6e-17 mm inside
its block, and a film of that thickness closes it. So where vertices of different operands nearly agree in
one coordinate, they get the very same one: faces that lie in one plane square to an axis then do so
exactly, and equal rings of vertices about one axis coincide. Operands that are all turned alike are
compared, and combined, as they were before the turn (``common_turn``).

How near is near: `reach`, a billionth of the largest coordinate and at most a tenth of what counts as
contact. That is some ten thousand roundings of that coordinate, and a thousandth of the smallest
feature that need survive (cad.md §9). Only what differs moves, and by no more than its distance from
what it should have met: sizes and places that agree already keep every digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.placement import Matrix
from vcad_kernel.geometry.tolerance import LINEAR

__all__ = ["Levels", "axis_values", "common_levels", "common_turn", "is_along_axes", "reach"]

_RELATIVE = 1e-9
_Values = NDArray[np.float64]
_Groups = tuple[_Values, _Values, _Values]


def reach(largest: float) -> float:
    """Below which distance two coordinates are one, mm. largest: absolute value of any, mm."""
    return min(_RELATIVE * largest, 0.1 * LINEAR)


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """Where coordinates of several operands are nearly equal, and what they become."""

    axes: tuple[_Groups, _Groups, _Groups]
    """Of x, y and z: (k,) the lowest, (k,) the highest value of each group, rising, and (k,) its level."""

    def moved(self, positions: _Values) -> _Values:
        """Vertices (n, 3) with each coordinate that is of a group at the group's level."""
        fitted = positions.copy()
        for axis, (lowest, highest, level) in enumerate(self.axes):
            if len(level):
                values = positions[:, axis]
                group = np.maximum(np.searchsorted(lowest, values, side="right") - 1, 0)
                within = (lowest[group] <= values) & (values <= highest[group])
                fitted[within, axis] = level[group[within]]
        return fitted


def common_levels(operands: Sequence[tuple[_Values, ...]]) -> Levels | None:
    """The groups of nearly equal coordinates that several operands share; None where there are none.

    operands: the values of x, of y and of z, each (n, copies) of any n; a column for each operand.
    """
    values = [np.concatenate([operand[axis].ravel() for operand in operands]) for axis in range(3)]
    rising = [np.sort(of_axis) for of_axis in values]
    if not len(rising[0]):
        return None
    near = reach(max(float(max(-of_axis[0], of_axis[-1])) for of_axis in rising))
    x, y, z = (
        _groups([operand[axis] for operand in operands], values[axis], rising[axis], near)
        for axis in range(3)
    )
    return Levels((x, y, z)) if len(x[2]) + len(y[2]) + len(z[2]) else None


_NONE: _Groups = (np.empty(0), np.empty(0), np.empty(0))


def _groups(operands: Sequence[_Values], values: _Values, rising: _Values, near: float) -> _Groups:
    """Of one axis. values: of all operands, in their order; rising: the same, sorted."""
    apart = rising[1:] - rising[:-1]
    if not np.any((apart > 0.0) & (apart <= near)):
        return _NONE
    begins = np.concatenate([[True], apart > near])
    first = np.flatnonzero(begins)
    last = np.concatenate([first[1:], [len(rising)]]) - 1
    # a longer run of values, each near to the next, is a curve and no level
    chosen = (rising[last] > rising[first]) & (rising[last] - rising[first] <= 2.0 * near)
    # one operand's own values are left alone where no other has any
    owners = np.concatenate(_owners(operands))
    groups = np.cumsum(begins) - 1
    pairs = np.unique(groups * (int(owners.max()) + 1) + owners[np.argsort(values, kind="stable")])
    chosen &= np.bincount(pairs // (int(owners.max()) + 1), minlength=len(first)) > 1
    first, last = first[chosen], last[chosen]
    # the middle of the run is a value that an operand has, mostly one that several have: they stay
    return rising[first], rising[last], rising[(first + last) // 2]


def _owners(operands: Sequence[_Values]) -> list[NDArray[np.int64]]:
    """For each array (n, copies) of values, raveled, the operand that each value is of."""
    owners, count = [], 0
    for operand in operands:
        rows, copies = operand.shape
        owners.append(np.tile(np.arange(count, count + copies), rows))
        count += copies
    return owners


def is_along_axes(matrix: Matrix) -> bool:
    """Whether a transform takes axes to axes and stretches nothing, so that no coordinate is rounded."""
    rows = matrix[:, :3].tolist()
    return all(sorted(map(abs, row)) == [0.0, 0.0, 1.0] for row in rows)


def axis_values(values: Sequence[_Values], linear: Matrix, offsets: _Values) -> tuple[_Values, ...]:
    """The values of x, y and z, each (n, copies), of copies of a solid.

    values: of the solid, for each axis. linear: (3, 3) that all copies have, along the axes.
    offsets: (copies, 3) of them.
    """
    source = np.abs(linear).argmax(axis=1)
    return tuple(
        linear[axis, source[axis]] * values[source[axis]][:, None] + offsets[:, axis] for axis in range(3)
    )


def common_turn(matrices: Sequence[Matrix | None]) -> Matrix | None:
    """The linear part (3, 3) that transforms have in common; None without one, or along the axes."""
    first = matrices[0]
    if first is None or is_along_axes(first):
        return None
    turn = first[:, :3]
    near = 1e-3 * _RELATIVE * float(np.abs(turn).max())
    for matrix in matrices[1:]:
        if matrix is None or np.abs(matrix[:, :3] - turn).max() > near:
            return None
    return turn
