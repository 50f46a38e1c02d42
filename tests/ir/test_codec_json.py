"""The JSON form: exact shape, lossless both ways, everything checked on the way in."""

from __future__ import annotations

import json
from typing import Any

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from tests.ir.documents import documents, selectors
from tests.tiers import examples
from vcad_kernel.errors import GeometryError
from vcad_kernel.ir.codec_json import decode, dumps, encode, loads
from vcad_kernel.ir.document import Document, DocumentBuilder
from vcad_kernel.ir.parameter import Parameter
from vcad_kernel.operations.bodies.booleans import Difference, Intersection, Union
from vcad_kernel.operations.bodies.patterns import CircularPattern, LinearPattern
from vcad_kernel.operations.bodies.transforms import Rotate, Scale, Translate
from vcad_kernel.operations.features.features import Chamfer, Fillet, FilletAt, Shell
from vcad_kernel.operations.features.selections import Selector
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.profiles.paths import CylinderPath, HelixPath, LinePath, PolylinePath, SplinePath
from vcad_kernel.operations.profiles.sketches import Arc, Line, Sketch2D
from vcad_kernel.operations.solids.imported import ImportedMesh
from vcad_kernel.operations.solids.shapes import Cone, Cube, Cylinder, Empty, Sphere
from vcad_kernel.operations.solids.sweeps import Extrude, Loft, Revolve, Sweep

_NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
_VECTORS = st.tuples(_NUMBERS, _NUMBERS, _NUMBERS)


def _every_kind() -> Document:
    """A document in which every node kind and every optional member occurs."""
    b = DocumentBuilder()
    origin = (0.0, 0.0, 0.0)
    half = (Arc((5.0, 0.0), (-5.0, 0.0), (0.0, 0.0), True), Line((-5.0, 0.0), (5.0, 0.0)))
    k = b.add(Sketch2D(origin, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), half))
    k2 = b.add(Sketch2D((0.0, 0.0, 9.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), half))
    parts = [
        b.add(node)
        for node in (
            Cube((1.0, 2.0, 3.0)),
            Cylinder(1.0, 2.0, 12),
            Sphere(3.0),
            Cone(1.0, 0.0, 2.0),
            Empty(),
            Extrude(k, (0.0, 0.0, 1.0), twist_angle=0.5, scale_end=0.25),
            Extrude(k, (0.0, 0.0, 1.0)),
            Revolve(k, origin, (1.0, 0.0, 0.0), 90.0),
            Sweep(k, LinePath(origin, (1.0, 2.0, 3.0)), orientation=10.0, path_segments=4),
            Sweep(k, HelixPath(10.0, 5.0, 15.0, 3.0)),
            Loft((k, k2)),
            Loft((k, k2, k), closed=True),
            ImportedMesh((0.0, 1.0, 2.0), (0, 0, 0), (0.0,), "a.stl"),
        )
    ]
    top: NodeId = parts[0]
    for part in parts[1:]:
        top = b.add(Union(top, part))
    for node in (
        Difference(top, parts[1]),
        Intersection(top, parts[2]),
        Translate(top, (1.0, 2.0, 3.0)),
        Rotate(top, (1.0, 2.0, 3.0)),
        Scale(top, (1.0, 2.0, -3.0)),
        LinearPattern(top, (1.0, 0.0, 0.0), 3, -2.5),
        CircularPattern(top, origin, (0.0, 0.0, 1.0), 6, 360.0),
        Shell(top, 1.0),
        Fillet(top, 1.0),
        Chamfer(top, 1.0),
    ):
        b.add_root(b.add(node), "steel")
    return b.build()


def test_worked_example_has_the_shape_of_the_specification() -> None:
    builder = DocumentBuilder()
    box = builder.add(Cube((10.0, 20.0, 30.0)))
    hole = builder.add(Translate(builder.add(Cylinder(3.0, 40.0)), (5.0, 5.0, -5.0)))
    builder.add_root(builder.add(Difference(box, hole)), "steel")
    data = json.loads(dumps(builder.build()))
    assert data["version"] == "0.1"
    assert data["nodes"]["0"] == {
        "id": 0,
        "name": None,
        "op": {"type": "Cube", "size": {"x": 10.0, "y": 20.0, "z": 30.0}},
    }
    assert data["nodes"]["1"]["op"] == {"type": "Cylinder", "radius": 3.0, "height": 40.0, "segments": 0}
    assert data["nodes"]["3"]["op"] == {"type": "Difference", "left": 0, "right": 2}
    assert data["roots"] == [{"root": 3, "material": "steel"}]
    assert data["part_materials"] == {}
    assert data["materials"]["default"] == {
        "name": "default",
        "color": [0.8, 0.8, 0.8],
        "metallic": 0.0,
        "roughness": 0.5,
        "density": None,
        "friction": None,
    }


def test_every_node_kind_survives_the_round_trip() -> None:
    document = _every_kind()
    again = loads(dumps(document))
    assert again.nodes == document.nodes
    assert again.materials == document.materials
    assert again.roots == document.roots
    assert again.content_digest == document.content_digest


@given(size=_VECTORS, offset=_VECTORS)
@examples(60)
def test_every_double_survives_the_round_trip(
    size: tuple[float, float, float], offset: tuple[float, float, float]
) -> None:
    builder = DocumentBuilder()
    builder.add_root(builder.add(Translate(builder.add(Cube(size)), offset)))
    document = builder.build()
    assert loads(dumps(document)).nodes == document.nodes


@given(document=documents())
@examples(150)
def test_every_document_survives_the_round_trip(document: Document) -> None:
    again = loads(dumps(document))
    assert again == document
    assert list(again.nodes) == list(document.nodes)
    assert dumps(again) == dumps(document)
    assert [again.digest(node) for node in again.nodes] == [document.digest(node) for node in document.nodes]


@given(one=selectors(), other=selectors())
@examples(100)
def test_selectors_have_equal_digests_exactly_when_they_are_equal(one: Selector, other: Selector) -> None:
    builder = DocumentBuilder()
    box = builder.add(Cube((1.0, 1.0, 1.0)))
    nodes = [builder.add(FilletAt(box, 1.0, selector)) for selector in (one, other)]
    assert (nodes[0] == nodes[1]) == (one == other)


def test_a_selector_has_only_the_members_that_were_given() -> None:
    builder = DocumentBuilder()
    top = Selector("face", normal=(0.0, 0.0, 1.0), largest=1)
    edges = Selector("edge", at=(("z", 5.0),), radius=(1.0, 2.0), convex=False, adjacent=top)
    builder.add(FilletAt(builder.add(Cube((1.0, 1.0, 1.0))), 1.0, edges))
    assert encode(builder.build())["nodes"]["1"]["op"] == {
        "type": "FilletAt",
        "child": 0,
        "radius": 1.0,
        "edges": {
            "target": "edge",
            "at": {"z": 5.0},
            "radius": [1.0, 2.0],
            "convex": False,
            "adjacent": {"target": "face", "normal": {"x": 0.0, "y": 0.0, "z": 1.0}, "largest": 1},
        },
    }


def test_which_selector_a_younger_criterion_is_of_is_part_of_the_digest() -> None:
    top = Selector("face", side="top")
    builder = DocumentBuilder()
    box = builder.add(Cube((1.0, 1.0, 1.0)))
    apart = [
        Selector("edge", adjacent=Selector("face"), side="top"),
        Selector("edge", adjacent=top),
        Selector("edge", any_of=(Selector("edge", side="top"), Selector("edge"))),
        Selector("edge", any_of=(Selector("edge"), Selector("edge", side="top"))),
        Selector("edge", all_of=(Selector("edge"), Selector("edge", side="top"))),
    ]
    assert len({builder.add(FilletAt(box, 1.0, one)) for one in apart}) == len(apart)


@pytest.mark.parametrize(
    ("criteria", "code", "words"),
    [
        ({"side": "lid"}, "INVALID_PARAMETER", "one of top, bottom"),
        ({"sort_by": "area", "nth": 0}, "INVALID_PARAMETER", "one of x, y, z, length, radius"),
        ({"nth": 0}, "INVALID_PARAMETER", "both of nth and sort_by"),
        ({"nth": 0.5, "sort_by": "x"}, "INVALID_PARAMETER", "a whole number"),
        ({"between": [{"target": "face"}]}, "INVALID_PARAMETER", "two selectors"),
        ({"any_of": {"target": "edge"}}, "TYPE_MISMATCH", "a list"),
        ({"none_of": {"target": "edge", "colour": 1}}, "UNKNOWN_VARIANT", "none_of"),
    ],
)
def test_a_selector_that_means_nothing_is_refused_by_its_path(
    criteria: dict[str, Any], code: str, words: str
) -> None:
    operation = {"type": "FilletAt", "child": 0, "radius": 1.0, "edges": {"target": "edge", **criteria}}
    data = {**_small(), "roots": []}
    data["nodes"]["1"] = {"id": 1, "op": operation}
    with pytest.raises(GeometryError, match=words) as caught:
        decode(data)
    assert caught.value.code == code
    assert "edges" in str(caught.value.details["path"])


@pytest.mark.parametrize(
    ("path", "data"),
    [
        (
            CylinderPath(20.0, ((0.0, 1.0), (90.0, 4.0)), 2.0),
            {
                "type": "Cylinder",
                "radius": 20.0,
                "knots": [{"angle": 0.0, "height": 1.0}, {"angle": 90.0, "height": 4.0}],
                "step": 2.0,
            },
        ),
        (
            PolylinePath(((1.0, 2.0, 3.0),), 0.5),
            {"type": "Polyline", "points": [{"x": 1.0, "y": 2.0, "z": 3.0}], "bend": 0.5},
        ),
        (SplinePath(((1.0, 2.0, 3.0),)), {"type": "Spline", "points": [{"x": 1.0, "y": 2.0, "z": 3.0}]}),
    ],
)
def test_paths_have_a_type_and_their_members(path: Any, data: dict[str, Any]) -> None:
    document = Document({NodeId(0): Cube((1.0, 1.0, 1.0)), NodeId(1): Sweep(NodeId(0), path)}, {}, ())
    assert encode(document)["nodes"]["1"]["op"]["path"] == data


def test_parameters_stand_in_the_document_and_in_no_digest() -> None:
    builder = DocumentBuilder()
    builder.add_root(builder.add(Cube((1.0, 1.0, 1.0))))
    plain = builder.build()
    builder.add_parameter(Parameter("width", 30.0, 40, unit="mm", min=10, doc="outer width"))
    document = builder.build()
    assert document.content_digest == plain.content_digest
    assert encode(document)["parameters"] == [
        {"name": "width", "value": 30.0, "default": 40, "unit": "mm", "doc": "outer width", "min": 10}
    ]
    assert "parameters" not in encode(plain)


def test_parameters_of_other_programs_are_carried_through_unchanged() -> None:
    data = encode(_every_kind())
    data["parameters"] = [{"name": "width", "value": 3, "default": 4, "formula": "a + b"}]
    assert encode(decode(data)) == data
    data["parameters"] = {"width": {"expression": "2 * height"}}
    assert encode(decode(data)) == data


def test_digests_of_documents_from_before_hold() -> None:
    digests = {digest.hex() for digest in _every_kind().by_digest}
    assert len(digests) == 37
    assert (
        blake3("".join(sorted(digests)).encode()).hexdigest()
        == "f5ad2f230e9c2f10db6291d6657754339a8cc0640ca4e3e1446d7c8b09afc71a"
    )


def test_unknown_members_are_carried_through_unchanged() -> None:
    data = encode(_every_kind())
    data["scene"] = {"camera": [1, 2, 3]}
    data["parameters"] = [{"name": "width"}]
    data["nodes"]["0"]["note"] = "mine"
    data["nodes"]["0"]["op"]["colour"] = "red"
    data["materials"]["default"]["ior"] = 1.5
    data["roots"][0]["layer"] = "outer"
    data["roots"][1]["visible"] = False
    data["nodes"]["2"]["name"] = "boss"
    assert encode(decode(data)) == data


def _small() -> dict[str, Any]:
    return {
        "nodes": {"0": {"id": 0, "op": {"type": "Cube", "size": {"x": 1.0, "y": 1.0, "z": 1.0}}}},
        "roots": [{"root": 0, "material": "default"}],
    }


@pytest.mark.parametrize(
    ("change", "code", "path"),
    [
        (lambda d: d["nodes"]["0"]["op"].update(type="Blob"), "UNKNOWN_VARIANT", "nodes[0].op"),
        (lambda d: d["nodes"]["0"]["op"].pop("size"), "ARITY_MISMATCH", "nodes[0].Cube.size"),
        (lambda d: d["nodes"]["0"]["op"]["size"].update(y="2"), "TYPE_MISMATCH", "nodes[0].Cube.size.y"),
        (
            lambda d: d["nodes"]["0"]["op"]["size"].update(y=float("inf")),
            "INVALID_PARAMETER",
            "nodes[0].Cube.size.y",
        ),
        (lambda d: d["nodes"]["0"].update(id=4), "TYPE_MISMATCH", "nodes[0].id"),
        (lambda d: d["roots"].append(5), "TYPE_MISMATCH", "roots[1]"),
        (lambda d: d["roots"][0].update(root=8), "MISSING_NODE", "roots[0].root"),
    ],
)
def test_what_is_no_document_is_refused_naming_the_member(change: Any, code: str, path: str) -> None:
    data = _small()
    change(data)
    with pytest.raises(GeometryError) as caught:
        decode(data)
    assert (caught.value.code, caught.value.details["path"]) == (code, path)


def test_text_that_is_no_json_is_refused() -> None:
    with pytest.raises(GeometryError, match="not a JSON document"):
        loads("{")


def test_a_small_document_needs_only_nodes_and_roots() -> None:
    document = decode(_small())
    assert document.nodes[NodeId(0)] == Cube((1.0, 1.0, 1.0))
    assert document.version == "0.1"
