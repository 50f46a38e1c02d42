"""Runs the tests that a text defines: ``[test name [] body …]`` (§20.1).

The text is evaluated once; then each test is called in the order of the text. A test passes when it
returns. Who shows the verdicts, and where output goes, is the caller's business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from vcad_kernel.errors import LoonRuntimeError, Place, VcadError
from vcad_kernel.loon.forms.test import defined_test
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.program.program import Program
from vcad_kernel.loon.shapes import behind_pub
from vcad_kernel.loon.source import Source, Span
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

__all__ = ["LoonTest", "Verdict", "run_tests", "tests_of"]


@dataclass(frozen=True, slots=True)
class LoonTest:
    """A test of a text."""

    name: str
    place: Place


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a test ended."""

    test: LoonTest
    seconds: float
    failure: VcadError | None

    def plain(self) -> dict[str, Any]:
        """As plain data: name, passed, ms, file, line, column; of a failure error, error_code and fix."""
        failure = self.failure
        place = self.test.place if failure is None or failure.place is None else failure.place
        where = {"file": place.file, "line": place.line, "column": place.column}
        verdict = {"name": self.test.name, "passed": failure is None, "ms": self.seconds * 1e3, **where}
        if failure is None:
            return verdict
        code = str(failure.error_code)
        return {**verdict, "error": failure.message, "error_code": code, "fix": failure.fix or ""}


def tests_of(program: Program) -> list[LoonTest]:
    """The tests of a program in the order of its text."""
    tests = []
    for part in program.expanded:
        for form in part.forms:
            name = _test_name(form)
            if name is not None:
                start = part.chunk.start
                span = Span(program.source, start + form.start, start + form.end)
                tests.append(LoonTest(name, span.place()))
    return tests


def _test_name(form: Form) -> str | None:
    """The name of a ``test`` form, given as a symbol or a string, also under ``pub``."""
    match behind_pub(form):
        case ListForm(items=(Symbol(name="test"), *operands)):
            defined = defined_test(operands)
            return None if defined is None else defined[0].name
    return None


def run_tests(
    source: Source,
    environment: Environment,
    *,
    folder: Path | None = None,
    wanted: Callable[[str], bool] = lambda _: True,
    clock: Callable[[], float] = perf_counter,
) -> Iterator[Verdict]:
    """Evaluate a text in an environment of its own and call its tests one by one.

    folder: where its imports look first; wanted: which tests are called, by name. ``main`` is not called.
    Raises: VcadError when the text itself fails; no test has been called then.
    """
    environment.run(source, cell=True, folder=folder)
    tests = tests_of(environment.program)
    seen: set[str] = set()
    for test in tests:
        if not wanted(test.name):
            continue
        started = clock()
        failure = _called(test, environment) if test.name not in seen else _hidden(test)
        seen.add(test.name)
        yield Verdict(test, clock() - started, failure)


def _called(test: LoonTest, environment: Environment) -> VcadError | None:
    try:
        environment.call(environment.user.lookup(test.name), ())
    except VcadError as failure:
        if failure.place is None:
            failure.place = test.place
        return failure
    return None


def _hidden(test: LoonTest) -> VcadError:
    """Two tests of one name: only the later could ever run, so the text is at fault."""
    return LoonRuntimeError(
        f"there are two tests called {test.name}, and only the last of them can run",
        code="bad-form",
        place=test.place,
        fix="give each test a name of its own",
        details={"class": "bad-form"},
    )
