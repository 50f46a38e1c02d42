"""What a person changes in SketchUp becomes triggers, and nothing else does."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any

import pytest

from notebook_ext.session.reactive.entity_changes import EntityChanges, is_entity
from notebook_ext.session.reactive.trigger_window import Trigger
from notebook_ext.sketchup.bridge.bridge import Bridge
from notebook_ext.sketchup.bridge.connection import BridgeAddress, BridgeConnection
from tests.sketchup.bridge.scripted_server import HELLO, Peer, ScriptedServer, say_hello
from tests.sketchup.conftest import sketchup, sketchup_process
from tests.sketchup.headless import RunningSketchUp, headless_sketchup
from tests.sketchup.part_files import write_box
from vcad_kernel.service.client.async_client import Backoff
from vcad_kernel.settings import Settings

__all__ = ["sketchup", "sketchup_process"]

pytestmark = pytest.mark.process

needs_ruby = pytest.mark.skipif(shutil.which("ruby") is None, reason="there is no Ruby here")
PATIENCE = 30.0
QUICK = Backoff(first=0.001, longest=0.001, tries=10**6)


class Heard:
    """What was told of SketchUp."""

    def __init__(self) -> None:
        self.triggers: SimpleQueue[Trigger] = SimpleQueue()
        self.reverted: SimpleQueue[Mapping[str, Any]] = SimpleQueue()
        self.models: SimpleQueue[None] = SimpleQueue()
        self.notes: list[str] = []

    def put(self, *triggers: Trigger) -> None:
        for trigger in triggers:
            self.triggers.put(trigger)

    def revert(self, nodes: Collection[Mapping[str, Any]]) -> None:
        for node in nodes:
            self.reverted.put(node)

    def note(self, event: str, **_: Any) -> None:
        self.notes.append(event)

    def next(self) -> str:
        trigger = self.triggers.get(timeout=PATIENCE)
        assert trigger.kind == "entity"
        return trigger.key

    def nothing(self) -> bool:
        try:
            self.triggers.get_nowait()
        except Empty:
            return True
        return False


@pytest.fixture
def heard() -> Heard:
    return Heard()


Make = Callable[..., EntityChanges]


@pytest.fixture
def make(heard: Heard) -> Iterator[Make]:
    made: list[EntityChanges] = []

    def changes(address: BridgeAddress, **options: Any) -> EntityChanges:
        made.append(
            EntityChanges(
                heard.put,
                lambda: Bridge(BridgeConnection(address)),
                heard.note,
                model_changed=lambda: heard.models.put(None),
                reverted=heard.revert,
                settings=lambda: Settings(observer_poll_ms=10),
                backoff=QUICK,
                **options,
            )
        )
        return made[-1]

    yield changes
    for one in made:
        one.stop()


def at(running: RunningSketchUp) -> BridgeAddress:
    return BridgeAddress(port=running.port, workspace=running.workspace, timeout=PATIENCE)


class Wall:
    """A group that a person drew."""

    def __init__(self, running: RunningSketchUp) -> None:
        self._control = running.control
        made = running.control("_test.add_entity", type="group", box_mm=[3000, 200, 2400])
        self.entity_id, self.pid = made["entity_id"], f"pid:{made['persistent_id']}"

    def change(self, **how: Any) -> None:
        self._control("_test.modify_entity", entity_id=self.entity_id, **how)


@needs_ruby
def test_what_a_person_moves_is_told_and_what_nobody_reads_is_not(
    sketchup: RunningSketchUp, heard: Heard, make: Make
) -> None:
    wall, floor, other = (Wall(sketchup) for _ in range(3))
    changes = make(at(sketchup))
    assert changes.watch({wall.pid, f"id:{floor.entity_id}"}, within=PATIENCE)
    assert is_entity(wall.pid)
    assert changes.is_watching
    other.change(move_mm=[1, 0, 0])
    wall.change(move_mm=[10, 0, 0])
    assert heard.next() == wall.pid
    floor.change(move_mm=[10, 0, 0])
    assert heard.next() == f"id:{floor.entity_id}"
    assert changes.watch({other.pid, f"entity:{floor.entity_id}"}, within=PATIENCE)
    floor.change(move_mm=[10, 0, 0])
    assert heard.next() == f"entity:{floor.entity_id}"
    wall.change(move_mm=[10, 0, 0])
    other.change(move_mm=[1, 0, 0])
    assert heard.next() == other.pid


@needs_ruby
def test_two_sessions_at_one_sketchup_hear_each_of_its_own(
    sketchup: RunningSketchUp, heard: Heard, make: Make
) -> None:
    wall, floor = Wall(sketchup), Wall(sketchup)
    assert make(at(sketchup)).watch({wall.pid}, within=PATIENCE)
    assert make(at(sketchup)).watch({floor.pid}, within=PATIENCE)
    wall.change(move_mm=[10, 0, 0])
    assert heard.next() == wall.pid
    floor.change(move_mm=[10, 0, 0])
    assert heard.next() == floor.pid


@needs_ruby
def test_an_entity_that_is_erased_and_comes_back_by_undo_is_told_both_times(
    sketchup: RunningSketchUp, heard: Heard, make: Make
) -> None:
    wall = Wall(sketchup)
    make(at(sketchup)).watch({wall.pid}, within=PATIENCE)
    wall.change(erase=True)
    assert heard.next() == wall.pid
    sketchup.control("_test.undo", steps=1)
    assert heard.next() == wall.pid


@needs_ruby
def test_one_that_is_not_there_is_told_and_told_again_when_it_is(
    sketchup: RunningSketchUp, heard: Heard, make: Make
) -> None:
    wall = Wall(sketchup)
    wall.change(erase=True)
    changes = make(at(sketchup))
    assert changes.watch({wall.pid}, within=PATIENCE)
    assert heard.next() == wall.pid
    sketchup.control("_test.undo", steps=1)
    assert heard.next() == wall.pid


@needs_ruby
def test_our_own_writes_do_not_come_back(sketchup: RunningSketchUp, heard: Heard, make: Make) -> None:
    for name, height in (("low", 10), ("high", 30)):
        write_box(sketchup.workspace / f"{name}.dae", 30, 20, height)
    wall = Wall(sketchup)
    with BridgeConnection(at(sketchup)) as connection:
        session = Bridge(connection)
        placed = session.place_node("plate", "low.dae")
        (plate,) = placed.persistent_ids or (placed.persistent_id,)
        make(at(sketchup)).watch({f"pid:{plate}", wall.pid}, within=PATIENCE)
        session.upsert_definition("plate", "high.dae")
        session.set_instance(int(plate or 0), layer="Steel")
        wall.change(move_mm=[1, 0, 0])
        assert heard.next() == wall.pid
        sketchup.control("_test.modify_entity", entity_id=placed.entity_id, move_mm=[5, 0, 0])
        assert heard.next() == f"pid:{plate}"
        assert heard.nothing()


@needs_ruby
def test_an_undo_of_our_work_and_another_document_are_told(
    sketchup: RunningSketchUp, heard: Heard, make: Make
) -> None:
    for name, height in (("low", 10), ("high", 30)):
        write_box(sketchup.workspace / f"{name}.dae", 30, 20, height)
    wall = Wall(sketchup)
    with BridgeConnection(at(sketchup)) as connection:
        session = Bridge(connection)
        session.place_node("plate", "low.dae")
        make(at(sketchup)).watch({wall.pid}, within=PATIENCE)
        session.upsert_definition("plate", "high.dae")
        sketchup.control("_test.undo", steps=1)
        reverted = heard.reverted.get(timeout=PATIENCE)
        assert (reverted["node_id"], reverted["version"], reverted["applied_version"]) == ("plate", 1, 2)
    sketchup.control("_test.new_model", title="another")
    heard.models.get(timeout=PATIENCE)
    assert heard.next() == wall.pid
    assert heard.next() == wall.pid  # it is not in this document
    assert heard.nothing()


@needs_ruby
def test_a_sketchup_that_was_started_anew_is_watched_anew_and_all_of_it_counts(
    tmp_path: Any, kept_port: int, heard: Heard, make: Make
) -> None:
    with headless_sketchup(workspace=tmp_path.resolve(), port=kept_port) as first:
        wall, floor = Wall(first), Wall(first)
        changes = make(at(first))
        changes.watch({wall.pid, floor.pid}, within=PATIENCE)
        first.kill()
    with headless_sketchup(workspace=tmp_path.resolve(), port=kept_port) as second:
        assert {heard.next(), heard.next()} == {wall.pid, floor.pid}
        assert second.control("_test.get_state")["title"] is not None
        assert len(heard.notes) <= 1  # a connection that is made again at once is not worth a word


@needs_ruby
def test_what_was_imported_while_nobody_was_there_counts_when_somebody_is(
    tmp_path: Any, kept_port: int, heard: Heard, make: Make
) -> None:
    tried: SimpleQueue[None] = SimpleQueue()
    heard.note = lambda event, **_: tried.put(None)  # type: ignore[method-assign]
    changes = make(BridgeAddress(port=kept_port, workspace=tmp_path.resolve(), timeout=PATIENCE))
    changes.watch({"pid:7"})
    tried.get(timeout=PATIENCE)
    with headless_sketchup(workspace=tmp_path.resolve(), port=kept_port):
        assert heard.next() == "pid:7"


@needs_ruby
def test_a_push_and_the_polls_do_not_wait_for_each_other(
    sketchup: RunningSketchUp, heard: Heard, make: Make
) -> None:
    wall = Wall(sketchup)
    write_box(sketchup.workspace / "low.dae", 30, 20, 10)
    changes = make(at(sketchup))
    changes.watch({wall.pid}, within=PATIENCE)
    with BridgeConnection(at(sketchup)) as connection:
        for number in range(20):
            Bridge(connection).upsert_definition(f"plate{number}", "low.dae")
    wall.change(move_mm=[1, 0, 0])
    assert heard.next() == wall.pid
    assert changes.trouble is None


@needs_ruby
def test_the_end_leaves_nothing_watched(sketchup: RunningSketchUp, heard: Heard, make: Make) -> None:
    wall = Wall(sketchup)
    changes = make(at(sketchup))
    changes.watch({wall.pid}, within=PATIENCE)
    assert changes.watch(set(), within=PATIENCE)
    assert not changes.is_watching
    wall.change(move_mm=[1, 0, 0])
    changes.stop()
    changes.stop()
    assert not changes.watch({wall.pid})
    assert heard.nothing()


class Extension:
    """One that answers polls as a test says."""

    CAPABILITIES = (*HELLO["capabilities"], "vcad.observer", "vcad.observer.watch")

    def __init__(self) -> None:
        self.polls: SimpleQueue[Any] = SimpleQueue()
        self.asked: list[dict[str, Any]] = []
        self.watched: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self.idle = {"changed_entity_ids": [], "dropped": 0, "seq": 7}

    def __call__(self, peer: Peer) -> None:
        say_hello(peer, capabilities=list(self.CAPABILITIES))
        while True:
            request = peer.receive()
            name, arguments = request["params"]["name"], request["params"]["arguments"]
            if name == "vcad.observer_watch":
                self.watched.put(arguments)
                peer.say(request, {"success": True, "watching": 1, "missing": []})
            elif name == "vcad.observer_start":
                peer.say(request, {"success": True, "status": "started"})
            else:
                self.asked.append(arguments)
                try:
                    answer = self.polls.get_nowait()
                except Empty:
                    answer = self.idle
                if answer == "lost":
                    return
                peer.say(request, answer)


@pytest.fixture
def extension() -> Extension:
    return Extension()


@pytest.mark.parametrize("how", [{"dropped": 3}, {"overflow": True}, {"changed_entity_ids": [99]}])
def test_where_it_cannot_be_known_what_changed_all_counts(
    how: dict[str, Any], extension: Extension, heard: Heard, make: Make
) -> None:
    extension.polls.put({**extension.idle, **how})
    with ScriptedServer(extension) as server:
        changes = make(BridgeAddress(port=server.port))
        changes.watch({"pid:3", "pid:4"})
        assert [heard.next(), heard.next()] == ["pid:3", "pid:4"]
        changes.stop()


def test_an_answer_that_was_lost_is_asked_for_again(extension: Extension, heard: Heard, make: Make) -> None:
    extension.polls.put(extension.idle)
    extension.polls.put("lost")
    extension.polls.put(
        {**extension.idle, "changed_persistent_ids": [3], "changed_entity_ids": [1], "seq": 8}
    )
    with ScriptedServer(extension) as server:
        changes = make(BridgeAddress(port=server.port))
        changes.watch({"pid:3", "pid:4"})
        assert heard.next() == "pid:3"
        changes.stop()
    assert [asked.get("ack") for asked in extension.asked[:3]] == [None, 7, 7]
    assert heard.nothing()


def test_an_answer_that_was_lost_for_good_makes_all_of_it_count(
    extension: Extension, heard: Heard, make: Make
) -> None:
    extension.polls.put("lost")
    with ScriptedServer(extension) as server:
        changes = make(BridgeAddress(port=server.port))
        changes.watch({"pid:3", "pid:4"})
        assert [heard.next(), heard.next()] == ["pid:3", "pid:4"]
        changes.stop()


def test_nothing_is_connected_to_while_nothing_is_watched(
    extension: Extension, heard: Heard, make: Make
) -> None:
    connected = Event()

    def behave(peer: Peer) -> None:
        connected.set()
        extension(peer)

    with ScriptedServer(behave) as server:
        changes = make(BridgeAddress(port=server.port))
        changes.watch(set())
        assert changes._thread is None
        assert not connected.is_set()
        changes.watch({"pid:3"}, within=PATIENCE)
        assert connected.is_set()
        changes.watch(set(), within=PATIENCE)
        while extension.watched.get(timeout=PATIENCE)["persistent_ids"]:
            pass
        changes.stop()


def test_who_does_not_answer_is_left_at_the_end(extension: Extension, heard: Heard, make: Make) -> None:
    def silent(peer: Peer) -> None:
        say_hello(peer, capabilities=list(Extension.CAPABILITIES))
        asked.put(peer.receive())
        peer.receive()

    asked: SimpleQueue[Any] = SimpleQueue()
    with ScriptedServer(silent) as server:
        changes = make(BridgeAddress(port=server.port, timeout=PATIENCE))
        changes.watch({"pid:3"})
        asked.get(timeout=PATIENCE)
        ending = Thread(target=changes.stop)
        ending.start()
        ending.join(PATIENCE / 2)
        assert not ending.is_alive()


@pytest.mark.parametrize("key", ["17", "pid:", "pid:x", "node:plate", "pid:-1", "pid:٣"])
def test_what_is_no_entity_is_refused(key: str, heard: Heard, make: Make) -> None:
    assert not is_entity(key)
    with pytest.raises(ValueError, match="is no entity"):
        make(BridgeAddress()).watch({key})
