"""Moved, turned, mirrored and scaled bodies: one 3×4 matrix, whatever the chain of nodes was.

Rigid motions share the geometry of the original; other similarities copy it and keep every surface
what it is. What any other matrix does is :mod:`vcad_kernel.geometry.occt.stretching`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from OCP.BRepBuilderAPI import BRepBuilderAPI_Transform
from OCP.gp import gp_Trsf, gp_Vec
from OCP.TopLoc import TopLoc_Location

from vcad_kernel.geometry.occt.brep import Brep, faces_of
from vcad_kernel.geometry.occt.meetings import same_volume, shifted
from vcad_kernel.geometry.occt.stretching import one_to_one, stretched
from vcad_kernel.geometry.placement import IDENTITY, Matrix

__all__ = ["is_similarity", "moved"]

_UNTURNED = IDENTITY[:, :3].tobytes()
_ROUNDING = 1e-11
"""Relative: how far from a similarity the product of many similarities may be."""


def is_similarity(matrix: Matrix) -> bool:
    """Whether a matrix scales alike in all directions, apart from turning, mirroring and moving."""
    if _only_moves(matrix):
        return True
    square = matrix[:, :3].T @ matrix[:, :3]
    size = float(np.trace(square)) / 3.0
    return bool(np.all(np.abs(square - size * np.eye(3)) <= _ROUNDING * size))


def moved(brep: Brep, matrix: Matrix) -> Brep:
    """The body under any matrix but a singular one; of positive volume also where that mirrors."""
    if _only_moves(matrix):
        shift = matrix[:, 3].tolist()
        return shifted(Brep(brep.shape.Moved(_by(shift)), brep.makers), brep, shift) if any(shift) else brep
    if not is_similarity(matrix):
        return stretched(brep, matrix)
    change = _similarity(matrix)
    if abs(float(np.linalg.det(matrix[:, :3])) - 1.0) <= _ROUNDING:
        return same_volume(Brep(brep.shape.Moved(TopLoc_Location(change)), brep.makers), brep)
    maker = BRepBuilderAPI_Transform(brep.shape, change, True)
    return one_to_one(brep, maker.Shape(), [maker.ModifiedShape(face) for face in faces_of(brep.shape)])


def _only_moves(matrix: Matrix) -> bool:
    # bytes are compared in a twentieth of the time that arrays take; adding 0 makes one of the two zeros
    return bool((matrix[:, :3] + 0.0).tobytes() == _UNTURNED)


def _by(shift: Sequence[float]) -> TopLoc_Location:
    # a location that only moves is applied exactly, and sooner
    change = gp_Trsf()
    change.SetTranslation(gp_Vec(*shift))
    return TopLoc_Location(change)


def _similarity(matrix: Matrix) -> gp_Trsf:
    change = gp_Trsf()
    change.SetValues(*(float(value) for value in matrix.ravel()))
    return change
