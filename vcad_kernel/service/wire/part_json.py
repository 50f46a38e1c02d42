"""Parts of a result as structs, and the cutting of one mesh into theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from msgspec import UNSET, Struct, UnsetType
from numpy.typing import NDArray

from vcad_kernel.geometry.mesh.surface.drawn_mesh import DrawnMesh, unpacked
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.scene import Material
from vcad_kernel.paths import Workspace
from vcad_kernel.service.protocol import Answers, PartResult
from vcad_kernel.service.wire import figures_json
from vcad_kernel.service.wire.values import reading

__all__ = ["Form", "Stretch", "decode", "drawn_of", "encode", "meshes_of"]


class Stretch(Struct, frozen=True):
    """Of a part, which piece of the whole mesh is its own."""

    name: str
    vertices: tuple[int, int]
    """Its first, and how many."""
    triangles_range: tuple[int, int]


class Form(Struct, frozen=True, kw_only=True):
    """A part."""

    name: str
    node: int
    digest: str
    """In hexadecimal digits."""
    material: Material
    vertices: tuple[int, int]
    triangles_range: tuple[int, int]
    is_empty: bool
    figures: figures_json.Form
    """Of its mesh."""
    tolerance: float | None = None
    demanded: bool = False
    measured: figures_json.Form | UnsetType | None = UNSET
    """As they are to be shown, where they are not deferred."""


def encode(parts: Sequence[PartResult], *, measured: bool) -> tuple[Form, ...]:
    """The structs of parts whose meshes lie one after the other in one mesh.

    measured: with their figures as they are to be shown, found now; else with those of their meshes only.
    Raises: when measured, what asking for figures raises where exact ones are demanded.
    """
    forms = []
    vertices = triangles = 0
    for part in parts:
        forms.append(
            Form(
                name=part.name,
                node=part.node,
                digest=part.digest.hex(),
                material=part.material,
                vertices=(vertices, part.mesh.vertex_count),
                triangles_range=(triangles, part.mesh.triangle_count),
                is_empty=part.mesh_figures.is_empty,
                figures=figures_json.encode(part.mesh_figures, part.document, whole=measured),
                tolerance=part.tolerance,
                demanded=part.demanded,
                measured=figures_json.encode(part.figures, part.document) if measured else UNSET,
            )
        )
        vertices += part.mesh.vertex_count
        triangles += part.mesh.triangle_count
    return tuple(forms)


def decode(
    forms: Iterable[Form],
    meshes: Sequence[Callable[[], TriMesh]],
    made_from: Callable[[], Document],
    answers: Answers,
    files: Workspace | None = None,
) -> tuple[PartResult, ...]:
    """The parts of structs.

    meshes: gives each its own (see `meshes_of`). made_from: gives their document. answers: whom to ask about
    them. files: where their imported files are.
    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED.
    """
    with reading("part"):
        return tuple(
            _part(form, mesh_of, made_from, answers, files)
            for form, mesh_of in zip(forms, meshes, strict=True)
        )


def _part(
    form: Form,
    mesh_of: Callable[[], TriMesh],
    made_from: Callable[[], Document],
    answers: Answers,
    files: Workspace | None,
) -> PartResult:
    part = PartResult(
        form.name,
        mesh_of,
        form.material,
        NodeId(form.node),
        bytes.fromhex(form.digest),
        figures_json.decode(form.figures, mesh_of),
        made_from,
        answers,
        form.tolerance,
        form.demanded,
        files,
    )
    if form.measured:
        vars(part)["figures"] = figures_json.decode(form.measured, mesh_of)  # found already
    return part


def meshes_of(
    stretches: Iterable[Stretch],
    positions: NDArray[np.floating],
    indices: NDArray[np.uint32],
    nodes: NDArray[np.uint32] | None,
) -> list[TriMesh]:
    """The meshes of the parts of a result, out of the one mesh that holds them all.

    positions: (n, 3), float32 or float64. The first part's arrays are views.
    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED.
    """
    with reading("mesh of a part"):
        return [_cut(stretch, positions, indices, nodes) for stretch in stretches]


def drawn_of(meshes: Sequence[TriMesh], arrays: Mapping[str, NDArray[np.generic]]) -> list[DrawnMesh]:
    """How each mesh is drawn, ready for the renderer: the arrays that came with them all.

    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED.
    """
    with reading("drawing of a part"):
        drawn = unpacked(arrays, meshes)
    for each, mesh in zip(drawn, meshes, strict=True):
        each.keep(mesh)
    return drawn


def _cut(
    stretch: Stretch,
    positions: NDArray[np.floating],
    indices: NDArray[np.uint32],
    nodes: NDArray[np.uint32] | None,
) -> TriMesh:
    first, count = stretch.vertices
    begin, many = stretch.triangles_range
    points, triangles = positions[first : first + count], indices[begin : begin + many]
    if len(points) != count or len(triangles) != many or min(first, begin) < 0:
        raise ValueError(f"part {stretch.name!r} reaches beyond the mesh")
    # none is below 0, and looking for the least of a million takes a millisecond
    least = int(triangles.min()) if many and first else first
    if many and not first <= least <= int(triangles.max()) < first + count:
        raise ValueError(f"part {stretch.name!r} has triangles between vertices that are not its own")
    return TriMesh(
        np.asarray(points, np.float64),
        triangles - np.uint32(first) if first else triangles,
        np.empty(0, np.uint32) if nodes is None else nodes[begin : begin + many],
    )
