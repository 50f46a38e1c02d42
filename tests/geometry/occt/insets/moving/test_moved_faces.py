"""Faces moved: tori, which have seams where OpenCASCADE closes no face made anew, and waves."""

from __future__ import annotations

import math

import pytest
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeEdge
from OCP.BRepPrimAPI import BRepPrimAPI_MakePrism
from OCP.collections import Array1_double, Array1_gp_Pnt, Array1_int
from OCP.Geom import Geom_BSplineCurve
from OCP.gp import gp_Pnt, gp_Vec
from OCP.TopoDS import TopoDS_Shape

from tests.geometry import models
from tests.geometry.occt import answers
from tests.geometry.occt.bodies import cylinder, intersection
from vcad_kernel.geometry.occt.brep import faces_of
from vcad_kernel.geometry.occt.insets.moving.moved_faces import moved
from vcad_kernel.operations.bodies.bodies import Offset
from vcad_kernel.operations.features.features import Shell, ShellOpen
from vcad_kernel.operations.features.selections import Selector
from vcad_kernel.operations.profiles.paths import PolylinePath
from vcad_kernel.operations.solids.sweeps import Sweep

BENT = PolylinePath(((0.0, 0.0, 0.0), (0.0, 0.0, 20.0), (20.0, 0.0, 20.0), (20.0, 20.0, 20.0)), 5.0)
PIPE = models.solid(Sweep, models.circle(3.0), path=BENT)
LENGTH = 15.0 + 10.0 + 15.0 + 5.0 * math.pi


def _disc(radius: float) -> float:
    return math.pi * radius**2


def test_a_bent_pipe_is_hollowed() -> None:
    hollow = models.solid(Shell, PIPE, thickness=1.0)
    expected = _disc(3.0) * LENGTH - _disc(2.0) * (LENGTH - 2.0)
    assert answers.volume(hollow) == pytest.approx(expected, rel=1e-6)


def test_a_bent_pipe_is_hollowed_from_end_to_end() -> None:
    hollow = models.solid(ShellOpen, PIPE, thickness=1.0, faces=Selector("face", kind="plane"))
    assert answers.volume(hollow) == pytest.approx((_disc(3.0) - _disc(2.0)) * LENGTH, rel=1e-6)


def test_a_bent_pipe_shrinks() -> None:
    shrunk = models.solid(Offset, PIPE, distance=-0.5)
    assert answers.volume(shrunk) == pytest.approx(_disc(2.5) * (LENGTH - 1.0), rel=1e-6)


def _wave() -> TopoDS_Shape:
    """A wavy strip of parabolas, whose curvature jumps: no curve follows it well at a distance."""
    heights, inner = (0.0, 0.5, 0.0, 0.5, 0.0, 0.5, 0.0, 0.5), 5
    poles = Array1_gp_Pnt(1, len(heights))
    for index, height in enumerate(heights, start=1):
        poles.SetValue(index, gp_Pnt(float(index), height, 0.0))
    knots, multiplicities = Array1_double(1, inner + 2), Array1_int(1, inner + 2)
    for index in range(1, inner + 3):
        knots.SetValue(index, float(index))
        multiplicities.SetValue(index, 3 if index in (1, inner + 2) else 1)
    edge = BRepBuilderAPI_MakeEdge(Geom_BSplineCurve(poles, knots, multiplicities, 2)).Edge()
    return BRepPrimAPI_MakePrism(edge, gp_Vec(0.0, 0.0, 10.0)).Shape()


def test_a_face_of_any_form_between_smooth_neighbours_is_moved_only_up_to_its_own_sides() -> None:
    (whole,) = faces_of(_wave())
    (disc,) = faces_of(intersection(_wave(), cylinder(3, 20, (4.5, -5, 5), (0.0, 1.0, 0.0))))
    assert moved(disc, 0.1, 2.0, lambda _edge: True) == []
    assert len(moved(disc, 0.1, 2.0, lambda _edge: False)) == 1
    assert len(moved(whole, 0.1, 2.0, lambda _edge: True)) == 1
