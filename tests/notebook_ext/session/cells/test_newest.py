"""The queue of one, with a scheduler that runs things when the test says so."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_ext.session.cells.parameters import Newest


class Scheduler:
    """Keeps what is to be run until `run` is called."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], None]] = []

    def __call__(self, work: Callable[[], None]) -> None:
        self.waiting.append(work)

    def run(self) -> None:
        while self.waiting:
            self.waiting.pop(0)()


def test_values_that_are_overtaken_while_they_wait_are_dropped() -> None:
    done: list[int] = []
    scheduler = Scheduler()
    newest = Newest(done.append, scheduler)
    for value in range(100):
        newest.put(value)
    assert len(scheduler.waiting) == 1
    scheduler.run()
    assert done == [99]


def test_each_value_that_is_dropped_is_told_of() -> None:
    dropped: list[None] = []
    scheduler = Scheduler()
    newest = Newest(lambda _value: None, scheduler, lambda: dropped.append(None))
    newest.put(1)
    scheduler.run()
    assert len(dropped) == 0
    for value in range(5):
        newest.put(value)
    scheduler.run()
    assert len(dropped) == 4


def test_what_comes_during_the_work_is_done_after_it_and_only_the_last_of_it() -> None:
    done: list[int] = []
    scheduler = Scheduler()

    def work(value: int) -> None:
        done.append(value)
        if value == 1:
            for later in (2, 3, 4):
                newest.put(later)
            assert not scheduler.waiting

    newest: Newest[int] = Newest(work, scheduler)
    newest.put(1)
    scheduler.run()
    assert done == [1, 4]


def test_after_a_pause_it_works_again() -> None:
    done: list[int] = []
    scheduler = Scheduler()
    newest = Newest(done.append, scheduler)
    for value in (1, 2):
        newest.put(value)
        scheduler.run()
    assert done == [1, 2]


def test_work_that_fails_does_not_stop_what_comes_later() -> None:
    done: list[int] = []
    scheduler = Scheduler()

    def work(value: int) -> None:
        if value == 1:
            raise ValueError("no")
        done.append(value)

    newest: Newest[int] = Newest(work, scheduler)
    newest.put(1)
    with pytest.raises(ValueError, match="no"):
        scheduler.run()
    newest.put(2)
    scheduler.run()
    assert done == [2]


@given(st.lists(st.one_of(st.integers(), st.none()), max_size=30))
def test_the_last_value_is_always_worked_on_and_none_out_of_order(steps: list[int | None]) -> None:
    """A number is put, None lets the scheduler run."""
    done: list[tuple[int, int]] = []
    scheduler = Scheduler()
    newest: Newest[tuple[int, int]] = Newest(done.append, scheduler)
    put = [(at, value) for at, value in enumerate(steps) if value is not None]
    for at, value in enumerate(steps):
        if value is None:
            scheduler.run()
        else:
            newest.put((at, value))
            assert len(scheduler.waiting) == 1
    scheduler.run()
    assert done == sorted(done)
    assert done[-1:] == put[-1:]
