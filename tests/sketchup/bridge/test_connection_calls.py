"""What a call asks for, and what its result means."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from notebook_ext.sketchup.bridge.address import BridgeAddress
from tests.sketchup.bridge.connecting import connection, failure, serve
from tests.sketchup.bridge.scripted_server import Peer, ScriptedServer, say_hello
from vcad_kernel.settings import Settings


def test_only_the_expected_model_is_changed() -> None:
    with ScriptedServer(_echo) as server, connection(server.port, expected_model="/m/house.skp") as bridge:
        assert bridge.call("eval_ruby", {"code": "1"}) == {"code": "1", "expected_model_path": "/m/house.skp"}
        for tool in ("ping", "console_capture_status", "reload_extension", "open_model"):
            assert bridge.call(tool) == {}


def _echo(peer: Peer) -> None:
    say_hello(peer)
    while True:
        request = peer.receive()
        peer.say(request, request["params"]["arguments"])


def test_a_result_that_says_it_failed_is_a_failure() -> None:
    def script(peer: Peer) -> None:
        say_hello(peer)
        peer.say(
            peer.receive(), {"success": False, "error": "No active model", "error_code": "MODEL_UNAVAILABLE"}
        )
        peer.say(peer.receive(), {"success": False, "error": "No shots specified"})
        peer.until_gone()

    with ScriptedServer(script) as server, connection(server.port) as bridge:
        missing = failure(lambda: bridge.call("get_model_info"), "MODEL_UNAVAILABLE")
        assert missing.message == "No active model"
        assert missing.details["operation"] == "get_model_info"
        failure(lambda: bridge.call("take_batch_screenshots"), "REMOTE_ERROR")


def test_what_the_extension_cannot_do_is_refused_before_anything_is_sent() -> None:
    asked: list[Any] = []

    def script(peer: Peer) -> None:
        say_hello(peer, capabilities=["vcad.nodes"])
        asked.append(peer.receive())

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
        say_hello(peer)
        peer.say(peer.receive(), {"success": True})
        peer.refuse(peer.receive(), code=-32004, message="none", data={"error_code": "NODE_NOT_FOUND"})
        peer.until_gone()

    def log(what: str, fields: Mapping[str, Any]) -> None:
        told.append((what, fields))

    with ScriptedServer(script) as server, connection(server.port, log=log, token="s3cret") as bridge:
        bridge.call("undo", request_id="r-1")
        failure(lambda: bridge.call("update_vcad_node"), "NODE_NOT_FOUND")
    calls = [fields for what, fields in told if what == "call"]
    assert [(one["tool"], one.get("request_id"), one["outcome"]) for one in calls] == [
        ("undo", "r-1", "ok"),
        ("update_vcad_node", None, "NODE_NOT_FOUND"),
    ]
    assert all(one["elapsed_ms"] >= 0 for one in calls)
    assert [one.get("error_code") for one in calls] == [None, "NODE_NOT_FOUND"]
    for one in calls:
        assert one["request"]["bytes"] > 40
        assert len(one["response"]["sha256"]) == 64
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
