"""The face of each triangle and the line of each edge: whatever the model, they are those of the tables."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeVertex
from OCP.BRepExtrema import BRepExtrema_DistShapeShape
from OCP.gp import gp_Pnt

from tests.geometry.models import EMPTY, Solid, box, difference, document, intersection, solid, union
from tests.tiers import examples
from vcad_kernel.geometry.evaluate import EvaluatedPart, evaluate
from vcad_kernel.geometry.measure.inspection.inspection import answering_body, edges, faces
from vcad_kernel.geometry.measure.inspection.scene_rows import SceneRows, scene_rows
from vcad_kernel.geometry.occt.brep import faces_of
from vcad_kernel.operations.bodies.patterns import CircularPattern, LinearPattern
from vcad_kernel.operations.bodies.transforms import Mirror, Rotate, Scale, Translate
from vcad_kernel.operations.features.features import Fillet
from vcad_kernel.operations.solids.gears import Gear
from vcad_kernel.operations.solids.imported import ImportedMesh
from vcad_kernel.operations.solids.shapes import Cone, Cylinder, Sphere, Torus

CHORD = 0.02

sizes = st.integers(4, 20).map(lambda halves: halves / 2.0)
places = st.tuples(*[st.integers(-12, 12).map(lambda halves: halves / 2.0)] * 3)


def moved(body: Solid, at: tuple[float, ...]) -> Solid:
    return solid(Translate, body, offset=at)


def rod(radius: float, height: float) -> Solid:
    return solid(Cylinder, radius=radius, height=height)


primitives = st.one_of(
    st.builds(box, sizes, sizes, sizes),
    st.builds(rod, sizes, sizes),
    sizes.map(lambda radius: solid(Sphere, radius=radius)),
    st.builds(
        lambda bottom, height: solid(Cone, radius_bottom=bottom, radius_top=1.0, height=height), sizes, sizes
    ),
    sizes.map(lambda tube: solid(Torus, major_radius=tube + 3.0, minor_radius=tube / 2.0)),
)
placed = st.builds(moved, primitives, places) | st.builds(
    lambda body, turn: solid(Rotate, body, angles=(turn, 0.0, 0.0)),
    primitives,
    st.sampled_from([30.0, 90.0]),
)
models = st.builds(
    lambda operation, first, second: operation(first, second),
    st.sampled_from([union, difference, intersection]),
    placed,
    placed,
)


def part(body: Solid) -> EvaluatedPart:
    scene = evaluate(document(body))
    scene.raise_first()
    return scene.parts[0]


def check(made: EvaluatedPart) -> SceneRows:
    """What holds for every part; its rows."""
    rows = scene_rows(made.measurement, made.mesh)
    for row, exact in zip(rows.faces, faces(made.measurement, made.mesh), strict=True):
        assert row.exact or (row.area, row.center) == (
            pytest.approx(exact.area, rel=3e-3),
            pytest.approx(exact.center, abs=0.05),
        )
        assert replace(row, area=exact.area, center=exact.center, exact=exact.exact) == exact
        assert not row.exact or (row.area, row.center) == (exact.area, exact.center)
    assert rows.edges == edges(made.measurement, made.mesh)
    check_triangles(made, rows)
    check_lines(rows)
    return rows


def check_triangles(made: EvaluatedPart, rows: SceneRows) -> None:
    corners = made.mesh.corners()
    doubled = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = 0.5 * np.linalg.norm(doubled, axis=1)
    assert rows.triangle_faces.shape == areas.shape
    assert np.all(rows.triangle_faces < len(rows.faces))
    by_face = np.bincount(rows.triangle_faces, areas, minlength=len(rows.faces))
    planar = made.measurement.on_mesh.exact
    around = [0.0] * len(rows.faces)
    for edge in rows.edges:
        for face in edge.faces:
            around[face] += edge.length
    for face in rows.faces:
        # a chord is off by that much along all borders, and a curved face is flattened a little
        allowed = 1e-9 * face.area if planar else 2.0 * CHORD * around[face.index] + 0.02 * face.area
        assert abs(by_face[face.index] - face.area) <= allowed, face
    body = answering_body(made.measurement, exact=False)
    if body is None:
        return
    there, middles = faces_of(body.shape), corners.mean(axis=1)
    for triangle in np.unique(np.linspace(0, len(areas) - 1, 30).astype(int)):
        place = BRepBuilderAPI_MakeVertex(gp_Pnt(*middles[triangle].tolist())).Vertex()
        off = BRepExtrema_DistShapeShape(place, there[rows.triangle_faces[triangle]]).Value()
        assert off <= 2.0 * CHORD, (triangle, rows.triangle_faces[triangle])


def check_lines(rows: SceneRows) -> None:
    assert len(rows.line_starts) == len(rows.line_tangent) + 1
    assert rows.line_starts[-1] == len(rows.lines)
    for edge in rows.edges:
        points = rows.line(edge.index).astype(np.float64)
        length = sum(math.dist(one, other) for one, other in pairwise(points.tolist()))
        rel = 1e-5 if edge.kind == "line" else 0.01
        assert length == pytest.approx(edge.length, rel=rel, abs=1e-4), edge


@given(models)
@examples(6)
def test_triangles_and_lines_fit_the_rows(body: Solid) -> None:
    made = part(body)
    rows = scene_rows(made.measurement, made.mesh)
    if made.mesh.is_empty:
        assert len(rows.triangle_faces) == 0
    else:
        check_triangles(made, rows)
        check_lines(rows)


PLATE = difference(box(30.0, 20.0, 4.0), moved(rod(3.0, 10.0), (8.0, 10.0, -2.0)))
POSTS = union(
    box(30.0, 4.0, 2.0), solid(LinearPattern, rod(1.0, 5.0), direction=(1.0, 0.0, 0.0), count=4, spacing=7.0)
)
TWO_LUMPS = difference(box(30.0, 4.0, 4.0), box(4.0, 8.0, 8.0, at=(12.0, -2.0, -2.0)))


@pytest.mark.parametrize(
    ("body", "count"),
    [
        pytest.param(PLATE, 7, id="drilled"),
        pytest.param(solid(Mirror, PLATE, origin=(0.0, 0.0, 0.0), normal=(1.0, 0.0, 0.0)), 7, id="mirrored"),
        pytest.param(
            solid(Scale, PLATE, factor=(1.0, 1.5, 1.0)), 7, id="scaled so that the hole is no cylinder"
        ),
        pytest.param(POSTS, None, id="equal tops in one plane"),
        pytest.param(TWO_LUMPS, 12, id="two lumps, with faces in one plane"),
        pytest.param(
            difference(rod(10.0, 20.0), difference(rod(12.0, 4.0), moved(rod(8.0, 6.0), (0.0, 0.0, -1.0)))),
            None,
            id="one cylinder in pieces",
        ),
        pytest.param(
            difference(
                rod(20.0, 5.0),
                solid(
                    CircularPattern,
                    moved(rod(2.0, 9.0), (20.0, 0.0, -2.0)),
                    axis_origin=(0.0, 0.0, 0.0),
                    axis_dir=(0.0, 0.0, 1.0),
                    count=6,
                    angle_deg=360.0,
                ),
            ),
            14,
            id="a knob: between notches the rim is many faces",
        ),
        pytest.param(solid(Fillet, box(20.0, 12.0, 8.0), radius=2.0), 26, id="rounded"),
        pytest.param(solid(Gear, module=2.0, teeth=12, width=4.0), None, id="a gear: its flanks are splines"),
        pytest.param(
            difference(solid(Fillet, PLATE, radius=0.5), box(5.0, 30.0, 30.0, at=(-1.0, -1.0, -1.0))),
            None,
            id="cut after rounding",
        ),
    ],
)
def test_each_triangle_lies_on_its_face(body: Solid, count: int | None) -> None:
    rows = check(part(body))
    assert count is None or len(rows.faces) == count
    assert all(edge.exact for edge in rows.edges), "of the exact body"


def test_an_imported_mesh_answers_from_its_regions() -> None:
    corners = (0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0, 9.0)
    stone = solid(ImportedMesh, positions=corners, indices=(0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3), normals=())
    rows = check(part(difference(stone, box(2.0, 2.0, 2.0))))
    assert len(rows.faces) == 7
    assert not rows.line_tangent.any()


def test_nothing_has_neither_faces_nor_lines() -> None:
    made = part(EMPTY)
    rows = scene_rows(made.measurement, made.mesh)
    assert (rows.faces, rows.edges) == ((), ())
    assert (rows.triangle_faces.shape, rows.lines.shape) == ((0,), (0, 3))
    assert rows.line_starts.tolist() == [0]
    with pytest.raises(IndexError, match="no edge 0"):
        rows.line(0)


def test_seams_and_tangent_edges_are_told_from_those_that_a_person_sees() -> None:
    made = part(rod(3.0, 8.0))
    rows = scene_rows(made.measurement, made.mesh)
    tangent = {edge.kind: bool(rows.line_tangent[edge.index]) for edge in rows.edges}
    assert tangent == {"circle": False, "line": True}
    rounded = part(solid(Fillet, box(20.0, 12.0, 8.0), radius=2.0))
    assert scene_rows(rounded.measurement, rounded.mesh).line_tangent.all()


def test_the_pole_of_a_ball_has_a_number_and_no_line() -> None:
    made = part(solid(Sphere, radius=5.0))
    rows = scene_rows(made.measurement, made.mesh)
    (seam,) = rows.edges
    assert len(rows.line_tangent) == 3
    assert [len(rows.line(number)) > 0 for number in range(3)] == [
        number == seam.index for number in range(3)
    ]
