"""How errors look to people and to programs."""

from __future__ import annotations

import pytest

from vcad_kernel.error_envelope import envelope
from vcad_kernel.errors import (
    CapabilityUnavailable,
    ErrorCode,
    GeometryError,
    LoonRuntimeError,
    Place,
    SceneError,
    StackEntry,
)


def place(line: int, column: int, end_line: int, end_column: int, text: str) -> Place:
    return Place("bracket", line, column, end_line, end_column, text)


def test_the_caret_stands_under_the_stretch() -> None:
    assert place(12, 3, 12, 6, "[f xyz]").caret() == "12 | [f xyz]\n   |   ^^^"


def test_a_stretch_over_lines_is_marked_to_the_end_of_the_first() -> None:
    assert place(1, 2, 4, 2, "[cube").caret() == "1 | [cube\n  |  ^^^^"


def test_a_stretch_without_width_still_gets_a_caret() -> None:
    assert place(1, 6, 1, 6, "[cube").caret().endswith("     ^")


def test_tabs_do_not_shift_the_caret() -> None:
    source, caret = place(1, 2, 1, 3, "\tx").caret().split("\n")
    assert source.index("x") == caret.index("^")


def test_an_error_reads_from_code_to_remedy() -> None:
    error = LoonRuntimeError(
        "index 9 is outside a vector of 2",
        code="index",
        place=place(2, 1, 2, 5, "[nth v 9]"),
        why="it counts from 0",
        fix="use 0 or 1",
        stack=(StackEntry("outer", None), StackEntry("inner", place(5, 1, 5, 2, "x"))),
    )
    assert error.render() == (
        "[index] index 9 is outside a vector of 2\n"
        "  --> bracket:2:1\n"
        "  2 | [nth v 9]\n"
        "    | ^^^^\n"
        "  why: it counts from 0\n"
        "  fix: use 0 or 1\n"
        "  calls:\n"
        "    outer\n"
        "    inner  at bracket:5"
    )


def test_a_deep_stack_is_folded() -> None:
    error = LoonRuntimeError("deep", stack=tuple(StackEntry(f"f{i}", None) for i in range(10_000)))
    lines = error.render().split("\n")
    assert "    … 9990 more calls …" in lines
    assert lines[-1].strip() == "f9999"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (GeometryError("bad", code="INVALID_PARAMETER"), ErrorCode.GEOMETRY_INVALID),
        (GeometryError("bad", code="BOOLEAN_FAILED", failed=True), ErrorCode.GEOMETRY_FAILED),
        (SceneError("none", code=ErrorCode.NO_GEOMETRY, count=0), ErrorCode.NO_GEOMETRY),
        (
            CapabilityUnavailable("no", details={"required_capability": "brep"}),
            ErrorCode.CAPABILITY_UNAVAILABLE,
        ),
    ],
)
def test_the_wire_form_has_the_coarse_code_and_the_operation(error: GeometryError, code: ErrorCode) -> None:
    wire = envelope(error, "vcad.eval_code")
    assert wire["error_code"] == code
    assert wire["details"]["operation"] == "vcad.eval_code"


def test_the_operation_of_a_geometry_error_is_the_users_function() -> None:
    error = GeometryError("r", code="INVALID_PARAMETER", operation="sphere", argument="r")
    assert envelope(error, "vcad.eval_code")["details"]["operation"] == "sphere"


def test_a_failed_feature_shows_the_edges_that_stand_in_the_way() -> None:
    edge = {"id": 3, "middle": [0.0, 10.0, 2.5], "length": 5.0, "kind": "line"}
    error = GeometryError(
        "fillet: a radius of 9 does not fit 7 edges; 2.499 works",
        code="FILLET_FAILED",
        operation="fillet",
        failed=True,
        fix="use a radius of 2.499 or less",
        details={"largest_working": 2.499, "failing_edges": [edge] * 6, "failing_edge_count": 7},
    )
    lines = error.render().split("\n")
    assert lines[1] == "  fix: use a radius of 2.499 or less"
    assert lines[2:] == ["  at: edge 3, line of 5 mm at (0, 10, 2.5)"] * 5 + ["  at: 2 more edges"]
    wire = envelope(error, "vcad.eval_code")
    assert wire["error_code"] == ErrorCode.GEOMETRY_FAILED
    assert wire["details"]["largest_working"] == 2.499
    assert wire["details"]["failing_edges"][0]["middle"] == [0.0, 10.0, 2.5]


def test_faces_are_shown_in_the_same_way() -> None:
    face = {"id": 0, "middle": [0.0, 0.0, -0.0], "area": 12.566370614359172, "kind": "cylinder"}
    error = GeometryError(
        "shell: too thick", code="SHELL_FAILED", failed=True, details={"failing_faces": [face]}
    )
    assert error.render().split("\n")[1:] == ["  at: face 0, cylinder of 12.57 mm² at (0, 0, 0)"]


@pytest.mark.parametrize(
    ("code", "shown"),
    [("ARITY_MISMATCH", "E0202"), ("TYPE_MISMATCH", "E0200"), ("ZERO_VECTOR", "ZERO_VECTOR")],
)
def test_people_see_the_code_that_has_a_lesson_and_the_wire_says_the_model_s(code: str, shown: str) -> None:
    error = GeometryError("cube takes 3 arguments (x y z), got 1", code=code)
    assert error.render().startswith(f"[{shown}] ")
    assert envelope(error, "vcad.eval_code")["details"]["code"] == code
