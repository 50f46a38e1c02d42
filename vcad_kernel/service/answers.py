"""What can be asked later of evaluated parts, wherever they live.

A result holds meshes and their figures; whatever may take long (exact figures, tables of edges and
faces, distances, files) is asked for when somebody wants it. In this process
:class:`~vcad_kernel.service.direct_answers.DirectAnswers` answers; a client of a service process has
an answerer of its own, which asks that. Knows no kernel and no wire.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from vcad_kernel.geometry.measure.clearance import Clearance
    from vcad_kernel.geometry.measure.figures import Figures
    from vcad_kernel.geometry.measure.inspection import Edge, Face, Table
    from vcad_kernel.geometry.profiling import NodeProfile
    from vcad_kernel.operations.node import Vec3
    from vcad_kernel.service.protocol import PartResult

__all__ = ["Answers"]


class Answers(Protocol):
    """Answers questions about parts. May be asked from several threads.

    exact, wherever it is an argument: of the exact body, also where the rule for figures takes the mesh.
    Then, and only then, these are raised: CapabilityUnavailable for a curved body with an imported mesh
    inside, GeometryError when the exact body cannot be built or is not the one that the mesh shows.
    """

    def figures(self, part: PartResult, *, exact: bool = False) -> Figures:
        """Volume, area, box and the rest; exact for a part that was evaluated so."""

    def edges(self, part: PartResult, *, exact: bool = False) -> Table[Edge]:
        """Every edge of a part."""

    def faces(self, part: PartResult, *, exact: bool = False) -> Table[Face]:
        """Every face of a part."""

    def clearance(self, a: PartResult, b: PartResult, *, exact: bool = False) -> Clearance:
        """The least distance of two parts, mm; neither may be empty. They may be of different results."""

    def interference(self, a: PartResult, b: PartResult, *, exact: bool = False) -> Figures:
        """Figures of what two parts have in common; of different results, too.

        Raises: GeometryError when the intersection cannot be built.
        """

    def export(self, path: Path, parts: Sequence[PartResult], tolerance: float | None = None) -> int:
        """Write a file whose suffix names the format; the bytes written. An older file stays until then.

        tolerance: chord error of curved faces, mm; by default 0.005. A STEP file needs none.
        Raises: ExportError; for STEP CapabilityUnavailable, naming the part that has an imported mesh
        inside, or GeometryError when the exact body cannot be built.
        """

    def section(
        self,
        path: Path,
        parts: Sequence[PartResult],
        origin: Vec3 | None,
        normal: Vec3,
        *,
        hatch: bool = True,
    ) -> int:
        """Write what a plane cuts of parts as .dxf or .svg; the bytes written.

        origin: a point of the plane, mm; None = the middle of the parts' box. normal: towards the viewer.
        hatch: fill what is cut with lines, in an SVG.
        Raises: SceneError when all parts are empty; ExportError.
        """

    def drawing(
        self, path: Path, parts: Sequence[PartResult], views: Sequence[str], scale: float | None = None
    ) -> int:
        """Write views with hidden lines on one sheet as .svg; the bytes written.

        scale: paper over model; by default the largest standard scale that fits. Raises: ExportError.
        """

    def profile(self, parts: Sequence[PartResult]) -> tuple[NodeProfile, ...]:
        """Where the time of one evaluation's parts went: a row for each node, children first.

        What was asked for since is included.
        """
