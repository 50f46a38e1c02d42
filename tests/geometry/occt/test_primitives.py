"""Primitives, gears and text as B-reps, against closed formulas and against their meshes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from OCP.BRepBuilderAPI import BRepBuilderAPI_Copy

from tests.geometry.models import Solid, solid
from tests.geometry.occt.solids import exact, kinds, meshed, refusal, volume
from vcad_kernel.geometry.mesh import shapes
from vcad_kernel.geometry.occt import primitives
from vcad_kernel.geometry.occt.brep import faces_of, solids_of
from vcad_kernel.geometry.occt.building import Builder
from vcad_kernel.geometry.occt.measure.extents import box_of
from vcad_kernel.geometry.occt.measure.validity import area_of, volume_of
from vcad_kernel.geometry.occt.sweeps.gears import gear
from vcad_kernel.geometry.occt.sweeps.lettering import text
from vcad_kernel.operations.solids.gears import Gear
from vcad_kernel.operations.solids.shapes import Cone, Cube, Cylinder, Prism, Sphere, Torus, Wedge
from vcad_kernel.operations.solids.text import Text

SIZES = st.floats(0.1, 100.0)


def spur(teeth: int, *, internal: bool = False, backlash: float = 0.0) -> Solid:
    return solid(Gear, module=2.0, teeth=teeth, width=5.0, backlash=backlash, internal=internal)


def letters(words: str) -> Solid:
    return solid(Text, text=words, size=10.0, height=2.0)


@pytest.mark.parametrize(
    ("build", "node"),
    [
        (primitives.cube, solid(Cube, size=(1.0, 2.0, 3.0))),
        (primitives.cylinder, solid(Cylinder, radius=3.0, height=7.0)),
        (primitives.sphere, solid(Sphere, radius=4.0)),
    ],
    ids=["cube", "cylinder", "sphere"],
)
def test_what_is_known_of_a_primitive_is_what_is_measured(build: Builder, node: Solid) -> None:
    known = exact(build, node).shape
    unknown = BRepBuilderAPI_Copy(known).Shape()
    assert volume_of(known) == pytest.approx(volume_of(unknown), rel=1e-12)
    assert area_of(known) == pytest.approx(area_of(unknown), rel=1e-12)


def test_cube_stands_on_the_origin() -> None:
    brep = exact(primitives.cube, solid(Cube, size=(1.0, 2.0, 3.0)))
    assert box_of(brep.shape) == ((0.0, 0.0, 0.0), (1.0, 2.0, 3.0))
    assert area_of(brep.shape) == pytest.approx(22.0)


@given(radius=SIZES, height=SIZES)
def test_cylinder_has_one_cylindrical_face(radius: float, height: float) -> None:
    brep = exact(primitives.cylinder, solid(Cylinder, radius=radius, height=height))
    assert kinds(brep) == ["Cylinder", "Plane", "Plane"]
    assert area_of(brep.shape) == pytest.approx(2.0 * math.pi * radius * (radius + height))


@given(bottom=st.floats(0.0, 50.0), top=st.floats(0.1, 50.0), height=SIZES)
def test_cone_has_the_volume_of_a_frustum(bottom: float, top: float, height: float) -> None:
    want = math.pi * height / 3.0 * (bottom**2 + bottom * top + top**2)
    recipe = solid(Cone, radius_bottom=bottom, radius_top=top, height=height)
    assert volume(primitives.cone, recipe) == pytest.approx(want, rel=1e-6)


@pytest.mark.parametrize("top", [2.0, 2.0 + 1e-8, 2.0 + 1e-6])
def test_cone_of_nearly_equal_radii_is_built(top: float) -> None:
    recipe = solid(Cone, radius_bottom=2.0, radius_top=top, height=3.0)
    assert volume(primitives.cone, recipe) == pytest.approx(12.0 * math.pi, rel=1e-5)


def test_ball_is_one_spherical_face() -> None:
    brep = exact(primitives.sphere, solid(Sphere, radius=2.0))
    assert kinds(brep) == ["Sphere"]
    assert area_of(brep.shape) == pytest.approx(16.0 * math.pi)


def test_torus_has_the_volume_of_pappus_and_its_mesh_converges_to_it() -> None:
    recipe = solid(Torus, major_radius=3.0, minor_radius=1.0)
    want = 6.0 * math.pi**2
    assert volume(primitives.torus, recipe) == pytest.approx(want)
    errors = [want - meshed(shapes.torus, recipe, sides).volume for sides in (32, 64, 128)]
    assert errors[0] > 3.9 * errors[1] > 15.0 * errors[2] > 0.0


def test_the_mesh_of_a_torus_is_as_far_off_as_it_says() -> None:
    swept = meshed(shapes.torus, solid(Torus, major_radius=3.0, minor_radius=1.0), 32)
    (skin,) = swept.skins
    corners = skin.positions[skin.triangles]
    x, y, z = ((corners + np.roll(corners, 1, axis=1)) / 2.0).reshape(-1, 3).T  # the middles of all sides
    gaps = 1.0 - np.hypot(np.hypot(x, y) - 3.0, z)
    assert 0.95 * swept.deviation < gaps.max() <= swept.deviation


def test_wedge_is_high_at_the_origin_and_sharp_at_x() -> None:
    recipe = solid(Wedge, size=(4.0, 2.0, 3.0))
    brep = exact(primitives.wedge, recipe)
    assert volume(primitives.wedge, recipe) == pytest.approx(12.0)
    assert area_of(brep.shape) == pytest.approx(2.0 * 6.0 + 2.0 * (4.0 + 3.0 + 5.0))
    assert box_of(brep.shape)[1] == pytest.approx((4.0, 2.0, 3.0))
    (skin,) = meshed(shapes.wedge, recipe, 32).skins
    assert sorted(map(tuple, skin.positions.tolist())) == [
        (0.0, 0.0, 0.0), (0.0, 0.0, 3.0), (0.0, 2.0, 0.0), (0.0, 2.0, 3.0), (4.0, 0.0, 0.0), (4.0, 2.0, 0.0)
    ]  # fmt: skip


@pytest.mark.parametrize("sides", [3, 4, 6, 17])
def test_prism_is_the_same_in_both_kernels(sides: int) -> None:
    recipe = solid(Prism, sides=sides, radius=2.0, height=3.0)
    want = 3.0 * sides / 2.0 * 4.0 * math.sin(2.0 * math.pi / sides)
    brep = exact(primitives.prism, recipe)
    assert len(faces_of(brep.shape)) == sides + 2
    assert volume(primitives.prism, recipe) == pytest.approx(want)
    assert meshed(shapes.prism, recipe, 8).volume == pytest.approx(want)
    assert box_of(brep.shape)[1][0] == pytest.approx(2.0)


def test_a_body_thinner_than_the_tolerance_is_refused() -> None:
    error = refusal(primitives.cube, solid(Cube, size=(1.0, 1.0, 1e-9)))
    assert (error.code, error.operation) == ("INVALID_PARAMETER", "cube")


@pytest.mark.parametrize("internal", [False, True])
@pytest.mark.parametrize("teeth", [4, 5, 17, 42])
def test_gear_is_what_its_mesh_converges_to(teeth: int, internal: bool) -> None:
    recipe = spur(teeth, internal=internal, backlash=0.1)
    exactly = volume(gear, recipe)
    rough, fine = (meshed(shapes.gear, recipe, sides).volume for sides in (64, 512))
    assert abs(fine - exactly) < 0.25 * abs(rough - exactly)
    assert fine == pytest.approx(exactly, rel=2e-4)


def test_gear_stands_between_root_and_tip_circles_on_true_cylinders() -> None:
    brep = exact(gear, spur(20))
    assert kinds(brep).count("Cylinder") == 40
    low, high = box_of(brep.shape)
    assert (low[2], high[0], high[2]) == pytest.approx((0.0, 22.0, 5.0), abs=1e-6)


def test_backlash_takes_its_width_times_the_height_of_the_teeth() -> None:
    # for many teeth the involute is nearly straight, and every height loses the same width
    whole, thinned = volume(gear, spur(60)), volume(gear, spur(60, backlash=0.1))
    assert whole - thinned == pytest.approx(60 * 0.1 * 4.5 * 5.0, rel=0.03)


def test_a_gear_fits_into_its_ring_with_room_for_the_backlash() -> None:
    wheel, ring = (Gear(2.0, 30, 5.0, 0.1, internal).form() for internal in (False, True))
    assert (ring.root, ring.tip) == pytest.approx((28.0, 32.5))
    assert ring.half_angle(30.0) - wheel.half_angle(30.0) == pytest.approx(0.1 / 30.0)


def test_letters_have_the_heights_of_the_font() -> None:
    brep = exact(text, letters("H"))
    low, high = box_of(brep.shape)
    assert (low[1], high[1], high[2]) == pytest.approx((0.0, 10.0, 2.0), abs=1e-6)
    assert kinds(brep) == ["Plane"] * 14


@pytest.mark.parametrize(
    ("words", "lumps"), [("O", 1), ("i", 2), ("8%", 4), ("Hello", 5), ("©", 2), ("Į", 1), ("Ɨ", 1)]
)
def test_text_has_a_lump_for_each_piece_and_its_holes(words: str, lumps: int) -> None:
    recipe = letters(words)
    brep = exact(text, recipe)
    assert len(solids_of(brep.shape)) == lumps
    if words not in "ĮƗ":  # a cedilla and a bar overlap their letters, which the skins count twice
        mesh = meshed(shapes.text, recipe, 512).volume
        assert mesh == pytest.approx(volume(text, recipe), rel=2e-3)


def test_blanks_are_the_empty_solid() -> None:
    assert meshed(shapes.text, letters("  "), 64).skins == ()
