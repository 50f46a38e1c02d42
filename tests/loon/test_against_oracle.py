"""The compiled language and the reference evaluator give the same on generated programs.

Formatted and printed programs are the same forms; and what the checker finds nothing wrong with raises
no error that types could have foreseen.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.conformance.runner import read_cases
from tests.loon.oracle import Outcome, OutOfFuel, deep, outcome
from tests.loon.programs import Style, programs
from tests.tiers import examples
from vcad_kernel.errors import LoonError
from vcad_kernel.loon.printing.display import display
from vcad_kernel.loon.printing.formatter import format_source
from vcad_kernel.loon.printing.printer import printed
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.reading.reader import read
from vcad_kernel.loon.reading.tokens import lexemes
from vcad_kernel.loon.runtime.faults import class_of
from vcad_kernel.loon.source import Source

FORESEEN = {"type", "arity", "not-callable", "unbound-symbol", "no-match"}
"""Classes of errors that a program with the right types does not raise."""

_MODEST = examples(60)


def compiled(text: str) -> Outcome:
    """What comes of a program when the language itself runs it."""
    out: list[str] = []
    try:
        value = display(Environment(stdout=out.append).run(Source("generated.oo", text)))
    except LoonError as error:
        return Outcome(None, "".join(out), class_of(error))
    return Outcome(value, "".join(out), None)


def expected(text: str) -> Outcome:
    """What the reference evaluator makes of it; programs that take too long for that are left out."""
    try:
        return outcome(text, fuel=20_000)
    except OutOfFuel:
        assume(False)
        raise


def findings(text: str) -> list[str]:
    """Codes of what the checker finds, ownership left out."""
    found = Environment().check(Source("generated.oo", text))
    return [one.code for one in found if not one.code.startswith("E03")]


def _evaluated(case: dict[str, Any]) -> bool:
    # The evaluator has no checker and no files.
    return "mode" not in case and not re.search(r"\[(catch-errors|use)\b", case["source"])


CASES = [
    case
    for case in read_cases(Path(__file__).parents[1] / "conformance" / "loon_cases.jsonl")
    if _evaluated(case)
]


def test_the_reference_evaluator_passes_the_conformance_cases() -> None:
    def wrong() -> list[tuple[str, Outcome]]:
        found = []
        for case in CASES:
            got = outcome(case["source"])
            right = (
                got.error == case["error"]
                if "error" in case
                else (got.value, got.output.removesuffix("\n")) == (case["value"], case.get("stdout", ""))
            )
            if not right:
                found.append((case["id"], got))
        return found

    assert len(CASES) > 400
    assert deep(wrong) == []


@_MODEST
@given(programs())
def test_any_program_gives_the_same_as_with_the_reference_evaluator(text: str) -> None:
    wanted = expected(text)  # first: what is too long for it may take the language long too
    assert compiled(text) == wanted


@_MODEST
@given(programs())
def test_a_program_gives_the_same_when_it_is_entered_form_by_form(text: str) -> None:
    assume("[fn main" not in text)  # only a whole program's main is called
    wanted = expected(text)
    out: list[str] = []
    environment = Environment(stdout=out.append)
    value = ""
    try:
        for line in text.splitlines():
            value = display(environment.run(Source("cell", line), cell=True))
        got = Outcome(value, "".join(out), None)
    except LoonError as error:
        got = Outcome(None, "".join(out), class_of(error))
    assert got == wanted


@_MODEST
@given(programs(Style(typed=True)))
def test_a_program_written_by_its_types_is_accepted_and_runs_without_errors_of_type(text: str) -> None:
    wanted = expected(text)
    got = compiled(text)
    assert got == wanted
    assert got.error not in FORESEEN
    assert findings(text) == []


@_MODEST
@given(programs(Style(typed=True, effects=False, slip=True)))
def test_a_program_that_the_checker_accepts_raises_no_error_that_types_foresee(text: str) -> None:
    assume("empty?" not in text)  # takes any value, by its type
    if not findings(text):
        expected(text)
        assert compiled(text).error not in FORESEEN


@_MODEST
@given(
    programs(), st.lists(st.sampled_from([" ", "  ", "\n", " ; why\n", '\n\n; [ not " code\n']), min_size=1)
)
def test_formatting_keeps_what_a_program_means(text: str, gaps: list[str]) -> None:
    following = itertools.cycle(gaps)
    spread = "".join(
        next(following) if kind == "blank" else text[start:end] for kind, start, end in lexemes(text)
    )
    formatted = format_source(spread)
    assert _forms(formatted) == _forms(text)
    assert format_source(formatted) == formatted
    assert formatted.count(";") == spread.count(";")


def _forms(text: str) -> list[object]:
    return [form for chunk in read(Source("generated.oo", text)) for form in chunk.forms]


@_MODEST
@given(programs())
def test_a_printed_program_without_strings_reads_back_as_the_same_forms(text: str) -> None:
    """Strings are printed without escaping, tuples with commas, whole floats without a point."""
    text = re.sub(r'"[^"]*"', ":s", re.sub(r"\d+\.\d+(e-?\d+)?", "1.5", text).replace('\\"', ""))
    assume('"' not in text)
    shown = "\n".join(printed(form) for chunk in read(Source("a", text)) for form in chunk.forms)
    assert _forms(shown.replace(",", "")) == _forms(text)


@pytest.mark.parametrize(
    "text",
    [
        "[fn f [a b] [match a None [match b None 0 [Some y] y] [Some x] x]] [f None [Some 5]]",
        "[match [Ok None]? 1 1 None [match 1 1 [when 0] 2 None 3 _ 4]]",
    ],
)
def test_what_once_went_wrong_goes_right(text: str) -> None:
    assert compiled(text) == expected(text)
