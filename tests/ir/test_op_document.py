"""The document profile: lossless, deterministic, and nothing but DECODE_FAILED for broken bytes."""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ir.documents import documents
from tests.ir.test_codec_json import _every_kind
from tests.tiers import examples
from vcad_kernel.errors import GeometryError
from vcad_kernel.ir import codec_json, op_document
from vcad_kernel.ir.document import Document, DocumentBuilder, Root
from vcad_kernel.ir.op_stream import Stream
from vcad_kernel.operations.bodies.transforms import Translate
from vcad_kernel.operations.features.features import Fillet
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.solids.shapes import Cube, Cylinder, Torus


def _small() -> Document:
    builder = DocumentBuilder()
    box = builder.add(Cube((1.0, 2.0, 3.0)))
    builder.add_root(builder.add(Fillet(builder.add(Translate(box, (5.0, 0.0, -0.0))), 0.25)), "steel")
    return builder.build()


@given(document=documents())
@examples(120)
def test_every_document_survives_the_round_trip(document: Document) -> None:
    data = op_document.encode(document)
    again = op_document.decode(data)
    assert again == document
    assert [again.digest(node) for node in document.nodes] == [
        document.digest(node) for node in document.nodes
    ]
    assert op_document.encode(again) == data


def test_every_kind_survives_the_round_trip() -> None:
    assert op_document.decode(op_document.encode(_every_kind())) == _every_kind()


def test_unknown_members_survive_the_round_trip() -> None:
    data = codec_json.encode(_every_kind())
    data["scene"] = {"camera": [1, 2.5, None]}
    data["parameters"] = [{"name": "w", "value": 3, "default": 4, "formula": "a + b"}]
    data["nodes"]["0"]["note"] = "mine"
    data["nodes"]["0"]["op"]["colour"] = "red"
    data["materials"]["default"]["ior"] = 1.5
    data["materials"]["default"]["name"] = "another"
    data["roots"][0]["layer"] = "outer"
    data["nodes"]["2"]["name"] = "boss"
    document = codec_json.decode(data)
    again = op_document.decode(op_document.encode(document))
    assert again == document
    assert codec_json.encode(again) == data


def test_records_stand_in_order_and_the_object_table_lists_the_roots() -> None:
    stream = Stream.from_bytes(op_document.encode(_small()))
    assert [hex(record.opcode) for record in stream.records] == [
        "0x2",
        "0x7",
        "0x8001",
        "0x8100",
        "0x8101",
        "0x8102",
    ]
    assert all(record.flags == 1 for record in stream.records)
    assert [(one.kind, one.root) for one in stream.objects] == [(1, 3)]


def test_nodes_without_a_code_of_their_own_travel_as_json() -> None:
    builder = DocumentBuilder()
    builder.add(Torus(5.0, 1.0))
    stream = Stream.from_bytes(op_document.encode(builder.build()))
    assert stream.records[0].opcode == 0x8040
    assert b'{"type":"Torus","major_radius":5.0' in stream.records[0].payload


def test_children_come_before_parents_whatever_their_ids() -> None:
    document = Document(
        {NodeId(0): Translate(NodeId(7), (1.0, 0.0, 0.0)), NodeId(7): Cylinder(1.0, 2.0)},
        {},
        (Root(NodeId(0), "m"),),
    )
    outs = [
        struct.unpack_from("<I", one.payload)[0]
        for one in Stream.from_bytes(op_document.encode(document)).records
    ]
    assert outs[:2] == [8, 1]
    assert op_document.decode(op_document.encode(document)) == document


def test_ten_thousand_nested_nodes_need_no_host_stack() -> None:
    builder = DocumentBuilder()
    top = builder.add(Cube((1.0, 1.0, 1.0)))
    for index in range(10_000):
        top = builder.add(Translate(top, (float(index), 0.0, 0.0)))
    builder.add_root(top)
    document = builder.build()
    assert op_document.decode(op_document.encode(document)) == document


@pytest.mark.parametrize(
    "document",
    [
        Document({NodeId(2**32): Cube((1.0, 1.0, 1.0))}, {}, ()),
        Document({NodeId(0): Cylinder(1.0, 1.0, 2**33)}, {}, ()),
    ],
)
def test_what_does_not_fit_32_bits_is_refused_naming_the_node(document: Document) -> None:
    with pytest.raises(GeometryError, match="32 bits") as caught:
        op_document.encode(document)
    assert (caught.value.code, caught.value.node_id) == ("ENCODE_FAILED", next(iter(document.nodes)))


def _refused(data: bytes) -> GeometryError:
    with pytest.raises(GeometryError) as caught:
        op_document.decode(data)
    assert caught.value.code == "DECODE_FAILED"
    assert 0 <= caught.value.details["offset"] <= len(data)
    return caught.value


def test_a_malformed_record_is_named_with_its_offset() -> None:
    data = bytearray(op_document.encode(_small()))
    at = data.index(struct.pack("<HHI", 7, 1, 32))
    data[at + 12 : at + 16] = struct.pack("<I", 9)  # the operand of the second record
    error = _refused(bytes(data))
    assert error.details == {"offset": at + 16, "record": 1}
    assert "record 1" in error.message
    assert "operand 9" in error.message


def test_numbers_that_are_not_finite_are_refused() -> None:
    data = op_document.encode(_small()).replace(struct.pack("<d", 5.0), struct.pack("<d", float("nan")))
    assert _refused(data).details["record"] == 1


def test_unknown_private_codes_are_refused() -> None:
    data = op_document.encode(_small()).replace(struct.pack("<HH", 0x8001, 1), struct.pack("<HH", 0x8066, 1))
    assert "0x8066" in _refused(data).message


def test_a_text_that_is_not_utf_8_is_refused_where_it_ends() -> None:
    data = op_document.encode(_small())
    at = data.rindex(b"steel")
    error = _refused(data[:at] + b"st\xff\xfel" + data[at + 5 :])
    assert "a text is not UTF-8" in error.message
    assert error.details == {"offset": at + 5, "record": 4}


def test_a_stream_without_the_record_of_the_document_is_refused() -> None:
    stream = Stream.from_bytes(op_document.encode(_small()))
    data = replace(stream, records=stream.records[:-1]).to_bytes()
    error = _refused(data)
    assert "the record of the document itself is missing" in error.message
    assert error.details["offset"] == len(data)


def test_streams_cut_off_anywhere_are_refused() -> None:
    data = op_document.encode(_small())
    for length in range(len(data)):
        _refused(data[:length])
    _refused(data + b"\0")


@given(change=st.data())
@examples(120)
def test_mutated_streams_give_a_document_or_a_decode_failure(change: st.DataObject) -> None:
    data = bytearray(op_document.encode(_every_kind()))
    for _ in range(change.draw(st.integers(1, 4))):
        at = change.draw(st.integers(0, len(data) - 1))
        data[at : at + change.draw(st.integers(0, 4))] = change.draw(st.binary(max_size=4))
        if not data:
            return
    try:
        op_document.decode(bytes(data))
    except GeometryError as error:
        if error.code != "DECODE_FAILED" or "offset" not in error.details:
            raise


@given(data=st.binary(max_size=200))
@examples(100)
def test_any_bytes_give_a_document_or_a_decode_failure(data: bytes) -> None:
    _refused(data)
