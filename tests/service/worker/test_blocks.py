"""Meshes in shared memory, of which there is only so much."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from vcad_kernel.contracts import mesh_block
from vcad_kernel.errors import ServiceFailure
from vcad_kernel.geometry.mesh.surface.drawn_mesh import DrawnMesh
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.service.shared.control import BlockReady
from vcad_kernel.service.worker.blocks import Blocks
from vcad_kernel.service.worker.front_link import NoMemory

TETRAHEDRON = TriMesh.of(
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
)
ALONE = mesh_block.size_for(4, 4, double=True, sections=("parts",))


@dataclass
class Front:
    """Gives blocks of at most so many bytes."""

    folder: Path
    most: int

    def block(self, seq: int, size: int) -> BlockReady:
        if size > self.most:
            raise NoMemory("no space left on device")
        path = self.folder / "mesh-1"
        path.write_bytes(bytes(size))
        return BlockReady(seq, "mesh-1", str(path))


def written(folder: Path, most: int) -> dict[str, Any]:
    blocks: Any = Blocks(Front(folder, most))  # type: ignore[arg-type]
    try:
        return dict(blocks.write_meshes(1, [TETRAHEDRON], double=True, drawn=[DrawnMesh.of(TETRAHEDRON)]))
    finally:
        blocks.close()


def test_a_mesh_comes_without_how_it_is_drawn_where_memory_does_for_it_alone(tmp_path: Path) -> None:
    assert written(tmp_path, 10 * ALONE)["drawn"] >= ALONE
    place = written(tmp_path, ALONE)
    assert "drawn" not in place
    assert mesh_block.read(Path(place["path"]).read_bytes()).positions.tolist() == (
        TETRAHEDRON.positions.tolist()
    )
    with pytest.raises(ServiceFailure, match=f"no shared memory for a mesh of {ALONE} bytes"):
        written(tmp_path, ALONE - 1)
