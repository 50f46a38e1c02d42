"""Idioms of other systems: each line of Loon in the table runs and is warned of nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import trimesh

from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.requests import EvalCell

PAGE = Path(__file__).parents[2] / "docs" / "coming_from.md"
ROW = re.compile(r"^\| (.*[^ ]) \| `(\[[^`]*\])`[^|]*\|$", re.MULTILINE)
IDIOMS = ROW.findall(PAGE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def service() -> DirectService:
    return DirectService()


def test_every_row_has_its_line() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert len(IDIOMS) == len(rows) - 4 >= 40


@pytest.mark.parametrize("line", [line for _, line in IDIOMS], ids=[idiom for idiom, _ in IDIOMS])
def test_an_idiom_runs(line: str, service: DirectService, tmp_path: Path) -> None:
    trimesh.creation.box((9.0, 9.0, 9.0)).export(tmp_path / "bracket.stl")
    (tmp_path / "logo.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"><circle r="4"/></svg>')
    result = service.evaluate(EvalCell(line, (), cell_id="idiom", name="idiom", base_dir=tmp_path))
    assert result.warnings == ()
