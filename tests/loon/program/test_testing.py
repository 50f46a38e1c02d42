"""Tests written in Loon: found in order, run one by one, failures told with their place."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from vcad_kernel.errors import LoonError
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.program.testing import Verdict, run_tests
from vcad_kernel.loon.source import Source


def verdicts(text: str, printed: list[str] | None = None) -> list[Verdict]:
    ticks: Iterator[float] = iter(range(100))
    environment = Environment(stdout=printed.append if printed is not None else lambda _: None)
    return list(run_tests(Source("t.oo", text), environment, clock=lambda: next(ticks)))


def test_each_test_runs_in_the_order_of_the_text_and_is_timed() -> None:
    printed: list[str] = []
    got = verdicts('[test b [] [println "b"]] [test a [] [println "a"]]', printed)
    assert [(one.test.name, one.failure is None, one.seconds) for one in got] == [
        ("b", True, 1),
        ("a", True, 1),
    ]
    assert printed == ["b\n", "a\n"]


def test_a_failing_test_tells_what_and_where_and_the_next_one_still_runs() -> None:
    got = verdicts(
        "\n[fn double [n] [* n 3]]\n[test doubles []\n  [assert-eq [double 2] 4]]\n[test other [] 1]"
    )
    failure = got[0].failure
    assert failure is not None
    assert failure.code == "assertion"
    assert failure.place is not None
    assert failure.place.line == 4
    assert "expected: 4" in failure.message
    assert got[1].failure is None


def test_a_test_sees_definitions_that_come_after_it() -> None:
    assert verdicts("[test early [] [assert-eq [f] 1]] [fn f [] 1]")[0].failure is None


def test_names_may_be_strings_and_the_older_spelling_is_taken() -> None:
    got = verdicts('[test "adds two" [] 1] [test fn old [] 2] [pub test p [] 3] [pub [test q [] 4]]')
    assert [(one.test.name, one.failure is None) for one in got] == [
        ("adds two", True),
        ("old", True),
        ("p", True),
        ("q", True),
    ]


def test_two_tests_of_one_name_are_a_failure() -> None:
    got = verdicts("[test same [] 1]\n[test same [] 2]")
    assert [one.failure is None for one in got] == [True, False]
    assert got[1].failure is not None
    place = got[1].failure.place
    assert place is not None
    assert (place.line, place.column, place.end_line, place.end_column) == (2, 1, 2, 17)


def test_main_is_not_called_and_a_test_may_be_built_by_a_macro() -> None:
    printed: list[str] = []
    text = '[macro check [name e] `[test ~name [] [assert-eq ~e true]]] [fn main [] [println "main"]]'
    got = verdicts(text + " [check holds [< 1 2]] [check fails [< 2 1]]", printed)
    assert [(one.test.name, one.failure is None) for one in got] == [("holds", True), ("fails", False)]
    assert printed == []


def test_a_test_that_wants_arguments_fails() -> None:
    failure = verdicts("[test t [x] x]")[0].failure
    assert failure is not None
    assert failure.code == "E0202"


def test_a_text_that_fails_by_itself_runs_no_test() -> None:
    with pytest.raises(LoonError):
        verdicts("[test t [] 1] [/ 1 0]")


def test_only_the_wanted_tests_are_called() -> None:
    environment = Environment()
    text = Source("t.oo", "[test a [] 1] [test b [] [/ 1 0]]")
    got = run_tests(text, environment, wanted=lambda name: name == "a")
    assert [one.test.name for one in got] == ["a"]
