"""A request that takes too long is stopped wherever it is, and says where that was."""

from __future__ import annotations

import os
import signal
import time

import pytest

from vcad_kernel.errors import LoonRuntimeError, Place, ServiceFailure
from vcad_kernel.loon.compile import Environment
from vcad_kernel.loon.runtime.limits import Limits
from vcad_kernel.loon.source import Source
from vcad_kernel.service.worker.deadline import Interrupted, Interrupts, before


def _spin() -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        pass


def test_work_that_is_done_in_time_gives_its_value() -> None:
    assert before(5.0, 5000, lambda: 7) == 7
    assert before(None, 0, lambda: 7) == 7


def test_a_program_is_stopped_with_its_place_and_calls() -> None:
    environment = Environment(limits=Limits(seconds=None))
    source = Source(
        "spin.oo", "[fn spin [n] [+ 0 [spin [+ 1 [spin2 n]]]]]\n[fn spin2 [n] [spin2 n]]\n[spin 0]"
    )
    with pytest.raises(ServiceFailure) as caught:
        before(0.1, 300, lambda: environment.run(source))
    error = caught.value
    assert (error.error_code, error.code, error.details["limit"]) == ("VCAD_EVAL_TIMEOUT", "time-limit", 300)
    assert error.place is not None
    assert (error.place.file, error.place.line) == ("spin.oo", 2)
    assert "spin" in [one.name for one in error.stack]
    assert "0.3 seconds" in error.message


def test_the_languages_own_limit_means_the_same() -> None:
    place = Place("a.oo", 3, 1, 3, 2, "x")

    def work() -> None:
        raise LoonRuntimeError("too long", code="time-limit", place=place)

    with pytest.raises(ServiceFailure) as caught:
        before(5.0, 5000, work)
    assert (caught.value.error_code, caught.value.place) == ("VCAD_EVAL_TIMEOUT", place)


def test_other_failures_pass_through() -> None:
    def work() -> None:
        raise LoonRuntimeError("broken", code="index")

    with pytest.raises(LoonRuntimeError, match="broken"):
        before(5.0, 5000, work)


def test_work_outside_the_language_is_stopped_too() -> None:
    with pytest.raises(ServiceFailure) as caught:
        before(0.1, 100, _spin)
    assert caught.value.place is None


def test_a_signal_interrupts_work_and_nothing_else() -> None:
    previous = signal.getsignal(signal.SIGINT)
    interrupts = Interrupts()
    interrupts.install()
    try:
        os.kill(os.getpid(), signal.SIGINT)
        assert interrupts.during(lambda: 7) == 7

        def work() -> None:
            os.kill(os.getpid(), signal.SIGINT)
            _spin()

        with pytest.raises(Interrupted):
            interrupts.during(work)
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(ValueError, match="own"):
            interrupts.during(lambda: _fail())
    finally:
        signal.signal(signal.SIGINT, previous)


def _fail() -> None:
    raise ValueError("its own")
