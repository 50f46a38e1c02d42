"""What one text leaves for the next: cells of a session, host values, definitions taken back."""

from __future__ import annotations

import pytest

from tests.loon.checking.pipeline import cad, checked, codes
from vcad_kernel.loon.checking.known import Known
from vcad_kernel.loon.checking.types.display import shown
from vcad_kernel.loon.reference_entries.table import ENTRIES


def _type(known: Known, name: str) -> str | None:
    scheme = known.scheme(name)
    return None if scheme is None else shown(scheme)


def test_a_later_text_knows_what_an_earlier_one_defined() -> None:
    first = checked(
        "[type Shape [Circle Float] Point] [fn area [s] [match s [Circle r] r Point 0.0]] [let k 1]"
    ).known
    assert codes("[area [Circle 2.0]] [+ k 1]", first) == []
    assert codes("[area 5]", first) == ["E0200"]
    assert codes("[fn f [s] [match s [Circle r] r]]", first) == ["E0206"]


def test_a_definition_taken_back_is_gone_and_what_it_shadowed_is_back() -> None:
    known = checked("[fn + [a b] 99] [let k 1] [type T A B]").known
    assert codes('[+ "x" k]', known) == []
    before = known.without(["+", "k", "A", "B"])
    assert codes("[+ 1 2]", before) == []
    assert _type(before, "+") == "∀a. Add a => a → a → a"
    assert codes("k", before) == ["E0201"]
    assert codes("A", before) == ["E0201"]
    assert before.adt("T") is None
    assert codes("k", known) == [], "nothing known is ever changed"


def test_a_later_definition_replaces_all_that_an_earlier_one_said() -> None:
    known = checked("[fn f [a b] #{IO} [IO.println a]] [type T A]").known
    known = checked("[fn f [x] x] [fn A [x] x]", known).known
    assert codes("[fn g [] #{} [f 1]]", known) == []
    assert codes("[match 5 A 1]", known) == [], "A is a variable in a pattern now"
    assert known.ways("f") == (("x",),)


@pytest.mark.parametrize(
    ("name", "parameter", "text"),
    [
        ("cube", "y", "a number (mm)"),
        ("fillet", "r", "a number (mm)"),
        ("solid?", "value", ""),
        ("+", "a", ""),
    ],
)
def test_what_a_library_says_of_a_parameter_is_known(name: str, parameter: str, text: str) -> None:
    entry = cad().library_entry(name)
    assert (entry.text_of(parameter) if entry is not None else "") == text


@pytest.mark.parametrize(
    ("value", "display"),
    [
        (1, "Num"),
        (2.5, "Float"),
        (True, "Bool"),
        ("a", "String"),
        (None, "()"),
        ([1, 2], "Vec Num"),
        ([1, "a"], "∀a. Vec a"),
        ([], "∀a. Vec a"),
        ((1, "a"), "(Num, String)"),
        ({"w": 1, "h": 2.5}, "{w: Num, h: Float}"),
        (object(), "∀a. a"),
    ],
)
def test_a_host_value_has_the_type_of_what_it_is(value: object, display: str) -> None:
    assert _type(Known.base().with_value("host", value), "host") == display


def test_effects_are_followed_through_earlier_texts() -> None:
    known = checked("[fn load [p] [IO.read-file p]]").known
    assert codes("[fn f [] #{} [load 1]]", known) == ["E0401"]


def test_a_signature_waits_for_its_definition_in_a_later_text() -> None:
    known = checked("[sig f : Int -> Int]").known
    assert codes("[fn f [x] [str x]]", known) == ["E0204"]
    assert codes("[fn f [x] x] [f true]", known)[0] == "E0200"


def test_traits_and_implementations_stay() -> None:
    known = checked(
        "[trait Ar [fn area [self] -> Float]] [type P [Pt Int]] [impl Add P [fn add [a b] a]]"
    ).known
    assert codes("[+ [Pt 1] [Pt 2]]", known) == []
    assert codes('[impl Ar P [fn area [self] "x"]]', known) == ["E0200"]


def test_all_types_of_the_reference_can_be_read() -> None:
    for name, entry in ENTRIES.items():
        if entry.type:
            assert cad().scheme(name) is not None, name


def test_the_types_of_the_builtins_are_displayed_as_the_specification_writes_them() -> None:
    base = Known.base()
    assert _type(base, "+") == "∀a. Add a => a → a → a"
    assert _type(base, "group-by") == "∀a b. (a → b) → Vec a → Map b Vec a"
    assert _type(base, "zip") == "∀a b. Vec a → Vec b → Vec (a, b)"
    assert _type(base, "update") == "∀a. Map Keyword a → Keyword → (a → a) → Map Keyword a"
    assert _type(base, "None") == "∀a. Option a"


def test_methods_of_one_name_may_belong_to_several_types() -> None:
    one = "[type A [X Int [fn size [n] n]]]"
    other = '[type B [Y String [fn size [s] [len [split s ","]]]] [Z Float [fn size [x] 0]]]'
    use = '[+ [size [X 1]] [size [Y "a"]]]'
    assert codes(f"{one} {other} {use}") == []
    assert codes(f"{other} {use}", checked(one).known) == []
    assert codes(f"{one} {other} [size 5]") == ["E0200"]
