"""What Loon text gives after all cells, evaluated apart from them: it leaves nothing behind.

On the session's thread. Knows the cells' definitions through the evaluator; makes no view and no part of the
session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from notebook_ext.display.failure import LoonCellFailed
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import CapabilityUnavailable, ErrorCode, SceneError, VcadError

if TYPE_CHECKING:
    from collections.abc import Callable

    from notebook_ext.display.part import Part
    from notebook_ext.session.cells.evaluator import Evaluator
    from vcad_kernel.service.protocol import EvaluationResult

__all__ = ["Apart", "no_part", "refuse_imports"]


class Apart:
    """begin: has what evaluates made ready."""

    def __init__(self, evaluator: Evaluator, begin: Callable[[], None]) -> None:
        self._evaluator = evaluator
        self._begin = begin

    def part(self, source: str, *, exact: bool = False, title: str = "<text>") -> Part:
        """The part that a text gives. title: what errors call it. Raises: LoonCellFailed."""
        from notebook_ext.display.part import Part

        try:
            result = self.scene(CellSource("looked at", source, title), exact=exact)
        except VcadError as error:
            raise LoonCellFailed(error) from None
        return Part("part", result, source, lambda _: None, result.parts)

    def scene(self, cell: CellSource, *, exact: bool = False) -> EvaluationResult:
        """What a cell would give now, with a part in it at least. Raises: VcadError."""
        result = self._result(cell, exact=exact)
        if not result.parts:
            raise no_part("the text")
        return result

    def value(self, source: str) -> EvaluationResult:
        """What a text gives, whatever it is. Raises: LoonCellFailed."""
        try:
            return self._result(CellSource("evaluated", source, "<text>"))
        except VcadError as error:
            raise LoonCellFailed(error) from None

    def _result(self, cell: CellSource, *, exact: bool = False) -> EvaluationResult:
        self._begin()
        refuse_imports(cell)
        return self._evaluator.alone(cell, exact=exact)


def no_part(what: str) -> SceneError:
    """The failure of what was to give a part, and gives none."""
    return SceneError(
        f"{what} gives no part",
        code=ErrorCode.NO_GEOMETRY,
        count=0,
        fix="let its last expression be the solid",
    )


def refuse_imports(cell: CellSource) -> None:
    """A cell that takes something from SketchUp is told at once that this cannot be done yet."""
    if "import" not in cell.source:
        return
    from vcad_kernel.cad.imports import first_import
    from vcad_kernel.loon.source import Source

    place = first_import(Source(cell.title, cell.source))
    if place is not None:
        raise CapabilityUnavailable(
            "cells cannot take values from SketchUp's entities yet",
            place=place,
            fix="give the value to the cell from Python, with -i NAME",
            details={"required_capability": "vcad.imports", "negotiated_capabilities": []},
        )
