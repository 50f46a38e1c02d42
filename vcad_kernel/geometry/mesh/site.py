"""What a node gives its parents on the mesh path, and what is gathered while it is being built.

What is known of a body besides its shape grows with the document in O(1) a node: a trace points at those
below it, and is gathered when a solid is finished. Makers are digests, so that a trace serves every
document with the same content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from vcad_kernel.geometry.mesh import manifold_kernel as library
from vcad_kernel.geometry.mesh.body import Body, BodyKey, combined, primitive
from vcad_kernel.geometry.mesh.manifold_kernel import Made, Operation
from vcad_kernel.geometry.solid import ExactKernel, Note
from vcad_kernel.geometry.sweeps.swept import Skin
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.ir.digest import Digest
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId
from vcad_kernel.paths import Workspace

__all__ = ["Answer", "Means", "Site", "Trace"]


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """What is known of a noted body besides its shape: who made it, how exactly, and what to say."""

    chord: float = 0.0
    """Largest distance between the mesh and the true surface of any operand, millimetres."""
    makers: tuple[tuple[int, Digest], ...] = ()
    """The node that made each original solid, those below not repeated."""
    notes: tuple[Note, ...] = ()
    """Warnings, those below not repeated."""
    below: tuple[Trace, ...] = ()

    @classmethod
    def over(
        cls,
        below: Sequence[Trace],
        chord: float,
        makers: tuple[tuple[int, Digest], ...],
        notes: tuple[Note, ...],
    ) -> Trace:
        """The trace of a body that adds this to those of its operands."""
        if len(below) == 1 and not (chord or makers or notes):
            return below[0]
        return cls(
            max(chord, *(trace.chord for trace in below)) if below else chord, makers, notes, tuple(below)
        )

    def all_makers(self) -> dict[int, Digest]:
        """The node that made each original solid."""
        return {original: maker for trace in self._every() for original, maker in trace.makers}

    def all_notes(self) -> tuple[Note, ...]:
        """The warnings, each once, operands before what is made of them."""
        return tuple(dict.fromkeys(note for trace in self._every() for note in trace.notes))

    def _every(self) -> Iterator[Trace]:
        """This trace and all below it, each once, children first."""
        seen: set[int] = set()
        pending: list[tuple[Trace, bool]] = [(self, False)]
        while pending:
            trace, opened = pending.pop()
            if opened:
                yield trace
            elif id(trace) not in seen:
                seen.add(id(trace))
                pending.append((trace, True))
                pending.extend((operand, False) for operand in reversed(trace.below))


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What a node gives its parents."""

    body: Body | None
    """None = the solid known to be empty."""
    trace: Trace

    @property
    def nbytes(self) -> int:
        """Memory held besides the solids, which are counted on their own."""
        return 700


@dataclass(frozen=True, slots=True, eq=False)
class Means:
    """What all nodes of an evaluation are built with."""

    tessellation: Tessellation
    exact: ExactKernel
    files: Workspace | None
    """Where imported meshes are read from."""


class Site:
    """One node being built: what it is given, and what becomes known of it on the way."""

    def __init__(
        self,
        document: Document,
        means: Means,
        node: NodeId,
        digest: Digest,
        scale: float,
        operands: list[Answer],
        carried_out: Callable[[Answer], Made | None],
    ) -> None:
        """carried_out: the whole solid of an operand, where needed; None = empty. Raises: BodyFault."""
        self.document = document
        self.means = means
        self.node = node
        self.digest = digest
        self.scale = scale
        self.operands = operands
        self.carried_out = carried_out
        self.chord = 0.0
        self.makers: list[tuple[int, Digest]] = []
        self.notes: list[Note] = []

    def key(self, piece: int = 0) -> BodyKey:
        """The key of the node's body, or of one of the bodies it is united from."""
        return BodyKey(self.digest, self.scale, piece)

    def made(self, solid: Made) -> Body:
        """A solid that this node has made alone."""
        self.makers.append((solid.original(), self.digest))
        return primitive(self.key(), solid)

    def union(self, skins: tuple[Skin, ...]) -> Body:
        """The union of closed skins that this node has made."""
        bodies = []
        for piece, skin in enumerate(skins):
            solid, (original,) = library.of_runs(skin, (len(skin.triangles),))
            self.makers.append((original, self.digest))
            bodies.append(primitive(self.key(piece + 1), solid))
        return bodies[0] if len(bodies) == 1 else combined(self.key(), Operation.UNION, bodies)

    def trace(self) -> Trace:
        """What is known of the node's body besides its shape."""
        return Trace.over(
            [operand.trace for operand in self.operands], self.chord, tuple(self.makers), tuple(self.notes)
        )

    def warn(self, code: str, message: str) -> None:
        """Say something that changes no geometry; the message is read after ``function: ``."""
        function = self.document.function_of(self.node)
        self.notes.append(Note(code, f"{function}: {message}", self.digest))
