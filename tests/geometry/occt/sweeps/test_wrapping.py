"""Profiles around cylinders and cones: volumes by formulas, where they lie, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vcad_kernel.errors import GeometryError
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.protocol import PartResult

CYLINDER = "[cylinder 12 20]"
PLAIN = math.pi * 144 * 20
GROOVED = f"[difference [difference [cylinder 8 20] [translate 0 0 8 [cylinder 13 4]]] {CYLINDER}]"


def _kept(corner: str) -> str:
    """What of the cylinder lies right of and behind a place."""
    return f"[intersection [translate {corner} -1 [cube 50 60 30]] {CYLINDER}]"


@pytest.fixture(scope="module")
def service() -> DirectService:
    return DirectService()


def part(service: DirectService, text: str) -> PartResult:
    return service.eval_code(text, exact=True).parts[0]


@pytest.mark.parametrize(
    ("height", "profile", "area"),
    [
        (1.0, "[rect 8 6]", 48.0),
        (-1.0, "[rect 8 6]", 48.0),
        (-2.0, "[circle 4]", 16.0 * math.pi),
        (
            0.5,
            "[difference [ellipse 3 2] [rounded-rect 20 10 2]]",
            200.0 - (4.0 - math.pi) * 4.0 - 6.0 * math.pi,
        ),
        (0.5, "[linear-pattern 1 0 0 3 9 [regular 6 2]]", 3.0 * 1.5 * math.sqrt(3.0) * 4.0),
    ],
)
def test_on_a_cylinder_it_has_the_volume_of_its_sector(
    service: DirectService, height: float, profile: str, area: float
) -> None:
    made = part(service, f"[wrap-on {{:kind :cylinder}} {height} {profile} {CYLINDER}]").figures
    assert made.exact
    assert made.volume - PLAIN == pytest.approx(area / 12 * ((12 + height) ** 2 - 144) / 2, rel=1e-6)


@pytest.mark.parametrize(("cone", "lean"), [("[cone 8 12 20]", 1.0), ("[cone 12 8 20]", -1.0)])
@pytest.mark.parametrize("height", [1.0, -0.5])
def test_on_a_cone_it_follows_the_unrolled_face(
    service: DirectService, cone: str, lean: float, height: float
) -> None:
    made = part(service, f"[wrap-on {{:kind :cone}} {height} [rect 10 6] {cone}]").figures
    half = math.atan(4 / 20)
    # over a small area of the face stands what is h high and spreads as the normals do
    u, v = np.meshgrid(np.arange(-4.975, 5, 0.05), np.arange(-2.975, 3, 0.05))
    radius = np.hypot(u, 10 / math.sin(half) + lean * v) * math.sin(half)
    standing = float(np.sum(height + height**2 * math.cos(half) / (2 * radius)) * 0.05**2)
    assert made.volume - math.pi * 20 * (64 + 96 + 144) / 3 == pytest.approx(standing, rel=1e-5)


@pytest.mark.parametrize(
    ("turn", "axis", "at"),
    [
        ("", 1, (0, -13.0)),  # upright: in front
        ("rotate 0 90 0", 2, (1, 13.0)),  # level: on top
        ("rotate 90 0 0", 2, (1, 13.0)),
    ],
)
def test_the_middle_is_in_front_of_an_upright_axis_and_on_top_of_another(
    service: DirectService, turn: str, axis: int, at: tuple[int, float]
) -> None:
    body = f"[{turn} {CYLINDER}]" if turn else CYLINDER
    bounds = part(service, f"[wrap-on {{:kind :cylinder}} 1 [circle 2] {body}]").figures.bounds
    assert bounds is not None
    assert bounds[at[0]][axis] == pytest.approx(at[1], abs=1e-6)


@pytest.mark.parametrize(("turn", "to_the_right"), [("mirror 0 0 0 1 0 0", -2.0), ("rotate 0 0 0", 2.0)])
def test_on_part_of_a_cylinder_it_stands_where_the_face_is(
    service: DirectService, turn: str, to_the_right: float
) -> None:
    bar = f"[{turn} {_kept('-6 -40')}]"
    wrapped = f"[wrap-on {{:kind :cylinder}} 1 [translate {to_the_right} 0 0 [rect 12 6]] {bar}]"
    added = part(service, wrapped).figures.volume - part(service, bar).figures.volume
    assert added == pytest.approx(72 / 12 * (13**2 - 144) / 2, rel=1e-6)


def test_x_runs_to_the_right_and_y_upwards_as_seen_from_outside(service: DirectService) -> None:
    made = part(service, f"[wrap-on {{:kind :cylinder}} 1 [translate 4 5 0 [circle 2]] {CYLINDER}]")
    center = made.figures.center_of_mass
    assert center is not None
    assert center[0] > 1e-3
    assert center[1] < -1e-3
    assert center[2] > 10 + 1e-3


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("[wrap-on :top 1 [rect 8 6] [cylinder 12 20]]", "NOT_ROUND", "takes a plane"),
        (
            "[wrap-on {:kind :cylinder} 1 [circle 1]"
            " [difference [translate 9 9 -1 [cylinder 4 9]] [cube 18 18 6]]]",
            "NOT_ROUND",
            "inside of a cylinder",
        ),
        (
            "[wrap-on {:kind :cylinder} 1 [circle 1] [union [cylinder 4 20] [cylinder 9 6]]]",
            "AMBIGUOUS_FACE",
            "2 faces of several",
        ),
        (f"[wrap-on {{:kind :cylinder}} 1 [rect 80 6] {CYLINDER}]", "INVALID_PARAMETER", "than 75.3982 mm"),
        (f"[wrap-on {{:kind :cylinder}} 1 [rect 8 21] {CYLINDER}]", "INVALID_PARAMETER", "from -10 to 10"),
        # a bar that is half round, at the back; one that is round on the left
        (
            f"[wrap-on {{:kind :cylinder}} 1 [rect 8 6] {_kept('-20 0')}]",
            "INVALID_PARAMETER",
            "-180° to -90° and",
        ),
        (
            f"[wrap-on {{:kind :cylinder}} -1 [rect 8 6] {_kept('-20 0')}]",
            "INVALID_PARAMETER",
            "-19.0986° to",
        ),
        (
            f"[wrap-on {{:kind :cylinder}} 1 [rect 13 6] [mirror 0 0 0 1 0 0 {_kept('-6 -40')}]]",
            "INVALID_PARAMETER",
            "and the face from -180° to 30° and",
        ),
        (
            f"[wrap-on {{:kind :cylinder :radius 12}} 1 [rect 2 2] {GROOVED}]",
            "INVALID_PARAMETER",
            "gap or a hole",
        ),
        (
            f"[wrap-on {{:kind :cylinder}} -12 [rect 8 6] {CYLINDER}]",
            "INVALID_PARAMETER",
            "which lies 12 mm under",
        ),
        ("[wrap-on {:kind :cone} -9 [rect 8 6] [cone 12 6 20]]", "INVALID_PARAMETER", "9 mm deep is beyond"),
        (f"[wrap-on {{:kind :cylinder}} 0 [rect 8 6] {CYLINDER}]", "INVALID_PARAMETER", "h must not be 0"),
        (f"[wrap-on {{:kind :cylinder}} 1 [on :xz [rect 8 6]] {CYLINDER}]", "INVALID_PARAMETER", "on :xy"),
    ],
)
def test_what_cannot_lie_there_is_refused_with_its_reason(
    service: DirectService, text: str, code: str, words: str
) -> None:
    with pytest.raises(GeometryError, match=words) as caught:
        part(service, text)
    assert caught.value.code == code
    assert caught.value.operation == "wrap-on"
