"""A program in the worker touches no file, process or network, but for what its imports may read."""

from __future__ import annotations

import ast
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.loon.hostile import hostile_program
from tests.service.security.real_service import ROOT, RealService, real_service, until
from tests.tiers import SOAK

pytestmark = pytest.mark.xdist_group("security")  # they share one service

# each that does not end takes a second; `make soak` runs many
PROGRAMS = 200 if SOAK else 20

REFUSED = [
    '[IO.read-file "/etc/passwd"]',
    '[IO.write-file "written" "x"]',
    '[IO.list-dir "/"]',
    '[IO.mkdir "made"]',
    '[IO.copy-file "/etc/passwd" "copied"]',
    '[IO.mtime "/etc/passwd"]',
    "[IO.read-line]",
    "[Process.args]",
    '[Process.env "HOME"]',
    "[Process.exit 1]",
    '[Net.get "http://127.0.0.1:1/"]',
]


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealService]:
    folder = tmp_path_factory.mktemp("audited")
    with real_service(
        folder,
        "--allow-worker-plugin",
        cold=True,  # what begins warm is forked elsewhere, and read its code before
        variables={
            "VCAD_WORKER_PLUGIN": "tests.service.security.audited",
            "VCAD_TEST_AUDIT": str(folder / "events"),
            "VCAD_EVAL_TIMEOUT_MS": "1000",
            "VCAD_WORKER_MEMORY_MB": "1024",
        },
    ) as running:
        with running.session() as wire:
            # what is imported late is imported now; the time of a first call is too short for a slow start
            code = "[difference [fillet 0.1 [cube 2 2 2]] [sphere 1]]"
            until(lambda: "result" in wire.tool("vcad.eval_code", {"code": code}))
            wire.tool("vcad.eval_code", {"code": '[let width 1] [str widht] [println "x"] [/ 1 0]'})
        # the process that may die in the place of ours is started two seconds after OpenCASCADE is loaded
        until(lambda: psutil.Process(running.worker()).children())
        yield running


def events(service: RealService) -> list[tuple[str, tuple[Any, ...]]]:
    found = []
    for line in (service.folder / "events").read_text().splitlines():
        event, _, arguments = line.partition("\t")
        try:
            found.append((event, ast.literal_eval(arguments)))
        except (ValueError, SyntaxError):
            found.append((event, (arguments,)))
    return found


def is_code(path: object) -> bool:
    """Whether a file is a part of Python or of this project: modules are loaded when they are needed."""
    parts = (sys.prefix, sys.base_prefix, str(ROOT / "vcad_kernel"), str(ROOT / "tests"))
    return isinstance(path, str) and path.startswith(parts)


def touched(service: RealService, since: int) -> list[tuple[str, tuple[Any, ...]]]:
    """What was touched besides code, and the service's own memory."""
    found = []
    for event, arguments in events(service)[since:]:
        first = arguments[0] if arguments else None
        if event in ("open", "os.listdir", "os.scandir") and is_code(first):
            continue
        if event == "open" and re.match(r"/\S*/vcad-service-\w+/(mesh|region)-\d+$", str(first)):
            continue
        found.append((event, arguments))
    return found


@pytest.mark.parametrize("program", REFUSED)
def test_effects_that_would_reach_the_machine_are_refused_with_their_name(
    program: str, audited: RealService
) -> None:
    before = len(events(audited))
    with audited.session() as wire:
        refusal = wire.refusal("vcad.eval_code", {"code": program})
    assert refusal["error_code"] == "LOON_RUNTIME"
    assert refusal["details"]["code"] == "E0400"
    effect, operation = program.strip("[]").split()[0].split(".")
    assert effect in refusal["message"]
    assert operation in refusal["message"]
    assert touched(audited, before) == []
    assert list(audited.workspace.iterdir()) == []


def test_hostile_programs_touch_nothing(audited: RealService) -> None:
    pid, before, evaluated = audited.worker(), len(events(audited)), 0
    worker = psutil.Process(pid)
    waiting = worker.children()
    with audited.session(None, "mesh.shm") as wire:
        for seed in range(PROGRAMS):
            answer = wire.tool("vcad.eval_code", {"code": hostile_program(random.Random(seed))})
            evaluated += "result" in answer
            if "error" in answer:
                assert answer["error"]["data"]["error_code"] != "INTERNAL_ERROR", seed
    assert touched(audited, before) == []
    # nothing was started, nothing is listened on, and nobody has died
    assert worker.children() == waiting
    assert worker.net_connections("inet") == []
    assert audited.worker() == pid


def test_a_program_reads_its_modules_and_imports_and_writes_nothing(audited: RealService) -> None:
    workspace = audited.workspace
    (workspace / "lib.oo").write_text("[pub fn size [] 2]")
    (workspace / "part.stl").write_text("solid s\nendsolid s\n")
    before = len(events(audited))
    with audited.session() as wire:
        wire.result("vcad.eval_code", {"code": "[use lib]\n[cube 1 1 [lib.size]]"})
        wire.tool("vcad.eval_code", {"code": '[import-mesh "part.stl"]'})
    opened = [
        (arguments[0], arguments[1]) for event, arguments in touched(audited, before) if event == "open"
    ]
    names = {Path(str(path)).name for path, _ in opened}
    # opened step by step from the workspace, each by its name
    assert {"lib.oo", "part.stl"} <= names
    assert names <= {*workspace.parts, "lib.oo", "part.stl", str(workspace)}
    assert {event for event, _ in touched(audited, before)} <= {"open", "os.listdir", "os.scandir"}
    for name in ("lib.oo", "part.stl"):
        (workspace / name).unlink()


def test_neither_a_plugin_nor_a_workspace_brings_code_into_the_service(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    for name in ("numpy", "blake3", "sitecustomize", "usercustomize", "vcad_kernel", "json"):
        (workspace / f"{name}.py").write_text(f"open({str(tmp_path / 'smuggled')!r}, 'w').close()\n")
    (workspace / "vcad.toml").write_text('VCAD_HOST = "0.0.0.0"\n')
    # a plugin needs the permission that only tests give
    variables = {
        "VCAD_WORKER_PLUGIN": "tests.service.security.audited",
        "VCAD_TEST_AUDIT": str(tmp_path / "events"),
    }
    with real_service(
        tmp_path, workspace=workspace, cwd=workspace, variables=variables, cold=True
    ) as running:
        assert running.address[0] == "127.0.0.1"
        with running.session() as wire:
            assert wire.result("vcad.eval_code", {"code": "[cube 1 2 3]"})["volume"] == 6.0
        assert "VCAD_WORKER_PLUGIN" not in psutil.Process(running.worker()).environ()
    assert not (tmp_path / "smuggled").exists()
    assert not (tmp_path / "events").exists()
