"""Tools that take a path refuse what no agent may reach, and bind their changes to what was seen (C5)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import pytest

from notebook_ext.agents.calls.call import Tool
from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.registry import load
from notebook_ext.agents.world import AgentWorld

_SECRET: Final = "TOKEN-9f3"

_GIVEN: Final[dict[str, Any]] = {
    "start_line": 1,
    "end_line": 1,
    "text": "TOKEN",
    "pattern": "**/*",
    "name": "f",
    "class_name": "F",
    "content": "def f(): pass",
    "max_depth": 2,
}


def _tools() -> list[Tool]:
    found = [one for one in load(("files", "python")) if one.pack in ("files", "python")]
    found = [one for one in found if "path" in one.arguments.model_fields]
    found += [one for one in load(()) if one.name in ("read_file", "set_file_slice")]
    return found


def _arguments(tool: Tool, path: str) -> dict[str, Any]:
    fields = tool.arguments.model_fields
    return {"path": path, **{name: value for name, value in _GIVEN.items() if name in fields}}


@pytest.fixture
def secrets(workspace: Path) -> Path:
    """A workspace with all that must not be reached, inside and outside."""
    outside = workspace.parent / "outside"
    outside.mkdir()
    for folder in (workspace / ".vcad", workspace / ".git" / "hooks", outside):
        folder.mkdir(parents=True, exist_ok=True)
        for suffix in ("py", "loon", "toml"):
            (folder / f"secret.{suffix}").write_text(_SECRET)
    (workspace / ".env").write_text(_SECRET)
    (workspace / "link.py").symlink_to(outside / "secret.py")
    (workspace / "link.loon").symlink_to(outside / "secret.loon")
    (workspace / "folder").symlink_to(outside)
    return outside


_PATHS: Final = (
    "../outside/secret.py",
    "../outside/secret.loon",
    "folder/secret.py",
    "folder/new.loon",
    "link.py",
    "link.loon",
    ".env",
    ".vcad/secret.py",
    ".git/hooks/secret.loon",
    ".git/hooks/pre-commit",
    "/proc/self/environ",
    "x/../../outside/secret.py",
)


@pytest.mark.parametrize("tool", _tools(), ids=lambda one: one.name)
def test_no_tool_reaches_what_is_denied(tool: Tool, world: AgentWorld, secrets: Path) -> None:
    before = sorted((one.name, one.read_bytes()) for one in secrets.iterdir())
    for path in _PATHS:
        outcome = call_tool(world, tool.name, _arguments(tool, path), agent="tester")
        assert outcome.body["error_code"] == "PATH_NOT_ALLOWED", (path, outcome.body)
        assert {"path", "workspace", "operation"} <= set(outcome.body["details"])
        assert outcome.body["details"]["operation"] == tool.name
        assert _SECRET not in str(outcome.body)
    assert sorted((one.name, one.read_bytes()) for one in secrets.iterdir()) == before
    assert not (world.workspace / ".git" / "hooks" / "pre-commit").exists()


@pytest.mark.parametrize("tool", [one for one in _tools() if one.risk == "R"], ids=lambda one: one.name)
def test_what_looks_over_the_workspace_shows_none_of_it(tool: Tool, world: AgentWorld, secrets: Path) -> None:
    (world.workspace / "plain.py").write_text("class F:\n    def f(self): pass\nf = 1\n")
    outcome = call_tool(world, tool.name, _arguments(tool, "."), agent="tester")
    said = str(outcome.body)
    assert _SECRET not in said
    for name in ("secret", "link.py", ".env", "hooks"):
        assert name not in said.replace(str(world.workspace), "")


@pytest.mark.parametrize("tool", [one for one in _tools() if one.risk != "R"], ids=lambda one: one.name)
def test_every_change_can_be_bound_to_what_was_seen(tool: Tool, world: AgentWorld) -> None:
    world.approvals.policy.set("W", "allow")
    for name, text in (("a.loon", "[let f 1]\n"), ("a.py", "f = 1\ndef f(): return 2\n")):
        (world.workspace / name).write_text(text)
    path = "a.py" if tool.pack == "python" else "new.loon" if tool.name == "create_file" else "a.loon"
    given = {**_arguments(tool, path), "expected_revision": 99}

    outcome = call_tool(world, tool.name, given, agent="tester")

    assert outcome.body["error_code"] == "REVISION_CONFLICT"
    assert {"node_id", "expected", "current", "operation"} <= set(outcome.body["details"])
    assert (world.workspace / "a.loon").read_text() == "[let f 1]\n"
    assert not (world.workspace / "new.loon").exists()
    assert "return 2" in (world.workspace / "a.py").read_text()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
@pytest.mark.parametrize("tool", _tools(), ids=lambda one: one.name)
def test_no_tool_waits_for_a_pipe_or_reads_a_file_without_end(tool: Tool, world: AgentWorld) -> None:
    os.mkfifo(world.workspace / "pipe.py")
    os.mkfifo(world.workspace / "pipe.loon")
    with (world.workspace / "large.py").open("wb") as file:
        file.truncate(2**40)
    (world.workspace / "large.loon").hardlink_to(world.workspace / "large.py")
    for path in ("pipe.py", "pipe.loon", "large.py", "large.loon"):
        outcome = call_tool(world, tool.name, _arguments(tool, path), agent="tester")
        assert outcome.success is False
        assert outcome.body["error_code"] != "INTERNAL_ERROR", outcome.body
    over_all = call_tool(world, tool.name, _arguments(tool, "."), agent="tester")
    assert over_all.body.get("error_code") != "INTERNAL_ERROR", over_all.body


@pytest.mark.parametrize("tool", _tools(), ids=lambda one: one.name)
def test_no_argument_makes_a_tool_fail_of_itself(tool: Tool, world: AgentWorld) -> None:
    (world.workspace / "a.py").write_text("def f():\n    return 1\n")
    (world.workspace / "a.loon").write_text("[let f 1]\n")
    for strange in (
        "",
        "\ud800",
        "\0",
        "é" * 300,
        "a" * 5000,
        "[",
        "(" * 200,
        "{",
        "*" * 60,
        "\n",
        "f\r",
        "..",
    ):
        for path in ("a.py", "a.loon", strange):
            for name in tool.arguments.model_fields.keys() & _GIVEN.keys() | {"path"}:
                given = {**_arguments(tool, path), name: strange}
                outcome = call_tool(world, tool.name, given, agent="tester")
                assert outcome.body.get("error_code") != "INTERNAL_ERROR", (given, outcome.body)
