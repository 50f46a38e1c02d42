"""What the tests of our client against a real extension share."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.sketchup.bridge.connection import BridgeAddress, BridgeConnection
from vcad_kernel.errors import VcadError

__all__ = ["PATIENCE", "at", "connected", "refused", "telling"]

PATIENCE = 30.0
"""Seconds for an answer on a busy machine."""


def at(x: float, y: float, z: float) -> tuple[float, ...]:
    """A translation in millimetres."""
    return (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1)


def connected(
    port: int, workspace: Path, *, connect: Any = socket.create_connection, **given: Any
) -> BridgeConnection:
    """A client; what is given besides is of its address."""
    address = BridgeAddress(port=port, workspace=workspace, **{"timeout": PATIENCE, **given})
    return BridgeConnection(address, connect=connect)


class TellingSocket(socket.socket):
    """Says in a thread of its own when a word was sent over it."""

    word: bytes
    sent: Callable[[], object]

    def send(self, data: Any, flags: int = 0, /) -> int:
        count = super().send(data, flags)
        if self.word in bytes(data):
            threading.Thread(target=self.sent).start()
        return count


def telling(word: bytes, sent: Callable[[], object]) -> Callable[..., socket.socket]:
    """As ``socket.create_connection``; ``sent`` is called once ``word`` has left."""

    def connect(where: tuple[str, int], timeout: float) -> socket.socket:
        plain = socket.create_connection(where, timeout=timeout)
        made = TellingSocket(fileno=plain.detach())
        made.word, made.sent = word, sent
        return made

    return connect


def refused(call: Callable[[], Any], error_code: str) -> VcadError:
    """The error of this code that a call ends in."""
    with pytest.raises(VcadError) as raised:
        call()
    assert raised.value.error_code == error_code, raised.value.render()
    return raised.value
