"""Effects: performing, handling, one-shot resumption, Fail and try."""

from __future__ import annotations

import pytest

from tests.loon.evaluation import error_class, error_of, printed_by, shown
from vcad_kernel.loon.runtime.effects import DEEPEST_HANDLE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[handle [+ 1 [Ask.it]] [Ask.it] [resume 41]]", "42"),
        ("[handle [+ 1 [Ask.it]] [Ask.it] 5]", "5"),
        ("[handle [+ [A.x] [A.x]] [A.x] [+ 100 [resume 1]]]", "202"),
        ("[handle [fold 0 [fn [a x] [+ a [A.get x]]] #[1 2 3]] [A.get x] [resume [* x 10]]]", "60"),
        ("[handle [map A.f #[1]] [A.f x] [resume x]]", None),
        ("[handle [handle [+ [A.x] [B.y]] [A.x] [resume [B.y]]] [B.y] [resume 7]]", "14"),
        ("[handle [handle [+ 1 [B.y]] [A.x] [resume 1]] [B.y] 9]", "9"),
        ("[handle [+ 1 [handle [+ 1 [B.y]] [A.x] [resume 1]]] [B.y] [+ 1 [resume 5]]]", "8"),
        ("[handle [A.x 1 2] [A.x a b c _] [resume #[a b c]]]", "#[1 2 ()]"),
        ("[handle [A.x] [A.x] [if true [resume 1] 0]]", "1"),
        ("[handle [do [A.x] [A.x]] [A.x] [match 1 1 [resume 4] _ 0]]", "4"),
        ("[fn f [n] [if [= n 0] 0 [do [A.x] [f [- n 1]]]]] [handle [f 20000] [A.x] [resume 1]]", "0"),
        ("[fn f [n] [if [= n 0] 0 [do [A.x] [f [- n 1]]]]] [handle [f 2000] [A.x] [+ 1 [resume 1]]]", "2000"),
        ("[handle [let z 5] [A.x] 0] z", "5"),
        ("[fn f [] [handle [do [let z 5] [A.x]] [A.x] 0] z] [let z 1] [f]", "5"),
        ("[handle [handle [A.x] [A.x] [resume [handle [+ 1 [B.y]] [B.y] [resume 1]]]] [C.z] 0]", "2"),
        ("[handle [handle [A.x] [A.x] [handle [resume 3] [B.y] 0]] [B.y] [resume 1]]", "3"),
        ("[handle [try [A.x] str] [A.x] [resume 1]]", "1"),
    ],
)
def test_the_innermost_handler_answers_and_stays_in_force(text: str, expected: str | None) -> None:
    if expected is None:
        assert error_class(text) == "unbound-symbol"
    else:
        assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[try [Fail.fail "bad"] [fn [m] [str "got " m]]]', '"got bad"'),
        ("[try [+ 1 2] [fn [m] 0]]", "3"),
        ("[try [try [Fail.fail 1] [fn [e] [Fail.fail [+ e 1]]]] [fn [e] [* e 100]]]", "200"),
        ("[try [map [fn [x] [Fail.fail x]] #[7 8]] [fn [m] m]]", "7"),
        ("[try [handle [do [A.x] [Fail.fail 2]] [A.x] [resume 1]] [fn [m] m]]", "2"),
        ("[try [handle [A.x] [A.x] [Fail.fail 3]] [fn [m] m]]", "3"),
        ("[handle [try [Fail.fail 1] [fn [m] [+ m 1]]] [Fail.fail m] 100]", "2"),
        ("[try [handle [Fail.fail 1] [Fail.fail m] [+ m 50]] [fn [m] 0]]", "51"),
        ("[handle [+ 1 [Fail.fail 1]] [Fail.fail m] [resume 10]]", "11"),
        ("[fn f [] [try [do [let z 5] [Fail.fail 1]] [fn [m] z]] ] [let z 3] [f]", "3"),
        ("[fn f [] [try [do [let z 5] [Fail.fail 1]] [fn [m] 0]] z] [let z 3] [f]", "5"),
        ("[+ [try [Fail.fail 1] [fn [m] m]] [try 2 str]]", "3"),
        ("[Ok 3]?", "3"),
        ('[try [+ 1 [Err "x"]?] [fn [m] m]]', '"x"'),
    ],
)
def test_a_failure_goes_to_the_nearest_try_or_handler(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "[handle [+ 1 [A.x]] [A.x] [+ [resume 1] [resume 2]]]",
        "[let k [handle [A.x] [A.x] resume]] [k 5]",
        "[handle [A.x] [B.x] [resume 1]]",
        "[handle [A.x] [A.x] [A.x]]",
        "[try [Other.op] [fn [m] 1]]",
        "[Fail.fail 1]",
        "[IO.read-file \"/etc/hostname\"]",
        "[Process.exit 1]",
    ],
)  # fmt: skip
def test_what_nothing_handles_is_an_error(text: str) -> None:
    assert error_class(text) == "unhandled-effect"


def test_a_program_may_print_through_the_effect() -> None:
    assert printed_by('[IO.println "a" 1]') == "a 1\n"
    assert printed_by("[handle [IO.println 1] [IO.println x] [println :caught x]]") == ":caught 1\n"


def test_the_handler_of_a_try_is_evaluated_first_and_must_be_a_function() -> None:
    text = "[try [println :body] [do [println :handler] str]]"
    assert printed_by(text) == ":handler\n:body\n"
    assert error_class("[try [println 1] 5]") == "type"


def test_handles_within_each_other_are_limited_with_a_clear_error() -> None:
    text = "[fn f [n] [if [= n 0] [A.x] [handle [f [- n 1]] [B.y] 0]]] [handle [f {n}] [A.x] [resume :end]]"
    assert shown(text.replace("{n}", str(DEEPEST_HANDLE - 2))) == ":end"
    assert error_of(text.replace("{n}", "5000")).code == "recursion-depth"


def test_abandoned_bodies_run_no_further() -> None:
    text = "[println [handle [do [println 1] [A.x] [println 2]] [A.x] :left]] [println 3]"
    assert printed_by(text) == "1\n:left\n3\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[fn f [] [handle [let b 4] [E.x] 1] b] [f]", "4"),
        ("[fn f [a] [handle [let a 2] [E.x] 1] a] [f 1]", "2"),
        ("[fn f [] [handle [if true [let b 4] 0] [E.x] 1] b] [f]", "4"),
        ("[fn f [] [handle [handle [let b 4] [E.y] 0] [E.x] 1] b] [f]", "4"),
        ("[fn f [] [handle [E.x] [E.x] [do [handle [let b 4] [E.y] 1] [resume b]]]] [f]", "4"),
        ("[let b 7] [fn f [] [handle [match 1 x [let b 4]] [E.x] 1] b] [f]", "7"),
    ],
)
def test_a_let_that_ends_the_body_of_a_handle_binds_around_it(text: str, expected: str) -> None:
    assert shown(text) == expected
