"""Files from a result: exact surfaces for STEP, finer meshes for the rest, imports and all."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
import trimesh

from tests.exchange.step_reader import read_products
from vcad_kernel.errors import CapabilityUnavailable, ExportError
from vcad_kernel.exchange.drawing.drawing import Plane, section_curves
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.evaluation.direct_answers import DirectAnswers
from vcad_kernel.service.evaluation.drawings import drawn_parts
from vcad_kernel.service.export import export, export_standard_records
from vcad_kernel.service.protocol import EvaluationResult
from vcad_kernel.service.questions import FiguresOf
from vcad_kernel.service.requests import EvalCode

ROUNDED = "[fillet 2.0 [cube 20.0 30.0 40.0]]"
VOLUME = 16 * 26 * 36 + 4 * (16 * 26 + 26 * 36 + 36 * 16) + math.pi * 4 * 78 + 4 / 3 * math.pi * 8
"""Of the rounded box, cad.md §3.3: x, y, z = 16, 26, 36 and r = 2."""


def _evaluated(code: str, folder: Path | None = None) -> EvaluationResult:
    return DirectService().evaluate(EvalCode(code, base_dir=folder, allow_scene=True))


def test_a_filleted_part_becomes_step_with_its_exact_volume_name_and_colour(tmp_path: Path) -> None:
    code = f'#[[material "steel" 0.5 0.6 0.7 1.0 0.3] [root {ROUNDED} "steel"] [root [sphere 5.0] "steel"]]'
    result = _evaluated(code)
    size = export(tmp_path / "a.step", result)
    data = (tmp_path / "a.step").read_bytes()
    assert size == len(data)
    top, found = read_products(data)
    assert top == "a"
    assert [one.name for one in found] == [part.name for part in result.parts]
    assert [one.volume for one in found] == pytest.approx([VOLUME, 500.0 / 3.0 * math.pi], rel=1e-6)
    assert all(one.color == pytest.approx((0.5, 0.6, 0.7), abs=1e-6) for one in found)


def test_equal_results_give_equal_step_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        export(tmp_path / name / "part.step", _evaluated(ROUNDED))
    assert (tmp_path / "a/part.step").read_bytes() == (tmp_path / "b/part.step").read_bytes()


def test_a_mesh_file_of_a_feature_is_finer_than_what_is_shown(tmp_path: Path) -> None:
    result = _evaluated(ROUNDED)
    export(tmp_path / "a.stl", result)
    export(tmp_path / "coarse.stl", result, tolerance=0.5)
    fine, coarse = (trimesh.load_mesh(tmp_path / name) for name in ("a.stl", "coarse.stl"))
    assert fine.is_watertight
    assert len(fine.faces) > len(coarse.faces)
    assert fine.volume == pytest.approx(VOLUME, rel=1e-3)


def test_imported_meshes_go_into_mesh_files_but_not_into_step(tmp_path: Path) -> None:
    trimesh.creation.box(bounds=[[0, 0, 0], [10, 10, 10]]).export(tmp_path / "box.stl")
    code = '[difference [translate 5.0 5.0 -1.0 [cylinder 3.0 12.0]] [import-mesh "box.stl"]]'
    result = _evaluated(code, tmp_path)
    export(tmp_path / "out.stl", result)
    assert trimesh.load_mesh(tmp_path / "out.stl").volume == pytest.approx(1000 - 90 * math.pi, rel=1e-3)
    with pytest.raises(CapabilityUnavailable, match=result.parts[0].name) as caught:
        export(tmp_path / "out.step", result)
    assert caught.value.details["required_capability"] == "brep"
    assert not (tmp_path / "out.step").exists()


@pytest.mark.parametrize("write", [export, export_standard_records])
def test_a_program_without_a_part_leaves_no_file(
    write: Callable[[Path, EvaluationResult], int], tmp_path: Path
) -> None:
    with pytest.raises(ExportError, match="there is nothing to export: the model has no part"):
        write(tmp_path / "out.ops", _evaluated("[+ 1 2]"))
    assert not (tmp_path / "out.ops").exists()


def test_step_comes_back_as_the_same_solid(tmp_path: Path) -> None:
    export(tmp_path / "a.step", _evaluated(ROUNDED))
    again = _evaluated('[import-step "a.step"]', tmp_path).parts[0]
    assert again.answers.ask(FiguresOf(exact=True), again).volume == pytest.approx(VOLUME, rel=1e-6)


def test_drawings_take_exact_parts_and_meshes_where_there_is_no_other(tmp_path: Path) -> None:
    trimesh.creation.box(bounds=[[50, 0, 0], [60, 10, 10]]).export(tmp_path / "box.stl")
    result = _evaluated(f'#[{ROUNDED} [import-mesh "box.stl"]]', tmp_path)
    answers = result.parts[0].answers
    assert isinstance(answers, DirectAnswers)
    parts = drawn_parts([answers.measured(part) for part in result.parts])
    assert [part.brep is None for part in parts] == [False, True]
    assert len(section_curves(parts, Plane.facing((0.0, 0.0, 1.0), (0.0, 0.0, 5.0)))) == 2
