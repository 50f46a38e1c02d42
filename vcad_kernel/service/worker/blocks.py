"""Meshes and arrays written in place into blocks of shared memory that the front provides.

Their layouts are those of contracts/mesh_block.py and contracts/array_block.py.

A block that comes back is still mapped here, and so are its pages: writing into it costs a tenth of writing
into a new one.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.contracts import array_block, mesh_block
from vcad_kernel.errors import ErrorCode, ServiceFailure
from vcad_kernel.geometry.mesh.surface import drawn_mesh
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.service.worker.front_link import FrontLink, NoMemory

if TYPE_CHECKING:
    from vcad_kernel.geometry.mesh.surface.drawn_mesh import DrawnMesh

__all__ = ["Blocks"]

_KEPT: Final = 16
"""Blocks that stay mapped."""


@dataclass(frozen=True, slots=True)
class _Mapping:
    file: tuple[int, int]
    """Device and inode: a path may come to mean another file."""
    memory: mmap.mmap


class Blocks:
    """Writes for one request after the other. link: where blocks are asked for."""

    def __init__(self, link: FrontLink) -> None:
        self._link = link
        self._mapped: dict[str, _Mapping] = {}
        """By path, the one that was used last at the end."""

    def write_meshes(
        self,
        seq: int,
        meshes: Sequence[TriMesh],
        *,
        double: bool,
        drawn: Sequence[DrawnMesh] | None = None,
        revision: int = 0,
    ) -> dict[str, str | int]:
        """Write the meshes of a request's parts side by side into a block: where they lie, as results say it.

        double: positions as float64 rather than float32. drawn: how each is drawn, for who wants that, too;
        behind the meshes, and left out where there is memory for them alone.
        Raises: ServiceFailure PAYLOAD_TOO_LARGE when there is no block; FrontGone; ProtocolFault.
        """
        mesh = TriMesh.joined(meshes)
        nodes = mesh.source_nodes if len(mesh.source_nodes) == mesh.triangle_count else None
        sections = ("parts",) if nodes is None else ("parts", "nodes")
        size = mesh_block.size_for(mesh.vertex_count, mesh.triangle_count, double=double, sections=sections)
        arrays = {} if drawn is None else drawn_mesh.packed(drawn)
        behind = array_block.placed_after(size)

        def write(memory: mmap.mmap) -> None:
            mesh_block.write(
                memory,
                mesh.positions,
                mesh.indices,
                parts=_part_of_each([part.triangle_count for part in meshes]),
                nodes=nodes,
                double=double,
                revision=revision,
            )
            if arrays:
                array_block.write(memoryview(memory)[behind:], arrays)

        whole = behind + array_block.size_for(arrays) if arrays else size
        try:
            written = self._written(seq, whole, "a mesh", write)
        except ServiceFailure:
            if drawn is None:
                raise
            # together they take three times the memory, and who has the mesh can find it
            return self.write_meshes(seq, meshes, double=double, revision=revision)
        place = {"drawn": behind} if arrays else {}
        return {**written, "vertices": mesh.vertex_count, "triangles": mesh.triangle_count, **place}

    def write_arrays(self, seq: int, arrays: Mapping[str, NDArray[Any]]) -> dict[str, str | int]:
        """Write the arrays of an answer into a block: where they lie, as results say it.

        Raises: as `write_meshes`.
        """
        return self._written(
            seq, array_block.size_for(arrays), "arrays", lambda memory: array_block.write(memory, arrays)
        )

    def _written(
        self, seq: int, size: int, what: str, write: Callable[[mmap.mmap], object]
    ) -> dict[str, str | int]:
        """Have something written into a block of so many bytes. what: for the message."""
        try:
            block = self._link.block(seq, size)
        except NoMemory as full:
            # not WORKER_OUT_OF_MEMORY: another worker would find no more, and know less
            raise ServiceFailure(
                ErrorCode.PAYLOAD_TOO_LARGE,
                f"there is no shared memory for {what} of {size} bytes: {full}",
                fix="release results that are no longer shown, or ask for a coarser mesh",
                details={"limit": 0, "size": size},
            ) from full
        write(self._memory(block.path))
        return {"block": block.name, "path": block.path, "size": size}

    def close(self) -> None:
        """Unmap everything."""
        for mapping in self._mapped.values():
            mapping.memory.close()
        self._mapped.clear()

    def _memory(self, path: str) -> mmap.mmap:
        self._forget_unlinked()
        known = self._mapped.pop(path, None)
        if known is None:
            descriptor = os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
            try:
                known = _Mapping(_file(os.fstat(descriptor)), mmap.mmap(descriptor, 0))
            finally:
                os.close(descriptor)
        self._mapped[path] = known
        while len(self._mapped) > _KEPT:
            self._mapped.pop(next(iter(self._mapped))).memory.close()
        return known.memory

    def _forget_unlinked(self) -> None:
        """Unmap what the front has unlinked, which takes memory as long as it is mapped."""
        for path, mapping in list(self._mapped.items()):
            there = None
            with suppress(OSError):
                there = _file(Path(path).stat())
            if there != mapping.file:
                del self._mapped[path]
                mapping.memory.close()


def _part_of_each(counts: Sequence[int]) -> NDArray[np.uint32]:
    """The number of the part that each triangle belongs to. counts: triangles of each part."""
    if len(counts) == 1:
        return np.broadcast_to(np.uint32(0), counts[0])  # takes no memory
    return np.repeat(np.arange(len(counts), dtype=np.uint32), counts)


def _file(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
