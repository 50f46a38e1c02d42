"""A part in the process that evaluated it: its result, and what is measured of it on demand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vcad_kernel.geometry.measure.part_figures import Measurement
from vcad_kernel.service.protocol import PartResult

__all__ = ["MeasuredPart"]


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredPart:
    """A part and its measurement."""

    part: PartResult
    measurement: Measurement

    def brep(self) -> Any:
        """The exact solid; None = the empty one. Raises: as `ExactKernel.brep`."""
        return self.measurement.kernel.brep(self.measurement.document, self.measurement.node)
