"""Evaluation through the service's one signature, in this process."""

from __future__ import annotations

import itertools
import json
import math

import pytest

import vcad_kernel
from tests.service.notebook import Notebook
from vcad_kernel.contracts.messages import CellSource, HistoryEntry
from vcad_kernel.error_envelope import envelope
from vcad_kernel.errors import (
    CapabilityUnavailable,
    ErrorCode,
    GeometryError,
    LoonNameError,
    LoonSyntaxError,
    SceneError,
    VcadError,
)
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.protocol import EvaluationResult, Output
from vcad_kernel.service.requests import EvalCell, EvalCode
from vcad_kernel.settings import Settings


def evaluate(
    service: DirectService,
    cell: CellSource,
    earlier: tuple[HistoryEntry, ...] = (),
    output: Output | None = None,
) -> EvaluationResult:
    return service.evaluate(
        EvalCell(cell.source, earlier, bindings=cell.bindings, cell_id=cell.cell_id, bind=cell.bind),
        output=output,
    )


@pytest.fixture
def notebook() -> Notebook:
    return Notebook()


def test_a_later_cell_sees_what_earlier_ones_defined(notebook: Notebook) -> None:
    assert notebook.run("[let wall 3]").display == "3"
    assert notebook.run("[cube wall wall wall]").parts[0].figures.volume == 27


def test_a_function_sees_the_latest_definition_of_a_global(notebook: Notebook) -> None:
    notebook.run("[let k 1]", "k")
    notebook.run("[fn read [] k]")
    notebook.run("[let k 2]", "k")
    assert notebook.run("[read]").display == "2"


def test_a_name_ends_with_the_text_that_defined_it(notebook: Notebook) -> None:
    notebook.run("[let a 1] [let b 2]", "definitions")
    notebook.run("[let a 5]", "definitions")
    assert notebook.run("a").display == "5"
    with pytest.raises(LoonNameError) as missing:
        notebook.run("b")
    assert missing.value.code == "E0201"


def test_a_cell_run_again_does_not_take_back_what_another_cell_has_redefined(notebook: Notebook) -> None:
    notebook.run("[let a 1]", "first")
    notebook.run("[let a 2]", "second")
    notebook.run("[let other 0]", "first")
    assert notebook.run("a").display == "2"


def test_what_a_failing_cell_defined_before_it_failed_stays(notebook: Notebook) -> None:
    with pytest.raises(VcadError):
        notebook.run("[let kept 1] [nth #[] 0] [let lost 2]")
    assert notebook.run("kept").display == "1"
    with pytest.raises(LoonNameError):
        notebook.run("lost")


def test_a_lost_environment_is_made_again_in_silence_with_equal_results(notebook: Notebook) -> None:
    notebook.run('[println "loud"] [let r given]', given=4.5)
    with pytest.raises(VcadError):
        notebook.run("[let half 0.5] [nth #[] 0]")
    notebook.run("[let body [cylinder r 9]]", bind="rod")
    last = CellSource("last", "[difference [translate 0 0 -1 [cube half half 20]] rod]")
    before = notebook.run(last.source, last.cell_id)
    printed: list[str] = []
    after = evaluate(DirectService(), last, tuple(notebook.history), printed.append)
    assert after.document_hash == before.document_hash
    assert after.parts[0].figures == before.parts[0].figures
    assert printed == []


@pytest.mark.parametrize("failing", ["[use shapes]", "[rotate 1 2 [cube 1 1 1]]", "[nth #[] 0]"])
def test_a_history_with_a_failing_cell_can_be_replayed(failing: str) -> None:
    lost = CellSource("failed", f"[let kept 2] {failing}")
    assert evaluate(DirectService(), CellSource("next", "kept"), (lost,)).display == "2"


def test_output_is_passed_on_as_it_comes_and_kept(notebook: Notebook) -> None:
    seen: list[str] = []
    cell = CellSource("talk", '[println "one"] [print "two"] 3')
    result = evaluate(notebook.service, cell, output=seen.append)
    assert "".join(seen) == result.stdout == "one\ntwo"


def test_bind_names_the_value_for_later_cells_unless_the_cell_does(notebook: Notebook) -> None:
    notebook.run("[cube 1 1 1]", bind="block")
    assert notebook.run("[translate 5 0 0 block]").parts[0].figures.volume == 1
    notebook.run("[fn plate [w] [cube w w 1]] [plate 3]", bind="plate")
    assert notebook.run("[plate 4]").parts[0].figures.volume == 16


def test_bind_leaves_the_functions_of_the_language_and_the_library_alone(notebook: Notebook) -> None:
    notebook.run("[cube 1 1 1]", bind="cube")
    notebook.run("#[1 2]", bind="map")
    assert notebook.run("[cube 2 2 2]").parts[0].figures.volume == 8
    assert notebook.run("[map [fn [x] x] #[1]]").display == "#[1]"
    assert notebook.run("[let count 3] 4", bind="count").display == "4"
    assert notebook.run("count").display == "3"


def test_an_unchanged_model_is_not_built_again(notebook: Notebook) -> None:
    first = notebook.run("[sphere 5]", "ball")
    again = notebook.run("[sphere 5]", "ball")
    assert first.cache.misses > 0
    assert (again.cache.misses, again.cache.hits) == (0, 1)
    assert again.parts[0].digest == first.parts[0].digest
    assert notebook.run("[sphere 6]", "ball").parts[0].digest != first.parts[0].digest


def test_a_finer_tolerance_is_another_mesh_and_a_smaller_error() -> None:
    service = DirectService()
    coarse = service.evaluate(EvalCode("[sphere 50]", tolerance=0.5)).parts[0]
    fine = service.evaluate(EvalCode("[sphere 50]", tolerance=0.005)).parts[0]
    assert coarse.digest != fine.digest
    ideal = 4 / 3 * 3.141592653589793 * 50**3
    on_mesh = fine.mesh_figures
    assert abs(on_mesh.volume - ideal) < abs(coarse.mesh_figures.volume - ideal)
    assert on_mesh.tolerance is not None
    assert on_mesh.tolerance < 0.02
    assert fine.figures.volume == pytest.approx(ideal, rel=1e-9)


def test_values_that_are_no_model_are_displayed() -> None:
    service = DirectService()
    assert service.evaluate(EvalCode("[+ 1 2.5]", allow_scene=True)).display == "3.5"
    assert service.evaluate(EvalCode("[fn f [] 1]", allow_scene=True)).display is None
    assert service.evaluate(EvalCode("[line 0 0 1 0]", allow_scene=True)).display == "[SLine 0 0 1 0]"
    assert service.evaluate(EvalCode("#[1 2]", allow_scene=True)).parts == ()


def test_parts_are_called_as_the_program_calls_them() -> None:
    result = DirectService().evaluate(
        EvalCode(
            "[let lid [cube 9 9 1]] [let box [cube 9 9 9]]\n"
            '#[box [root [translate 0 0 9 lid] "oak"] [sphere 1] lid]',
            allow_scene=True,
        )
    )
    assert [part.name for part in result.parts] == ["box", "lid", "part-3", "part-4"]
    assert [part.material.name for part in result.parts] == ["default", "oak", "default", "default"]
    assert [warning.code for warning in result.warnings] == ["UNKNOWN_MATERIAL"]


def test_a_part_that_is_moved_where_it_is_named_is_called_so() -> None:
    text = "[let top [translate 0 0 9 [cube 1 1 1]]] [let ledge [translate 0 1 9 top]] #[top ledge]"
    result = DirectService().evaluate(EvalCode(text, allow_scene=True))
    assert [part.name for part in result.parts] == ["top", "ledge"]


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("#[]", "NO_GEOMETRY"),
        ('[material "m" 0.5 0.5 0.5 0.0 0.5]', "NO_GEOMETRY"),
        ("#[[cube 1 1 1] [cube 2 2 2]]", "MULTI_PART_UNSUPPORTED"),
        ("42", "TYPE_MISMATCH"),
    ],
)
def test_a_component_is_exactly_one_part(source: str, code: str) -> None:
    with pytest.raises((SceneError, GeometryError)) as refused:
        DirectService().evaluate(EvalCode(source))
    assert refused.value.code == code


def test_exact_figures_are_those_of_the_b_rep_whatever_the_size_of_the_model() -> None:
    service = DirectService()
    assert service.evaluate(EvalCode("[cube 1 2 3]", exact=True)).parts[0].figures.exact
    assert service.evaluate(EvalCode("[cylinder 1 2]")).parts[0].figures.exact
    row = "[linear-pattern 1 0 0 70 3 [cylinder 1 2]]"
    assert not service.evaluate(EvalCode(row)).parts[0].figures.exact
    figures = service.evaluate(EvalCode(row, exact=True)).parts[0].figures
    assert figures.exact
    assert figures.volume == pytest.approx(140.0 * math.pi, rel=1e-8)


def test_exact_figures_are_refused_only_where_a_curved_body_holds_a_mesh() -> None:
    service = DirectService()
    mesh = "[ImportedMesh #[0 0 0 9 0 0 0 9 0 0 0 9] #[0 2 1 0 1 3 0 3 2 1 2 3] #[]]"
    assert service.evaluate(EvalCode(mesh, exact=True)).parts[0].figures.exact
    holed = f"[difference [cylinder 1 20] {mesh}]"
    assert not service.evaluate(EvalCode(holed)).parts[0].figures.exact
    with pytest.raises(CapabilityUnavailable, match="mesh"):
        service.evaluate(EvalCode(holed, exact=True))


def test_a_feature_that_fails_says_what_would_work_on_the_wire_too() -> None:
    with pytest.raises(GeometryError) as failed:
        DirectService().evaluate(EvalCode("\n[fillet 6 [cube 10 20 30]]"))
    wire = envelope(failed.value, "vcad.eval_code")
    assert wire["error_code"] == ErrorCode.GEOMETRY_FAILED
    details = wire["details"]
    assert (details["code"], details["operation"], details["line"]) == ("FILLET_FAILED", "fillet", 2)
    assert details["largest_working"] == pytest.approx(5.0, rel=1e-3)
    assert details["failing_edges"]
    assert json.loads(json.dumps(wire)) == wire
    shown = failed.value.render()
    assert f"{details['largest_working']:g}" in shown
    assert "  at: edge " in shown


def test_main_is_called_for_a_program_and_not_for_a_cell(notebook: Notebook) -> None:
    assert DirectService().evaluate(EvalCode("[fn main [] [cube 1 1 2]]")).parts[0].figures.volume == 2
    assert notebook.run("[fn main [] [cube 1 1 2]]").parts == ()


def test_parameters_that_the_model_does_not_declare_are_refused() -> None:
    with pytest.raises(GeometryError, match="width"):
        DirectService().evaluate(EvalCode("[cube 1 1 1]", parameters={"width": 3}))


def test_the_package_evaluates_by_itself() -> None:
    assert vcad_kernel.evaluate("[cube 1 2 3]").parts[0].figures.volume == 6


def test_bindings_reach_a_program() -> None:
    result = DirectService().evaluate(EvalCode("[cube w w 1]", bindings={"w": 3}))
    assert result.parts[0].figures.volume == 9


def test_errors_have_a_wire_form_with_the_place() -> None:
    with pytest.raises(LoonSyntaxError) as broken:
        DirectService().evaluate(EvalCode("\n  [cube 1", file="half.oo"))
    assert envelope(broken.value, "vcad.eval_code") == {
        "error_code": "LOON_SYNTAX",
        "message": broken.value.message,
        "details": {
            "operation": "vcad.eval_code",
            "code": "E0102",
            "class": "E0102",
            "file": "half.oo",
            "line": 2,
            "column": 3,
            "end_line": 2,
            "end_column": 4,
            "text": "  [cube 1",
            "fix": broken.value.fix,
        },
    }
    with pytest.raises(GeometryError) as wrong:
        DirectService().evaluate(EvalCode("[sphere 0]"))
    wire = envelope(wrong.value, "vcad.eval_code")
    assert wire["error_code"] == ErrorCode.GEOMETRY_INVALID
    assert wire["details"]["operation"] == "sphere"
    assert wire["details"]["argument"] == "r"
    assert (wire["details"]["line"], wire["details"]["column"]) == (1, 1)


def test_timings_add_up_to_no_more_than_the_total() -> None:
    ticks = itertools.count()
    result = DirectService(clock=lambda: next(ticks) * 0.001).evaluate(EvalCode("[cube 1 1 1]"))
    assert result.timings.total >= result.timings.geometry + result.timings.convert > 0
    assert result.document is not None
    again = DirectService(clock=lambda: next(ticks) * 0.001).eval_document(result.document, [""])
    timings = again.timings
    assert timings.total >= timings.geometry > 0
    language = (timings.read, timings.expand, timings.check, timings.compile, timings.run, timings.convert)
    assert language == (0.0,) * 6


def test_a_setting_says_how_fine_parts_are_unless_the_request_does() -> None:
    coarse = DirectService(settings=Settings.load(variables={"VCAD_TOLERANCE": "0.5"}))
    ball = EvalCode("[sphere 40]")
    triangles, finer = (
        len(service.evaluate(ball).parts[0].mesh.indices) for service in (coarse, DirectService())
    )
    assert triangles < finer / 4
    asked = coarse.evaluate(EvalCode("[sphere 40]", tolerance=0.02)).parts[0]
    assert len(asked.mesh.indices) == finer
    # who keeps meshes by their keys must not take one for the other
    assert coarse.evaluate(ball).parts[0].digest != DirectService().evaluate(ball).parts[0].digest


def test_a_request_says_how_far_a_refused_feature_looks_for_the_largest_size() -> None:
    wrong = "[fillet 7 [cube 10 10 10]]"
    with pytest.raises(GeometryError) as at_once:
        DirectService().evaluate(EvalCode(wrong, search_trials=0))
    assert at_once.value.details.get("largest_working") is None
    with pytest.raises(GeometryError) as found:
        DirectService().evaluate(EvalCode(wrong, search_trials=12))
    assert 4.0 < found.value.details["largest_working"] <= 5.0


def test_the_cache_is_counted_by_what_was_asked_for_even_when_nothing_is_kept() -> None:
    # a cache with no room forgets everything at once
    service = DirectService(settings=Settings.load(variables={"VCAD_GEOMETRY_CACHE_MB": "0"}))
    for _ in range(2):
        result = service.evaluate(EvalCode("[cube 1 2 3]"))
        assert result.cache.hits == 0
        assert result.cache.misses > 0


def test_a_request_may_be_written_in_one_line() -> None:
    service = DirectService()
    printed: list[str] = []
    result = service.eval_cell("[println n] [+ n 1]", (), {"n": 2}, cell_id="a", output=printed.append)
    assert (result.value, printed) == (3, ["2\n"])
    assert service.eval_code("[+ n 1]", bindings={"n": 4}, allow_scene=True).value == 5


def test_the_tests_of_a_program_are_a_value_of_plain_data() -> None:
    asked = EvalCode("[test adds [] [assert-eq 2 2]]\n[test fails [] [assert-eq 2 3]]", file="a.oo", tests="")
    passed, failed = DirectService().evaluate(asked).value
    assert (passed["name"], passed["passed"], passed["line"]) == ("adds", True, 1)
    assert (failed["passed"], failed["file"], failed["line"], failed["error_code"]) == (
        False,
        "a.oo",
        2,
        "LOON_RUNTIME",
    )


@pytest.mark.parametrize(
    ("model", "low", "high"),
    [
        ("[translate 5 0 0 [fillet 6 [cube 10 20 30]]]", (5, 0, 0), (15, 20, 30)),
        ("[rotate 0 0 90 [scale 2 1 1 [chamfer 6 [cube 10 20 30]]]]", (-20, 0, 0), (0, 20, 30)),
        ("[mirror-x [shell 6 [cube 10 20 30]]]", (-10, 0, 0), (0, 20, 30)),
        ("[linear-pattern 1 0 0 3 50 [offset -6 [cube 10 20 30]]]", (0, 0, 0), (10, 20, 30)),
    ],
)
def test_what_a_failed_feature_was_about_is_told_where_it_stands(
    model: str, low: tuple[float, ...], high: tuple[float, ...]
) -> None:
    with pytest.raises(GeometryError) as failed:
        DirectService().evaluate(EvalCode(f"#[[sphere 1] {model}]", allow_scene=True))
    details = envelope(failed.value, "vcad.eval_code")["details"]
    assert details["failing_part"] == 1
    points = [point for line in details["failing_lines"] for point in line]
    assert [min(axis) for axis in zip(*points, strict=True)] == pytest.approx(low)
    assert [max(axis) for axis in zip(*points, strict=True)] == pytest.approx(high)
