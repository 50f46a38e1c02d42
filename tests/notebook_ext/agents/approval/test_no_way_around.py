"""Every door leads past the person: what is asked for is decided in front of the dispatcher."""

from __future__ import annotations

from notebook_ext.agents.world import AgentWorld
from tests.notebook_ext.agents.approval.tools import Person


def test_a_shell_script_is_not_run_while_nobody_looks(world: AgentWorld) -> None:
    outcome = world.call("run_shell", {"script": "touch made"}, agent="robot")
    assert not outcome.success
    assert outcome.body["error_code"] == "APPROVAL_REQUIRED"
    assert "how" in outcome.body["details"]
    assert not (world.workspace / "made").exists()


def test_an_edited_script_is_what_runs_and_the_agent_is_told(world: AgentWorld) -> None:
    Person(world.approvals, {"approved": True, "edited_args": {"script": "echo edited"}})
    outcome = world.call("run_shell", {"script": "echo given"}, agent="robot")
    assert outcome.success, outcome.body
    assert outcome.body["stdout"].strip() == "edited"
    assert outcome.body["changed_arguments"] == {"script": "echo edited"}


def test_a_file_that_is_not_the_models_is_asked_for_with_its_diff(world: AgentWorld) -> None:
    person = Person(world.approvals, {"approved": False, "reason": "mine"})
    outcome = world.call("write_file", {"path": "notes.md", "content": "new\n"}, agent="robot")
    assert outcome.body["error_code"] == "APPROVAL_DENIED"
    assert outcome.body["details"]["reason"] == "mine"
    assert "+new" in person.asked[0].question.diff
    assert not (world.workspace / "notes.md").exists()
    assert world.call(
        "write_file", {"path": "plate.loon", "content": "[cube 1 2 3]\n"}, agent="robot"
    ).success


def test_the_network_is_closed(world: AgentWorld) -> None:
    outcome = world.call("fetch_url", {"url": "https://example.org"}, agent="robot")
    assert outcome.body["error_code"] == "APPROVAL_DENIED"
    assert "policy.network" in str(outcome.body)
