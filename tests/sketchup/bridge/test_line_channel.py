"""One line said, one heard: and of every failure, whether anything had left."""

from __future__ import annotations

import select
import socket
import struct
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from notebook_ext.sketchup.bridge.line_channel import LineChannel, NoAnswer, TooLate, TooLong

LONG = b"x" * 2**25 + b"\n"
"""More than both ends of a connection hold when nobody reads."""


@dataclass(frozen=True)
class Ends:
    """Both ends of one connection."""

    near: socket.socket
    far: socket.socket

    def wait(self) -> None:
        """Until the near end has something to notice."""
        select.select([self.near], [], [], 10)

    def reset(self) -> None:
        """End it as a killed process does."""
        self.far.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.far.close()
        self.wait()


@pytest.fixture
def ends() -> Iterator[Ends]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        near = socket.create_connection(listener.getsockname(), timeout=10)
        far, _ = listener.accept()
    far.settimeout(10)
    with near, far:
        yield Ends(near, far)


@pytest.fixture
def channel(ends: Ends) -> LineChannel:
    return LineChannel(ends.near, limit=64)


def test_it_is_usable_until_the_peer_leaves(channel: LineChannel, ends: Ends) -> None:
    assert channel.is_usable()
    ends.reset()
    assert not channel.is_usable()


def test_it_is_of_no_use_once_something_came_unasked(channel: LineChannel, ends: Ends) -> None:
    ends.far.sendall(b"hello?\n")
    ends.wait()
    assert not channel.is_usable()


def test_nothing_has_left_when_the_peer_was_gone_before(channel: LineChannel, ends: Ends) -> None:
    ends.reset()
    with pytest.raises(NoAnswer) as raised:
        channel.exchange(b"1\n", 10)
    assert raised.value.sent is False


def test_something_may_have_left_when_the_peer_goes_without_an_answer(
    channel: LineChannel, ends: Ends
) -> None:
    def vanish() -> None:
        ends.far.recv(10)
        ends.reset()

    thread = threading.Thread(target=vanish)
    thread.start()
    with pytest.raises(NoAnswer) as raised:
        channel.exchange(b"1\n", 10)
    thread.join(10)
    assert raised.value.sent is True


def test_a_peer_that_does_not_read_is_not_waited_for_for_ever(channel: LineChannel, ends: Ends) -> None:
    with pytest.raises(TooLate) as raised:
        channel.exchange(LONG, 0.1)
    assert (raised.value.reason, raised.value.sent) == ("it does not read", True)


def test_what_a_peer_said_while_it_did_not_read_is_heard(channel: LineChannel, ends: Ends) -> None:
    ends.far.sendall(b"too long\n")
    assert channel.exchange(LONG, 0.1) == b"too long"


def test_stopping_ends_a_request_that_is_being_sent(channel: LineChannel, ends: Ends) -> None:
    def stop() -> None:
        ends.far.recv(10)
        channel.stop()

    thread = threading.Thread(target=stop)
    thread.start()
    with pytest.raises(NoAnswer):
        channel.exchange(LONG, 10)
    thread.join(10)
    assert not channel.is_usable()
    channel.close()
    channel.stop()


@pytest.mark.parametrize("answer", [b"x" * 65 + b"\n", b"x" * 66])
def test_a_line_beyond_the_limit_is_not_read(channel: LineChannel, ends: Ends, answer: bytes) -> None:
    ends.far.sendall(answer)
    with pytest.raises(TooLong) as raised:
        channel.exchange(b"1\n", 10)
    assert raised.value.size >= 65


def test_a_line_of_the_limit_is_read(channel: LineChannel, ends: Ends) -> None:
    ends.far.sendall(b"x" * 64 + b"\n")
    assert channel.exchange(b"1\n", 10) == b"x" * 64
