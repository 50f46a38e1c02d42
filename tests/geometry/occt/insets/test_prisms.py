"""Insets of gears and letters against offsets of their outlines by another library; refused before."""

from __future__ import annotations

import manifold3d
import numpy as np
import pytest
from numpy.typing import NDArray
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.BRepTools import BRepTools_WireExplorer
from OCP.TopAbs import TopAbs_REVERSED, TopAbs_WIRE
from OCP.TopoDS import TopoDS, TopoDS_Face

from tests.geometry import models
from tests.geometry.occt import answers, bodies
from tests.geometry.occt.bodies import BELOW, L_SHAPE
from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import Brep, faces_of, shape_map, solids_of
from vcad_kernel.geometry.occt.insets.insetting import Inset
from vcad_kernel.geometry.occt.insets.prisms import prism_of
from vcad_kernel.geometry.occt.measure.validity import volume_of
from vcad_kernel.operations.bodies.bodies import Offset
from vcad_kernel.operations.features.features import ShellOpen
from vcad_kernel.operations.features.selections import Selector
from vcad_kernel.operations.solids.gears import Gear
from vcad_kernel.operations.solids.text import Text

GEAR = models.solid(Gear, module=2.0, teeth=8, width=6.0)
LETTERS = models.solid(Text, text="OS", size=20.0, height=6.0)
POINTS_PER_EDGE = 200


def _outline(face: TopoDS_Face) -> list[NDArray[np.float64]]:
    found = []
    wires = shape_map(face, TopAbs_WIRE)
    for index in range(1, wires.Extent() + 1):
        around = BRepTools_WireExplorer(TopoDS.Wire(wires.FindKey(index)), face)
        points = []
        while around.More():
            edge = around.Current()
            curve = BRepAdaptor_Curve(edge)
            places = np.linspace(curve.FirstParameter(), curve.LastParameter(), POINTS_PER_EDGE)
            if edge.Orientation() == TopAbs_REVERSED:
                places = places[::-1]
            for at in places[:-1]:
                point = curve.Value(float(at))
                points.append((point.X(), point.Y()))
            around.Next()
        found.append(np.array(points))
    return found


def _inset_area(recipe: models.Solid, distance: float) -> float:
    """By manifold3d, from the base of each letter or gear."""
    body = answers.body(recipe)
    assert body is not None
    area = 0.0
    for solid in solids_of(unified(body).shape):
        prism = prism_of(solid)
        assert prism is not None
        base = manifold3d.CrossSection(_outline(prism.base), manifold3d.FillRule.EvenOdd)
        area += base.offset(-distance, manifold3d.JoinType.Miter, 10.0).area()
    return area


@pytest.mark.parametrize(("recipe", "distance"), [(GEAR, 0.1), (LETTERS, 0.3)], ids=["gear", "letters"])
def test_a_body_of_many_free_form_walls_shrinks_by_its_outline(recipe: models.Solid, distance: float) -> None:
    shrunk = answers.volume(models.solid(Offset, recipe, distance=-distance))
    expected = _inset_area(recipe, distance) * (6.0 - 2.0 * distance)
    assert shrunk == pytest.approx(expected, rel=3e-6)


def test_letters_open_on_top_are_troughs() -> None:
    top = Selector("face", normal=(0.0, 0.0, 1.0))
    left = answers.volume(models.solid(ShellOpen, LETTERS, thickness=0.5, faces=top))
    expected = answers.volume(LETTERS) - _inset_area(LETTERS, 0.5) * (6.0 - 0.5)
    assert left == pytest.approx(expected, rel=1e-5)


def test_what_stands_straight_on_a_flat_outline_is_a_prism() -> None:
    for body in (bodies.extruded(L_SHAPE, 3.0), bodies.turned(bodies.cylinder(3, 5), 0.7, (1, 2, 3))):
        prism = prism_of(body)
        assert prism is not None
        assert len(prism.outline) + 2 == len(faces_of(body))
    step = bodies.union(bodies.box(9, 9, 3), bodies.box(4, 9, 6))
    for body in (unified(Brep.made(step, BELOW)).shape, bodies.cone(3, 1, 5), bodies.sphere(3)):
        found = prism_of(body)
        assert found is None or found.rise.Magnitude() == pytest.approx(9.0)


def test_no_inset_is_left_where_the_prism_is_too_low() -> None:
    body = answers.body(LETTERS)
    assert body is not None
    assert Inset(unified(body).shape).at(3.0) is None
    assert volume_of(body.shape) > 0.0
