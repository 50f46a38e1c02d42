"""The headless SketchUp as tests use it: as new each time, and strict about what a test leaves behind."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.sketchup.headless import ControlFailed, ControlLine, RunningSketchUp, headless_sketchup


def test_each_test_finds_an_empty_model(sketchup: RunningSketchUp) -> None:
    state = sketchup.control("_test.get_state")
    assert (state["entity_count"], state["definition_count"], state["modified"]) == (0, 0, False)
    sketchup.control("_test.add_definition", name="left over", box_mm=[1, 2, 3])


def test_what_another_test_left_is_gone(sketchup: RunningSketchUp) -> None:
    assert sketchup.control("_test.get_state")["definitions"] == []


def test_ids_are_the_same_after_each_reset(sketchup: RunningSketchUp) -> None:
    ids = []
    for _ in range(2):
        sketchup.control("_test.reset")
        ids.append(sketchup.control("_test.add_entity", type="group", box_mm=[1, 1, 1]))
    assert ids[0] == ids[1]


def test_a_test_that_leaves_an_operation_open_fails(tmp_path: Path) -> None:
    with headless_sketchup(workspace=tmp_path, allow_eval=True) as sketchup:
        sketchup.control("eval_ruby", code="Sketchup.active_model.start_operation('Half done', true)")
        with pytest.raises(AssertionError, match="Half done"):
            sketchup.assert_clean()
        sketchup.control("_test.reset")
        sketchup.assert_clean()


def test_a_test_that_meets_a_gap_of_the_mock_fails(tmp_path: Path) -> None:
    with headless_sketchup(workspace=tmp_path, allow_eval=True) as sketchup:
        with pytest.raises(ControlFailed, match="MockGap: Sketchup::Entities#paint"):
            sketchup.control("eval_ruby", code="Sketchup.active_model.entities.paint")
        with pytest.raises(AssertionError, match="Sketchup::Entities#paint"):
            sketchup.assert_clean()


def test_a_test_whose_observer_raises_fails(tmp_path: Path) -> None:
    code = """
        observer = Class.new(Sketchup::ModelObserver) { def onTransactionCommit(_) = raise('on purpose') }.new
        Sketchup.active_model.add_observer(observer)
        Sketchup.active_model.entities.add_line([0, 0, 0], [1, 0, 0])
    """
    with headless_sketchup(workspace=tmp_path, allow_eval=True) as sketchup:
        sketchup.control("eval_ruby", code=code)
        with pytest.raises(AssertionError, match="on purpose"):
            sketchup.assert_clean()


def test_a_model_saved_by_one_process_is_opened_by_another(tmp_path: Path) -> None:
    path = str(tmp_path / "Bücherregal.skp")
    with headless_sketchup(workspace=tmp_path) as first:
        first.control(
            "_test.add_definition", name="Brett", box_mm=[800, 300, 18], attributes={"vcad": {"version": 3}}
        )
        placed = first.control(
            "_test.add_instance", definition_name="Brett", position=[0, 0, 400], locked=True
        )
        first.control("save_model", path=path)
        before = first.control("_test.dump")["digest"]
    with headless_sketchup(workspace=tmp_path) as second:
        second.control("open_model", path=path)
        assert second.control("_test.dump")["digest"] == before
        seen = second.control("_test.get_entity", persistent_id=placed["persistent_id"])
        assert (seen["definition_name"], seen["locked"]) == ("Brett", True)


def test_two_processes_do_the_same(tmp_path: Path) -> None:
    digests = []
    for _ in range(2):
        with headless_sketchup(workspace=tmp_path) as sketchup:
            part = sketchup.control("_test.add_definition", name="part", box_mm=[10, 20, 30])
            for x in (0, 50):
                sketchup.control("_test.add_instance", definition_id=part["entity_id"], position=[x, 0, 0])
            digests.append(sketchup.control("_test.dump")["digest"])
    assert digests[0] == digests[1]


def test_it_answers_while_time_stands_still(sketchup: RunningSketchUp) -> None:
    sketchup.control("_test.configure", clock="virtual")
    assert sketchup.control("ping")["success"] is True
    assert sketchup.control("_test.advance", seconds=1)["fired"]
    other = ControlLine(sketchup.port)
    assert other("ping")["success"] is True
    other.close()


def test_it_is_gone_when_its_starter_is(tmp_path: Path) -> None:
    with headless_sketchup(workspace=tmp_path) as sketchup:
        assert sketchup.process.close() == 0
        with pytest.raises(OSError, match=r"refused|reset"):
            ControlLine(sketchup.port)("ping")


def test_a_slow_tool_holds_up_sketchup_and_nobody_else_is_lost(sketchup: RunningSketchUp) -> None:
    other = ControlLine(sketchup.port)
    other("ping")
    sketchup.control("_test.delay_next", tool="get_model_info", seconds=0.2)
    waiting = threading.Thread(target=sketchup.control, args=("get_model_info",))
    waiting.start()
    assert other("ping")["success"] is True
    waiting.join(30)
    assert not waiting.is_alive()
    other.close()
