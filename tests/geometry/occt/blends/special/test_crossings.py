"""Fillets of cylinders of one radius that cross: exact, and the same however they stand and lie."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.geometry import models
from tests.geometry.models import Solid
from tests.geometry.occt.answers import figures
from tests.geometry.occt.bodies import BELOW, FEW_TRIALS, box
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.occt.blends.checks import blend_flaw
from vcad_kernel.geometry.occt.blends.request import Blend
from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import sharp_edges
from vcad_kernel.geometry.solid import SearchLimit
from vcad_kernel.operations.bodies.transforms import Mirror, Rotate, Translate
from vcad_kernel.operations.features.features import Fillet
from vcad_kernel.operations.solids.shapes import Cylinder

SAME = 1e-8
RADIUS, LENGTH = 5.0, 30.0
PLACES = [(0.0, 0.0, 0.0), (0.0, 0.0, 20.0), (37.0, 11.0, 73.0)]


def turned(body: Solid, angles: tuple[float, float, float]) -> Solid:
    return models.solid(Rotate, body, angles=angles)


def rod(length: float = LENGTH) -> Solid:
    return models.solid(
        Translate, models.solid(Cylinder, radius=RADIUS, height=length), offset=(0.0, 0.0, -length / 2)
    )


RODS = {"z": rod(), "y": turned(rod(), (90.0, 0.0, 0.0)), "x": turned(rod(), (0.0, 90.0, 0.0))}


def rounded(body: Solid, radius: float, search: SearchLimit = FEW_TRIALS) -> float:
    return figures(models.solid(Fillet, body, radius=radius), search).volume


def common_part(r: float) -> float:
    """Two rods of 5 mm that cross at a right angle, what they have in common rounded by r.

    That is the common part of two rods of 5 − r, grown by r: V + S r + M r² + 4/3 π r³ (Steiner). The
    same polynomial with −r tells what a ball outside, in the concave corners of their union, leaves.
    """
    core = RADIUS - r
    angle = (np.arange(100_000) + 0.5) * (2.0 * math.pi / 100_000)
    sine = np.sin(angle) ** 2
    bends = float(np.mean(np.arccos(sine) * np.sqrt(1.0 + sine))) * 2.0 * math.pi
    mean_curvature = 8.0 * core + core * bends
    return 16 / 3 * core**3 + 16.0 * core**2 * r + mean_curvature * r**2 + 4 / 3 * math.pi * r**3


def rims(r: float, count: int) -> float:
    """What rounding takes from the rims of rods (Pappus)."""
    kite, centre = 1 - math.pi / 4, (10 - 3 * math.pi) / (12 - 3 * math.pi)
    return count * kite * r**2 * 2 * math.pi * (RADIUS - centre * r)


PAIRS = [(pair, angles, radius) for pair in ("zx", "zy", "xy") for angles in PLACES for radius in (0.1, 1.0)]
QUICK = [("zx", PLACES[0], 0.1), ("zx", PLACES[1], 1.0), ("zy", PLACES[0], 1.0), ("xy", PLACES[0], 0.1)]
"""Each pair where it stands, one turned, and both radii; other places are for the long run."""


@pytest.mark.parametrize(
    ("pair", "angles", "radius"),
    [*QUICK, *(pytest.param(*case, marks=pytest.mark.soak) for case in PAIRS if case not in QUICK)],
)
def test_what_two_equal_rods_have_in_common_is_rounded_exactly(
    pair: str, angles: tuple[float, float, float], radius: float
) -> None:
    body = turned(models.intersection(RODS[pair[0]], RODS[pair[1]]), angles)
    assert rounded(body, radius) == pytest.approx(common_part(radius), rel=SAME)


def test_a_mirrored_common_part_is_rounded_exactly() -> None:
    body = models.intersection(RODS["z"], RODS["y"])
    mirrored = models.solid(Mirror, body, origin=(0.0, 0.0, 0.0), normal=(1.0, 1.0, 0.0))
    assert rounded(mirrored, 0.5) == pytest.approx(common_part(0.5), rel=SAME)


@pytest.mark.parametrize("angles", PLACES)
def test_the_union_of_two_equal_rods_is_rounded_exactly(angles: tuple[float, float, float]) -> None:
    body = turned(models.union(RODS["z"], RODS["y"]), angles)
    sharp = 2 * math.pi * RADIUS**2 * LENGTH - 16 / 3 * RADIUS**3
    filled = 16 / 3 * RADIUS**3 - common_part(-1.0)
    assert rounded(body, 1.0) == pytest.approx(sharp + filled - rims(1.0, 4), rel=SAME)


def test_bores_that_cross_in_a_block_are_rounded_exactly() -> None:
    block = models.box(LENGTH, LENGTH, LENGTH, (-LENGTH / 2, -LENGTH / 2, -LENGTH / 2))
    bored = models.difference(models.difference(block, RODS["z"]), RODS["x"])
    outside = figures(models.solid(Fillet, models.difference(block, RODS["z"]), radius=0.5)).volume
    # one bore more takes its volume, its rims and, where they cross, the ridges
    bore = math.pi * RADIUS**2 * LENGTH
    plain = figures(models.solid(Fillet, block, radius=0.5)).volume
    ridges = 16 / 3 * RADIUS**3 - common_part(-0.5)
    expected = outside + (outside - plain) + 16 / 3 * RADIUS**3 - ridges
    assert plain - outside > bore
    assert rounded(bored, 0.5) == pytest.approx(expected, rel=SAME)


# one oblique place says it; the long run has another
@pytest.mark.parametrize("angles", [PLACES[2], pytest.param(PLACES[1], marks=pytest.mark.soak)])
def test_rods_that_cross_askew_are_rounded_alike_wherever_they_lie(
    angles: tuple[float, float, float],
) -> None:
    other = turned(rod(40.0), (0.0, 40.0, 0.0))
    body = models.intersection(rod(40.0), other)
    assert rounded(turned(body, angles), 0.5) == pytest.approx(rounded(body, 0.5), rel=SAME)


@pytest.mark.parametrize("order", ["zx", "zy"])
def test_no_radius_fits_a_rod_that_is_bored_through_by_its_own_width(order: str) -> None:
    # the walls end in knives; OpenCASCADE asked for small radii there may not come back
    body = models.difference(RODS[order[0]], RODS[order[1]])
    with pytest.raises(GeometryError) as caught:
        rounded(body, 0.1)
    assert caught.value.code == "FILLET_FAILED"
    assert "the two faces close upon each other" in caught.value.message
    assert caught.value.details["largest_working"] is None


def test_a_ball_as_large_as_the_rods_is_refused_with_a_radius_that_works() -> None:
    # how near the radius comes is asked here, which a slow machine must not decide
    counted = SearchLimit(blend_seconds=60.0, trials=4)
    body = models.intersection(RODS["z"], RODS["y"])
    with pytest.raises(GeometryError) as caught:
        rounded(body, RADIUS, counted)
    largest = caught.value.details["largest_working"]
    assert 0.9 * RADIUS < largest < RADIUS
    assert rounded(body, largest) == pytest.approx(common_part(largest), rel=1e-6)


def test_a_body_of_a_wrong_volume_is_refused_before_it_is_looked_at_closely(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never(_shape: object) -> bool:
        raise AssertionError("OpenCASCADE's check may never end")

    monkeypatch.setattr("vcad_kernel.geometry.occt.measure.validity.is_valid", never)
    before, after = box(10, 10, 10), Brep.made(box(9, 10, 10), BELOW)
    flaw = blend_flaw(before, sharp_edges(before), Blend("fillet", 0.5), after, BELOW, all_edges=True)
    assert flaw is not None
    assert "volume" in flaw


@pytest.mark.parametrize("angles", PLACES)
def test_a_quarter_of_the_common_part_is_rounded_alike_wherever_it_lies(
    angles: tuple[float, float, float],
) -> None:
    # other edges end where the rods cross; the figure is that of the inset quarter grown by a ball
    both = models.intersection(RODS["z"], RODS["x"])
    quarter = models.intersection(both, models.box(20.0, 20.0, 20.0, (0.0, 0.0, -10.0)))
    assert rounded(turned(quarter, angles), 0.5) == pytest.approx(163.78253, rel=1e-7)


def test_rods_that_nearly_have_one_radius_lose_nearly_as_much_as_equal_ones() -> None:
    # the thin ends of these edges are narrower than the radius
    thinner = models.solid(
        Translate, models.solid(Cylinder, radius=4.9999, height=LENGTH), offset=(0.0, 0.0, -LENGTH / 2)
    )
    body = models.intersection(RODS["z"], turned(thinner, (0.0, 90.0, 0.0)))
    lost = figures(body).volume - rounded(body, 0.1, SearchLimit(trials=0))
    assert lost == pytest.approx(common_part(0.0) - common_part(0.1), rel=2e-3)
