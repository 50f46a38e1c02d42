"""What goes to SketchUp, and what is kept of a push, byte by byte; and what is made of answers.

The files in ``golden/`` were written by the code of before; they change with the protocol, and never with how
it is implemented. ``python -m tests.sketchup.test_bytes`` writes them anew.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from notebook_ext.session.project.truth import Bounds, Component, DesignModel, Instance, Source
from notebook_ext.sketchup.bridge.address import BridgeAddress
from notebook_ext.sketchup.bridge.bridge import Bridge
from notebook_ext.sketchup.bridge.handshake import Handshake
from notebook_ext.sketchup.bridge.messages import request_line
from notebook_ext.sketchup.push.failures import OperationFailed
from notebook_ext.sketchup.scene_check import check
from notebook_ext.sketchup.trace import Trace
from tests.sketchup.memory_bridge import Fault
from tests.sketchup.project import small_project
from vcad_kernel.errors import ServiceFailure

GOLDEN: Final = Path(__file__).parent / "golden"
BOX: Final = Bounds((0.0, -1.5, 1e-07), (10.25, 2e16, 3.0))
MOVED: Final = (1.0, 0.0, 0.0, 0.0, 0.0, 1, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1e-12, 2.5, -3.0, 1.0)


class _Recording:
    """A connection that writes down the lines it would send."""

    def __init__(self, *, current: bool) -> None:
        self.address = BridgeAddress(workspace=Path("/project"))
        self.lines: list[bytes] = []
        self._last_handshake = Handshake(protocol=1 if current else None)

    def ensure_handshake(self, _operation: str = "") -> Handshake:
        return self._last_handshake

    def require(self, _capability: str, _operation: str) -> None:
        pass

    def call(
        self, tool: str, arguments: Mapping[str, Any] | None = None, *, request_id: str | None = None
    ) -> Any:
        named = {} if request_id is None else {"request_id": request_id}
        params = {"name": tool, "arguments": dict(arguments or {}), **named}
        number = len(self.lines) + 1
        self.lines.append(request_line("tools/call", params, number, operation=tool, limit=None))
        return {"node_id": "plate", "status": "started", "file_path": "/p", "results": [{"file_path": "/p"}]}


def _requests(*, current: bool) -> bytes:
    connection = _Recording(current=current)
    bridge = Bridge(connection)  # type: ignore[arg-type]
    bridge.upsert_definition("plate", ".vcad/a.dae")
    bridge.upsert_definition(
        "plate",
        Path(".vcad/ä.dae"),
        component_name='The "plate"',
        source_file="plate.cmp.oo",
        expected_bbox=BOX,
        revision=3,
        request_id="r-1",
    )
    bridge.place_node("plate", "a.dae", position=(1, 2.5, 1e-07), expected_bbox=BOX, request_id="r-2")
    bridge.update_node("plate", "a.dae", force=True, revision=0)
    bridge.update_node("plate", "a.dae", source_file="")
    bridge.remove_node("plate", request_id="r-3")
    bridge.place_instance("plate", "plate-1", MOVED)
    bridge.place_instance(
        "plate", "plate-1", MOVED, layer="Stahl", material="", copies={9, 3}, request_id="r-4"
    )
    bridge.set_instance(7)
    bridge.set_instance(7, transform=MOVED, layer="", material="Zinc", request_id="r-5")
    bridge.remove_instance(7)
    bridge.undo()
    bridge.undo(3, 12, request_id="r-6")
    bridge.redo(2)
    bridge.get_node("plate")
    bridge.resolve_import(entity_id=3)
    bridge.resolve_import(persistent_id=4, extract="bbox", space="world")
    bridge.model_info()
    bridge.entity(persistent_id=5)
    bridge.screenshot()
    bridge.screenshot(width=10, height=20, output_path=Path("a.png"))
    bridge.standard_view("top")
    bridge.export_scene()
    bridge.export_scene("dae", output_path="a.dae")
    bridge.observer_start()
    bridge.observer_stop()
    bridge.observer_poll()
    bridge.observer_poll(0)
    bridge.observer_watch(entity_ids={3, 1}, persistent_ids=())
    return b"".join(connection.lines)


def _pushes(folder: Path) -> str:
    """A project pushed, changed and pushed again, with one that fails: all that is kept of it."""
    project = small_project(folder)
    model = project.truth.model.with_component("é", Component(Source.of_cell("[cube]"), revision=0))
    project.truth.save(model.with_instance("é-1", Instance("é")))
    project.push(request_id="r-1", allow_partial=True, accept_omitted=["é"])
    project.edit()
    project.change("plate-1", material="Zinc", layer="Steel")
    project.sketchup.fault("set_vcad_instance", Fault("BUSY_EDITING", done=False), after=1)
    with pytest.raises(OperationFailed) as failed:
        project.push(request_id="r-2", allow_partial=True, accept_omitted=["é"], rollback_all=True)
    said = {"failed": dict(failed.value.details), "result": failed.value.result.to_json()}
    said["scene"] = check(DesignModel(project_id="workshop"), project.bridge.nodes()).to_json()
    traces = sorted((folder / ".vcad" / "traces").iterdir(), key=lambda one: one.name)
    files = [*traces, project.truth.path]
    text = "".join(f"== {one.name}\n{one.read_text('utf-8')}" for one in files)
    return text + "== said\n" + json.dumps(said, indent=1) + "\n"


def _not_traces() -> dict[str, Any]:
    operation = {
        "operation_id": "op-1",
        "type": "remove_definition",
        "target": "plate",
        "payload": {},
        "depends_on": [],
        "rollback": {"kind": "undo"},
    }
    trace = {
        "schema": 1,
        "trace_id": "trace-0123456789abcdef",
        "mode": "clean",
        "scope": None,
        "operations": [operation],
        "omitted": [{"object_id": "a", "reason": "b"}],
        "warnings": [],
        "complete": False,
    }
    bad: dict[str, Any] = {
        "text": "trace",
        "no scope": {key: value for key, value in trace.items() if key != "scope"},
        "no payload": {**trace, "operations": [{**operation, "payload": None}]},
        "no object": {**trace, "operations": [7]},
        "another mode": {**trace, "mode": "swift"},
        "another type": {**trace, "operations": [{**operation, "type": "explode"}]},
        "says too little": {**trace, "operations": [{**operation, "type": "move_instance"}]},
        "depends on nothing": {**trace, "operations": [{**operation, "depends_on": ["op-0"]}]},
        "twice": {**trace, "operations": [operation, operation]},
        "omitted without reason": {**trace, "omitted": [{"object_id": "a"}]},
    }
    found: dict[str, Any] = {"good": Trace.from_json(trace).to_json()}
    older = {**trace, "operations": [{key: one for key, one in operation.items() if key != "rollback"}]}
    found["without a rollback"] = Trace.from_json(older).to_json()
    for name, content in bad.items():
        with pytest.raises(ServiceFailure) as refused:
            Trace.from_json(content, operation="trace_execute")
        message = refused.value.message
        if "it is no trace" in message:
            message = message.partition("it is no trace")[0] + "it is no trace"
        found[name] = [str(refused.value.error_code), message, dict(refused.value.details)]
    return found


@pytest.mark.parametrize("current", [True, False], ids=["current", "older"])
def test_requests_are_sent_as_ever(current: bool) -> None:
    kept = GOLDEN / f"requests-{'current' if current else 'older'}.txt"
    assert _requests(current=current) == kept.read_bytes()


def test_what_no_json_can_say_is_not_sent() -> None:
    bridge = Bridge(_Recording(current=True))  # type: ignore[arg-type]
    with pytest.raises(ServiceFailure) as refused:
        bridge.place_instance("plate", "plate-1", [math.nan] * 16)
    assert refused.value.error_code == "INVALID_PARAMS"


def test_what_is_kept_of_a_push_is_written_as_ever(tmp_path: Path) -> None:
    assert _pushes(tmp_path) == (GOLDEN / "pushes.txt").read_text("utf-8")


def test_what_is_no_trace_is_refused_as_ever() -> None:
    assert _not_traces() == json.loads((GOLDEN / "not-traces.json").read_text("utf-8"))


def _write() -> None:
    import tempfile

    GOLDEN.mkdir(exist_ok=True)
    (GOLDEN / "requests-current.txt").write_bytes(_requests(current=True))
    (GOLDEN / "requests-older.txt").write_bytes(_requests(current=False))
    with tempfile.TemporaryDirectory() as folder:
        (GOLDEN / "pushes.txt").write_text(_pushes(Path(folder)), "utf-8")
    (GOLDEN / "not-traces.json").write_text(json.dumps(_not_traces(), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    _write()
