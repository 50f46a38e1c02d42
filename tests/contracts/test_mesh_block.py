"""A mesh in a block of memory: what is read is what was written, and what is none is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.contracts.mesh_block import HEADER_SIZE, BlockHeader, MeshBlockError, read, size_for, write


def _mesh(vertices: int, triangles: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(vertices * 1000 + triangles)
    indices = random.integers(0, max(vertices, 1), (triangles, 3)).astype(np.uint32)
    return random.normal(scale=100.0, size=(vertices, 3)), indices


@given(
    st.integers(0, 40),
    st.integers(0, 60),
    st.booleans(),
    st.sets(st.sampled_from(["parts", "nodes", "faces"])),
)
def test_what_is_read_is_what_was_written(
    vertices: int, triangles: int, double: bool, sections: set[str]
) -> None:
    positions, indices = _mesh(vertices, triangles)
    extra = {name: np.arange(triangles, dtype=np.uint32) * 3 + len(name) for name in sections}
    buffer = bytearray(size_for(vertices, triangles, double=double, sections=tuple(sections)))
    used = write(buffer, positions, indices, **extra, double=double, revision=17)
    views = read(buffer)
    assert used == len(buffer)
    assert views.revision == 17
    assert np.array_equal(views.positions, positions if double else positions.astype(np.float32))
    assert np.array_equal(views.indices, indices)
    for name in ("parts", "nodes", "faces"):
        found = getattr(views, name)
        if name in sections and triangles:
            assert np.array_equal(found, extra[name])
        else:
            assert found is None


def test_nothing_is_copied_and_nothing_can_be_written_through_a_view() -> None:
    positions, indices = _mesh(5, 4)
    buffer = bytearray(size_for(5, 4, double=True))
    write(buffer, positions, indices, parts=np.zeros(4, np.uint32), nodes=np.zeros(4, np.uint32), double=True)
    views = read(buffer)
    assert np.shares_memory(views.positions, np.frombuffer(buffer, np.uint8))
    with pytest.raises(ValueError, match="read-only"):
        views.positions[0, 0] = 1.0


def test_a_block_that_is_too_small_is_refused_before_anything_is_written() -> None:
    positions, indices = _mesh(5, 4)
    buffer = bytearray(b"\x07" * 200)
    with pytest.raises(MeshBlockError, match="takes"):
        write(buffer, positions, indices)
    assert buffer == b"\x07" * 200


def test_a_block_whose_writer_died_is_none() -> None:
    positions, indices = _mesh(5, 4)
    buffer = bytearray(size_for(5, 4))
    write(buffer, positions, indices)
    wrong = np.zeros(7, np.uint32)  # fails in the middle, as a killed worker would leave it
    with pytest.raises(MeshBlockError, match="parts"):
        write(buffer, positions, indices, parts=wrong)
    with pytest.raises(MeshBlockError):
        read(buffer)


@pytest.mark.parametrize(
    ("start", "complaint"),
    [
        (b"VCADMESG\x01\0\0\0", "begins with b'VCADMESH'"),
        (b"VCADMESI\x01\0\0\0", "begins with b'VCADMESH'"),
        (b"VCADMESH\0\0\0\0", "version 0"),
        (b"VCADMESH\x02\0\0\0", "version 2"),
    ],
)
def test_a_block_of_another_kind_or_version_is_named_as_such(start: bytes, complaint: str) -> None:
    buffer = bytearray(size_for(6, 8))
    write(buffer, *_mesh(6, 8))
    buffer[: len(start)] = start
    with pytest.raises(MeshBlockError, match=complaint):
        read(buffer)


@given(st.data())
def test_a_damaged_header_is_refused_or_stays_within_the_block(data: st.DataObject) -> None:
    positions, indices = _mesh(6, 8)
    buffer = bytearray(size_for(6, 8))
    write(buffer, positions, indices, parts=np.zeros(8, np.uint32), nodes=np.zeros(8, np.uint32))
    for _ in range(data.draw(st.integers(1, 4))):
        buffer[data.draw(st.integers(0, HEADER_SIZE - 1))] = data.draw(st.integers(0, 255))
    try:
        header = BlockHeader.parse(buffer)
    except MeshBlockError:
        return
    assert all(at >= HEADER_SIZE and at + length <= len(buffer) for at, length in header.sections.values())
    read(buffer)


@given(st.binary(max_size=400))
def test_any_bytes_are_a_block_or_refused(data: bytes) -> None:
    with pytest.raises(MeshBlockError):
        read(data)
    with pytest.raises(MeshBlockError):
        read(b"VCADMESH\x01\0\0\0\x01\0\0\0" + data)


def test_the_arrays_of_an_empty_mesh_cannot_be_written_either() -> None:
    block = bytearray(size_for(0, 0))
    write(block, np.empty((0, 3)), np.empty((0, 3), np.uint32))
    views = read(block)
    assert views.positions.shape == views.indices.shape == (0, 3)
    assert not views.positions.flags.writeable
    assert not views.indices.flags.writeable
