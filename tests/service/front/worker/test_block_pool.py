"""Blocks for meshes: used again when released, never when somebody may still look at them."""

from __future__ import annotations

import errno
import mmap
import os
from pathlib import Path

import pytest

from vcad_kernel.service.front.worker.block_pool import BlockPool, MeshBlock


def test_a_released_block_is_used_again(tmp_path: Path) -> None:
    pool = BlockPool(tmp_path)
    first = pool.take(100_000)
    assert first.size >= 100_000
    assert first.path.stat().st_size == first.size
    assert first.path.stat().st_mode & 0o777 == 0o600
    pool.hand_over(first.name, "client")
    assert pool.take(100_000) != first
    assert pool.release(first.name, "client")
    assert pool.take(90_000) == first


def test_a_small_mesh_does_not_take_a_large_block(tmp_path: Path) -> None:
    pool = BlockPool(tmp_path)
    large = pool.take(50_000_000)
    pool.put_back(large.name)
    assert pool.take(1000) != large
    assert pool.take(40_000_000) == large


def test_only_who_holds_a_block_releases_it(tmp_path: Path) -> None:
    pool = BlockPool(tmp_path)
    block = pool.take(1000)
    pool.hand_over(block.name, "one")
    assert not pool.release(block.name, "other")
    assert not pool.release("../../etc/passwd", "one")
    assert pool.release(block.name, "one")
    assert not pool.release(block.name, "one")


def test_the_block_of_a_client_that_went_is_unlinked_and_its_view_stays_as_it_was(tmp_path: Path) -> None:
    pool = BlockPool(tmp_path)
    block = pool.take(1000)
    block.path.write_bytes(b"mesh" + bytes(block.size - 4))
    with block.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
        pool.hand_over(block.name, "client")
        assert pool.disconnected("client") == 1
        assert not block.path.exists()
        again = pool.take(1000)
        again.path.write_bytes(b"else" + bytes(again.size - 4))
        assert view[:4] == b"mesh"
    assert pool.held == 0


def test_free_blocks_are_kept_up_to_a_limit(tmp_path: Path) -> None:
    pool = BlockPool(tmp_path, kept=1_000_000)
    blocks = [pool.take(400_000) for _ in range(5)]
    for block in blocks:
        pool.put_back(block.name)
    assert pool.free_bytes <= 1_000_000
    assert sum(block.path.exists() for block in blocks) == 2


def test_without_memory_kept_blocks_make_room_and_then_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = BlockPool(tmp_path)
    kept = pool.take(1_000_000)
    pool.put_back(kept.name)
    room = 4_000_000

    def allocate(descriptor: int, start: int, length: int) -> None:
        used = sum(file.stat().st_size for file in tmp_path.iterdir())
        if used + length > room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.truncate(descriptor, length)

    monkeypatch.setattr(os, "posix_fallocate", allocate)
    large = pool.take(3_500_000)
    assert not kept.path.exists()
    with pytest.raises(OSError, match="No space"):
        pool.take(3_500_000)
    assert sorted(tmp_path.iterdir()) == [large.path]


def test_nothing_is_left_after_closing(tmp_path: Path) -> None:
    pool = BlockPool(tmp_path)
    held: MeshBlock = pool.take(1000)
    pool.hand_over(held.name, "client")
    pool.put_back(pool.take(5000).name)
    pool.take(70_000)
    pool.close()
    assert list(tmp_path.iterdir()) == []
