"""Mesh blocks in the client: copied, or mapped as they are and given back when nobody looks."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import numpy as np
import psutil
import pytest

from vcad_kernel.contracts import array_block, mesh_block
from vcad_kernel.errors import ErrorCode, ServiceFailure
from vcad_kernel.service.client.mapped_block import MAPPED, MappedBlock, arrays_in, mesh_in


@pytest.fixture
def block(tmp_path: Path) -> Path:
    """The file of a block with one triangle."""
    path = tmp_path / "block"
    with path.open("w+b") as file:
        file.truncate(mesh_block.size_for(3, 1, double=True))
        content = bytearray(path.stat().st_size)
        mesh_block.write(
            content,
            np.arange(9.0).reshape(3, 3),
            np.array([[0, 1, 2]], np.uint32),
            nodes=np.array([7], np.uint32),
            double=True,
        )
        file.write(content)
    return path


def mapped(path: Path, released: list[str], size: int | None = None) -> MappedBlock:
    return MappedBlock.open("b1", str(path), size or path.stat().st_size, released.append)


def test_the_arrays_are_the_memory_of_the_block(block: Path) -> None:
    views = mapped(block, []).views()
    assert views.positions.tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert not views.positions.flags.writeable
    header = mesh_block.BlockHeader.parse(block.read_bytes())
    with block.open("r+b") as file:
        file.seek(header.sections["positions"][0])
        file.write(np.float64(5.5).tobytes())
    assert views.positions[0, 0] == 5.5


def test_a_block_is_given_back_once_when_its_last_array_is_gone(block: Path) -> None:
    released: list[str] = []
    one = mapped(block, released)
    views = one.views()
    del one
    piece = views.indices[:1]
    del views
    gc.collect()
    assert released == []
    assert piece.tolist() == [[0, 1, 2]]
    del piece
    gc.collect()
    assert released == ["b1"]


@pytest.mark.parametrize("size", [0, 10**6])
def test_a_block_that_cannot_be_mapped_is_given_back(tmp_path: Path, size: int) -> None:
    released: list[str] = []
    with pytest.raises(ServiceFailure) as failed:
        mapped(tmp_path / "missing", released, size or 1)
    assert failed.value.error_code == ErrorCode.CAPABILITY_UNAVAILABLE
    assert released == ["b1"]


def test_a_block_without_a_mesh_is_refused_and_given_back(tmp_path: Path) -> None:
    released: list[str] = []
    (tmp_path / "zeros").write_bytes(bytes(4096))
    with pytest.raises(ServiceFailure, match="holds no mesh"):
        mapped(tmp_path / "zeros", released).views()
    gc.collect()
    assert released == ["b1"]


def test_a_block_smaller_than_announced_is_refused(block: Path) -> None:
    with pytest.raises(ServiceFailure, match="cannot be mapped"):
        mapped(block, [], 10**7)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_block_that_a_forked_child_may_see_is_kept(block: Path) -> None:
    released: list[str] = []
    views = mapped(block, released).views()
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    del views
    gc.collect()
    assert released == []


# ---- which are copied, and which mapped ---------------------------------------------------------


def block_of(path: Path, triangles: int, first: float = 0.0) -> int:
    """Write a block; its size."""
    content = bytearray(mesh_block.size_for(3, triangles, double=True))
    points = np.arange(9.0).reshape(3, 3) + first
    size = mesh_block.write(content, points, np.zeros((triangles, 3), np.uint32), double=True)
    path.write_bytes(content)
    return size


def test_a_small_block_is_copied_and_given_back_at_once(tmp_path: Path) -> None:
    released: list[str] = []
    size = block_of(tmp_path / "b", 1)
    views = mesh_in("b1", str(tmp_path / "b"), size, released.append)
    assert released == ["b1"]
    block_of(tmp_path / "b", 1, first=5.0)  # the service uses it for the next mesh
    assert views.positions.tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert not views.positions.flags.writeable


def test_however_many_large_meshes_are_held_few_are_mapped(tmp_path: Path) -> None:
    released: list[str] = []
    size = block_of(tmp_path / "b", 100_000)
    before = psutil.Process().num_fds()
    held = [mesh_in(f"b{n}", str(tmp_path / "b"), size, released.append) for n in range(3 * MAPPED)]
    assert psutil.Process().num_fds() <= before + MAPPED
    assert len(released) == 2 * MAPPED
    assert all(np.array_equal(views.positions, held[0].positions) for views in held)
    del held
    gc.collect()
    assert len(released) == 3 * MAPPED


@pytest.mark.parametrize("size", [1, 2**22])
def test_a_block_that_is_not_there_is_refused_and_given_back(tmp_path: Path, size: int) -> None:
    released: list[str] = []
    with pytest.raises(ServiceFailure) as failed:
        mesh_in("b1", str(tmp_path / "missing"), size, released.append)
    assert failed.value.error_code == ErrorCode.CAPABILITY_UNAVAILABLE
    assert released == ["b1"]


def test_a_small_block_that_ends_too_early_is_refused(tmp_path: Path) -> None:
    block_of(tmp_path / "b", 1)
    size = (tmp_path / "b").stat().st_size
    with pytest.raises(ServiceFailure, match=f"has {size} bytes of {size + 1}"):
        mesh_in("b1", str(tmp_path / "b"), size + 1, [].append)


@pytest.mark.parametrize("size", [0, 4096])
def test_a_small_block_without_a_mesh_is_refused(tmp_path: Path, size: int) -> None:
    (tmp_path / "zeros").write_bytes(bytes(size))
    with pytest.raises(ServiceFailure, match="holds no mesh"):
        mesh_in("b1", str(tmp_path / "zeros"), size, [].append)


@pytest.mark.parametrize("count", [10, 2**20])
def test_arrays_come_as_meshes_do(tmp_path: Path, count: int) -> None:
    arrays = {"lines": np.arange(count, dtype=np.float32)}
    content = bytearray(array_block.size_for(arrays))
    array_block.write(content, arrays)
    (tmp_path / "b").write_bytes(content)
    released: list[str] = []
    found = arrays_in("b1", str(tmp_path / "b"), len(content), released.append)
    assert np.array_equal(found["lines"], arrays["lines"])
    del found
    gc.collect()
    assert released == ["b1"]


def test_a_mesh_is_no_block_of_arrays(block: Path) -> None:
    released: list[str] = []
    with pytest.raises(ServiceFailure, match="no arrays") as refused:
        arrays_in("b1", str(block), block.stat().st_size, released.append)
    assert refused.value.error_code == ErrorCode.CAPABILITY_UNAVAILABLE
    assert released == ["b1"]
