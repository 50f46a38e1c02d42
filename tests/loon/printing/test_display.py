"""Display forms of values, as the specification's table has them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.loon.evaluation import shown
from vcad_kernel.loon.printing.display import display, number, raw


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#[4.0 [* 2.0 2] 1.0e21 1.0e-7 -0.0 2.50]", "#[4 4 1000000000000000000000 0.0000001 -0 2.5]"),
        ('#[[/ -1.0 0.0] [/ 1 0.0] [float "nan"]]', "#[-inf inf NaN]"),
        ('{:a 1 "k" #[2] (1 2) #{:x}}', '{:a 1 "k" #[2] (1, 2) #{:x}}'),
        ("#[() (7) (1 \"a\") []]", '#[() (7) (1, "a") ()]'),
        ('"a\\"b\\n"', '"a"b\n"'),
        ("[type V [P :x Int :y Int] [Q] R] #[[P 1 2] [Q] R P]", "#[[P 1 2] Q R <builtin P>]"),
        ("[fn f [] 1] [let g [fn [] 1]] #[f g [fn [x] x] + [map f] println]",
         "#[<fn f> <fn anonymous> <fn anonymous> <builtin +> <builtin map-partial> <builtin println>]"),
        ("[fn adder [n] [fn [x] [do [let y x] [+ y n]]]] [adder 1]", "<fn anonymous>"),
        ("[fn None [] 1] None", "<fn None>"),
        ("[handle [A.x] [A.x] resume]", "<builtin resume>"),
        ('[str "a" :k None [Some "b"] #["c"] 1.0]', '"a:kNone[Some "b"]#["c"]1"'),
    ],
)  # fmt: skip
def test_values_show_as_the_table_says(text: str, expected: str) -> None:
    assert shown(text) == expected


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_shows_without_exponent_and_reads_back(value: float) -> None:
    text = number(value)
    assert float(text) == value
    assert "e" not in text
    assert not text.endswith(".0")
    assert Decimal(text) == Decimal(repr(value))


def test_only_a_string_by_itself_is_raw() -> None:
    assert (raw("a"), display("a"), raw(("a",))) == ("a", '"a"', '("a")')


def test_values_nested_thousands_deep_can_be_shown_compared_and_used_as_keys() -> None:
    text = """
    [type L [Cons h t] Nil]
    [fn build [n] [if [= n 0] Nil [Cons n [build [- n 1]]]]]
    [fn nest [n v] [if [= n 0] v [nest [- n 1] #[v]]]]
    [let a [build 10000]]
    #[[len [str a]] [= a [build 10000]] [get {a :found} [build 10000]] [= [nest 10000 1] [nest 10000 1]]]
    """
    assert shown(text) == "#[118897 true :found true]"
