"""What is looked for in a blend must not refuse a right one."""

from __future__ import annotations

import math

import pytest

from tests.geometry.occt.blends.special.test_rims import figures


@pytest.mark.parametrize("size", [0.3, 0.47])
def test_a_bevel_around_a_pointed_face_may_take_the_middle_of_its_sides(size: float) -> None:
    """Insets of a triangle are smaller ones: A(s) = A (1 - s / r)² with the inscribed circle's radius r."""
    radius, area = 10.0 / (11.0 + math.sqrt(101.0)), 5.0
    after = figures(f"[chamfer-at {size} {{:at {{:z 5}}}} [pull 5 [polygon #[#[0 0] #[10 0] #[10 1]]]]]")
    lost = area * (size - radius / 3.0 * (1.0 - (1.0 - size / radius) ** 3))
    assert after.volume == pytest.approx(5.0 * area - lost, rel=1e-9)
