"""What agents read without a call: the same as the tools say, for the same agents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.mcp.changes import addresses
from notebook_ext.agents.world import AgentWorld
from notebook_ext.session.events import SessionEvent
from notebook_ext.session.session import Session
from tests.notebook_ext.agents.mcp.test_server import asked


def read(world: AgentWorld, uri: str) -> tuple[str | None, str]:
    async def ask(client: Client) -> Any:
        return (await client.read_resource(uri)).contents[0]

    content = asked(world, ask)
    return content.mime_type, content.text


def refused(world: AgentWorld, uri: str) -> str:
    async def ask(client: Client) -> str:
        with pytest.raises(MCPError) as failed:
            await client.read_resource(uri)
        return str(failed.value)

    said = asked(world, ask)
    assert isinstance(said, str)
    return said


def test_what_there_is_to_read_is_listed(world: AgentWorld) -> None:
    async def ask(client: Client) -> Any:
        return await client.list_resources(), await client.list_resource_templates()

    resources, templates = asked(world, ask)
    assert {str(one.uri) for one in resources.resources} == {
        "vcad://nodes",
        "vcad://diagnostics",
        "vcad://selection",
        "vcad://reference",
    }
    assert {one.uri_template for one in templates.resource_templates} == {
        "vcad://node/{name}",
        "vcad://node/{name}/source",
        "vcad://reference/{name}",
    }


def test_a_node_is_read_by_name_and_by_id(world: AgentWorld, session: Session) -> None:
    session.evaluate("[cube 1 2 3]", name="träger 2")
    mime_type, text = read(world, "vcad://node/tr%C3%A4ger%202")
    assert mime_type == "application/json"
    assert json.loads(text)["source"]["text"] == "[cube 1 2 3]"
    assert read(world, f"vcad://node/{json.loads(text)['node_id']}/source") == ("text/plain", "[cube 1 2 3]")
    (row,) = json.loads(read(world, "vcad://nodes")[1])["nodes"]
    assert row["node_id"] == json.loads(text)["node_id"]


def test_changes_are_told_under_the_nodes_id_and_its_name() -> None:
    told = addresses(SessionEvent("evaluated", "träger 2", 3))
    assert told == (
        "vcad://nodes",
        "vcad://node/tr:e4:ger:20:2",
        "vcad://node/tr:e4:ger:20:2/source",
        "vcad://node/tr%C3%A4ger%202",
        "vcad://node/tr%C3%A4ger%202/source",
        "vcad://diagnostics",
    )
    assert addresses(SessionEvent("pushed", None)) == ("vcad://nodes", "vcad://selection")
    assert "vcad://selection" in addresses(SessionEvent("removed", "lid"))


def test_findings_of_all_parts_are_those_of_their_files_now(world: AgentWorld, workspace: Path) -> None:
    (workspace / "lid.oo").write_text("[cube 1 1 1]")
    assert call_tool(world, "vcad_place", {"node_id": "lid", "source_file": "lid.oo"}, agent="a").success
    (workspace / "lid.oo").write_text("\n[cube nope 1 1]")
    found = json.loads(read(world, "vcad://diagnostics")[1])["diagnostics"]
    assert [(one["file"], one["line"]) for one in found["lid"]] == [("lid.oo", 2)]


def test_a_selected_instance_is_told_with_its_part_and_the_form_that_made_it(
    world: AgentWorld, sketchup: Any, workspace: Path
) -> None:
    (workspace / "lid.oo").write_text("[let s 3]\n[cube s s s]")
    placed = call_tool(world, "vcad_place", {"node_id": "lid", "source_file": "lid.oo"}, agent="a").body
    row = {"persistent_id": placed["persistent_id"], "name": "lid"}
    sketchup._get_selection = lambda: {"success": True, "count": 2, "entities": [dict(row), {"entity_id": 7}]}
    ours, other = json.loads(read(world, "vcad://selection")[1])["entities"]
    assert (ours["instance_id"], ours["node_id"], other) == ("lid-1", "lid", {"entity_id": 7})
    assert ours["made_by"] == {"file": "lid.oo", "function": "cube", "line": 2, "text": "[cube s s s]"}
    world.session.forget(["lid"])
    assert json.loads(read(world, "vcad://selection")[1])["entities"][0]["made_by"] == {"file": "lid.oo"}


def test_what_the_person_has_selected_is_read_from_sketchup(world: AgentWorld, sketchup: Any) -> None:
    sketchup._get_selection = lambda: {"success": True, "count": 1, "entities": [{"entity_id": 7}]}
    assert json.loads(read(world, "vcad://selection")[1])["entities"] == [{"entity_id": 7}]


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("vcad://node/nope", "NODE_NOT_FOUND"),
        ("vcad://node/nope/source", "NODE_NOT_FOUND"),
        ("vcad://reference/nope", "the reference has no page"),
        ("vcad://selection", "SketchUp is not there"),
        ("vcad://nothing", "vcad://nothing"),
    ],
)
def test_what_cannot_be_read_says_why(world: AgentWorld, uri: str, said: str) -> None:
    assert said in refused(world, uri)


def test_a_policy_that_lets_an_agent_read_nothing_holds_for_resources(
    world: AgentWorld, session: Session
) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    session.approvals().policy.set("R", "deny", agent="tester")
    for uri in ("vcad://nodes", "vcad://node/lid", "vcad://node/lid/source", "vcad://diagnostics"):
        assert "APPROVAL_DENIED" in refused(world, uri), uri


def test_a_reading_is_in_the_log_under_the_agents_name(world: AgentWorld) -> None:
    heard: list[Any] = []
    world.on_call(heard.append)
    read(world, "vcad://nodes")
    assert [(one["tool"], one["agent"]) for one in heard] == [("vcad_list_nodes", "tester")]


def test_the_reference_has_a_page_for_each_name_of_its_contents(world: AgentWorld) -> None:
    contents = read(world, "vcad://reference")[1]
    assert "fillet" in contents
    assert "[fillet" in read(world, "vcad://reference/fillet")[1]
    assert "%" in contents
    assert "[% " in read(world, "vcad://reference/%25")[1]
