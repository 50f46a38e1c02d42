"""Whether a body is sound: what is looked at once, and what must contain what."""

from __future__ import annotations

import pytest
from OCP.TopoDS import TopoDS_Shape

from tests.geometry.occt import bodies
from vcad_kernel.geometry.occt.measure.validity import box_of, box_of_points, flaw, quick_box_of

BODIES = [
    bodies.box(3, 4, 5),
    bodies.sphere(5),
    bodies.torus(8, 3),
    bodies.turned(bodies.cylinder(4, 9), 33.0, (1, 2, 0)),
    bodies.filleted(bodies.box(9, 9, 9), 2),
    bodies.stretched(bodies.sphere(2), 1.0, 2.0, 3.0),
]


@pytest.mark.parametrize("body", BODIES)
def test_the_box_of_points_is_never_too_large_and_the_quick_one_never_too_small(body: TopoDS_Shape) -> None:
    least, tight, most = box_of_points(body), box_of(body), quick_box_of(body)
    assert least is not None
    for axis in range(3):
        assert most[0][axis] <= tight[0][axis] + 1e-6
        assert tight[0][axis] <= least[0][axis] + 1e-6
        assert least[1][axis] <= tight[1][axis] + 1e-6
        assert tight[1][axis] <= most[1][axis] + 1e-6


def test_what_reaches_out_of_its_place_is_a_flaw() -> None:
    place, body = bodies.filleted(bodies.box(9, 9, 9), 2), bodies.filleted(bodies.box(9, 9, 9), 2.1)
    assert flaw(body, within=(body, place)) is None
    for moved in (bodies.box(9, 9, 9, (0.001, 0, 0)), bodies.sphere(4.6, (4.5, 4.5, 4.5))):
        assert flaw(body, within=(moved, place)) == "it reaches out of the box it must lie in"
    # only a tight box tells: the quick one of a turned rod is larger than it is
    rod = bodies.turned(bodies.cylinder(4, 9), 33.0, (1, 2, 0))
    assert flaw(rod, within=(rod, rod)) is None
