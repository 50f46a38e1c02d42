"""Which face a selection means where one is meant, and the frame on it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from OCP.TopoDS import TopoDS_Shape

from tests.geometry import models
from tests.geometry.occt.bodies import (
    BELOW,
    box,
    cylinder,
    difference,
    extruded,
    intersection,
    sphere,
    stretched,
    turned,
    union,
)
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.building import Build
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import kind_of_face
from vcad_kernel.geometry.occt.selection.face_frames import FaceFrame, face_frame, one_plane_face
from vcad_kernel.operations.features.selections import Selector

DOCUMENT = models.document(models.box(1.0, 1.0, 1.0))
BUILD = Build(DOCUMENT, DOCUMENT.roots[0].node)
TOP = Selector("face", normal=(0.0, 0.0, 1.0))


def frame(shape: TopoDS_Shape, selector: Selector = TOP) -> FaceFrame:
    return face_frame(BUILD, unified(Brep.made(shape, BELOW)), selector)


def refusal(shape: TopoDS_Shape, selector: Selector) -> GeometryError:
    with pytest.raises(GeometryError) as caught:
        one_plane_face(BUILD, unified(Brep.made(shape, BELOW)), selector)
    assert not caught.value.failed
    return caught.value


def is_at(found: FaceFrame, origin: Sequence[float], x: Sequence[float], y: Sequence[float]) -> None:
    assert found.plane.origin == pytest.approx(np.array(origin), abs=1e-9)
    assert found.plane.x == pytest.approx(np.array(x), abs=1e-12)
    assert found.plane.y == pytest.approx(np.array(y), abs=1e-12)
    assert found.plane.normal == pytest.approx(np.cross(found.plane.x, found.plane.y), abs=1e-12)
    assert {
        each.shape for each in (found.plane.origin, found.plane.x, found.plane.y, found.plane.normal)
    } == {(3,)}


@pytest.mark.parametrize(
    ("normal", "origin", "x", "y"),
    [
        ((0, 0, 1), (10, 15, 40), (1, 0, 0), (0, 1, 0)),
        ((0, 0, -1), (10, 15, 0), (1, 0, 0), (0, -1, 0)),
        ((0, -1, 0), (10, 0, 20), (1, 0, 0), (0, 0, 1)),
        ((0, 1, 0), (10, 30, 20), (-1, 0, 0), (0, 0, 1)),
        ((1, 0, 0), (20, 15, 20), (0, 1, 0), (0, 0, 1)),
        ((-1, 0, 0), (0, 15, 20), (0, -1, 0), (0, 0, 1)),
    ],
)
def test_the_six_faces_of_a_box_are_seen_from_outside_with_the_world_s_z_up(
    normal: tuple[float, float, float],
    origin: Sequence[float],
    x: Sequence[float],
    y: Sequence[float],
) -> None:
    found = frame(box(20, 30, 40), Selector("face", normal=normal))
    is_at(found, origin, x, y)
    # those of a box are exact, not only near
    assert found.plane.origin.tolist() == list(origin)
    assert found.plane.normal.tolist() == list(normal)


def test_on_a_slanted_face_y_is_the_way_up() -> None:
    half = math.sqrt(0.5)
    # a wedge whose slope looks at +x and up
    wedge = turned(extruded([(0, 0), (10, 0), (0, 10)], 6), math.pi / 2, (1, 0, 0))
    found = frame(wedge, Selector("face", largest=1))
    assert found.plane.normal == pytest.approx([half, 0, half])
    assert found.plane.y == pytest.approx([-half, 0, half])
    assert found.plane.x == pytest.approx([0, 1, 0])
    corners = np.array([(0, 0, 0), (10, 0, 0), (0, 10, 0)])
    assert abs((corners[1] - corners[0]) @ found.plane.x) < 1e-9


def test_what_leans_by_less_than_a_hair_is_horizontal() -> None:
    for angle, level in ((1e-5, True), (1e-4, False)):
        plate = turned(box(20, 20, 5), angle, (1, 1, 0))
        lean = math.sin(angle) / 2**0.5
        found = frame(plate, Selector("face", normal=(lean, -lean, 1)))
        assert found.plane.x[1] == pytest.approx(0.0 if level else 0.5**0.5, abs=1e-9)


def test_the_origin_of_a_disc_is_its_centre_to_the_last_digit() -> None:
    # no vertex of a circle lies at its extremes but one
    disc = turned(cylinder(7.3, 4, (11, 5, 2)), 0.7, (0, 0, 1))
    c, s = math.cos(0.7), math.sin(0.7)
    assert frame(disc).plane.origin == pytest.approx([1 + 10 * c - 4 * s, 1 + 10 * s + 4 * c, 6], abs=1e-12)


def test_the_rectangle_is_that_of_the_true_curves() -> None:
    half = difference(cylinder(10, 4), box(40, 20, 4, (-20, -20, 0)))
    is_at(frame(half), (0, 5, 4), (1, 0, 0), (0, 1, 0))
    # an ellipse that the kernel keeps as a spline, cut off on one side
    oval = intersection(stretched(cylinder(10, 4), 2.0, 1.0, 1.0), box(30, 20, 4, (-20, -10, -1)))
    assert kind_of_face(frame(oval, Selector("face", at=(("z", 3.0),))).faces[0]) == "plane"
    assert frame(oval, Selector("face", at=(("z", 3.0),))).plane.origin == pytest.approx([-5, 0, 3], abs=1e-9)


def test_an_outline_on_a_meeting_of_curved_surfaces_is_where_they_meet() -> None:
    # the flat of a ball beside its middle: a circle, 8 of radius 10 at a distance of 6
    cap = difference(sphere(10), box(40, 40, 40, (-20, -20, 6)))
    is_at(frame(cap), (0, 0, 6), (1, 0, 0), (0, 1, 0))


def test_a_hole_does_not_move_the_origin() -> None:
    plate = difference(box(20, 30, 5), cylinder(2, 9, (4, 4, -1)))
    is_at(frame(plate), (10, 15, 5), (1, 0, 0), (0, 1, 0))


def test_faces_in_one_plane_count_as_one() -> None:
    horns = union(box(30, 10, 5), union(box(5, 10, 20), box(5, 10, 20, (25, 0, 0))))
    top = Selector("face", at=(("z", 20.0),))
    found = frame(horns, top)
    assert len(found.faces) == 2
    is_at(found, (15, 5, 20), (1, 0, 0), (0, 1, 0))
    # within a millionth of a millimetre, and no further
    for step, same in ((5e-7, True), (5e-6, False)):
        uneven = union(box(30, 10, 5), union(box(5, 10, 20), box(5, 10, 20 + step, (25, 0, 0))))
        upper = Selector("face", normal=(0, 0, 1), above=(("z", 19.0),))
        if same:
            assert len(frame(uneven, upper).faces) == 2
        else:
            assert refusal(uneven, upper).code == "AMBIGUOUS_FACE"


def test_faces_that_look_apart_are_several_even_in_one_plane() -> None:
    # a step down beside one up: z = 5 is the floor of one and the ceiling of the other
    body = union(box(10, 10, 5), union(box(10, 10, 5, (20, 0, 5)), box(30, 2, 10, (0, 10, 0))))
    level = Selector("face", at=(("z", 5.0),), parallel=(1, 0, 0), kind="plane", above=(("y", 1.0),))
    assert refusal(body, level).code == "AMBIGUOUS_FACE"


def test_several_faces_are_told_with_their_centres() -> None:
    error = refusal(box(20, 30, 40), Selector("face", parallel=(0, 0, 1)))
    assert error.code == "AMBIGUOUS_FACE"
    assert "takes 4 in different planes" in error.message
    assert error.details["candidate_count"] == 4
    assert [10.0, 0.0, 20.0] in [face["middle"] for face in error.details["candidate_faces"]]
    assert "  there: face 2, plane of 800 mm² at (10, 0, 20)" in error.render().split("\n")


def test_none_is_told() -> None:
    assert refusal(box(20, 30, 40), Selector("face", kind="torus")).code == "NO_MATCH"


def test_a_curved_face_is_refused_by_its_name() -> None:
    error = refusal(cylinder(5, 10), Selector("face", kind="cylinder"))
    assert error.code == "NOT_PLANE"
    assert "takes a cylinder" in error.message
    assert "radius 5" in error.render()
