"""The parts of tests/models, here and in CadQuery, which is installed for it: the table of docs/models.md.

    make bench PYTEST_ARGS=-k=models

A round is the evaluation of a program that nothing is known of, with exact figures and a mesh within 0.02 mm,
beside the same body in CadQuery with its volume and its triangles. That both have made the same is asserted.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.benchmarks.peer_environments import CADQUERY_MODELS
from tests.benchmarks.test_speed import best_of
from tests.models import MODELS
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.requests import EvalCode

Record = Callable[[str, float, float, str], None]


_ROUNDS = 5
"""Of which the quickest counts: a machine that others use slows some of them down."""
_SAME = 1e-5
"""Relative: OpenCASCADE's own integrals over blends miss some millionths, the figures here 1e-6 at most."""


def evaluated(name: str) -> float:
    """Volume of a part, mm³, in a service that has evaluated nothing."""
    (part,) = DirectService().evaluate(EvalCode(MODELS[name].program, exact=True)).parts
    assert part.mesh_figures.volume > 0
    return part.figures.volume


@pytest.mark.peer
def test_models_beside_cadquery(record: Record) -> None:
    evaluated("bored_block")  # what a process loads once
    for name, made in CADQUERY_MODELS.models(_ROUNDS).items():
        assert evaluated(name) == pytest.approx(made.volume, rel=_SAME), name
        seconds = best_of(_ROUNDS, lambda name=name: evaluated(name))  # type: ignore[misc]
        lines = f"{name}: {MODELS[name].lines} lines, {made.lines} there"
        record(lines, seconds, made.seconds, "CadQuery")
