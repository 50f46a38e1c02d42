"""Files from a result: exact surfaces where the format takes them, else meshes finer than are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from vcad_kernel.errors import CapabilityUnavailable
from vcad_kernel.exchange.drawing import DrawnPart
from vcad_kernel.exchange.exact_part import ExactPart
from vcad_kernel.exchange.formats import needs_brep, write
from vcad_kernel.geometry.evaluate import EvaluationOptions, evaluate
from vcad_kernel.geometry.mesh import PartMesh
from vcad_kernel.geometry.tolerance import EXPORT_CHORD, Tessellation
from vcad_kernel.ir.document import Root
from vcad_kernel.service.protocol import EvaluationResult, PartResult

__all__ = ["drawn_parts", "exact_parts", "export"]


def export(
    path: Path,
    result: EvaluationResult,
    parts: Sequence[PartResult] | None = None,
    tolerance: float | None = None,
) -> int:
    """Write parts of a result to a file whose suffix names the format.

    parts: all of the result's by default. tolerance: chord error of curved faces, mm; by default
    0.005. A STEP file holds the exact body and needs none. Returns: bytes written.
    Raises: ExportError; for STEP CapabilityUnavailable, naming the part that has an imported mesh
    inside, or GeometryError when the exact body cannot be built.
    """
    chosen = result.parts if parts is None else parts
    chord = EXPORT_CHORD if tolerance is None else tolerance
    meshes = [] if needs_brep(path.suffix) else [_mesh(part, chord) for part in chosen]
    return write(path, meshes, exact=lambda: exact_parts(chosen))


def exact_parts(parts: Sequence[PartResult]) -> list[ExactPart]:
    """The parts with exact surfaces; empty ones are left out. Raises: as `export` for STEP."""
    found = []
    for part in parts:
        measurement = part.measurement
        try:
            body = measurement.kernel.brep(measurement.document, part.node)
        except CapabilityUnavailable as missing:
            raise CapabilityUnavailable(
                f"part {part.name!r} has no exact surfaces: {missing.message}",
                place=missing.place,
                fix="export the part to a format of meshes, such as .3mf or .stl",
                details={**missing.details, "part": part.name},
            ) from missing
        if body is not None:
            found.append(ExactPart(part.name, body, part.material))
    return found


def drawn_parts(parts: Sequence[PartResult]) -> list[DrawnPart]:
    """The parts as drawings take them: exact where they can be, else their meshes, finer than shown."""
    found = []
    for part in parts:
        try:
            body = part.measurement.kernel.brep(part.measurement.document, part.node)
        except CapabilityUnavailable:
            body = None  # an imported mesh inside: the drawing shows the mesh
        mesh = part.part_mesh() if body is not None else _mesh(part, EXPORT_CHORD)
        found.append(DrawnPart(part.name, mesh.mesh, body, part.material))
    return found


def _mesh(part: PartResult, chord: float) -> PartMesh:
    """The part as shown where that is close enough, else meshed again."""
    shown = part.measurement.on_mesh.tolerance
    if shown is None or shown <= chord:
        return part.part_mesh()
    alone = replace(part.measurement.document, roots=(Root(part.node, part.material.name),))
    options = EvaluationOptions(Tessellation(chord=chord), exact=part.measurement.kernel, files=part.files)
    scene = evaluate(alone, options)
    scene.raise_first()
    return PartMesh(part.name, scene.parts[0].mesh, part.material)
