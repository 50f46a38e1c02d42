"""What the result of a boolean can possibly be, from the operands' volumes and boxes (cad.md §10).

The inequalities are free. They cannot see an operand that was forgotten, which leaves a result at one
end of what is possible: where a result lies there, and where tori or B-splines meet each other, the
meshes of the operands are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.GeomAbs import GeomAbs_Cone, GeomAbs_Cylinder, GeomAbs_Plane, GeomAbs_Sphere
from OCP.TopLoc import TopLoc_Location

from vcad_kernel.geometry.occt.brep import Brep, ShapeMap, faces_of
from vcad_kernel.geometry.occt.measure.meetings import LooseBox, loose_box, volume_in
from vcad_kernel.geometry.occt.measure.validity import box_of, is_valid

__all__ = ["Claim", "Operation"]

_PLAIN = frozenset({GeomAbs_Plane, GeomAbs_Cylinder, GeomAbs_Cone, GeomAbs_Sphere})
_SLACK = 1e-6
"""Relative to the volume of all operands."""
_COARSE = 0.03
"""The same, for the volume that a coarse mesh has; a ball of 48 sides lacks 1.2 %."""
_FACETED = 0.005
"""The same, for a result that is a mesh of REFEREE_SIDES itself."""


class Operation(Enum):
    """The three booleans: the first operand with, without, or within all others together."""

    UNION = "union"
    DIFFERENCE = "difference"
    INTERSECTION = "intersection"


@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """What must hold of a result."""

    least: float
    """Volume, mm³."""
    most: float
    spare: float
    """How far a right volume may lie outside by rounding, mm³."""
    box: LooseBox
    overlap: bool
    """Whether the operands' boxes share so much room that a result at one end is surprising."""
    doubtful: bool
    """Whether tori or faces without closed form meet each other, where wrong results look possible."""

    @classmethod
    def of(cls, operation: Operation, operands: Sequence[Brep]) -> Claim:
        """What the operation on these operands can give."""
        volumes = [volume_in(operand) for operand in operands]
        boxes = np.array([loose_box(operand) for operand in operands])
        whole = sum(volumes)
        if operation is Operation.UNION:
            least, most = max(volumes), whole
            box = np.array([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)])
        elif operation is Operation.DIFFERENCE:
            # at least what is left if all tools lie inside without overlap: v₀ − (whole − v₀)
            least, most = max(0.0, 2.0 * volumes[0] - whole), volumes[0]
            box = boxes[0]
        else:
            least, most = 0.0, min(volumes)
            box = np.array([boxes[:, 0].max(axis=0), boxes[:, 1].min(axis=0)])
        overlap = _share_room(boxes, min(volumes))
        doubtful = overlap and _intricate(operands) > 1
        return cls(least, most, _SLACK * whole, box, overlap, doubtful)

    def allows(
        self, result: Brep | None, mesh_volume: Callable[[], float] | None, *, of_mesh: bool = False
    ) -> bool:
        """Whether a result can be right.

        mesh_volume: asked for when the result lies at one end of what is possible; None = believe it.
        of_mesh: the result has facets in place of curved faces.
        """
        volume = 0.0
        if result is not None:
            volume = volume_in(result)
            # slivers of a mesh are narrower than the check allows; what closes a mesh closes its facets
            if not volume > 0.0 or not (of_mesh or is_valid(result.shape)):
                return False
            # the quick box of a trimmed sphere is that of the sphere, or worse
            if not self._holds(loose_box(result)) and not self._holds(np.array(box_of(result.shape))):
                return False
        spare = self.spare * (_FACETED / _SLACK if of_mesh else 1.0)
        if not self.least - spare <= volume <= self.most + spare:
            return False
        # a typical failure gives back one operand whole, or nothing
        at_end = volume <= self.least + self.spare or volume >= self.most - self.spare
        if mesh_volume is None or not (self.doubtful or (at_end and self.overlap)):
            return True
        return abs(mesh_volume() - volume) <= _COARSE * self.spare / _SLACK

    def _holds(self, box: LooseBox) -> bool:
        margin = 1e-6 + _COARSE * float(np.max(self.box[1] - self.box[0]))
        return bool(np.all(box[0] >= self.box[0] - margin) and np.all(box[1] <= self.box[1] + margin))


def _intricate(bodies: Sequence[Brep]) -> int:
    """How many have faces of other kinds than the plain ones. Copies are looked at once."""
    known, answers, count, unmoved = ShapeMap(), list[bool](), 0, TopLoc_Location()
    for body in bodies:
        number = known.Add(body.shape.Located(unmoved))
        if number > len(answers):
            answers.append(_is_intricate(body))
        count += answers[number - 1]
    return count


def _is_intricate(body: Brep) -> bool:
    return any(BRepAdaptor_Surface(face, False).GetType() not in _PLAIN for face in faces_of(body.shape))


def _share_room(boxes: NDArray[np.float64], smallest: float) -> bool:
    low = np.maximum(boxes[0, 0], boxes[1:, 0])
    high = np.minimum(boxes[0, 1], boxes[1:, 1])
    room = np.prod(np.maximum(high - low, 0.0), axis=1)
    return bool(np.any(room > 0.01 * smallest))
