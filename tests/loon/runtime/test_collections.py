"""Vector, Map and Set against Python's list and dict, with all versions alive and branched off."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.loon.new_objects import new_objects
from vcad_kernel.loon.runtime import collections, ordered
from vcad_kernel.loon.runtime.collections import Map, Set, Vector

pick = st.integers(0, 1000)
"""Which of the versions so far a step starts from."""

branched = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(params=["as it is", "everything large"], autouse=True)
def thresholds(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test runs with the real sizes, and with sizes at which a few items are many."""
    if request.param == "everything large":
        monkeypatch.setattr(collections, "_SHORT", 1)
        monkeypatch.setattr(collections, "_DEEPEST", 3)
        monkeypatch.setattr(ordered, "_SMALL", 1)
        monkeypatch.setattr(ordered, "_LEAF", 1)


vector_steps = st.lists(
    st.one_of(
        st.tuples(pick, st.just("conj"), st.lists(st.integers(0, 9), max_size=4)),
        st.tuples(pick, st.just("cons"), st.integers(0, 9)),
        st.tuples(pick, st.just("slice"), st.tuples(st.integers(-12, 12), st.integers(-12, 12))),
        st.tuples(pick, st.just("step"), st.sampled_from([-2, -1, 2])),
    ),
    max_size=40,
)


@branched
@given(vector_steps)
def test_every_version_of_a_vector_stays_what_it_was(steps: list[tuple[int, str, Any]]) -> None:
    versions: list[tuple[Vector, list[object]]] = [(Vector(), [])]
    for which, step, given_ in steps:
        vector, model = versions[which % len(versions)]
        if step == "conj":
            versions.append((vector.conj(*given_), model + given_))
        elif step == "cons":
            versions.append((vector.cons(given_), [given_, *model]))
        else:
            part = slice(*given_) if isinstance(given_, tuple) else slice(None, None, given_)
            versions.append((vector[part], model[part]))
    for vector, model in versions:
        assert list(vector) == vector.to_list() == model
        assert len(vector) == len(model)
        assert [vector[index] for index in range(-len(model), len(model))] == model + model
        assert vector == Vector(list(model))
        assert hash(vector) == hash(Vector(list(model)))
        for outside in (len(model), -len(model) - 1):
            with pytest.raises(IndexError):
                vector[outside]


keys = st.sampled_from([0, 1, 2, 1.0, 0.0, -0.0, True, "1", (1,), Vector([1]), 64, 128, 1 << 40, 1 << 41])
map_steps = st.lists(
    st.one_of(
        st.tuples(pick, st.just("assoc"), keys, st.integers(0, 9)),
        st.tuples(pick, st.just("remove"), keys, st.none()),
        st.tuples(pick, st.just("merge"), st.none(), pick),
    ),
    max_size=40,
)


def kept(one: object) -> object:
    """What tells keys apart, independently of equality.py."""
    return type(one), repr(one + 0.0) if isinstance(one, float) else repr(one)


@branched
@given(map_steps)
def test_every_version_of_a_map_stays_what_it_was(steps: list[tuple[int, str, Any, int]]) -> None:
    versions: list[tuple[Map, dict[object, tuple[object, object]]]] = [(Map(), {})]
    for which, step, one, value in steps:
        mapping, model = versions[which % len(versions)]
        model = dict(model)
        if step == "assoc":
            model[kept(one)] = (model.get(kept(one), (one,))[0], value)
            versions.append((mapping.assoc(one, value), model))
        elif step == "remove":
            model.pop(kept(one), None)
            versions.append((mapping.remove(one), model))
        else:
            other, added = versions[value % len(versions)]
            for normal, (held, item) in added.items():
                model[normal] = (model.get(normal, (held,))[0], item)
            versions.append((mapping.merge(other), model))
    for mapping, model in versions:
        pairs = list(model.values())
        assert repr(list(mapping.items())) == repr(pairs)
        assert repr(mapping.keys()) == repr([one for one, _ in pairs])
        assert repr(list(mapping)) == repr([one for one, _ in pairs])
        assert mapping.values() == [value for _, value in pairs]
        assert len(mapping) == len(pairs)
        for held, expected in pairs:
            assert mapping.get(held) == expected
            assert held in mapping
        assert mapping.get("absent", "none") == "none"
        assert mapping == Map(pairs) == Map(reversed(pairs))
        assert hash(mapping) == hash(Map(reversed(pairs)))


set_steps = st.lists(st.tuples(pick, st.lists(keys, max_size=4)), max_size=30)


@branched
@given(set_steps)
def test_every_version_of_a_set_stays_what_it_was(steps: list[tuple[int, list[object]]]) -> None:
    versions: list[tuple[Set, dict[object, object]]] = [(Set(), {})]
    for which, added in steps:
        held, model = versions[which % len(versions)]
        model = dict(model)
        for item in added:
            model.setdefault(kept(item), item)
        versions.append((held.conj(*added), model))
    for held, model in versions:
        assert repr(list(held)) == repr(list(model.values()))
        assert len(held) == len(model)
        assert all(item in held for item in model.values())
        assert "absent" not in held
        assert held == Set(reversed(list(model.values())))


def test_a_vector_takes_over_the_list_it_is_given() -> None:
    held: list[object] = [1, 2]
    assert Vector(held).conj(3).to_list() == [1, 2, 3]
    assert len(held) == 3


def test_a_long_part_of_a_vector_shares_its_items_and_grows_by_itself() -> None:
    whole = Vector(list(range(10_000)))
    parts = [whole[one : one + 5000] for one in range(100)]
    assert all(items is whole._items for part in parts for items, _, _ in part._runs())
    grown = [part.conj(-1)[1:] for part in parts]
    for one, (part, more) in enumerate(zip(parts, grown, strict=True)):
        assert part.to_list() == list(range(one, one + 5000))
        assert more.to_list() == [*range(one + 1, one + 5000), -1]
    assert whole.to_list() == list(range(10_000))


def test_a_vector_may_grow_while_it_is_walked() -> None:
    vector = Vector([1, 2])
    grown = [vector.conj(item) for item in vector]
    assert [list(one) for one in grown] == [[1, 2, 1], [1, 2, 2]]


@pytest.mark.parametrize("thresholds", ["as it is"], indirect=True)
def test_a_branch_off_a_long_vector_or_large_map_copies_little() -> None:
    vector, mapping = Vector(list(range(10_000))), Map([(one, one) for one in range(10_000)])
    with new_objects() as held:
        branches = [(vector.conj(one), mapping.assoc(one, -one), mapping.remove(one)) for one in range(100)]
        assert all(grown[10_000] == one and changed.get(one) == -one and one not in less
                   for one, (grown, changed, less) in enumerate(branches))  # fmt: skip
        assert len(held()) < 100 * 600, "a branch shares what it does not change"


@pytest.mark.parametrize("thresholds", ["as it is"], indirect=True)
def test_branches_out_of_branches_stay_quick_to_reach() -> None:
    vector = Vector(list(range(1000)))
    for _ in range(50):
        vector.conj(-1)  # takes the end of the shared list, so that the next one must branch
        vector = vector.conj(*range(100))
    assert vector.to_list() == [*range(1000), *list(range(100)) * 50]
    assert len(vector._runs()) <= collections._DEEPEST + 1


@pytest.mark.parametrize("thresholds", ["as it is"], indirect=True)
def test_putting_items_first_copies_little() -> None:
    vector = Vector(list(range(1000)))
    for item in range(2000):
        vector = vector.cons(item)
    assert vector.to_list() == [*reversed(range(2000)), *range(1000)]
    assert len(vector._runs()) <= collections._DEEPEST + 1


def test_other_threads_may_read_while_new_versions_are_made() -> None:
    wrong: list[object] = []
    newest: list[tuple[Vector, Map, Set]] = [(Vector(), Map(), Set())]
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            vector, mapping, held = newest[-1]
            size = len(vector)
            if vector.to_list() != list(range(size)) or list(vector) != list(range(size)):
                wrong.append(vector)
            if mapping.keys() != list(range(size)) or len(mapping) != size:
                wrong.append(mapping)
            if list(held) != list(range(size)) or (size and size - 1 not in held):
                wrong.append(held)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for one in range(1500):
        vector, mapping, held = newest[-1]
        newest.append((vector.conj(one), mapping.assoc(one, one), held.conj(one)))
        vector.conj(-1)
        mapping.assoc(one, -1)
    done.set()
    for reader in readers:
        reader.join()
    assert wrong == []


def test_two_threads_may_grow_one_version_at_once() -> None:
    base = Vector(list(range(100)))
    results: dict[int, list[Vector]] = {1: [], 2: []}
    start = threading.Barrier(2)

    def grow(mark: int) -> None:
        start.wait()
        for _ in range(300):
            vector = base
            for step in range(20):
                vector = vector.conj((mark, step))
            results[mark].append(vector)

    workers = [threading.Thread(target=grow, args=(mark,)) for mark in results]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for mark, grown in results.items():
        assert len(grown) == 300
        for vector in grown:
            assert vector.to_list() == [*range(100), *[(mark, step) for step in range(20)]]
