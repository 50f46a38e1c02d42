"""From truth to trace."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from notebook_ext.session.project.design_model import (
    Component,
    DesignModel,
    Execution,
    Instance,
    Source,
    placed_at,
)
from notebook_ext.sketchup.planning import plan
from notebook_ext.sketchup.trace import Operation, Trace
from notebook_ext.sketchup.trace_files import TraceFiles
from tests.sketchup.memory_bridge import UNIT, MemoryMeshes
from vcad_kernel.errors import ErrorCode, ServiceFailure


@pytest.fixture
def meshes(tmp_path: Path) -> MemoryMeshes:
    return MemoryMeshes(tmp_path)


def _component(**changed: object) -> Component:
    return replace(Component(Source.of_file("plate.cmp.oo"), revision=1), **changed)  # type: ignore[arg-type]


def _model() -> DesignModel:
    return (
        DesignModel.empty()
        .with_component("plate", _component(component_name="Base plate"))
        .with_instance("plate-1", Instance("plate", placed_at(1, 2, 3), layer="Steel"))
    )


def _applied(model: DesignModel) -> DesignModel:
    """As after a push."""
    for node_id, component in model.components.items():
        model = model.with_component(
            node_id, replace(component, applied_revision=component.revision, applied_version=1)
        )
    for name, one in model.instances.items():
        execution = Execution(
            persistent_id=len(name), transform=one.transform, layer=one.layer, material=one.material
        )
        model = model.with_instance(name, replace(one, execution=execution))
    return model


def _kinds(trace: Trace) -> list[tuple[str, str]]:
    return [(one.type, one.target) for one in trace.operations]


def test_a_new_part_is_defined_and_then_placed(meshes: MemoryMeshes) -> None:
    trace = plan(_model(), meshes)
    definition, placement = trace.operations
    assert _kinds(trace) == [("upsert_definition", "plate"), ("place_instance", "plate-1")]
    assert placement.depends_on == (definition.operation_id,)
    box = {"min": list(UNIT.min), "max": list(UNIT.max)}
    assert dict(definition.payload) == {
        "mesh_path": ".vcad/artifacts/plate-1.dae",
        "mesh_digest": "digest-plate-1",
        "expected_bbox_mm": box,
        "component_name": "Base plate",
        "source_file": "plate.cmp.oo",
        "revision": 1,
        "stand_in": False,
    }
    assert dict(placement.payload) == {
        "component": "plate",
        "instance_id": "plate-1",
        "expected_bbox_mm": box,
        "transform": list(placed_at(1, 2, 3)),
        "layer": "Steel",
        "material": None,
        "stand_in": False,
    }
    assert trace.complete


def test_what_sketchup_has_seen_needs_no_operation(meshes: MemoryMeshes) -> None:
    trace = plan(_applied(_model()), meshes)
    assert trace.operations == ()
    assert trace.summary() == "nothing to do: SketchUp has been given all of it"


def test_a_clean_plan_does_all_of_it_again(meshes: MemoryMeshes) -> None:
    assert _kinds(plan(_applied(_model()), meshes, "clean")) == _kinds(plan(_model(), meshes))


def test_a_newer_revision_changes_the_definition_alone(meshes: MemoryMeshes) -> None:
    model = _applied(_model())
    model = model.with_component("plate", replace(model.components["plate"], revision=2))
    assert _kinds(plan(model, meshes)) == [("upsert_definition", "plate")]


def test_only_what_the_design_changed_is_sent_of_a_placed_instance(meshes: MemoryMeshes) -> None:
    model = _applied(_model())
    one = model.instances["plate-1"]
    moved = model.with_instance("plate-1", replace(one, transform=placed_at(9, 9, 9)))
    assert _kinds(plan(moved, meshes)) == [("move_instance", "plate-1")]
    dressed = model.with_instance("plate-1", replace(one, layer=None, material="oak"))
    trace = plan(dressed, meshes)
    assert _kinds(trace) == [("set_layer", "plate-1"), ("set_material", "plate-1")]
    assert trace.summary() == "set layer plate-1: none\nset material plate-1: oak"


def test_what_was_given_up_is_removed_before_anything_is_placed(meshes: MemoryMeshes) -> None:
    model = _applied(_model()).with_component("lid", _component()).without_instance("plate-1")
    assert _kinds(plan(model, meshes)) == [("remove_instance", "plate-1"), ("upsert_definition", "lid")]
    assert _kinds(plan(model.without_component("plate"), meshes, scope=["plate"])) == [
        ("remove_definition", "plate")
    ]


def test_a_scope_takes_a_part_with_its_instances_and_an_instance_with_its_part(meshes: MemoryMeshes) -> None:
    model = (
        _model()
        .with_instance("plate-2", Instance("plate"))
        .with_component("lid", _component())
        .with_instance("lid-1", Instance("lid"))
    )
    whole = [("upsert_definition", "plate"), ("place_instance", "plate-1"), ("place_instance", "plate-2")]
    assert _kinds(plan(model, meshes, scope=["plate"])) == whole
    assert _kinds(plan(model, meshes, scope={"plate-2"})) == [whole[0], whole[2]]
    with pytest.raises(ServiceFailure, match="'nothing'") as refused:
        plan(model, meshes, scope=["nothing"])
    assert refused.value.error_code == ErrorCode.TRUTH_INVALID


@pytest.mark.parametrize(
    ("change", "object_id", "reason"),
    [
        (lambda m: m.with_component("plate", _component(revision=0)), "plate", "not been evaluated"),
        (lambda m: m.with_component("plate", _component(status="orphan")), "plate", "no source here"),
        (lambda m: m.with_component("a b", _component()), "a b", "its id must be"),
        (lambda m: m.with_instance("x", Instance("nothing")), "x", "not in the project"),
        (lambda m: m.with_instance("x", Instance("plate", (0.0,) * 15 + (1.0,))), "x", "flattens"),
        (lambda m: m.with_instance("x", Instance("plate", (1.0,) * 16)), "x", "last row"),
        (lambda m: m.with_instance("x", Instance("plate", placed_at(float("inf"), 0, 0))), "x", "finite"),
    ],
)
def test_what_cannot_become_an_operation_is_named_with_its_reason(
    meshes: MemoryMeshes, change: object, object_id: str, reason: str
) -> None:
    trace = plan(change(_model()), meshes)  # type: ignore[operator]
    assert not trace.complete
    assert object_id in [one.object_id for one in trace.omitted]
    assert reason in next(one.reason for one in trace.omitted if one.object_id == object_id)


def test_geometry_that_is_not_there_takes_unplaced_instances_with_it_and_leaves_placed_ones(
    meshes: MemoryMeshes,
) -> None:
    meshes.lacking["plate"] = "its cell does not run"
    trace = plan(_model(), meshes)
    assert [one.to_json() for one in trace.omitted] == [
        {"object_id": "plate", "reason": "its cell does not run"},
        {"object_id": "plate-1", "reason": "its component plate cannot be placed"},
    ]
    model = _applied(_model())
    model = model.with_component("plate", replace(model.components["plate"], revision=2))
    model = model.with_instance("plate-2", Instance("plate"))
    trace = plan(model, meshes)
    assert [one.object_id for one in trace.omitted] == ["plate"]
    assert _kinds(trace) == [("place_instance", "plate-2")]


def test_a_mirrored_placement_is_a_placement(meshes: MemoryMeshes) -> None:
    mirrored = (-1.0, *placed_at(0, 0, 0)[1:])
    assert plan(_model().with_instance("plate-1", Instance("plate", mirrored)), meshes).complete


def test_a_trace_survives_its_file_and_says_the_same(meshes: MemoryMeshes, tmp_path: Path) -> None:
    trace = plan(_model().with_instance("x", Instance("nothing")), meshes)
    files = TraceFiles(tmp_path)
    path = files.save(trace)
    assert path == tmp_path / ".vcad" / "traces" / f"{trace.trace_id}.json"
    assert files.load(trace.trace_id) == trace
    assert files.names() == (trace.trace_id,)
    with pytest.raises(ServiceFailure) as missing:
        files.load("../../secret")
    assert missing.value.error_code == ErrorCode.FILE_NOT_FOUND


def test_only_the_newest_traces_are_kept_and_a_spoilt_file_is_told(
    meshes: MemoryMeshes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("notebook_ext.sketchup.trace_files._KEPT", 2)
    files = TraceFiles(tmp_path)
    for number in range(4):
        trace = plan(_model().with_instance("plate-1", Instance("plate", placed_at(number, 0, 0))), meshes)
        path = files.save(trace)
        os.utime(path, ns=(number * 10**9, number * 10**9))
    assert files.names(1) == (trace.trace_id,)
    assert len(files.names()) <= 3
    for spoilt in ("{", "[]"):
        path.write_text(spoilt, "utf-8")
        with pytest.raises(ServiceFailure) as refused:
            files.load(trace.trace_id)
        assert refused.value.error_code == ErrorCode.TRACE_INCOMPLETE


def test_a_trace_that_a_push_removes_meanwhile_is_not_listed(
    meshes: MemoryMeshes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = TraceFiles(tmp_path)
    trace = plan(_model().with_instance("x", Instance("nothing")), meshes)
    path = files.save(trace)
    gone = path.with_name("trace-0123456789abcdef.json")
    monkeypatch.setattr(Path, "glob", lambda *_: iter([gone, path]))
    assert files.names() == (trace.trace_id,)


def test_a_full_disk_refuses_a_trace_with_its_code(
    meshes: MemoryMeshes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = plan(_model().with_instance("x", Instance("nothing")), meshes)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(ServiceFailure, match="No space left on device") as refused:
        TraceFiles(tmp_path).save(trace)
    assert refused.value.error_code == ErrorCode.SAVE_FAILED


@pytest.mark.parametrize(
    "spoil",
    [
        lambda found: found["operations"][0].update(type="explode"),
        lambda found: found["operations"][0]["payload"].pop("mesh_path"),
        lambda found: found["operations"][1].update(depends_on=["op-nothing"]),
        lambda found: found["operations"].reverse(),
        lambda found: found["operations"].append(found["operations"][0]),
        lambda found: found.pop("operations"),
        lambda found: found.update(mode="wild"),
        lambda found: found.update(operations=[3]),
    ],
)
def test_a_spoilt_trace_is_refused_as_incomplete(meshes: MemoryMeshes, spoil: object) -> None:
    found = json.loads(json.dumps(plan(_model(), meshes).to_json()))
    spoil(found)  # type: ignore[operator]
    with pytest.raises(ServiceFailure) as refused:
        Trace.from_json(found)
    assert refused.value.error_code == ErrorCode.TRACE_INCOMPLETE


def test_an_operation_id_says_what_is_done_and_not_when() -> None:
    payload = {"b": 1, "a": [1.0, 2.5]}
    again = {"a": [1, 2.5], "b": 1.0}
    assert (
        Operation.of("set_layer", "x", payload).operation_id
        == Operation.of("set_layer", "x", again).operation_id
    )
    assert (
        Operation.of("set_layer", "y", payload).operation_id
        != Operation.of("set_layer", "x", again).operation_id
    )
