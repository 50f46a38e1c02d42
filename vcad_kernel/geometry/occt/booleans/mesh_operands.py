"""The operands of a boolean as meshes: to check an exact result, and to stand in when there is none."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from vcad_kernel.geometry.mesh.manifold_kernel import Made, Reading, batch, of_runs, read
from vcad_kernel.geometry.occt.booleans.claims import Operation
from vcad_kernel.geometry.occt.booleans.faceted import faceted
from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.tessellation import tessellated
from vcad_kernel.geometry.sweeps.swept import Skin
from vcad_kernel.geometry.tolerance import EMPTY_VOLUME, REFEREE_SIDES, Tessellation
from vcad_kernel.ir.digest import Digest

__all__ = ["MeshOperands"]

_COARSE = Tessellation(segments=48)
_FINE = Tessellation(segments=REFEREE_SIDES)
_OPERATIONS = {
    Operation.UNION: manifold_kernel.Operation.UNION,
    Operation.DIFFERENCE: manifold_kernel.Operation.DIFFERENCE,
    Operation.INTERSECTION: manifold_kernel.Operation.INTERSECTION,
}


class MeshOperands:
    """A boolean carried out by the mesh kernel on first request."""

    def __init__(self, operation: Operation, operands: Sequence[Brep]) -> None:
        self._operation = operation
        self._operands = operands

    def volume(self) -> float:
        """Of the result, within about 1 % of the operands' volumes."""
        return self._coarse_volume

    def combined(self) -> Brep | None:
        """The result as a body of flat faces. Raises KernelFault, TessellationFault, OCCT_ERRORS."""
        reading, maker_of = self._combined(_FINE)
        if _volume(reading) <= EMPTY_VOLUME:
            return None
        makers: list[Digest] = []
        lengths = np.diff(reading.runs).tolist()
        for length, original in zip(lengths, reading.originals.tolist(), strict=True):
            makers += [maker_of[original]] * length
        return faceted(reading.positions, reading.triangles.astype(np.int64), makers)

    @cached_property
    def _coarse_volume(self) -> float:
        return _volume(self._combined(_COARSE)[0])

    def _combined(self, tessellation: Tessellation) -> tuple[Reading, dict[int, Digest]]:
        items: list[tuple[Made, None]] = []
        maker_of: dict[int, Digest] = {}
        for operand in self._operands:
            traced = tessellated(operand, tessellation)
            order = np.argsort(traced.maker_of, kind="stable")
            made, originals = of_runs(
                Skin(traced.mesh.positions, traced.mesh.indices[order].astype(np.int64)),
                np.bincount(traced.maker_of, minlength=len(traced.makers)).tolist(),
            )
            maker_of.update(zip(originals, traced.makers, strict=True))
            items.append((made, None))
        return read(batch(_OPERATIONS[self._operation], items)), maker_of


def _volume(reading: Reading) -> float:
    if len(reading.triangles) == 0:
        return 0.0
    a, b, c = np.moveaxis((reading.positions - reading.positions[0])[reading.triangles], 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0
