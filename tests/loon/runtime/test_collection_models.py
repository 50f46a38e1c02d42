"""The builtins on collections against Python's own, for every length from 0 to 8 and every count around it.

All of it is tried, not a sample: an error of one beyond a few items is found for certain. Each builtin is
called from compiled Loon, where it may be inlined, and as a value, where it is not.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from tests.loon.evaluation import value_of
from vcad_kernel.errors import LoonError
from vcad_kernel.loon.runtime.collections import Map, Set, Vector
from vcad_kernel.loon.runtime.faults import class_of
from vcad_kernel.loon.runtime.values import Adt

LENGTHS = range(9)
COUNTS = range(-2, 11)
REFUSED = "refused"
"""Stands for an index error; no item is equal to it."""

Arguments = Iterable[tuple[Any, ...]]


def items(length: int) -> list[int]:
    """Different, not in order, none an index of itself."""
    return [(7 * place + 3) % 11 + 20 for place in range(length)]


def vectors(length: int) -> Iterator[Vector]:
    """The same items, kept in different ways: at once, grown at either end, cut out, on a shared list."""
    held = items(length)
    yield Vector(list(held))
    yield Vector().conj(*held)
    first_last = Vector()
    for item in reversed(held):
        first_last = first_last.cons(item)
    yield first_last
    yield Vector([-1, *held, -2])[1 : length + 1]
    half = Vector(held[: length // 2])
    half.conj(-1)  # takes the end of the list, so that the next version branches off
    yield half.conj(*held[length // 2 :])


def plain(value: object) -> object:
    """As Python has it."""
    match value:
        case Vector() | list():
            return [plain(item) for item in value]
        case tuple():
            return tuple(plain(item) for item in value)
        case Map() | dict():
            return [(plain(key), plain(item)) for key, item in value.items()]
        case Set():
            return sorted(value)  # type: ignore[type-var]
        case Adt():
            return value.tag, *(plain(field) for field in value.fields)
        case _:
            return value


def outcome(function: Callable[..., object], *arguments: object) -> object:
    try:
        return plain(function(*arguments))
    except IndexError:
        return REFUSED
    except LoonError as error:
        return REFUSED if class_of(error) == "index" else error.message


def alone() -> Arguments:
    return [()]


def counts() -> Arguments:
    return [(count,) for count in COUNTS]


def sizes() -> Arguments:
    return [(count,) for count in COUNTS if count > 0]


def members() -> Arguments:
    return [(item,) for item in [*items(max(LENGTHS)), 0]]


def nth(at: int, held: list[int]) -> int:
    if at < 0:
        raise IndexError
    return held[at]


def at_or(at: int, held: list[int]) -> int:
    return held[at] if at in range(len(held)) else -5


def first_beyond(limit: int, held: list[int]) -> tuple[Any, ...]:
    return next((("Some", item) for item in held if item > limit), ("None",))


def grouped(size: int, held: list[int]) -> list[tuple[int, list[int]]]:
    groups: dict[int, list[int]] = {}
    for item in held:
        groups.setdefault(item % size, []).append(item)
    return list(groups.items())


VECTORS: dict[str, tuple[Callable[..., object], Callable[[], Arguments]]] = {
    "[fn [v] [len v]]": (len, alone),
    "[fn [v] [empty? v]]": (lambda v: not v, alone),
    "[fn [v] [reverse v]]": (lambda v: v[::-1], alone),
    "[fn [v] [sort v]]": (sorted, alone),
    "[fn [v] [sum v]]": (sum, alone),
    "[fn [v] [collect v]]": (list, alone),
    "[fn [v] [zip v [range 0 5]]]": (lambda v: list(zip(v, range(5), strict=False)), alone),
    "[fn [v] [zip [range 0 5] v]]": (lambda v: list(zip(range(5), v, strict=False)), alone),
    "[fn [v] [flatten #[v 0 v]]]": (lambda v: [*v, 0, *v], alone),
    "[fn [v] [into-map [zip v v]]]": (lambda v: list(zip(v, v, strict=True)), alone),
    "[fn [v] [map [fn [x] [+ x 1]] v]]": (lambda v: [x + 1 for x in v], alone),
    "[fn [v] [flat-map [fn [x] #[x 0]] v]]": (lambda v: [y for x in v for y in (x, 0)], alone),
    "[fn [v] [fold #[] [fn [a x] [cons x a]] v]]": (lambda v: v[::-1], alone),
    "[fn [v] [sort-by [fn [x] [- 0 x]] v]]": (lambda v: sorted(v, reverse=True), alone),
    "[fn [v] [sort-by [fn [x] x] :desc v]]": (lambda v: sorted(v, reverse=True), alone),
    "[fn [n v] [take n v]]": (lambda n, v: v[: max(n, 0)], counts),
    "[fn [n v] [drop n v]]": (lambda n, v: v[max(n, 0) :], counts),
    "[fn [n v] [pipe v [take n]]]": (lambda n, v: v[: max(n, 0)], counts),
    "[fn [n v] [pipe v [drop n]]]": (lambda n, v: v[max(n, 0) :], counts),
    "[fn [n v] [[take n] v]]": (lambda n, v: v[: max(n, 0)], counts),
    "[fn [n v] [[drop n] v]]": (lambda n, v: v[max(n, 0) :], counts),
    "[fn [n v] [drop n [take 6 v]]]": (lambda n, v: v[:6][max(n, 0) :], counts),
    "[fn [n v] [nth v n]]": (nth, counts),
    "[fn [n v] [nth v n -5]]": (at_or, counts),
    "[fn [n v] [get v n -5]]": (at_or, counts),
    "[fn [n v] [conj v n 0]]": (lambda n, v: [*v, n, 0], counts),
    "[fn [n v] [push! v n]]": (lambda n, v: [*v, n], counts),
    "[fn [n v] [cons n v]]": (lambda n, v: [n, *v], counts),
    "[fn [n v] [chunk n v]]": (
        lambda n, v: [v[at : at + n] for at in range(0, len(v), n)],
        sizes,
    ),
    "[fn [n v] [group-by [fn [x] [% x n]] v]]": (grouped, sizes),
    "[fn [n v] [contains? v n]]": (lambda n, v: n in v, members),
    "[fn [n v] [filter [fn [x] [> x n]] v]]": (lambda n, v: [x for x in v if x > n], members),
    "[fn [n v] [find [fn [x] [> x n]] v]]": (first_beyond, members),
    "[fn [n v] [any? [fn [x] [> x n]] v]]": (lambda n, v: any(x > n for x in v), members),
    "[fn [n v] [all? [fn [x] [> x n]] v]]": (lambda n, v: all(x > n for x in v), members),
}
"""What a function of a vector, given last, is in Python, and what is put before the vector."""


@pytest.mark.parametrize("text", VECTORS)
def test_a_builtin_on_vectors_is_what_a_list_does(text: str) -> None:
    model, given = VECTORS[text]
    function = value_of(text)
    for length in LENGTHS:
        for before in given():
            wanted = outcome(model, *before, items(length))
            for held in vectors(length):
                assert outcome(function, *before, held) == wanted, (length, before)
                assert list(held) == items(length), "the vector that was given has changed"


@pytest.mark.parametrize("name", ["take", "drop", "conj", "cons", "nth", "get", "chunk", "contains?"])
def test_a_builtin_that_is_passed_on_as_a_value_does_the_same(name: str) -> None:
    swapped = name in ("conj", "nth", "get", "contains?")
    given = f"[{name} v n]" if swapped else f"[{name} n v]"
    inlined, passed = value_of(f"[fn [n v] {given}]"), value_of(name)
    for length, count in itertools.product(LENGTHS, sizes() if name == "chunk" else counts()):
        (held, *_), (n,) = list(vectors(length)), count
        asked = (held, n) if swapped else (n, held)
        assert outcome(passed, *asked) == outcome(inlined, n, held), (length, n)


@pytest.mark.parametrize("name", ["min", "max"])
def test_the_extreme_is_found_at_every_place(name: str) -> None:
    function = value_of(f"[fn [v] [{name} v]]")
    best = {"min": min, "max": max}[name]
    for length in LENGTHS[1:]:
        for turn in range(length):
            held = items(length)[turn:] + items(length)[:turn]
            assert function(Vector(held)) == best(held)


def test_a_range_holds_every_int_from_the_first_up_to_the_last() -> None:
    both, one = value_of("[fn [a b] [range a b]]"), value_of("[fn [b] [range b]]")
    for first, end in itertools.product(COUNTS, repeat=2):
        assert list(both(first, end)) == list(range(first, end))
    for end in COUNTS:
        assert list(one(end)) == list(range(end))


def test_parts_of_a_text_are_those_of_a_str() -> None:
    part, at = value_of("[fn [s a b] [substring s a b]]"), value_of("[fn [s i] [char-at s i]]")
    for length in LENGTHS:
        text = "añbcdéfg"[:length]
        for first, end in itertools.product(COUNTS, repeat=2):
            inside = 0 <= first <= end <= length
            assert outcome(part, text, first, end) == (text[first:end] if inside else REFUSED)
        for place in COUNTS:
            assert outcome(at, text, place) == (text[place] if place in range(length) else REFUSED)


def test_texts_are_searched_cut_and_joined_as_a_str() -> None:
    where, cut = value_of("[fn [s p] [index-of s p]]"), value_of('[fn [s] [split s "-"]]')
    join, back = value_of('[fn [v] [join "-" v]]'), value_of("[fn [s] [reverse s]]")
    count = value_of("[fn [s] [len s]]")
    for length in LENGTHS:
        text = "añbcdéfg"[:length]
        assert back(text) == text[::-1]
        assert count(text) == length
        for first, end in itertools.combinations(range(10), 2):
            assert where(text, "añbcdéfgh"[first:end]) == text.find("añbcdéfgh"[first:end])
        pieces = list(text)
        assert join(Vector(list(pieces))) == "-".join(pieces)
        assert list(cut("-".join(pieces))) == (pieces or [""])


def mapping(length: int) -> dict[int, int]:
    return {item: place for place, item in enumerate(items(length))}


MAPS: dict[str, Callable[[int, dict[int, int]], object]] = {
    "[fn [n m] [assoc m n 99]]": lambda n, m: {**m, n: 99},
    "[fn [n m] [remove m n]]": lambda n, m: {key: value for key, value in m.items() if key != n},
    "[fn [n m] [update m n [fn [x] 99]]]": lambda n, m: {**m, n: 99},
    "[fn [n m] [get m n -5]]": lambda n, m: m.get(n, -5),
    "[fn [n m] [contains? m n]]": lambda n, m: n in m,
    "[fn [n m] [merge m {n 99}]]": lambda n, m: {**m, n: 99},
    "[fn [n m] [merge {n 99} m]]": lambda n, m: {n: 99, **m},
    "[fn [n m] [len m]]": lambda n, m: len(m),
    "[fn [n m] [keys m]]": lambda n, m: list(m),
    "[fn [n m] [values m]]": lambda n, m: list(m.values()),
    "[fn [n m] [entries m]]": lambda n, m: list(m.items()),
}


@pytest.mark.parametrize("text", MAPS)
def test_a_builtin_on_maps_is_what_a_dict_does(text: str) -> None:
    function, model = value_of(text), MAPS[text]
    for length in LENGTHS:
        for (key,) in members():
            held = Map(list(mapping(length).items()))
            assert outcome(function, key, held) == plain(model(key, mapping(length))), (length, key)
            assert list(held.items()) == list(mapping(length).items()), "the map that was given has changed"


def test_a_set_grows_by_what_it_does_not_hold() -> None:
    grow, count, has = (
        value_of(f"[fn [n s] {body}]") for body in ("[conj s n]", "[len s]", "[contains? s n]")
    )
    for length in LENGTHS:
        held = Set(items(length))
        for (item,) in members():
            assert plain(grow(item, held)) == sorted({*items(length), item})
            assert count(item, held) == length
            assert has(item, held) == (item in items(length))
