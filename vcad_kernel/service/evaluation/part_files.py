"""Files of parts whose kernels are at hand: exact surfaces where the format takes them, else finer meshes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vcad_kernel.errors import CapabilityUnavailable
from vcad_kernel.exchange import ops
from vcad_kernel.exchange.exact_part import ExactPart
from vcad_kernel.exchange.formats import check_precision, needs_mesh, write
from vcad_kernel.geometry.solid import refuse_profile
from vcad_kernel.geometry.tolerance import EXPORT_CHORD, Tessellation
from vcad_kernel.geometry.tri_mesh import PartMesh
from vcad_kernel.ir.document import Root
from vcad_kernel.operations.scene import undefined_material
from vcad_kernel.service.protocol import MeasuredPart, PartResult

__all__ = ["exact_parts", "model", "write_parts"]


def write_parts(
    path: Path,
    parts: Sequence[MeasuredPart],
    tolerance: float | None = None,
) -> int:
    """Write parts whose kernels are at hand; the bytes written. Arguments and errors as `Export`."""
    for one in parts:
        refuse_profile(one.part.document, one.part.node)
    wanted = Tessellation(chord=EXPORT_CHORD if tolerance is None else tolerance)
    meshes = []
    if needs_mesh(path.suffix):
        meshes = [
            PartMesh(one.part.name, one.measurement.file_mesh(wanted).mesh, one.part.material)
            for one in parts
        ]
        check_precision(path.suffix, meshes, wanted.chord)
    return write(
        path,
        meshes,
        exact=lambda: exact_parts(parts),
        model=lambda: model([measured.part for measured in parts]),
    )


def exact_parts(parts: Sequence[MeasuredPart]) -> list[ExactPart]:
    """The parts with exact surfaces; empty ones are left out. Raises: as `Export` for STEP."""
    exact = []
    for measured in parts:
        part = measured.part
        try:
            body = measured.brep()
        except CapabilityUnavailable as missing:
            raise CapabilityUnavailable(
                f"part {part.name!r} has no exact surfaces: {missing.message}",
                place=missing.place,
                why=missing.why,
                # a machine can be mended; what is a mesh stays one
                fix=missing.fix
                if missing.why
                else "export the part to a format of meshes, such as .3mf or .stl",
                details={**missing.details, "part": part.name},
            ) from missing
        if body is not None:
            exact.append(ExactPart(part.name, body, part.material))
    return exact


def model(parts: Sequence[PartResult]) -> ops.Model:
    """The parts, which are of one document, as a model: all under them, and what they are called."""
    document = parts[0].document
    materials = {
        part.material.name: part.material
        for part in parts
        # of a material that nobody has defined, only the name is kept, as the document does
        if part.material.name in document.materials or part.material != undefined_material(part.material.name)
    }
    roots = [Root(part.node, part.material.name) for part in parts]
    return ops.Model(document.only(roots, materials), tuple(part.name for part in parts))
