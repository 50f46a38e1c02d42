"""Evaluation in one line, as people write it by hand: ``service.eval_code("[cube 1 2 3]", exact=True)``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vcad_kernel.contracts.messages import HistoryEntry
from vcad_kernel.service.requests import EvalCell, EvalCode

if TYPE_CHECKING:
    from vcad_kernel.service.progress import Progress
    from vcad_kernel.service.protocol import EvaluationResult, Output

__all__ = ["Shorthand"]


class Shorthand:
    """For an `EvaluationService`: the fields of its requests by name."""

    def evaluate(
        self,
        request: EvalCell | EvalCode,
        *,
        output: Output | None = None,
        progress: Progress | None = None,
    ) -> EvaluationResult:
        """See :meth:`vcad_kernel.service.protocol.EvaluationService.evaluate`."""
        raise NotImplementedError

    def eval_cell(
        self,
        code: str,
        prelude: Sequence[HistoryEntry] = (),
        bindings: Mapping[str, Any] | None = None,
        *,
        output: Output | None = None,
        progress: Progress | None = None,
        **fields: Any,
    ) -> EvaluationResult:
        """As `evaluate`. fields: the others of `EvalCell`."""
        request = EvalCell(code, prelude, bindings=bindings, **fields)
        return self.evaluate(request, output=output, progress=progress)

    def eval_code(
        self,
        code: str,
        *,
        output: Output | None = None,
        progress: Progress | None = None,
        **fields: Any,
    ) -> EvaluationResult:
        """As `evaluate`. fields: the others of `EvalCode`."""
        return self.evaluate(EvalCode(code, **fields), output=output, progress=progress)
