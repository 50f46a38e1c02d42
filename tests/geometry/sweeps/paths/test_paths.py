"""Frames along paths: unit, square to the path, without twist; and where the letters of a text stand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from vcad_kernel.geometry.sweeps.paths.paths import Frames, cylinder_tracks, line_frames, spline_track
from vcad_kernel.geometry.sweeps.paths.polyline import PathFault, pieces_along
from vcad_kernel.geometry.sweeps.profiles.lettering import letters
from vcad_kernel.operations.profiles.paths import CylinderPath, PolylinePath
from vcad_kernel.operations.solids.text import font, unknown_characters

SQUARE = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])


def tangents(frames: Frames) -> NDArray[np.float64]:
    steps = frames.points[2:] - frames.points[:-2]
    return np.asarray(steps / np.linalg.norm(steps, axis=1, keepdims=True))


def twist(frames: Frames) -> float:
    """How much the frame turns about the path per step, radians."""
    change = (frames.u[2:] - frames.u[:-2]) / 2.0
    return float(np.max(np.abs(np.sum(change * frames.v[1:-1], axis=1))))


def test_spline_goes_through_its_points_with_frames_that_do_not_twist() -> None:
    points = ((0.0, 0.0, 0.0), (10.0, 0.0, 0.0), (20.0, 5.0, 0.0), (30.0, 5.0, 10.0))
    track = spline_track(points)
    assert track.at(np.array(track.breaks)).points == pytest.approx(np.array(points))
    frames = track.at(np.linspace(track.breaks[0], track.breaks[-1], 4001))
    assert np.sum(frames.u**2, axis=1) == pytest.approx(1.0)
    assert np.cross(frames.u, frames.v)[1:-1] == pytest.approx(tangents(frames), abs=1e-5)
    assert twist(frames) < 1e-7


def test_spline_through_two_points_is_a_straight_path() -> None:
    ends = ((1.0, 2.0, 3.0), (1.0, 2.0, 8.0))
    frames, line = spline_track(ends).at(np.array([0.0, 5.0])), line_frames(*ends)
    for name in ("points", "u", "v"):
        assert getattr(frames, name) == pytest.approx(getattr(line, name))


def test_a_track_about_a_cylinder_joins_stretches_of_one_slope() -> None:
    path = CylinderPath(5.0, ((0.0, 0.0), (45.0, 1.0), (90.0, 2.0), (180.0, 2.0)))
    first, second = cylinder_tracks(path)
    assert first.breaks == pytest.approx((0.0, math.pi / 2.0))
    end = first.at(np.array([math.pi / 2.0]))
    assert end.points[0] == pytest.approx((0.0, 5.0, 2.0))
    assert end.u[0] == pytest.approx((0.0, 1.0, 0.0), abs=1e-15)
    assert second.at(np.array([math.pi / 2.0])).points[0] == pytest.approx((-5.0, 0.0, 2.0))


def test_a_mitred_corner_is_cut_in_the_bisecting_plane() -> None:
    first, second = pieces_along(PolylinePath(((0.0, 0.0, 0.0), (10.0, 0.0, 0.0), (10.0, 10.0, 0.0))), SQUARE)
    ring = first.end.place(SQUARE) - (10.0, 0.0, 0.0)
    assert ring @ (1.0, 1.0, 0.0) == pytest.approx(0.0, abs=1e-12)
    assert second.start is first.end


def test_a_bend_begins_and_ends_square_to_the_path() -> None:
    path = PolylinePath(((0.0, 0.0, 0.0), (10.0, 0.0, 0.0), (10.0, 10.0, 0.0)), 3.0)
    straight, bend, after = pieces_along(path, SQUARE)
    assert straight.end.point == pytest.approx((7.0, 0.0, 0.0))
    assert bend.bend is not None
    assert bend.bend.centre == pytest.approx((7.0, 3.0, 0.0))
    assert after.start.point == pytest.approx((10.0, 3.0, 0.0))
    assert np.cross(after.start.u, after.start.v) == pytest.approx((0.0, 1.0, 0.0))


def test_points_on_a_straight_line_are_no_corners() -> None:
    path = PolylinePath(((0.0, 0.0, 0.0), (5.0, 0.0, 0.0), (10.0, 0.0, 0.0)), 3.0)
    assert len(pieces_along(path, SQUARE)) == 1


@pytest.mark.parametrize(("bend", "argument"), [(0.5, "bend"), (20.0, "bend")])
def test_a_bend_that_does_not_fit_is_refused(bend: float, argument: str) -> None:
    path = PolylinePath(((0.0, 0.0, 0.0), (10.0, 0.0, 0.0), (10.0, 10.0, 0.0)), bend)
    with pytest.raises(PathFault) as caught:
        pieces_along(path, SQUARE)
    assert caught.value.argument == argument


# ---------------------------------------------------------------- lettering


def left_of(text: str) -> list[float]:
    return [min(stroke.start[0] for stroke in letter.outline) for letter in letters(text, 1456.0)]


def test_letters_stand_at_their_advance_widths() -> None:
    first, second = left_of("HH")
    assert second - first == pytest.approx(1461.0)


def test_kerning_moves_a_pair_together() -> None:
    (alone,) = left_of("V")
    assert left_of("AV")[1] - alone < 1336.0


def test_holes_run_against_their_outline() -> None:
    (letter,) = letters("O", 10.0)
    assert len(letter.holes) == 1
    assert letters("8", 10.0)[0].holes[1] != letters("8", 10.0)[0].holes[0]


def test_characters_without_a_glyph_are_named_once() -> None:
    assert unknown_characters("a漢é漢\n", font()) == "漢\n"
