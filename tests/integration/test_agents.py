"""Agents and a person in one real kernel: MCP over `vcad mcp` and over HTTP, and cells between their calls.

The kernel is started by jupyter_client, as a notebook's is; both ways in are the SDK's own client.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import anyio
import httpx2
import pytest
from anyio import to_thread
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ResourceUpdated
from mcp.types import Implementation

from notebook_ext.agents.client import HookClient
from notebook_ext.session_records import SessionRecord, live_records
from tests.integration.kernel import Kernel
from tests.warm_processes import command

pytestmark = pytest.mark.anyio

_LIMIT = 90.0
"""Seconds for one answer, on a machine that does other things too."""
PLATE = "%%loon plate\n[defparam width 40 {:min 10 :max 90}]\n[cube width 30 5]"
SLOW = "import time\nprint('begun', flush=True)\nwhile True: time.sleep(0.01)"
"""A cell that computes until it is interrupted."""

Way = Literal["stdio", "http"]
WAYS: tuple[Way, ...] = ("stdio", "http")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.delenv("VCAD_SESSION", raising=False)
    folder = tmp_path / "shelf"
    folder.mkdir()
    monkeypatch.setenv("JPY_SESSION_NAME", str(folder / "plate.ipynb"))
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def notebook(kernel_process: Kernel, workspace: Path) -> Iterator[Kernel]:
    """A kernel whose session has announced itself, with one part."""
    kernel_process.begin_anew(workspace)
    with_a_part(kernel_process)
    yield kernel_process
    kernel_process.begin_anew()


@pytest.fixture
def mortal_notebook(workspace: Path) -> Iterator[Kernel]:
    """The same, in a process that a test may end."""
    kernel = Kernel(workspace)
    with_a_part(kernel)
    yield kernel
    kernel.stop()


def with_a_part(kernel: Kernel) -> None:
    for cell in ("%load_ext notebook_ext", PLATE):
        outcome = kernel.run(cell)
        assert outcome.status == "ok", outcome.traceback


@asynccontextmanager
async def attached(
    workspace: Path, way: Way = "stdio", *, name: str = "drawing-agent"
) -> AsyncIterator[Client]:
    """An agent: over `vcad mcp`, or straight at the session's ``/mcp``."""
    told = Implementation(name=name, version="1")
    if way == "stdio":
        program, *arguments = command(
            "tests.warm_vcad", "mcp", "--workspace", str(workspace), "--pack", "diagnostics"
        )
        server = StdioServerParameters(
            command=program, args=arguments, env=dict(os.environ), cwd=str(workspace)
        )
        async with Client(server, client_info=told, read_timeout_seconds=_LIMIT) as client:
            yield client
        return
    (record,) = live_records()
    headers = {"Authorization": f"Bearer {record.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=_LIMIT) as http:
        transport = streamable_http_client(f"{record.url}/mcp?packs=diagnostics", http_client=http)
        async with Client(transport, client_info=told, read_timeout_seconds=_LIMIT) as client:
            yield client


async def answer(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool answers, whether it succeeds or fails."""
    result = await client.call_tool(tool, arguments)
    body: dict[str, Any] | None = result.structured_content
    assert body is not None, result
    assert body["success"] is not result.is_error
    return body


async def in_thread(work: Any, *arguments: Any) -> Any:
    with anyio.fail_after(_LIMIT):
        return await to_thread.run_sync(work, *arguments)


@pytest.mark.parametrize("way", WAYS)
async def test_an_agent_works_on_the_persons_part(notebook: Kernel, workspace: Path, way: Way) -> None:
    async with attached(workspace, way) as agent:
        info = await answer(agent, "session_info")
        assert info["attached"] is True
        assert info["agent"] == "drawing-agent"
        set_width = await answer(agent, "vcad_set_parameter", node_id="plate", name="width", value="2 cm")
        assert set_width["volume"] == pytest.approx(20 * 30 * 5)
        # the person's notebook has it at once, and the agent what the person does next
        assert await in_thread(notebook.value, "round(session['plate'].volume)") == "3000"
        assert (await in_thread(notebook.run, PLATE.replace("30 5", "30 10"))).status == "ok"
        node = await answer(agent, "vcad_node", node_id="plate")
        assert node["revision"] == set_width["revision"] + 1
        failed = await answer(agent, "vcad_inspect", source="[cube 1 2]")
        assert failed["error_code"].startswith(("LOON_", "GEOMETRY_"))
        assert failed["details"]["operation"]


async def test_two_agents_and_a_person_lose_no_update(notebook: Kernel, workspace: Path) -> None:
    """Each takes turns as fast as it can; who is too late is told so, and nothing of it is done."""
    rounds = 4
    written: list[tuple[int, str, float, float]] = []

    async def work(agent: Client, name: str, first: int) -> None:
        done = 0
        while done < rounds:
            seen = (await answer(agent, "vcad_node", node_id="plate"))["revision"]
            arguments = {"node_id": "plate", "name": "width", "value": first + done}
            said = await answer(agent, "vcad_set_parameter", **arguments, expected_revision=seen)
            if said["success"]:
                if not said[
                    "stale_dropped"
                ]:  # else somebody was quicker: it shows what they made, and says so
                    written.append((said["revision"], name, first + done, said["volume"] / 150))
                done += 1
            else:
                assert said["error_code"] == "REVISION_CONFLICT"
                assert said["details"]["node_id"] == "plate"
                assert said["details"]["expected"] == seen
                assert said["details"]["current"] > seen

    def person() -> None:
        for width in range(80, 80 + rounds):
            ran = notebook.run(f"n = session.set_parameter('width', {width}, node_id='plate')")
            assert ran.status == "ok", ran.traceback

    before = int(await in_thread(notebook.value, "session.revision('plate')"))
    async with attached(workspace) as one, attached(workspace, "http", name="other-agent") as other:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(work, one, "drawing-agent", 20)
            tasks.start_soon(work, other, "other-agent", 50)
            tasks.start_soon(in_thread, person)
        revisions = [revision for revision, *_ in written]
        assert len(set(revisions)) == len(revisions) > 0
        # every change counts once: those of both agents and the person's
        assert int(await in_thread(notebook.value, "session.revision('plate')")) == before + 3 * rounds
        assert [width for *_, width in written] == pytest.approx([wished for *_, wished, _ in written])
        for name in ("drawing-agent", "other-agent"):
            mine = [(revision, wished) for revision, who, wished, _ in written if who == name]
            assert mine == sorted(mine)  # in the order in which they were wished


async def test_what_the_agent_has_seen_is_old_by_now(notebook: Kernel, workspace: Path) -> None:
    async with attached(workspace) as agent:
        seen = (await answer(agent, "vcad_node", node_id="plate"))["revision"]
        assert (await in_thread(notebook.run, PLATE.replace("30 5", "30 6"))).status == "ok"
        said = await answer(
            agent, "vcad_set_parameter", node_id="plate", name="width", value=60, expected_revision=seen
        )
        assert said["error_code"] == "REVISION_CONFLICT"
        assert (said["details"]["expected"], said["details"]["current"]) == (seen, seen + 1)
        assert await in_thread(notebook.value, "round(session['plate'].volume)") == "7200"


def _held_up(notebook: Kernel) -> None:
    """Have the session's thread be busy for as long as its process lives."""
    held = "import threading\nheld = threading.Event()\nsession.submit(held.wait)\nprint('held')"
    assert notebook.run(held).text.strip() == "held"


# a restart is a kill that the kernel knows of
@pytest.mark.parametrize("end", ["kill", pytest.param("restart", marks=pytest.mark.soak)])
async def test_a_kernel_that_ends_during_a_call(mortal_notebook: Kernel, workspace: Path, end: str) -> None:
    async with attached(workspace) as agent:
        before = await answer(agent, "session_info")
        await in_thread(_held_up, mortal_notebook)
        said: list[dict[str, Any]] = []

        async def call() -> None:
            said.append(await answer(agent, "vcad_update", node_id="plate"))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call)
            with anyio.fail_after(_LIMIT):
                while not _logged(workspace, "vcad_update"):
                    await anyio.sleep(0.05)
            await in_thread(mortal_notebook.kill if end == "kill" else mortal_notebook.restart)
        (open_end,) = said
        assert open_end["error_code"] == "UNKNOWN_OUTCOME"
        assert open_end["details"]["operation"] == "vcad_update"
        assert open_end["details"]["session_id"] == before["session_id"]
        assert "vcad_list_nodes" in open_end["error"]
        away = await answer(agent, "vcad_update", node_id="plate")
        assert away["error_code"] == "SESSION_UNAVAILABLE"
        assert "%loon" in away["error"]
        if end == "restart":
            for cell in ("%load_ext notebook_ext", PLATE):
                assert (await in_thread(mortal_notebook.run, cell)).status == "ok"
            told = await agent.call_tool("session_info")
            assert told.structured_content is not None
            assert told.structured_content["session_id"] != before["session_id"]
            assert "began anew" in told.content[-1].text  # type: ignore[union-attr]


def _logged(workspace: Path, tool: str) -> bool:
    """Whether a call of this tool has reached the session, as its log of messages says."""
    # a list of tools names it too, and the agent's library asks for one by itself
    texts = [log.read_text(encoding="utf-8") for log in workspace.glob(".vcad/logs/*/comms.jsonl")]
    lines = (line for text in texts for line in text.splitlines(keepends=True))
    messages = (json.loads(line) for line in lines if line.endswith("\n"))
    return any(
        message["direction"] == "in"
        and message["kind"] == "tools/call"
        and message["payload"]["name"] == tool
        for message in messages
    )


async def test_the_agent_stays_with_its_kernel(
    mortal_notebook: Kernel, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another notebook of the same folder is no replacement, however new it is."""
    async with attached(workspace) as agent:
        before = await answer(agent, "session_info")
        monkeypatch.setenv("JPY_SESSION_NAME", str(workspace / "gear.ipynb"))
        other = await in_thread(Kernel, workspace)
        try:
            for cell in ("%load_ext notebook_ext", "%%loon gear\n[cube 3 3 3]"):
                assert (await in_thread(other.run, cell)).status == "ok"
            assert (await answer(agent, "session_info"))["session_id"] == before["session_id"]
            await in_thread(mortal_notebook.kill)
            away = await answer(agent, "vcad_list_nodes")
            assert away["error_code"] in ("SESSION_UNAVAILABLE", "UNKNOWN_OUTCOME")
            away = await answer(agent, "vcad_list_nodes")
            assert away["error_code"] == "SESSION_UNAVAILABLE"
            (elsewhere,) = away["details"]["sessions"]
            assert elsewhere["notebook"].endswith("gear.ipynb")
            assert "token" not in elsewhere
        finally:
            other.stop()


@pytest.mark.parametrize("way", WAYS)
async def test_a_call_that_is_given_up_leaves_the_session_usable(
    notebook: Kernel, workspace: Path, way: Way
) -> None:
    async with attached(workspace, way) as agent:
        before = (await answer(agent, "vcad_node", node_id="plate"))["revision"]
        await in_thread(_held_up, notebook)
        async with anyio.create_task_group() as tasks:
            arguments = {"node_id": "plate", "name": "width", "value": 60}
            tasks.start_soon(agent.call_tool, "vcad_set_parameter", arguments)
            with anyio.fail_after(_LIMIT):
                while not _logged(workspace, "vcad_set_parameter"):
                    await anyio.sleep(0.05)
            tasks.cancel_scope.cancel()
        assert (await answer(agent, "session_info"))["success"]  # what the agent gave up is behind this
        assert (await in_thread(notebook.run, "held.set()")).status == "ok"
        # its turn has come and gone, and nothing was done
        assert (await answer(agent, "vcad_node", node_id="plate"))["revision"] == before
        assert await in_thread(notebook.value, "round(session['plate'].volume)") == "6000"
        small = await answer(agent, "vcad_inspect", source="[cube 10 10 10]")
        assert small["volume"] == pytest.approx(1000)


async def test_a_person_says_yes_and_no_to_an_agent(notebook: Kernel, workspace: Path) -> None:
    """The agent waits until somebody at a terminal has answered."""
    (workspace / "notes.txt").write_text("old\n", encoding="utf-8")
    hooks = HookClient()
    hooks.confirm(hooks.pair("a terminal"), notebook.run("print(session.approvals())").text.split()[-1])

    def say(decision: dict[str, Any]) -> None:
        asked: list[dict[str, Any]] = []
        while not asked:  # looking is what keeps the question open
            asked = hooks.list_asks(approver="terminal")
        assert (asked[0]["tool"], asked[0]["agent"]) == ("set_file_slice", "drawing-agent")
        assert hooks.respond(asked[0]["request_id"], decision)

    hooks.list_asks(approver="terminal")
    edit: dict[str, Any] = {"path": "notes.txt", "start_line": 1, "end_line": 1, "content": "new\n"}
    async with attached(workspace) as agent:
        denied = {"approved": False, "reason": "leave it"}
        for decision, code in ((denied, "APPROVAL_DENIED"), ({"approved": True}, None)):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(in_thread, say, decision)
                said = await answer(agent, "set_file_slice", **edit)
            assert said.get("error_code") == code
            if code is not None:
                assert "leave it" in said["error"]
                assert (workspace / "notes.txt").read_text(encoding="utf-8") == "old\n"
        assert (workspace / "notes.txt").read_text(encoding="utf-8") == "new\n"


@pytest.mark.parametrize("way", WAYS)
async def test_a_change_of_the_persons_is_told(notebook: Kernel, workspace: Path, way: Way) -> None:
    async with (
        attached(workspace, way) as agent,
        agent.listen(resource_subscriptions=["vcad://node/plate"]) as changes,
    ):
        await agent.call_tool("vcad_list_nodes")
        assert (await in_thread(notebook.run, PLATE.replace("30 5", "30 8"))).status == "ok"
        with anyio.fail_after(_LIMIT):
            assert await anext(changes) == ResourceUpdated(uri="vcad://node/plate")
        read = await agent.read_resource("vcad://node/plate/source")
        assert "30 8" in read.contents[0].text  # type: ignore[union-attr]


async def test_an_agent_without_a_notebook_moves_to_the_one_that_opens(workspace: Path) -> None:
    async with attached(workspace) as agent:
        lone = await answer(agent, "session_info")
        assert lone["attached"] is False
        (record,) = live_records()
        (workspace / "lid.oo").write_text("[cube 4 5 6]\n", encoding="utf-8")
        placed = await answer(agent, "vcad_place", node_id="lid", source_file="lid.oo")
        assert placed["success"], placed
        kernel = await in_thread(Kernel, workspace)
        try:
            assert (await in_thread(kernel.run, "%load_ext notebook_ext")).status == "ok"
            opened = await in_thread(kernel.run, PLATE)
            assert "an agent works in this project without a notebook" in opened.text
            moved = await agent.call_tool("session_info")
            assert moved.structured_content is not None
            assert moved.structured_content["attached"] is True
            assert "plate.ipynb" in moved.content[-1].text  # type: ignore[union-attr]
            with anyio.fail_after(_LIMIT):
                while _runs(record):
                    await anyio.sleep(0.05)
        finally:
            kernel.stop()


def _runs(record: SessionRecord) -> bool:
    return any(one.session_id == record.session_id for one in live_records())


async def test_a_wrong_token_is_not_let_in(notebook: Kernel, workspace: Path) -> None:
    (record,) = live_records()
    async with httpx2.AsyncClient(headers={"Authorization": "Bearer nobody"}) as http:
        answered = await http.post(f"{record.url}/mcp", json={})
        assert answered.status_code == 401
        assert answered.json()["error_code"] == "AUTH_INVALID"
        assert record.token not in answered.text


async def test_a_cell_that_computes_does_not_hold_an_agent_up(notebook: Kernel, workspace: Path) -> None:
    async with attached(workspace) as agent:
        await answer(agent, "session_info")
        request = await in_thread(notebook.begun, "begun", SLOW)
        inspected = await answer(agent, "vcad_inspect", source="[cube 10 10 10]")
        assert inspected["volume"] == pytest.approx(1000)
        (record,) = live_records()
        os.kill(record.pid, signal.SIGINT)
        assert (await in_thread(notebook.outcome, request)).status == "error"
