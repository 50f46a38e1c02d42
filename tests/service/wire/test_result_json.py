"""A whole evaluation through JSON: what comes out says and shows what went in."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.service.notebook import Notebook
from vcad_kernel.errors import ServiceFailure
from vcad_kernel.geometry.measure.between.clearance import Clearance
from vcad_kernel.geometry.measure.figures import Figures
from vcad_kernel.geometry.measure.inspection.inspection import Edge, Face, Table
from vcad_kernel.geometry.profiling import NodeProfile
from vcad_kernel.geometry.solid import Note
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.protocol import EvaluationResult
from vcad_kernel.service.questions import ClearanceOf, EdgesOf, FacesOf, InterferenceOf
from vcad_kernel.service.requests import EvalCode, Options
from vcad_kernel.service.summary import figure_warning_lines, result_line, warning_line
from vcad_kernel.service.wire import (
    definitions_json,
    figures_json,
    part_json,
    result_json,
    values,
)

SCENE = """[let lid [cube 9 9 1]]
[let tube [difference [translate 0 0 -1 [cylinder 3 30]] [cylinder 5 20]]]
#[[material "oak" 0.6 0.4 0.2 0.0 0.7]
  [root [translate 0 0 30 lid] "oak"] tube [root [sphere 2] "brass"] Empty]"""

SOURCES = [
    "[cube 1 2 3]",
    SCENE,
    "[linear-pattern 1 0 0 65 0 [sphere 20]]",
    "[difference [cube 9 9 9] [cube 1 1 1]]",
    "#[1 (2.0 :k) {:a [/ 0.0 0.0]}]",
    '"text"',
    "[let x []]",
    "[fn wrong [] [uppercase 3]] 4",
    '[defparam width 40 {:unit "mm" :min 10 :max 80 :doc "How wide."}] [println "hello"] [cube width 1 1]',
]


class _Silent:
    """Nobody to ask: all that is shown must be in the result."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"the answers were asked for {name}")


_ANSWERS: Any = _Silent()


def text_of(result: EvaluationResult, **options: Any) -> dict[str, Any]:
    wire: dict[str, Any] = json.loads(json.dumps(result_json.encode(result, **options), allow_nan=False))
    return wire


def meshes_of(result: EvaluationResult, wire: dict[str, Any]) -> list[Callable[[], TriMesh]]:
    """As a client gets them: cut out of the one mesh of all parts."""
    whole = TriMesh.joined([part.mesh for part in result.parts])
    nodes = whole.source_nodes if len(whole.source_nodes) == whole.triangle_count else None
    return given(part_json.meshes_of(stretches(wire), whole.positions, whole.indices, nodes))


def stretches(wire: dict[str, Any]) -> list[part_json.Stretch]:
    return values.decode(wire["parts"], list[part_json.Stretch], "parts")


def given(meshes: list[TriMesh]) -> list[Callable[[], TriMesh]]:
    return [partial(lambda mesh: mesh, mesh) for mesh in meshes]


def through(result: EvaluationResult, **options: Any) -> EvaluationResult:
    wire = text_of(result, document=True, **options)
    return result_json.decode(wire, meshes_of(result, wire), options.get("answers", _ANSWERS))


def assert_same_figures(one: Figures, other: Figures) -> None:
    assert one == other
    assert one.notes == other.notes
    for name in ("inertia", "genus", "lumps", "shells", "is_manifold", "relative"):
        assert getattr(one, name) == getattr(other, name)


@pytest.mark.parametrize("source", SOURCES)
def test_a_result_comes_back_as_it_was(source: str) -> None:
    result = DirectService().evaluate(EvalCode(source, file="part.oo", allow_scene=True))
    again = through(result)
    apart = {"parts", "made_from", "loon_value", "value", "diagnostics"}
    assert again.document == result.document
    for field in fields(EvaluationResult):
        if field.name not in apart:
            assert getattr(again, field.name) == getattr(result, field.name), field.name
    assert repr(again.value) == repr(result.value)
    assert [one.render() for one in again.diagnostics] == [one.render() for one in result.diagnostics]
    assert result_line("part", again) == result_line("part", result)
    assert [warning_line(one) for one in again.all_warnings()] == [
        warning_line(one) for one in result.all_warnings()
    ]
    for part, other in zip(result.parts, again.parts, strict=True):
        assert (other.name, other.node, other.digest) == (part.name, part.node, part.digest)
        assert other.material == part.material
        assert_same_figures(part.mesh_figures, other.mesh_figures)
        assert_same_figures(part.figures, other.figures)
        assert np.array_equal(other.mesh.positions, part.mesh.positions)
        assert np.array_equal(other.mesh.indices, part.mesh.indices)


def test_the_wire_form_has_all_that_the_contract_names() -> None:
    wire = text_of(DirectService().evaluate(EvalCode(SCENE, allow_scene=True)))
    volume = 81 + math.pi * 16 * 20 + 32 / 3 * math.pi
    assert wire["volume"] == pytest.approx(volume, rel=1e-9)
    assert wire["bbox"]["max"][2] == pytest.approx(31.0)
    assert (wire["is_empty"], wire["is_manifold"], wire["genus"], wire["exact"]) == (False, True, 1, True)
    assert [one["name"] for one in wire["materials"]] == ["oak", "default", "brass"]
    assert [one["is_empty"] for one in wire["parts"]] == [False, False, False, True]
    assert wire["parts"][3]["figures"]["bbox"] == {"min": [0.0] * 3, "max": [0.0] * 3}
    assert [one["code"] for one in wire["warnings"]] == ["UNKNOWN_MATERIAL"]
    assert wire["triangles"] == sum(part["triangles_range"][1] for part in wire["parts"])
    assert "document" not in wire


def test_figures_may_be_left_for_later_and_are_then_asked_for() -> None:
    result = DirectService().evaluate(EvalCode("[cylinder 3 5]"))
    wire = text_of(result, figures=False, document=True)
    assert wire["figures_deferred"]
    assert not wire["exact"]
    assert "measured" not in wire["parts"][0]
    # slow to find on a large mesh, and whoever has the mesh can find it
    assert wire["genus"] is None
    assert not {"genus", "is_manifold", "inertia"} & wire["parts"][0]["figures"].keys()
    (part,) = result_json.decode(wire, meshes_of(result, wire), result.parts[0].answers).parts
    assert not part.mesh_figures.exact
    assert part.figures.exact


def test_a_mesh_of_single_precision_is_read_with_the_figures_that_were_measured() -> None:
    result = DirectService().evaluate(EvalCode("[sphere 5]"))
    wire = text_of(result, document=True)
    mesh = result.parts[0].mesh
    coarse = part_json.meshes_of(stretches(wire), mesh.positions.astype(np.float32), mesh.indices, None)
    (part,) = result_json.decode(wire, given(coarse), _ANSWERS).parts
    assert part.mesh.positions.dtype == np.float64
    assert part.mesh_figures.inertia == result.parts[0].mesh_figures.inertia
    assert result_line("ball", replace(result, parts=(part,))) == result_line("ball", result)


def test_what_the_figures_have_to_say_comes_back_with_its_place() -> None:
    service = DirectService()
    result = service.evaluate(EvalCode("[cylinder 3 5]"))
    part = result.parts[0]
    note = Note("FIGURES_FROM_MESH", "no luck", part.document.digest(part.node))
    failed = replace(part.mesh_figures, notes=(note,))
    vars(part)["figures"] = failed
    again = through(result)
    assert figure_warning_lines(again.parts) == figure_warning_lines(result.parts)
    assert figure_warning_lines(again.parts)[0].endswith("(<code>:1:1)")


def test_figures_that_were_demanded_are_in_the_result() -> None:
    service = DirectService()
    result = service.evaluate(EvalCode("[cylinder 3 5]", exact=True))
    assert through(result).parts[0].demanded
    assert result.parts[0].figures.exact


def test_definitions_come_back_as_they_were() -> None:
    notebook = Notebook()
    notebook.run("; Twice.\n[fn twice [x] [* 2 x]] [macro m [x] x] [let s #[1 2]]", "first")
    notebook.run("[cube w 1 1]", "second", bind="plate", w=4)
    definitions = notebook.service.definitions()
    wire = json.loads(json.dumps(definitions_json.encode(definitions)))
    assert definitions_json.decode(wire) == dict(definitions)
    assert list(definitions_json.decode(wire)) == list(definitions)


def test_answers_come_back_as_they_were() -> None:
    part = (
        DirectService()
        .evaluate(EvalCode("[difference [cube 20 20 5] [translate 9 9 -1 [cylinder 3 10]]]"))
        .parts[0]
    )
    other = DirectService().evaluate(EvalCode("[translate 40 0 0 [sphere 3]]")).parts[0]
    answers = part.answers
    edges, faces = answers.ask(EdgesOf(), part), answers.ask(FacesOf(), part)
    again = Table(values.decode(json.loads(json.dumps(values.encode(edges))), list[Edge], "edges"))
    assert (again, repr(again)) == (edges, repr(edges))
    back = Table(values.decode(json.loads(json.dumps(values.encode(faces))), list[Face], "faces"))
    assert (back, repr(back)) == (faces, repr(faces))
    gap = answers.ask(ClearanceOf(), part, other)
    assert values.decode(json.loads(json.dumps(values.encode(gap))), Clearance, "clearance") == gap
    common = answers.ask(InterferenceOf(), part, part)
    assert_same_figures(
        common, figures_json.decode(json.loads(json.dumps(values.encode(figures_json.encode(common)))))
    )
    rows = answers.profile([part])
    assert rows
    assert (
        values.decode(json.loads(json.dumps(values.encode(rows))), tuple[NodeProfile, ...], "profile") == rows
    )


@pytest.mark.parametrize(
    "change",
    [
        {"parts": [{}]},
        {"document": None},
        {"document": {"records": "AAAA"}},
        {"timings_ms": {}},
        {"cache": 3},
        {"warnings": [3]},
        {"value": {"$tuple": 3}, "has_value": True},
        {"diagnostics": [{}]},
    ],
)
def test_a_result_that_makes_no_sense_is_refused(change: dict[str, Any]) -> None:
    result = DirectService().evaluate(EvalCode("[cube 1 1 1]"))
    wire = {**text_of(result, document=True), **change}
    with pytest.raises(ServiceFailure) as refused:
        _ = result_json.decode(wire, given([result.parts[0].mesh]), _ANSWERS).document
    assert refused.value.error_code == "SCHEMA_VALIDATION_FAILED"


@pytest.mark.parametrize(
    "ranges", [([0, 9], [0, 12]), ([0, 8], [6, 12]), ([1, 7], [0, 12]), ([-1, 8], [0, 12])]
)
def test_parts_that_reach_beyond_the_mesh_are_refused(ranges: tuple[list[int], list[int]]) -> None:
    result = DirectService().evaluate(EvalCode("[cube 1 1 1]"))
    wire = text_of(result)
    wire["parts"][0] |= {"vertices": ranges[0], "triangles_range": ranges[1]}
    with pytest.raises(ServiceFailure, match="mesh of a part"):
        meshes_of(result, wire)


def test_a_node_of_a_document_can_be_asked_about_without_a_result() -> None:
    service = DirectService()
    document = service.evaluate(EvalCode("[cylinder 3 5]")).document
    assert document is not None
    part = service.part(document, document.roots[0].node, Options(tolerance=0.5), name="rod")
    assert part.name == "rod"
    assert part.figures.volume == pytest.approx(45 * math.pi)
    row = service.evaluate(EvalCode("[linear-pattern 1 0 0 70 3 [cylinder 1 2]]")).document
    assert row is not None
    assert not service.part(row, row.roots[0].node, Options()).figures.exact
    assert service.part(row, row.roots[0].node, Options(exact=True)).figures.exact


@pytest.mark.parametrize("levels", [50, 200, 5000])
def test_a_value_of_many_levels_is_displayed_whether_or_not_it_can_be_sent(levels: int) -> None:
    code = f"[fold #[] [fn [inner _] #[inner]] [range 0 {levels}]]"
    result = DirectService().evaluate(EvalCode(code, allow_scene=True))
    again = through(result)
    assert again.display == result.display
    assert (again.value == result.value) is (levels != 200)
