"""What a session keeps of its cells, with the evaluation played by a script."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.session.cells.loon_value import LoonValue
from notebook_ext.session.session import Session
from vcad_kernel.contracts.messages import CacheCount, CellNames, CellSource, HistoryEntry, TakenBack, Timings
from vcad_kernel.errors import CapabilityUnavailable, LoonRuntimeError, LoonSyntaxError, VcadError
from vcad_kernel.loon.diagnostics import Diagnostic, Label
from vcad_kernel.loon.reference import Entry
from vcad_kernel.loon.source import Source, Span
from vcad_kernel.service.protocol import Definition, EvaluationResult
from vcad_kernel.service.requests import EvalCell, EvalCode


class Script:
    """An `EvaluationService` whose cells define the names that they consist of."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[HistoryEntry, ...], Path | None]] = []
        self.defined: dict[str, Definition] = {}
        self.findings: tuple[Diagnostic, ...] = ()
        self.failure: VcadError | None = None

    def evaluate(self, request: EvalCell | EvalCode, **_: Any) -> EvaluationResult:
        assert isinstance(request, EvalCell)
        code = request.code
        self.asked.append((code, tuple(request.prelude), request.base_dir))
        for name in code.split():
            self.defined[name] = Definition(Entry(name, "variable"), request.cell_id, f"<{name}>")
        if self.failure is not None:
            raise self.failure
        return EvaluationResult(
            display=code.strip(),
            value=None,
            parts=(),
            made_from=None,
            document_hash=None,
            source_hash="",
            stdout="",
            warnings=(),
            diagnostics=self.findings,
            timings=Timings.spent(),
            cache=CacheCount(0, 0),
        )

    def check(self, code: str, **_: Any) -> tuple[Diagnostic, ...]:
        return self.findings

    def definitions(self) -> Mapping[str, Definition]:
        return dict(self.defined)

    def names_of_last(self) -> CellNames:
        return CellNames()

    def take_back(self, names: Collection[str]) -> None:
        for name in names:
            del self.defined[name]


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def session(script: Script, tmp_path: Path) -> Session:
    shell: Any = SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1))
    return Session(shell, script, folder=tmp_path)


def finding(code: str, start: int, end: int) -> Diagnostic:
    return Diagnostic(code, f"{code} found", (Label(Span(Source("cell [1]", "\nwide deep"), start, end)),))


def shown(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


def test_modules_are_looked_for_in_the_notebooks_folder(
    session: Session, script: Script, tmp_path: Path
) -> None:
    session.evaluate("a")
    assert script.asked[0][2] == tmp_path


def test_what_the_names_mean_is_published_after_each_run_and_never_changes(session: Session) -> None:
    before = session.knowledge
    session.evaluate("width", name="first")
    after = session.knowledge
    session.evaluate("depth")
    assert list(before.definitions) == []
    assert list(after.definitions) == ["width"]
    assert after.cells[after.definitions["width"].cell_id] == "first"
    assert after.value(after.definitions["width"].entry) == "<width>"
    assert set(session.knowledge.definitions) == {"width", "depth"}


def test_a_failing_cell_publishes_what_it_defined(session: Session, script: Script) -> None:
    script.failure = LoonRuntimeError("no", code="index")
    with pytest.raises(LoonCellFailed):
        session.evaluate("kept")
    assert "kept" in session.knowledge.definitions


def test_forgetting_a_name_tells_the_service_and_the_history(session: Session, script: Script) -> None:
    session.evaluate("width depth")
    session.forget(["width"])
    session.evaluate("other")
    history = script.asked[-1][1]
    assert isinstance(history[0], CellSource)
    assert history[1:] == (TakenBack(frozenset({"width"})),)
    assert set(session.knowledge.definitions) == {"depth", "other"}


def test_after_a_reset_the_next_cell_is_the_first(session: Session, script: Script) -> None:
    session.evaluate("width depth")
    session.reset()
    assert dict(session.knowledge.definitions) == {}
    session.evaluate("again")
    assert script.asked[-1][1] == ()


def test_findings_stand_beside_the_result(
    session: Session, script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    script.findings = (finding("E0200", 1, 5),)
    value = session.evaluate("wide deep")
    assert isinstance(value, LoonValue)
    assert repr(value) == "wide deep"
    assert "[E0200] E0200 found" in shown(capsys)


def test_a_long_value_is_shown_in_part_and_kept_whole(session: Session) -> None:
    value = session.evaluate("a" * 10_000)
    longer = session.evaluate("b" * 10_001)
    assert repr(value) == "a" * 10_000
    assert repr(longer) == "b" * 10_000 + "… (10001 characters in all)"
    assert isinstance(longer, LoonValue)
    assert longer.display == "b" * 10_001


def test_a_clean_cell_shows_nothing_extra(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    session.evaluate("wide deep")
    assert shown(capsys) == ""


def test_a_failing_cell_shows_what_its_error_does_not_say(
    session: Session, script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    script.findings = (finding("E0200", 1, 5), finding("E0206", 6, 10))
    script.failure = LoonRuntimeError("bad", code="type", place=finding("", 1, 5).place)
    with pytest.raises(LoonCellFailed):
        session.evaluate("wide deep")
    said = shown(capsys)
    assert "E0206" in said
    assert "E0200" not in said


def test_text_that_cannot_be_read_has_its_error_and_nothing_else(
    session: Session, script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    script.findings = (finding("E0102", 6, 10),)
    script.failure = LoonSyntaxError("unclosed", code="E0102", place=finding("", 1, 5).place)
    with pytest.raises(LoonCellFailed):
        session.evaluate("wide deep")
    assert shown(capsys) == ""


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_session_says_what_can_be_copied_instead(
    session: Session, copied: Callable[[Session], object]
) -> None:
    with pytest.raises(CapabilityUnavailable, match="cannot be copied") as refused:
        copied(session)
    assert "pickle its parts" in (refused.value.fix or "")
