"""Whole programs and their rendered ends, compared with the files beside them."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from tests.loon.golden_files import FOLDER, programs, rendered
from vcad_kernel.loon import names
from vcad_kernel.loon.printing import display

PROGRAMS = programs()


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.stem for program in PROGRAMS])
def test_a_program_ends_as_its_golden_text_says(program: Path) -> None:
    assert rendered(program) == program.with_suffix(".txt").read_text("utf-8")


def test_no_golden_text_is_without_its_program_and_positions_are_not_on_line_one() -> None:
    assert {file.stem for file in FOLDER.glob("*.txt")} == {program.stem for program in PROGRAMS}
    assert all(program.read_text("utf-8").startswith("\n") for program in PROGRAMS)


def test_the_examples_in_docstrings_are_true() -> None:
    for module in (names, display):
        result = doctest.testmod(module)
        assert result.attempted > 0
        assert result.failed == 0
