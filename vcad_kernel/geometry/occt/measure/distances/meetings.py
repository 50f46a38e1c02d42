"""Which bodies can meet at all: boxes around them, groups in contact, groups that lie apart.

Boxes here are quick and never too small. A body's box and volume are remembered as long as the body.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from OCP.Bnd import Bnd_Box
from OCP.BRepBndLib import BRepBndLib

from vcad_kernel.geometry.mesh.rounding.contact import touching
from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.measure.validity import volume_bounds, volume_of
from vcad_kernel.geometry.tolerance import LINEAR

__all__ = [
    "LooseBox",
    "apart",
    "clusters",
    "loose_box",
    "meet",
    "met",
    "of_volume",
    "same_volume",
    "shifted",
    "volume_between",
    "volume_in",
]

LooseBox = NDArray[np.float64]
"""(2, 3) float64: lowest and highest corner, millimetres."""

_Figure = TypeVar("_Figure")
_BOXES: WeakKeyDictionary[Brep, LooseBox] = WeakKeyDictionary()
_VOLUMES: WeakKeyDictionary[Brep, tuple[float, float]] = WeakKeyDictionary()
"""Between what the volume lies; both are the same where it has been integrated finely."""


def _remembered(store: WeakKeyDictionary[Brep, _Figure], body: Brep, find: Callable[[], _Figure]) -> _Figure:
    known = store.get(body)
    if known is None:
        known = store[body] = find()
    return known


def loose_box(body: Brep) -> LooseBox:
    """A box that contains the body; larger than it by at least its tolerances."""

    def find() -> LooseBox:
        box = Bnd_Box()
        BRepBndLib.Add_s(body.shape, box, False)
        low, high = box.CornerMin(), box.CornerMax()
        return np.array([[low.X(), low.Y(), low.Z()], [high.X(), high.Y(), high.Z()]])

    return _remembered(_BOXES, body, find)


def volume_between(body: Brep) -> tuple[float, float]:
    """The least and the greatest signed volume, mm³, that a body can have by a quick integral."""
    return _remembered(_VOLUMES, body, lambda: volume_bounds(body.shape))


def volume_in(body: Brep) -> float:
    """Signed volume, mm³; right to 1e-9 of itself."""
    low, high = _VOLUMES.get(body, (0.0, math.inf))
    if low != high:
        low = volume_of(body.shape)
        _VOLUMES[body] = low, low
    return low


def of_volume(body: Brep, volume: float) -> Brep:
    """The body, whose volume, mm³, is known from what it was made of."""
    _VOLUMES[body] = volume, volume
    return body


def same_volume(moved: Brep, original: Brep, times: float = 1.0) -> Brep:
    """The moved body, which is known to have the volume of the original, or a multiple of it."""
    known = _VOLUMES.get(original)
    if known is not None:
        low, high = known
        _VOLUMES[moved] = low * times, high * times
    return moved


def shifted(moved: Brep, original: Brep, shift: Sequence[float]) -> Brep:
    """The moved body, which is known to be the original moved so far, millimetres, and not turned."""
    box = _BOXES.get(original)
    if box is not None:
        _BOXES[moved] = box + shift
    return same_volume(moved, original)


def meet(box: LooseBox, other: LooseBox) -> bool:
    """Whether what is in two boxes can touch; gaps below LINEAR count as contact."""
    return bool(np.all(box[0] <= other[1] + LINEAR) and np.all(other[0] <= box[1] + LINEAR))


def met(box: LooseBox, others: Iterable[LooseBox]) -> list[bool]:
    """Of each box whether what is in it can touch what is in the one."""
    boxes = np.array(list(others)).reshape(-1, 2, 3)
    near = (box[0] <= boxes[:, 1] + LINEAR) & (boxes[:, 0] <= box[1] + LINEAR)
    return [bool(meets) for meets in np.all(near, axis=1).tolist()]


def clusters(boxes: Sequence[LooseBox]) -> list[list[int]]:
    """Indices in groups whose members can touch only each other; in rising order, all of them."""
    if len(boxes) < 2:
        return [[index] for index in range(len(boxes))]
    groups = [[int(index) for index in group] for group in touching(np.array(boxes))]
    grouped = {index for group in groups for index in group}
    groups.extend([index] for index in range(len(boxes)) if index not in grouped)
    return sorted(groups)


def apart(boxes: Sequence[LooseBox]) -> list[list[int]]:
    """Indices in few groups, the members of each lying apart from each other."""
    if len(boxes) < 2:
        return [[index] for index in range(len(boxes))]
    groups: list[list[int]] = []
    corners: list[NDArray[np.float64]] = []
    filled: list[int] = []
    for index, box in enumerate(boxes):
        for number in range(len(groups)):
            others = corners[number][: filled[number]]
            near = np.all((box[0] <= others[:, 1] + LINEAR) & (others[:, 0] <= box[1] + LINEAR), axis=1)
            if not np.any(near):
                break
        else:
            number = len(groups)
            groups.append([])
            corners.append(np.empty((len(boxes), 2, 3)))
            filled.append(0)
        corners[number][filled[number]] = box
        filled[number] += 1
        groups[number].append(index)
    return groups
