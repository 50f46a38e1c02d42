"""The time by which programs are stopped: in tests it passes with each look of the watchdog."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from vcad_kernel.loon.runtime.limits import watchdog

__all__ = ["PassingTime", "passing_time"]


class PassingTime:
    """Stands still but within `passes`, so that what ends in time does so on any machine."""

    def __init__(self) -> None:
        self._now = 0.0
        self._step = 0.0

    def __call__(self) -> float:
        self._now += self._step
        return self._now

    @contextmanager
    def passes(self) -> Iterator[None]:
        """For what takes too long: a twentieth of a second with each look."""
        self._step = 0.05
        try:
            yield
        finally:
            self._step = 0.0


@pytest.fixture
def passing_time(monkeypatch: pytest.MonkeyPatch) -> PassingTime:
    time = PassingTime()
    monkeypatch.setattr(watchdog, "monotonic", time)
    return time
