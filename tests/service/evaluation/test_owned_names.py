"""Whose a name is, what it covers, and what a cell uses: what dependencies between cells are made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.service.notebook import Notebook
from vcad_kernel.contracts.messages import CellNames, CellSource
from vcad_kernel.errors import LoonNameError
from vcad_kernel.service.requests import EvalCell, Options


@pytest.fixture
def notebook() -> Notebook:
    return Notebook()


def _names(notebook: Notebook, text: str, cell_id: str, bind: str | None = None) -> CellNames:
    notebook.run(text, cell_id, bind=bind)
    return notebook.service.names_of_last()


def test_a_cell_that_makes_a_name_of_anothers_its_own_can_be_run_again(notebook: Notebook) -> None:
    notebook.run("[let w 10]", "1")
    for _ in range(3):
        assert notebook.run("[let w [* w 2]] w", "2").value == 20
    assert notebook.run("w", "3").value == 20


def test_what_a_cell_covered_is_back_when_its_own_is_taken_back(notebook: Notebook) -> None:
    notebook.run("[let w 10] [macro m [] 1] [fn f [] 5]", "1")
    notebook.run("[let w 20] [macro m [] 2] [fn f [] 6]", "2")
    assert notebook.run("#[w [m] [f]]", "3").value == [20, 2, 6]
    notebook.run("()", "2")
    assert notebook.run("#[w [m] [f]]", "3").value == [10, 1, 5]


def test_a_covered_definition_goes_with_its_cell(notebook: Notebook) -> None:
    notebook.run("[let w 10]", "1")
    notebook.run("[let w 20]", "2")
    notebook.run("()", "1")
    notebook.run("()", "2")
    with pytest.raises(LoonNameError):
        notebook.run("w", "3")


def test_the_cell_that_ran_last_has_the_name(notebook: Notebook) -> None:
    notebook.run("[let w 10]", "1")
    notebook.run("[let w [* w 2]]", "2")
    notebook.run("[let w 7]", "1")
    assert notebook.run("w", "3").value == 7
    assert notebook.run("[let w [* w 2]] w", "2").value == 14


def test_the_checker_knows_what_is_behind_a_cells_own_names(notebook: Notebook) -> None:
    notebook.run("[let w 10]", "1")
    notebook.run("[let w [* w 2]]", "2")
    assert not notebook.service.check("[let w [* w 2]]", cell_id="2")
    (finding,) = notebook.service.check("[let v [* v 2]]", cell_id="2")
    assert "v" in finding.what


def test_a_cell_uses_the_names_that_its_text_takes_from_others(notebook: Notebook) -> None:
    notebook.run("[let w 10] [fn f [x] [* x w]] [macro twice [x] `[* 2 ~x]] [let m {:a 1}]", "1")
    used = {
        "w": {"w"},
        "[let w [* w 2]]": {"w"},
        "[let w 3] [cube w w w]": set(),
        "[fn g [n] [if [= n 0] w [g [- n 1]]]]": {"w"},
        "[fn g [] v] [let v 1] [g]": set(),
        "[map [fn [x] [f x]] #[1 2]]": {"f"},
        "[fn g [w] [* w 2]] [g 1]": set(),
        "[twice [f 3]]": {"f", "twice"},
        '[print "w {f}"]': {"f"},
        '"w"': set(),
        ":w": set(),
        "[let v m] v.a": {"m"},
    }
    found = {}
    for text in used:
        try:
            names = _names(notebook, text, "2")
        except LoonNameError:
            names = notebook.service.names_of_last()
        found[text] = set(names.uses)
    assert found == used
    assert set(notebook.service.names_of_last().uses.values()) <= {"1"}


def test_what_a_module_gives_is_used_through_the_cell_that_took_it(tmp_path: Path) -> None:
    (tmp_path / "dims.oo").write_text("[let width 10]")
    notebook = Notebook(folder=tmp_path)
    first = _names(notebook, "[use dims] [cube dims.width 1 1]", "1")
    second = _names(notebook, "[cube dims.width 2 2]", "2")
    assert dict(first.uses) == {}
    assert dict(second.uses) == {"dims.width": "1"}


def test_a_name_that_nobody_has_is_used_of_nobody(notebook: Notebook) -> None:
    with pytest.raises(LoonNameError):
        notebook.run("[cube late 1 1]", "1")
    assert dict(notebook.service.names_of_last().uses) == {"late": ""}


def test_a_cell_says_what_it_defines_and_from_whom_it_took_it(notebook: Notebook) -> None:
    first = _names(notebook, "[let w 10] [let v 1]", "1")
    second = _names(notebook, "[let w 10] [cube 1 1 1]", "2", bind="box")
    assert dict(second.taken_over) == {"w": "1"}
    assert set(second.defines) == {"w", "box", "node:box"}
    assert second.defines["w"] == first.defines["w"]
    again = _names(notebook, "[let w 11] [cube 1 1 1]", "2", bind="box")
    assert again.defines["w"] != second.defines["w"]
    assert again.defines["box"] == second.defines["box"]
    assert dict(again.taken_over) == {"w": "1"}


def test_of_a_private_cell_only_its_own_name_is_left(notebook: Notebook) -> None:
    notebook.run("[let r 1]", "1")
    service = notebook.service
    cell = CellSource("2", "[let r 5] [fn twice [x] [* 2 x]] [cube [twice r] 1 1]", bind="rod", private=True)
    result = service.evaluate(EvalCell.after(tuple(notebook.history), cell, Options()))
    assert result.parts[0].figures.volume == 10
    notebook.history.append(cell)
    names = service.names_of_last()
    assert set(names.defines) == {"rod", "node:rod"}
    assert dict(names.taken_over) == {}
    assert set(service.definitions()) == {"r", "rod"}
    assert notebook.run("r", "3").value == 1


def test_a_function_of_a_private_cell_has_its_helpers_wherever_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "sizes.oo").write_text("[pub let leg 60] [pub fn twice [x] [* 2 x]]")
    notebook = Notebook(folder=tmp_path)
    notebook.run("[let wide 1] [fn helper [n] 0]", "1")
    text = """[use sizes [twice]] [type Size [Wide Float] [Flat]] [let wall 5]
        [fn helper [n] [match n [Wide w] [+ w [twice wall]] Flat extra]]
        [fn elbow [n] [if [= n 0] [+ [helper Flat] [nth [map helper #[[Wide wide]]] 0]] [elbow 0]]]"""

    def run(text: str) -> None:
        cell = CellSource("2", text, bindings={"extra": 100}, bind="elbow", private=True)
        options = Options(base_dir=tmp_path)
        notebook.service.evaluate(EvalCell.after(tuple(notebook.history), cell, options))
        notebook.history.append(cell)

    run(text)
    before = notebook.service.names_of_last().defines["elbow"]
    assert set(notebook.service.definitions()) == {"wide", "helper", "elbow"}
    assert notebook.run("[elbow 1]", "3").value == 100 + 1 + 10
    assert notebook.run("[helper 1]", "4").value == 0
    with pytest.raises(LoonNameError):
        notebook.run("wall", "5")
    run(text.replace("[let wall 5]", "[let wall 6]"))
    assert notebook.service.names_of_last().defines["elbow"] != before
    assert notebook.run("[elbow 1]", "3").value == 100 + 1 + 12


def test_a_private_cell_may_make_a_name_of_anothers_its_own(notebook: Notebook) -> None:
    notebook.run("[let w 10]", "1")
    for _ in range(2):
        cell = CellSource("2", "[let w [* w 2]] w", bind="doubled", private=True)
        result = notebook.service.evaluate(EvalCell.after(tuple(notebook.history), cell, Options()))
        notebook.history.append(cell)
        assert result.value == 20
    assert notebook.run("w", "3").value == 10
    assert not notebook.service.check("[+ w 1]")


def test_two_cells_that_use_one_module_take_nothing_from_each_other(tmp_path: Path) -> None:
    (tmp_path / "sizes.oo").write_text("[pub let leg 60] [pub fn twice [x] [* 2 x]]")
    notebook = Notebook(folder=tmp_path)
    for cell_id in ("1", "2"):
        assert dict(_names(notebook, "[use sizes] [sizes.twice sizes.leg]", cell_id).taken_over) == {}


def test_a_name_to_which_a_module_gives_another_meaning_is_taken_over(tmp_path: Path) -> None:
    (tmp_path / "sizes.oo").write_text("[pub let leg 60]")
    notebook = Notebook(folder=tmp_path)
    notebook.run("[let leg 50]", "1")
    assert dict(_names(notebook, "[use sizes [leg]] leg", "2").taken_over) == {"leg": "1"}
