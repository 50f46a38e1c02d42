"""Environments of several histories, and what becomes of one in which a run was stopped."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.loon.passing_time import PassingTime, passing_time
from tests.service.notebook import Notebook
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import LoonNameError, LoonRuntimeError, VcadError
from vcad_kernel.loon.runtime.limits.limits import Limits
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.evaluation.environments import Environments
from vcad_kernel.service.requests import EvalCell

__all__ = ["passing_time"]

ENDLESS = "[fn on [] [on]] [println 1] [fn whirl [x] [whirl x]] [let a 9] [whirl 1]"


@pytest.fixture
def service() -> DirectService:
    return DirectService()


class Loud:
    """Counts what is printed, to see what runs again."""

    def __init__(self) -> None:
        self.phases: list[tuple[str, int, int]] = []

    def __call__(self, phase: str, done: int, total: int) -> None:
        self.phases.append((phase, done, total))

    @property
    def loaded(self) -> bool:
        return any(phase == "loading" for phase, _, _ in self.phases)


def run(
    service: DirectService, source: str, *earlier: CellSource, folder: Path | None = None
) -> tuple[str, bool]:
    """What a cell displays after others, and whether any of those ran again."""
    seen = Loud()
    result = service.evaluate(EvalCell(source, earlier, cell_id=source, base_dir=folder), progress=seen)
    return result.display or "", seen.loaded


def test_histories_that_take_turns_do_not_run_again(service: DirectService) -> None:
    one, other = CellSource("one", "[let a 1]"), CellSource("other", "[let a 2]")
    assert run(service, "a", one) == ("1", True)
    assert run(service, "a", other) == ("2", True)
    assert run(service, "[+ a 10]", one) == ("11", False)
    assert run(service, "[+ a 10]", other) == ("12", False)


def test_a_history_that_goes_on_runs_what_is_new(service: DirectService) -> None:
    one, two = CellSource("one", "[let a 1]"), CellSource("two", "[let b [+ a 1]]")
    assert run(service, "a", one) == ("1", True)
    seen = Loud()
    assert service.evaluate(EvalCell("b", (one, two)), progress=seen).display == "2"
    assert [phase for phase in seen.phases if phase[0] == "loading"] == [("loading", 0, 1)]


def test_folders_have_environments_of_their_own(service: DirectService, tmp_path: Path) -> None:
    for name in ("left", "right"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "side.oo").write_text(f'[pub let here "{name}"]', "utf-8")
    use = CellSource("use", "[use side]")
    assert run(service, "side.here", use, folder=tmp_path / "left")[0] == '"left"'
    assert run(service, "side.here", use, folder=tmp_path / "right")[0] == '"right"'
    assert run(service, "[len side.here]", use, folder=tmp_path / "left") == ("4", False)


def test_equal_python_values_of_another_kind_are_another_history(service: DirectService) -> None:
    assert run(service, "x", CellSource("one", "[let x w]", bindings={"w": 1}))[0] == "1"
    assert run(service, "x", CellSource("one", "[let x w]", bindings={"w": True}))[0] == "true"


def test_so_many_environments_are_kept_and_no_more() -> None:
    environments = Environments(None, Limits(), kept=3)
    for number in range(5):
        cell = CellSource("cell", f"[let a {number}]")
        environment, known = environments.closest((cell,), None)
        environment.replay((cell,)[known:])
    assert len(environments) == 3
    assert environments.closest((CellSource("cell", "[let a 4]"),), None)[1] == 1
    assert environments.closest((CellSource("cell", "[let a 0]"),), None)[1] == 0


def test_a_cell_that_takes_too_long_leaves_everything_as_it_was(passing_time: PassingTime) -> None:
    notebook = Notebook(None, DirectService(limits=Limits(seconds=0.2)))
    notebook.run("[let a 1]", "first")
    with pytest.raises(LoonRuntimeError) as stopped, passing_time.passes():
        notebook.run(ENDLESS, "endless")
    assert stopped.value.code == "time-limit"
    assert notebook.shown() == {"a": ("first", "1")}
    assert notebook.run("a").display == "1"
    with pytest.raises(LoonNameError):
        notebook.run("whirl")


def test_an_interrupted_cell_leaves_everything_as_it_was() -> None:
    class Interrupts:
        def __call__(self, text: str) -> None:
            raise KeyboardInterrupt

    service = DirectService()
    first = CellSource("first", "[let a 1]")
    service.evaluate(EvalCell(first.source, cell_id="first"))
    with pytest.raises(KeyboardInterrupt):
        service.evaluate(EvalCell('[let a 2] [println "x"]', (first,), cell_id="second"), output=Interrupts())
    assert service.check("[+ a 1]") == ()
    assert {name: one.display for name, one in service.definitions().items()} == {"a": "1"}
    assert service.evaluate(EvalCell("a", (first,))).display == "1"


def test_names_are_taken_back_after_a_cell_was_stopped(passing_time: PassingTime) -> None:
    notebook = Notebook(None, DirectService(limits=Limits(seconds=0.2)))
    notebook.run("[let a 1] [let b 2]", "first")
    with pytest.raises(LoonRuntimeError), passing_time.passes():
        notebook.run(ENDLESS, "endless")
    notebook.take_back("a")
    assert notebook.run("b").display == "2"
    with pytest.raises(LoonNameError):
        notebook.run("a")


def test_a_cell_that_fails_by_itself_stays_in_the_history(service: DirectService) -> None:
    notebook = Notebook(None, service)
    with pytest.raises(VcadError):
        notebook.run("[let kept 1] [nth #[] 0]", "failing")
    assert [one.cell_id for one in notebook.history if isinstance(one, CellSource)] == ["failing"]
    assert notebook.run("kept").display == "1"


def test_everything_can_be_forgotten(service: DirectService) -> None:
    service.evaluate(EvalCell("[let a 1] [cube 1 1 1]", cell_id="a"))
    assert len(service.solids) > 0
    service.forget()
    assert len(service.solids) == 0
    assert dict(service.definitions()) == {}
