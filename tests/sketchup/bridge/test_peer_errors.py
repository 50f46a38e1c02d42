"""What an extension says went wrong, with codes and without."""

from __future__ import annotations

from typing import Any

import pytest

from notebook_ext.sketchup.bridge.peer_errors import failed_result, peer_error
from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.error_envelope import envelope
from vcad_kernel.errors import PathRefused


def legacy(message: str, code: int = -32603) -> dict[str, Any]:
    return {"code": code, "message": message, "data": {"success": False}}


@pytest.mark.parametrize(
    ("message", "error_code", "details"),
    [
        ("Unknown tool: vcad.observer_poll", "TOOL_NOT_FOUND", {"tool": "vcad.observer_poll"}),
        (
            "Path access denied for vcad import: C:/a: b.dae",
            "PATH_NOT_ALLOWED",
            {"path": "C:/a: b.dae", "workspace": "/project"},
        ),
        ("Path access denied for /etc/x", "PATH_NOT_ALLOWED", {"path": "/etc/x", "workspace": "/project"}),
        ("Ruby file not found: /w/a.rb", "RUBY_FILE_NOT_FOUND", {"path": "/w/a.rb"}),
        ("vcad node not found: plate", "NODE_NOT_FOUND", {"node_id": "plate"}),
        ("Ruby evaluation error: undefined method", "RUBY_ERROR", {"reason": "undefined method"}),
        ("Ruby syntax error: unexpected end", "RUBY_ERROR", {"reason": "unexpected end"}),
        ("IMPORT_DEFINITION_NOT_FOUND: a.dae", "IMPORT_DEFINITION_NOT_FOUND", {"path": "a.dae"}),
        ("Entity not found: 17", "ENTITY_NOT_FOUND", {"entity_id": 17}),
        (
            "Update vcad node failed: IMPORT_DEFINITION_NOT_FOUND: a.dae",
            "IMPORT_DEFINITION_NOT_FOUND",
            {"path": "a.dae"},
        ),
        ("Something else went wrong", "REMOTE_ERROR", {}),
        ("The import failed: who knows", "REMOTE_ERROR", {}),
    ],
)
def test_the_code_is_read_from_how_the_sentence_begins(
    message: str, error_code: str, details: dict[str, Any]
) -> None:
    error = peer_error(legacy(message), "update_vcad_node", "/project")
    assert (error.error_code, error.message) == (error_code, message)
    assert details.items() <= error.details.items()
    assert envelope(error, "x")["details"]["operation"] == "update_vcad_node"
    assert envelope(error, "x")["error_code"] == error_code


def test_the_wrong_model_is_told_by_older_extensions_in_a_way_of_their_own() -> None:
    data = {
        "success": False,
        "error_type": "wrong_model",
        "expected_model_path": "/m/house.skp",
        "active_model_path": None,
        "active_model_title": "Untitled",
    }
    error = peer_error({"code": -32603, "message": "Expected model …", "data": data}, "eval_ruby")
    assert error.error_code == "WRONG_MODEL"
    assert error.details["expected_model_path"] == "/m/house.skp"
    assert "SUPEX_EXPECTED_MODEL" in (error.fix or "")


def test_a_code_that_is_given_is_believed_before_the_sentence() -> None:
    error = peer_error(
        {
            "code": -32004,
            "message": "Unknown tool: not at all",
            "data": {
                "success": False,
                "error_code": "NODE_NOT_FOUND",
                "details": {"node_id": "plate", "operation": "swap", "model_revision": 7, "elapsed_ms": 1.5},
                "hint": "list the nodes first",
            },
        },
        "update_vcad_node",
    )
    assert error.error_code == "NODE_NOT_FOUND"
    assert error.fix == "list the nodes first"
    assert error.details["operation"] == "swap"
    assert error.details["model_revision"] == 7


def test_a_code_that_we_do_not_know_is_kept() -> None:
    error = peer_error({"code": -32000, "message": "new", "data": {"error_code": "FROM_THE_FUTURE"}}, "ping")
    assert error.error_code == "FROM_THE_FUTURE"
    assert envelope(error, "x")["error_code"] == "FROM_THE_FUTURE"


@pytest.mark.parametrize("code", list(ErrorCode))
def test_every_code_survives_a_peer_that_says_nothing_else(code: ErrorCode) -> None:
    error = peer_error({"code": -32000, "message": "short", "data": {"error_code": str(code)}}, "ping")
    assert error.error_code == code
    assert envelope(error, "x")["error_code"] == code


def test_a_refused_path_is_the_same_error_as_everywhere() -> None:
    data = {
        "error_code": "PATH_NOT_ALLOWED",
        "details": {"path": "../x", "workspace": "/w", "operation": "o"},
    }
    assert isinstance(peer_error({"code": -32002, "message": "no", "data": data}, "o"), PathRefused)


def test_an_error_of_ruby_keeps_its_place() -> None:
    details = {"class": "NameError", "file": "part.rb", "line": 3, "backtrace": ["part.rb:3"]}
    data = {"error_code": "RUBY_ERROR", "details": details}
    error = peer_error({"code": -32000, "message": "undefined", "data": data}, "eval_ruby")
    assert error.error_code == "RUBY_ERROR"
    assert (error.details["file"], error.details["line"]) == ("part.rb", 3)


@pytest.mark.parametrize(
    ("number", "error_code"),
    [
        (-32601, "METHOD_NOT_FOUND"),
        (-32602, "INVALID_PARAMS"),
        (-32603, "REMOTE_ERROR"),
        (None, "REMOTE_ERROR"),
    ],
)
def test_without_code_and_known_sentence_the_number_counts(number: int | None, error_code: str) -> None:
    assert peer_error({"code": number, "message": "no"}, "ping").error_code == error_code


def test_a_node_of_the_bridge_is_not_taken_for_one_of_a_document() -> None:
    data = {"error_code": "GEOMETRY_INVALID", "details": {"node_id": "plate"}}
    error = peer_error({"code": -32000, "message": "no", "data": data}, "place_vcad_node")
    assert envelope(error, "x")["error_code"] == "GEOMETRY_INVALID"


@pytest.mark.parametrize("number", [[], {}, "x", 1.5])
def test_a_number_that_is_none_says_nothing(number: Any) -> None:
    assert peer_error({"code": number, "message": "no"}, "ping").error_code == "REMOTE_ERROR"


@pytest.mark.parametrize("nonsense", [None, [], {}, {"message": 3, "data": "x"}, {"data": {"details": 1}}])
def test_nonsense_is_still_an_error(nonsense: Any) -> None:
    error = peer_error(nonsense, "ping")
    assert error.error_code == "REMOTE_ERROR"
    assert error.message


@pytest.mark.parametrize(
    ("result", "error_code"),
    [
        ({"success": False, "error": "No active model"}, "MODEL_UNAVAILABLE"),
        ({"success": False, "error": "x", "error_code": "BUSY", "hint": "wait"}, "BUSY"),
        ({"success": False, "error": "Path access denied for /a: no"}, "PATH_NOT_ALLOWED"),
        ({"success": False}, "REMOTE_ERROR"),
    ],
)
def test_a_failed_result_is_the_error_that_it_means(result: dict[str, Any], error_code: str) -> None:
    error = failed_result(result, "get_model_info", "/project")
    assert error.error_code == error_code
    assert envelope(error, "x")["error_code"] == error_code
