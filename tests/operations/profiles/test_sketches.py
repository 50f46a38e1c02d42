"""Profiles by their measures: what they enclose, by closed formulas, on both kernels."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiers import examples
from vcad_kernel import evaluate
from vcad_kernel.errors import GeometryError
from vcad_kernel.operations.profiles.sketches import Arc, Sketch2D, slot


def _area(length: float, width: float) -> float:
    """A rectangle and the two halves of a disc."""
    return width * (length - width) + math.pi * width**2 / 4


def test_a_slot_of_the_exact_kernel_has_the_volume_of_its_formula() -> None:
    figures = evaluate("[extrude 0 0 5 [slot 30 10]]").parts[0].figures
    assert figures.exact
    assert figures.volume == pytest.approx(5 * _area(30, 10), rel=1e-12)
    assert figures.surface_area == pytest.approx(2 * _area(30, 10) + 5 * (2 * 20 + math.pi * 10), rel=1e-12)
    assert figures.bounds is not None
    assert figures.bounds == (pytest.approx((-15, -5, 0)), pytest.approx((15, 5, 5)))


def test_a_slot_of_the_mesh_kernel_comes_near_that_and_is_no_larger() -> None:
    part = evaluate("[extrude 0 0 5 [slot 30 10]]").parts[0]
    assert part.mesh_figures.volume == pytest.approx(5 * _area(30, 10), rel=2e-3)
    assert part.mesh_figures.volume < 5 * _area(30, 10)


@given(length=st.floats(1.0, 1e4), share=st.floats(0.01, 0.99))
@examples(30)
def test_a_slot_is_closed_and_its_ends_are_round(length: float, share: float) -> None:
    profile = slot.build(length, share * length)
    assert isinstance(profile, Sketch2D)
    segments = profile.segments
    assert [one.end for one in segments] == [one.start for one in (*segments[1:], segments[0])]
    arcs = [one for one in segments if isinstance(one, Arc)]
    assert len(arcs) == 2
    for arc in arcs:
        assert arc.ccw
        assert math.dist(arc.start, arc.center) == math.dist(arc.end, arc.center) == share * length / 2


def test_a_slot_is_cut_like_any_profile() -> None:
    figures = evaluate("[pipe [cube 40 20 4] [difference [translate 20 10 -1 [extrude 0 0 6 [slot 20 6]]]]]")
    assert figures.parts[0].figures.volume == pytest.approx(40 * 20 * 4 - 4 * _area(20, 6), rel=1e-12)


@pytest.mark.parametrize(
    ("call", "code", "argument", "message"),
    [
        ("[slot 30 0]", "INVALID_PARAMETER", "width", "width must be greater than 0, got 0"),
        ("[slot -3 1]", "INVALID_PARAMETER", "length", "length must be greater than 0, got -3"),
        ("[slot 5 5]", "INVALID_PARAMETER", "length", "length must be greater than the width (5), got 5"),
        ("[slot 5 8]", "INVALID_PARAMETER", "length", "length must be greater than the width (8), got 5"),
        ("[slot 1000000000 1]", "INVALID_PARAMETER", "length", "length must be at most 100000000, got 1e+09"),
        ('[slot "30" 10]', "TYPE_MISMATCH", "length", 'length must be a number, got the text "30"'),
    ],
)
def test_what_is_no_slot_is_refused_at_its_argument(
    call: str, code: str, argument: str, message: str
) -> None:
    error = _refused(f"[extrude 0 0 5 {call}]")
    assert (error.code, error.operation, error.argument) == (code, "slot", argument)
    assert error.message == f"slot: {message}"


def test_a_slot_with_no_side_to_speak_of_is_refused_as_the_sketch_it_makes() -> None:
    error = _refused("[extrude 0 0 5 [slot 5.0000001 5]]")
    assert (error.code, error.operation, error.argument) == ("SKETCH_DEGENERATE", "slot", "length")


def test_a_slot_without_a_width_is_told_how_it_is_written() -> None:
    error = _refused("[extrude 0 0 5 [slot 30]]")
    assert (error.code, error.argument) == ("ARITY_MISMATCH", "width")
    assert error.message == "slot takes 2 arguments (length width), got 1"


def _refused(text: str) -> GeometryError:
    with pytest.raises(GeometryError) as caught:
        evaluate(text)
    place = caught.value.place
    assert place is not None
    assert (place.line, place.column) == (1, text.index("[slot") + 1)
    return caught.value
