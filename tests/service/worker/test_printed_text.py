"""Printed text goes ahead in whole frames, and never holds up who prints."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.service.worker.front import wait_until
from tests.tiers import examples
from vcad_kernel.service.worker.printed_text import FRAME, PrintedText


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    for end in (reading, writing):
        try:
            os.close(end)
        except OSError:
            continue


def _frames(data: bytes) -> list[tuple[int, str]]:
    found, at = [], 0
    while at < len(data):
        seq, length = FRAME.unpack_from(data, at)
        at += FRAME.size
        found.append((seq, data[at : at + length].decode()))
        at += length
    assert at == len(data)
    return found


@examples(30)
@given(st.lists(st.text(max_size=50), max_size=20))
def test_everything_arrives_in_order(pieces: list[str]) -> None:
    reading, writing = os.pipe()
    printed = PrintedText(writing)
    printed.begin(3)
    for piece in pieces:
        printed(piece)
    printed.close()
    os.close(writing)
    with open(reading, "rb") as stream:  # noqa: PTH123 - a descriptor
        frames = _frames(stream.read())
    assert {seq for seq, _ in frames} <= {3}
    assert "".join(text for _, text in frames) == "".join(pieces)


def test_long_text_is_cut_into_frames_and_lone_surrogates_keep_their_length(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    printed = PrintedText(writing)
    printed.begin(2**32 + 5)
    printed("é" * 20000 + "\ud800")
    printed.close()
    os.close(writing)
    with open(reading, "rb") as stream:  # noqa: PTH123 - a descriptor
        frames = _frames(stream.read())
    assert len(frames) == 2
    assert {seq for seq, _ in frames} == {5}
    assert "".join(text for _, text in frames) == "é" * 20000 + "?"


def test_what_finds_no_room_is_left_out_until_the_next_request(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    printed = PrintedText(writing)
    printed.begin(1)
    for number in range(3000):
        printed(f"{number:0999d}\n")
    printed.settle(0.01)
    printed.begin(2)
    data = b""
    while b"the next" not in data:
        data += os.read(reading, 65536)
        printed("the next") if len(data) > 500_000 else None
    first = "".join(text for seq, text in _frames(data[: data.rindex(FRAME.pack(2, 8))]) if seq == 1)
    whole = "".join(f"{number:0999d}\n" for number in range(3000))
    assert whole.startswith(first)
    assert 500_000 < len(first) < len(whole)
    with closing(printed):
        os.set_blocking(reading, False)


def test_settling_lets_the_text_go_ahead(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    printed = PrintedText(writing)
    printed.begin(1)
    printed("here")
    printed.settle(10)
    assert _frames(os.read(reading, 65536)) == [(1, "here")]
    printed.close()


def test_a_reader_that_is_gone_does_no_harm(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    os.close(reading)
    printed = PrintedText(writing)
    printed.begin(1)
    printed("nobody hears this")
    wait_until(lambda: not printed._writer.is_alive())
    printed("nor this")
    printed.settle(0.01)
    printed.close()
