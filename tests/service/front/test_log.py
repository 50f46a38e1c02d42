"""The log's lines, and that nobody waits for its reader."""

from __future__ import annotations

import io
import json
import logging
import os
import threading
from datetime import UTC, datetime
from typing import Any

from vcad_kernel.service.front.log import Log, LogBridge

NOON = datetime(2026, 1, 2, 12, 0, 0, 5000, tzinfo=UTC)


def lines(stream: io.BytesIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_an_event_is_one_json_object_a_line_with_the_main_fields() -> None:
    stream = io.BytesIO()
    log = Log(stream, clock=lambda: NOON)
    log.event("eval_started", request_id="r", node_id="n", operation="vcad.eval_code")
    log.event("eval_timeout", level="warning", error_code="VCAD_EVAL_TIMEOUT")
    log.close()
    assert lines(stream) == [
        {
            "timestamp": "2026-01-02T12:00:00.005Z",
            "level": "info",
            "event": "eval_started",
            "request_id": "r",
            "node_id": "n",
            "error_code": None,
            "operation": "vcad.eval_code",
        },
        {
            "timestamp": "2026-01-02T12:00:00.005Z",
            "level": "warning",
            "event": "eval_timeout",
            "request_id": None,
            "node_id": None,
            "error_code": "VCAD_EVAL_TIMEOUT",
        },
    ]


def test_a_mistake_of_our_own_is_logged_with_its_traceback() -> None:
    stream = io.BytesIO()
    log = Log(stream)
    try:
        raise ZeroDivisionError("oops")
    except ZeroDivisionError as bug:
        log.failed("internal_error", bug, request_id="r")
    log.close()
    (line,) = lines(stream)
    assert line["error"] == "ZeroDivisionError"
    assert "test_log.py" in line["traceback"]


def test_a_reader_that_reads_nothing_stops_nobody_and_lost_lines_are_counted() -> None:
    read, write = os.pipe()
    log = Log(os.fdopen(write, "wb"), owned=True)
    for number in range(20_000):  # far more than a pipe and the queue hold
        log.event("noise", number=number)
    seen: list[dict[str, Any]] = []

    def drain() -> None:
        with os.fdopen(read, "rb") as reader:
            for line in reader:
                seen.append(json.loads(line))

    reader = threading.Thread(target=drain)
    reader.start()
    while not any(one["event"] == "log_lines_lost" for one in list(seen)):
        log.event("more")
    log.close(10.0)
    reader.join(10.0)
    assert [one["number"] for one in seen[:10]] == list(range(10))
    lost = next(one for one in seen if one["event"] == "log_lines_lost")
    assert lost["count"] > 10_000


def test_a_log_whose_reader_is_gone_is_no_failure() -> None:
    read, write = os.pipe()
    os.close(read)
    log = Log(os.fdopen(write, "wb"), owned=True)
    log.event("anything")
    log.close()


def test_what_python_logs_is_passed_on() -> None:
    stream = io.BytesIO()
    log = Log(stream)
    logger = logging.Logger("some.library")
    logger.addHandler(LogBridge(log))
    logger.info("not this")
    logger.warning("but %s", "this")
    log.close()
    (line,) = lines(stream)
    assert (line["event"], line["level"], line["message"]) == ("log", "warning", "but this")
