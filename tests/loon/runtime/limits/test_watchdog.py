"""The watchdog stops what takes too long, where it is, and nothing that comes after it."""

from __future__ import annotations

import gc
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from greenlet import greenlet  # type: ignore[import-untyped]

from vcad_kernel.loon.runtime.limits import watchdog
from vcad_kernel.loon.runtime.limits.watchdog import TimeUp, TookTooLong, within


def endless() -> None:
    while True:
        pass


def busy(turns: int) -> int:
    total = 0
    for turn in range(turns):
        total += turn
    return total


def test_work_that_ends_in_time_keeps_its_value_and_its_errors() -> None:
    assert within(10, lambda: 42) == 42
    assert within(None, lambda: 42) == 42
    with pytest.raises(ZeroDivisionError):
        within(10, lambda: 1 // 0)


def test_endless_work_is_stopped_and_tells_where_it_was() -> None:
    with pytest.raises(TookTooLong) as caught:
        within(0.01, endless)
    assert "endless" in [entry.name for entry in caught.traceback]


def test_what_is_in_c_meanwhile_is_stopped_when_it_comes_back() -> None:
    def counting() -> None:
        while True:
            sum(range(100_000))

    with pytest.raises(TookTooLong):
        within(0.01, counting)


def test_the_inner_of_two_limits_stops_the_inner_work_alone() -> None:
    def around() -> str:
        with pytest.raises(TookTooLong):
            within(0.01, endless)
        return "goes on"

    assert within(60, around) == "goes on"


def test_the_outer_of_two_limits_stops_both() -> None:
    reached = []

    def around() -> None:
        try:
            within(60, endless)
        except TookTooLong:
            reached.append("the inner limit")

    with pytest.raises(TookTooLong):
        within(0.01, around)
    assert reached == []


def test_work_on_another_thread_is_stopped_there() -> None:
    outcomes: list[object] = []

    def work() -> None:
        try:
            within(0.01, endless)
        except TookTooLong as stopped:
            outcomes.append(stopped)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(outcomes) == 1


def test_the_exception_goes_through_whichever_greenlet_runs() -> None:
    def nested() -> None:
        greenlet(lambda: greenlet(endless).switch()).switch()

    with pytest.raises(TookTooLong):
        within(0.01, nested)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_exception_lost_in_a_finaliser_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "_REPEAT", 0.01)
    lost = []

    class Stubborn:
        def __del__(self) -> None:
            try:
                endless()
            except TimeUp as first:
                lost.append(first)

    def work() -> None:
        Stubborn()
        endless()

    with pytest.raises(TookTooLong):
        within(0.01, work)
    assert len(lost) == 1


def test_an_interrupt_from_the_keyboard_stays_one() -> None:
    def interrupted() -> None:
        signal.raise_signal(signal.SIGINT)
        endless()

    with pytest.raises(KeyboardInterrupt):
        within(10, interrupted)


@pytest.fixture
def no_foreign_finalisers() -> Iterator[None]:
    """What other tests left behind is not finalised meanwhile: TimeUp in a finaliser is lost, and printed."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_foreign_finalisers")
def test_nothing_comes_after_the_work_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    # Limits about as long as the work, hundreds of times, in three threads, nested and not: every
    # exception must arrive within the work or not at all.
    monkeypatch.setattr(watchdog, "_TICK", 0.0001)
    monkeypatch.setattr(watchdog, "_REPEAT", 0.0001)
    escaped: list[BaseException] = []
    stopped = []

    def once(choice: random.Random, work: Callable[[], Any]) -> None:
        try:
            within(choice.random() * 0.002, work)
        except TookTooLong as error:
            stopped.append(error.__class__)

    def many(seed: int) -> None:
        choice = random.Random(seed)
        try:
            for _ in range(120):
                once(choice, lambda: busy(choice.randrange(40_000)))
                once(choice, lambda: once(choice, lambda: busy(choice.randrange(20_000))))
                busy(50)
        except BaseException as error:  # noqa: BLE001 - whatever escapes is the finding
            escaped.append(error)

    threads = [threading.Thread(target=many, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    many(3)
    for thread in threads:
        thread.join()
    assert escaped == []
    assert stopped, "some of the work was too long"


def test_the_watching_thread_ends_when_there_is_nothing_to_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "_TICK", 0.001)
    within(10, lambda: None)
    for thread in threading.enumerate():
        if thread.name == "vcad-watchdog":
            thread.join(timeout=10)
            assert not thread.is_alive()
    with pytest.raises(TookTooLong):
        within(0.001, endless)


def test_a_profiler_works_after_something_was_stopped() -> None:
    """In a process of its own: where Python is left looking for an exception, 3.11 hangs under a profiler."""
    program = (
        "import cProfile\n"
        "from vcad_kernel.loon.runtime.limits.watchdog import TookTooLong, within\n"
        "def endless():\n"
        "    while True: pass\n"
        "try:\n"
        "    within(0.05, endless)\n"
        "except TookTooLong:\n"
        "    print('stopped')\n"
        "profile = cProfile.Profile()\n"
        "profile.enable()\n"
        "(lambda: 1)()\n"
        "profile.disable()\n"
        "print('profiled')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["stopped", "profiled"]


def test_a_stop_reaches_the_work_that_is_under_way() -> None:
    worker = threading.get_ident()
    threading.Timer(0.05, lambda: watchdog.stop(worker)).start()
    with pytest.raises(TookTooLong):
        within(60, endless)


def test_a_stop_never_reaches_work_that_begins_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "_watching", False)  # nobody looks when it is said
    watchdog.stop(threading.get_ident())
    ended = time.monotonic() + 0.4

    def work() -> str:
        while time.monotonic() < ended:
            busy(100)
        return "done"

    assert within(60, work) == "done"
