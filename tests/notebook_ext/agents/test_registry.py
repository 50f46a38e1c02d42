"""Every tool is registered once, in the pack and with the risk that the specification gives it."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from notebook_ext.agents.packs import PACKS
from notebook_ext.agents.registry import Tool, find, load, wanted_packs
from notebook_ext.agents.server import listed_tools
from vcad_kernel.errors import ServiceFailure

CORE = {
    "session_info": "R",
    "vcad_health": "R",
    "vcad_list_nodes": "R",
    "vcad_node": "R",
    "vcad_place": "W I",
    "vcad_update": "W I",
    "vcad_update_cascade": "W",
    "vcad_remove": "D",
    "vcad_set_parameter": "W I",
    "vcad_inspect": "R",
    "vcad_eval": "R",
    "vcad_check": "R",
    "vcad_export": "W",
    "vcad_screenshot": "R",
    "read_file": "R",
    "set_file_slice": "W",
}
PROJECT = {
    "vcad_place_with_imports": "W I",
    "project_get": "R",
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
    **dict.fromkeys(("cad_check_syntax", "cad_find_usages"), "R"),
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
TABLE = {
    "core": CORE,
    "project": PROJECT,
    "files": FILES,
    "python": PYTHON,
    "diagnostics": {"get_logs": "R", "get_ui_performance": "R"},
    "shell": {"run_shell": "X"},
    "web": {"web_search": "X", "fetch_url": "X"},
}
SKETCHUP_X = {"eval_ruby", "eval_ruby_file"}
COUNTS = {**{pack: len(table) for pack, table in TABLE.items()}, "sketchup": 18, "notebook": 6}


def of_pack(pack: str) -> list[Tool]:
    return [tool for tool in load((pack,)) if tool.pack == pack]


@pytest.mark.parametrize("pack", TABLE)
def test_a_pack_has_the_tools_of_the_specification(pack: str) -> None:
    found = {
        tool.name: tool.risk + (" I" if tool.idempotent and tool.risk != "R" else "")
        for tool in of_pack(pack)
    }
    assert found == TABLE[pack]


@pytest.mark.parametrize(("pack", "count"), COUNTS.items())
def test_a_pack_is_as_large_as_it_was(pack: str, count: int) -> None:
    assert len(of_pack(pack)) == count


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


def test_only_eval_ruby_of_the_sketchup_pack_runs_any_code() -> None:
    assert {tool.name for tool in of_pack("sketchup") if tool.risk == "X"} == SKETCHUP_X


def test_every_change_can_be_bound_to_a_revision() -> None:
    """Where a tool names a node, or the project."""
    for tool in (*of_pack("core"), *of_pack("project")):
        if tool.risk in ("W", "D") and "node_id" in tool.arguments.model_fields:
            assert "expected_revision" in tool.arguments.model_fields, tool.name


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
