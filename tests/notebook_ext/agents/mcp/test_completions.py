"""What a client completes while its user types, and what it is told of prompts and addresses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, PromptReference, ResourceTemplateReference

from notebook_ext.agents.world import AgentWorld
from notebook_ext.session.session import Session
from tests.notebook_ext.agents.mcp.test_server import asked

NODE = ResourceTemplateReference(type="ref/resource", uri="vcad://node/{name}")
PAGE = ResourceTemplateReference(type="ref/resource", uri="vcad://reference/{name}")
REVIEW = PromptReference(type="ref/prompt", name="review_part")


def completed(world: AgentWorld, ref: Any, typed: str, argument: str = "name") -> list[str]:
    async def ask(client: Client) -> Any:
        assert client.server_capabilities.completions is not None
        return await client.complete(ref, {"name": argument, "value": typed})

    values: list[str] = asked(world, ask).completion.values
    return values


def test_nodes_files_and_names_of_the_reference_are_completed(
    world: AgentWorld, session: Session, workspace: Path
) -> None:
    for name in ("plate", "base plate", "lid"):
        session.evaluate("[cube 1 2 3]", name=name)
    for name in ("parts/plate.oo", "plain.txt", ".hidden/.env.loon", "lid.loon"):
        path = workspace / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("[cube 1 2 3]")
    assert completed(world, NODE, "PL") == ["plate", "base plate"]
    assert completed(world, REVIEW, "l")[:3] == ["lid", "lid.loon", "base plate"]
    assert "parts/plate.oo" in completed(world, REVIEW, "pla")
    assert not [name for name in completed(world, REVIEW, "") if ".env" in name or name.endswith(".txt")]
    assert completed(world, PAGE, "fillet")[:3] == ["fillet", "fillet-2d", "fillet-at"]
    assert completed(world, REVIEW, "pl", "purpose") == []


def test_a_long_list_is_cut_and_says_so(world: AgentWorld) -> None:
    async def ask(client: Client) -> Any:
        return (await client.complete(PAGE, {"name": "name", "value": ""})).completion

    completion = asked(world, ask)
    assert len(completion.values) == 100 < completion.total
    assert completion.has_more is True


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("model_part", None, "needs name and purpose"),
        ("model_part", {"name": "lid"}, "needs purpose"),
        ("review_part", {}, "needs name"),
        ("build_part", None, "there is no prompt 'build_part'; there are model_part, review_part"),
    ],
)
def test_a_prompt_without_its_arguments_is_a_mistake_of_the_caller(
    world: AgentWorld, name: str, arguments: dict[str, str] | None, said: str
) -> None:
    async def ask(client: Client) -> MCPError:
        with pytest.raises(MCPError) as refused:
            await client.get_prompt(name, arguments)
        return refused.value

    refused = asked(world, ask)
    assert refused.error.code == INVALID_PARAMS
    assert said in refused.error.message


def test_every_argument_of_a_prompt_says_what_it_is(world: AgentWorld) -> None:
    async def ask(client: Client) -> Any:
        return (await client.list_prompts()).prompts

    arguments = {(one.name, given.name): given for one in asked(world, ask) for given in one.arguments}
    assert set(arguments) == {("model_part", "name"), ("model_part", "purpose"), ("review_part", "name")}
    assert all(given.description and given.required for given in arguments.values())


def test_a_file_is_reviewed_by_its_path(world: AgentWorld) -> None:
    async def ask(client: Client) -> Any:
        return [
            (await client.get_prompt("review_part", {"name": name})).messages[0].content.text  # type: ignore[union-attr]
            for name in ("base plate", "parts/lid.oo")
        ]

    node, file = asked(world, ask)
    assert "vcad://node/base%20plate/source" in node
    assert "parts/lid.oo (read_file)" in file


@pytest.mark.filterwarnings("ignore:resources/(un)?subscribe is removed")
@pytest.mark.parametrize(
    "uri", ["vcad://nothing", "vcad://reference/nothing", "file:///etc/passwd", "vcad://node/a/b"]
)
def test_what_there_can_never_be_is_not_subscribed_to(world: AgentWorld, uri: str) -> None:
    async def older(client: Client) -> int:
        await client.subscribe_resource("vcad://reference/fillet")
        with pytest.raises(MCPError) as refused:
            await client.subscribe_resource(uri)
        return refused.value.error.code

    async def newer(client: Client) -> Any:
        async with client.listen(resource_subscriptions=["vcad://nodes", uri]) as events:
            return events.honored.resource_subscriptions

    assert asked(world, older, mode="legacy") == INVALID_PARAMS
    assert asked(world, newer) == ["vcad://nodes"]
