"""The project's truth and traces as agents use them, against the real extension."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.agents.calls.call import Call
from notebook_ext.agents.registry import find
from tests.notebook_ext.agents.packs.headless_world import HeadlessWorld


def pick(row: dict[str, Any], *names: str) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


# ---- the truth


def test_the_project_is_read_at_any_place(headless: HeadlessWorld) -> None:
    assert headless.call("project_get")["revision"] == 0
    assert not (headless.world.workspace / "design_model.json").exists()
    headless.place()
    body = headless.call("project_get", path="/instances/block-1/component")
    assert body["value"] == "block"
    assert body["revision"] == headless.session.standing.revision
    refused = headless.refused("project_get", path="/instances/lid")
    assert refused["error_code"] == "INVALID_PARAMS"
    assert "block-1" not in refused["error"]


def test_the_graph_says_what_is_built_from_what(headless: HeadlessWorld) -> None:
    headless.session.evaluate("[cube 1 1 9]", name="leg")
    text = '[let l [import :solid "node:leg"]] [union l [translate 5 0 0 l]]'
    headless.session.evaluate(text, name="pair")
    body = headless.call("vcad_graph")
    assert [(node["title"], node["node_id"], node["status"]) for node in body["nodes"]] == [
        ("leg", "leg", "up to date"),
        ("pair", "pair", "up to date"),
    ]
    (edge,) = body["edges"]
    assert [edge["source"], edge["target"]] == body["order"]
    assert (edge["names"], edge["only_marks"], body["cycles"]) == (["node:leg"], False, [])
    assert headless.refused("vcad_graph", node_id="none")["error_code"] == "NODE_NOT_FOUND"


def test_a_patch_changes_design_and_the_next_trace_brings_it(headless: HeadlessWorld) -> None:
    headless.place()
    before = headless.call("project_get")
    body = headless.call(
        "project_patch",
        base_revision=before["revision"],
        patch=[
            {"op": "test", "path": "/instances/block-1/component", "value": "block"},
            {"op": "replace", "path": "/instances/block-1/transform/12", "value": 250},
            {"op": "replace", "path": "/instances/block-1/layer", "value": "Steel"},
            {
                "op": "add",
                "path": "/instances/block-2",
                "value": {**before["value"]["instances"]["block-1"], "execution": None},
            },
        ],
        reason="a second one",
    )
    assert body["changed"] == ["block-1", "block-2"]
    assert body["revision"] == before["revision"] + 1
    trace = headless.call("plan_trace")
    assert [one["type"] for one in trace["operations"]] == ["move_instance", "set_layer", "place_instance"]
    assert headless.call("trace_execute", trace_id=trace["trace_id"])["status"] == "executed"
    assert headless.call("scene_check")["contaminated"] is False
    rows = headless.call("list_entities", entity_type="components")["entities"]
    assert sorted(one["layer"] for one in rows)[-1] == "Steel"


def test_a_patch_of_the_source_makes_a_new_revision(headless: HeadlessWorld) -> None:
    headless.place()
    before = headless.session.standing
    headless.call(
        "project_patch",
        base_revision=before.revision,
        patch=[{"op": "replace", "path": "/components/block/source/text", "value": "[cube 60 20 10]"}],
        reason="longer",
    )
    assert headless.session.standing.components["block"].revision == before.components["block"].revision + 1
    trace = headless.call("plan_trace")
    assert [one["type"] for one in trace["operations"]] == ["upsert_definition"]
    headless.call("trace_execute", trace_id=trace["trace_id"])
    row = headless.call("list_entities", entity_type="components")["entities"][0]
    entity = headless.call("get_entity", entity_id=row["entity_id"])["entity"]
    assert max(entity["dims_mm"].values()) == pytest.approx(60)


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        ({"op": "remove", "path": "/instances/block-1/execution"}, "SCHEMA_VALIDATION_FAILED"),
        (
            {"op": "replace", "path": "/components/block/applied_revision", "value": 7},
            "SCHEMA_VALIDATION_FAILED",
        ),
        ({"op": "replace", "path": "/components/block/revision", "value": 7}, "SCHEMA_VALIDATION_FAILED"),
        ({"op": "replace", "path": "/operations", "value": []}, "SCHEMA_VALIDATION_FAILED"),
        ({"op": "replace", "path": "/project_id", "value": "another"}, "SCHEMA_VALIDATION_FAILED"),
        ({"op": "replace", "path": "/instances/block-1/transform", "value": [1]}, "SCHEMA_VALIDATION_FAILED"),
        ({"op": "replace", "path": "/instances/block-1/component", "value": "lid"}, "TRUTH_INVALID"),
        ({"op": "remove", "path": "/instances/lid"}, "INVALID_PARAMS"),
        ({"op": "test", "path": "/revision", "value": 99}, "INVALID_PARAMS"),
    ],
)
def test_a_patch_that_may_not_be_is_refused_whole(
    headless: HeadlessWorld, operation: dict[str, Any], code: str
) -> None:
    headless.place()
    before = (headless.world.workspace / "design_model.json").read_bytes()
    move = {"op": "replace", "path": "/instances/block-1/transform/12", "value": 1}
    refused = headless.refused(
        "project_patch",
        base_revision=headless.session.standing.revision,
        patch=[move, operation],
        reason="try",
    )
    assert refused["error_code"] == code
    assert (headless.world.workspace / "design_model.json").read_bytes() == before


def test_a_patch_of_an_older_project_is_refused(headless: HeadlessWorld) -> None:
    headless.place()
    refused = headless.refused(
        "project_patch",
        base_revision=0,
        patch=[{"op": "replace", "path": "/settings", "value": {}}],
        reason="late",
    )
    assert refused["error_code"] == "REVISION_CONFLICT"
    assert refused["details"]["expected"] == 0
    assert refused["details"]["current"] == headless.session.standing.revision


def test_a_patch_that_no_longer_fits_is_told_that_the_project_has_moved_on(headless: HeadlessWorld) -> None:
    headless.place()
    gone = {"op": "remove", "path": "/instances/lid-1"}
    refused = headless.refused("project_patch", base_revision=0, patch=[gone], reason="late")
    assert refused["error_code"] == "REVISION_CONFLICT"
    refused = headless.refused(
        "project_patch",
        base_revision=headless.session.standing.revision,
        expected_revision=99,
        patch=[{"op": "add", "path": "/settings/note", "value": "x"}],
        reason="bound twice",
    )
    assert (refused["error_code"], refused["details"]["expected"]) == ("REVISION_CONFLICT", 99)


def test_what_a_patch_removes_is_removed_in_sketchup(headless: HeadlessWorld) -> None:
    headless.place()
    headless.call(
        "project_patch",
        base_revision=headless.session.standing.revision,
        patch=[
            {"op": "remove", "path": "/instances/block-1"},
            {"op": "remove", "path": "/components/block"},
        ],
        reason="no longer wanted",
    )
    trace = headless.call("plan_trace")
    assert [one["type"] for one in trace["operations"]] == ["remove_definition"]
    headless.call("trace_execute", trace_id=trace["trace_id"])
    assert headless.call("list_entities")["count"] == 0


def test_the_project_is_held_to_its_rules(headless: HeadlessWorld) -> None:
    headless.place()
    assert headless.call("project_validate") == {"success": True, "complete": True, "issues": []}
    rules = headless.world.workspace / "design_rules.json"
    rules.write_text(
        json.dumps(
            {
                "schema": 1,
                "size": {"max": [25, 100, 100], "min": [1, 25, 1]},
                "names": {"components": ["panel-*"], "instances": ["*-[0-9]"]},
                "layers": {"allowed": ["Steel"], "required": True},
                "materials": {"allowed": []},
            }
        )
    )
    body = headless.call("project_validate")
    assert body["complete"] is False
    assert [pick(one, "object_id", "code", "severity") for one in body["issues"]] == [
        ("block", "NAME_NOT_ALLOWED", "error"),
        ("block", "SIZE_TOO_LARGE", "error"),
        ("block", "SIZE_TOO_SMALL", "error"),
        ("block-1", "LAYER_MISSING", "error"),
    ]
    only = headless.call("project_validate", scope=["block-1", "lid"])
    assert [one["code"] for one in only["issues"]] == ["OBJECT_UNKNOWN", "LAYER_MISSING"]
    rules.write_text('{"schema": 2}')
    (issue,) = headless.call("project_validate")["issues"]
    assert pick(issue, "object_id", "code") == ("design_rules.json", "SCHEMA_VALIDATION_FAILED")


# ---- traces


def test_a_trace_is_planned_the_same_for_the_same_truth_and_found_again(headless: HeadlessWorld) -> None:
    headless.place()
    headless.session.evaluate("[cube 1 2 3]", name="block")
    one, two = headless.call("plan_trace"), headless.call("plan_trace")
    assert one == two
    assert one["complete"] is True
    found = headless.call("trace_get", trace_id=one["trace_id"])
    assert found["status"] == "planned"
    assert [row["status"] for row in found["operations"]] == ["planned"]
    headless.call("trace_execute", trace_id=one["trace_id"])
    found = headless.call("trace_get", trace_id=one["trace_id"])
    assert (found["status"], [row["status"] for row in found["operations"]]) == ("executed", ["done"])
    listed = headless.call("trace_list", limit=5)["traces"]
    assert one["trace_id"] in [row["trace_id"] for row in listed]
    refused = headless.refused("trace_get", trace_id="trace-0000000000000000")
    assert refused["error_code"] == "FILE_NOT_FOUND"
    assert headless.refused("trace_get", trace_id="../secret")["error_code"] == "FILE_NOT_FOUND"


def test_what_cannot_be_done_is_refused_until_it_is_named(headless: HeadlessWorld) -> None:
    headless.place()
    headless.call(
        "project_patch",
        base_revision=headless.session.standing.revision,
        patch=[
            {"op": "replace", "path": "/instances/block-1/transform/12", "value": 9},
            {
                "op": "add",
                "path": "/components/lid",
                "value": {
                    "source": {"kind": "file", "file": "nowhere.loon"},
                    "parameters": {},
                    "imports": [],
                    "revision": 0,
                    "applied_revision": 0,
                    "status": "active",
                },
            },
        ],
        reason="a lid to come",
    )
    trace = headless.call("plan_trace")
    assert trace["complete"] is False
    assert [one["object_id"] for one in trace["omitted"]] == ["lid"]
    before = headless.dump()
    refused = headless.refused("trace_execute", trace_id=trace["trace_id"])
    assert refused["error_code"] == "PARTIAL_EXECUTION_REFUSED"
    assert refused["details"]["omitted"] == trace["omitted"]
    other = [{"object_id": "lid", "reason": "whatever"}]
    refused = headless.refused(
        "trace_execute", trace_id=trace["trace_id"], allow_partial=True, accept_omitted=other
    )
    assert refused["error_code"] == "PARTIAL_EXECUTION_REFUSED"
    assert headless.dump() == before
    headless.session.approvals().policy.set("D", "ask")
    asked = headless.refused(
        "trace_execute", trace_id=trace["trace_id"], allow_partial=True, accept_omitted=trace["omitted"]
    )
    assert asked["error_code"] == "APPROVAL_REQUIRED", "what is left out is a person's to accept"
    assert headless.dump() == before
    # and nobody is asked for a list that is not the very one
    refused = headless.refused(
        "trace_execute", trace_id=trace["trace_id"], allow_partial=True, accept_omitted=other
    )
    assert refused["error_code"] == "PARTIAL_EXECUTION_REFUSED"
    headless.session.approvals().policy.set("D", "allow")
    done = headless.call(
        "trace_execute", trace_id=trace["trace_id"], allow_partial=True, accept_omitted=trace["omitted"]
    )
    assert done["status"] == "executed"


def test_a_failing_operation_is_told_and_all_is_taken_back(headless: HeadlessWorld) -> None:
    headless.place()
    headless.place("lid", "[cube 5 5 5]")
    headless.session.evaluate("[cube 30 20 99]", name="block")
    headless.session.evaluate("[cube 5 5 6]", name="lid")
    trace = headless.call("plan_trace")
    assert [one["type"] for one in trace["operations"]] == ["upsert_definition", "upsert_definition"]
    before = headless.dump()
    headless.sketchup.control("_test.fail_next", what="import", mode="raise", after=1)
    refused = headless.refused("trace_execute", trace_id=trace["trace_id"], rollback_all=True)
    assert refused["error_code"] == "OPERATION_FAILED"
    assert refused["details"]["index"] == 1
    assert headless.dump() == before
    found = headless.call("trace_get", trace_id=trace["trace_id"])
    assert [row["status"] for row in found["operations"]] == ["taken_back", "failed"]


def test_a_trial_gives_the_same_result_and_changes_nothing(headless: HeadlessWorld) -> None:
    headless.place()
    headless.session.evaluate("[cube 7 8 9]", name="block")
    headless.call(
        "project_patch",
        base_revision=headless.session.standing.revision,
        patch=[{"op": "replace", "path": "/instances/block-1/layer", "value": "Steel"}],
        reason="layer",
    )
    trace = headless.call("plan_trace")
    truth = (headless.world.workspace / "design_model.json").read_bytes()
    before = headless.dump()
    tried = headless.call("trace_smoke", trace_id=trace["trace_id"])
    assert (headless.world.workspace / "design_model.json").read_bytes() == truth
    assert headless.dump() == before
    assert headless.call("trace_get", trace_id=trace["trace_id"])["status"] == "planned"
    done = headless.call("trace_execute", trace_id=trace["trace_id"])

    def said(result: dict[str, Any]) -> list[tuple[Any, ...]]:
        same = ("operation_id", "type", "target", "created", "replaced_instances", "bounds")
        return [pick(one, *same) for one in result["executed"]]

    assert said(tried) == said(done)
    assert pick(tried, "status", "contamination") == pick(done, "status", "contamination")


def test_without_ruby_a_trial_says_what_is_missing(
    headless: HeadlessWorld, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    headless.place()
    trace = headless.call("plan_trace", mode="clean")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("VCAD_RUBY", raising=False)
    refused = headless.refused("trace_smoke", trace_id=trace["trace_id"])
    assert refused["error_code"] == "CAPABILITY_UNAVAILABLE"
    assert refused["details"]["required_capability"] == "sketchup.headless"


def test_a_replay_makes_no_duplicates_and_replaces_what_was_told(headless: HeadlessWorld) -> None:
    headless.place()
    for _ in range(2):
        assert headless.call("trace_replay")["status"] == "executed"
        assert headless.call("list_entities", entity_type="components")["count"] == 1
    assert headless.call("scene_check") == {
        "success": True,
        "contaminated": False,
        "stale": [],
        "foreign": [],
        "missing": [],
    }
    execution = headless.session.standing.instances["block-1"].execution
    assert execution is not None


def test_what_destroys_is_asked_for_and_what_only_writes_is_not(headless: HeadlessWorld) -> None:
    headless.place()
    headless.session.approvals().policy.set("D", "ask")
    trace = headless.call("plan_trace", mode="clean")
    before = headless.dump()
    for clean in ("managed", "full"):
        refused = headless.refused("trace_execute", trace_id=trace["trace_id"], clean=clean)
        assert refused["error_code"] == "APPROVAL_REQUIRED"
    assert headless.refused("trace_replay")["error_code"] == "APPROVAL_REQUIRED"
    assert headless.dump() == before
    assert headless.call("trace_execute", trace_id=trace["trace_id"])["status"] == "executed"


def test_the_person_sees_what_would_go(headless: HeadlessWorld) -> None:
    headless.place()
    tool = find("trace_replay")
    assert tool.affects is not None
    call = Call(headless.world, "tests", "r-1")
    preview = tool.affects(tool.arguments.model_validate({"clean": "full"}), call)
    assert preview.objects == ("remove_definition block",)


def test_a_full_clean_takes_a_persons_copies_along(headless: HeadlessWorld) -> None:
    headless.place()
    headless.call(
        "eval_ruby",
        code="m = Sketchup.active_model; i = m.entities.grep(Sketchup::ComponentInstance).first; "
        "m.entities.add_instance(i.definition, Geom::Transformation.new([9, 9, 9])); nil",
    )
    assert headless.call("scene_check")["foreign"]
    headless.call("trace_replay", clean="managed")
    assert headless.call("list_entities", entity_type="components")["count"] == 2
    headless.call("trace_replay", clean="full")
    assert headless.call("list_entities", entity_type="components")["count"] == 1


def test_planning_needs_no_sketchup(headless: HeadlessWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    headless.place()
    headless.session.evaluate("[cube 1 1 1]", name="block")
    monkeypatch.setenv("SUPEX_PORT", "1")
    trace = headless.call("plan_trace", scope=["block"])
    assert trace["complete"] is True
    refused = headless.refused("trace_execute", trace_id=trace["trace_id"])
    assert refused["error_code"] == "CONNECTION_FAILED"


def test_an_unknown_scope_is_refused(headless: HeadlessWorld) -> None:
    headless.place()
    assert headless.refused("plan_trace", scope=["lid"])["error_code"] == "TRUTH_INVALID"


def test_a_trace_that_takes_a_part_out_of_sketchup_waits_for_the_person(headless: HeadlessWorld) -> None:
    headless.place()
    policy, before = headless.session.approvals().policy, headless.dump()
    headless.call(
        "project_patch",
        base_revision=headless.session.standing.revision,
        patch=[{"op": "remove", "path": "/instances/block-1"}, {"op": "remove", "path": "/components/block"}],
        reason="the person has said yes to this",
    )
    trace = headless.call("plan_trace")
    policy.set("D", "ask")
    assert headless.refused("trace_execute", trace_id=trace["trace_id"])["error_code"] == "APPROVAL_REQUIRED"
    assert headless.dump() == before


def test_a_step_in_sketchup_is_taken_back_with_a_yes_only(headless: HeadlessWorld) -> None:
    headless.place()
    before = headless.dump()
    headless.session.approvals().policy.set("D", "ask")
    for tool in ("undo", "redo"):
        assert headless.refused(tool)["error_code"] == "APPROVAL_REQUIRED"
    assert headless.dump() == before
