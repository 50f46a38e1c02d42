"""A person's yes and no in a real kernel, while a cell runs and while it waits itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from notebook_ext.cli.asking_session import AskingSession
from tests.integration.kernel import Kernel

LIMIT = 60.0

SETUP = """
import threading, time
from concurrent.futures import ThreadPoolExecutor
from notebook_ext.approval.deciding import Limits
from tests.notebook_ext.approval.tools import tool

approvals = session.approvals()
approvals.limits = Limits(seen=60.0)
pool = ThreadPoolExecutor(4)

def decide(script="ls", risk="X"):
    one = approvals.decide(tool(risk, name="run_it"), {"script": script}, agent="robot", request_id="r-1")
    code = "" if one.error is None else str(one.error.error_code)
    reason = "" if one.error is None else one.error.details.get("reason", "")
    return one.how, dict(one.arguments), code, reason

def begin(script):
    return pool.submit(decide, script)

def compute_until(call):
    until = time.monotonic() + 60
    while not call.done() and time.monotonic() < until:
        sum(range(10_000))
    print(call.result(0))
"""
"""`compute_until` keeps the cell computing until the call is decided. A panel has time to be seen."""


def set_up(kernel: Kernel) -> None:
    for code in ("%load_ext notebook_ext", SETUP):
        done = kernel.run(code)
        assert done.status == "ok", done.traceback


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """A kernel whose front end uses sub-shells."""
    kernel = Kernel(cwd=tmp_path_factory.mktemp("workspace"))
    set_up(kernel)
    yield kernel
    kernel.stop()


@pytest.fixture(scope="module")
def front(kernel: Kernel) -> str:
    """The sub-shell on which its widgets answer."""
    return kernel.subshell()


@pytest.fixture(scope="module")
def plain_process() -> Iterator[Kernel]:
    """A kernel whose front end has never had sub-shells."""
    kernel = Kernel()
    yield kernel
    kernel.stop()


@pytest.fixture
def plain_kernel(plain_process: Kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kernel]:
    """It has begun anew; its session can be found by its record."""
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    (tmp_path / "work").mkdir()
    plain_process.begin_anew(tmp_path / "work")
    set_up(plain_process)
    yield plain_process
    plain_process.begin_anew()


def named(description: str) -> Callable[[dict[str, object]], bool]:
    return lambda state: state.get("description") == description


def of_view(name: str) -> Callable[[dict[str, object]], bool]:
    return lambda state: state.get("_view_name") == name


def test_a_click_on_a_sub_shell_approves_while_a_cell_computes(kernel: Kernel, front: str) -> None:
    cell = kernel.begun("computing", "print('computing', flush=True); compute_until(begin('ls 1'))")
    eye, approve = kernel.widgets_shown(cell, of_view("PlayView"), named("Approve"))
    kernel.set_state(eye, {"value": 1}, front)
    kernel.click(approve, front)
    outcome = kernel.outcome(cell)
    assert "('approved', {'script': 'ls 1'}, '', '')" in outcome.text
    assert kernel.value("approvals.open_asks()") == "()"


def test_a_cell_that_waits_itself_is_answered(kernel: Kernel, front: str) -> None:
    cell = kernel.begun("computing", "print('computing', flush=True); print(decide('ls 2'))")
    reason, reject = kernel.widgets_shown(cell, of_view("TextView"), named("Reject"))
    kernel.set_state(reason, {"value": "not now"}, front)
    kernel.click(reject, front)
    assert "('denied', {'script': 'ls 2'}, 'APPROVAL_DENIED', 'not now')" in kernel.outcome(cell).text


def test_edited_arguments_come_from_the_panel(kernel: Kernel, front: str) -> None:
    cell = kernel.begun("computing", "print('computing', flush=True); compute_until(begin('ls 3'))")
    text, approve = kernel.widgets_shown(cell, of_view("TextareaView"), named("Approve with edits"))
    kernel.set_state(text, {"value": '{"script": "ls -l 3"}'}, front)
    kernel.click(approve, front)
    assert "('approved with edits', {'script': 'ls -l 3'}, '', '')" in kernel.outcome(cell).text


def test_a_front_end_that_shows_nothing_is_nobody(kernel: Kernel, front: str) -> None:
    kernel.run("usual, approvals.limits = approvals.limits, Limits(seen=0.1)")
    assert "APPROVAL_REQUIRED" in kernel.value("begin('ls 4').result(60)")
    kernel.run("approvals.limits = usual")


def test_a_panel_that_was_drawn_is_waited_for_when_no_cell_runs(kernel: Kernel, front: str) -> None:
    cell = kernel.begin("call = begin('ls 5')")
    eye, approve = kernel.widgets_shown(cell, of_view("PlayView"), named("Approve"))
    kernel.set_state(eye, {"value": 1}, front)
    kernel.run("(ask,) = approvals.open_asks()")
    assert kernel.value("ask.seen.wait(60)") == "True"
    assert kernel.value("len(approvals.panel().children[1].children)") == "1"
    assert kernel.value("len(session.view().asks.children)") == "1"
    kernel.click(approve, front)
    assert "('approved', {'script': 'ls 5'}" in kernel.value("call.result(60)")
    assert "Nothing waits" in kernel.value("approvals.panel().children[0].value")
    assert kernel.value("len(session.view().asks.children)") == "0"


def test_all_widgets_of_an_answered_question_are_gone(kernel: Kernel, front: str) -> None:
    # the side panel gets a row for an agent that calls for the first time, and keeps it
    kernel.run("approvals.panel(); decide('ls', risk='R')")
    kernel.run("from ipywidgets.widgets.widget import _instances; before = set(_instances)")
    cell = kernel.begun("computing", "print('computing', flush=True); compute_until(begin('ls 6'))")
    (approve,) = kernel.widgets_shown(cell, named("Approve"))
    kernel.click(approve, front)
    assert "('approved', {'script': 'ls 6'}" in kernel.outcome(cell).text
    assert kernel.value("len(set(_instances) - before)") == "0"


def test_without_sub_shells_a_terminal_answers_a_computing_cell(plain_kernel: Kernel, tmp_path: Path) -> None:
    opened = plain_kernel.run("session.gateway.open()")
    assert opened.status == "ok", opened.traceback
    there = AskingSession(tmp_path / "work")
    assert there.open_asks() == []
    there.confirm(there.pair(), plain_kernel.run("print(approvals)").text.split()[-1])
    cell = plain_kernel.begun("computing", "print('computing', flush=True); compute_until(begin('ls'))")
    plain_kernel.widget_shown(cell, named("Approve"))
    # the terminal needs no picture
    (ask,) = there.open_asks()
    assert (ask["tool"], ask["agent"], ask["arguments"]) == ("run_it", "robot", {"script": "ls"})
    assert there.respond(ask["request_id"], {"approved": True})
    assert not there.respond(ask["request_id"], {"approved": False})
    assert "('approved', {'script': 'ls'}, '', '')" in plain_kernel.outcome(cell).text


def test_without_sub_shells_and_terminal_a_computing_cell_ends_in_its_timeout(plain_kernel: Kernel) -> None:
    plain_kernel.run("approvals.limits = Limits(ask=0.6, seen=0.1)")
    cell = "compute_until(begin('ls'))"
    assert "('timeout', {'script': 'ls'}, 'APPROVAL_TIMEOUT', '')" in plain_kernel.run(cell).text
    assert "APPROVAL_TIMEOUT" in plain_kernel.run("print(decide('pwd'))").text


def test_a_kernel_that_begins_anew_has_the_policy_that_was_set(plain_kernel: Kernel, tmp_path: Path) -> None:
    plain_kernel.run("approvals.policy.set('D', 'deny'); approvals.policy.network = 'ask'")
    plain_kernel.restart()
    plain_kernel.begin_anew(tmp_path / "work")
    plain_kernel.run("%load_ext notebook_ext")
    kept = "[session.approvals().policy.of('D'), session.approvals().policy.network]"
    assert plain_kernel.value(kept) == "['deny', 'ask']"
    assert (tmp_path / "work" / ".vcad" / "session.json").is_file()


def test_the_end_of_the_session_answers_no(plain_kernel: Kernel) -> None:
    plain_kernel.run("approvals.attend('terminal'); call = begin('ls')")
    plain_kernel.run("%unload_ext notebook_ext")
    assert plain_kernel.value("call.result(60)[2:]") == "('APPROVAL_DENIED', 'session ended')"
