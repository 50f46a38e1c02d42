"""One window for all changes: what is told when, and that nothing is lost, told twice or told at once."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from threading import Event, Thread, current_thread, main_thread
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from notebook_ext.session.reactive.trigger_window import Collected, Trigger, TriggerWindow
from tests.notebook_ext.session.reactive.manual_time import PATIENCE, ManualTime
from tests.tiers import examples
from vcad_kernel.errors import ServiceFailure
from vcad_kernel.settings import Settings

LEG = Trigger("file", "parts/leg.cmp.oo")
WALL = Trigger("entity", "pid:17")
WIDTH = Trigger("parameter", "width")


class Told:
    """What was flushed; a flush ends when it may."""

    def __init__(self) -> None:
        self.flushes: list[frozenset[Trigger]] = []
        self.begun: SimpleQueue[None] = SimpleQueue()
        self.may_end = Event()
        self.may_end.set()
        self.failure: Exception | None = None

    def __call__(self, triggers: frozenset[Trigger]) -> None:
        self.flushes.append(triggers)
        self.begun.put(None)
        assert self.may_end.wait(PATIENCE)
        if self.failure is not None:
            raise self.failure


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def time() -> ManualTime:
    return ManualTime()


Make = Callable[..., TriggerWindow]


@pytest.fixture
def make(told: Told, time: ManualTime) -> Iterator[Make]:
    windows = []

    def made(**options: Any) -> TriggerWindow:
        options = {"settings": Settings, "clock": time.clock, "wait": time.wait, **options}
        windows.append(TriggerWindow(told, **options))
        return windows[-1]

    yield made
    told.may_end.set()
    for window in windows:
        window.stop()


def test_what_comes_together_is_told_once_when_nothing_more_has_come(
    make: Make, told: Told, time: ManualTime
) -> None:
    window = make()
    window.put(LEG)
    time.advance(0.149)
    assert told.flushes == []
    window.put(WALL, LEG)
    time.advance(0.149)
    assert (told.flushes, window.pending) == ([], 2)
    time.advance(0.001)
    assert (told.flushes, window.pending) == ([{LEG, WALL}], 0)
    assert window.coalesce_batches_total == 1
    assert window.coalesce_merged_events_total == 2
    assert window.coalesce_window_ms_effective == pytest.approx(299)


def test_a_steady_stream_is_told_at_the_latest_every_five_windows(
    make: Make, told: Told, time: ManualTime
) -> None:
    window = make()
    for _ in range(76):
        window.put(LEG)
        time.advance(0.010)
    assert len(told.flushes) == 1
    assert 750 <= window.coalesce_window_ms_effective < 770


def test_ten_thousand_events_in_a_second_are_few_flushes_and_little_memory(
    make: Make, told: Told, time: ManualTime
) -> None:
    window, sizes = make(), []
    for number in range(10_000):
        window.put(Trigger("file", f"parts/{number % 200}.oo"))
        if number % 100 == 99:
            time.advance(0.010)
            sizes.append(sys.getsizeof(window._collected.triggers))
            assert window.pending <= 200
    time.advance(0.150)
    assert len(told.flushes) <= 6
    assert max(sizes) <= sys.getsizeof(set(range(200)))
    assert window.coalesce_merged_events_total == 10_000 - len(told.flushes)


def test_what_comes_during_a_flush_waits_for_the_next_and_there_is_one_at_a_time(
    make: Make, told: Told, time: ManualTime
) -> None:
    window = make()
    told.may_end.clear()
    window.put(LEG)
    time.pass_by(0.150)
    told.begun.get(timeout=PATIENCE)
    window.put(WALL)
    assert (window.pending, len(told.flushes)) == (1, 1)
    time.now += 1.0
    told.may_end.set()
    told.begun.get(timeout=PATIENCE)
    time.settle()
    assert told.flushes == [{LEG}, {WALL}]


def test_a_flush_that_fails_is_in_the_log_and_the_next_change_is_followed(
    make: Make, told: Told, time: ManualTime, caplog: pytest.LogCaptureFixture
) -> None:
    window = make()
    told.failure = ValueError("no")
    window.put(LEG)
    with caplog.at_level(logging.ERROR):
        time.advance(0.150)
    told.failure = None
    window.put(WALL)
    time.advance(0.150)
    assert told.flushes == [{LEG}, {WALL}]
    assert "what follows a change failed" in caplog.text


def test_while_the_kernel_runs_a_cell_nothing_is_told(make: Make, told: Told, time: ManualTime) -> None:
    held = True
    window = make(is_held=lambda: held)
    window.put(LEG)
    time.advance(0.150)
    window.released()  # another request waits already
    time.settle()
    window.put(WALL)
    time.advance(10.0)
    assert (told.flushes, window.pending) == ([], 2)
    held = False
    window.released()
    told.begun.get(timeout=PATIENCE)
    assert told.flushes == [{LEG, WALL}]


def test_a_release_between_the_question_and_the_wait_is_not_missed(
    make: Make, told: Told, time: ManualTime
) -> None:
    answers = [True, False]

    def is_held() -> bool:
        answer = answers.pop(0)
        if answer:
            window.released()
        return answer

    window = make(is_held=is_held)
    window.put(LEG)
    time.advance(0.150)
    assert told.flushes == [{LEG}]


def test_a_pause_collects_and_keeps_and_what_was_collected_is_told_as_one(
    make: Make, told: Told, time: ManualTime
) -> None:
    kept: list[frozenset[Trigger]] = []
    window = make(keep=kept.append)
    window.put(LEG)
    assert window.pause()
    assert not window.pause()
    time.advance(0.150)
    window.put(WALL)
    window.put(WALL)
    time.advance(5.0)
    time.advance(5.0)
    assert told.flushes == []
    assert kept == [{LEG}, {LEG, WALL}]
    assert window.resume() == 2
    told.begun.get(timeout=PATIENCE)
    assert told.flushes == [{LEG, WALL}]
    time.settle()
    assert window.resume() == 0
    assert window.coalesce_batches_total == 1


def test_what_an_earlier_session_had_collected_is_told_with_what_came_since(
    make: Make, told: Told, time: ManualTime
) -> None:
    kept: list[frozenset[Trigger]] = []
    window = make(keep=kept.append)
    window.pause([LEG])
    window.put(WALL)
    time.advance(1.0)
    assert kept == [{LEG, WALL}]
    assert window.resume() == 2
    told.begun.get(timeout=PATIENCE)
    assert told.flushes == [{LEG, WALL}]


def test_a_pause_while_a_flush_is_held_up_keeps_it(make: Make, told: Told, time: ManualTime) -> None:
    held = True
    window = make(is_held=lambda: held)
    window.put(LEG)
    time.advance(0.150)
    window.pause()
    held = False
    window.released()
    time.settle()
    assert (told.flushes, window.pending) == ([], 1)


def test_the_end_keeps_what_a_pause_has_collected_and_tells_nothing(
    make: Make, told: Told, time: ManualTime
) -> None:
    kept: list[frozenset[Trigger]] = []
    window = make(keep=kept.append)
    window.pause()
    window.put(LEG)
    window.stop()
    window.put(WALL)
    window.stop()
    assert (kept, told.flushes) == ([{LEG}], [])


def test_the_end_keeps_what_the_windows_own_thread_was_about_to(make: Make, time: ManualTime) -> None:
    begun, may_go_on = SimpleQueue[None](), Event()
    kept: list[frozenset[Trigger]] = []

    def keep(triggers: frozenset[Trigger]) -> None:
        if not kept and not may_go_on.is_set() and begun.empty() and current_thread() is not main_thread():
            begun.put(None)
            assert may_go_on.wait(PATIENCE)  # its thread may as well have died here, with the process
        kept.append(triggers)

    window = make(keep=keep)
    window.pause()
    window.put(LEG)
    time.pass_by(0.150)
    begun.get(timeout=PATIENCE)
    window.stop()
    assert kept == [{LEG}]
    may_go_on.set()


def test_a_window_that_tells_may_be_stopped_from_within(make: Make, told: Told, time: ManualTime) -> None:
    window = make(changed=lambda: window.stop())
    window.put(LEG)
    time.pass_by(0.150)
    told.begun.get(timeout=PATIENCE)
    assert told.flushes == [{LEG}]


def test_the_length_is_asked_for_when_the_window_opens(make: Make, told: Told, time: ManualTime) -> None:
    lengths = iter([1000, 20])
    window = make(settings=lambda: Settings(trigger_coalesce_ms=next(lengths)))
    window.put(LEG)
    time.advance(0.9)
    assert told.flushes == []
    time.advance(0.1)
    window.put(WALL)
    time.advance(0.02)
    assert told.flushes == [{LEG}, {WALL}]


def test_settings_that_make_no_sense_leave_the_usual_length(make: Make, told: Told, time: ManualTime) -> None:
    def refused() -> Settings:
        raise ServiceFailure("SETTING_INVALID", "no")

    window = make(settings=refused)
    window.put(LEG)
    time.advance(0.149)
    assert told.flushes == []
    time.advance(0.001)
    assert told.flushes == [{LEG}]


def test_with_real_time_and_many_threads_nothing_is_lost_and_nothing_told_twice(told: Told) -> None:
    window = TriggerWindow(told, settings=lambda: Settings(trigger_coalesce_ms=1))
    keys = [Trigger("node", str(number)) for number in range(400)]
    threads = [
        Thread(target=lambda part=part: [window.put(one) for one in keys[part::4]]) for part in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seen: list[Trigger] = []
    while len(seen) < len(keys):
        told.begun.get(timeout=PATIENCE)
        seen = [trigger for flush in told.flushes for trigger in flush]
    window.stop()
    assert sorted(seen) == sorted(keys)


class Rules(RuleBasedStateMachine):
    """What a window holds, against the list of all that ever happened."""

    WINDOW = 0.15

    def __init__(self) -> None:
        super().__init__()
        self.window = Collected(self.WINDOW)
        self.now = 0.0
        self.untold: set[Trigger] = set()
        self.kept: set[Trigger] = set()
        self.first: float | None = None
        """When the oldest trigger came that nobody has been told of, nor keeps."""
        self.last = 0.0
        self.at_once = False

    @rule(keys=st.lists(st.sampled_from("abcd"), max_size=3))
    def put(self, keys: list[str]) -> None:
        self.window.put([Trigger("node", key) for key in keys], self.now)
        if keys:
            self.untold |= {Trigger("node", key) for key in keys}
            self.first = self.now if self.first is None else self.first
            self.last = self.now

    @rule(seconds=st.sampled_from([0.0, 0.01, 0.1, 0.15, 0.7, 1.0]))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def pause(self) -> None:
        self.window.pause()
        self.at_once = False

    @rule()
    def resume(self) -> None:
        assert self.window.resume() == len(self.untold)
        self.at_once = bool(self.untold)

    @precondition(lambda self: self.is_due)
    @rule()
    def served(self) -> None:
        """What its thread does when it is due."""
        if self.window.paused:
            self.kept = set(self.window.keep())
            assert self.kept == self.untold
        else:
            assert self.window.take() == self.untold
            assert self.untold, "an empty flush"
            self.untold, self.kept, self.at_once = set(), set(), False
        self.first = None

    @property
    def is_due(self) -> bool:
        return self.window.due is not None and self.window.due <= self.now

    @invariant()
    def it_is_due_exactly_when_it_must_be(self) -> None:
        quiet = self.first is not None and self.now >= self.last + self.WINDOW
        too_long = self.first is not None and self.now >= self.first + 5 * self.WINDOW
        assert self.is_due == (self.at_once or quiet or too_long)

    @invariant()
    def nothing_is_lost(self) -> None:
        assert self.window.triggers == self.untold
        assert self.window.is_fresh == (self.first is None)


def test_the_rules_of_a_window_hold_whatever_comes_when() -> None:
    run_state_machine_as_test(Rules, settings=examples(60, stateful_step_count=30))


def test_settling_has_all_told_at_once_also_while_a_cell_runs(make: Make, told: Told) -> None:
    window = make(is_held=lambda: True)
    window.put(LEG)
    window.put(WALL)
    window.settle()
    assert told.flushes == [{LEG, WALL}]
    window.settle()
    assert told.flushes == [{LEG, WALL}]


def test_settling_waits_for_what_is_under_way(make: Make, told: Told) -> None:
    window = make()
    told.may_end.clear()
    window.put(LEG)
    ended = Event()

    def settle() -> None:
        window.settle()
        ended.set()

    waiting = Thread(target=settle)
    waiting.start()
    told.begun.get(timeout=PATIENCE)
    assert not ended.is_set()
    told.may_end.set()
    waiting.join(PATIENCE)
    assert ended.is_set()


def test_settling_leaves_what_a_pause_has_collected(make: Make, told: Told) -> None:
    window = make()
    window.pause()
    window.put(LEG)
    window.settle()
    assert (told.flushes, window.pending) == ([], 1)
