"""One thread, in order, interruptible."""

from __future__ import annotations

import contextvars
import os
import signal
import threading
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.session.requests import Closed, RequestQueue
from vcad_kernel.errors import CapabilityUnavailable

SECONDS = 20.0


class Stoppable:
    """Work that waits until it is stopped, as a call to a service does."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self._stopped = threading.Event()
        self.stops: list[int] = []

    def stop(self, thread: int) -> None:
        self.stops.append(thread)
        self._stopped.set()

    def work(self) -> None:
        self.begun.set()
        assert self._stopped.wait(SECONDS)
        self._stopped.clear()
        raise KeyboardInterrupt


@pytest.fixture
def stoppable() -> Stoppable:
    return Stoppable()


@pytest.fixture
def queue(stoppable: Stoppable) -> Iterator[RequestQueue]:
    made = RequestQueue(stoppable.stop)
    yield made
    made.close()


def on_a_thread(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_everything_is_done_on_one_thread_that_is_not_the_callers(queue: RequestQueue) -> None:
    seen = {queue.do(threading.get_ident) for _ in range(5)}
    assert len(seen) == 1
    assert threading.get_ident() not in seen


@given(st.lists(st.integers(), max_size=30))
def test_waiting_are_done_in_the_order_in_which_they_came(numbers: list[int]) -> None:
    queue = RequestQueue(lambda _: None)
    done: list[int] = []
    futures = [queue.submit(lambda one=one: done.append(one)) for one in numbers]  # type: ignore[misc]
    for future in futures:
        future.result(SECONDS)
    queue.close()
    assert done == numbers


def test_no_two_waiting_of_many_threads_overlap(queue: RequestQueue) -> None:
    inside: list[int] = []
    overlaps: list[int] = []

    def work() -> None:
        inside.append(1)
        overlaps.append(len(inside))
        inside.pop()

    threads = [on_a_thread(lambda: [queue.do(work) for _ in range(20)]) for _ in range(6)]
    for thread in threads:
        thread.join(SECONDS)
    assert overlaps == [1] * 120


def test_what_the_work_raises_is_raised_where_it_was_wished_for(queue: RequestQueue) -> None:
    def fails() -> None:
        raise LookupError("no")

    with pytest.raises(LookupError, match="no"):
        queue.do(fails)
    assert queue.do(lambda: 1) == 1


def test_a_wish_within_a_wish_is_done_at_once(queue: RequestQueue) -> None:
    assert queue.do(lambda: queue.do(lambda: "inner")) == "inner"


def test_the_work_sees_the_context_of_who_asked(queue: RequestQueue) -> None:
    cell = contextvars.ContextVar("cell", default="none")
    cell.set("mine")
    assert queue.do(cell.get) == "mine"
    # what it sets stays its own
    queue.do(lambda: cell.set("theirs"))
    assert cell.get() == "mine"


def test_an_interrupt_stops_the_work_under_way(queue: RequestQueue, stoppable: Stoppable) -> None:
    def interrupt() -> None:
        assert stoppable.begun.wait(SECONDS)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    on_a_thread(interrupt)
    with pytest.raises(LoonCellFailed, match="interrupted; what was done until then is done"):
        queue.do(stoppable.work)
    assert set(stoppable.stops) == {queue.do(threading.get_ident)}


def test_an_interrupt_takes_back_what_has_not_begun(queue: RequestQueue, stoppable: Stoppable) -> None:
    done: list[str] = []
    first = queue.submit(stoppable.work)
    assert stoppable.begun.wait(SECONDS)

    def interrupt() -> None:
        pause = threading.Event()
        while queue._waiting.empty():
            pause.wait(0.001)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    on_a_thread(interrupt)
    with pytest.raises(LoonCellFailed, match="before its turn"):
        queue.do(lambda: done.append("second"))
    assert stoppable.stops == []
    queue.interrupt()
    with pytest.raises(KeyboardInterrupt):
        first.result(SECONDS)
    assert queue.do(lambda: done) == []


def test_work_that_ends_by_itself_after_an_interrupt_is_an_interrupt_all_the_same() -> None:
    begun, go_on = threading.Event(), threading.Event()
    queue = RequestQueue(lambda _: go_on.set())

    def work() -> str:
        begun.set()
        assert go_on.wait(SECONDS)
        return "done"

    def interrupt() -> None:
        assert begun.wait(SECONDS)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    on_a_thread(interrupt)
    with pytest.raises(LoonCellFailed, match="interrupted; what was done until then is done"):
        queue.do(work)
    queue.close()


def test_a_stop_never_reaches_the_next_wish(queue: RequestQueue, stoppable: Stoppable) -> None:
    queue.do(lambda: None)
    queue.interrupt()
    assert stoppable.stops == []


def test_waiting_work_hears_of_an_interrupt_at_its_checkpoints() -> None:
    begun = threading.Event()
    queue = RequestQueue(lambda _: None)

    def work() -> None:
        begun.set()
        pause = threading.Event()
        while not pause.wait(0.001):
            queue.checkpoint()

    future = queue.submit(work)
    assert begun.wait(SECONDS)
    queue.interrupt()
    with pytest.raises(KeyboardInterrupt):
        future.result(SECONDS)
    queue.close()


def test_a_cancelled_wish_is_not_done(queue: RequestQueue, stoppable: Stoppable) -> None:
    done: list[int] = []
    first = queue.submit(stoppable.work)
    assert stoppable.begun.wait(SECONDS)
    second = queue.submit(lambda: done.append(2))
    assert second.cancel()
    queue.interrupt()
    with pytest.raises(KeyboardInterrupt):
        first.result(SECONDS)
    queue.do(lambda: None)
    assert done == []


def test_a_closed_queue_finishes_and_takes_nothing_more() -> None:
    queue = RequestQueue(lambda _: None)
    done: list[int] = []
    queue.submit(lambda: done.append(1))
    queue.close()
    assert done == [1]
    with pytest.raises(Closed):
        queue.do(lambda: None)


def test_an_interrupt_between_two_things_that_can_be_stopped_is_not_lost() -> None:
    """A stop that finds nothing to stop at that moment is said again."""
    begun, listening, stopped = threading.Event(), threading.Event(), threading.Event()
    early = threading.Event()

    def stop(_thread: int) -> None:
        early.set()
        if listening.is_set():
            stopped.set()

    queue = RequestQueue(stop)

    def work() -> None:
        begun.set()
        assert early.wait(SECONDS)
        listening.set()  # only now does it wait for something that a stop reaches
        assert stopped.wait(SECONDS)
        raise KeyboardInterrupt

    future = queue.submit(work)
    assert begun.wait(SECONDS)
    queue.interrupt()
    with pytest.raises(KeyboardInterrupt):
        future.result(SECONDS)
    queue.close()


def test_work_that_has_heard_of_an_interrupt_ends_in_peace() -> None:
    begun, told = threading.Event(), threading.Event()
    stops: list[int] = []

    def stop(thread: int) -> None:
        stops.append(thread)
        told.set()

    queue = RequestQueue(stop)

    def work() -> int:
        begun.set()
        assert told.wait(SECONDS)
        queue.settle()
        before = len(stops)
        threading.Event().wait(0.3)
        return len(stops) - before

    future = queue.submit(work)
    assert begun.wait(SECONDS)
    queue.interrupt()
    assert future.result(SECONDS) <= 1
    queue.close()


def test_closing_ends_what_takes_too_long(stoppable: Stoppable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("notebook_ext.session.requests._PATIENCE", 0.1)
    queue = RequestQueue(stoppable.stop)
    future = queue.submit(stoppable.work)
    assert stoppable.begun.wait(SECONDS)
    queue.close()
    with pytest.raises(KeyboardInterrupt):
        future.result(0.1)


def test_a_thread_that_cannot_be_started_is_started_for_the_next_wish(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    queue = RequestQueue(lambda _: None)

    def fails(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", fails)
        with pytest.raises(CapabilityUnavailable, match="new thread"):
            queue.do(lambda: 1)
    assert queue.submit(lambda: 2).result(SECONDS) == 2
    queue.close()


def test_a_forked_child_has_a_thread_of_its_own(queue: RequestQueue) -> None:
    queue.do(lambda: None)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, b"%d" % queue.do(lambda: 7))
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 8) == b"7"
    assert queue.do(lambda: 8) == 8
    os.close(read)
    os.close(write)


def test_an_interrupt_while_a_wish_is_put_takes_it_back(
    queue: RequestQueue, stoppable: Stoppable, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    first = queue.submit(stoppable.work)
    assert stoppable.begun.wait(SECONDS)
    put = RequestQueue._put

    def interrupted(self: RequestQueue, request: object) -> None:
        put(self, request)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(RequestQueue, "_put", interrupted)
        with pytest.raises(LoonCellFailed, match="before its turn"):
            queue.do(lambda: done.append("second"))
    queue.interrupt()
    with pytest.raises(KeyboardInterrupt):
        first.result(SECONDS)
    assert queue.do(lambda: done) == []
