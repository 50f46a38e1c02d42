"""How deep points lie: the quick answer is the one of the distance itself."""

from __future__ import annotations

import random

import pytest
from OCP.gp import gp_Pnt
from OCP.TopoDS import TopoDS_Shape

from tests.geometry.occt import bodies
from vcad_kernel.geometry.occt.brep import edges_of, faces_of
from vcad_kernel.geometry.occt.measure.distances.depth import Depth

BODIES = [
    bodies.box(6, 5, 4),
    bodies.difference(bodies.cylinder(4, 5), bodies.cone(1, 3, 5)),
    bodies.filleted(bodies.box(6, 5, 4), 1),
    bodies.stretched(bodies.sphere(2), 1.0, 2.0, 3.0),
]


@pytest.mark.parametrize("body", BODIES)
def test_points_reach_a_depth_when_their_distance_does(body: TopoDS_Shape) -> None:
    chance = random.Random(7)
    points = [gp_Pnt(*(chance.uniform(-3.0, 7.0) for _ in range(3))) for _ in range(12)]
    for depth in (Depth(faces_of(body)), Depth(edges_of(body))):
        distances = [depth.of(point) for point in points]
        for point, distance in zip(points, distances, strict=True):
            assert depth.reaches([point], distance * (1.0 - 1e-9))
            assert not depth.reaches([point], distance * (1.0 + 1e-6) + 1e-9)
        assert depth.reaches(points, min(distances) * (1.0 - 1e-9))
        assert not depth.reaches(points, min(distances) * (1.0 + 1e-6) + 1e-9)
