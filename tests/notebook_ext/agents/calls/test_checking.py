"""Arguments that are refused say what would be right, in words of ours."""

from __future__ import annotations

from typing import Any

import pytest

from notebook_ext.agents.calls.arguments import without_nulls
from notebook_ext.agents.registry import find, load
from vcad_kernel.errors import ServiceFailure


def refusal(tool: str, **arguments: Any) -> ServiceFailure:
    with pytest.raises(ServiceFailure) as refused:
        find(tool).check(arguments)
    assert refused.value.error_code == "SCHEMA_VALIDATION_FAILED"
    assert refused.value.details["operation"] == tool
    return refused.value


@pytest.mark.parametrize(
    ("tool", "arguments", "path", "expected"),
    [
        ("vcad_node", {}, "node_id", "must be given"),
        ("vcad_node", {"node_id": 3}, "node_id", "must be a valid string"),
        ("vcad_node", {"node_id": "a", "nod_id": 1}, "nod_id", "did you mean node_id?"),
        ("vcad_node", {"node_id": None}, "node_id", "must be a valid string"),
        ("vcad_place", {"node_id": "a", "position": [1, 2]}, "position", "must have 3 items, has 2"),
        ("vcad_place", {"node_id": "a", "position": [1, 2, "x"]}, "position.2", "is no length"),
        (
            "vcad_place",
            {"node_id": "a", "if_exists": "x"},
            "if_exists",
            "'update', 'add_instance' or 'error'",
        ),
        ("vcad_export", {"source": "a", "format": "dxf"}, "format", "'step'"),
        ("vcad_update", {"node_id": "a", "expected_revision": -1}, "expected_revision", "at least 0"),
        ("vcad_update_cascade", {}, "", "give node_id or node_ids"),
        ("vcad_screenshot", {"width": 9}, "width", "at least 64"),
        ("vcad_screenshot", {"labels": 3}, "labels", "must be a list"),
        ("vcad_screenshot", {"section": {"axis": "x", "at": 1, "by": 2}}, "section.by", "no such argument"),
    ],
)
def test_a_wrong_argument_is_named_with_what_would_be_right(
    tool: str, arguments: dict[str, Any], path: str, expected: str
) -> None:
    found = refusal(tool, **arguments)
    assert found.details["path"] == path
    assert expected in found.details["expected"]
    assert "Input should" not in found.message
    assert found.fix is not None
    assert found.fix.startswith("its arguments are ")


def test_all_that_is_wrong_is_told_at_once() -> None:
    found = refusal("vcad_set_parameter", node_id=3, value=True, colour="red")
    assert [one["path"] for one in found.details["problems"]] == ["node_id", "name", "value", "colour"]


@pytest.mark.parametrize(
    ("tool", "old", "arguments"),
    [
        ("set_file_slice", "new_content", {"path": "a", "start_line": 1, "end_line": 1}),
        ("cad_update_definition", "new_definition", {"path": "a", "name": "b"}),
        ("py_set_signature", "new_signature", {"path": "a", "name": "b"}),
        ("py_set_var_declaration", "new_declaration", {"path": "a", "name": "b"}),
        ("nb_set_cell", "source", {"path": "a", "cell_id": "b"}),
        ("nb_insert_cell", "source", {"path": "a"}),
        ("write_file", "text", {"path": "a"}),
    ],
)
def test_new_text_is_called_content_everywhere_and_another_word_is_told_so(
    tool: str, old: str, arguments: dict[str, Any]
) -> None:
    problems = refusal(tool, **arguments, **{old: "x"}).details["problems"]
    said = {problem["path"]: problem["expected"] for problem in problems}
    assert said == {"content": "must be given", old: "there is no such argument; did you mean content?"}


def test_what_may_be_left_out_may_be_null() -> None:
    tool = find("vcad_place")
    given = {"node_id": "a", "if_exists": None, "position": None, "expected_revision": None}
    assert tool.check(given) == tool.check({"node_id": "a"})
    assert without_nulls(tool.arguments, given) == {"node_id": "a"}


@pytest.mark.parametrize("tool", [tool.name for tool in load(("all",))])
def test_no_tool_takes_what_it_does_not_know(tool: str) -> None:
    found = refusal(tool, surely_unknown=1)
    assert "surely_unknown" in [one["path"] for one in found.details.get("problems", [found.details])]


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"node_id": "a\ud800"}, "node_id"),
        ({"node_id": "a", "\udfff": 1}, "arguments"),
        ({"node_id": {"deep": ["\ud83d"]}}, "node_id.deep.0"),
    ],
)
def test_half_characters_are_refused_and_the_answer_can_be_sent(arguments: dict[str, Any], path: str) -> None:
    found = refusal("vcad_node", **arguments)
    assert found.details["path"] == path
    assert found.message.encode()


def test_whole_characters_of_two_halves_pass() -> None:
    checked = find("vcad_node").check({"node_id": "🔩"})
    assert checked.model_dump() == {"node_id": "🔩"}
