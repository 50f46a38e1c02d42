"""Lines become calls or faults; answers become lines."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.error_codes import ErrorCode
from vcad_kernel.service.front.connection.framing import Call, RpcFault, answer, failure, notification, parse

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
IDS = st.integers() | st.text() | st.none()


def fault(line: bytes) -> RpcFault:
    with pytest.raises(RpcFault) as caught:
        parse(line)
    return caught.value


def request(**changed: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", **changed}).encode()


@given(IDS, st.text(), st.dictionaries(st.text(), JSON, max_size=4))
def test_a_request_is_read_as_it_was_written(rpc_id: Any, method: str, params: dict[str, Any]) -> None:
    line = request(id=rpc_id, method=method, params=params)
    assert parse(line) == Call(method, params, rpc_id, False)


def test_a_request_without_an_id_is_a_notification() -> None:
    assert parse(b'{"jsonrpc":"2.0","method":"m"}') == Call("m", {}, None, True)


def test_an_id_of_null_is_no_notification() -> None:
    assert not parse(b'{"jsonrpc":"2.0","method":"m","id":null}').is_notification


def told(line: bytes) -> RpcFault | None:
    """The fault of a line, once it has been told; None for a call."""
    try:
        parse(line)
    except RpcFault as found:
        failure(found.rpc_id, found.envelope())
        return found
    return None


@given(st.binary())
def test_any_bytes_give_a_call_or_a_fault_that_can_be_told(line: bytes) -> None:
    told(line)


@given(JSON)
def test_any_json_gives_a_call_or_a_fault_that_says_where(value: Any) -> None:
    found = told(json.dumps(value).encode())
    assert found is None or (found.message and found.path.startswith("$"))


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"hello",
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b"\xff\xfe{}",
        '{"jsonrpc":"2.0","method":"m"}'.encode("utf-16"),
        b"[" * 100_000,
        b"1" * 10_000,
    ],
)
def test_what_is_no_json_in_utf8_is_a_parse_error(line: bytes) -> None:
    found = fault(line)
    assert found.error_code == ErrorCode.PARSE_ERROR
    assert found.rpc_id is None


@pytest.mark.parametrize("line", [b"1", b'"text"', b"null", b"true"])
def test_what_is_no_object_is_an_invalid_request(line: bytes) -> None:
    assert fault(line).error_code == ErrorCode.INVALID_REQUEST


@pytest.mark.parametrize("line", [b"[]", b'[{"jsonrpc":"2.0","method":"ping","id":1}]'])
def test_a_batch_is_refused(line: bytes) -> None:
    found = json.loads(failure(None, fault(line).envelope()))
    assert found["error"]["code"] == -32600
    assert found["error"]["data"]["error_code"] == "BATCH_UNSUPPORTED"


@pytest.mark.parametrize("version", ["1.0", 2.0, 2, None, "", ["2.0"]])
def test_another_jsonrpc_is_an_invalid_request_that_keeps_its_id(version: object) -> None:
    found = fault(request(jsonrpc=version, id="mine"))
    assert (found.error_code, found.rpc_id) == (ErrorCode.INVALID_REQUEST, "mine")


@pytest.mark.parametrize("method", [None, 1, [], {}])
def test_a_method_that_is_no_name_is_an_invalid_request(method: object) -> None:
    assert fault(request(method=method)).error_code == ErrorCode.INVALID_REQUEST


@pytest.mark.parametrize("rpc_id", [True, [], {}])
def test_an_id_that_is_none_is_an_invalid_request_without_one(rpc_id: object) -> None:
    found = fault(request(id=rpc_id))
    assert (found.error_code, found.rpc_id) == (ErrorCode.INVALID_REQUEST, None)


@pytest.mark.parametrize("params", [[], [1], None, "x", 1])
def test_parameters_by_position_are_invalid_parameters(params: object) -> None:
    found = fault(request(params=params))
    assert (found.error_code, found.rpc_id, found.silent) == (ErrorCode.INVALID_PARAMS, 1, False)


def test_a_notification_with_bad_parameters_gets_no_answer() -> None:
    assert fault(b'{"jsonrpc":"2.0","method":"m","params":[]}').silent


@given(IDS, JSON)
def test_an_answer_is_one_line(rpc_id: Any, result: Any) -> None:
    line = answer(rpc_id, result)
    assert line.count(b"\n") == 1
    assert line.decode("utf-8")
    assert json.loads(line) == {"jsonrpc": "2.0", "id": rpc_id, "result": result}


def test_half_a_surrogate_pair_passes_both_ways() -> None:
    call = parse(b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\\ud800"}}')
    assert json.loads(answer(1, dict(call.params)))["result"] == {"a": "\ud800"}


def test_numbers_of_any_size_pass_both_ways() -> None:
    call = parse(b'{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"m"}')
    assert json.loads(answer(call.rpc_id, 1))["id"] == 123456789012345678901234567890


@pytest.mark.parametrize(
    ("code", "number"),
    [
        ("PARSE_ERROR", -32700),
        ("INVALID_REQUEST", -32600),
        ("METHOD_NOT_FOUND", -32601),
        ("INVALID_PARAMS", -32602),
        ("INTERNAL_ERROR", -32603),
    ],
)
def test_the_standards_numbers_go_with_their_codes(code: str, number: int) -> None:
    envelope = {"error_code": code, "message": "m", "details": {"operation": "o"}}
    found = json.loads(failure(7, envelope))
    assert found == {"jsonrpc": "2.0", "id": 7, "error": {"code": number, "message": "m", "data": envelope}}


def test_a_notification_has_no_id() -> None:
    assert json.loads(notification("m", {"a": 1})) == {"jsonrpc": "2.0", "method": "m", "params": {"a": 1}}
