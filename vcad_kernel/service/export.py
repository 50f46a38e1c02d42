"""Files from a result: parts with curved faces are meshed more finely than they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from vcad_kernel.exchange.formats import write
from vcad_kernel.geometry.evaluate import EvaluationOptions, evaluate
from vcad_kernel.geometry.mesh import PartMesh
from vcad_kernel.geometry.tolerance import EXPORT_CHORD, Tessellation
from vcad_kernel.ir.document import Root
from vcad_kernel.service.protocol import EvaluationResult, PartResult

__all__ = ["export"]


def export(
    path: Path,
    result: EvaluationResult,
    parts: Sequence[PartResult] | None = None,
    tolerance: float | None = None,
) -> int:
    """Write parts of a result to a file whose suffix names the format.

    parts: all of the result's by default. tolerance: chord error of curved faces, mm; by default
    0.005. Returns: bytes written.
    Raises: ExportError, CapabilityUnavailable for a format of the exact kernel.
    """
    chosen = result.parts if parts is None else parts
    chord = EXPORT_CHORD if tolerance is None else tolerance
    return write(path, [_mesh(result, part, chord) for part in chosen])


def _mesh(result: EvaluationResult, part: PartResult, chord: float) -> PartMesh:
    """The part as shown where that is close enough, else meshed again."""
    shown = part.figures.tolerance
    if result.document is None or shown is None or shown <= chord:
        return part.part_mesh()
    alone = replace(result.document, roots=(Root(part.node, part.material.name),))
    scene = evaluate(alone, EvaluationOptions(Tessellation(chord=chord)))
    scene.raise_first()
    return PartMesh(part.name, scene.parts[0].mesh, part.material)
