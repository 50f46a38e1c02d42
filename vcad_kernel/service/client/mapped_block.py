"""A block of the service in this process: a small one is copied, a large one mapped as it is.

    views = mesh_in(name, path, size, released)         # MeshViews; drawn_at: where arrays lie behind it
    arrays = arrays_in(name, path, size, released)      # arrays by name

What is copied is given back at once. Of what is mapped nothing is copied: as long as any array lives, so does
the mapping, which takes a descriptor, and the service keeps the block; when the last one is gone, `released`
is called with its name, on whatever thread that happens. However many blocks are held, only so many are
mapped at a time. A block that a forked child may be looking at is never given back: it goes with the
connection.
"""

from __future__ import annotations

import mmap
import os
import weakref
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from vcad_kernel.contracts.array_block import ArrayBlockError
from vcad_kernel.contracts.mesh_block import MeshBlockError
from vcad_kernel.errors import ErrorCode, ServiceFailure
from vcad_kernel.system.files import NO_LINK, UNSHARED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vcad_kernel.contracts.mesh_block import MeshViews

__all__ = ["MAPPED", "MappedBlock", "arrays_in", "mesh_in"]

T = TypeVar("T")

_COPIED: Final = 2**20
"""Bytes up to which a block is copied: a tenth of a millisecond, where a warm cell takes tens."""
MAPPED: Final = 16
"""Blocks that are mapped at a time; a process may have as few as 256 descriptors in all (macOS)."""

_READ: Final = os.O_RDONLY | NO_LINK | UNSHARED

_mapped: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()
_kept: dict[int, weakref.finalize[..., mmap.mmap]] = {}
"""What will give back each block that is mapped, by the identity of that."""


def mesh_in(
    name: str, path: str, size: int, released: Callable[[str], None], *, drawn_at: int | None = None
) -> MeshViews:
    """The mesh of a block; arguments and errors as of `MappedBlock.open`.

    drawn_at: where behind it the arrays begin by which it is drawn, if it came with some.
    """
    return _taken(name, path, size, released, partial(_mesh, drawn_at=drawn_at))


def arrays_in(name: str, path: str, size: int, released: Callable[[str], None]) -> Mapping[str, NDArray[Any]]:
    """The arrays of a block by their names; arguments and errors as of `MappedBlock.open`."""
    return _taken(name, path, size, released, _arrays)


def _taken(
    name: str,
    path: str,
    size: int,
    released: Callable[[str], None],
    read: Callable[[mmap.mmap | bytearray], T],
) -> T:
    if size > _COPIED and len(_mapped) < MAPPED:
        return read(MappedBlock.open(name, path, size, released).memory)
    content = bytearray(size)
    try:
        with os.fdopen(os.open(path, _READ), "rb", buffering=0) as block:
            there = block.readinto(content)
    except OSError as failed:
        raise _unusable(f"the memory that holds it cannot be read ({failed})") from failed
    finally:
        released(name)
    if there != size:
        raise _unusable(f"the memory that holds it has {there} bytes of {size}")
    return read(content)


class MappedBlock:
    """Made by :meth:`open`."""

    def __init__(self, name: str, mapping: mmap.mmap) -> None:
        self.name = name
        self.memory = mapping
        """Read only; a view of it keeps it."""

    @classmethod
    def open(cls, name: str, path: str, size: int, released: Callable[[str], None]) -> MappedBlock:
        """Map a block to read it.

        size: bytes of it that are used. released: called once, when no view of it is left.
        Raises: ServiceFailure of CAPABILITY_UNAVAILABLE when it cannot be mapped here, in which case it has
        been given back.
        """
        try:
            handle = os.open(path, _READ)
            try:
                mapping = mmap.mmap(handle, size, access=mmap.ACCESS_READ)
            finally:
                os.close(handle)
        except (OSError, ValueError) as failed:
            released(name)
            raise _unusable(f"the memory that holds it cannot be mapped ({failed})") from failed
        giving_back = weakref.finalize(mapping, _give_back, id(mapping), name, released)
        giving_back.atexit = False  # the end of the connection gives back everything
        _kept[id(mapping)] = giving_back
        _mapped.add(mapping)
        return cls(name, mapping)

    def views(self) -> MeshViews:
        """The arrays in it. Raises: ServiceFailure of CAPABILITY_UNAVAILABLE when it holds no mesh."""
        return _mesh(self.memory)


def _mesh(buffer: mmap.mmap | bytearray, drawn_at: int | None = None) -> MeshViews:
    from vcad_kernel.contracts.mesh_block import read

    try:
        views = read(buffer)
        return views if drawn_at is None else replace(views, drawn=_arrays(memoryview(buffer)[drawn_at:]))
    except MeshBlockError as bad:
        raise _unusable(f"the memory that was announced holds no mesh ({bad})") from bad


def _arrays(buffer: mmap.mmap | bytearray | memoryview) -> Mapping[str, NDArray[Any]]:
    from vcad_kernel.contracts.array_block import read

    try:
        return read(buffer)
    except ArrayBlockError as bad:
        raise _unusable(f"the memory that was announced holds no arrays ({bad})") from bad


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


def _unusable(message: str) -> ServiceFailure:
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
