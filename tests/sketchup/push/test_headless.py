"""Pushing a project into the real extension: real Ruby, real TCP, real geometry."""

from __future__ import annotations

import dataclasses
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from notebook_ext.session.project.canonical import json_object
from notebook_ext.session.project.truth import (
    Bounds,
    Component,
    DesignModel,
    Instance,
    Source,
    Truth,
    placed_at,
)
from notebook_ext.sketchup.bridge.bridge import Bridge
from notebook_ext.sketchup.bridge.connection import BridgeAddress, BridgeConnection
from notebook_ext.sketchup.planning import MeshArtifact, plan
from notebook_ext.sketchup.push.push import OperationFailed, execute, push
from notebook_ext.sketchup.scene_check import check
from notebook_ext.sketchup.trace_files import TraceFiles
from notebook_ext.sketchup.trace_result import TraceResult
from tests.sketchup.headless import RunningSketchUp, headless_sketchup
from tests.sketchup.legacy_server import LegacyServer
from tests.sketchup.losing_proxy import LosingProxy
from tests.sketchup.part_files import write_box, write_broken
from vcad_kernel.errors import ErrorCode, VcadError

pytestmark = pytest.mark.skipif(shutil.which("ruby") is None, reason="there is no Ruby here")

PATIENCE = 30.0


class Boxes:
    """Boxes of 30 by 20 mm that are ten times their revision high."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self.broken = False

    def mesh(self, node_id: str, revision: int) -> MeshArtifact:
        path = self._workspace / ".vcad" / "artifacts" / f"{node_id}-{revision}.dae"
        if self.broken:
            write_broken(path)
        else:
            write_box(path, 30, 20, 10 * revision)
        relative = path.relative_to(self._workspace).as_posix()
        return MeshArtifact(relative, Bounds((0, 0, 0), (30, 20, 10.0 * revision)), f"{node_id}-{revision}")

    def unavailable(self, node_id: str, revision: int) -> str | None:
        return None


@dataclass
class Shop:
    """A project, and a SketchUp that shows it."""

    truth: Truth
    bridge: Bridge
    meshes: Boxes
    sketchup: RunningSketchUp

    def push(self, **options: Any) -> TraceResult:
        return push(self.bridge, self.truth, self.meshes, **options)

    def edit(self) -> None:
        component = self.truth.model.components["box"]
        edited = replace(component, revision=component.revision + 1)
        self.truth.save(self.truth.model.with_component("box", edited))

    def state(self) -> Any:
        return self.sketchup.control("_test.get_state", full=True)

    def entity(self, instance_id: str) -> Any:
        execution = self.truth.model.instances[instance_id].execution
        assert execution is not None
        return self.sketchup.control("_test.get_entity", persistent_id=execution.persistent_id)

    def height(self, instance_id: str) -> float:
        bounds = self.entity(instance_id)["bounds_mm"]
        return round(bounds["max"][2] - bounds["min"][2], 3)

    def contaminated(self) -> bool:
        return check(self.truth.model, self.bridge.nodes()).contaminated


def _bridge(port: int, workspace: Path, **options: Any) -> Bridge:
    address = BridgeAddress(port=port, workspace=workspace, **{"timeout": PATIENCE, **options})
    return Bridge(BridgeConnection(address))


def _shop(sketchup: RunningSketchUp, workspace: Path, port: int | None = None) -> Shop:
    truth = Truth.load(workspace)
    model = truth.model.with_component("box", Component(Source.of_file("box.cmp.oo"), revision=1))
    model = model.with_instance("box-1", Instance("box", placed_at(100, 0, 0), layer="Wände"))
    truth.save(model.with_instance("box-2", Instance("box", placed_at(0, 200, 0), material="oak")))
    return Shop(truth, _bridge(port or sketchup.port, workspace), Boxes(workspace), sketchup)


@pytest.fixture
def shop(sketchup: RunningSketchUp, tmp_path: Path) -> Iterator[Shop]:
    made = _shop(sketchup, tmp_path)
    yield made
    made.bridge.connection.close()
    made.truth.close()


def test_a_project_is_placed_updated_undone_redone_and_removed(shop: Shop) -> None:
    result = shop.push()
    assert result.status == "executed"
    assert result.contamination is not None
    assert not result.contamination.contaminated
    (row,) = shop.bridge.nodes()
    assert (row.node_id, row.version, row.instances) == ("box", 1, 2)
    assert {one.instance_id: one.layer for one in row.placements}["box-1"] == "Wände"
    execution = shop.truth.model.instances["box-1"].execution
    assert execution is not None
    assert execution.bounds is not None
    assert execution.bounds.min == pytest.approx((100, 0, 0))
    assert execution.bounds.max == pytest.approx((130, 20, 10))

    ids = {one.instance_id: (one.entity_id, one.persistent_id) for one in row.placements}
    steps = len(shop.state()["undo_stack"])
    shop.edit()
    shop.push()
    (row,) = shop.bridge.nodes()
    assert row.version == 2
    assert {one.instance_id: (one.entity_id, one.persistent_id) for one in row.placements} == ids
    assert len(shop.state()["undo_stack"]) == steps + 1
    assert (shop.height("box-1"), shop.height("box-2")) == (20.0, 20.0)

    shop.bridge.undo()
    assert shop.height("box-1") == 10.0
    found = check(shop.truth.model, shop.bridge.nodes())
    assert [one.object_id for one in found.stale] == ["box"]
    shop.bridge.redo()
    assert shop.height("box-1") == 20.0
    assert not shop.contaminated()

    assert shop.push().status == "unchanged"
    shop.truth.save(shop.truth.model.without_component("box"))
    assert shop.push().status == "executed"
    assert shop.bridge.nodes() == ()
    assert shop.state()["entities"] == []
    assert not shop.truth.model.removed


def test_the_same_truth_twice_makes_no_new_entities_and_no_undo_step(shop: Shop) -> None:
    shop.push()
    before = shop.state()
    assert shop.push().status == "unchanged"
    after = shop.state()
    for key in ("entities", "definitions", "undo_stack", "entity_count"):
        assert after[key] == before[key]


def test_an_instance_that_a_person_moves_between_plan_and_push_stays_where_they_put_it(shop: Shop) -> None:
    shop.push()
    shop.edit()
    trace = plan(shop.truth.model, shop.meshes)
    moved = shop.entity("box-1")["entity_id"]
    shop.sketchup.control("_test.modify_entity", entity_id=moved, move_mm=[0, 0, 500])
    result = execute(trace, shop.bridge, shop.truth, meshes=shop.meshes)
    assert result.status == "executed"
    bounds = shop.entity("box-1")["bounds_mm"]
    assert bounds["min"] == pytest.approx([100, 0, 500])
    assert bounds["max"] == pytest.approx([130, 20, 520])
    assert not shop.contaminated()


def test_an_instance_that_a_person_erases_between_plan_and_push_is_told_and_comes_back(shop: Shop) -> None:
    shop.push()
    model = shop.truth.model
    one = replace(model.instances["box-1"], transform=placed_at(7, 7, 7))
    shop.truth.save(model.with_instance("box-1", one))
    trace = plan(shop.truth.model, shop.meshes)
    shop.sketchup.control("_test.modify_entity", entity_id=shop.entity("box-1")["entity_id"], erase=True)
    with pytest.raises(OperationFailed) as failed:
        execute(trace, shop.bridge, shop.truth, meshes=shop.meshes)
    assert failed.value.details["cause"]["error_code"] == "ENTITY_NOT_FOUND"
    shop.push()
    assert shop.entity("box-1")["bounds_mm"]["min"] == pytest.approx([7, 7, 7])


def test_a_managed_replay_keeps_what_a_person_drew_and_copied(shop: Shop) -> None:
    shop.push()
    wall = shop.sketchup.control(
        "_test.add_entity", type="face", points=[[0, 0, 0], [900, 0, 0], [900, 0, 900]]
    )
    name = shop.bridge.nodes()[0].name
    copy = shop.sketchup.control(
        "_test.add_instance",
        definition_name=name,
        position=[400, 400, 0],
        attributes={"vcad": {"instance_id": "box-1"}},
    )
    found = check(shop.truth.model, shop.bridge.nodes())
    assert [one.persistent_id for one in found.foreign] == [copy["persistent_id"]]
    result = shop.push(clean="managed")
    assert sorted(result.removed) == ["box-1", "box-2"]
    assert shop.sketchup.control("_test.get_entity", persistent_id=wall["persistent_id"])["valid"]
    stayed = shop.sketchup.control("_test.get_entity", persistent_id=copy["persistent_id"])
    assert stayed["bounds_mm"]["min"] == pytest.approx([400, 400, 0])
    (row,) = shop.bridge.nodes()
    assert len(row.placements) == 3
    assert shop.entity("box-1")["bounds_mm"]["min"] == pytest.approx([100, 0, 0])
    assert result.contamination is not None
    assert [one.persistent_id for one in result.contamination.foreign] == [copy["persistent_id"]]


def test_layers_and_materials_follow_the_design_and_go_back_to_none(shop: Shop) -> None:
    shop.push()
    model = shop.truth.model
    model = model.with_instance("box-1", replace(model.instances["box-1"], layer=None, material="oak"))
    model = model.with_instance("box-2", replace(model.instances["box-2"], layer="Steel", material=None))
    shop.truth.save(model)
    shop.push()
    placed = {one.instance_id: one for one in shop.bridge.nodes()[0].placements}
    assert placed["box-1"].material == "oak"
    assert placed["box-2"].layer == "Steel"
    assert placed["box-2"].material is None
    assert shop.push().status == "unchanged"
    assert not shop.contaminated()


def test_a_broken_part_leaves_the_model_as_it_was_and_rollback_takes_the_rest_back(shop: Shop) -> None:
    shop.push()
    before = shop.state()
    model = shop.truth.model.with_component("lid", Component(Source.of_cell("x"), revision=1))
    component = model.components["box"]
    shop.truth.save(model.with_component("box", replace(component, revision=2)))
    trace = plan(shop.truth.model, shop.meshes)
    shop.meshes.broken = True
    shop.meshes.mesh("lid", 1)
    shop.meshes.broken = False
    with pytest.raises(OperationFailed) as failed:
        execute(trace, shop.bridge, shop.truth, meshes=shop.meshes, rollback_all=True)
    assert failed.value.details["rollback"]["status"] == "complete"
    assert failed.value.details["cause"]["error_code"] == "IMPORT_DEFINITION_NOT_FOUND"
    after = shop.state()
    for key in ("entities", "definitions", "undo_stack", "material_count"):
        assert after[key] == before[key]
    assert shop.truth.model.components["box"].applied_revision == 1
    assert shop.push().status == "executed"
    assert not shop.contaminated()


@pytest.mark.parametrize("lost", [1, 2])
def test_answers_lost_on_the_way_do_not_do_anything_twice(
    sketchup: RunningSketchUp, tmp_path: Path, lost: int
) -> None:
    with LosingProxy(sketchup.port) as proxy:
        shop = _shop(sketchup, tmp_path, proxy.port)
        shop.push()
        ids = [one.persistent_id for one in shop.bridge.nodes()[0].placements]
        shop.edit()
        trace = plan(shop.truth.model, shop.meshes)
        rows = shop.bridge.nodes()
        shop.bridge.status()
        original = shop.bridge.upsert_definition

        def upsert_and_lose(*given: Any, **more: Any) -> Any:
            proxy.lose = lost
            return original(*given, **more)

        shop.bridge.upsert_definition = upsert_and_lose  # type: ignore[method-assign]
        result = execute(trace, shop.bridge, shop.truth, meshes=shop.meshes, rows=rows)
        assert result.status == "executed"
        (row,) = shop.bridge.nodes()
        assert row.version == 2
        assert [one.persistent_id for one in row.placements] == ids
        assert shop.truth.model.components["box"].applied_version == 2
        shop.bridge.connection.close()


def test_sketchup_killed_in_the_middle_of_an_update_and_started_again(tmp_path: Path, kept_port: int) -> None:
    with headless_sketchup(workspace=tmp_path, port=kept_port) as first:
        shop = _shop(first, tmp_path)
        shop.push()
        shop.edit()
        first.control("_test.delay_next", tool="upsert_vcad_definition", seconds=PATIENCE)
        asked = threading.Event()
        killer = threading.Thread(target=lambda: asked.wait(PATIENCE) and first.kill())
        killer.start()
        original = shop.bridge.upsert_definition

        def told(*given: Any, **more: Any) -> Any:
            timer = threading.Timer(0.2, asked.set)  # the request is on its way by then, or is lost with it
            timer.start()
            try:
                return original(*given, **more)
            finally:
                timer.join()

        shop.bridge.upsert_definition = told  # type: ignore[method-assign]
        with pytest.raises(OperationFailed) as failed:
            shop.push()
        killer.join()
        assert failed.value.details["cause"]["error_code"] == ErrorCode.UNKNOWN_OUTCOME
        shop.bridge.upsert_definition = original  # type: ignore[method-assign]
    assert shop.truth.model.components["box"].applied_revision == 1
    with headless_sketchup(workspace=tmp_path, port=kept_port) as second:
        shop.sketchup = second
        assert shop.push().status == "executed"
        assert shop.height("box-1") == 20.0
        assert not shop.contaminated()
        shop.bridge.connection.close()


def test_a_saved_model_opened_in_a_new_sketchup_needs_nothing(tmp_path: Path) -> None:
    path = str(tmp_path / "hall.skp")
    with headless_sketchup(workspace=tmp_path) as first:
        shop = _shop(first, tmp_path)
        shop.push()
        shop.bridge.connection.call("save_model", {"path": path})
        shop.bridge.connection.close()
    with headless_sketchup(workspace=tmp_path) as second:
        shop = dataclasses.replace(shop, bridge=_bridge(second.port, tmp_path), sketchup=second)
        shop.bridge.connection.call("open_model", {"path": path})
        assert shop.push().status == "unchanged"
        shop.edit()
        assert [one.type for one in shop.push().executed] == ["upsert_definition"]
        assert shop.height("box-2") == 20.0
        assert not shop.contaminated()
        shop.bridge.connection.close()


def test_a_stored_trace_gives_the_same_result_in_another_sketchup_but_for_ids_and_times(shop: Shop) -> None:
    first = shop.push()
    trace = TraceFiles(shop.truth.workspace).load(first.trace_id)
    shop.sketchup.control("_test.reset")
    empty = Truth.scratch(DesignModel.empty(), shop.truth.workspace)
    second = execute(trace, shop.bridge, empty, meshes=shop.meshes)
    assert [_lasting(json_object(one)) for one in second.executed] == [
        _lasting(json_object(one)) for one in first.executed
    ]


def _lasting(found: dict[str, Any]) -> dict[str, Any]:
    passing = ("entity_id", "persistent_id", "elapsed_ms", "model_revision")
    return {key: value for key, value in found.items() if key not in passing}


def test_a_part_that_a_person_has_open_is_not_changed_under_their_hands(shop: Shop) -> None:
    shop.push()
    shop.edit()
    shop.sketchup.control("_test.open_path", entity_ids=[shop.entity("box-1")["entity_id"]])
    with pytest.raises(OperationFailed) as failed:
        shop.push()
    assert failed.value.details["cause"]["error_code"] == "BUSY_EDITING"
    assert shop.height("box-1") == 10.0
    shop.sketchup.control("_test.open_path", entity_ids=None)
    shop.push()
    assert shop.height("box-1") == 20.0


def test_a_copy_made_unique_by_a_person_is_told_and_nothing_is_placed_twice(shop: Shop) -> None:
    shop.push()
    project_id = shop.truth.model.project_id
    copy = shop.sketchup.control(
        "_test.add_definition",
        name="by hand",
        attributes={"vcad": {"node_id": "box", "version": 1, "source_file": "", "project_id": project_id}},
        box_mm=[1, 2, 3],
    )
    shop.sketchup.control("_test.add_instance", definition_id=copy["entity_id"])
    assert len(shop.bridge.nodes()) == 2
    result = shop.push()
    assert result.status == "unchanged"
    assert result.contamination is not None
    assert "unique" in result.contamination.foreign[0].reason
    before = shop.truth.model
    shop.edit()
    with pytest.raises(OperationFailed) as failed:
        shop.push()
    assert failed.value.details["cause"]["error_code"] == "NODE_AMBIGUOUS"
    assert shop.truth.model.instances == before.instances
    assert shop.height("box-1") == 10.0


def test_a_part_and_its_instances_may_have_any_name_and_place(shop: Shop) -> None:
    model = shop.truth.model
    component = replace(model.components["box"], component_name="Träger Ω 1")
    turned = (0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 1 / 3, -5.0, 7.25, 1.0)
    model = model.with_component("box", component)
    shop.truth.save(model.with_instance("ünï/1", Instance("box", turned, layer="Ebene Ä", material="Öl")))
    shop.push()
    (row,) = shop.bridge.nodes()
    assert row.name == "Träger Ω 1"
    placed = next(one for one in row.placements if one.instance_id == "ünï/1")
    assert placed.transform == pytest.approx(turned)
    assert (placed.layer, placed.material) == ("Ebene Ä", "Öl")
    assert shop.push().status == "unchanged"


def test_an_older_extension_is_asked_for_nothing(tmp_path: Path) -> None:
    with LegacyServer() as legacy:
        truth = Truth.load(tmp_path)
        model = truth.model.with_component("box", Component(Source.of_cell("x"), revision=1))
        before = truth.save(model.with_instance("box-1", Instance("box")))
        bridge = _bridge(legacy.port, tmp_path)
        with pytest.raises(VcadError) as refused, bridge.connection:
            push(bridge, truth, Boxes(tmp_path))
        assert refused.value.error_code in ("CAPABILITY_UNAVAILABLE", "HOST_BLOCKED")
        assert truth.model == before


def test_five_hundred_instances_are_updated_in_one_undo_step(shop: Shop) -> None:
    model = shop.truth.model
    for number in range(3, 501):
        model = model.with_instance(f"box-{number}", Instance("box", placed_at(40 * number, 0, 0)))
    shop.truth.save(model)
    shop.push()
    (row,) = shop.bridge.nodes()
    assert row.instances == 500
    ids = [one.persistent_id for one in row.placements]
    assert len(set(ids)) == 500
    steps = len(shop.state()["undo_stack"])
    shop.edit()
    result = shop.push()
    assert [one.replaced_instances for one in result.executed] == [500]
    (row,) = shop.bridge.nodes()
    assert [one.persistent_id for one in row.placements] == ids
    assert len(shop.state()["undo_stack"]) <= max(steps + 1, 100)
    shop.bridge.undo()
    assert shop.bridge.nodes()[0].version == 1
