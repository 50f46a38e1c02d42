"""What evaluation really gives, held to the schemas."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.contracts.examples import example, second_opinion
from vcad_kernel.contracts.validation import validate
from vcad_kernel.error_envelope import envelope
from vcad_kernel.errors import VcadError
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.questions import ClearanceOf, EdgesOf, FacesOf
from vcad_kernel.service.requests import EvalCell, EvalCode
from vcad_kernel.service.wire import figures_json, result_json, values

PROGRAMS = {
    "a mesh": "[cube 10 20 30]",
    "an exact body": "[fillet 2 [cube 10 20 30]]",
    "a parameter": '[defparam w 4 {:min 1 :max 9 :unit "mm"}] [cube w w w]',
    "a material": '#[[material "steel" 0.6 0.6 0.7 0.9 0.3] [root [sphere 3] "steel"]]',
    "an empty body": "[difference [cube 1 1 1] [cube 9 9 9]]",
    "a scene": "#[[cube 1 1 1] [translate 5 0 0 [sphere 1]]]",
    "a value": "[println 1] #[1 2.5 :a]",
    "a number": "[/ 0.0 0.0]",
    "nothing": "[let x 1]",
    "findings": '[fn f [x] [+ x "1"]] [cube 1 1 1]',
}


def fits(schema: str, value: Any) -> None:
    wire = json.loads(json.dumps(value, allow_nan=False))
    validate(schema, wire, operation="test")
    second_opinion(schema).validate(wire)


@pytest.mark.parametrize("what", PROGRAMS)
@pytest.mark.parametrize("measured", [True, False])
def test_a_result_fits(what: str, measured: bool) -> None:
    service = DirectService()
    result = service.evaluate(EvalCell(PROGRAMS[what]))
    data = result_json.encode(result, figures=measured, document=True, definitions=service.definitions())
    fits("vcad.eval_cell#result", data)


def test_answers_about_a_part_fit() -> None:
    (part,) = DirectService().evaluate(EvalCode("[difference [cylinder 2 50] [cube 10 20 30]]")).parts
    figures = values.encode(figures_json.encode(part.figures, part.document))
    fits("vcad.inspect#result", figures)
    fits("vcad.ask#result", {"figures": figures})
    fits("vcad.ask#result", {"edges": values.encode(part.answers.ask(EdgesOf(), part))})
    fits("vcad.ask#result", {"faces": values.encode(part.answers.ask(FacesOf(exact=True), part))})
    other = DirectService().evaluate(EvalCode("[translate 40 0 0 [sphere 3]]")).parts[0]
    fits("vcad.ask#result", {"clearance": values.encode(part.answers.ask(ClearanceOf(), part, other))})


@pytest.mark.parametrize(
    "program",
    [
        "[cube 1",
        "[f 1]",
        "[+ 1 :a]",
        "[nth #[1] 9]",
        "[sphere 0]",
        "[fillet 99 [cube 1 1 1]]",
        "1",
        "[fn f [n] [+ 1 [f n]]] [f 1]",
    ],
)
def test_a_failure_fits(program: str) -> None:
    with pytest.raises(VcadError) as failed:
        DirectService().evaluate(EvalCode(program))
    wire = envelope(failed.value, "vcad.eval_code")
    assert wire["error_code"] == failed.value.error_code
    fits("error", wire)


SHOWN = (
    *("volume", "surface_area", "bbox", "center_of_mass", "is_empty", "is_manifold", "genus", "triangles"),
    *("exact", "tolerance", "materials", "parameters", "source_hash", "document_hash", "stdout"),
    *("display", "has_value", "value"),
)


@pytest.mark.parametrize(
    "name", ["success", "success-with-artifact", "success-of-a-value", "success-of-a-scene"]
)
def test_the_examples_show_what_is_really_answered(name: str) -> None:
    shown = example(f"vcad.eval_code/{name}")
    asked = shown["arguments"]
    result = DirectService().evaluate(
        EvalCode(
            asked["code"],
            allow_scene=asked.get("allow_scene", False),
            tolerance=asked.get("tolerance"),
            parameters=asked.get("parameters"),
        )
    )
    real = json.loads(json.dumps(result_json.encode(result)))
    assert real.keys() <= shown["result"].keys()
    for key in SHOWN:
        assert real[key] == _nearly(shown["result"][key]), key


def _nearly(value: Any) -> Any:
    """Numbers of an example are cut to twelve digits."""
    if isinstance(value, float):
        return pytest.approx(value, rel=1e-9)
    if isinstance(value, list):
        return [_nearly(one) for one in value]
    return {key: _nearly(one) for key, one in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("name", ["failure", "failure-of-a-feature"])
def test_the_examples_show_what_is_really_refused(name: str) -> None:
    shown = example(f"vcad.eval_code/{name}")
    with pytest.raises(VcadError) as failed:
        DirectService().evaluate(EvalCode(shown["arguments"]["code"]))
    real, said = envelope(failed.value, "vcad.eval_code"), shown["error"]
    assert real["error_code"] == said["error_code"]
    assert real["details"].keys() == said["details"].keys()
    for key in ("code", "operation", "file", "line", "column", "text"):
        assert real["details"][key] == said["details"][key]
