"""Numbers of changes: none twice, and the newest wins."""

from __future__ import annotations

import threading

from hypothesis import given
from hypothesis import strategies as st

from notebook_ext.session.project.revisions import Revisions


def test_each_accepted_change_has_a_number_above_all_before() -> None:
    revisions = Revisions()
    assert [revisions.accept("lid") for _ in range(3)] == [1, 2, 3]
    assert revisions.accept("box") == 1
    assert revisions.newest("lid") == 3
    assert revisions.newest("unheard of") == 0


@given(st.lists(st.one_of(st.none(), st.integers(0, 50)), max_size=40))
def test_no_number_is_given_out_again_whatever_is_restored(steps: list[int | None]) -> None:
    revisions = Revisions()
    given_out: list[int] = []
    for saved in steps:
        if saved is None:
            given_out.append(revisions.accept("lid"))
        else:
            revisions.restore({"lid": saved})
    assert given_out == sorted(set(given_out))


def test_threads_never_get_the_same_number() -> None:
    revisions = Revisions()
    numbers: list[int] = []

    def work() -> None:
        numbers.extend(revisions.accept("lid") for _ in range(500))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers) == list(range(1, 2001))


def test_a_change_that_is_withdrawn_overtakes_nothing_and_its_number_is_not_given_again() -> None:
    revisions = Revisions()
    first = revisions.accept("lid")
    revisions.begin("lid", first)
    second = revisions.accept("lid")
    assert revisions.newest("lid") == second
    assert revisions.waiting("lid") == {second}
    revisions.withdraw("lid", second)
    assert revisions.newest("lid") == first
    assert revisions.accept("lid") == 3
