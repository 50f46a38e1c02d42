"""What errors and logs tell: the user's own matters to the user, and nothing of the machine to anybody."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.service.security.real_service import ROOT, TOKEN, RealService, Wire, real_service

pytestmark = pytest.mark.xdist_group("security")  # they share one service

MARK = "unmistakable-secret"
FAULTY = "tests.service.worker.faulty"

FAILING: list[tuple[str, dict[str, Any]]] = [
    ("vcad.eval_code", {"code": f"[cube {MARK}]"}),
    ("vcad.eval_code", {"code": f'[println "{MARK}"] [/ 1 0]'}),
    ("vcad.eval_code", {"code": f'"{MARK}'}),
    ("vcad.eval_code", {"code": "[cube 1 1 1]", "tolerance": -1}),
    ("vcad.eval_code", {"code": '[import-mesh "nothing.stl"]'}),
    ("vcad.eval_code", {"code": "[use nothing]"}),
    ("vcad.eval_code", {"code": "[our-mistake]"}),
    ("vcad.eval_code", {"code": "[crash-exit 3]"}),
    ("vcad.eval_code", {"code": "[crash-abort]"}),
    ("vcad.eval_file", {"path": "nothing.loon"}),
    ("vcad.eval_file", {"path": "../x.loon"}),
    ("vcad.eval_file", {}),
    ("vcad.inspect", {"code_or_path": "[cube 1]"}),
    ("vcad.export", {"code_or_path": "[cube 1 1 1]", "format": "stl", "output_path": "no/such/a.stl"}),
    ("vcad.export", {"code_or_path": "[cube 1 1 1]", "format": "x", "output_path": "a.x"}),
    ("vcad.ask", {"question": "figures", "document_hash": "x"}),
    ("vcad.ask", {"question": "figures", "document_hash": "x", "document": {"records": "AAAA"}}),
    ("vcad.watch_start", {"dir": "nothing"}),
    ("vcad.modules", {}),
    ("vcad.nothing", {}),
    ("vcad.eval_with_imports", {"transformed_source": "x", "imports": {"0": {}}}),
    ("vcad.extract_imports", {"source": '[let x [import "a" :nothing]]'}),
    ("vcad.eval_repl", {"code": "["}),
    ("vcad.eval_cell", {"code": "x", "prelude": [{"cell_id": "a", "source_hash": "b"}]}),
    ("vcad.cancel", {}),
    ("vcad.release", {}),
]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, Any]], str, Path]:
    """All refusals of a service, its log when it has ended, and the folder of both."""
    folder = tmp_path_factory.mktemp("leaks")
    refusals = []
    with (
        real_service(
            folder,
            "--allow-worker-plugin",
            variables={"VCAD_WORKER_PLUGIN": FAULTY, "VCAD_EVAL_TIMEOUT_MS": "20000"},
        ) as service,
        service.session() as wire,
    ):
        for tool, arguments in FAILING:
            refusals.append(wire.refusal(tool, arguments))
        wire.result("vcad.eval_code", {"code": f'[println "{MARK}"] [cube 1 2 3]'})
        # a text without its end; and one that cannot be read at all
        for line in (b"{}", b"nonsense", f'{{"{MARK}": '.encode(), b'["x"]', b"\xff"):
            wire.say(line + b"\n")
            refusals.append(wire.line()["error"]["data"])
        for method in ("no/such/method", MARK * 100):
            refusals.append(wire.call(method)["error"]["data"])
    return refusals, (folder / "log").read_text(), folder


def test_refusals_name_no_place_of_the_machine(told: tuple[list[dict[str, Any]], str, Path]) -> None:
    refusals, _, folder = told
    workspace = str(folder / "workspace")
    for one in refusals:
        text = json.dumps(one).replace(workspace, "…")
        for place in (str(folder), str(ROOT), sys.prefix, sys.base_prefix, "/dev/shm", "site-packages"):
            assert place not in text, one
        assert "Traceback" not in text, one
        assert 'File \\"' not in text, one
        assert TOKEN not in text
        assert str(os.getpid()) not in one["message"]


def test_every_refusal_has_its_code_and_names_the_operation(
    told: tuple[list[dict[str, Any]], str, Path],
) -> None:
    refusals, _, _ = told
    for one, (tool, arguments) in zip(refusals, FAILING, strict=False):
        internal = arguments.get("code") == "[our-mistake]"
        assert (one["error_code"] == "INTERNAL_ERROR") == internal, one
        assert one["details"]["operation"]
        assert one["message"], tool


def test_the_log_holds_no_program_and_nothing_that_one_prints(
    told: tuple[list[dict[str, Any]], str, Path],
) -> None:
    _, log, _ = told
    assert "eval_started" in log
    assert MARK not in log
    assert TOKEN not in log
    for line in log.splitlines():
        assert isinstance(json.loads(line), dict)


def test_a_client_cannot_forge_lines_of_the_log(service: RealService) -> None:
    forged = 'x"}\n{"event":"forged","level":"info"}\r\n'
    with service.connect() as wire:
        answer = wire.hello(service.workspace, name=forged, agent=forged, version=forged)
        assert "result" in answer
        wire.tool("vcad.eval_code", {"code": "[cube 1 1 1]"}, request_id=forged, node_id=forged)
    for line in service.log().splitlines():
        assert json.loads(line)["event"] != "forged"


def test_artifacts_of_forged_names_stay_in_their_folder(service: RealService, peer: Wire) -> None:
    folder = service.folder / "artifacts"
    for node in ("../../up", "/etc/passwd", "a\0b", ".", "..", "con", "x" * 300, "\ud800", "é/é", "-rf", "*"):
        result = peer.result("vcad.eval_code", {"code": "[cube 1 1 1]", "artifact": True}, node_id=node)
        path = Path(result["obj_path"])
        assert path.parent == folder
        assert path.is_file()
        assert set(path.stem) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")
        manifest = json.loads(Path(result["manifest_path"]).read_text())
        assert manifest["node_id"] == node
