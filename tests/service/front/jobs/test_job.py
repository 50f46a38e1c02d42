"""The queue's order, its bound, and which jobs it gives up."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.service.front.jobs.job import JobQueue, QueueFull


@dataclass(eq=False)
class Job:
    name: int
    node: str | None = None
    deadline: float = 100.0


def names(jobs: list[Job]) -> list[int]:
    return [job.name for job in jobs]


def test_jobs_are_taken_in_the_order_in_which_they_came() -> None:
    queue = JobQueue(5)
    for name in range(3):
        queue.add(Job(name))
    assert [job.name for job in (queue.take(0), queue.take(0), queue.take(0)) if job] == [0, 1, 2]
    assert queue.take(0) is None


def test_a_full_queue_takes_no_job_and_stays_as_it_is() -> None:
    queue = JobQueue(2)
    queue.add(Job(0))
    queue.add(Job(1))
    with pytest.raises(QueueFull) as full:
        queue.add(Job(2))
    assert full.value.limit == 2
    assert names(list(queue)) == [0, 1]


def test_a_newer_job_of_a_node_supersedes_the_older_ones() -> None:
    queue = JobQueue(5)
    old, other, new = Job(0, "a"), Job(1, "b"), Job(2, "a")
    assert queue.add(old) == []
    assert queue.add(other) == []
    assert queue.add(new) == [old]
    assert names(list(queue)) == [1, 2]


def test_jobs_without_a_node_supersede_nothing() -> None:
    queue = JobQueue(5)
    queue.add(Job(0))
    assert queue.add(Job(1)) == []
    assert len(queue) == 2


def test_a_job_that_supersedes_finds_room_in_a_full_queue() -> None:
    queue = JobQueue(1)
    queue.add(Job(0, "a"))
    assert names(queue.add(Job(1, "a"))) == [0]
    assert names(list(queue)) == [1]


def test_a_job_that_is_too_late_is_never_taken() -> None:
    queue = JobQueue(5)
    queue.add(Job(0, deadline=1.0))
    queue.add(Job(1, deadline=3.0))
    taken = queue.take(2.0)
    assert taken is not None
    assert taken.name == 1
    assert names(queue.expired(2.0)) == [0]


def test_the_next_deadline_is_the_earliest() -> None:
    queue = JobQueue(5)
    assert queue.next_deadline() is None
    queue.add(Job(0, deadline=9.0))
    queue.add(Job(1, deadline=4.0))
    assert queue.next_deadline() == 4.0


Actions = st.lists(
    st.tuples(st.just("add"), st.sampled_from([None, "a", "b", "c"]), st.integers(1, 20))
    | st.tuples(st.just("take"), st.none(), st.just(0))
    | st.tuples(st.just("wait"), st.none(), st.integers(0, 5)),
    max_size=60,
)


@given(Actions, st.integers(1, 6))
def test_every_job_ends_in_one_way_and_the_rest_keeps_its_order(
    actions: list[tuple[str, str | None, int]], limit: int
) -> None:
    queue = JobQueue(limit)
    now, ended, came, taken = 0.0, [], [], []
    for number, (action, node, amount) in enumerate(actions):
        if action == "add":
            job = Job(number, node, now + amount)
            try:
                ended += queue.add(job)
                came.append(job)
            except QueueFull:
                assert len(queue) == limit
        elif action == "take":
            if (found := queue.take(now)) is not None:
                assert found.deadline > now
                taken.append(found)
        else:
            now += amount
            ended += queue.expired(now)
        assert len(queue) <= limit
        nodes = [job.node for job in queue if job.node is not None]
        assert len(nodes) == len(set(nodes))
    everything = names(ended + taken + list(queue))
    assert sorted(everything) == names(came)
    # what is taken was there before whatever is taken after it
    assert names(taken) == sorted(names(taken))
    assert names(list(queue)) == sorted(names(list(queue)))
