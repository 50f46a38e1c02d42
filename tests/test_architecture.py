"""docs/architecture.md is true: what it names is there, each row leads somewhere, and folders have floors."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STARTS = (ROOT, ROOT / "vcad_kernel", ROOT / "notebook_ext")
"""Where a path of the table may begin."""
_PATH = re.compile(r"[\w*.]+(/[\w*.]+)*(/|\.(py|oo|ts|rb|json|md|toml|lark))|([\w*.]+/)+\w+")


_FULL = re.compile(r"\b(?:vcad_kernel|notebook_ext|ruby_runtime|tests)/[\w/]+(?:\.\w+)?")
"""A path from the top, wherever it stands: in a sentence, in a drawing."""
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
MOST = 12
"""Files of a folder; what is more has floors, or a line under "Folders" that says why not."""
_SOURCES = ("vcad_kernel", "notebook_ext", "ruby_runtime", "tools")


def rows() -> list[tuple[str, str]]:
    """What is wanted, and where to look for it."""
    table = PAGE.partition("## Where to make a change")[2].partition("\n## ")[0]
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


def files_of(top: str) -> Iterator[Path]:
    """All files below a folder of the project, but for what npm and builds put there."""
    for folder, below, names in os.walk(ROOT / top):
        below[:] = set(below) - {"node_modules", "built", "lib", "lib-test", "__pycache__"}
        yield from (Path(folder, name).relative_to(ROOT) for name in names)


def test_every_path_that_the_page_names_is_there() -> None:
    quoted = [name for name in re.findall(r"`([^`\s]+)`", PAGE) if _PATH.fullmatch(name) and "*" not in name]
    # .vcad is a user's
    named = {name.rstrip("/") for name in (*quoted, *_FULL.findall(PAGE)) if not name.startswith(".vcad")}
    there = {f"/{path}" for top in (*_SOURCES, "tests", "docs", "notebooks") for path in files_of(top)}
    there |= {str(Path(path).parent) for path in there} | {f"/{path.name}" for path in ROOT.iterdir()}
    there |= {str(folder) for path in there for folder in Path(path).parents}
    assert len(named) > 100
    missing = [name for name in sorted(named) if not any(path.endswith(f"/{name}") for path in there)]
    assert not missing, missing


def test_a_folder_of_more_than_a_dozen_files_has_floors() -> None:
    flat = set(re.findall(r"`([^`]+)`", PAGE.partition("## Folders")[2].partition("\n## ")[0]))
    sizes = Counter(
        str(path.parent)
        for top in _SOURCES
        for path in files_of(top)
        if path.suffix in (".py", ".ts", ".rb") and path.name != "__init__.py" and "test" not in path.parts
    )
    assert [folder for folder, files in sizes.items() if files > MOST and folder not in flat] == []
    needless = [folder for folder in flat if folder in sizes and sizes[folder] <= MOST]
    assert needless == []
