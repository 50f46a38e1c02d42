"""The project's truth and the session's logs, byte by byte: what a released workbench has written, it writes.

The files in ``golden/`` were written by the code of before; they change with the format, and never with how
it is implemented. ``python -m tests.notebook_ext.session.test_bytes`` writes them anew.
"""

from __future__ import annotations

import copy
import json
import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from notebook_ext.agents.calls.outcomes import Outcome
from notebook_ext.agents.journal import Journal
from notebook_ext.session.log.log import SessionLog, on_behalf_of
from notebook_ext.session.project.canonical import canonical_json
from notebook_ext.session.project.design_model import DesignModel
from notebook_ext.session.project.truth import Component, Instance, Source, Truth, placed_at
from vcad_kernel.errors import ServiceFailure
from vcad_kernel.paths import own_folder
from vcad_kernel.service.front.log import Log

GOLDEN: Final = Path(__file__).parent / "golden"
NOW: Final = datetime(2026, 2, 3, 4, 5, 6, 789000, tzinfo=UTC)

EXECUTION: Final[dict[str, Any]] = {
    "entity_id": 12,
    "persistent_id": 345,
    "operation_id": "op-0123456789ab",
    "model_revision": 7,
    "bounds": {"min": [0, -1.5, 1e-7], "max": [10.25, 2e16, 3]},
    "elapsed_ms": 12.5,
    "transform": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1.5, -2, 3e-05, 1],
    "layer": "Stahl · 1",
    "material": None,
    "mesh_digest": "blake3:00ff",
    "tint_of_a_newer_one": {"b": [1, {"c": None}], "a": 2.0},
}
FULL: Final[dict[str, Any]] = {
    "schema": 1,
    "project_id": "workshop",
    "revision": 41,
    "settings": {"units": "mm", "nested": {"z": [1.0, True, None], "a": {}}, "empty": []},
    "components": {
        "plate": {
            "source": {"kind": "file", "file": "parts/plätte.cmp.oo", "encoding": "utf-8"},
            "parameters": {"width": 3.0, "count": 4, "thin": 1e-9},
            "imports": [
                {"binding_name": "box", "entity_ref": "entity:12", "extract": "bbox", "source_node_id": None}
            ],
            "revision": 5,
            "applied_revision": 4,
            "status": "degraded",
            "applied_version": 9,
            "component_name": 'The "plate"\n\u0001',
            "pending_revision": 5,
            "execution": EXECUTION,
            "colour": "red",
        },
        "lid": {
            "source": {"kind": "cell", "text": "[cube 1 2 3] ; é\n"},
            "parameters": {},
            "imports": [],
            "revision": 0,
            "applied_revision": 0,
            "status": "active",
        },
    },
    "instances": {
        "plate-1": {
            "component": "plate",
            "transform": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 10.5, 0, 1e-12, 1],
            "layer": "Steel",
            "material": "Zinc",
            "keep": True,
            "execution": {**EXECUTION, "bounds": None, "transform": None},
            "note": "left of the door",
        },
        "lid-1": {"component": "lid", "transform": list(placed_at(0, 0, 2))},
    },
    "operations": [
        {
            "operation_id": "op-1",
            "type": "place_instance",
            "target": "plate-1",
            "payload": {"component": "plate", "transform": [1.0, 2, 3.5]},
            "depends_on": ["op-0"],
            "rollback": {"kind": "undo", "inverse": "remove_instance"},
        }
    ],
    "removed": {
        "components": ["zinc", "angle"],
        "instances": {
            "old-1": {"component": "plate", "transform": list(placed_at(1, 2, 3)), "execution": {}}
        },
    },
    "weather": {"sun": True},
}
"""A truth with every field used, and some that only a newer workbench knows."""

WRONG: Final[dict[str, tuple[tuple[str | int, ...], Any]]] = {
    "no revision": (("revision",), ...),
    "a text for a revision": (("revision",), "3"),
    "a fraction of a revision": (("revision",), 1.5),
    "true for a revision": (("revision",), True),
    "less than nothing": (("components", "plate", "revision"), -1),
    "no component": (("components", "plate"), 7),
    "no source": (("components", "plate", "source"), ...),
    "another kind of source": (("components", "plate", "source", "kind"), "url"),
    "a source without its file": (("components", "plate", "source", "file"), ...),
    "a source without its text": (("components", "lid", "source", "text"), ...),
    "a list of parameters": (("components", "plate", "parameters"), []),
    "an import of nothing": (("components", "plate", "imports", 0), {}),
    "another status": (("components", "plate", "status"), "lost"),
    "a component without a name": (("components", "plate", "component_name"), ""),
    "nothing pending": (("components", "plate", "pending_revision"), 0),
    "feedback that is a list": (("components", "plate", "execution"), []),
    "a text for an entity": (("components", "plate", "execution", "entity_id"), "12"),
    "bounds of one corner": (("components", "plate", "execution", "bounds"), {"min": [0, 0, 0]}),
    "bounds of a plane": (("components", "plate", "execution", "bounds", "min"), [0, 0]),
    "time that runs back": (("components", "plate", "execution", "elapsed_ms"), -1),
    "three numbers for a transform": (("instances", "plate-1", "transform"), [1, 2, 3]),
    "a text in a transform": (("instances", "plate-1", "transform", 12), "1"),
    "null for a transform": (("instances", "plate-1", "transform"), None),
    "an instance of nothing": (("instances", "plate-1", "component"), ""),
    "keep that is a number": (("instances", "plate-1", "keep"), 1),
    "a number for a layer": (("instances", "plate-1", "layer"), 1),
    "an operation without a type": (("operations", 0, "type"), ...),
    "another operation": (("operations", 0, "type"), "explode"),
    "removed that is a list": (("removed",), []),
    "removed without a name": (("removed", "components", 0), ""),
    "another schema": (("schema",), 0),
    "a list of components": (("components",), []),
}
"""What is wrong, where it stands in `FULL` and what stands there instead; ``...``: nothing."""


def _full() -> DesignModel:
    return DesignModel.from_json(copy.deepcopy(FULL))


def _default() -> DesignModel:
    """A truth of what has only what it must have."""
    return (
        DesignModel.empty()
        .with_component("plate", Component(Source.of_file("plate.cmp.oo")))
        .with_component("lid", Component(Source.of_cell("[cube 1 1 1]")))
        .with_instance("plate-1", Instance("plate"))
    )


def _changed(where: tuple[str | int, ...], what: Any) -> Any:
    content: Any = copy.deepcopy(FULL)
    inner = content
    for step in where[:-1]:
        inner = inner[step]
    if what is ...:
        del inner[where[-1]]
    else:
        inner[where[-1]] = what
    return content


def _refusals() -> dict[str, Any]:
    found = {}
    for name, (where, what) in WRONG.items():
        with pytest.raises(ServiceFailure) as refused:
            DesignModel.from_json(_changed(where, what), operation="project_patch")
        error = refused.value
        found[name] = {
            "error_code": str(error.error_code),
            "message": error.message,
            "details": dict(error.details),
        }
    return found


def _session_log(folder: Path) -> bytes:
    log = SessionLog(lambda: folder, clock=lambda: NOW)
    log.hide("s3cret-token")
    log.event("cell_started", request_id="r-1", node_id="lid", revision=3)
    log.event(
        "odd_things",
        level="warning",
        error_code="E",
        text='é "quoted" \n\u2028 s3cret-token',
        number=1e-07,
        large=2e16,
        whole=3.0,
        none=None,
        truth=True,
        path=Path("a/b"),
        moment=NOW,
        tuple=(1, (2, "x")),
        names={"api_key": "abc", "nested": {"deep": [1]}},
        nan=math.nan,
        key_of_a_number={3: "three"},
    )
    with on_behalf_of("editor"):
        log.event("by_an_agent", request_id="r-2")
    log.bridge("call", {"request_id": "r-2", "tool": "ping", "arguments": {}, "elapsed_ms": 0.25})
    log.event("much", request_id="r-3", text="x" * 10_000, items=["y" * 1000] * 270)
    journal = Journal(log, clock=lambda: NOW)
    journal.comms("in", "tools/call", {"name": "vcad_place", "x": 1e-07}, agent="editor", request_id="r-4")
    outcome = Outcome(body={"success": True, "volume": 6.0, "text": "``` é"}, success=True)
    journal.called(
        "vcad_place",
        {"node_id": "lid", "position": (1, 2.5)},
        outcome,
        agent="editor",
        request_id="r-4",
        seconds=0.123456,
        approval="allowed once",
    )
    journal.hook("GET", "/api/status?token=abc", 200, 17)
    journal.shell({"request_id": "r-5", "command": ["ls"], "stdout": "é\n", "latency_ms": 1.5})
    journal.close()
    written = log.folder()
    assert written is not None
    files = sorted(written.iterdir())
    return b"".join(f"== {one.name}\n".encode() + one.read_bytes() for one in files)


class _Stream:
    """What is written to it."""

    def __init__(self) -> None:
        self.content = b""

    def write(self, data: bytes) -> None:
        self.content += data

    def flush(self) -> None:
        pass


def _service_log() -> bytes:
    stream = _Stream()
    log = Log(stream, clock=lambda: NOW)  # type: ignore[arg-type]
    log.event("eval_started", request_id="r7", node_id="n1")
    log.event(
        "odd_things",
        level="warning",
        error_code="E",
        text='é "quoted" \n\u2028\x7f',
        number=1e-07,
        whole=3.0,
        nan=math.inf,
        path=Path("a/b"),
        moment=NOW,
        tuple=(1, 2),
        lone="\ud800",
        numbered={1: 2},
    )
    log.close()
    return stream.content


def test_a_truth_with_every_field_used_is_written_as_ever(tmp_path: Path) -> None:
    (tmp_path / "design_model.json").write_text(json.dumps(FULL), "utf-8")
    truth = Truth.load(tmp_path)
    truth.save(truth.model.with_instance("lid-2", Instance("lid")))
    assert truth.path.read_bytes() == (GOLDEN / "truth-full.json").read_bytes()


def test_a_truth_of_defaults_is_written_as_ever(tmp_path: Path) -> None:
    (own_folder(tmp_path) / "project_id").write_text("workshop", "utf-8")  # else it is a random one
    truth = Truth.load(tmp_path)
    truth.save(_default())
    assert truth.path.read_bytes() == (GOLDEN / "truth-defaults.json").read_bytes()


def test_what_was_written_is_read_back_to_an_equal_truth() -> None:
    assert DesignModel.from_json(_full().to_json()) == _full()
    assert DesignModel.from_json(_default().to_json()) == _default()


def test_agents_see_the_truth_in_the_same_order_as_ever() -> None:
    assert json.dumps(_full().to_json(), indent=1) == (GOLDEN / "truth-as-json.json").read_text("utf-8")


def test_whole_numbers_may_be_written_with_a_point() -> None:
    model = DesignModel.from_json(_changed(("components", "plate", "revision"), 5.0))
    assert canonical_json(model.to_json()) == canonical_json(_full().to_json())


def test_a_wrong_truth_is_refused_as_ever() -> None:
    assert _refusals() == json.loads((GOLDEN / "truth-refusals.json").read_text("utf-8"))


def test_the_logs_of_a_session_are_written_as_ever(tmp_path: Path) -> None:
    assert _session_log(tmp_path) == (GOLDEN / "session-logs.txt").read_bytes()


def test_the_log_of_the_service_is_written_as_ever() -> None:
    assert _service_log() == (GOLDEN / "service-log.txt").read_bytes()


def _write() -> None:
    import tempfile

    GOLDEN.mkdir(exist_ok=True)
    full = _full().with_instance("lid-2", Instance("lid"))
    for name, model in (("truth-full", full), ("truth-defaults", _default())):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "design_model.json").write_text(json.dumps(FULL), "utf-8")
            (own_folder(Path(folder)) / "project_id").write_text("workshop", "utf-8")
            truth = Truth.load(Path(folder))
            if name == "truth-defaults":
                truth.path.unlink()
                truth.reload()
            truth.save(model)
            (GOLDEN / f"{name}.json").write_bytes(truth.path.read_bytes())
            truth.close()
    (GOLDEN / "truth-as-json.json").write_text(json.dumps(_full().to_json(), indent=1), "utf-8")
    (GOLDEN / "truth-refusals.json").write_text(json.dumps(_refusals(), indent=1) + "\n", "utf-8")
    with tempfile.TemporaryDirectory() as folder:
        (GOLDEN / "session-logs.txt").write_bytes(_session_log(Path(folder)))
    (GOLDEN / "service-log.txt").write_bytes(_service_log())


if __name__ == "__main__":
    _write()
