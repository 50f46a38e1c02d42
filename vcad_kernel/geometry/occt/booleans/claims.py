"""What the result of a boolean can possibly be, from the operands' volumes and boxes (cad.md §10).

The inequalities are free. They cannot see an operand that was forgotten, which leaves a result at one
end of what is possible: where a result lies there, and where tori or B-splines meet each other, the
meshes of the operands are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.GeomAbs import GeomAbs_Cone, GeomAbs_Cylinder, GeomAbs_Plane, GeomAbs_Sphere
from OCP.TopLoc import TopLoc_Location

from vcad_kernel.geometry.occt.brep import Brep, ShapeMap, faces_of
from vcad_kernel.geometry.occt.measure.boxes import LooseBox, loose_box, quick_box_of
from vcad_kernel.geometry.occt.measure.distances.meetings import volume_between, volume_in
from vcad_kernel.geometry.occt.measure.extents import box_of
from vcad_kernel.geometry.occt.measure.validity import is_valid

__all__ = ["Claim", "Operation"]

_PLAIN = frozenset({GeomAbs_Plane, GeomAbs_Cylinder, GeomAbs_Cone, GeomAbs_Sphere})
_SLACK = 1e-6
"""Relative to the volume of all operands."""
_LOOSE_BOX = 0.03
"""Part of its size by which a box may be too small or too large."""
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

    operation: Operation
    operands: Sequence[Brep]
    box: LooseBox
    overlap: bool
    """Whether the operands' boxes share so much room that a result at one end is surprising."""
    doubtful: bool
    """Whether tori or faces without closed form meet each other, where wrong results look possible."""

    @classmethod
    def of(cls, operation: Operation, operands: Sequence[Brep]) -> Claim:
        """What the operation on these operands can give."""
        boxes = np.array([loose_box(operand) for operand in operands])
        if operation is Operation.UNION:
            box = np.array([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)])
        elif operation is Operation.DIFFERENCE:
            box = boxes[0]
        else:
            box = np.array([boxes[:, 0].max(axis=0), boxes[:, 1].min(axis=0)])
        overlap = _share_room(boxes, min(volume_between(operand)[0] for operand in operands))
        doubtful = overlap and _intricate(operands) > 1
        return cls(operation, operands, box, overlap, doubtful)

    def allows(
        self,
        result: Brep | None,
        mesh_volumes: Callable[[], Iterable[tuple[float, float]]] | None,
        *,
        of_mesh: bool = False,
    ) -> bool:
        """Whether a result can be right.

        mesh_volumes: asked for when the result lies at one end of what is possible; None = believe it. Each
        with how far it may be off, mm³; the last one has the last word.
        of_mesh: the result has facets in place of curved faces.
        """
        if result is not None:
            # slivers of a mesh are narrower than the check allows; what closes a mesh closes its facets
            if not volume_between(result)[1] > 0.0 or not (of_mesh or is_valid(result.shape)):
                return False
            # the loose box of a bore askew reaches out of its block, and the quick one of a trimmed sphere is
            # that of the sphere, or worse
            if not (
                self._holds(loose_box(result))
                or self._holds(np.array(quick_box_of(result.shape)))
                or self._holds(np.array(box_of(result.shape)))
            ):
                return False
            if not self.doubtful and self._lies_inside(*volume_between(result)):
                return True
        # what quick integrals leave open fine ones decide
        volume = 0.0 if result is None else volume_in(result)
        least, most, rounding = self._limits()
        spare = rounding * (_FACETED / _SLACK if of_mesh else 1.0)
        if not least - spare <= volume <= most + spare:
            return False
        # a typical failure gives back one operand whole, or nothing
        at_end = volume <= least + rounding or volume >= most - rounding
        if mesh_volumes is None or not (self.doubtful or (at_end and self.overlap)):
            return True
        return any(abs(amount - volume) <= off + rounding for amount, off in mesh_volumes())

    def _limits(self) -> tuple[float, float, float]:
        """Least and greatest volume, and how far a right one may lie outside by rounding, mm³."""
        volumes = [volume_in(operand) for operand in self.operands]
        least, most = _possible(self.operation, volumes, volumes)
        return least, most, _SLACK * sum(volumes)

    def _lies_inside(self, low: float, high: float) -> bool:
        """Whether a volume between these is possible, and not at one end, whatever the operands' are.

        So it is for most bodies of splines by integrals that may be wrong by 3 %: fine ones take longer
        than the boolean itself.
        """
        lows, highs = zip(*(volume_between(operand) for operand in self.operands), strict=True)
        least, most = _possible(self.operation, lows, highs)
        spare = _SLACK * sum(highs)
        return bool(least + spare < low and high < most - spare)

    def _holds(self, box: LooseBox) -> bool:
        margin = 1e-6 + _LOOSE_BOX * float(np.max(self.box[1] - self.box[0]))
        return bool(np.all(box[0] >= self.box[0] - margin) and np.all(box[1] <= self.box[1] + margin))


def _possible(operation: Operation, lows: Sequence[float], highs: Sequence[float]) -> tuple[float, float]:
    """The least volume and the greatest, mm³, for operands between these: those nearest to each other."""
    if operation is Operation.UNION:
        return max(highs), sum(lows)
    if operation is Operation.DIFFERENCE:
        # at least what is left if all tools lie inside without overlap
        return max(0.0, highs[0] - sum(lows[1:])), lows[0]
    return 0.0, min(lows)


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
