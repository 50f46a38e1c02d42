"""The worker's end of the socket: lines however they are cut, questions and their answers, the end."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiers import examples
from vcad_kernel.service.progress import ProgressReport
from vcad_kernel.service.shared import ProtocolFault
from vcad_kernel.service.shared.control import (
    Block,
    BlockReady,
    Grow,
    Grown,
    NoBlock,
    Progress,
    Request,
    Responded,
    Shutdown,
    decode,
    encode,
)
from vcad_kernel.service.worker.front_link import FrontGone, FrontLink, NoMemory


@pytest.fixture
def ends() -> Iterator[tuple[FrontLink, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.settimeout(10)
        yield FrontLink(ours), theirs


@examples(30)
@given(st.lists(st.integers(0, 2**64 - 1), max_size=10), st.lists(st.integers(1, 40), min_size=1))
def test_lines_are_read_however_they_are_cut(numbers: list[int], cuts: list[int]) -> None:
    ours, theirs = socket.socketpair()
    data = b"".join(encode(Request(number)) for number in numbers)

    def send() -> None:
        at, turn = 0, 0
        while at < len(data):
            theirs.sendall(data[at : at + cuts[turn % len(cuts)]])
            at += cuts[turn % len(cuts)]
            turn += 1
        theirs.close()

    sender = threading.Thread(target=send)
    sender.start()
    link = FrontLink(ours)
    assert [link.receive() for _ in numbers] == [Request(number) for number in numbers]
    assert link.receive() is None
    sender.join()
    ours.close()


def test_a_block_is_asked_for_and_what_comes_in_between_waits(ends: tuple[FrontLink, socket.socket]) -> None:
    link, front = ends
    for message in (Shutdown(), BlockReady(4, "mesh-1", "/dev/shm/a b")):
        front.sendall(encode(message))
    assert link.block(4, 1000) == BlockReady(4, "mesh-1", "/dev/shm/a b")
    assert decode(front.recv(100)) == Block(4, 1000)
    assert link.receive() == Shutdown()


def test_a_larger_region_is_asked_for(ends: tuple[FrontLink, socket.socket]) -> None:
    link, front = ends
    front.sendall(encode(Grown(4)))
    link.larger_region(4, 5000)
    assert decode(front.recv(100)) == Grow(4, 5000)


def test_no_memory_is_told_with_its_reason(ends: tuple[FrontLink, socket.socket]) -> None:
    link, front = ends
    front.sendall(encode(NoBlock(4, "no room, at all")))
    with pytest.raises(NoMemory, match="no room, at all"):
        link.block(4, 1000)


@pytest.mark.parametrize(
    "message", [BlockReady(5, "mesh-1", "/a"), Grown(4), Responded(4), NoBlock(3, "another's")]
)
def test_an_answer_to_something_else_is_a_fault(
    ends: tuple[FrontLink, socket.socket], message: object
) -> None:
    link, front = ends
    front.sendall(encode(message))  # type: ignore[arg-type]
    with pytest.raises(ProtocolFault):
        link.block(4, 1000)


def test_a_front_that_goes_while_it_is_asked_is_gone(ends: tuple[FrontLink, socket.socket]) -> None:
    link, front = ends
    front.shutdown(socket.SHUT_WR)
    with pytest.raises(FrontGone):
        link.block(4, 1000)


def test_nothing_can_be_said_to_a_front_that_is_gone(ends: tuple[FrontLink, socket.socket]) -> None:
    link, front = ends
    front.close()
    with pytest.raises(FrontGone):
        link.send(Responded(1))
    assert not link.progress(1, "running", 0, 0)


def test_a_line_without_end_is_a_fault(ends: tuple[FrontLink, socket.socket]) -> None:
    link, front = ends

    def send() -> None:
        try:
            front.sendall(b"x" * 200_000)
        except OSError:
            return

    sender = threading.Thread(target=send)
    sender.start()
    with pytest.raises(ProtocolFault):
        link.receive()
    front.close()
    sender.join()


def test_progress_never_waits_for_a_front_that_does_not_read(ends: tuple[FrontLink, socket.socket]) -> None:
    link, _ = ends
    offered = [link.progress(1, "geometry", number, 0) for number in range(100_000)]
    assert offered[0] is True
    assert offered[-1] is False


def test_progress_is_told_every_fifty_milliseconds_at_most(ends: tuple[FrontLink, socket.socket]) -> None:
    link, front = ends
    now = 10.0
    progress = ProgressReport(partial(link.progress, 7), lambda: now)
    for step in range(21):
        now = 10.0 + step / 64
        progress("geometry", step, 20)
    front.setblocking(False)
    told = [decode(line) for line in front.recv(65536).splitlines()]
    assert told == [Progress(7, step, 20, "geometry") for step in (0, 4, 8, 12, 16, 20)]


def test_that_a_phase_begins_is_always_told(ends: tuple[FrontLink, socket.socket]) -> None:
    link, front = ends
    progress = ProgressReport(partial(link.progress, 7), lambda: 10.0)
    for phase in ("loading", "loading", "running", "geometry", "geometry"):
        progress(phase)
    front.setblocking(False)
    told = [decode(line) for line in front.recv(65536).splitlines()]
    assert told == [Progress(7, 0, 0, phase) for phase in ("loading", "running", "geometry")]
