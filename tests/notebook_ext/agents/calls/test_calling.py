"""One call, from its arguments to what is written down: refused, asked for, stopped, failed, cut."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.agents import registry
from notebook_ext.agents.calls import outcomes
from notebook_ext.agents.calls.arguments import Answer, Arguments, Changing
from notebook_ext.agents.calls.call import Call, Preview, Tool
from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.world import AgentWorld
from notebook_ext.approval.deciding import Decision
from notebook_ext.session.session import Session
from vcad_kernel.errors import ErrorCode, ServiceFailure

LIMIT = 20.0


class Said(Answer):
    text: str


class Text(Arguments):
    text: str


class Node(Changing):
    node_id: str


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Have a tool of this test's own."""

    def register(run: Callable[[Any, Call], Any], *, risk: Any = "R", arguments: Any = Text) -> None:
        tool = Tool("told", "core", risk, False, "Say it.", arguments, Said, run, lambda *_: Preview())
        monkeypatch.setattr(registry, "_tools_of", lambda pack: (tool,) if pack == "core" else ())

    return register


def logged(workspace: Path) -> list[dict[str, Any]]:
    files = workspace.glob(".vcad/logs/session-*/events.jsonl")
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_a_call_is_one_line_of_the_log_with_who_did_it(
    world: AgentWorld, session: Session, registered: Any, workspace: Path
) -> None:
    registered(lambda arguments, call: Said(text=arguments.text))
    outcome = call_tool(world, "told", {"text": "hello"}, agent="cursor", request_id="r-7")
    assert outcome.body == {"success": True, "text": "hello"}
    session.close()
    (line,) = [one for one in logged(workspace) if one["event"] == "tool_called"]
    assert (line["agent"], line["tool"], line["request_id"], line["error_code"]) == (
        "cursor",
        "told",
        "r-7",
        None,
    )


def test_a_bug_of_ours_is_told_as_such_and_kept_in_the_log_only(
    world: AgentWorld,
    session: Session,
    registered: Any,
    workspace: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fails(_arguments: Text, _call: Call) -> Said:
        raise KeyError("/home/somebody/secret")

    registered(fails)
    outcome = call_tool(world, "told", {"text": "x"}, agent="a")
    assert outcome.body["error_code"] == "INTERNAL_ERROR"
    assert "secret" not in json.dumps(outcome.body)
    session.close()
    assert any(one["event"] == "internal_error" for one in logged(workspace))


def test_edited_arguments_are_checked_again_and_the_agent_hears_of_them(
    world: AgentWorld, session: Session, registered: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    registered(lambda arguments, call: Said(text=arguments.text), risk="X")
    edited = Decision({"text": "mild"}, "approved with edits", ("text",))
    monkeypatch.setattr(session.approvals(), "decide", lambda *_, **__: edited)
    outcome = call_tool(world, "told", {"text": "harsh"}, agent="a")
    assert outcome.body == {"success": True, "text": "mild", "changed_arguments": {"text": "mild"}}
    edited = replace(edited, arguments={"text": 3})
    assert call_tool(world, "told", {"text": "x"}, agent="a").body["error_code"] == "SCHEMA_VALIDATION_FAILED"


def test_a_refused_call_does_nothing(
    world: AgentWorld, session: Session, registered: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    registered(lambda arguments, call: done.append(arguments.text), risk="X")
    denied = ServiceFailure(ErrorCode.APPROVAL_DENIED, "no", details={"tool": "told", "reason": "no"})
    monkeypatch.setattr(session.approvals(), "decide", lambda *_, **__: Decision({}, "denied", (), denied))
    assert call_tool(world, "told", {"text": "x"}, agent="a").body["error_code"] == "APPROVAL_DENIED"
    assert done == []


def test_a_call_bound_to_another_revision_does_nothing(
    world: AgentWorld, session: Session, registered: Any
) -> None:
    done: list[str] = []
    registered(lambda arguments, call: done.append(arguments.node_id), arguments=Node)
    session.evaluate("[cube 1 1 1]", name="lid")
    session.evaluate("[cube 1 1 2]", name="lid")
    body = call_tool(world, "told", {"node_id": "lid", "expected_revision": 1}, agent="a").body
    assert body["error_code"] == "REVISION_CONFLICT"
    assert body["details"] | {"node_id": "lid", "expected": 1, "current": 2} == body["details"]
    assert done == []


def test_a_long_text_is_cut_and_kept_whole_in_a_file(
    world: AgentWorld, registered: Any, workspace: Path
) -> None:
    long = "ä" * outcomes.TEXT_LIMIT
    registered(lambda arguments, call: Said(text=long))
    body = call_tool(world, "told", {"text": "x"}, agent="a").body
    assert body["truncated"] is True
    assert len(body["text"].encode()) <= outcomes.TEXT_LIMIT
    assert (workspace / body["full_path"]).read_text(encoding="utf-8") == long


def test_a_call_that_waits_for_its_turn_is_given_up_and_does_not_begin(
    world: AgentWorld, session: Session
) -> None:
    begun, free = threading.Event(), threading.Event()

    def occupy() -> None:
        begun.set()
        free.wait(LIMIT)

    occupied = session.submit(occupy)
    assert begun.wait(LIMIT)
    answers: list[Any] = []
    cancelled = threading.Event()
    asking = threading.Thread(
        target=lambda: answers.append(
            call_tool(
                world, "vcad_eval", {"code": "[+ 1 2]"}, agent="a", request_id="r-gone", cancelled=cancelled
            )
        )
    )
    asking.start()
    cancelled.set()
    session.cancel("r-gone")
    free.set()
    occupied.result(LIMIT)
    asking.join(LIMIT)
    assert answers[0].body["error_code"] == "EVAL_CANCELLED"


def test_two_agents_and_a_person_change_one_part_and_nothing_is_lost(
    world: AgentWorld, session: Session, workspace: Path, sketchup: Any
) -> None:
    (workspace / "lid.cmp.oo").write_text("[defparam h 5 {:min 1 :max 99}]\n[cube 10 10 h]")
    assert call_tool(world, "vcad_place", {"node_id": "lid", "source_file": "lid.cmp.oo"}, agent="a").success
    outcomes_: list[Any] = []

    def agent(name: str, sizes: range) -> None:
        for size in sizes:
            arguments = {"node_id": "lid", "name": "h", "value": size}
            outcomes_.append(call_tool(world, "vcad_set_parameter", arguments, agent=name))

    threads = [
        threading.Thread(target=agent, args=("a", range(10, 14))),
        threading.Thread(target=agent, args=("b", range(20, 24))),
    ]
    for thread in threads:
        thread.start()
    for size in (30, 31):
        session.set_parameter("h", size)
    for thread in threads:
        thread.join(LIMIT)
    codes = {one.body.get("error_code") for one in outcomes_}
    assert codes <= {None, "STALE_REVISION"}
    current = session["lid"].parameters["h"].value
    assert session["lid"].volume == pytest.approx(100 * current)


def test_what_others_changed_is_told_with_a_failure_too(world: AgentWorld, workspace: Path) -> None:
    file = workspace / "lid.oo"
    file.write_text("[cube 1 1 1]\n")
    assert call_tool(world, "read_file", {"path": "lid.oo"}, agent="a").success
    file.write_text("[cube 1 1 2]\n")
    refused = call_tool(world, "vcad_node", {"node_id": "lid"}, agent="a").body
    assert refused["error_code"] == "NODE_NOT_FOUND"
    (told,) = refused["files_updated"]
    assert told["path"] == "lid.oo"
    assert "+[cube 1 1 2]" in told["diff"]
    assert "files_updated" not in call_tool(world, "vcad_node", {"node_id": "lid"}, agent="a").body


def test_a_listener_that_fails_leaves_the_answer_what_it_is(
    world: AgentWorld, session: Session, registered: Any, workspace: Path
) -> None:
    registered(lambda arguments, call: Said(text="done"))

    def fails(_record: Any) -> None:
        raise OSError("no space")

    world.on_call(fails)
    assert call_tool(world, "told", {"text": "x"}, agent="a").body == {"success": True, "text": "done"}
    session.close()
    assert any(one["event"] == "listener_failed" for one in logged(workspace))


def test_how_a_refusal_came_about_is_written_down(
    world: AgentWorld, session: Session, registered: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[Any] = []
    world.on_call(heard.append)
    registered(lambda arguments, call: Said(text="done"), risk="X")
    session.approvals().policy.set("X", "deny")
    assert call_tool(world, "told", {"text": "x"}, agent="a").body["error_code"] == "APPROVAL_DENIED"
    assert heard[0]["approval"] == "denied"


def test_every_line_that_a_call_causes_has_the_agent(
    world: AgentWorld, session: Session, workspace: Path
) -> None:
    (workspace / "lid.oo").write_text("[cube 1 1 1]")
    call = {"node_id": "lid", "source_file": "lid.oo"}
    assert call_tool(world, "vcad_place", call, agent="cursor", request_id="r-5").success
    session.evaluate("[cube 1 1 2]", name="pin")
    session.close()
    caused = [one for one in logged(workspace) if one["request_id"] == "r-5"]
    assert {"eval_started", "eval_finished", "tool_called"} <= {one["event"] for one in caused}
    assert {one.get("agent") for one in caused} == {"cursor"}
    others = [one for one in logged(workspace) if one.get("node_id") == "pin"]
    assert others
    assert not any("agent" in one for one in others)


def test_who_asks_is_asked_with_the_state_of_the_model(
    world: AgentWorld, session: Session, registered: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A yes is for this project and this node as they are; finding that out waits for no cell."""
    states: list[Any] = []
    free = threading.Event()

    def decide(_tool: Any, arguments: Any, **given: Any) -> Decision:
        states.append(given["model_revision"]())
        return Decision(arguments, "approved", ())

    registered(lambda arguments, call: Said(text="done"), arguments=Node)
    monkeypatch.setattr(session.approvals(), "decide", decide)
    session.evaluate("[cube 1 1 1]", name="lid")
    occupied = session.submit(lambda: free.wait(LIMIT))
    assert call_tool(world, "told", {"node_id": "lid"}, agent="a").success
    free.set()
    assert occupied.result(LIMIT)
    session.evaluate("[cube 1 1 2]", name="lid")
    assert call_tool(world, "told", {"node_id": "lid"}, agent="a").success
    assert states == ["0/lid@1", "0/lid@2"]


def test_a_long_line_in_a_failure_is_cut_as_well(world: AgentWorld, workspace: Path) -> None:
    line = "[" * (2 * outcomes.TEXT_LIMIT)
    body = call_tool(world, "vcad_eval", {"code": line}, agent="a").body
    assert (body["error_code"], body["truncated"]) == ("LOON_SYNTAX", True)
    assert len(body["details"]["text"]) == outcomes.TEXT_LIMIT
    assert (workspace / body["full_path"]).read_text() == line
