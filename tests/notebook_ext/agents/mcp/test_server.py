"""The MCP servers of a session, asked by the SDK's own client in this process."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import re
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp_types import CallToolResult, Implementation

from notebook_ext.agents import registry
from notebook_ext.agents.calls.arguments import Answer, Arguments
from notebook_ext.agents.calls.call import Call, Tool
from notebook_ext.agents.mcp import server
from notebook_ext.agents.mcp.changes import ChangeNotifier
from notebook_ext.agents.mcp.instructions import EXAMPLE, INSTRUCTIONS
from notebook_ext.agents.mcp.server import AgentServer, listed_tools
from notebook_ext.agents.world import AgentWorld
from notebook_ext.session.log.metrics import NAMES
from notebook_ext.session.session import Session

LIMIT = 30.0


def asked(world: AgentWorld, ask: Callable[[Client], Awaitable[Any]], *packs: str, mode: str = "auto") -> Any:
    """What a function gives that is called with a client of the world's server."""

    async def run() -> Any:
        changes = ChangeNotifier(world.session)
        made = AgentServer(world, packs, changes)
        with changes.listening():
            async with Client(
                made, mode=mode, client_info=Implementation(name="tester", version="1")
            ) as client:
                return await ask(client)

    return asyncio.run(asyncio.wait_for(run(), LIMIT))


def called(world: AgentWorld, tool: str, /, **arguments: Any) -> CallToolResult:
    result = asked(world, lambda client: client.call_tool(tool, arguments), "all")
    assert isinstance(result, CallToolResult)
    return result


def answered(world: AgentWorld, tool: str, /, **arguments: Any) -> dict[str, Any]:
    result = called(world, tool, **arguments)
    body = result.structured_content
    assert isinstance(body, dict)
    assert body["success"] is not result.is_error
    assert json.loads(result.content[0].text) == body  # type: ignore[union-attr]
    return body


def test_the_core_pack_is_within_its_budget() -> None:
    """§12 of the specification: 18 tools, 2,600 tokens; with output schemas what was measured."""
    tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed_tools(())]
    outputs = [tool.pop("outputSchema") for tool in tools]
    assert len(tools) <= 18
    shown = sum(len(json.dumps(tool, ensure_ascii=False)) for tool in tools) / 4
    assert shown <= 2600
    assert shown + sum(len(json.dumps(one, ensure_ascii=False)) for one in outputs) / 4 <= 5300


def test_instructions_are_under_two_kilobytes() -> None:
    assert len(INSTRUCTIONS.encode()) < 2048


def test_the_example_in_the_instructions_builds_without_a_finding(
    world: AgentWorld, session: Session
) -> None:
    assert EXAMPLE in INSTRUCTIONS
    assert answered(world, "vcad_check", source=EXAMPLE)["diagnostics"] == []
    body = answered(world, "vcad_inspect", source=EXAMPLE)
    assert body["bbox"] == [pytest.approx([0, 0, 0]), pytest.approx([60, 40, 5])]
    assert 11_000 < body["volume"] < 12_000 - math.pi * 9 * 5


def test_what_the_instructions_name_is_there(world: AgentWorld) -> None:
    tools = {tool.name for tool in listed_tools(())}
    named = set(re.findall(r"\b(?:vcad_[a-z_]+|session_info|[a-z]+_file[a-z_]*)\b", INSTRUCTIONS))
    assert named <= tools


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_sees_instructions_version_and_the_core_tools(world: AgentWorld, mode: str) -> None:
    async def ask(client: Client) -> Any:
        return client.instructions, client.server_info, await client.list_tools()

    instructions, info, listed = asked(world, ask, mode=mode)
    assert instructions == INSTRUCTIONS
    assert info.version
    assert [tool.name for tool in listed.tools] == [tool.name for tool in registry.load(())]


def test_making_a_server_leaves_the_root_logger_as_it_was(world: AgentWorld) -> None:
    root = logging.getLogger()
    found, level = list(root.handlers), root.level
    for handler in found:
        root.removeHandler(handler)
    try:
        AgentServer(world, (), ChangeNotifier(world.session))
        assert root.handlers == []
        assert root.level == level
    finally:
        for handler in found:
            root.addHandler(handler)


def test_session_info_says_whom_it_talks_to(world: AgentWorld, workspace: Path) -> None:
    body = answered(world, "session_info")
    assert body["agent"] == "tester"
    assert body["session_id"] == "s-test"
    assert body["workspace"] == str(workspace)
    assert body["attached"] is True


def test_a_part_from_a_file_is_in_the_session_and_in_sketchup(
    world: AgentWorld, session: Session, sketchup: Any, workspace: Path
) -> None:
    (workspace / "lid.cmp.oo").write_text("[cube 10 20 30]")
    body = answered(world, "vcad_place", node_id="lid", source_file="lid.cmp.oo", position=["1 m", 0, "1 in"])
    assert body["volume"] == pytest.approx(6000)
    assert body["in_sketchup"] is True
    assert body["pending"] is None
    assert session["lid"].volume == pytest.approx(6000)
    assert sketchup.placed("lid-1").transform[12:15] == pytest.approx((1000, 0, 25.4))
    session.watch_pause()  # what follows the file by itself would be before the agent
    (workspace / "lid.cmp.oo").write_text("[cube 10 20 40]")
    updated = answered(world, "vcad_update", node_id="lid", expected_revision=body["revision"])
    assert updated["revision"] > body["revision"]
    assert updated["volume"] == pytest.approx(8000)
    stale = answered(world, "vcad_update", node_id="lid", expected_revision=body["revision"])
    assert stale["error_code"] == "REVISION_CONFLICT"
    assert stale["details"]["current"] == updated["revision"]


def test_without_sketchup_a_part_is_placed_all_the_same_and_the_answer_says_what_waits(
    world: AgentWorld, session: Session, workspace: Path
) -> None:
    (workspace / "lid.cmp.oo").write_text("[cube 10 20 30]")
    body = answered(world, "vcad_place", node_id="lid", source_file="lid.cmp.oo")
    assert body["success"] is True
    assert body["in_sketchup"] is False
    assert "SketchUp" in body["pending"]
    rows = answered(world, "vcad_list_nodes")["nodes"]
    assert [(row["node_id"], row["status"], row["sketchup"]) for row in rows] == [
        ("lid", "active", "to be pushed")
    ]
    removed = answered(world, "vcad_node", node_id="lid")
    assert removed["source"] == {"kind": "file", "file": "lid.cmp.oo", "text": "[cube 10 20 30]"}


def test_a_parameter_is_set_within_its_range_only(world: AgentWorld, session: Session) -> None:
    session.evaluate('[defparam width 20 {:min 10 :max 50 :unit "mm"}]\n[cube width 10 10]', name="bar")
    body = answered(world, "vcad_set_parameter", node_id="bar", name="width", value="3 cm")
    assert body["volume"] == pytest.approx(3000)
    far = answered(world, "vcad_set_parameter", node_id="bar", name="width", value=90)
    assert far["error_code"] == "SCHEMA_VALIDATION_FAILED"
    assert "10 to 50" in far["details"]["expected"]
    unknown = answered(world, "vcad_set_parameter", node_id="bar", name="height", value=9)
    assert unknown["details"]["expected"] == "one of width"
    assert session["bar"].volume == pytest.approx(3000)


def test_code_is_measured_evaluated_and_checked_without_leaving_anything(
    world: AgentWorld, session: Session
) -> None:
    assert answered(world, "vcad_inspect", source="[cube 1 2 3]")["volume"] == pytest.approx(6)
    assert answered(world, "vcad_eval", code="[+ 1 2]")["display"] == "3"
    found = answered(world, "vcad_check", source="\n[cube 1 2 nonsense]")["diagnostics"]
    assert found[0]["line"] == 2
    assert session.nodes() == ()


def test_a_failure_of_the_model_is_an_answer_with_its_place(world: AgentWorld) -> None:
    body = answered(world, "vcad_inspect", source="\n[cube 1 2 nonsense]")
    assert body["error_code"].startswith("LOON")
    assert body["details"]["line"] == 2
    assert body["details"]["operation"]


@pytest.mark.parametrize(
    ("arguments", "path"),
    [({}, "node_id"), ({"node_id": "a", "colour": "red"}, "colour"), ({"node_id": 3}, "node_id")],
)
def test_wrong_arguments_are_refused_by_name(world: AgentWorld, arguments: dict[str, Any], path: str) -> None:
    result = called(world, "vcad_node", **arguments)
    assert result.is_error
    assert result.structured_content is not None
    assert result.structured_content["error_code"] == "SCHEMA_VALIDATION_FAILED"
    assert result.structured_content["details"]["path"] == path


def test_a_tool_of_another_pack_is_named_with_its_pack(world: AgentWorld) -> None:
    result = asked(world, lambda client: client.call_tool("get_git_diff", {"path": "."}))
    assert result.structured_content["error_code"] == "TOOL_NOT_FOUND"
    assert "--pack files" in result.structured_content["details"]["fix"]


def test_what_to_do_is_said_by_the_tools_that_are_shown(world: AgentWorld, workspace: Path) -> None:
    (workspace / "plate.oo").write_text("[cube 1 1 1]")

    def fix(*packs: str, **arguments: Any) -> str:
        result = asked(world, lambda client: client.call_tool("read_file", arguments), *packs)
        assert result.structured_content == json.loads(result.content[0].text)
        return str(result.structured_content["details"]["fix"])

    assert fix(path="plat.oo") == "did you mean plate.oo?"
    assert fix(path="nothing") == "relative paths begin at the workspace"
    assert "list_directory" in fix("files", path="nothing")
    assert "vcad_reference" in fix(path="vcad://reference/fillet")


def test_a_place_outside_the_workspace_is_refused(world: AgentWorld, workspace: Path) -> None:
    (workspace.parent / "other.oo").write_text("[cube 1 1 1]")
    body = answered(world, "vcad_place", node_id="x", source_file="../other.oo")
    assert body["error_code"] == "PATH_NOT_ALLOWED"
    assert body["details"]["workspace"] == str(workspace)


def test_an_export_is_written_below_the_workspace(
    world: AgentWorld, session: Session, workspace: Path
) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    body = answered(world, "vcad_export", source="lid", format="stl")
    assert body["path"] == ".vcad/exports/lid.stl"
    assert (workspace / body["path"]).stat().st_size == body["bytes"]


def test_resources_say_what_the_tools_say(world: AgentWorld, session: Session) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")

    async def ask(client: Client) -> list[str]:
        wanted = ("vcad://nodes", "vcad://node/lid/source", "vcad://reference/fillet", "vcad://diagnostics")
        return [(await client.read_resource(one)).contents[0].text for one in wanted]  # type: ignore[union-attr]

    nodes, source, page, diagnostics = asked(world, ask)
    assert json.loads(nodes)["nodes"][0]["node_id"] == "lid"
    assert source == "[cube 1 2 3]"
    assert "fillet" in page
    assert json.loads(diagnostics)["diagnostics"] == {"lid": []}


def test_prompts_name_the_part(world: AgentWorld) -> None:
    async def ask(client: Client) -> Any:
        return await client.get_prompt("model_part", {"name": "lid", "purpose": "a lid"})

    assert "'lid': a lid" in asked(world, ask).messages[0].content.text


def test_a_part_is_placed_once_more_or_refused_as_the_agent_wishes(
    world: AgentWorld, session: Session, sketchup: Any
) -> None:
    session.evaluate("[cube 1 2 3]", name="leg")
    turned = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]
    first = answered(world, "vcad_place", node_id="leg", transformation=turned, position=["1 cm", 0, 0])
    assert first["created"] is True
    assert sketchup.placed("leg-1").transform == pytest.approx((*turned[:12], 10, 0, 0, 1))
    again = answered(world, "vcad_place", node_id="leg", if_exists="error")
    assert again["error_code"] == "INVALID_PARAMS"
    second = answered(world, "vcad_place", node_id="leg", position=[50, 0, 0], if_exists="add_instance")
    assert second["entity_id"] != first["entity_id"]
    assert sketchup.placed("leg-2").transform[12:15] == pytest.approx((50, 0, 0))


def test_a_cascade_goes_on_after_a_failure_and_says_which(
    world: AgentWorld, session: Session, sketchup: Any, workspace: Path
) -> None:
    for name in ("a", "b"):
        (workspace / f"{name}.oo").write_text("[cube 1 1 1]")
        answered(world, "vcad_place", node_id=name, source_file=f"{name}.oo")
    (workspace / "a.oo").write_text("[cube 1 1 nonsense]")
    body = answered(world, "vcad_update_cascade", node_ids=["a", "b", "c"])
    assert (body["updated"], body["failed"]) == (["b"], ["a", "c"])
    codes = [row["error_code"] for row in body["results"]]
    assert codes[0].startswith("LOON")
    assert codes[1:] == [None, "NODE_NOT_FOUND"]
    both = answered(world, "vcad_update_cascade", node_id="a", node_ids=["b"])
    assert both["error_code"] == "SCHEMA_VALIDATION_FAILED"


def test_health_says_what_answers(world: AgentWorld, session: Session) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    body = answered(world, "vcad_health")
    assert body["status"] == "ok"
    assert body["sidecar"] == {"status": "in_process", "protocol_version": 1}
    assert body["viewer"] == {"status": "none", "protocol_version": 1, "shown": []}
    assert body["sketchup"] == {"status": "not_running", "version": None, "mock": False}
    assert body["last_error"]


def test_the_figures_are_those_of_the_session(world: AgentWorld, session: Session) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    body = answered(world, "vcad_metrics")
    report = session.metrics()
    assert {name: body[name] for name in NAMES} == {name: report[name] for name in NAMES}
    assert body["eval_latency_ms"]["count"] == 1
    assert body["manifest_read_errors"] == []


def test_what_a_client_sends_and_is_answered_is_written_down_under_one_id(
    world: AgentWorld, session: Session
) -> None:
    answered(world, "vcad_node", node_id="lid")
    world.close()
    session.close()
    folder = session.log.folder()
    assert folder is not None
    lines = [json.loads(line) for line in (folder / "comms.jsonl").read_text().splitlines()]
    calls = [one for one in lines if one["kind"] == "tools/call"]
    assert [one["direction"] for one in calls] == ["in", "out"]
    assert {one["agent"] for one in calls} == {"tester"}
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    (called_,) = [one for one in events if one["event"] == "tool_called"]
    assert {one["request_id"] for one in calls} == {called_["request_id"]}


class _Slow(Arguments):
    pass


class _Over(Answer):
    over: bool


def test_a_client_hears_every_few_seconds_of_a_call_that_says_nothing(
    world: AgentWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[tuple[float, str | None]] = []
    enough = threading.Event()

    def waits(_arguments: _Slow, call: Call) -> _Over:
        call.progress(1, 4, "begun")
        assert enough.wait(LIMIT)
        call.progress(2, 4, "ending")
        return _Over(over=True)

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message))
        if len(heard) == 4:
            enough.set()

    tool = Tool("waits", "core", "R", True, "Wait.", _Slow, _Over, waits)
    monkeypatch.setattr(registry, "_tools_of", lambda pack: (tool,) if pack == "core" else ())
    monkeypatch.setattr(server, "_HEARTBEAT", 0.01)
    result = asked(world, lambda client: client.call_tool("waits", {}, progress_callback=hear))
    assert result.structured_content == {"success": True, "over": True}
    numbers = [number for number, _ in heard]
    assert numbers == sorted(set(numbers))
    assert (1, "begun") in heard
    assert str(heard[-1][1]).startswith(("waits: ", "ending"))
    assert any(str(message).startswith("waits: ") for _, message in heard)
