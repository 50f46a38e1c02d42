"""The comm `vcad.notebook` in a real kernel: a page answers, with sub-shells also while a cell computes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.kernel import Kernel

LIMIT = 60.0
TARGET = "vcad.notebook"

SETUP = """
from concurrent.futures import ThreadPoolExecutor
import threading, time
pool = ThreadPoolExecutor(2)
pages = session.front_ends

def own():
    return [(one.path, one.kernel_computes) for one in pages.own()]

def compute_until(call):
    until = time.monotonic() + 60
    while not call.done() and time.monotonic() < until:
        sum(range(10_000))
    print(call.result(0))
"""


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[Kernel]:
    kernel = Kernel(cwd=tmp_path)
    for code in ("%load_ext notebook_ext", SETUP):
        assert kernel.run(code).status == "ok"
    yield kernel
    kernel.stop()


class Comm:
    """The page's end of the comm."""

    def __init__(self, kernel: Kernel, subshell: str | None) -> None:
        self._kernel = kernel
        self._subshell = subshell
        kernel.ask(
            "comm_open",
            {"comm_id": "page-1", "target_name": TARGET, "data": {}},
            subshell,
            replied=False,
        )

    def question(self) -> dict[str, Any]:
        """The next message that the kernel sends."""
        while True:
            said = self._kernel._client.get_iopub_msg(timeout=LIMIT)
            if said["msg_type"] == "comm_msg" and said["content"]["comm_id"] == "page-1":
                return dict(said["content"]["data"])
            assert said["msg_type"] != "comm_close", "the kernel has closed the comm"

    def answer(self, data: dict[str, Any]) -> None:
        """Send a message; does not wait."""
        session = self._kernel._client.session
        message = session.msg("comm_msg", {"comm_id": "page-1", "data": data})
        if self._subshell is not None:
            message["header"]["subshell_id"] = self._subshell
        self._kernel._client.shell_channel.send(message)


def shows(path: str, folder: Path) -> dict[str, Any]:
    return {"root": str(folder), "notebooks": [{"path": path, "own": True}]}


def test_a_page_answers_while_a_cell_computes(kernel: Kernel, tmp_path: Path) -> None:
    page = Comm(kernel, kernel.subshell())
    cell = kernel.begin("compute_until(pool.submit(own))")
    asked = page.question()
    assert asked["method"] == "notebooks"
    page.answer({"id": asked["id"], "result": shows("plan.ipynb", tmp_path)})
    assert kernel.outcome(cell).text.strip() == "[('plan.ipynb', True)]"


def test_without_sub_shells_an_answer_comes_once_the_cell_has_ended(kernel: Kernel, tmp_path: Path) -> None:
    page = Comm(kernel, None)
    kernel.run("pages._looking = 0.2")
    code = "try: compute_until(pool.submit(own))\nexcept Exception as error: print(repr(error))"
    cell = kernel.begin(code)
    asked = page.question()
    page.answer({"id": asked["id"], "result": shows("plan.ipynb", tmp_path)})
    assert "no page answered" in kernel.outcome(cell).text
    kernel.run("pages._looking = 60")
    kernel.begin("call = pool.submit(own)")
    asked = page.question()
    page.answer({"id": asked["id"], "result": shows("plan.ipynb", tmp_path)})
    assert "('plan.ipynb'" in kernel.value("call.result(60)")


def test_unloading_closes_the_comm_and_loading_lets_pages_come_again(kernel: Kernel) -> None:
    Comm(kernel, None)
    assert kernel.value("pages.has_pages") == "True"
    request = kernel.begin("%unload_ext notebook_ext")
    closed = False
    while not closed:
        said = kernel._client.get_iopub_msg(timeout=LIMIT)
        closed = said["msg_type"] == "comm_close" and said["content"]["comm_id"] == "page-1"
    kernel.outcome(request)
    assert kernel.value("pages.has_pages") == "False"
    kernel.run("%load_ext notebook_ext")
    Comm(kernel, None)
    assert kernel.value("session.front_ends.has_pages") == "True"
