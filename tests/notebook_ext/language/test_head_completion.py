"""What can be written next on a ``%%loon`` line."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.language.head_completion import completed_head
from notebook_ext.magics.line import EXPORTED
from notebook_ext.magics.loon import LoonMagics

VARIABLES: dict[str, Any] = {
    "width": 3,
    "widths": [1],
    "_hidden": 1,
    "math": math,
    "run": print,
    "depth": 2.0,
    "In": [""],
    "session": object(),
}


def texts(
    head: str, folder: Path = Path("/nowhere"), parts: tuple[str, ...] = ("bracket", "lid")
) -> list[str]:
    """The whole line as each way to go on would leave it."""
    found = completed_head(head, LoonMagics.loon.parser, VARIABLES, parts, folder)
    return [head[: one.start] + one.text for one in found]


def test_a_dash_offers_the_options() -> None:
    assert " --tolerance" in texts(" -")
    assert texts(" plate --to") == [" plate --tolerance"]


@pytest.mark.parametrize(
    ("head", "offered"),
    [
        (" -i wi", [" -i width", " -i widths"]),
        (" -i ", [" -i depth", " -i width", " -i widths"]),
        (" --input width,d", [" --input width,depth"]),
        (" -i width, d", [" -i width, depth"]),
    ],
)
def test_an_input_offers_the_python_variables_that_hold_data(head: str, offered: list[str]) -> None:
    assert texts(head) == offered


def test_a_name_offers_the_parts_there_are() -> None:
    assert texts(" br") == [" bracket"]
    assert texts(" -o l") == [" -o lid"]
    assert texts(" ")[:2] == [" bracket", " lid"]


def test_an_export_offers_files_folders_and_the_formats(tmp_path: Path) -> None:
    (tmp_path / "plate.stl").touch()
    (tmp_path / "plate.txt").touch()
    (tmp_path / "out").mkdir()
    written = [f" -e pl{suffix}" for suffix in EXPORTED]
    assert texts(" -e pl", tmp_path) == [" -e plate.stl", *written]
    assert texts(" -e out", tmp_path)[0] == " -e out/"
    assert " -e out/lid.glb" in texts(" -e out/", tmp_path)
    assert texts(" -e x.g", tmp_path) == [" -e x.glb"]


def test_a_number_offers_nothing() -> None:
    assert texts(" -t ") == []


def test_the_folder_of_nobody_holds_no_files() -> None:
    assert [one for one in texts(" -e ~nobody-of-this-name/") if not one.endswith(EXPORTED)] == []
