"""Parameters of a model: values, ranges and what is refused, through the service that callers use."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.cad.parameters import Declarations, with_defaults
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import GeometryError
from vcad_kernel.ir.parameter import Number, Parameter
from vcad_kernel.loon.runtime.collections import Map
from vcad_kernel.loon.runtime.values import Keyword
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.protocol import EvaluationResult
from vcad_kernel.service.requests import EvalCell, EvalCode

BAR = '[defparam width 40.0 {:unit "mm" :min 10 :max 80 :step 1 :doc "outer width"}]\n[cube width 10 5]'


def run(text: str, **values: Any) -> EvaluationResult:
    return DirectService().evaluate(EvalCode(text, parameters=values, allow_scene=True))


def error_of(text: str, **values: Any) -> GeometryError:
    with pytest.raises(GeometryError) as caught:
        run(text, **values)
    return caught.value


def test_a_declaration_survives_into_the_document() -> None:
    result = run(BAR)
    expected = Parameter("width", 40.0, 40.0, "mm", 10, 80, 1, "outer width")
    assert result.parameters == (expected,)
    assert result.document is not None
    assert result.document.parameters == (expected,)


def test_the_callers_value_takes_the_place_of_the_default() -> None:
    result = run(BAR, width=50)
    assert result.parts[0].figures.volume == 2500.0
    assert (result.parameters[0].value, result.parameters[0].default) == (50.0, 40.0)
    assert isinstance(result.parameters[0].value, float)


def test_the_same_text_runs_with_other_values_in_one_service() -> None:
    service = DirectService()
    volumes = [
        service.evaluate(EvalCode(BAR, parameters={"width": width})).parts[0].figures.volume
        for width in (20, 30, 20)
    ]
    assert volumes == [1000.0, 1500.0, 1000.0]


@pytest.mark.parametrize("width", [9.5, 81])
def test_a_value_out_of_range_is_told_with_range_value_and_place(width: float) -> None:
    error = error_of(f"\n{BAR}", width=width)
    assert (error.code, error.operation, error.argument) == ("INVALID_PARAMETER", "defparam", "width")
    assert error.message == f"defparam: width must be from 10 to 80 mm, got {width:g}"
    assert error.place is not None
    assert (error.place.line, error.place.column) == (2, 1)


@pytest.mark.parametrize("width", [10, 80])
def test_the_ends_of_the_range_belong_to_it(width: float) -> None:
    assert run(BAR, width=width).parameters[0].value == width


@pytest.mark.parametrize(
    ("text", "values", "code", "words"),
    [
        ("[defparam a 5 {:max 4}] a", {}, "INVALID_PARAMETER", "must be at most 4, got 5"),
        ("[defparam a 5 {:min 6}] a", {}, "INVALID_PARAMETER", "must be at least 6, got 5"),
        ("[defparam a 5 {:min 9 :max 1}] a", {}, "INVALID_PARAMETER", "above its :max"),
        ("[defparam a 5 {:step 0}] a", {}, "INVALID_PARAMETER", ":step of a must be above 0"),
        ("[defparam a 5 {:mni 1}] a", {}, "INVALID_PARAMETER", "unknown option :mni"),
        ("[defparam a 5 {:min true}] a", {}, "TYPE_MISMATCH", ":min of a must be a number"),
        ("[defparam a 5 {:unit 1}] a", {}, "TYPE_MISMATCH", ":unit of a must be a text"),
        ("[defparam a 5 7] a", {}, "TYPE_MISMATCH", "must be a map"),
        ('[defparam a "x"] a', {}, "TYPE_MISMATCH", "must be a number, got the text"),
        ("[defparam a true] a", {}, "TYPE_MISMATCH", "must be a number, got true"),
        ("[defparam a 5] a", {"a": "wide"}, "TYPE_MISMATCH", "the value of a must be a number"),
        ("[defparam a 5] a", {"a": True}, "TYPE_MISMATCH", "got true"),
        ("[defparam a 5] a", {"a": None}, "TYPE_MISMATCH", "got None"),
        ("[defparam a 5] a", {"a": float("nan")}, "INVALID_PARAMETER", "must be finite"),
        ("[defparam a 5 {:whole true}] a", {"a": 5.5}, "INVALID_PARAMETER", "must be a whole number"),
        ("[defparam a [/ 1.0 0.0]] a", {}, "INVALID_PARAMETER", "must be finite"),
        ("[defparam a 5] a", {"a": 2**63}, "INVALID_PARAMETER", "too large for a whole number"),
        ("[defparam a 5.0] a", {"a": 10**400}, "INVALID_PARAMETER", "too large for a whole number"),
        ("[defparam a 5 {:whole true}] a", {"a": 1e300}, "INVALID_PARAMETER", "too large for a whole number"),
    ],
)
def test_what_is_wrong_is_told_at_the_declaration(
    text: str, values: dict[str, Any], code: str, words: str
) -> None:
    error = error_of(f"\n{text}", **values)
    assert (error.code, error.argument) == (code, "a")
    assert words in error.message
    assert error.place is not None
    assert error.place.line == 2


def test_a_value_that_nothing_asks_for_is_refused_with_the_nearest_name() -> None:
    error = error_of(BAR, widht=50)
    assert (error.code, error.argument) == ("INVALID_PARAMETER", "widht")
    assert "it has width" in error.message
    assert error.fix == "did you mean width?"
    assert error.details["known"] == ["width"]
    assert "declares none" in error_of("[cube 1 2 3]", width=5).message


def test_a_parameter_is_a_float_unless_it_is_whole() -> None:
    halved = run("[defparam len 95] [cube [/ len 2] 1 1]")
    assert halved.parts[0].figures.volume == 47.5
    assert type(halved.parameters[0].value) is float
    assert run("[defparam len 95] [cube [/ len 2] 1 1]", len=91).parts[0].figures.volume == 45.5
    counted = run("[defparam n 2 {:whole true}] [linear-pattern 1 0 0 n 20 [cube 10 10 10]]", n=3.0)
    assert counted.parts[0].figures.volume == 3000.0
    assert type(counted.parameters[0].value) is int
    with pytest.raises(GeometryError) as caught:
        run("[defparam n 2 {:whole true}] [cube n 1 1]", n=2.5)
    assert caught.value.message == "defparam: the value of n must be a whole number, got 2.5"
    assert "{:whole true}" in (caught.value.fix or "")


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_a_value_is_taken_exactly_if_it_lies_in_the_range(value: float, one: float, two: float) -> None:
    low, high = sorted((one, two))
    options = Map([(Keyword("min"), low), (Keyword("max"), high)])
    declarations = Declarations({"a": value})
    if low <= value <= high:
        assert declarations.declare("a", low, options) == value
        declarations.finish()
    else:
        with pytest.raises(GeometryError):
            declarations.declare("a", low, options)


def test_a_cell_is_replayed_with_the_values_it_ran_with() -> None:
    cell = CellSource("one", "[defparam width 40.0] [let half [/ width 2.0]]", parameters={"width": 50})
    lost = DirectService()
    assert lost.evaluate(EvalCell("half", [cell])).value == 25.0
    same = CellSource("one", cell.source, parameters={"width": 60})
    assert cell.hash != same.hash


def test_a_cells_parameters_are_its_own() -> None:
    service = DirectService()
    first = service.evaluate(EvalCell("[defparam width 40.0] width", cell_id="a", parameters={"width": 50}))
    history = [CellSource("a", "[defparam width 40.0] width", parameters={"width": 50})]
    second = service.evaluate(EvalCell("[* 2.0 width]", history, cell_id="b"))
    assert [one.name for one in first.parameters] == ["width"]
    assert second.parameters == ()
    assert second.value == 100.0


@pytest.mark.parametrize(
    ("text", "values", "written"),
    [
        ("[defparam w 75] [cube w w w]", {"w": 95}, "[defparam w 95] [cube w w w]"),
        ("[defparam w 75.0 {:max 99}] ; w\n", {"w": 9.25}, "[defparam w 9.25 {:max 99}] ; w\n"),
        ("[defparam w 75.0]", {"w": 95.0}, "[defparam w 95.0]"),
        ("[defparam w 7.5]", {"w": 1e-7}, "[defparam w 0.0000001]"),
        (
            "[pub defparam w -3]\n[pub [defparam h 2]]",
            {"h": -4, "w": 5},
            "[pub defparam w 5]\n[pub [defparam h -4]]",
        ),
        ("[defparam w\n  75]", {}, "[defparam w\n  75]"),
    ],
)
def test_values_are_written_where_the_defaults_stand(
    text: str, values: dict[str, Number], written: str
) -> None:
    assert with_defaults(text, values) == written


@pytest.mark.parametrize(
    ("text", "said"),
    [("[defparam w [+ 1 2]]", "the default of w is computed: [+ 1 2]"), ("[defparam v 1]", "no parameter w")],
)
def test_a_default_that_is_no_number_in_the_text_is_not_written(text: str, said: str) -> None:
    with pytest.raises(GeometryError, match=re.escape(said)) as refused:
        with_defaults(text, {"w": 5})
    assert refused.value.code == "INVALID_PARAMETER"
