"""Questions about parts that were evaluated here, also together with parts from elsewhere."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from vcad_kernel.errors import ExportError
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.export import export
from vcad_kernel.service.protocol import PartResult


def part(code: str, service: DirectService | None = None, **options: Any) -> PartResult:
    return (service or DirectService()).eval_code(code, **options).parts[0]


def test_figures_are_found_once_and_kept() -> None:
    rod = part("[cylinder 3 5]")
    assert not rod.mesh_figures.exact
    assert rod.figures is rod.figures
    assert rod.figures.volume == pytest.approx(45 * math.pi)


def test_parts_of_several_services_are_compared() -> None:
    one, other = part("[sphere 5]"), part("[translate 20 0 0 [sphere 3]]")
    assert one.answers.clearance(one, other).distance == pytest.approx(12.0)
    assert other.answers.clearance(one, other).distance == pytest.approx(12.0)
    assert one.answers.interference(one, part("[cube 9 9 9]")).volume > 0


def test_a_part_whose_answers_are_elsewhere_is_measured_by_its_document() -> None:
    elsewhere: Any = object()
    near, far = part("[sphere 5]"), replace(part("[translate 20 0 0 [sphere 3]]"), answers=elsewhere)
    found = near.answers.clearance(near, far)
    assert found.exact
    assert found.distance == pytest.approx(12.0)


def test_tables_and_profile_are_those_of_the_part() -> None:
    rod = part("[cylinder 3 5]")
    assert {face.kind for face in rod.answers.faces(rod)} == {"plane", "cylinder"}
    assert {edge.kind for edge in rod.answers.edges(rod)} >= {"circle"}
    assert {row.representation for row in rod.answers.profile([rod])} == {"mesh", "brep"}
    assert rod.answers.profile([]) == ()


def test_files_are_written_by_the_answers(tmp_path: Path) -> None:
    rod = part("[cylinder 3 5]")
    answers = rod.answers
    sizes = {
        "a.stl": answers.export(tmp_path / "a.stl", [rod]),
        "a.dxf": answers.section(tmp_path / "a.dxf", [rod], None, (0.0, 0.0, 1.0)),
        "a.svg": answers.drawing(tmp_path / "a.svg", [rod], ["front"]),
    }
    assert {name: (tmp_path / name).stat().st_size for name in sizes} == sizes


def test_a_result_without_parts_has_nothing_to_write(tmp_path: Path) -> None:
    result = DirectService().eval_code("42", allow_scene=True)
    for name in ("a.stl", "a.step"):
        with pytest.raises(ExportError, match="nothing to export"):
            export(tmp_path / name, result)


def test_a_part_evaluated_exactly_shows_exact_figures_only() -> None:
    row = "[linear-pattern 1 0 0 70 3 [cylinder 1 2]]"
    service = DirectService()
    assert not part(row, service).figures.exact
    demanded = part(row, service, exact=True)
    assert demanded.demanded
    assert demanded.figures.exact
