"""Chains that lie beside each other, touch, or cross by little; and points beside a border."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vcad_kernel.geometry.sweeps.profiles.curves import carried
from vcad_kernel.geometry.sweeps.profiles.nearness import encloses, meeting_place, self_meeting_place
from vcad_kernel.operations.profiles.sketches import Arc, Curves, Line
from vcad_kernel.operations.profiles.splines import through


def circle(radius: float, u: float = 0.0, turn: float = 0.0) -> Curves:
    """Two arcs about (u, 0), which meet on a line turned by some radians."""
    a, b = radius * math.cos(turn), radius * math.sin(turn)
    return (Arc((u + a, b), (u - a, -b), (u, 0.0), True), Arc((u - a, -b), (u + a, b), (u, 0.0), True))


def blob(radius: float) -> Curves:
    """A spline about the origin, which is a circle within some thousandths."""
    turns = np.linspace(0.0, 2.0 * math.pi, 13)
    points = [(radius * math.cos(turn), radius * math.sin(turn)) for turn in turns[:-1]]
    return (through([*points, points[0]], (0.0, 1.0), (0.0, 1.0)),)


def box(half: float) -> Curves:
    corners = [(-half, -half), (half, -half), (half, half), (-half, half)]
    return tuple(Line(a, b) for a, b in zip(corners, [*corners[1:], corners[0]], strict=True))


@pytest.mark.parametrize("wall", [1.0, 1e-2, 1e-4, 5e-6])
@pytest.mark.parametrize("turn", [0.0, 0.1])
def test_a_thin_wall_between_circles_is_one(wall: float, turn: float) -> None:
    inner, outer = circle(50.0, turn=turn), circle(50.0 + wall)
    assert meeting_place(inner, outer) is None
    assert encloses(outer, inner[0].start)
    assert not encloses(inner, outer[0].start)


@pytest.mark.parametrize("radius", [50.0, 5e4])
def test_what_lies_on_another_meets_it(radius: float) -> None:
    assert meeting_place(circle(radius), circle(radius, turn=0.1)) is not None


@pytest.mark.parametrize("overlap", [1e-2, 1e-4])
def test_a_small_overlap_is_found_where_it_is(overlap: float) -> None:
    place = meeting_place(circle(10.0), circle(7.0, 17.0 - overlap, 0.3))
    assert place == pytest.approx((10.0, 0.0), abs=math.sqrt(20.0 * overlap))
    assert meeting_place(circle(10.0), circle(7.0, 17.0 + overlap, 0.3)) is None


def test_a_circle_touches_a_side() -> None:
    assert meeting_place(circle(10.0, turn=0.2), box(10.0)) is not None
    assert meeting_place(circle(10.0 - 1e-5, turn=0.2), box(10.0)) is None


def test_splines_and_ellipses_are_their_curves() -> None:
    larger = tuple(carried(curve, np.array([[1.0001, 0, 0], [0, 1.0001, 0]])) for curve in blob(20.0))
    assert meeting_place(blob(20.0), larger) is None
    assert encloses(larger, blob(20.0)[0].start)
    flat = tuple(carried(curve, np.array([[1.0, 0, 0], [0, 0.999, 0]])) for curve in circle(5.0, turn=0.7))
    assert meeting_place(flat, circle(5.0)) == pytest.approx((5.0, 0.0), abs=0.1) or meeting_place(
        flat, circle(5.0)
    ) == pytest.approx((-5.0, 0.0), abs=0.1)


@pytest.mark.parametrize("gap", [1.0, 1e-3, 1e-5, -1e-5, -1e-3, -1.0])
def test_a_chain_meets_itself_where_its_curves_do(gap: float) -> None:
    """A bar whose upper side hangs down to its lower one."""
    ends = [(u, 10.0 + gap - math.sqrt(100.0 - (u - 9.3) ** 2)) for u in (18.0, 1.0)]
    right, left = ends
    hanging = Arc(right, left, (9.3, 10.0 + gap), False)
    bar = (Line((1.0, 0.0), (18.0, 0.0)), Line((18.0, 0.0), right), hanging, Line(left, (1.0, 0.0)))
    place = self_meeting_place(bar)
    assert (place is None) is (gap > 0.0)
    if place is not None:
        assert place[0] == pytest.approx(9.3, abs=math.sqrt(-20.0 * gap) + 0.1)


def test_whole_circles_and_splines_do_not_meet_themselves() -> None:
    assert self_meeting_place(circle(5.0, turn=0.3)) is None
    assert self_meeting_place(blob(5.0)) is None
