"""Which bodies are proven convex polyhedra, and that their corners say all about them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from OCP.BRepCheck import BRepCheck_Analyzer
from OCP.TopoDS import TopoDS_Shape

from tests.geometry.occt.answers import accepted
from tests.geometry.occt.bodies import (
    box,
    chamfered,
    cylinder,
    difference,
    extruded,
    filleted,
    intersection,
    mirrored,
    turned,
    union,
    volume,
)
from vcad_kernel.geometry.occt.brep import Brep, solids_of
from vcad_kernel.geometry.occt.measure.topology.convex import convex_polyhedron
from vcad_kernel.geometry.occt.tessellation import tessellated
from vcad_kernel.geometry.tolerance import Tessellation

MANY = [(math.cos(0.02 * step * math.pi), math.sin(0.02 * step * math.pi)) for step in range(100)]
HEXAGON = [(3, 0), (1.5, 2.6), (-1.5, 2.6), (-3, 0), (-1.5, -2.6), (1.5, -2.6)]


@pytest.mark.parametrize(
    ("body", "corners"),
    [
        (box(3, 4, 5), 8),
        (box(0.001, 4000, 5, (1e4, -1e4, 7)), 8),
        (chamfered(box(3, 4, 5), 0.2), 24),
        (extruded(HEXAGON, 3), 12),
        (extruded(MANY, 3), 200),
        (mirrored(turned(extruded(HEXAGON, 3), 0.7, (1, 2, 3))), 12),
    ],
    ids=["box", "far and long", "chamfered", "prism", "of a hundred sides", "mirrored"],
)
def test_a_convex_body_has_its_corners_and_a_mesh_of_them(body: TopoDS_Shape, corners: int) -> None:
    (solid,) = solids_of(body)
    found = convex_polyhedron(solid)
    assert found is not None
    assert len(found.corners) == corners
    assert {corner for loop in found.loops for corner in loop} == set(range(corners))
    whole = Brep.made(solid, b"maker")
    traced = tessellated(whole, Tessellation())
    assert accepted(traced).volume() == pytest.approx(volume(whole), rel=1e-6)
    assert len(traced.mesh.indices) == 2 * corners - 4


DENTED = [(0, 0), (4, 0), (4, 4), (2, 1), (0, 4)]


@pytest.mark.parametrize(
    "body",
    [
        extruded(DENTED, 2),
        difference(box(4, 4, 4), box(1, 1, 1, (1, 1, 1))),
        difference(box(4, 4, 4), box(1, 1, 6, (1, 1, -1))),
        union(box(1, 1, 1), box(1, 1, 1, (3, 0, 0))),
        union(box(1, 1, 1), box(1, 1, 1, (1, 0, 0))),
        box(1, 1, 1).Reversed(),
        cylinder(1, 2),
        filleted(box(3, 4, 5), 0.5),
        intersection(box(4, 4, 4), cylinder(2.5, 9)),
    ],
    ids=["dented", "hollow", "holed", "two", "split sides", "inside out", "round", "rounded", "cut round"],
)
def test_no_other_body_is_one(body: TopoDS_Shape) -> None:
    assert convex_polyhedron(body) is None


TURNS = st.tuples(st.floats(0.1, 3.0), st.tuples(*[st.floats(0.1, 1.0)] * 3))


@settings(max_examples=25)
@given(st.lists(TURNS, min_size=1, max_size=2), st.floats(0.01, 1000.0))
def test_what_blocks_have_in_common_is_convex(
    turns: list[tuple[float, tuple[float, ...]]], size: float
) -> None:
    block = body = box(2.0 * size, 2.2 * size, 2.4 * size, (1.0 - size, 1.0 - size, 1.0 - size))
    for angle, axis in turns:
        body = intersection(body, turned(block, angle, axis))
    (solid,) = solids_of(body)
    assert BRepCheck_Analyzer(solid).IsValid()
    found = convex_polyhedron(solid)
    assert found is not None
    assert len(found.loops) > 6
    whole = Brep.made(solid, b"maker")
    mesh = accepted(tessellated(whole, Tessellation()))
    assert mesh.volume() == pytest.approx(volume(whole), rel=1e-6)
