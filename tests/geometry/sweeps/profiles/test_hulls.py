"""Hulls of outlines: stretches of their own curves and the lines that touch them, by closed formulas."""

from __future__ import annotations

import math

import pytest

from vcad_kernel.geometry.sweeps.profiles.curves import outline_moments
from vcad_kernel.geometry.sweeps.profiles.hulls import hull_of_outlines
from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.profiles.corners import turn_between
from vcad_kernel.operations.profiles.profiles import chain, ring
from vcad_kernel.operations.profiles.sketches import Arc, Curves, EllipseArc, Line, Outlines
from vcad_kernel.operations.profiles.splines import bezier

ARCH = (bezier(((0.0, 0.0), (0.0, 8.0), (8.0, 8.0), (8.0, 0.0))),)


def _ellipse(center: Vec2) -> Curves:
    (x, y), axes = center, ((6.0, 0.0), (0.0, 2.0))
    right, left = (x + 6.0, y), (x - 6.0, y)
    return EllipseArc(right, left, center, *axes, True), EllipseArc(left, right, center, *axes, True)


def _belt(first: float, second: float, apart: float) -> float:
    half = math.acos((first - second) / apart)
    straight = math.sqrt(apart**2 - (first - second) ** 2)
    return (math.pi - half) * first**2 + half * second**2 + straight * (first + second)


@pytest.mark.parametrize(
    ("outlines", "area", "kinds"),
    [
        ((chain(((0, 0), (9, 0), (1, 1), (0, 9))),), 40.5, "Line Line Line"),
        ((ring(4.0),), 16.0 * math.pi, "Arc Arc"),
        ((ring(4.0), ring(2.0)), 16.0 * math.pi, "Arc Arc"),
        # a hole that touches the border
        ((ring(6.0), ring(3.0, (3.0, 0.0))), 36.0 * math.pi, "Arc Arc"),
        ((ring(6.0), ring(3.0, (20.0, 0.0))), _belt(6.0, 3.0, 20.0), ""),
        # where tangents of one circle seen from the other would run away
        ((ring(100.0), ring(1.0, (100.5, 0.0))), _belt(100.0, 1.0, 100.5), ""),
        ((_ellipse((0.0, 0.0)), _ellipse((20.0, 0.0))), 12.0 * math.pi + 80.0, ""),
        (((*ARCH, Line((8.0, 0.0), (4.0, 3.0)), Line((4.0, 3.0), (0.0, 0.0))),), 38.4, "Line Spline"),
        ((chain(((0, 0), (0, 4), (4, 4), (4, 0))),), 16.0, "Line Line Line Line"),
    ],
)
def test_a_hull_has_its_area_and_turns_left_all_the_way(outlines: Outlines, area: float, kinds: str) -> None:
    border = hull_of_outlines(outlines)
    assert outline_moments(border)[0] == pytest.approx(area, rel=1e-12)
    turns = [turn_between(before, after) for before, after in zip(border[-1:] + border, border, strict=False)]
    assert min(turns) > -1e-6
    assert all(before.end == after.start for before, after in zip(border[-1:] + border, border, strict=False))
    if kinds:
        assert " ".join(sorted(type(curve).__name__ for curve in border)) == kinds


def test_lines_touch_circles_where_they_leave_them() -> None:
    border = hull_of_outlines((ring(6.0), ring(3.0, (20.0, 0.0))))
    arcs = [curve for curve in border if isinstance(curve, Arc)]
    lines = [curve for curve in border if isinstance(curve, Line)]
    assert len(lines) == 2
    for line in lines:
        way = (line.end[0] - line.start[0], line.end[1] - line.start[1])
        for arc, point in ((arc, point) for arc in arcs for point in (line.start, line.end)):
            if point in (arc.start, arc.end):
                out = (point[0] - arc.center[0], point[1] - arc.center[1])
                assert abs(way[0] * out[0] + way[1] * out[1]) < 1e-11


def test_a_spline_is_cut_where_a_tangent_leaves_it() -> None:
    away = chain(((20.0, 0.0), (21.0, 0.0), (21.0, 1.0), (20.0, 1.0)))
    border = hull_of_outlines(((*ARCH, Line((8.0, 0.0), (0.0, 0.0))), away))
    turns = [turn_between(before, after) for before, after in zip(border[-1:] + border, border, strict=False)]
    assert sum(abs(turn) > 1e-6 for turn in turns) == 3
    assert sum(turns) < 360.0


def test_of_nothing_there_is_none() -> None:
    assert hull_of_outlines(()) == ()
