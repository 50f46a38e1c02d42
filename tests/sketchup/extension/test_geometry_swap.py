"""New geometry for a part that stands in many places: nothing but the geometry changes."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.sketchup.bridge.bridge import Bounds, Bridge
from notebook_ext.sketchup.bridge.connection import BridgeAddress, BridgeConnection
from tests.sketchup.headless import RunningSketchUp
from tests.sketchup.part_files import write_box, write_broken
from vcad_kernel.errors import VcadError

pytestmark = pytest.mark.skipif(shutil.which("ruby") is None, reason="there is no Ruby here")


@pytest.fixture
def bridge(sketchup: RunningSketchUp) -> Iterator[Bridge]:
    address = BridgeAddress(port=sketchup.port, workspace=sketchup.workspace, timeout=30)
    with BridgeConnection(address) as connection:
        yield Bridge(connection)


@pytest.fixture
def box(sketchup: RunningSketchUp) -> Path:
    return write_box(sketchup.workspace / ".vcad" / "box.dae", 10, 20, 30)


def at(x: float, y: float, z: float) -> list[float]:
    """A turn by 90 degrees about Z and a translation in millimetres."""
    return [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, x, y, z, 1]


def seen(sketchup: RunningSketchUp, entity_id: int) -> dict[str, Any]:
    found: dict[str, Any] = sketchup.control("_test.get_entity", entity_id=entity_id)
    return found


def scattered(sketchup: RunningSketchUp, bridge: Bridge, box: Path) -> list[int]:
    """Three instances of one part: in the root, in a group, in a component that is used twice."""
    placed = bridge.place_node("crate", box, position=(1, 2, 3), component_name="Crate")
    group = sketchup.control("_test.add_entity", type="group", box_mm=[5, 5, 5])
    shelf = sketchup.control("_test.add_definition", name="Shelf", box_mm=[100, 100, 1])
    shelves = [
        sketchup.control("_test.add_instance", definition_name=shelf["name"], position=[0, 0, height])
        for height in (0, 500)
    ]
    nested = [
        sketchup.control(
            "_test.add_instance",
            definition_name=placed.definition_name,
            transformation=at(10.0 * number, 0, 0),
            parent_id=parent["entity_id"],
            name=f"Kiste {number}",
            layer="Walls",
            material="Red",
            locked=number == 1,
            attributes={"mine": {"number": number}},
        )
        for number, parent in enumerate((group, shelves[0]), start=1)
    ]
    assert placed.entity_id is not None
    return [placed.entity_id, *(one["entity_id"] for one in nested)]


def test_an_update_keeps_all_that_is_not_geometry_and_is_undone_in_one_step(
    sketchup: RunningSketchUp, bridge: Bridge, box: Path
) -> None:
    instances = scattered(sketchup, bridge, box)
    before = [seen(sketchup, one) for one in instances]
    steps = len(sketchup.control("_test.get_state")["undo_stack"])
    write_box(box, 40, 20, 30)
    updated = bridge.update_node("crate", box)
    assert (updated.version, updated.replaced_instances, updated.definition_name) == (2, 3, "Crate")
    assert sorted(updated.entity_ids) == sorted(instances)
    after = [seen(sketchup, one) for one in instances]
    grown = {"bounds_mm", "definition_persistent_id"}
    for old, new in zip(before, after, strict=True):
        assert {key: value for key, value in new.items() if key not in grown} == {
            key: value for key, value in old.items() if key not in grown
        }
        assert new["bounds_mm"] != old["bounds_mm"]
    assert len(sketchup.control("_test.get_state")["undo_stack"]) == steps + 1
    bridge.undo(1, updated.model_revision)
    assert [seen(sketchup, one) for one in instances] == before
    assert bridge.get_node("crate").version == 1
    bridge.redo()
    assert [seen(sketchup, one) for one in instances] == after


@pytest.mark.parametrize("mode", ["nil", "raise", "partial"])
def test_an_update_that_fails_leaves_the_model_as_it_was(
    sketchup: RunningSketchUp, bridge: Bridge, box: Path, mode: str
) -> None:
    instances = scattered(sketchup, bridge, box)
    before = [seen(sketchup, one) for one in instances]
    state = sketchup.control("_test.get_state")
    sketchup.control("_test.fail_next", what="import", mode=mode)
    with pytest.raises(VcadError):
        bridge.update_node("crate", box)
    assert [seen(sketchup, one) for one in instances] == before
    now = sketchup.control("_test.get_state")
    kept = ("entity_count", "definition_count", "material_count", "undo_stack", "open_operation")
    assert {key: now[key] for key in kept} == {key: state[key] for key in kept}


def test_placing_what_cannot_be_read_leaves_nothing_behind(
    sketchup: RunningSketchUp, bridge: Bridge, box: Path
) -> None:
    bridge.place_node("crate", box)
    before = sketchup.control("_test.get_state")
    with pytest.raises(VcadError) as raised:
        bridge.place_node("other", write_broken(box))
    assert raised.value.error_code == "IMPORT_DEFINITION_NOT_FOUND"
    after = sketchup.control("_test.get_state")
    for key in ("entity_count", "definition_count", "material_count", "undo_stack", "open_operation"):
        assert after[key] == before[key]
    assert [row.node_id for row in bridge.nodes()] == ["crate"]


@pytest.mark.parametrize("structure", ["flat", "wrapped", "multi"])
def test_it_does_not_matter_how_sketchup_wraps_what_it_imports(
    sketchup: RunningSketchUp, bridge: Bridge, box: Path, structure: str
) -> None:
    sketchup.control("_test.configure", dae_structure=structure)
    bounds = Bounds((0.0, 0.0, 0.0), (10.0, 20.0, 30.0))
    made = bridge.upsert_definition("crate", box, expected_bbox=bounds)
    assert made.manifold is True
    assert made.bounds is not None
    assert made.bounds.max == pytest.approx(bounds.max, abs=1e-3)


def test_a_part_of_another_size_than_expected_is_not_taken(bridge: Bridge, box: Path) -> None:
    with pytest.raises(VcadError) as raised:
        bridge.place_node("crate", box, expected_bbox=Bounds((0, 0, 0), (254, 508, 762)))
    assert raised.value.error_code == "IMPORT_SCALE_MISMATCH"
    assert bridge.nodes() == ()


def test_five_hundred_instances_change_in_one_step(
    sketchup: RunningSketchUp, bridge: Bridge, box: Path
) -> None:
    bridge.upsert_definition("crate", box)
    ids = [
        bridge.place_instance("crate", f"crate-{number}", at(50.0 * number, 0, 0)).entity_id
        for number in range(500)
    ]
    write_box(box, 11, 20, 30)
    updated = bridge.upsert_definition("crate", box)
    assert updated.replaced_instances == 500
    [row] = bridge.nodes()
    assert sorted(row.entity_ids) == sorted(one for one in ids if one is not None)
    assert [one.transform for one in row.placements if one.instance_id == "crate-499"] == [
        pytest.approx(tuple(at(50.0 * 499, 0, 0)))
    ]
    bridge.undo(1, updated.model_revision)
    assert bridge.get_node("crate").version == 1
    assert len(bridge.nodes()[0].placements) == 500


def test_every_number_in_every_answer_is_a_number(
    sketchup: RunningSketchUp, bridge: Bridge, box: Path
) -> None:
    placed = bridge.place_node("crate", box, position=(1.5, 2, 3))
    edge = sketchup.control("_test.add_entity", type="edge", points=[[0, 0, 0], [254, 0, 0]])
    face = sketchup.control(
        "_test.add_entity", type="face", points=[[0, 0, 900], [254, 0, 900], [254, 254, 900]]
    )
    sketchup.control("_test.select", entity_ids=[placed.entity_id, edge["entity_id"], face["entity_id"]])
    call = bridge.connection.call
    answers = [
        call("get_model_info"),
        call("list_entities"),
        call("get_selection"),
        call("get_layers"),
        call("get_materials"),
        call("get_camera_info"),
        call("list_vcad_nodes", {"placements": True}),
        call("get_vcad_node", {"node_id": "crate"}),
        call("update_vcad_node", {"node_id": "crate", "mesh_path": str(box)}),
        *(call("get_entity", {"entity_id": one["entity_id"]}) for one in (edge, face)),
        call("get_entity", {"entity_id": placed.entity_id}),
        *(
            call("resolve_vcad_import", {"entity_id": placed.entity_id, "extract": extract})
            for extract in ("dims", "bbox", "transform", "all", "solid")
        ),
    ]
    length = re.compile(r"~?\s*-?\d+([.,]\d+)?\s*(mm|cm|m|\"|'|in|ft)?")
    texts = [text for answer in answers for text in _texts(answer)]
    assert len(texts) > 20
    assert [text for text in texts if length.fullmatch(text)] == []


def _texts(found: Any) -> Iterator[str]:
    if isinstance(found, str):
        yield found
    elif isinstance(found, dict | list):
        for one in found.values() if isinstance(found, dict) else found:
            yield from _texts(one)
