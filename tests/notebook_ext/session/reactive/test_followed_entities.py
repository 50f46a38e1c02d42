"""A session whose cells import from SketchUp: what a person moves there refits them, nothing else does."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from notebook_ext.session.session import Session
from notebook_ext.sketchup.bridge.bridge import Bridge
from tests.notebook_ext.session.reactive.test_followed import PATIENCE, Evaluated
from tests.sketchup.conftest import sketchup, sketchup_process
from tests.sketchup.headless import RunningSketchUp
from vcad_kernel.service.direct import DirectService

__all__ = ["sketchup", "sketchup_process"]

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(shutil.which("ruby") is None, reason="there is no Ruby here"),
]


@pytest.fixture
def session(sketchup: RunningSketchUp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    monkeypatch.delenv("VCAD_WORKSPACE", raising=False)
    monkeypatch.setenv("VCAD_TRIGGER_COALESCE_MS", "30")
    monkeypatch.setenv("VCAD_OBSERVER_POLL_MS", "10")
    monkeypatch.setenv("SUPEX_PORT", str(sketchup.port))
    folder = Path(os.path.realpath(tmp_path)) / "project"
    (folder / ".git").mkdir(parents=True)
    shell: Any = SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1), user_ns={})
    with Session(shell, DirectService(), folder=folder) as made:
        yield made


class Wall:
    """A group that a person drew: 3000 by 200 by 2400 mm."""

    def __init__(self, running: RunningSketchUp) -> None:
        self._control = running.control
        made = running.control("_test.add_entity", type="group", box_mm=[3000, 200, 2400])
        self.pid, self._id = made["persistent_id"], made["entity_id"]

    def stretch(self, factor: float) -> None:
        across = [factor, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
        self._control("_test.modify_entity", entity_id=self._id, transformation=across)

    def erase(self) -> None:
        self._control("_test.modify_entity", entity_id=self._id, erase=True)


def shelf(wall: Wall) -> str:
    return f'[let wall [import :dimensions "pid:{wall.pid}"]] [cube [get wall :width] 10 10]'


def watched(session: Session) -> None:
    """Until SketchUp watches what is imported."""
    assert session.watching.follow_entities(session.imported_entities(), within=PATIENCE)


def test_a_part_refits_the_wall_that_a_person_stretches(session: Session, sketchup: RunningSketchUp) -> None:
    wall = Wall(sketchup)
    session.run_cell(shelf(wall), name="shelf")
    session.run_cell("[cube 1 1 1]", name="other")
    watched(session)
    evaluated = Evaluated(session)
    wall.stretch(0.5)
    assert evaluated.next() == "shelf"
    assert session["shelf"].volume == pytest.approx(1500 * 100)
    assert evaluated.nothing()


def test_what_is_pushed_follows_in_sketchup_and_does_not_come_back(
    session: Session, sketchup: RunningSketchUp
) -> None:
    wall = Wall(sketchup)
    session.run_cell(shelf(wall), name="shelf")
    session.place("shelf")
    watched(session)
    evaluated = Evaluated(session)
    wall.stretch(0.25)
    assert evaluated.next() == "shelf"
    evaluated.settled()
    instance = session.model.instances["shelf-1"]
    assert instance.execution is not None
    found = sketchup.control("_test.get_entity", persistent_id=instance.execution.persistent_id)
    assert found["bounds_mm"]["max"][0] - found["bounds_mm"]["min"][0] == pytest.approx(750)
    assert evaluated.nothing()


def test_a_wall_that_is_erased_leaves_the_last_good_part_until_it_is_back(
    session: Session, sketchup: RunningSketchUp
) -> None:
    wall = Wall(sketchup)
    session.run_cell(shelf(wall), name="shelf")
    watched(session)
    evaluated = Evaluated(session)
    wall.erase()
    assert evaluated.next() == "shelf"
    evaluated.settled()
    assert session["shelf"].volume == pytest.approx(3000 * 100)
    assert session.watch_status().reactive.failed == 1
    sketchup.control("_test.undo", steps=1)
    assert evaluated.next() == "shelf"
    evaluated.settled()
    assert session.watch_status().reactive.failed == 0


def test_what_is_imported_is_watched_before_it_is_read(
    session: Session, sketchup: RunningSketchUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    wall = Wall(sketchup)
    read = Bridge.resolve_import

    def stretched_at_once(bridge: Bridge, **asked: Any) -> Any:
        answer = read(bridge, **asked)
        wall.stretch(0.5)
        return answer

    monkeypatch.setattr(Bridge, "resolve_import", stretched_at_once)
    evaluated = Evaluated(session)
    session.run_cell(shelf(wall), name="shelf")
    assert session["shelf"].volume == pytest.approx(3000 * 100)
    monkeypatch.setattr(Bridge, "resolve_import", read)
    assert [evaluated.next(), evaluated.next()] == ["shelf", "shelf"]
    assert session["shelf"].volume == pytest.approx(1500 * 100)


def test_a_linked_part_of_an_earlier_kernel_refits_as_well(
    session: Session, sketchup: RunningSketchUp
) -> None:
    wall = Wall(sketchup)
    (session.workspace / "shelf.cmp.oo").write_text(shelf(wall))
    session.place("shelf", Path("shelf.cmp.oo"))
    session.close()
    shell: Any = SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1), user_ns={})
    with Session(shell, DirectService(), folder=session.workspace) as later:
        later.run_cell("[cube 1 1 1]", name="other")  # a session that does nothing watches nothing
        watched(later)
        wall.stretch(0.5)
        later.settle()
        assert later["shelf"].volume == pytest.approx(1500 * 100)


def test_what_a_person_takes_back_in_sketchup_is_told_and_another_document_is_looked_at_anew(
    session: Session, sketchup: RunningSketchUp
) -> None:
    wall = Wall(sketchup)
    session.run_cell(shelf(wall), name="shelf")
    session.place("board", "[cube 1 2 3]")
    session.place("peg", "[cube 3 2 1]")
    session.update("peg", "[cube 3 2 2]")
    watched(session)
    sketchup.control("_test.undo", steps=1)
    session.settle()
    assert "taken back in SketchUp, until the next push: peg" in session.viewers.status.text
    sketchup.control("_test.new_model")
    session.settle()
    session.place("peg")
    assert session.reconcile_status().drift.missing_node == ("board", "peg")
    assert session.reconcile_status().reason == "reconnect"


def test_settling_asks_sketchup_what_has_changed_by_now(
    session: Session, sketchup: RunningSketchUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VCAD_OBSERVER_POLL_MS", "10000")
    wall = Wall(sketchup)
    session.run_cell(shelf(wall), name="shelf")
    watched(session)
    wall.stretch(0.5)
    session.settle()
    assert session["shelf"].volume == pytest.approx(1500 * 100)


def test_a_part_whose_slider_is_moved_follows_in_sketchup_with_what_uses_it(
    session: Session, sketchup: RunningSketchUp
) -> None:
    session.run_cell("[defparam thick 10 {:min 1 :max 99}] [cube 100 100 thick]", name="board")
    session.run_cell("[cube 10 10 [* 2 thick]]", name="leg")
    session.place("board")
    session.place("leg")
    session.set_parameter("thick", 20)
    session.settle()
    heights = []
    for instance in session.model.instances.values():
        assert instance.execution is not None
        found = sketchup.control("_test.get_entity", persistent_id=instance.execution.persistent_id)
        heights.append(found["bounds_mm"]["max"][2] - found["bounds_mm"]["min"][2])
    assert heights == pytest.approx([20, 40])
