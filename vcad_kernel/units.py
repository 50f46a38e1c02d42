"""Units: lengths are millimetres and angles degrees everywhere; here degrees meet trigonometry."""

from __future__ import annotations

import math

__all__ = ["cosd", "sind"]


def sind(angle: float) -> float:
    """Sine of an angle in degrees, exact at multiples of 90 so that quarter turns keep planes planar."""
    turned = math.fmod(angle, 360.0)
    quarter, rest = divmod(turned, 90.0)
    if rest == 0.0:
        return (0.0, 1.0, 0.0, -1.0)[int(quarter) % 4]
    return math.sin(math.radians(turned))


def cosd(angle: float) -> float:
    """Cosine of an angle in degrees, exact at multiples of 90."""
    turned = math.fmod(angle, 360.0)
    quarter, rest = divmod(turned, 90.0)
    if rest == 0.0:
        return (1.0, 0.0, -1.0, 0.0)[int(quarter) % 4]
    return math.cos(math.radians(turned))
