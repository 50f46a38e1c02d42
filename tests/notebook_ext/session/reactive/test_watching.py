"""A session's watching as a whole: on and off, the pause and what survives it, and what is said of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from notebook_ext.session.reactive.trigger_window import Trigger
from notebook_ext.session.reactive.watching import ReactiveStatus, Watching
from notebook_ext.sketchup.bridge.bridge import Bridge
from notebook_ext.sketchup.bridge.connection import BridgeAddress, BridgeConnection
from notebook_ext.state_file import StateFile
from vcad_kernel.service.folder_watcher import FolderWatcher
from vcad_kernel.settings import Settings
from vcad_kernel.system.files import file_time

PATIENCE = 60.0
LEG = Trigger("file", "leg.cmp.oo")
WALL = Trigger("entity", "pid:17")
BEGUN = datetime(2026, 5, 4, 10, 30, tzinfo=UTC)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = (tmp_path / "project").resolve()
    folder.mkdir()
    return folder


class World:
    """Sessions of one workspace, one after the other."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.flushes: SimpleQueue[frozenset[Trigger]] = SimpleQueue()
        self.notes: list[tuple[str, str]] = []
        self.now = BEGUN
        self.sessions: list[Watching] = []
        self.state = StateFile(lambda: workspace)
        self.is_running = False
        self.last_ms: float | None = None
        self.failed = 0

    def flush(self, triggers: frozenset[Trigger]) -> None:
        """What follows: a cascade of 40 ms."""
        self.is_running, self.last_ms = False, 40.0
        self.flushes.put(triggers)

    def session(self, **options: Any) -> Watching:
        def note(event: str, said: str = "", **_: Any) -> None:
            self.notes.append((event, said))

        self.sessions.append(
            Watching(
                self,
                state=self.state,
                workspace=lambda: self.workspace,
                watcher=FolderWatcher,
                bridge=lambda: Bridge(BridgeConnection(BridgeAddress(port=1))),
                note=note,
                settings=lambda: Settings(trigger_coalesce_ms=1),
                now=lambda: self.now,
                **options,
            )
        )
        return self.sessions[-1]

    def kept(self) -> Any:
        return json.loads((self.workspace / ".vcad" / "session.json").read_text()).get("watching")

    def flushed(self) -> frozenset[Trigger]:
        return self.flushes.get(timeout=PATIENCE)


@pytest.fixture
def world(workspace: Path) -> Iterator[World]:
    world = World(workspace)
    yield world
    for session in world.sessions:
        session.close()


def test_a_pause_survives_the_kernel_with_all_that_was_collected(world: World) -> None:
    first = world.session()
    assert first.pause().status == "paused"
    assert first.pause().status == "already_paused"
    first.put(LEG, WALL)
    first.put(LEG)
    first.close()
    assert world.kept() == {
        "paused_since": "2026-05-04T10:30:00.000Z",
        "collected": [["entity", "pid:17"], ["file", "leg.cmp.oo"]],
    }
    second = world.session()
    second.put(Trigger("cell", "c"))
    assert second.status().reactive.paused
    assert ("watch_still_paused", world.notes[-1][1]) == world.notes[-1]
    assert "%loon_watch resume" in world.notes[-1][1]
    resumed = second.resume()
    assert (resumed.status, resumed.flushed) == ("resumed", 3)
    assert world.flushed() == {LEG, WALL, Trigger("cell", "c")}
    assert second.resume().status == "already_running"
    assert world.kept() is None
    assert not world.session().status().reactive.paused


def test_a_kernel_that_is_killed_keeps_what_had_been_collected(world: World) -> None:
    kept: SimpleQueue[None] = SimpleQueue()
    killed = world.session(changed=lambda: kept.put(None))
    killed.pause()
    kept.get(timeout=PATIENCE)
    killed.put(LEG)
    kept.get(timeout=PATIENCE)
    assert world.kept()["collected"] == [["file", "leg.cmp.oo"]]
    assert world.session().resume().flushed == 1


@pytest.mark.parametrize(
    "kept",
    [
        7,
        {"paused_since": "yesterday", "collected": []},
        {"paused_since": "2026-05-04T10:30:00", "collected": []},
        {"paused_since": None, "collected": []},
        {"paused_since": "2026-05-04T10:30:00Z", "collected": [["file"]]},
        {"paused_since": "2026-05-04T10:30:00Z", "collected": [["file", 3]]},
        {"paused_since": "2026-05-04T10:30:00Z"},
    ],
)
def test_a_state_that_is_none_of_ours_pauses_nothing_and_is_in_the_log(world: World, kept: Any) -> None:
    world.state.write("watching", kept)
    session = world.session()
    session.put(LEG)
    assert world.flushed() == {LEG}
    assert world.notes[0][0] == "watch_state_unreadable"


def test_kinds_that_a_later_version_knows_are_left_out(world: World) -> None:
    rows = [["weather", "rain"], ["file", "leg.cmp.oo"]]
    world.state.write("watching", {"paused_since": "2026-05-04T10:30:00Z", "collected": rows})
    assert world.session().resume().flushed == 1


def test_a_pause_that_cannot_be_kept_holds_all_the_same(world: World) -> None:
    (world.workspace / ".vcad").write_text("no folder")
    session = world.session()
    assert session.pause().status == "paused"
    session.put(LEG)
    assert session.resume().flushed == 1
    assert "watch_state_not_kept" in [event for event, _ in world.notes]


def test_other_modules_state_stays_as_it_is(world: World) -> None:
    world.state.write("approval_policy", {"step_mode": True})
    session = world.session()
    session.pause()
    session.resume()
    assert world.state.read("approval_policy") == {"step_mode": True}


def edited(world: World, name: str, watching: Callable[[], object]) -> None:
    """Edit files until one is told: the first look may not be over yet."""
    watching()
    (world.workspace / name).write_text(name)


def test_files_are_followed_once_that_is_asked_for_and_not_while_it_is_off(world: World) -> None:
    session = world.session()
    assert session.status().folder is None
    edited(world, "leg.cmp.oo", lambda: session.follow_files(world.workspace))
    assert world.flushed() == {LEG}
    session.off()
    (world.workspace / "dims.oo").write_text("2")
    session.follow_files(world.workspace)
    assert "not watched (%loon_watch on)" in str(session.status())
    session.on()
    assert world.flushed() == {Trigger("file", "dims.oo")}
    assert str(world.workspace) in str(session.status())


def test_on_watches_the_workspace_though_nothing_is_made_from_files_yet(world: World) -> None:
    session = world.session()
    edited(world, "leg.cmp.oo", session.on)
    assert world.flushed() == {LEG}


def test_a_home_folder_is_not_watched_and_that_is_said(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(world.workspace))
    session = world.session()
    session.follow_files(world.workspace)
    assert "far more than a project" in str(session.status())
    assert [trouble.error_code for trouble in session.status().troubles] == ["PATH_NOT_ALLOWED"]
    assert "_files" not in session.__dict__


def test_entities_are_watched_only_while_it_is_on(world: World) -> None:
    session = world.session()
    assert session.follow_entities(())
    assert "_sketchup" not in session.__dict__
    session.off()
    assert not session.follow_entities({"pid:17"})
    assert "_sketchup" not in session.__dict__
    session.on()
    assert world.flushed() == {WALL}
    assert session.status().entities == 1
    session.off()
    assert "SketchUp: not watched" in str(session.status())


def test_what_is_shown_changes_with_each_flush_and_pause(world: World) -> None:
    changes: SimpleQueue[ReactiveStatus] = SimpleQueue()
    session = world.session(changed=lambda: changes.put(session.reactive))
    world.is_running, world.failed = True, 2
    session.put(LEG)
    first, second = (changes.get(timeout=PATIENCE) for _ in range(2))
    assert (first.running, first.last_cascade_ms) == (True, None)
    assert (second.running, second.last_cascade_ms) == (False, 40.0)
    session.pause()
    assert changes.get(timeout=PATIENCE).paused
    world.now += timedelta(minutes=12, seconds=30)
    said = str(session.reactive)
    assert said.startswith("paused for 12 min: %loon_watch resume · no change waits · 2 failed")
    world.now = BEGUN - timedelta(hours=1)  # a clock that was put back
    assert session.reactive.paused_for == timedelta()


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (ReactiveStatus(), "no change yet"),
        (ReactiveStatus(last_cascade_ms=41.6), "last cascade 42 ms"),
        (ReactiveStatus(pending=1, running=True, failed=1), "running · 1 change waits · 1 failed"),
        (ReactiveStatus(pending=3, paused=True), "paused · 3 changes wait"),
        (ReactiveStatus(paused=True), "paused · no change waits"),
        (ReactiveStatus(pending=2), "2 changes wait"),
    ],
)
def test_the_line_says_what_matters(status: ReactiveStatus, said: str) -> None:
    assert str(status) == said


def test_a_session_that_has_ended_follows_nothing(world: World) -> None:
    session = world.session()
    session.close()
    session.follow_files(world.workspace)
    assert not session.follow_entities({"pid:17"})
    session.put(LEG)
    assert world.flushes.empty()
    assert "_files" not in session.__dict__


def test_what_cells_are_made_from_is_followed_and_what_is_no_entity_is_not(world: World) -> None:
    session = world.session()
    session.follow((), ("entity:wall", "pid:x"), since=0)
    assert (session.status().folder, session.status().entities) == (None, 0)
    assert "_sketchup" not in session.__dict__
    since = file_time()
    (world.workspace / "leg.cmp.oo").write_text("[cube 1 2 3]")
    session.follow(("leg.cmp.oo",), ("pid:17", "entity:4", "entity:wall"), since=since)
    assert world.flushed() == {LEG}
    assert session.status().entities == 2
    session.follow(("leg.cmp.oo", "dims.oo"), (), since=file_time())
    assert session.status().entities == 0
