"""What a part has: by number, and as the round features that people speak of."""

from __future__ import annotations

import pytest

from vcad_kernel.geometry.measure.inspection.features import Features
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.questions import FeaturesOf
from vcad_kernel.service.requests import EvalCode

_SERVICE = DirectService()


def of(code: str) -> Features:
    (part,) = _SERVICE.evaluate(EvalCode(code)).parts
    return part.answers.ask(FeaturesOf(), part)


@pytest.mark.parametrize(
    ("code", "faces", "edges", "vertices"),
    [
        ("[cube 1 2 3]", 6, 12, 8),
        ("[union [translate 1 0 0 [cube 1 1 1]] [cube 1 1 1]]", 6, 12, 8),
        ("[cylinder 3 10]", 3, 3, 2),
        ("[hex-prism 4 3]", 8, 18, 12),
    ],
)
def test_faces_edges_and_corners_are_those_of_the_merged_body(
    code: str, faces: int, edges: int, vertices: int
) -> None:
    found = of(code)
    assert (found.faces, found.edges, found.vertices, found.exact) == (faces, edges, vertices, True)


@pytest.mark.parametrize(
    ("code", "diameter", "depth", "through"),
    [
        ("[difference [translate 10 10 -1 [cylinder 2 20]] [cube 20 20 5]]", 4, 5, True),
        ("[difference [translate 10 10 2 [cylinder 2 20]] [cube 20 20 5]]", 4, 3, False),
        ("[fillet 1 [difference [translate 10 10 3 [cylinder 4 9]] [cube 20 20 8]]]", 8, 3, False),
        ("[fillet 1 [difference [translate 10 10 -3 [cylinder 4 25]] [cube 20 20 8]]]", 8, 6, True),
    ],
)
def test_a_hole_has_a_size_and_ends_somewhere_or_nowhere(
    code: str, diameter: float, depth: float, through: bool
) -> None:
    (hole,) = of(code).holes
    assert (hole.diameter, hole.depth) == (pytest.approx(diameter), pytest.approx(depth))
    assert (hole.through, hole.direction, hole.made_by) == (through, (0, 0, -1), "cylinder")


def test_a_hole_with_a_step_is_two_on_one_axis() -> None:
    plate = "[difference [translate 9 9 -1 [cylinder 2 9]] [cube 18 18 5]]"
    wide, narrow = of(f"[difference [translate 9 9 3 [cylinder 4 5]] {plate}]").holes
    assert (wide.diameter, wide.depth, wide.through) == (8, pytest.approx(2), False)
    assert (narrow.diameter, narrow.depth, narrow.through) == (4, pytest.approx(3), True)


@pytest.mark.parametrize("rounding", ["{}", "[fillet 1 {}]"])
def test_a_boss_stands_on_something_and_a_shaft_does_not(rounding: str) -> None:
    (boss,) = of(rounding.format("[union [translate 20 20 0 [cylinder 5 15]] [cube 40 40 5]]")).bosses
    assert boss.diameter == pytest.approx(10)
    assert boss.direction == (0, 0, -1)
    alone = of(rounding.format("[cylinder 5 15]"))
    assert (alone.holes, alone.bosses) == ((), ())


@pytest.mark.parametrize(
    ("holes", "kind", "count", "spacing"),
    [
        ("[linear-pattern 10 0 0 4 10 [translate 8 8 -1 [cylinder 2 20]]]", "linear", 4, [10]),
        ("[circular-pattern 30 30 0 0 0 1 6 360 [translate 50 30 -1 [cylinder 2 20]]]", "circular", 6, [40]),
        (
            "[linear-pattern 1 0 0 3 20 [linear-pattern 0 1 0 2 15 [translate 8 8 -1 [cylinder 2 20]]]]",
            "grid",
            6,
            [15, 20],
        ),
    ],
)
def test_equal_holes_at_equal_distances_are_a_pattern(
    holes: str, kind: str, count: int, spacing: list[float]
) -> None:
    found = of(f"[difference {holes} [cube 60 60 5]]")
    assert len(found.holes) == count
    (pattern,) = found.patterns
    assert (pattern.kind, pattern.count, sorted(pattern.spacing)) == (kind, count, pytest.approx(spacing))


def test_holes_of_different_sizes_or_out_of_step_are_none() -> None:
    for radius, x in ((2.5, 32), (2, 33)):
        bores = [f"[translate {at} 8 -1 [cylinder {r} 9]]" for at, r in ((8, 2), (20, radius), (x, 2))]
        drilled = f"[difference {bores[0]} [difference {bores[1]} [difference {bores[2]} [cube 60 16 5]]]]"
        found = of(drilled)
        assert (len(found.holes), found.patterns) == (3, ())


def test_where_the_exact_body_is_not_asked_the_mesh_counts_and_the_reason_is_told() -> None:
    found = of("[linear-pattern 1 0 0 70 3 [cube 1 1 1]]")
    assert (found.faces, found.edges, found.vertices, found.exact) == (420, 840, 560, False)
    assert "64 boolean operands" in found.why_not
