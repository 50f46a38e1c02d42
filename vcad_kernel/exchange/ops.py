"""Op-record files (.ops): the model itself as a binary stream of records (cad.md §12), written and read.

Written is the document profile, which loses nothing: what is read again has the same digests, so the same
figures. What a part is called stands in the table of objects. Standard records, as foreign mesh engines have
them, are written on request, and read where a node of ours is what they are. Files that a model imports are
not inside: they are named, with their hashes, and looked for again when the model is evaluated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from vcad_kernel.errors import GeometryError
from vcad_kernel.ir import op_document, op_lowering, op_raising
from vcad_kernel.ir.document import Document
from vcad_kernel.ir.op_bytes import decode_failed
from vcad_kernel.ir.op_stream import BODY, DOCUMENT, Stream
from vcad_kernel.operations.node import NodeId

__all__ = ["Model", "Models", "decode", "encode", "encode_standard"]


@dataclass(frozen=True, slots=True)
class Model:
    """A document, and what its parts are called."""

    document: Document
    names: tuple[str, ...]
    """One for each root, in order; empty where it has none."""


Models: TypeAlias = Callable[[], Model]
"""The parts of a file as one model, made when a format needs it."""


def encode(model: Model) -> bytes:
    """The file of a model; equal models give equal bytes.

    Raises: GeometryError ENCODE_FAILED for ids and counts beyond 32 bits.
    """
    return op_document.encode(model.document, model.names)


def encode_standard(model: Model) -> bytes:
    """The file of a model in standard records alone: arcs become chords, materials are lost.

    Raises: GeometryError ENCODE_FAILED naming the node that has no standard record.
    """
    document = model.document
    shown = [name for root, name in zip(document.roots, model.names, strict=True) if root.shown]
    try:
        return op_lowering.lower(document, shown)
    except GeometryError as error:
        if error.node_id is not None:
            error.place = document.place_of(NodeId(error.node_id))
        raise


def decode(data: bytes) -> Model:
    """The model of a file.

    Raises: GeometryError DECODE_FAILED; its details have the ``offset`` in bytes, and the ``record`` from 0
    where it is inside one. CapabilityUnavailable for standard records of what is no node here.
    """
    stream = Stream.from_bytes(data)
    names = tuple(entry.name for entry in stream.objects)
    if stream.records and not stream.records[0].flags & DOCUMENT:
        return Model(op_raising.raised(stream), names)
    document = op_document.document_of(stream, len(data))
    if [(entry.kind, entry.root) for entry in stream.objects] != [
        (BODY, root.node + 1) for root in document.roots
    ]:
        raise decode_failed("the table of objects does not repeat the roots of the document", 24)
    return Model(document, names)
