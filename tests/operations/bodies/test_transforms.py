"""Where something stands, as moves and turns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiers import examples
from vcad_kernel.operations.bodies.transforms import Rotate, Translate, place_as, turn_of
from vcad_kernel.operations.numbers import ParameterFault

ANGLES = st.sampled_from([0.0, 90.0, -90.0, 180.0, 90.0 - 1e-11, 30.0]) | st.floats(-180, 180)
FACTORS = st.floats(0.1, 4)


def rotation(x: float, y: float, z: float) -> np.ndarray[Any, Any]:
    """Rx·Ry·Rz, as `Rotate` says it."""
    made = np.eye(3)
    for axis, degrees in enumerate((x, y, z)):
        one = np.eye(3)
        a, b = (axis + 1) % 3, (axis + 2) % 3
        one[a, a] = one[b, b] = math.cos(math.radians(degrees))
        one[b, a] = math.sin(math.radians(degrees))
        one[a, b] = -one[b, a]
        made = made @ one
    return made


@examples(60)
@given(
    angles=st.tuples(ANGLES, ANGLES, ANGLES),
    factors=st.tuples(FACTORS, FACTORS, FACTORS),
    shears=st.tuples(FACTORS, FACTORS, FACTORS),
    mirrors=st.booleans(),
    divisor=st.sampled_from([1.0, 2.0]),
)
def test_what_is_placed_is_turned_and_moved_and_neither_stretched_nor_mirrored(
    angles: Any, factors: Any, shears: Any, mirrors: bool, divisor: float
) -> None:
    stretch = np.diag(factors)
    stretch[np.triu_indices(3, 1)] = shears
    stretch[0] *= -1 if mirrors else 1
    matrix = np.eye(4)
    matrix[:3, :3] = rotation(*angles) @ stretch
    matrix[:3, 3] = (10, -20, 30)
    numbers = [float(value) for value in (matrix / divisor).T.ravel()]
    wanted = rotation(*angles)
    assert np.abs(np.array(turn_of(numbers)).T - wanted).max() < 1e-11
    under: list[Any] = []
    moved = place_as.build({"matrix": numbers}, 7, add=lambda node: under.append(node) or 8)
    assert moved == Translate(8 if under else 7, moved.offset)
    assert np.abs(np.subtract(moved.offset, (10, -20, 30))).max() < 1e-12
    turned = under[0] if under else Rotate(7, (0.0, 0.0, 0.0))
    assert np.abs(rotation(*turned.angles) - wanted).max() < 1e-11


@pytest.mark.parametrize(
    "matrix",
    [
        [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
        [1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
        [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0],
        [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, math.inf, 0, 0, 1],
    ],
)
def test_what_flattens_or_is_no_number_is_refused(matrix: list[float]) -> None:
    with pytest.raises(ParameterFault, match=":matrix"):
        place_as.build({"matrix": [float(value) for value in matrix]}, 7, add=lambda _: 8)
