"""Whatever an extension answers is understood or refused, and never a mistake of ours."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_ext.sketchup.bridge import answers
from notebook_ext.sketchup.bridge.handshake import Handshake
from notebook_ext.sketchup.bridge.line_channel import NoAnswer
from notebook_ext.sketchup.bridge.messages import read_reply, request_line
from notebook_ext.sketchup.bridge.peer_errors import failed_result, peer_error
from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.error_envelope import envelope
from vcad_kernel.errors import VcadError

KEYS = st.sampled_from(
    [
        *("node_id", "entity_id", "persistent_id", "instance_id", "placements", "transformation", "bounds"),
        *("min", "max", "version", "instances", "entity_ids", "warnings", "model_epoch", "elapsed_ms", "seq"),
        *("server", "limits", "protocol_version", "capabilities", "sketchup", "success", "error", "details"),
        *(
            "error_code",
            "data",
            "hint",
            "message",
            "code",
            "file",
            "line",
            "stack",
            "operation",
            "result",
            "id",
        ),
    ]
)
NUMBERS = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(NUMBERS, min_size=16, max_size=16),
        st.dictionaries(st.one_of(KEYS, st.text(max_size=3)), inner, max_size=6),
    ),
    max_leaves=10,
)


def attempted(work: Callable[[], Any]) -> tuple[Any, VcadError | None]:
    """What comes of it, or the failure."""
    try:
        return work(), None
    except VcadError as error:
        return None, error


@pytest.mark.parametrize(
    "read",
    [
        lambda found: answers.read(answers.DefinitionChange, found, "o", node_id="a"),
        lambda found: answers.read(answers.InstanceChange, found, "o"),
        lambda found: answers.read(answers.RemovedNode, found, "o"),
        lambda found: answers.read(answers.StepsTaken, found, "o", steps=1),
        lambda found: answers.rows(found, "o"),
        lambda found: answers.read(answers.NodeRow, found, "o"),
        lambda found: answers.read(answers.Status, found, "o"),
        lambda found: answers.read(answers.ObserverPoll, found, "o"),
        Handshake.read,
    ],
)
@given(found=JSON)
def test_a_result_is_a_value_or_a_failure_with_a_code(read: Callable[[Any], Any], found: Any) -> None:
    value, error = attempted(lambda: read(found))
    if error is None:
        assert value is not None
    else:
        assert error.error_code in {"SCHEMA_VALIDATION_FAILED", "PROTOCOL_MISMATCH"}
        assert envelope(error, "o")["error_code"] == error.error_code


DETAILS = st.dictionaries(KEYS, JSON, max_size=5)
SAID = st.fixed_dictionaries(
    {},
    optional={
        "error_code": st.one_of(st.sampled_from([str(code) for code in ErrorCode]), JSON),
        "details": st.one_of(DETAILS, JSON),
        "hint": JSON,
        "error": st.one_of(st.text(), JSON),
        "error_type": st.one_of(st.just("wrong_model"), JSON),
    },
)
ERRORS = st.fixed_dictionaries(
    {},
    optional={
        "code": st.one_of(st.sampled_from([-32700, -32603, -32001]), JSON),
        "message": JSON,
        "data": SAID,
    },
)


@given(found=st.one_of(JSON, SAID, ERRORS))
def test_an_error_is_an_error_whatever_it_says(found: Any) -> None:
    failures = [peer_error(found, "o", "/w")]
    if isinstance(found, dict):
        failures.append(failed_result(found, "o", "/w"))
    for failure in failures:
        assert isinstance(failure, VcadError)
        assert failure.message
        assert envelope(failure, "o")["error_code"]


@given(line=st.one_of(st.binary(max_size=30), JSON.map(lambda one: json.dumps(one).encode())))
def test_a_line_is_a_reply_or_none(line: bytes) -> None:
    try:
        reply = read_reply(line, 1)
    except NoAnswer:
        return
    assert "result" in reply or isinstance(reply["error"], dict)


@given(arguments=st.dictionaries(st.text(max_size=5), JSON, max_size=4))
def test_a_request_is_one_line_that_says_what_was_given(arguments: dict[str, Any]) -> None:
    line, error = attempted(lambda: request_line("tools/call", arguments, 1, operation="o", limit=None))
    if error is not None:
        assert error.error_code == "INVALID_PARAMS"  # half a pair of surrogates
        return
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert json.loads(line)["params"] == arguments
