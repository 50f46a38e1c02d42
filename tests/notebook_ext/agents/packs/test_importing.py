"""Agents place, update, measure and check texts that import from SketchUp's model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.notebook_ext.agents.packs.headless_world import HeadlessWorld


def wall(headless: HeadlessWorld, width: float = 900.0) -> str:
    made = headless.sketchup.control("_test.add_entity", type="group", box_mm=[width, 100, 2000])
    return f"pid:{made['persistent_id']}"


@pytest.mark.parametrize("tool", ["vcad_place", "vcad_place_with_imports"])
def test_a_file_that_imports_is_placed_and_refitted(
    headless: HeadlessWorld, workspace: Path, tool: str
) -> None:
    reference = wall(headless)
    file = workspace / "rail.cmp.oo"
    text = '[let w [import :{} "{}"]]\n{}'
    file.write_text(text.format("dimensions", reference, "[cube [get w :width] 40 40]"))
    placed = headless.call(tool, node_id="rail", source_file="rail.cmp.oo")
    assert placed["volume"] == pytest.approx(900 * 40 * 40)
    node = headless.call("vcad_node", node_id="rail")
    assert [(row["entity_ref"], row["extract"]) for row in node["imports"]] == [(reference, "dimensions")]
    file.write_text(text.format("solid", reference, "[difference [cube 450 100 2000] w]"))
    assert headless.call("vcad_update", node_id="rail")["volume"] == pytest.approx(450 * 100 * 2000)
    file.write_text(text.format("solid", "pid:987654", "w"))
    assert headless.refused("vcad_update", node_id="rail")["error_code"] == "ENTITY_NOT_FOUND"
    file.write_text(text.format("solid", "node:rail", "w"))
    refused = headless.refused("vcad_update", node_id="rail")
    assert (refused["error_code"], refused["details"]["cycle"]) == ("DEPENDENCY_CYCLE", ["rail", "rail"])
    assert refused["details"]["line"] == 1


def test_a_text_that_imports_is_measured_evaluated_and_checked(headless: HeadlessWorld) -> None:
    reference = wall(headless)
    text = f'[let w [import :solid "{reference}"]] w'
    assert headless.call("vcad_inspect", source=text)["volume"] == pytest.approx(900 * 100 * 2000)
    measures = f'[let d [import :bbox "{reference}"]] [nth [get d :max] 0]'
    assert headless.call("vcad_eval", code=measures)["display"] == "900"
    assert headless.call("vcad_check", source=measures)["diagnostics"] == []
    (finding,) = headless.call("vcad_check", source=f'[let d [import :colour "{reference}"]]')["diagnostics"]
    assert finding["code"] == "IMPORT_FORM_INVALID"
