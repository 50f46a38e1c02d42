"""Every entry point leads past the person: what is asked for is decided in front of the dispatcher."""

from __future__ import annotations

import os
from typing import Any

import pytest

from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.registry import load
from notebook_ext.agents.world import AgentWorld
from notebook_ext.approval.asks import Ask
from tests.notebook_ext.approval.tools import Person

EXAMPLES: dict[str, dict[str, Any]] = {"trace_execute": {"trace_id": "t"}, "trace_replay": {}}
"""Arguments for tools whose class depends on them."""


def test_a_shell_script_is_not_run_while_nobody_looks(world: AgentWorld) -> None:
    outcome = call_tool(world, "run_shell", {"script": "touch made"}, agent="robot")
    assert not outcome.success
    assert outcome.body["error_code"] == "APPROVAL_REQUIRED"
    assert "how" in outcome.body["details"]
    assert not (world.workspace / "made").exists()


def test_an_edited_script_is_what_runs_and_the_agent_is_told(world: AgentWorld) -> None:
    Person(world.approvals, {"approved": True, "edited_args": {"script": "echo edited"}})
    outcome = call_tool(world, "run_shell", {"script": "echo given"}, agent="robot")
    assert outcome.success, outcome.body
    assert outcome.body["stdout"].strip() == "edited"
    assert outcome.body["changed_arguments"] == {"script": "echo edited"}


def test_a_file_that_is_not_the_models_is_asked_for_with_its_diff(world: AgentWorld) -> None:
    person = Person(world.approvals, {"approved": False, "reason": "mine"})
    outcome = call_tool(world, "write_file", {"path": "notes.md", "content": "new\n"}, agent="robot")
    assert outcome.body["error_code"] == "APPROVAL_DENIED"
    assert outcome.body["details"]["reason"] == "mine"
    assert "+new" in person.asked[0].question.diff
    assert not (world.workspace / "notes.md").exists()
    assert call_tool(
        world, "write_file", {"path": "plate.loon", "content": "[cube 1 2 3]\n"}, agent="robot"
    ).success


def test_the_network_is_closed(world: AgentWorld) -> None:
    outcome = call_tool(world, "fetch_url", {"url": "https://example.org"}, agent="robot")
    assert outcome.body["error_code"] == "APPROVAL_DENIED"
    assert "policy.network" in str(outcome.body)


def test_every_tool_that_changes_something_comes_past_the_policy(world: AgentWorld) -> None:
    world.approvals.policy.set("W", "deny")
    world.approvals.policy.set("D", "deny")
    world.approvals.policy.set("X", "deny")
    given = {"path": "plate.loon", "content": "[cube 1 2 3]\n"}
    assert call_tool(world, "create_file", given, agent="robot").body["error_code"] == "APPROVAL_DENIED"
    for tool in load(["all"]):
        if tool.risk == "R":
            continue
        decision = world.approvals.decide(tool, EXAMPLES.get(tool.name, {}), agent="x", request_id="r-1")
        assert not decision.allowed, f"{tool.name} was allowed"


def test_a_link_and_a_second_name_do_not_make_a_file_the_models_own(world: AgentWorld) -> None:
    setup = world.workspace / "setup.py"
    setup.write_text("print(1)\n")
    (world.workspace / "linked.loon").symlink_to(setup)
    os.link(setup, world.workspace / "second.loon")
    for name in ("linked.loon", "second.loon", "./parts/../setup.py", ".vcad/artifacts/one.loon"):
        outcome = call_tool(world, "write_file", {"path": name, "content": "gone"}, agent="robot")
        assert outcome.body["error_code"] in ("APPROVAL_REQUIRED", "PATH_NOT_ALLOWED"), (name, outcome.body)
    assert setup.read_text() == "print(1)\n"


def test_step_mode_asks_with_a_picture_of_what_would_be(world: AgentWorld) -> None:
    pictures: list[bytes | None] = []

    def look(ask: Ask) -> None:
        assert ask.question.picture is not None
        pictures.append(ask.question.picture())
        assert world.approvals.respond(ask.request_id, {"approved": False})

    world.approvals.policy.step_mode = True
    Person(world.approvals, look)
    given = {"path": "plate.loon", "content": "[cube 30 20 10]\n"}
    assert call_tool(world, "write_file", given, agent="robot").body["error_code"] == "APPROVAL_DENIED"
    assert pictures[0] is not None
    assert pictures[0].startswith(b"\x89PNG")
    assert world.session.nodes() == ()


def test_an_answer_to_a_hook_call_may_take_a_minute(world: AgentWorld) -> None:
    person = Person(world.approvals, {"approved": False}, {"approved": False})
    call_tool(world, "run_shell", {"script": "ls"}, agent="robot")
    call_tool(world, "run_shell", {"script": "ls"}, agent="robot", progress=lambda done, total, text: None)
    # less what has passed until the person was asked
    assert [ask.timeout_s for ask in person.asked] == pytest.approx([60, 45], abs=5)
