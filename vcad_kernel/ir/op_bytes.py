"""Bytes of op records taken apart and put together: little-endian, packed, nothing after the end.

Errors of reading name the record and the byte offset in the stream, those of writing the node.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence

from vcad_kernel.errors import GeometryError

__all__ = ["Cursor", "Packer", "decode_failed", "encode_failed", "fnv1a"]

_LARGEST = 2**32


def decode_failed(message: str, offset: int, record: int | None = None) -> GeometryError:
    """The refusal of a stream. offset: of the byte at which it went wrong. record: its index from 0."""
    where = f"byte {offset}" if record is None else f"record {record}, byte {offset}"
    return GeometryError(
        f"the op stream is malformed at {where}: {message}",
        code="DECODE_FAILED",
        details={"offset": offset, "record": record},
    )


def encode_failed(message: str, node_id: int | None = None) -> GeometryError:
    """The refusal to write what a stream cannot hold."""
    where = "the document" if node_id is None else f"node {node_id}"
    return GeometryError(
        f"{where} cannot be written as op records: {message}", code="ENCODE_FAILED", node_id=node_id
    )


def fnv1a(data: bytes) -> int:
    """FNV-1a, 64 bits."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


class Packer(bytearray):
    """A payload while it grows; bytes as they are come by ``+=``. node_id: whose, for what is refused."""

    def __init__(self, node_id: int | None = None) -> None:
        super().__init__()
        self._node_id = node_id

    def u8(self, value: int) -> Packer:
        """One byte."""
        self.append(value)
        return self

    def u32(self, *values: int) -> Packer:
        """Unsigned 32-bit integers."""
        try:
            self.extend(struct.pack(f"<{len(values)}I", *values))
        except struct.error:
            raise encode_failed("a count or an id does not fit 32 bits", self._node_id) from None
        return self

    def f64(self, *values: float) -> Packer:
        """Doubles, which must be finite."""
        if not all(map(math.isfinite, values)):
            raise encode_failed("a number is not finite", self._node_id)
        self.extend(struct.pack(f"<{len(values)}d", *values))
        return self

    def text(self, value: str) -> Packer:
        """Length and UTF-8."""
        try:
            data = value.encode()
        except UnicodeEncodeError as error:
            raise encode_failed("a text holds half a character", self._node_id) from error
        self.u32(len(data)).extend(data)
        return self

    def options(self, values: Sequence[Packer | None]) -> Packer:
        """A bit for each field that is present, then those fields."""
        at = len(self)
        self.append(0)
        for bit, value in enumerate(values):
            if value is not None:
                self[at] |= 1 << bit
                self.extend(value)
        return self


class Cursor:
    """A payload while it is read; every step checks that the bytes are there."""

    def __init__(self, data: bytes, offset: int = 0, record: int | None = None) -> None:
        self._data = data
        self._base = offset
        self._at = 0
        self.record = record

    @property
    def offset(self) -> int:
        """Of the next byte in the stream."""
        return self._base + self._at

    def failed(self, message: str) -> GeometryError:
        """A refusal at this place."""
        return decode_failed(message, self.offset, self.record)

    def take(self, count: int) -> bytes:
        """The next bytes."""
        if count > len(self._data) - self._at:
            raise self.failed(f"{count} bytes wanted, {len(self._data) - self._at} left")
        self._at += count
        return self._data[self._at - count : self._at]

    def u8(self, largest: int = 255) -> int:
        """One byte, no more than ``largest``."""
        value = self.take(1)[0]
        if value > largest:
            raise self.failed(f"{value} where 0 to {largest} is allowed")
        return value

    def u32(self, largest: int = _LARGEST - 1) -> int:
        """One unsigned integer, no more than ``largest``."""
        value: int = struct.unpack("<I", self.take(4))[0]
        if value > largest:
            raise self.failed(f"{value} where 0 to {largest} is allowed")
        return value

    def u32s(self, count: int) -> tuple[int, ...]:
        """Several unsigned integers."""
        return struct.unpack(f"<{count}I", self.take(4 * count))

    def f64(self) -> float:
        """One finite double."""
        return self.f64s(1)[0]

    def f64s(self, count: int) -> tuple[float, ...]:
        """Several finite doubles."""
        values: tuple[float, ...] = struct.unpack(f"<{count}d", self.take(8 * count))
        if not all(map(math.isfinite, values)):
            raise self.failed("a number is not finite")
        return values

    def text(self) -> str:
        """Length and UTF-8."""
        return self.utf8(self.u32())

    def utf8(self, length: int) -> str:
        """Text of so many bytes."""
        data = self.take(length)
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise self.failed("a text is not UTF-8") from error

    def options(self, count: int) -> list[bool]:
        """Which of so many optional fields are present."""
        mask = self.u8((1 << count) - 1)
        return [bool(mask >> bit & 1) for bit in range(count)]

    def operand(self, defined: Iterable[int]) -> int:
        """The id of something that an earlier record has defined."""
        value = self.u32()
        if value not in defined:
            raise self.failed(f"operand {value} has not been defined")
        return value

    def end(self) -> None:
        """Refuse bytes that are left over."""
        left = len(self._data) - self._at
        if left:
            raise self.failed(f"{left} bytes too many")
