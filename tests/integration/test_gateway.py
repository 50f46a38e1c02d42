"""The gateway of a real kernel: it comes with the first ``%loon``, and goes with the kernel."""

from __future__ import annotations

import http.client
import json
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from notebook_ext.session_records import SessionRecord, live_records, write
from tests.integration.kernel import Kernel

SLOW = ("mcp", "starlette", "uvicorn", "pydantic", "httpx", "prometheus_client", "anyio")
LOADED = f"[m for m in {SLOW!r} if m in __import__('sys').modules]"


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "runtime"
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(folder))
    return folder


@pytest.fixture(params=[{}])
def notebook(
    request: pytest.FixtureRequest, runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Kernel]:
    """A kernel with the extension loaded, started as a notebook server starts it. Its parameter: options."""
    workspace = tmp_path / "shelf"
    workspace.mkdir()
    monkeypatch.setenv("JPY_SESSION_NAME", str(workspace / "plate.ipynb"))
    kernel = Kernel(workspace, **request.param)
    loaded = kernel.run("%load_ext notebook_ext")
    assert loaded.status == "ok", loaded.traceback
    yield kernel
    kernel.stop()


def records(runtime: Path) -> list[Path]:
    return sorted(runtime.glob("vcad-*.json"))


def asked(record: SessionRecord, path: str) -> int:
    port = int(record.url.rpartition(":")[2])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {record.token}"})
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


@pytest.mark.parametrize("notebook", [{"cold": True}], indirect=True, ids=["cold"])
def test_it_opens_with_the_first_magic_and_loads_with_the_first_visitor(
    notebook: Kernel, runtime: Path
) -> None:
    notebook.run("session.nodes()")
    assert records(runtime) == []
    assert notebook.value("session.gateway.is_open") == "False"
    assert notebook.run("%loon [+ 1 2]").plain == "3"
    (path,) = records(runtime)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert notebook.value(LOADED) == "[]"
    (record,) = live_records()
    assert record.notebook is not None
    assert record.notebook.endswith("plate.ipynb")
    assert record.workspace == str(Path(record.notebook).parent)
    assert asked(record, "/status") == 200
    assert asked(record, "/metrics") == 200
    again = notebook.run("%loon [+ 1 3]")
    assert again.text == ""
    assert live_records() == (record,)


def test_a_session_that_is_unloaded_is_announced_no_more(notebook: Kernel, runtime: Path) -> None:
    notebook.run("%loon [+ 1 2]")
    assert len(records(runtime)) == 1
    assert notebook.run("%unload_ext notebook_ext").status == "ok"
    assert records(runtime) == []


def test_a_kernel_that_leaves_takes_its_record_along(notebook: Kernel, runtime: Path) -> None:
    notebook.run("%loon [+ 1 2]")
    (record,) = live_records()
    assert asked(record, "/status") == 200
    notebook.leave()
    assert records(runtime) == []


def test_the_record_of_a_killed_kernel_is_ignored_and_removed(notebook: Kernel, runtime: Path) -> None:
    notebook.run("%loon [+ 1 2]")
    assert len(live_records()) == 1
    notebook.kill()
    notebook.stop()
    assert live_records() == ()
    assert records(runtime) == []


def test_loon_mcp_gives_the_line_to_paste_without_the_token(notebook: Kernel, runtime: Path) -> None:
    said = notebook.run("%loon_mcp --pack files")
    assert said.status == "ok", said.traceback
    (record,) = live_records()
    assert said.text.strip().endswith(f"mcp --session {record.notebook} --pack files")
    assert record.token not in said.text
    entry = json.loads(notebook.run("%loon_mcp --json").text)
    assert entry["mcpServers"]["vcad"]["args"][-3:] == ["mcp", "--session", record.notebook]
    assert notebook.run("%loon_mcp --help").text.startswith("usage: %loon_mcp")


def test_a_person_is_told_of_an_agent_that_works_without_a_notebook(
    notebook: Kernel, runtime: Path, tmp_path: Path
) -> None:
    pid = int(notebook.value("__import__('os').getpid()"))
    write(
        SessionRecord(
            session_id="s-headless",
            kernel_id=None,
            url="http://127.0.0.1:9",
            token="x",
            workspace=str(tmp_path / "shelf"),
            notebook=None,
            pid=pid,
            started_at="2100-01-01T00:00:00.000000+00:00",
        )
    )
    assert "without a notebook" in notebook.run("%loon [+ 1 2]").text
    assert "without a notebook" not in notebook.run("%loon [+ 1 2]").text


def test_a_cell_does_not_fail_because_the_session_cannot_be_announced(
    notebook: Kernel, runtime: Path
) -> None:
    runtime.mkdir(exist_ok=True)
    runtime.chmod(0o700)
    notebook.run("import os; os.environ['JUPYTER_RUNTIME_DIR'] = '/dev/null/nowhere'")
    assert notebook.run("%loon [+ 1 2]").plain == "3"
    failed = notebook.run("%loon_mcp")
    assert failed.status == "error"
    assert "cannot be written" in failed.traceback
