"""Decimal fractions that should meet, meet: no film, no gap, and no digit lost for it (cad.md §9)."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.geometry.models import (
    Solid,
    box,
    difference,
    intersection,
    mesh_figures,
    solid,
    union,
)
from tests.tiers import examples
from vcad_kernel.geometry.mesh.rounding.levels import Levels, common_levels, reach
from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.operations.bodies.transforms import Rotate, Scale, Translate
from vcad_kernel.operations.solids.shapes import Cylinder

SMALLEST_FEATURE = 1e-4
"""Features smaller than this need not survive, mm (cad.md §9)."""
TURNS = [None, (0.0, 0.0, 30.0), (20.0, -35.0, 50.0)]


def moved(body: Solid, x: float, y: float, z: float) -> Solid:
    return solid(Translate, body, offset=(x, y, z))


def turned(body: Solid, angles: tuple[float, float, float] | None) -> Solid:
    return body if angles is None else solid(Rotate, body, angles=angles)


# ---------------------------------------------------------------- cases


@pytest.mark.parametrize("angles", TURNS)
def test_a_bore_from_a_sum_of_decimals_is_open(angles: tuple[float, float, float] | None) -> None:
    bore = moved(solid(Cylinder, radius=0.2, height=1.0), 0.5, 0.5, 0.1 + 0.2 - 0.3)
    measured = mesh_figures(difference(turned(box(1.0, 1.0, 1.0), angles), turned(bore, angles)))
    assert (measured.genus, measured.lumps) == (1, 1)
    # 6 − 2πr² + 2πr·1 = 7.00531, the mesh within its chord error
    assert measured.surface_area == pytest.approx(6.0 + 0.32 * math.pi, rel=2e-4)


@pytest.mark.parametrize("angles", TURNS)
def test_a_tube_reaches_a_ceiling_that_another_sum_has_put_at_its_height(
    angles: tuple[float, float, float] | None,
) -> None:
    ceiling = box(10.0, 10.0, 1.5, at=(-5.0, -5.0, 1.6 - 1.5))
    pillar = moved(solid(Cylinder, radius=2.0, height=1.7), 0.0, 0.0, -1.6)
    measured = mesh_figures(union(turned(ceiling, angles), turned(pillar, angles)))
    assert (measured.lumps, measured.shells) == (1, 1)
    assert measured.surface_area == pytest.approx(260.0 + 1.7 * 4.0 * math.pi, rel=1e-3)


def test_a_copy_scaled_about_a_face_leaves_no_film_on_it() -> None:
    block = moved(box(20.0, 16.0, 9.0), -10.0, -8.0, 0.1 + 0.2 - 0.3)
    smaller = solid(Scale, block, factor=(0.9, 0.9, 0.8))
    rib = box(18.0, 1.0, 5.0, at=(-9.0, -0.5, 4.0))
    measured = mesh_figures(union(difference(block, smaller), rib))
    assert measured.shells == 1
    assert measured.volume == pytest.approx(2880.0 - 18.0 * 14.4 * 7.2 + 18.0 * 3.2, rel=1e-9)


def test_equal_walls_of_tubes_in_one_another_are_one() -> None:
    outer = difference(solid(Cylinder, radius=4.0, height=10.0), moved(CORE, 0.0, 0.0, 0.0))
    measured = mesh_figures(union(outer, solid(Cylinder, radius=2.3, height=10.0)))
    assert (measured.genus, measured.lumps, measured.shells) == (0, 1, 1)


CORE = solid(Cylinder, radius=2.1 + 0.2, height=10.0)


@pytest.mark.parametrize("angles", TURNS)
def test_bodies_turned_alike_one_by_one_are_combined_as_before_the_turn(
    angles: tuple[float, float, float] | None,
) -> None:
    low, high = (
        turned(box(1.0, 1.0, 0.3), angles),
        turned(box(1.0, 1.0, 0.7, at=(0.0, 0.0, 0.1 + 0.2)), angles),
    )
    notch = turned(box(0.5, 0.5, 2.0, at=(0.7 - 0.2, 0.25, -1.0)), angles)
    measured = mesh_figures(difference(union(low, high), notch))
    assert (measured.lumps, measured.shells) == (1, 1)
    assert measured.volume == pytest.approx(0.75, rel=1e-9)
    assert measured.surface_area == pytest.approx(6.0 + 2.0 * 0.5 - 2.0 * 0.25, rel=1e-9)


# ---------------------------------------------------------------- the bound


def test_nothing_moves_that_has_nothing_to_meet() -> None:
    size = 0.1 + 0.2
    measured = mesh_figures(box(size, 1.0, 1.0))
    assert measured.volume == pytest.approx(size, rel=1e-15)
    assert measured.bounds == ((0.0, 0.0, 0.0), (size, 1.0, 1.0))
    apart = mesh_figures(union(box(size, 1.0, 1.0), box(1.0, 1.0, 1.0, at=(5.0, 0.0, 0.0))))
    assert apart.volume == pytest.approx(1.0 + size, rel=1e-15)


@pytest.mark.parametrize("largest", [1e-3, 1.0, 100.0, 1e6])
def test_coordinates_are_one_far_below_any_feature(largest: float) -> None:
    assert reach(largest) <= 1e-3 * SMALLEST_FEATURE
    assert reach(largest) <= 0.1 * LINEAR
    # and far above what sums of a few numbers of that size lose
    assert reach(largest) >= 100.0 * np.spacing(largest)


@pytest.mark.parametrize("gap", [1e-4, 1e-5, 2e-6])
def test_a_step_above_what_counts_as_contact_survives(gap: float) -> None:
    measured = mesh_figures(union(box(1.0, 1.0, 1.0), box(1.0, 1.0, 1.0 + gap, at=(0.5, 0.0, 0.0))))
    assert measured.bounds is not None
    assert measured.bounds[1][2] == 1.0 + gap
    assert measured.volume == pytest.approx(1.5 + gap, rel=1e-12)


def levels_of(*operands: list[float]) -> Levels | None:
    column = [np.array(values)[:, None] for values in operands]
    nothing = np.zeros((1, 1))
    return common_levels([(values, nothing, nothing) for values in column])


def test_values_of_one_operand_alone_stay() -> None:
    assert levels_of([0.3, 0.1 + 0.2, 1.0], [0.5, 1.0]) is None


def test_values_that_two_operands_share_become_the_one_that_most_have() -> None:
    levels = levels_of([0.1 + 0.2, 1.0], [0.3, 2.0], [0.3])
    assert levels is not None
    before = np.array([[0.1 + 0.2, 0.0, 0.0], [1.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.4, 0.0, 0.0]])
    assert levels.moved(before)[:, 0].tolist() == [0.3, 1.0, 0.3, 0.4]


def test_a_curve_of_close_values_is_no_level() -> None:
    curve = [0.9 + 5e-10 * step for step in range(50)]
    assert levels_of(curve, [curve[10] + 1e-10]) is None


# ---------------------------------------------------------------- any part on a grid of tenths

_TENTHS = st.integers(0, 6)


@st.composite
def _sums(draw: st.DrawFn, tenths: int) -> float:
    """Some tenths as a sum of decimal fractions in any order."""
    parts = draw(st.lists(st.integers(-9, 9), max_size=4))
    terms = draw(st.permutations([*parts, tenths - sum(parts)]))
    total = 0.0
    for term in terms:
        total += term / 10.0
    return total


@st.composite
def _blocks(draw: st.DrawFn) -> tuple[tuple[tuple[int, int], ...], Solid]:
    """A block between tenths: where it is, and its solid by numbers that only add up to that."""
    spans = []
    for _ in range(3):
        low = draw(_TENTHS)
        spans.append((low, draw(st.integers(low + 1, 7))))
    x, y, z = [draw(_sums(high - low)) for low, high in spans]
    dx, dy, dz = [draw(_sums(low)) for low, _ in spans]
    return tuple(spans), moved(box(x, y, z), dx, dy, dz)


_STEPS = st.lists(st.tuples(st.sampled_from(["union", "difference", "intersection"]), _blocks()), max_size=5)


@given(_blocks(), _STEPS, st.sampled_from(TURNS), st.booleans())
@examples(60)
def test_a_part_of_decimal_sums_is_the_part_of_exact_fractions(
    first: tuple[tuple[tuple[int, int], ...], Solid],
    steps: list[tuple[str, tuple[tuple[tuple[int, int], ...], Solid]]],
    angles: tuple[float, float, float] | None,
    one_by_one: bool,
) -> None:
    operations = {"union": union, "difference": difference, "intersection": intersection}
    spans, body = first
    cells = _cells(spans)
    body = turned(body, angles if one_by_one else None)
    for name, (spans, block) in steps:
        body = operations[name](body, turned(block, angles if one_by_one else None))
        other = _cells(spans)
        cells = {"union": cells | other, "difference": cells & ~other, "intersection": cells & other}[name]
    body = body if one_by_one else turned(body, angles)
    measured = mesh_figures(body)
    volume = Fraction(int(cells.sum()), 1000)
    area = Fraction(
        sum(int(np.abs(np.diff(np.pad(cells, 1).astype(int), axis=axis)).sum()) for axis in range(3)), 100
    )
    assert measured.volume == pytest.approx(float(volume), rel=1e-9, abs=1e-12)
    assert measured.surface_area == pytest.approx(float(area), rel=1e-9, abs=1e-12)
    assert measured.is_manifold


def _cells(spans: tuple[tuple[int, int], ...]) -> np.ndarray:
    cells = np.zeros((7, 7, 7), bool)
    cells[tuple(slice(low, high) for low, high in spans)] = True
    return cells


_PITCH = 10
"""Tenths between bores."""


@given(st.data(), st.integers(1, 3), st.integers(1, 3), st.sampled_from(TURNS))
@examples(25)
def test_bores_and_bosses_by_decimal_sums_go_through_and_stand_flush(
    data: st.DataObject, bores: int, bosses: int, angles: tuple[float, float, float] | None
) -> None:
    """A plate 0.7 thick; bores begin or end where it does, or beyond, and studs stand on its top."""
    thick = 7
    body = moved(box(4.0, 2.0, data.draw(_sums(thick))), 0.0, 0.0, data.draw(_sums(0)))
    for index in range(bores):
        low, high = data.draw(st.sampled_from([(0, thick), (-3, thick), (0, thick + 4)]))
        bore = solid(Cylinder, radius=data.draw(_sums(2)), height=data.draw(_sums(high - low)))
        at = data.draw(_sums(5 + _PITCH * index)), data.draw(_sums(5)), data.draw(_sums(low))
        body = difference(body, moved(bore, *at))
    for index in range(bosses):
        stud = solid(Cylinder, radius=data.draw(_sums(3)), height=data.draw(_sums(4)))
        at = data.draw(_sums(5 + _PITCH * index)), data.draw(_sums(15)), data.draw(_sums(thick))
        body = union(body, moved(stud, *at))
    measured = mesh_figures(turned(body, angles))
    assert (measured.genus, measured.lumps, measured.shells) == (bores, 1, 1)
    # polygons of 32 sides, the fewest that a circle has: n/2 · sin(360°/n) r² and 2n · sin(180°/n) r
    area, round_ = 16.0 * math.sin(math.pi / 16.0), 64.0 * math.sin(math.pi / 32.0)
    assert measured.volume == pytest.approx(
        5.6 - bores * area * 0.04 * 0.7 + bosses * area * 0.09 * 0.4, rel=1e-9
    )
    surface = 2.0 * 8.0 + 12.0 * 0.7 + bores * (round_ * 0.2 * 0.7 - 2.0 * area * 0.04)
    assert measured.surface_area == pytest.approx(surface + bosses * round_ * 0.3 * 0.4, rel=1e-9)
