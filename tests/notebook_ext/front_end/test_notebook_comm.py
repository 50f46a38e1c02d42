"""The pages that show a kernel's notebooks: found, asked, told, and done without when they are silent."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from notebook_ext.front_end.notebook_comm import FrontEnds
from tests.notebook_ext.front_end.notebook_page import Page, cell
from vcad_kernel.errors import Cancelled, ServiceFailure


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    (tmp_path / "rooms").mkdir()
    path = tmp_path / "rooms" / "plan.ipynb"
    path.write_text("{}")
    return path


def shows(front_ends: FrontEnds, plan: Path, **cells: str) -> Page:
    made = [cell(name, source) for name, source in (cells or {"one": "1"}).items()]
    return Page(front_ends, plan.parents[1], {"rooms/plan.ipynb": made}, own="rooms/plan.ipynb")


def test_a_notebook_is_found_by_its_file_and_no_other_of_its_name(plan: Path, tmp_path: Path) -> None:
    front_ends = FrontEnds()
    (tmp_path / "plan.ipynb").write_text("{}")
    assert front_ends.find(plan) is None
    shows(front_ends, plan)
    found = front_ends.find(plan)
    assert found is not None
    assert found.path == "rooms/plan.ipynb"
    assert front_ends.find(tmp_path / "plan.ipynb") is None
    assert front_ends.find(tmp_path / "gone.ipynb") is None
    assert [one.path for one in front_ends.own()] == ["rooms/plan.ipynb"]


def test_of_two_pages_the_later_one_is_asked(plan: Path) -> None:
    front_ends = FrontEnds()
    first, second = shows(front_ends, plan), shows(front_ends, plan)
    found = front_ends.find(plan)
    assert found is not None
    found.ask("get", cell="one")
    assert [one["method"] for one in second.asked] == ["notebooks", "get"]
    assert [one["method"] for one in first.asked] == ["notebooks"]


def test_a_page_that_comes_after_the_first_is_told_of(plan: Path) -> None:
    came: list[None] = []
    front_ends = FrontEnds(came_again=lambda: came.append(None))
    shows(front_ends, plan)
    assert not came
    shows(front_ends, plan)
    assert len(came) == 1


def test_a_page_that_was_loaded_anew_is_waited_for_once(plan: Path) -> None:
    front_ends = FrontEnds(looking=0.2)
    gone = shows(front_ends, plan)
    gone.silent = True
    Page(front_ends, plan.parents[1])
    assert front_ends.find(plan) is None  # the other one says that it has not got it
    front_ends._looking = 3600
    with ThreadPoolExecutor() as pool:
        assert pool.submit(front_ends.find, plan).result(60) is None
    assert len(gone.asked) == 2


def test_a_page_that_comes_while_the_old_one_is_waited_for_is_asked(plan: Path) -> None:
    front_ends = FrontEnds(looking=0.5)
    gone = shows(front_ends, plan)
    gone.silent = True
    loaded: list[Page] = []
    gone.asks = lambda: loaded.append(shows(front_ends, plan))
    assert front_ends.find(plan) is not None
    assert [one["method"] for one in loaded[0].asked] == ["notebooks"]


def test_of_a_kernels_own_notebook_on_two_pages_the_later_one_is_asked(plan: Path) -> None:
    front_ends = FrontEnds()
    first, second = shows(front_ends, plan), shows(front_ends, plan)
    (own,) = front_ends.own()
    own.ask("list")
    assert second.asked[-1]["method"] == "list"
    assert first.asked[-1]["method"] == "notebooks"


def test_when_no_page_answers_that_is_said_and_soon_at_once(plan: Path) -> None:
    front_ends = FrontEnds(looking=0.1)
    page = shows(front_ends, plan)
    page.silent = True
    for _ in range(2):
        with pytest.raises(ServiceFailure) as nobody:
            front_ends.find(plan)
        assert nobody.value.error_code == "TIMEOUT"
    front_ends._looking = 3600
    with ThreadPoolExecutor() as pool, pytest.raises(ServiceFailure):
        pool.submit(front_ends.find, plan).result(60)
    page._answer({"content": {"data": {"id": page.asked[-1]["id"], "result": {}}}})  # late, but alive
    page.silent = False
    assert front_ends.find(plan) is not None


def test_a_page_that_cannot_answer_while_a_cell_runs_is_not_given_up(plan: Path) -> None:
    front_ends = FrontEnds(looking=0.05)
    page = shows(front_ends, plan)
    page.silent = True
    page.comm.kernel = SimpleNamespace(_main_asyncio_lock=threading.Lock())
    with page.comm.kernel._main_asyncio_lock:
        assert front_ends.kernel_computes
        for _ in range(3):
            with pytest.raises(ServiceFailure):
                front_ends.find(plan)
    assert not front_ends.kernel_computes
    del page.comm.kernel
    page.silent = False
    assert front_ends.find(plan) is not None


def test_what_a_page_refuses_has_its_code(plan: Path) -> None:
    front_ends = FrontEnds()
    shows(front_ends, plan)
    found = front_ends.find(plan)
    assert found is not None
    with pytest.raises(ServiceFailure, match="no such cell") as refused:
        found.ask("get", cell="none")
    assert refused.value.error_code == "INVALID_PARAMS"


def test_a_page_that_is_closed_leaves_an_outcome_that_nobody_knows(plan: Path) -> None:
    front_ends = FrontEnds()
    page = shows(front_ends, plan)
    found = front_ends.find(plan)
    assert found is not None
    page.typed = lambda _request: (setattr(page, "silent", True), page.leave())
    with pytest.raises(ServiceFailure) as lost:
        found.ask("get", cell="one")
    assert lost.value.error_code == "UNKNOWN_OUTCOME"
    assert not front_ends.has_pages


def test_a_cell_that_runs_too_long_is_interrupted(plan: Path) -> None:
    front_ends = FrontEnds()
    shows(front_ends, plan, one="forever")
    found = front_ends.find(plan)
    assert found is not None
    told, stopped = found.run(
        patience=0.1, glance=lambda: None, cell="one", expected="forever", agent="robot"
    )
    assert stopped
    assert told["cell"]["execution_count"] == 7


def test_a_call_that_is_given_up_interrupts_its_cell(plan: Path) -> None:
    front_ends = FrontEnds()
    page = shows(front_ends, plan, one="forever")
    found = front_ends.find(plan)
    assert found is not None

    def give_up() -> None:
        raise Cancelled("given up")

    with pytest.raises(Cancelled):
        found.run(patience=60, glance=give_up, cell="one", expected="forever", agent="robot")
    assert page.asked[-1]["method"] == "stop"
    (ends,) = page.running.values()
    assert ends.wait(10)


def test_a_cell_that_waits_behind_another_one_is_left_alone(plan: Path) -> None:
    front_ends = FrontEnds()
    page = shows(front_ends, plan, one="forever")
    found = front_ends.find(plan)
    assert found is not None
    page._stop = lambda _request: {"runs": True, "begun": False}  # type: ignore[method-assign]
    with pytest.raises(ServiceFailure, match="waited behind") as waits:
        found.run(patience=0.1, glance=lambda: None, cell="one", expected="forever", agent="robot")
    assert waits.value.error_code == "UNKNOWN_OUTCOME"
    next(iter(page.running.values())).set()


def test_pages_are_told_when_they_come_and_when_it_changes(plan: Path) -> None:
    front_ends = FrontEnds()
    waiting: list[str] = []
    early = shows(front_ends, plan)
    tell = front_ends.keep_informed("asks", lambda: list(waiting))
    waiting.append("a question")
    tell()
    late = shows(front_ends, plan)
    assert early.told[-1] == ("asks", ["a question"])
    assert late.told == [("asks", ["a question"])]


def test_an_answer_to_nothing_is_no_matter(plan: Path) -> None:
    front_ends = FrontEnds()
    page = shows(front_ends, plan)
    for answer in ({"id": 99, "result": {}}, {"id": "x"}, None, [], {"result": {}}):
        page._answer({"content": {"data": answer}})
    assert front_ends.find(plan) is not None
