"""Units: lengths are millimetres and angles degrees everywhere; here degrees meet trigonometry."""

from __future__ import annotations

import math
from typing import Final

__all__ = ["acosd", "asind", "atan2d", "cosd", "sind", "tand"]

_SINES: Final = {
    0.0: 0.0, 30.0: 0.5, 90.0: 1.0, 150.0: 0.5, 180.0: 0.0, 210.0: -0.5, 270.0: -1.0, 330.0: -0.5,
}  # fmt: skip
_COSINES: Final = {
    0.0: 1.0, 60.0: 0.5, 90.0: 0.0, 120.0: -0.5, 180.0: -1.0, 240.0: -0.5, 270.0: 0.0, 300.0: 0.5,
}  # fmt: skip
_TANGENTS: Final = {
    0.0: 0.0, 45.0: 1.0, 90.0: math.inf, 135.0: -1.0, 180.0: 0.0, 225.0: 1.0, 270.0: math.inf, 315.0: -1.0,
}  # fmt: skip
"""Where the value is a rational number (or infinite) and radians would miss it by a rounding."""


def sind(angle: float) -> float:
    """Sine of an angle in degrees, exact where it is 0, ±½ or ±1: quarter turns keep planes planar."""
    turned = math.fmod(angle, 360.0)
    exact = _SINES.get(turned % 360.0)
    return exact if exact is not None else math.sin(math.radians(turned))


def cosd(angle: float) -> float:
    """Cosine of an angle in degrees, exact where it is 0, ±½ or ±1."""
    turned = math.fmod(angle, 360.0)
    exact = _COSINES.get(turned % 360.0)
    return exact if exact is not None else math.cos(math.radians(turned))


def tand(angle: float) -> float:
    """Tangent of an angle in degrees, exact where it is 0 or ±1; infinite at odd quarter turns."""
    turned = math.fmod(angle, 360.0)
    exact = _TANGENTS.get(turned % 360.0)
    return exact if exact is not None else math.tan(math.radians(turned))


def asind(sine: float) -> float:
    """The angle in degrees, -90 to 90, that has this sine; exact at ±½."""
    return math.copysign(30.0, sine) if abs(sine) == 0.5 else math.degrees(math.asin(sine))


def acosd(cosine: float) -> float:
    """The angle in degrees, 0 to 180, that has this cosine; exact at ±½."""
    return 90.0 - asind(cosine) if abs(cosine) == 0.5 else math.degrees(math.acos(cosine))


def atan2d(y: float, x: float) -> float:
    """The direction of the point (x, y) in degrees, more than -180 up to 180."""
    return math.degrees(math.atan2(y, x))
