"""Errors found at evaluation speak of the call as the user wrote it: function, argument and place."""

from __future__ import annotations

import pytest

from vcad_kernel.cad.convert import convert
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.evaluate import EvaluationOptions, evaluate
from vcad_kernel.ir.document import Document
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source
from vcad_kernel.operations.library import WORDS

TRIANGLE = "[sketch 0 0 0 1 0 0 0 1 0 #[[line 0 0 6 0] [line 6 0 0 8] [line 0 8 0 0]]]"


def model(text: str) -> Document:
    return convert(Environment(prelude=PRELUDE).run(Source("part.oo", text)))


def failure(text: str) -> GeometryError:
    with pytest.raises(GeometryError) as caught:
        evaluate(model(text), EvaluationOptions()).raise_first()
    return caught.value


@pytest.mark.parametrize(
    ("call", "code", "argument"),
    [
        ("[hex-prism 0 4]", "INVALID_PARAMETER", "af"),
        ("[hex-prism 10 -4]", "INVALID_PARAMETER", "h"),
        ("[polygon-prism 2 5 4]", "INVALID_PARAMETER", "n"),
        ("[cylinder-n -1 4 12]", "INVALID_PARAMETER", "r"),
        ("[torus 3 5]", "INVALID_PARAMETER", "minor"),
        ("[torus-n 0 5 12]", "INVALID_PARAMETER", "major"),
        ("[gear-n 1 3 5 12]", "INVALID_PARAMETER", "teeth"),
        ("[gear-backlash 1 12 5 -1]", "INVALID_PARAMETER", "backlash"),
        ("[ring-gear-backlash-n 0 12 5 0.1 12]", "INVALID_PARAMETER", "module"),
        ("[gear-n 1 12 5 100000]", "INVALID_PARAMETER", "n"),
        ("[mirror-pattern 0 0 0 [cube 1 1 1]]", "ZERO_VECTOR", "nx"),
        ("[fillet 9 [cube 1 2 3]]", "FILLET_FAILED", "r"),
        ("[chamfer-at 9 {} [cube 1 2 3]]", "CHAMFER_FAILED", "d"),
        ("[fillet-vary 1 1 {:length 3} [cube 1 2 3]]", "FILLET_FAILED", "r1"),
        ("[shell 9 [cube 1 2 3]]", "SHELL_FAILED", "t"),
        ("[shell-open 0.1 {} [cube 1 2 3]]", "SHELL_FAILED", "which"),
        ("[offset -9 [cube 1 2 3]]", "OFFSET_FAILED", "d"),
        ("[fillet-at 1 {:radius 77} [cube 1 2 3]]", "NO_MATCH", "which"),
        ("[draft 0 0 0 0 0 1 5 {:kind :torus} [cube 1 2 3]]", "NO_MATCH", "which"),
        ("[extrude 0 0 1 [profile-polyline #[0 0 1 1]]]", "SKETCH_DEGENERATE", "points"),
        ("[extrude 0 0 1 [profile-rect 0 5]]", "INVALID_PARAMETER", "radial"),
        ("[extrude 0 0 1 [profile-rect 1000000000 5]]", "INVALID_PARAMETER", "radial"),
        ("[hex-prism 1000000000 5]", "INVALID_PARAMETER", "af"),
        ("[union None [cube 1 1 1]]", "UNKNOWN_VARIANT", "other"),
        ("[loft #[[Some 1] None]]", "UNKNOWN_VARIANT", "sketches"),
        (f"[sweep-line 1 2 3 1 2 3 {TRIANGLE}]", "SWEEP_FAILED", "ex"),
        ("[loft-closed #[]]", "LOFT_FAILED", "sketches"),
    ],
)
def test_the_function_is_named_as_it_is_written(call: str, code: str, argument: str) -> None:
    error = failure(f"\n  {call}")
    inner = "[profile-" in call
    function = call.replace("[extrude 0 0 1 ", "")[1:].split()[0]
    assert (error.code, error.operation, error.argument) == (code, function, argument)
    assert argument in {one.name for one in WORDS[function].forms[0].arguments}
    assert error.message.startswith(f"{function}: ")
    assert error.place is not None
    assert (error.place.line, error.place.column) == (2, 18 if inner else 3)


_ENORMOUS, _LARGEST = f"1{'0' * 200}.0", f"17{'0' * 307}.0"
"""Numbers whose product, and whose sum, is no number any more; Loon writes no exponents."""


@pytest.mark.parametrize(
    ("path", "argument"),
    [
        ("[cam-path 0 #[0 0 90 5]]", "r"),
        ("[cam-path 5 #[0 0]]", "knots"),
        ("[helix -2 1 0 90]", "r"),
        pytest.param(f"[helix 5 {_ENORMOUS} 0 {_ENORMOUS}]", "arc", id="a helix of endless height"),
        pytest.param(f"[helix 5 0 {_LARGEST} {_LARGEST}]", "arc", id="a helix of endless turns"),
        ("[path-polyline -1 #[0 0 0 0 0 9]]", "bend"),
        ("[path-polyline 0 #[0 0 0]]", "points"),
        ("[path-spline #[]]", "points"),
    ],
)
def test_a_path_is_refused_where_it_is_written(path: str, argument: str) -> None:
    error = failure(f"[sweep\n  {path}\n  {TRIANGLE}]")
    assert (error.code, error.operation) == ("INVALID_PARAMETER", path[1:].split()[0])
    assert error.argument == argument
    assert error.place is not None
    assert error.place.line == 2


def test_equal_solids_by_two_names_are_one_node_that_bears_the_first() -> None:
    document = model("[union [prism 6 5 3] [cylinder 1 9]]")
    assert [document.function_of(node) for node in document.nodes] == ["cylinder", "prism", "union"]
    both = model("#[[cylinder 5 3] [cylinder 5.0 3.0]]")
    assert len(both.nodes) == 1


@pytest.mark.parametrize(
    "call",
    [
        "[torus 1000000000 0.5]",
        "[translate 100000000000 0 0 [sphere 1]]",
        "[linear-pattern 1 0 0 3 1000000000000 [sphere 1]]",
        "[scale 10000000000 1 1 [sphere 1]]",
        "[scale 10000000 1 1 [cube 100 1 1]]",
        "[extrude 0 0 1 [sketch 1000000000 0 0 1 0 0 0 1 0 #[[line 0 0 6 0] [line 6 0 0 8] [line 0 8 0 0]]]]",
        "[extrude 0 0 1 [sketch 0 0 0 1 0 0 0 1 0 #[[line 0 0 1000000000 0] [line 1000000000 0 0 8]"
        " [line 0 8 0 0]]]]",
    ],
)
def test_what_is_out_of_all_bounds_is_refused_instead_of_vanishing(call: str) -> None:
    error = failure(call)
    assert error.code == "INVALID_PARAMETER"
    assert "100000000" in error.message


@pytest.mark.parametrize(
    ("helix", "code", "argument"),
    [
        ("5 0.5 100000 100000", "SWEEP_FAILED", "turns"),
        ("0.0000000000001 1 100 1", "SWEEP_FAILED", "radius"),
        ("5 1 10 0.0000000000001", "INVALID_PARAMETER", "turns"),
    ],
)
def test_a_path_that_no_memory_holds_is_refused(helix: str, code: str, argument: str) -> None:
    error = failure(f"[sweep-helix {helix} [profile-rect 1 0.2]]")
    assert (error.code, error.operation, error.argument) == (code, "sweep-helix", argument)


@pytest.mark.parametrize(
    ("made_by", "solid"),
    [
        ("hex-prism", "[hex-prism 8 4]"),
        ("prism", "[hex-prism 8 4]"),
        ("polygon-prism", "[polygon-prism 5 8 4]"),
        ("cylinder-n", "[cylinder-n 5 4 12]"),
        ("cylinder", "[cylinder-n 5 4 12]"),
        ("sweep", "[sweep [path-line 0 0 0 0 0 9] [profile-rect 4 4]]"),
    ],
)
def test_a_selection_knows_makers_by_the_name_that_was_written(made_by: str, solid: str) -> None:
    text = f'[chamfer-at 0.2 {{:made-by "{made_by}"}} {solid}]'
    scene = evaluate(model(text), EvaluationOptions())
    scene.raise_first()
    assert len(scene.parts) == 1


def test_a_selection_by_another_makers_name_selects_nothing() -> None:
    assert failure('[chamfer-at 0.2 {:made-by "hex-prism"} [prism 5 8 4]]').code == "NO_MATCH"
    assert failure('[chamfer-at 0.2 {:made-by "cylinder-n"} [cylinder 8 4]]').code == "NO_MATCH"


def test_what_a_selection_by_name_means_is_part_of_the_content() -> None:
    def digest(name: str) -> bytes:
        document = model(
            "[let peg [hex-prism 4 4]]"
            f' #[[root-named peg "steel" "{name}"] [chamfer-at 0.1 {{:made-by "peg"}} [union peg Empty]]]'
        )
        return document.digest(document.roots[1].node)

    # or a body that the first program made would be shown for the second
    assert digest("peg") != digest("pin")
    assert digest("peg") == digest("peg")
