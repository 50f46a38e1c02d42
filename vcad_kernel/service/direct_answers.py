"""Answers about parts that were evaluated in this process: their kernels are at hand.

What only some questions need (tables, distances, writers of files) is imported when they are asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vcad_kernel.geometry.cache.solid_cache import SolidCache
from vcad_kernel.geometry.exact import InstalledKernel
from vcad_kernel.geometry.measure.figures import Figures
from vcad_kernel.geometry.measure.part_figures import Measurement
from vcad_kernel.geometry.profiling import NodeProfile, Recorder
from vcad_kernel.operations.node import NodeId, Vec3
from vcad_kernel.service.measured_part import MeasuredPart
from vcad_kernel.service.protocol import PartResult

if TYPE_CHECKING:
    from vcad_kernel.geometry.measure.clearance import Clearance
    from vcad_kernel.geometry.measure.inspection import Edge, Face, Table

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

    def figures(self, part: PartResult, *, exact: bool = False) -> Figures:
        """See :meth:`Answers.figures`."""
        measurement = self._measurement(part)
        return measurement.exact() if exact else measurement.figures()

    def edges(self, part: PartResult, *, exact: bool = False) -> Table[Edge]:
        """See :meth:`Answers.edges`."""
        from vcad_kernel.geometry.measure.inspection import edges

        return edges(self._measurement(part), part.mesh, exact=exact)

    def faces(self, part: PartResult, *, exact: bool = False) -> Table[Face]:
        """See :meth:`Answers.faces`."""
        from vcad_kernel.geometry.measure.inspection import faces

        return faces(self._measurement(part), part.mesh, exact=exact)

    def clearance(self, a: PartResult, b: PartResult, *, exact: bool = False) -> Clearance:
        """See :meth:`Answers.clearance`."""
        from vcad_kernel.geometry.measure.clearance import clearance

        return clearance(self._measurement(a), self._measurement(b), exact=exact)

    def interference(self, a: PartResult, b: PartResult, *, exact: bool = False) -> Figures:
        """See :meth:`Answers.interference`."""
        from vcad_kernel.geometry.measure.clearance import interference

        return interference(self._measurement(a), self._measurement(b), exact=exact)

    def export(self, path: Path, parts: Sequence[PartResult], tolerance: float | None = None) -> int:
        """See :meth:`Answers.export`."""
        from vcad_kernel.service.export import write_parts

        return write_parts(path, self._measured(parts), tolerance, self._solids)

    def section(
        self,
        path: Path,
        parts: Sequence[PartResult],
        origin: Vec3 | None,
        normal: Vec3,
        *,
        hatch: bool = True,
    ) -> int:
        """See :meth:`Answers.section`."""
        from vcad_kernel.service.drawings import section

        return section(path, self._measured(parts), origin, normal, hatch=hatch)

    def drawing(
        self, path: Path, parts: Sequence[PartResult], views: Sequence[str], scale: float | None = None
    ) -> int:
        """See :meth:`Answers.drawing`."""
        from vcad_kernel.service.drawings import drawing

        return drawing(path, self._measured(parts), views, scale)

    def profile(self, parts: Sequence[PartResult]) -> tuple[NodeProfile, ...]:
        """See :meth:`Answers.profile`."""
        if not parts:
            return ()
        return self._recorder.rows(parts[0].document, [part.node for part in parts])

    def measured(self, part: PartResult) -> MeasuredPart:
        """A part with what is measured of it, for who draws or writes it."""
        return MeasuredPart(part, self._measurement(part))

    def _measured(self, parts: Sequence[PartResult]) -> list[MeasuredPart]:
        return [self.measured(part) for part in parts]

    def _measurement(self, part: PartResult) -> Measurement:
        """A part's own measurement, which keeps what it has found; a stranger's is made for the question."""
        own = part.answers
        if own is self:
            return self._measurements[part.node]
        if isinstance(own, DirectAnswers):
            return own._measurement(part)
        kernel = InstalledKernel(self._solids, self._recorder, files=part.files)
        return Measurement(part.document, part.node, part.mesh_figures, kernel, demanded=part.demanded)
