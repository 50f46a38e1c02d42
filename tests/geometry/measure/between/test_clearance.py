"""Two bodies together, on their meshes: distances by formula, and what they have in common."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.geometry.kernels import NoExactKernel
from tests.geometry.models import Solid, box, document, solid
from tests.tiers import examples
from vcad_kernel.geometry.evaluate import EvaluationOptions, evaluate
from vcad_kernel.geometry.measure.between.clearance import clearance, interference
from vcad_kernel.geometry.measure.part_figures import Measurement
from vcad_kernel.operations.bodies.transforms import Rotate, Translate
from vcad_kernel.operations.solids.shapes import Sphere

lengths = st.floats(0.5, 20.0)
places = st.tuples(*[st.floats(-60.0, 60.0)] * 3)


def measured(body: Solid) -> Measurement:
    scene = evaluate(document(body), EvaluationOptions(exact=NoExactKernel()))
    scene.raise_first()
    return scene.parts[0].measurement


def moved(body: Solid, at: tuple[float, float, float]) -> Solid:
    return solid(Translate, body, offset=at)


@given(st.tuples(lengths, lengths, lengths), st.tuples(lengths, lengths, lengths), places)
@examples(40)
def test_boxes_are_apart_by_their_gaps_along_the_axes(
    a: tuple[float, float, float], b: tuple[float, float, float], at: tuple[float, float, float]
) -> None:
    one, other = measured(box(*a)), measured(box(*b, at=at))
    low, high = np.array(at), np.array(at) + b
    gaps = np.maximum(np.maximum(low - np.array(a), -high), 0.0)
    found = clearance(one, other)
    assert found.distance == pytest.approx(float(np.linalg.norm(gaps)), abs=1e-6)
    assert (found.exact, found.tolerance) == (True, None)
    assert clearance(other, one).distance == pytest.approx(found.distance, abs=1e-9)
    if found.points is not None:
        p, q = map(np.array, found.points)
        assert float(np.linalg.norm(p - q)) == pytest.approx(found.distance, abs=1e-6)
        assert np.all((p >= -1e-9) & (p <= np.array(a) + 1e-9))
        assert np.all((q >= low - 1e-9) & (q <= high + 1e-9))


@given(st.floats(-90.0, 90.0), st.floats(-90.0, 90.0), st.floats(1.0, 30.0))
@examples(20)
def test_distance_stays_when_both_bodies_move(x: float, y: float, far: float) -> None:
    pair = [box(3.0, 4.0, 5.0), moved(solid(Rotate, box(2.0, 2.0, 9.0), angles=(x, y, 0.0)), (far, 9.0, 1.0))]
    before = clearance(*map(measured, pair))
    turned = [solid(Rotate, moved(body, (7.0, -2.0, 1.0)), angles=(y, x, 20.0)) for body in pair]
    assert clearance(*map(measured, turned)).distance == pytest.approx(before.distance, abs=1e-6)


def test_bodies_inside_each_other_or_touching_have_no_clearance() -> None:
    outer, inner = measured(box(10.0, 10.0, 10.0)), measured(box(1.0, 1.0, 1.0, at=(4.0, 4.0, 4.0)))
    assert clearance(outer, inner).distance == 0.0
    assert clearance(outer, measured(box(1.0, 1.0, 1.0, at=(10.0, 0.0, 0.0)))).distance == 0.0


def test_curved_meshes_state_how_far_the_distance_may_be_off() -> None:
    ball = solid(Sphere, radius=10.0)
    found = clearance(measured(ball), measured(moved(ball, (14.0, 21.0, 3.0))))
    assert not found.exact
    assert found.tolerance is not None
    assert 0.0 < found.tolerance < 0.1
    assert abs(found.distance - (math.dist((0, 0, 0), (14, 21, 3)) - 20.0)) <= found.tolerance
    assert "≈" in repr(found)


def test_a_small_part_far_away_is_found_quickly_enough_to_be_found_at_all() -> None:
    ball = solid(Sphere, radius=30.0)
    found = clearance(measured(ball), measured(moved(ball, (5000.0, 300.0, 0.0))))
    assert found.distance == pytest.approx(math.hypot(5000.0, 300.0) - 60.0, abs=0.1)


@given(st.tuples(lengths, lengths, lengths), st.tuples(lengths, lengths, lengths), places)
@examples(25)
def test_interference_is_what_both_boxes_hold_and_never_more_than_either(
    a: tuple[float, float, float], b: tuple[float, float, float], at: tuple[float, float, float]
) -> None:
    near = (at[0] / 6.0, at[1] / 6.0, at[2] / 6.0)
    one, other = measured(box(*a)), measured(box(*b, at=near))
    sides = np.minimum(np.array(a), np.array(near) + b) - np.maximum(0.0, np.array(near))
    common = float(np.prod(np.maximum(sides, 0.0)))
    found = interference(one, other)
    if float(sides.min()) > 1e-6 or float(sides.min()) < 0.0:
        assert found.volume == pytest.approx(common, rel=1e-7, abs=1e-7)
    assert found.volume <= min(one.on_mesh.volume, other.on_mesh.volume) * (1.0 + 1e-9)
    assert interference(other, one).volume == pytest.approx(found.volume, rel=1e-9, abs=1e-9)


def test_a_body_interferes_with_itself_wholly_and_with_a_neighbour_not_at_all() -> None:
    ball = measured(solid(Sphere, radius=3.0))
    assert interference(ball, ball).volume == pytest.approx(36.0 * math.pi, rel=0.02)
    block = measured(box(2.0, 2.0, 2.0))
    assert interference(block, measured(box(2.0, 2.0, 2.0, at=(2.0, 0.0, 0.0)))).is_empty
