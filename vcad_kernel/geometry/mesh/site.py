"""What a node gives its parents on the mesh path, and what is gathered while it is being built.

What is known of a body besides its shape grows with the document in O(1) a node: a trace points at those
below it, and is gathered when a solid is finished. Makers are digests, so that a trace serves every
document with the same content.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

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

    def gathered(self) -> tuple[dict[int, Digest], tuple[Note, ...]]:
        """The node that made each original solid, and the warnings, each once, operands before what is made
        of them."""
        makers: dict[int, Digest] = {}
        notes: dict[Note, None] = {}
        seen: set[int] = set()
        pending: list[tuple[Trace, bool]] = [(self, False)]
        while pending:
            trace, opened = pending.pop()
            if opened:
                makers.update(trace.makers)
                notes.update(dict.fromkeys(trace.notes))
            elif id(trace) not in seen:
                seen.add(id(trace))
                pending.append((trace, True))
                for operand in reversed(trace.below):
                    pending.append((operand, False))
        return makers, tuple(notes)


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


@dataclass(slots=True, eq=False)
class Site:
    """One node being built: what it is given, and what becomes known of it on the way."""

    document: Document
    means: Means
    node: NodeId
    digest: Digest
    scale: float
    operands: list[Answer]
    carried_out: Callable[[Answer], Made | None]
    """The whole solid of an operand, where needed; None = empty. Raises: BodyFault."""
    chord: float = 0.0
    makers: list[tuple[int, Digest]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

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
        below = tuple([operand.trace for operand in self.operands])
        if len(below) == 1 and not (self.chord or self.makers or self.notes):
            return below[0]
        chord = max([self.chord, *(trace.chord for trace in below)])
        return Trace(chord, tuple(self.makers), tuple(self.notes), below)

    def warn(self, code: str, message: str) -> None:
        """Say something that changes no geometry; the message is read after ``function: ``."""
        function = self.document.function_of(self.node)
        self.notes.append(Note(code, f"{function}: {message}", self.digest))
