"""Foreign clients: the TypeScript SDK's, the MCP inspector, and those that speak older versions of MCP.

They are of other makers than the Python SDK's client, and check every answer against the schemas that they
were shown.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from notebook_ext.session_records import live_records
from tests import warm_processes
from tests.integration.kernel import Kernel
from tools.npm_peers import program, script

_LIMIT = 120.0
"""Seconds for one run, on a machine that does other things too."""

_NOT_THERE = (
    "the npm programs are not there: run `python -m tools.npm_peers`, or leave this out with "
    "`pytest --ignore=tests/integration/test_foreign_clients.py`"
)


@pytest.fixture(scope="module")
def inspector() -> list[str]:
    found = program("mcp-inspector")
    if found is None:
        pytest.fail(_NOT_THERE, pytrace=False)
    return [*found, "--cli"]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a notebook that is open, with one part."""
    folder = tmp_path_factory.mktemp("inspected") / "shelf"
    folder.mkdir()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("JUPYTER_RUNTIME_DIR", str(folder.parent / "runtime"))
        environment.delenv("VCAD_SESSION", raising=False)
        kernel = Kernel(folder)
        for cell in ("%load_ext notebook_ext", "%%loon plate\n[cube 40 30 5]"):
            outcome = kernel.run(cell)
            assert outcome.status == "ok", outcome.traceback
        yield folder
        kernel.stop()


def _server(workspace: Path) -> list[str]:
    """The command of `vcad mcp`, as an agent's program is told it."""
    return warm_processes.command("tests.warm_vcad", "mcp", "--pack", "files", "--workspace", str(workspace))


def run(command: list[str], folder: Path, told: str = "") -> Any:
    done = subprocess.run(
        command,
        cwd=folder,
        env=dict(os.environ),
        input=told,
        capture_output=True,
        text=True,
        timeout=_LIMIT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module", params=["stdio", "http"])
def answers(request: pytest.FixtureRequest, workspace: Path) -> dict[str, Any]:
    """What the TypeScript SDK's client makes of our answers, by the name of each request."""
    command = script("typescript_client.mjs")
    if command is None:
        pytest.fail(_NOT_THERE, pytrace=False)
    if request.param == "http":
        (record,) = live_records()
        server: dict[str, Any] = {"url": f"{record.url}/mcp?packs=files", "token": record.token}
    else:
        program, *arguments = _server(workspace)
        server = {"command": program, "args": arguments}
    asked = [{"method": method, "params": params} for method, params in REQUESTS.values()]
    answered = run(command, workspace, json.dumps({"server": server, "requests": asked}))
    return dict(zip(REQUESTS, answered, strict=True))


def call(name: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    return "tools/call", {"name": name, "arguments": arguments}


REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "tools": ("tools/list", {}),
    "session": call("session_info"),
    "node": call("vcad_node", node_id="plate"),
    "failed": call("vcad_inspect", source="[cube 1 2]"),
    "unknown": call("vcad_node", node_id="nobody"),
    "picture": call("vcad_screenshot", node_id="plate"),
    "no picture": call("vcad_screenshot", node_id="nobody"),
    "resources": ("resources/list", {}),
    "source": ("resources/read", {"uri": "vcad://node/plate/source"}),
    "templates": ("resources/templates/list", {}),
    "prompts": ("prompts/list", {}),
    "prompt": ("prompts/get", {"name": "review_part", "arguments": {}}),
    "completed": (
        "completion/complete",
        {
            "ref": {"type": "ref/resource", "uri": "vcad://node/{name}"},
            "argument": {"name": "name", "value": "pl"},
        },
    ),
}


def test_the_typescript_sdk_works_in_the_persons_session(answers: dict[str, Any]) -> None:
    tools = {one["name"]: one for one in answers["tools"]["result"]["tools"]}
    assert {"session_info", "vcad_place", "write_file"} <= set(tools)
    assert "run_shell" not in tools
    assert tools["vcad_inspect"]["annotations"]["readOnlyHint"] is True
    assert tools["vcad_remove"]["annotations"]["destructiveHint"] is True
    assert tools["vcad_inspect"]["outputSchema"]["type"] == "object"
    session = answers["session"]["result"]["structuredContent"]
    assert (session["attached"], session["agent"]) == (True, "typescript-client")
    assert session["session_id"] == live_records()[0].session_id
    assert answers["node"]["result"]["structuredContent"]["node_id"] == "plate"
    shown = answers["picture"]["result"]["content"]
    assert [one["mimeType"] for one in shown if one["type"] == "image"] == ["image/png"]


def test_the_typescript_sdk_hears_of_failures_in_words(answers: dict[str, Any]) -> None:
    failed = answers["failed"]["result"]
    body = json.loads(failed["content"][0]["text"])
    assert (failed["isError"], body) == (True, failed["structuredContent"])
    assert body["success"] is False
    assert body["error_code"]
    assert answers["unknown"]["result"]["structuredContent"]["error_code"] == "NODE_NOT_FOUND"
    assert "nobody" in answers["no picture"]["result"]["structuredContent"]["error"]
    assert answers["prompt"]["error"]["code"] == -32602


def test_the_typescript_sdk_reads_and_completes(answers: dict[str, Any]) -> None:
    assert "vcad://nodes" in {one["uri"] for one in answers["resources"]["result"]["resources"]}
    assert "[cube 40 30 5]" in answers["source"]["result"]["contents"][0]["text"]
    templates = answers["templates"]["result"]["resourceTemplates"]
    assert "vcad://node/{name}" in {one["uriTemplate"] for one in templates}
    assert answers["prompts"]["result"]["prompts"]
    assert answers["completed"]["result"]["completion"]["values"] == ["plate"]


def test_the_inspector_shows_a_picture(inspector: list[str], workspace: Path) -> None:
    """It starts `vcad mcp` itself, and checks the answer against the schema that it was shown."""
    asked = ["--method", "tools/call", "--tool-name", "vcad_screenshot", "--tool-arg", "node_id=plate"]
    command = [*inspector, *_server(workspace), *asked]
    shown = run(command, workspace)
    assert [one["mimeType"] for one in shown["content"] if one["type"] == "image"] == ["image/png"]


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
def test_every_version_of_the_protocol_is_spoken(workspace: Path, version: str) -> None:
    """Word for word over HTTP, as a client of that day does it."""
    (record,) = live_records()
    with httpx2.Client(base_url=record.url, timeout=_LIMIT, trust_env=False) as http:
        headers = {
            "Authorization": f"Bearer {record.token}",
            "Accept": "application/json, text/event-stream",
        }

        def ask(method: str, number: int | None, **params: Any) -> Any:
            message = {"jsonrpc": "2.0", "method": method, "params": params}
            message |= {} if number is None else {"id": number}
            answer = http.post("/mcp", json=message, headers=headers)
            assert answer.status_code in (200, 202), answer.text
            headers.update({"mcp-session-id": answer.headers["mcp-session-id"]} if number == 1 else {})
            lines = [line.removeprefix("data:").strip() for line in answer.text.splitlines()]
            bodies = [json.loads(line) for line in lines if line.startswith("{")]
            return next((body for body in bodies if body.get("id") == number), {}).get("result")

        client = {"name": "a client of that day", "version": "1"}
        hello = ask("initialize", 1, protocolVersion=version, capabilities={}, clientInfo=client)
        assert hello["protocolVersion"] == version
        ask("notifications/initialized", None)
        headers["mcp-protocol-version"] = version
        assert len(ask("tools/list", 2)["tools"]) >= 16
        measured = ask("tools/call", 3, name="vcad_inspect", arguments={"source": "[cube 1 2 3]"})
        assert json.loads(measured["content"][0]["text"])["volume"] == pytest.approx(6)
