"""Which bodies can meet at all: boxes around them, groups in contact, groups that lie apart.

Boxes here are loose ones. A body's box and volume are remembered as long as the body.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from vcad_kernel.geometry.mesh.rounding.contact import touching
from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.measure.boxes import LooseBox, shifted_box
from vcad_kernel.geometry.occt.measure.validity import volume_bounds, volume_of
from vcad_kernel.geometry.tolerance import LINEAR

__all__ = [
    "apart",
    "clusters",
    "meet",
    "met",
    "of_volume",
    "same_volume",
    "shifted",
    "volume_between",
    "volume_in",
]

_VOLUMES: WeakKeyDictionary[Brep, tuple[float, float]] = WeakKeyDictionary()
"""Between what the volume lies; both are the same where it has been integrated finely."""


def volume_between(body: Brep) -> tuple[float, float]:
    """The least and the greatest signed volume, mm³, that a body can have by a quick integral."""
    known = _VOLUMES.get(body)
    if known is None:
        known = _VOLUMES[body] = volume_bounds(body.shape)
    return known


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
    shifted_box(moved, original, shift)
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
    corners: list[LooseBox] = []
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
