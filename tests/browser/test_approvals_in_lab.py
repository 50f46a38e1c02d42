"""A person's yes and no in a real JupyterLab, which shows the question and answers while a cell computes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.browser.conftest import OpenNotebook

SETUP = """
import threading, time
import ipywidgets
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from pydantic import BaseModel
from notebook_ext.agents.calls.call import Preview, Tool
from notebook_ext.front_end.shell_channel import has_sub_shells

class Given(BaseModel):
    script: str

run_it = Tool("run_it", "shell", "X", False, "Runs it.", Given, Given, lambda given, call: given)
approvals = session.approvals()
pool = ThreadPoolExecutor(2)

# JupyterLab starts a sub-shell with the first widget; what is typed before goes to the busy main shell.
first_widget = ipywidgets.HTML()

def begin(script):
    shown = Preview(diff="--- a\\n+++ b\\n-<b>old</b>\\n+new", objects=("wall",), summary="runs <i>it</i>")
    who = {"agent": "robot", "request_id": "r-1"}
    return pool.submit(approvals.decide, run_it, {"script": script}, preview=shown, timeout_s=240, **who)
"""

COMPUTING = """
while not has_sub_shells(get_ipython().kernel):
    time.sleep(0.01)
call = begin("ls")
until = time.monotonic() + 240
while not call.done() and time.monotonic() < until:
    sum(range(10_000))
print(call.result(0).how, dict(call.result(0).arguments))
"""


def test_a_question_is_seen_and_answered_while_its_cell_computes(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook(cells=["%load_ext notebook_ext", SETUP, COMPUTING])
    notebook.begin_all()
    output = notebook.output(2)
    panel = output.locator(".vcad-ask")
    panel.wait_for()
    panel.get_by_text("runs <i>it</i>").wait_for()
    panel.get_by_text("-<b>old</b>").wait_for()
    panel.get_by_text("s left").wait_for()
    assert not notebook.page.locator(".vcad-asks").is_visible()  # each question stands once
    where = os.environ.get("VCAD_SAVE_APPROVAL")
    if where:
        notebook.page.screenshot(path=Path(where))
    panel.locator("textarea").fill('{"script": "ls -l"}')
    panel.get_by_role("button", name="Approve with edits").click()
    output.get_by_text("approved with edits {'script': 'ls -l'}").wait_for()
    panel.wait_for(state="detached")


# What a panel says of having been drawn is played in tests/integration/test_approvals.py.
@pytest.mark.soak
def test_a_question_that_is_drawn_is_waited_for(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook(cells=["%load_ext notebook_ext", SETUP, "approvals", "call = begin('ls')"])
    notebook.begin_all()
    side = notebook.output(2).locator(".vcad-approvals")
    side.get_by_text("1 waiting for your answer").wait_for()
    assert notebook.execute("print(approvals.open_asks()[0].seen.wait(30))").strip() == "True"
    side.get_by_role("button", name="Reject").click()
    side.get_by_text("Nothing waits").wait_for()
    assert notebook.execute("print(call.result(30).how)").strip() == "denied"


def test_a_question_survives_loading_the_page_anew(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook(cells=["%load_ext notebook_ext", SETUP])
    notebook.run_all()
    dock = notebook.page.locator(".vcad-asks")
    notebook.execute("call = begin('ls')")
    dock.locator(".vcad-ask").wait_for()
    dock.get_by_text("s left").wait_for()

    notebook.reload()
    dock.locator(".vcad-ask").wait_for()
    dock.get_by_text("1 waiting for your answer").wait_for()
    dock.get_by_text("runs <i>it</i>").wait_for()
    where = os.environ.get("VCAD_SAVE_APPROVAL")
    if where:
        notebook.page.screenshot(path=Path(where).with_stem(f"{Path(where).stem}-reload"))
    dock.get_by_role("button", name="Approve", exact=True).click()
    dock.wait_for(state="detached")
    assert notebook.execute("print(call.result(30).how)").strip() == "approved"


# The rarer half of the journey above, which loads a page anew as well.
@pytest.mark.soak
def test_a_question_that_loading_the_page_anew_finds_answered_is_not_shown(
    open_notebook: OpenNotebook,
) -> None:
    notebook = open_notebook(cells=["%load_ext notebook_ext", SETUP])
    notebook.run_all()
    dock = notebook.page.locator(".vcad-asks")
    notebook.execute("call = begin('ls')")
    dock.locator(".vcad-ask").wait_for()
    notebook.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.save()")
    answer = "approvals.respond(approvals.open_asks()[0].request_id, {'approved': False}, 'test')"
    assert notebook.execute(f"print({answer}, call.result(30).how)").strip() == "True denied"
    dock.wait_for(state="detached")
    notebook.reload()
    notebook.execute("begin('pwd')")
    dock.get_by_text("1 waiting for your answer").wait_for()
    assert dock.locator(".vcad-ask").count() == 1
