"""What ISO says of metric threads: pitches, the profile, and what a tolerance class takes away or adds.

The profile is that of ISO 68-1: flanks at 30° to the plane square to the axis, sharp at a height of
H = √3/2 · P and cut off at H/8 outside and H/4 inside. Pitches are those of ISO 261, coarse series.
Deviations and tolerances are those that the tables of ISO 965-1:1998 print; of a pitch that they do not have
they follow its formulae (clause 13), rounded to R40 as there. Lengths are millimetres.
"""

import math
import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.numbers import ParameterFault, invalid, positive

__all__ = ["PITCHES", "SHARP", "ThreadForm", "basic_form", "form_of_class"]

_ROWS: Final = {
    0.25: (1.0, 1.1, 1.2),
    0.3: (1.4,),
    0.35: (1.6, 1.8),
    0.4: (2.0,),
    0.45: (2.2, 2.5),
    0.5: (3.0,),
    0.6: (3.5,),
    0.7: (4.0,),
    0.75: (4.5,),
    0.8: (5.0,),
    1.0: (6.0, 7.0),
    1.25: (8.0, 9.0),
    1.5: (10.0, 11.0),
    1.75: (12.0,),
    2.0: (14.0, 16.0),
    2.5: (18.0, 20.0, 22.0),
    3.0: (24.0, 27.0),
    3.5: (30.0, 33.0),
    4.0: (36.0, 39.0),
    4.5: (42.0, 45.0),
    5.0: (48.0, 52.0),
    5.5: (56.0, 60.0),
    6.0: (64.0, 68.0),
}
PITCHES: Final[Mapping[str, Vec2]] = MappingProxyType(
    dict(
        sorted(((f"M{d:g}", (d, pitch)) for pitch, row in _ROWS.items() for d in row), key=lambda row: row[1])
    )
)
"""Diameter and coarse pitch of each size. ISO 261:1998."""

SHARP: Final = math.sqrt(3.0) / 2.0
"""H, the height of the sharp triangle, for a pitch of 1."""
_SLOPE: Final = 1.0 / math.sqrt(3.0)
"""By how much half a ridge widens for each millimetre inwards: the tangent of 30°."""


@dataclass(frozen=True, slots=True)
class ThreadForm:
    """The profile of a thread. Of a hole it is that of what is cut out: its crest is the hole's root."""

    pitch: float
    major: float
    """Diameter over the crests."""
    middle: float
    """The pitch diameter, at which ridge and groove are as wide as each other."""
    minor: float
    """Diameter over the roots."""

    @property
    def corners(self) -> tuple[Vec2, ...]:
        """Corners (height, radius) of one ridge in a plane through the axis, its middle at 0, rising."""
        crest, root = (self._half_width(diameter) for diameter in (self.major, self.minor))
        outer, inner = 0.5 * self.major, 0.5 * self.minor
        return ((-root, inner), (-crest, outer), (crest, outer), (root, inner))

    def _half_width(self, diameter: float) -> float:
        """Of a ridge at a diameter."""
        return 0.25 * self.pitch - 0.5 * (diameter - self.middle) * _SLOPE

    def bored(self, diameter: float) -> "ThreadForm":
        """The same thread cut into a bore, which takes the place of its roots."""
        return ThreadForm(self.pitch, self.major, self.middle, diameter)

    def check(self) -> None:
        """Raises: ParameterFault where flanks meet before crests and roots."""
        if not (0.0 < self.minor < self.major and self._half_width(self.major) > 0.0):
            raise invalid(":pitch", f"leaves no thread: {self.pitch:g} mm is too much for this diameter")
        if self._half_width(self.minor) >= 0.5 * self.pitch:
            raise invalid(":pitch", f"leaves no groove between the flanks at {self.pitch:g} mm")


def basic_form(diameter: float, pitch: float) -> ThreadForm:
    """The basic profile, of rods and holes alike. Raises: ParameterFault."""
    positive(":pitch", pitch)
    height = SHARP * pitch
    form = ThreadForm(pitch, diameter, diameter - 0.75 * height, diameter - 1.25 * height)
    form.check()
    return form


# ---------------------------------------------------------------- tolerances

_R40: Final = (
    *(1.0, 1.06, 1.12, 1.18, 1.25, 1.32, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0, 2.12, 2.24, 2.36, 2.5, 2.65, 2.8),
    *(3.0, 3.15, 3.35, 3.55, 3.75, 4.0, 4.25, 4.5, 4.75, 5.0, 5.3, 5.6, 6.0, 6.3, 6.7, 7.1, 7.5, 8.0, 8.5),
    *(9.0, 9.5, 10.0),
)
"""Preferred numbers of ISO 3, rounded as ISO 965-1 has them."""
_STEPS: Final = tuple(round(power * step) for power in (1, 10, 100, 1000) for step in _R40[:-1])
"""Tolerances, µm: of a diameter each grade is four of these steps from the next."""
_BY_GRADE: Final = 4
_HOLE: Final = 5
"""Steps from the pitch diameter's tolerance of a rod to that of a hole."""
_RANGES: Final = (0.99, 1.4, 2.8, 5.6, 11.2, 22.4, 45.0, 90.0, 180.0, 355.0)
"""Limits of the ranges of diameters, for whose geometric means tolerances are computed."""
_DEVIATIONS: Final[Mapping[str, Vec2]] = MappingProxyType(
    {
        "e": (-50.0, -11.0),
        "f": (-30.0, -11.0),
        "g": (-15.0, -11.0),
        "h": (0.0, 0.0),
        "G": (15.0, 11.0),
        "H": (0.0, 0.0),
    }
)
"""From the basic diameter to where the field begins: µm, and µm for each mm of pitch."""
_PITCH_COLUMNS: Final = ("g", "f", "e", "rod", "hole")
_BY_PITCH: Final[Mapping[float, tuple[int, ...]]] = MappingProxyType(
    {
        0.25: (18, 0, 0, 67, 71),
        0.3: (18, 0, 0, 75, 85),
        0.35: (19, 34, 0, 85, 100),
        0.4: (19, 34, 0, 95, 112),
        0.45: (20, 35, 0, 100, 125),
        0.5: (20, 36, 50, 106, 140),
        0.6: (21, 36, 53, 125, 160),
        0.7: (22, 38, 56, 140, 180),
        0.75: (22, 38, 56, 140, 190),
        0.8: (24, 38, 60, 150, 200),
        1.0: (26, 40, 60, 180, 236),
        1.25: (28, 42, 63, 212, 265),
        1.5: (32, 45, 67, 236, 300),
        1.75: (34, 48, 71, 265, 335),
        2.0: (38, 52, 71, 280, 375),
        2.5: (42, 58, 80, 335, 450),
        3.0: (48, 63, 85, 375, 500),
        3.5: (53, 70, 90, 425, 560),
        4.0: (60, 75, 95, 475, 600),
        4.5: (63, 80, 100, 500, 670),
        5.0: (71, 85, 106, 530, 710),
        5.5: (75, 90, 112, 560, 750),
        6.0: (80, 95, 118, 600, 800),
    }
)
"""By pitch, µm: deviations of g (as of G), f and e, and the tolerances of grade 6 of a rod's major and of a
hole's minor diameter. ISO 965-1:1998, tables 1 to 3; 0 = there is none."""
_MIDDLES: Final[Mapping[float, Mapping[float, int]]] = MappingProxyType(
    {
        1.4: {0.2: 48, 0.25: 53, 0.3: 56},
        2.8: {0.2: 50, 0.25: 56, 0.35: 63, 0.4: 67, 0.45: 71},
        5.6: {0.35: 67, 0.5: 75, 0.6: 85, 0.7: 90, 0.75: 90, 0.8: 95},
        11.2: {0.75: 100, 1.0: 112, 1.25: 118, 1.5: 132},
        22.4: {1.0: 118, 1.25: 132, 1.5: 140, 1.75: 150, 2.0: 160, 2.5: 170},
        45.0: {1.0: 125, 1.5: 150, 2.0: 170, 3.0: 200, 3.5: 212, 4.0: 224, 4.5: 236},
        90.0: {1.5: 160, 2.0: 180, 3.0: 212, 4.0: 236, 5.0: 250, 5.5: 265, 6.0: 280},
    }
)
"""By the upper limit of the range of diameters and the pitch, µm: the tolerance of grade 6 of a rod's pitch
diameter. ISO 965-1:1998, table 4."""
_OUTSIDE: Final = ((3, 4, 5, 6, 7, 8, 9), (4, 6, 8), "efgh")
"""Of a rod: grades of the pitch diameter and of the major diameter, and positions."""
_INSIDE: Final = ((4, 5, 6, 7, 8), (4, 5, 6, 7, 8), "GH")
"""Of a hole: grades of the pitch diameter and of the minor diameter, and positions."""


def form_of_class(diameter: float, pitch: float, written: str, *, internal: bool) -> ThreadForm:
    """The profile amid the fields of a tolerance class, as ``6g``, ``5g6g`` or ``6H``.

    The pitch diameter is amid its field, and so is the diameter at crests of the material; roots follow the
    pitch diameter. Raises: ParameterFault with the classes that there are.
    """
    basic = basic_form(diameter, pitch)
    grades, others, positions = _INSIDE if internal else _OUTSIDE
    parts = re.findall(r"(\d+)([A-Za-z])", written)
    said = "".join(f"{grade}{position}" for grade, position in parts)
    if said != written or len(parts) not in (1, 2):
        raise _no_class(written, internal)
    (grade, position), (other, other_position) = parts[0], parts[-1]
    if (
        *(int(grade) in grades, int(other) in others),
        *(position in positions, other_position in positions),
    ) != (True, True, True, True):
        raise _no_class(written, internal)
    at = bisect_left(_RANGES, diameter)
    if not 0 < at < len(_RANGES):
        message = f":class is known for diameters above {_RANGES[0]:g} up to {_RANGES[-1]:g} mm (ISO 965-1)"
        raise ParameterFault("INVALID_PARAMETER", ":class", message)
    outward = 1.0 if internal else -1.0
    middle = _stepped(_middle_tolerance(at, pitch), int(grade), _HOLE if internal else 0)
    crest_field = _stepped(_crest_tolerance(pitch, internal=internal), int(other))
    shift = 1e-3 * (_deviation(position, pitch) + 0.5 * outward * middle)
    crest = 1e-3 * (_deviation(other_position, pitch) + 0.5 * outward * crest_field)
    if internal:
        form = ThreadForm(pitch, basic.major + shift, basic.middle + shift, basic.minor + crest)
    else:
        form = ThreadForm(pitch, basic.major + crest, basic.middle + shift, basic.minor + shift)
    try:
        form.check()
    except ParameterFault:
        # the basic profile is one: it is the class that takes too much of it
        message = (
            f':class "{written}" leaves no thread: its tolerances are too wide for a pitch of {pitch:g} mm'
        )
        raise ParameterFault("INVALID_PARAMETER", ":class", message) from None
    return form


def _tabled(pitch: float, column: str) -> int:
    """Of a pitch, µm; 0 where the standard has nothing."""
    row = _BY_PITCH.get(pitch)
    return 0 if row is None else row[_PITCH_COLUMNS.index(column)]


def _deviation(position: str, pitch: float) -> float:
    """From the basic diameter to where the field begins, µm."""
    constant, by_pitch = _DEVIATIONS[position]
    amount = constant + by_pitch * pitch
    if amount == 0.0:
        return 0.0
    return math.copysign(_tabled(pitch, position.lower()) or _rounded(abs(amount)), amount)


def _middle_tolerance(at: int, pitch: float) -> int:
    """Of a rod's pitch diameter, grade 6, µm. at: of the upper limit among the ranges of diameters."""
    tabled = _MIDDLES.get(_RANGES[at], {}).get(pitch)
    mean = math.sqrt(_RANGES[at - 1] * _RANGES[at])
    return tabled or _rounded(90.0 * pitch**0.4 * mean**0.1)


def _crest_tolerance(pitch: float, *, internal: bool) -> int:
    """Of the diameter at crests of the material, grade 6, µm."""
    tabled = _tabled(pitch, "hole" if internal else "rod")
    if tabled:
        return tabled
    if not internal:
        return _rounded(180.0 * pitch ** (2.0 / 3.0) - 3.15 / math.sqrt(pitch))
    return _rounded(230.0 * pitch**0.7 if pitch >= 1.0 else 433.0 * pitch - 190.0 * pitch**1.22)


def _stepped(tolerance: int, grade: int, further: int = 0) -> int:
    """Of a grade, from that of grade 6, µm. further: steps more."""
    return _STEPS[max(0, _STEPS.index(tolerance) + _BY_GRADE * (grade - 6) + further)]


def _rounded(amount: float) -> int:
    """To a step of R40 in whole µm."""
    return min(_STEPS, key=lambda step: abs(step - amount))


def _no_class(written: str, internal: bool) -> ParameterFault:
    grades, others, positions = _INSIDE if internal else _OUTSIDE
    whose, crest = ("a hole", "minor") if internal else ("a rod", "major")
    example = "6H" if internal else "6g, or 5g6g"
    listed = "–".join((str(grades[0]), str(grades[-1])))
    return ParameterFault(
        "INVALID_PARAMETER",
        ":class",
        f':class of {whose} is a grade and a position, as {example}, got "{written}"; of the pitch diameter'
        f" grades {listed}, of the {crest} diameter {', '.join(map(str, others))}, positions"
        f" {', '.join(positions)} (ISO 965-1)",
    )
