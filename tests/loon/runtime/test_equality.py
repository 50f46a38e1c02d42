"""``=`` and the keys that stand for values in maps and sets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.loon.evaluation import error_class, shown
from vcad_kernel.loon.runtime.collections import Map, Set, Vector
from vcad_kernel.loon.runtime.equality import equal, key
from vcad_kernel.loon.runtime.values import UNIT, Adt, Keyword

scalars = st.one_of(
    st.integers(-2, 2),
    st.sampled_from([0.0, -0.0, 1.0, 2.0, float("nan"), float("inf")]),
    st.booleans(),
    st.sampled_from(["", "a", "k"]),
    st.sampled_from([Keyword("a"), Keyword("k"), UNIT]),
)


def nested(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    lists = st.lists(inner, max_size=3)
    return st.one_of(
        lists.map(Vector),
        lists.map(tuple),
        lists.map(Set),
        st.lists(st.tuples(inner, inner), max_size=3).map(Map),
        st.builds(lambda tag, fields: Adt(tag, tuple(fields)), st.sampled_from(["A", "B"]), lists),
    )


values = st.recursive(scalars, nested, max_leaves=6)


@given(values, values)
def test_keys_are_equal_exactly_when_values_are(one: object, other: object) -> None:
    assert (key(one) == key(other)) == equal(one, other)
    if equal(one, other):
        assert hash(key(one)) == hash(key(other))


@given(values, values)
def test_equality_is_symmetric(one: object, other: object) -> None:
    assert equal(one, other) == equal(other, one)


def test_python_equality_does_not_leak() -> None:
    assert not equal(1, 1.0)
    assert not equal(1, True)
    assert not equal((1,), Vector([1]))
    assert not equal(Vector([1]), Vector([True]))
    assert not equal(Keyword("a"), "a")
    assert len(Set([1, 1.0, True, 1])) == 3
    assert [Map([(1, "int"), (1.0, "float"), (True, "bool")]).get(one) for one in (1, 1.0, True)] == [
        "int",
        "float",
        "bool",
    ]


def test_nan_and_functions_equal_nothing_and_zero_has_no_sign() -> None:
    nan = float("nan")
    assert not equal(nan, nan)
    assert not equal(Vector([nan]), Vector([nan]))
    assert not equal(len, len)
    assert equal(0.0, -0.0)
    assert key(len) != key(len)


def test_sets_and_maps_compare_whatever_their_order() -> None:
    assert equal(Set([1, 2]), Set([2, 1]))
    assert equal(Map([(1, 2), (3, 4)]), Map([(3, 4), (1, 2)]))
    assert not equal(Map([(1, 2)]), Map([(1, 3)]))


def test_parts_that_are_shared_many_times_are_compared_once() -> None:
    one: object = Adt("Leaf")
    other: object = Adt("Leaf")
    for _ in range(200):
        one, other = Adt("Both", (one, one)), Adt("Both", (other, other))
    assert equal(one, other)


_DEEP = "[fn mk [n a] [if [= n 0] a [mk [- n 1] {item}]]] [let x [mk {count} 1]] "


@pytest.mark.parametrize(
    ("item", "rest"),
    [
        ("{:a a}", "[get {x 5} x]"),
        ("#[{:a a}]", "[contains? #{x} x]"),
        ("#{a}", "x"),
        ("{a 1}", "x"),
    ],
)
def test_sets_and_maps_too_deep_for_a_key_are_refused(item: str, rest: str) -> None:
    text = _DEEP.replace("{item}", item).replace("{count}", "50000") + rest
    assert error_class(text) == "recursion-depth"


@pytest.mark.parametrize("item", ["{:a a}", "#{a}", "{a 1}", "#[#{a}]"])
def test_sets_and_maps_may_lie_in_keys(item: str) -> None:
    text = _DEEP.replace("{item}", item).replace("{count}", "50") + "[let y [mk 50 1]] [get {x 5} y]"
    assert shown(text) == "5"


def test_deep_vectors_are_keys() -> None:
    text = _DEEP.replace("{item}", "#[a]").replace("{count}", "50000") + "[get {x 5} x]"
    assert shown(text) == "5"
