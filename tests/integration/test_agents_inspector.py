"""A foreign client: the MCP inspector's command line, of another maker, in TypeScript.

It speaks an older version of the protocol than the SDK's own client, checks every answer against the
schemas that it was shown, and starts `vcad mcp` anew for each request.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.session_records import live_records
from tests.integration.kernel import Kernel
from tools.npm_peers import program

_LIMIT = 120.0
"""Seconds for one run, on a machine that does other things too."""

Ask = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def inspector() -> list[str]:
    found = program("mcp-inspector")
    if found is None:
        pytest.fail(
            "the inspector is not there: run `python -m tools.npm_peers`, or leave this out with "
            "`pytest --ignore=tests/integration/test_agents_inspector.py`",
            pytrace=False,
        )
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


def run(command: list[str], folder: Path) -> dict[str, Any]:
    done = subprocess.run(
        command, cwd=folder, env=dict(os.environ), capture_output=True, text=True, timeout=_LIMIT, check=False
    )
    assert done.returncode == 0, done.stderr
    answered: dict[str, Any] = json.loads(done.stdout)
    return answered


@pytest.fixture
def over_stdio(inspector: list[str], workspace: Path) -> Ask:
    """Asks by a `vcad mcp` that the inspector starts."""

    def ask(method: str, *options: str) -> dict[str, Any]:
        server = [
            sys.executable,
            "-m",
            "vcad_kernel",
            "mcp",
            "--workspace",
            str(workspace),
            "--pack",
            "files",
        ]
        return run([*inspector, *server, "--method", method, *options], workspace)

    return ask


def test_tools_are_shown_with_their_schemas(over_stdio: Ask) -> None:
    tools = {one["name"]: one for one in over_stdio("tools/list")["tools"]}
    assert {"session_info", "vcad_place", "write_file"} <= set(tools)
    assert "run_shell" not in tools
    assert tools["vcad_inspect"]["annotations"]["readOnlyHint"] is True
    assert tools["vcad_remove"]["annotations"]["destructiveHint"] is True
    assert tools["vcad_inspect"]["outputSchema"]["type"] == "object"


def test_a_call_works_in_the_persons_session(over_stdio: Ask) -> None:
    called = over_stdio("tools/call", "--tool-name", "session_info")["structuredContent"]
    assert called["attached"] is True
    assert called["agent"] == "inspector-cli"
    assert called["session_id"] == live_records()[0].session_id
    part = over_stdio("tools/call", "--tool-name", "vcad_node", "--tool-arg", "node_id=plate")
    assert part["structuredContent"]["node_id"] == "plate"


def test_a_failure_reaches_the_model_as_a_result(over_stdio: Ask) -> None:
    failed = over_stdio("tools/call", "--tool-name", "vcad_inspect", "--tool-arg", "source=[cube 1 2]")
    assert failed["isError"] is True
    body = json.loads(failed["content"][0]["text"])
    assert body == failed["structuredContent"]
    assert body["success"] is False
    assert body["error_code"]
    unknown = over_stdio("tools/call", "--tool-name", "vcad_node", "--tool-arg", "node_id=nobody")
    assert unknown["structuredContent"]["error_code"] == "NODE_NOT_FOUND"


def test_resources_and_prompts(over_stdio: Ask) -> None:
    assert "vcad://nodes" in {one["uri"] for one in over_stdio("resources/list")["resources"]}
    read = over_stdio("resources/read", "--uri", "vcad://node/plate/source")
    assert "[cube 40 30 5]" in read["contents"][0]["text"]
    templates = over_stdio("resources/templates/list")["resourceTemplates"]
    assert "vcad://node/{name}" in {one["uriTemplate"] for one in templates}
    assert over_stdio("prompts/list")["prompts"]


def test_a_picture(over_stdio: Ask) -> None:
    shown = over_stdio("tools/call", "--tool-name", "vcad_screenshot", "--tool-arg", "node_id=plate")
    assert [one["mimeType"] for one in shown["content"] if one["type"] == "image"] == ["image/png"]


def test_a_picture_of_nothing_is_refused_in_words(over_stdio: Ask) -> None:
    shown = over_stdio("tools/call", "--tool-name", "vcad_screenshot", "--tool-arg", "node_id=nobody")
    assert shown["isError"] is True
    assert "nobody" in shown["structuredContent"]["error"]
