"""Profiles of threads against the limits of size that table books print, and what is refused."""

from __future__ import annotations

import math

import pytest

from vcad_kernel.operations.features.hole_tables import TAP_DRILLS
from vcad_kernel.operations.numbers import ParameterFault
from vcad_kernel.operations.solids.thread_forms import PITCHES, ThreadForm, basic_form, form_of_class
from vcad_kernel.operations.solids.threads import Thread, thread


def rod(**keys: object) -> Thread:
    """The thread of a map of keys."""
    written = {"size": "M8", "length": 20.0, "pitch": None, "internal": False, "class": None}
    made = thread.build({**written, "lead-in": False, "cosmetic": False, **keys})
    assert isinstance(made, Thread)
    return made


def refused(**keys: object) -> ParameterFault:
    with pytest.raises(ParameterFault) as caught:
        rod(**keys).check()
    return caught.value


@pytest.mark.parametrize(
    ("size", "pitch", "middle", "minor"),
    [
        ("M3", 0.5, 2.675, 2.459),
        ("M4", 0.7, 3.545, 3.242),
        ("M8", 1.25, 7.188, 6.647),
        ("M10", 1.5, 9.026, 8.376),
        ("M20", 2.5, 18.376, 17.294),
        ("M36", 4.0, 33.402, 31.670),
    ],
)
def test_the_basic_profile_has_the_diameters_of_iso_724(
    size: str, pitch: float, middle: float, minor: float
) -> None:
    form = rod(size=size).form()
    assert form.pitch == pitch
    assert (form.major, form.middle, form.minor) == pytest.approx((float(size[1:]), middle, minor), abs=6e-4)


def test_the_basic_profile_is_cut_off_at_an_eighth_and_at_a_quarter() -> None:
    form = basic_form(8.0, 1.25)
    (low, inner), (start, outer), (end, _), (high, _) = form.corners
    assert (end - start, 1.25 - (high - low)) == pytest.approx((1.25 / 8, 1.25 / 4))
    assert math.degrees(math.atan((start - low) / (outer - inner))) == pytest.approx(30.0)


@pytest.mark.parametrize(
    ("size", "written", "major", "middle", "minor"),
    [
        # lower and upper limits of ISO 965-2; minor diameters of rods follow the pitch diameter
        ("M6", "6g", (5.794, 5.974), (5.212, 5.324), None),
        ("M8", "6g", (7.760, 7.972), (7.042, 7.160), None),
        ("M12", "6g", (11.701, 11.966), (10.679, 10.829), None),
        ("M20", "6g", (19.623, 19.958), (18.164, 18.334), None),
        ("M8", "6h", (7.788, 8.000), (7.070, 7.188), None),
        ("M6", "6H", None, (5.350, 5.500), (4.917, 5.153)),
        ("M8", "6H", None, (7.188, 7.348), (6.647, 6.912)),
        ("M12", "6H", None, (10.863, 11.063), (10.106, 10.441)),
        ("M8", "6G", None, (7.216, 7.376), (6.675, 6.940)),
        # where the formulae are a step of R40 from what is printed
        ("M3", "6g", (2.874, 2.980), (2.580, 2.655), None),
        ("M3", "6H", None, (2.675, 2.775), (2.459, 2.599)),
        ("M10", "6H", None, (9.026, 9.206), (8.376, 8.676)),
        ("M20", "6H", None, (18.376, 18.600), (17.294, 17.744)),
        ("M36", "6g", (35.465, 35.940), (33.118, 33.342), None),
        ("M48", "6g", (47.399, 47.929), (44.431, 44.681), None),
    ],
)
def test_a_class_lies_amid_the_fields_of_the_standard(
    size: str,
    written: str,
    major: tuple[float, float] | None,
    middle: tuple[float, float],
    minor: tuple[float, float] | None,
) -> None:
    diameter, pitch = PITCHES[size]
    form = form_of_class(diameter, pitch, written, internal=written[-1].isupper())
    for found, limits in ((form.major, major), (form.middle, middle), (form.minor, minor)):
        if limits is not None:
            # printed to whole µm
            assert found == pytest.approx(sum(limits) / 2, abs=1.1e-3)


def test_two_grades_are_of_the_pitch_diameter_and_of_the_crests() -> None:
    both, one, other = (form_of_class(8.0, 1.25, name, internal=False) for name in ("4g8g", "4g", "8g"))
    assert (both.middle, both.major) == (one.middle, other.major)


def test_a_rod_of_6g_is_inside_a_hole_of_6h() -> None:
    for size, (diameter, pitch) in PITCHES.items():
        outside, inside = (
            form_of_class(diameter, pitch, name, internal=name == "6H") for name in ("6g", "6H")
        )
        assert outside.major < inside.major, size
        assert outside.middle < inside.middle, size
        assert outside.minor < inside.minor, size


@pytest.mark.parametrize("size", TAP_DRILLS.rows)
def test_every_tap_drill_leaves_crests_of_its_thread(size: str) -> None:
    form: ThreadForm = basic_form(*PITCHES[size]).bored(*TAP_DRILLS.rows[size])
    form.check()
    assert basic_form(*PITCHES[size]).minor <= form.minor < form.major


@pytest.mark.parametrize(
    ("keys", "argument", "said"),
    [
        ({"size": "M80"}, ":size", "M64, M68 (ISO 261"),
        ({"size": "m8"}, ":size", "did you mean M8?"),
        ({"pitch": 9.0}, ":pitch", "leaves no thread"),
        ({"pitch": 0.0}, ":pitch", "greater than 0"),
        ({"length": -1.0}, ":length", "greater than 0"),
        ({"length": 1.7, "lead-in": True}, ":length", "its lead-ins, 1.753 mm"),
        ({"class": "6H"}, ":class", "positions e, f, g, h"),
        ({"class": "5g5g"}, ":class", "of the major diameter 4, 6, 8"),
        ({"class": "6g", "internal": True}, ":class", "as 6H"),
        ({"class": "g6"}, ":class", 'got "g6"'),
        ({"class": "6g6g6g"}, ":class", "grades 3–9"),
    ],
)
def test_what_is_no_thread_is_refused_with_what_there_is(
    keys: dict[str, object], argument: str, said: str
) -> None:
    fault = refused(**keys)
    assert (fault.code, fault.argument) == ("INVALID_PARAMETER", argument)
    assert said in fault.message


def test_a_class_that_is_too_wide_for_a_fine_pitch_is_named() -> None:
    fault = refused(**{"pitch": 0.01, "length": 1.0, "class": "4h"})
    assert fault.argument == ":class"
    assert "too wide for a pitch of 0.01 mm" in fault.message


def test_more_than_a_thousand_turns_are_refused_unless_they_are_drawn_as_a_cylinder() -> None:
    fault = refused(length=1251.0)
    assert fault.code == "THREAD_TOO_LONG"
    rod(length=1251.0, cosmetic=True).check()
