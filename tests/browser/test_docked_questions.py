"""Questions over the foot of a notebook, and the policy that a person sets, in a real JupyterLab."""

from __future__ import annotations

import pytest

from tests.browser.conftest import OpenNotebook
from tests.browser.test_approvals_in_lab import COMPUTING, SETUP


# About the looks of the dock; that it is there and answers is seen in test_approvals_in_lab.py.
@pytest.mark.soak
def test_the_dock_makes_way_for_a_question_that_stands_in_the_notebook(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook(cells=["%load_ext notebook_ext", SETUP, COMPUTING])
    notebook.begin_all()
    panel = notebook.output(2).locator(".vcad-ask")
    panel.wait_for()
    dock = notebook.page.locator(".vcad-asks")
    dock.wait_for(state="hidden")
    notebook.scroll_to(0)
    notebook.page.set_viewport_size({"width": 1280, "height": 420})
    try:
        dock.get_by_text("1 waiting for your answer").wait_for()
        fold = dock.get_by_role("button", name="waiting for your answer")
        fold.click()
        dock.locator(".vcad-ask").wait_for(state="hidden")
        assert fold.get_attribute("aria-expanded") == "false"
        fold.click()
        dock.get_by_role("button", name="Approve", exact=True).click()
        dock.wait_for(state="detached")
    finally:
        notebook.page.set_viewport_size({"width": 1280, "height": 900})
    notebook.output(2).get_by_text("approved {'script': 'ls'}").wait_for()


# The side panel's choices are played in tests/notebook_ext/approval/test_panel.py.
@pytest.mark.soak
def test_the_policy_is_set_by_class_and_agent(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook(cells=["%load_ext notebook_ext", SETUP, "approvals"])
    notebook.run_all()
    side = notebook.output(2).locator(".vcad-approvals")
    # a choice comes on a sub-shell, and what is asked for here on the main one
    begin_to_watch = (
        "changed = threading.Semaphore(0); approvals.policy.on_change(changed.release)\n"
        "def changes(count): return all(changed.acquire(timeout=30) for _ in range(count))"
    )
    notebook.execute(begin_to_watch)
    side.get_by_title("run code, all agents").select_option("deny")
    side.get_by_text("ask before every change").click()
    said = "print(changes(2), approvals.policy.of('X'), approvals.policy.step_mode)"
    assert notebook.execute(said).strip() == "True deny True"
    assert notebook.execute("print(begin('ls').result(30).how, changes(1))").strip() == "denied True"
    side.get_by_title("run code, robot").select_option("ask")
    said = "print(changes(1), approvals.policy.of('X', 'robot'), approvals.policy.of('X'))"
    assert notebook.execute(said).strip() == "True ask deny"
