"""The task `run_cell`: a cell of the open notebook runs, once a person has said yes."""

from __future__ import annotations

from pathlib import Path

import pytest

from notebook_ext.agents.client import HookClient
from notebook_ext.agents.world import AgentWorld
from tests.notebook_ext.front_end.notebook_page import Page, cell


@pytest.fixture
def page(world: AgentWorld, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Page:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(workspace / "runtime"))
    (workspace / "plan.ipynb").write_text("{}")
    return Page(world.session.front_ends, workspace, {"plan.ipynb": [cell("one", "1 + 1")]}, own="plan.ipynb")


def answered(world: AgentWorld, client: HookClient, yes: bool) -> dict[str, object]:
    """The event with which the task ends after this answer."""
    world.approvals.attend("tests")
    client.post_gui({"action": "run_cell", "cell_id": "one"})
    asked = client.wait_for_event("ask_received", timeout=30)
    client.respond(asked["payload"]["request_id"], {"approved": yes})
    return client.wait_for_event("task_done" if yes else "task_failed", timeout=30)["payload"]


def test_a_cell_runs_after_a_yes(world: AgentWorld, client: HookClient, page: Page) -> None:
    done = answered(world, client, True)
    assert (done["action"], done["item"]) == ("run_cell", "one")
    assert [one["expected"] for one in page.asked if one["method"] == "run"] == ["1 + 1"]


def test_and_does_not_after_a_no(world: AgentWorld, client: HookClient, page: Page) -> None:
    assert answered(world, client, False)["error_code"] == "APPROVAL_DENIED"
    assert "run" not in {one["method"] for one in page.asked}
