"""Functions: arities, depth, self tail calls, patterns in parameters, match on constructors."""

from __future__ import annotations

import sys

import pytest

from tests.loon.evaluation import error_class, error_of, shown


@pytest.mark.parametrize(
    "text",
    [
        "[fn f [n] [if [= n 0] 0 [+ 1 [f [- n 1]]]]] [f 10000]",
        "[fn f [n] [match n 0 0 k [+ 1 [f [- k 1]]]]] [f 10000]",
        "[fn f [n] [match n 0 0 k [when [> k 0]] [+ 1 [f [- k 1]]] _ 0]] [f 10000]",
        "[fn f [n] [if [= n 0] 0 [fold #[1] 0 [fn [a x] [+ x [f [- n 1]]]]]]] [f 10000]",
        "[fn f [n] [if [= n 0] 0 [+ 1 [sum [map [fn [x] [f [- n 1]]] #[1]]]]]] [f 10000]",
        "[fn f [n] [if [= n 0] 0 [+ 1 [max [sort-by f :asc #[[- n 1]]]]]]] [sort-by f :asc #[10]] "
        "[fn g [n] [if [= n 0] 0 [do [sort-by g :asc #[[- n 1]]] [+ 9999 1]]]] [g 10000]",
        "[fn f [n] [if [= n 0] 0 [+ 1 [g [- n 1]]]]] [fn g [n] [if [= n 0] 0 [+ 1 [f [- n 1]]]]] [f 10000]",
        "[fn f ([n] [f n 0]) ([n k] [if [= n 0] 0 [+ 1 [f [- n 1] k]]])] [f 10000]",
        "[fn f [n & more] [if [= n 0] 0 [+ 1 [f [- n 1]]]]] [f 10000]",
        "[type T [B Int [fn deep [n] [if [= n 0] 0 [+ 1 [deep [B [- n 1]]]]]]]] [deep [B 10000]]",
        "[fn f [n] [if [= n 0] [A.end] [+ 1 [f [- n 1]]]]] [handle [f 10000] [A.end] [resume 0]]",
        "[fn f [n] [if [= n 0] [Fail.fail 10000] [+ 1 [f [- n 1]]]]] [try [f 10000] [fn [m] m]]",
    ],
)
def test_calls_go_ten_thousand_deep(text: str) -> None:
    assert shown(text) == "10000"


def test_deeper_than_the_limit_is_one_clean_error_that_says_how_deep() -> None:
    before = sys.getrecursionlimit()
    error = error_of("\n[fn f [n]\n  [+ 1 [f [+ n 1]]]]\n[f 0]")
    assert error.code == "recursion-depth"
    assert error.details["depth"] > 50_000
    assert str(error.details["depth"]) in error.message
    assert error.place is not None
    assert error.place.line == 3
    assert len(error.stack) < 20
    assert "more calls" in error.render()
    assert sys.getrecursionlimit() == before


@pytest.mark.parametrize(
    "text",
    [
        "[fn f [n acc] [if [= n 0] acc [f [- n 1] [+ acc 1]]]] [f 1000000 0]",
        "[fn f ([n] [f n 0]) ([n acc] [match n 0 acc k [f [- k 1] [+ acc 1]]])] [f 200000]",
        "[fn f [n] [do [let m [- n 1]] [if [= m 0] 200000 [f m]]]] [f 200000]",
        "[fn f [n & r] [if [= n 0] 200000 [f [- n 1] 1 2]]] [f 200000]",
    ],
)
def test_a_self_tail_call_costs_no_depth(text: str) -> None:
    assert shown(text) in ("1000000", "200000")


def test_a_self_tail_call_sees_a_redefinition() -> None:
    assert shown("[fn f [n] [if [= n 0] :old [do [fn f [n] :new] [f [- n 1]]]]] [f 5]") == ":new"
    assert shown("[fn f [n] [if [= n 0] :end [f [- n 1]]]] [let g f] [fn f [n] :new] [g 5]") == ":new"


def test_each_turn_of_a_self_tail_call_begins_with_fresh_locals() -> None:
    text = """
    [let t :out]
    [fn f [n seen] [if [= n 2] [let t :in]] [if [= n 0] seen [f [- n 1] [conj seen t]]]]
    [f 3 #[]]
    """
    assert shown(text) == "#[:out :in :out]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[fn f [[x [y z]] {w w d [+ x y]}] #[x y z w d]] [f (1 #[2 3]) {:w 5}]", "#[1 2 3 5 3]"),
        ("[fn f [[a b c]] #[a b c]] [f #[1]]", "#[1 () ()]"),
        ("[fn f [{n 1}] n] [f {:n ()}]", "()"),
        ("[fn f [a a] a] [f 1 2]", "2"),
        ("[fn f [_ _ x] x] [f 1 2 3]", "3"),
        ("[fn f [a b & more] #[a b more]] [f 1 2 3 4]", "#[1 2 #[3 4]]"),
        ("[fn f ([] 0) ([a] 1) ([a & r] 2)] #[[f] [f 1] [f 1 1] [f 1 1 1]]", "#[0 1 2 2]"),
        ("[fn f [] #{IO Fail} 5] [f]", "5"),
        ("[fn f [x] #{x 2}] [f 1]", "#{1 2}"),
        ("[fn f []] [f]", "()"),
    ],
)
def test_parameters_take_values_apart(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[fn f [x] [match x Red 1 _ 2]] [type Color Red Green] #[[f Green] [f Red]]", "#[2 1]"),
        ("[fn f [x] [match x Red Red _ 2]] [f 5]", "5"),
        (
            "[fn f [x] [match x [Some None] 1 [Some _] 2 _ 3]] [map f #[[Some None] [Some 4] None]]",
            "#[1 2 3]",
        ),
        ("[let None 5] [match 7 None None]", "7"),
        ("[match None None [match 1 None 1 _ 0]]", "0"),
        ("[fn f [None] [match 7 None None]] [f 5]", "7"),
        ("[match #[1] #[1] :vector v v]", "#[1]"),
        ("[match [Some 1] [Some a] [when false] :no [Some b] [when b] :yes _ :other]", ":yes"),
        ("[fn f [x] [+ 1 [match x [Some a] [when [> a 3]] a _ 0]]] #[[f [Some 9]] [f [Some 1]]]", "#[10 1]"),
        ("[match [Some [Ok [Err 4]]] [Some [Ok [Err n]]] n]", "4"),
        ("[match 1 x]", None),
        ("[match 1.0 1 :int 1.0 :float]", ":float"),
        ("[match true 1 :int true :bool]", ":bool"),
    ],
)
def test_match_takes_the_first_arm_that_fits(text: str, expected: str | None) -> None:
    if expected is None:
        assert error_class(text) == "no-match"
    else:
        assert shown(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "[let x]", "[let 5 1]", "[let #[a] #[1]]", "[if true]", "[fn]", "[fn f]", "[fn f 5 6]",
        "[fn f ([x])]",
        "[fn f [& [a b]] a]", "[fn [x &] x]", "[pipe]", "[pipe 1 2]", "[pipe 1 []]", "[type]", "[type 5]",
        "[type T 5]", "[handle]", "[handle 1 [x] 2]", "[handle 1 [A.x]]",
        "[handle 1 A.x 2]", "[handle 1 [] 2]", "[try 1]", "[match]", "[set! x]",
        "[match 1 x [when] 2]", "[impl A]", "[derive Copy]", "[pub]", "[test]", "[inspect]",
    ],
)  # fmt: skip
def test_a_malformed_special_form_is_an_error_when_it_is_reached(text: str) -> None:
    assert error_class(text) == "bad-form"
    assert shown(f"[if false {text} :fine]") == ":fine"
    assert shown(f"[fn unused [] {text}] :fine") == ":fine"


@pytest.mark.parametrize(
    "opener", ["[do ", "[if true ", "[+ 1 ", "[fn [] ", "[match 1 x ", "#[", "[pipe ", "[f "]
)
def test_deep_nesting_below_the_limit_compiles(opener: str) -> None:
    assert shown(f"[fn f [x] x] [len #[{opener * 480}1{']' * 480}]]") == "1"


def test_blocks_that_python_cannot_nest_are_a_clear_error() -> None:
    error = error_of("\n" + "[try " * 40 + "1" + " str]" * 40)
    assert "nested too deep" in error.message
    assert error.place is not None
    assert error.place.line == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[fn f [[x] x] x] [f #[1] 2]", "2"),
        ("[fn f [x [x]] x] [f 1 #[2]]", "2"),
        ("[fn f [x [x] x] [fn [] x]] [[f 1 #[2] 3]]", "3"),
        ("[fn f [[x] & x] x] [f #[1] 2]", "#[2]"),
        ("[fn f ([a] a) ([[x] x] x)] [f #[1] 2]", "2"),
        ("[fn f [[x] x n] [if [= n 0] x [f #[9] [+ x 1] [- n 1]]]] [f #[1] 2 5]", "7"),
    ],
)
def test_of_parameters_that_bind_one_name_the_last_wins(text: str, expected: str) -> None:
    assert shown(text) == expected
