"""Files of parts whose kernels are at hand: exact surfaces where the format takes them, else finer meshes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.errors import CapabilityUnavailable, ExportError
from vcad_kernel.exchange import ops
from vcad_kernel.exchange.exact_part import ExactPart
from vcad_kernel.exchange.formats import check_precision, needs_mesh, write
from vcad_kernel.geometry.solid import refuse_no_solid
from vcad_kernel.geometry.tolerance import EXPORT_CHORD, Tessellation
from vcad_kernel.geometry.tri_mesh import PartMesh, TriMesh
from vcad_kernel.ir.document import Root
from vcad_kernel.operations.scene import undefined_material
from vcad_kernel.service.protocol import MeasuredPart, PartResult

__all__ = ["exact_parts", "model", "write_parts"]

_Pose: TypeAlias = NDArray[np.float64]
"""(4, 4) for columns, mm."""


def write_parts(
    path: Path,
    parts: Sequence[MeasuredPart],
    tolerance: float | None = None,
    poses: Sequence[tuple[float, ...] | None] = (),
) -> int:
    """Write parts whose kernels are at hand; the bytes written. Arguments and errors as `Export`."""
    placed = [None if pose is None else np.reshape(pose, (4, 4)) for pose in poses or [None] * len(parts)]
    for measured in parts:
        refuse_no_solid(measured.part.document, measured.part.node)
    wanted = Tessellation(chord=EXPORT_CHORD if tolerance is None else tolerance, for_file=True)
    meshes: list[PartMesh] = []
    if needs_mesh(path.suffix):
        # where a part lies is known before it is meshed as finely as a file wants it
        shown = [measured.measurement.on_mesh.mesh for measured in parts]
        check_precision(path.suffix, _as_placed(parts, shown, placed), wanted.chord)
        fine = [measured.measurement.file_mesh(wanted).mesh for measured in parts]
        meshes = _as_placed(parts, fine, placed)
    return write(
        path,
        meshes,
        exact=lambda: exact_parts(parts, placed),
        model=lambda: model([measured.part for measured in parts], placed),
    )


def _as_placed(
    parts: Sequence[MeasuredPart], meshes: Sequence[TriMesh], poses: Sequence[_Pose | None]
) -> list[PartMesh]:
    return [
        PartMesh(measured.part.name, mesh if pose is None else mesh.placed(pose), measured.part.material)
        for measured, mesh, pose in zip(parts, meshes, poses, strict=True)
    ]


def exact_parts(parts: Sequence[MeasuredPart], poses: Sequence[_Pose | None]) -> list[ExactPart]:
    """The parts with exact surfaces where they stand; empty ones are left out.

    Raises: as `Export` for STEP.
    """
    exact = []
    for measured, pose in zip(parts, poses, strict=True):
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
            exact.append(ExactPart(part.name, body if pose is None else _moved(body, pose), part.material))
    return exact


def _moved(body: Any, pose: _Pose) -> Any:
    from vcad_kernel.geometry.occt.transforms import moved

    return moved(body, pose[:3])


def model(parts: Sequence[PartResult], poses: Sequence[_Pose | None] = ()) -> ops.Model:
    """The parts as a model: all under them, and what they are called.

    Raises: ExportError for parts of several documents, or that do not stand as they are modelled.
    """
    document = parts[0].document
    if any(pose is not None for pose in poses) or any(part.document is not document for part in parts):
        raise ExportError(
            "an .ops file holds what one program has modelled, and nothing of where it has been placed since",
            fix="export each part by itself, or all to .step",
        )
    materials = {
        part.material.name: part.material
        for part in parts
        # of an undefined material, only the name is kept, as the document does
        if part.material.name in document.materials or part.material != undefined_material(part.material.name)
    }
    roots = [Root(part.node, part.material.name) for part in parts]
    return ops.Model(document.only(roots, materials), tuple(part.name for part in parts))
