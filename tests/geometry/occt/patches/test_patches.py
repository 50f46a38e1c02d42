"""Surfaces through curves and points, and solids on them: by formulas, by CadQuery, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from tests.exchange.test_files_hold_the_part import exported
from vcad_kernel.errors import GeometryError
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.protocol import PartResult
from vcad_kernel.service.requests import EvalCell, EvalCode

SQUARE = "[path-polyline 0 #[0 0 0  0 10 0  0 10 10  0 0 10  0 0 0]]"
BULGED = f"[patch #[{SQUARE}] #[#[5 5 5]]]"
SADDLE = (
    "[patch #[[path-line 0 0 0 10 0 4] [path-line 10 0 4 10 10 0]"
    " [path-line 0 10 4 10 10 0] [path-line 0 0 0 0 10 4]] #[]]"
)
HALF_DISC = "[patch #[[path-2d 5 0 #[[arc-to {:through #[0 5]} -5 0]]] [path-line 5 0 0 -5 0 0]] #[]]"


@pytest.fixture(scope="module")
def service() -> DirectService:
    return DirectService()


def part(service: DirectService, text: str) -> PartResult:
    (found,) = service.eval_cell(text).parts
    return found


def refused(service: DirectService, text: str) -> GeometryError:
    with pytest.raises(GeometryError) as caught:
        part(service, text)
    return caught.value


def test_edges_in_one_plane_give_its_region_exactly(service: DirectService) -> None:
    surface = part(service, HALF_DISC).figures
    assert surface.exact
    assert surface.volume == 0.0
    assert surface.surface_area == pytest.approx(12.5 * math.pi, rel=1e-12)
    solid = part(service, f"[thicken 2 {HALF_DISC}]").figures
    assert solid.exact
    assert solid.volume == pytest.approx(25.0 * math.pi, rel=1e-12)


def test_the_first_edge_says_which_side_is_above(service: DirectService) -> None:
    # counter-clockwise as seen from +x, and with its end first from -x
    back = "[path-polyline 0 #[0 0 0  0 0 10  0 10 10  0 10 0  0 0 0]]"
    for edge, t, reach in ((SQUARE, 2, (0, 2)), (SQUARE, -2, (-2, 0)), (back, 2, (-2, 0))):
        bounds = part(service, f"[thicken {t} [patch #[{edge}] #[]]]").figures.bounds
        assert bounds is not None
        assert (bounds[0][0], bounds[1][0]) == pytest.approx(reach, abs=1e-9)


def test_four_skew_lines_span_a_saddle(service: DirectService) -> None:
    # z = 0.4 (x + y) - 0.08 xy meets them all, and so does every plate of least bend
    surface = part(service, SADDLE).figures
    count = 200
    places = [
        (10.0 * (i + 0.5) / count, 10.0 * (j + 0.5) / count) for i in range(count) for j in range(count)
    ]
    area = sum(math.hypot(1.0, 0.4 - 0.08 * y, 0.4 - 0.08 * x) for x, y in places) * (10.0 / count) ** 2
    assert surface.exact
    assert surface.surface_area == pytest.approx(area, rel=1e-5)


def test_a_plate_through_a_point_is_what_cadquery_makes(service: DirectService) -> None:
    """CadQuery 2.8.0, Face.makeNSidedSurface of Ex101's edges and point, and thicken(1) of that."""
    surface = part(service, BULGED).figures
    assert surface.surface_area == pytest.approx(141.1943, rel=1e-4)
    assert not surface.exact
    assert surface.tolerance is not None
    assert surface.tolerance < 1e-4
    assert surface.bounds is not None
    assert surface.bounds[1][0] == pytest.approx(5.0, abs=surface.tolerance)
    solid = part(service, f"[thicken 1 {BULGED}]")
    assert solid.figures.volume == pytest.approx(155.192, rel=1e-3)
    # the side beside is within a thousandth of the thickness
    assert solid.figures.tolerance is not None
    assert solid.figures.tolerance - surface.tolerance < 1e-3
    assert solid.mesh_figures.volume == pytest.approx(solid.figures.volume, rel=5e-3)


@pytest.mark.parametrize("exact", [False, True])
def test_figures_of_a_curved_surface_say_nothing_of_a_body(service: DirectService, exact: bool) -> None:
    (found,) = service.evaluate(EvalCell(BULGED, exact=exact)).parts
    assert found.figures.notes == ()
    assert found.figures.surface_area == pytest.approx(141.1943, rel=1e-4)


def test_a_solid_of_a_patch_is_read_back_from_step(service: DirectService, tmp_path: Path) -> None:
    solid = part(service, f"[thicken 1 {SADDLE}]")
    exported(solid, tmp_path / "saddle.step", 0.02)
    code = EvalCode('[import-step-body "saddle.step" 0]', exact=True, base_dir=tmp_path)
    (again,) = service.evaluate(code).parts
    assert again.figures.volume == pytest.approx(solid.figures.volume, rel=1e-6)


def test_a_ring_without_points_does_not_swing_away(service: DirectService) -> None:
    # on a circle the paraboloids are free, which a plate of least third derivatives would follow anywhere
    bounds = part(service, "[patch #[[cam-path 10 #[0 0 90 3 180 0 270 3 360 0]]] #[]]").figures.bounds
    assert bounds is not None
    assert bounds[0][2] > -0.1
    assert bounds[1][2] < 3.1


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (
            "[patch #[[path-line 0 0 0 9 0 0] [path-line 9 0 0.5 0 9 0] [path-line 0 9 0 0 0 0]] #[]]",
            "SKETCH_NOT_CLOSED",
            "edge 1 ends at (9, 0, 0), where no other end is; the nearest is 0.5 mm away, on edge 2",
        ),
        (
            "[patch #[[path-line 0 0 0 9 9 0] [path-line 9 9 0 9 0 3] [path-line 9 0 3 0 9 -3]"
            " [path-line 0 9 -3 0 0 0]] #[]]",
            "SKETCH_DEGENERATE",
            "edges 1 and 3 meet at (4.5, 4.5, 0)",
        ),
        ("[patch #[[path-line 0 0 0 9 0 0] [path-line 9 0 0 0 0 0]] #[]]", "SKETCH_DEGENERATE", "one line"),
        (f"[thicken 1e-9 [patch #[{SQUARE}] #[]]]", "INVALID_PARAMETER", "must be thicker than 1e-06 mm"),
        (f"[patch #[{SQUARE}] #[#[0 5 0]]]", "INVALID_PARAMETER", "points 1, (0, 5, 0), lies on edge 1"),
        (f"[patch #[{SQUARE}] #[#[1 12 5]]]", "INVALID_PARAMETER", "does not lie within the outline"),
        (f"[patch #[{SQUARE}] #[#[1 5 5] #[1 5 5]]]", "INVALID_PARAMETER", "points 1 and 2 coincide"),
        ("[patch #[] #[]]", "INVALID_PARAMETER", "edges must be paths"),
        (f"[thicken 0 {BULGED}]", "INVALID_PARAMETER", "t must not be 0"),
        (f"[scale 1 2 1 {BULGED}]", "INVALID_PARAMETER", "y must be as large as x where a surface is scaled"),
        (f"[pull 3 {BULGED}]", "TYPE_MISMATCH", "k must be a profile, got a patch"),
    ],
)
def test_what_cannot_be_says_where_and_why(service: DirectService, text: str, code: str, said: str) -> None:
    error = refused(service, text)
    assert error.code == code
    assert said in error.message


def test_too_thick_is_refused_with_the_largest_that_works(service: DirectService) -> None:
    error = refused(service, f"[thicken -3 {BULGED}]")
    assert error.code == "INVALID_PARAMETER"
    largest = error.details["largest_working"]
    assert -3.0 < largest < -1.0
    assert part(service, f"[thicken {largest} {BULGED}]").mesh_figures.volume > 0.0


@pytest.mark.parametrize("t", [1e-5, -0.045])
def test_both_sides_of_a_thin_solid_stay_apart_in_its_mesh(service: DirectService, t: float) -> None:
    thin = part(service, f"[thicken {t} {BULGED}]")
    assert thin.mesh_figures.volume == pytest.approx(thin.figures.volume, rel=0.01)
    assert thin.mesh_figures.is_manifold


def test_a_surface_is_shown_and_is_no_solid(service: DirectService) -> None:
    surface = part(service, BULGED)
    assert surface.is_profile
    with pytest.raises(GeometryError, match="a surface is no solid"):
        surface.given_mesh()


_SLAB = "[patch #[[path-polyline 0 #[0 0 0  20 0 4  20 20 0  0 20 7  0 0 0]]] #[]]"
_HALF = "[patch #[[path-2d 0 0 #[[line-to 20 0] [arc-to {:radius 10} 0 0]]]] #[]]"


@pytest.mark.parametrize("surface", [_SLAB, _HALF])
@pytest.mark.parametrize(
    ("move", "larger"),
    [
        ("translate 1 2 3", 1.0),
        ("mirror 1 2 3 1 1 2", 1.0),
        ("mirror-y [rotate 0 0 30 [scale 2 2 2", 2.0),
    ],
)
def test_a_moved_surface_thickens_to_what_it_thickened_to_moved(
    service: DirectService, surface: str, move: str, larger: float
) -> None:
    closing = "]" * (1 + move.count("["))
    after = part(service, f"[{move} [thicken -1.5 {surface}]{closing}").figures
    before = part(service, f"[thicken {-1.5 * larger} [{move} {surface}{closing}]").figures
    assert before.volume == pytest.approx(after.volume, rel=1e-9)
    assert before.center_of_mass == pytest.approx(after.center_of_mass, abs=1e-8)
    assert np.array(before.bounds) == pytest.approx(np.array(after.bounds), abs=1e-8)
    assert (before.tolerance or 0.0) == pytest.approx(after.tolerance or 0.0, rel=1e-6)


def test_a_closed_path_is_an_outline_by_itself(service: DirectService) -> None:
    flat = part(service, f"[thicken 1.5 {_HALF}]").figures
    assert flat.exact
    assert flat.volume == pytest.approx(75 * math.pi, rel=1e-12)
    box = "[cube 9 9 9]"
    ring = "[path-2d 10 0 #[[arc-to {:radius 10} -10 0] [arc-to {:radius 10} 10 0]]]"
    there = part(service, f"[thicken 2 [patch #[[on [face-plane :top {box}] {ring}]] #[]]]").figures
    assert there.volume == pytest.approx(200 * math.pi, rel=1e-12)
    assert there.bounds[0][2] == pytest.approx(9.0)
