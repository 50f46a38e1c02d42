"""Blocks of shared memory for meshes: who has which, and which may be used again.

    block = pool.take(size)              # a file that the worker writes a mesh into
    pool.hand_over(block.name, client)   # the client has been notified of it
    pool.release(block.name, client)     # it needs it no more: the next mesh may have it

The front alone makes and unlinks the files. A kept block costs a tenth of a new one, since its pages
are there. One whose client has gone without releasing it is unlinked and never used again: views of it
may be left. Does not look into a block.
"""

from __future__ import annotations

import os
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["BlockPool", "MeshBlock"]

_SMALLEST: Final = 2**16
_KEPT: Final = 256 * 2**20
"""Bytes of free blocks that are kept by default."""
_FITTING: Final = 4
"""A block is used for a mesh that takes at least this part of it."""


@dataclass(frozen=True, slots=True)
class MeshBlock:
    """One file."""

    name: str
    path: Path
    size: int
    """Bytes."""


class BlockPool:
    """folder: where the files lie, a private one. kept: bytes of free blocks that are kept at most."""

    def __init__(self, folder: Path, *, kept: int = _KEPT) -> None:
        self._folder = folder
        self._kept = kept
        self._made = 0
        self._free: list[MeshBlock] = []
        """The one that was freed last comes last."""
        self._writing: dict[str, MeshBlock] = {}
        self._held: dict[str, tuple[MeshBlock, Hashable]] = {}

    def take(self, size: int) -> MeshBlock:
        """A block of at least so many bytes, for the worker to write into.

        Raises: OSError when there is no memory for it.
        """
        fitting = [free for free in self._free if size <= free.size <= _FITTING * max(size, _SMALLEST)]
        if fitting:
            block = min(fitting, key=lambda free: free.size)
            self._free.remove(block)
        else:
            block = self._new(_rounded(size))
        self._writing[block.name] = block
        return block

    def hand_over(self, name: str, owner: Hashable) -> MeshBlock:
        """Note that a written block is a client's now. Raises: KeyError."""
        block = self._writing.pop(name)
        self._held[name] = (block, owner)
        return block

    def put_back(self, name: str) -> None:
        """A block that no client knows is free again."""
        block = self._writing.pop(name, None)
        if block is not None:
            self._keep(block)

    def release(self, name: str, owner: Hashable) -> bool:
        """A client gives a block back; False when it is not its to give."""
        held = self._held.get(name)
        if held is None or held[1] != owner:
            return False
        del self._held[name]
        self._keep(held[0])
        return True

    def disconnected(self, owner: Hashable) -> int:
        """Unlink what a client held when it went; how many that were."""
        left = [name for name, (_, holder) in self._held.items() if holder == owner]
        for name in left:
            _unlink(self._held.pop(name)[0])
        return len(left)

    @property
    def held(self) -> int:
        """Blocks that clients hold."""
        return len(self._held)

    @property
    def free_bytes(self) -> int:
        """Bytes of the blocks that wait to be used again."""
        return sum(block.size for block in self._free)

    def close(self) -> None:
        """Unlink every block."""
        for block in (*self._free, *self._writing.values(), *(block for block, _ in self._held.values())):
            _unlink(block)
        self._free.clear()
        self._writing.clear()
        self._held.clear()

    def _new(self, size: int) -> MeshBlock:
        try:
            return self._allocated(size)
        except OSError:
            if not self._free:
                raise
        # what is kept for later makes room for what is wanted now
        self._drop_free(0)
        return self._allocated(size)

    def _allocated(self, size: int) -> MeshBlock:
        self._made += 1
        name = f"mesh-{self._made}"
        block = MeshBlock(name, self._folder / name, size)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
        descriptor = os.open(block.path, flags, 0o600)
        try:
            # a write to a page for which there is no memory would kill the worker
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(descriptor, 0, size)
            else:
                os.truncate(descriptor, size)
        except OSError:
            _unlink(block)
            raise
        finally:
            os.close(descriptor)
        return block

    def _keep(self, block: MeshBlock) -> None:
        self._free.append(block)
        self._drop_free(self._kept)

    def _drop_free(self, limit: int) -> None:
        """Unlink those that have been free for the longest time."""
        while self._free and self.free_bytes > limit:
            _unlink(self._free.pop(0))


def _rounded(size: int) -> int:
    """Sizes with some room, so that a mesh that grows a little finds a block: four to each doubling."""
    step = max(_SMALLEST, 1 << max(0, size.bit_length() - 3))
    return -(-size // step) * step


def _unlink(block: MeshBlock) -> None:
    block.path.unlink(missing_ok=True)
