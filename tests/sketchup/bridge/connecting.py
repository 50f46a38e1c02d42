"""What the tests of the connection share: a client, its failures, and the commonest servers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.sketchup.bridge.address import BridgeAddress
from notebook_ext.sketchup.bridge.connection import BridgeConnection
from tests.sketchup.bridge.scripted_server import Peer, say_hello
from vcad_kernel.error_envelope import envelope
from vcad_kernel.errors import VcadError

__all__ = ["WORKSPACE", "be_hasty", "connection", "failure", "serve", "vanish"]

WORKSPACE = Path("/project")


def connection(port: int, **given: Any) -> BridgeConnection:
    """A client; what is no field of its address is its own keyword."""
    keywords = {key: given.pop(key) for key in ("clock", "connect", "log") if key in given}
    return BridgeConnection(BridgeAddress(**{"port": port, "workspace": WORKSPACE, **given}), **keywords)


def be_hasty(bridge: BridgeConnection, seconds: float) -> None:
    """Have an answer to a call in so many seconds, when hello has been answered in all its time."""
    bridge.ensure_handshake()
    bridge.address = replace(bridge.address, timeout=seconds)


def serve(peer: Peer) -> None:
    """Answer everything with the tool's own name."""
    say_hello(peer)
    while True:
        request = peer.receive()
        peer.say(request, {"success": True, "tool": request["params"]["name"]})


def vanish(peer: Peer) -> None:
    """Take a call and go."""
    say_hello(peer)
    peer.receive()


def failure(call: Any, error_code: str) -> VcadError:
    """The error that a call ends in: of this code, and with all that the code must say."""
    with pytest.raises(VcadError) as raised:
        call()
    assert raised.value.error_code == error_code
    assert envelope(raised.value, "test")["error_code"] == error_code
    return raised.value
