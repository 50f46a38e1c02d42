"""Builtins: numbers, strings, vectors and maps beyond what the conformance cases ask."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.loon.evaluation import error_class, printed_by, shown
from vcad_kernel.loon.runtime.builtins.arithmetic import add, divide, multiply, remainder, subtract, wrap

ints = st.integers(-(1 << 63), (1 << 63) - 1)


@given(ints, ints)
def test_ints_wrap_at_64_bits(a: int, b: int) -> None:
    for result, exact in [(add(a, b), a + b), (subtract(a, b), a - b), (multiply(a, b), a * b)]:
        assert -(1 << 63) <= result < 1 << 63
        assert (result - exact) % (1 << 64) == 0


@given(ints, ints.filter(bool))
def test_division_truncates_toward_zero_and_agrees_with_the_remainder(a: int, b: int) -> None:
    quotient, rest = divide(a, b), remainder(a, b)
    assert wrap(quotient * b + rest) == a
    assert abs(rest) < abs(b)
    assert rest == 0 or (rest < 0) == (a < 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[/ -9223372036854775808 -1]", "-9223372036854775808"),
        ("#[[/ -7 2] [/ 7 -2] [% -7 3] [% 7 -3]]", "#[-3 -3 -1 1]"),
        ("#[[int 1.0e300] [int -1.0e300] [int \"+5\"] [int \" -7 \"]]",
         "#[9223372036854775807 -9223372036854775808 5 -7]"),
        ("#[[float \"1e3\"] [float \" inf \"] [float 3]]", "#[1000 inf 3]"),
        ("#[[and] [or] [and 1 2] [or 0 false \"x\"] [and 1 0 2]]", "#[true false 2 \"x\" 0]"),
        ("#[[if 0.0 1 2] [if \"\" 1 2] [if {} 1 2] [if () 1 2] [if None 1 2] [if 0 1 2] [if [] 1 2]]",
         "#[1 1 1 1 1 2 2]"),
        ("#[[split \"a.b,c\" \".,\"] [split \"\" \",\"] [split \"ab\" \"\"] [split \"[x]\" \"[]\"]]",
         "#[#[\"a\" \"b\" \"c\"] #[\"\"] #[\"ab\"] #[\"\" \"x\" \"\"]]"),
        ("#[[index-of \"déjà\" \"j\"] [len \"déjà\"] [reverse \"añb\"] [char-at \"añb\" 1]]",
         "#[2 4 \"bña\" \"ñ\"]"),
        ("[let v #[1]] [push! v 2] #[v [push! v 2 3] [push! \"a\" 1 :k]]", "#[#[1] #[1 2 3] \"a1:k\"]"),
        ("[sort-by [fn [x] [% x 2]] :desc #[1 2 3 4]]", "#[1 3 2 4]"),
        ("[sort #[2 1.5 :a 1]]", "#[2 1.5 :a 1]"),
        ("#[[take -1 #[1]] [drop -1 #[1]] [take 2 #[1 2 3]] [drop 2 #[1 2 3]]]", "#[#[] #[1] #[1 2] #[3]]"),
        ("[fold #[] conj #[1 2]]", "#[1 2]"),
        ("[fold #[1 2] #[] conj]", "#[1 2]"),
        ("[[fold 0 +] #[1 2 3]]", "6"),
        ("[pipe #[3 1 2] [sort-by [fn [x] x] :desc] [map str] [join \"-\"]]", "\"3-2-1\""),
        ("[flat-map [fn [x] [if [> x 1] #[x x] x]] #[1 2]]", "#[1 2 2]"),
        ("[group-by [fn [x] [= x 1]] #[1 2 1]]", "{true #[1 1] false #[2]}"),
        ("[map min #[#[\"b\" \"a\"] #[2.5 1.5]]]", "#[\"a\" 1.5]"),
        ("#[[get {:a ()} :a 1] [get {} :a 1] [get #[5] 3] [get {1.0 :f} 1]]", "#[() 1 () ()]"),
        ("[update {:n 1} :n [fn [x] [+ x 1]]]", "{:n 2}"),
        ("[update {} :n [fn [x] x]]", "{:n ()}"),
        ("[merge {:a 1 :b 2} {:b 3 :c 4}]", "{:a 1 :b 3 :c 4}"),
        ("#[{:a 1 :a 2} #{1 1} [len #{1 1.0}]]", "#[{:a 2} #{1} 2]"),
        ("[map HashMap.new #[1]]", "#[{}]"),
        ("[let str 5] \"{1}\"", "\"1\""),
        ("[range 3]", "#[0 1 2]"),
        ("[all? [fn [x] x] #[]]", "true"),
        ("[len 1 2]", None),
        ("[len \"ab\" 2 3]", "2"),
    ],
)  # fmt: skip
def test_builtins_do_what_the_tables_say(text: str, expected: str | None) -> None:
    if expected is None:
        assert error_class(text) == "type"
    else:
        assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[+ 1 true]", "type"), ("[< 1 1.0]", "type"), ("[< \"a\" \"b\"]", "type"), ("[% 1.0 2]", "type"),
        ("[/ 1 0]", "zero-division"), ("[% 1 0]", "zero-division"), ("[-]", "arity"), ("[- 1]", "arity"),
        ("[=]", "arity"), ("[nth #[1] 1]", "index"), ("[nth #[1] -1]", "index"), ("[get (1 2) 0]", "type"),
        ("[get \"ab\" 0]", "type"), ("[substring \"abc\" 1 4]", "index"), ("[char-at \"a\" -1]", "index"),
        ("[int \"1_000\"]", "conversion"), ("[int \"99999999999999999999\"]", "conversion"),
        ("[int :a]", "type"), ("[float \"\"]", "conversion"), ("[min #[]]", "empty"),
        ("[sum #[\"a\"]]", "type"),
        ("[chunk 0 #[1]]", "type"), ("[contains? \"a\" 1]", "type"), ("[conj {} 1]", "type"),
        ("[into-map #[#[1 2]]]", "type"), ("[fold 1 2 3]", "type"), ("[map 1 2]", "type"),
        ("[map 5]", "type"),
        ("[update {} :a 5]", "type"), ("[update #[1] 0 str]", "type"),
        ("[sort-by str 5 #[1]]", "type"), ("[recv 5]", "type"),
        ("[let [t r] [channel]] [recv r]", "empty"), ("[find 5 #[1]]", "type"), ("[len (1 2)]", "type"),
    ],
)  # fmt: skip
def test_wrong_arguments_have_their_class(text: str, kind: str) -> None:
    assert error_class(text) == kind


def test_printing_joins_display_forms_with_blanks() -> None:
    assert printed_by('[println] [print "a" 1] [println "b" #["c"]]') == '\na 1b #["c"]\n'
    assert printed_by("[inspect [+ 1 2]]") == "[inspect] [+ 1 2] = 3\n"


def test_a_failed_assertion_shows_both_values() -> None:
    from tests.loon.evaluation import error_of

    error = error_of('[assert-eq [+ 1 1] "3"]')
    assert error.message == 'assert-eq failed:\n  expected: "3"\n  actual:   2'
