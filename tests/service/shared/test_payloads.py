"""Payloads of requests and errors, byte by byte."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.ir.op_stream import Stream
from vcad_kernel.service.shared import ProtocolFault
from vcad_kernel.service.shared.payloads import EMPTY_SCENE, ErrorPayload, RequestPayload

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)
_U32 = st.integers(0, 2**32 - 1)
_TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@given(_TEXT, st.dictionaries(st.text(), _JSON, max_size=5))
def test_a_request_survives(path: str, options: dict[str, object]) -> None:
    assert RequestPayload.parse(RequestPayload(path, options).to_bytes()) == RequestPayload(path, options)


def test_a_request_without_options_has_none() -> None:
    assert RequestPayload.parse(struct.pack("<II", 3, 3) + b"a.o") == RequestPayload("a.o", {})


@given(st.builds(ErrorPayload, _U32, _U32, _U32, _U32, st.integers(0, 2**64 - 1), _U32, _TEXT, _TEXT, _TEXT))
def test_an_error_survives(error: ErrorPayload) -> None:
    assert ErrorPayload.parse(error.to_bytes()) == error


def test_the_fields_of_an_error_lie_where_the_layout_says() -> None:
    data = ErrorPayload(11, 3, 5, 7, 2**40, 250, "part.oo", "calls", "no such name").to_bytes()
    assert struct.unpack_from("<5I", data) == (3, 11, 3, 5, 7)
    assert struct.unpack_from("<Q", data, 20) == (2**40,)
    assert struct.unpack_from("<4I", data, 28) == (250, 7, 5, 12)
    assert data[44:] == b"part.oocallsno such name"


@given(st.binary(max_size=120))
def test_any_bytes_are_a_payload_or_refused(data: bytes) -> None:
    for kind in (RequestPayload, ErrorPayload):
        try:
            kind.parse(data)
        except ProtocolFault:
            continue


def test_a_path_longer_than_its_request_is_refused() -> None:
    with pytest.raises(ProtocolFault, match="the path reaches beyond the request"):
        RequestPayload.parse(struct.pack("<II", 3, 4) + b"a.o")


@pytest.mark.parametrize("options", [b"[1]", b"{", b'{"a":' + b"[" * 100_000])
def test_options_that_are_no_object_are_refused(options: bytes) -> None:
    with pytest.raises(ProtocolFault):
        RequestPayload.parse(struct.pack("<II", 3, 0) + options)


def test_an_answer_without_a_document_is_an_empty_scene() -> None:
    assert len(EMPTY_SCENE) == 24
    assert struct.unpack("<6I", EMPTY_SCENE)[1:] == (0, 0, 0, 0, 0)
    read = Stream.from_bytes(EMPTY_SCENE)
    assert (read.objects, read.records) == ((), ())
