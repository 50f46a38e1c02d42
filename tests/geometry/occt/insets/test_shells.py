"""Shells: volumes of walls from closed formulas for the body and its inset."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from OCP.TopoDS import TopoDS_Shape

from tests.geometry.occt import bodies
from tests.geometry.occt.bodies import BELOW, L_SHAPE, made
from tests.tiers import examples
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import Brep, faces_of, shape_map, solids_of
from vcad_kernel.geometry.occt.insets.insetting import Inset
from vcad_kernel.geometry.occt.insets.shelling import shell, shell_open
from vcad_kernel.geometry.occt.measure.extents import box_of
from vcad_kernel.geometry.occt.measure.validity import volume_of
from vcad_kernel.operations.features.features import Shell, ShellOpen
from vcad_kernel.operations.features.selections import Selector

PI = math.pi


def _shelled(body: TopoDS_Shape, thickness: float) -> Brep:
    return made(shell, body, Shell, thickness=thickness)


def _opened(body: TopoDS_Shape, thickness: float, **criteria: object) -> Brep:
    return made(shell_open, body, ShellOpen, thickness=thickness, faces=Selector("face", **criteria))


def _rounded_box(side: float, radius: float) -> float:
    """Volume of a cube with every edge rounded (Steiner)."""
    s = side - 2.0 * radius
    return s**3 + 6.0 * s * s * radius + 3.0 * PI * s * radius**2 + 4.0 / 3.0 * PI * radius**3


def _frustum(bottom: float, top: float, height: float) -> float:
    return PI * height / 3.0 * (bottom**2 + bottom * top + top**2)


def _rounded_plate(x: float, y: float, z: float, radius: float) -> float:
    """Volume of a box with every edge rounded (Steiner)."""
    x, y, z = x - 2.0 * radius, y - 2.0 * radius, z - 2.0 * radius
    return (
        x * y * z
        + 2.0 * radius * (x * y + y * z + z * x)
        + PI * radius**2 * (x + y + z)
        + 4.0 / 3.0 * PI * radius**3
    )


def _rim(corner: float, radius: float, outwards: float) -> float:
    """What a round takes from (or adds to) a circular edge: a corner without its quarter disc, turned.

    corner: radius of the edge. outwards: 1 where that lies outside the edge's circle, -1 inside.
    """
    area = 1.0 - PI / 4.0
    centroid = (0.5 - PI / 4.0 * (1.0 - 4.0 / (3.0 * PI))) / area
    return 2.0 * PI * (corner + outwards * centroid * radius) * area * radius**2


SLANT = math.hypot(10.0, 5.0)
PYRAMID = (
    ((-5.0, -5.0, 0.0), (5.0, -5.0, 0.0), (5.0, 5.0, 0.0), (-5.0, 5.0, 0.0)),
    ((-2.0, -2.0, 8.0), (2.0, -2.0, 8.0), (2.0, 2.0, 8.0), (-2.0, 2.0, 8.0)),
)


def _pyramid_half_width(z: float) -> float:
    """Of the inset pyramid by 1: the slanted wall moved along its normal."""
    return 5.0 - 3.0 * z / 8.0 - math.hypot(8.0, 3.0) / 8.0


def _square_frustum(low: float, high: float, height: float) -> float:
    return height / 3.0 * 4.0 * (low * low + low * high + high * high)


BODIES: dict[str, tuple[Callable[[], TopoDS_Shape], float, float]] = {
    "box": (lambda: bodies.box(10, 10, 10), 1.0, 8.0**3),
    "flat box": (lambda: bodies.box(40, 30, 20), 2.5, 35.0 * 25.0 * 15.0),
    "box nearly filled": (lambda: bodies.box(10, 10, 10), 4.99, 0.02**3),
    "cylinder": (lambda: bodies.cylinder(5, 10), 1.0, PI * 16.0 * 8.0),
    "sphere": (lambda: bodies.sphere(5), 1.0, 4.0 / 3.0 * PI * 64.0),
    "cone": (
        lambda: bodies.cone(8, 3, 10),
        1.0,
        _frustum(8.0 - 0.5 - SLANT / 10.0, 3.0 + 0.5 - SLANT / 10.0, 8.0),
    ),
    "torus": (lambda: bodies.torus(10, 3), 1.0, 2.0 * PI**2 * 10.0 * 4.0),
    "L-profile": (lambda: bodies.extruded(L_SHAPE, 10), 1.0, (2.0 * 8.0 + 2.0 * 6.0) * 8.0),
    "L-profile with a leg too thin to be hollow": (
        lambda: bodies.extruded(((0, 0), (10, 0), (10, 2), (4, 2), (4, 10), (0, 10)), 10),
        1.5,
        1.0 * 7.0 * 7.0,
    ),
    "plate with a hole": (
        lambda: bodies.difference(bodies.box(20, 20, 5), bodies.cylinder(4, 5, (10, 10, 0))),
        1.0,
        (18.0**2 - PI * 25.0) * 3.0,
    ),
    "boss on a plate": (
        lambda: bodies.union(bodies.box(20, 20, 5), bodies.cylinder(4, 10, (10, 10, 0))),
        1.0,
        18.0**2 * 3.0 + PI * 9.0 * 5.0,
    ),
    "square boss on a plate": (
        lambda: bodies.union(bodies.box(20, 20, 5), bodies.box(6, 6, 10, (7, 7, 0))),
        1.0,
        18.0**2 * 3.0 + 16.0 * 5.0,
    ),
    "pocket": (
        lambda: bodies.difference(bodies.box(20, 20, 10), bodies.box(10, 10, 6, (5, 5, 4))),
        1.0,
        18.0**2 * 8.0 - 12.0**2 * 6.0,
    ),
    "corner notch, three concave edges in a point": (
        lambda: bodies.difference(bodies.box(10, 10, 10), bodies.box(5, 5, 5, (5, 5, 5))),
        1.0,
        8.0**3 - 5.0**3,
    ),
    "stadium": (
        lambda: bodies.union(
            bodies.union(bodies.box(10, 4, 3, (0, -2, 0)), bodies.cylinder(2, 3)),
            bodies.cylinder(2, 3, (10, 0, 0)),
        ),
        0.5,
        (30.0 + PI * 2.25) * 2.0,
    ),
    "stepped ring": (
        lambda: bodies.revolved(((3, 0), (8, 0), (8, 4), (5, 4), (5, 10), (3, 10))),
        0.5,
        PI * ((7.5**2 - 3.5**2) * 3.0 + (4.5**2 - 3.5**2) * 6.0),
    ),
    "rounded box, wall thinner than the rounds": (
        lambda: bodies.filleted(bodies.box(10, 10, 10), 2.0),
        1.0,
        _rounded_box(8.0, 1.0),
    ),
    "rounded box, wall as thick": (lambda: bodies.filleted(bodies.box(10, 10, 10), 1.0), 1.0, 8.0**3),
    "rounded box, wall thicker": (lambda: bodies.filleted(bodies.box(10, 10, 10), 0.5), 1.0, 8.0**3),
    "cylinder with rounded rims": (
        lambda: bodies.filleted(bodies.cylinder(5, 10), 2.0),
        1.0,
        # a cylinder of radius 4 with rims rounded by 1: core, ring and half tori (Pappus)
        PI * 9.0 * 8.0 + PI * (16.0 - 9.0) * 6.0 + 2.0 * (2.0 * PI * (3.0 + 4.0 / (3.0 * PI)) * PI / 4.0),
    ),
    "rounded L-profile, inner round grown by the wall": (
        lambda: bodies.filleted(bodies.extruded(L_SHAPE, 10), 0.5),
        1.0,
        (28.0 + (1.0 - PI / 4.0) * 1.5**2) * 8.0,
    ),
    "rounded plate with a rounded hole": (
        lambda: bodies.filleted(
            bodies.difference(bodies.box(20, 20, 6), bodies.cylinder(5, 6, (10, 10, 0))), 2.0
        ),
        1.0,
        _rounded_plate(18, 18, 4, 1) - PI * 36.0 * 4.0 - 2.0 * _rim(6.0, 1.0, 1.0),
    ),
    "rounded boss on a plate": (
        lambda: bodies.filleted(
            bodies.union(bodies.box(20, 20, 6), bodies.cylinder(5, 15, (10, 10, 0))), 2.0
        ),
        1.0,
        _rounded_plate(18, 18, 4, 1) + PI * 16.0 * 9.0 - _rim(4.0, 1.0, -1.0) + _rim(4.0, 3.0, 1.0),
    ),
    "bevelled box, bevels vanish": (lambda: bodies.chamfered(bodies.box(10, 10, 10), 0.5), 2.0, 6.0**3),
    "frustum of a pyramid": (
        lambda: bodies.lofted(*PYRAMID),
        1.0,
        _square_frustum(_pyramid_half_width(1.0), _pyramid_half_width(7.0), 6.0),
    ),
    "lens": (
        lambda: bodies.intersection(
            bodies.sphere(5, along=(1, 0, 0)), bodies.sphere(5, (4, 0, 0), along=(1, 0, 0))
        ),
        1.0,
        2.0 * PI * 4.0 * (12.0 - 2.0) / 3.0,
    ),
    "tilted box": (lambda: bodies.turned(bodies.box(10, 10, 10), 0.7, (1, 2, 3)), 1.0, 8.0**3),
    "tilted L-profile": (
        lambda: bodies.turned(bodies.extruded(L_SHAPE, 10), 0.7, (1, 2, 3)),
        1.0,
        28.0 * 8.0,
    ),
    "mirrored cone": (
        lambda: bodies.mirrored(bodies.cone(8, 3, 10)),
        1.0,
        _frustum(8.0 - 0.5 - SLANT / 10.0, 3.0 + 0.5 - SLANT / 10.0, 8.0),
    ),
    "mirrored rounded box": (
        lambda: bodies.mirrored(bodies.filleted(bodies.box(10, 10, 10), 2.0)),
        1.0,
        _rounded_box(8.0, 1.0),
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_shell_is_the_body_minus_its_inset(name: str) -> None:
    make, thickness, inset = BODIES[name]
    body = make()
    hollow = _shelled(body, thickness)
    assert bodies.volume(hollow) == pytest.approx(volume_of(body) - inset, rel=1e-6)
    assert box_of(hollow.shape)[0] == pytest.approx(box_of(body)[0], abs=1e-6)
    assert box_of(hollow.shape)[1] == pytest.approx(box_of(body)[1], abs=1e-6)
    assert len(solids_of(hollow.shape)) == 1


def test_an_elliptic_cylinder_is_hollowed_along_its_normals() -> None:
    body = bodies.stretched(bodies.cylinder(5, 10), 2.0, 1.0, 1.0)
    # perimeter of the ellipse by the trapezoidal rule, exact to rounding for a periodic function
    steps = 400
    perimeter = sum(
        math.hypot(10.0 * math.sin(2.0 * PI * i / steps), 5.0 * math.cos(2.0 * PI * i / steps))
        for i in range(steps)
    ) * (2.0 * PI / steps)
    inset = (PI * 50.0 - perimeter + PI) * 8.0
    assert bodies.volume(_shelled(body, 1.0)) == pytest.approx(PI * 500.0 - inset, rel=1e-5)


def test_crossing_pipes_become_one_hollow_tee() -> None:
    body = bodies.union(bodies.cylinder(4, 20), bodies.cylinder(4, 12, (0, 0, 10), (1, 0, 0)))
    hollow = _shelled(body, 1.0)
    # cylinders of radius 3 on the same axes: 16 r³ / 3 is what two crossing ones share, half of it here
    inset = PI * 9.0 * 18.0 + PI * 9.0 * 11.0 - 8.0 / 3.0 * 27.0
    assert bodies.volume(hollow) == pytest.approx(volume_of(body) - inset, rel=1e-6)


def test_every_lump_gets_its_own_cavity() -> None:
    apart = bodies.union(bodies.box(10, 10, 10), bodies.box(6, 6, 6, (20, 0, 0)))
    hollow = _shelled(apart, 1.0)
    assert bodies.volume(hollow) == pytest.approx(1000.0 - 512.0 + 216.0 - 64.0)
    assert len(solids_of(hollow.shape)) == 2


def test_a_lump_without_room_for_a_cavity_refuses_the_whole() -> None:
    apart = bodies.union(bodies.box(10, 10, 10), bodies.box(2, 2, 2, (20, 0, 0)))
    with pytest.raises(GeometryError, match="thickest that works"):
        _shelled(apart, 1.5)


def test_a_cavity_that_was_there_keeps_a_wall_of_its_own() -> None:
    body = bodies.difference(bodies.box(20, 20, 20), bodies.box(8, 8, 8, (6, 6, 6)))
    hollow = _shelled(body, 1.0)
    assert bodies.volume(hollow) == pytest.approx((20.0**3 - 18.0**3) + (10.0**3 - 8.0**3))
    assert len(solids_of(hollow.shape)) == 2


def test_a_shell_can_be_shelled_again() -> None:
    once = _shelled(bodies.box(20, 20, 20), 4.0)
    twice = _shelled(once.shape, 1.0)
    # the wall from 20 to 12 becomes two walls, 20 to 18 and 14 to 12
    assert bodies.volume(twice) == pytest.approx(20.0**3 - 18.0**3 + 14.0**3 - 12.0**3)


def test_the_outside_keeps_its_makers_and_the_cavity_is_the_shells() -> None:
    hollow = _shelled(bodies.box(10, 10, 10), 1.0)
    assert hollow.makers.count(BELOW) == 6
    assert len(set(hollow.makers)) == 2
    assert len(hollow.makers) == 12


def test_an_empty_body_stays_empty() -> None:
    assert bodies.built(shell, None, Shell, thickness=1.0) is None


@pytest.mark.parametrize("thickness", [5.0, 6.0, 100.0])
def test_a_wall_of_half_the_box_or_more_is_refused_with_the_thickest_that_works(thickness: float) -> None:
    with pytest.raises(GeometryError) as caught:
        _shelled(bodies.box(10, 20, 30), thickness)
    error = caught.value
    assert (error.code, error.argument, error.operation) == ("SHELL_FAILED", "t", "shell")
    assert 4.99 <= error.details["largest_working"] < 5.0
    assert "at most" in (error.fix or "")
    kinds = {face["kind"] for face in error.details["failing_faces"]}
    assert kinds == {"plane"}
    assert {face["id"] for face in error.details["failing_faces"]} <= set(range(6))


@pytest.mark.parametrize(
    ("body", "limit"),
    [
        (bodies.cylinder(5, 30), 5.0),
        (bodies.cylinder(5, 6), 3.0),
        (bodies.sphere(5), 5.0),
        (bodies.torus(10, 3), 3.0),
        (bodies.extruded(L_SHAPE, 10), 2.0),
    ],
    ids=["cylinder by radius", "cylinder by height", "sphere", "torus", "L-profile"],
)
def test_exactly_the_limit_fails_and_just_below_works(body: TopoDS_Shape, limit: float) -> None:
    assert bodies.volume(_shelled(body, 0.998 * limit)) < volume_of(body)
    with pytest.raises(GeometryError) as caught:
        _shelled(body, limit)
    assert caught.value.details["largest_working"] == pytest.approx(limit, rel=1e-3)


def test_the_search_for_the_thickest_wall_ends_when_its_time_is_up() -> None:
    ticks = itertools.count(step=2.0)
    with pytest.raises(GeometryError) as caught:
        bodies.built(shell, bodies.box(10, 10, 10), Shell, thickness=400.0, clock=lambda: next(ticks))
    assert caught.value.details["largest_working"] == pytest.approx(4.998, abs=2e-3)
    assert next(ticks) < 12.0


sides = st.floats(2.0, 50.0)


@examples(20)
@given(x=sides, y=sides, z=sides, part=st.floats(0.02, 0.98), angle=st.floats(0.0, 3.0))
def test_boxes_of_any_size_and_place(x: float, y: float, z: float, part: float, angle: float) -> None:
    thickness = part * min(x, y, z) / 2.0
    hollow = _shelled(bodies.turned(bodies.box(x, y, z), angle, (1, 1, 2)), thickness)
    inset = (x - 2.0 * thickness) * (y - 2.0 * thickness) * (z - 2.0 * thickness)
    assert bodies.volume(hollow) == pytest.approx(x * y * z - inset, rel=1e-6)


def _eroded_volume(solid: list[Box], holes: list[Box], distance: float) -> float:
    """Of axis-parallel boxes less boxes, each point's cube of half side ``distance`` being in the body.

    With sharp joins the inset of such a body is exactly that. Counted over the grid of all the planes.
    """
    grid = [
        np.unique(
            [
                v
                for low, high in solid + holes
                for c in (low[k], high[k])
                for v in (c - distance, c, c + distance)
            ]
        )
        for k in range(3)
    ]
    middles = [(line[1:] + line[:-1]) / 2.0 for line in grid]
    places = np.meshgrid(*middles, indexing="ij")

    def within(box: Box) -> np.ndarray:
        return np.logical_and.reduce([(places[k] > box[0][k]) & (places[k] < box[1][k]) for k in range(3)])

    left = np.logical_or.reduce([within(box) for box in solid])
    for hole in holes:
        left &= ~within(hole)
    for axis, (line, middle) in enumerate(zip(grid, middles, strict=True)):
        rows = np.moveaxis(left, axis, 0)
        eroded = np.zeros_like(rows)
        for index, at in enumerate(middle):
            near = (line[1:] > at - distance + 1e-9) & (line[:-1] < at + distance - 1e-9)
            inside = line[0] <= at - distance and at + distance <= line[-1]
            eroded[index] = inside and rows[near].all(axis=0)
        left = np.moveaxis(eroded, 0, axis)
    cells = np.einsum("i,j,k->ijk", *[np.diff(line) for line in grid])
    return float((left * cells).sum())


Corner = tuple[float, float, float]
Box = tuple[Corner, Corner]


def _boxes(count: int) -> st.SearchStrategy[list[Box]]:
    corner = st.tuples(*[st.floats(-3.0, 9.0)] * 3)
    size = st.tuples(*[st.floats(2.5, 8.0)] * 3)
    placed = st.builds(lambda c, s: (c, tuple(a + b for a, b in zip(c, s, strict=True))), corner, size)
    return st.lists(placed, max_size=count)


def _block(box: Box) -> TopoDS_Shape:
    return bodies.box(*(high - low for low, high in zip(*box, strict=True)), box[0])


# one moved face ends within a cell, a piece of which belongs to the inset
@example(
    more=[((-1.0, 7.25, 3.0), (3.0, 12.25, 6.0))],
    holes=[((0.0, 0.0, 0.0), (3.0, 5.0, 3.0)), ((4.0, 2.0, 3.0), (7.0, 10.0, 8.0))],
    thickness=1.25,
)
@examples(25)
@given(more=_boxes(2), holes=_boxes(2), thickness=st.floats(0.2, 2.5))
def test_bodies_of_boxes_are_hollowed_with_sharp_joins_or_refused(
    more: list[Box], holes: list[Box], thickness: float
) -> None:
    solid = [((0.0, 0.0, 0.0), (11.0, 12.0, 13.0)), *more]
    # planes nearer to each other than this are no case of their own
    for k in range(3):
        planes = sorted({c[k] for box in solid + holes for c in box})
        gaps = {abs(abs(a - b) - m * thickness) for a, b in itertools.pairwise(planes) for m in (0, 1, 2)}
        assume(min(gaps) > 1e-3)
    body = _block(solid[0])
    for box in solid[1:]:
        body = bodies.union(body, _block(box))
    for box in holes:
        body = bodies.difference(body, _block(box))
    assume(solids_of(body))
    whole = Inset(unified(Brep.made(body, BELOW)).shape)
    inset = whole.at(thickness)
    if inset is not None:
        assert volume_of(inset) == pytest.approx(_eroded_volume(solid, holes, thickness), rel=1e-6)


def test_a_body_of_many_free_form_faces_is_refused_at_once() -> None:
    body = bodies.cylinder(2, 3)
    for index in range(1, 9):
        body = bodies.union(body, bodies.cylinder(2, 3, (5.0 * index, 0, 0)))
    with pytest.raises(GeometryError, match="free-form"):
        _shelled(bodies.stretched(body, 1.0, 1.5, 1.0), 0.5)


def test_a_box_open_on_top_is_a_tray() -> None:
    tray = _opened(bodies.box(10, 10, 10), 1.0, normal=(0.0, 0.0, 1.0))
    assert bodies.volume(tray) == pytest.approx(1000.0 - 8.0 * 8.0 * 9.0)
    assert len(faces_of(tray.shape)) == 11
    assert len(solids_of(tray.shape)) == 1


def test_a_box_open_at_both_ends_is_a_tube() -> None:
    tube = _opened(bodies.box(10, 10, 30), 1.0, smallest=2)
    assert bodies.volume(tube) == pytest.approx((100.0 - 64.0) * 30.0)


def test_a_cylinder_open_on_top_is_a_cup() -> None:
    cup = _opened(bodies.cylinder(5, 10), 1.0, normal=(0.0, 0.0, 1.0))
    assert bodies.volume(cup) == pytest.approx(PI * (250.0 - 16.0 * 9.0))


def test_a_cylinder_may_be_open_all_round() -> None:
    discs = _opened(bodies.cylinder(5, 10), 1.0, kind="cylinder")
    assert bodies.volume(discs) == pytest.approx(2.0 * PI * 25.0)
    assert len(solids_of(discs.shape)) == 2


def test_the_hole_of_a_plate_may_be_open() -> None:
    plate = bodies.difference(bodies.box(20, 20, 5), bodies.cylinder(4, 5, (10, 10, 0)))
    opened = _opened(plate, 1.0, kind="cylinder")
    assert bodies.volume(opened) == pytest.approx(volume_of(plate) - (18.0**2 - PI * 16.0) * 3.0)


def test_an_l_profile_open_at_one_end() -> None:
    opened = _opened(bodies.extruded(L_SHAPE, 10), 1.0, normal=(0.0, 0.0, 1.0))
    assert bodies.volume(opened) == pytest.approx(640.0 - 28.0 * 9.0)


def test_upright_rounds_stay_in_an_open_tray() -> None:
    outline = bodies.cylinder(2, 6)
    for at in ((6, 0, 0), (0, 6, 0), (6, 6, 0)):
        outline = bodies.union(outline, bodies.cylinder(2, 6, at))
    block = bodies.union(
        bodies.union(bodies.box(10, 6, 6, (-2, 0, 0)), bodies.box(6, 10, 6, (0, -2, 0))), outline
    )
    tray = _opened(block, 1.0, normal=(0.0, 0.0, 1.0))
    outside, inside = 36.0 + 4.0 * 12.0 + PI * 4.0, 36.0 + 4.0 * 6.0 + PI
    assert bodies.volume(tray) == pytest.approx(outside * 6.0 - inside * 5.0)


def test_opening_every_face_is_refused() -> None:
    with pytest.raises(GeometryError, match="no wall is left") as caught:
        _opened(bodies.box(10, 10, 10), 1.0)
    assert (caught.value.code, caught.value.argument) == ("SHELL_FAILED", "which")


def test_an_open_face_without_sharp_edges_is_refused() -> None:
    with pytest.raises(GeometryError, match="runs smoothly into a wall") as caught:
        _opened(bodies.filleted(bodies.box(10, 10, 10), 2.0), 1.0, normal=(0.0, 0.0, 1.0))
    assert (caught.value.code, caught.value.argument) == ("SHELL_FAILED", "which")


def test_opening_no_face_is_no_match() -> None:
    with pytest.raises(GeometryError) as caught:
        _opened(bodies.box(10, 10, 10), 1.0, kind="sphere")
    assert caught.value.code == "NO_MATCH"


def test_an_open_shell_too_thick_names_the_thickest_that_works() -> None:
    with pytest.raises(GeometryError) as caught:
        _opened(bodies.box(10, 10, 4), 6.0, normal=(0.0, 0.0, 1.0))
    assert caught.value.operation == "shell-open"
    # the bottom wall alone limits nothing sooner: 4 mm is its room
    assert caught.value.details["largest_working"] == pytest.approx(4.0, rel=1e-3)


def test_cavity_faces_of_an_open_shell_belong_to_it() -> None:
    tray = _opened(bodies.box(10, 10, 10), 1.0, normal=(0.0, 0.0, 1.0))
    assert tray.makers.count(BELOW) == 6
    assert len(shape_map(tray.shape, faces_of(tray.shape)[0].ShapeType())) == 11


def test_walls_are_prolonged_no_further_than_their_corners_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    # further would do, but longer walls are cut by more others: for 16 pockets that takes 7 times the time
    body = bodies.difference(bodies.box(20, 20, 10), bodies.box(8, 8, 6, (6, 6, 4)))
    tried: list[float] = []
    original = Inset._with_reach

    def noted(inset: Inset, distance: float, reach: float, turned: bool) -> TopoDS_Shape | None:
        tried.append(reach)
        return original(inset, distance, reach, turned)

    monkeypatch.setattr(Inset, "_with_reach", noted)
    inset = Inset(body).at(1.5)
    assert inset is not None
    assert volume_of(inset) == pytest.approx(17.0**2 * 7.0 - 11.0**2 * 6.0)
    assert tried == pytest.approx([1.65])
