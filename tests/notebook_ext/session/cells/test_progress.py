"""The progress of a slow cell: shown after a while, silent for nbval, and gone at the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from notebook_ext.session.cells.progress import PATIENCE, CellProgress
from notebook_ext.viewer.inline.progress import words_for
from notebook_ext.viewer.mime import WIDGET_VIEW


class Timers:
    """Time that passes when told to."""

    def __init__(self) -> None:
        self.waiting: list[tuple[float, Callable[[], None]]] = []

    def __call__(self, seconds: float, function: Callable[[], None]) -> Timers:
        self.waiting.append((seconds, function))
        return self

    def cancel(self) -> None:
        self.waiting.clear()

    def pass_by(self) -> float:
        seconds, function = self.waiting.pop()
        function()
        return seconds


class Shell:
    """What is published to a front end."""

    def __init__(self) -> None:
        self.display_pub = self
        self.published: list[tuple[dict[str, Any], str, bool]] = []

    def publish(self, data: dict[str, Any], *, transient: dict[str, str], update: bool) -> None:
        self.published.append((data, transient["display_id"], update))


def test_a_quick_evaluation_shows_nothing() -> None:
    shell, timers = Shell(), Timers()
    with CellProgress(shell, None, timers) as report:  # type: ignore[arg-type]
        report("running", 0, 0)
        assert [seconds for seconds, _ in timers.waiting] == [PATIENCE]
    assert shell.published == []
    assert timers.waiting == []


def test_a_slow_one_shows_a_widget_and_no_text_and_takes_it_away() -> None:
    shell, timers = Shell(), Timers()
    with CellProgress(shell, None, timers) as report:  # type: ignore[arg-type]
        report("geometry", 3, 7)
        assert timers.pass_by() == PATIENCE
        (data, identity, update) = shell.published[0]
        assert (WIDGET_VIEW in data, "text/plain" in data, update) == (True, False, False)
        report("geometry", 5, 7)
        timers.pass_by()
        assert len(shell.published) == 1
    assert shell.published[1] == ({}, identity, True)
    assert timers.waiting == []


def test_a_failing_evaluation_takes_it_away_too() -> None:
    shell, timers = Shell(), Timers()

    def interrupted() -> None:
        with CellProgress(shell, None, timers):  # type: ignore[arg-type]
            timers.pass_by()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [update for _, _, update in shell.published] == [False, True]


def test_a_tick_that_comes_too_late_shows_nothing() -> None:
    shell, timers = Shell(), Timers()
    with CellProgress(shell, None, timers):  # type: ignore[arg-type]
        late = timers.waiting[0][1]
    late()
    assert shell.published == []


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (("queued", 0, 0, 2), "waiting for its turn · number 2"),
        (("geometry", 3, 7), "building solids · 3 of 7"),
        (("geometry", 3, 0), "building solids · 3"),
        (("running", 0, 0), "running the program"),
        (("figures", 0, 0), "measuring"),
    ],
)
def test_phases_are_told_in_words(said: tuple[Any, ...], words: str) -> None:
    assert words_for(*said) == words
