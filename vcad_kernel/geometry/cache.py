"""What was evaluated before, by content: a least-recently-used store with a byte limit.

The key is the digest of a sub-graph with the kernels and the tessellation that answered, so an
entry serves every document that contains the same solid. Failures are never kept. Safe to use from
several threads.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.measure import Figures
from vcad_kernel.geometry.mesh import TriMesh
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.ir.digest import Digest

__all__ = ["CacheKey", "CachedSolid", "SolidCache"]

CacheKey: TypeAlias = tuple[Digest, str, Tessellation]
"""Digest of the sub-graph, identity of the kernels, tessellation."""

DEFAULT_LIMIT = 256 * 1024 * 1024
"""Bytes."""


@dataclass(frozen=True, slots=True, eq=False)
class CachedSolid:
    """An evaluated solid without reference to any document's node ids."""

    mesh: TriMesh
    """Without source nodes."""
    figures: Figures
    makers: tuple[Digest, ...]
    """Nodes that made triangles, by content."""
    maker_of: NDArray[np.uint32]
    """(m,) index into ``makers`` for each triangle."""
    notes: tuple[tuple[str, str, Digest], ...]
    """Warnings: code, message, node by content."""

    @property
    def nbytes(self) -> int:
        """Memory held, roughly: the arrays."""
        return self.mesh.nbytes + self.maker_of.nbytes + 512


class SolidCache:
    """Evaluated solids by content; forgets the least recently used beyond ``limit`` bytes."""

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        self._limit = limit
        self._entries: OrderedDict[CacheKey, CachedSolid] = OrderedDict()
        self._nbytes = 0
        self._hits = self._misses = 0
        self._lock = threading.Lock()

    @property
    def nbytes(self) -> int:
        """Bytes held now."""
        return self._nbytes

    @property
    def hits(self) -> int:
        """How many solids that were asked for were known."""
        return self._hits

    @property
    def misses(self) -> int:
        """How many were not."""
        return self._misses

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: CacheKey) -> CachedSolid | None:
        """The solid, if it is still known."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                self._misses += 1
            else:
                self._hits += 1
                self._entries.move_to_end(key)
            return entry

    def put(self, key: CacheKey, solid: CachedSolid) -> None:
        """Remember a solid; one larger than the whole cache is not kept."""
        with self._lock:
            old = self._entries.pop(key, None)
            if old is not None:
                self._nbytes -= old.nbytes
            if solid.nbytes > self._limit:
                return
            self._entries[key] = solid
            self._nbytes += solid.nbytes
            while self._nbytes > self._limit:
                _, dropped = self._entries.popitem(last=False)
                self._nbytes -= dropped.nbytes

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._entries.clear()
            self._nbytes = 0
