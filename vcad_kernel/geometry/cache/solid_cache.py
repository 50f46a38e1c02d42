"""What was evaluated before, by content: a least-recently-used store with a byte limit.

The key is the digest of a sub-graph with the question, the kernel that answered and how finely, so an entry
serves every document that contains the same solid. Both kernels keep their answers here: noted and
carried-out bodies, finished meshes, B-reps, and what was measured of them,
which is found again without loading the exact kernel. Failures are never kept.
A slower store behind it may remember across restarts. Safe to use from several threads.
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.measure.figures import Figures, measure
from vcad_kernel.geometry.measure.referee import MESH_UNSOUND
from vcad_kernel.geometry.mesh.manifold_kernel import Made
from vcad_kernel.geometry.solid import ExactFigures, Note
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.ir.digest import Digest
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId

__all__ = [
    "DEFAULT_LIMIT",
    "NOTHING",
    "CacheKey",
    "CachedSolid",
    "Kept",
    "KeptFigures",
    "LastingStore",
    "SolidCache",
    "figures_key",
    "finished",
]

CacheKey: TypeAlias = tuple[Digest, str, Tessellation | None]
"""Digest of the sub-graph; what was asked and the identity of the kernels; tessellation, where it matters."""

DEFAULT_LIMIT = 256 * 1024 * 1024
"""Bytes."""
_ENTRY = 256
"""Bytes that an entry takes besides its value, roughly."""


class Kept(Protocol):
    """Anything that is kept."""

    @property
    def nbytes(self) -> int:
        """Memory held, roughly."""


class LastingStore(Protocol):
    """Where answers outlive the process; decides itself which are worth it."""

    def get(self, key: CacheKey) -> Any | None:
        """The answer, if it is there and whole."""

    def put(self, key: CacheKey, value: Any) -> None:
        """Keep an answer if it is of a lasting kind; never fails."""


class SolidCache:
    """Answers by content; forgets the least recently used beyond ``limit`` bytes.

    behind: a store that is read for what is not here, and gets what is new.
    """

    def __init__(self, limit: int = DEFAULT_LIMIT, behind: LastingStore | None = None) -> None:
        self.limit = limit
        """Bytes that may be held."""
        self.nbytes = 0
        """Bytes held now."""
        self.hits = self.misses = 0
        """How many answers that were asked for were known, and how many were not."""
        self._behind = behind
        self._entries: OrderedDict[CacheKey, Any] = OrderedDict()
        self._solids: dict[int, weakref.ref[Made]] = {}
        # a solid may be freed, and so be discounted, while an entry is dropped under the lock
        self._lock = threading.RLock()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: CacheKey) -> Any | None:
        """The answer, if it is still known."""
        known = self.look(key)
        if known is None and self._behind is not None:
            known = self._behind.get(key)
            if known is not None:
                self._keep(key, known)
        with self._lock:
            if known is None:
                self.misses += 1
            else:
                self.hits += 1
        return known

    def look(self, key: CacheKey) -> Any | None:
        """As :meth:`get`, in memory only and not counted."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None:
                self._entries.move_to_end(key)
            return entry

    def put(self, key: CacheKey, value: Kept) -> None:
        """Remember an answer; one larger than the whole cache is not kept in memory."""
        self._keep(key, value)
        if self._behind is not None:
            self._behind.put(key, value)

    def _keep(self, key: CacheKey, value: Kept) -> None:
        size = value.nbytes + _ENTRY
        with self._lock:
            self._drop(key)
            if size > self.limit:
                return
            self._entries[key] = value
            self.nbytes += size
            self._shrink()

    def hold(self, solid: Made) -> None:
        """Count a solid that several entries share for as long as any of them lives."""
        with self._lock:
            token = id(solid)
            if token in self._solids:
                return
            size = solid.nbytes

            def freed(_: object) -> None:
                with self._lock:
                    if self._solids.pop(token, None) is not None:
                        self.nbytes -= size

            self._solids[token] = weakref.ref(solid, freed)
            self.nbytes += size
            self._shrink()

    def clear(self) -> None:
        """Forget everything; the lasting store keeps what it has."""
        with self._lock:
            for key in list(self._entries):
                self._drop(key)

    def _shrink(self) -> None:
        """Forget the oldest until what is left fits."""
        while self.nbytes > self.limit and self._entries:
            self._drop(next(iter(self._entries)))

    def _drop(self, key: CacheKey) -> None:
        value = self._entries.pop(key, None)
        if value is not None:
            self.nbytes -= value.nbytes + _ENTRY


@dataclass(frozen=True, slots=True, eq=False)
class KeptFigures:
    """What was measured of a solid."""

    figures: ExactFigures
    nbytes: int = 1024
    """Memory held, roughly."""

    def to_bytes(self) -> bytes:
        """The figures to be read by `from_bytes`, every digit of them."""
        return msgspec.json.encode(self.figures)

    @classmethod
    def from_bytes(cls, content: bytes) -> KeptFigures:
        """The figures that were written. Raises ValueError when they are not."""
        try:
            return cls(msgspec.json.decode(content, type=ExactFigures))
        except msgspec.MsgspecError as error:
            raise ValueError(f"the figures are of another version: {error}") from error


def figures_key(document: Document, node: NodeId, identity: str) -> CacheKey:
    """Under which the figures of a node's B-rep are kept. identity: of the exact kernel."""
    # figures of an earlier build, under another name, were not as exact
    return document.digest(node), f"{identity} figures to 1e-9", None


@dataclass(frozen=True, slots=True, eq=False)
class CachedSolid:
    """An evaluated solid without reference to any document's node ids."""

    mesh: TriMesh
    """Without source nodes."""
    figures: Figures
    """Measured of the mesh."""
    makers: tuple[Digest, ...]
    """Nodes that made triangles, by content."""
    maker_of: NDArray[np.uint32]
    """(m,) index into ``makers`` for each triangle."""
    notes: tuple[Note, ...]
    """Warnings."""
    planar: bool
    """Whether the document makes planar faces only."""
    chord: float
    """Largest distance between the mesh and the true surface of any operand, millimetres."""

    @property
    def nbytes(self) -> int:
        """Memory held, roughly: the arrays."""
        return self.mesh.nbytes + self.maker_of.nbytes + 512


def finished(
    mesh: TriMesh,
    planar: bool,
    chord: float,
    makers: tuple[Digest, ...],
    maker_of: NDArray[np.uint32],
    notes: tuple[Note, ...],
) -> CachedSolid:
    """A closed outward mesh, measured. What its notes say against the mesh, its figures say, too."""
    figures = measure(mesh, exact=planar, tolerance=chord)
    doubts = tuple(note for note in notes if note.code == MESH_UNSOUND)
    if doubts:
        figures = replace(figures, exact=False, tolerance=chord, notes=doubts)
    if figures.is_empty and not mesh.is_empty:
        # a body of no volume is the empty solid, and the empty solid has no triangles
        return finished(TriMesh.empty(), planar, chord, (), np.empty(0, np.uint32), notes)
    return CachedSolid(mesh, figures, makers, maker_of, notes, planar, chord)


NOTHING = finished(TriMesh.empty(), True, 0.0, (), np.empty(0, np.uint32), ())
