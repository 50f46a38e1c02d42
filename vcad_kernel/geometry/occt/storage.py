"""What the exact kernel keeps of a node's solid, and the same as bytes that outlive the process.

A B-rep is written in OpenCASCADE's own binary format, without triangles, behind a few words of JSON:
the makers of its faces, how far these may be off, and the warnings of its making. The explorer's order of
faces survives the round trip, so makers stay with their faces.
"""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from OCP.BinTools import BinTools, BinTools_FormatVersion
from OCP.TopAbs import TopAbs_FACE
from OCP.TopoDS import TopoDS_Shape

from vcad_kernel.geometry.occt.brep import Brep, shape_map
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.solid import Note

__all__ = ["KeptSolid", "from_bytes", "to_bytes"]

_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True, slots=True, eq=False)
class KeptSolid:
    """What is kept of a solid."""

    brep: Brep | None
    """None = empty."""
    notes: tuple[Note, ...]
    """Of the node and of all below it, each once, children first."""

    @property
    def nbytes(self) -> int:
        """Memory held, roughly."""
        return 512 + (0 if self.brep is None else self.brep.nbytes)


def to_bytes(value: Any) -> bytes | None:
    """A kept solid as bytes; None when it is none, or cannot be written."""
    if not isinstance(value, KeptSolid):
        return None
    head: dict[str, Any] = {"notes": [{**asdict(note), "maker": note.maker.hex()} for note in value.notes]}
    if value.brep is None:
        return _packed(head, b"")
    stream = io.BytesIO()
    version = BinTools_FormatVersion.BinTools_FormatVersion_CURRENT
    try:
        BinTools.Write_s(value.brep.shape, stream, False, False, version)
    except OCCT_ERRORS:
        # a shape that cannot be written is built again next time
        return None
    head["makers"] = [maker.hex() for maker in value.brep.makers]
    head["deviations"] = {maker.hex(): away for maker, away in value.brep.deviations.items()}
    return _packed(head, stream.getvalue())


def from_bytes(content: bytes) -> KeptSolid:
    """A kept solid from its bytes. Raises ValueError when they are not its bytes."""
    try:
        (length,) = _LENGTH.unpack_from(content)
        head = json.loads(content[_LENGTH.size : _LENGTH.size + length])
        notes = tuple(Note(**{**note, "maker": bytes.fromhex(note["maker"])}) for note in head["notes"])
        if "makers" not in head:
            return KeptSolid(None, notes)
        makers = tuple(bytes.fromhex(maker) for maker in head["makers"])
        shape = _shape(content[_LENGTH.size + length :], len(makers))
        deviations = {bytes.fromhex(maker): float(away) for maker, away in head["deviations"].items()}
        return KeptSolid(Brep(shape, makers, deviations), notes)
    except (KeyError, TypeError, AttributeError, struct.error) as error:
        raise ValueError(f"the record cannot be read: {error}") from error


def _packed(head: Mapping[str, Any], rest: bytes) -> bytes:
    text = json.dumps(head).encode()
    return _LENGTH.pack(len(text)) + text + rest


def _shape(content: bytes, faces: int) -> TopoDS_Shape:
    shape = TopoDS_Shape()
    try:
        BinTools.Read_s(shape, io.BytesIO(content))
    except OCCT_ERRORS as error:
        raise ValueError(f"the shape cannot be read: {error}") from error
    if shape.IsNull() or shape_map(shape, TopAbs_FACE).Extent() != faces:
        raise ValueError("the shape does not have the faces that it was written with")
    return shape
