"""The region of memory through which requests and responses pass (service.md §4, layout 3).

    region = Region.create(path)                         # the front
    region.write_request(seq, payload)
    answer = region.read_response(seq)

    region = Region.attach(path)                         # the worker
    payload = region.read_request(seq)
    region.write_response(seq, payload, result)

A file that both processes map. The state in the header says who may write, wake-ups go over a
socket, and every field of the header is checked before a byte of a payload is read. A response that
does not fit needs `grow` by the front and `remap` by the worker. Meshes never lie here.
"""

from __future__ import annotations

import mmap
import os
import struct
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Final

from vcad_kernel.service.shared import ProtocolFault

__all__ = ["DEFAULT_CAPACITY", "Region", "RegionFull", "Response", "State"]

DEFAULT_CAPACITY: Final = 100 * 2**20
REQUEST_START: Final = 4096
RESPONSE_START: Final = 2**20

MAGIC: Final = b"VCADIPC1"
VERSION: Final = 3
_HEADER: Final = struct.Struct("<8sIIQQIIIIIII")
"""60 bytes: magic, version, capacity, request and response sequence, offset and length of both, state,
error code, reserved."""
_STATE_AT: Final = 48
_EXTENSION_MAGIC: Final = b"VCADEXT1"
_EXTENSION_START: Final = 64
_EXTENSION: Final = struct.Struct("<8sQQ")
_U32: Final = 2**32 - 1


class State(IntEnum):
    """Whose turn it is."""

    IDLE = 0
    REQUEST_READY = 1
    REQUEST_RUNNING = 2
    RESPONSE_READY = 3
    RESPONSE_ERROR = 4
    SHUTDOWN = 5


class RegionFull(Exception):
    """What is to be written needs a larger region; ``needed`` is the capacity in bytes."""

    def __init__(self, needed: int) -> None:
        super().__init__(f"the region must have {needed} bytes")
        self.needed = needed


_STATES: Final = frozenset(int(state) for state in State)


@dataclass(frozen=True, slots=True)
class Response:
    """What a worker has written."""

    payload: bytes
    """Scene or error payload (payloads.py)."""
    result: bytes
    """The JSON object with what has no room in the payload; for an error its envelope."""
    is_error: bool
    error_code: int


@dataclass(frozen=True, slots=True)
class _Header:
    capacity: int
    request_seq: int
    response_seq: int
    request: tuple[int, int]
    response: tuple[int, int]
    state: State
    error_code: int


class Region:
    """One process's map of the file. Made by `create` or `attach`, given back by `close`."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor
        self._map = mmap.mmap(descriptor, 0)

    @classmethod
    def create(cls, path: Path, capacity: int = DEFAULT_CAPACITY) -> Region:
        """A new region in a new file, readable by its owner alone; pages take memory once they are used.

        Raises: OSError.
        """
        if not RESPONSE_START < capacity <= _U32:
            raise ValueError(f"a region cannot have {capacity} bytes")
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
        descriptor = os.open(path, flags, 0o600)
        try:
            os.truncate(descriptor, capacity)
            region = cls(path, descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        region._write(_Header(capacity, 0, 0, (0, 0), (0, 0), State.IDLE, 0))
        return region

    @classmethod
    def attach(cls, path: Path) -> Region:
        """The region of an existing file.

        Raises: OSError; ProtocolFault when the file holds none.
        """
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
        try:
            if os.fstat(descriptor).st_size <= RESPONSE_START:
                raise ProtocolFault("the file is too small to be a region")
            region = cls(path, descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        try:
            region._read()
        except ProtocolFault:
            region.close()
            raise
        return region

    def close(self) -> None:
        """Unmap the file; it stays where it is."""
        if self._descriptor >= 0:
            self._map.close()
            os.close(self._descriptor)
            self._descriptor = -1

    # ---- the front -------------------------------------------------------------------------

    def write_request(self, seq: int, payload: bytes) -> None:
        """Put a request up for the worker.

        Raises: RegionFull; OSError without memory; ProtocolFault when it is not the front's turn.
        """
        header = self._read()
        if header.state is not State.IDLE:
            raise ProtocolFault(f"a request cannot be written in state {header.state.name}")
        # a large one lies where responses do: there is none yet, and the worker takes it out first
        start = REQUEST_START if REQUEST_START + len(payload) <= RESPONSE_START else RESPONSE_START
        if start + len(payload) > header.capacity:
            raise RegionFull(start + len(payload))
        self._reserve(start, len(payload))
        self._map[start : start + len(payload)] = payload
        self._write(
            _Header(
                header.capacity,
                seq,
                header.response_seq,
                (start, len(payload)),
                (0, 0),
                State.REQUEST_READY,
                0,
            )
        )

    def read_response(self, seq: int) -> Response:
        """What the worker answers to this request; afterwards the region is idle.

        Raises: ProtocolFault.
        """
        header = self._read()
        if header.state not in (State.RESPONSE_READY, State.RESPONSE_ERROR):
            raise ProtocolFault(f"there is no response in state {header.state.name}")
        if header.request_seq != seq or header.response_seq != seq:
            raise ProtocolFault(f"the response is to {header.response_seq}, not to {seq}")
        payload = self._taken(*header.response, header.capacity)
        magic, offset, length = _EXTENSION.unpack_from(self._map, _EXTENSION_START)
        if magic != _EXTENSION_MAGIC:
            raise ProtocolFault("the header of the result is missing")
        result = self._taken(offset, length, header.capacity)
        self._write(_Header(header.capacity, seq, seq, (0, 0), (0, 0), State.IDLE, 0))
        is_error = header.state is State.RESPONSE_ERROR
        return Response(payload, result, is_error, header.error_code)

    def grow(self, capacity: int) -> None:
        """Make the file larger and map it anew; the worker is to `remap`.

        Raises: OSError when there is no room for it; ProtocolFault beyond what the header can say.
        """
        header = self._read()
        if not header.capacity <= capacity <= _U32:
            raise ProtocolFault(f"a region of {header.capacity} bytes cannot get {capacity}")
        os.truncate(self._descriptor, capacity)
        # never `mmap.resize`, which fails while there is a view of it
        old, self._map = self._map, mmap.mmap(self._descriptor, 0)
        old.close()
        self._write(
            _Header(
                capacity,
                header.request_seq,
                header.response_seq,
                header.request,
                header.response,
                header.state,
                header.error_code,
            )
        )

    # ---- the worker ------------------------------------------------------------------------

    def read_request(self, seq: int) -> bytes:
        """The request that was announced; it is running from now on.

        Raises: ProtocolFault.
        """
        header = self._read()
        if header.state is not State.REQUEST_READY:
            raise ProtocolFault(f"there is no request in state {header.state.name}")
        if header.request_seq != seq:
            raise ProtocolFault(f"the request is number {header.request_seq}, not {seq}")
        payload = self._taken(*header.request, header.capacity)
        self._set_state(State.REQUEST_RUNNING)
        return payload

    def write_response(
        self, seq: int, payload: bytes, result: bytes, *, is_error: bool = False, error_code: int = 0
    ) -> None:
        """Answer the running request.

        Raises: RegionFull; OSError without memory; ProtocolFault when there is no such request.
        """
        header = self._read()
        if header.state is not State.REQUEST_RUNNING or header.request_seq != seq:
            raise ProtocolFault(f"request {seq} is not running")
        start = RESPONSE_START
        beside = -(-(start + len(payload)) // 8) * 8
        end = beside + len(result)
        if end > header.capacity:
            raise RegionFull(end)
        self._reserve(start, end - start)
        self._map[start : start + len(payload)] = payload
        self._map[beside:end] = result
        _EXTENSION.pack_into(self._map, _EXTENSION_START, _EXTENSION_MAGIC, beside, len(result))
        state = State.RESPONSE_ERROR if is_error else State.RESPONSE_READY
        self._write(
            _Header(header.capacity, seq, seq, header.request, (start, len(payload)), state, error_code)
        )

    def remap(self) -> None:
        """Map the file anew, after the front has made it larger. Raises: ProtocolFault."""
        old, self._map = self._map, mmap.mmap(self._descriptor, 0)
        old.close()
        self._read()

    # ---- both ------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """Whose turn it is. Raises: ProtocolFault."""
        return self._read().state

    @property
    def capacity(self) -> int:
        """Bytes. Raises: ProtocolFault."""
        return self._read().capacity

    def shut_down(self) -> None:
        """Say that nothing more is to come; either side may."""
        self._set_state(State.SHUTDOWN)

    def _read(self) -> _Header:
        magic, version, capacity, request_seq, response_seq, *rest = _HEADER.unpack_from(self._map)
        request_offset, request_length, response_offset, response_length, state, error_code, _ = rest
        if magic != MAGIC:
            raise ProtocolFault(f"a region begins with {MAGIC!r}, not {magic!r}")
        if version != VERSION:
            raise ProtocolFault(f"layout {version} is not known; this is {VERSION}")
        if capacity != len(self._map):
            raise ProtocolFault(f"the header says {capacity} bytes, the file has {len(self._map)}")
        if state not in _STATES:
            raise ProtocolFault(f"{state} is no state")
        return _Header(
            capacity,
            request_seq,
            response_seq,
            (request_offset, request_length),
            (response_offset, response_length),
            State(state),
            error_code,
        )

    def _write(self, header: _Header) -> None:
        _HEADER.pack_into(
            self._map,
            0,
            MAGIC,
            VERSION,
            header.capacity,
            header.request_seq,
            header.response_seq,
            *header.request,
            *header.response,
            header.state,
            header.error_code,
            0,
        )

    def _set_state(self, state: State) -> None:
        struct.pack_into("<I", self._map, _STATE_AT, state)

    def _reserve(self, start: int, length: int) -> None:
        """Have the file hold these bytes: a write to a page for which there is no room would kill us.

        Raises: OSError.
        """
        if length and hasattr(os, "posix_fallocate"):
            os.posix_fallocate(self._descriptor, start, length)

    def _taken(self, offset: int, length: int, capacity: int) -> bytes:
        if offset < REQUEST_START or offset + length > capacity:
            raise ProtocolFault(f"{length} bytes at {offset} lie outside the region")
        return self._map[offset : offset + length]
