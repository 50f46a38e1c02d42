"""Room about a point is what the distance to every face says, whatever was asked of whole surfaces."""

from __future__ import annotations

import numpy as np
import pytest
from OCP.gp import gp_Pnt

from tests.geometry.occt.measure.integration.test_integrals import shape_of
from vcad_kernel.geometry.occt.brep import compound_of, faces_of
from vcad_kernel.geometry.occt.measure.distances.clearances import Crowd, clearance
from vcad_kernel.geometry.occt.measure.distances.polygons import polygon_of
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import boundary_numbers


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("[fillet 2 [cube 12 8 10]]", id="planes, cylinders and spheres"),
        pytest.param("[union [cone 5 2 6] [translate 0 0 3 [torus 7 2]]]", id="a cone and a torus"),
        pytest.param("[fillet 0.5 [difference [sphere 5] [translate 0 0 4 [cube 9 9 9]]]]", id="splines"),
    ],
)
def test_room_is_distance_to_the_nearest_face(source: str) -> None:
    faces = faces_of(shape_of(source))
    points = [gp_Pnt(*place) for place in np.random.default_rng(7).uniform(-12.0, 14.0, (60, 3)).tolist()]
    least = np.random.default_rng(8).uniform(0.1, 5.0, len(points)).tolist()
    whole = compound_of(faces)
    expected = [clearance(point, whole) >= wanted for point, wanted in zip(points, least, strict=True)]
    assert Crowd(faces).leaves_room(points, least) == expected
    assert len(set(expected)) == 2


def test_points_lie_at_a_distance_where_the_nearest_face_is_so_far() -> None:
    faces = faces_of(shape_of("[difference [translate 20 20 -1 [cube 40 40 12]] [cube 40 40 10]]"))
    crowd = Crowd(faces)
    # over a face, beside a convex edge, and beside a corner; the last two are nearer to whole surfaces
    outside = [gp_Pnt(10, 10, 12), gp_Pnt(-1.2, 10, 11.6), gp_Pnt(-1, -(2**0.5), 11)]
    assert crowd.lie_at(outside, 2.0, 1e-9)
    assert not crowd.lie_at([*outside, gp_Pnt(10, 10, 12.001)], 2.0, 1e-6)
    assert not crowd.lie_at([*outside, gp_Pnt(10, 10, 11.999)], 2.0, 1e-6)
    # in the corner that is cut out the surfaces go on where no face is
    assert not crowd.lie_at([gp_Pnt(30, 30, 12)], 2.0, 1e-6)


def test_flat_faces_are_as_far_away_by_their_borders_as_by_opencascade() -> None:
    # with a hole, with a corner that turns inwards, askew
    body = shape_of(
        "[rotate 20 30 40 [difference [translate 3 3 -1 [cube 2 2 20]]"
        " [difference [translate 8 8 -1 [cube 9 9 20]] [cube 12 12 4]]]]"
    )
    numbers = boundary_numbers(body)
    places = np.random.default_rng(9).uniform(-6.0, 14.0, (40, 3))
    for number, face in enumerate(numbers.faces):
        polygon = polygon_of(numbers, number)
        assert polygon is not None
        expected = [clearance(gp_Pnt(*place), face) for place in places.tolist()]
        assert polygon.distances(places) == pytest.approx(expected, abs=1e-9)
