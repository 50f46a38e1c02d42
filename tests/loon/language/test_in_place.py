"""Operators and loops that are compiled in place do what their calls would do.

Compiled code takes builtins for granted until a name is rebound (`pristine.py` of the builtins).
So the same text can be run both ways: as it is, and with every such name bound to itself, after
which each is called. Value, output, error, place and calls must be the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.loon.evaluation import error_of, printed_by, shown, value_of
from tests.tiers import examples
from vcad_kernel.errors import VcadError
from vcad_kernel.loon.lowering.intrinsics import callbacks
from vcad_kernel.loon.lowering.intrinsics.foresight import Special, likely_kind
from vcad_kernel.loon.lowering.kinds import Kind
from vcad_kernel.loon.printing.display import display
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.runtime.builtins.pristine import IN_PLACE
from vcad_kernel.loon.source import Source
from vcad_kernel.loon.syntax import Form


def outcome(text: str, *, in_place: bool) -> tuple[str, str]:
    """What a program prints, and its value or its error as the user sees it."""
    out: list[str] = []
    environment = Environment(stdout=out.append)
    if not in_place:
        for name in IN_PLACE:
            environment.user.define(name, environment.user.lookup(name))
    try:
        value = display(environment.run(Source("test.oo", text)))
    except VcadError as error:
        value = error.render()
    return "".join(out), value


def same_both_ways(text: str) -> str:
    """The outcome of a program, which must not depend on how it is compiled."""
    quick, called = outcome(text, in_place=True), outcome(text, in_place=False)
    assert quick == called
    return quick[1]


# Rebinding


@pytest.mark.parametrize(
    "text",
    [
        "[fn + [a b] 99] [fn f [a] [+ a 1]] [f 1]",
        "[fn f [a] [+ a 1]] [f 1] [fn + [a b] 99] [f 1]",
        "[fn f [a] [+ a 1]] [let + [fn [a b] 99]] [f 1]",
        "[fn f [+ a] [+ a 1]] [f [fn [a b] 99] 1]",
        "[fn f [a] [let + [fn [a b] 99]] [+ a 1]] [f 1]",
        "[fn f [a] [do [fn + [a b] 99] [+ a 1]]] [f 1]",
        "[fn swap [] [fn + [a b] 99]] [fn f [a] [swap] [+ a 1]] [f 1]",
        "[fn swap [] [fn + [a b] 99] 1] [fn f [a] [do [+ a [swap]] [+ a 1]]] [f 1]",
        "[fn f [n] [if [< n 1] 0 [+ n [f [- n 1]]]]] [f 3] [fn + [a b] 99] [f 3]",
        "[let f [fn [a] [+ a 1]]] [fn + [a b] 99] [f 1]",
        "[fn f [v] [map [fn [x] [+ x 1]] v]] [f #[1]] [fn + [a b] 99] [nth [f #[1]] 0]",
        "[fn f [v] [fold 0 [fn [a x] [+ a x]] v]] [f #[1]] [fn fold [i f v] 99] [f #[1]]",
        "[fn f [n] [fold 0 [fn [a x] [+ a x]] [range 0 n]]] [f 3] [fn range [a b] #[99]] [f 3]",
        "[fn f [map] [map [fn [x] x] #[1]]] [f [fn [g v] 99]]",
        "[type Wrap [+ Int]] [match [+ 99] x 99]",
        "[fn f [n] [if [= n 0] 0 [f [- n 1]]]] [let g f] [g 3] [fn f [n] 99] [g 3]",
        "[fn f [n] [if [= n 0] 0 [+ 0 [f [- n 1]]]]] [let g f] [g 3] [fn f [n] 99] [g 3]",
        "[fn f [n] [if [= n 0] 0 [+ 0 [f [- n 1]]]]] [let g f] [fn f [n] 99.0] [int [g 3]]",
        '[fn f [s n] [if [= n 0] s [f [str s "a"] [- n 1]]]] [f "" 2] [fn str [a b] 99] [f "" 1]',
        "[fn f [v] [len v]] [f #[]] [let len [fn [v] 99]] [f #[]]",
        "[pipe #[1] [map [fn [x] [+ x 98]]] [fold 0 [fn [a x] [do [fn fold [i f v] 0] [+ a x]]]]]",
    ],
)
def test_a_rebound_name_means_what_it_is_bound_to(text: str) -> None:
    assert shown(text) == "99"


def test_a_later_cell_may_rebind_an_operator_or_a_function() -> None:
    environment = Environment()
    cells = [
        "[fn f [n] [if [< n 2] n [+ [f [- n 1]] [f [- n 2]]]]] [fn total [v] [fold 0 [fn [a x] [+ a x]] v]]",
        "#[[f 10] [total #[1 2]]]",
        "[fn fold [init f v] :mine] #[[f 10] [total #[1 2]]]",
        "[fn - [a b] 0] #[[f 10] [total #[1 2]]]",
    ]
    results = [display(environment.run(Source("cell", cell), cell=True)) for cell in cells]
    assert results[1:] == ["#[55 3]", "#[55 :mine]", "#[0 :mine]"]


def test_names_bound_by_the_host_count_too() -> None:
    environment = Environment()
    value_of("[fn f [a] [+ a 1]] [fn g [v] [map [fn [x] x] v]]", environment)
    assert value_of("[f 1]", environment) == 2
    environment.user.define("+", lambda a, b: 99)
    environment.user.define("map", lambda f, v: 98)
    assert display(value_of("#[[f 1] [g #[1]]]", environment)) == "#[99 98]"
    environment.user.forget(["+", "map"])
    assert display(value_of("#[[f 1] [g #[1]]]", environment)) == "#[2 #[1]]"


def test_an_operator_is_looked_up_before_its_operands_are_evaluated() -> None:
    text = "[fn swap [] [fn + [a b] 99] 1] [fn f [a] [+ a [swap]]] #[[f 1] [f 1]]"
    assert shown(text) == "#[2 99]"


# Scopes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[let x :out] [map [fn [x] [let y x] y] #[1 2]] x", ":out"),
        ("[fn f [x] [map [fn [x] [let z x] z] #[1 2]] x] [f :mine]", ":mine"),
        ("[fn f [v] [let k 1] [map [fn [x] [let k [+ k x]] k] v]] [f #[1 2 3]]", "#[2 3 4]"),
        ("[let t :out] [fn f [v] [map [fn [x] [if [> x 1] [let t x] 0] t] v]] [f #[1 2]]", "#[:out 2]"),
        ("[fn f [k] [let add [fn [x] [+ x k]]] [let k 100] [map [fn [x] [add x]] #[1]]] [f 1]", "#[2]"),
        ("[fn f [v] [filter [fn [x] [let x [% x 2]] [= x 0]] v]] [f #[1 2 3 4]]", "#[2 4]"),
        ("[fn f [v] [find [fn [x] [let x [* x 2]] [> x 4]] v]] [f #[1 2 3]]", "[Some 3]"),
        ("[fold #[(1 2) (3 4)] 0 [fn [a [k w]] [+ a [* k w]]]]", "14"),
        ("[fold #[1 2] #[] [fn [acc x] [conj acc [fn [] x]]]]", "#[<fn anonymous> <fn anonymous>]"),
        ("[map [fn [g] [g]] [fold #[1 2] #[] [fn [acc x] [conj acc [fn [] x]]]]]", "#[1 2]"),
        ("[fold 0 [fn [a x] [fold a [fn [b y] [+ b [* x y]]] #[1 2]]] #[1 2 3]]", "18"),
        ("[fold \"\" [fn [a x] [let a x] a] #[1 2]]", "2"),
        ("[let t [fold 2 [fn [a x] [let a x] a] #[1 2.5]]] [+ t 1]", "3.5"),
        ("[map [fn [_] 1] #[5 6]]", "#[1 1]"),
        ("[map [fn [{w 1}] w] #[{:w 5} {}]]", "#[5 1]"),
        ("[flat-map [fn [x] [if [> x 1] #[x x] x]] #[1 2]]", "#[1 2 2]"),
        ("[pipe [range 0 6] [filter [fn [x] [= 0 [% x 2]]]] [map [fn [x] [* x x]]] sum]", "20"),
        ("[pipe 5 [range 0] [fold 0 [fn [a x] [- a x]]]]", "-10"),
        ("[fold #[inc-like] [fn [x] x] [fn [f g] g]]", None),
        ("[[fold #[[fn [x] [+ x 1]]] [fn [x y] x] [fn [f g] g]] 5]", "6"),
        ("[let later [fn [f g] [g f 1]]] [fold #[[fn [f x] [f x 9]]] [fn [x y] y] later]", "9"),
        ("[map [fn [g] [g]] [map [fn [x] [if [> x 1] [let t x] 0] [fn [] x]] #[1 2]]]", "#[1 2]"),
        ("[fn f [n] [if [= n 0] 0 [+ 1 [sum [map [fn [x] [f [- n 1]]] #[1]]]]]] [f 50]", "50"),
        ("[fn f [n] [if [> n 3] n [do [let n [+ n 1]] [f n]]]] [f 0]", "4"),
        ("[fn f [n] [let n [if [> n 3] :big n]] [if [= n :big] n [f [+ n 1]]]] [f 0]", ":big"),
    ],
)  # fmt: skip
def test_loops_keep_the_scopes_of_their_functions(text: str, expected: str | None) -> None:
    got = same_both_ways(text)
    assert expected is None or got == expected


def test_loops_may_lie_deep_in_each_other() -> None:
    depth = 30
    text = "[map [fn [x] " * depth + "[+ x 1]" + "] #[1]]" * depth
    assert same_both_ways(text) == "#[" * depth + "2" + "]" * depth


def test_a_wrong_guess_at_what_a_fold_carries_is_not_made_again_in_each_fold_inside_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    guesses: list[str] = []

    def counted(forms: Sequence[Form], kinds: dict[str, Kind], name: str, special: Special) -> Kind | None:
        guesses.append(name)
        return likely_kind(forms, kinds, name, special)

    monkeypatch.setattr(callbacks, "likely_kind", counted)
    wrong = "[fold 2 [fn [a x] {} [let a x] a] #[1 2.5]]"
    depth = 8
    text = ""
    for _ in range(depth):
        text = wrong.format(text)
    assert shown(f"#[{text} {wrong.format('')}]") == "#[2.5 2.5]"
    assert len(guesses) == depth + 1


def test_a_continuation_taken_inside_a_loop_resumes_in_it() -> None:
    text = """
    [fn ask [n] [Ask.it n]]
    [handle [fold 0 [fn [a x] [+ a [ask x]]] [range 0 5]] [Ask.it n] [resume [* n n]]]
    """
    assert shown(text) == "30"
    once = "[handle [map [fn [x] [Ask.it x]] #[1 2]] [Ask.it n] [do [let r [resume n]] [conj r n]]]"
    assert shown(once) == "#[1 2 2 1]"


# Numbers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[fn f [a] [+ a 1]] [f 9223372036854775807]", "-9223372036854775808"),
        ("[fn f [a] [- a 1]] [f -9223372036854775808]", "9223372036854775807"),
        ("[fn f [a b] [* a b]] [f 4294967296 4294967296]", "0"),
        ("[fn f [a] [/ a 1]] [f -9223372036854775808]", "-9223372036854775808"),
        ("[fn f [a b] [/ a b]] [f -9223372036854775808 -1]", "-9223372036854775808"),
        ("[fn f [a] #[[/ a 2] [% a 2] [/ a 7] [% a 7]]] [f -7]", "#[-3 -1 -1 0]"),
        ("[fold 9223372036854775807 [fn [a x] [+ a x]] #[1 1 -5]]", "9223372036854775804"),
        ("[fold 9223372036854775807 [fn [a x] [+ a x]] #[1 0.5]]", "-9223372036854776000"),
        ("[fold 9223372036854775800 [fn [a x] [+ a [* x x]]] [range 0 5]]", "-9223372036854775786"),
        ("[fold 1 [fn [a x] [* a 3]] [range 0 100]]", str((3**100 + 2**63) % 2**64 - 2**63)),
        ("[fold 0 [fn [a x] [if [> x 1] [- a x] a]] [range 0 4]]", "-5"),
        ("[fold 0 [fn [a x] [- x a]] [range 0 4]]", "2"),
        ("[fn f [n] [if [< n 1] 1 [* n [f [- n 1]]]]] [f 25]", "7034535277573963776"),
        ("[fn f [n] [if [= n 0.0] 1 [* n [f [- n 1]]]]] [f 3.0]", "6"),
        ("[= 1 [+ 0 1.0]]", "false"),
        ("[fn f [a] #[[= a 1] [= 1 a] [= a a]]] #[[f 1] [f 1.0] [f true]]",
         "#[#[true true true] #[false false true] #[false false true]]"),
        ("[fn f [a] #[[= a true] [= a :k] [= a \"s\"]]] #[[f true] [f 1] [f :k] [f \"s\"]]",
         "#[#[true false false] #[false false false] #[false true false] #[false false true]]"),
        ("[fn f [a b] [< a b]] #[[f 1 2] [f 1.5 2.5]]", "#[true true]"),
        ("[fn f [a] [* a 0.0]] #[[f -1.0] [f -1]]", "#[-0 -0]"),
        ("[fn f [a] [not [not a]]] #[[f true] [f false] [f 0] [f 5]]", "#[true false false true]"),
        ("[fn f [v] [all? [fn [x] [not x]] v]] #[[f #[false 0]] [f #[false 1]]]", "#[true false]"),
        ("[let inf [/ 1.0 0.0]] [fn f [a] #[[= a a] [< a 1.0] [> a 1.0] [not [< a 1.0]]]] [f [- inf inf]]",
         "#[false false false true]"),
        ("[fn f [a b] [= a b]] [f 0.0 -0.0]", "true"),
        ("[fn f [a b c] [+ a b c]] #[[f 1 2 3] [f 1 2 0.5] [f 9223372036854775807 1 -1]]",
         "#[6 3.5 9223372036854775807]"),
        ("[fn f [v i] [nth v i]] [fn g [v] [map [fn [i] [nth v i]] [range 0 3]]] [g #[7 8 9]]", "#[7 8 9]"),
        ("[fn g [t] [map [fn [i] [nth t i]] [range 0 2]]] [g (7 8)]", "#[7 8]"),
    ],
)  # fmt: skip
def test_numbers_keep_their_rules(text: str, expected: str) -> None:
    assert same_both_ways(text) == expected


# Errors


@pytest.mark.parametrize(
    "text",
    [
        '\n[fn f [a]\n  [+ a "x"]]\n[f 1]',
        "\n[fn f [a b]\n  [+ a b]]\n[f 1 true]",
        "\n[fn f [a]\n  [- [* a 2] :k]]\n[f 1]",
        "\n[fn f [a]\n  [< a 1.0]]\n[f 1]",
        "\n[fn f [a]\n  [/ a 0]]\n[f 1]",
        "\n[fn f [a]\n  [% a 2]]\n[f 1.0]",
        "\n[fn f [n]\n  [if [< n 1] [nth #[] 0] [+ 1 [f [- n 1]]]]]\n[f 3]",
        "\n[fn f [n a]\n  [if [< n 1] [+ a :x] [f [- n 1] a]]]\n[f 3 1]",
        "\n[fn f [v]\n  [map [fn [x]\n    [/ 1 x]] v]]\n[f #[1 0]]",
        "\n[fn f [v] [fold 0 [fn [a x] [+ a [fold 0 [fn [b y] [/ b y]] v]]] v]]\n[f #[0]]",
        "\n[fn g [x] [/ x 0]]\n[fn f [v]\n  [each [fn [x] [g x]] v]]\n[f #[1]]",
        "\n[pipe #[1]\n  [map [fn [x] [+ x 1]]]\n  [filter [fn [x] [nope x]]]]",
        "\n[fn f [v] [map [fn [x] x] v]]\n[f 5]",
        "\n[fn f [v] [fold 0 [fn [a x] x] v]]\n[f :no]",
        "\n[fn f [v] [any? [fn [x] x] v]]\n[f {}]",
        "\n[fn f [n] [fold 0 [fn [a x] x] [range 0 n]]]\n[f 2.5]",
        "\n[find [fn [x] [= x 3]] [range 0 2.5]]",
        "\n[fn f [n] [find [fn [x] [= x 3]] [range 0 n]]]\n[f 100000000000]",
        "\n[fn f [v] [map [fn [x y] x] v]]\n[f #[1]]",
        "\n[fn f [v]\n  [all? [fn [i] [> [nth v i] 0]] [range 0 9]]]\n[f #[1 2]]",
        "\n[map [fn [x] [/ x 0]] #[1]]",
        "\n[fn f [] [+ 1]]\n[f]",
        '\n[fn f [n] [if [= n :k] "s" [if [= n 0] [f :k] [+ 1 [f [- n 1]]]]]]\n[f 3]',
        "\n[fn s [x] :s]\n[fn f [n] [if [= n 0] [pipe n s] [+ 1 [f [- n 1]]]]]\n[f 3]",
        '\n[fn f [s n] [if [= n 0] [+ s 1] [f [str s "a"] [- n 1]]]]\n[f "" 2]',
    ],
)
def test_errors_are_worded_and_placed_as_those_of_calls(text: str) -> None:
    assert ".oo:" in same_both_ways(text)


def test_the_calls_that_led_into_loops_within_loops_are_listed() -> None:
    error = error_of("\n[fn f [v]\n [map [fn [x]\n  [map [fn [y]\n   [/ y 0]] v]] v]]\n[f #[1]]")
    assert [(entry.name, entry.place.line if entry.place else None) for entry in error.stack] == [
        ("top level", 6),
        ("f", 3),
        ("fn", 4),
        ("fn", 5),
    ]


def test_operands_are_evaluated_from_left_to_right() -> None:
    text = """
    [fn say [x] [do [println x] x]]
    [fn f [a] [and [= [say 1] a] [< [say 2] [say 3]] [say true]]]
    [fn g [a] [+ [say a] [* [say 5] [say 6]] [say 7]]]
    #[[f 0] [g 4] [fold [say 0] [fn [s x] [+ [say s] [say x]]] [range [say 1] [say 3]]]]
    """
    same_both_ways(text)
    assert " ".join(printed_by(text).split()) == "1 2 3 true 4 5 6 7 0 1 3 0 1 1 2"


# The same by chance

NUMBERS = [
    "0", "1", "-1", "2", "7", "9223372036854775807", "-9223372036854775808", "4294967296", "0.0", "-0.0",
    "2.5", "inf", "nan", "true", '"s"', ":k", "#[1 2]",
]  # fmt: skip
FIXED = "[let inf [/ 1.0 0.0]] [let nan [- inf inf]] "
operands = st.sampled_from([*NUMBERS, *["a", "b", "c"] * 4])
operators = st.sampled_from(["+", "-", "*", "/", "%", "<", ">", "<=", ">=", "=", "and", "or"])


def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("[{} {} {}]".format, operators, inner, inner),
        st.builds("[{} {} {}]".format, operators, inner, inner),
        st.builds("[+ {} {} {}]".format, inner, inner, inner),
        st.builds("[not {}]".format, inner),
        st.builds("[if {} {} {}]".format, inner, inner, inner),
        st.builds("[do [let a {}] {}]".format, inner, inner),
        st.builds("[do [println {}] {}]".format, inner, inner),
        st.builds("[fold {} [fn [b x] {}] #[1 2 {}]]".format, inner, inner, operands),
        st.builds("[fold {} [fn [a c] {}] [range 0 3]]".format, inner, inner),
        st.builds("[fold 0 [fn [t x] [+ t {}]] [range 0 4]]".format, inner),
        st.builds("[fold 0 [fn [t x] [if {} [- t x] t]] #[1 2.5 4]]".format, inner),
        st.builds("[nth [map [fn [a] {}] #[1 2]] 1]".format, inner),
        st.builds("[len [filter [fn [a] {}] [range -1 3]]]".format, inner),
        st.builds("[all? [fn [a] {}] [range 0 3]]".format, inner),
        st.builds("[match {} 0 {} x {}]".format, inner, inner, inner),
    )


expressions = st.recursive(operands, larger, max_leaves=8)
arguments = st.lists(st.sampled_from(NUMBERS), min_size=3, max_size=3).map(" ".join)


@examples(150)
@given(expressions, arguments)
def test_expressions_mean_the_same_in_place_and_called(expression: str, given_: str) -> None:
    same_both_ways(f"{FIXED}\n[fn f [a b c]\n  {expression}]\n[f {given_}]")


@examples(60)
@given(expressions, expressions, arguments)
def test_recursions_mean_the_same_in_place_and_called(one: str, other: str, given_: str) -> None:
    jumps = f"[fn f [n a b c] [if [< n 1] #[a b c] [f [- n 1] {one} a {other}]]]"
    waits = f"[fn g [n a b c] [if [= n 0] {one} [+ [g [- n 1] b c a] {other}]]]"
    same_both_ways(f"{FIXED}\n{jumps}\n[f 3 {given_}]")
    same_both_ways(f"{FIXED}\n{waits}\n[g 3 {given_}]")
