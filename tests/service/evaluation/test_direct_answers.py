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
from vcad_kernel.service.questions import (
    ClearanceOf,
    Drawing,
    EdgesOf,
    Export,
    FacesOf,
    InterferenceOf,
    Section,
)
from vcad_kernel.service.requests import EvalCode


def part(code: str, service: DirectService | None = None, **options: Any) -> PartResult:
    return (service or DirectService()).evaluate(EvalCode(code, **options)).parts[0]


def test_figures_are_found_once_and_kept() -> None:
    rod = part("[cylinder 3 5]")
    assert not rod.mesh_figures.exact
    assert rod.figures is rod.figures
    assert rod.figures.volume == pytest.approx(45 * math.pi)


def test_parts_of_several_services_are_compared() -> None:
    one, other = part("[sphere 5]"), part("[translate 20 0 0 [sphere 3]]")
    assert one.answers.ask(ClearanceOf(), one, other).distance == pytest.approx(12.0)
    assert other.answers.ask(ClearanceOf(), one, other).distance == pytest.approx(12.0)
    assert one.answers.ask(InterferenceOf(), one, part("[cube 9 9 9]")).volume > 0


def test_a_part_whose_answers_are_elsewhere_is_measured_by_its_document() -> None:
    elsewhere: Any = object()
    near, far = part("[sphere 5]"), replace(part("[translate 20 0 0 [sphere 3]]"), answers=elsewhere)
    found = near.answers.ask(ClearanceOf(), near, far)
    assert found.exact
    assert found.distance == pytest.approx(12.0)


def test_tables_and_profile_are_those_of_the_part() -> None:
    rod = part("[cylinder 3 5]")
    assert {face.kind for face in rod.answers.ask(FacesOf(), rod)} == {"plane", "cylinder"}
    assert {edge.kind for edge in rod.answers.ask(EdgesOf(), rod)} >= {"circle"}
    assert {row.representation for row in rod.answers.profile([rod])} == {"mesh", "brep"}
    assert rod.answers.profile([]) == ()


def test_files_are_written_by_the_answers(tmp_path: Path) -> None:
    rod = part("[cylinder 3 5]")
    answers = rod.answers
    sizes = {
        "a.stl": answers.ask(Export(path=tmp_path / "a.stl"), rod),
        "a.dxf": answers.ask(Section(path=tmp_path / "a.dxf", origin=None, normal=(0.0, 0.0, 1.0)), rod),
        "a.svg": answers.ask(Drawing(path=tmp_path / "a.svg", views=("front",)), rod),
    }
    assert {name: (tmp_path / name).stat().st_size for name in sizes} == sizes


def test_a_result_without_parts_has_nothing_to_write(tmp_path: Path) -> None:
    result = DirectService().evaluate(EvalCode("42", allow_scene=True))
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
