"""What is remembered is bounded, and what was used lately stays."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.loon.recent import Recent


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 5)), max_size=60))
def test_no_more_is_kept_than_two_generations_hold(steps: list[tuple[int, int]]) -> None:
    memory: Recent[int, int] = Recent(10)
    for key, weight in steps:
        memory.keep(key, weight, weight)
        assert memory.get(key) == weight
    held = [memory.get(key) for key in range(21)]
    assert sum(weight for weight in held if weight is not None) <= 20


def test_what_is_used_stays_and_the_rest_goes() -> None:
    memory: Recent[int, str] = Recent(4)
    memory.keep(0, "used")
    for key in range(1, 40):
        memory.keep(key, "passing")
        assert memory.get(0) == "used"
    assert memory.get(1) is None
    memory.clear()
    assert memory.get(0) is None


def test_threads_may_share_it() -> None:
    memory: Recent[int, int] = Recent(8)

    def work(seed: int) -> bool:
        found = []
        for step in range(2000):
            key = (seed * 7 + step) % 30
            memory.keep(key, key)
            found.append(memory.get(key) in (key, None))
        return all(found)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))
