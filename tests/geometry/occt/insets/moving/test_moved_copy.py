"""Copies of bodies whose boundary has moved: valid, and where it was solved for to the last digits."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from OCP.BRep import BRep_Builder
from OCP.Geom import Geom_Plane, Geom_RectangularTrimmedSurface
from OCP.gp import gp_Dir, gp_Pnt
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS_Shape

from tests.geometry.occt import bodies
from vcad_kernel.geometry.occt.brep import edges_of, faces_of
from vcad_kernel.geometry.occt.insets.moving.moved_copy import MovedCopy
from vcad_kernel.geometry.occt.insets.moving.moving_boundary import MovingBoundary, NotStraight
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import kind_of_edge
from vcad_kernel.geometry.occt.measure.validity import is_valid, volume_of


def _moved(body: TopoDS_Shape, distance: float) -> TopoDS_Shape:
    moving = MovingBoundary(body, faces_of(body), lambda _: False)
    copy = MovedCopy(body, moving, distance).shape
    assert is_valid(copy)
    return copy


def _frustum(bottom: float, top: float, height: float) -> float:
    return math.pi * height * (bottom**2 + bottom * top + top**2) / 3.0


# walls of a cone that leans by atan(1/2) come nearer by √5/2, and by half of what its ends do
_IN = math.sqrt(5.0) / 2.0
CLOSED: dict[str, tuple[Callable[[], TopoDS_Shape], float]] = {
    "box": (lambda: bodies.box(20, 15, 12), 18.0 * 13.0 * 10.0),
    "cylinder": (lambda: bodies.cylinder(8, 20), math.pi * 49.0 * 18.0),
    "cone": (lambda: bodies.cone(8, 3, 10), _frustum(7.5 - _IN, 3.5 - _IN, 8.0)),
    "cone that widens": (lambda: bodies.cone(3, 8, 10), _frustum(3.5 - _IN, 7.5 - _IN, 8.0)),
    "ball": (lambda: bodies.sphere(5), math.pi * 4.0 / 3.0 * 64.0),
    "ring": (lambda: bodies.torus(10, 3), 2.0 * math.pi**2 * 10.0 * 4.0),
    "mirrored cone": (lambda: bodies.mirrored(bodies.cone(8, 3, 10)), _frustum(7.5 - _IN, 3.5 - _IN, 8.0)),
    "bored box": (
        lambda: bodies.difference(bodies.box(20, 15, 12), bodies.cylinder(3, 20, (10, 7, -1))),
        (18.0 * 13.0 - 16.0 * math.pi) * 10.0,
    ),
}


@pytest.mark.parametrize("name", CLOSED)
def test_a_moved_copy_has_the_volume_of_the_closed_form(name: str) -> None:
    body, volume = CLOSED[name]
    assert volume_of(_moved(body(), 1.0)) == pytest.approx(volume, rel=1e-12)


def test_lines_stay_lines_and_corners_lie_where_they_were_solved_for() -> None:
    body = bodies.turned(bodies.extruded(((0, 0), (20, 0), (26, 10), (12, 22), (-3, 9)), 10), 0.7, (1, 2, 3))
    moving = MovingBoundary(body, faces_of(body), lambda _: False)
    copy = MovedCopy(body, moving, 0.4).shape
    assert all(kind_of_edge(edge) == "line" for edge in edges_of(copy))
    there = MovingBoundary(copy, faces_of(copy), lambda _: False)
    assert np.abs(there.corners - moving.corners - 0.4 * moving.velocities).max() < 1e-13
    assert np.abs(there.whole.frames - moving.whole.frames).max() < 1e-15


def test_a_surface_that_is_a_part_of_another_one_is_not_moved() -> None:
    body = bodies.box(20, 15, 12)
    face = faces_of(body)[0]
    plane = Geom_Plane(gp_Pnt(0.0, 0.0, 0.0), gp_Dir(-1.0, 0.0, 0.0))
    part = Geom_RectangularTrimmedSurface(plane, -50.0, 50.0, -50.0, 50.0)
    BRep_Builder().UpdateFace(face, part, TopLoc_Location(), 1e-7)
    moving = MovingBoundary(body, faces_of(body), lambda _: False)
    with pytest.raises(NotStraight):
        MovedCopy(body, moving, 1.0)
