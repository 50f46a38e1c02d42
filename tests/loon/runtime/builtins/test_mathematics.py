"""The host mathematics: degrees, kinds of numbers, and clean errors where there is no answer."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.loon.evaluation import error_class, error_of, shown, value_of
from vcad_kernel.errors import LoonTypeError
from vcad_kernel.loon.runtime.builtins import mathematics
from vcad_kernel.loon.runtime.builtins.of_numbers import OF_NUMBERS
from vcad_kernel.loon.runtime.collections import Vector

ints = st.integers(-(1 << 63), (1 << 63) - 1)
floats = st.floats(allow_nan=False, allow_infinity=False)
numbers = st.one_of(ints, floats)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#[[sin 30] [sin 150] [sin -30] [sin 390] [sin 180]]", "#[0.5 0.5 -0.5 0.5 0]"),
        ("#[[cos 90] [cos 60] [cos 240] [cos -270] [cos 0]]", "#[0 0.5 -0.5 0 1]"),
        ("#[[tan 45] [tan -45] [tan 135] [tan 180]]", "#[1 -1 -1 0]"),
        ("#[[asin 0.5] [asin -1] [acos 0.5] [acos -0.5] [acos 1]]", "#[30 -90 60 120 0]"),
        ("#[[atan 1] [atan -1.0] [atan2 1 1] [atan2 1 -1] [atan2 0 -1] [atan2 0 0]]",
         "#[45 -45 45 135 180 0]"),
        ("#[[deg pi] [rad 180] [= tau [* 2 pi]]]", "#[180 3.141592653589793 true]"),
        ("#[[sqrt 16] [sqrt 2.25] [sqrt 0]]", "#[4 1.5 0]"),
        ("#[[pow 2 10] [pow 2 -1] [pow -8 3] [pow 9 0.5] [pow 0 0]]", "#[1024 0.5 -512 3 1]"),
        ("#[[floor 2.7] [floor -2.5] [ceil 2.1] [ceil -2.5] [floor 7]]", "#[2 -3 3 -2 7]"),
        ("#[[round 2.5] [round -2.5] [round 0.49999999999999994] [round 2.4]]", "#[3 -3 0 2]"),
        ("#[[floor 1.0e300] [ceil -1.0e300] [round [/ 1.0 0.0]]]",
         "#[9223372036854775807 -9223372036854775808 9223372036854775807]"),
        ("#[[mod 7 3] [mod -7 3] [mod 7 -3] [mod -7.5 3]]", "#[1 2 -2 1.5]"),
        ("#[[abs -5] [abs 5] [abs -2.5]]", "#[5 5 2.5]"),
        ("#[[lerp 0 10 0.25] [lerp 10 0 0.25] [lerp 2 4 0] [lerp 2 4 1]]", "#[2.5 7.5 2 4]"),
        ("#[[clamp 0 5 7] [clamp 0 5 -1] [clamp 0 5 3] [clamp 0.5 5 0]]", "#[5 0 3 0.5]"),
        ("[map sqrt #[1 4 9]]", "#[1 2 3]"),
        ("[pipe 7.25 [clamp 0 5] floor]", "5"),
    ],
)  # fmt: skip
def test_functions_have_the_values_of_a_school_book(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[sqrt -1]", "domain"), ("[sqrt -0.001]", "domain"), ("[asin 2]", "domain"),
        ("[acos -1.1]", "domain"), ("[pow -8 0.5]", "domain"), ("[tan 90]", "domain"),
        ("[tan -270]", "domain"), ("[sin [/ 1.0 0.0]]", "domain"), ("[floor [float \"nan\"]]", "domain"),
        ("[clamp 5 0 1]", "domain"), ("[mod [/ 1.0 0.0] 2]", "domain"),
        ("[mod 5 0]", "zero-division"), ("[mod 5 0.0]", "zero-division"),
        ("[sqrt \"4\"]", "type"), ("[sin true]", "type"), ("[floor :a]", "type"), ("[pow 2 \"3\"]", "type"),
        ("[clamp 0 1 ()]", "type"),
        ("[sqrt]", "arity"), ("[atan2 1]", "arity"), ("[lerp 0 1]", "arity"),
        ("[pi]", "not-callable"),
    ],
)  # fmt: skip
def test_what_has_no_answer_is_an_error_with_a_class(text: str, kind: str) -> None:
    assert error_class(text) == kind


def test_a_domain_error_tells_the_value_and_a_way_out() -> None:
    error = error_of("[asin 1.0000001]")
    assert error.code == "domain"
    assert "not 1.0000001" in error.message
    assert error.fix is not None
    assert "clamp" in error.fix


def test_the_names_stay_free_for_the_users_own() -> None:
    assert (
        shown("[fn sqrt [x] :mine] [let pi 3] [let mod [fn [a] a]] #[[sqrt 2] pi [mod 5]]") == "#[:mine 3 5]"
    )
    assert shown("[fn area [deg] [* deg 2]] [area 4]") == "8"


@given(numbers)
def test_rounding_gives_ints_of_64_bits_that_lie_around_the_number(x: float) -> None:
    below, nearest, above = (
        mathematics.round_down(x),
        mathematics.round_nearest(x),
        mathematics.round_up(x),
    )
    assert below <= nearest <= above
    assert all(type(one) is int and -(1 << 63) <= one < 1 << 63 for one in (below, nearest, above))
    if -(1 << 63) <= x < 1 << 63:
        assert below <= x <= above
        assert above - below <= 1


@given(ints, ints.filter(bool))
def test_mod_has_the_sign_of_the_divisor_and_completes_the_quotient(a: int, b: int) -> None:
    rest = mathematics.modulo(a, b)
    assert (a - rest) % b == 0
    assert abs(rest) < abs(b)
    assert rest == 0 or (rest < 0) == (b < 0)


@given(st.integers(-100, 100), st.floats(-1e6, 1e6))
def test_angles_agree_with_radians(turns: int, angle: float) -> None:
    assert mathematics.sine(angle) == pytest.approx(math.sin(math.radians(angle)), abs=1e-9)
    assert mathematics.cosine(angle) == pytest.approx(math.cos(math.radians(angle)), abs=1e-9)
    assert mathematics.sine(30 + 360 * turns) == 0.5
    assert mathematics.cosine(90 + 180 * turns) == 0.0


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_blending_meets_both_ends_exactly(a: float, b: float) -> None:
    assert mathematics.blend(a, b, 0) == a
    assert mathematics.blend(a, b, 1) == b


@given(numbers, numbers)
def test_the_smaller_and_the_larger_of_two_numbers_keep_their_kind(a: float, b: float) -> None:
    assert OF_NUMBERS["min"](a, b) in (a, b)
    assert any(OF_NUMBERS["min"](a, b) is one for one in (a, b))
    assert OF_NUMBERS["min"](a, b) == min(a, b)
    assert OF_NUMBERS["max"](a, b) == max(a, b)


def test_min_and_max_of_a_host_take_a_vector_or_numbers() -> None:
    smallest, largest = OF_NUMBERS["min"], OF_NUMBERS["max"]
    assert (smallest(Vector([3, 1])), largest(Vector([3, 1]))) == (1, 3)
    assert (smallest(3, 1, 2), largest(1, 2.5)) == (1, 2.5)
    assert type(largest(2, 2.0)) is int, "the first of equals"
    assert math.isnan(smallest(1, math.nan, 0))
    for wrong in [(1,), (1, "a"), ("a", 1), (True, 1)]:
        with pytest.raises(LoonTypeError):
            smallest(*wrong)


def test_the_least_int_has_no_counterpart_and_wraps() -> None:
    assert value_of("[abs -9223372036854775808]") == -(1 << 63)
