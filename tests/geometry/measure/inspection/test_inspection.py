"""Edges and faces read off meshes: those of planar bodies exactly, by number, length and area."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.geometry.kernels import NoExactKernel
from tests.geometry.models import Solid, box, difference, document, solid, union
from tests.tiers import examples
from vcad_kernel.geometry.evaluate import EvaluatedPart, EvaluationOptions, evaluate
from vcad_kernel.geometry.measure.inspection.inspection import Edge, Face, Table, edges, faces
from vcad_kernel.operations.bodies.transforms import Rotate
from vcad_kernel.operations.solids.shapes import Cylinder, Prism

lengths = st.floats(0.5, 50.0)


def part(body: Solid) -> EvaluatedPart:
    scene = evaluate(document(body), EvaluationOptions(exact=NoExactKernel()))
    scene.raise_first()
    return scene.parts[0]


def edges_of(body: Solid) -> Table[Edge]:
    made = part(body)
    return edges(made.measurement, made.mesh)


def faces_of(body: Solid) -> Table[Face]:
    made = part(body)
    return faces(made.measurement, made.mesh)


@given(lengths, lengths, lengths, st.floats(-180.0, 180.0))
@examples(15)
def test_a_box_has_twelve_edges_and_six_faces_however_it_is_turned(
    a: float, b: float, c: float, turn: float
) -> None:
    body = solid(Rotate, box(a, b, c), angles=(turn, turn / 3.0, -turn / 2.0))
    assert sorted(edge.length for edge in edges_of(body)) == pytest.approx(sorted([a, b, c] * 4), rel=1e-6)
    areas = sorted(face.area for face in faces_of(body))
    assert areas == pytest.approx(sorted([a * b, b * c, c * a] * 2), rel=1e-6)


def test_rows_say_where_and_which_way() -> None:
    found = {face.normal: face for face in faces_of(box(2.0, 3.0, 4.0))}
    top = found[0.0, 0.0, 1.0]
    assert (top.kind, top.center, top.made_by, top.exact) == ("plane", (1.0, 1.5, 4.0), "cube", True)
    upright = [edge for edge in edges_of(box(2.0, 3.0, 4.0)) if edge.direction == (0.0, 0.0, 1.0)]
    assert sorted(edge.center for edge in upright) == [
        (0.0, 0.0, 2.0),
        (0.0, 3.0, 2.0),
        (2.0, 0.0, 2.0),
        (2.0, 3.0, 2.0),
    ]
    assert all(len(edge.faces) == 2 and edge.kind == "line" for edge in upright)


def test_coplanar_neighbours_are_one_face() -> None:
    long = union(box(5.0, 5.0, 5.0), box(5.0, 5.0, 5.0, at=(5.0, 0.0, 0.0)))
    assert len(faces_of(long)) == 6
    assert len(edges_of(long)) == 12


def test_a_hole_makes_walls_of_the_form_that_cut_it() -> None:
    frame = difference(box(10.0, 10.0, 2.0), box(4.0, 4.0, 4.0, at=(3.0, 3.0, -1.0)))
    assert len(faces_of(frame)) == 10
    assert len(edges_of(frame)) == 24
    assert sum(face.area for face in faces_of(frame)) == pytest.approx(2 * 84.0 + 2.0 * (40.0 + 16.0))


def test_a_shallow_edge_of_a_planar_body_is_an_edge() -> None:
    sides = 200
    body = solid(Prism, sides=sides, radius=50.0, height=5.0)
    assert len(faces_of(body)) == sides + 2
    assert len(edges_of(body)) == 3 * sides


def test_of_a_curved_mesh_faces_end_at_creases_and_say_that_they_are_approximate() -> None:
    rod = solid(Cylinder, radius=3.0, height=8.0)
    found = sorted(faces_of(rod), key=lambda face: face.area)
    assert [face.kind for face in found] == ["plane", "plane", "other"]
    assert found[2].area == pytest.approx(48.0 * math.pi, rel=2e-3)
    assert not found[0].exact
    rims = edges_of(rod)
    assert [edge.length for edge in rims] == pytest.approx([6.0 * math.pi] * 2, rel=2e-3)
    assert {edge.kind for edge in rims} == {"other"}


def test_tables_read_as_tables() -> None:
    lines = repr(edges_of(box(1.0, 2.0, 3.0))).splitlines()
    assert lines[0].split() == ["edge", "kind", "length", "radius", "center", "direction", "faces"]
    assert len(lines) == 13
    assert "≈" not in repr(faces_of(box(1.0, 2.0, 3.0)))
    assert "≈" in repr(faces_of(solid(Cylinder, radius=3.0, height=8.0)))
    empty = difference(box(1.0, 1.0, 1.0), box(2.0, 2.0, 2.0))
    assert repr(faces_of(empty)) == "nothing"
