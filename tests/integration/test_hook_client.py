"""A script outside and a person's kernel: `HookClient` works in the session of a running notebook."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from notebook_ext.agents.client import HookClient
from notebook_ext.session_records import live_records
from tests.integration.kernel import Kernel

PLATE = "%%loon plate\n[defparam width 40 {:min 1 :max 90}] [cube width 5 5]"


@pytest.fixture
def notebook(kernel_process: Kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kernel]:
    """A kernel whose session has announced itself."""
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.delenv("VCAD_SESSION", raising=False)
    workspace = tmp_path / "shelf"
    workspace.mkdir()
    monkeypatch.chdir(workspace)
    kernel_process.begin_anew(workspace)
    for cell in ("%load_ext notebook_ext", PLATE):
        outcome = kernel_process.run(cell)
        assert outcome.status == "ok", outcome.traceback
    yield kernel_process
    kernel_process.begin_anew()


@pytest.fixture
def client(notebook: Kernel) -> HookClient:
    found = HookClient()
    assert found.wait_for_server(60)
    found.confirm(found.pair("a script"), notebook.run("print(session.approvals())").text.split()[-1])
    found.get_events()
    return found


def test_the_script_of_the_page_runs_as_it_is_written(notebook: Kernel, client: HookClient) -> None:
    page = (Path(__file__).parents[2] / "docs" / "hooks.md").read_text("utf-8")
    script, _pairing, log, *_ = re.findall(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    with ThreadPoolExecutor() as pool:
        running = pool.submit(exec, compile(script + log, "docs/hooks.md", "exec"), names)
        received = client.wait_for_event("ask_received", 60)
        assert received is not None
        assert client.respond(received["payload"]["request_id"], {"approved": False})
        running.result(60)
    assert notebook.run("session['plate'].volume").plain == "1125.0"


def test_a_script_moves_what_the_notebook_shows(notebook: Kernel, client: HookClient) -> None:
    seq = client.set_value("param.width", 50)["seq"]
    done = client.wait_for_event("task_done", 60)
    assert done is not None
    assert done["payload"]["task"] == seq
    assert notebook.run("session['plate'].volume").plain == "1250.0"
    notebook.run("session.view()")
    shown = client.get_value("viewer.show_edges")
    client.set_value("viewer.show_edges", not shown)
    assert client.wait_for_value("viewer.show_edges", not shown, 60)
    assert notebook.run("session.view().state.edges").plain == str(not shown)


def test_a_cell_that_waits_for_a_yes_has_it_from_outside(notebook: Kernel, client: HookClient) -> None:
    client.get_events()
    waiting = notebook.begin("session.approvals().ask('confirmation', 'may it?', {'n': 1}, timeout_s=60)")
    received = client.wait_for_event("ask_received", 60)
    assert received is not None
    (ask,) = client.list_asks()
    assert (ask["summary"], ask["payload"]) == ("may it?", {"n": 1})
    assert client.get_value("param.width") == 40  # while the cell waits
    busy = client.get_performance()
    assert (busy["kernel_busy"], busy["input_lag_ms"]) == (True, None)
    assert client.respond(ask["request_id"], {"approved": True, "reason": "go on"})
    outcome = notebook.outcome(waiting)
    assert outcome.status == "ok", outcome.traceback
    assert "'reason': 'go on'" in outcome.plain
    idle = client.get_performance()
    assert idle["kernel_busy"] is False
    assert 0 <= idle["input_lag_ms"] < 60_000
    assert idle["rss_mb"] > 1
    assert idle["fps"] is None  # nothing in a notebook measures it


def test_a_session_that_is_busy_answers_504_in_its_time_and_all_else_at_once(
    notebook: Kernel, client: HookClient, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    waits = f"session.submit(lambda: open({str(gate)!r}).read())"
    assert notebook.run(f"waiting = {waits}").status == "ok"
    with ThreadPoolExecutor() as pool:
        late = pool.submit(client.get_project)
        assert client.get_state()["status"] == "executing"
        assert client.get_events() is not None
        assert not late.done()
        gate.write_text("go on")
        assert late.result(60)["revision"] == 0


def test_the_calls_of_a_script_are_in_the_logs_with_its_name_and_without_the_token(
    notebook: Kernel, client: HookClient, tmp_path: Path
) -> None:
    named = HookClient(agent="a test's script")
    assert named.call("vcad_list_nodes")["nodes"][0]["node_id"] == "plate"
    (record,) = live_records()
    assert "a test's script" in client.get_log("toolcalls")
    client._transport.once("GET", f"/api/logs/{record.token}", timeout=60)
    logs = list((tmp_path / "shelf" / ".vcad" / "logs").glob("session-*/*"))
    assert {one.name for one in logs} >= {"events.jsonl", "toolcalls.jsonl", "toolcalls.md", "hooks.log"}
    for one in logs:
        assert record.token not in one.read_text()
    assert "GET /api/logs/*** 404" in client.get_log("hooks")
