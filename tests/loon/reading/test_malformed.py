"""Special forms that are put together wrongly: what fails when it is reached is found before it runs."""

from __future__ import annotations

import pytest

from tests.loon.evaluation import error_of
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source


@pytest.mark.parametrize(
    "text",
    [
        "[let c true] [if c 1 else 2]",
        "[let [w 10 h 20] 3]",
        "[let x]",
        "[let 4 5]",
        "[if true]",
        "[match]",
        "[pipe 3 2]",
        "[pipe]",
        "[fn f]",
        "[fn f 3]",
        "[+ 1 [if]]",
        "[println 1]\n  [let a [map [fn [x] [match]] #[1]]]",
        "[fn f [a]\n  [if]] [f 1]",
        "[try]",
        "[handle]",
    ],
)
def test_a_malformed_form_is_one_finding_and_fails_with_the_same_words_when_it_runs(text: str) -> None:
    found = [one for one in Environment().check(Source("test.oo", text)) if one.code == "E0101"]
    error = error_of(text)
    assert [(one.code, one.what, one.place) for one in found] == [(error.code, error.message, error.place)]
    assert found[0].severity == "error"


def test_every_malformed_form_is_found_wherever_it_stands_in_the_text() -> None:
    text = "[let a 1]\n[fn f [x]\n  [if]]\n\n[let b [+ [match] [if]]]\n"
    found = Environment().check(Source("test.oo", text))
    assert [(one.place.line, one.place.column, one.code) for one in found] == [
        (3, 3, "E0101"),
        (5, 11, "E0101"),
        (5, 19, "E0101"),
    ]
    moved = Environment().check(Source("test.oo", "\n\n" + text))
    assert [one.place.line for one in moved] == [5, 7, 7]


@pytest.mark.parametrize("text", ["[let w 10 h 20]", "[let w = 40]", "[fn f [] [let mut a 1 2] a]"])
def test_what_let_ignores_behind_its_value_is_said(text: str) -> None:
    (found,) = Environment().check(Source("test.oo", text))
    assert (found.code, found.severity) == ("E0202", "warning")
    assert "ignored" in found.what
