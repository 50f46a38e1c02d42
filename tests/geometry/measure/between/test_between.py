"""Two clicks: distances, angles and radii of picked things, on exact bodies and on meshes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.geometry.kernels import NoExactKernel
from tests.geometry.models import Solid, box, difference, document, solid
from vcad_kernel.geometry.evaluate import EvaluatedPart, EvaluationOptions, evaluate
from vcad_kernel.geometry.measure.between.between import MeasureResult, Subject, between
from vcad_kernel.geometry.measure.inspection.inspection import edges, faces
from vcad_kernel.geometry.measure.readings import Picked
from vcad_kernel.operations.bodies.transforms import Rotate, Translate
from vcad_kernel.operations.solids.shapes import Cylinder, Sphere

OPTIONS = {"exact": None, "mesh": EvaluationOptions(exact=NoExactKernel())}


@pytest.fixture(params=["exact", "mesh"])
def kernel(request: pytest.FixtureRequest) -> EvaluationOptions | None:
    return OPTIONS[request.param]


def part(body: Solid, options: EvaluationOptions | None = None) -> EvaluatedPart:
    scene = evaluate(document(body), options)
    scene.raise_first()
    return scene.parts[0]


def moved(body: Solid, at: tuple[float, float, float]) -> Solid:
    return solid(Translate, body, offset=at)


def measured(made: EvaluatedPart, a: Picked, b: Picked | None = None) -> MeasureResult:
    second = None if b is None else Subject(made.measurement, made.mesh, b)
    return between(Subject(made.measurement, made.mesh, a), second)


def face(made: EvaluatedPart, normal: tuple[float, float, float]) -> Picked:
    return Picked(
        "face", next(row.index for row in faces(made.measurement, made.mesh) if row.normal == normal)
    )


BOX = box(10.0, 20.0, 30.0)
HOLES = difference(
    box(40.0, 20.0, 5.0),
    solid(Translate, solid(Cylinder, radius=3.0, height=9.0), offset=(8.0, 10.0, -2.0)),
)


def test_opposite_faces_are_parallel_and_as_far_apart_as_the_box_is_high(
    kernel: EvaluationOptions | None,
) -> None:
    made = part(BOX, kernel)
    found = measured(made, face(made, (0.0, 0.0, 1.0)), face(made, (0.0, 0.0, -1.0)))
    assert (found.kind, found.distance, found.angle, found.exact) == ("distance", 30.0, 0.0, True)
    assert found.delta == (0.0, 0.0, -30.0)
    assert found.text == "distance 30 mm · x 0 y 0 z -30 · parallel"


def test_faces_that_meet_say_at_what_angle(kernel: EvaluationOptions | None) -> None:
    wedge = difference(
        BOX, moved(solid(Rotate, box(90.0, 90.0, 90.0), angles=(0.0, 30.0, 0.0)), (-30.0, -9.0, 35.0))
    )
    made = part(wedge, kernel)
    slope = next(
        row.index
        for row in faces(made.measurement, made.mesh)
        if row.normal and 0.1 < abs(row.normal[2]) < 0.99
    )
    found = measured(made, Picked("face", slope), face(made, (1.0, 0.0, 0.0)))
    assert (found.kind, found.distance) == ("angle", 0.0)
    assert found.angle == pytest.approx(60.0, abs=1e-6)
    line = next(row.index for row in edges(made.measurement, made.mesh) if row.direction == (0.0, 0.0, 1.0))
    assert measured(made, Picked("face", slope), Picked("edge", line)).angle == pytest.approx(60.0, abs=1e-6)


def test_edges_and_corners_are_measured_to_each_other(kernel: EvaluationOptions | None) -> None:
    made = part(BOX, kernel)
    upright = {
        row.center[:2]: row.index
        for row in edges(made.measurement, made.mesh)
        if row.direction == (0.0, 0.0, 1.0)
    }
    one, other = Picked("edge", upright[0.0, 0.0]), Picked("edge", upright[10.0, 20.0])
    found = measured(made, one, other)
    assert found.distance == pytest.approx(math.hypot(10.0, 20.0))
    assert found.delta is not None
    assert np.abs(found.delta) == pytest.approx((10.0, 20.0, 0.0))
    ends = [Picked("vertex", 2 * upright[0.0, 0.0] + end) for end in (0, 1)]
    assert measured(made, *ends).distance == pytest.approx(30.0)
    assert measured(made, ends[0], Picked("vertex", point=(0.0, 5.0, 0.0))).distance is not None


def test_without_a_number_the_nearest_thing_is_meant(kernel: EvaluationOptions | None) -> None:
    made = part(BOX, kernel)
    top = Picked("face", point=(5.0, 5.0, 30.001))
    assert measured(made, top).area == pytest.approx(200.0)
    assert measured(made, Picked("edge", point=(0.01, 0.0, 4.0))).length == pytest.approx(30.0)
    assert measured(made, top, Picked("vertex", point=(5.0, 5.0, 41.5))).distance == pytest.approx(11.5)


def test_one_thing_alone_says_how_large_it_is() -> None:
    made = part(HOLES)
    wall = next(row.index for row in faces(made.measurement, made.mesh) if row.kind == "cylinder")
    found = measured(made, Picked("face", wall))
    assert (found.kind, found.radius, found.exact) == ("radius", 3.0, True)
    assert found.text.startswith("cylinder · radius 3 mm · area 94.2478 mm²")
    whole = measured(made, Picked("part"))
    assert (whole.kind, whole.box) == ("box", ((0.0, 0.0, 0.0), (40.0, 20.0, 5.0)))
    rim = next(row.index for row in edges(made.measurement, made.mesh) if row.kind == "circle")
    assert measured(made, Picked("edge", rim)).length == pytest.approx(6.0 * math.pi)
    assert measured(made, Picked("vertex", point=(1.0, 2.0, 3.0))).text == "vertex · at (1, 2, 3)"


def test_holes_say_how_far_their_axes_are_apart() -> None:
    second = moved(solid(Cylinder, radius=4.0, height=9.0), (28.0, 10.0, -2.0))
    made = part(difference(HOLES, second))
    walls = [row.index for row in faces(made.measurement, made.mesh) if row.kind == "cylinder"]
    found = measured(made, *(Picked("face", wall) for wall in walls))
    assert (found.axis_distance, found.angle) == (pytest.approx(20.0), 0.0)
    assert found.distance == pytest.approx(13.0)
    assert "axes 20 mm apart · parallel" in found.text


def test_two_parts_are_measured_where_they_are_placed(kernel: EvaluationOptions | None) -> None:
    made, other = part(BOX, kernel), part(box(2.0, 2.0, 2.0), kernel)
    turned = (0.0, -1.0, 0.0, 50.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    whole = Picked("part")
    found = between(
        Subject(made.measurement, made.mesh, whole), Subject(other.measurement, other.mesh, whole, turned)
    )
    assert found.distance == pytest.approx(38.0)
    assert found.points is not None
    assert (found.points[0][0], found.points[1][0]) == pytest.approx((10.0, 48.0))
    placed = between(Subject(other.measurement, other.mesh, whole, turned))
    assert placed.box is not None
    assert placed.box[0] == pytest.approx((48.0, 0.0, 0.0), abs=1e-6)


def test_a_mesh_of_a_curved_body_is_about_right_and_says_so() -> None:
    ball = part(solid(Sphere, radius=5.0), OPTIONS["mesh"])
    found = measured(ball, Picked("face", 0), Picked("vertex", point=(9.0, 0.0, 0.0)))
    assert found.distance == pytest.approx(4.0, abs=0.05)
    assert not found.exact
    assert found.text.startswith("distance ≈ ")


def test_faces_that_cross_are_not_apart(kernel: EvaluationOptions | None) -> None:
    one, other = part(BOX, kernel), part(BOX, kernel)
    shifted = (1.0, 0.0, 0.0, 5.0, 0.0, 1.0, 0.0, -5.0, 0.0, 0.0, 1.0, 5.0, 0.0, 0.0, 0.0, 1.0)
    found = between(
        Subject(one.measurement, one.mesh, face(one, (1.0, 0.0, 0.0))),
        Subject(other.measurement, other.mesh, face(other, (0.0, 1.0, 0.0)), shifted),
    )
    assert (found.distance, found.angle) == (0.0, 90.0)


@pytest.mark.parametrize(
    ("picked", "pose", "said"),
    [
        (Picked("face", 6), (), "no face 6"),
        (Picked("edge", 40), (), "no edge 40"),
        (Picked("edge"), (), "without its number"),
        (Picked("part"), (1.0,) * 16, "not rigid"),
        (Picked("part"), (1.0,), "16"),
    ],
)
def test_what_is_not_there_is_refused(
    kernel: EvaluationOptions | None, picked: Picked, pose: tuple[float, ...], said: str
) -> None:
    made = part(BOX, kernel)
    with pytest.raises(ValueError, match=said):
        between(Subject(made.measurement, made.mesh, picked, pose))
