"""Parts of a result as JSON objects, and the cutting of one mesh into theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.scene import Material
from vcad_kernel.paths import Workspace
from vcad_kernel.service.protocol import Answers, PartResult
from vcad_kernel.service.wire import figures_json, values
from vcad_kernel.service.wire.values import reading

__all__ = ["STRETCH", "decode", "encode", "meshes_of"]

STRETCH: Final = ("name", "vertices", "triangles_range")
"""Members of a part's object that say which piece of the whole mesh is its own."""


def encode(parts: Sequence[PartResult], *, measured: bool) -> list[dict[str, Any]]:
    """The objects of parts whose meshes lie one after the other in one mesh.

    measured: with their figures as they are to be shown, found now; else with those of their meshes only.
    Raises: when measured, what asking for figures raises where exact ones are demanded.
    """
    data = []
    vertices = triangles = 0
    for part in parts:
        one = {
            "name": part.name,
            "node": int(part.node),
            "digest": part.digest.hex(),
            "material": values.encode(part.material),
            "vertices": [vertices, part.mesh.vertex_count],
            "triangles_range": [triangles, part.mesh.triangle_count],
            "is_empty": part.mesh_figures.is_empty,
            "figures": figures_json.encode(part.mesh_figures, part.document, whole=measured),
            "tolerance": part.tolerance,
            "demanded": part.demanded,
        }
        if measured:
            one["measured"] = figures_json.encode(part.figures, part.document)
        data.append(one)
        vertices += part.mesh.vertex_count
        triangles += part.mesh.triangle_count
    return data


def decode(
    data: Iterable[Mapping[str, Any]],
    meshes: Sequence[Callable[[], TriMesh]],
    made_from: Callable[[], Document],
    answers: Answers,
    files: Workspace | None = None,
) -> tuple[PartResult, ...]:
    """The parts of objects.

    meshes: gives each its own (see `meshes_of`). made_from: gives their document. answers: whom to ask about
    them. files: where their imported files are.
    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED.
    """
    with reading("part"):
        return tuple(
            _part(one, mesh_of, made_from, answers, files) for one, mesh_of in zip(data, meshes, strict=True)
        )


def _part(
    data: Mapping[str, Any],
    mesh_of: Callable[[], TriMesh],
    made_from: Callable[[], Document],
    answers: Answers,
    files: Workspace | None,
) -> PartResult:
    part = PartResult(
        str(data["name"]),
        mesh_of,
        values.decode(data["material"], Material, "material"),
        NodeId(int(data["node"])),
        bytes.fromhex(data["digest"]),
        figures_json.decode(data["figures"], mesh_of),
        made_from,
        answers,
        data.get("tolerance"),
        bool(data.get("demanded")),
        files,
    )
    measured = data.get("measured")
    if measured is not None:
        vars(part)["figures"] = figures_json.decode(measured, mesh_of)  # found already
    return part


def meshes_of(
    data: Iterable[Mapping[str, Any]],
    positions: NDArray[Any],
    indices: NDArray[np.uint32],
    nodes: NDArray[np.uint32] | None,
) -> list[TriMesh]:
    """The meshes of the parts of a result, out of the one mesh that holds them all.

    data: the parts' objects, of which only `STRETCH` counts. positions: (n, 3), float32 or float64.
    The first part's arrays are views.
    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED.
    """
    with reading("mesh of a part"):
        return [_cut(one, positions, indices, nodes) for one in data]


def _cut(
    data: Mapping[str, Any],
    positions: NDArray[Any],
    indices: NDArray[np.uint32],
    nodes: NDArray[np.uint32] | None,
) -> TriMesh:
    first, count = data["vertices"]
    begin, many = data["triangles_range"]
    points, triangles = positions[first : first + count], indices[begin : begin + many]
    if len(points) != count or len(triangles) != many or min(first, begin) < 0:
        raise ValueError(f"part {data['name']!r} reaches beyond the mesh")
    # none is below 0, and looking for the least of a million takes a millisecond
    least = int(triangles.min()) if many and first else first
    if many and not first <= least <= int(triangles.max()) < first + count:
        raise ValueError(f"part {data['name']!r} has triangles between vertices that are not its own")
    return TriMesh(
        np.asarray(points, np.float64),
        triangles - np.uint32(first) if first else triangles,
        np.empty(0, np.uint32) if nodes is None else nodes[begin : begin + many],
    )
