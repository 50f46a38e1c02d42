"""A mesh block of the service, mapped into this process: its arrays are the service's own memory.

    block = MappedBlock.open(name, path, size, released)
    views = block.views()

Nothing is copied. As long as any array lives, so does the mapping, and the service keeps the block; when
the last one is gone, ``released`` is called with its name, on whatever thread that happens. A block that
a forked child may be looking at is never given back: it goes with the connection.
"""

from __future__ import annotations

import mmap
import os
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

from vcad_kernel.contracts.mesh_block import MeshBlockError
from vcad_kernel.errors import ErrorCode, ServiceFailure
from vcad_kernel.files import NO_LINK, UNSHARED

if TYPE_CHECKING:
    from vcad_kernel.contracts.mesh_block import MeshViews

__all__ = ["MappedBlock"]

_kept: dict[int, weakref.finalize[..., mmap.mmap]] = {}
"""What will give back each block that is mapped, by the identity of that."""


class MappedBlock:
    """Made by :meth:`open`."""

    def __init__(self, name: str, mapping: mmap.mmap) -> None:
        self.name = name
        self._mapping = mapping

    @classmethod
    def open(cls, name: str, path: str, size: int, released: Callable[[str], None]) -> MappedBlock:
        """Map a block to read it.

        size: bytes of it that are used. released: called once, when nobody looks at it any more.
        Raises: ServiceFailure of CAPABILITY_UNAVAILABLE when it cannot be mapped here, in which case it has
        been given back.
        """
        try:
            handle = os.open(path, os.O_RDONLY | NO_LINK | UNSHARED)
            try:
                mapping = mmap.mmap(handle, size, access=mmap.ACCESS_READ)
            finally:
                os.close(handle)
        except (OSError, ValueError) as failed:
            released(name)
            raise _unmappable(f"the memory that holds the mesh cannot be mapped ({failed})") from failed
        giving_back = weakref.finalize(mapping, _give_back, id(mapping), name, released)
        giving_back.atexit = False  # the end of the connection gives back everything
        _kept[id(mapping)] = giving_back
        return cls(name, mapping)

    def views(self) -> MeshViews:
        """The arrays in it. Raises: ServiceFailure of CAPABILITY_UNAVAILABLE when it holds no mesh."""
        from vcad_kernel.contracts.mesh_block import read

        try:
            return read(self._mapping)
        except MeshBlockError as bad:
            raise _unmappable(f"the memory that was announced holds no mesh ({bad})") from bad


def _give_back(identity: int, name: str, released: Callable[[str], None]) -> None:
    _kept.pop(identity, None)
    released(name)


def _keep_for_the_child() -> None:
    """Before a fork: what is mapped now stays the service's to take back."""
    for giving_back in list(_kept.values()):
        giving_back.detach()
    _kept.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_keep_for_the_child)


def _unmappable(message: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.CAPABILITY_UNAVAILABLE,
        message,
        fix="evaluate with a service on this machine, of the same user",
        details={
            "required_capability": "mesh.shm",
            "negotiated_capabilities": ["mesh.shm"],
            "operation": "mesh",
        },
    )
