"""The wire form of a failure: complete, checked, and the same error again on the other side."""

from __future__ import annotations

import json
import logging
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiers import examples
from vcad_kernel import errors
from vcad_kernel.error_codes import ErrorCode, rpc_number
from vcad_kernel.error_envelope import envelope, error_from, internal_error, passed_on
from vcad_kernel.errors import (
    Cancelled,
    CapabilityUnavailable,
    ExportError,
    FileMissing,
    FileTooLarge,
    GeometryError,
    LoonError,
    LoonNameError,
    LoonRuntimeError,
    LoonSyntaxError,
    LoonTypeError,
    PathRefused,
    Place,
    SceneError,
    ServiceFailure,
    StackEntry,
    VcadError,
)

CALL = "vcad.eval_cell"

# ---- there and back ----------------------------------------------------------------------------

NEEDED: dict[type[VcadError], dict[str, Any]] = {
    CapabilityUnavailable: {"required_capability": "brep", "negotiated_capabilities": []},
    PathRefused: {"path": "../a", "workspace": "/w"},
    FileMissing: {"path": "a.stl"},
    FileTooLarge: {"limit": 10, "size": 11},
}
"""What some classes always say."""
PLAIN = [
    VcadError,
    LoonError,
    LoonSyntaxError,
    LoonNameError,
    LoonTypeError,
    LoonRuntimeError,
    CapabilityUnavailable,
    ExportError,
    PathRefused,
    FileMissing,
    FileTooLarge,
    Cancelled,
]
"""Classes that are made in the same way."""

texts = st.text(max_size=12) | st.just("ein Loch: ø 5 mm\n\t\ud800")
numbers = st.integers(1, 99)
places = st.builds(Place, texts, numbers, numbers, numbers, numbers, texts)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
RESERVED = {
    *("code", "file", "line", "column", "end_line", "end_column", "text", "why", "fix", "stack"),
    *("error_class", "argument", "node_id", "largest_possible", "faulty"),
}
OWN_FIELDS = {"code", "file", "line", "column", "end_line", "end_column"}
"""What the fields of any error put into its details."""
details = st.dictionaries(
    st.text(min_size=1, max_size=8).filter(lambda key: key not in RESERVED), json_values
)
stacks = st.lists(st.builds(StackEntry, texts, st.none() | places), max_size=4)
parts = st.fixed_dictionaries(
    {
        "code": st.none() | st.text(min_size=1, max_size=8),
        "place": st.none() | places,
        "why": st.none() | texts,
        "fix": st.none() | texts,
        "stack": stacks.flatmap(
            lambda found: st.lists(st.sampled_from(found), max_size=30) if found else st.just([])
        ).map(tuple),
    }
)


@st.composite
def any_error(draw: st.DrawFn) -> VcadError:
    """An error of any class, with anything in it."""
    message, fields, said = draw(texts), draw(parts), draw(details)
    kind = draw(st.sampled_from([*PLAIN, GeometryError, SceneError, ServiceFailure]))
    if kind is GeometryError:
        return GeometryError(
            message,
            **{**fields, "code": fields["code"] or "INVALID_PARAMETER"},
            operation=draw(texts.filter(bool)),
            argument=draw(st.none() | texts),
            node_id=draw(st.none() | st.integers(0, 9)),
            failed=draw(st.booleans()),
            details=said,
        )
    if kind is SceneError:
        code = draw(st.sampled_from([ErrorCode.NO_GEOMETRY, ErrorCode.MULTI_PART_UNSUPPORTED]))
        return SceneError(message, code=code, count=draw(st.integers(0, 9)), fix=fields["fix"])
    if kind is ServiceFailure:
        code = draw(st.sampled_from(sorted(ErrorCode)) | st.just("CODE_OF_A_NEWER_PEER"))
        needed: dict[str, Any] = {}
        if code in ErrorCode.__members__:
            needed = {key: "x" for key in ErrorCode(code).required if key not in OWN_FIELDS}
            needed |= dict.fromkeys(ErrorCode(code).one_of, 1)
        fields["place"] = fields["place"] or draw(places)
        return ServiceFailure(code, message, details={**said, **needed}, **fields)
    return kind(message, details={**said, **NEEDED.get(kind, {})}, **fields)


@examples(600)
@given(any_error())
def test_an_error_is_the_same_on_the_other_side(error: VcadError) -> None:
    wire = json.loads(json.dumps(envelope(error, CALL), allow_nan=False))
    back = error_from(wire)
    assert type(back) is type(error)
    assert back.error_code == error.error_code
    assert back.render() == error.render()
    assert (back.message, back.code, back.place) == (error.message, error.code, error.place)
    assert (back.why, back.fix, back.stack) == (error.why, error.fix, error.stack)
    assert {**back.details, "operation": ""} == {**error.details, "operation": ""}
    assert envelope(back, "another") == wire


def test_every_class_of_the_tree_is_tried() -> None:
    tree = {
        found for found in vars(errors).values() if isinstance(found, type) and issubclass(found, VcadError)
    }
    assert tree == {*PLAIN, GeometryError, SceneError, ServiceFailure}


def test_a_class_of_another_module_comes_back_as_the_one_it_extends() -> None:
    class RenameRefused(LoonTypeError):
        pass

    assert type(error_from(envelope(RenameRefused("no"), CALL))) is LoonTypeError


def test_a_geometry_error_keeps_what_it_alone_has() -> None:
    error = GeometryError("r", code="INVALID_PARAMETER", operation="sphere", argument="r", node_id=3)
    back = error_from(envelope(error, CALL))
    assert isinstance(back, GeometryError)
    assert (back.operation, back.argument, back.node_id, back.failed) == ("sphere", "r", 3, False)
    assert back.details == {}


def test_numbers_that_json_lacks_arrive_as_they_were() -> None:
    error = LoonRuntimeError("off", details={"values": (math.inf, -math.inf), "at": {"x": math.nan}})
    wire = json.dumps(envelope(error, CALL), allow_nan=False)
    back = error_from(json.loads(wire))
    assert back.details["values"] == [math.inf, -math.inf]
    assert math.isnan(back.details["at"]["x"])


def test_a_runaway_recursion_takes_few_bytes_and_reads_the_same() -> None:
    lines = "[fn even [n] [odd [- n 1]]]", "[fn odd [n] [even [- n 1]]]"
    calls = [
        StackEntry(name, Place("cell", 1, 1, 1, 9, text)) for name, text in zip("ab", lines, strict=True)
    ]
    error = LoonRuntimeError("it calls itself for ever", stack=tuple(calls * 5000))
    wire = json.dumps(envelope(error, CALL))
    assert len(wire) < 40_000
    assert error_from(json.loads(wire)).render() == error.render()


# ---- the contract ------------------------------------------------------------------------------


def _complete(code: ErrorCode) -> dict[str, Any]:
    """Details that have all that a code demands."""
    kinds: dict[str, Any] = {"line": 1, "column": 1, "end_line": 1, "end_column": 2}
    return {key: kinds.get(key, "x") for key in (*code.required, *code.one_of[:1])}


@pytest.mark.parametrize("code", ErrorCode)
def test_an_error_that_says_all_its_code_demands_passes_as_it_is(code: ErrorCode) -> None:
    wire = {"error_code": str(code), "message": "m", "details": _complete(code)}
    assert passed_on(wire, "another") == wire


@pytest.mark.parametrize(
    ("code", "missing"),
    [(code, key) for code in ErrorCode for key in _complete(code) if key != "operation"],
)
def test_an_error_without_what_its_code_demands_becomes_one_of_the_contract(
    code: ErrorCode, missing: str
) -> None:
    said = {key: value for key, value in _complete(code).items() if key != missing}
    broken = passed_on({"error_code": str(code), "message": "m", "details": said}, CALL)
    assert broken["error_code"] == ErrorCode.SCHEMA_VALIDATION_FAILED
    assert broken["details"]["path"] == f"details.{missing}"
    assert broken["details"]["reported"] == {"error_code": str(code), "message": "m"}
    assert broken["details"]["operation"] == CALL
    assert "m" in broken["message"]
    assert passed_on(broken, "another") == broken
    assert error_from(broken).error_code == ErrorCode.SCHEMA_VALIDATION_FAILED


@pytest.mark.parametrize("code", ErrorCode)
def test_a_missing_operation_is_filled_and_a_given_one_kept(code: ErrorCode) -> None:
    unnamed = {key: value for key, value in _complete(code).items() if key != "operation"}
    for said, named in ((unnamed, CALL), ({**unnamed, "operation": ""}, CALL), (_complete(code), "x")):
        wire = passed_on({"error_code": str(code), "message": "", "details": said}, CALL)
        assert (wire["error_code"], wire["details"]["operation"]) == (code, named)


def test_an_error_of_ours_that_lacks_details_says_so_instead_of_lying() -> None:
    wire = envelope(ServiceFailure(ErrorCode.VCAD_QUEUE_FULL, "too many"), CALL)
    assert wire["error_code"] == ErrorCode.SCHEMA_VALIDATION_FAILED
    assert wire["message"] == (
        "an error broke its contract: details.limit must be present, as VCAD_QUEUE_FULL requires; "
        "it was VCAD_QUEUE_FULL: too many"
    )


@pytest.mark.parametrize(
    "found",
    [
        None,
        [],
        {},
        {"error_code": 3, "message": "", "details": {}},
        {"error_code": "", "message": "", "details": {}},
        {"error_code": "AUTH_REQUIRED", "message": None, "details": {}},
        {"error_code": "AUTH_REQUIRED", "message": "", "details": []},
        {"error_code": "AUTH_REQUIRED", "message": "", "details": {"operation": 3}},
        {"error_code": "AUTH_REQUIRED", "message": "", "details": {"line": "1"}},
        {"error_code": "AUTH_REQUIRED", "message": "", "details": {"line": True}},
        {"error_code": "AUTH_REQUIRED", "message": "", "details": {"why": 1}},
        {"error_code": "AUTH_REQUIRED", "message": "", "details": {"stack": {}}},
        {"error_code": "AUTH_REQUIRED", "message": "", "details": {"stack": [0]}},
        {"error_code": "AUTH_REQUIRED", "message": "", "details": {"stack": [{"name": "f"}, -1]}},
        {"error_code": "AUTH_REQUIRED", "message": "", "details": {"stack": [{"name": "f", "line": "1"}]}},
        {"error_code": "AUTH_REQUIRED", "message": "", "details": {"odd": object()}},
        {"error_code": "AUTH_REQUIRED", "message": "", "details": {"odd": {1: 2}}},
    ],
)
def test_what_is_no_envelope_is_named_as_such(found: object) -> None:
    wire = passed_on(found, CALL)
    assert wire["error_code"] == ErrorCode.SCHEMA_VALIDATION_FAILED
    assert {"path", "expected", "operation"} <= wire["details"].keys()
    assert error_from(found).error_code == ErrorCode.SCHEMA_VALIDATION_FAILED


@given(json_values | st.dictionaries(st.sampled_from(["error_code", "message", "details"]), json_values))
def test_no_answer_is_too_odd_to_be_read(found: object) -> None:
    assert isinstance(error_from(found), VcadError)
    assert error_from(found).render()


def test_details_without_end_are_refused() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    wire = passed_on({"error_code": "AUTH_REQUIRED", "message": "", "details": {"deep": deep}}, CALL)
    assert wire["error_code"] == ErrorCode.SCHEMA_VALIDATION_FAILED


def test_the_code_of_a_newer_peer_is_kept() -> None:
    wire = {"error_code": "FUTURE_TROUBLE", "message": "m", "details": {"operation": "x", "code": "F1"}}
    assert passed_on(wire, CALL) == wire
    back = error_from(wire)
    assert (back.error_code, back.code) == ("FUTURE_TROUBLE", "F1")
    assert envelope(back, CALL) == wire


@pytest.mark.parametrize("code", ["AUTH_REQUIRED", "FUTURE_TROUBLE"])
@pytest.mark.parametrize("named", [GeometryError, SceneError])
def test_a_code_is_kept_where_it_comes_with_a_class_that_cannot_have_it(
    code: str, named: type[VcadError]
) -> None:
    said = {"operation": "x", "error_class": named.__name__}
    back = error_from({"error_code": code, "message": "m", "details": said})
    assert (type(back), back.error_code, back.message) == (ServiceFailure, code, "m")


# ---- what people must be told ------------------------------------------------------------------


def test_a_failed_feature_says_what_would_work_and_what_stands_in_the_way() -> None:
    edge = {"id": 3, "middle": [0.0, 10.0, 2.5], "length": 5.0, "kind": "line"}
    said = {"largest_working": 2.499, "failing_edges": [edge], "failing_edge_count": 1}
    error = GeometryError("fillet", code="FILLET_FAILED", operation="fillet", failed=True, details=said)
    wire = envelope(error, CALL)
    assert wire["details"]["largest_possible"] == 2.499
    assert wire["details"]["faulty"] == [{"what": "edge", **edge}]
    assert error_from(wire).details == said
    unknown = envelope(GeometryError("shell", code="SHELL_FAILED", failed=True), CALL)["details"]
    assert (unknown["largest_possible"], unknown["faulty"]) == (None, [])
    invalid = envelope(GeometryError("r", code="INVALID_PARAMETER"), CALL)["details"]
    assert "faulty" not in invalid


def test_an_error_without_a_place_says_that_it_has_none() -> None:
    wire = envelope(LoonRuntimeError("off"), CALL)
    assert {wire["details"][key] for key in ("file", "line", "column", "end_line", "end_column")} == {None}
    assert error_from(wire).place is None
    file_only = LoonRuntimeError("unreadable", details={"file": "a.oo"})
    assert error_from(envelope(file_only, CALL)).details["file"] == "a.oo"


def test_a_mistake_of_ours_tells_neither_paths_nor_calls(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> None:
        raise KeyError("/home/ada/secret")

    with caplog.at_level(logging.ERROR), pytest.raises(KeyError) as caught:
        broken()
    wire = internal_error(caught.value, CALL)
    assert wire["error_code"] == ErrorCode.INTERNAL_ERROR
    assert wire["details"]["exception"] == "KeyError"
    assert wire["details"]["operation"] == CALL
    assert "secret" not in json.dumps(wire)
    assert __file__ not in json.dumps(wire)
    assert "secret" in caplog.text
    assert "Traceback" in caplog.text
    assert passed_on(wire, "another") == wire


def test_codes_have_the_numbers_of_json_rpc() -> None:
    assert rpc_number(ErrorCode.PARSE_ERROR) == -32700
    assert rpc_number(ErrorCode.INTERNAL_ERROR) == -32603
    assert rpc_number(ErrorCode.WORKER_CRASHED) == rpc_number("CODE_OF_A_NEWER_PEER") == -32000


def test_each_code_is_its_own_name() -> None:
    assert all(code.name == code.value for code in ErrorCode)
    assert all("operation" in code.required for code in ErrorCode)
