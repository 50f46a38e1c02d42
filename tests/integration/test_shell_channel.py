"""Requests that are answered while a cell computes, in a real kernel.

These tests hold `notebook_ext.front_end.shell_channel` to what ipykernel does; they fail when that changes.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.kernel import Kernel

COMPUTING = "print('computing', flush=True)\nwhile True: pass"

OPEN = """
from notebook_ext.front_end.shell_channel import AnsweringChannel
import threading

def answer(content):
    if content["code"] == "wrong":
        raise ZeroDivisionError
    if not content["code"].startswith("loon"):
        return None
    matches = [threading.current_thread().name]
    return {"status": "ok", "matches": matches, "cursor_start": 0, "cursor_end": 4, "metadata": {}}

channel = AnsweringChannel(get_ipython().kernel, {"complete_request": answer})
channel.open()
"""


@pytest.fixture
def answering(bare_kernel: Kernel) -> Iterator[Kernel]:
    opened = bare_kernel.run(OPEN)
    assert opened.status == "ok", opened.traceback
    yield bare_kernel
    bare_kernel.run("channel.close()")


def test_a_request_is_answered_while_a_cell_computes(answering: Kernel) -> None:
    with answering.running("computing", COMPUTING):
        answer = answering.complete("loon|")
    assert answer.content["matches"] == ["Shell channel"]
    assert answer.states == ["busy", "idle"]


def test_a_computing_kernel_is_said_to_be_busy_after_an_answer(answering: Kernel) -> None:
    """Front ends show the last status they hear."""
    with answering.running("computing", COMPUTING):
        answering.complete("loon|")
        assert answering.next_state() == "busy"


def test_what_is_not_for_us_takes_the_ordinary_path(answering: Kernel) -> None:
    answering.run("spelling_it_out = 1")
    assert "spelling_it_out" in answering.complete("spelling_|").content["matches"]
    assert answering.ask("kernel_info_request", {}).content["implementation"] == "ipython"


def test_a_mistake_of_ours_leaves_the_request_to_the_kernel(answering: Kernel) -> None:
    assert answering.complete("wrong|").content["status"] == "ok"
    assert answering.complete("loon|").content["matches"] == ["Shell channel"]


def test_a_request_that_names_a_subshell_is_answered_all_the_same(answering: Kernel) -> None:
    request = {"code": "loon", "cursor_pos": 4}
    answer = answering.ask("complete_request", request, answering.subshell())
    assert answer.content["matches"] == ["Shell channel"]


def test_a_closed_channel_is_the_kernels_own_again(answering: Kernel) -> None:
    answering.run("channel.close()")
    assert answering.complete("loon|").content["matches"] == []
    receiver = "get_ipython().kernel.shell_stream._recv_callback.__qualname__"
    assert answering.value(receiver) == "'Kernel.shell_channel_thread_main'"


def test_cells_run_as_ever(answering: Kernel) -> None:
    assert answering.run("6 * 7").plain == "42"
    assert answering.run("1 / 0").status == "error"
    assert answering.run("6 * 7").plain == "42"
