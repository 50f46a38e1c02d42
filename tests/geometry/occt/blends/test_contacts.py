"""Faces that are told apart without measuring, against their distances as OpenCASCADE measures them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest
from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut
from OCP.BRepExtrema import BRepExtrema_DistShapeShape
from OCP.BRepPrimAPI import BRepPrimAPI_MakeCone
from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt
from OCP.TopoDS import TopoDS_Shape

from tests.geometry.occt.bodies import box, cylinder, difference, torus, turned, union
from vcad_kernel.geometry.occt.blends import contacts
from vcad_kernel.geometry.occt.blends.contacts import meet_others
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import boundary_numbers


def sunk(body: TopoDS_Shape, x: float, radius: float, height: float) -> TopoDS_Shape:
    """A hole all through, with a bevel at its upper rim, which lies at the height."""
    axes = gp_Ax2(gp_Pnt(x, 0.0, height - 1.0), gp_Dir(0.0, 0.0, 1.0))
    cone = BRepPrimAPI_MakeCone(axes, radius, radius + 1.0, 1.0).Shape()
    return BRepAlgoAPI_Cut(difference(body, cylinder(radius, 90.0, (x, 0.0, -40.0))), cone).Shape()


def flange() -> TopoDS_Shape:
    """Rings within each other and rings beside the axis, bevelled; below, a groove runs into the bore."""
    body = difference(cylinder(20.0, 5.0), torus(5.5, 1.0))
    return sunk(sunk(sunk(body, 0.0, 5.0, 5.0), 13.0, 2.0, 5.0), -13.0, 1.5, 5.0)


def block() -> TopoDS_Shape:
    body = union(box(30.0, 20.0, 8.0), cylinder(4.0, 12.0, (20.0, 0.0, 0.0)))
    return sunk(sunk(body, 20.0, 2.0, 12.0), 5.0, 2.0, 8.0)


@pytest.mark.parametrize("place", [lambda body: body, lambda body: turned(body, 0.7, (1, 2, 3))])
@pytest.mark.parametrize("body", [flange, block])
def test_no_faces_that_meet_are_told_apart(
    body: Callable[[], TopoDS_Shape], place: Callable[[TopoDS_Shape], TopoDS_Shape]
) -> None:
    numbers = boundary_numbers(place(body()))
    faces = range(len(numbers.faces))
    boxes = np.array([contacts._box(numbers, face) for face in faces])
    told = [
        (ring, other)
        for ring, other in permutations(faces, 2)
        if contacts._is_beside_ring(numbers, ring, other, boxes[other])
    ]
    assert len(told) >= 8
    for ring, other in told:
        assert BRepExtrema_DistShapeShape(numbers.faces[ring], numbers.faces[other]).Value() > 1e-6


def test_bevels_of_rings_are_told_apart_without_measuring() -> None:
    numbers = boundary_numbers(flange())
    everything = range(len(numbers.faces))
    assert not list(contacts._close(numbers, everything))
    assert not meet_others(numbers, everything)
