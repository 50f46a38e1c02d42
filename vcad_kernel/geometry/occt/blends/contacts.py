"""Whether the new faces of a blend meet faces that they do not end on, as the inner side of a thin wall.

Of bodies whose faces cut through each other OpenCASCADE's own check knows nothing, and to measure how far two
rings are apart takes it 35 ms. So faces are told apart by their boxes first, and rings by how far they reach
from their axis and along it. Millimetres.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import TypeAlias

import numpy as np
from OCP.Bnd import Bnd_Box
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepExtrema import BRepExtrema_DistShapeShape
from OCP.GeomAbs import GeomAbs_Cone, GeomAbs_Cylinder, GeomAbs_Torus

from vcad_kernel.geometry.occt.measure.boxes import torus_box
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import CIRCLE, LINE, BoundaryNumbers, Numbers
from vcad_kernel.geometry.placement import cross
from vcad_kernel.geometry.tolerance import LINEAR

__all__ = ["meet_others"]

_CYLINDER, _CONE, _TORUS = GeomAbs_Cylinder.value, GeomAbs_Cone.value, GeomAbs_Torus.value
_SAME_AXIS = 1e-9
"""Millimetres between axes, and sine of the angle between them."""

_Reach: TypeAlias = tuple[float, float, float, float]
"""Least and greatest distance from an axis, and height along it."""


def meet_others(numbers: BoundaryNumbers, new: Sequence[int]) -> bool:
    """Whether some of the new faces meet others that they have no corner in common with. new: by number."""
    return any(
        BRepExtrema_DistShapeShape(numbers.faces[face], numbers.faces[other]).Value() <= LINEAR
        for face, other in _close(numbers, new)
    )


def _close(numbers: BoundaryNumbers, new: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs of faces without common corners of which nothing tells that they are apart."""
    boxes = np.array([_box(numbers, face) for face in range(len(numbers.faces))])
    low, high = boxes[:, 0], boxes[:, 1]
    corners = [{end for edge, _ in around for end in numbers.ends[edge][:2]} for around in numbers.sides]
    near = np.all((low[new, None] <= high) & (low <= high[new, None]), axis=2)
    for row, other in np.argwhere(near).tolist():
        face = new[row]
        if corners[face].isdisjoint(corners[other]) and not (
            _is_beside_ring(numbers, face, other, boxes[other])
            or _is_beside_ring(numbers, other, face, boxes[face])
        ):
            yield face, other


def _box(numbers: BoundaryNumbers, face: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Lowest and highest corner of a face, never too small."""
    if numbers.kinds[face] == _TORUS:
        low, high = torus_box(BRepAdaptor_Surface(numbers.faces[face], True))
    else:
        box = Bnd_Box()
        BRepBndLib.Add_s(numbers.faces[face], box, False)
        low, high = box.CornerMin(), box.CornerMax()
    return low.Coord(), high.Coord()


def _is_beside_ring(numbers: BoundaryNumbers, ring: int, other: int, box: Numbers) -> bool:
    """Whether another face ends before, or begins beyond, what a face takes from its axis or along it.

    box: of the other face.
    """
    own = _around(numbers, ring)
    if own is None:
        return False
    surface = numbers.surface_numbers(ring)
    near, far, low, high = _along_same_axis(numbers, other, surface) or _of_box(box, np.array(surface[:6]))
    return near > own[1] + LINEAR or far < own[0] - LINEAR or low > own[3] + LINEAR or high < own[2] - LINEAR


def _around(numbers: BoundaryNumbers, face: int) -> _Reach | None:
    """Of a cylinder, cone or torus about its own axis; None of other faces, and between other borders than
    lines and circles."""
    kind = numbers.kinds[face]
    if kind not in (_CYLINDER, _CONE, _TORUS):
        return None
    x, y, z, u, v, w, radius, *rest = numbers.surface_numbers(face)
    if kind == _TORUS:
        return radius - rest[0], radius + rest[0], -rest[0], rest[0]
    heights = []
    for edge, _ in numbers.sides[face]:
        form, row = numbers.curves.kinds[edge], numbers.curves.table[edge]
        if form not in (LINE, CIRCLE):
            return None
        # circles on both have their centres on the axis
        for at in (0, 3) if form == LINE else (6,):
            heights.append((row[at] - x) * u + (row[at + 1] - y) * v + (row[at + 2] - z) * w)
    low, high = min(heights), max(heights)
    slope = math.tan(rest[0]) if kind == _CONE else 0.0
    near, far = sorted((abs(radius + low * slope), abs(radius + high * slope)))
    return near, far, low, high


def _along_same_axis(numbers: BoundaryNumbers, face: int, axis: Sequence[float]) -> _Reach | None:
    """Of a face about the axis of another one; None where it is not the same axis."""
    own = _around(numbers, face)
    if own is None:
        return None
    surface = numbers.surface_numbers(face)
    offset = surface[0] - axis[0], surface[1] - axis[1], surface[2] - axis[2]
    apart = math.hypot(*cross(axis[3:6], surface[3:6])), math.hypot(*cross(axis[3:6], offset))
    if max(apart) > _SAME_AXIS:
        return None
    near, far, low, high = own
    shift = offset[0] * axis[3] + offset[1] * axis[4] + offset[2] * axis[5]
    way = axis[3] * surface[3] + axis[4] * surface[4] + axis[5] * surface[5]
    return (near, far, shift + low, shift + high) if way > 0.0 else (near, far, shift - high, shift - low)


def _of_box(box: Numbers, axis: Numbers) -> _Reach:
    """Of what is in a box, (2, 3): no less than it can be."""
    corners = np.array(list(product(*box.T))) - axis[:3]
    heights = corners @ axis[3:6]
    aside = np.linalg.norm(corners - heights[:, None] * axis[3:6], axis=1)
    middle = corners.mean(axis=0)
    from_axis = np.linalg.norm(middle - (middle @ axis[3:6]) * axis[3:6])
    half = 0.5 * np.linalg.norm(box[1] - box[0])
    return max(0.0, float(from_axis - half)), float(aside.max()), float(heights.min()), float(heights.max())
