"""The core tools as an agent uses them: build, break, mend, look."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.world import AgentWorld
from notebook_ext.session.session import Session
from vcad_kernel.exchange.ops import decode

LIMIT = 60.0


@pytest.fixture
def ask(world: AgentWorld) -> Any:
    """What a tool answers."""

    def asked(tool: str, /, **arguments: Any) -> dict[str, Any]:
        return call_tool(world, tool, arguments, agent="tester").body

    return asked


@pytest.fixture
def lid(workspace: Path) -> Path:
    path = workspace / "lid.cmp.oo"
    path.write_text("[cube 10 20 30]\n")
    return path


# ---- placing


def test_a_part_is_placed_once_more_as_an_instance_of_its_own(ask: Any, lid: Path, sketchup: Any) -> None:
    first = ask("vcad_place", node_id="lid", source_file="lid.cmp.oo")
    again = ask("vcad_place", node_id="lid", if_exists="add_instance", position=["1 m", 0, 0])
    assert (first["created"], first["instance_id"]) == (True, "lid-1")
    assert (again["created"], again["instance_id"]) == (True, "lid-2")
    assert again["entity_id"] not in (None, first["entity_id"])
    third = ask("vcad_place", node_id="lid", if_exists="add_instance", position=["2 m", 0, 0])
    assert (third["created"], third["instance_id"]) == (True, "lid-3")
    update = ask("vcad_place", node_id="lid", source_file="lid.cmp.oo")
    assert (update["created"], update["instance_id"]) == (False, "lid-1")


def test_the_mesh_that_is_named_is_that_of_the_part(
    ask: Any, lid: Path, workspace: Path, sketchup: Any
) -> None:
    (workspace / "base.oo").write_text("[cube 1 1 1]")
    ask("vcad_place", node_id="base", source_file="base.oo")
    body = ask("vcad_place", node_id="lid", source_file="lid.cmp.oo")
    assert "lid" in body["mesh_path"]
    assert (workspace / body["mesh_path"]).is_file()


def test_two_parts_may_come_from_one_file(ask: Any, lid: Path, session: Session) -> None:
    ask("vcad_place", node_id="left", source_file="lid.cmp.oo")
    ask("vcad_place", node_id="right", source_file="lid.cmp.oo")
    assert set(session.nodes()) == {"left", "right"}
    assert ask("vcad_inspect", source="left")["volume"] == pytest.approx(6000)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ({"node_id": "new"}, "NODE_NOT_FOUND", "give source_file"),
        ({"node_id": "new", "source_file": "none.oo"}, "FILE_NOT_FOUND", "list_directory"),
        ({"node_id": "new", "source_file": "notes.md"}, "UNSUPPORTED_TYPE", ".oo"),
        ({"node_id": "new", "source_file": "../x.oo"}, "PATH_NOT_ALLOWED", "allowed is"),
        ({"node_id": "", "source_file": "lid.cmp.oo"}, "INVALID_PARAMS", "choose"),
        ({"node_id": "a\x1b[2J", "source_file": "lid.cmp.oo"}, "INVALID_PARAMS", "choose"),
    ],
)
def test_what_cannot_be_placed_says_what_to_do(
    ask: Any, lid: Path, workspace: Path, arguments: dict[str, Any], code: str, said: str
) -> None:
    (workspace / "notes.md").write_text("lid")
    body = ask("vcad_place", **arguments)
    assert (body["success"], body["error_code"]) == (False, code)
    assert said in body["details"]["fix"]
    assert body["details"]["operation"] == "vcad_place"


def test_a_part_that_stands_already_is_refused_on_demand(ask: Any, lid: Path) -> None:
    ask("vcad_place", node_id="lid", source_file="lid.cmp.oo")
    body = ask("vcad_place", node_id="lid", if_exists="error")
    assert (body["error_code"], body["details"]["path"]) == ("INVALID_PARAMS", "if_exists")


def test_a_cascade_with_a_failure_is_a_failure_that_lists_all(
    world: AgentWorld, ask: Any, lid: Path, workspace: Path
) -> None:
    (workspace / "bad.oo").write_text("[cube 1 1 1]")
    for name, file in (("lid", "lid.cmp.oo"), ("bad", "bad.oo")):
        assert ask("vcad_place", node_id=name, source_file=file)["success"]
    (workspace / "bad.oo").write_text("[cube nope 1 1]")
    outcome = call_tool(world, "vcad_update_cascade", {"node_ids": ["bad", "lid", "gone"]}, agent="a")
    body = outcome.body
    assert (outcome.success, body["success"]) == (False, False)
    assert (body["updated"], body["failed"]) == (["lid"], ["bad", "gone"])
    assert [row["error_code"] for row in body["results"]] == ["LOON_RUNTIME", None, "NODE_NOT_FOUND"]
    assert (body["error_code"], body["details"]["file"]) == ("LOON_RUNTIME", "bad.oo")
    (workspace / "bad.oo").write_text("[cube 2 1 1]")
    assert ask("vcad_update_cascade", node_ids=["bad", "lid"])["success"] is True


def test_nobody_is_asked_to_remove_what_is_not_there(
    ask: Any, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = ask("vcad_remove", node_id="nope")
    assert body["error_code"] == "NODE_NOT_FOUND"


def test_a_part_of_the_notebook_only_is_told_from_one_that_is_not_there(ask: Any, session: Session) -> None:
    session.evaluate("[cube 1 1 1]", name="pin")
    assert "vcad_place links it" in ask("vcad_update", node_id="pin")["details"]["fix"]
    assert "there is no part 'pim'" in ask("vcad_update", node_id="pim")["error"]


# ---- single instances


@pytest.fixture
def four(ask: Any, lid: Path) -> None:
    """Four lids in a row, 100 mm apart."""
    for n in range(4):
        body = ask(
            "vcad_place",
            node_id="lid",
            source_file="lid.cmp.oo",
            instance_id=f"lid-{n + 1}",
            position=[100 * n, 0, 0],
        )
        assert (body["success"], body["created"], body["instance_id"]) == (True, True, f"lid-{n + 1}")


def stands(ask: Any) -> dict[str, list[float]]:
    return {
        one["instance_id"]: one["transformation"][12:15] for one in ask("vcad_node", node_id="lid")["placed"]
    }


def test_an_instance_is_placed_and_moved_by_its_id_and_the_others_stay(
    ask: Any, four: None, sketchup: Any
) -> None:
    before = stands(ask)
    body = ask("vcad_move", instance_id="lid-3", position=[0, "1 m", 0])
    assert body["bbox"] == [pytest.approx([0, 1000, 0]), pytest.approx([10, 1020, 30])]
    assert (body["node_id"], body["in_sketchup"]) == ("lid", True)
    assert sketchup.placed("lid-3").transform[12:15] == pytest.approx((0, 1000, 0))
    again = ask("vcad_place", node_id="lid", instance_id="lid-4", position=[5, 5, 5])
    assert (again["created"], again["instance_id"]) == (False, "lid-4")
    assert stands(ask) == before | {"lid-3": [0, 1000, 0], "lid-4": [5, 5, 5]}


def test_an_instance_is_moved_from_where_it_is_and_turned_about_its_origin(ask: Any, four: None) -> None:
    body = ask("vcad_move", instance_id="lid-2", by=[0, 0, 5], rotate=[0, 0, 90])
    assert body["bbox"] == [pytest.approx([80, 0, 5]), pytest.approx([100, 10, 35])]
    body = ask("vcad_move", instance_id="lid-2", rotate=[0, 90, 0])
    assert body["bbox"] == [pytest.approx([100, 0, 5]), pytest.approx([130, 10, 25])]
    assert all(number == round(number) for number in body["transformation"])
    sheared = [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 7, 0, 0, 1]
    body = ask("vcad_move", instance_id="lid-2", transformation=sheared)
    assert (body["bbox"], body["transformation"]) == (None, sheared)


def test_a_part_that_stands_once_is_moved_by_its_name(ask: Any, lid: Path) -> None:
    ask("vcad_place", node_id="lid", source_file="lid.cmp.oo")
    assert ask("vcad_move", instance_id="lid", by=[1, 2, 3])["instance_id"] == "lid-1"
    assert ask("vcad_place", node_id="lid", position=[9, 9, 9])["created"] is False
    assert stands(ask) == {"lid-1": [9, 9, 9]}


def test_what_leaves_open_which_instance_is_meant_is_refused(ask: Any, four: None) -> None:
    before = stands(ask)
    for body in (
        ask("vcad_place", node_id="lid", position=[9, 9, 9]),
        ask("vcad_move", instance_id="lid", position=[9, 9, 9]),
    ):
        assert body["success"] is False
        assert "lid-1, lid-2, lid-3, lid-4" in body["error"]
    assert stands(ask) == before
    assert ask("vcad_move", instance_id="lid-9", by=[1, 1, 1])["error_code"] == "NODE_NOT_FOUND"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "give position, by, rotate or transformation"),
        ({"position": [0, 0, 0], "by": [1, 1, 1]}, "contradict"),
        ({"transformation": [0.0] * 15 + [1.0], "rotate": [0, 0, 1]}, "contradict"),
    ],
)
def test_a_move_is_said_in_one_way(ask: Any, four: None, arguments: dict[str, Any], said: str) -> None:
    body = ask("vcad_move", instance_id="lid-1", **arguments)
    assert body["error_code"] == "SCHEMA_VALIDATION_FAILED"
    assert said in body["error"]


def test_a_name_for_the_definition_of_others_is_refused(ask: Any, four: None) -> None:
    body = ask("vcad_place", node_id="lid", instance_id="lid-3", component_name="lid-3", position=[9, 9, 9])
    assert (body["error_code"], body["details"]["path"]) == ("SCHEMA_VALIDATION_FAILED", "component_name")
    assert stands(ask)["lid-3"] == [200, 0, 0]


def test_one_instance_is_taken_out_and_the_others_stay(ask: Any, four: None, session: Session) -> None:
    refused = ask("vcad_remove", instance_id="lid-2")
    assert refused["error_code"] == "APPROVAL_REQUIRED"
    session.approvals().policy.set("D", "allow")
    assert ask("vcad_remove", instance_id="lid-2")["removed_instances"] == 1
    assert sorted(stands(ask)) == ["lid-1", "lid-3", "lid-4"]
    assert ask("vcad_remove", instance_id="lid-2")["error_code"] == "NODE_NOT_FOUND"
    assert "one of both" in ask("vcad_remove")["error"]


def test_a_move_is_bound_to_the_revision_of_its_part(ask: Any, four: None) -> None:
    revision = ask("vcad_node", node_id="lid")["revision"]
    assert ask("vcad_move", instance_id="lid-1", by=[1, 0, 0], expected_revision=revision)["success"] is True
    stale = ask("vcad_move", instance_id="lid-1", by=[1, 0, 0], expected_revision=revision + 7)
    assert (stale["error_code"], stale["details"]["node_id"]) == ("REVISION_CONFLICT", "lid")


# ---- parameters


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("n", 4, 4),
        ("n", "4", 4),
        ("angle", "45°", 45),
        ("angle", "60 deg", 60),
        ("tilt", "0.5 rad", 28.64788975654116),
        ("w", 5, 5),
        ("w", "50 mm", 5),
        ("depth", "2 in", 5.08),
        ("h", "2 cm", 20),
        ("depth", 7.5, 7.5),
        ("share", "30 %", 30),
    ],
)
def test_a_parameter_takes_a_value_in_any_unit_of_its_kind(
    ask: Any, session: Session, name: str, value: Any, expected: float
) -> None:
    session.evaluate(
        '[defparam n 3]\n[defparam angle 30 {:unit "°"}]\n[defparam w 2 {:unit "cm"}]\n[defparam h 5]\n'
        '[defparam tilt 1.0 {:unit "deg"}]\n[defparam depth 1.0 {:unit "cm"}]\n'
        '[defparam share 10 {:unit "%"}]\n[cube [+ n 1] w [+ h [+ angle [+ share [+ tilt depth]]]]]',
        name="bar",
    )
    assert ask("vcad_set_parameter", node_id="bar", name=name, value=value)["success"] is True
    assert session["bar"].parameters[name].value == pytest.approx(expected)


def test_a_count_takes_whole_values_only(ask: Any, session: Session) -> None:
    session.evaluate("[defparam n 3 {:whole true}]\n[cube 1 1 n]", name="bar")
    body = ask("vcad_set_parameter", node_id="bar", name="n", value=3.5)
    assert (body["error_code"], body["details"]["path"]) == ("SCHEMA_VALIDATION_FAILED", "value")
    assert "whole" in body["details"]["expected"]


@pytest.mark.parametrize("value", ["45 mm", "much", "", True, [1], "1e999", None])
def test_a_value_of_another_kind_is_refused(ask: Any, session: Session, value: Any) -> None:
    session.evaluate('[defparam angle 30 {:unit "°" :min 0 :max 90}]\n[cube 1 1 angle]', name="bar")
    body = ask("vcad_set_parameter", node_id="bar", name="angle", value=value)
    assert body["error_code"] == "SCHEMA_VALIDATION_FAILED"
    assert body["details"]["path"] == "value"
    assert session["bar"].parameters["angle"].value == 30


def test_a_parameter_of_a_part_that_waits_in_the_project_is_set(
    ask: Any, workspace: Path, session: Session, world: AgentWorld
) -> None:
    (workspace / "lid.oo").write_text("[defparam h 5]\n[cube 10 10 h]")
    placed = ask("vcad_place", node_id="lid", source_file="lid.oo")
    session.forget(["lid"])
    body = ask(
        "vcad_set_parameter", node_id="lid", name="h", value=8, expected_revision=session.revision("lid")
    )
    assert body["success"] is True, body
    assert body["volume"] == pytest.approx(800)
    assert body["revision"] > placed["revision"]


def test_a_value_that_was_set_outlives_an_update_of_the_file(ask: Any, workspace: Path) -> None:
    file = workspace / "lid.oo"
    file.write_text("[defparam h 5]\n[cube 10 10 h]")
    ask("vcad_place", node_id="lid", source_file="lid.oo")
    ask("vcad_set_parameter", node_id="lid", name="h", value=8)
    file.write_text("[defparam h 5]\n[cube 10 20 h]")
    assert ask("vcad_update", node_id="lid")["volume"] == pytest.approx(1600)


# ---- what there is


def test_a_part_of_the_project_that_fails_before_it_was_ever_built_is_stale(
    ask: Any, workspace: Path
) -> None:
    component = {
        "source": {"kind": "file", "file": "lid.oo"},
        "parameters": {},
        "imports": [],
        "revision": 3,
        "applied_revision": 0,
        "status": "active",
    }
    truth = {"schema": 1, "revision": 1, "settings": {}, "components": {"lid": component}, "instances": {}}
    (workspace / "design_model.json").write_text(json.dumps({**truth, "operations": []}))
    (workspace / "lid.oo").write_text("[cube nope 1 1]")
    assert [row["stale"] for row in ask("vcad_list_nodes")["nodes"]] == [False]
    assert ask("vcad_update", node_id="lid")["success"] is False
    assert [row["stale"] for row in ask("vcad_list_nodes")["nodes"]] == [True]
    (workspace / "lid.oo").write_text("[cube 1 1 1]")
    assert ask("vcad_update", node_id="lid")["success"] is True
    assert [row["stale"] for row in ask("vcad_list_nodes")["nodes"]] == [False]


def test_a_change_that_failed_is_seen_in_the_list(ask: Any, lid: Path) -> None:
    ask("vcad_place", node_id="lid", source_file="lid.cmp.oo")
    lid.write_text("[cube nope 1 1]")
    ask("vcad_update", node_id="lid")
    (row,) = ask("vcad_list_nodes")["nodes"]
    assert (row["node_id"], row["status"], row["stale"]) == ("lid", "active", True)
    entry = ask("vcad_node", node_id="lid")
    assert entry["stale"] is True
    assert entry["source"]["text"] == "[cube nope 1 1]"
    assert entry["bbox"] == [[0, 0, 0], [10, 20, 30]]


def test_a_source_that_has_gone_leaves_its_node_degraded(ask: Any, lid: Path) -> None:
    ask("vcad_place", node_id="lid", source_file="lid.cmp.oo")
    lid.unlink()
    assert [row["status"] for row in ask("vcad_list_nodes")["nodes"]] == ["degraded"]
    body = ask("vcad_update", node_id="lid")
    assert body["error_code"] == "SOURCE_FILE_MISSING"
    told = {"node_id": "lid", "source_file": "lid.cmp.oo", "operation": "vcad_update"}
    assert body["details"] | told == body["details"]


def test_a_part_of_a_cell_is_listed_with_its_text(ask: Any, session: Session) -> None:
    session.evaluate("[cube 1 2 3]", name="träger")
    (row,) = ask("vcad_list_nodes")["nodes"]
    assert (row["status"], row["source_file"]) == ("unlinked", None)
    entry = ask("vcad_node", node_id="träger")
    assert entry["node_id"] == row["node_id"]
    assert entry["source"] == {"kind": "cell", "file": None, "text": "[cube 1 2 3]"}
    assert ask("vcad_node", node_id=row["node_id"]) == entry


def test_a_name_that_is_nearly_right_is_told(ask: Any, session: Session) -> None:
    session.evaluate("[cube 1 2 3]", name="bracket")
    assert ask("vcad_node", node_id="braket")["details"]["fix"] == "did you mean bracket?"
    assert "vcad_place" in ask("vcad_plase")["details"]["fix"]


def test_health_answers_while_the_session_is_busy(ask: Any, session: Session) -> None:
    begun, free = threading.Event(), threading.Event()

    def occupy() -> None:
        begun.set()
        assert free.wait(LIMIT)

    occupied = session.submit(occupy)
    assert begun.wait(LIMIT)
    body = ask("vcad_health")
    free.set()
    occupied.result(LIMIT)
    assert (body["status"], body["sketchup"]["status"]) == ("degraded", "unknown")
    assert "busy" in body["last_error"]


def test_health_says_that_a_closed_session_is_down(ask: Any, session: Session) -> None:
    session.close()
    assert ask("vcad_health")["status"] == "down"


# ---- looking at text


@pytest.mark.parametrize(("tool", "more"), [("vcad_inspect", {}), ("vcad_export", {"format": "stl"})])
def test_an_error_in_a_file_names_the_file(
    ask: Any, workspace: Path, tool: str, more: dict[str, Any]
) -> None:
    (workspace / "parts").mkdir()
    (workspace / "parts/bad.oo").write_text("\n[cube nope 1 1]")
    body = ask(tool, source="parts/bad.oo", **more)
    assert (body["details"]["file"], body["details"]["line"]) == ("parts/bad.oo", 2)
    assert body["details"]["operation"] == tool


def test_a_node_is_checked_by_its_name(ask: Any, lid: Path) -> None:
    ask("vcad_place", node_id="lid", source_file="lid.cmp.oo")
    lid.write_text("\n[cube nope 1 1]")
    (found,) = ask("vcad_check", source="lid")["diagnostics"]
    assert (found["file"], found["line"], found["severity"]) == ("lid.cmp.oo", 2, "error")


def test_what_is_looked_at_leaves_no_node_and_no_name(ask: Any, lid: Path, session: Session) -> None:
    ask("vcad_inspect", source="lid.cmp.oo")
    ask("vcad_eval", code="[let size 3]\n[cube size size size]")
    ask("vcad_check", source="lid.cmp.oo")
    assert session.nodes() == ()
    assert ask("vcad_eval", code="size")["error_code"] == "LOON_RUNTIME"


@pytest.mark.parametrize("output", ["out.step", "out.stp"])
def test_a_format_may_have_each_of_its_endings(ask: Any, output: str, workspace: Path) -> None:
    body = ask("vcad_export", source="[cube 1 1 1]", format="step", output_path=output)
    assert (body.get("path"), body["success"]) == (output, True), body


def test_the_model_itself_may_be_exported(ask: Any, workspace: Path) -> None:
    body = ask("vcad_export", source="[cube 1 2 3]", format="ops", output_path="box.ops")
    assert (body.get("path"), body["success"]) == ("box.ops", True), body
    assert decode((workspace / "box.ops").read_bytes()).names == ("part-1",)


def test_an_export_is_named_after_its_file(ask: Any, lid: Path) -> None:
    body = ask("vcad_export", source="lid.cmp.oo", format="stl")
    assert body["path"] == ".vcad/exports/lid.stl"


# ---- the reference


@pytest.mark.parametrize(
    ("search", "among"),
    [
        ("hole through a plate", {"cut-through"}),
        ("holes for screws", {"drill"}),
        ("round only the vertical edges", {"fillet-at", "edges"}),
        ("hollow", {"shell"}),
        ("slider for a size", {"defparam"}),
        ("criteria of a selection", {"edges", "faces"}),
        ("linear_extrude", {"pull"}),
    ],
)
def test_words_find_the_pages_that_they_are_about(ask: Any, search: str, among: set[str]) -> None:
    body = ask("vcad_reference", search=search)
    assert among <= set(body["names"])
    assert all(f"[{name} " in body["text"] for name in among)


def test_the_page_of_what_selects_has_the_criteria(ask: Any) -> None:
    for name in ("fillet-at", "shell-open", "edges", "Selections"):
        text = ask("vcad_reference", name=name)["text"]
        assert ":normal: a direction, as :z or #[1 1 0]" in text
        assert "`:top` for `{:side :top}`" in text
        assert (":convex: true or false" in text) is (name != "shell-open")


def test_several_pages_come_in_one_call_and_without_a_name_all_names(ask: Any) -> None:
    body = ask("vcad_reference", name="cube, fillet-at")
    assert body["names"] == ["cube", "fillet-at"]
    assert "[cube x y z]" in body["text"]
    contents = ask("vcad_reference")["text"]
    assert "fillet-at" in contents
    assert "Selections: " in contents


def test_a_page_that_there_is_not_says_which_was_meant(ask: Any) -> None:
    body = ask("vcad_reference", name="filet")
    assert body["error_code"] == "SCHEMA_VALIDATION_FAILED"
    assert "did you mean fillet" in body["details"]["fix"]
    assert ask("vcad_reference", search="xyzzy")["names"] == []


# ---- tests

TESTED = """[fn double [x] [* 2 x]]
[test doubles [] [assert-eq [double 2] 4]]
[test fails [] [assert-eq [double 2] 5]]
[test "builds" [] [cube 1 nope 1]]
[cube [double 1] 1 1]
"""


def test_the_tests_of_a_file_are_run_and_those_that_failed_come_first_with_their_place(
    ask: Any, workspace: Path
) -> None:
    (workspace / "a.oo").write_text(TESTED)
    ask("vcad_place", node_id="a", source_file="a.oo")
    for source in ("a.oo", "a", "node:a"):
        body = ask("vcad_test", source=source)
        assert (body["passed"], body["failed"]) == (1, 2)
        assert [(one["name"], one["passed"]) for one in body["tests"]] == [
            ("fails", False),
            ("builds", False),
            ("doubles", True),
        ]
        failed, unbound, _ = body["tests"]
        assert (failed["file"], failed["line"], failed["error_code"]) == ("a.oo", 3, "LOON_RUNTIME")
        assert "actual:   4" in failed["error"]
        assert "bind it first" in unbound["fix"]
    assert [one["name"] for one in ask("vcad_test", source="a.oo", only="DOUB")["tests"]] == ["doubles"]


def test_tests_use_modules_and_a_file_that_fails_is_no_failed_test(ask: Any, workspace: Path) -> None:
    (workspace / "base.oo").write_text("[pub fn wall [] 3]")
    (workspace / "a.oo").write_text("[use base]\n[test wall [] [assert-eq [base.wall] 3]]")
    assert ask("vcad_test", source="a.oo")["passed"] == 1
    (workspace / "a.oo").write_text("[nope]\n[test wall [] 3]")
    body = ask("vcad_test", source="a.oo")
    assert (body["error_code"], body["details"]["line"]) == ("LOON_RUNTIME", 1)
    assert ask("vcad_test", source="[cube 1 1 1]") | {"success": True} == {
        "success": True,
        "passed": 0,
        "failed": 0,
        "tests": [],
    }


# ---- earlier revisions


def test_a_part_is_compared_with_what_it_was(ask: Any, lid: Path, world: AgentWorld) -> None:
    first = ask("vcad_place", node_id="lid", source_file="lid.cmp.oo")["revision"]
    assert ask("vcad_diff", node_id="lid")["error_code"] == "SCHEMA_VALIDATION_FAILED"
    lid.write_text("[defparam h 5.0]\n[cube 10 20 h]\n")
    second = ask("vcad_update", node_id="lid")["revision"]
    third = ask("vcad_set_parameter", node_id="lid", name="h", value=7)["revision"]
    body = ask("vcad_diff", node_id="lid", revision=first)
    assert "-[cube 10 20 30]" in body["text"]
    assert "+[cube 10 20 h]" in body["text"]
    assert (body["before"]["volume"], body["after"]["volume"]) == pytest.approx((6000, 1400))
    last = ask("vcad_diff", node_id="lid")
    assert (last["before"]["revision"], last["after"]["revision"], last["text"]) == (second, third, "")
    assert (last["before"]["parameters"], last["after"]["parameters"]) == ({"h": 5}, {"h": 7})
    refused = ask("vcad_diff", node_id="lid", revision=99)
    assert f"kept are {first}, {second}, {third}" in refused["error"]
    assert ask("vcad_diff", node_id="lit")["details"]["fix"] == "did you mean lid?"
    for value in range(8, 20):
        ask("vcad_set_parameter", node_id="lid", name="h", value=value)
    assert len(ask("vcad_diff", node_id="lid")["kept"]) == 8
