"""What persistent collections cost, as ratios to Python's own mutable list and dict in the same run.

    make bench

As in test_speed.py nothing passes or fails by the clock; that the work was done is asserted.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.runtime.collections import Map, Vector
from vcad_kernel.loon.source import Source

Record = Callable[[str, float, float, str], None]

MANY = 100_000
BRANCHES = 1000

HISTOGRAM = """
[fold [range 0 100000] {} [fn [m x] [update m [% x KINDS] [fn [n] [if [= n []] 1 [+ n 1]]]]]]
"""


def best_of(times: int, work: Callable[[], Any]) -> float:
    """Seconds of the quickest of several runs: the one that the rest of the machine disturbed least."""
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        spent.append(time.perf_counter() - start)
    return min(spent)


@pytest.mark.benchmark(group="collections")
@pytest.mark.parametrize("kinds", [20, 1000])
def test_histogram_of_many_items(benchmark: Any, record: Record, kinds: int) -> None:
    source = Source("histogram", HISTOGRAM.replace("KINDS", str(kinds)))
    environment = Environment()

    def by_hand() -> dict[int, int]:
        counts: dict[int, int] = {}
        for one in range(MANY):
            kind = one % kinds
            counts[kind] = counts.get(kind, 0) + 1
        return counts

    def ours() -> Any:
        return environment.run(source, cell=True)

    assert dict(ours().items()) == by_hand()
    benchmark.pedantic(ours, rounds=3)
    record(f"histogram of 1e5 into {kinds} kinds", best_of(3, ours), best_of(3, by_hand), "a dict changed")


@pytest.mark.benchmark(group="collections")
def test_building_a_map_key_by_key(benchmark: Any, record: Record) -> None:
    def ours() -> Map:
        mapping = Map()
        for one in range(MANY):
            mapping = mapping.assoc(one, one)
        return mapping

    def by_hand() -> dict[int, int]:
        held: dict[int, int] = {}
        for one in range(MANY):
            held[one] = one
        return held

    assert ours().keys() == list(by_hand())
    benchmark.pedantic(ours, rounds=3)
    record("map of 1e5 built by assoc", best_of(3, ours), best_of(3, by_hand), "a dict changed")


@pytest.mark.benchmark(group="collections")
def test_building_a_vector_item_by_item(benchmark: Any, record: Record) -> None:
    def ours() -> Vector:
        vector = Vector()
        for one in range(MANY):
            vector = vector.conj(one)
        return vector

    def by_hand() -> list[int]:
        held: list[int] = []
        for one in range(MANY):
            held.append(one)
        return held

    assert ours().to_list() == by_hand()
    benchmark.pedantic(ours, rounds=3)
    record("vector of 1e5 built by conj", best_of(3, ours), best_of(3, by_hand), "a list changed")


@pytest.mark.benchmark(group="collections")
def test_branching_off_a_long_vector_and_a_large_map(benchmark: Any, record: Record) -> None:
    vector, mapping = Vector(list(range(MANY))), Map([(one, one) for one in range(MANY)])
    vector.conj(0)
    mapping.assoc(0, 0)
    plain_list, plain_dict = vector.to_list(), dict(mapping.items())

    def ours() -> list[tuple[Vector, Map]]:
        return [(vector.conj(one), mapping.assoc(one, -one)) for one in range(BRANCHES)]

    def one_copy() -> object:
        return [*plain_list, 1], {**plain_dict, 1: -1}

    assert all(grown[MANY] == one and changed.get(one) == -one for one, (grown, changed) in enumerate(ours()))
    benchmark.pedantic(ours, rounds=3)
    copies = best_of(5, one_copy) * BRANCHES
    record("1000 branches off 1e5 items and entries", best_of(3, ours), copies, "copying list and dict")


@pytest.mark.benchmark(group="collections")
@pytest.mark.parametrize("what", ["vector", "branch", "map"])
def test_walking_through(benchmark: Any, record: Record, what: str) -> None:
    held = list(range(MANY))
    vector = Vector(list(held))
    vector.conj(0)
    mapping = Map([(one, one) for one in held])
    walked: dict[str, Callable[[], int]] = {
        "vector": lambda: sum([one for one in vector]),  # type: ignore[misc]  # noqa: C416
        "branch": lambda: sum([one for one in vector.conj(0)]),  # type: ignore[misc]  # noqa: C416
        "map": lambda: sum([value for _, value in mapping.items()]),  # type: ignore[misc]
    }
    peers: dict[str, Callable[[], int]] = {
        "vector": lambda: sum([one for one in held]),  # noqa: C416
        "branch": lambda: sum([one for one in held]),  # noqa: C416
        "map": lambda: sum([value for _, value in dict_of_held.items()]),
    }
    dict_of_held = dict(zip(held, held, strict=True))
    assert walked[what]() == peers[what]() == sum(held)
    benchmark(walked[what])
    record(f"walking through 1e5: {what}", best_of(9, walked[what]), best_of(9, peers[what]), "list or dict")


@pytest.mark.benchmark(group="collections")
def test_taking_the_first_item_off_until_none_is_left(benchmark: Any, record: Record) -> None:
    source = Source("walk", "[fn walk [v n] [if [empty? v] n [walk [drop 1 v] [+ n [nth v 0]]]]]")
    environment = Environment()
    environment.run(source, cell=True)
    again = Source("call", "[walk [range 0 20000] 0]")

    def ours() -> Any:
        return environment.run(again, cell=True)

    def by_hand() -> int:
        rest, total = list(range(20_000)), 0
        while rest:
            total += rest[0]
            rest = rest[1:]
        return total

    assert ours() == by_hand()
    benchmark.pedantic(ours, rounds=3)
    record("drop 1 down 2e4 items", best_of(3, ours), best_of(1, by_hand), "slicing a list")
