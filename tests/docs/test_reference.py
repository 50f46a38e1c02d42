"""docs/cad.md is what the library's own table says, all of it."""

from __future__ import annotations

from tools.cad_reference import PAGE, reference
from vcad_kernel.operations.library import OPERATIONS


def test_the_reference_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), "run `make reference` and commit docs/cad.md"


def test_the_reference_has_every_function() -> None:
    page = reference()
    assert [one.name for one in OPERATIONS if page.count(f"\n### `{one.usage}`\n") != 1] == []
