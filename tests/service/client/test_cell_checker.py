"""Checking cells without running them says what checking them after running says."""

from __future__ import annotations

import gc
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from vcad_kernel.contracts.messages import CellSource, HistoryEntry, TakenBack
from vcad_kernel.errors import VcadError
from vcad_kernel.service.client.cell_checker import CellChecker
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.requests import EvalCell


class Both:
    """A service that runs cells, and a checker that is only told of them."""

    def __init__(self, folder: Path | None = None) -> None:
        self.service = DirectService()
        self.checker = CellChecker(folder)
        self.folder = folder
        self.history: list[HistoryEntry] = []

    def run(self, source: str, cell_id: str = "", bind: str | None = None, **bindings: Any) -> None:
        cell = CellSource(cell_id or f"cell-{len(self.history)}", source, bindings=bindings, bind=bind)
        earlier = tuple(self.history)
        before = self.service.definitions()
        try:
            self.service.evaluate(
                EvalCell(
                    source, earlier, bindings=bindings, cell_id=cell.cell_id, bind=bind, base_dir=self.folder
                )
            )
        except VcadError:
            pass
        else:
            assert before is not None
        self.history.append(cell)
        after = {name: one for name, one in self.service.definitions().items() if one.cell_id == cell.cell_id}
        self.checker.evaluated(
            earlier,
            cell,
            {name for name, one in after.items() if not one.given},
            given={name: one.type for name, one in after.items() if one.given},
            folder=self.folder,
        )

    def take_back(self, *names: str) -> None:
        self.service.take_back(names)
        self.checker.taken_back(names)
        self.history.append(TakenBack(frozenset(names)))

    def check(self, source: str, cell_id: str = "", **bindings: Any) -> list[str]:
        """The codes of what both find, which is the same."""
        mine = self.checker.check(CellSource(cell_id, source, bindings=bindings))
        theirs = self.service.check(source, cell_id=cell_id, bindings=bindings)
        assert [one.render() for one in mine] == [one.render() for one in theirs]
        return [one.code for one in mine]


@pytest.fixture
def both() -> Both:
    return Both()


def test_names_of_earlier_cells_are_known(both: Both) -> None:
    assert both.check("[+ wall 1]")
    both.run("[let wall 3]")
    assert not both.check("[+ wall 1]")
    assert both.check('[str-len wall] [+ wall "x"]')


def test_nothing_is_run(both: Both) -> None:
    both.checker.evaluated((), CellSource("a", "[fn forever [] [forever]] [forever]"), {"forever"})
    assert both.checker.check(CellSource("b", "[forever 1]"))


def test_a_cell_run_again_replaces_what_it_defined(both: Both) -> None:
    both.run("[let a 1] [let b 2]", "c")
    both.run('[let a "text"]', "c")
    assert both.check("b")
    assert both.check("[+ a 1]")


def test_a_cells_own_earlier_run_is_not_known_to_it(both: Both) -> None:
    both.run("[let a 1]", "c")
    assert both.check("[+ a 1]", "c")
    assert not both.check("[+ a 1]", "d")


def test_what_a_failing_cell_defined_before_it_failed_is_known(both: Both) -> None:
    both.run("[let a 1] [panic 2] [let b 2]")
    assert not both.check("[+ a 1]")
    assert both.check("[+ b 1]")


def test_macros_and_types_are_known_and_taken_back(both: Both) -> None:
    both.run("[macro twice [x] `[+ ~x ~x]]")
    both.run("[type Shape [Round float] Flat]")
    both.run("[fn area [s] [match s [Round r] => [* r r] Flat => 0.0]]")
    assert not both.check("[twice 2] [area [Round 2.0]]")
    assert both.check('[twice "a"]')
    both.take_back("twice", "area")
    assert both.check("[twice 2]")
    assert both.check("[area Flat]")


def test_what_a_definition_hid_is_back(both: Both) -> None:
    both.run("[fn cube [a] a]")
    assert both.check("[cube 1 2 3]")
    both.take_back("cube")
    assert not both.check("[cube 1 2 3]")


@pytest.mark.parametrize(
    "value", [3, 2.5, "text", True, [1, 2], (1, "a"), {"wide": 3}, None, list(range(5000))]
)
def test_values_from_python_are_known_by_their_kind(both: Both, value: object) -> None:
    both.run("[let b a]", "c", a=value)
    for text in ("a", "[+ a 1]", "[str-len a]", "[len a]", "[+ b 1]"):
        both.check(text, "d")
        both.check(text, "d", a=value)


def test_the_value_of_a_cell_is_known_by_its_name(both: Both) -> None:
    both.run("[cube 1 2 3]", bind="part")
    both.run("5", bind="five")
    assert not both.check("[union part part]")
    assert both.check("[+ part 1]")
    assert both.check("[str-len five]")


def test_modules_of_the_folder_are_known(tmp_path: Path) -> None:
    (tmp_path / "lib.loon").write_text("[pub fn wide [x] [* 2 x]]")
    both = Both(tmp_path)
    both.run("[use lib]")
    assert not both.check("[lib.wide 2]")
    both.check("[lib.wide]")
    both.check("[use missing]")


def test_text_that_cannot_be_read_is_one_finding(both: Both) -> None:
    assert len(both.check("[let a")) == 1


def test_a_cell_that_could_not_be_read_defines_nothing(both: Both) -> None:
    both.run("[let a 1] [let")
    assert both.check("a")


def test_another_history_is_learned_from_its_texts() -> None:
    checker = CellChecker()
    earlier: Sequence[HistoryEntry] = (
        CellSource("a", "[let a 1]"),
        CellSource("b", "[let b 2]"),
        TakenBack(frozenset({"b"})),
        CellSource("a", "[let c 3]"),
    )
    checker.evaluated(earlier, CellSource("d", "[let d 4]"), {"d"})
    found = {name: bool(checker.check(CellSource("e", name))) for name in "abcd"}
    assert found == {"a": True, "b": True, "c": False, "d": False}


def test_what_has_become_obsolete_changes_nothing() -> None:
    checker = CellChecker()
    history: list[HistoryEntry] = []
    for value in range(200):
        cell = CellSource("slider", f"[let width {value}]")
        stale = [0] if history else []
        checker.evaluated(tuple(history), cell, {"width"}, obsolete=stale)
        history = [cell]
    assert checker.check(CellSource("b", "[+ width 1]")) == ()
    assert checker.check(CellSource("b", "[str-len width]"))


def test_runs_that_nobody_asks_about_do_not_pile_up() -> None:
    checker = CellChecker()
    history: list[HistoryEntry] = [CellSource("first", "[let kept 1]")]
    checker.evaluated((), history[0], {"kept"})
    for value in range(1000):
        cell = CellSource("again", f"[let width {value}]")
        checker.evaluated(tuple(history), cell, {"width"}, obsolete=[1] if value else [])
        history[1:] = [cell]
    gc.collect()
    assert sum(isinstance(it, CellSource) and it.cell_id == "again" for it in gc.get_objects()) < 300
    assert checker.check(CellSource("b", "[+ width kept]")) == ()
    assert checker.check(CellSource("b", "[str-len width]"))


def test_several_threads_may_ask() -> None:
    checker = CellChecker()
    checker.evaluated((), CellSource("a", "[let a 1]"), {"a"})
    found: list[int] = []

    def ask() -> None:
        found.append(len(checker.check(CellSource("b", "[+ a nothing]"))))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1] * 8
