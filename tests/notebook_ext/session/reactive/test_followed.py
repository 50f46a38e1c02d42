"""A session whose cells are made from files: saved, they lead to one cascade of what is made from them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from types import SimpleNamespace
from typing import Any

import pytest

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.session.events import SessionEvent
from notebook_ext.session.reactive.trigger_window import Trigger
from notebook_ext.session.session import Session
from tests.notebook_ext.session.reactive.manual_time import let_a_tick_pass
from vcad_kernel.errors import CapabilityUnavailable, ErrorCode, VcadError
from vcad_kernel.service.direct import DirectService

PATIENCE = 60.0


def save(file: Path, text: str) -> None:
    """At once, as many editors do: whoever looks meanwhile sees the old text or the new one."""
    fresh = file.with_name("being-saved")
    fresh.write_text(text)
    fresh.replace(file)


class Evaluated:
    """What a session has evaluated, in order."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._events: SimpleQueue[SessionEvent] = SimpleQueue()
        session.subscribe(self._events.put)

    def next(self) -> str | None:
        while True:
            event = self._events.get(timeout=PATIENCE)
            if event.kind in ("evaluated", "failed"):
                return event.node_id

    def settled(self) -> None:
        """Until the cascade has ended."""
        while self._session.watch_status().reactive.running:
            self._session.submit(lambda: None).result(PATIENCE)

    def nothing(self) -> bool:
        self.settled()
        try:
            while True:
                if self._events.get_nowait().kind in ("evaluated", "failed"):
                    return False
        except Empty:
            return True


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("VCAD_WORKSPACE", raising=False)
    monkeypatch.setenv("VCAD_TRIGGER_COALESCE_MS", "60")
    monkeypatch.setenv("SUPEX_PORT", "1")
    folder = Path(os.path.realpath(tmp_path)) / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / "dims.oo").write_text("[pub let width 4]\n")
    let_a_tick_pass(folder)
    return folder


@pytest.fixture
def session(project: Path) -> Iterator[Session]:
    shell: Any = SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1), user_ns={})
    with Session(shell, DirectService(), folder=project) as made:
        yield made


def test_a_module_that_is_saved_brings_its_cells_up_to_date(session: Session, project: Path) -> None:
    session.run_cell("[use dims] [cube dims.width 1 1]", name="leg")
    session.run_cell("[cube 9 9 9]", name="other")
    session.run_cell("[translate 20 0 0 leg]", name="shelf")
    evaluated = Evaluated(session)
    assert session.watch_status().folder == project
    save(project / "dims.oo", "[pub let width 8]\n")
    assert [evaluated.next(), evaluated.next()] == ["leg", "shelf"]
    assert session["shelf"].volume == pytest.approx(8)
    assert evaluated.nothing()
    assert session.watching.window.coalesce_batches_total == 1


def test_a_drawing_that_is_saved_brings_the_cells_up_to_date_that_read_it(
    session: Session, project: Path
) -> None:
    drawn = '<svg xmlns="http://www.w3.org/2000/svg"><rect width="{}in" height="1in"/></svg>'
    save(project / "plate.svg", drawn.format(1))
    save(project / "unused.svg", drawn.format(1))
    session.run_cell('[let plate [pull 1 [import-svg "plate.svg"]]]', name="plate")
    session.run_cell("[translate 20 0 0 plate]", name="shelf")
    evaluated = Evaluated(session)
    save(project / "unused.svg", drawn.format(2))
    save(project / "plate.svg", drawn.format(2))
    assert [evaluated.next(), evaluated.next()] == ["plate", "shelf"]
    assert session["shelf"].volume == pytest.approx(2 * 25.4**2)
    assert evaluated.nothing()


def test_a_touch_and_a_file_that_nobody_uses_evaluate_nothing(session: Session, project: Path) -> None:
    session.run_cell("[use dims] [cube dims.width 1 1]", name="leg")
    evaluated = Evaluated(session)
    os.utime(project / "dims.oo")
    save(project / "unused.oo", "1")
    save(project / "dims.oo", "[pub let width 5]\n")
    assert evaluated.next() == "leg"
    assert evaluated.nothing()


def test_while_paused_nothing_is_evaluated_and_afterwards_once(session: Session, project: Path) -> None:
    session.run_cell("[use dims] [cube dims.width 1 1]", name="leg")
    evaluated = Evaluated(session)
    session.watch_pause()
    seen: SimpleQueue[tuple[Trigger, ...]] = SimpleQueue()
    put = session.watching.window.put

    def told(*triggers: Trigger) -> None:
        put(*triggers)
        if triggers:
            seen.put(triggers)

    session.watching.window.put = told  # type: ignore[method-assign]
    for width in (5, 6, 7):
        save(project / "dims.oo", f"[pub let width {width}]\n")
        seen.get(timeout=PATIENCE)
    assert evaluated.nothing()
    assert session.watch_status().reactive.pending == 1
    assert session.watch_resume().flushed == 1
    assert evaluated.next() == "leg"
    assert session["leg"].volume == pytest.approx(7)
    assert evaluated.nothing()


def test_a_file_that_cannot_be_read_fails_its_cell_and_is_followed_all_the_same(
    session: Session, project: Path
) -> None:
    session.run_cell("[use dims] [cube dims.width 1 1]", name="leg")
    evaluated = Evaluated(session)
    save(project / "dims.oo", "[pub let width")
    assert evaluated.next() == "leg"
    assert session["leg"].volume == pytest.approx(4)
    evaluated.settled()
    assert session.watch_status().reactive.failed == 1
    save(project / "dims.oo", "[pub let width 6]\n")
    assert evaluated.next() == "leg"
    assert session["leg"].volume == pytest.approx(6)
    evaluated.settled()
    assert session.watch_status().reactive.failed == 0


def test_who_fails_at_a_module_does_not_wait_for_another_that_has_it_as_well(
    session: Session, project: Path
) -> None:
    session.run_cell("[use dims] [cube dims.width 1 1]", name="leg")
    session.run_cell("[use dims] [cube [- 6 dims.width] 1 1]", name="foot")
    save(project / "dims.oo", "[pub let width")
    session.settle()
    assert [str(session[name].stale)[:7] for name in ("leg", "foot")] == ["failed:", "failed:"]
    save(project / "dims.oo", "[pub let width 8]\n")  # for which foot has no size
    session.settle()
    assert session["leg"].volume == pytest.approx(8)
    assert (session["leg"].stale, str(session["foot"].stale)[:7]) == (None, "failed:")


def test_a_file_that_comes_back_as_it_was_mends_its_part(session: Session, project: Path) -> None:
    file, elsewhere = project / "leg.cmp.oo", project / "elsewhere.oo"
    save(file, "[cube 1 2 3]")
    let_a_tick_pass(project)
    with pytest.raises(VcadError):  # nobody is there; it is linked all the same
        session.place("leg", Path("leg.cmp.oo"))
    file.rename(elsewhere)
    session.settle()
    assert "leg.cmp.oo, is not there any more" in str(session["leg"].stale)
    elsewhere.rename(file)
    session.settle()
    assert session["leg"].stale is None


def test_a_part_of_a_file_follows_its_file(session: Session, project: Path) -> None:
    save(project / "leg.cmp.oo", "[cube 1 2 3]")
    let_a_tick_pass(project)
    with pytest.raises(VcadError):  # nobody is there; it is linked all the same
        session.place("leg", Path("leg.cmp.oo"))
    evaluated = Evaluated(session)
    save(project / "leg.cmp.oo", "[cube 1 2 4]")
    assert evaluated.next() == "leg"
    assert session["leg"].volume == pytest.approx(8)


def test_a_linked_part_that_no_cell_of_this_kernel_has_made_follows_its_file(
    session: Session, project: Path
) -> None:
    save(project / "leg.cmp.oo", "[cube 1 2 3]")
    with pytest.raises(VcadError):  # nobody is there; it is linked all the same
        session.place("leg", Path("leg.cmp.oo"))
    session.close()
    let_a_tick_pass(project)
    shell: Any = SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1), user_ns={})
    with Session(shell, DirectService(), folder=project) as later:
        later.run_cell("[cube 9 9 9]", name="other")
        evaluated = Evaluated(later)
        save(project / "leg.cmp.oo", "[cube 1 2 4]")
        assert evaluated.next() == "leg"
        assert later["leg"].volume == pytest.approx(8)


@pytest.mark.parametrize("first", ["settles", "places another part"])
def test_a_file_that_was_saved_while_no_kernel_ran_is_followed_by_the_next(
    first: str, session: Session, project: Path
) -> None:
    for name in ("leg", "foot"):
        save(project / f"{name}.cmp.oo", "[cube 1 2 3]")
        with pytest.raises(VcadError):  # nobody is there; it is linked all the same
            session.place(name, Path(f"{name}.cmp.oo"))
    session.close()
    let_a_tick_pass(project)
    save(project / "leg.cmp.oo", "[cube 1 2 4]")
    shell: Any = SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1), user_ns={})
    with Session(shell, DirectService(), folder=project) as later:
        if first != "settles":
            with pytest.raises(VcadError):  # it writes the project's file
                later.place("board", "[cube 9 9 9]")
        evaluated = Evaluated(later)
        later.settle()
        assert evaluated.next() == "leg"
        assert later["leg"].volume == pytest.approx(8)
        assert evaluated.nothing()


def test_linked_parts_follow_their_modules_before_a_kernel_has_made_them(
    session: Session, project: Path
) -> None:
    save(project / "leg.cmp.oo", "[use dims] [cube dims.width 1 1]")
    session.run_cell("[use dims] [cube dims.width 2 1]", name="top")
    for name, source in (("leg", Path("leg.cmp.oo")), ("top", None), ("foot", "[cube 1 1 1]")):
        with pytest.raises(VcadError):  # nobody is there; it is linked all the same
            session.place(name, source)
    session.close()
    let_a_tick_pass(project)
    shell: Any = SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1), user_ns={})
    with Session(shell, DirectService(), folder=project) as later:
        evaluated = Evaluated(later)
        later.settle()
        assert evaluated.nothing()
        save(project / "dims.oo", "[pub let width 8]\n")
        let_a_tick_pass(project)
        later.settle()
        assert {evaluated.next(), evaluated.next()} == {"leg", "top"}
        assert [later[name].volume for name in ("leg", "top")] == pytest.approx([8, 16])
        assert evaluated.nothing()


def test_a_cell_that_has_a_module_of_another_cell_follows_it_also_when_a_third_uses_it(
    session: Session, project: Path
) -> None:
    session.run_cell("[use dims] [cube dims.width 2 1]", name="first")
    session.run_cell("[cube dims.width 1 1]", name="leg")
    session.run_cell("[use dims] [cube dims.width 3 1]", name="third")
    assert session["leg"].stale is None
    save(project / "dims.oo", "[pub let width 8]\n")
    session.settle()
    assert [session[name].volume for name in ("first", "leg", "third")] == pytest.approx([16, 8, 24])


def test_two_parts_of_one_file_take_nothing_from_each_other(
    session: Session, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "[fn thick [] 3]\n[defparam long 5 {:min 1 :max 9}]\n[cube long 2 [thick]]"
    save(project / "board.cmp.oo", text)
    for name in ("left", "right"):
        with pytest.raises(VcadError):  # nobody is there; it is linked all the same
            session.place(name, Path("board.cmp.oo"))
    assert "NAME_TAKEN_OVER" not in capsys.readouterr().err
    session.settle()
    evaluated = Evaluated(session)
    session.set_parameter("long", 8, node_id="left")
    assert evaluated.next() == "left"
    session.settle()
    assert evaluated.nothing()
    assert [session[name].volume for name in ("left", "right")] == pytest.approx([48, 30])


def test_settling_follows_what_has_changed_by_now_and_waits_for_no_window(
    session: Session, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VCAD_TRIGGER_COALESCE_MS", "10000")
    session.run_cell("[use dims] [cube dims.width 1 1]", name="leg")
    session.run_cell("[translate 20 0 0 leg]", name="shelf")
    evaluated = Evaluated(session)
    save(project / "dims.oo", "[pub let width 8]\n")
    status = session.settle().reactive
    assert (status.pending, status.running) == (0, False)
    assert [evaluated.next(), evaluated.next()] == ["leg", "shelf"]
    assert session["shelf"].volume == pytest.approx(8)
    assert evaluated.nothing()
    assert session.watching.window.coalesce_batches_total == 1
    session.settle()
    assert evaluated.nothing()


def test_settling_leaves_a_pause_as_it_is(session: Session, project: Path) -> None:
    session.run_cell("[use dims] [cube dims.width 1 1]", name="leg")
    session.watch_pause()
    save(project / "dims.oo", "[pub let width 8]\n")
    assert session.settle().reactive.pending == 1
    assert session["leg"].volume == pytest.approx(4)


def test_the_session_does_not_wait_for_itself(session: Session) -> None:
    with pytest.raises(CapabilityUnavailable):
        session.submit(session.settle).result(PATIENCE)


def test_settling_that_is_interrupted_fails_as_a_cell_does(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(session.watching, "settle", interrupted)
    with pytest.raises(LoonCellFailed) as failed:
        session.settle()
    assert failed.value.error.error_code == ErrorCode.EVAL_CANCELLED


def test_a_file_that_was_evaluated_since_it_was_written_is_not_evaluated_again(
    session: Session, project: Path
) -> None:
    save(project / "leg.cmp.oo", "[cube 1 2 3]")
    with pytest.raises(VcadError):  # nobody is there; it is linked all the same
        session.place("leg", Path("leg.cmp.oo"))
    save(project / "leg.cmp.oo", "[cube 1 2 4]")
    with pytest.raises(VcadError):
        session.update("leg")
    revision = session.revision("leg")
    evaluated = Evaluated(session)
    session.run_cell("[use dims] [cube dims.width 1 1]", name="other")
    save(project / "dims.oo", "[pub let width 6]\n")
    assert [evaluated.next(), evaluated.next()] == ["other", "other"]
    assert session["other"].volume == pytest.approx(6)
    assert session.revision("leg") == revision
