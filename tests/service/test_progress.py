"""How far an evaluation is: told at each phase's beginning, and not more often than anybody can see."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import trimesh

from tests.service.notebook import Notebook
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import Cancelled
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.progress import ProgressReport
from vcad_kernel.service.requests import EvalCell, EvalCode


def test_phases_come_in_order_with_how_much_there_is() -> None:
    seen: list[tuple[str, int, int]] = []
    ticks = itertools.count()
    service = DirectService(clock=lambda: float(next(ticks)))
    cell = CellSource("one", "[let a 4]")
    code = "[difference [cube 1 1 9] [cube a a a]]"
    service.evaluate(EvalCell(code, (cell,), exact=True), progress=lambda *told: seen.append(told))
    assert list(dict.fromkeys(phase for phase, _, _ in seen)) == ["loading", "running", "geometry", "figures"]
    assert seen[0] == ("loading", 0, 1)
    geometry = [(done, total) for phase, done, total in seen if phase == "geometry"]
    assert geometry[0] == (0, 3)
    assert [done for done, _ in geometry] == sorted(done for done, _ in geometry)
    assert all(done <= total for done, total in geometry)


def test_reports_are_spaced_but_a_new_phase_is_always_told() -> None:
    seen: list[tuple[str, int, int]] = []
    now = [0.0]
    report = ProgressReport(lambda *told: seen.append(told), lambda: now[0])
    report("running")
    for done in range(100):
        now[0] += 0.001
        report("geometry", done, 100)
    assert seen[:2] == [("running", 0, 0), ("geometry", 0, 100)]
    assert len(seen) == 3


def test_building_can_be_called_off() -> None:
    asked = itertools.count()
    service = DirectService(cancelled=lambda: next(asked) >= 1)
    with pytest.raises(Cancelled):
        service.evaluate(EvalCode("[difference [cube 1 1 9] [translate 1 0 0 [cube 4 4 4]]]"))


def test_a_result_names_the_files_that_it_was_made_from(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "plate.oo").write_text("[use edge] [pub fn plate [w] [cube w w edge.rim]]", "utf-8")
    (tmp_path / "lib" / "edge.oo").write_text("[pub let rim 2]", "utf-8")
    trimesh.creation.box(bounds=[[50, 0, 0], [60, 10, 10]]).export(tmp_path / "box.stl")
    code = '[use lib.plate] #[[lib.plate.plate 3] [import-mesh "box.stl"]]'
    result = DirectService().evaluate(EvalCode(code, base_dir=tmp_path, allow_scene=True))
    assert set(result.modules) == {"lib/plate.oo", "lib/edge.oo", "box.stl"}
    assert DirectService().evaluate(EvalCode("[cube 1 1 1]")).modules == ()


def test_a_result_names_what_its_text_has_bound() -> None:
    notebook = Notebook()
    result = notebook.run("[let b 1] [fn a [] given] [macro m [] 1]", bind="part", given=3)
    assert result.defined == ("a", "b", "m")
    assert {name: one.type for name, one in notebook.service.definitions().items() if one.given} == {
        "given": "Num"
    }
