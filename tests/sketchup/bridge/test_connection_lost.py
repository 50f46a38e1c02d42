"""Connections that are lost, calls without an answer, and calls that are stopped."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from notebook_ext.sketchup.bridge.connection import BridgeConnection
from tests.sketchup.bridge.connecting import be_hasty, connection, failure, serve, vanish
from tests.sketchup.bridge.scripted_server import Peer, ScriptedServer, say_hello


def test_a_connection_closed_between_two_calls_is_made_anew_without_a_word() -> None:
    happened: list[str] = []
    closed = threading.Event()

    def once(peer: Peer) -> None:
        say_hello(peer)
        peer.say(peer.receive(), {"success": True})
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
        say_hello(peer)
        asked.append(peer.receive()["params"]["request_id"])

    def second(peer: Peer) -> None:
        say_hello(peer)
        request = peer.receive()
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
        say_hello(peer, **changed)
        asked.append(peer.receive()["params"]["name"])

    with ScriptedServer(vanish, restarted) as server, connection(server.port) as bridge:
        failure(lambda: bridge.call("update_vcad_node", request_id="r-1"), "UNKNOWN_OUTCOME")
    assert asked == []


def test_a_change_lost_with_the_extension_itself_is_uncertain_and_not_merely_unsent() -> None:
    listener = socket.create_server(("127.0.0.1", 0))

    def once() -> None:
        sock, _ = listener.accept()
        with sock:
            say_hello(peer := Peer(sock))
            peer.receive()
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
        say_hello(peer)
        peer.until_gone()

    with ScriptedServer(silent) as server, connection(server.port) as bridge:
        bridge.ensure_handshake()
        late = failure(lambda: bridge.call("get_layers", timeout=0.05), "CONNECTION_TIMEOUT")
        assert late.details["seconds"] == 0.05
        assert server.connections == 1  # a busy SketchUp is not asked the same twice
        bridge.ensure_handshake()
        failure(lambda: bridge.call("eval_ruby", timeout=0.05), "UNKNOWN_OUTCOME")


@pytest.mark.parametrize("tool", ["place_vcad_node", "export_scene", "scripted_slow"])
def test_slow_tools_have_more_time(tool: str) -> None:
    released = threading.Event()

    def slow(peer: Peer) -> None:
        say_hello(peer)
        request = peer.receive()
        released.wait(0.03)
        peer.say(request, {"success": True})
        peer.until_gone()

    with ScriptedServer(slow) as server, connection(server.port) as bridge:
        be_hasty(bridge, 0.01)
        assert bridge.call(tool) == {"success": True}


def test_an_answer_that_comes_too_late_is_not_taken_for_the_next_one() -> None:
    gone = threading.Event()

    def late(peer: Peer) -> None:
        say_hello(peer)
        request = peer.receive()
        gone.wait(60)
        peer.say(request, {"late": True})

    with ScriptedServer(late, serve) as server, connection(server.port) as bridge:
        bridge.ensure_handshake()
        failure(lambda: bridge.call("get_layers", timeout=0.05), "CONNECTION_TIMEOUT")
        gone.set()
        assert bridge.call("get_layers")["tool"] == "get_layers"


# stopping it


def test_a_call_can_be_stopped_from_another_thread() -> None:
    asked = threading.Event()

    def silent(peer: Peer) -> None:
        say_hello(peer)
        peer.receive()
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


@pytest.mark.parametrize(
    "ask", [lambda bridge: bridge.call("update_vcad_node"), BridgeConnection.ensure_handshake]
)
def test_a_call_stopped_before_it_was_sent_has_done_nothing(ask: Callable[[BridgeConnection], Any]) -> None:
    asked = threading.Event()

    def silent(peer: Peer) -> None:
        peer.receive()
        asked.set()
        peer.until_gone()

    with ScriptedServer(silent) as server, connection(server.port, timeout=60) as bridge:

        def stop() -> None:
            asked.wait(10)
            bridge.interrupt()

        thread = threading.Thread(target=stop)
        thread.start()
        failure(lambda: ask(bridge), "EVAL_CANCELLED")
        thread.join(10)


def test_stopping_with_nothing_under_way_spoils_nothing() -> None:
    with ScriptedServer(serve) as server, connection(server.port) as bridge:
        bridge.interrupt()
        assert bridge.call("ping")
        bridge.interrupt()
        assert bridge.call("ping")
    assert server.connections == 1
