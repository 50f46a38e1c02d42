"""Outlines and paths drawn with a pen: exact curves, and refusals that name the step and what would work."""

from __future__ import annotations

import math

import pytest

from tests.operations.outlines import area_of, first_node, kinds_of, message_of, outline_of
from vcad_kernel.operations.numbers import ParameterFault
from vcad_kernel.operations.profiles.paths import DrawnPath
from vcad_kernel.operations.profiles.sketches import Arc, EllipseArc, Spline
from vcad_kernel.operations.solids.sweeps import Sweep

HALF_DISC = 12.5 * math.pi


@pytest.mark.parametrize(
    ("steps", "kinds", "area"),
    [
        ("[line-to 20 0] [line-to 0 12]", "LLL", 120.0),
        ("[line-by 20 0] [line-by 0 12] [line-by -20 0] [line-by 0 -12]", "LLLL", 240.0),
        ("[line-to 10 0] [arc-to {:radius 5} 0 0]", "LA", HALF_DISC),
        ("[line-to 10 0] [arc-to {:through #[5 5]} 0 0]", "LA", HALF_DISC),
        ("[line-to 10 0] [arc-by {:through #[-5 5]} -10 0]", "LA", HALF_DISC),
        ("[line-to 10 0] [arc-to {:sagitta 5} 0 0]", "LA", HALF_DISC),
        ("[line-to 10 0] [arc-to {:tangent #[0 3]} 0 0]", "LA", HALF_DISC),
        ("[line-to 10 0] [line-to 10 4] [tangent-arc-to 0 4]", "LLAL", HALF_DISC + 40.0),
        ("[line-to 10 0] [line-to 10 4] [tangent-arc-by -10 0]", "LLAL", HALF_DISC + 40.0),
        # the longer arc of a circle of radius 5 over a chord of 5 √2
        ("[line-to 5 5] [arc-to {:radius 5 :large true} 0 0]", "LA", 0.75 * 25 * math.pi + 12.5),
        # a fillet of which the end is not known, only what it touches
        ("[line-to 10 0] [arc-to {:tangent-to :next} 10 10] [line-to 0 10]", "LALL", 100.0 + HALF_DISC),
        ("[line-to 10 0] [ellipse-arc-to {:a 5 :b 3} 0 0]", "LE", 7.5 * math.pi),
        ("[line-to 0 10] [ellipse-arc-by {:a 5 :b 3 :turn 90 :right true} 0 -10]", "LE", -7.5 * math.pi),
        ("[line-to 10 0] [ellipse-arc-to {:a 5 :b 5} 0 0]", "LA", HALF_DISC),
        # 8 high at both control points: ∫ 24 t (1 − t) · 72 t (1 − t) dt
        ("[line-to 12 0] [bezier-to #[#[12 8] #[0 8] #[0 0]]]", "LS", 24.0 * 72.0 / 30.0),
    ],
)
def test_steps_become_exact_curves_around_the_area_that_they_should(
    steps: str, kinds: str, area: float
) -> None:
    outline = outline_of(f"[outline 0 0 #[{steps}]]")
    assert kinds_of(outline) == kinds
    assert area_of(outline) == pytest.approx(area, rel=1e-12)


@pytest.mark.parametrize(
    ("steps", "kinds", "cut"),
    [
        ("[line-to 20 0] [corner 3] [line-to 20 12] [line-to 0 12]", "LALLL", 9.0 * (1 - math.pi / 4)),
        ("[line-to 20 0] [line-to 20 12] [line-to 0 12] [bevel 2]", "LLLLL", 2.0),
        ("[bevel 2] [line-to 20 0] [line-to 20 12] [line-to 0 12]", "LLLLL", 2.0),
        ("[line-to 20 0] [line-to 20 12] [line-to 0 12] [line-to 0 0] [bevel 2]", "LLLLL", 2.0),
        # both corners take all of the side between them
        (
            "[line-to 20 0] [corner 6] [line-to 20 12] [corner 6] [line-to 0 12]",
            "LAALL",
            72.0 * (1 - math.pi / 4),
        ),
    ],
)
def test_corners_between_steps_are_cut(steps: str, kinds: str, cut: float) -> None:
    outline = outline_of(f"[outline 0 0 #[{steps}]]")
    assert sorted(kinds_of(outline)) == sorted(kinds)
    assert area_of(outline) == pytest.approx(240.0 - cut, rel=1e-12)


def test_a_corner_between_an_arc_and_a_line_touches_both() -> None:
    line, blend, arc = outline_of("[outline -5 0 #[[line-to 5 0] [corner 1] [arc-to {:radius 5} -5 0]]]")
    assert isinstance(blend, Arc)
    assert isinstance(arc, Arc)
    # within the half disc: 1 above the line, and 1 within the circle
    assert blend.center == pytest.approx((math.sqrt(15.0), 1.0))
    assert blend.start == pytest.approx((math.sqrt(15.0), 0.0))
    assert math.dist(blend.end, (0.0, 0.0)) == pytest.approx(5.0)
    assert line.end == blend.start


def test_an_arc_that_touches_the_next_arc_goes_over_into_it() -> None:
    steps = "[line-to 10 -5] [arc-to {:tangent-to :next} 20 0] [arc-to {:through #[30 10]} 20 20]"
    _, first, second, _ = outline_of(f"[outline 0 -5 #[{steps}]]")
    assert isinstance(first, Arc)
    assert isinstance(second, Arc)
    # centres and the place where they touch lie on one line
    assert first.center == pytest.approx((10.0, 17.5))
    assert second.center == pytest.approx((20.0, 10.0))
    assert first.end == pytest.approx((28.0, 4.0))


def test_a_spline_goes_through_its_points_in_the_directions_given() -> None:
    (_, spline) = outline_of(
        "[outline 0 0 #[[line-to 12 0] [spline-to {:start :tangent :end #[0 -1]} #[#[14 4] #[4 9] #[0 0]]]]]"
    )
    assert isinstance(spline, Spline)
    assert spline.degree == 3
    assert spline.poles[1][1] == pytest.approx(0.0)
    assert spline.poles[-2][0] == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ("", "steps must hold one that draws"),
        ("[line-to 9 0] [line-by 0 0]", "step 2, line-by: goes nowhere"),
        (
            "[line-to 9 0] [arc-to {} 0 0]",
            "step 2, arc-to: needs one of :through, :radius, :sagitta, :tangent",
        ),
        ("[line-to 9 0] [arc-to {:radius 4 :sagitta 1} 0 0]", "got :radius and :sagitta"),
        ("[line-to 10 0] [arc-to {:radius -4} 0 0]", "cannot reach 0 0; it takes at least 5"),
        ("[line-to 9 0] [arc-to {:through #[4 0]} 0 0]", "4 0 lies on the line"),
        ("[line-to 9 0] [arc-to {:sagitta 0} 0 0]", "it is straight; take a line"),
        ("[line-to 9 0] [tangent-arc-to 20 0]", "20 0 lies straight ahead"),
        ("[tangent-arc-to 20 0]", "step 1, tangent-arc-to: has no step before it"),
        (
            "[line-to 9 0] [arc-to {:tangent-to :next} 9 9] [corner 2]",
            "needs a line or an arc right after it",
        ),
        ("[line-to 10 0] [ellipse-arc-to {:a 4 :b 2} 0 0]", "it takes at least 1.25 times as much"),
        ("[line-to 9 0] [corner 1] [bevel 1] [line-to 9 9]", "step 3, bevel: step 2 is a corner of the same"),
        (
            "[line-to 9 0] [corner 10] [line-to 9 9]",
            "step 2, corner: the corner has no room for a radius of 10",
        ),
        ("[line-to 9 0] [bevel 10] [line-to 9 9]", "for a distance of 10; the largest that fits is 9"),
        ("[line-to 9 0] [corner 2] [line-to 12 0] [line-to 0 9]", "is no corner"),
        ("[line-to 9 0] [corner 2] [spline-to #[#[9 9] #[0 9]]]", "is next to a spline"),
        ("[line-to 9 0] 7", "steps must be a vector of steps of a pen, got a vector with the number 7"),
    ],
)
def test_what_cannot_be_drawn_names_its_step_and_what_would_work(steps: str, said: str) -> None:
    assert said in message_of(f"[pull 1 [outline 0 0 #[{steps}]]]")


def test_the_largest_radius_that_is_named_fits() -> None:
    steps = "[line-to 9 0] [corner {}] [line-to 5 9]"
    largest = message_of(f"[pull 1 [outline 0 0 #[{steps.format(20)}]]]").rsplit(" ", 1)[1]
    assert kinds_of(outline_of(f"[outline 0 0 #[{steps.format(largest)}]]")).count("A") == 1


def _path(text: str) -> DrawnPath:
    sweep = first_node(f"[sweep {text} [circle 1]]", Sweep)
    assert isinstance(sweep, Sweep)
    assert isinstance(sweep.path, DrawnPath)
    return sweep.path


def test_a_path_is_drawn_open_and_may_be_placed() -> None:
    path = _path("[on :xz [path-2d 0 0 #[[line-to 0 20] [tangent-arc-to 10 30] [line-by 5 0]]]]")
    assert kinds_of(path.curves) == "LAL"
    assert (path.x_dir, path.y_dir) == ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (
            "[path-2d 0 0 #[[line-to 0 9] [line-to 9 9] [corner 1]]]",
            "needs a step that draws before it and one",
        ),
        ("[on :xz [path-line 0 0 0 9 9 9]]", "k must be a path of path-2d"),
        ("[on [face-plane :top [cube 1 1 1]] [path-line 0 0 0 9 9 9]]", "k must be a path of path-2d"),
    ],
)
def test_what_is_no_path_is_refused(path: str, said: str) -> None:
    assert said in message_of(f"[sweep {path} [circle 1]]")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("[path-2d 0 0 #[[line-to 0 9] [arc-to {:radius 5} 3 9]]]", "the path has a corner of"),
        ("[path-2d 0 0 #[[line-to 0 9] [line-to 9 9] [line-to 0 0]]]", "the path ends where it begins"),
    ],
)
def test_paths_that_may_bound_a_patch_are_not_swept_along(path: str, said: str) -> None:
    with pytest.raises(ParameterFault) as caught:
        first_node(f"[sweep {path} [circle 1]]", Sweep).check()
    assert said in caught.value.message


def test_an_arc_of_an_ellipse_is_kept_as_one() -> None:
    (_, arc) = outline_of("[outline -9 0 #[[line-to 9 0] [ellipse-arc-to {:a 9 :b 5} -9 0]]]")
    assert arc == EllipseArc((9.0, 0.0), (-9.0, 0.0), arc.center, (9.0, 0.0), (0.0, 5.0), True)
