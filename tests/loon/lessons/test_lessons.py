"""Every code has a lesson, and the programs in it do what the lesson says."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import pytest

from vcad_kernel.cad.library import CAD_LIBRARY
from vcad_kernel.errors import VcadError
from vcad_kernel.loon.lessons import RUN_TIME_CLASSES, codes, lesson
from vcad_kernel.loon.modules.modules import Project
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.runtime.limits.limits import Limits
from vcad_kernel.loon.source import Source

SPECIFIED = [
    *("E0100", "E0101", "E0102", "E0103"),
    *("E0200", "E0201", "E0202", "E0203", "E0204", "E0205", "E0206", "E0207"),
    *("E0300", "E0301", "E0302", "E0400", "E0401", "E0500", "E0501", "E0502", "W0100"),
]
"""The codes of §15.2."""

LIMITS = {"time-limit": Limits(seconds=0.2), "memory": Limits(items=1 << 62)}
"""What a reader would wait for, or not have, is made small or large."""

_BLOCK = re.compile(r"^```loon (wrong|right) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Program(NamedTuple):
    """A program of a lesson with the files beside it."""

    text: str
    files: dict[str, str]


def _program(code: str, kind: str) -> Program:
    written = files("vcad_kernel.loon.lessons").joinpath(f"{code}.md").read_text("utf-8")
    blocks = [(name, text) for which, name, text in _BLOCK.findall(written) if which == kind]
    texts = [text for name, text in blocks if not name]
    assert len(texts) == 1, f"{code} has {len(texts)} {kind} programs"
    return Program(texts[0], {name: text for name, text in blocks if name})


def _environment(code: str, program: Program, folder: Path) -> Environment:
    for name, text in program.files.items():
        folder.joinpath(name).write_text(text, encoding="utf-8")
    return Environment(
        prelude=[CAD_LIBRARY],
        stdout=lambda _: None,
        project=Project(folder),
        limits=LIMITS.get(code, Limits()),
    )


def _checked(code: str, program: Program, folder: Path) -> list[str]:
    """The codes that checking the program finds, without running it."""
    environment = _environment(code, program, folder)
    return [finding.code for finding in environment.check(Source("lesson.oo", program.text), folder=folder)]


def _ended(code: str, program: Program, folder: Path) -> list[str]:
    """The code of the error that the program ends with, if it does."""
    environment = _environment(code, program, folder)
    try:
        environment.run(Source("lesson.oo", program.text), folder=folder)
    except VcadError as error:
        return [error.code]
    return []


def test_every_code_has_a_lesson_and_no_other_has() -> None:
    assert list(codes()) == [*SPECIFIED, *RUN_TIME_CLASSES]


def test_every_file_of_a_lesson_belongs_to_a_code() -> None:
    names = {file.name for file in files("vcad_kernel.loon.lessons").iterdir() if file.name.endswith(".md")}
    assert names == {f"{code}.md" for code in codes()}


@pytest.mark.parametrize("code", codes())
def test_a_lesson_is_in_form_and_its_programs_do_what_it_says(code: str, tmp_path: Path) -> None:
    told = lesson(code)
    assert told.code == code
    assert 5 < len(told.title) < 70
    assert "#" not in told.title
    assert len(told.text) < 2000
    assert "```loon\n" in told.text
    assert "loon wrong" not in told.text

    wrong, folder = _program(code, "wrong"), tmp_path / "wrong"
    folder.mkdir()
    found = [] if code in RUN_TIME_CLASSES else _checked(code, wrong, folder)
    assert set(found or _ended(code, wrong, folder)) == {code}, "the wrong program leads elsewhere"

    right, folder = _program(code, "right"), tmp_path / "right"
    folder.mkdir()
    assert _checked(code, right, folder) == [], "something is found in the right program"
    assert _ended(code, right, folder) == [], "the right program fails"


def test_an_unknown_code_is_a_key_error() -> None:
    for code in ("E9999", "__init__", "../E0100", ""):
        with pytest.raises(KeyError):
            lesson(code)
