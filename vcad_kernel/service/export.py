"""Files from a whole result, wherever its parts' kernels are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vcad_kernel.exchange import ops
from vcad_kernel.exchange.formats import replace_all, write
from vcad_kernel.ir.document import Document
from vcad_kernel.service.evaluation.part_files import model
from vcad_kernel.service.protocol import EvaluationResult, PartResult
from vcad_kernel.service.questions import Export

__all__ = ["export", "export_standard_records"]

_NOTHING = ops.Model(Document({}, {}, ()), ())


def export(
    path: Path,
    result: EvaluationResult,
    parts: Sequence[PartResult] | None = None,
    tolerance: float | None = None,
) -> int:
    """Write parts of a result to a file whose suffix names the format; see `Export`.

    parts: all of the result's by default.
    """
    chosen = result.parts if parts is None else parts
    if not chosen:
        return write(path, [], exact=list, model=lambda: _NOTHING)  # refuses: there is nothing to export
    return chosen[0].answers.ask(Export(path=path, chord=tolerance), *chosen)


def export_standard_records(path: Path, result: EvaluationResult) -> int:
    """Write all parts of a result as op records for foreign mesh engines; the bytes written.

    Raises: ExportError; GeometryError ENCODE_FAILED naming what such engines cannot build.
    """
    if not result.parts:
        return write(path, [], model=lambda: _NOTHING)  # refuses: there is nothing to export
    data = ops.encode_standard(model(result.parts))
    replace_all({path: data}, path)
    return len(data)
