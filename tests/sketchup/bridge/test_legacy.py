"""Our client against a server that behaves as supex 0.2.0's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from notebook_ext.sketchup.bridge.bridge import Bounds, Bridge
from notebook_ext.sketchup.bridge.connection import BridgeAddress, BridgeConnection
from tests.sketchup.legacy_server import LegacyServer
from vcad_kernel.errors import VcadError

WORKSPACE = Path("/project")
BOX = Bounds((0, 0, 0), (1, 1, 1))


@pytest.fixture
def server() -> Iterator[LegacyServer]:
    with LegacyServer() as serving:
        yield serving


@pytest.fixture
def bridge(server: LegacyServer) -> Iterator[Bridge]:
    with BridgeConnection(BridgeAddress(port=server.port, workspace=WORKSPACE, timeout=5)) as connection:
        yield Bridge(connection)


def test_it_says_hello_anew_for_each_of_twenty_calls(server: LegacyServer, bridge: Bridge) -> None:
    for _ in range(20):
        assert bridge.status().version == "0.2.0"
    assert [tool for tool, _ in server.calls] == ["ping"] * 20
    assert len(server.hellos) == 20


def test_every_request_reaches_it_whole_and_alone(server: LegacyServer, bridge: Bridge) -> None:
    bridge.place_node("plate", "plate.dae", source_file="x" * 30_000)
    assert all(piece.count(b"\n") == 1 and piece.endswith(b"\n") for piece in server.pieces)


def test_a_part_is_placed_listed_and_updated(server: LegacyServer, bridge: Bridge) -> None:
    placed = bridge.place_node(
        "plate",
        ".vcad/plate.dae",
        position=(1, 2, 3),
        expected_bbox=Bounds((0, 0, 0), (1, 1, 1)),
        request_id="r-1",
    )
    assert (placed.node_id, placed.entity_id, placed.definition_name) == ("plate", 101, "vcad_plate")
    assert (placed.model_revision, placed.bounds, placed.persistent_id) == (None, None, None)
    [(_, arguments)] = server.calls
    assert arguments["obj_path"] == str(WORKSPACE / ".vcad/plate.dae")
    assert arguments["position"] == [1.0, 2.0, 3.0]
    [row] = bridge.nodes()
    assert (row.node_id, row.version, row.instances) == ("plate", 1, 1)
    assert (row.entity_ids, row.placements) == ((), ())
    assert bridge.get_node("plate").bounds is None  # SketchUp's empty box
    updated = bridge.update_node("plate", "plate.dae")
    assert (updated.version, updated.replaced_instances) == (2, 1)


def test_what_it_cannot_do_is_refused_before_anything_is_sent(server: LegacyServer, bridge: Bridge) -> None:
    with pytest.raises(VcadError) as refused:
        bridge.place_instance("plate", "a", [1.0] * 16)
    assert refused.value.error_code == "CAPABILITY_UNAVAILABLE"
    assert refused.value.details["negotiated_capabilities"] == []
    assert not bridge.supports("vcad.instances")
    assert server.calls == []


@pytest.mark.parametrize(
    ("tool", "arguments", "error_code"),
    [
        ("get_entity", {"entity_id": 3}, "TOOL_NOT_FOUND"),
        ("eval_ruby", {"code": "x"}, "RUBY_ERROR"),
        ("save_model", {"path": "/etc/x.skp"}, "PATH_NOT_ALLOWED"),
        ("place_vcad_node", {"obj_path": "a.obj", "node_id": "a"}, "IMPORT_DEFINITION_NOT_FOUND"),
        ("resolve_vcad_import", {"entity_id": 7}, "ENTITY_NOT_FOUND"),
        ("update_vcad_node", {"node_id": "a"}, "NODE_NOT_FOUND"),
        ("get_selection", {}, "MODEL_UNAVAILABLE"),
        ("open_model", {"path": "no.skp"}, "REMOTE_ERROR"),
    ],
)
def test_its_sentences_become_codes(
    bridge: Bridge, tool: str, arguments: dict[str, object], error_code: str
) -> None:
    with pytest.raises(VcadError) as raised:
        bridge.connection.call(tool, arguments)
    assert raised.value.error_code == error_code


@pytest.mark.parametrize("request_id", [None, "r-1"])
def test_a_change_without_answer_is_sent_once(
    server: LegacyServer, bridge: Bridge, request_id: str | None
) -> None:
    server.mute.add("place_vcad_node")
    with pytest.raises(VcadError) as raised:
        bridge.place_node("plate", "plate.dae", request_id=request_id)
    assert raised.value.error_code == "UNKNOWN_OUTCOME"
    assert [tool for tool, _ in server.calls] == ["place_vcad_node"]
    assert [row.node_id for row in bridge.nodes()] == ["plate"]  # as whoever called looks at the model


def test_a_question_without_answer_is_asked_again(server: LegacyServer, bridge: Bridge) -> None:
    server.mute.add("get_model_info")
    with pytest.raises(VcadError) as raised:
        bridge.model_info()
    assert raised.value.error_code == "CONNECTION_FAILED"
    assert [tool for tool, _ in server.calls] == ["get_model_info"] * 3


def test_lengths_that_are_texts_do_no_harm(bridge: Bridge) -> None:
    assert bridge.connection.call("get_camera_info")["eye"] == ["100 mm", "~ 33,3 mm", "0 mm"]


def test_a_wrong_token_is_named() -> None:
    with (
        LegacyServer(token="right") as server,
        BridgeConnection(BridgeAddress(port=server.port, timeout=5, token="wrong")) as connection,
        pytest.raises(VcadError) as raised,
    ):
        connection.call("ping")
    assert raised.value.error_code == "AUTH_INVALID"
    assert "SUPEX_AUTH_TOKEN" in (raised.value.fix or "")
