"""Values to documents: order of ids, sharing, sites, and what is refused with which words."""

from __future__ import annotations

import math

import pytest

from vcad_kernel.cad.convert import convert
from vcad_kernel.errors import GeometryError, Place
from vcad_kernel.loon.runtime.collections import Map, Vector
from vcad_kernel.loon.runtime.values import UNIT, Adt, Keyword
from vcad_kernel.operations.bodies.booleans import Difference
from vcad_kernel.operations.bodies.patterns import LinearPattern
from vcad_kernel.operations.bodies.transforms import Translate
from vcad_kernel.operations.profiles.sketches import Arc, Line, Sketch2D
from vcad_kernel.operations.solids.shapes import Cube, Cylinder
from vcad_kernel.operations.solids.sweeps import Loft


class _Site:
    def __init__(self, line: int) -> None:
        self.line = line

    def place(self) -> Place:
        return Place("m.oo", self.line, 1, self.line, 9, "[cube 1 2 3]")


def adt(tag: str, *fields: object, line: int | None = None) -> Adt:
    return Adt(tag, fields, site=None if line is None else _Site(line))


CUBE = adt("Cube", 1.0, 2.0, 3.0, line=2)
SQUARE = Vector([adt("SLine", *ends) for ends in ((0, 0, 4, 0), (4, 0, 4, 4), (4, 4, 0, 4), (0, 4, 0, 0))])


def sketch(z: float = 0.0) -> Adt:
    return adt("Sketch", 0, 0, z, 1, 0, 0, 0, 1, 0, SQUARE)


def error_of(value: object) -> GeometryError:
    with pytest.raises(GeometryError) as caught:
        convert(value)
    return caught.value


def test_ids_follow_the_fields_children_first() -> None:
    document = convert(adt("Difference", CUBE, adt("Cylinder", 3, 10)))
    assert list(document.nodes.values()) == [Cube((1.0, 2.0, 3.0)), Cylinder(3.0, 10.0), Difference(0, 1)]
    assert document.roots[0].node == 2


def test_integers_become_doubles_and_whole_reals_counts() -> None:
    document = convert(adt("LinearPattern", CUBE, 1, 0, 0, 3.0, 5))
    assert document.nodes[1] == LinearPattern(0, (1.0, 0.0, 0.0), 3, 5.0)
    assert isinstance(document.nodes[1].count, int)


def test_a_sketch_is_a_node_before_its_consumer() -> None:
    document = convert(adt("Loft", Vector([sketch(), sketch(9.0)])))
    assert [type(node) for node in document.nodes.values()] == [Sketch2D, Sketch2D, Loft]
    assert document.nodes[2] == Loft((0, 1), None)
    assert convert(adt("LoftClosed", Vector([sketch(), sketch(9.0), sketch(12.0)]))).nodes[3] == Loft(
        (0, 1, 2), True
    )


def test_segments_keep_their_kinds() -> None:
    arc = adt("SArc", 5, 0, -5, 0, 0, 0, True)
    profile = adt("Sketch", 0, 0, 0, 1, 0, 0, 0, 1, 0, Vector([arc, adt("SLine", -5, 0, 5, 0)]))
    node = convert(adt("Extrude", profile, 0, 0, 1)).nodes[0]
    assert isinstance(node, Sketch2D)
    assert node.segments == (
        Arc((5.0, 0.0), (-5.0, 0.0), (0.0, 0.0), True),
        Line((-5.0, 0.0), (5.0, 0.0)),
    )


def test_equal_subtrees_become_one_node_that_remembers_every_call() -> None:
    again = adt("Cube", 1.0, 2.0, 3.0, line=5)
    document = convert(adt("Union", CUBE, adt("Translate", again, 9, 0, 0)))
    assert len(document.nodes) == 3
    assert [place.line for site in document.sites[0] if (place := site.place())] == [2, 5]


def test_scenes_are_vectors_of_parts_and_materials_nested_at_will() -> None:
    brass = adt("Material", "brass", 0.8, 0.6, 0.2, 1.0, 0.3)
    document = convert(Vector([brass, Vector([CUBE, Vector([adt("SceneEntry", CUBE, "brass")])])]))
    assert [(root.node, root.material) for root in document.roots] == [(0, "default"), (0, "brass")]
    assert document.materials["brass"].color == (0.8, 0.6, 0.2)
    assert "default" in document.materials


def test_a_scene_without_part_has_no_root_and_no_default_material() -> None:
    for value in (Vector([]), adt("Material", "m", 0, 0, 0, 0, 0)):
        document = convert(value)
        assert document.roots == ()
        assert "default" not in document.materials


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (42, "the number 42"),
        (UNIT, "nothing"),
        ("text", 'the text "text"'),
        (Keyword("mm"), "the keyword :mm"),
        (Map(), "a map"),
        (print, "a function"),
        (Vector([CUBE, 3.5]), "the number 3.5"),
    ],
)
def test_what_is_no_model_is_named(value: object, found: str) -> None:
    error = error_of(value)
    assert error.code == "TYPE_MISMATCH"
    assert found in error.message


def test_a_bare_sketch_is_refused_with_advice() -> None:
    assert "extrude" in error_of(sketch()).message


@pytest.mark.parametrize(
    ("value", "code", "operation", "argument", "words"),
    [
        (
            adt("Cube", "10", 1.0, 1.0, line=4),
            "TYPE_MISMATCH",
            "cube",
            "x",
            'x must be a number, got the text "10"',
        ),
        (adt("Cube", True, 1.0, 1.0, line=4), "TYPE_MISMATCH", "cube", "x", "got true"),
        (adt("Cube", 1.0, math.nan, 1.0, line=4), "INVALID_PARAMETER", "cube", "y", "got NaN"),
        (adt("Cube", 1.0, math.inf, "a", line=4), "TYPE_MISMATCH", "cube", "z", "a number"),
        (adt("Cube", 1.0, 1.0, line=4), "ARITY_MISMATCH", "cube", None, "3 fields, got 2"),
        (
            adt("Union", CUBE, 5.0, line=4),
            "TYPE_MISMATCH",
            "union",
            "other",
            "a solid or a profile, got the number 5",
        ),
        (adt("Union", CUBE, sketch(), line=4), "TYPE_MISMATCH", "union", "other", "a solid, got a sketch"),
        (adt("Extrude", CUBE, 0, 0, 1, line=4), "TYPE_MISMATCH", "extrude", "k", "a profile, got a cube"),
        (
            adt("LinearPattern", CUBE, 1, 0, 0, 0, 5.0, line=4),
            "INVALID_PARAMETER",
            "linear-pattern",
            "count",
            "got 0",
        ),
        (
            adt("LinearPattern", CUBE, 1, 0, 0, 2.5, 5.0, line=4),
            "INVALID_PARAMETER",
            "linear-pattern",
            "count",
            "2.5",
        ),
        (
            adt("LinearPattern", CUBE, 1, 0, 0, "3", 5.0, line=4),
            "TYPE_MISMATCH",
            "linear-pattern",
            "count",
            "whole",
        ),
        (adt("Loft", Vector([sketch(), CUBE]), line=4), "TYPE_MISMATCH", "loft", "sketches", "a cube in it"),
        (adt("Loft", sketch(), line=4), "TYPE_MISMATCH", "loft", "sketches", "a vector of profiles"),
        (
            adt("ImportedMesh", Vector([0.0]), Vector([-1]), Vector([]), line=4),
            "INVALID_PARAMETER",
            "ImportedMesh",
            "indices",
            "-1",
        ),
        (
            adt("ImportedMesh", Vector([math.nan]), Vector([0]), Vector([]), line=4),
            "INVALID_PARAMETER",
            "ImportedMesh",
            "positions",
            "NaN",
        ),
        (adt("Material", "m", 0.1, 0.2, 1.5, 0.0, 0.5, line=4), "INVALID_PARAMETER", "material", "b", "0..1"),
        (adt("SceneEntry", CUBE, 7, line=4), "TYPE_MISMATCH", "root", "material", "a text"),
        (adt("Blob", 1, line=4), "UNKNOWN_VARIANT", None, None, "'Blob'"),
        (adt("Fillet", adt("Blob", 1), 1.0, line=4), "UNKNOWN_VARIANT", "fillet", "s", "'Blob'"),
    ],
)
def test_refusals_name_function_argument_and_place(
    value: Adt, code: str, operation: str | None, argument: str | None, words: str
) -> None:
    error = error_of(value)
    assert (error.code, error.operation, error.argument) == (code, operation, argument)
    assert words in error.message
    assert error.place is not None
    assert error.place.line == 4


def test_a_bad_number_in_a_segment_is_placed_at_the_segment() -> None:
    bad = adt("SLine", 0, 0, math.inf, 0, line=6)
    error = error_of(adt("Extrude", adt("Sketch", 0, 0, 0, 1, 0, 0, 0, 1, 0, Vector([bad]), line=3), 0, 0, 1))
    assert (error.operation, error.argument) == ("line", "x2")
    assert error.place is not None
    assert error.place.line == 6


def test_the_outer_mistake_is_found_before_the_inner() -> None:
    inner = adt("Cube", "a", 1, 1)
    assert error_of(adt("Translate", inner, math.nan, 0, 0)).operation == "translate"


def test_ten_thousand_nested_calls_convert() -> None:
    value = CUBE
    for _ in range(10_000):
        value = adt("Translate", value, 1.0, 0.0, 0.0)
    document = convert(value)
    assert len(document.nodes) == 10_001
    assert document.nodes[1] == Translate(0, (1.0, 0.0, 0.0))


def test_a_value_that_doubles_at_each_step_stays_small() -> None:
    value = CUBE
    for step in range(200):
        value = adt("Union", value, adt("Translate", value, float(step), 0.0, 0.0))
    assert len(convert(value).nodes) == 401


@pytest.mark.parametrize(
    ("value", "argument"),
    [
        (adt("LinearPattern", adt("Empty"), 1.0, 0.0, 0.0, 1e30, 5.0, line=2), "count"),
        (
            adt("ImportedMesh", Vector([0.0] * 3), Vector([0, 0, 1e30]), Vector([]), line=2),
            "indices",
        ),
    ],
)
def test_whole_numbers_beyond_64_bits_are_refused(value: Adt, argument: str) -> None:
    error = error_of(value)
    assert (error.code, error.argument) == ("INVALID_PARAMETER", argument)
