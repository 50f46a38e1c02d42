"""Six tasks as an agent does them, by the tools that its client shows: few calls, few tokens, no dead end.

The limits are half of the calls that an agent needed before these tools were there, and its tokens. An answer
that fails counts as a dead end unless the task is about the failure.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Awaitable, Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from mcp.client.client import Client
from mcp_types import Implementation

from notebook_ext.agents.mcp.changes import ChangeNotifier
from notebook_ext.agents.mcp.server import AgentServer
from notebook_ext.agents.world import AgentWorld
from notebook_ext.session.session import Session
from notebook_ext.sketchup.bridge.link import SketchupLink
from tests.notebook_ext.front_end.notebook_page import Page, cell
from tests.sketchup.memory_bridge import MemorySketchUp, memory_bridge
from vcad_kernel.service.direct import DirectService

LIMIT = 120.0


class Agent:
    """A client, and what it has cost."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.calls = 0
        self.tokens = 0
        """Of the answers, JSON characters / 4; pictures are not text."""
        self.failed: list[dict[str, Any]] = []

    async def __call__(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The answer of a tool."""
        result = await self._client.call_tool(tool, arguments)
        body = result.structured_content
        assert isinstance(body, dict)
        self.calls += 1
        self.tokens += len(json.dumps(body, ensure_ascii=False)) // 4
        if not body["success"]:
            self.failed.append(body)
        return body


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentWorld]:
    """One session without a kernel for all tasks, beside a SketchUp in memory."""
    with pytest.MonkeyPatch.context() as patch:
        folder = (tmp_path_factory.mktemp("tasks") / "project").resolve()
        (folder / ".git").mkdir(parents=True)
        patch.delenv("VCAD_WORKSPACE", raising=False)
        for name in ("JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
            patch.setenv(name, str(folder.parent / "jupyter"))
        bridge = memory_bridge(MemorySketchUp(folder))
        patch.setattr(SketchupLink, "bridge", lambda self: bridge)
        shell: Any = SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1), user_ns={})
        session = Session(shell, DirectService(folder=folder), folder=folder)
        session.approvals().policy.set("X", "allow")
        yield AgentWorld(session, session_id="s-tasks")
        session.close()


def done(
    world: AgentWorld,
    task: Callable[[Agent], Awaitable[None]],
    *packs: str,
    calls: int,
    tokens: int,
    failures: int = 0,
) -> None:
    """Have a task done within its limits. failures: answers that it is about."""

    async def run() -> Agent:
        changes = ChangeNotifier(world.session)
        about = Implementation(name="tester", version="1")
        async with Client(AgentServer(world, packs, changes), client_info=about) as client:
            agent = Agent(client)
            await task(agent)
            return agent

    agent = asyncio.run(asyncio.wait_for(run(), LIMIT))
    assert len(agent.failed) == failures, agent.failed
    assert all(body["details"]["fix"] for body in agent.failed)
    assert agent.calls <= calls
    assert agent.tokens <= tokens


# ---- a: a bracket from a brief

BRACKET = """\
[defparam t 5.0 {:min 3 :max 12 :unit "mm"}]
[let base [cube 60 40 t]]
[let wall [cube t 40 50]]
[let bores [linear-pattern 0 1 0 2 20 [translate 40 10 -1 [cylinder 3 20]]]]
[pipe [union wall base]
  [difference bores]
  [fillet-at 4 {:convex false :parallel #[0 1 0]}]]
"""


def test_a_bracket_is_made_from_a_brief(world: AgentWorld) -> None:
    async def task(agent: Agent) -> None:
        assert (await agent("session_info"))["workspace"]
        await agent("vcad_list_nodes")
        found = await agent("vcad_reference", search="round selected edges")
        assert "fillet-at" in found["names"]
        pages = await agent("vcad_reference", name="fillet-at linear-pattern defparam")
        assert ":convex: true or false" in pages["text"]
        path = "parts/bracket.cmp.oo"
        await agent("set_file_slice", path=path, start_line=1, end_line=0, content=BRACKET)
        assert (await agent("vcad_check", source=path))["diagnostics"] == []
        placed = await agent("vcad_place", node_id="bracket", source_file=path)
        assert (placed["in_sketchup"], placed["bbox"]) == (True, [[0, 0, 0], [60, 40, 50]])
        inner = await agent("vcad_select", source="bracket", selection='{:made-by "fillet-at"}', of="faces")
        assert [row["radius"] for row in inner["rows"]] == pytest.approx([4])
        details = (await agent("vcad_inspect", source="bracket", details=True))["details"]
        assert [(hole["diameter"], hole["through"]) for hole in details["holes"]] == [
            (pytest.approx(6), True),
            (pytest.approx(6), True),
        ]
        assert details["wall"]["thickness"] == pytest.approx(5, abs=0.05)
        await agent("vcad_screenshot", node_id="bracket", labels=["dimensions"])

    done(world, task, calls=13, tokens=3100)


# ---- b: a broken model

BROKEN = """\
[let plate [cube 40 30 4]]
[fillet 3 plate]
"""


def test_a_broken_model_says_what_is_wrong_and_is_mended(world: AgentWorld) -> None:
    (world.workspace / "cover.oo").write_text(BROKEN)

    async def task(agent: Agent) -> None:
        assert (await agent("vcad_check", source="cover.oo"))["diagnostics"] == []
        broken = await agent("vcad_place", node_id="cover", source_file="cover.oo")
        assert (broken["details"]["line"], broken["error_code"]) == (2, "GEOMETRY_FAILED")
        await agent(
            "set_file_slice", path="cover.oo", start_line=2, end_line=2, content="[fillet 1.5 plate]\n"
        )
        mended = await agent("vcad_place", node_id="cover", source_file="cover.oo")
        assert mended["bbox"] == [pytest.approx([0, 0, 0]), pytest.approx([40, 30, 4])]
        await agent("vcad_screenshot", node_id="cover", section={"axis": "x", "at": 20})

    done(world, task, calls=7, tokens=900, failures=1)


# ---- c: a wall thickness in a file of 100 lines, with tests


def box_file() -> str:
    """A box with a lid's rim, in ninety-odd lines with four tests."""
    notes = "\n".join(f"; {n}: how this part came about, step by step" for n in range(78))
    return f"""\
{notes}
[let width 60.0]
[let depth 40.0]
[let height 25.0]
[let wall 2.0]
[fn inner [size] [- size [* 2.0 wall]]]
[fn body [] [cube width depth height]]
[fn cavity [] [translate wall wall wall [cube [inner width] [inner depth] height]]]
[fn box [] [difference [cavity] [body]]]
[test inner-width [] [assert-eq [inner width] [- width [* 2.0 wall]]]]
[test floor-is-a-wall [] [assert-eq wall [- height [- height wall]]]]
[test walls-hold [] [assert-eq true [>= wall 2.0]]]
[test fits-the-board [] [assert-eq true [>= [inner width] 54.0]]]
[box]
"""


def test_a_wall_is_made_thicker_in_a_long_file_and_its_tests_hold(world: AgentWorld) -> None:
    (world.workspace / "box.oo").write_text(box_file())
    world.session.place("box", world.workspace / "box.oo")

    async def task(agent: Agent) -> None:
        text = (await agent("read_file", path="box.oo"))["content"]
        line = text.splitlines().index("[let wall 2.0]") + 1
        await agent(
            "set_file_slice", path="box.oo", start_line=line, end_line=line, content="[let wall 3.0]\n"
        )
        tested = await agent("vcad_test", source="box.oo")
        assert (tested["passed"], tested["failed"]) == (4, 0)
        assert (await agent("vcad_update", node_id="box"))["in_sketchup"] is True
        measured = await agent("vcad_inspect", source="box", details=True)
        assert measured["details"]["wall"]["thickness"] == pytest.approx(3)
        assert measured["volume"] == pytest.approx(60 * 40 * 25 - 54 * 34 * 22)

    done(world, task, calls=5, tokens=2600)


# ---- d: four instances, one moved


def test_four_instances_stand_and_one_is_moved(world: AgentWorld) -> None:
    (world.workspace / "foot.oo").write_text("[cylinder 10 15]\n")

    async def task(agent: Agent) -> None:
        for number, (x, y) in enumerate(((0, 0), (200, 0), (0, 100), (200, 100)), 1):
            placed = await agent(
                "vcad_place",
                node_id="foot",
                source_file="foot.oo",
                instance_id=f"foot-{number}",
                position=[x, y, 0],
            )
            assert (placed["instance_id"], placed["in_sketchup"]) == (f"foot-{number}", True)
        moved = await agent("vcad_move", instance_id="foot-4", by=[0, 50, 0])
        assert moved["bbox"] == [pytest.approx([190, 140, 0]), pytest.approx([210, 160, 15])]
        stand = {
            one["instance_id"]: one["transformation"][12:15]
            for one in (await agent("vcad_node", node_id="foot"))["placed"]
        }
        assert stand == {
            "foot-1": [0, 0, 0],
            "foot-2": [200, 0, 0],
            "foot-3": [0, 100, 0],
            "foot-4": [200, 150, 0],
        }
        await agent("vcad_screenshot", view="top")

    done(world, task, calls=8, tokens=3400)


# ---- e: clearance and interference


def test_clearance_and_interference_are_a_call_each(world: AgentWorld) -> None:
    (world.workspace / "sleeve.oo").write_text(
        "[difference [translate 0 0 -1 [cylinder 5.1 42]] [cylinder 9 40]]\n"
    )
    (world.workspace / "pin.oo").write_text("[cylinder 5 60]\n")
    for name in ("sleeve", "pin"):
        world.session.place(name, world.workspace / f"{name}.oo")

    async def task(agent: Agent) -> None:
        free = await agent("vcad_distance", a="pin", b="sleeve")
        assert free["distance"] == pytest.approx(0.1, abs=0.01)
        assert (free["exact"], free["interference"]) == (True, 0)
        await agent("vcad_move", instance_id="pin", by=[1, 0, 0])
        tight = await agent("vcad_distance", a="pin", b="sleeve")
        assert tight["distance"] == 0
        assert 0 < tight["interference"] < math.pi * 25 * 40
        parts = '[let p [import :solid "node:pin"]]\n[let s [import :solid "node:sleeve"]]'
        parts = '[let p [import :solid "node:pin"]]\n[let s [import :solid "node:sleeve"]]'
        common = await agent("vcad_inspect", source=f"{parts}\n[intersection p s]")
        assert common["is_empty"] is True

    done(world, task, calls=8, tokens=1200)


# ---- f: a notebook cell


def test_a_cell_is_read_changed_and_run(world: AgentWorld) -> None:
    path = "plan.ipynb"
    cells = [cell("head", "# Plan", "markdown"), cell("one", "%%loon slab\n[cube 9 9 1]")]
    content = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    (world.workspace / path).write_text(json.dumps(content))
    page = Page(world.session.front_ends, world.workspace, {path: cells}, own=path)

    async def task(agent: Agent) -> None:
        seen = await agent("nb_get_cell", path=path, cell_id="#2")
        text = seen["source"].replace("9 9 1", "9 9 2")
        ran = await agent("nb_run_cell", cell_id="#2", content=text, expect_sha256=seen["sha256"])
        assert (ran["status"], page.notebooks[path][1]["source"]) == ("ok", "%%loon slab\n[cube 9 9 2]")

    done(world, task, "notebook", calls=2, tokens=400)
    page.leave()
