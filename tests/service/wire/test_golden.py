"""The form of each thing on the wire, byte by byte, in more variety than the conversation in `golden` has.

``VCAD_WRITE_GOLDEN=1`` writes the file anew; a change in it is a change of the protocol.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from msgspec import to_builtins

from tests.contracts.examples import FULL_HELLO
from tests.service.golden.recording import steady
from tests.service.notebook import Notebook
from vcad_kernel.contracts.messages import (
    CAPABILITIES,
    CellSource,
    Hello,
    HelloAnswer,
    ServerName,
    ServiceLimits,
    TakenBack,
    ToolCall,
)
from vcad_kernel.geometry.evaluate import Warning  # noqa: A004 - the word of the specification
from vcad_kernel.geometry.profiling import NodeProfile
from vcad_kernel.geometry.solid import Note
from vcad_kernel.loon.diagnostics import Diagnostic, Label
from vcad_kernel.loon.source import Source, Span
from vcad_kernel.operations.node import NodeId
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.questions import InterferenceOf
from vcad_kernel.service.requests import EvalCell, EvalCode, arguments
from vcad_kernel.service.wire import (
    definitions_json,
    diagnostics_json,
    document_json,
    figures_json,
    history_json,
    plain_json,
    result_json,
    values,
)

FILE: Final = Path(__file__).with_name("golden.txt")

PROGRAMS: Final = {
    "planar": "[cube 1 2 3]",
    "curved": "[difference [translate 0 0 -1 [cylinder 3 30]] [cylinder 5 20]]",
    "empty": "[difference [cube 9 9 9] [cube 1 1 1]]",
    "scene": '#[[material "oak" 0.6 0.4 0.2 0.0 0.7] [root [cube 9 9 1] "oak"] [root [sphere 2] "x"] Empty]',
    "parameters": '[defparam width 40 {:unit "mm" :min 10 :step 0.5 :doc "How wide."}] [cube width 1 1]',
    "findings": '[println "é"] [fn wrong [x] [+ x "1"]] [cube 1 1 1]',
    "value": '#[1 (2.0 "k") {"a" [/ 0.0 0.0]}]',
    "unit": "[let x []]",
    "many": "[linear-pattern 1 0 0 65 3 [sphere 1]]",
}
CALLS: Final = """[fn hole [x]
  [translate x 0 0 [cylinder 1 9]]]
[union [union [hole 2] [hole 2]] [hole 5]]"""


def forms() -> Iterator[tuple[str, Any]]:
    """Each thing, by what it shows."""
    for name, program in PROGRAMS.items():
        for exact in (False, True) if name == "curved" else (False,):
            service = DirectService()
            result = service.evaluate(EvalCell(program, cell_id="c", name="cell [1]", exact=exact))
            yield (
                f"result {name}, deferred{' exact' * exact}",
                result_json.encode(
                    result,
                    figures=False,
                    document=True,
                    definitions=service.definitions(),
                    sources={"cell [1]": program},
                ),
            )
            yield f"result {name}{' exact' * exact}", result_json.encode(result)
    yield from _figures()
    yield from _cells()
    yield from _findings()
    yield from _messages()


def _figures() -> Iterator[tuple[str, Any]]:
    (part,) = DirectService().evaluate(EvalCode(PROGRAMS["curved"])).parts
    (box,) = DirectService().evaluate(EvalCode("[cube 2 2 2]")).parts
    note = Note("FIGURES_FROM_MESH", "no luck", part.document.digest(part.node))
    yield "figures of a mesh", figures_json.encode(part.mesh_figures, part.document)
    yield "figures of a mesh, quick", figures_json.encode(part.mesh_figures, part.document, whole=False)
    yield "figures of a body", figures_json.encode(part.figures, part.document)
    yield "figures of a body, quick", figures_json.encode(part.figures, part.document, whole=False)
    noted = replace(part.mesh_figures, notes=(note,))
    yield "figures with a note", figures_json.encode(noted, part.document)
    yield "figures with a note, without document", figures_json.encode(noted)
    yield "interference", figures_json.encode(part.answers.ask(InterferenceOf(), part, box))
    document = DirectService().evaluate(EvalCode(CALLS)).document
    assert document is not None
    yield "document of calls", document_json.encode(document)
    rooted = DirectService().evaluate(EvalCode('[root [cube 1 1 1] "oak"]', allow_scene=True)).document
    assert rooted is not None
    yield "document of a root", document_json.encode(rooted)
    place = Source("a.oo", "[cube 1 1 1]\n[x]")
    stretch = Span(place, 1, 5).place()
    rows = [
        NodeProfile(NodeId(3), "cube", "lid", stretch, "mesh", 2, 0.0, 12, False),
        NodeProfile(NodeId(4), "fillet", None, None, "brep", 0, 0.0, None, True),
    ]
    yield "profile", result_json.profile_rows(rows)
    yield "profile without places", result_json.profile_rows(rows, places=False)
    result = DirectService().evaluate(EvalCode("[cube 1 1 1]", file="a.oo"))
    warned = replace(result, warnings=(Warning("PITCH_MISMATCH", "too steep", 3, stretch), Warning("X", "y")))
    yield "warnings", result_json.encode(warned)["warnings"]
    left = replace(result, modules=("b.oo",), obsolete=(0, 2), defined=("x",), stdout="1\n", value={"$a": 1})
    yield "what a cell leaves", result_json.encode(left)


def _cells() -> Iterator[tuple[str, Any]]:
    notebook = Notebook()
    notebook.run("; Twice.\n[fn twice [x] [* 2 x]] [macro m [x] x] [let s #[1 2]]", "first")
    notebook.run("[cube w 1 1]", "second", bind="plate", w=4)
    yield "definitions", definitions_json.encode(notebook.service.definitions())
    bare, full = (
        CellSource("a", "[let a 1]"),
        CellSource("b", "", "In [2]", {"x": (1, 2.0), "y": float("inf")}, "plate", {"w": 2**70}),
    )
    for name, entry in (("bare", bare), ("full", full), ("none", TakenBack(frozenset()))):
        yield f"entry {name}", history_json.encode(entry)
        yield f"entry {name} by hash", history_json.encode(entry, in_full=())
    yield "names taken back", history_json.encode(TakenBack(frozenset({"b", "a", "é"})))
    request = EvalCell("1", (bare,), bindings={"x": (1,)}, base_dir=Path("/w"), tolerance=0.5, bind="plate")
    yield "arguments of a cell", arguments(request)
    yield "arguments of a program", arguments(EvalCode("1", parameters={"w": 3}, exact=True))
    yield "plain", plain_json.encode([None, True, "\udc80", -0.0, 1e-7, {"$x": 1}, {"b": {}, "a": ()}, 2**63])


def _findings() -> Iterator[tuple[str, Any]]:
    first, later = Source("cell [1]", "\nwide deep"), Source("cell [1]", "other")
    findings = [
        Diagnostic(
            "E0201", "deep is not bound", (Label(Span(first, 6, 10)), Label(Span(later, 0, 5), "here"))
        ),
        Diagnostic("W0001", "é", (Label(Span(later, 0, 0)),), "because", "so", "warning"),
        Diagnostic("H0001", "advice", (Label(Span(first, 1, 2)),), severity="hint"),
    ]
    yield "findings", diagnostics_json.encode(findings)
    yield "findings in known texts", diagnostics_json.encode(findings, {"cell [1]": first.text})


def _messages() -> Iterator[tuple[str, Any]]:
    yield "hello", Hello(name="client", version="1", workspace="/w").params()
    yield "hello with all", FULL_HELLO.params()
    server = ServerName("vcad", "1")
    answer = HelloAnswer(server=server, capabilities=CAPABILITIES, limits=ServiceLimits(1, 2, 3, 4))
    yield "answer to hello", to_builtins(answer)
    yield "call", ToolCall("vcad.cancel", {}).params()
    yield "call with all", ToolCall("vcad.check", {"code": "é"}, "r", "n", 0).params()


def _dumped(value: Any) -> bytes:
    return json.dumps(values.encode(value), separators=(",", ":"), allow_nan=False).encode("ascii")


def _rounded(value: Any) -> Any:
    """The last digits of a sum depend on the processor."""
    if isinstance(value, float):
        return float(f"{value:.9g}") if abs(value) > 1e-9 else 0.0
    if isinstance(value, list):
        return [_rounded(inner) for inner in value]
    return {key: _rounded(inner) for key, inner in value.items()} if isinstance(value, dict) else value


def test_each_form_is_what_it_was_byte_by_byte() -> None:
    lines = [
        f"{name}: " + steady(_dumped(_rounded(json.loads(_dumped(value)))), Path("/nowhere"))
        for name, value in forms()
    ]
    if os.environ.get("VCAD_WRITE_GOLDEN"):
        FILE.write_text("\n".join(lines) + "\n", "utf-8")
    kept = FILE.read_text("utf-8").splitlines()
    for line, golden in zip(lines, kept, strict=True):
        assert line == golden
