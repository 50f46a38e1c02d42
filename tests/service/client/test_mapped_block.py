"""Mesh blocks in the client: mapped as they are, and given back when nobody looks."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import numpy as np
import pytest

from vcad_kernel.contracts import mesh_block
from vcad_kernel.errors import ErrorCode, ServiceFailure
from vcad_kernel.service.client.mapped_block import MappedBlock


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
