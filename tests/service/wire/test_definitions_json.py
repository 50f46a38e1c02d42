"""Definitions that are told as what has changed: who knows those before has all of them, in their order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.errors import ErrorCode, ServiceFailure
from vcad_kernel.loon.reference import Entry
from vcad_kernel.service.protocol import Definition
from vcad_kernel.service.wire.definitions_json import KnownDefinitions, SentDefinitions, changed, encode

_STATES = st.lists(st.tuples(st.sampled_from("abcdefg"), st.integers(0, 2)), unique_by=lambda each: each[0])


def defined(state: list[tuple[str, int]]) -> dict[str, Definition]:
    return {
        name: Definition(Entry(name, "variable", name), f"cell {value}", str(value)) for name, value in state
    }


@given(_STATES, _STATES)
def test_whatever_changes_is_known_afterwards_in_its_order(
    before: list[tuple[str, int]], now: list[tuple[str, int]]
) -> None:
    worker = SentDefinitions()
    sent, beside = worker.since("", defined(before))
    known = KnownDefinitions().after({"definitions": encode(sent), **beside})
    sent, beside = worker.since(known.tag, defined(now))
    after = known.after({"definitions": encode(sent), **beside})
    assert list(after.definitions.items()) == list(defined(now).items())


def test_of_many_names_only_those_of_the_cell_that_has_run_are_told() -> None:
    before = defined([(f"n{number}", 1) for number in range(1000)])
    now = {name: one for name, one in before.items() if name not in ("n7", "n9")} | defined([("n7", 2)])
    sent, gone = changed(before, now)
    assert (list(sent), gone) == (["n7"], ["n9"])


def test_what_a_worker_does_not_know_any_more_is_told_whole() -> None:
    worker, many = SentDefinitions(), defined([(f"n{number}", 1) for number in range(40)])
    sent, beside = worker.since("another worker's", many)
    assert sent == many
    known = KnownDefinitions({}, "another worker's").after({"definitions": encode(sent), **beside})
    assert known.definitions == many
    assert known.asked == {"definitions_since": beside["definitions_tag"]}
    for _ in range(8):
        worker.since("", many)
    assert worker.since(known.tag, many)[0] == many


def test_who_never_asks_is_told_as_ever() -> None:
    few = defined([("a", 1)])
    assert SentDefinitions().since(None, few) == (few, {})
    assert KnownDefinitions(few, "tag").asked == {}


def test_changes_of_what_was_never_known_are_refused() -> None:
    with pytest.raises(ServiceFailure) as failed:
        KnownDefinitions().after({"definitions": [], "definitions_since": "tag"})
    assert failed.value.error_code == ErrorCode.SCHEMA_VALIDATION_FAILED
