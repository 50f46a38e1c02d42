"""The cheat sheet: every line runs and is warned of nothing, and every chapter has its picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.cheatsheet import PAGE, PICTURES, chapters
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.reference_pages import put_samples
from vcad_kernel.service.requests import EvalCell

CHAPTERS = chapters()
PROGRAMS = [program for chapter in CHAPTERS for program in chapter.programs]
_LARGEST = 40_000
"""Bytes that a picture in git may have."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cheatsheet")
    put_samples(folder, DirectService())
    return folder


@pytest.fixture(scope="module")
def service() -> DirectService:
    return DirectService()


def test_every_line_of_code_is_one_of_a_chapter() -> None:
    code = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("[")]
    assert len(code) == sum(len(chapter.lines) for chapter in CHAPTERS) >= 60


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_line_makes_something_and_is_warned_of_nothing(
    program: str, service: DirectService, folder: Path
) -> None:
    result = service.evaluate(EvalCell(program, (), cell_id="line", name="line", base_dir=folder))
    (part,) = result.parts
    assert not part.mesh_figures.is_empty
    assert [*result.warnings, *result.diagnostics] == []


def test_every_chapter_shows_its_picture_and_no_picture_is_left_over() -> None:
    text = PAGE.read_text(encoding="utf-8")
    pictures = [chapter.picture for chapter in CHAPTERS]
    assert {*PICTURES.glob("*.png")} == {*pictures}, "run `python -m tools.cheatsheet`"
    assert all(f"](images/cheatsheet/{picture.name})" in text for picture in pictures)
    assert max(picture.stat().st_size for picture in pictures) <= _LARGEST
