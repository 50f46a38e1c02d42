"""Profiles and what grows out of them, on both kernels: closed formulas, planes, refusals."""

from __future__ import annotations

import math
import pathlib
from typing import Any

import numpy as np
import pytest

from vcad_kernel.errors import GeometryError
from vcad_kernel.exchange.exact_part import ExactPart
from vcad_kernel.exchange.step import encode
from vcad_kernel.geometry.cache.solid_cache import SolidCache
from vcad_kernel.geometry.exact import InstalledKernel
from vcad_kernel.geometry.measure.figures import Figures
from vcad_kernel.geometry.placement import matrix_of
from vcad_kernel.geometry.sweeps.planes import XY, carried_plane, coplanar, moved_plane, plane_at
from vcad_kernel.geometry.sweeps.profiles.crossing import crossing_of
from vcad_kernel.geometry.sweeps.profiles.curves import (
    backwards,
    bezier_pieces,
    bulge_area,
    carried,
    curve_chords,
    ellipse_sweep,
    extremes,
    spline_points,
)
from vcad_kernel.geometry.sweeps.profiles.regions import Shape, profile_in, read_region
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.ir.document import DocumentBuilder
from vcad_kernel.operations.bodies.booleans import ProfileUnion
from vcad_kernel.operations.bodies.transforms import Mirror, ProfileTranslate, Rotate, Translate
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.planes import PLANES, PlaneAt
from vcad_kernel.operations.profiles.profiles import Region, ring
from vcad_kernel.operations.profiles.sketches import Arc, EllipseArc, Line, Spline
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.questions import Export
from vcad_kernel.service.requests import EvalCell, EvalCode
from vcad_kernel.service.summary import parts_line

SERVICE = DirectService()
PI = math.pi


def _belt(first: float, second: float, apart: float) -> float:
    """The area within a belt around two discs, mm²."""
    half = math.acos((first - second) / apart)
    straight = math.sqrt(apart**2 - (first - second) ** 2)
    return (PI - half) * first**2 + half * second**2 + straight * (first + second)


ANGLE = "#[#[0 0] #[10 0] #[10 2] #[2 2] #[2 10] #[0 10]]"
HALF_ELLIPSE = EllipseArc((5.0, 0.0), (-5.0, 0.0), (0.0, 0.0), (5.0, 0.0), (0.0, 3.0), True)
ARCH = Spline(2, ((0.0, 0.0), (2.0, 6.0), (6.0, 0.0)), (0.0, 0.0, 0.0, 1.0, 1.0, 1.0))
WAVE = Spline(
    3,
    ((0.0, 0.0), (1.0, 4.0), (4.0, -3.0), (6.0, 5.0), (7.0, 0.0)),
    (0.0, 0.0, 0.0, 0.0, 0.4, 1.0, 1.0, 1.0, 1.0),
)


def part(text: str) -> Any:
    (only,) = SERVICE.evaluate(EvalCode(text, exact=True)).parts
    return only


def figures(text: str) -> Figures:
    return part(text).figures


def refused(text: str) -> GeometryError:
    with pytest.raises(GeometryError) as caught:
        part(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "volume"),
    [
        ("[pull 5 [circle 3]]", 45 * PI),
        ("[pull 5 [ellipse 12 7]]", 5 * PI * 84),
        ("[pull 5 [ellipse 4 4]]", 5 * PI * 16),
        ("[pull 5 [rect 3 4]]", 60),
        ("[pull 2 [rounded-rect 20 10 2]]", 2 * (200 - (4 - PI) * 4)),
        ("[pull 2 [rounded-rect 20 10 5]]", 2 * (100 + 25 * PI)),
        ("[pull 2 [rounded-rect 10 10 5]]", 2 * 25 * PI),
        ("[pull 2 [regular 6 8]]", 2 * 1.5 * math.sqrt(3) * 64),
        ("[pull 3 [polygon #[#[0 0] #[0 12] #[20 0]]]]", 360),
        ("[pull 2 [slot 30 10]]", 2 * (200 + 25 * PI)),
        ("[pull -5 [circle 3]]", 45 * PI),
        ("[pull 5 {:both true} [circle 3]]", 45 * PI),
        ("[pull 5 {:along #[1 2 3]} [circle 3]]", 45 * PI),
        ("[pull 5 {:twist 90} [rect 12 7]]", 420),
        ("[pull 5 {:twist -90} [difference [circle 1] [rect 12 7]]]", 420 - 5 * PI),
        ("[pull 6 {:taper 45} [rect 20 20]]", (20**3 - 8**3) / 6),
        ("[pull 6 {:taper -45} [circle 4]]", PI * 2 * (16 + 40 + 100)),
        ("[pull -6 {:taper 45} [circle 10]]", PI * 2 * (16 + 40 + 100)),
        (
            "[pull 6 {:taper 45} [difference [circle 2] [rect 40 40]]]",
            (40**3 - 28**3) / 6 - PI * 2 * (4 + 16 + 64),
        ),
        ("[pull 3 [difference [circle 3] [rounded-rect 20 10 2]]]", 3 * (200 - (4 - PI) * 4 - 9 * PI)),
        # a hole over the border, at it, just within it; in a hole, around one, of a ring; two that overlap
        ("[pull 2 [difference [translate 5 0 0 [rect 2 2]] [rect 10 10]]]", 2 * 98),
        ("[pull 2 [difference [translate 4 0 0 [rect 2 2]] [rect 10 10]]]", 2 * 96),
        ("[pull 2 [difference [circle 4.99999] [rect 10 10]]]", 2 * (100 - PI * 4.99999**2)),
        ("[pull 2 [difference [circle 1] [difference [circle 3] [rect 10 10]]]]", 2 * (100 - 9 * PI)),
        ("[pull 2 [difference [circle 3] [difference [circle 1] [rect 10 10]]]]", 2 * (100 - 9 * PI)),
        ("[pull 2 [difference [difference [circle 1] [circle 3]] [rect 10 10]]]", 2 * (100 - 8 * PI)),
        ("[pull 2 [difference [union [rect 2 2] [translate 1 0 0 [rect 2 2]]] [rect 10 10]]]", 2 * 94),
        # in the bay of an angle, and around all of it
        (f"[pull 2 [difference [translate 5 5 0 [rect 2 2]] [polygon {ANGLE}]]]", 2 * 36),
        (f"[pull 2 [difference [polygon {ANGLE}] [translate 5 5 0 [rect 12 12]]]]", 2 * (144 - 36)),
        ("[pull 3 [union [rect 8 8] [translate 4 0 0 [circle 4]]]]", 3 * (64 + 8 * PI)),
        ("[pull 3 [intersection [rect 8 8] [translate 4 0 0 [circle 4]]]]", 3 * 8 * PI),
        ("[pull 3 [union [circle 2] [difference [circle 4] [circle 6]]]]", 3 * PI * (36 - 16 + 4)),
        ("[pull 3 [linear-pattern 1 0 0 4 10 [circle 4]]]", 3 * 4 * 16 * PI),
        ("[pull 3 [circular-pattern 0 0 0 0 0 1 6 360 [translate 12 0 0 [circle 2]]]]", 3 * 6 * 4 * PI),
        ("[pull 3 [mirror-pattern-x [translate 5 0 0 [circle 4]]]]", 3 * 2 * 16 * PI),
        ("[pull 5 [scale 2 1 1 [circle 4]]]", 5 * PI * 32),
        ("[pull 5 [scale 1 2 1 [rotate 0 0 30 [ellipse 3 1]]]]", 5 * PI * 6),
        ("[pull 5 [mirror-x [polygon #[#[1 0] #[4 0] #[1 3]]]]]", 22.5),
        ("[spin 360 [translate 12 0 0 [circle 4]]]", 2 * PI**2 * 12 * 16),
        ("[spin 90 {:axis :x} [translate 0 12 0 [rect 4 4]]]", 2 * PI * 12 * 16 / 4),
        ("[spin -90 {:axis :x} [translate 0 12 0 [rect 4 4]]]", 2 * PI * 12 * 16 / 4),
        ("[spin 360 {:axis #[#[-10 0] #[-10 5]]} [ellipse 2 3]]", 2 * PI * 10 * 6 * PI),
        ("[spin 360 [intersection [translate 5 0 0 [rect 10 20]] [circle 4]]]", 4 / 3 * PI * 64),
        (
            "[spin 360 [difference [translate 12 0 0 [circle 2]] [translate 12 0 0 [circle 4]]]]",
            2 * PI**2 * 12 * 12,
        ),
        ("[pull 1 [fillet-2d 3 [rect 20 12]]]", 240 - (4 - PI) * 9),
        ("[pull 1 [fillet-2d 6 [rect 20 12]]]", 240 - (4 - PI) * 36),
        ("[pull 1 [fillet-2d 3 {:above {:x 0}} [rect 20 12]]]", 240 - (4 - PI) * 9 / 2),
        ("[pull 1 [fillet-2d 1 [difference [rect 4 4] [rect 20 12]]]]", 224),
        ("[pull 1 [fillet-2d 3 {:convex false} [union [rect 20 4] [rect 4 20]]]]", 144 + (4 - PI) * 9),
        ("[pull 1 [on :xz [fillet-2d 3 {:above {:z 0}} [on :xz [rect 20 12]]]]]", 240 - (4 - PI) * 9 / 2),
        ("[pull 1 [chamfer-2d 3 [rect 20 12]]]", 222),
        ("[pull 1 [offset-2d 2 [rect 20 12]]]", 240 + 128 + 4 * PI),
        ("[pull 1 [offset-2d 2 {:corners :sharp} [rect 20 12]]]", 24 * 16),
        ("[pull 1 [offset-2d -2 [rect 20 12]]]", 128),
        ("[pull 1 [offset-2d 1 [circle 3]]]", 16 * PI),
        ("[pull 1 [offset-2d -4.9 [circle 5]]]", 0.01 * PI),
        ("[pull 1 [offset-2d 1 [difference [circle 3] [rect 20 12]]]]", 240 + 64 + PI - 4 * PI),
        (
            "[pull 1 [offset-2d -1.5 [union [rect 20 2] [union [translate 8 0 0 [rect 10 10]]"
            " [translate -8 0 0 [rect 10 10]]]]]]",
            98 + 4 * (1.5 - 0.5 * (math.sqrt(1.25) + 2.25 * math.asin(2 / 3))),
        ),
        ("[pull 1 [union-all #[[rect 4 4] [translate 2 0 0 [rect 4 4]] [translate 9 0 0 [rect 1 1]]]]]", 25),
        ("[pull 1 [difference-all #[[rect 1 9] [rect 9 1]] [rect 4 4]]]", 9),
        ("[pull 1 [difference-all #[] [on :xz [rect 4 4]]]]", 16),
        ("[pull 1 [intersection-all #[[rect 1 9] [rect 9 1] [rect 4 4]]]]", 1),
        ("[pull 1 [hull [on :xz [union [translate 20 0 0 [circle 3]] [circle 6]]]]]", _belt(6, 3, 20)),
        ("[extrude 0 0 3 [difference [circle 1] [circle 4]]]", 3 * 15 * PI),
        ("[extrude 0 3 3 [on :xy [circle 4]]]", 3 * 16 * PI),
        ("[revolve 0 0 0 0 1 0 360 [translate 12 0 0 [circle 4]]]", 2 * PI**2 * 12 * 16),
        ("[sweep [path-line 0 0 0 0 0 10] [difference [circle 1] [circle 4]]]", 150 * PI),
        ("[loft #[[circle 4] [on [plane {:at #[0 0 9]}] [circle 2]]]]", 3 * PI * (16 + 8 + 4)),
    ],
)
def test_what_grows_has_its_volume_exactly_and_its_mesh_nearly(text: str, volume: float) -> None:
    made = part(text)
    assert made.figures.exact
    assert made.figures.volume == pytest.approx(volume, rel=1e-9)
    assert made.mesh_figures.volume == pytest.approx(volume, rel=0.03)


@pytest.mark.parametrize("name", PLANES)
def test_a_named_plane_grows_along_its_normal(name: str) -> None:
    _, normal = PLANES[name]
    low, high = figures(f"[pull 7 [on :{name} [rect 2 4]]]").bounds or ((), ())
    along = next(axis for axis in range(3) if normal[axis])
    assert (low[along], high[along]) == ((0.0, 7.0) if normal[along] > 0 else (-7.0, 0.0))
    first, second = ("xyz".index(letter) for letter in name)
    assert (high[first] - low[first], high[second] - low[second]) == (2.0, 4.0)


def test_on_a_leaning_face_it_stands_as_the_face_does() -> None:
    text = """[let box [rotate 0 30 0 [cube 20 20 10]]]
    [pull 5 [on [face-plane {:normal #[0.5 0 0.8660254037844386]} box] [rect 4 2]]]"""
    made = figures(text)
    assert made.volume == pytest.approx(40.0, rel=1e-12)
    sine, cosine = 0.5, math.sqrt(3) / 2
    # the middle of the box's top, and half of the height along the normal
    middle = (10 * cosine + 12.5 * sine, 10.0, -10 * sine + 12.5 * cosine)
    assert made.center_of_mass == pytest.approx(middle, abs=1e-12)


def test_a_profile_that_moves_within_its_plane_leaves_the_axes_where_they_are() -> None:
    there = figures("[spin 360 [translate 10 0 0 [circle 2]]]")
    assert there.volume == pytest.approx(2 * PI**2 * 10 * 4, rel=1e-9)
    turned = figures("[spin 360 [rotate 0 0 -90 [translate 0 10 0 [circle 2]]]]")
    assert turned.volume == pytest.approx(there.volume, rel=1e-9)
    stood = figures("[spin 360 [rotate 90 0 0 [translate 10 0 0 [circle 2]]]]")
    assert np.allclose(stood.bounds, ((-12, -12, -2), (12, 12, 2)), atol=1e-9)


def test_what_is_moved_grows_where_what_grew_would_have_moved() -> None:
    for change in ("translate 1 2 3", "rotate 20 30 40", "mirror 1 2 3 1 1 0", "scale 1 2 1"):
        before = figures(f"[pull 5 [{change} [polygon #[#[0 0] #[4 0] #[1 3]]]]]")
        after = figures(f"[{change} [pull 5 [polygon #[#[0 0] #[4 0] #[1 3]]]]]")
        assert before.volume == pytest.approx(after.volume, rel=1e-12), change
        assert before.center_of_mass == pytest.approx(after.center_of_mass), change


def test_curved_borders_stay_what_they_are_down_to_step() -> None:
    made = part("[pull 3 [difference [ellipse 4 2] [rounded-rect 20 10 3]]]")
    kernel = InstalledKernel(SolidCache())
    brep = kernel.brep(made.document, made.node)
    text = encode([ExactPart("plate", brep)], "plate")[".step"].decode("ascii")
    assert text.count("CYLINDRICAL_SURFACE(") == 4
    assert "ELLIPSE(" in text
    assert "B_SPLINE" not in text


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("[pull 0 [circle 3]]", "INVALID_PARAMETER", "h must not be 0"),
        ("[pull 5 {:twist 9 :taper 3} [circle 3]]", "INVALID_PARAMETER", "does not go together with :twist"),
        ("[pull 5 {:along #[1 0 0]} [circle 3]]", "INVALID_PARAMETER", "lies in the plane"),
        ("[pull 50 {:taper 10} [rect 12 7]]", "INVALID_PARAMETER", "reached; 4.004 works"),
        ("[pull 5 {:taper -30} [difference [circle 2] [rect 12 7]]]", "INVALID_PARAMETER", "-21.79 works"),
        # the smallest radius of curvature of the ellipse is 49 / 12
        ("[pull 2 [offset-2d -5 [ellipse 12 7]]]", "OFFSET_FAILED", "so far; -4.08"),
        ("[pull 2 [offset-2d -8 [ellipse 12 7]]]", "OFFSET_FAILED", "nothing is left of the profile; -4.0"),
        ("[pull 2 [offset-2d -6 [rect 20 12]]]", "OFFSET_FAILED", "nothing is left of the profile; -5.998"),
        ("[pull 2 [offset-2d -3 [difference [circle 5] [circle 9]]]]", "OFFSET_FAILED", "-1.999 works"),
        ("[spin 400 [circle 3]]", "INVALID_PARAMETER", "angle must be above 0"),
        ("[spin 360 [circle 3]]", "PROFILE_CROSSES_AXIS", "both sides of the axis"),
        ("[pull 1 [fillet-2d 7 [rect 20 12]]]", "FILLET_FAILED", "the largest that fits is 6"),
        ("[pull 1 [fillet-2d 1 {:kind :circle} [rect 20 12]]]", "NO_MATCH", "selects nothing"),
        ("[pull 1 [fillet-2d 0 [rect 20 12]]]", "INVALID_PARAMETER", "r must be greater than 0"),
        ("[circle 0]", "INVALID_PARAMETER", "r must be greater than 0"),
        ("[rounded-rect 10 4 3]", "INVALID_PARAMETER", "at most 2, half of the shorter side"),
        ("[regular 2 4]", "INVALID_PARAMETER", "n must be from 3"),
        ("[polygon #[#[0 0] #[1 0]]]", "INVALID_PARAMETER", "points must be at least 3"),
        (
            "[pull 3 [polygon #[#[0 0] #[9 9] #[9 0] #[0 9]]]]",
            "SKETCH_DEGENERATE",
            "meets itself at (4.5, 4.5)",
        ),
        ("[pull 3 [polygon #[#[0 0] #[9 0] #[9 9] #[4 0] #[1 9]]]]", "SKETCH_DEGENERATE", "itself at (4, 0)"),
        ("[pull 3 [outline 1 2 #[[line-to 9 2]]]]", "SKETCH_DEGENERATE", "meets itself at (1, 2)"),
        ("[pull 1 [union [on :xz [circle 4]] [circle 1]]]", "PLANES_DIFFER", "lie in different planes"),
        ("[on :xzz [circle 4]]", "INVALID_PARAMETER", "plane must be a plane"),
        ("[plane {:normal #[0 0 1]}]", "TYPE_MISMATCH", "not a solid"),
        (
            "[pull 1 [on [plane {:normal #[0 0 1] :x #[0 0 2]}] [circle 1]]]",
            "INVALID_PARAMETER",
            "x must not point",
        ),
        ("[union [circle 4] [cube 1 1 1]]", "TYPE_MISMATCH", "must be a solid"),
        (
            "[loft #[[difference [circle 1] [circle 2]] [on [plane {:at #[0 0 9]}] [circle 2]]]]",
            "SKETCH_DEGENERATE",
            "one outline",
        ),
        (
            "[loft #[[ellipse 9 5] [translate 0 0 9 [circle 3]]]]",
            "SKETCH_DEGENERATE",
            "loft: a section must be",
        ),
        (
            "[let b [cube 9 9 9]] [pull 1 [on [face-plane {:kind :plane} b] [circle 1]]]",
            "AMBIGUOUS_FACE",
            "6 in different planes",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_words(text: str, code: str, words: str) -> None:
    error = refused(text)
    assert error.code == code
    assert words in error.message
    assert error.place is not None


@pytest.mark.parametrize(
    "text",
    [
        "[difference [circle 5] [circle 2]]",
        "[hull [difference [circle 5] [circle 2]]]",
        "[intersection [circle 2] [translate 9 0 0 [circle 2]]]",
    ],
)
def test_of_a_profile_of_nothing_nothing_grows(text: str) -> None:
    assert part(f"[pull 3 {text}]").figures.is_empty
    assert part(f"[spin 360 {text}]").figures.is_empty


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[difference [circle 5] [circle 2]]", "nothing is left: the subject lies -2 ≤ x ≤ 2"),
        ("[pull 1 [intersection [circle 2] [translate 9 0 0 [circle 2]]]]", "nothing is common to both"),
        ("[union [cube 9 9 9] [pull 1 [difference [circle 5] [circle 2]]]]", "the tool -5 ≤ x ≤ 5"),
        (
            "[keep :above [plane {:at #[0 0 3] :normal #[0 0 1]}] [cube 1 1 1]]",
            "keep: nothing is left: the body lies 0 ≤ x ≤ 1",
        ),
    ],
)
def test_what_leaves_nothing_says_so(text: str, words: str) -> None:
    (warning,) = SERVICE.evaluate(EvalCell(text)).warnings
    assert warning.code == "NOTHING_LEFT"
    assert words in warning.message


def test_two_things_that_are_said_of_one_drill_are_both_said() -> None:
    text = "[drill :top {:d 3 :depth 30} #[#[9 0] #[0 0]] [cube 20 20 5]]"
    said = {warning.message for warning in SERVICE.evaluate(EvalCell(text)).warnings}
    assert said == {
        "drill: the hole at (9, 0) leaves the face",
        "drill: the hole at (0, 0) is deeper than the body there",
    }


def test_a_profile_in_many_steps_needs_no_stack() -> None:
    builder = DocumentBuilder()
    top = disc = builder.add(Region((ring(1.0),)))
    for _ in range(3000):
        top = builder.add(ProfileUnion(builder.add(ProfileTranslate(top, (3.0, 0.0, 0.0))), disc))
    region = read_region(builder.build(), top, InstalledKernel(SolidCache()))
    assert sum(isinstance(step, Shape) for step in region.steps) == 3001


# ---------------------------------------------------------------- curves and planes alone


@pytest.mark.parametrize("curve", [HALF_ELLIPSE, ARCH, WAVE, backwards(HALF_ELLIPSE), backwards(WAVE)])
def test_area_chords_and_reach_agree_with_a_fine_polygon(curve: EllipseArc | Spline) -> None:
    fine, _ = curve_chords(curve, Tessellation(chord=1e-7), 1.0, 1)
    points = np.vstack([fine, [curve.end]])
    after = np.roll(points, -1, axis=0)
    area = 0.5 * float(np.sum(points[:, 0] * after[:, 1] - after[:, 0] * points[:, 1]))
    chord = 0.5 * (curve.start[0] * curve.end[1] - curve.end[0] * curve.start[1])
    assert bulge_area(curve) + chord - chord == pytest.approx(area, rel=1e-5)
    for way in ((1.0, 0.0), (0.0, 1.0), (0.6, -0.8)):
        values = points @ np.array(way)
        assert min(extremes(curve, way)) == pytest.approx(values.min(), abs=1e-5)
        assert max(extremes(curve, way)) == pytest.approx(values.max(), abs=1e-5)
    coarse, off = curve_chords(curve, Tessellation(chord=0.05), 1.0, 1)
    assert off <= 0.05
    assert tuple(coarse[0]) == curve.start


def test_a_circle_under_a_stretch_is_an_ellipse_and_comes_back() -> None:
    half = Arc((2.0, 0.0), (-2.0, 0.0), (0.0, 0.0), True)
    stretch = np.array([[2.0, 0.5, 1.0], [0.0, 1.0, -3.0]])
    there = carried(half, stretch)
    assert isinstance(there, EllipseArc)
    inverse = np.linalg.inv(stretch[:, :2])
    back = carried(there, np.column_stack([inverse, -inverse @ stretch[:, 2]]))
    assert isinstance(back, Arc)
    assert back.ccw
    assert math.dist(back.start, back.center) == pytest.approx(2.0, rel=1e-12)


def test_a_mirrored_curve_runs_the_other_way_round() -> None:
    flip = np.array([[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    arc = carried(Arc((2.0, 0.0), (0.0, 2.0), (0.0, 0.0), True), flip)
    assert isinstance(arc, Arc)
    assert not arc.ccw
    ellipse = carried(HALF_ELLIPSE, flip)
    assert isinstance(ellipse, EllipseArc)
    assert ellipse_sweep(ellipse)[1] == pytest.approx(-PI) or not ellipse.ccw
    assert carried(Line((0.0, 0.0), (1.0, 2.0)), flip) == Line((0.0, 0.0), (-1.0, 2.0))


def test_the_pieces_of_a_spline_are_its_stretches() -> None:
    pieces = bezier_pieces(WAVE)
    assert len(pieces) == 2
    share = 0.3
    first = pieces[0]
    for _ in range(3):
        first = first[:-1] + share * np.diff(first, axis=0)
    assert first[0] == pytest.approx(spline_points(WAVE, np.array([0.4 * share]))[0])


def test_planes_under_matrices() -> None:
    plane = plane_at(PlaneAt((1.0, 2.0, 3.0), (0.0, 0.0, 2.0), (5.0, 5.0, 0.0)))
    assert np.allclose(plane.normal, (0, 0, 1))
    assert np.allclose(plane.x, (math.sqrt(0.5), math.sqrt(0.5), 0))
    up = moved_plane(XY, matrix_of(Translate(0, (5.0, 6.0, 7.0))))  # type: ignore[arg-type]
    assert np.allclose(up.origin, (0, 0, 7))
    tipped = moved_plane(XY, matrix_of(Rotate(0, (90.0, 0.0, 0.0))))  # type: ignore[arg-type]
    assert np.allclose(tipped.normal, (0, -1, 0))
    mirrored = carried_plane(XY, matrix_of(Mirror(0, (0.0, 0.0, 5.0), (0.0, 0.0, 1.0))))  # type: ignore[arg-type]
    assert np.allclose(mirrored.normal, (0, 0, -1))
    assert coplanar(XY, moved_plane(XY, matrix_of(Rotate(0, (180.0, 0.0, 20.0)))))  # type: ignore[arg-type]
    assert not coplanar(XY, up)


# ---------------------------------------------------------------- shown flat


@pytest.mark.parametrize(
    ("text", "area", "center", "size"),
    [
        ("[circle 5]", 25 * PI, (0, 0, 0), (10, 10, 0)),
        (
            "[difference [circle 2] [rounded-rect 20 10 3]]",
            200 - (4 - PI) * 9 - 4 * PI,
            (0, 0, 0),
            (20, 10, 0),
        ),
        ("[on :xz [translate 5 0 0 [ellipse 4 2]]]", 8 * PI, (5, 0, 0), (8, 0, 4)),
        ("[polygon #[#[0 0] #[9 0] #[0 6]]]", 27, (3, 2, 0), (9, 6, 0)),
    ],
)
def test_a_profile_alone_is_shown_flat_with_its_area(
    text: str, area: float, center: tuple[float, ...], size: tuple[float, ...]
) -> None:
    made = shown_flat(text)
    shown = made.figures
    assert shown.volume == 0.0
    assert shown.exact
    assert not shown.is_empty
    assert shown.surface_area == pytest.approx(area, rel=1e-12)
    assert shown.center_of_mass == pytest.approx(center, abs=1e-12)
    assert np.subtract(*reversed(shown.bounds)) == pytest.approx(size, abs=1e-12)
    assert parts_line("k", [made]).startswith("k: profile · ")


def shown_flat(text: str) -> Any:
    (only,) = SERVICE.evaluate(EvalCell(text, cell_id="flat")).parts
    return only


def test_a_program_that_is_no_cell_must_end_in_a_solid() -> None:
    error = refused("[circle 5]")
    assert error.code == "TYPE_MISMATCH"
    assert "pull" in error.message


@pytest.mark.parametrize("suffix", [".stl", ".step", ".ops", ".3mf"])
def test_no_file_is_made_of_a_profile(suffix: str, tmp_path: pathlib.Path) -> None:
    made = shown_flat("[circle 5]")
    with pytest.raises(GeometryError) as caught:
        made.answers.ask(Export(path=tmp_path / f"disc{suffix}"), made)
    assert (caught.value.code, caught.value.operation) == ("TYPE_MISMATCH", "circle")
    with pytest.raises(GeometryError):
        made.given_mesh()


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("[pull 1 [fillet-2d 3 [circle 5]]]", "NO_EDGES", "fillet-2d: the profile has no corner"),
        ("[chamfer-2d 3 [ellipse 5 4]]", "NO_EDGES", "chamfer-2d: the profile has no corner"),
        (
            "[pull 1 [fillet-2d 3 {:or (:left :right)} [rect 20 12]]]",
            "SELECTS_ALL",
            "takes all 4 corners that there are: edge 0, line of 1 mm at (-10, -6, 0)",
        ),
    ],
)
def test_corners_that_are_none_or_all_are_told(text: str, code: str, words: str) -> None:
    for _ in range(2):
        (warning,) = SERVICE.evaluate(EvalCode(text, allow_scene=True)).warnings
        assert warning.code == code
        assert words in warning.message
        assert warning.place is not None


def test_a_selection_of_no_corner_names_the_corners() -> None:
    error = refused("[pull 1 [fillet-2d 3 :top [rect 20 12]]]")
    assert error.code == "NO_MATCH"
    assert "there: edge 0, line of 1 mm at (-10, -6, 0)" in error.render()
    assert error.details["candidate_count"] == 4


def test_a_plane_without_a_normal_names_what_has_no_length() -> None:
    assert "(normal) has no length" in refused("[pull 1 [on [plane {:normal #[0 0 0]}] [circle 1]]]").message


def test_outlines_say_how_far_their_longest_chord_is_off() -> None:
    # a start and an end just beside places of the raster, so that one chord is longer than its steps
    step = 2.0 * PI / Tessellation().sides(100.0)
    low, high = 0.5 * PI - 0.045 * step, 0.5 * PI + 1.045 * step
    first, last = ((100.0 * math.cos(at), 100.0 * math.sin(at)) for at in (low, high))
    document = DocumentBuilder().build()
    curves = (Arc(first, last, (0.0, 0.0), True), Line(last, (0.0, 0.0)), Line((0.0, 0.0), first))
    off = profile_in(document, NodeId(0), curves).outline(Tessellation()).deviation
    assert off >= 100.0 * (1.0 - math.cos(0.5 * (high - low))) * (1.0 - 1e-12)


def test_a_crossing_at_a_point_that_is_there_twice_has_a_place() -> None:
    points = np.array([[2.0, 1.0], [2.0, 1.0], [2.0, 1.0], [3.0, 2.0], [3.0, 0.0]])
    assert crossing_of(points).tolist() == [2.0, 1.0]
