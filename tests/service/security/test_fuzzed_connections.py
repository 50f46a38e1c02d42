"""Bytes at random to a real service: each connection goes on or is closed, and nothing hangs or dies."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from tests.fuzz.changes import nearly
from tests.fuzz.seeds import CALLS
from tests.service.security.real_service import Closed, RealService, Wire
from tests.tiers import examples

pytestmark = pytest.mark.xdist_group("security")  # they share one service

END = b'{"jsonrpc":"2.0","id":"the end","method":"ping"}\n'

search = examples(100, suppress_health_check=list(HealthCheck))


def _said(wire: Wire) -> list[str]:
    """The codes of all refusals until the ping at the end is answered, or the connection closed."""
    codes: list[str] = []
    try:
        while True:
            line = wire.line()
            if line.get("id") == "the end":
                return codes
            if "error" in line:
                codes.append(line["error"]["data"]["error_code"])
    except Closed:
        return codes


@search
@given(data=nearly("client_lines"), cut=st.integers(1, 400))
def test_a_client_that_has_said_hello(service: RealService, data: bytes, cut: int) -> None:
    with service.session() as wire:
        try:
            for start in range(0, len(data), cut):
                wire.say(data[start : start + cut])
            wire.say(b"\n" + END)
            said = _said(wire)
        except Closed:
            said = _said(wire)
        assert not {"INTERNAL_ERROR", "WORKER_CRASHED"} & set(said), (data, said)
    assert service.is_alive


@search
@given(data=st.one_of(st.binary(max_size=300), nearly("framing")))
def test_one_that_has_not(service: RealService, data: bytes) -> None:
    with service.connect() as wire:
        try:
            wire.say(data + b"\n" + END)
            said = _said(wire)
        except Closed:
            said = _said(wire)
        assert set(said) <= {
            *("AUTH_REQUIRED", "PARSE_ERROR", "INVALID_REQUEST", "INVALID_PARAMS", "BATCH_UNSUPPORTED"),
            *("SCHEMA_VALIDATION_FAILED", "PROTOCOL_MISMATCH", "METHOD_NOT_FOUND"),
        }, (data, said)
    assert service.is_alive


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_every_tool_with_every_argument_of_every_wrong_kind(
    service: RealService, tool: str, arguments: dict[str, object]
) -> None:
    wrong: tuple[object, ...] = (None, True, -1, 1.5, "", "\0", [], {}, [None], {"": None}, "x" * 3000, 2**63)
    with service.session() as wire:
        numbers = {
            wire.begin(tool, {**arguments, name: value}): (name, value)
            for name in arguments
            for value in wrong
        }
        for number, given_value in numbers.items():
            answer = wire.answer(number)
            if "error" in answer:
                code = answer["error"]["data"]["error_code"]
                assert code not in ("INTERNAL_ERROR", "WORKER_CRASHED"), (given_value, json.dumps(answer))
        assert wire.is_usable()
