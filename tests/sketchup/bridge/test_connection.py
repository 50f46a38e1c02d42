"""The handshake with SketchUp's extension, and lines to and from it: also of servers that do it wrong."""

from __future__ import annotations

import json
import socket
from typing import Any

import pytest

from tests.sketchup.bridge.connecting import WORKSPACE, connection, failure, serve
from tests.sketchup.bridge.scripted_server import Peer, ScriptedServer, say_hello


def test_hello_says_who_we_are_and_where_we_work() -> None:
    said: dict[str, Any] = {}

    def script(peer: Peer) -> None:
        said.update(say_hello(peer))
        peer.until_gone()

    with ScriptedServer(script) as server, connection(server.port, token="s3cret", agent="tests") as bridge:
        handshake = bridge.ensure_handshake()
    assert said["agent"] == "tests"
    assert said["token"] == "s3cret"
    assert said["workspace"] == str(WORKSPACE)
    assert said["protocol_version"] == 1
    assert isinstance(said["pid"], int)
    assert said["name"]
    assert said["version"]
    assert handshake.supports("vcad.instances")
    assert not handshake.supports("vcad.observer")
    assert handshake.is_headless
    assert bridge.handshake == handshake


def test_many_calls_share_one_connection() -> None:
    with ScriptedServer(serve) as server, connection(server.port) as bridge:
        assert [bridge.call(tool)["tool"] for tool in ("ping", "get_layers", "eval_ruby")] == [
            "ping",
            "get_layers",
            "eval_ruby",
        ]
    assert server.connections == 1


def test_a_token_that_is_wrong_is_named_as_such_and_never_shown() -> None:
    def script(peer: Peer) -> None:
        request = peer.receive()
        data = {"success": False, "error_code": "AUTH_INVALID", "details": {"operation": "hello"}}
        peer.refuse(request, code=-32001, message="wrong token", data=data)

    with ScriptedServer(script) as server, connection(server.port, token="s3cret") as bridge:
        error = failure(lambda: bridge.call("ping"), "AUTH_INVALID")
    assert "SUPEX_AUTH_TOKEN" in (error.fix or "")
    assert "s3cret" not in error.render() + repr(bridge.address)


@pytest.mark.parametrize("spoken", [0, 2])
def test_another_version_of_the_protocol_is_not_spoken_with(spoken: int) -> None:
    def script(peer: Peer) -> None:
        say_hello(peer, protocol_version=spoken)
        peer.until_gone()

    with ScriptedServer(script) as server, connection(server.port) as bridge:
        error = failure(lambda: bridge.call("ping"), "PROTOCOL_MISMATCH")
    assert (error.details["expected_protocol"], error.details["actual_protocol"]) == (1, spoken)


def test_a_server_that_is_full_says_so() -> None:
    def script(peer: Peer) -> None:
        peer.receive()
        peer.refuse(None, code=-32003, message="16 are connected", data={"error_code": "BUSY", "details": {}})

    with ScriptedServer(script) as server, connection(server.port) as bridge:
        failure(lambda: bridge.call("ping"), "BUSY")


def test_with_nobody_there_the_message_says_how_to_start_sketchup_or_its_stand_in(kept_port: int) -> None:
    with connection(kept_port) as bridge:
        error = failure(lambda: bridge.call("place_vcad_node"), "CONNECTION_FAILED")
    assert (error.details["host"], error.details["port"]) == ("127.0.0.1", kept_port)
    assert "vcad sketchup --headless" in (error.fix or "")
    assert "SUPEX_PORT" in (error.fix or "")


@pytest.mark.parametrize(
    "trouble",
    [socket.gaierror(-2, "Name or service not known"), TimeoutError("timed out"), UnicodeError("label")],
)
def test_a_host_that_cannot_be_reached_is_named_with_the_reason(trouble: Exception) -> None:
    waited: list[float] = []

    def connect(where: tuple[str, int], timeout: float) -> socket.socket:
        waited.append(timeout)
        raise trouble

    error = failure(
        lambda: connection(9, host="elsewhere", connect=connect).call("ping"), "CONNECTION_FAILED"
    )
    assert error.details["host"] == "elsewhere"
    assert error.details["reason"] in str(trouble)
    assert waited == [2.0]


def test_a_refused_path_says_so_when_the_workspace_itself_was_not_accepted() -> None:
    def script(peer: Peer) -> None:
        say_hello(peer, workspace=None)
        data = {
            "error_code": "PATH_NOT_ALLOWED",
            "details": {"path": "a.dae", "workspace": None},
            "hint": "x",
        }
        peer.refuse(peer.receive(), code=-32002, message="denied", data=data)
        peer.until_gone()

    with ScriptedServer(script) as server, connection(server.port) as bridge:
        error = failure(lambda: bridge.call("place_vcad_node"), "PATH_NOT_ALLOWED")
    assert str(WORKSPACE) in (error.fix or "")


def test_what_speaks_another_protocol_is_not_taken_for_sketchup() -> None:
    def script(peer: Peer) -> None:
        peer.receive()
        peer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with ScriptedServer(script) as server, connection(server.port) as bridge:
        failure(lambda: bridge.call("ping"), "CONNECTION_FAILED")


def test_a_server_that_does_not_answer_hello_is_waited_for_as_long_as_set() -> None:
    with ScriptedServer(Peer.until_gone) as server, connection(server.port, timeout=0.05) as bridge:
        error = failure(lambda: bridge.call("ping"), "CONNECTION_TIMEOUT")
    assert error.details["seconds"] == 0.05


# lines


def test_an_answer_may_come_in_any_number_of_pieces() -> None:
    def script(peer: Peer) -> None:
        say_hello(peer)
        request = peer.receive()
        text = json.dumps(
            {"jsonrpc": "2.0", "result": {"name": "Tür Ø8"}, "id": request["id"]}, ensure_ascii=False
        )
        for byte in text.encode() + b"\n":
            peer.write(bytes([byte]))
        peer.until_gone()

    with ScriptedServer(script) as server, connection(server.port) as bridge:
        assert bridge.call("get_layers") == {"name": "Tür Ø8"}


def test_a_request_is_one_line_and_nothing_follows_it_before_its_answer() -> None:
    unread: list[bytes] = []

    def script(peer: Peer) -> None:
        say_hello(peer)
        for _ in range(2):
            request = peer.receive()
            unread.append(peer.unread)
            peer.say(request, request["params"]["arguments"])
        peer.until_gone()

    with ScriptedServer(script) as server, connection(server.port) as bridge:
        for text in ("a\nb\r", "木"):
            assert bridge.call("eval_ruby", {"code": text}) == {"code": text}
    assert unread == [b"", b""]


def test_a_line_that_nobody_asked_for_spoils_no_later_answer() -> None:
    def script(peer: Peer) -> None:
        say_hello(peer)
        request = peer.receive()
        both = [{"result": {"turn": 1}, "id": request["id"]}, {"method": "progress", "params": {}}]
        peer.write(b"".join(json.dumps(one).encode() + b"\n" for one in both))
        peer.until_gone()

    with ScriptedServer(script, serve) as server, connection(server.port) as bridge:
        assert bridge.call("eval_ruby") == {"turn": 1}
        assert bridge.call("eval_ruby")["tool"] == "eval_ruby"
    assert server.connections == 2


@pytest.mark.parametrize(
    "line", [b"{oops\n", b"[]\n", b"\xff\n", b'{"id": 1}\n', b'{"result": {}, "id": "x"}\n']
)
def test_an_answer_that_is_none_leaves_a_change_uncertain(line: bytes) -> None:
    def script(peer: Peer) -> None:
        say_hello(peer)
        peer.receive()
        peer.write(line)
        peer.until_gone()

    with ScriptedServer(script) as server, connection(server.port) as bridge:
        failure(lambda: bridge.call("remove_vcad_node"), "UNKNOWN_OUTCOME")


def test_an_answer_that_is_too_long_is_not_read_to_its_end() -> None:
    def script(peer: Peer) -> None:
        say_hello(peer)
        peer.receive()
        piece = b"x" * 2**16
        while True:
            peer.write(piece)

    with ScriptedServer(script) as server, connection(server.port, max_response=2**18) as bridge:
        error = failure(lambda: bridge.call("list_entities"), "PAYLOAD_TOO_LARGE")
        assert error.details["limit"] == 2**18
        assert error.details["size"] > 2**18
        failure(lambda: bridge.call("eval_ruby"), "UNKNOWN_OUTCOME")


def test_a_request_that_would_be_refused_unread_is_not_sent() -> None:
    asked: list[str] = []

    def script(peer: Peer) -> None:
        say_hello(peer, limits={"max_request_bytes": 4096})
        request = peer.receive()
        asked.append(request["params"]["name"])
        peer.say(request, {})
        peer.until_gone()

    with ScriptedServer(script) as server, connection(server.port) as bridge:
        error = failure(lambda: bridge.call("eval_ruby", {"code": "x" * 5000}), "PAYLOAD_TOO_LARGE")
        bridge.call("ping")
    assert error.details["limit"] == 4096
    assert asked == ["ping"]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", {1, 2}])
def test_what_json_cannot_say_is_refused_before_it_is_sent(value: Any) -> None:
    with ScriptedServer(serve) as server, connection(server.port) as bridge:
        failure(lambda: bridge.call("place_vcad_node", {"position": [value, 0, 0]}), "INVALID_PARAMS")
        assert bridge.call("ping")
