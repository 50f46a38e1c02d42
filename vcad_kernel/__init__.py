"""The modelling kernel: Loon text in, measured and exported solids out. Knows no notebook.

    from vcad_kernel import evaluate
    evaluate("[cube 50 30 5]").parts[0].figures.volume     # 7500.0

Importing the package loads nothing; the first evaluation does.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vcad_kernel.service.direct import DirectService
    from vcad_kernel.service.protocol import EvaluationResult

__all__ = ["evaluate"]


def evaluate(code: str, **options: Any) -> EvaluationResult:
    """Evaluate a Loon program in this process.

    options: the fields of :class:`vcad_kernel.service.requests.EvalCode`, and ``output`` and ``progress`` of
    :meth:`vcad_kernel.service.protocol.EvaluationService.evaluate`.
    Raises: vcad_kernel.errors.VcadError.
    """
    return _service().eval_code(code, **options)


@cache
def _service() -> DirectService:
    """One service, so that evaluations share what they have built."""
    from vcad_kernel.service.direct import DirectService

    return DirectService()
