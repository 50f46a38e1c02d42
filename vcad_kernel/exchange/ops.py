"""Op-record files (.ops): the model itself as a binary stream of records (cad.md §12), written and read.

Written is the document profile, which loses nothing: what is read again has the same digests, so the same
figures. What a part is called stands in the table of objects. Files that a model imports are not inside:
they are named, with their hashes, and looked for again when the model is evaluated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from vcad_kernel.ir import op_document
from vcad_kernel.ir.document import Document

__all__ = ["Model", "Models", "decode", "encode"]


@dataclass(frozen=True, slots=True)
class Model:
    """A document, and what its parts are called."""

    document: Document
    names: tuple[str, ...]
    """One for each root, in order; empty where it has none."""


Models: TypeAlias = Callable[[], Model]
"""The parts of a file as one model, made when a format asks for it."""


def encode(model: Model) -> bytes:
    """The file of a model; equal models give equal bytes.

    Raises: GeometryError ENCODE_FAILED for ids and counts beyond 32 bits.
    """
    return op_document.encode(model.document, model.names)


def decode(data: bytes) -> Model:
    """The model of a file.

    Raises: GeometryError DECODE_FAILED; its details have the ``offset`` in bytes, and the ``record`` from 0
    where it is inside one.
    """
    document, names = op_document.decode_scene(data)
    return Model(document, names)
