"""Vector, Map and Set against Python's list, dict and set, with all versions alive."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.loon.runtime.collections import Map, Set, Vector

steps = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4), st.integers(0, 9)), max_size=25)


@given(steps)
def test_every_version_of_a_vector_stays_what_it_was(moves: list[tuple[int, int, int]]) -> None:
    versions: list[tuple[Vector, list[object]]] = [(Vector(), [])]
    for pick, count, item in moves:
        vector, model = versions[pick % len(versions)]
        added = [item + extra for extra in range(count)]
        versions.append((vector.conj(*added), model + added))
    for vector, model in versions:
        assert list(vector) == vector.to_list() == model
        assert len(vector) == len(model)
        assert [vector[index] for index in range(len(model))] == model
        assert vector == Vector(model)


@given(steps)
def test_every_version_of_a_map_stays_what_it_was(moves: list[tuple[int, int, int]]) -> None:
    versions: list[tuple[Map, dict[object, object]]] = [(Map(), {})]
    for pick, one, value in moves:
        mapping, model = versions[pick % len(versions)]
        if value == 9:
            versions.append((mapping.remove(one), {k: v for k, v in model.items() if k != one}))
        else:
            versions.append((mapping.assoc(one, value), {**model, one: value}))
    for mapping, model in versions:
        assert list(mapping.items()) == list(model.items())
        assert len(mapping) == len(model)
        for one in range(6):
            assert mapping.get(one, "none") == model.get(one, "none")
            assert (one in mapping) == (one in model)


@given(steps)
def test_every_version_of_a_set_stays_what_it_was(moves: list[tuple[int, int, int]]) -> None:
    versions: list[tuple[Set, dict[object, None]]] = [(Set(), {})]
    for pick, count, item in moves:
        held, model = versions[pick % len(versions)]
        added = [item + extra for extra in range(count)]
        versions.append((held.conj(*added), {**model, **dict.fromkeys(added)}))
    for held, model in versions:
        assert list(held) == list(model)
        assert len(held) == len(model)
        assert all(item in held for item in model)
        assert 99 not in held


def test_a_vector_may_grow_while_it_is_walked() -> None:
    vector = Vector([1, 2])
    grown = [vector.conj(item) for item in vector]
    assert [list(one) for one in grown] == [[1, 2, 1], [1, 2, 2]]


def test_adding_to_the_newest_version_copies_nothing() -> None:
    # the storage is private; that it is shared is what keeps building item by item linear
    vector, mapping = Vector([1]), Map([(1, 1)])
    assert vector.conj(2)._items is vector._items
    assert mapping.assoc(2, 2)._index is mapping._index
    assert vector.conj(3)._items is not vector._items, "the older version branches off"
    assert list(vector.conj(3)) == [1, 3]
