"""docs/cad.md is what the library's own table says, all of it."""

from __future__ import annotations

from tools.cad_reference import PAGE, SECTIONS, reference
from vcad_kernel.cad.signatures import FUNCTIONS


def test_the_reference_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), "run `make reference` and commit docs/cad.md"


def test_the_reference_has_every_function() -> None:
    assert {name for _, _, names in SECTIONS for name in names} == set(FUNCTIONS)
