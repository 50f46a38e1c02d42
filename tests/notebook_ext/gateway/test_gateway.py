"""The gateway of a session: announced while it is open, served when somebody comes."""

from __future__ import annotations

import json
import os
import re
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.gateway.gateway import Gateway
from notebook_ext.session.log.metrics import GAUGES, NAMES
from notebook_ext.session.session import Session
from notebook_ext.session_records import live_records
from notebook_ext.version import version
from tests.notebook_ext.gateway.conftest import PATIENCE, Visitor
from vcad_kernel.errors import ServiceFailure


def test_a_gateway_that_nobody_opened_leaves_no_trace(gateway: Gateway, runtime: Path) -> None:
    assert not gateway.is_open
    assert (gateway.port, gateway.url, gateway.record) == (0, "", None)
    assert not runtime.exists()


def test_opening_announces_the_session_to_its_owner(gateway: Gateway, runtime: Path, workspace: Path) -> None:
    record = gateway.open()
    (path,) = runtime.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert json.loads(path.read_text()) == {
        "session_id": gateway.session_id,
        "kernel_id": "3f2a9c51",
        "url": f"http://127.0.0.1:{gateway.port}",
        "token": gateway.token,
        "viewer_token": gateway.viewer_token,
        "workspace": str(workspace),
        "notebook": "/projects/shelf/plate.ipynb",
        "pid": os.getpid(),
        "started_at": record.started_at,
    }
    assert live_records() == (record,)


def test_opening_twice_is_opening_once(gateway: Gateway) -> None:
    assert gateway.open() is gateway.open()


def test_closing_takes_record_and_port_away(gateway: Gateway, runtime: Path) -> None:
    record = gateway.open()
    number = gateway.port
    gateway.close()
    gateway.close()
    assert record not in live_records()
    assert list(runtime.iterdir()) == []
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", number), 1)
    with pytest.raises(ServiceFailure, match="closed") as refused:
        gateway.open()
    assert refused.value.error_code == "CAPABILITY_UNAVAILABLE"


def test_the_sessions_end_is_its_gateways_end(session: Session, runtime: Path) -> None:
    session.gateway.open()
    assert session.gateway is session.gateway
    session.close()
    assert list(runtime.iterdir()) == []


def test_a_record_that_cannot_be_written_is_told_and_leaves_no_port_open(
    gateway: Gateway, runtime: Path
) -> None:
    runtime.write_text("a file where the folder should be")
    with pytest.raises(ServiceFailure) as refused:
        gateway.open()
    assert refused.value.error_code == "CONNECTION_FAILED"
    assert str(runtime) in refused.value.message
    assert not gateway.is_open


def test_anybody_may_ask_for_the_status_and_hears_nothing_more(visit: Visitor) -> None:
    told = visit("/status", token="")
    assert told.status == 200
    assert told.json == {
        "status": "ok",
        "session_id": visit.gateway.session_id,
        "version": version(),
    }


@pytest.mark.parametrize("path", ["/mcp", "/mcp?packs=all", "/api/project", "/metrics", "/nothing"])
def test_every_other_door_wants_the_token(visit: Visitor, path: str) -> None:
    assert visit(path, token="").json["error_code"] == "AUTH_REQUIRED"
    assert visit(path, token="x" * 43).json["error_code"] == "AUTH_INVALID"
    assert visit(path, "POST", b"{}", token="x" * 43).status == 401


def test_a_page_with_its_own_name_for_this_machine_reaches_nothing(visit: Visitor) -> None:
    for path in ("/status", "/mcp", "/api/project"):
        assert visit(path, Host=f"evil.example:{visit.gateway.port}").status == 421
        assert visit(path, Origin="https://evil.example").status == 403


def test_the_page_of_a_running_notebook_server_may_ask(visit: Visitor, runtime: Path) -> None:
    lab = "http://localhost:8888"
    assert visit("/status", Origin=lab).status == 403
    told = {"url": f"{lab}/", "port": 8888, "pid": os.getpid(), "secure": False}
    (runtime / "jpserver-1.json").write_text(json.dumps(told))
    assert visit("/status", Origin=lab).headers["access-control-allow-origin"] == lab


def test_an_oversized_request_is_refused(visit: Visitor) -> None:
    told = visit("/api/project", "POST", b"x" * (2**20 + 1))
    assert told.status == 413
    assert told.json["error_code"] == "PAYLOAD_TOO_LARGE"


@pytest.mark.parametrize(
    ("method", "path", "status", "said"),
    [
        ("GET", "/", 404, "there is no / here"),
        ("GET", "/nothing", 404, "there is no /nothing here"),
        ("GET", "/api/nothing", 404, "there is nothing at /api/nothing"),
        ("GET", "/api", 404, "there is no /api here"),
        ("GET", "/metrics/", 404, "there is no /metrics/ here"),
        ("POST", "/status", 405, "/status takes GET, HEAD, not POST"),
        ("DELETE", "/metrics", 405, "/metrics takes GET, HEAD, not DELETE"),
    ],
)
def test_unknown_paths_and_wrong_methods_are_told_as_errors_are(
    visit: Visitor, method: str, path: str, status: int, said: str
) -> None:
    told = visit(path, method)
    assert (told.status, told.json["error_code"]) == (status, "METHOD_NOT_FOUND")
    assert re.match(said, told.json["error"])


def test_the_metrics_count_requests_and_calls(visit: Visitor) -> None:
    visit("/status")
    visit("/api/project", token="")
    world = visit.gateway.world
    assert call_tool(world, "session_info", {}, agent="tests").success
    assert not call_tool(world, "vcad_node", {"node_id": "nobody"}, agent="tests").success
    told = visit("/metrics")
    assert told.headers["content-type"].startswith("text/plain")
    lines = told.body.decode().splitlines()
    assert 'vcad_gateway_requests_total{entry_point="status",status="200"} 1.0' in lines
    assert 'vcad_gateway_requests_total{entry_point="api",status="401"} 1.0' in lines
    assert 'vcad_tool_calls_total{outcome="ok",tool="session_info"} 1.0' in lines
    assert 'vcad_tool_calls_total{outcome="NODE_NOT_FOUND",tool="vcad_node"} 1.0' in lines
    assert "vcad_open_asks 0.0" in lines


def test_the_metrics_have_every_figure_of_the_session(visit: Visitor, session: Session) -> None:
    session.evaluate("[cube 1 2 3]", name="lid")
    lines = visit("/metrics").body.decode().splitlines()
    for name in NAMES:
        assert f"vcad_{name} 0.0" in lines, name
        assert f"# TYPE vcad_{name} {'gauge' if name in GAUGES else 'counter'}" in lines
    assert 'vcad_eval_latency_seconds_bucket{le="+Inf"} 1.0' in lines
    assert 'vcad_eval_latency_seconds_bucket{le="0.005"} 0.0' in lines
    assert "vcad_eval_latency_seconds_count 1.0" in lines


def test_a_busy_session_keeps_nobody_waiting_who_only_looks(visit: Visitor, session: Session) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def compute() -> None:
        begun.set()
        go_on.wait(PATIENCE)

    computing = session.submit(compute)
    try:
        assert begun.wait(PATIENCE)
        assert visit("/status").status == 200
        assert visit("/api/asks").status == 200
        assert "vcad_session_busy 1.0" in visit("/metrics").body.decode().splitlines()
        assert not computing.done()
    finally:
        go_on.set()
    computing.result(PATIENCE)


_FORKED = """
import os, sys
from pathlib import Path
from notebook_ext.session.plain_shell import plain_shell
from notebook_ext.gateway.gateway import Gateway
from notebook_ext.session.session import Session
from notebook_ext.session_records import live_records
session = Session(plain_shell(), folder=Path(sys.argv[1]))
gateway = Gateway(session)
record = gateway.open()
if os.fork() == 0:
    gateway.close()
    sys.exit()  # and what is registered for the end of the process runs here, too
os.wait()
print(live_records() == (record,))
gateway.close()
session.close()
print(live_records())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_the_end_of_a_forked_child_is_not_the_sessions(runtime: Path, workspace: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _FORKED, str(workspace)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("True\n()\n", "")


def test_a_mistake_of_ours_is_told_without_its_insides(
    visit: Visitor, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken() -> object:
        raise RuntimeError("insides")

    visit("/status")
    monkeypatch.setattr(visit.gateway.world, "tally", broken)
    told = visit("/metrics")
    assert told.status == 500
    assert told.json["error_code"] == "INTERNAL_ERROR"
    assert b"insides" not in told.body
    said = capfd.readouterr()
    assert said.out + said.err == ""


@pytest.mark.parametrize(
    ("attached", "setting", "status"),
    [(True, None, 200), (False, None, 404), (True, "0", 404), (False, "1", 200)],
)
def test_the_hook_api_is_on_in_notebooks_alone_unless_a_setting_says_otherwise(
    session: Session, monkeypatch: pytest.MonkeyPatch, attached: bool, setting: str | None, status: int
) -> None:
    if setting is not None:
        monkeypatch.setenv("VCAD_HOOKS", setting)
    gateway = Gateway(session, attached=attached)
    try:
        gateway.open()
        told = Visitor(gateway)("/api/asks")
        assert told.status == status
        if status == 404:
            assert told.json["error_code"] == "METHOD_NOT_FOUND"
            assert "VCAD_HOOKS" in told.json["error"]
            assert Visitor(gateway)("/api/asks", token="").status == 401
    finally:
        gateway.close()


def test_a_gateway_that_cannot_serve_says_so_and_is_opened_anew(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch, runtime: Path
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ImportError("no such library")

    monkeypatch.setattr("notebook_ext.gateway.application.application", broken)
    first = gateway.open()
    listener = gateway._listener
    assert listener is not None
    told = Visitor(gateway)("/status")
    assert told.status == 503
    assert told.json["error_code"] == "INTERNAL_ERROR"
    listener._thread.join(PATIENCE)
    assert not gateway.is_open
    assert live_records() == ()
    assert str(gateway.failure) == "no such library"
    monkeypatch.undo()
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(runtime))
    again = gateway.open()
    assert gateway.failure is None
    assert (again.session_id, again.token) == (first.session_id, first.token)
    assert Visitor(gateway)("/status").status == 200
