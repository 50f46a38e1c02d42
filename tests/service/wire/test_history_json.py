"""Histories through JSON: with texts once, by hash afterwards."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.service.wire.test_plain_json import PLAIN
from vcad_kernel.contracts.messages import CellSource, HistoryEntry, TakenBack
from vcad_kernel.errors import ServiceFailure
from vcad_kernel.service.wire import history_json

_NAMES = st.text(max_size=5)
CELLS = st.builds(
    CellSource,
    cell_id=st.text(min_size=1, max_size=5),
    source=st.text(max_size=20),
    name=_NAMES,
    bindings=st.dictionaries(_NAMES, PLAIN, max_size=3),
    bind=st.one_of(st.none(), _NAMES),
    parameters=st.dictionaries(_NAMES, st.one_of(st.integers(), st.floats(allow_nan=False)), max_size=3),
)
ENTRIES = st.one_of(CELLS, st.frozensets(_NAMES, max_size=3).map(TakenBack))


def same(one: HistoryEntry, other: HistoryEntry) -> bool:
    """To the kind of each number, which ``==`` does not see."""
    if isinstance(one, TakenBack):
        return one == other
    return repr(one) == repr(other) and isinstance(other, CellSource) and one.hash == other.hash


@given(st.lists(ENTRIES, max_size=4))
def test_a_history_comes_back_as_it_was(history: list[HistoryEntry]) -> None:
    wire = json.loads(json.dumps([history_json.encode(one) for one in history]))
    again = history_json.decode(wire, {})
    assert all(same(one, other) for one, other in zip(history, again, strict=True))
    known = {one.hash: one for one in again if isinstance(one, CellSource)}
    short = json.loads(json.dumps([history_json.encode(one, in_full=()) for one in history]))
    by_hash = history_json.decode(short, known)
    assert all(same(one, other) for one, other in zip(history, by_hash, strict=True))


def test_hashes_that_nobody_knows_are_all_named_once() -> None:
    cells = [CellSource(f"c{number}", f"[let a {number}]") for number in (1, 2, 2)]
    wire = [history_json.encode(one, in_full=()) for one in cells]
    with pytest.raises(ServiceFailure) as unknown:
        history_json.decode([*wire, {"taken_back": ["a"]}], {cells[0].hash: cells[0]}, "vcad.eval_repl")
    assert unknown.value.error_code == "PRELUDE_UNKNOWN"
    assert unknown.value.details == {"unknown": [cells[1].hash], "operation": "vcad.eval_repl"}


def test_a_cell_that_is_known_by_hash_keeps_the_name_that_it_is_told() -> None:
    cell = CellSource("one", "[let a 1]")
    (entry,) = history_json.decode(
        [{"cell_id": "two", "source_hash": cell.hash, "name": "In"}], {cell.hash: cell}
    )
    assert entry == CellSource("two", "[let a 1]", "In")


@pytest.mark.parametrize(
    "data",
    [[{"cell_id": "a"}], [{}], [3], [{"cell_id": "a", "source_hash": "x", "source": "", "bindings": [1]}]],
)
def test_what_is_no_history_is_refused(data: Any) -> None:
    with pytest.raises(ServiceFailure) as refused:
        history_json.decode(data, {})
    assert refused.value.error_code == "SCHEMA_VALIDATION_FAILED"
