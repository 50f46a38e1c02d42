"""The tools for notebooks: on disk where they are closed, through the page where it is open."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from notebook_ext.agents.calls.call import Call, Preview
from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.calls.outcomes import Outcome
from notebook_ext.agents.registry import find
from notebook_ext.agents.world import AgentWorld
from notebook_ext.approval.deciding import Limits
from notebook_ext.workspace.notebooks.opened import digest
from tests.notebook_ext.front_end.notebook_page import Page, cell

PATH = "plan.ipynb"
LIMIT = 60.0


@pytest.fixture(autouse=True)
def _no_other_notebooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture
def notebook(workspace: Path) -> Path:
    """A file with a heading and a cell of code."""
    path = workspace / PATH
    cells = [cell("head", "# Plan", "markdown"), cell("one", "1")]
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}))
    return path


@pytest.fixture
def page(world: AgentWorld, notebook: Path) -> Page:
    """The same notebook on a page, where somebody has typed."""
    cells = [cell("head", "# Plan", "markdown"), cell("one", "1 + 1  # typed")]
    return Page(world.session.front_ends, notebook.parent, {PATH: cells}, own=PATH)


def allow_all(world: AgentWorld) -> None:
    """What a person may say for all that follows."""
    world.approvals.policy.set("X", "allow")


def run(world: AgentWorld, name: str, /, **arguments: Any) -> Mapping[str, Any]:
    """What a tool gives, past the person who would be asked."""
    outcome = outcome_of(world, name, **arguments)
    assert outcome.success, outcome.body
    return outcome.body


def outcome_of(world: AgentWorld, name: str, /, **arguments: Any) -> Outcome:
    """The answer to a call of an agent to whom a person says yes."""
    done: list[Outcome] = []
    world.approvals.attend("tests")

    def call() -> None:
        done.append(call_tool(world, name, arguments, agent="robot"))

    thread = threading.Thread(target=call)
    come = threading.Event()
    stop = world.approvals.on_change(lambda *_: come.set())
    try:
        thread.start()
        while thread.is_alive():
            for ask in world.approvals.open_asks():
                world.approvals.respond(ask.request_id, {"approved": True}, "tests")
            come.wait(0.02)
            come.clear()
        thread.join(LIMIT)
    finally:
        stop()
    return done[0]


def preview(world: AgentWorld, name: str, /, **arguments: Any) -> Preview:
    tool = find(name)
    assert tool.affects is not None
    return tool.affects(tool.arguments.model_validate(arguments), Call(world, "robot", "r-test"))


# ---- closed --------------------------------------------------------------------------------


def test_a_closed_notebook_is_read_and_changed_on_disk(world: AgentWorld, notebook: Path) -> None:
    listed = run(world, "nb_list_cells", path=PATH)
    assert [one["cell_id"] for one in listed["cells"]] == ["head", "one"]
    assert (listed["open"], listed["live"]) == (False, False)
    assert run(world, "nb_outline", path=PATH)["headings"][0]["text"] == "Plan"

    done = run(world, "nb_set_cell", path=PATH, cell_id="one", content="2")
    assert done["saved"] is True
    read = run(world, "nb_get_cell", path=PATH, cell_id="one")
    assert (read["source"], read["sha256"]) == ("2", done["sha256"])
    made = run(world, "nb_insert_cell", path=PATH, content="## More", cell_type="markdown", after="head")
    assert made["index"] == 2
    gone = run(world, "nb_delete_cell", path=PATH, cell_id="one")
    assert (gone["cell_id"], gone["index"]) == ("one", 3)

    left = ["".join(one["source"]) for one in json.loads(notebook.read_text())["cells"]]
    assert left == ["# Plan", "## More"]


def test_what_is_asked_shows_the_cell_and_not_the_file(world: AgentWorld, notebook: Path) -> None:
    seen = preview(world, "nb_set_cell", path=PATH, cell_id="one", content="2")
    assert seen.diff.splitlines()[2:] == ["@@ -1 +1 @@", "-1", "+2"]
    assert seen.summary == "Changes cell 2 of plan.ipynb."
    assert seen.paths == (str(notebook),)
    assert "+2" in preview(world, "nb_insert_cell", path=PATH, content="2", after="head").diff
    assert "-1" in preview(world, "nb_delete_cell", path=PATH, cell_id="#2").diff


def test_an_open_notebook_without_a_page_is_read_as_saved_and_not_changed(
    world: AgentWorld, notebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("notebook_ext.workspace.notebooks.opened.is_open", lambda path: path == notebook)
    before = notebook.read_bytes()

    read = run(world, "nb_get_cell", path=PATH, cell_id="one")
    assert (read["open"], read["live"], read["source"]) == (True, False, "1")
    for name, more in (
        ("nb_set_cell", {"cell_id": "one", "content": "2"}),
        ("nb_insert_cell", {"content": "2"}),
        ("nb_delete_cell", {"cell_id": "one"}),
        ("nb_run_cell", {"cell_id": "one"}),
    ):
        refused = outcome_of(world, name, path=PATH, **more)
        assert refused.body["error_code"] == "CAPABILITY_UNAVAILABLE"
        assert refused.body["details"]["required_capability"] == "vcad.notebook"
        assert refused.body["details"]["negotiated_capabilities"] == []
        assert refused.body["details"]["operation"] == name
    assert notebook.read_bytes() == before


def test_nobody_is_asked_for_a_change_that_cannot_be_made(
    world: AgentWorld, notebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.approvals.policy.set("W", "ask")
    monkeypatch.setattr("notebook_ext.workspace.notebooks.opened.is_open", lambda path: path == notebook)
    for name, more in (
        ("nb_set_cell", {"cell_id": "one", "content": "2"}),
        ("nb_insert_cell", {"content": "2"}),
        ("nb_delete_cell", {"cell_id": "one"}),
        ("nb_run_cell", {"cell_id": "one"}),
    ):
        assert (
            call_tool(world, name, {"path": PATH, **more}, agent="stranger").body["error_code"]
            == "CAPABILITY_UNAVAILABLE"
        )
    monkeypatch.setattr("notebook_ext.workspace.notebooks.opened.is_open", lambda path: False)
    stale = {"cell_id": "one", "content": "2", "expect_sha256": "0" * 64}
    assert (
        call_tool(world, "nb_set_cell", {"path": PATH, **stale}, agent="stranger").body["error_code"]
        == "REVISION_CONFLICT"
    )
    # what can be made is asked for, and nobody is there to say yes
    refused = call_tool(
        world, "nb_set_cell", {"path": PATH, "cell_id": "one", "content": "2"}, agent="stranger"
    )
    assert refused.body["error_code"] == "APPROVAL_REQUIRED"


@pytest.mark.parametrize(("lock", "name"), [("editable", "nb_set_cell"), ("deletable", "nb_delete_cell")])
def test_a_locked_cell_is_left_alone(world: AgentWorld, notebook: Path, lock: str, name: str) -> None:
    content = json.loads(notebook.read_text())
    content["cells"][1]["metadata"] = {lock: False}
    notebook.write_text(json.dumps(content))
    more = {"content": "2"} if name == "nb_set_cell" else {}
    refused = outcome_of(world, name, path=PATH, cell_id="one", **more)
    assert refused.body["error_code"] == "PATH_NOT_ALLOWED"
    assert refused.body["details"]["path"] == PATH
    assert json.loads(notebook.read_text()) == content


# ---- open ----------------------------------------------------------------------------------


def test_an_open_notebook_is_read_and_changed_on_its_page(
    world: AgentWorld, notebook: Path, page: Page
) -> None:
    before = notebook.read_bytes()
    listed = run(world, "nb_list_cells", path=PATH)
    assert (listed["open"], listed["live"]) == (True, True)
    assert listed["cells"][1]["first_line"] == "1 + 1  # typed"

    done = run(world, "nb_set_cell", path=PATH, cell_id="#2", content="2\r\n3")
    assert (done["saved"], done["cell_id"], done["sha256"]) == (False, "one", digest("2\n3"))
    made = run(world, "nb_insert_cell", path=PATH, content="x", after="")
    assert (made["cell_id"], made["index"]) == ("made", 1)
    assert run(world, "nb_insert_cell", path=PATH, content="end")["index"] == 4
    assert run(world, "nb_delete_cell", path=PATH, cell_id="head")["index"] == 2

    assert [one["source"] for one in page.notebooks[PATH]] == ["x", "2\n3", "end"]
    assert {one["agent"] for one in page.asked if one["method"] in ("set", "insert", "delete")} == {"robot"}
    assert notebook.read_bytes() == before


def test_what_a_person_types_in_the_last_moment_is_not_overwritten(world: AgentWorld, page: Page) -> None:
    def typing(request: dict[str, Any]) -> None:
        if request["method"] == "set":
            page.notebooks[PATH][1]["source"] = "mine"

    page.typed = typing
    refused = outcome_of(world, "nb_set_cell", path=PATH, cell_id="one", content="2")
    assert refused.body["error_code"] == "REVISION_CONFLICT"
    assert {"node_id", "expected", "current", "path"} <= refused.body["details"].keys()
    assert page.notebooks[PATH][1]["source"] == "mine"


@pytest.mark.parametrize("name", ["nb_set_cell", "nb_delete_cell", "nb_run_cell"])
def test_a_cell_that_is_not_the_one_that_was_read_is_left_alone(
    world: AgentWorld, page: Page, name: str
) -> None:
    allow_all(world)
    more = {"content": "2"} if name == "nb_set_cell" else {}
    refused = outcome_of(world, name, path=PATH, cell_id="one", expect_sha256=digest("1"), **more)
    assert refused.body["error_code"] == "REVISION_CONFLICT"
    assert refused.body["details"]["current"] == digest("1 + 1  # typed")
    assert page.notebooks[PATH][1]["source"] == "1 + 1  # typed"
    assert run(world, name, path=PATH, cell_id="one", expect_sha256=digest("1 + 1  # typed"), **more)


def test_a_page_that_was_left_somewhere_keeps_nobody_from_what_is_closed(
    world: AgentWorld, notebook: Path, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.silent = True
    world.session.front_ends._looking = 0.1
    assert run(world, "nb_get_cell", path=PATH, cell_id="one")["live"] is False
    assert run(world, "nb_set_cell", path=PATH, cell_id="one", content="2")["saved"] is True

    monkeypatch.setattr("notebook_ext.workspace.notebooks.opened.is_open", lambda path: path == notebook)
    read = run(world, "nb_get_cell", path=PATH, cell_id="one")
    assert (read["source"], read["open"], read["live"]) == ("2", True, False)
    refused = outcome_of(world, "nb_set_cell", path=PATH, cell_id="one", content="3")
    assert refused.body["error_code"] == "TIMEOUT"


# ---- running -------------------------------------------------------------------------------


def test_a_cell_is_run_with_what_it_says_once_a_person_has_seen_it(world: AgentWorld, page: Page) -> None:
    seen = preview(world, "nb_run_cell", cell_id="one")
    assert seen.code == "1 + 1  # typed"
    refused = call_tool(world, "nb_run_cell", {"cell_id": "one"}, agent="robot")
    assert refused.body["error_code"] == "APPROVAL_REQUIRED"
    assert "run" not in {one["method"] for one in page.asked}

    ran = run(world, "nb_run_cell", cell_id="one")
    assert (ran["status"], ran["outputs"], ran["path"]) == ("ok", ["ran\n"], PATH)
    assert (ran["cell"]["execution_count"], ran["cell"]["index"]) == (7, 2)


def test_a_yes_is_for_the_text_that_was_shown(world: AgentWorld, page: Page) -> None:
    assert run(world, "nb_run_cell", cell_id="one")["success"]
    page.notebooks[PATH][1]["source"] = "something else"
    world.approvals.limits = Limits(ask=0.05, ask_over_mcp=0.05)
    again = call_tool(world, "nb_run_cell", {"cell_id": "one"}, agent="robot")
    assert again.body["error_code"] in ("APPROVAL_REQUIRED", "APPROVAL_TIMEOUT")
    assert [one["method"] for one in page.asked].count("run") == 1


@pytest.mark.parametrize("name", ["nb_run_cell", "nb_set_cell", "nb_delete_cell"])
def test_a_text_that_is_exchanged_just_after_the_yes_is_left_alone(
    world: AgentWorld, page: Page, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """In the moment between the last look at what was approved and the call."""
    tool = find(name)

    def exchanged(asked: Any, call: Call) -> Any:
        page.notebooks[PATH][1]["source"] = "something else"
        return tool.run(asked, call)

    more = {"content": "2"} if name == "nb_set_cell" else {}
    monkeypatch.setattr("notebook_ext.agents.calls.calling.find", lambda _name: replace(tool, run=exchanged))
    refused = outcome_of(world, name, path=PATH, cell_id="one", **more)
    assert refused.body["error_code"] == "REVISION_CONFLICT"
    assert page.notebooks[PATH][1]["source"] == "something else"
    assert not {"run", "set", "delete"} & {one["method"] for one in page.asked}


def test_a_cell_that_fails_and_one_that_takes_too_long_are_told_apart(world: AgentWorld, page: Page) -> None:
    allow_all(world)
    page.notebooks[PATH] = [cell("bad", "fails"), cell("long", "forever"), cell("text", "x", "markdown")]
    assert run(world, "nb_run_cell", cell_id="bad")["status"] == "error"
    assert run(world, "nb_run_cell", cell_id="long", timeout_s=1)["status"] == "timed_out"


def test_a_cell_waits_for_the_one_that_runs_and_is_not_begun_in_vain(world: AgentWorld, page: Page) -> None:
    allow_all(world)
    page.comm.kernel = SimpleNamespace(_main_asyncio_lock=threading.Lock())
    with page.comm.kernel._main_asyncio_lock:
        busy = outcome_of(world, "nb_run_cell", cell_id="one", timeout_s=1)
    assert busy.body["error_code"] == "TIMEOUT"
    assert "run" not in {one["method"] for one in page.asked}


def test_a_call_that_is_given_up_ends_its_cell(world: AgentWorld, page: Page) -> None:
    allow_all(world)
    page.notebooks[PATH] = [cell("long", "forever")]
    cancelled = threading.Event()
    page.typed = lambda request: cancelled.set() if request["method"] == "run" else None
    outcome = call_tool(world, "nb_run_cell", {"cell_id": "long"}, agent="robot", cancelled=cancelled)
    assert outcome.body["error_code"] == "EVAL_CANCELLED"
    (ends,) = page.running.values()
    assert ends.wait(LIMIT)


def test_of_several_notebooks_on_one_kernel_one_must_be_named(
    world: AgentWorld, page: Page, workspace: Path
) -> None:
    allow_all(world)
    other = Page(world.session.front_ends, workspace, {"other.ipynb": [cell("one", "2")]}, own="other.ipynb")
    refused = outcome_of(world, "nb_run_cell", cell_id="one")
    assert refused.body["error_code"] == "INVALID_PARAMS"
    assert "other.ipynb" in refused.body["details"]["expected"]
    (workspace / "other.ipynb").write_text("{}")
    assert run(world, "nb_run_cell", cell_id="one", path="other.ipynb")["path"] == "other.ipynb"
    assert other.asked[-1]["method"] == "run"


def test_without_a_page_nothing_can_be_run(world: AgentWorld) -> None:
    allow_all(world)
    refused = outcome_of(world, "nb_run_cell", cell_id="one")
    assert refused.body["error_code"] == "CAPABILITY_UNAVAILABLE"
    assert refused.body["details"]["required_capability"] == "vcad.notebook"
