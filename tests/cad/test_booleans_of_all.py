"""Booleans of a whole vector: what they give, of none and of one, and what is said of the fold that errs."""

from __future__ import annotations

import pytest

from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.errors import GeometryError
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.protocol import EvaluationResult
from vcad_kernel.service.requests import EvalCode

_ROW = "[map [fn [i] [translate [* i 4] 0 0 [cube 2 2 2]]] [range 0 3]]"
_SHIFTED = "#[[cube 4 4 4] [translate 1 0 0 [cube 4 4 4]] [translate 0 2 0 [cube 4 4 4]]]"


def _result(text: str) -> EvaluationResult:
    result = DirectService().evaluate(EvalCode(text, allow_scene=True))
    assert [one for one in result.diagnostics if one.severity != "hint"] == []
    return result


@pytest.mark.parametrize(
    ("text", "volume"),
    [
        (f"[union-all {_ROW}]", 24.0),
        (f"[difference-all {_ROW} [cube 10 2 2]]", 16.0),
        (f"[pipe [cube 10 2 2] [difference-all {_ROW}]]", 16.0),
        (f"[intersection-all {_SHIFTED}]", 24.0),
        ("[union-all #[[cube 1 2 3]]]", 6.0),
        ("[intersection-all #[[cube 1 2 3]]]", 6.0),
        ("[difference-all #[] [cube 1 2 3]]", 6.0),
        ("[difference-all #[[cube 1 1 1]] [cube 1 2 3]]", 5.0),
        ("[union-all #[]]", 0.0),
    ],
)
def test_a_boolean_of_all(text: str, volume: float) -> None:
    assert _result(text).parts[0].figures.volume == pytest.approx(volume)


def test_it_is_the_boolean_that_a_fold_makes() -> None:
    folded = _result(f"[fold [nth {_ROW} 0] union [drop 1 {_ROW}]]").parts[0]
    assert _result(f"[union-all {_ROW}]").parts[0].figures == folded.figures


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("[intersection-all #[]]", "INVALID_PARAMETER", "intersection-all: xs must hold a solid at least"),
        (
            "[union-all #[[cube 1 1 1] 5]]",
            "TYPE_MISMATCH",
            "union-all: xs must be a vector of solids or a vector of profiles, got",
        ),
        ("[difference-all 5 [cube 1 1 1]]", "TYPE_MISMATCH", "difference-all: tools must be a vector of"),
    ],
)
def test_what_cannot_be_is_refused_by_name(text: str, code: str, message: str) -> None:
    with pytest.raises(GeometryError) as caught:
        DirectService().evaluate(EvalCode(text))
    assert caught.value.code == code
    assert message in caught.value.message


def test_a_fold_of_differences_is_told_its_opposite() -> None:
    text = "[fold [cube 9 9 9] difference #[[sphere 2]]]"
    (found,) = Environment(prelude=PRELUDE).check(Source("a", text))
    assert "[difference-all tools part]" in found.fix
    assert "opposite" in found.why
