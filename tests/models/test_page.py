"""docs/models.md shows every part of the corpus, as it is now."""

from __future__ import annotations

from tests.models import MODELS
from tools.models_page import PAGE, PICTURES, row

_WHOLE_FILE = 12_000
"""Bytes that a picture in git may have."""


def test_every_part_has_its_row_and_lines() -> None:
    text = PAGE.read_text(encoding="utf-8")
    starts = [row(model, {}).rstrip(" |") for model in MODELS.values()]
    assert [start for start in starts if text.count(f"\n{start} |") != 1] == [], (
        "run `python -m tools.models_page`"
    )


def test_every_part_has_a_small_picture_and_no_picture_is_left_over() -> None:
    sizes = {file.stem: file.stat().st_size for file in PICTURES.glob("*.png")}
    assert sizes.keys() == MODELS.keys()
    assert max(sizes.values()) <= _WHOLE_FILE
