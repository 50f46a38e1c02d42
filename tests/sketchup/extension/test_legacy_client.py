"""An unchanged client of before works against our extension: its fifteen tools, arguments and errors."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.sketchup.extension.legacy_client import LegacyClient, LegacyFailure
from tests.sketchup.headless import RunningSketchUp, headless_sketchup
from tests.sketchup.part_files import write_box

pytestmark = pytest.mark.skipif(shutil.which("ruby") is None, reason="there is no Ruby here")


@pytest.fixture(scope="module")
def evaluating(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSketchUp]:
    """A SketchUp whose owner allows Ruby to be evaluated, as supex always did."""
    folder = tmp_path_factory.mktemp("legacy").resolve()
    with headless_sketchup(workspace=folder, allow_eval=True) as running:
        yield running


@pytest.fixture
def sketchup(evaluating: RunningSketchUp) -> Iterator[RunningSketchUp]:
    evaluating.control("_test.reset")
    yield evaluating
    evaluating.assert_clean()


@pytest.fixture
def client(sketchup: RunningSketchUp) -> LegacyClient:
    return LegacyClient(sketchup.port, workspace=sketchup.workspace)


def numbers(found: Any, count: int) -> bool:
    """Whether this is a list of so many JSON numbers; a length must never come as a text."""
    return len(found) == count and all(type(one) in (int, float) for one in found)


def test_twenty_calls_in_a_row(client: LegacyClient) -> None:
    for _ in range(20):
        status = client.call("ping")
        assert (status["success"], status["status"]) == (True, "connected")
        assert {"message", "version"} <= status.keys()


def test_a_later_driver_keeps_its_connection(client: LegacyClient) -> None:
    for _ in range(20):
        assert client.call_on_kept("ping")["status"] == "connected"
    client.close()
    assert client.connections == 1


@pytest.mark.parametrize("number", [None, 0, 7, 1.5, "request-1"])
def test_an_id_of_any_kind_comes_back_as_it_went(sketchup: RunningSketchUp, number: Any) -> None:
    client = LegacyClient(sketchup.port, ids=itertools.repeat(number))
    assert client.call("ping")["status"] == "connected"


def test_ping_and_resources_are_methods_too(sketchup: RunningSketchUp, client: LegacyClient) -> None:
    assert client.ask("ping", {})["status"] == "ok"
    sketchup.control("_test.add_entity", type="group", box_mm=[25.4, 50.8, 76.2])
    found = client.ask("resources/list", {})
    assert found["success"] is True
    [group] = found["resources"]
    assert group["type"] == "group"
    assert group["bounds"]["max"] == pytest.approx([1, 2, 3])  # inches


def test_get_model_info(sketchup: RunningSketchUp, client: LegacyClient) -> None:
    sketchup.control("_test.add_entity", type="group", box_mm=[25.4, 25.4, 25.4])
    found = client.call("get_model_info")
    assert found["success"] is True
    assert found["title"] == "Untitled"
    assert found["units"] in {"inches", "feet", "millimeters", "centimeters", "meters", "yards"}
    assert (found["num_faces"], found["num_edges"], found["num_groups"], found["num_components"]) == (
        0,
        0,
        1,
        0,
    )
    assert type(found["modified"]) is bool


def test_list_entities(sketchup: RunningSketchUp, client: LegacyClient) -> None:
    group = sketchup.control("_test.add_entity", type="group", box_mm=[25.4, 25.4, 25.4], name="Crate")
    sketchup.control("_test.add_entity", type="edge", points=[[0, 0, 0], [254, 0, 0]])
    found = client.call("list_entities", entity_type="all")
    assert (found["success"], found["entity_type"], found["count"]) == (True, "all", 2)
    [crate] = client.call("list_entities", entity_type="groups")["entities"]
    assert (crate["entity_id"], crate["name"]) == (group["entity_id"], "Crate")
    assert isinstance(crate["layer"], str)
    [edge] = client.call("list_entities", entity_type="edges")["entities"]
    assert edge["length"] == pytest.approx(10.0)  # inches, as ever
    assert client.call("list_entities")["entity_type"] == "all"


def test_get_selection(sketchup: RunningSketchUp, client: LegacyClient) -> None:
    group = sketchup.control("_test.add_entity", type="group", box_mm=[10, 10, 10])
    assert client.call("get_selection")["count"] == 0
    sketchup.control("_test.select", entity_ids=[group["entity_id"]])
    found = client.call("get_selection")
    assert [one["entity_id"] for one in found["entities"]] == [group["entity_id"]]


def test_get_layers(client: LegacyClient) -> None:
    found = client.call("get_layers")
    assert found["count"] == len(found["layers"]) >= 1
    assert all({"name", "visible", "page_behavior"} <= one.keys() for one in found["layers"])


def test_get_materials(sketchup: RunningSketchUp, client: LegacyClient) -> None:
    definition = sketchup.control("_test.add_definition", name="Crate", box_mm=[10, 10, 10])
    sketchup.control("_test.add_instance", definition_name=definition["name"], material="Red")
    found = client.call("get_materials")
    assert found["count"] == len(found["materials"]) >= 1
    assert all({"name", "display_name", "textured"} <= one.keys() for one in found["materials"])


def test_get_camera_info(client: LegacyClient) -> None:
    found = client.call("get_camera_info")
    assert found["success"] is True
    assert all(numbers(found[key], 3) for key in ("eye", "target", "up"))
    assert type(found["fov"]) in (int, float, type(None))
    assert type(found["perspective"]) is bool


def test_take_screenshot(sketchup: RunningSketchUp, client: LegacyClient) -> None:
    sketchup.control("_test.add_entity", type="group", box_mm=[100, 100, 100])
    found = client.call("take_screenshot", width=64, height=48, transparent=False)
    picture = Path(found["file_path"])
    assert picture.is_relative_to(sketchup.workspace)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert (found["width"], found["height"], found["format"]) == (64, 48, "png")
    assert found["file_name"] == picture.name


def test_take_batch_screenshots(sketchup: RunningSketchUp, client: LegacyClient) -> None:
    group = sketchup.control("_test.add_entity", type="group", box_mm=[100, 100, 100])
    found = client.call(
        "take_batch_screenshots",
        shots=[
            {"camera": {"type": "standard_view", "view": "top"}, "name": "top"},
            {"camera": {"type": "custom", "eye": [9, 9, 9], "target": [0, 0, 0]}},
            {"camera": {"type": "zoom_entity", "entity_ids": [group["entity_id"]], "padding": 1.2}},
        ],
        output_dir=str(sketchup.workspace / "pictures"),
        base_name="legacy",
        width=32,
        height=32,
    )
    assert (found["total_shots"], found["successful"], found["failed"]) == (3, 3, 0)
    assert all(Path(one["file_path"]).is_file() for one in found["results"])
    none = client.call("take_batch_screenshots", shots=[])
    assert (none["success"], none["error"]) == (False, "No shots specified")


def test_save_model_and_open_model(sketchup: RunningSketchUp, client: LegacyClient) -> None:
    sketchup.control("_test.add_entity", type="group", box_mm=[10, 10, 10])
    file = sketchup.workspace / "house.skp"
    saved = client.call("save_model", path=str(file))
    assert (saved["success"], saved["file_name"]) == (True, "house.skp")
    assert file.is_file()
    opened = client.call("open_model", path=str(file))
    assert (opened["success"], opened["title"]) == (True, "house")
    assert client.call("get_model_info")["num_groups"] == 1
    gone = client.call("open_model", path=str(sketchup.workspace / "none.skp"))
    assert gone["success"] is False
    assert gone["error"].startswith("File not found: ")


@pytest.mark.parametrize("file_format", ["skp", "obj", "stl", "png", "jpg"])
def test_export_scene(sketchup: RunningSketchUp, client: LegacyClient, file_format: str) -> None:
    sketchup.control("_test.add_entity", type="group", box_mm=[10, 10, 10])
    found = client.call("export_scene", format=file_format, width=32, height=32)
    assert (found["success"], found["format"]) == (True, file_format)
    assert Path(found["file_path"]).stat().st_size > 0


def test_eval_ruby(client: LegacyClient) -> None:
    assert client.call("eval_ruby", code="Sketchup.active_model.entities.size + 1")["result"] == "1"


def test_eval_ruby_file(sketchup: RunningSketchUp, client: LegacyClient) -> None:
    file = sketchup.workspace / "count.rb"
    file.write_text("6 * 7\n", "utf-8")
    found = client.call("eval_ruby_file", file_path=str(file))
    assert (found["success"], found["result"], found["file_name"]) == (True, "42", "count.rb")


def test_console_capture_status(client: LegacyClient) -> None:
    found = client.call("console_capture_status")
    assert found["success"] is True
    assert type(found["capturing"]) is bool
    assert {"log_file", "message"} <= found.keys()


def test_place_and_update_by_their_old_argument_names(
    sketchup: RunningSketchUp, client: LegacyClient
) -> None:
    box = write_box(sketchup.workspace / "box.dae", 10, 20, 30)
    placed = client.call("place_vcad_node", obj_path=str(box), node_id="crate", position=[1, 2, 3])
    assert {"success", "node_id", "entity_id", "definition_name"} <= placed.keys()
    updated = client.call("update_vcad_node", obj_path=str(box), node_id="crate")
    assert (updated["version"], updated["replaced_instances"]) == (2, 1)
    [row] = client.call("list_vcad_nodes")
    assert {"node_id": "crate", "version": 2, "instances": 1}.items() <= row.items()
    found = client.call("resolve_vcad_import", entity_id=placed["entity_id"], extract="dimensions")
    assert found["data"] == pytest.approx({"width": 10, "height": 20, "depth": 30})


@pytest.mark.parametrize(
    ("tool", "arguments", "number", "beginning"),
    [
        ("no_such_tool", {}, -32601, "Unknown tool: no_such_tool"),
        ("eval_ruby", {"code": "nowhere_to_be_found"}, -32000, ""),
        ("eval_ruby", {"code": "1 +"}, -32000, ""),
        ("eval_ruby_file", {"file_path": "/etc/hostname.rb"}, -32002, ""),
        ("update_vcad_node", {"obj_path": "box.dae", "node_id": "nobody"}, -32004, ""),
        ("resolve_vcad_import", {"entity_id": 999_999, "extract": "dims"}, -32004, ""),
        ("take_screenshot", {"width": 0}, -32602, ""),
    ],
)
def test_errors_have_a_number_a_sentence_and_no_success(
    sketchup: RunningSketchUp,
    client: LegacyClient,
    tool: str,
    arguments: dict[str, Any],
    number: int,
    beginning: str,
) -> None:
    write_box(sketchup.workspace / "box.dae", 1, 1, 1)
    with pytest.raises(LegacyFailure) as raised:
        client.call(tool, **arguments)
    assert raised.value.code == number
    assert raised.value.message.startswith(beginning)
    assert raised.value.message
    assert raised.value.data["success"] is False


def test_a_hello_that_lacks_something_is_refused(client: LegacyClient) -> None:
    del client.hello["agent"]
    with pytest.raises(LegacyFailure) as raised:
        client.call("ping")
    assert raised.value.code in (-32600, -32602)
