"""Lengths as people write them."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from notebook_ext.agents.calls.arguments import Arguments, Length, millimetres


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("20", 20),
        ("2 m", 2000),
        ("2.5cm", 25),
        ("6'", 6 * 304.8),
        ("3/4 in", 19.05),
        ("1 1/2 in", 38.1),
        ("1-1/2 in", 38.1),
        ("5' 3 1/2\"", 5 * 304.8 + 3.5 * 25.4),
        ("5'-3\"", 5 * 304.8 + 3 * 25.4),
        ("-4 mm", -4),
        ("1e3", 1000),
        (".5 m", 500),
        ("2 ft 6 in", 762),
        ("1 m 20 cm", 1200),
        ("250 µm", 0.25),
    ],
)
def test_a_length_with_its_unit_is_millimetres(text: str, expected: float) -> None:
    assert millimetres(text) == pytest.approx(expected)


@pytest.mark.parametrize("text", ["", "m", "2 parsec", "1/0 in", "2 m 3", "nan", "inf", "two m", "1" * 80])
def test_what_is_no_length_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="is no length"):
        millimetres(text)


class _Sized(Arguments):
    size: Length


@pytest.mark.parametrize("given", [True, None, "many", [1], float("nan"), float("inf"), "1e999"])
def test_a_size_must_be_a_length(given: object) -> None:
    with pytest.raises(ValidationError):
        _Sized.model_validate({"size": given})


def test_a_number_is_millimetres() -> None:
    assert _Sized.model_validate({"size": 3}).size == 3
