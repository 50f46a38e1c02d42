"""Where the time of an evaluation went: one row for each node of the document.

    recorder = Recorder(clock)
    ... the kernels report to it by content ...
    rows = recorder.rows(document, roots)

Reporting is cheap enough to be on always; rows are written on request. A batch of booleans is
charged to the node that had it carried out. Knows no kernel.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from vcad_kernel.errors import Place
from vcad_kernel.ir.digest import Digest
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.profiles.sketches import Sketch2D

__all__ = ["Clock", "NodeProfile", "Recorder", "Representation"]

Clock: TypeAlias = Callable[[], float]
"""Seconds, from any beginning."""
Representation: TypeAlias = Literal["mesh", "brep"]
_LAST_FIRST: Final[tuple[Representation, ...]] = ("brep", "mesh")


@dataclass(frozen=True, slots=True)
class NodeProfile:
    """What one node cost in one representation."""

    node: NodeId
    function: str
    """As the user wrote it."""
    name: str | None
    """The node's name in the document, when it has one."""
    place: Place | None
    representation: Representation
    calls: int
    """How often it was asked for; 0 when something above it was known already."""
    ms: float
    """Time spent on the node itself, without its operands."""
    size: int | None
    """Triangles of a mesh, faces of a B-rep; None where no solid was made of the node alone."""
    cached: bool
    """It was known from before: nothing was built."""


class _Entry:
    """What has been reported of one node so far."""

    __slots__ = ("built", "calls", "seconds", "size")

    def __init__(self) -> None:
        self.calls = 0
        self.seconds = 0.0
        self.size: int | None = None
        self.built = False


class Recorder:
    """Takes the reports of one evaluation. The only mutable thing here."""

    def __init__(self, clock: Clock = time.perf_counter) -> None:
        self.clock = clock
        self.evaluated = 0
        """How many nodes were built for meshes, not counting what was known."""
        self._entries: dict[tuple[Digest, Representation], _Entry] = {}
        self._inner = 0.0

    def start(self) -> tuple[float, float]:
        """The beginning of work on a node, to be handed to :meth:`built` or :meth:`spent`."""
        return self.clock(), self._inner

    def built(
        self,
        digest: Digest,
        begun: tuple[float, float],
        size: int | None = None,
        representation: Representation = "mesh",
    ) -> None:
        """A node has been built. Work reported in between is not charged to it again."""
        entry = self._charge(digest, begun, size, representation)
        entry.calls += 1
        if representation == "mesh":
            self.evaluated += 1

    def spent(
        self,
        digest: Digest,
        begun: tuple[float, float],
        size: int | None = None,
        representation: Representation = "mesh",
    ) -> None:
        """Work on a node that was built before: its booleans carried out, its mesh read."""
        self._charge(digest, begun, size, representation)

    def known(self, digest: Digest, size: int | None = None, representation: Representation = "mesh") -> None:
        """A node was asked for that was known already."""
        entry = self._entry(digest, representation)
        entry.calls += 1
        if size is not None:
            entry.size = size

    def _charge(
        self, digest: Digest, begun: tuple[float, float], size: int | None, representation: Representation
    ) -> _Entry:
        start, inner = begun
        own = self.clock() - start - (self._inner - inner)
        self._inner += own
        entry = self._entry(digest, representation)
        entry.seconds += own
        entry.built = True
        if size is not None:
            entry.size = size
        return entry

    def _entry(self, digest: Digest, representation: Representation) -> _Entry:
        entry = self._entries.get((digest, representation))
        if entry is None:
            entry = self._entries[digest, representation] = _Entry()
        return entry

    def rows(self, document: Document, roots: Iterable[NodeId]) -> tuple[NodeProfile, ...]:
        """A row for each solid under the roots, children first, and its B-rep's where one was asked for."""
        order: dict[NodeId, None] = {}
        for root in dict.fromkeys(roots):
            order.update(dict.fromkeys(document.subgraph(root)))
        rows: list[NodeProfile] = []
        idle: dict[NodeId, bool] = {}  # whether all that have gone by above a node were untouched
        for node in reversed(order):  # parents first
            digest = document.digest(node)
            reports = [
                (kind, self._entries[digest, kind]) for kind in _LAST_FIRST if (digest, kind) in self._entries
            ]
            # A node without a report below one that was built was built along with that, as a transform is
            # that only places its operand; below such as were known it was not evaluated.
            untouched = not any(entry.built for _, entry in reports) if reports else idle.get(node, False)
            for child in document.nodes[node].children():
                idle[child] = untouched and idle.get(child, True)
            if isinstance(document.nodes[node], Sketch2D):
                continue
            for kind, entry in reports or [("mesh", _Entry())]:
                row = NodeProfile(
                    node=node,
                    function=document.function_of(node),
                    name=document.names.get(node),
                    place=document.place_of(node),
                    representation=kind,
                    calls=entry.calls,
                    ms=entry.seconds * 1e3,
                    size=entry.size,
                    cached=untouched or (entry.calls > 0 and not entry.built),
                )
                rows.append(row)
        return tuple(reversed(rows))
