"""Names: where a let binds, what a closure captures, when a global is looked up."""

from __future__ import annotations

import pytest

from tests.loon.evaluation import error_class, printed_by, shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[fn f [] [if true [let t 8] 0] t] [f]", "8"),
        ("[do [let z 3] z] z", "3"),
        ("[let t 1] [fn f [c] [if c [let t 8] 0] t] #[[f true] [f false]]", "#[8 1]"),
        ("[let t 1] [fn f [c] [if c [let t 8] [let t 9]] t] #[[f true] [f false] t]", "#[8 9 1]"),
        ("[fn f [] [+ [let a 2] [do [let b 3] [* a b]]]] [f]", "8"),
        ("[fn f [] [pipe [let a 2] [+ a]]] [f]", "4"),
        ("[let x 1] [fn f [] [let y x] [let x 2] #[y x]] [f]", "#[1 2]"),
        ("[let x 1] [fn f [] [let x [+ x 1]] [let x [+ x 1]] x] [f]", "3"),
        ("[let x 5] [fn f [x] [let x [* x 2]] x] #[[f 4] x]", "#[8 5]"),
    ],
)
def test_a_let_binds_in_the_surrounding_function_from_its_place_on(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[let keep 1] [match 5 keep keep] keep", "1"),
        ("[let y 1] [match 5 x [let y x]] y", "1"),
        ("[fn f [x] [match x [Some x] [match x [Some x] x _ x] _ 0]] [f [Some [Some 7]]]", "7"),
        ("[fn f [x] [match x [Some y] [let x y] _ 0] x] [f [Some 1]]", "[Some 1]"),
        ("[let k 9] [handle [A.x 5] [A.x k] [resume k]]", "5"),
        ("[let k 9] [handle [A.x 5] [A.x k] [do [let k 6] [resume k]]] k", "9"),
    ],
)
def test_arms_and_clauses_are_scopes_of_their_own(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[fn f [a] [let g [fn [x] [+ x a]]] [let a 100] [g 1]] [f 10]", "11"),
        ("[fn f [a] [let g [fn [] [fn [] a]]] [let a 100] [[g]]] [f 10]", "10"),
        ("[fn f [a] [map [fn [i] [fn [] [+ a i]]] #[1 2]]] [map [fn [g] [g]] [f 10]]", "#[11 12]"),
        ("[match 4 n [let g [fn [] n]]]", "<fn anonymous>"),
        ("[let r [match 4 n [fn [] n]]] [r]", "4"),
        ("[fn f [c] [if c [let t 8]] [fn [] t]] [let t 1] #[[[f true]] [[f false]]]", "#[8 1]"),
        ("[fn f [c] [if c [let t 8]] [let g [fn [] t]] [let t 5] g] [let g [f false]] [let t 2] [g]", "2"),
        (
            "[fn f [n acc] [if [= n 0] acc [f [- n 1] [conj acc [fn [] n]]]]] [map [fn [g] [g]] [f 3 #[]]]",
            "#[3 2 1]",
        ),
        ("[fn out [a] [fn in [b] [+ a b]] [in 1]] [out 10] [in 5]", "15"),
    ],
)
def test_a_closure_keeps_the_locals_it_saw_when_it_was_made(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[let k 1] [let r [fn [] k]] [let k 2] [r]", "2"),
        ("[fn f [] [g]] [fn g [] 1] [f]", "1"),
        ("[fn f [] [g]] [fn g [] 1] [f] [fn g [] 2] [f]", "2"),
        ("[fn + [a b] 99] [+ 1 2]", "99"),
        ("[let if 5] if", "5"),
        ("[let if 5] [if true 1 2]", "1"),
        ("[fn outer [] [fn helper [x] [* x x]] [helper 6]] [outer] [helper 7]", "49"),
        ("[let go [fn [n] [if [= n 0] 0 [go [- n 1]]]]] [go 3]", "0"),
    ],
)
def test_a_global_is_looked_up_when_it_is_used(text: str, expected: str) -> None:
    assert shown(text) == expected


def test_a_function_bound_locally_cannot_call_itself() -> None:
    assert error_class("[fn f [] [let go [fn [n] [go n]]] [go 1]] [f]") == "unbound-symbol"


def test_a_name_is_unbound_before_its_let() -> None:
    assert error_class("[fn f [] [let y x] [let x 1] y] [f]") == "unbound-symbol"
    assert error_class("[fn f [] [if false [let x 1]] x] [f]") == "unbound-symbol"


@pytest.mark.parametrize(
    "name", ["class", "lambda", "is", "True", "None", "__debug__", "__name__", "super", "x.y"]
)
def test_words_of_python_are_names_like_any_other(name: str) -> None:
    assert shown(f"[let {name} 5] [+ {name} 1]") == "6"
    assert shown(f"[fn {name} [{name}] [do [let {name} [+ {name} 1]] {name}]] [{name} 1]") == "2"


def test_arguments_are_evaluated_from_left_to_right_even_when_one_needs_statements() -> None:
    text = """
    [fn say [x] [println x] x]
    [fn head [] [println "head"] +]
    [fn go [] [[head] [say 1] [do [let t [say 2]] [match t 2 [say 3] _ 0]] [say 4]]]
    [println [go]]
    [println #[[say :a] [let b [say :b]] [say :c]]]
    [println {[say :k] [if [say true] [do [let q 1] [say q]] 0]}]
    """
    assert printed_by(text).split() == [
        *("head", "1", "2", "3", "4", "8", ":a", ":b", ":c", "#[:a", ":b", ":c]"),
        *(":k", "true", "1", "{:k", "1}"),
    ]


def test_a_pipe_evaluates_its_value_before_a_steps_head_and_arguments() -> None:
    text = "[fn say [x] [println x] x] [pipe [say 1] [[do [println :head] +] [say 2]] [- [say 10]]]"
    assert printed_by(text).split() == ["1", ":head", "2", "10"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[let mut k 1] [set! k [+ k 41]] k", "42"),
        ("[fn f [] [let mut k 1] [match 5 x [set! k x]] k] [f]", "5"),
        ("[let k 1] [fn f [] [set! k 2]] [f] k", "2"),
        ("[fn f [a] [let g [fn [] [do [set! a 9] a]]] #[[g] a]] [f 1]", "#[9 1]"),
        ("[fn f [] [let k 1] [handle [do [set! k 4] [A.x]] [A.x] [resume 0]] k] [f]", "4"),
        ("[set! fresh 3] fresh", "3"),
        ("[let a 1] [+ a [set! a 5] a]", "11"),
    ],
)
def test_set_changes_the_nearest_variable_of_that_name(text: str, expected: str) -> None:
    assert shown(text) == expected


def test_set_in_a_function_needs_a_variable_that_exists() -> None:
    assert error_class("[fn f [] [set! ghost 1]] [f]") == "unbound-symbol"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[type V [P :x Int :y Int]] [fn f [p] [+ p.x p.y]] [f [P 3 4]]", "7"),
        ("[type V [P :x Int]] [let p [P 3]] [let p.x 10] p.x", "10"),
        (
            "[type V [P :x Int]] [let p [P 3]] [fn f [c] [if c [let p [P 8]]] p.x] #[[f true] [f false]]",
            "#[8 3]",
        ),
        ("[impl Show Box [fn twice [b] [* 2 b]]] [map Box.twice #[1 2]]", "#[2 4]"),
        ("[impl Show Box [fn twice [b] [* 2 b]]] [pipe 4 [Box.twice]]", "8"),
    ],
)
def test_a_dotted_name_is_a_name_or_else_a_field(text: str, expected: str) -> None:
    assert shown(text) == expected
