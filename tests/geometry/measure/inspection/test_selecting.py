"""From what was picked to criteria: as short as they can be, and they select exactly that."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiers import examples
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.measure.inspection.inspection import Edge, Face
from vcad_kernel.geometry.measure.inspection.selecting import SelectorFound
from vcad_kernel.operations.features.selections import Target
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.protocol import PartResult
from vcad_kernel.service.questions import EdgesOf, FacesOf, SelectionOf, SelectorFor
from vcad_kernel.service.requests import EvalCode

FLANGE = """[difference
  [circular-pattern 0 0 0 0 0 1 6 360 [translate 30 0 -1 [cylinder 3 12]]]
  [difference [translate 0 0 -1 [cylinder 11 40]] [union [cylinder 40 8] [cylinder 18 25]]]]"""
STEPS = "[union [cube 30 10 5] [union [cube 20 10 10] [cube 10 10 15]]]"


@pytest.fixture(scope="module")
def service() -> DirectService:
    return DirectService()


@pytest.fixture(scope="module")
def made(service: DirectService) -> Callable[[str], PartResult]:
    known: dict[str, PartResult] = {}

    def part(code: str) -> PartResult:
        if code not in known:
            (known[code],) = service.evaluate(EvalCode(code)).parts
        return known[code]

    return part


def edges(part: PartResult, wanted: Callable[[Edge], bool]) -> tuple[int, ...]:
    return tuple(row.index for row in part.answers.ask(EdgesOf(exact=True), part) if wanted(row))


def faces(part: PartResult, wanted: Callable[[Face], bool]) -> tuple[int, ...]:
    return tuple(row.index for row in part.answers.ask(FacesOf(exact=True), part) if wanted(row))


def asked(part: PartResult, target: Target, indexes: tuple[int, ...]) -> SelectorFound:
    found = part.answers.ask(SelectorFor(target=target, indexes=indexes), part)
    if found.text is not None:
        taken = part.answers.ask(SelectionOf(target=target, criteria=found.text), part)
        assert set(taken.indexes) == set(indexes)
        assert (found.target, found.count, found.why) == (target, len(set(indexes)), "")
    return found


def test_rims_of_a_pattern_of_holes_are_told_by_their_radius(made: Callable[[str], PartResult]) -> None:
    part = made(FLANGE)
    rims = edges(part, lambda row: row.radius == pytest.approx(3.0))
    assert len(rims) == 12
    assert asked(part, "edge", rims).text == "{:radius 3}"
    upper = edges(part, lambda row: row.radius == pytest.approx(3.0) and row.center[2] > 4.0)
    assert asked(part, "edge", upper).text == "{:radius 3 :at {:z 8}}"


def test_top_edges_of_a_box_lie_beside_its_top(made: Callable[[str], PartResult]) -> None:
    part = made("[cube 20 15 10]")
    top = edges(part, lambda row: row.center[2] == 10.0)
    assert asked(part, "edge", top).text == ":top"
    assert asked(part, "edge", edges(part, lambda row: row.center[2] == 5.0)).text == "{:length 10}"
    assert (
        asked(part, "edge", edges(part, lambda row: row.direction == (1.0, 0.0, 0.0))).text == "{:length 20}"
    )
    assert asked(part, "edge", edges(part, lambda row: row.length == 10.0)).text == "{:length 10}"
    assert asked(part, "edge", tuple(range(12))).text == ":all"


def test_one_face_is_told_by_its_normal_or_kind(made: Callable[[str], PartResult]) -> None:
    part = made("[difference [translate 10 5 -1 [cylinder 2 20]] [cube 20 15 10]]")
    assert asked(part, "face", faces(part, lambda row: row.kind == "cylinder")).text == "{:radius 2}"
    top = faces(part, lambda row: row.normal == (0.0, 0.0, 1.0))
    assert asked(part, "face", top).text == ":top"


def test_what_only_a_place_tells_from_the_others_is_told_by_it(made: Callable[[str], PartResult]) -> None:
    part = made("[linear-pattern 1 0 0 3 9 [linear-pattern 0 1 0 3 9 [cube 2 2 2]]]")
    middle = edges(part, lambda row: row.center == (10.0, 9.0, 2.0))
    assert len(middle) == 1
    assert asked(part, "edge", middle).text == "{:at {:x 10 :y 9 :z 2}}"


def test_what_no_criteria_tell_from_the_others_says_so(made: Callable[[str], PartResult]) -> None:
    part = made("[linear-pattern 1 0 0 3 9 [linear-pattern 0 1 0 3 9 [cube 2 2 2]]]")
    here = {(1.0, 0.0, 2.0), (10.0, 9.0, 2.0), (19.0, 2.0, 0.0)}
    found = asked(part, "edge", edges(part, lambda row: row.center in here))
    assert (found.text, found.count) == (None, 0)
    assert "one by one" in found.why


def test_seams_and_nothing_are_explained(made: Callable[[str], PartResult]) -> None:
    part = made("[cylinder 5 10]")
    assert "no sharp edge" in asked(part, "edge", edges(part, lambda row: row.kind == "line")).why
    assert asked(part, "edge", ()).why == "nothing is picked"
    with pytest.raises(GeometryError, match="no edge 77"):
        asked(part, "edge", (77,))


def test_forms_and_neighbours_tell_things_apart(made: Callable[[str], PartResult]) -> None:
    part = made(STEPS)
    treads = faces(part, lambda row: row.normal == (0.0, 0.0, 1.0))
    assert asked(part, "face", treads).text == "{:normal :z}"
    uppermost = edges(part, lambda row: row.center[2] == 15.0)
    assert asked(part, "edge", uppermost).text == ":top"
    inner = edges(part, lambda row: row.center in {(20.0, 5.0, 5.0), (10.0, 5.0, 10.0)})
    assert asked(part, "edge", inner).text == "{:convex false}"


@given(st.data())
@examples(8)
def test_whatever_is_offered_selects_exactly_what_was_picked(
    made: Callable[[str], PartResult], data: st.DataObject
) -> None:
    target: Target = data.draw(st.sampled_from(["edge", "face"]))
    code = data.draw(st.sampled_from([FLANGE, STEPS, "[chamfer 1 [cube 8 9 10]]"]))
    part = made(code)
    table = (
        edges(part, lambda row: row.kind != "other")
        if target == "edge"
        else faces(part, lambda row: row.area > 0)
    )
    picked = data.draw(st.sets(st.sampled_from(table), min_size=1, max_size=3))
    asked(part, target, tuple(picked))
