"""The connection to SketchUp's extension, against servers that behave and servers that do not."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.sketchup.address import BridgeAddress
from notebook_ext.sketchup.connection import BridgeConnection
from tests.sketchup.scripted_server import Peer, ScriptedServer, greet
from vcad_kernel.error_envelope import envelope
from vcad_kernel.errors import VcadError
from vcad_kernel.settings import Settings

WORKSPACE = Path("/project")


def connection(port: int, **given: Any) -> BridgeConnection:
    keywords = {key: given.pop(key) for key in ("clock", "connect", "log") if key in given}
    return BridgeConnection(BridgeAddress(**{"port": port, "workspace": WORKSPACE, **given}), **keywords)


def serve(peer: Peer) -> None:
    """Answer everything with the tool's own name."""
    greet(peer)
    while True:
        request = peer.hear()
        peer.say(request, {"success": True, "tool": request["params"]["name"]})


def vanish(peer: Peer) -> None:
    """Take a call and go."""
    greet(peer)
    peer.hear()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def failure(call: Any, error_code: str) -> VcadError:
    """The error that a call ends in: of this code, and with all that the code must say."""
    with pytest.raises(VcadError) as raised:
        call()
    assert raised.value.error_code == error_code
    assert envelope(raised.value, "test")["error_code"] == error_code
    return raised.value


# saying hello


def test_hello_says_who_we_are_and_where_we_work() -> None:
    said: dict[str, Any] = {}

    def script(peer: Peer) -> None:
        said.update(greet(peer))
        peer.until_gone()

    with ScriptedServer(script) as server, connection(server.port, token="s3cret", agent="tests") as bridge:
        greeting = bridge.greeted()
    assert said["agent"] == "tests"
    assert said["token"] == "s3cret"
    assert said["workspace"] == str(WORKSPACE)
    assert said["protocol_version"] == 1
    assert isinstance(said["pid"], int)
    assert said["name"]
    assert said["version"]
    assert greeting.supports("vcad.instances")
    assert not greeting.supports("vcad.observer")
    assert greeting.is_headless
    assert bridge.greeting == greeting


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
        request = peer.hear()
        data = {"success": False, "error_code": "AUTH_INVALID", "details": {"operation": "hello"}}
        peer.refuse(request, code=-32001, message="wrong token", data=data)

    with ScriptedServer(script) as server, connection(server.port, token="s3cret") as bridge:
        error = failure(lambda: bridge.call("ping"), "AUTH_INVALID")
    assert "SUPEX_AUTH_TOKEN" in (error.fix or "")
    assert "s3cret" not in error.render() + repr(bridge.address)


def test_another_version_of_the_protocol_is_not_spoken_with() -> None:
    def script(peer: Peer) -> None:
        greet(peer, protocol_version=2)
        peer.until_gone()

    with ScriptedServer(script) as server, connection(server.port) as bridge:
        error = failure(lambda: bridge.call("ping"), "PROTOCOL_MISMATCH")
    assert (error.details["expected_protocol"], error.details["actual_protocol"]) == (1, 2)


def test_a_server_that_is_full_says_so() -> None:
    def script(peer: Peer) -> None:
        peer.hear()
        peer.refuse(None, code=-32003, message="16 are connected", data={"error_code": "BUSY", "details": {}})

    with ScriptedServer(script) as server, connection(server.port) as bridge:
        failure(lambda: bridge.call("ping"), "BUSY")


def test_with_nobody_there_the_message_says_how_to_start_sketchup_or_its_stand_in() -> None:
    port = free_port()
    with connection(port) as bridge:
        error = failure(lambda: bridge.call("place_vcad_node"), "CONNECTION_FAILED")
    assert (error.details["host"], error.details["port"]) == ("127.0.0.1", port)
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
        greet(peer, workspace=None)
        data = {
            "error_code": "PATH_NOT_ALLOWED",
            "details": {"path": "a.dae", "workspace": None},
            "hint": "x",
        }
        peer.refuse(peer.hear(), code=-32002, message="denied", data=data)
        peer.until_gone()

    with ScriptedServer(script) as server, connection(server.port) as bridge:
        error = failure(lambda: bridge.call("place_vcad_node"), "PATH_NOT_ALLOWED")
    assert str(WORKSPACE) in (error.fix or "")


def test_what_speaks_another_protocol_is_not_taken_for_sketchup() -> None:
    def script(peer: Peer) -> None:
        peer.hear()
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
        greet(peer)
        request = peer.hear()
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
        greet(peer)
        for _ in range(2):
            request = peer.hear()
            unread.append(peer.unread)
            peer.say(request, request["params"]["arguments"])
        peer.until_gone()

    with ScriptedServer(script) as server, connection(server.port) as bridge:
        for text in ("a\nb\r", "木"):
            assert bridge.call("eval_ruby", {"code": text}) == {"code": text}
    assert unread == [b"", b""]


def test_a_line_that_nobody_asked_for_spoils_no_later_answer() -> None:
    def script(peer: Peer) -> None:
        greet(peer)
        request = peer.hear()
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
        greet(peer)
        peer.hear()
        peer.write(line)
        peer.until_gone()

    with ScriptedServer(script) as server, connection(server.port) as bridge:
        failure(lambda: bridge.call("remove_vcad_node"), "UNKNOWN_OUTCOME")


def test_an_answer_that_is_too_long_is_not_read_to_its_end() -> None:
    def script(peer: Peer) -> None:
        greet(peer)
        peer.hear()
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
        greet(peer, limits={"max_request_bytes": 4096})
        request = peer.hear()
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


# losing it


def test_a_connection_closed_between_two_calls_is_made_anew_without_a_word() -> None:
    happened: list[str] = []
    closed = threading.Event()

    def once(peer: Peer) -> None:
        greet(peer)
        peer.say(peer.hear(), {"success": True})
        peer.sock.close()
        closed.set()

    def log(what: str, fields: Mapping[str, Any]) -> None:
        happened.append(what)

    with ScriptedServer(once, serve) as server, connection(server.port, log=log) as bridge:
        bridge.call("eval_ruby")
        assert closed.wait(10)
        bridge.call("eval_ruby")
    assert server.connections == 2
    assert happened == ["connected", "call", "call"]


def test_a_connection_that_has_rested_is_made_anew() -> None:
    now = [0.0]
    with ScriptedServer(serve) as server, connection(server.port, clock=lambda: now[0]) as bridge:
        bridge.call("ping")
        now[0] += 299
        bridge.call("ping")
        assert server.connections == 1
        now[0] += 301
        bridge.call("ping")
    assert server.connections == 2


def test_a_question_whose_answer_is_lost_is_asked_again() -> None:
    with ScriptedServer(vanish, serve) as server, connection(server.port) as bridge:
        assert bridge.call("list_vcad_nodes")["tool"] == "list_vcad_nodes"
    assert server.connections == 2


def test_a_question_is_not_asked_for_ever() -> None:
    with ScriptedServer(vanish) as server, connection(server.port, retries=2) as bridge:
        error = failure(lambda: bridge.call("list_vcad_nodes"), "CONNECTION_FAILED")
    assert server.connections == 3
    assert error.details["operation"] == "list_vcad_nodes"


@pytest.mark.parametrize("tool", ["eval_ruby", "place_vcad_node", "vcad.observer_poll", "some_new_tool"])
def test_a_change_whose_answer_is_lost_is_never_sent_again(tool: str) -> None:
    with ScriptedServer(vanish, serve) as server, connection(server.port) as bridge:
        error = failure(lambda: bridge.call(tool), "UNKNOWN_OUTCOME")
        assert bridge.call(tool)["tool"] == tool
    assert server.connections == 2
    assert error.details["operation"] == tool


def test_an_acknowledged_poll_may_be_repeated() -> None:
    with ScriptedServer(vanish, serve) as server, connection(server.port) as bridge:
        assert bridge.call("vcad.observer_poll", {"ack": 4})["tool"] == "vcad.observer_poll"


def test_a_change_that_the_extension_remembers_is_answered_from_its_memory() -> None:
    asked: list[str] = []

    def first(peer: Peer) -> None:
        greet(peer)
        asked.append(peer.hear()["params"]["request_id"])

    def second(peer: Peer) -> None:
        greet(peer)
        request = peer.hear()
        asked.append(request["params"]["request_id"])
        peer.say(request, {"success": True, "replayed": True})
        peer.until_gone()

    with ScriptedServer(first, second) as server, connection(server.port) as bridge:
        assert bridge.call("update_vcad_node", request_id="r-1")["replayed"] is True
    assert asked == ["r-1", "r-1"]


@pytest.mark.parametrize(
    "changed",
    [
        {"server": {"name": "scripted", "started": "second"}},
        {"server": {"name": "scripted"}},
    ],
)
def test_an_extension_that_was_restarted_remembers_nothing_and_is_not_asked(changed: dict[str, Any]) -> None:
    asked: list[str] = []

    def restarted(peer: Peer) -> None:
        greet(peer, **changed)
        asked.append(peer.hear()["params"]["name"])

    with ScriptedServer(vanish, restarted) as server, connection(server.port) as bridge:
        failure(lambda: bridge.call("update_vcad_node", request_id="r-1"), "UNKNOWN_OUTCOME")
    assert asked == []


def test_a_change_lost_with_the_extension_itself_is_uncertain_and_not_merely_unsent() -> None:
    listener = socket.create_server(("127.0.0.1", 0))

    def once() -> None:
        sock, _ = listener.accept()
        with sock:
            greet(peer := Peer(sock))
            peer.hear()
            listener.close()

    thread = threading.Thread(target=once)
    thread.start()
    with connection(listener.getsockname()[1]) as bridge:
        failure(lambda: bridge.call("update_vcad_node", request_id="r-1"), "UNKNOWN_OUTCOME")
    thread.join(10)


def test_a_change_that_is_lost_twice_is_uncertain() -> None:
    with ScriptedServer(vanish) as server, connection(server.port, retries=5) as bridge:
        failure(lambda: bridge.call("update_vcad_node", request_id="r-1"), "UNKNOWN_OUTCOME")
    assert server.connections == 2


def test_who_is_too_slow_is_told_apart_by_what_was_asked() -> None:
    def silent(peer: Peer) -> None:
        greet(peer)
        peer.until_gone()

    with ScriptedServer(silent) as server, connection(server.port) as bridge:
        late = failure(lambda: bridge.call("get_layers", timeout=0.05), "CONNECTION_TIMEOUT")
        assert late.details["seconds"] == 0.05
        assert server.connections == 1  # a busy SketchUp is not asked the same twice
        failure(lambda: bridge.call("eval_ruby", timeout=0.05), "UNKNOWN_OUTCOME")


@pytest.mark.parametrize("tool", ["place_vcad_node", "export_scene", "scripted_slow"])
def test_slow_tools_have_more_time(tool: str) -> None:
    released = threading.Event()

    def slow(peer: Peer) -> None:
        greet(peer)
        request = peer.hear()
        released.wait(0.3)
        peer.say(request, {"success": True})
        peer.until_gone()

    with ScriptedServer(slow) as server, connection(server.port, timeout=0.1) as bridge:
        assert bridge.call(tool) == {"success": True}


def test_an_answer_that_comes_too_late_is_not_taken_for_the_next_one() -> None:
    gone = threading.Event()

    def late(peer: Peer) -> None:
        greet(peer)
        request = peer.hear()
        gone.wait(10)
        peer.say(request, {"late": True})

    with ScriptedServer(late, serve) as server, connection(server.port) as bridge:
        failure(lambda: bridge.call("get_layers", timeout=0.05), "CONNECTION_TIMEOUT")
        gone.set()
        assert bridge.call("get_layers")["tool"] == "get_layers"


# stopping it


def test_a_call_can_be_stopped_from_another_thread() -> None:
    asked = threading.Event()

    def silent(peer: Peer) -> None:
        greet(peer)
        peer.hear()
        asked.set()
        peer.until_gone()

    with ScriptedServer(silent, serve) as server, connection(server.port, timeout=60) as bridge:

        def stop() -> None:
            asked.wait(10)
            bridge.interrupt()

        thread = threading.Thread(target=stop)
        thread.start()
        error = failure(lambda: bridge.call("update_vcad_node", request_id="r-1"), "UNKNOWN_OUTCOME")
        thread.join(10)
        assert error.details["interrupted"] is True
        assert bridge.call("ping")["tool"] == "ping"


def test_a_call_stopped_before_it_was_sent_has_done_nothing() -> None:
    asked = threading.Event()

    def silent(peer: Peer) -> None:
        peer.hear()
        asked.set()
        peer.until_gone()

    with ScriptedServer(silent) as server, connection(server.port, timeout=60) as bridge:

        def stop() -> None:
            asked.wait(10)
            bridge.interrupt()

        thread = threading.Thread(target=stop)
        thread.start()
        failure(lambda: bridge.call("update_vcad_node"), "EVAL_CANCELLED")
        thread.join(10)


def test_stopping_with_nothing_under_way_spoils_nothing() -> None:
    with ScriptedServer(serve) as server, connection(server.port) as bridge:
        bridge.interrupt()
        assert bridge.call("ping")
        bridge.interrupt()
        assert bridge.call("ping")
    assert server.connections == 1


# what is asked


def test_only_the_expected_model_is_changed() -> None:
    with ScriptedServer(_echo) as server, connection(server.port, expected_model="/m/house.skp") as bridge:
        assert bridge.call("eval_ruby", {"code": "1"}) == {"code": "1", "expected_model_path": "/m/house.skp"}
        for tool in ("ping", "console_capture_status", "reload_extension", "open_model"):
            assert bridge.call(tool) == {}


def _echo(peer: Peer) -> None:
    greet(peer)
    while True:
        request = peer.hear()
        peer.say(request, request["params"]["arguments"])


def test_a_result_that_says_it_failed_is_a_failure() -> None:
    def script(peer: Peer) -> None:
        greet(peer)
        peer.say(
            peer.hear(), {"success": False, "error": "No active model", "error_code": "MODEL_UNAVAILABLE"}
        )
        peer.say(peer.hear(), {"success": False, "error": "No shots specified"})
        peer.until_gone()

    with ScriptedServer(script) as server, connection(server.port) as bridge:
        missing = failure(lambda: bridge.call("get_model_info"), "MODEL_UNAVAILABLE")
        assert missing.message == "No active model"
        assert missing.details["operation"] == "get_model_info"
        failure(lambda: bridge.call("take_batch_screenshots"), "REMOTE_ERROR")


def test_what_the_extension_cannot_do_is_refused_before_anything_is_sent() -> None:
    asked: list[Any] = []

    def script(peer: Peer) -> None:
        greet(peer, capabilities=["vcad.nodes"])
        asked.append(peer.hear())

    with ScriptedServer(script) as server, connection(server.port) as bridge:
        error = failure(
            lambda: bridge.require("vcad.instances", "place_vcad_instance"), "CAPABILITY_UNAVAILABLE"
        )
    assert error.details["required_capability"] == "vcad.instances"
    assert error.details["negotiated_capabilities"] == ["vcad.nodes"]
    assert error.details["operation"] == "place_vcad_instance"
    assert asked == []


def test_threads_take_turns() -> None:
    with ScriptedServer(serve) as server, connection(server.port) as bridge:
        found: list[str] = []
        tools = [f"tool_{number}" for number in range(8)]

        def ask(tool: str) -> None:
            for _ in range(10):
                found.append(bridge.call(tool)["tool"] == tool and tool)

        threads = [threading.Thread(target=ask, args=(tool,)) for tool in tools]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)
    assert sorted(found) == sorted(tools * 10)
    assert server.connections == 1


def test_every_call_is_told_to_the_log() -> None:
    told: list[tuple[str, Mapping[str, Any]]] = []

    def script(peer: Peer) -> None:
        greet(peer)
        peer.say(peer.hear(), {"success": True})
        peer.refuse(peer.hear(), code=-32004, message="none", data={"error_code": "NODE_NOT_FOUND"})
        peer.until_gone()

    def log(what: str, fields: Mapping[str, Any]) -> None:
        told.append((what, fields))

    with ScriptedServer(script) as server, connection(server.port, log=log, token="s3cret") as bridge:
        bridge.call("undo", request_id="r-1")
        failure(lambda: bridge.call("update_vcad_node"), "NODE_NOT_FOUND")
    calls = [fields for what, fields in told if what == "call"]
    assert [(one["tool"], one["request_id"], one["outcome"]) for one in calls] == [
        ("undo", "r-1", "ok"),
        ("update_vcad_node", None, "NODE_NOT_FOUND"),
    ]
    assert all(one["elapsed_ms"] >= 0 for one in calls)
    assert "s3cret" not in repr(told)


def test_the_address_is_what_the_settings_say(tmp_path: Path) -> None:
    settings = Settings.from_environment(
        {
            "SUPEX_HOST": "localhost",
            "SUPEX_PORT": "9",
            "SUPEX_TIMEOUT": "3",
            "SUPEX_RETRIES": "1",
            "SUPEX_AUTH_TOKEN": "s3cret",
            "SUPEX_IDLE_TIMEOUT": "60",
            "SUPEX_MAX_RESPONSE": "5000",
            "SUPEX_EXPECTED_MODEL": "/m/house.skp",
            "SUPEX_AGENT": "robot",
        }
    )
    assert BridgeAddress.from_settings(settings, tmp_path) == BridgeAddress(
        host="localhost",
        port=9,
        token="s3cret",
        workspace=tmp_path,
        agent="robot",
        expected_model="/m/house.skp",
        timeout=3,
        retries=1,
        idle_timeout=60,
        max_response=5000,
    )
    assert BridgeAddress.from_settings(Settings(), None) == BridgeAddress()
    elsewhere = Settings.from_environment({"SUPEX_WORKSPACE": str(tmp_path / "other")})
    assert BridgeAddress.from_settings(elsewhere, tmp_path).workspace == tmp_path / "other"
