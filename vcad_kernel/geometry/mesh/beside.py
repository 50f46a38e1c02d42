"""What was to stand on a body or be cut into it, and lies beside it: legal, and mostly a slip in a place.

A cut that took something away has left faces of its own in the part, and a boss that stands on the body is no
lump of its own; only where that is not so are the operands themselves looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from vcad_kernel.errors import CapabilityUnavailable, GeometryError
from vcad_kernel.geometry.cache.solid_cache import CachedSolid
from vcad_kernel.geometry.mesh.body import BodyFault
from vcad_kernel.geometry.mesh.manifold_kernel import box, lumps
from vcad_kernel.geometry.mesh.solids import MeshBuilder
from vcad_kernel.geometry.solid import Note, box_in_words
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.bodies.booleans import Difference, Union
from vcad_kernel.operations.features.on_bodies import CutThrough, PocketTo
from vcad_kernel.operations.node import NodeId

__all__ = ["BESIDE_BODY", "beside_body"]

BESIDE_BODY: Final = "BESIDE_BODY"
"""Note about a boss that does not touch its body, and a pocket or a cut that takes nothing away."""

_ON_BODIES: Final = ("boss-on", "pocket-on", "cut-through")
_SAME_VOLUME = 1e-12
"""Relative: by which the volume of a body changes that was only written anew."""


class _Work(NamedTuple):
    """What was done to a body at a profile."""

    node: NodeId
    body: NodeId
    tool: NodeId | None
    """What is added or cut off, where the document has it as a solid."""

    @property
    def maker(self) -> NodeId:
        """Whose faces a cut leaves."""
        return self.node if self.tool is None else self.tool


def beside_body(document: Document, top: NodeId, solid: CachedSolid, builder: MeshBuilder) -> Iterator[Note]:
    """What of a finished body does nothing to it, or hangs in the air; solid: the finished body."""
    works = [*_works(document, top)]
    if not works or solid.mesh.is_empty:
        return
    seen = {solid.makers[at] for at in np.unique(solid.maker_of)} if solid.makers else set()
    for work in works:
        function = document.function_of(work.node)
        if function == "boss-on":
            if solid.figures.lumps == 1:
                continue
        elif document.digest(work.maker) in seen:
            continue
        said = _said(work, function, builder)
        if said:
            yield Note(BESIDE_BODY, f"{function}: {said}", document.digest(work.node))


def _works(document: Document, top: NodeId) -> Iterator[_Work]:
    for here in document.subgraph(top):
        match document.nodes[here]:
            case CutThrough() | PocketTo() as node:
                yield _Work(here, node.child, None)
            case Difference() | Union() as node if document.function_of(here) in _ON_BODIES:
                yield _Work(here, node.left, node.right)


def _said(work: _Work, function: str, builder: MeshBuilder) -> str:
    try:
        body, whole = (builder.carried_out(builder.answer(each)) for each in (work.body, work.node))
        tool = None if work.tool is None else builder.carried_out(builder.answer(work.tool))
    except (BodyFault, GeometryError, CapabilityUnavailable):  # what the part itself did not need
        return ""
    if body is None or whole is None:
        return ""
    there = f"the body lies {box_in_words(box(body))}"
    if function == "boss-on":
        if tool is None or len(lumps(whole)) < len(lumps(body)) + len(lumps(tool)):
            return ""
        return f"it stands apart from the body: it lies {box_in_words(box(tool))}, {there}"
    if abs(body.volume - whole.volume) > _SAME_VOLUME * body.volume:
        return ""
    where = "" if tool is None else f"what is sunk lies {box_in_words(box(tool))}, "
    return f"nothing is cut: {where}{there}"
