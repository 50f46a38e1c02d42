"""docs/cad.md is what the library's own table says, all of it."""

from __future__ import annotations

from tools.cad_reference import PAGE, reference
from vcad_kernel.operations.library import WORDS


def test_the_reference_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), "run `make reference` and commit docs/cad.md"


def test_the_reference_has_every_function() -> None:
    page = reference()
    headings = {name: word.usage.replace(" | ", "`, `") for name, word in WORDS.items()}
    assert [name for name, calls in headings.items() if page.count(f"\n### `{calls}`\n") != 1] == []
