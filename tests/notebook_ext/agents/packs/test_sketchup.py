"""The tools of SketchUp, through the session's connection to the real extension."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.agents.calls.call import Call
from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.registry import find, load
from notebook_ext.sketchup.bridge.handshake import Handshake
from tests.notebook_ext.agents.packs.headless_world import HeadlessWorld

READING = {
    "check_sketchup_status",
    "get_model_info",
    "list_entities",
    "get_entity",
    "get_selection",
    "get_layers",
    "get_materials",
    "get_camera_info",
    "take_screenshot",
    "take_batch_screenshots",
    "console_capture_status",
}
WRITING = {"save_model", "export_scene"}
TAKING_BACK = {"undo", "redo"}
"""Whoever made the step."""


def test_the_pack_has_the_tools_of_the_extension_in_their_classes() -> None:
    found = {tool.name: tool.risk for tool in load(["sketchup"]) if tool.pack == "sketchup"}
    expected = {
        **dict.fromkeys(READING, "R"),
        **dict.fromkeys(WRITING, "W"),
        **dict.fromkeys(TAKING_BACK, "D"),
        "open_model": "D",
        "eval_ruby": "X",
        "eval_ruby_file": "X",
    }
    assert found == expected
    assert len(found) == 18


def test_status_tells_of_the_extension(headless: HeadlessWorld) -> None:
    body = headless.call("check_sketchup_status")
    assert body["status"] == "connected"
    assert body["sketchup_version"]


@pytest.mark.parametrize(
    ("tool", "key"),
    [
        ("get_model_info", "num_components"),
        ("list_entities", "entities"),
        ("get_selection", "entities"),
        ("get_layers", "layers"),
        ("get_materials", "materials"),
        ("get_camera_info", "eye"),
        ("console_capture_status", "capturing"),
    ],
)
def test_what_reads_answers_as_the_extension_does(headless: HeadlessWorld, tool: str, key: str) -> None:
    assert key in headless.call(tool)


def test_entities_are_listed_and_looked_at(headless: HeadlessWorld) -> None:
    headless.place()
    listed = headless.call("list_entities", entity_type="components")
    assert listed["count"] == 1
    row = listed["entities"][0]
    entity = headless.call("get_entity", entity_id=row["entity_id"])["entity"]
    assert list(entity["dims_mm"].values()) == pytest.approx([30, 20, 10])
    by_name = headless.call("get_entity", persistent_id=row["persistent_id"])["entity"]
    assert by_name["entity_id"] == row["entity_id"]


def test_an_entity_is_named_in_one_way(headless: HeadlessWorld) -> None:
    assert headless.refused("get_entity")["error_code"] == "SCHEMA_VALIDATION_FAILED"
    assert headless.refused("get_entity", entity_id=1, persistent_id=1)["error_code"] == (
        "SCHEMA_VALIDATION_FAILED"
    )
    missing = headless.refused("get_entity", entity_id=999_999)
    assert missing["error_code"] == "ENTITY_NOT_FOUND"
    assert missing["details"]["operation"] == "get_entity"


def test_pictures_lie_below_shots_and_nowhere_else(headless: HeadlessWorld) -> None:
    shots = headless.world.workspace / ".vcad" / "shots"
    body = headless.call("take_screenshot", width=320, height=200)
    assert body["file_path"].startswith(str(shots))
    batch = headless.call("take_batch_screenshots", shots=[{"camera": {"view": "top"}}], width=64, height=64)
    assert (batch["successful"], batch["failed"]) == (1, 0)
    named = headless.call("take_screenshot", output_path=".vcad/shots/mine.png", width=64, height=64)
    assert named["file_path"] == str(shots / "mine.png")
    for where in ("mine.png", "../mine.png", ".vcad/traces/mine.png"):
        assert headless.refused("take_screenshot", output_path=where)["error_code"] == "PATH_NOT_ALLOWED"
    assert not (headless.world.workspace / "mine.png").exists()


def test_a_document_is_saved_exported_and_opened(headless: HeadlessWorld) -> None:
    headless.place()
    assert headless.refused("save_model")["error_code"] == "SAVE_FAILED"
    headless.session.approvals().policy.set("W", "allow")
    saved = headless.call("save_model", path=".vcad/exports/house.skp")
    assert saved["file_path"] == str(headless.world.workspace / ".vcad" / "exports" / "house.skp")
    exported = headless.call("export_scene", format="obj")
    assert exported["file_path"].startswith(str(headless.world.workspace / ".vcad" / "exports"))
    opened = headless.call("open_model", path=".vcad/exports/house.skp")
    assert opened["title"]
    assert headless.refused("open_model", path="../other.skp")["error_code"] == "PATH_NOT_ALLOWED"


def test_ruby_is_evaluated_and_its_failures_are_told(headless: HeadlessWorld) -> None:
    evaluated = headless.call("eval_ruby", code="puts 'hello'; 6 * 7")
    assert (evaluated["result"], evaluated["output"]) == ("42", "hello\n")
    failed = headless.refused("eval_ruby", code="raise 'no'")
    assert failed["error_code"] == "RUBY_ERROR"
    (headless.world.workspace / "script.rb").write_text("[1, 2].sum\n")
    assert headless.call("eval_ruby_file", file_path="script.rb")["result"] == "3"
    assert headless.refused("eval_ruby_file", file_path=".env")["error_code"] == "PATH_NOT_ALLOWED"


def test_ruby_is_not_evaluated_when_nobody_can_say_yes(headless: HeadlessWorld) -> None:
    headless.session.approvals().policy.set("X", "ask")
    refused = headless.refused("eval_ruby", code="$reached = true")
    assert refused["error_code"] == "APPROVAL_REQUIRED"
    headless.session.approvals().policy.set("X", "allow")
    assert headless.call("eval_ruby", code="$reached.inspect")["result"] == "nil"


def test_steps_are_taken_back_and_done_again(headless: HeadlessWorld) -> None:
    headless.place()
    before = headless.dump()
    revision = headless.call("undo")["model_revision"]
    assert headless.dump() != before
    headless.call("redo")
    assert headless.dump() == before
    stale = headless.refused("undo", expected_model_revision=revision)
    assert stale["error_code"] == "STATE_CHANGED"


def test_nothing_is_done_on_a_project_that_has_moved_on(headless: HeadlessWorld) -> None:
    headless.place()
    before = headless.dump()
    refused = headless.refused("undo", expected_revision=0)
    assert refused["error_code"] == "REVISION_CONFLICT"
    assert refused["details"]["current"] == headless.session.standing.revision
    assert headless.dump() == before


def test_without_sketchup_the_answer_says_so(
    headless: HeadlessWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPEX_PORT", "1")
    refused = headless.refused("get_model_info")
    assert refused["error_code"] == "CONNECTION_FAILED"
    assert refused["details"]["port"] == 1


def test_that_nothing_answers_is_an_answer_of_the_status(
    headless: HeadlessWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPEX_PORT", "1")
    body = headless.call("check_sketchup_status")
    assert (body["status"], body["error_type"]) == ("disconnected", "CONNECTION_FAILED")
    assert body["error"]
    assert body["message"]


def test_the_person_sees_the_ruby_that_would_run(headless: HeadlessWorld) -> None:
    (headless.world.workspace / "script.rb").write_text("1 + 1\n")
    call = Call(headless.world, "tests", "r-1")
    for name, arguments, code in (
        ("eval_ruby", {"code": "2 + 2"}, "2 + 2"),
        ("eval_ruby_file", {"file_path": "script.rb"}, "1 + 1\n"),
    ):
        tool = find(name)
        assert tool.affects is not None
        assert tool.affects(tool.arguments.model_validate(arguments), call).code == code


def test_nobody_is_asked_for_ruby_that_is_switched_off(
    headless: HeadlessWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    headless.session.approvals().policy.set("X", "ask")
    monkeypatch.setattr(Handshake, "supports", lambda self, capability: capability != "eval_ruby")
    refused = headless.refused("eval_ruby", code="1")
    assert refused["error_code"] == "CAPABILITY_UNAVAILABLE"
    assert refused["details"]["required_capability"] == "eval_ruby"


def test_sketchup_is_told_which_agent_asks_and_when_it_is_the_person_again(headless: HeadlessWorld) -> None:
    who = "ObjectSpace.each_object(Vcad::Bridge::Server::Session).map(&:agent).sort.uniq.join(',')"
    call_tool(headless.world, "eval_ruby", {"code": who}, agent="claude-code\n9")
    first = call_tool(headless.world, "eval_ruby", {"code": who}, agent="claude-code\n9")
    assert "claude-code 9" in first.body["result"]
    linked = headless.session.on_project(lambda linked: linked.link.bridge().connection)
    other = call_tool(headless.world, "get_model_info", {}, agent="other")
    assert other.success
    assert linked.spoken_for == "other"
    headless.session.sketchup()
    assert linked.spoken_for is None


def test_a_document_elsewhere_is_saved_only_with_a_yes(headless: HeadlessWorld, tmp_path: Path) -> None:
    headless.place()
    elsewhere = headless.world.workspace / "house.skp"
    headless.session.approvals().policy.set("W", "allow")
    refused = headless.refused("save_model", path="house.skp")
    assert refused["error_code"] == "APPROVAL_REQUIRED"
    headless.call("eval_ruby", code=f"Sketchup.active_model.save({str(elsewhere)!r})")
    refused = headless.refused("save_model")
    assert refused["error_code"] == "APPROVAL_REQUIRED"


@pytest.mark.parametrize(
    "shot",
    [
        {"camera": {"type": "around"}},
        {"camera": {"view": "inside"}},
        {"camera": {"eye": [1, 2]}},
        {"kamera": {}},
    ],
)
def test_a_shot_that_makes_no_sense_is_refused_before_sketchup_is_asked(
    headless: HeadlessWorld, shot: dict[str, Any]
) -> None:
    refused = headless.refused("take_batch_screenshots", shots=[shot])
    assert refused["error_code"] == "SCHEMA_VALIDATION_FAILED"


def test_shots_of_all_kinds_are_taken(headless: HeadlessWorld) -> None:
    headless.place()
    row = headless.call("list_entities", entity_type="components")["entities"][0]
    shots: list[dict[str, Any]] = [
        {"camera": {"view": "top"}, "name": "top"},
        {"camera": {"type": "custom", "eye": [10, -10, 10], "target": [0, 0, 0], "fov": 40}},
        {"camera": {"type": "zoom_entity", "entity_ids": [row["entity_id"]], "padding": 1.2}},
        {"camera": {"view": "iso"}, "isolate": row["entity_id"]},
    ]
    body = headless.call("take_batch_screenshots", shots=shots, width=64, height=48)
    assert (body["successful"], body["failed"]) == (4, 0), body


def test_one_request_id_follows_a_call_to_sketchup_and_into_the_logs(headless: HeadlessWorld) -> None:
    headless.place()
    trace = headless.call("plan_trace", mode="clean")
    call_tool(
        headless.world,
        "trace_execute",
        {"trace_id": trace["trace_id"], "clean": "managed"},
        agent="tests",
        request_id="r-followed",
    )
    folder = headless.session.log.folder()
    assert folder is not None
    told = {
        name: [json.loads(line) for line in (folder / name).read_text().splitlines()]
        for name in ("events.jsonl", "bridge.jsonl")
    }
    mine = [one for one in told["events.jsonl"] if one["request_id"] == "r-followed"]
    assert {"trace_started", "operation_done", "trace_finished"} <= {one["event"] for one in mine}
    # each operation is a request of its own to SketchUp: r-followed/op-…
    mine = [one for one in told["bridge.jsonl"] if str(one["request_id"]).split("/")[0] == "r-followed"]
    tools = {one["tool"] for one in mine}
    assert "place_vcad_instance" in tools


def test_an_instance_is_called_in_sketchup_by_its_id(headless: HeadlessWorld) -> None:
    headless.place()
    headless.session.place("block", instance="left")
    rows = headless.call("list_entities", entity_type="components")["entities"]
    assert sorted(row["instance_name"] for row in rows) == ["block-1", "left"]
