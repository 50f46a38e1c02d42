"""Gears, and what one tooth of them measures.

A point of the involute of a circle of radius b is b·(cos t + t sin t, sin t − t cos t); its distance
from the centre is b·√(1 + t²), where the pressure angle α has tan α = t, and it has turned away from
where the involute begins by inv α = tan α − α. Proportions are those of ISO 53 without tip or root
rounding: pressure angle 20°, addendum m, dedendum 1.25 m. Below the base circle a flank is radial.
Lengths are millimetres, angles radians; the first tooth stands on +X.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from vcad_kernel.operations.arguments import Count, Fidelity, Mm
from vcad_kernel.operations.node import Node
from vcad_kernel.operations.numbers import (
    LINEAR,
    MOST_SIDES,
    ParameterFault,
    between,
    finite,
    not_negative,
    positive,
)
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import GEARS_AND_TEXT
from vcad_kernel.operations.solids.shapes import with_hint

__all__ = ["PRESSURE_ANGLE", "Gear", "GearForm", "involute_angle"]

PRESSURE_ANGLE = math.radians(20.0)


class Gear(Node):
    """Involute spur gear about +Z from z = 0, 20° pressure angle; ``internal``: the bore of a ring gear."""

    CURVED: ClassVar[bool] = True

    module: Mm
    teeth: int
    width: Mm
    backlash: Mm = 0.0
    """Thinning of each tooth along the pitch circle; a ring gear's teeth are thinned too: its bore grows."""
    internal: bool = False
    flank: int = 0
    """Fidelity hint: points per flank in a mesh; 0 = automatic."""

    @property
    def function(self) -> str:
        """``gear`` or ``ring-gear``."""
        return "ring-gear" if self.internal else "gear"

    @property
    def functions(self) -> frozenset[str]:
        """The form without, and that with, what this one has of backlash and hint."""
        form = self.function
        if self.backlash:
            form += "-backlash"
        return frozenset((self.function, form, *with_hint(form, self.flank)))

    def check(self) -> None:
        """Teeth that there can be."""
        positive("module", self.module)
        between("teeth", self.teeth, 4, MOST_SIDES)
        positive("width", self.width)
        finite("backlash", self.backlash)
        not_negative("backlash", self.backlash)
        if self.flank:
            between("n", self.flank, 2, 1_000)
        self.form()

    def form(self) -> "GearForm":
        """The outline of a gear whose sizes are positive.

        Raises: ParameterFault when no tooth is left, or a gear's teeth end in a point before the tip circle.
        """
        pitch = self.module * self.teeth / 2.0
        base = pitch * math.cos(PRESSURE_ANGLE)
        inside, outside = (1.0, 1.25) if self.internal else (1.25, 1.0)
        root, tip = pitch - inside * self.module, pitch + outside * self.module
        thickness = math.pi * self.module / 2.0 + (self.backlash if self.internal else -self.backlash)
        half_base = thickness / (2.0 * pitch) + involute_angle(base, pitch)
        form = GearForm(self.teeth, root, base, tip, half_base, self.flank)
        if math.pi / self.teeth - form.half_angle(root) <= LINEAR / root:
            raise self._fault(f"no tooth is left of the ring with a backlash of {self.backlash:g}")
        if form.half_angle(tip) * tip > LINEAR:
            return form
        if not self.internal:
            raise self._fault(
                f"with {self.teeth} teeth and a backlash of {self.backlash:g} the teeth end in a point"
                f" before the tip circle of radius {tip:g}"
            )
        # the flanks of a small ring meet before its root circle; the bore ends where they meet
        return GearForm(self.teeth, root, base, _point_of(form), half_base, self.flank)

    def _fault(self, message: str) -> ParameterFault:
        return ParameterFault("INVALID_PARAMETER", "backlash" if self.backlash else "module", message)


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
    """Points per flank that a mesh is asked to have; 0 = automatic."""

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


def involute_angle(base: float, radius: float) -> float:
    """inv α at a radius: how far the involute of the base circle has turned there; 0 below it."""
    roll = math.sqrt(max((radius / base) ** 2 - 1.0, 0.0))
    return roll - math.atan(roll)


def _point_of(form: GearForm) -> float:
    """Radius at which the flanks meet, by bisection."""
    low, high = form.start, form.tip
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if form.half_angle(middle) > 0.0 else (low, middle)
        if high - low <= 1e-13 * high:
            break
    return low


@operation(GEARS_AND_TEXT, "[gear 2 20 6]")
def gear(module: Mm, teeth: Count, width: Mm) -> Gear:
    """Involute spur gear along +Z from z = 0, pressure angle 20 degrees. The pitch circle has the
    diameter module · teeth; the tips stand one module above it."""
    return Gear(module, teeth, width)


@operation(GEARS_AND_TEXT, "[gear-backlash 2 20 6 0.1]")
def gear_backlash(module: Mm, teeth: Count, width: Mm, backlash: Mm) -> Gear:
    """As gear, with each tooth thinner by the backlash along the pitch circle."""
    return Gear(module, teeth, width, backlash)


@operation(GEARS_AND_TEXT, "[gear-n 2 20 6 12]")
def gear_n(module: Mm, teeth: Count, width: Mm, n: Fidelity) -> Gear:
    """As gear, with n points along each flank of the mesh."""
    return Gear(module, teeth, width, flank=n)


@operation(GEARS_AND_TEXT, "[gear-backlash-n 2 20 6 0.1 12]")
def gear_backlash_n(module: Mm, teeth: Count, width: Mm, backlash: Mm, n: Fidelity) -> Gear:
    """As gear-backlash, with n points along each flank of the mesh."""
    return Gear(module, teeth, width, backlash, flank=n)


@operation(GEARS_AND_TEXT, "[ring-gear 2 18 6]", "[pipe [cylinder 24 6] [difference [ring-gear 2 18 6]]]")
def ring_gear(module: Mm, teeth: Count, width: Mm) -> Gear:
    """What a ring gear has inside: the bore to cut out of a disc with difference. Its pitch circle is
    that of the gear of as many teeth, pressure angle 20 degrees."""
    return Gear(module, teeth, width, internal=True)


@operation(
    GEARS_AND_TEXT,
    "[ring-gear-backlash 2 18 6 0.1]",
    "[pipe [cylinder 24 6] [difference [ring-gear-backlash 2 18 6 0.1]]]",
)
def ring_gear_backlash(module: Mm, teeth: Count, width: Mm, backlash: Mm) -> Gear:
    """As ring-gear, with each tooth thinner by the backlash along the pitch circle."""
    return Gear(module, teeth, width, backlash, internal=True)


@operation(
    GEARS_AND_TEXT,
    "[ring-gear-n 2 18 6 12]",
    "[pipe [cylinder 24 6] [difference [ring-gear-n 2 18 6 12]]]",
)
def ring_gear_n(module: Mm, teeth: Count, width: Mm, n: Fidelity) -> Gear:
    """As ring-gear, with n points along each flank of the mesh."""
    return Gear(module, teeth, width, internal=True, flank=n)


@operation(
    GEARS_AND_TEXT,
    "[ring-gear-backlash-n 2 18 6 0.1 12]",
    "[pipe [cylinder 24 6] [difference [ring-gear-backlash-n 2 18 6 0.1 12]]]",
)
def ring_gear_backlash_n(module: Mm, teeth: Count, width: Mm, backlash: Mm, n: Fidelity) -> Gear:
    """As ring-gear-backlash, with n points along each flank of the mesh."""
    return Gear(module, teeth, width, backlash, internal=True, flank=n)
