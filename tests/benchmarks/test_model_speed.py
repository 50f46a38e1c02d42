"""The parts of tests/models, here and in systems that are installed for it: the table of docs/models.md.

    make bench PYTEST_ARGS=-k=models

A round is the evaluation of a program that nothing is known of, with exact figures and a mesh within
0.02 mm, beside the same body there with its volume and its triangles. Libraries are loaded before on both
sides, the one of Loon as well. That both have made the same is asserted. What is compared is what the
processor spends, on all threads of the one process that each side is.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tests.benchmarks.peer_environments import MODELLERS
from tests.benchmarks.test_speed import best_of
from tests.models import MODELS
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.requests import EvalCode

Record = Callable[[str, float, float, str], None]


_ROUNDS = 3
"""Of which the quickest counts: a machine that others use slows some of them down."""
_SAME = 1e-5
"""Relative: OpenCASCADE's own integrals over blends miss some millionths, the figures here 1e-6 at most."""
_BEZIERS = {"card_box_lid": 1e-4}
"""Its integrals over Bézier curves miss more than that; the areas of the four are known as fractions."""


def evaluated(name: str, service: DirectService) -> float:
    """Volume of a part, mm³, in a service that has evaluated nothing."""
    (part,) = service.evaluate(EvalCode(MODELS[name].program, exact=True)).parts
    assert part.mesh_figures.volume > 0
    return part.figures.volume


def seconds(name: str) -> float:
    """Of the processor, for the quickest of some evaluations."""
    fresh = iter([DirectService() for _ in range(_ROUNDS)])
    return best_of(_ROUNDS, lambda: evaluated(name, next(fresh)), time.process_time)


@pytest.mark.peer
def test_models_beside_peers(record: Record) -> None:
    evaluated("bored_block", DirectService())  # what a process loads once
    made = {peer.name: peer.models(_ROUNDS) for peer in MODELLERS}
    for name, model in MODELS.items():
        there = {peer: parts[name] for peer, parts in made.items() if name in parts}
        volume = evaluated(name, DirectService())
        spent = seconds(name)
        for peer, part in there.items():
            assert part.volume == pytest.approx(volume, rel=_BEZIERS.get(name, _SAME)), (name, peer)
            record(f"{name}: {model.lines} lines, {part.lines} there", spent, part.seconds, peer)
