"""What a tool answers: whole where it is short, kept in a file where it is long, honest where it fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import fastjsonschema
import pytest
from pydantic import BaseModel

from notebook_ext.agents.calls.outcomes import TEXT_LIMIT, Partly, answer, failure
from notebook_ext.agents.mcp.schemas import output_schema
from notebook_ext.agents.registry import load
from notebook_ext.workspace.files.gate import FileGate
from vcad_kernel.errors import ErrorCode, ServiceFailure

MISSING = ServiceFailure(ErrorCode.NODE_NOT_FOUND, "no such node", details={"node_id": "lid"})


class _Inner(BaseModel):
    text: str


class _Given(BaseModel):
    title: str = "short"
    source: _Inner = _Inner(text="")
    rows: list[_Inner] = []


def answered(given: Any, workspace: Path) -> dict[str, Any]:
    return answer(given, "tells", files=FileGate(workspace), request_id="r-1").body


def test_a_text_deep_in_an_answer_is_cut_and_kept_whole(workspace: Path) -> None:
    long = "ä" * TEXT_LIMIT
    body = answered(_Given(source=_Inner(text=long)), workspace)
    assert body["truncated"] is True
    assert len(body["source"]["text"].encode()) <= TEXT_LIMIT
    assert (workspace / body["full_path"]).read_text(encoding="utf-8") == long


def test_of_several_long_texts_the_file_holds_the_whole_answer(workspace: Path) -> None:
    long = "x" * (TEXT_LIMIT + 1)
    body = answered(_Given(title=long, rows=[_Inner(text="a"), _Inner(text=long)]), workspace)
    assert [len(row["text"]) for row in body["rows"]] == [1, TEXT_LIMIT]
    whole = json.loads((workspace / body["full_path"]).read_text(encoding="utf-8"))
    assert (whole["title"], whole["rows"][1]["text"]) == (long, long)


def test_a_text_of_just_the_limit_is_whole(workspace: Path) -> None:
    body = answered(_Given(title="x" * TEXT_LIMIT), workspace)
    assert "truncated" not in body
    assert not (workspace / ".vcad").exists()


def test_a_long_text_that_cannot_be_kept_is_cut_all_the_same(workspace: Path, tmp_path: Path) -> None:
    (workspace / ".vcad").mkdir()
    (tmp_path / "outside").mkdir()
    (workspace / ".vcad" / "artifacts").symlink_to(tmp_path / "outside")
    body = answered(_Given(title="x" * (TEXT_LIMIT + 1)), workspace)
    assert (body["truncated"], body["full_path"]) == (True, None)
    assert list((tmp_path / "outside").iterdir()) == []


def test_what_was_done_in_part_is_a_failure_with_its_result(workspace: Path) -> None:
    body = answered(Partly(_Given(title="half"), MISSING), workspace)
    assert (body["success"], body["error_code"], body["title"]) == (False, "NODE_NOT_FOUND", "half")
    assert body["details"]["operation"] == "tells"


def test_a_code_without_its_details_is_told_as_what_it_is() -> None:
    body = failure(ServiceFailure(ErrorCode.PATH_NOT_ALLOWED, "no", details={"path": "x"}), "tells").body
    assert body["error_code"] == "SCHEMA_VALIDATION_FAILED"
    assert body["details"] | {"path": "details.workspace", "operation": "tells"} == body["details"]


def test_an_operation_that_is_named_below_stays() -> None:
    lower = ServiceFailure(ErrorCode.NODE_NOT_FOUND, "no", details={"node_id": "a", "operation": "get"})
    assert failure(lower, "tells").body["details"]["operation"] == "get"


@pytest.mark.parametrize("tool", load(("all",)), ids=lambda tool: tool.name)
def test_clients_that_check_failures_too_let_them_pass(tool: Any) -> None:
    """The SDK for TypeScript checks structured content of ``is_error`` results against the output schema."""
    schema = output_schema(tool.result)
    body = failure(MISSING, tool.name).body
    assert fastjsonschema.compile(schema)(body) == body
    assert schema["type"] == "object"
