"""Macros: templates, procedures, where they apply, and what is wrong with them."""

from __future__ import annotations

import pytest

from tests.loon.evaluation import error_class, error_of, printed_by, shown
from vcad_kernel.errors import LoonError
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.runtime.faults import class_of
from vcad_kernel.loon.runtime.limits.limits import Limits
from vcad_kernel.loon.source import Source


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[macro unless [c body] `[if ~c None ~body]] [unless false 5]", "5"),
        ("[macro my-or [a b] `[if ~a true ~b]] [my-or true [missing]]", "true"),
        ("[macro bare [a] `[+ a 1]] [bare 4]", "5"),
        ("[macro m [& xs] `#[~@xs 0]] [m 1 2]", "#[1 2 0]"),
        ("[macro m [f & xs] `[~f ~@xs]] [m + 1 2]", "3"),
        ("[macro m [& b] `[do ~@b]] [m]", "()"),
        ("[macro m [x] `#[~[+ 1 2] ~x]] [m 4]", "#[3 4]"),
        ("[macro m [x] `(~x {~x #{~x}})] [m 1]", "(1, {1 #{1}})"),
        ('[macro m [x] `"<{~x}>"] [m 5]', '"<5>"'),
        ("[macro a [x] `[b ~x]] [macro b [x] `[* ~x 10]] [a 4]", "40"),
        ("[macro inc [x] `[+ ~x 1]] [pipe 4 [inc] ]", None),
        ("[macro adder [n] `[fn [x] [+ x ~n]]] [[adder 5] 1]", "6"),
        ("[macro step [n] `[+ ~n]] [pipe 4 [step 3]]", "7"),
        ("[macro m [x] `~x] [fn f [m] m] [f 3]", "3"),
        ("[macro m [x] `~x] [fn f [[m n]] [+ m n]] [f #[1 2]]", "3"),
        ("[macro m [x] `~x] [let [m n] #[1 2]] n", "2"),
        ("[macro defk [n v] `[let ~n ~v]] [defk t 3] t", "3"),
        ("[macro if3 [c] `[if ~c 3 0]] [fn f [] [if3 true]] [f]", "3"),
        ("[macro if [a] `~a] [if 5]", "5"),
        ("1 [macro m [] `2]", "1"),
        ("[fn w [] [macro inner [x] `~x] 4] [w]", "4"),
    ],
)
def test_a_template_is_copied_with_the_arguments_put_in(text: str, expected: str | None) -> None:
    if expected is None:
        assert error_class(text) == "arity"
    else:
        assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[macro count-args [& xs] [len xs]] [count-args a b c]", "3"),
        ("[macro count-args [& xs] [len xs]] [count-args a]", "1"),
        ("[macro k [x] [get x :kind]] #[[k a] [k 1] [k \"s\"] [k true] [k :w] [k [f]] [k #[1]] [k 2.5]]",
         "#[:symbol :int :str :bool :keyword :list :vec :str]"),
        ("[macro twice [x] [do {:kind :list :items #[{:kind :symbol :name \"+\"} x x]}]] [twice 4]", "8"),
        ("[macro lit [] #{IO} \"text\"] [lit]", '"text"'),
        ("[macro local [x] [let y [get x :value]] [+ y 1]] [local 5]", "6"),
    ],
)  # fmt: skip
def test_a_procedure_works_on_syntax_values(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "[macro unless [c & b] `[if ~c None [do ~@b]]] [macroexpand [unless ok 1 2]]",
            '"[if ok None [do 1 2]]"',
        ),
        ("[macro m [& b] `[f ~b]] [macroexpand [m 1 2]]", '"[f [1 2]]"'),
        (
            '[macroexpand [f (1 2.50) {:a "x"} #{1} #[:k] "v{x}"]]',
            '"[f (1, 2.5) {:a "x"} #{1} #[:k] [str "v" x]]"',
        ),
        ("[macroexpand [f `[+ ~a ~@b]]]", '"[f `[+ ~a ~@b]]"'),
        ("[fn f [] [macroexpand [g]]] [f]", "()"),
    ],
)
def test_macroexpand_shows_the_expanded_form(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[macro two [a b] `[+ ~a ~b]] [two 1]", "arity"),
        ("`[+ 1 2]", "macro"),
        ("[fn f [] ~x] [f]", "macro"),
        ('[macro "name" [x] x]', "macro"),
        ("[macro m] 1", "macro"),
        ("[macro m [x]] 1", "macro"),
        ("[macro m [[a b]] `1]", "macro"),
        ("[macro m [a & b c] `1]", "macro"),
        ("[macro m [] #{Disk} 1]", "macro"),
        ("[macro m [x] `{~@x 1}] [m 1]", "macro"),
        ("[macro m [x] `[f ~@y]] [m 1]", "macro"),
        ("[macro m [x] [ghost x]] [m 1]", "macro"),
        ("[macro m [] 2.5] [m]", "macro"),
        ("[macro m [x] `[m ~x]] [m 1]", "macro"),
        ("[later 1] [macro later [x] `~x]", "unbound-symbol"),
    ],
)
def test_a_wrong_macro_or_call_has_its_class_and_a_place(text: str, kind: str) -> None:
    error = error_of("\n" + text)
    assert error.details["class"] == kind
    assert error.place is not None
    assert error.place.line == 2


def test_an_expansion_error_stops_the_program_before_it_prints() -> None:
    assert printed_by("[println 1]") == "1\n"
    assert error_class("[println 1] [macro m [x] `~x] [m]") == "arity"


_WHEN = "[macro when [c & b] `[if ~c [do ~@b] []]] "
_TWO = "[macro d [a b] `[+ ~a ~b]] "


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (_WHEN + "[match 5 x [when [> x 3]] :big _ :small]", ":big"),
        (_WHEN + "[match 5 x [when [when true [> x 6]]] :big _ :small]", ":small"),
        (_WHEN + "[match 5 x [when [> x 3] 7] 9 10]", "7"),
        (_TWO + "[fn f ([d] d) ([d e] [* d e])] #[[f 2] [f 2 3]]", "#[2 6]"),
        (_TWO + "[fn f ([a] [d a 1]) ([a b] [d a b])] #[[f 2] [f 2 3]]", "#[3 5]"),
        (_TWO + "[let mut [d] #[1]] d", "1"),
        (_TWO + "[let {w [d 1 2]} {}] w", "3"),
        (_TWO + "[fn f [{w [d 1 2]}] w] [f {}]", "3"),
        (_TWO + "[do [macro q [d] 1]]", "()"),
        ("[macro Box [x] `9] [type T [Box Int]] #[[match [Some 1] [Some x] x] [Box 1]]", "#[1 9]"),
        ("[macro m [x] `[* 2 ~x]] [type T [Bx Int [fn twice [w] [m w]]]] [twice [Bx 4]]", "8"),
        ("[macro variant [n] `[~n Int]] [type T [variant Bx]] [Bx 4]", "[Bx 4]"),
    ],
)
def test_patterns_and_guards_are_no_macro_calls_but_hold_code(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize("rounds", [5_000, 60_000])
def test_a_macro_that_makes_code_too_deep_is_refused(rounds: int) -> None:
    wrap = '{:kind :list :items #[{:kind :symbol :name "do"} a]}'
    text = f"[macro m [] [do [fold {{:kind :int :value 1}} [fn [a i] {wrap}] [range 0 {rounds}]]]] [m]"
    assert error_class(text) == "macro"


def test_templates_that_make_code_too_deep_together_are_refused() -> None:
    template = "[do " * 100 + "~x" + "]" * 100
    text = f"[macro m [x] `{template}] " + "[m " * 100 + "1" + "]" * 100
    assert error_class(text) == "macro"


def test_macro_calls_that_multiply_end_as_one_clear_error() -> None:
    doubling = "[macro twice [x] `[do ~x ~x]] " + "[twice " * 40 + "1" + "]" * 40
    with pytest.raises(LoonError) as caught:
        Environment(limits=Limits(macro_expansions=1000)).run(Source("test.oo", doubling))
    assert caught.value.code == "macro-expansions"
    assert class_of(caught.value) == "macro"
    assert "1,000 macro calls" in caught.value.message
    assert caught.value.place is not None


def test_a_macro_procedure_without_end_is_stopped() -> None:
    endless = "[macro spin [x] [do [let f [fn [g] [g g]]] [f f]]] [spin 1]"
    with pytest.raises(LoonError) as caught:
        Environment(limits=Limits(seconds=0.2, depth=500)).run(Source("test.oo", endless))
    assert class_of(caught.value) == "macro"
