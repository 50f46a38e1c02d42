"""Exact bodies under matrices: positions, volumes, and surfaces that stay what they are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.GeomAbs import GeomAbs_Cylinder, GeomAbs_Plane

from tests.geometry import models
from tests.geometry.models import box, difference
from tests.geometry.occt.answers import ball, body, cylinder, figures, volume
from tests.tiers import examples
from vcad_kernel.geometry.occt.brep import Brep, faces_of
from vcad_kernel.geometry.occt.measure.validity import flaw, volume_of
from vcad_kernel.geometry.occt.transforms import moved
from vcad_kernel.operations.bodies.patterns import CircularPattern, LinearPattern
from vcad_kernel.operations.bodies.transforms import Mirror, Rotate, Scale, Translate
from vcad_kernel.operations.features.features import Fillet
from vcad_kernel.operations.node import Vec3

HOLED = difference(box(10.0, 10.0, 10.0), cylinder(3.0, 20.0, (5.0, 5.0, -5.0)))
HOLED_VOLUME = 1000.0 - 90.0 * math.pi


def surfaces(made: Brep | None) -> list[object]:
    assert made is not None
    return [BRepAdaptor_Surface(face, False).GetType() for face in faces_of(made.shape)]


def test_rotation_turns_about_z_first_then_y_then_x() -> None:
    found = figures(models.solid(Rotate, box(1.0, 2.0, 3.0), angles=(90.0, 90.0, 0.0)))
    assert np.array(found.bounds) == pytest.approx(np.array([[0, 0, 0], [3, 1, 2]]), abs=1e-9)


def test_a_long_chain_of_transforms_is_one_motion() -> None:
    chain = box(1.0, 1.0, 1.0)
    for _ in range(300):
        chain = models.solid(Translate, chain, offset=(0.01, 0.0, 0.0))
    found = figures(chain)
    assert found.bounds is not None
    assert found.bounds[0] == pytest.approx((3.0, 0.0, 0.0))


@pytest.mark.parametrize(
    "factor", [(2.0, 2.0, 2.0), (-1.0, 1.0, 1.0), (1.0, 1.0, 3.0), (1.0, 2.0, 3.0), (-1.0, 2.0, -0.5)]
)
def test_a_scaled_body_has_the_volume_of_the_factors(factor: Vec3) -> None:
    scaled = models.solid(Scale, HOLED, factor=factor)
    made = body(scaled)
    assert made is not None
    assert flaw(made.shape) is None
    assert volume(scaled) == pytest.approx(HOLED_VOLUME * abs(math.prod(factor)), rel=1e-6)


def test_a_stretch_along_its_axis_leaves_a_hole_a_cylinder() -> None:
    made = body(models.solid(Scale, HOLED, factor=(2.0, 2.0, 5.0)))
    assert sorted(map(str, surfaces(made))) == sorted(map(str, [GeomAbs_Cylinder, *[GeomAbs_Plane] * 6]))


def test_a_stretched_box_can_be_rounded_again() -> None:
    stretched = models.solid(Scale, box(1.0, 1.0, 1.0), factor=(10.0, 20.0, 30.0))
    rounded = models.solid(Fillet, stretched, radius=1.0)
    x, y, z = 8.0, 18.0, 28.0
    want = x * y * z + 2 * (x * y + y * z + z * x) + math.pi * (x + y + z) + 4.0 / 3.0 * math.pi
    assert volume(rounded) == pytest.approx(want, rel=1e-6)


def test_a_sheared_polyhedron_keeps_flat_faces() -> None:
    turned = models.solid(Rotate, box(1.0, 2.0, 3.0), angles=(30.0, 20.0, 10.0))
    sheared = models.solid(Scale, turned, factor=(1.0, 2.0, -3.0))
    made = body(sheared)
    assert set(map(str, surfaces(made))) == {str(GeomAbs_Plane)}
    assert volume(sheared) == pytest.approx(36.0)


def test_a_stretched_ball_is_an_ellipsoid_with_its_true_box() -> None:
    found = figures(models.solid(Scale, ball(1.0), factor=(1.0, 2.0, 3.0)))
    assert found.volume == pytest.approx(8.0 * math.pi, rel=1e-6)
    assert np.array(found.bounds) == pytest.approx(np.array([[-1, -2, -3], [1, 2, 3]]), abs=1e-9)


def test_a_mirror_image_is_on_the_other_side_and_right_side_out() -> None:
    image = models.solid(Mirror, HOLED, origin=(0.0, 0.0, 0.0), normal=(5.0, 0.0, 0.0))
    found = figures(image)
    assert found.volume == pytest.approx(HOLED_VOLUME)
    assert np.array(found.bounds) == pytest.approx(np.array([[-10, 0, 0], [0, 10, 10]]), abs=1e-9)


def test_touching_copies_become_one_lump_and_others_stay_apart() -> None:
    def row(spacing: float) -> models.Solid:
        return models.solid(
            LinearPattern, box(1.0, 1.0, 1.0), direction=(7.0, 0.0, 0.0), count=4, spacing=spacing
        )

    assert [figures(row(spacing)).lumps for spacing in (1.0, 2.0)] == [1, 4]


def test_a_partial_circle_steps_by_the_angle_over_the_count() -> None:
    rods = models.solid(
        CircularPattern,
        cylinder(1.0, 1.0, (10.0, 0.0, 0.0)),
        axis_origin=(0.0, 0.0, 0.0),
        axis_dir=(0.0, 0.0, 1.0),
        count=4,
        angle_deg=90.0,
    )
    found = figures(rods)
    assert found.volume == pytest.approx(4.0 * math.pi)
    assert found.bounds is not None
    assert found.bounds[1][1] == pytest.approx(10.0 * math.sin(math.radians(67.5)) + 1.0)


_ANGLES = st.integers(-17, 17).map(lambda step: 20.0 * step)
_NUMBERS = st.floats(-50.0, 50.0).map(lambda value: round(value, 3))


@examples(15)
@given(st.tuples(_ANGLES, _ANGLES, _ANGLES), st.tuples(_NUMBERS, _NUMBERS, _NUMBERS))
def test_a_transform_and_its_inverse_change_nothing(angles: Vec3, offset: Vec3) -> None:
    there = models.solid(Translate, models.solid(Rotate, HOLED, angles=angles), offset=offset)
    back = models.solid(Translate, there, offset=(-offset[0], -offset[1], -offset[2]))
    for axis in range(3):
        turn = [0.0, 0.0, 0.0]
        turn[axis] = -angles[axis]
        back = models.solid(Rotate, back, angles=(turn[0], turn[1], turn[2]))
    found, here = figures(back), figures(HOLED)
    assert found.volume == pytest.approx(here.volume, rel=1e-9)
    assert np.array(found.bounds) == pytest.approx(np.array(here.bounds), abs=1e-8)


@examples(15)
@given(st.lists(st.floats(-2.0, 2.0), min_size=9, max_size=9))
def test_any_regular_matrix_multiplies_the_volume_by_its_determinant(numbers: list[float]) -> None:
    linear = np.reshape(numbers, (3, 3)) + 3.0 * np.eye(3)
    scale = abs(float(np.linalg.det(linear)))
    if np.linalg.cond(linear) > 20.0:
        return
    made = body(HOLED)
    assert made is not None
    stretched = moved(made, np.hstack([linear, [[1.0], [2.0], [3.0]]]))
    assert flaw(stretched.shape) is None
    assert volume_of(stretched.shape) == pytest.approx(HOLED_VOLUME * scale, rel=1e-6)
    assert sorted(stretched.makers) == sorted(made.makers)
