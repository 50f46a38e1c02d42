"""Real parts have the figures that others give for them, and the files written of them hold them."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from tests.exchange.test_files_hold_the_part import assert_holds, exported, read_back
from tests.models import MODELS
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.protocol import PartResult
from vcad_kernel.service.requests import EvalCode

_EXACT = 1e-6
"""Relative: what the figures of a part are promised to hold."""
_FORMULA = re.compile(r"volume ([^;a-z]*(?:(?:pi|sqrt|acos)[^;a-z]*)*)(?:;|$)")
_MATHEMATICS = {"pi": math.pi, "sqrt": math.sqrt, "acos": math.acos}
_NEAR = {"post_cap", "m8_rod"}
"""Rounded where two curved faces meet, or with helical flanks: by splines, which carry ≈."""


@pytest.fixture(scope="module")
def service() -> DirectService:
    return DirectService()


@pytest.fixture(scope="module")
def library() -> Environment:
    return Environment(prelude=PRELUDE)


def evaluated(service: DirectService, name: str) -> PartResult:
    result = service.evaluate(EvalCode(MODELS[name].program, exact=True))
    (part,) = result.parts
    assert result.warnings == ()
    assert part.figure_warnings() == ()
    return part


def test_every_program_has_its_row_and_every_row_its_program() -> None:
    programs = {file.stem for file in Path(__file__).parent.glob("*.oo")}
    assert programs == {*MODELS}
    assert len(programs) >= 30


@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if _FORMULA.match(model.figures)])
def test_a_volume_is_what_its_formula_says(name: str) -> None:
    formula = _FORMULA.match(MODELS[name].figures)
    assert formula is not None
    value = eval(formula[1].replace("^", "**"), {"__builtins__": {}}, _MATHEMATICS)
    assert MODELS[name].volume == pytest.approx(value, rel=1e-12), formula[1]


@pytest.mark.parametrize("name", MODELS)
def test_the_checker_finds_nothing(name: str, library: Environment) -> None:
    assert list(library.check(Source(f"{name}.oo", MODELS[name].program))) == []


@pytest.mark.parametrize("name", MODELS)
def test_figures_are_those_that_others_give(name: str, service: DirectService) -> None:
    model, figures = MODELS[name], evaluated(service, name).figures
    assert figures.exact == (name not in _NEAR)
    assert figures.bounds == tuple(pytest.approx(corner, abs=1e-5) for corner in model.box)
    if model.volume is not None:
        assert figures.volume == pytest.approx(model.volume, rel=_EXACT)
    if model.area is not None:
        assert figures.surface_area == pytest.approx(model.area, rel=_EXACT)
    if model.mass is not None and model.density is not None:
        assert figures.volume * model.density / 1000 == pytest.approx(model.mass, abs=model.rounding)
    assert model.volume is not None or model.mass is not None


@pytest.mark.parametrize("name", MODELS)
def test_meshes_in_files_are_closed_and_the_part(name: str, service: DirectService, tmp_path: Path) -> None:
    part = evaluated(service, name)
    for suffix in (".stl", ".3mf"):
        file = exported(part, tmp_path / f"{name}{suffix}", 0.02)
        assert_holds(part, read_back(service, file), 0.02)


@pytest.mark.parametrize("name", MODELS)
def test_a_step_file_gives_the_same_body_back(name: str, service: DirectService, tmp_path: Path) -> None:
    part = evaluated(service, name)
    exported(part, tmp_path / f"{name}.step", 0.02)
    bodies = part.figures.lumps
    program = "\n".join(f'[let body-{i} [import-step-body "{name}.step" {i}]]' for i in range(bodies))
    names = " ".join(f"body-{i}" for i in range(bodies))
    code = EvalCode(f"{program}\n[union-all #[{names}]]", exact=True, base_dir=tmp_path)
    (read,) = service.evaluate(code).parts
    assert read.figures.exact
    assert read.figures.volume == pytest.approx(part.figures.volume, rel=_EXACT)
    assert read.figures.surface_area == pytest.approx(part.figures.surface_area, rel=_EXACT)
    assert read.figures.lumps == bodies
