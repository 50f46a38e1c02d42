"""What a node gives its parents on the mesh path, and what is gathered while it is being built."""

from __future__ import annotations

from dataclasses import dataclass

from vcad_kernel.geometry import manifold_kernel as library
from vcad_kernel.geometry.body import Body, BodyKey, combined, primitive
from vcad_kernel.geometry.manifold_kernel import Made, Operation
from vcad_kernel.geometry.swept import Skin
from vcad_kernel.geometry.trace import Trace
from vcad_kernel.geometry.traced import Note
from vcad_kernel.ir.digest import Digest
from vcad_kernel.ir.document import Document
from vcad_kernel.ir.nodes import HelixPath, NodeId

__all__ = ["Answer", "Site"]


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


class Site:
    """One node being built: what it is given, and what becomes known of it on the way."""

    def __init__(
        self, document: Document, node: NodeId, digest: Digest, scale: float, operands: list[Answer]
    ) -> None:
        self._document = document
        self.node = node
        self.digest = digest
        self.scale = scale
        self.operands = operands
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

    def note_pitch(self, path: HelixPath) -> None:
        """Say so when the pitch of a helix contradicts its height."""
        if abs(path.pitch * path.turns - path.height) > 1e-6 * max(1.0, abs(path.height)):
            self.notes.append(
                Note(
                    "PITCH_MISMATCH",
                    f"sweep-helix: pitch {path.pitch:g} × turns {path.turns:g} is not height {path.height:g};"
                    " height and turns are used",
                    self.digest,
                )
            )
