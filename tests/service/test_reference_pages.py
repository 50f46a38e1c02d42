"""The pages of the reference, where an example cannot be drawn."""

from __future__ import annotations

from pathlib import Path

from vcad_kernel.cad.reference import ALL
from vcad_kernel.service.reference_pages import page_path, write_reference


def test_a_page_says_why_there_is_no_picture_of_its_example(tmp_path: Path) -> None:
    entry = ALL["import-mesh"]
    assert write_reference(tmp_path, {entry.name: entry}) == 1
    page = tmp_path / page_path(entry)
    said = "*import-mesh: this program belongs to no folder, so it cannot read bracket.stl.*"
    assert said in page.read_text("utf-8").splitlines()
    assert not page.with_suffix(".png").exists()
