"""Copies of bodies whose boundary has moved: valid, and where it was solved for to the last digits."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepTools import BRepTools
from OCP.Geom import Geom_RectangularTrimmedSurface
from OCP.TopAbs import TopAbs_SHELL
from OCP.TopoDS import TopoDS_Shape

from tests.geometry.occt import bodies
from vcad_kernel.geometry.occt.brep import edges_of, faces_of, shape_map
from vcad_kernel.geometry.occt.insets.cavities import filled
from vcad_kernel.geometry.occt.insets.growing_worker import grown
from vcad_kernel.geometry.occt.insets.moving.moved_copy import MovedCopy
from vcad_kernel.geometry.occt.insets.moving.moving_boundary import MovingBoundary
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
    # its cylinders are parts of such
    "grown box": (
        lambda: filled(shape_map(grown(bodies.box(10, 8, 6), 2.0), TopAbs_SHELL).FindKey(1)),
        480.0 + 2.0 * 188.0 + math.pi * 24.0 + math.pi * 4.0 / 3.0,
    ),
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


def test_a_part_of_a_surface_is_made_wider() -> None:
    body = bodies.difference(bodies.box(20, 20, 10), bodies.box(20, 20, 20, (10, 10, -5)))
    for face in faces_of(body):
        low_u, high_u, low_v, high_v = BRepTools.UVBounds_s(face)
        part = Geom_RectangularTrimmedSurface(BRep_Tool.Surface_s(face), low_u, high_u, low_v, high_v)
        BRep_Builder().UpdateFace(face, part, face.Location(), 1e-7)
    copy = _moved(body, 1.0)
    for face in faces_of(copy):
        low_u, high_u, low_v, high_v = BRep_Tool.Surface_s(face).Bounds()
        uses = BRepTools.UVBounds_s(face)
        assert low_u <= uses[0] <= uses[1] <= high_u
        assert low_v <= uses[2] <= uses[3] <= high_v
