"""What goes over the wire, byte by byte: foreign clients rely on all of it.

``VCAD_WRITE_GOLDEN=1`` writes the files anew; a change in them is a change of the protocol.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.service import warm
from tests.service.golden.recording import Recorder, steady
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import VcadError
from vcad_kernel.geometry.measure.readings import Picked
from vcad_kernel.service.client.service_client import ServiceClient
from vcad_kernel.service.direct import DirectService  # noqa: F401 - loaded before a service is timed
from vcad_kernel.service.questions import (
    ChangedFrom,
    ClearanceOf,
    Drawing,
    EdgesOf,
    Export,
    FacesOf,
    FiguresOf,
    InterferenceOf,
    MeasureBetween,
    SceneOf,
    Section,
    SelectorFor,
)
from vcad_kernel.service.requests import EvalCell, EvalCode

HERE = Path(__file__).parent
PLATE = "[difference [cylinder 1 5] [cube 10 20 3]]"
SLIDER = '[defparam w 4 {:min 1 :max 9 :unit "mm"}] [println w] [cube w 2 3]'
STEEL = '#[[material "steel" 0.6 0.6 0.7 0.9 0.3] [root [cube 1 2 3] "steel"]]'
SCENE = "#[[cube 1 1 1] [translate 5 0 0 [cube 2 2 2]]]"
IMPORTING = '[let w [import-dim "face/3" :width]] [cube w 1 1]'

_TOOLS = """eval_code eval_file eval_cell eval_with_imports extract_imports inspect eval_repl export check
cancel
watch_start watch_stop watch_poll modules release cache_invalidate ask"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("golden")
    (folder / "part.oo").write_text("[use lib]\n[cube lib.side 1 1]\n")
    (folder / "lib.oo").write_text("[pub let side 7]\n")
    (folder / "plain.oo").write_text("[cube 1 2 3]\n")
    return folder


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[tuple[str, int]]:
    process = warm.Popen(
        [sys.executable, "-m", "tests.service.warm_front", "--port", "0", "--workspace", str(folder)],
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    host, _, port = process.stdout.readline().decode().split()[-1].rpartition(":")
    yield host, int(port)
    process.terminate()
    process.communicate(30)


def tool(name: str, arguments: Any, **beside: Any) -> dict[str, Any]:
    return {"method": "tools/call", "params": {"name": name, "arguments": arguments, **beside}}


def hello(**changed: Any) -> dict[str, Any]:
    params = {
        "name": "peer",
        "version": "1",
        "agent": "test",
        "pid": 1,
        "workspace": "",
        "protocol_version": 1,
        "requested_capabilities": ["mesh.shm", "output"],
        **changed,
    }
    return {"method": "hello", "params": params}


def requests() -> Iterator[dict[str, Any] | bytes]:
    """One request of each kind, and those that are refused."""
    yield from (b"no json", b"[]", b"[1]", b"7", b"{}", b'{"jsonrpc":"2.0","id":true,"method":"ping"}')
    yield b'{"jsonrpc":"2.0","id":1,"method":7}'
    yield b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}'
    yield {"method": "ping"}
    yield tool("vcad.check", {"code_or_path": "1"})
    yield hello(protocol_version=2)
    yield hello(protocol_version="1")
    yield hello(pid="x")
    yield hello(requested_capabilities=["flying"])
    yield hello(workspace="/")
    yield hello()
    yield hello()
    for method in ("ping", "resources/list", "tools/list", "nothing"):
        yield {"method": method}
    yield {"method": "tools/call", "params": {}}
    yield tool("vcad.nothing", {})
    yield tool("vcad.eval_code", {"code": "1"}, request_id=7)
    options: dict[str, Any] = {"request_id": "r1", "node_id": "n1", "revision": 3}
    yield tool("vcad.eval_code", {"code": PLATE, "document": True, "exact": True}, **options)
    yield tool("vcad.eval_code", {"code": PLATE, "mesh_dtype": "f64", "defer_figures": True})
    yield tool("vcad.eval_code", {"code": SLIDER, "parameters": {"w": 5}, "file": "a.oo"}, request_id="r2")
    yield tool("vcad.eval_code", {"code": STEEL, "document": True})
    yield tool("vcad.eval_code", {"code": SCENE})
    yield tool("vcad.eval_code", {"code": SCENE, "allow_scene": True})
    yield tool("vcad.eval_code", {"code": "[+ x 1]", "bindings": {"x": {"$int": "4"}}, "allow_scene": True})
    yield tool("vcad.eval_code", {"code": "#[1 2.5 :a [/ 0.0 0.0]]", "allow_scene": True})
    yield tool("vcad.eval_code", {"code": "[difference [cube 1 1 1] [cube 9 9 9]]"})
    for program in (
        "[cube 1",
        "[f 1]",
        "[+ 1 :a]",
        "[fillet 99 [cube 1 1 1]]",
        "1",
        "[sphere 0]",
        "[use no]",
    ):
        yield tool("vcad.eval_code", {"code": program})
    yield tool("vcad.eval_code", {"code": "[sphere 2]", "tolerance": 0.5, "base_dir": None})
    yield tool("vcad.eval_code", {"code": "[sphere 2]", "base_dir": "/elsewhere"})
    yield tool("vcad.eval_file", {"path": "part.oo"}, node_id="n2")
    yield tool("vcad.eval_file", {"path": "missing.oo"})
    yield tool("vcad.eval_file", {"path": "../x.oo"})
    yield tool("vcad.eval_cell", {"code": "[let a 3] [fn f [x] [* x a]]", "cell_id": "c1", "name": "first"})
    prelude = [{"cell_id": "c1", "source_hash": CellSource("c1", "[let a 3]").hash, "source": "[let a 3]"}]
    cell = {
        "code": "[+ a b]",
        "cell_id": "c2",
        "bind": "sum",
        "bindings": {"b": [1.5][0]},
        "prelude": prelude,
    }
    yield tool("vcad.eval_cell", cell)
    yield tool("vcad.eval_cell", {**cell, "code": "[let z 1] [nth #[1] 9]"})
    yield tool("vcad.eval_cell", {"code": "1", "prelude": [{"cell_id": "c", "source_hash": "f" * 64}]})
    yield tool("vcad.eval_cell", {"code": '[fn g [x] [+ x "1"]]', "cell_id": "c3"})
    yield tool("vcad.eval_cell", {"code": "a", "prelude": [*prelude, {"taken_back": ["a"]}]})
    yield tool("vcad.extract_imports", {"source": IMPORTING})
    yield tool("vcad.extract_imports", {"source": "[import-dim 3]"})
    data = {"i": {"extract": "width", "injected_symbol": "__w", "data": 4.0}}
    yield tool("vcad.eval_with_imports", {"transformed_source": "[cube __w 1 1]", "imports": data})
    yield tool(
        "vcad.eval_with_imports", {"transformed_source": "1", "imports": {"i": {**data["i"], "mesh": []}}}
    )
    solid = {"i": {"extract": "solid", "injected_symbol": "__s", "vcad_node_id": "n1"}}
    yield tool("vcad.eval_with_imports", {"transformed_source": "[translate 1 0 0 __s]", "imports": solid})
    yield tool("vcad.inspect", {"code_or_path": PLATE})
    yield tool("vcad.inspect", {"code_or_path": "plain.oo", "exact": True})
    for line in ("[let q 3]", "q", "[cube q q q]", "nope", "[println 1]"):
        yield tool("vcad.eval_repl", {"code": line})
    yield tool("vcad.export", {"code_or_path": "plain.oo", "output_path": "out.stl"})
    yield tool("vcad.export", {"code_or_path": "1", "output_path": "out.stl"})
    yield tool("vcad.export", {"code_or_path": "plain.oo", "output_path": "out.stl", "format": "obj"})
    yield tool("vcad.check", {"code_or_path": '[+ 1 "a"] [nope'})
    yield tool("vcad.check", {"code_or_path": '[fn g [x] [+ x "1"]]'})
    yield tool("vcad.check", {"code_or_path": "part.oo"})
    yield tool("vcad.cancel", {"request_id": "none"})
    yield tool("vcad.watch_start", {"dir": "."})
    yield tool("vcad.watch_poll", {})
    yield tool("vcad.watch_stop", {})
    yield tool("vcad.modules", {"node_id": "n2"})
    yield tool("vcad.modules", {"path": "lib.oo"})
    yield tool("vcad.release", {"block": "mesh-99"})
    yield tool("vcad.ask", {"question": "figures", "document_hash": "0" * 64})
    yield tool("vcad.cache_invalidate", {"node_id": "n1"})
    yield tool("vcad.cache_invalidate", {})
    for name in (f"vcad.{one}" for one in _TOOLS.split()):
        for wrong in (
            {},
            _every_argument(7),
            _every_argument("x"),
            _every_argument(None),
            _every_argument({}),
        ):
            if name not in ("vcad.watch_poll", "vcad.watch_stop", "vcad.cache_invalidate"):
                yield tool(name, wrong)
    yield {"method": "tools/call", "params": {"name": "vcad.eval_code", "arguments": []}}


def _every_argument(value: Any) -> dict[str, Any]:
    names = "code path code_or_path source transformed_source imports prelude bindings base_dir tolerance"
    names += " parameters allow_scene exact artifact output_path format request_id dir wait_ms block question"
    names += (
        " document_hash document node nodes parts other mesh_dtype stem chord origin normal hatch views scale"
    )
    return dict.fromkeys(names.split(), value)


def _checked(name: str, found: list[str]) -> None:
    file = HERE / name
    if os.environ.get("VCAD_WRITE_GOLDEN"):
        file.write_text("\n".join(found) + "\n", encoding="utf-8")
    for number, (one, wanted) in enumerate(zip(found, file.read_text("utf-8").splitlines(), strict=False), 1):
        assert one == wanted, f"line {number}"
    assert len(found) == len(file.read_text("utf-8").splitlines())


def test_what_a_foreign_client_says_is_answered_byte_by_byte(address: tuple[str, int], folder: Path) -> None:
    found: list[str] = []
    with socket.create_connection(address) as peer, peer.makefile("rb") as lines:
        for number, one in enumerate(requests(), 1):
            message = (
                one
                if isinstance(one, bytes)
                else json.dumps({"jsonrpc": "2.0", "id": number, **one}).encode()
            )
            peer.sendall(message + b"\n")
            found.append("> " + message.decode())
            while True:
                said = lines.readline()
                found.append("< " + steady(said, folder))
                if b'"method"' not in said[:60]:
                    break
    _checked("foreign.txt", found)


def test_what_our_own_client_says_and_hears_is_the_same_byte_by_byte(
    address: tuple[str, int], folder: Path
) -> None:
    recorder = Recorder(*address, folder)
    client = ServiceClient.connect("127.0.0.1", recorder.port, None, folder)
    printed: list[str] = []
    try:
        client.ping()
        first = client.evaluate(
            EvalCell("[let a 3] [println a]", cell_id="c1", base_dir=folder), output=printed.append
        )
        history = [CellSource("c1", "[let a 3] [println a]")]
        part = client.evaluate(
            EvalCell(PLATE, history, bindings={"n": (1, 2.0)}, cell_id="c2", name="plate", bind="plate")
        )
        history.append(CellSource("c2", PLATE, "plate", {"n": (1, 2.0)}, "plate"))
        with suppress(VcadError):
            client.evaluate(EvalCell("[nth #[1] 9]", history, cell_id="c3", tolerance=0.5, exact=True))
        client.evaluate(EvalCell(SLIDER, history, cell_id="c4", parameters={"w": 5}))
        other = client.evaluate(
            EvalCode(SCENE, file="s.oo", allow_scene=True, base_dir=folder, parameters={})
        )
        client.evaluate(
            EvalCode("[+ x 1]", bindings={"x": float("inf")}, allow_scene=True, exact=True, tolerance=0.1)
        )
        (one,) = part.parts
        one.answers.ask(FiguresOf(exact=True), one)
        one.answers.ask(EdgesOf(), one)
        one.answers.ask(FacesOf(exact=True), one)
        one.answers.ask(ClearanceOf(), one, other.parts[1])
        one.answers.ask(InterferenceOf(exact=True), one, other.parts[0])
        one.answers.ask(SceneOf(), one)
        turned = (0.0, -1.0, 0.0, 9.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
        picked = Picked("face", 0), Picked("vertex", point=(1.0, 2.0, 3.0))
        one.answers.ask(MeasureBetween(a=picked[0], b=picked[1], b_pose=turned), one, other.parts[0])
        one.answers.ask(SelectorFor(target="edge", indexes=(0, 1)), one)
        one.answers.ask(ChangedFrom(), one, other.parts[0])
        one.answers.ask(Export(path=folder / "plate.stl", chord=0.1), *part.parts)
        one.answers.ask(Export(path=folder / "plate.step"), *part.parts)
        one.answers.ask(
            Section(hatch=False, path=folder / "cut.svg", origin=(5.0, 5.0, 1.0), normal=(0.0, 0.0, 1.0)),
            *part.parts,
        )
        one.answers.ask(Drawing(path=folder / "sheet.svg", views=("front", "iso"), scale=2.0), *part.parts)
        client.tool("vcad.cache_invalidate", {})
        one.answers.ask(EdgesOf(exact=True), one)
        one.answers.ask(ClearanceOf(exact=True), one, other.parts[1])
        client.evaluate(EvalCell("[+ a 1]", [history[0]], cell_id="c9"))
        assert first.stdout == "3\n" == "".join(printed)
    finally:
        client.close()
        recorder.close()
    _checked("own.txt", recorder.lines)
