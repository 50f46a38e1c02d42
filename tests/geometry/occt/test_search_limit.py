"""How far a refused feature looks for a size that works: as far as the evaluation lets it, no further."""

from __future__ import annotations

import math

import pytest

from tests.geometry.models import box, document, solid
from vcad_kernel.geometry.evaluate import EvaluationOptions, evaluate
from vcad_kernel.geometry.occt.insets.wall_limits import largest_working
from vcad_kernel.geometry.solid import SearchLimit
from vcad_kernel.operations.bodies.bodies import Offset
from vcad_kernel.operations.features.features import Fillet, Shell
from vcad_kernel.operations.node import Node


class CountingWalls:
    """Builds nothing, up to a thickness; knows what it was asked for."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self.tried: list[float] = []

    def works(self, thickness: float) -> bool:
        self.tried.append(thickness)
        return thickness < self.limit


@pytest.mark.parametrize("limit", [9.999, 7.0, math.pi, 0.01])
def test_walls_are_searched_to_one_in_two_thousand_in_fewer_trials_than_a_search_may_have(
    limit: float,
) -> None:
    walls = CountingWalls(limit)
    largest = largest_working(walls.works, 10.0, seconds=math.inf, trials=SearchLimit().trials)
    assert largest in walls.tried
    assert largest == pytest.approx(limit, rel=6e-4)
    assert largest < limit
    assert len(walls.tried) < SearchLimit().trials


def test_where_no_wall_works_the_search_ends_by_itself() -> None:
    walls = CountingWalls(0.0)
    assert largest_working(walls.works, 10.0, seconds=math.inf, trials=SearchLimit().trials) is None
    assert len(walls.tried) < SearchLimit().trials


@pytest.mark.parametrize("trials", [0, 1, 2, 5])
def test_no_more_walls_are_built_than_there_are_trials(trials: int) -> None:
    walls = CountingWalls(math.pi)
    largest = largest_working(walls.works, 10.0, seconds=math.inf, trials=trials)
    assert len(walls.tried) == trials
    assert largest == max((value for value in walls.tried if value < math.pi), default=None)


def test_the_search_for_walls_stops_when_its_time_is_over() -> None:
    ticks = iter(range(1000))
    walls = CountingWalls(1.0)
    largest_working(walls.works, 10.0, seconds=3.0, trials=40, clock=lambda: float(next(ticks)))
    assert len(walls.tried) <= 3


@pytest.mark.parametrize(
    ("feature", "size", "usual", "one_trial"),
    [
        (Fillet, {"radius": 50.0}, 4.999, 4.995),
        (Shell, {"thickness": 50.0}, 4.998, 4.998),
        (Offset, {"distance": -50.0}, -4.998, -4.998),
    ],
)
def test_the_limit_of_an_evaluation_reaches_the_feature_that_fails(
    feature: type[Node], size: dict[str, float], usual: float, one_trial: float
) -> None:
    def found(options: EvaluationOptions | None) -> float | None:
        scene = evaluate(document(solid(feature, box(10.0, 10.0, 10.0), **size)), options)
        largest: float | None = scene.failures[0].error.details["largest_working"]
        return largest

    assert found(None) == usual
    assert found(EvaluationOptions(search=SearchLimit(trials=1))) == one_trial
    assert found(EvaluationOptions(search=SearchLimit(trials=0))) is None
