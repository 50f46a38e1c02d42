"""Our client against the extension itself, in a headless SketchUp: real Ruby, real TCP."""

from __future__ import annotations

import json
import shutil
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.sketchup.bridge.bridge import Bounds, Bridge
from tests.sketchup.bridge.client import PATIENCE, at, connected, refused, telling
from tests.sketchup.bridge.connecting import be_hasty
from tests.sketchup.headless import RunningSketchUp
from tests.sketchup.losing_proxy import LosingProxy
from tests.sketchup.part_files import write_box, write_broken

pytestmark = pytest.mark.skipif(shutil.which("ruby") is None, reason="there is no Ruby here")


@pytest.fixture
def bridge(sketchup: RunningSketchUp) -> Iterator[Bridge]:
    with connected(sketchup.port, sketchup.workspace) as connection:
        yield Bridge(connection)


@pytest.fixture
def box(sketchup: RunningSketchUp) -> Path:
    return write_box(sketchup.workspace / ".vcad" / "box.dae", 10, 20, 30)


def test_the_extension_says_what_it_is(bridge: Bridge) -> None:
    handshake = bridge.connection.ensure_handshake()
    assert handshake.is_current
    assert handshake.is_headless
    assert handshake.started
    assert handshake.workspace == str(bridge.connection.address.workspace)
    assert handshake.supports("vcad.nodes")
    assert handshake.supports("vcad.instances")
    assert handshake.supports("dedupe.request_id")
    assert {"place_vcad_node", "update_vcad_node", "export_scene"} <= handshake.slow_tools
    status = bridge.status()
    assert status.version
    assert status.model_revision is not None
    assert status.model_epoch is not None


def test_a_part_lives_from_its_placement_to_its_removal(bridge: Bridge, box: Path) -> None:
    made = bridge.upsert_definition(
        "crate",
        ".vcad/box.dae",
        component_name="Kiste Ø",
        source_file="crate.loon",
        expected_bbox=Bounds((0, 0, 0), (10, 20, 30)),
        revision=4,
    )
    assert (made.version, made.created, made.replaced_instances) == (1, True, 0)
    assert made.definition_name == "Kiste Ø"
    assert made.manifold is True
    assert made.revision == 4
    assert made.bounds is not None
    assert made.bounds.max == pytest.approx((10, 20, 30), abs=1e-3)
    [empty] = bridge.nodes()
    assert (empty.node_id, empty.instances, empty.placements) == ("crate", 0, ())

    left = bridge.place_instance("crate", "left", at(100, 0, 0), layer="Walls")
    right = bridge.place_instance("crate", "right", at(200, 0, 0), material="Red")
    again = bridge.place_instance("crate", "left", at(900, 0, 0))
    assert (left.created, right.created, again.created) == (True, True, False)
    assert again.persistent_id == left.persistent_id
    assert left.persistent_id is not None

    write_box(box, 11, 20, 30)
    updated = bridge.upsert_definition("crate", box, revision=5)
    assert (updated.version, updated.created, updated.replaced_instances) == (2, False, 2)
    [row] = bridge.nodes()
    assert row.version == 2
    placed = {one.instance_id: one for one in row.placements}
    assert placed["left"].entity_id == left.entity_id
    assert placed["left"].persistent_id == left.persistent_id
    assert placed["left"].transform == pytest.approx(at(100, 0, 0))
    assert placed["left"].layer == "Walls"
    assert placed["right"].material == "Red"

    assert updated.model_revision is not None
    undone = bridge.undo(1, updated.model_revision)
    assert bridge.get_node("crate").version == 1
    assert undone.model_revision is not None
    assert undone.model_revision > updated.model_revision
    refused(lambda: bridge.undo(1, updated.model_revision), "STATE_CHANGED")
    bridge.redo()
    assert bridge.get_node("crate").version == 2

    moved = bridge.set_instance(left.persistent_id, transform=at(5, 6, 7))
    assert moved.bounds is not None
    assert moved.bounds.min == pytest.approx((5, 6, 7), abs=1e-3)
    bridge.remove_instance(left.persistent_id)
    removed = bridge.remove_node("crate")
    assert removed.removed_instances == 1
    assert bridge.nodes() == ()
    refused(lambda: bridge.get_node("crate"), "NODE_NOT_FOUND")


def test_a_part_that_cannot_be_read_changes_nothing(
    sketchup: RunningSketchUp, bridge: Bridge, box: Path
) -> None:
    bridge.place_node("crate", box)
    before = sketchup.control("_test.get_state")
    write_broken(box)
    refused(lambda: bridge.update_node("crate", box), "IMPORT_DEFINITION_NOT_FOUND")
    after = sketchup.control("_test.get_state")
    assert after["definition_count"] == before["definition_count"]
    assert after["undo_stack"] == before["undo_stack"]
    assert bridge.get_node("crate").version == 1


def test_measures_of_what_stands_there_come_in_millimetres(bridge: Bridge, box: Path) -> None:
    placed = bridge.place_node("crate", box, position=(1, 2, 3))
    found = bridge.resolve_import(entity_id=placed.entity_id, extract="all")
    assert found["data"]["dims"] == pytest.approx({"width": 10, "height": 20, "depth": 30}, abs=1e-3)
    assert found["data"]["transform"]["matrix"] == pytest.approx(at(1, 2, 3))
    world = bridge.resolve_import(persistent_id=placed.persistent_id, extract="bbox", space="world")
    assert world["data"]["max"] == pytest.approx([11, 22, 33], abs=1e-3)
    entity = bridge.entity(entity_id=placed.entity_id)
    assert entity["persistent_id"] == placed.persistent_id


def test_what_a_person_moves_is_polled_once_and_our_own_changes_are_not(
    sketchup: RunningSketchUp, bridge: Bridge, box: Path
) -> None:
    placed = bridge.place_node("crate", box)
    assert placed.entity_id is not None
    assert bridge.observer_start() == "started"
    assert bridge.observer_watch(entity_ids=[placed.entity_id]) == ()
    bridge.update_node("crate", box)
    assert bridge.observer_poll().changed_entity_ids == ()
    sketchup.control("_test.modify_entity", entity_id=placed.entity_id, move_mm=[50, 0, 0])
    assert bridge.observer_poll().changed_entity_ids == (placed.entity_id,)
    assert bridge.observer_poll().changed_entity_ids == ()
    assert bridge.observer_stop() == "stopped"


def test_a_picture_is_drawn_into_the_workspace(sketchup: RunningSketchUp, bridge: Bridge, box: Path) -> None:
    bridge.place_node("crate", box)
    picture = bridge.screenshot(width=64, height=48, output_path="shots/crate.png")
    assert picture == sketchup.workspace / "shots" / "crate.png"
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("path", ["../outside.dae", "/etc/passwd", ".vcad/../../outside.dae"])
def test_files_outside_the_workspace_are_not_touched(bridge: Bridge, path: str) -> None:
    error = refused(lambda: bridge.place_node("crate", path), "PATH_NOT_ALLOWED")
    assert error.details["path"] == path
    assert bridge.nodes() == ()


@pytest.mark.parametrize("name", ["Träger Ø 12", "柱-1", "a/b\\c", "😀"])
def test_names_in_any_script_come_back_as_they_went(bridge: Bridge, box: Path, name: str) -> None:
    assert bridge.upsert_definition("crate", box, component_name=name).definition_name == name


# more than one client


def test_two_clients_take_turns_and_each_gets_its_own_answers(
    sketchup: RunningSketchUp, bridge: Bridge, box: Path
) -> None:
    with connected(sketchup.port, sketchup.workspace) as second:
        other = Bridge(second)
        for number in range(5):
            bridge.place_node(f"left-{number}", box)
            other.place_node(f"right-{number}", box)
            assert len(bridge.nodes()) == len(other.nodes()) == 2 * (number + 1)
        found: dict[str, list[bool]] = {"left": [], "right": []}

        def ask(side: str, whose: Bridge) -> None:
            for number in list(range(5)) * 4:
                found[side].append(whose.get_node(f"{side}-{number}").node_id == f"{side}-{number}")

        threads = [threading.Thread(target=ask, args=pair) for pair in (("left", bridge), ("right", other))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
    assert found == {"left": [True] * 20, "right": [True] * 20}


def test_each_connection_has_a_workspace_of_its_own(
    sketchup: RunningSketchUp, bridge: Bridge, tmp_path: Path
) -> None:
    box = write_box(tmp_path / "box.dae", 1, 2, 3)
    refused(lambda: bridge.place_node("crate", box), "PATH_NOT_ALLOWED")
    with connected(sketchup.port, tmp_path.resolve()) as second:
        Bridge(second).place_node("crate", "box.dae")
    assert [row.node_id for row in bridge.nodes()] == ["crate"]


def test_the_status_does_not_wait_behind_what_another_client_has_queued(
    sketchup: RunningSketchUp, bridge: Bridge
) -> None:
    bridge.status()
    with socket.create_connection(("127.0.0.1", sketchup.port), timeout=PATIENCE) as crowd:
        answers = crowd.makefile("rb")
        hello = {
            "name": "crowd",
            "version": "1",
            "agent": "tests",
            "pid": 1,
            "workspace": str(sketchup.workspace),
        }
        _ask(crowd, "hello", hello)
        assert "result" in json.loads(answers.readline())
        count = 12
        for _ in range(count):
            _ask(
                crowd,
                "tools/call",
                {"name": "_test.delay_next", "arguments": {"tool": "get_layers", "seconds": 0.05}},
            )
            _ask(crowd, "tools/call", {"name": "get_layers", "arguments": {}})
        answers.readline()  # it has begun
        assert bridge.status().version
        # what stays to be read when the status is there was queued before it
        crowd.setblocking(False)
        try:
            early = crowd.recv(2**20, socket.MSG_PEEK).count(b"\n")
        except BlockingIOError:
            early = 0
        assert early < 2 * count - 1
        crowd.settimeout(PATIENCE)
        for _ in range(2 * count - 1):
            assert "result" in json.loads(answers.readline())


def _ask(sock: socket.socket, method: str, params: dict[str, Any]) -> None:
    sock.sendall(json.dumps({"jsonrpc": "2.0", "method": method, "params": params, "id": 1}).encode() + b"\n")


def test_only_the_expected_model_is_changed(sketchup: RunningSketchUp, box: Path) -> None:
    with connected(
        sketchup.port, sketchup.workspace, expected_model=str(sketchup.workspace / "house.skp")
    ) as connection:
        bridge = Bridge(connection)
        assert bridge.status()
        error = refused(lambda: bridge.place_node("crate", box), "WRONG_MODEL")
        assert error.details["active_model_path"] is None
        assert error.fix
        saver = connected(sketchup.port, sketchup.workspace)
        with saver:
            saver.call("save_model", {"path": "house.skp"})
        assert bridge.place_node("crate", box).version == 1


# lost answers


def test_a_change_whose_answer_is_lost_is_made_once_and_told_from_memory(
    sketchup: RunningSketchUp, box: Path
) -> None:
    with (
        LosingProxy(sketchup.port) as proxy,
        connected(proxy.port, sketchup.workspace) as connection,
    ):
        bridge = Bridge(connection)
        bridge.upsert_definition("crate", box)
        proxy.lose = 1
        placed = bridge.place_instance("crate", "left", at(0, 0, 0), request_id="lost-1")
        assert placed.replayed
        assert placed.created
        [row] = bridge.nodes()
        assert [one.entity_id for one in row.placements] == [placed.entity_id]
    assert len(sketchup.control("_test.get_state")["undo_stack"]) == 2


def test_an_answer_that_is_late_is_fetched_from_memory(sketchup: RunningSketchUp, box: Path) -> None:
    def connect(*arguments: Any, **options: Any) -> socket.socket:
        """With all its time for hello and for what is fetched."""
        connection.address = replace(connection.address, timeout=PATIENCE)
        return socket.create_connection(*arguments, **options)

    connection = connected(sketchup.port, sketchup.workspace, connect=connect)
    with connection:
        bridge = Bridge(connection)
        bridge.upsert_definition("crate", box)
        sketchup.control("_test.delay_next", tool="place_vcad_instance", seconds=0.6, when="after")
        be_hasty(connection, 0.1)
        placed = bridge.place_instance("crate", "left", at(0, 0, 0), request_id="late-1")
        assert placed.replayed
        assert [row.instances for row in bridge.nodes()] == [1]


def test_without_a_request_id_the_outcome_is_unknown_and_the_model_tells(
    sketchup: RunningSketchUp, box: Path
) -> None:
    with (
        LosingProxy(sketchup.port) as proxy,
        connected(proxy.port, sketchup.workspace) as connection,
    ):
        bridge = Bridge(connection)
        bridge.nodes()
        proxy.lose = 1
        refused(lambda: bridge.place_node("crate", box), "UNKNOWN_OUTCOME")
        assert [row.instances for row in bridge.nodes()] == [1]


def test_a_busy_sketchup_is_told_apart_from_one_that_is_gone(
    sketchup: RunningSketchUp, bridge: Bridge
) -> None:
    bridge.status()
    sketchup.control("_test.delay_next", tool="get_layers", seconds=0.4)
    error = refused(lambda: bridge.connection.call("get_layers", timeout=0.1), "CONNECTION_TIMEOUT")
    assert "dialog" in (error.why or "")
    assert bridge.status().version


def test_a_call_that_is_interrupted_leaves_the_connection_usable(
    sketchup: RunningSketchUp, bridge: Bridge, box: Path
) -> None:
    bridge.nodes()
    sketchup.control("_test.delay_next", tool="place_vcad_node", seconds=0.5)
    with (
        connected(
            sketchup.port,
            sketchup.workspace,
            connect=telling(b"place_vcad_node", lambda: connection.interrupt()),
        ) as connection,
    ):
        error = refused(lambda: Bridge(connection).place_node("crate", box), "UNKNOWN_OUTCOME")
        assert error.details["interrupted"] is True
        assert [row.node_id for row in Bridge(connection).nodes()] in ([], ["crate"])
