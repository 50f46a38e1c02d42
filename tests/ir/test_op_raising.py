"""Standard op records become the solids that an engine would build of them, or are refused by name."""

from __future__ import annotations

import math
from typing import Any

import pytest

from vcad_kernel.errors import CapabilityUnavailable, GeometryError
from vcad_kernel.geometry.measure.figures import Figures
from vcad_kernel.ir.document import DocumentBuilder
from vcad_kernel.ir.op_engine import record
from vcad_kernel.ir.op_lowering import lower
from vcad_kernel.ir.op_raising import raised
from vcad_kernel.ir.op_stream import BODY, SECTION, OpRecord, SceneObject, Stream
from vcad_kernel.operations.bodies.booleans import Difference
from vcad_kernel.operations.bodies.patterns import CircularPattern, LinearPattern
from vcad_kernel.operations.bodies.transforms import Rotate, Scale, Translate
from vcad_kernel.operations.node import Node, NodeId
from vcad_kernel.operations.solids.shapes import Cone, Cube, Cylinder
from vcad_kernel.service.direct import DirectService

PI = math.pi


def figures_of(data: bytes) -> list[Figures]:
    document = raised(Stream.from_bytes(data))
    result = DirectService().eval_document(document, [""] * len(document.roots))
    return [part.figures for part in result.parts]


def built(*records: OpRecord, kind: int = BODY) -> Figures:
    """The figures of what the last record makes."""
    stream = Stream((SceneObject(1, kind, len(records)),), records)
    (figures,) = figures_of(stream.to_bytes())
    return figures


def op(name: str, out: int, **fields: Any) -> OpRecord:
    return record(name, out, **fields)


SQUARE = op("CrossPolygons", 1, contours=[[(1.0, 0.0), (3.0, 0.0), (3.0, 2.0), (1.0, 2.0)]])
BOX = op("Cube", 1, x=1.0, y=2.0, z=3.0, center=0)


@pytest.mark.parametrize(
    ("records", "low", "high", "volume"),
    [
        ((op("Sphere", 1, radius=2.0, segments=7),), (-2, -2, -2), (2, 2, 2), 32 * PI / 3),
        ((op("Cube", 1, x=1.0, y=2.0, z=3.0, center=1),), (-0.5, -1, -1.5), (0.5, 1, 1.5), 6),
        (
            (op("Cylinder", 1, height=4.0, r_low=1.0, r_high=-1.0, segments=0, center=1),),
            (-1, -1, -2),
            (1, 1, 2),
            4 * PI,
        ),
        (
            (op("Cylinder", 1, height=3.0, r_low=2.0, r_high=0.0, segments=0, center=0),),
            (-2, -2, 0),
            (2, 2, 3),
            4 * PI,
        ),
        (
            (op("Cylinder", 1, height=3.0, r_low=2.0, r_high=2.0, segments=0, center=0),),
            (-2, -2, 0),
            (2, 2, 3),
            12 * PI,
        ),
        ((BOX, op("Union", 2, operands=(1,))), (0, 0, 0), (1, 2, 3), 6),
        ((BOX, op("Rotate", 2, in_=1, x=90.0, y=0.0, z=90.0)), (0, 0, 0), (3, 1, 2), 6),
        ((BOX, op("Scale", 2, in_=1, x=-2.0, y=1.0, z=1.0)), (-2, 0, 0), (0, 2, 3), 12),
        (
            (SQUARE, op("Extrude", 2, in_=1, height=5.0, divisions=0, twist_degrees=0.0)),
            (1, 0, 0),
            (3, 2, 5),
            20,
        ),
        (
            (
                SQUARE,
                op("CrossPlane", 2, in_=1, kind=1, offset=7.0),
                op("Extrude", 3, in_=2, height=5.0, divisions=0, twist_degrees=0.0),
            ),
            (1, 7, -2),
            (3, 12, 0),
            20,
        ),
        (
            (
                SQUARE,
                op("CrossPlane", 2, in_=1, kind=2, offset=7.0),
                op("Extrude", 3, in_=2, height=5.0, divisions=0, twist_degrees=0.0),
            ),
            (7, 1, 0),
            (12, 3, 2),
            20,
        ),
        (
            (SQUARE, op("Revolve", 2, in_=1, segments=0, degrees=90.0)),
            (0, 0, 0),
            (3, 3, 2),
            4 * PI,
        ),
        (
            (
                SQUARE,
                op("CrossPlane", 2, in_=1, kind=2, offset=7.0),
                op("Revolve", 3, in_=2, segments=0, degrees=90.0),
            ),
            # x and y of the section's own space go to y and z, its z to x
            (7, 0, 0),
            (9, 3, 3),
            4 * PI,
        ),
        (
            (
                op("CrossCircle", 1, radius=1.0, segments=9),
                op("CrossTranslate", 2, in_=1, x=5.0, y=0.0),
                op("CrossRotate", 3, in_=2, degrees=90.0),
                op("Extrude", 4, in_=3, height=1.0, divisions=0, twist_degrees=0.0),
            ),
            (-1, 4, 0),
            (1, 6, 1),
            PI,
        ),
        (
            (
                op("CrossPoint", 1, x=5.0, y=1.0, radius=1.0, segments=0),
                op("Revolve", 2, in_=1, segments=0, degrees=360.0),
            ),
            (-6, -6, 0),
            (6, 6, 2),
            10 * PI * PI,
        ),
        (
            (
                op("CrossRect", 1, x=2.0, y=4.0, center=1),
                op("Extrude", 2, in_=1, height=1.0, divisions=0, twist_degrees=0.0),
            ),
            (-1, -2, 0),
            (1, 2, 1),
            8,
        ),
        (
            (
                op("CrossSquare", 1, x=2.0, y=4.0, center=0),
                op("Extrude", 2, in_=1, height=1.0, divisions=0, twist_degrees=0.0),
            ),
            (0, 0, 0),
            (2, 4, 1),
            8,
        ),
    ],
)
def test_records_become_the_solid_that_they_stand_for(
    records: tuple[OpRecord, ...], low: tuple[float, ...], high: tuple[float, ...], volume: float
) -> None:
    figures = built(*records)
    assert figures.volume == pytest.approx(volume, rel=1e-6)
    assert figures.bounds is not None
    assert figures.bounds[0] == pytest.approx(low, abs=1e-6)
    assert figures.bounds[1] == pytest.approx(high, abs=1e-6)


@pytest.mark.parametrize(
    "nodes",
    [
        (Cube((1.0, 2.0, 3.0)), Rotate(NodeId(0), (10.0, 20.0, 30.0))),
        (Cube((1.0, 2.0, 3.0)), Scale(NodeId(0), (2.0, 1.0, -1.0))),
        (Cube((9.0, 9.0, 9.0)), Cylinder(2.0, 20.0), Difference(NodeId(0), NodeId(1))),
        (Cone(2.0, 1.0, 3.0), Translate(NodeId(0), (5.0, 0.0, 0.0))),
        (Cube((1.0, 1.0, 1.0)), LinearPattern(NodeId(0), (0.0, 1.0, 0.0), 3, 2.0)),
        (
            Cube((1.0, 1.0, 1.0)),
            CircularPattern(NodeId(0), (5.0, 0.0, 0.0), (0.0, 0.0, 1.0), 4, 360.0),
        ),
    ],
)
def test_what_is_lowered_and_raised_is_the_same_solid(nodes: tuple[Node, ...]) -> None:
    builder = DocumentBuilder()
    builder.add_root([builder.add(node) for node in nodes][-1])
    document = builder.build()
    (wanted,) = (part.figures for part in DirectService().eval_document(document, [""]).parts)
    (figures,) = figures_of(lower(document))
    assert figures.volume == pytest.approx(wanted.volume, rel=1e-9)
    assert figures.surface_area == pytest.approx(wanted.surface_area, rel=1e-9)
    assert figures.center_of_mass == pytest.approx(wanted.center_of_mass, abs=1e-9)


EXTRUDED = {"height": 1.0, "divisions": 0, "twist_degrees": 0.0}


@pytest.mark.parametrize(
    ("records", "index", "word"),
    [
        ((SQUARE, op("CrossFillet", 2, in_=1, radius=0.1)), 1, "CrossFillet"),
        ((SQUARE, op("CrossOffsetClone", 2, in_=1, delta=0.1)), 1, "CrossOffsetClone"),
        ((BOX, op("Slice", 2, in_=1, z=1.0)), 1, "Slice"),
        ((SQUARE, op("Extrude", 2, in_=1, **{**EXTRUDED, "twist_degrees": 9.0})), 1, "twisted"),
        ((op("CrossPolygons", 1, contours=[[(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]] * 2),), 0, "several"),
        ((op("CrossPolygons", 1, contours=[[(0.0, 0.0), (0.0, 1.0), (1.0, 0.0)]]),), 0, "clockwise"),
        (
            (op("CrossCircle", 1, radius=1.0, segments=0), op("Revolve", 2, in_=1, segments=0, degrees=90.0)),
            1,
            "across its axis",
        ),
    ],
)
def test_what_is_no_node_here_is_refused_naming_its_record(
    records: tuple[OpRecord, ...], index: int, word: str
) -> None:
    with pytest.raises(CapabilityUnavailable, match=word) as caught:
        raised(Stream.from_bytes(Stream((), records).to_bytes()))
    assert caught.value.details["record"] == index
    assert caught.value.message.startswith(f"record {index}: ")


def test_a_cross_section_is_no_part() -> None:
    with pytest.raises(CapabilityUnavailable, match="no part"):
        built(SQUARE, kind=SECTION)


def test_a_malformed_stream_is_refused_before_anything_is_raised() -> None:
    stream = Stream((), (op("Translate", 1, in_=9, x=0.0, y=0.0, z=0.0),))
    with pytest.raises(GeometryError) as caught:
        raised(Stream.from_bytes(stream.to_bytes()))
    assert (caught.value.code, caught.value.details["record"]) == ("DECODE_FAILED", 0)
