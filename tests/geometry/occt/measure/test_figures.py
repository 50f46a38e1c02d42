"""Exact figures against closed formulas: integrals, tight boxes, genus, lumps and shells."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from OCP.BRepAlgoAPI import BRepAlgoAPI_BuilderAlgo
from OCP.collections import List_TopoDS_Shape

from tests.geometry import models
from tests.geometry.models import box, difference, intersection, union
from tests.geometry.occt.answers import ONE_MILLIONTH, ball, body, cylinder, figures
from tests.tiers import examples
from vcad_kernel.geometry.occt.brep import Brep, compound_of, faces_of, solids_of
from vcad_kernel.geometry.occt.kernel import OcctKernel
from vcad_kernel.geometry.occt.measure.figures import measured
from vcad_kernel.geometry.occt.transforms import moved
from vcad_kernel.operations.bodies.transforms import Rotate, Scale, Translate
from vcad_kernel.operations.features.features import Shell
from vcad_kernel.operations.node import Vec3
from vcad_kernel.operations.solids.shapes import Cone, Cylinder, Sphere, Torus

TORUS = models.solid(Torus, major_radius=5.0, minor_radius=2.0)
THIN_TORUS = models.solid(Torus, major_radius=8.0, minor_radius=2.0)
OCTANT = intersection(ball(5.0), box(9.0, 9.0, 9.0))
CONE = models.solid(Cone, radius_bottom=4.0, radius_top=0.0, height=3.0)


@pytest.mark.parametrize(
    ("recipe", "volume", "area"),
    [
        (ball(5.0), 500.0 / 3.0 * math.pi, 100.0 * math.pi),
        (cylinder(3.0, 8.0), 72.0 * math.pi, 66.0 * math.pi),
        (CONE, 16.0 * math.pi, 36.0 * math.pi),
        (TORUS, 40.0 * math.pi**2, 40.0 * math.pi**2),
        (
            intersection(ball(5.0), box(9.0, 9.0, 9.0)),
            500.0 / 24.0 * math.pi,
            12.5 * math.pi + 18.75 * math.pi,
        ),
    ],
)
def test_volume_and_area_are_those_of_the_formula(recipe: models.Solid, volume: float, area: float) -> None:
    found = figures(recipe)
    assert found.volume == pytest.approx(volume, rel=ONE_MILLIONTH)
    assert found.surface_area == pytest.approx(area, rel=ONE_MILLIONTH)


def test_the_inertia_of_a_box_is_that_of_the_textbook() -> None:
    found = figures(box(1.0, 2.0, 3.0, (100.0, -50.0, 7.0)))
    assert found.center_of_mass == pytest.approx((100.5, -49.0, 8.5))
    assert np.array(found.inertia) == pytest.approx(np.diag([6.5, 5.0, 2.5]), abs=1e-9)


def test_a_cavity_moves_the_centre_away() -> None:
    found = figures(difference(ball(2.0), ball(1.0, (0.5, 0.0, 0.0))))
    assert found.center_of_mass == pytest.approx((-0.5 / 7.0, 0.0, 0.0), abs=1e-9)
    assert (found.genus, found.lumps, found.shells) == (0, 1, 2)


@pytest.mark.parametrize(
    ("recipe", "genus"),
    [
        (box(1.0, 1.0, 1.0), 0),
        (ball(1.0), 0),
        (CONE, 0),
        (TORUS, 1),
        (difference(box(9.0, 9.0, 9.0), cylinder(2.0, 20.0, (5.0, 5.0, -5.0))), 1),
        (union(TORUS, models.solid(Translate, TORUS, offset=(14.5, 0.0, 0.0))), 2),
        (difference(ball(5.0), ball(2.0)), 0),
    ],
)
def test_the_genus_counts_through_holes(recipe: models.Solid, genus: int) -> None:
    assert figures(recipe).genus == genus


def test_a_point_at_which_a_boundary_touches_itself_is_no_hole() -> None:
    # the pin is as wide as the pipe of the ring: what is left of the ring touches itself at two points
    found = figures(difference(THIN_TORUS, cylinder(2.0, 10.0, (8.0, 0.0, -5.0))))
    assert (found.genus, found.lumps) == (0, 1)


def test_a_blind_hole_is_no_hole_through() -> None:
    assert figures(difference(box(9.0, 9.0, 9.0), cylinder(2.0, 20.0, (5.0, 5.0, 5.0)))).genus == 0


@pytest.mark.parametrize("step", range(6))
def test_the_genus_does_not_hang_on_where_sub_shapes_lie_in_memory(step: int) -> None:
    corner = difference(box(20.0, 20.0, 20.0), box(20.0, 20.0, 22.0, (10.0, 10.0, -1.0)))
    hollow = union(corner, box(5.0, 5.0, 5.0, (50.0, 0.0, 0.0)))
    document = models.document(models.solid(Shell, corner, thickness=1.0 + 0.25 * step))
    found = OcctKernel().figures(document, document.roots[0].node)
    assert (found.genus, found.shells) == (0, 2)
    assert (figures(hollow).genus, figures(hollow).shells) == (0, 2)


def test_a_point_of_contact_is_no_corner_of_a_face() -> None:
    found = figures(union(box(10.0, 10.0, 10.0), ball(5.0, (5.0, 5.0, 15.0))))
    assert (found.genus, found.lumps, found.shells) == (0, 2, 2)


_ANGLES = st.tuples(*[st.floats(-180.0, 180.0).map(lambda value: round(value, 2))] * 3)


@examples(10)
@given(_ANGLES)
@example((0.0, 1.0, 1.0))
def test_the_box_of_a_turned_body_is_tight(angles: Vec3) -> None:
    def turned(kind: type, **fields: float) -> np.ndarray:
        found = figures(models.solid(Rotate, models.solid(kind, **fields), angles=angles))
        assert found.bounds is not None
        return np.array(found.bounds)

    up = np.array(figures(models.solid(Rotate, ball(1e-3, (0.0, 0.0, 1.0)), angles=angles)).center_of_mass)
    across = np.sqrt(np.maximum(0.0, 1.0 - up**2))
    assert turned(Sphere, radius=2.0) == pytest.approx(np.array([[-2.0] * 3, [2.0] * 3]), abs=1e-9)
    ring = 5.0 * across + 2.0
    assert turned(Torus, major_radius=5.0, minor_radius=2.0) == pytest.approx(
        np.array([-ring, ring]), abs=1e-6
    )
    rim, top = 3.0 * across, 8.0 * up
    want = np.array([np.minimum(-rim, top - rim), np.maximum(rim, top + rim)])
    assert turned(Cylinder, radius=3.0, height=8.0) == pytest.approx(want, abs=1e-6)


def test_a_cap_has_the_box_of_the_cap_and_not_of_its_ball() -> None:
    turned = models.solid(Rotate, ball(5.0), angles=(20.0, 30.0, 40.0))
    found = figures(intersection(turned, box(20.0, 20.0, 20.0, (-10.0, -10.0, 3.0))))
    assert np.array(found.bounds) == pytest.approx(np.array([[-4, -4, 3], [4, 4, 5]]), abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_figures_of_a_sheared_ball_are_those_of_the_ellipsoid(seed: int) -> None:
    linear = np.random.default_rng(seed).normal(size=(3, 3)) + 2.0 * np.eye(3)
    made = body(models.solid(Sphere, radius=1.0))
    assert made is not None
    found = measured(moved(made, np.hstack([linear, [[1.0], [2.0], [3.0]]])))
    volume = 4.0 / 3.0 * math.pi * abs(float(np.linalg.det(linear)))
    reach = np.linalg.norm(linear, axis=1)
    middle = np.array([1.0, 2.0, 3.0])
    moments = linear @ linear.T * volume / 5.0
    assert found.volume == pytest.approx(volume, rel=ONE_MILLIONTH)
    assert np.array(found.bounds) == pytest.approx(np.array([middle - reach, middle + reach]), abs=1e-9)
    tensor = np.trace(moments) * np.eye(3) - moments
    assert np.array(found.inertia) == pytest.approx(tensor, rel=1e-5, abs=1e-5 * volume)


@examples(10)
@given(st.floats(0.1, 10.0))
def test_scaling_cubes_the_volume_and_squares_the_area(factor: float) -> None:
    recipe = difference(box(3.0, 3.0, 3.0), ball(1.0, (1.0, 1.0, 3.0)))
    found, scaled = figures(recipe), figures(models.solid(Scale, recipe, factor=(factor, factor, factor)))
    assert scaled.volume == pytest.approx(found.volume * factor**3, rel=1e-9)
    assert scaled.surface_area == pytest.approx(found.surface_area * factor**2, rel=1e-9)


def test_nothing_measures_nothing() -> None:
    found = figures(models.EMPTY)
    assert (found.volume, found.surface_area, found.bounds, found.center_of_mass) == (0.0, 0.0, None, None)
    assert (found.genus, found.lumps, found.shells) == (0, 0, 0)


def test_solids_that_have_faces_in_common_are_counted_each_by_itself() -> None:
    def tower(at: float, *, bored: bool) -> Brep:
        whole = box(1.0, 1.0, 1.0, at=(at, 0.0, 0.0))
        bore = box(0.4, 3.0, 0.4, at=(at + 0.3, -1.0, 0.3))
        made = body(difference(whole, bore) if bored else whole)
        assert made is not None
        return made

    operands = List_TopoDS_Shape()
    towers = [tower(float(at), bored=at % 2 == 1) for at in range(4)]
    for each in towers:
        operands.Append(each.shape)
    joining = BRepAlgoAPI_BuilderAlgo()
    joining.SetArguments(operands)
    joining.Build()
    for order in (1, -1):
        whole = compound_of(solids_of(joining.Shape())[::order])
        found = measured(Brep(whole, towers[0].makers[:1] * len(faces_of(whole))))
        assert (found.genus, found.shells, found.lumps) == (2, 4, 4)
