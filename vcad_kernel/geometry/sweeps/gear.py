"""Involute spur gears: pure geometry of one tooth, for both kernels.

A point of the involute of a circle of radius b is b·(cos t + t sin t, sin t − t cos t); its distance
from the centre is b·√(1 + t²), where the pressure angle α has tan α = t, and it has turned away from
where the involute begins by inv α = tan α − α. Proportions are those of ISO 53 without tip or root
rounding: pressure angle 20°, addendum m, dedendum 1.25 m. Below the base circle a flank is radial.
Lengths are millimetres, angles radians; the first tooth stands on +X.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.ir.nodes import Gear

__all__ = ["PRESSURE_ANGLE", "GearFault", "GearForm", "form_of", "involute_angle"]

PRESSURE_ANGLE = math.radians(20.0)


class GearFault(ValueError):
    """Why there is no such gear."""


def involute_angle(base: float, radius: float) -> float:
    """inv α at a radius: how far the involute of the base circle has turned there; 0 below it."""
    roll = math.sqrt(max((radius / base) ** 2 - 1.0, 0.0))
    return roll - math.atan(roll)


@dataclass(frozen=True, slots=True)
class GearForm:
    """The outline of a gear, or of the bore of a ring gear, by one tooth."""

    teeth: int
    root: float
    """Radius of the circle between the teeth."""
    base: float
    tip: float
    """Radius of the circle over the teeth."""
    half_base: float
    """Half the angle that a tooth takes on the base circle."""
    flank: int
    """Points per flank requested in a mesh; 0 = automatic."""

    @property
    def start(self) -> float:
        """Radius where the involute begins: at the base circle, or at the root where that is larger."""
        return max(self.base, self.root)

    def half_angle(self, radius: float) -> float:
        """Half the angle that a tooth takes at a radius; negative past the point of a pointed tooth."""
        return self.half_base - involute_angle(self.base, radius)

    @property
    def pointed(self) -> bool:
        """Whether the flanks meet at the tip circle, which then has no arc."""
        return 2.0 * self.half_angle(self.tip) * self.tip <= 2.0 * LINEAR

    def rolls(self) -> tuple[float, float]:
        """The involute's parameter where it begins and at the tip."""
        first, last = (
            math.sqrt(max((radius / self.base) ** 2 - 1.0, 0.0)) for radius in (self.start, self.tip)
        )
        return first, last

    def involute(self, roll: NDArray[np.float64]) -> NDArray[np.float64]:
        """(k, 2) points of the right flank of the first tooth, the one below the X axis, root to tip."""
        angle = roll - self.half_base
        cosine, sine = np.cos(angle), np.sin(angle)
        return np.asarray(
            self.base * np.column_stack([cosine + roll * sine, sine - roll * cosine]), np.float64
        )

    def outline(self, chord: float, sides: int) -> tuple[NDArray[np.float64], float]:
        """The whole outline as a counter-clockwise polygon (n, 2), and its deviation in millimetres.

        chord: largest distance wanted between flank and polygon. sides: of a full circle.
        """
        first, last = self.rolls()
        count = self.flank or self._points_for(chord)
        rolls = np.linspace(first, last, count)
        flank = self.involute(rolls)
        if self.pointed:
            flank[-1] = (self.tip, 0.0)
        if self.start > self.root + LINEAR:
            angle = -self.half_angle(self.root)
            flank = np.vstack([[self.root * math.cos(angle), self.root * math.sin(angle)], flank])
        mirrored = flank[::-1] * (1.0, -1.0)
        parts = [flank, mirrored[1:] if self.pointed else mirrored]
        if not self.pointed:
            parts.insert(1, self._inner_arc(self.tip, -self.half_angle(self.tip), sides))
        pitch = 2.0 * math.pi / self.teeth
        gap = pitch - 2.0 * self.half_angle(self.root)
        parts.append(self._inner_arc(self.root, gap / 2.0, sides, middle=pitch / 2.0))
        tooth = np.vstack(parts)
        turns = [_turned(tooth, index, self.teeth) for index in range(self.teeth)]
        arcs = self.tip * (1.0 - math.cos(math.pi / sides))
        return np.vstack(turns), max(arcs, self._flank_deviation(count))

    def _inner_arc(self, radius: float, half: float, sides: int, middle: float = 0.0) -> NDArray[np.float64]:
        """Points of an arc about its middle angle without its ends."""
        half = abs(half)
        pieces = max(math.ceil(2.0 * half * sides / (2.0 * math.pi) - 1e-9), 1)
        angles = middle + half * np.linspace(-1.0, 1.0, pieces + 1)[1:-1]
        return radius * np.column_stack([np.cos(angles), np.sin(angles)])

    def _flank_deviation(self, count: int) -> float:
        """Sagitta of a chord: the radius of curvature is base · roll, the speed the same."""
        first, last = self.rolls()
        step = (last - first) / (count - 1)
        return self.base * last * step**2 / 8.0

    def _points_for(self, chord: float) -> int:
        first, last = self.rolls()
        pieces = math.ceil((last - first) * math.sqrt(self.base * last / (8.0 * chord)))
        return min(max(pieces, 6), 256) + 1


def _turned(points: NDArray[np.float64], index: int, teeth: int) -> NDArray[np.float64]:
    # quarters are exact, so that the box of a gear of 4·k teeth is
    quarter, rest = divmod(4 * index, teeth)
    angle = 0.5 * math.pi * rest / teeth
    cosine, sine = math.cos(angle), math.sin(angle)
    for _ in range(quarter):
        cosine, sine = -sine, cosine
    return np.asarray(points @ np.array([[cosine, sine], [-sine, cosine]]))


def form_of(node: Gear) -> GearForm:
    """The outline of a gear node whose sizes are positive.

    Backlash thins the teeth of a gear, and those of a ring gear: its bore grows.
    Raises: GearFault when no tooth is left, or a gear's teeth end in a point before the tip circle.
    """
    pitch = node.module * node.teeth / 2.0
    base = pitch * math.cos(PRESSURE_ANGLE)
    inside, outside = (1.0, 1.25) if node.internal else (1.25, 1.0)
    root, tip = pitch - inside * node.module, pitch + outside * node.module
    thickness = math.pi * node.module / 2.0 + (node.backlash if node.internal else -node.backlash)
    half_base = thickness / (2.0 * pitch) + involute_angle(base, pitch)
    form = GearForm(node.teeth, root, base, tip, half_base, node.flank)
    if math.pi / node.teeth - form.half_angle(root) <= LINEAR / root:
        raise GearFault(f"no tooth is left of the ring with a backlash of {node.backlash:g}")
    if form.half_angle(tip) * tip > LINEAR:
        return form
    if not node.internal:
        raise GearFault(
            f"with {node.teeth} teeth and a backlash of {node.backlash:g} the teeth end in a point"
            f" before the tip circle of radius {tip:g}"
        )
    # the flanks of a small ring meet before its root circle; the bore ends where they meet
    return GearForm(node.teeth, root, base, _point_of(form), half_base, node.flank)


def _point_of(form: GearForm) -> float:
    """Radius at which the flanks meet, by bisection."""
    low, high = form.start, form.tip
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if form.half_angle(middle) > 0.0 else (low, middle)
        if high - low <= 1e-13 * high:
            break
    return low
