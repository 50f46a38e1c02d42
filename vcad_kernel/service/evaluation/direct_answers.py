"""Answers about parts that were evaluated in this process: their kernels are at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from vcad_kernel.geometry.cache.solid_cache import SolidCache
from vcad_kernel.geometry.evaluate import EvaluationOptions, Remeshing
from vcad_kernel.geometry.exact import InstalledKernel
from vcad_kernel.geometry.measure.figures import Figures
from vcad_kernel.geometry.measure.part_figures import Measurement
from vcad_kernel.geometry.profiling import NodeProfile, Recorder
from vcad_kernel.ir.document import Root
from vcad_kernel.operations.node import NodeId
from vcad_kernel.service.protocol import MeasuredPart, PartResult, Question
from vcad_kernel.service.questions import FiguresOf

T = TypeVar("T")

__all__ = ["DirectAnswers"]


class DirectAnswers:
    """An `Answers` for the parts of one evaluation.

    measurements: of the evaluation's parts, by their nodes. recorder: what its kernels report to.
    solids: what was evaluated before, looked up and added to.
    """

    def __init__(
        self, measurements: Mapping[NodeId, Measurement], recorder: Recorder, solids: SolidCache
    ) -> None:
        self._measurements = measurements
        self._recorder = recorder
        self._solids = solids

    def ask(self, question: Question[T], *parts: PartResult) -> T:
        """See :meth:`Answers.ask`."""
        return question.answer([self.measured(part) for part in parts])

    def figures(self, part: PartResult) -> Figures:
        """See :meth:`Answers.figures`."""
        return self.ask(FiguresOf(exact=part.demanded), part)

    def profile(self, parts: Sequence[PartResult]) -> tuple[NodeProfile, ...]:
        """See :meth:`Answers.profile`."""
        if not parts:
            return ()
        return self._recorder.rows(parts[0].document, [part.node for part in parts])

    def measured(self, part: PartResult) -> MeasuredPart:
        """A part with what is measured of it, for who draws or writes it."""
        return MeasuredPart(part, self._measurement(part))

    def _measurement(self, part: PartResult) -> Measurement:
        """A part's own measurement, which keeps what it has found.

        That of one that was evaluated elsewhere, by a service or before it was in a pickle, is made for the
        question.
        """
        own = part.answers
        if own is self and part.node in self._measurements:
            return self._measurements[part.node]
        if isinstance(own, DirectAnswers) and own is not self:
            return own._measurement(part)
        kernel = InstalledKernel(self._solids, self._recorder, files=part.files)
        alone = replace(part.document, roots=(Root(part.node, part.material.name),))
        again = Remeshing(alone, EvaluationOptions(exact=kernel, files=part.files), self._solids)
        return Measurement(
            part.document, part.node, part.mesh_figures, kernel, demanded=part.demanded, meshed=again
        )
