"""Laws of planning and pushing, over random projects, edits, hands and faults."""

from __future__ import annotations

import copy
import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from notebook_ext.session.project.canonical import canonical_json
from notebook_ext.session.project.truth import (
    Component,
    DesignModel,
    Instance,
    Source,
    Truth,
    placed_at,
)
from notebook_ext.sketchup.planning import plan
from notebook_ext.sketchup.push.push import OperationFailed, execute, push
from notebook_ext.sketchup.scene_check import check
from tests.sketchup.memory_bridge import Fault, MemoryMeshes, MemorySketchUp, memory_bridge
from tests.tiers import examples

nodes = st.sampled_from(["plate", "lid", "screw"])
layers = st.sampled_from([None, "Steel", "Wood"])
points = st.tuples(*[st.integers(-5, 5).map(lambda n: n / 3)] * 3).map(lambda p: placed_at(*p))


@st.composite
def models(draw: st.DrawFn) -> DesignModel:
    model = DesignModel.empty()
    for node_id in draw(st.lists(nodes, unique=True, min_size=1)):
        model = model.with_component(
            node_id, Component(Source.of_cell(node_id), revision=draw(st.integers(1, 3)))
        )
        for number in range(draw(st.integers(0, 3))):
            one = Instance(node_id, draw(points), draw(layers), draw(layers), keep=draw(st.booleans()))
            model = model.with_instance(f"{node_id}-{number}", one)
    return model


@st.composite
def edits(draw: st.DrawFn, model: DesignModel) -> DesignModel:
    """The model after somebody has worked on it."""
    for _ in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(["geometry", "move", "layer", "drop", "forget", "add"]))
        if kind == "geometry" and model.components:
            node_id = draw(st.sampled_from(sorted(model.components)))
            component = model.components[node_id]
            model = model.with_component(node_id, replace(component, revision=component.revision + 1))
        elif kind in ("move", "layer", "drop") and model.instances:
            name = draw(st.sampled_from(sorted(model.instances)))
            one = model.instances[name]
            if kind == "drop":
                model = model.without_instance(name)
            else:
                change = {"transform": draw(points)} if kind == "move" else {"layer": draw(layers)}
                model = model.with_instance(name, replace(one, **change))  # type: ignore[arg-type]
        elif kind == "forget" and model.components:
            model = model.without_component(draw(st.sampled_from(sorted(model.components))))
        elif kind == "add" and model.components:
            node_id = draw(st.sampled_from(sorted(model.components)))
            model = model.with_instance(
                f"{node_id}-{draw(st.integers(0, 5))}", Instance(node_id, draw(points))
            )
    return model


def _scene(sketchup: MemorySketchUp) -> object:
    """What is to be seen, without ids."""
    return (
        {node_id: one.mesh_path for node_id, one in sketchup.state.nodes.items()},
        sorted(
            (one.node_id, str(one.instance_id), one.transform, one.layer, str(one.material))
            for one in sketchup.state.instances
        ),
    )


def _as_designed(model: DesignModel, sketchup: MemorySketchUp) -> object:
    return (
        {name: f".vcad/artifacts/{name}-{one.revision}.dae" for name, one in model.components.items()},
        sorted(
            (one.component, name, one.transform, one.layer or "Layer0", str(one.material))
            for name, one in model.instances.items()
        ),
    )


@given(models())
def test_a_plan_is_the_same_for_the_same_truth_however_it_is_ordered(model: DesignModel) -> None:
    with tempfile.TemporaryDirectory() as folder:
        meshes = MemoryMeshes(Path(folder))
        found = json.loads(canonical_json(model.to_json()))
        for key in ("components", "instances"):
            found[key] = dict(reversed(found[key].items()))
        first, second = plan(model, meshes), plan(DesignModel.from_json(found), meshes)
        assert first == second
        assert canonical_json(first.to_json()) == canonical_json(second.to_json())
        assert first.complete


@examples(40)
@given(st.data())
def test_after_a_push_the_scene_is_the_design_and_nothing_is_left_to_do(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        meshes, sketchup = MemoryMeshes(workspace), MemorySketchUp(workspace)
        bridge, truth = memory_bridge(sketchup), Truth.load(workspace)
        truth.save(data.draw(models()))
        for _ in range(data.draw(st.integers(1, 3))):
            execute(plan(truth.model, meshes), bridge, truth, meshes=meshes)
            assert plan(truth.model, meshes).operations == ()
            assert _scene(sketchup) == _as_designed(truth.model, sketchup)
            assert not check(truth.model, bridge.nodes()).contaminated
            ids = [one.execution for one in truth.model.instances.values()]
            assert sorted(one.persistent_id or 0 for one in ids if one) == sorted(
                one.persistent_id for one in sketchup.state.instances
            )
            assert not truth.model.removed
            truth.save(data.draw(edits(truth.model)))
        truth.close()


@examples(40)
@given(st.data())
def test_any_failure_leaves_a_truth_from_which_the_next_push_succeeds(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        meshes, sketchup = MemoryMeshes(workspace), MemorySketchUp(workspace)
        bridge, truth = memory_bridge(sketchup), Truth.load(workspace)
        truth.save(data.draw(models()))
        push(bridge, truth, meshes)
        truth.save(data.draw(edits(truth.model)))
        before, design = _scene(sketchup), truth.model
        tool = data.draw(
            st.sampled_from(
                [
                    "upsert_vcad_definition",
                    "place_vcad_instance",
                    "set_vcad_instance",
                    "remove_vcad_instance",
                    "remove_vcad_node",
                ]
            )
        )
        code, done = data.draw(
            st.sampled_from([("RUBY_ERROR", False), ("UNKNOWN_OUTCOME", False), ("UNKNOWN_OUTCOME", True)])
        )
        sketchup.fault(tool, Fault(code, done=done), after=data.draw(st.integers(0, 2)))
        rollback_all = data.draw(st.booleans())
        clean = data.draw(st.sampled_from(["none", "managed"]))
        try:
            push(bridge, truth, meshes, rollback_all=rollback_all, clean=clean)
        except OperationFailed as failed:
            if rollback_all and failed.result.rollback.status == "complete":
                assert _scene(sketchup) == before
        truth.close()
        truth = Truth.load(workspace)
        assert truth.problem is None
        _consistent(truth.model, sketchup)
        assert _design(truth.model) == _design(design)
        sketchup._faults.clear()
        push(bridge, truth, meshes)
        assert _scene(sketchup) == _as_designed(truth.model, sketchup)
        assert push(bridge, truth, meshes).status == "unchanged"
        truth.close()


@examples(40)
@given(st.data())
def test_whatever_a_person_did_a_managed_replay_shows_the_design_and_their_own(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        meshes, sketchup = MemoryMeshes(workspace), MemorySketchUp(workspace)
        bridge, truth = memory_bridge(sketchup), Truth.load(workspace)
        model = data.draw(models())
        for name, one in model.instances.items():
            model = model.with_instance(name, replace(one, keep=False))
        truth.save(model)
        push(bridge, truth, meshes)
        copies = set()
        for _ in range(data.draw(st.integers(0, 5))):
            kind = data.draw(st.sampled_from(["move", "copy", "draw", "undo"]))
            names = sorted({one.instance_id for one in sketchup.state.instances if one.instance_id})
            if kind == "draw":
                sketchup.person_draws("a wall")
            elif kind == "undo":
                sketchup.person_undoes()
            elif names:
                name = data.draw(st.sampled_from(names))
                if kind == "move":
                    sketchup.person_moves(name, data.draw(points))
                else:
                    copies.add(sketchup.person_copies(name, data.draw(points)).persistent_id)
        drawn = list(sketchup.state.drawn)
        truth.save(data.draw(edits(truth.model)))
        mine = [
            one
            for one in sketchup.state.instances
            if one.persistent_id in copies
            and any(  # a copy of what is gone has taken its place
                other.instance_id == one.instance_id and other.persistent_id not in copies
                for other in sketchup.state.instances
            )
        ]
        mine = [copy.copy(one) for one in mine]
        push(bridge, truth, meshes, clean="managed")
        assert sketchup.state.drawn == drawn
        here = {one.persistent_id: one for one in sketchup.state.instances}
        assert all(here[one.persistent_id] == one for one in mine)
        ours = [
            (one.node_id, one.instance_id, one.transform)
            for one in sketchup.state.instances
            if one.persistent_id not in {other.persistent_id for other in mine}
        ]
        assert sorted(ours, key=repr) == sorted(
            ((one.component, name, one.transform) for name, one in truth.model.instances.items()), key=repr
        )
        truth.close()


def _consistent(model: DesignModel, sketchup: MemorySketchUp) -> None:
    """Whatever the truth says to be in SketchUp is there, once."""
    here = {one.persistent_id: one for one in sketchup.state.instances}
    noted = [one.execution.persistent_id for one in model.instances.values() if one.execution]
    assert len(noted) == len(set(noted))
    for name, one in model.instances.items():
        if one.execution is not None:
            assert here[one.execution.persistent_id or 0].instance_id == name
    for node_id, component in model.components.items():
        if component.applied_revision:
            assert sketchup.state.nodes[node_id].version == component.applied_version


def _design(model: DesignModel) -> object:
    """The truth without feedback."""
    return (
        {name: (one.source, one.revision) for name, one in model.components.items()},
        {name: replace(one, execution=None) for name, one in model.instances.items()},
    )
