"""Bodies that meet up to a rounding error, or up to the tolerance, are one body (cad.md §3.1, §9)."""

from __future__ import annotations

import math

import pytest

from tests.geometry.models import Solid, box, difference, figures, intersection, polygon, solid, union
from vcad_kernel.operations.bodies.patterns import CircularPattern, LinearPattern
from vcad_kernel.operations.bodies.transforms import Rotate, Translate
from vcad_kernel.operations.solids.shapes import Cylinder
from vcad_kernel.operations.solids.sweeps import Extrude


def wedges(count: int) -> Solid:
    """Triangles about the z axis that make a regular prism."""
    turn = 2.0 * math.pi / count
    wedge = polygon([(0.0, 0.0), (10.0, 0.0), (10.0 * math.cos(turn), 10.0 * math.sin(turn))])
    return solid(
        CircularPattern,
        solid(Extrude, wedge, direction=(0.0, 0.0, 4.0)),
        axis_origin=(0.0, 0.0, 0.0),
        axis_dir=(0.0, 0.0, 1.0),
        count=count,
        angle_deg=360.0,
    )


@pytest.mark.parametrize("count", [4, 5, 6, 7, 9, 12, 25])
def test_wedges_around_an_axis_are_one_prism(count: int) -> None:
    turn = 2.0 * math.pi / count
    measured = figures(wedges(count))
    assert (measured.lumps, measured.shells, measured.genus) == (1, 1, 0)
    assert measured.volume == pytest.approx(200.0 * count * math.sin(turn), rel=1e-9)
    area = 100.0 * count * math.sin(turn) + 80.0 * count * math.sin(turn / 2.0)
    assert measured.surface_area == pytest.approx(area, rel=1e-9)


@pytest.mark.parametrize("size", [0.1, 0.7, 1.1, 3.3, 12.7])
def test_abutting_copies_are_one_box_whatever_their_size(size: float) -> None:
    cubes = box(size, size, size)
    row = solid(LinearPattern, cubes, direction=(1.0, 0.0, 0.0), count=20, spacing=size)
    measured = figures(row)
    assert (measured.lumps, measured.shells) == (1, 1)
    assert measured.surface_area == pytest.approx(82.0 * size**2, rel=1e-9)


def test_a_gap_below_the_tolerance_is_contact() -> None:
    measured = figures(union(box(10.0, 10.0, 10.0), box(2.0, 2.0, 2.0, at=(3.0, 3.0, 10.0000005))))
    assert measured.lumps == 1
    assert measured.surface_area == pytest.approx(616.0, rel=1e-6)


def test_a_gap_above_the_tolerance_is_a_gap() -> None:
    assert figures(union(box(10.0, 10.0, 10.0), box(2.0, 2.0, 2.0, at=(3.0, 3.0, 10.00001)))).lumps == 2


def test_films_thinner_than_the_tolerance_vanish() -> None:
    cube = box(10.0, 10.0, 10.0)
    assert figures(difference(cube, box(10.0, 10.0, 10.0, at=(0.0, 0.0, 5e-7)))).is_empty
    assert figures(intersection(cube, box(10.0, 10.0, 10.0, at=(9.9999995, 0.0, 0.0)))).is_empty


def test_a_turned_union_is_united_before_it_is_turned() -> None:
    stacked = union(
        solid(Cylinder, radius=5.0, height=10.0),
        solid(Translate, solid(Cylinder, radius=5.0, height=10.0), offset=(0.0, 0.0, 10.0)),
    )
    moved = solid(Translate, solid(Rotate, stacked, angles=(20.0, 30.0, 40.0)), offset=(0.1, 0.7, 0.3))
    assert figures(moved).surface_area == pytest.approx(figures(stacked).surface_area, rel=1e-9)


def test_a_body_within_a_cavity_stays_there() -> None:
    hollow = difference(box(10.0, 10.0, 10.0), box(8.0, 8.0, 8.0, at=(1.0, 1.0, 1.0)))
    measured = figures(union(hollow, box(6.0, 6.0, 6.0, at=(2.0, 2.0, 2.0))))
    assert (measured.lumps, measured.shells) == (2, 3)
    assert measured.volume == pytest.approx(1000.0 - 512.0 + 216.0)
