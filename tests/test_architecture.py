"""Each row of "Where to make a change" in docs/architecture.md leads somewhere: what it names is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STARTS = (ROOT, ROOT / "vcad_kernel", ROOT / "notebook_ext")
"""Where a path of the table may begin."""
_PATH = re.compile(r"[\w*.]+(/[\w*.]+)*(/|\.(py|oo|ts|json))|([\w*.]+/)+\w+")


def rows() -> list[tuple[str, str]]:
    """What is wanted, and where to look for it."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = text.partition("## Where to make a change")[2].partition("\n## ")[0]
    cells = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    return [(wanted, places) for wanted, places in cells[1:]]


def found(name: str, before: list[Path]) -> list[Path]:
    """The files and folders that a row's name means; a short one stands beside or below those before it."""
    beside = [path if path.is_dir() else path.parent for path in before]
    for start in (*STARTS, *reversed(beside)):
        if there := sorted(start.glob(name.rstrip("/"))):
            return there
    return [
        path for start in beside for path in sorted(start.rglob(name)) if "node_modules" not in path.parts
    ]


def texts(paths: list[Path]) -> Iterator[str]:
    for path in paths:
        for file in [path] if path.is_file() else path.rglob("*.py"):
            yield file.read_text(encoding="utf-8")


@pytest.mark.parametrize(("wanted", "places"), rows(), ids=[wanted for wanted, _ in rows()])
def test_what_a_row_names_is_there(wanted: str, places: str) -> None:
    named = re.findall(r"`([^`]+)`", places)
    seen: list[Path] = []
    for name in named:
        if _PATH.fullmatch(name):
            there = found(name, seen)
            assert there, f"{wanted}: there is no {name}"
            assert all(path.is_dir() for path in there) or not name.endswith("/"), f"{name} is no folder"
            seen += there
    assert seen, f"{wanted}: no file or folder is named"
    for name in named:
        if name.startswith("make "):
            assert re.search(rf"^{name[5:]}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M), name
        elif name.startswith("vcad "):
            commands = "\n".join(texts([ROOT / "vcad_kernel" / "cli"]))
            assert re.search(rf"^def {name[5:]}\(", commands, re.M), name
        elif not _PATH.fullmatch(name):
            everything = [ROOT / "pyproject.toml", *seen]
            assert any(re.search(rf"\b{re.escape(name)}\b", text) for text in texts(everything)), name


def test_the_table_is_read() -> None:
    assert len(rows()) > 20
    assert not found("vcad_kernel/no_such_room/", [])
    assert not found("no_such_file.py", [ROOT / "notebook_ext"])
