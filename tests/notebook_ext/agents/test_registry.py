"""Every tool is registered once, in the pack and with the risk that the specification gives it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from notebook_ext.agents.calls.call import Tool
from notebook_ext.agents.mcp.server import listed_tools
from notebook_ext.agents.packs import PACKS
from notebook_ext.agents.registry import find, load, wanted_packs
from vcad_kernel.errors import ServiceFailure

CORE = {
    "session_info": "R",
    "vcad_list_nodes": "R",
    "vcad_node": "R",
    "vcad_place": "W I",
    "vcad_update": "W I",
    "vcad_move": "W",
    "vcad_remove": "D",
    "vcad_set_parameter": "W I",
    "vcad_inspect": "R",
    "vcad_distance": "R",
    "vcad_check": "R",
    "vcad_test": "R",
    "vcad_reference": "R",
    "vcad_export": "W",
    "vcad_screenshot": "R",
    "vcad_select": "R",
    "read_file": "R",
    "set_file_slice": "W",
}
PROJECT = {
    "vcad_update_cascade": "W",
    "vcad_diff": "R",
    "vcad_place_with_imports": "W I",
    "project_get": "R",
    "vcad_graph": "R",
    "project_validate": "R",
    "project_patch": "W",
    "plan_trace": "R",
    "trace_get": "R",
    "trace_list": "R",
    "trace_execute": "W",
    "trace_smoke": "R",
    "trace_replay": "D",
    "scene_check": "R",
}
FILES = {
    **dict.fromkeys(("list_directory", "search_files", "get_file_slice", "get_tree"), "R"),
    **dict.fromkeys(("get_file_summary", "get_git_diff", "cad_get_outline", "cad_get_definition"), "R"),
    **dict.fromkeys(("cad_check_syntax", "cad_find_usages", "vcad_eval", "search_text"), "R"),
    **dict.fromkeys(("write_file", "create_file", "cad_update_definition"), "W"),
}
PYTHON = {
    **dict.fromkeys(
        (
            *("py_get_skeleton", "py_get_code_outline", "py_get_definition", "py_get_signature"),
            *("py_get_class_summary", "py_get_var_declaration", "py_get_imports", "py_check_syntax"),
            *("py_get_hierarchy", "py_get_docstring", "py_find_usages"),
        ),
        "R",
    ),
    **dict.fromkeys(("py_update_definition", "py_set_signature", "py_set_var_declaration"), "W"),
}
SKETCHUP = {
    **dict.fromkeys(
        (
            *("check_sketchup_status", "get_model_info", "list_entities", "get_entity", "get_selection"),
            *("get_layers", "get_materials", "get_camera_info", "console_capture_status"),
            *("take_screenshot", "take_batch_screenshots"),
        ),
        "R",
    ),
    **dict.fromkeys(("save_model", "export_scene"), "W"),
    **dict.fromkeys(("undo", "redo"), "D"),
    "open_model": "D",
    "eval_ruby": "X",
    "eval_ruby_file": "X",
}
NOTEBOOK = {
    **dict.fromkeys(("nb_list_cells", "nb_get_cell", "nb_outline"), "R"),
    **dict.fromkeys(("nb_set_cell", "nb_insert_cell", "nb_delete_cell"), "W"),
    "nb_run_cell": "X",
}
TABLE = {
    "core": CORE,
    "viewer": {
        "vcad_viewer_annotate": "W",
        "vcad_propose": "W",
        "vcad_viewer_set": "W I",
        **dict.fromkeys(("vcad_viewer_state", "vcad_viewer_focus", "vcad_viewer_screenshot"), "R"),
    },
    "watch": {"vcad_watch_pause": "W I", "vcad_watch_resume": "W"},
    "project": PROJECT,
    "files": FILES,
    "python": PYTHON,
    "sketchup": SKETCHUP,
    "notebook": NOTEBOOK,
    "diagnostics": {
        **dict.fromkeys(("vcad_health", "vcad_metrics", "get_logs", "get_ui_performance"), "R"),
        "vcad_reconcile_status": "R",
        "vcad_reconcile": "W",
    },
    "shell": {"run_shell": "X"},
    "web": {"web_search": "X", "fetch_url": "X"},
}
SPECIFICATION = Path(__file__).parents[3] / "docs/spec/agent_tools.md"


def of_pack(pack: str) -> list[Tool]:
    return [tool for tool in load((pack,)) if tool.pack == pack]


@pytest.mark.parametrize("pack", TABLE)
def test_a_pack_has_the_tools_of_the_specification(pack: str) -> None:
    found = {
        tool.name: tool.risk + (" I" if tool.idempotent and tool.risk != "R" else "")
        for tool in of_pack(pack)
    }
    assert found == TABLE[pack]


def test_each_name_is_there_once_over_all_packs() -> None:
    names = Counter(tool.name for tool in load(("all",)))
    assert [name for name, count in names.items() if count > 1] == []


def test_annotations_say_what_the_risk_says() -> None:
    risks = {tool.name: tool.risk for tool in load(("all",))}
    for listed in listed_tools(("all",)):
        assert listed.annotations is not None
        risk = risks[listed.name]
        assert listed.annotations.read_only_hint is (risk == "R"), listed.name
        assert listed.annotations.destructive_hint is (risk == "D"), listed.name


def specified() -> dict[str, str]:
    """Tool → risk, as the tables of the specification have them; the class of mixed rows is left out."""
    found = {}
    for line in SPECIFICATION.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) < 3 or not cells[0].startswith("`") or cells[0].startswith("`/"):
            continue
        for name in re.findall(r"`([a-z_]+)`", cells[0].partition("(")[0]):
            found[name] = cells[1]
    return found


def test_every_tool_of_the_specification_is_there_with_its_class() -> None:
    tools = {tool.name: tool for tool in load(("all",))}
    table = {name: risk for name, risk in specified().items() if risk[:1] in "RWDX"}
    assert len(table) > 70
    assert set(table) <= set(tools)
    for name in table.keys() & tools.keys():
        tool, risk = tools[name], table[name]
        if risk != "R/W":  # a row for several
            assert tool.risk == risk[0], name
            assert (tool.idempotent and tool.risk != "R") is (risk[1:].strip().startswith("I")), name


def test_every_change_can_be_bound_to_a_revision() -> None:
    for tool in load(("all",)):
        if tool.risk in ("W", "D") and tool.name not in BOUND_ELSEWISE:
            assert "expected_revision" in tool.arguments.model_fields, tool.name


BOUND_ELSEWISE = {
    "project_patch",
    "vcad_viewer_annotate",
    "vcad_viewer_set",
    "vcad_watch_pause",
    "vcad_watch_resume",
}
"""The ``base_revision`` of the first must be given; the others change no part of a revision."""


def test_every_description_begins_with_a_sentence_and_names_no_agent_product() -> None:
    for tool in load(("all",)):
        assert re.match(r"[A-Z].*[.:;)]", tool.description), tool.name
        assert tool.arguments.model_config.get("extra") == "forbid", tool.name


def test_core_is_always_among_the_packs_and_all_is_every_one() -> None:
    assert wanted_packs(()) == ("core",)
    assert wanted_packs(("files", "project")) == ("core", "project", "files")
    assert wanted_packs(("all",)) == tuple(PACKS)


def test_a_pack_or_tool_that_there_is_none_of_is_named() -> None:
    with pytest.raises(ServiceFailure, match="no pack paint"):
        wanted_packs(("paint",))
    with pytest.raises(ServiceFailure) as unknown:
        find("paint")
    assert unknown.value.error_code == "TOOL_NOT_FOUND"


def test_a_pack_that_the_session_does_not_offer_may_not_be_asked_for() -> None:
    assert wanted_packs(("all",), ("files",)) == ("core", "files")
    with pytest.raises(ServiceFailure, match="does not offer its agents pack shell") as refused:
        wanted_packs(("files", "shell"), ("files",))
    assert refused.value.details["path"] == "packs"


def test_a_name_that_is_nearly_right_is_told_with_those_that_are() -> None:
    with pytest.raises(ServiceFailure) as unknown:
        find("vcad_screnshot")
    assert unknown.value.fix is not None
    assert "vcad_screenshot" in unknown.value.fix
