"""What an agent tried against a session, replayed over MCP as it was tried, and what came of it.

The person has said yes to scripts in advance, so that it is the sandbox that holds, and not the question.
"""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
import zipfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from anyio import to_thread
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import Implementation, PromptReference, ResourceTemplateReference

from notebook_ext.agents.client import HookClient
from notebook_ext.session_records import live_records
from notebook_ext.workspace.shell.sandbox import strongest_sandbox
from tests.geometry.mesh.reading.test_threemf_reading import NESTED, SOLID, model, package, solids
from tests.integration.kernel import Kernel
from tests.sketchup.headless import headless_sketchup
from tests.warm_processes import command

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(sys.platform == "win32", reason="scripts are for bash")]

_LIMIT = 90.0
"""Seconds for one answer, on a machine that does other things too."""
_NAME = Implementation(name="attacker", version="1")


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The person's home folder, with what must not be read in it."""
    folder = tmp_path_factory.mktemp("home")
    for name in (".ssh/id_ed25519", ".mozilla/cookies", "Documents/letter"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("hush\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def workspace(kernel_process: Kernel, home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A project with a repository, keys and passwords, and a notebook that works in it."""
    folder = home / "shelf"
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    for name in (".env", "my.pem", "a/.env", "secret.txt"):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("hush\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as environment, ExitStack() as running:
        data = tmp_path_factory.mktemp("data")
        (data / "policy.key").write_text("hush\n", encoding="utf-8")
        environment.setenv("JUPYTER_DATA_DIR", str(data))
        environment.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime")))
        environment.setenv("JPY_SESSION_NAME", str(folder / "plate.ipynb"))
        environment.setenv("HOME", str(home))
        sketchup = running.enter_context(headless_sketchup(workspace=folder))
        environment.setenv("SUPEX_PORT", str(sketchup.port))
        environment.delenv("VCAD_SESSION", raising=False)
        environment.chdir(folder)
        kernel_process.begin_anew(folder)
        for cell in (
            "%load_ext notebook_ext",
            "%%loon plate\n[cube 40 30 5]",
            "approvals = session.approvals(); approvals.policy.set('X', 'allow')",
            # nobody looks at questions here, and that is known at once
            "from dataclasses import replace; approvals.limits = replace(approvals.limits, seen=0.1)",
        ):
            outcome = kernel_process.run(cell)
            assert outcome.status == "ok", outcome.traceback
        yield folder
        kernel_process.begin_anew()


@pytest.fixture(scope="module")
async def agent(anyio_backend: str, workspace: Path) -> AsyncIterator[Client]:
    """Over `vcad mcp`, one for all tests here."""
    program, *arguments = command("tests.warm_vcad", "mcp", "--workspace", str(workspace), "--pack", "all")
    server = StdioServerParameters(command=program, args=arguments, env=dict(os.environ), cwd=str(workspace))
    async with Client(server, client_info=_NAME, read_timeout_seconds=_LIMIT) as client:
        yield client


@asynccontextmanager
async def over_http() -> AsyncIterator[Client]:
    """Straight at the session's ``/mcp``."""
    (record,) = live_records()
    headers = {"Authorization": f"Bearer {record.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=_LIMIT) as http:
        transport = streamable_http_client(f"{record.url}/mcp?packs=all", http_client=http)
        async with Client(transport, client_info=_NAME, read_timeout_seconds=_LIMIT) as client:
            yield client


async def answer(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool answers, whether it succeeds or fails."""
    body: dict[str, Any] | None = (await client.call_tool(tool, arguments)).structured_content
    assert body is not None
    return body


async def shell(client: Client, script: str) -> dict[str, Any]:
    return await answer(client, "run_shell", script=script, timeout_s=60)


def _shut_in() -> None:
    if strongest_sandbox() == "none":
        pytest.skip("this system offers no sandbox")


@pytest.fixture(scope="module")
def person(workspace: Path, kernel_process: Kernel) -> HookClient:
    """The person's own program: paired by the code that the notebook shows."""
    client = HookClient()
    client.confirm(
        client.pair("a terminal"), kernel_process.run("print(session.approvals())").text.split()[-1]
    )
    return client


async def answered(
    agent: Client, person: HookClient, response: dict[str, Any], tool: str, **arguments: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What comes of a call about which the person is asked, and the question. response: the person's."""
    asked: list[dict[str, Any]] = []

    def answers() -> None:
        while not asked:  # looking is what keeps the question open
            asked.extend(person.list_asks(approver="terminal"))
        assert person.respond(asked[0]["request_id"], response)

    came: list[dict[str, Any]] = []

    async def calls() -> None:
        came.append(await answer(agent, tool, **arguments))

    await to_thread.run_sync(lambda: person.list_asks(approver="terminal"))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(to_thread.run_sync, answers)
        tasks.start_soon(calls)
    return came[0], asked[0]


YES, NO = {"approved": True}, {"approved": False, "reason": "no"}


async def test_a_yes_to_a_script_is_none_to_what_takes_its_place(
    agent: Client, workspace: Path, person: HookClient, kernel_process: Kernel
) -> None:
    kernel_process.run("session.approvals().policy.set('X', 'ask')")
    try:
        script = {"script": "bash parts/build.oo", "timeout_s": 60}
        assert (await answer(agent, "create_file", path="parts/build.oo", content="echo harmless"))["success"]
        ran, asked = await answered(agent, person, YES, "run_shell", **script)
        assert (ran["success"], ran.get("stdout")) == (True, "harmless\n"), ran
        assert "echo harmless" in asked["code"]  # what an agent has written runs, too, and is shown
        assert (await answer(agent, "write_file", path="parts/build.oo", content="touch owned"))["success"]
        refused, asked = await answered(agent, person, NO, "run_shell", **script)
        assert refused["error_code"] == "APPROVAL_DENIED"
        assert "touch owned" in asked["code"]
        assert not (workspace / "owned").exists()
    finally:
        kernel_process.run("session.approvals().policy.set('X', 'allow')")


async def test_a_part_goes_only_with_a_yes_whichever_way_it_comes(
    agent: Client, workspace: Path, person: HookClient
) -> None:
    placed = await answer(agent, "vcad_place", node_id="plate")
    assert placed["success"], placed
    truth = workspace / "design_model.json"
    before = truth.read_bytes()
    project = await answer(agent, "project_get")
    gone = [{"op": "remove", "path": "/instances/plate-1"}, {"op": "remove", "path": "/components/plate"}]
    patch = {"base_revision": project["revision"], "patch": gone, "reason": "tidying up"}
    refused, asked = await answered(agent, person, NO, "project_patch", **patch)
    assert (refused["error_code"], asked["risk"]) == ("APPROVAL_DENIED", "D")
    assert asked["takes_away"] == ["part plate", "instance plate-1 of plate"]
    without = {**project["value"], "instances": {}, "components": {}}
    refused, asked = await answered(
        agent, person, NO, "write_file", path="design_model.json", content=json.dumps(without)
    )
    assert (refused["error_code"], asked["risk"]) == ("APPROVAL_DENIED", "D")
    for content in ("{}", "", "[]"):
        refused = await answer(agent, "write_file", path="design_model.json", content=content)
        assert refused["error_code"] in ("SCHEMA_VALIDATION_FAILED", "TRUTH_INVALID")
    assert truth.read_bytes() == before
    assert not list(workspace.glob("design_model.corrupt*"))


async def test_a_yes_with_edits_is_for_what_stood_there(
    agent: Client, workspace: Path, person: HookClient
) -> None:
    notes = workspace / "todo.md"
    notes.write_text("as it was\n", encoding="utf-8")
    call = {"path": "todo.md", "content": "the agent's\n"}
    edited = {**call, "content": "the agent's, and mine\n"}
    done, _ = await answered(agent, person, {**YES, "edited_args": edited}, "write_file", **call)
    assert done["changed_arguments"] == {"content": edited["content"]}
    assert (await answer(agent, "write_file", **edited))["success"]  # it stands there: nothing would change
    notes.write_text("what the person has made of it since\n", encoding="utf-8")
    refused, _ = await answered(agent, person, NO, "write_file", **edited)
    assert refused["error_code"] == "APPROVAL_DENIED"
    assert notes.read_text("utf-8") == "what the person has made of it since\n"


async def test_a_step_of_the_persons_in_sketchup_is_taken_back_with_a_yes_only(
    agent: Client, person: HookClient
) -> None:
    assert (await answer(agent, "vcad_place", node_id="plate"))["in_sketchup"]
    for tool in ("undo", "redo"):
        refused, asked = await answered(agent, person, NO, tool)
        assert (refused["error_code"], asked["risk"]) == ("APPROVAL_DENIED", "D")
    standing = await answer(agent, "scene_check")
    assert (standing["contaminated"], standing["missing"]) == (False, [])


async def test_an_agents_token_answers_nothing(workspace: Path) -> None:
    (record,) = live_records()
    headers = {"Authorization": f"Bearer {record.token}"}
    async with httpx2.AsyncClient(base_url=record.url, headers=headers, timeout=_LIMIT) as http:
        for path, body in (
            ("/api/ask/respond", {"request_id": "x", "response": YES}),
            ("/api/gui", {"action": "set_value", "item": "step_mode", "value": False}),
            ("/api/gui", {"action": "click", "item": "btn_approve"}),
            ("/api/gui", {"action": "click", "item": "btn_reset_session"}),
        ):
            refused = await http.post(path, json=body)
            assert (refused.status_code, refused.json()["error_code"]) == (403, "PERSON_ONLY")
        assert (await http.get("/api/asks?approver=me")).status_code == 403


async def test_a_name_that_another_has_is_no_yes(agent: Client, workspace: Path, person: HookClient) -> None:
    (workspace / "notes.md").write_text("one\n", encoding="utf-8")
    edit = {"path": "notes.md", "start_line": 1, "end_line": 0, "content": "more\n"}
    done, _ = await answered(agent, person, {**YES, "remember": "session"}, "set_file_slice", **edit)
    assert done["success"], done
    assert (await answer(agent, "set_file_slice", **edit))["success"]
    async with over_http() as other:  # it calls itself as the first one does
        refused, _ = await answered(other, person, NO, "set_file_slice", **edit)
        assert refused["error_code"] == "APPROVAL_DENIED"


async def test_nothing_that_can_be_run_is_written_among_exports_unasked(
    agent: Client, workspace: Path
) -> None:
    """The first half of H1: a script of the agent's own, where a person had said yes to running it."""
    script = "#!/bin/sh\ntouch /tmp/evil\n"
    said = await answer(agent, "write_file", path=".vcad/exports/report.sh", content=script)
    assert said["error_code"] == "APPROVAL_REQUIRED"  # it is asked for, and nobody looks
    said = await answer(agent, "write_file", path=".vcad/exports/report.step", content=script)
    assert said["error_code"] == "PATH_NOT_ALLOWED"
    assert said["details"]["path"] == ".vcad/exports/report.step"
    assert not list((workspace / ".vcad").glob("exports/**/*"))


async def test_what_a_script_leaves_runs_with_no_git_of_the_persons(agent: Client, workspace: Path) -> None:
    """The second half of H1, and M5: settings of git's own, made beside the sealed ones or further down."""
    _shut_in()
    ran = workspace.parent / "ran"
    said = await shell(
        agent,
        f"""
        mkdir -p .evil/objects .evil/refs sub
        printf '[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = "touch {ran}"\\n' > .evil/config
        cp .git/HEAD .evil/HEAD
        echo ../.evil > .git/commondir || echo commondir refused
        cp .evil/config .git/config || echo config refused
        echo 'touch {ran}' > .git/hooks/post-index-change || echo hooks refused
        mkdir -p .git/worktrees/x || echo worktrees refused
        # who watches may have set it aside between two of these
        cp -r .git sub/.git && rm -rf sub/.git/config && cp .evil/config sub/.git/config || true
        echo "gitdir: ../.evil" > a/.git
        git add secret.txt && git -c user.name=A -c user.email=a@b.c commit -qm one && echo committed
        """,
    )
    assert said["stdout"].splitlines() == [
        *("commondir refused", "config refused", "hooks refused", "worktrees refused", "committed")
    ], said["stderr"]
    assert {"sub/.git", "a/.git"} <= set(said["set_aside"])
    for folder in (".", "sub", "a", ".evil"):
        subprocess.run(["git", "status"], cwd=workspace / folder, check=False, capture_output=True)
    assert not ran.exists()
    assert not (workspace / ".git" / "commondir").exists()
    log = subprocess.run(
        ["git", "log", "--oneline"], cwd=workspace, check=True, capture_output=True, text=True
    )
    assert log.stdout.endswith("one\n")


async def test_a_script_reads_no_key_and_reaches_no_socket(
    agent: Client, workspace: Path, home: Path
) -> None:
    """M4, and what was read in H1: `.env`, keys, the policy's key, all of the home folder."""
    _shut_in()
    data = os.environ["JUPYTER_DATA_DIR"]
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(workspace / "x.sock"))
        listening.listen()
        said = await shell(
            agent,
            f"""
            grep -rs hush . {home} {data} ~ | grep -v scripts/ | grep -v secret.txt || echo nothing read
            ls -A {home} {data} 2> /dev/null | grep -v shelf || echo nothing seen
            echo 'import socket; socket.socket(socket.AF_UNIX).connect("x.sock")' > tried.py
            {sys.executable} tried.py || echo refused
            """,
        )
    assert [line for line in said["stdout"].splitlines() if line and not line.startswith("/")] == [
        *("nothing read", "nothing seen", "refused")
    ], said


async def test_a_script_does_not_take_all_processes(agent: Client) -> None:
    """M4."""
    said = await shell(agent, "for _ in {1..400}; do sleep 60 & done; wait")
    assert said["exit_code"] not in (0, None)
    assert "more than 256 processes" in said["stderr"] or "fork: " in said["stderr"]


async def test_a_second_name_of_a_file_opens_nothing(agent: Client, workspace: Path, home: Path) -> None:
    """L1: hard links to a file outside, and to one that is denied."""
    for name, other in (("a/hard.txt", home / "Documents" / "letter"), ("envhard.txt", workspace / ".env")):
        (workspace / name).hardlink_to(other)
        for tool, more in (
            ("read_file", {}),
            ("get_file_slice", {"start_line": 1, "end_line": 1}),
            ("set_file_slice", {"start_line": 1, "end_line": 1, "content": "mine\n"}),
        ):
            said = await answer(agent, tool, path=name, **more)
            assert said["error_code"] == "PATH_NOT_ALLOWED", tool
            assert "hush" not in str(said)
            assert said["details"]["path"] == name
        assert other.read_text(encoding="utf-8") == "hush\n"


async def test_copies_of_copies_are_refused_at_once(agent: Client, workspace: Path) -> None:
    """M1: seventeen made 18.5 MB of the project, and kept the session busy for 18 s."""
    before = await answer(agent, "project_get")
    doubling = [{"op": "copy", "from": "", "path": f"/components/x{index}"} for index in range(40)]
    with anyio.fail_after(_LIMIT):
        said = await answer(
            agent, "project_patch", base_revision=before["revision"], patch=doubling, reason="more"
        )
    assert said["error_code"] == "PAYLOAD_TOO_LARGE"
    assert said["details"]["limit"] == 4 * 2**20
    assert (await answer(agent, "project_get"))["value"] == before["value"]


async def test_nested_components_are_counted_before_they_are_built(agent: Client, workspace: Path) -> None:
    """L5: ten levels of ten took 66 s and 4 GiB."""
    bomb = package(model(solids(SOLID + NESTED) + '<build><item objectid="11"/></build>'))
    assert zipfile.is_zipfile(io.BytesIO(bomb))
    (workspace / "bomb.3mf").write_bytes(bomb)
    with anyio.fail_after(_LIMIT):
        said = await answer(agent, "vcad_inspect", source='[import-mesh "bomb.3mf"]')
    assert said["error_code"] in ("GEOMETRY_INVALID", "GEOMETRY_FAILED", "IMPORT_FAILED"), said
    assert "11111111111 objects" in said["error"]


async def test_connections_that_say_nothing_keep_nobody_out(workspace: Path) -> None:
    """L2: 900 were held for more than 35 s; a limit of 256 files would have been reached."""
    (record,) = live_records()
    port = int(record.url.rpartition(":")[2])
    with ExitStack() as opened:
        silent = []
        for _ in range(300):
            one = opened.enter_context(socket.create_connection(("127.0.0.1", port), 10))
            one.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127")
            silent.append(one)
        async with over_http() as client:
            assert (await answer(client, "session_info"))["success"]
        closed = await to_thread.run_sync(lambda: sum(_is_closed(one) for one in silent))
        assert closed >= 300 - 64


def _is_closed(one: socket.socket) -> bool:
    one.settimeout(0.0)
    try:
        one.recv(1)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


# ---- the protocol --------------------------------------------------------------------------


async def test_a_stream_that_is_to_go_on_is_a_fresh_one(workspace: Path) -> None:
    (record,) = live_records()
    headers = {
        "Authorization": f"Bearer {record.token}",
        "Accept": "application/json, text/event-stream",
        "Last-Event-ID": "7",
    }
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        },
    }
    async with httpx2.AsyncClient(headers=headers, timeout=_LIMIT) as http:
        begun = await http.post(f"{record.url}/mcp", json=hello)
        session = {"mcp-session-id": begun.headers["mcp-session-id"]}
        async with http.stream("GET", f"{record.url}/mcp", headers=session) as stream:
            assert stream.status_code == 200
            assert stream.headers["content-type"].startswith("text/event-stream")
        async with http.stream("GET", f"{record.url}/mcp") as stream:
            assert stream.status_code < 500


@pytest.mark.parametrize("way", ["stdio", "http"])
async def test_mistakes_of_the_caller_are_told_as_such_and_names_are_completed(
    agent: Client, workspace: Path, way: str
) -> None:
    async with AsyncExitStack() as stack:
        client = agent if way == "stdio" else await stack.enter_async_context(over_http())
        with pytest.raises(MCPError) as refused:
            await client.get_prompt("model_part", {"name": "lid"})
        assert refused.value.error.code == -32602
        assert "purpose" in refused.value.error.message
        for ref, typed, expected in (
            (ResourceTemplateReference(type="ref/resource", uri="vcad://node/{name}"), "pl", "plate"),
            (
                ResourceTemplateReference(type="ref/resource", uri="vcad://reference/{name}"),
                "fille",
                "fillet",
            ),
            (PromptReference(type="ref/prompt", name="review_part"), "pl", "plate"),
        ):
            completed = await client.complete(ref, {"name": "name", "value": typed})
            assert completed.completion.values[0] == expected
        async with client.listen(resource_subscriptions=["vcad://nodes", "vcad://nothing"]) as changes:
            assert changes.honored.resource_subscriptions == ["vcad://nodes"]
