"""The engine profile: the worked example byte for byte, and streams replayed through manifold3d."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import manifold3d
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from manifold3d import CrossSection, Manifold

from tests.tiers import examples
from vcad_kernel.errors import GeometryError
from vcad_kernel.ir.document import Document, DocumentBuilder
from vcad_kernel.ir.op_engine import read, record
from vcad_kernel.ir.op_lowering import lower
from vcad_kernel.ir.op_stream import BODY, SECTION, OpRecord, SceneObject, Stream, object_hash
from vcad_kernel.operations.bodies.booleans import Difference, Intersection, Union
from vcad_kernel.operations.bodies.patterns import CircularPattern, LinearPattern
from vcad_kernel.operations.bodies.transforms import Rotate, Scale, Translate
from vcad_kernel.operations.features.features import Fillet
from vcad_kernel.operations.node import Node, NodeId
from vcad_kernel.operations.profiles.sketches import Arc, Line, Segment, Sketch2D
from vcad_kernel.operations.solids.shapes import Cone, Cube, Cylinder, Empty, Sphere
from vcad_kernel.operations.solids.sweeps import Extrude, Revolve

WORKED_EXAMPLE = bytes.fromhex(
    "03000000 01000000 04000000 18000000 00000000 1d000000"
    "03fea0164e0ea9fd 01000000 04000000 05000000 00000000 506c617465"
    "0200 0000 20000000 01000000 0000000000002440 0000000000003440 0000000000003e40 00000000"
    "0300 0000 24000000 02000000 0000000000004440 0000000000000840 000000000000f0bf 00000000 00000000"
    "0700 0000 20000000 03000000 02000000 0000000000001440 0000000000001440 00000000000014c0"
    "0500 0000 0c000000 04000000 01000000 03000000"
)

_SIDES = 512


def _replayed(data: bytes) -> list[Manifold]:
    """The bodies of a scene, by the few operations that the tests use."""
    stream = Stream.from_bytes(data)
    made: dict[int, Any] = {}
    for operation in read(stream):
        made[operation.out] = _built(operation.name, operation.fields, made)
    return [made[one.root] for one in stream.objects]


def _built(name: str, f: Mapping[str, Any], made: Mapping[int, Any]) -> Any:
    if name == "Cube":
        return Manifold.cube([f["x"], f["y"], f["z"]], bool(f["center"]))
    if name == "Sphere":
        return Manifold.sphere(f["radius"], _SIDES)
    if name == "Cylinder":
        return Manifold.cylinder(f["height"], f["r_low"], f["r_high"], _SIDES, bool(f["center"]))
    if name == "Union":
        return Manifold.batch_boolean([made[one] for one in f["operands"]], manifold3d.OpType.Add)
    if name == "Subtract":
        return made[f["a"]] - made[f["b"]]
    if name == "Intersect":
        return made[f["a"]] ^ made[f["b"]]
    if name == "Translate":
        return made[f["in"]].translate([f["x"], f["y"], f["z"]])
    if name == "Rotate":
        return made[f["in"]].rotate([f["x"], f["y"], f["z"]])
    if name == "Scale":
        return made[f["in"]].scale([f["x"], f["y"], f["z"]])
    if name == "CrossPolygons":
        return CrossSection([np.array(one) for one in f["contours"]], manifold3d.FillRule.Positive)
    if name == "Extrude":
        return Manifold.extrude(made[f["in"]], f["height"])
    assert name == "Revolve"
    return Manifold.revolve(made[f["in"]], _SIDES, f["degrees"])


def _plate() -> Document:
    builder = DocumentBuilder()
    box = builder.add(Cube((10.0, 20.0, 30.0)))
    hole = builder.add(Translate(builder.add(Cylinder(3.0, 40.0)), (5.0, 5.0, -5.0)))
    builder.add_root(builder.add(Difference(box, hole)), "steel")
    return builder.build()


def _one(*nodes: Node) -> Document:
    builder = DocumentBuilder()
    last = [builder.add(node) for node in nodes][-1]
    builder.add_root(last)
    return builder.build()


def test_the_worked_example_byte_for_byte() -> None:
    data = lower(_plate(), names=("Plate",), ids=("plate",))
    assert len(data) == 197
    assert data == WORKED_EXAMPLE


def test_the_worked_example_replays_to_its_volume() -> None:
    (body,) = _replayed(WORKED_EXAMPLE)
    assert body.volume() == pytest.approx(6000.0 - 270.0 * math.pi, rel=1e-4)


def test_both_orders_of_a_scene_are_read_alike() -> None:
    stream = Stream.from_bytes(WORKED_EXAMPLE)
    table, records = WORKED_EXAMPLE[24:53], WORKED_EXAMPLE[53:]
    header = struct.pack("<6I", 3, 1, 4, len(records), 5, 24)
    assert Stream.from_bytes(header + records + table).objects == stream.objects
    again = Stream.from_bytes(header + records + table).records
    assert [(one.opcode, one.payload) for one in again] == [
        (one.opcode, one.payload) for one in stream.records
    ]


def test_the_other_order_is_tried_where_the_sizes_could_mean_either() -> None:
    # one object, one record of 24 bytes: both orders have the same records_size
    operation = record("Intersect", 3, a=1, b=1).payload
    assert len(operation) == 12
    payload = record("Slice", 1, in_=7, z=0.0).payload
    framed = struct.pack("<HHI", 12, 0, len(payload)) + payload
    assert len(framed) == 24
    entry = struct.pack("<QIIII", 99, BODY, 1, 2, 0)
    header = struct.pack("<6I", 3, 1, 1, 24, 2, 24)
    stream = Stream.from_bytes(header + framed + entry + b"ab")
    assert stream.objects == (SceneObject(99, BODY, 1, "ab"),)


def test_diagnostics_survive() -> None:
    stream = Stream((), (record("Sphere", 1, radius=1.0, segments=0),), "größer")
    assert Stream.from_bytes(stream.to_bytes()).diagnostics == "größer"


def test_objects_without_a_user_id_are_told_apart_by_their_place() -> None:
    builder = DocumentBuilder()
    box = builder.add(Cube((1.0, 1.0, 1.0)))
    builder.add_root(box)
    builder.add_root(box)
    hashes = {one.id_hash for one in Stream.from_bytes(lower(builder.build())).objects}
    assert len(hashes) == 2
    with pytest.raises(GeometryError, match="same id"):
        lower(builder.build(), ids=("a", "a"))


def test_the_hash_of_an_id_is_fnv_1a() -> None:
    assert object_hash(BODY, 4, None, 0, "plate") == 0xFDA90E4E16A0FE03


def _square(half: float = 1.0, at: tuple[float, float] = (0.0, 0.0)) -> tuple[Segment, ...]:
    x, y = at
    corners = [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]
    return tuple(Line(a, b) for a, b in zip(corners, [*corners[1:], corners[0]], strict=True))


DISC = (
    Arc((2.0, 0.0), (-2.0, 0.0), (0.0, 0.0), True),
    Arc((-2.0, 0.0), (2.0, 0.0), (0.0, 0.0), True),
)


@pytest.mark.parametrize(
    ("nodes", "low", "high", "volume"),
    [
        ((Cone(2.0, 0.0, 3.0),), (-2, -2, 0), (2, 2, 3), 4.0 * math.pi),
        ((Sphere(2.0),), (-2, -2, -2), (2, 2, 2), 32.0 * math.pi / 3.0),
        ((Cube((1.0, 2.0, 3.0)), Rotate(NodeId(0), (90.0, 90.0, 0.0))), (0, 0, 0), (3, 1, 2), 6.0),
        ((Cube((1.0, 2.0, 3.0)), Scale(NodeId(0), (-2.0, 1.0, 1.0))), (-2, 0, 0), (0, 2, 3), 12.0),
        (
            (Cube((1.0, 1.0, 1.0)), LinearPattern(NodeId(0), (0.0, 9.0, 0.0), 3, 2.0)),
            (0, 0, 0),
            (1, 5, 1),
            3.0,
        ),
        (
            (Cube((1.0, 1.0, 1.0)), CircularPattern(NodeId(0), (5.0, 0.0, 0.0), (0.0, 0.0, 2.0), 4, 360.0)),
            (0, -5, 0),
            (10, 5, 1),
            4.0,
        ),
        (
            (Cube((1.0, 1.0, 1.0)), CircularPattern(NodeId(0), (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), 3, 360.0)),
            (0, 0, 0),
            (1, 1, 1),
            1.0,
        ),
        (
            (
                Sketch2D((0.0, 0.0, 5.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), _square()),
                Extrude(NodeId(0), (-4.0, 0.0, 0.0)),
            ),
            (-4, -1, 4),
            (0, 1, 6),
            16.0,
        ),
        (
            (
                Sketch2D((1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, -1.0, 0.0), DISC),
                Extrude(NodeId(0), (0.0, 0.0, 3.0)),
            ),
            (-1, -2, 0),
            (3, 2, 3),
            12.0 * math.pi,
        ),
        (
            (
                Sketch2D((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), _square(1.0, (5.0, 0.0))),
                Revolve(NodeId(0), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 90.0),
            ),
            (0, 0, -1),
            (6, 6, 1),
            10.0 * math.pi,
        ),
        (
            (
                Sketch2D((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), _square(1.0, (0.0, 5.0))),
                Revolve(NodeId(0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), 90.0),
            ),
            (-1, 1, 0),
            (1, 6, 5),
            8.0 * math.pi,
        ),
        (
            (
                Cube((1.0, 1.0, 1.0)),
                Translate(NodeId(0), (5.0, 0.0, 0.0)),
                Union(NodeId(0), NodeId(1)),
                Empty(),
                Union(NodeId(3), NodeId(2)),
                Intersection(NodeId(4), NodeId(1)),
            ),
            (5, 0, 0),
            (6, 1, 1),
            1.0,
        ),
    ],
)
def test_lowered_documents_replay_to_the_solid(
    nodes: tuple[Node, ...], low: tuple[int, ...], high: tuple[int, ...], volume: float
) -> None:
    (body,) = _replayed(lower(_one(*nodes)))
    box = np.array(body.bounding_box())
    assert body.volume() == pytest.approx(volume, rel=5e-3)
    assert box == pytest.approx(np.array([*low, *high]), abs=5e-3)


def test_a_rotation_is_three_records_about_z_y_and_x() -> None:
    document = _one(Cube((1.0, 1.0, 1.0)), Rotate(NodeId(0), (10.0, 20.0, 30.0)))
    turns = [one.fields for one in read(Stream.from_bytes(lower(document))) if one.name == "Rotate"]
    assert [(one["x"], one["y"], one["z"]) for one in turns] == [(0, 0, 30), (0, 20, 0), (10, 0, 0)]


def test_a_chain_of_unions_is_one_record() -> None:
    document = _one(
        Cube((1.0, 1.0, 1.0)),
        Sphere(1.0),
        Union(NodeId(0), NodeId(1)),
        Cylinder(1.0, 1.0),
        Union(NodeId(2), NodeId(3)),
    )
    assert [one.opcode for one in Stream.from_bytes(lower(document)).records] == [2, 1, 3, 4]


def test_hidden_roots_are_left_out() -> None:
    document = _plate()
    hidden = replace(document, roots=(replace(document.roots[0], visible=False),))
    assert Stream.from_bytes(lower(hidden)).objects == ()


@pytest.mark.parametrize(
    ("nodes", "node_id", "word"),
    [
        ((Cube((1.0, 1.0, 1.0)), Fillet(NodeId(0), 0.1)), 1, "fillet"),
        ((Empty(),), 0, "empty"),
        (
            (
                Sketch2D((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), _square()),
                Extrude(NodeId(0), (1.0, 0.0, 1.0)),
            ),
            1,
            "square",
        ),
    ],
)
def test_what_no_engine_builds_is_refused_naming_the_node(
    nodes: tuple[Node, ...], node_id: int, word: str
) -> None:
    with pytest.raises(GeometryError, match=word) as caught:
        lower(_one(*nodes))
    assert (caught.value.code, caught.value.node_id) == ("ENCODE_FAILED", node_id)


def _scene(*records: OpRecord) -> Stream:
    return Stream.from_bytes(Stream((), records).to_bytes())


BOX = record("Cube", 1, x=1.0, y=1.0, z=1.0, center=0)
SECTION_RECORD = record("CrossCircle", 2, radius=1.0, segments=0)


@pytest.mark.parametrize(
    ("bad", "word"),
    [
        (record("Cube", 1, x=1.0, y=1.0, z=1.0, center=0), "taken"),
        (record("Cube", 0, x=1.0, y=1.0, z=1.0, center=0), "is 0"),
        (record("Cube", 3, x=1.0, y=1.0, z=1.0, center=2), "0 to 1"),
        (record("Translate", 3, in_=9, x=0.0, y=0.0, z=0.0), "not been defined"),
        (record("Translate", 3, in_=2, x=0.0, y=0.0, z=0.0), "no body"),
        (record("Extrude", 3, in_=1, height=1.0, divisions=0, twist_degrees=0.0), "no cross-section"),
        (record("Union", 3, operands=()), "at least 1"),
        (record("CrossPolygons", 3, contours=[]), "at least 1"),
        (record("CrossPolygons", 3, contours=[[(0.0, 0.0), (1.0, 0.0)]]), "at least 3"),
        (record("CrossFillet", 3, in_=2, radius=-1.0), "0 or more"),
        (record("CrossPlane", 3, in_=2, kind=3, offset=0.0), "0 to 2"),
        (record("CrossFilletCorners", 3, in_=2, corners=[(0, 1, 1.0), (0, 1, 2.0)]), "twice"),
        (OpRecord(5, record("Subtract", 3, a=1, b=1).payload + b"\0"), "too many"),
        (OpRecord(5, record("Subtract", 3, a=1, b=1).payload[:-1]), "wanted"),
        (OpRecord(77, b"\3\0\0\0"), "unknown opcode"),
        (OpRecord(0x8001, b"\3\0\0\0"), "unknown opcode"),
        (OpRecord(1, struct.pack("<IdI", 3, math.inf, 0)), "not finite"),
    ],
)
def test_a_malformed_record_is_refused_naming_its_index_and_offset(bad: OpRecord, word: str) -> None:
    stream = _scene(BOX, SECTION_RECORD, bad)
    with pytest.raises(GeometryError, match=word) as caught:
        read(stream)
    assert caught.value.code == "DECODE_FAILED"
    assert caught.value.details["record"] == 2
    last = stream.records[2]
    assert last.offset <= caught.value.details["offset"] <= last.offset + len(last.payload)


def test_an_object_must_have_a_root_of_its_kind() -> None:
    stream = Stream((SceneObject(1, SECTION, 1, "a"),), (BOX,))
    with pytest.raises(GeometryError, match="no root 1"):
        read(Stream.from_bytes(stream.to_bytes()))


@pytest.mark.parametrize("length", range(0, 197, 7))
def test_streams_cut_off_anywhere_are_refused(length: int) -> None:
    with pytest.raises(GeometryError) as caught:
        Stream.from_bytes(WORKED_EXAMPLE[:length])
    assert caught.value.code == "DECODE_FAILED"


@given(change=st.data())
@examples(150)
def test_mutated_streams_give_operations_or_a_decode_failure(change: st.DataObject) -> None:
    data = bytearray(WORKED_EXAMPLE)
    for _ in range(change.draw(st.integers(1, 3))):
        at = change.draw(st.integers(0, len(data) - 1))
        data[at : at + change.draw(st.integers(0, 4))] = change.draw(st.binary(max_size=4))
    try:
        read(Stream.from_bytes(bytes(data)))
    except GeometryError as error:
        if error.code != "DECODE_FAILED" or "offset" not in error.details:
            raise
