"""What a patch of the project must not bring in: refused whole, on every way in, with the place named."""

from __future__ import annotations

from typing import Any

import pytest

from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.world import AgentWorld

IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
LID: dict[str, Any] = {
    "source": {"kind": "cell", "text": "[cube 1 2 3]"},
    "parameters": {},
    "imports": [],
    "revision": 0,
    "applied_revision": 0,
    "status": "active",
}
INSTANCE = {"component": "lid", "transform": IDENTITY, "layer": None, "material": None}
FLAT = [1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1]


def patch(world: AgentWorld, *operations: dict[str, Any]) -> dict[str, Any]:
    revision = world.session.standing.revision
    arguments = {"base_revision": revision, "patch": list(operations), "reason": "a test"}
    return call_tool(world, "project_patch", arguments, agent="tests").body


def put(path: str, value: Any, op: str = "add") -> dict[str, Any]:
    return {"op": op, "path": path, "value": value}


@pytest.fixture
def project(world: AgentWorld) -> AgentWorld:
    done = patch(world, put("/components/lid", LID), put("/instances/lid-1", INSTANCE))
    assert done["changed"] == ["lid", "lid-1"]
    return world


@pytest.mark.parametrize(
    ("operation", "code", "path"),
    [
        (
            put("/components/x", {**LID, "source": {"kind": "file", "file": "../../etc/passwd"}}),
            "PATH_NOT_ALLOWED",
            "../../etc/passwd",
        ),
        (
            put("/components/lid/source", {"kind": "file", "file": "/etc/passwd"}, "replace"),
            "PATH_NOT_ALLOWED",
            "/etc/passwd",
        ),
        (
            put("/components/x", {**LID, "source": {"kind": "file", "file": ".vcad/session.json"}}),
            "PATH_NOT_ALLOWED",
            ".vcad/session.json",
        ),
        (
            put("/components/x", {**LID, "source": {"kind": "file", "file": ".env"}}),
            "PATH_NOT_ALLOWED",
            ".env",
        ),
        (put("/components/bad id", LID), "SCHEMA_VALIDATION_FAILED", "components/bad id"),
        (put("/components/..", LID), "SCHEMA_VALIDATION_FAILED", "components/.."),
        (put("/instances/träger", INSTANCE), "SCHEMA_VALIDATION_FAILED", "instances/träger"),
        (
            put("/components/x", {**LID, "status": "orphan"}),
            "SCHEMA_VALIDATION_FAILED",
            "components/x/status",
        ),
        (put("/components/lid/status", "degraded"), "SCHEMA_VALIDATION_FAILED", "components/lid/status"),
        (put("/components/lid/colour", 1), "SCHEMA_VALIDATION_FAILED", "components/lid/colour"),
        (put("/components/lid/source/txt", ""), "SCHEMA_VALIDATION_FAILED", "components/lid/source/txt"),
        (put("/instances/lid-1/layr", "Steel"), "SCHEMA_VALIDATION_FAILED", "instances/lid-1/layr"),
        (put("/instnaces", {}), "SCHEMA_VALIDATION_FAILED", "instnaces"),
        (put("/execution", {}), "SCHEMA_VALIDATION_FAILED", "execution"),
        (
            put("/instances/lid-1/execution", {"entity_id": 1}),
            "SCHEMA_VALIDATION_FAILED",
            "instances/lid-1/execution",
        ),
        (
            put("/components/lid/execution", {"entity_id": 1}),
            "SCHEMA_VALIDATION_FAILED",
            "components/lid/execution",
        ),
        (
            put("/components/lid/parameters", {"w": "wide"}),
            "SCHEMA_VALIDATION_FAILED",
            "components/lid/parameters/w",
        ),
        (
            put("/instances/lid-1/transform", [0] * 16, "replace"),
            "SCHEMA_VALIDATION_FAILED",
            "instances/lid-1/transform",
        ),
        (
            put("/instances/lid-1/transform", FLAT, "replace"),
            "SCHEMA_VALIDATION_FAILED",
            "instances/lid-1/transform",
        ),
        (
            put("/instances/lid-1/transform/15", 2, "replace"),
            "SCHEMA_VALIDATION_FAILED",
            "instances/lid-1/transform",
        ),
        (put("", 5, "replace"), "SCHEMA_VALIDATION_FAILED", "design_model"),
        (put("", None, "replace"), "SCHEMA_VALIDATION_FAILED", "design_model"),
    ],
)
def test_a_patch_is_refused_whole_and_says_where(
    project: AgentWorld, operation: dict[str, Any], code: str, path: str
) -> None:
    before = (project.workspace / "design_model.json").read_bytes()
    move = put("/instances/lid-1/transform/12", 9, "replace")
    body = patch(project, move, operation)
    assert (body["error_code"], body["details"]["path"]) == (code, path)
    assert (project.workspace / "design_model.json").read_bytes() == before


def test_a_source_that_leads_out_by_a_link_is_refused(project: AgentWorld) -> None:
    (project.workspace / "parts").symlink_to("/etc")
    source = {"kind": "file", "file": "parts/passwd"}
    assert patch(project, put("/components/x", {**LID, "source": source}))["error_code"] == "PATH_NOT_ALLOWED"


def test_what_turns_mirrors_and_scales_is_taken(project: AgentWorld) -> None:
    for transform in (
        [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1],
        [1e-3, 0, 0, 0, 0, 1e-3, 0, 0, 0, 0, 1e-3, 0, 0, 0, 0, 1],
        [0, 1e3, 0, 0, -1e3, 0, 0, 0, 0, 0, 1e3, 0, 0, 0, 0, 1],
    ):
        done = patch(project, put("/instances/lid-1/transform", transform, "replace"))
        assert done["changed"] == ["lid-1"]


def test_a_source_that_is_still_to_be_written_is_taken(project: AgentWorld) -> None:
    source = {"kind": "file", "file": "parts/to_come.loon"}
    assert patch(project, put("/components/x", {**LID, "source": source}))["changed"] == ["x"]


def test_names_of_a_later_version_stay(world: AgentWorld) -> None:
    (world.workspace / "design_model.json").write_text(
        '{"schema": 1, "revision": 3, "settings": {}, "components": {}, "instances": {}, "operations": [],'
        ' "later": {"x": 1}}'
    )
    assert patch(world, put("/settings/note", "mine"))["success"] is True
    found = call_tool(world, "project_get", {}, agent="tests").body["value"]
    assert (found["later"], found["settings"]) == ({"x": 1}, {"note": "mine"})
    assert patch(world, put("/later/x", 2, "replace"))["details"]["path"] == "later"
