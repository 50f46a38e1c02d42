"""The line of figures: short, honest, the same everywhere."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.geometry.cache.solid_cache import SolidCache
from vcad_kernel.geometry.measure.part_figures import Measurement
from vcad_kernel.geometry.profiling import Recorder
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.evaluation.direct_answers import DirectAnswers
from vcad_kernel.service.requests import EvalCode
from vcad_kernel.service.summary import figure_warning_lines, number, result_line


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (7500.0, "7500"),
        (0.1 + 0.2, "0.3"),
        (1234567.89, "1234568"),
        (0.000123456789, "0.000123457"),
        (-2.5, "-2.5"),
        (999999.7, "1000000"),
        (1e-9, "0.000000001"),
    ],
)
def test_numbers_have_six_significant_digits_and_no_exponent(value: float, text: str) -> None:
    assert number(value) == text


@given(st.floats(min_value=1e-6, max_value=1e12))
def test_a_number_reads_back_within_six_digits(value: float) -> None:
    text = number(value)
    assert "e" not in text
    assert float(text) == pytest.approx(value, rel=1e-5)


def line(source: str) -> str | None:
    return result_line("part", DirectService().evaluate(EvalCode(source, allow_scene=True)))


def test_a_planar_part_has_exact_figures() -> None:
    assert line("[translate -5 -5 0 [cube 10 10 2]]") == (
        "part: 10 × 10 × 2 mm · volume 200 mm³ · area 280 mm² · center (0, 0, 1)"
    )


def test_a_curved_part_has_exact_figures_from_its_b_rep() -> None:
    assert line("[sphere 20]") == (
        "part: 40 × 40 × 40 mm · volume 33510.3 mm³ · area 5026.55 mm² · center (0, 0, 0)"
    )


def test_a_curved_part_of_many_pieces_is_marked_and_names_its_error() -> None:
    said = line("[linear-pattern 1 0 0 65 0 [sphere 20]]")
    assert said is not None
    assert said.startswith("part: ≈ 40 × 40 × 40 mm · volume ≈ 33")
    assert said.endswith("· center ≈ (0, 0, 0) · curves within 0.02 mm")


def test_what_the_figures_have_to_say_is_a_warning_of_the_result() -> None:
    result = DirectService().evaluate(EvalCode("[cylinder 3 5]"))
    part = result.parts[0]
    assert result.all_warnings() == ()
    assert isinstance(part.answers, DirectAnswers)
    asked = part.answers.measured(part).measurement.kernel
    kernel: Any = SimpleNamespace(
        figures=lambda *which: replace(asked.figures(*which), volume=1.0), tessellate=asked.tessellate
    )
    measurement = Measurement(part.document, part.node, part.mesh_figures, kernel)
    wrong = replace(part, answers=DirectAnswers({part.node: measurement}, Recorder(), SolidCache()))
    (warning,) = wrong.figure_warnings()
    assert (warning.code, warning.node_id) == ("REFEREE_DISAGREES", part.node)
    (text,) = figure_warning_lines([wrong])
    assert text.startswith("warning [REFEREE_DISAGREES] cylinder: the volume is 1 mm³ by the B-rep")
    assert text.endswith("(<code>:1:1)")


def test_an_empty_part_says_so() -> None:
    assert line("[difference [cube 9 9 9] [cube 1 1 1]]") == "part: empty"


def test_a_scene_lists_its_parts() -> None:
    assert line("[let a [cube 1 1 1]] #[a [cube 2 2 2] Empty]") == (
        "part: 3 parts · a [default] 1 mm³; part-2 [default] 8 mm³; part-3 [default] empty"
    )


def test_a_value_is_shown_as_loon_shows_it_and_unit_is_not() -> None:
    assert line('#[1 "a"]') == '#[1 "a"]'
    assert line("[let x []]") is None
