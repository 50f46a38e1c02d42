"""Request and response payloads of the region, byte by byte (service.md §4, cad.md §12.2).

A request is a version, the path of a script and, behind it, a JSON object of options. A response is a
scene, whose bytes the document's codec makes and reads, or an error with its place. Little endian;
lengths are checked before anything is cut out, and a payload has to be consumed to its end.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

from vcad_kernel.service.shared import ProtocolFault

__all__ = ["EMPTY_SCENE", "ErrorPayload", "Failure", "Phase", "RequestPayload"]

VERSION: Final = 3
_REQUEST: Final = struct.Struct("<II")
_ERROR: Final = struct.Struct("<5IQIIII")
_U32: Final = 2**32 - 1
_U64: Final = 2**64 - 1

EMPTY_SCENE: Final = struct.pack("<6I", VERSION, 0, 0, 0, 0, 0)
"""The scene payload of an answer that has no document."""


class Phase(IntEnum):
    """Where it failed (cad.md §12.1)."""

    UNKNOWN = 0
    REQUEST_DECODE = 1
    SCRIPT_LOAD = 2
    SCRIPT_EXECUTE = 3
    SCENE_ENCODE = 4
    RESPONSE_DECODE = 5
    TRANSPORT = 6


class Failure(IntEnum):
    """The kinds of failure that the layout has numbers for (cad.md §12.1)."""

    NONE = 0
    INVALID_REQUEST = 1
    SCRIPT = 2
    ENCODE = 3
    DECODE = 4
    REPLAY = 5
    TIMEOUT = 6
    INTERNAL = 7


@dataclass(frozen=True, slots=True)
class RequestPayload:
    """What the worker is to do."""

    script_path: str
    """The file that is evaluated; empty for text that has none."""
    options: Mapping[str, Any]
    """Operation, arguments, and what the front knows of the connection, as JSON data."""

    def to_bytes(self) -> bytes:
        """The payload. Raises: ValueError for options that are no JSON."""
        path = self.script_path.encode("utf-8", "surrogateescape")
        options = json.dumps(self.options, separators=(",", ":"), allow_nan=False).encode("ascii")
        return _REQUEST.pack(VERSION, len(path)) + path + options

    @classmethod
    def parse(cls, data: bytes) -> RequestPayload:
        """The request of a payload.

        Raises: ProtocolFault.
        """
        if len(data) < _REQUEST.size:
            raise ProtocolFault(f"a request of {len(data)} bytes is too short")
        version, length = _REQUEST.unpack_from(data)
        if version != VERSION:
            raise ProtocolFault(f"version {version} of the request is not known")
        end = _REQUEST.size + length
        if end > len(data):
            raise ProtocolFault("the path reaches beyond the request")
        try:
            path = data[_REQUEST.size : end].decode("utf-8", "surrogateescape")
            options = json.loads(data[end:]) if end < len(data) else {}
        except (ValueError, RecursionError) as bad:
            raise ProtocolFault("the options of the request are not JSON") from bad
        if not isinstance(options, dict):
            raise ProtocolFault("the options of the request are no object")
        return cls(path, options)


@dataclass(frozen=True, slots=True)
class ErrorPayload:
    """Why there is no scene, in the form that any reader of the layout understands."""

    error_code: int
    """A `Failure`."""
    phase: int
    """A `Phase`."""
    line: int
    """From 1; 0 where there is no place."""
    column: int
    run_id: int
    duration_ms: int
    file: str
    stack: str
    message: str

    def to_bytes(self) -> bytes:
        """The payload; numbers that are too large are cut to what has room."""
        texts = [text.encode("utf-8", "replace") for text in (self.file, self.stack, self.message)]
        head = _ERROR.pack(
            VERSION,
            min(self.error_code, _U32),
            self.phase,
            min(self.line, _U32),
            min(self.column, _U32),
            min(self.run_id, _U64),
            min(self.duration_ms, _U32),
            *(len(text) for text in texts),
        )
        return head + b"".join(texts)

    @classmethod
    def parse(cls, data: bytes) -> ErrorPayload:
        """The error of a payload.

        Raises: ProtocolFault.
        """
        if len(data) < _ERROR.size:
            raise ProtocolFault(f"an error of {len(data)} bytes is too short")
        version, code, phase, line, column, run_id, duration, *lengths = _ERROR.unpack_from(data)
        if version != VERSION:
            raise ProtocolFault(f"version {version} of the error is not known")
        if _ERROR.size + sum(lengths) != len(data):
            raise ProtocolFault("the strings of the error do not fill it")
        texts, start = [], _ERROR.size
        for length in lengths:
            try:
                texts.append(data[start : start + length].decode("utf-8"))
            except UnicodeDecodeError as bad:
                raise ProtocolFault("a string of the error is not UTF-8") from bad
            start += length
        file, stack, message = texts
        return cls(code, phase, line, column, run_id, duration, file, stack, message)
