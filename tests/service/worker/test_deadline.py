"""A request that takes too long is stopped wherever it is, and says where that was."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from vcad_kernel.errors import LoonRuntimeError, Place
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.runtime.limits.limits import Limits
from vcad_kernel.loon.source import Source
from vcad_kernel.service.shared.control import Request, Shutdown, encode
from vcad_kernel.service.shared.payloads import RequestPayload
from vcad_kernel.service.shared.region import Region
from vcad_kernel.service.worker.front_link import FrontLink
from vcad_kernel.service.worker.job import Answer
from vcad_kernel.service.worker.loop import Worker
from vcad_kernel.service.worker.printed_text import PrintedText
from vcad_kernel.service.worker.process_limits import Interrupts


def _spin() -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        pass


class _ServedHere:
    """A worker in this process, whose only tool is whatever is done."""

    def __init__(self, folder: Path) -> None:
        self.interrupts = Interrupts()
        self._folder = folder

    def done(self, work: Callable[[], Any], seconds: float | None = None, limit_ms: int = 5000) -> Any:
        """What the worker answers for some work: its value, or the envelope of its failure."""
        region = Region.create(self._folder / "region", 2**21)
        ours, theirs = socket.socketpair()
        read, output = os.pipe()
        printed = PrintedText(output)
        options = {"operation": "vcad.work", "deadline_seconds": seconds, "eval_timeout_ms": limit_ms}
        region.write_request(1, RequestPayload("", options).to_bytes())
        try:
            with ours, theirs:
                ours.sendall(encode(Request(1)) + encode(Shutdown()))
                worker = Worker(
                    FrontLink(theirs),
                    region,
                    lambda _: lambda _: Answer({"value": work()}),
                    printed,
                    self.interrupts,
                    pid=os.getpid(),
                    memory_mb=0,
                )
                assert worker.serve() == 0
            response = json.loads(region.read_response(1).result)
            return response if "error_code" in response else response["value"]
        finally:
            printed.close()
            os.close(output)
            os.close(read)
            region.close()
            region.path.unlink()


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[_ServedHere]:
    previous = signal.getsignal(signal.SIGINT)
    yield _ServedHere(tmp_path)
    signal.signal(signal.SIGINT, previous)


def test_work_that_is_done_in_time_gives_its_value(worker: _ServedHere) -> None:
    assert worker.done(lambda: 7, 5.0) == 7
    assert worker.done(lambda: 7) == 7


def test_a_program_is_stopped_with_its_place_and_calls(worker: _ServedHere) -> None:
    environment = Environment(limits=Limits(seconds=None))
    source = Source(
        "spin.oo", "[fn spin [n] [+ 0 [spin [+ 1 [spin2 n]]]]]\n[fn spin2 [n] [spin2 n]]\n[spin 0]"
    )
    envelope = worker.done(lambda: environment.run(source), 0.1, 300)
    details = envelope["details"]
    assert (envelope["error_code"], details["code"], details["limit"]) == (
        "VCAD_EVAL_TIMEOUT",
        "time-limit",
        300,
    )
    assert (details["file"], details["line"]) == ("spin.oo", 2)
    assert "spin" in [one["name"] for one in details["stack"]]
    assert "0.3 seconds" in envelope["message"]


def test_the_languages_own_limit_means_the_same(worker: _ServedHere) -> None:
    place = Place("a.oo", 3, 1, 3, 2, "x")

    def work() -> None:
        raise LoonRuntimeError("too long", code="time-limit", place=place)

    envelope = worker.done(work, 5.0)
    details = envelope["details"]
    assert envelope["error_code"] == "VCAD_EVAL_TIMEOUT"
    assert (details["file"], details["line"], details["column"]) == ("a.oo", 3, 1)


def test_other_failures_pass_through(worker: _ServedHere) -> None:
    def work() -> None:
        raise LoonRuntimeError("broken", code="index")

    envelope = worker.done(work, 5.0)
    assert (envelope["message"], envelope["details"]["code"]) == ("broken", "index")


def test_work_outside_the_language_is_stopped_too(worker: _ServedHere) -> None:
    envelope = worker.done(_spin, 0.1, 100)
    assert envelope["error_code"] == "VCAD_EVAL_TIMEOUT"
    assert envelope["details"].get("file") is None


def test_a_signal_interrupts_work_and_nothing_else(worker: _ServedHere) -> None:
    worker.interrupts.install()
    os.kill(os.getpid(), signal.SIGINT)
    assert worker.done(lambda: 7) == 7

    def work() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        _spin()

    assert worker.done(work)["error_code"] == "EVAL_CANCELLED"
    os.kill(os.getpid(), signal.SIGINT)

    def fail() -> None:
        raise ValueError("its own")

    envelope = worker.done(fail)
    assert envelope["error_code"] == "INTERNAL_ERROR"
