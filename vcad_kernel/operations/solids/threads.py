"""Screw threads: of a rod, or what is cut out of a body for one.

Lengths are millimetres. Threads are right-handed; the middle of a ridge stands on +X at z = 0, so that a rod
fits into a hole of the same origin.
"""

from difflib import get_close_matches
from typing import Annotated, ClassVar, TypeAlias

from vcad_kernel.operations.arguments import Choice, Either, Flag, Given, Key, Keys, Kind, Mm, String, keyed
from vcad_kernel.operations.node import Node
from vcad_kernel.operations.numbers import ParameterFault, invalid, positive
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import THREADS
from vcad_kernel.operations.solids.thread_forms import PITCHES, ThreadForm, basic_form, form_of_class

__all__ = ["MOST_TURNS", "LeadIn", "Thread", "size_of"]

MOST_TURNS = 1000
"""Of one thread."""
_LEAD_IN = 0.05
"""Part of the diameter by which a lead-in is narrower than the roots of a rod, or wider than a hole's: DIN
76-1 allows countersinks as wide as 1.05 d."""

_LeadIn: TypeAlias = Annotated[bool | str, Given(Either(Kind.FLAG, Choice("bottom", "top")))]

LeadIn: TypeAlias = tuple[float, float]
"""Radius at an end, and by how much it changes with each millimetre away from there."""


class Thread(Node):
    """A threaded rod about +Z from z = 0; ``internal``: what is cut out of a body for it."""

    CURVED: ClassVar[bool] = True

    diameter: Mm
    """Nominal: that of the size."""
    pitch: Mm
    length: Mm
    internal: bool = False
    tolerance: str | None = None
    """The class of ISO 965-1 amid whose fields the profile lies; None is the basic profile."""
    lead_in: str | None = None
    """``bottom``, ``top`` or ``both`` ends."""
    cosmetic: bool = False
    """A cylinder in place of the thread."""

    def check(self) -> None:
        """A profile that there is, and room for it."""
        positive(":length", self.length)
        form = self.form()
        if not self.cosmetic and self.length > MOST_TURNS * self.pitch:
            raise ParameterFault(
                "THREAD_TOO_LONG",
                ":length",
                f":length must be at most {MOST_TURNS} turns, {MOST_TURNS * self.pitch:g} mm, got"
                f" {self.length:g}; :cosmetic true draws longer ones",
            )
        needed = sum(self._lead_in_height(form) for end in ("bottom", "top") if self.leads_in(end))
        if self.length <= needed:
            raise invalid(
                ":length",
                f"must be greater than the height of its lead-ins, {needed:.4g} mm, got {self.length:g}",
            )

    def form(self) -> ThreadForm:
        """The profile. Raises: ParameterFault."""
        positive(":size", self.diameter)
        if self.tolerance is None:
            return basic_form(self.diameter, self.pitch)
        return form_of_class(self.diameter, self.pitch, self.tolerance, internal=self.internal)

    def leads_in(self, end: str) -> bool:
        """Whether there is a lead-in at an end, ``bottom`` or ``top``."""
        return self.lead_in in (end, "both")

    def cone(self) -> LeadIn:
        """The lead-in, of 45° to the axis."""
        form = self.form()
        beyond = 0.5 * _LEAD_IN * self.diameter
        return (0.5 * form.major + beyond, -1.0) if self.internal else (0.5 * form.minor - beyond, 1.0)

    def _lead_in_height(self, form: ThreadForm) -> float:
        return 0.5 * (form.major - form.minor + _LEAD_IN * self.diameter)

    @property
    def plain(self) -> float:
        """Diameter of the cylinder that stands for it: a rod's crests, or the bore of a hole."""
        form = self.form()
        return form.minor if self.internal else form.major


def size_of(key: str, size: str) -> tuple[float, float]:
    """Diameter and coarse pitch of a size. Raises: ParameterFault with the sizes that there are."""
    known = PITCHES.get(size)
    if known is not None:
        return known
    close = get_close_matches(size.upper(), PITCHES, 1)
    meant = f"; did you mean {close[0]}?" if close else ""
    message = f'{key} has no size "{size}"; sizes are {", ".join(PITCHES)} (ISO 261:1998){meant}'
    raise ParameterFault("INVALID_PARAMETER", key, message)


_ThreadKeys: TypeAlias = Annotated[
    Keys,
    keyed(
        "a thread",
        Key("size", String, doc='as "M8": its diameter, and by ISO 261 its coarse pitch'),
        Key("length", Mm, doc="along +Z, from z = 0"),
        Key("pitch", Mm, None, "another one than the coarse pitch of the size"),
        Key("internal", Flag, False, "what is cut out of a body for a thread in it"),
        Key(
            "class",
            String,
            None,
            'the tolerance class by ISO 965-1, as "6g", or "6H" of a hole: the profile lies amid its fields.'
            " Without it: the basic profile",
        ),
        Key("lead-in", _LeadIn, False, "45 degrees at both ends, or at :bottom or :top alone"),
        Key("cosmetic", Flag, False, "a cylinder in place of the thread, with a note that says so"),
    ),
]


@operation(
    THREADS,
    '[thread {:size "M8" :length 20 :lead-in true}]',
)
def thread(form: _ThreadKeys) -> Thread:
    """A threaded rod of the profile of ISO 68-1, right-handed; with :internal what is cut out of a body for a
    thread in it. Flanks are fitted within 1e-4 mm, so its figures are marked ≈."""
    diameter, coarse = size_of(":size", form["size"])
    lead_in = form["lead-in"]
    return Thread(
        diameter,
        coarse if form["pitch"] is None else form["pitch"],
        form["length"],
        form["internal"],
        form["class"],
        ("both" if lead_in is True else lead_in) or None,
        form["cosmetic"],
    )
