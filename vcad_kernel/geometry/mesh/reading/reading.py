"""Mesh files as solids: STL, OBJ, PLY, OFF, GLB and 3MF to a closed, outward mesh, or a clear refusal.

Files are parsed by trimesh, 3MF by `threemf_reading`, from bytes alone: what a file names beside itself
(materials, textures, outside buffers) is not opened. Lengths are millimetres; formats that know their unit
(3MF, GLB) are converted, and GLB is turned from Y up to Z up. What a mesh must be is the rule for mesh
literals.
"""

from __future__ import annotations

import io
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.imported_file import content_of, import_failed, suffix_of
from vcad_kernel.geometry.mesh.reading.literal import closed_skin
from vcad_kernel.geometry.mesh.reading.threemf_reading import UnreadableError, built_meshes
from vcad_kernel.geometry.sweeps.swept import Skin
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.solids.imported import MeshFile
from vcad_kernel.paths import Workspace

__all__ = ["MESH_SUFFIXES", "read_mesh_file"]

MESH_SUFFIXES = (".3mf", ".glb", ".obj", ".off", ".ply", ".stl")
"""Mesh formats that can be read."""

_FARTHEST = 1e9
"""Millimetres; beyond this doubles no longer resolve a micrometre."""

_GLTF = np.array([[1000.0, 0.0, 0.0], [0.0, 0.0, -1000.0], [0.0, 1000.0, 0.0]])
"""From glTF's metres with Y up to millimetres with Z up."""


_Piece: TypeAlias = tuple[NDArray[np.float64], NDArray[np.int64]]
"""(vertices, triangles)."""


def read_mesh_file(document: Document, node: NodeId, files: Workspace | None) -> Skin | None:
    """The solid of a mesh file, scaled about the origin; None when nothing of it is left.

    Raises: GeometryError IMPORT_FAILED for a file that is no mesh or has changed since the program
    read it, MESH_NOT_MANIFOLD for a mesh that encloses nothing; as `content_of` for the path.
    """
    imported = document.nodes[node]
    assert isinstance(imported, MeshFile)
    data = content_of(document, node, files)
    try:
        positions, triangles = _parsed(data, suffix_of(imported.path))
    except UnreadableError as wrong:
        raise import_failed(document, node, f"{imported.path!r} cannot be read: {wrong}") from wrong
    with np.errstate(over="ignore"):
        scaled = positions * np.array(imported.scale)
    if not np.abs(scaled).max() <= _FARTHEST:
        raise import_failed(document, node, f"{imported.path!r} reaches farther than {_FARTHEST:g} mm")
    return closed_skin(document, node, scaled, triangles, argument="path")


def _parsed(data: bytes, suffix: str) -> _Piece:
    """(vertices in millimetres, triangles) of the whole file."""
    if suffix not in MESH_SUFFIXES:
        known = ", ".join(MESH_SUFFIXES)
        raise UnreadableError(f"the format {suffix!r} is not known; mesh files are {known}")
    if not data:
        raise UnreadableError("the file is empty")
    try:
        pieces = built_meshes(data) if suffix == ".3mf" else _pieces(data, suffix)
    except UnreadableError:
        raise
    except Exception as error:
        # a parser of foreign bytes fails in every way there is: keys, indices, codecs, archives
        reason = str(error).split("\n")[0] or type(error).__name__
        raise UnreadableError(f"it is no proper {suffix} file ({reason})") from error
    if not pieces:
        raise UnreadableError("there is no triangle in it")
    firsts = np.cumsum([0, *(len(positions) for positions, _ in pieces[:-1])])
    positions = np.concatenate([positions for positions, _ in pieces])
    triangles = np.concatenate([faces + first for (_, faces), first in zip(pieces, firsts, strict=True)])
    if not np.all(np.isfinite(positions)):
        raise UnreadableError("a coordinate is not a number")
    if triangles.min() < 0 or triangles.max() >= len(positions):
        raise UnreadableError("a triangle names a vertex that is not there")
    return positions, triangles


def _pieces(data: bytes, suffix: str) -> list[_Piece]:
    """The meshes of the file where its scene puts them, in millimetres, in the order of the scene."""
    import trimesh

    scene: Any = trimesh.load_scene(
        io.BytesIO(data), file_type=suffix[1:], process=False, maintain_order=True, resolver=None
    )
    pieces = []
    for name in scene.graph.nodes_geometry:
        place, geometry = scene.graph[name]
        mesh = scene.geometry[geometry]
        faces = np.asarray(getattr(mesh, "faces", ()), np.int64).reshape(-1, 3)
        if len(faces):
            vertices = np.asarray(mesh.vertices, np.float64)
            placed = vertices @ np.asarray(place)[:3, :3].T + np.asarray(place)[:3, 3]
            pieces.append((placed @ _GLTF.T if suffix == ".glb" else placed, faces))
    return pieces
