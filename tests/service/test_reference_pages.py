"""The pages of the reference: what files examples read, and where an example cannot be drawn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from vcad_kernel.cad.reference import ALL
from vcad_kernel.service.reference_pages import page_path, write_reference


def test_a_page_says_why_there_is_no_picture_of_its_example(tmp_path: Path) -> None:
    entry = replace(ALL["fillet"], example='[fillet 1 [import-mesh "bracket.stl"]]')
    assert write_reference(tmp_path, {entry.name: entry}) == 1
    page = tmp_path / page_path(entry)
    assert "*import-mesh: an imported mesh has no B-rep" in page.read_text("utf-8")
    assert not page.with_suffix(".png").exists()


@pytest.mark.parametrize("name", ["import-mesh", "import-step-body", "import-svg", "import-dxf"])
def test_a_page_of_what_reads_a_file_has_its_picture(name: str, tmp_path: Path) -> None:
    entry = ALL[name]
    assert write_reference(tmp_path, {name: entry}) == 1
    page = tmp_path / page_path(entry)
    assert f"![{name}]({page.with_suffix('.png').name})" in page.read_text("utf-8")
    assert page.with_suffix(".png").stat().st_size > 500
