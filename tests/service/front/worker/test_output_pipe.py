"""Frames of printed text are cut out whole, however the bytes come."""

from __future__ import annotations

import asyncio
import os
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.service.front.service import in_loop
from vcad_kernel.service.front.worker.output_pipe import FRAME_LIMIT, Frames, PipeEnd
from vcad_kernel.service.shared import ProtocolFault

TEXTS = st.lists(st.tuples(st.integers(0, 2**32 - 1), st.text()), max_size=8)


def framed(seq: int, text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    return struct.pack("<II", seq, len(data)) + data


@given(TEXTS, st.data())
def test_frames_come_out_as_they_went_in_however_they_are_cut(
    texts: list[tuple[int, str]], data: st.DataObject
) -> None:
    stream = b"".join(framed(*one) for one in texts)
    found: list[tuple[int, str]] = []
    frames = Frames(lambda seq, text: found.append((seq, text)))
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        frames.feed(stream[:size])
        stream = stream[size:]
    assert found == texts


def test_a_frame_that_is_too_long_is_a_fault() -> None:
    with pytest.raises(ProtocolFault):
        Frames(lambda *_: None).feed(struct.pack("<II", 1, FRAME_LIMIT + 1))


def test_bytes_that_are_no_text_are_replaced() -> None:
    found: list[str] = []
    Frames(lambda _, text: found.append(text)).feed(struct.pack("<II", 1, 2) + b"a\xff")
    assert found == ["a�"]


def test_a_pipe_is_read_as_it_is_written_and_closed_at_its_end() -> None:
    async def test() -> None:
        read, write = os.pipe()
        found = bytearray()
        end = PipeEnd(read, found.extend)
        os.write(write, b"one")
        while found != b"one":
            await asyncio.sleep(0.001)
        os.write(write, b"two")
        end.drain()  # without the loop
        assert found == b"onetwo"
        os.close(write)
        end.drain()
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(read)
        end.close()

    in_loop(test())
