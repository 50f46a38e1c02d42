"""Typed calls: what is sent, and what is made of the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.sketchup.bridge.bridge import Bounds, Bridge, NodeRow, Placement
from notebook_ext.sketchup.bridge.connection import BridgeAddress, BridgeConnection
from tests.sketchup.bridge.scripted_server import HELLO, Peer, ScriptedServer, say_hello
from vcad_kernel.errors import VcadError

CAPABILITIES = [*HELLO["capabilities"], "vcad.observer", "vcad.observer.watch", "vcad.imports.data"]
MOVED = [1.0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 10, 20, 30, 1]
STAMP = {"model_revision": 5, "model_epoch": 2, "elapsed_ms": 3.5}


class Answering:
    """A server that answers with what a test prepares, and keeps what it was asked."""

    def __init__(self) -> None:
        self.result: Any = {"success": True}
        self.asked: list[dict[str, Any]] = []

    def __call__(self, peer: Peer) -> None:
        say_hello(peer, capabilities=CAPABILITIES)
        while True:
            request = peer.receive()
            self.asked.append(request["params"])
            peer.say(request, self.result)


@pytest.fixture
def server() -> Answering:
    return Answering()


@pytest.fixture
def bridge(server: Answering) -> Iterator[Bridge]:
    with (
        ScriptedServer(server) as serving,
        BridgeConnection(BridgeAddress(port=serving.port, workspace=Path("/project"))) as connection,
    ):
        yield Bridge(connection)


def test_a_definition_is_put_in_with_all_that_is_known_of_it(server: Answering, bridge: Bridge) -> None:
    server.result = {
        "success": True,
        "node_id": "plate",
        "definition_name": "Plate",
        "definition_persistent_id": 40,
        "version": 3,
        "created": False,
        "replaced_instances": 2,
        "bounds": {"min": [0, 0, 0], "max": [10, 20, 30]},
        "manifold": False,
        "revision": 9,
        "warnings": ["TOLERANCE_COLLAPSE"],
        **STAMP,
    }
    change = bridge.upsert_definition(
        "plate",
        ".vcad/plate.dae",
        component_name="Plate",
        source_file="plate.loon",
        expected_bbox=Bounds((0, 0, 0), (10, 20, 30)),
        revision=9,
        request_id="r-1",
    )
    assert (change.version, change.replaced_instances, change.created) == (3, 2, False)
    assert change.bounds == Bounds((0, 0, 0), (10, 20, 30))
    assert (change.model_revision, change.model_epoch, change.elapsed_ms) == (5, 2, 3.5)
    assert change.warnings == ("TOLERANCE_COLLAPSE",)
    assert server.asked == [
        {
            "name": "upsert_vcad_definition",
            "arguments": {
                "node_id": "plate",
                "mesh_path": ".vcad/plate.dae",
                "component_name": "Plate",
                "source_file": "plate.loon",
                "expected_bbox_mm": {"min": [0, 0, 0], "max": [10, 20, 30]},
                "revision": 9,
            },
            "request_id": "r-1",
        }
    ]


def test_an_instance_is_placed_changed_and_removed(server: Answering, bridge: Bridge) -> None:
    server.result = {"success": True, "entity_id": 7, "persistent_id": 70, "created": True, **STAMP}
    placed = bridge.place_instance("plate", "left", MOVED, layer="Walls", request_id="r-1")
    assert (placed.entity_id, placed.persistent_id, placed.created) == (7, 70, True)
    bridge.place_instance("plate", "left", MOVED, copies={9, 8})
    bridge.set_instance(70, material="")
    bridge.remove_instance(70)
    assert [(one["name"], one["arguments"]) for one in server.asked] == [
        (
            "place_vcad_instance",
            {"node_id": "plate", "instance_id": "left", "transformation": MOVED, "layer": "Walls"},
        ),
        (
            "place_vcad_instance",
            {"node_id": "plate", "instance_id": "left", "transformation": MOVED, "copies": [8, 9]},
        ),
        ("set_vcad_instance", {"persistent_id": 70, "material": ""}),
        ("remove_vcad_instance", {"persistent_id": 70}),
    ]


def test_nodes_are_listed_with_their_placements(server: Answering, bridge: Bridge) -> None:
    server.result = [
        {
            "node_id": "plate",
            "source_file": None,
            "version": 2,
            "name": "Plate",
            "instances": 1,
            "entity_ids": [7],
            "persistent_ids": [70],
            "definition_persistent_id": 40,
            "placements": [
                {
                    "entity_id": 7,
                    "persistent_id": 70,
                    "instance_id": "left",
                    "transformation": MOVED,
                    "layer": "Untagged",
                    "material": None,
                    "locked": True,
                    "parent_id": None,
                }
            ],
        }
    ]
    left = Placement(7, 70, "left", tuple(MOVED), "Untagged", None, True)
    assert bridge.nodes() == (NodeRow("plate", None, 2, "Plate", 1, (7,), (70,), 40, (left,)),)
    assert server.asked == [{"name": "list_vcad_nodes", "arguments": {"placements": True}}]


def test_lengths_that_came_as_texts_are_not_there(server: Answering, bridge: Bridge) -> None:
    server.result = {
        "node_id": "plate",
        "version": 1,
        "instances": 1,
        "bounds": {"min": ["0 mm", "0 mm", "0 mm"], "max": ["~ 10 mm", 20, 30]},
        "placements": [{"entity_id": 7, "transformation": ["1"] * 16}],
    }
    row = bridge.get_node("plate")
    assert row.bounds is None
    assert row.placements[0].transform is None


def test_steps_are_undone_only_from_the_revision_that_is_meant(server: Answering, bridge: Bridge) -> None:
    server.result = {"success": True, "steps": 2, "model_revision": 8}
    assert bridge.undo(2, 6).model_revision == 8
    assert bridge.redo().steps == 2
    assert [one["arguments"] for one in server.asked] == [
        {"steps": 2, "expected_model_revision": 6},
        {"steps": 1},
    ]


def test_changes_are_polled(server: Answering, bridge: Bridge) -> None:
    server.result = {"success": True, "status": "started", "message": ""}
    assert bridge.observer_start() == "started"
    server.result = {"success": True, "watching": 1, "missing": [9]}
    assert bridge.observer_watch(entity_ids={9, 7}) == (9,)
    server.result = {
        "changed_entity_ids": [7, 8],
        "removed_entity_ids": [8],
        "reverted_nodes": [{"node_id": "plate", "version": 1, "applied_version": 2}],
        "dropped": 0,
        "queue_size": 2,
        "seq": 12,
    }
    found = bridge.observer_poll(ack=11)
    assert (found.changed_entity_ids, found.removed_entity_ids, found.seq) == ((7, 8), (8,), 12)
    assert found.reverted_nodes[0]["node_id"] == "plate"
    server.result = {"success": True, "status": "stopped", "message": ""}
    assert bridge.observer_stop() == "stopped"
    assert [one["arguments"] for one in server.asked] == [
        {},
        {"entity_ids": [7, 9], "persistent_ids": []},
        {"ack": 11},
        {},
    ]


def test_pictures_and_files_come_as_paths(server: Answering, bridge: Bridge) -> None:
    server.result = {"success": True, "file_path": "/project/.vcad/shots/a.png"}
    assert bridge.screenshot(width=64, height=48) == Path("/project/.vcad/shots/a.png")
    assert bridge.export_scene("dae", output_path="out.dae") == Path("/project/.vcad/shots/a.png")
    assert [one["arguments"] for one in server.asked] == [
        {"width": 64, "height": 48},
        {"format": "dae", "output_path": "out.dae"},
    ]


def test_an_entity_is_looked_up_by_one_of_its_ids(server: Answering, bridge: Bridge) -> None:
    server.result = {"success": True, "entity": {"type": "group", "entity_id": 7}}
    assert bridge.entity(persistent_id=70)["type"] == "group"
    server.result = {"extract": "dims", "data": {"width": 1, "height": 2, "depth": 3}, "vcad_node_id": None}
    assert bridge.resolve_import(entity_id=7, extract="dims", space="world")["data"]["height"] == 2
    with pytest.raises(ValueError, match="either"):
        bridge.entity()


@pytest.mark.parametrize(
    ("ask", "result", "path"),
    [
        (Bridge.nodes, {}, "result"),
        (Bridge.nodes, [{"version": 1}], "result[0].node_id"),
        (Bridge.nodes, [{"node_id": "a", "placements": [{}]}], "result[0].placements[0].entity_id"),
        (Bridge.status, "pong", "result"),
        (Bridge.screenshot, {}, "result.file_path"),
        (lambda bridge: bridge.remove_node("a"), [], "result"),
    ],
)
def test_an_answer_that_is_not_understood_is_said_to_be_so(
    server: Answering, bridge: Bridge, ask: Callable[[Bridge], Any], result: Any, path: str
) -> None:
    server.result = result
    with pytest.raises(VcadError) as raised:
        ask(bridge)
    assert raised.value.error_code == "SCHEMA_VALIDATION_FAILED"
    assert raised.value.details["path"] == path


def test_a_picture_is_of_a_side_that_there_is_and_of_a_sketchup_with_a_window(server: Answering) -> None:
    def with_window(peer: Peer) -> None:
        say_hello(peer, sketchup={"version": "26.0.1"})
        while True:
            peer.say(
                peer.receive(), {"success": True, "results": [{"file_path": "/project/shots/front.png"}]}
            )

    for answering, expected in ((with_window, None), (server, "CAPABILITY_UNAVAILABLE")):
        with (
            ScriptedServer(answering) as serving,
            BridgeConnection(BridgeAddress(port=serving.port, workspace=Path("/project"))) as connection,
        ):
            bridge = Bridge(connection)
            with pytest.raises(VcadError, match="iso, top, bottom, front"):
                bridge.standard_view("up")
            if expected is None:
                assert bridge.standard_view("front") == Path("/project/shots/front.png")
            else:
                with pytest.raises(VcadError, match="no window") as refused:
                    bridge.standard_view("front")
                assert refused.value.error_code == expected
