"""A history stays short and means the same: what is dropped from it, run or not, changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.service.notebook import Notebook
from tests.tiers import examples
from vcad_kernel.contracts.messages import CellSource, HistoryEntry, TakenBack
from vcad_kernel.errors import Cancelled, ErrorCode, LoonRuntimeError, ServiceFailure, VcadError
from vcad_kernel.loon.printing.display import display
from vcad_kernel.service.evaluation.cells import CellEnvironment
from vcad_kernel.service.evaluation.history import was_stopped

_NAMES = ("a", "b", "f", "g", "m", "len")
_BODIES = (
    "[let a 1]",
    "[let a 2]",
    "[let b [+ a 1]]",
    "[let b 5]",
    "[fn f [] a]",
    "[fn f [] [g]]",
    "[fn g [] b]",
    "[let g f]",
    "[macro m [] `a]",
    "[let b [m]]",
    "[f]",
    "[g]",
    "[+ a b]",
    "[nth #[] 0]",
    "[let a",
    "[fn len [x] 42]",
    "[len #[1]]",
    "[type T [A n] B] [let a [A 1]]",
    "[let a B]",
    "[let mut a 1]",
    "[set! a 9]",
    "[fn f [] [set! b 7]]",
    "[defparam a 4 {:min 0}]",
    "[let p {:x a}]",
    "[let b p.x]",
    "[fn f [] p.x]",
    "[println 1]",
    "42",
)
_CELLS = st.builds(
    CellSource,
    cell_id=st.sampled_from(["one", "two", "three"]),
    source=st.lists(st.sampled_from(_BODIES), min_size=1, max_size=2).map("\n".join),
    bind=st.sampled_from([None, None, "a", "p"]),
    bindings=st.sampled_from([{}, {}, {"b": 3}]),
    parameters=st.sampled_from([{}, {}, {"a": 6}]),
)
_ENTRIES = st.one_of(
    _CELLS, _CELLS, _CELLS, st.frozensets(st.sampled_from(_NAMES), min_size=1, max_size=2).map(TakenBack)
)


def silent(_text: str) -> None:
    pass


def environment_of(history: Sequence[HistoryEntry]) -> CellEnvironment:
    made = CellEnvironment()
    made.replay(history)
    return made


_PROBES = [*_NAMES, "p", "[f]", "[g]", "[m]", "[len #[1 2]]"]


def meaning(environment: CellEnvironment) -> list[object]:
    """What its names are, and what comes of asking for each."""
    found: list[object] = [
        (name, one.cell_id, one.display, one.given, one.type, one.entry.type, one.entry.kind, one.entry.usage)
        for name, one in environment.definitions().items()
    ]
    for number, probe in enumerate(_PROBES):
        found.append([one.code for one in environment.check(CellSource("probe", probe))])
        try:
            found.append(display(environment.run(CellSource(f"probe-{number}", probe), silent)))
        except VcadError as error:
            found.append((error.code, error.message))
    return found


@given(st.lists(_ENTRIES, max_size=9))
@examples(40)
def test_a_shortened_history_gives_the_same_names_and_values(entries: list[HistoryEntry]) -> None:
    environment = CellEnvironment()
    kept: list[HistoryEntry] = []
    for entry in entries:
        kept.append(entry)
        if isinstance(entry, TakenBack):
            environment.take_back(entry.names)
            continue
        with suppress(VcadError):
            environment.run(entry, silent)
        dropped = environment.drop_obsolete()
        kept = [one for index, one in enumerate(kept) if index not in dropped]
        assert environment.shared_with(kept) == len(kept)
        if entry is entries[-1]:
            assert environment.drop_obsolete() == ()
    expected = meaning(environment_of(entries))
    if kept != entries:
        assert meaning(environment_of(kept)) == expected
    assert meaning(environment) == expected


def test_who_drops_nothing_is_served_all_the_same_and_told_again_what_to_drop() -> None:
    environment = CellEnvironment()
    told: list[HistoryEntry] = []
    for number, obsolete in enumerate([(), (0,), (0, 1), (0, 1, 3)]):
        told.append(CellSource("slider", f"[let w {number}]") if number < 3 else CellSource("look", "w"))
        assert environment.shared_with(told[:-1]) == number
        environment.run(told[-1], silent)  # type: ignore[arg-type]
        assert environment.drop_obsolete() == obsolete


def history_after(*runs: tuple[str, str]) -> list[str]:
    """The texts that are left of a notebook's history. runs: id of a cell and its text."""
    notebook = Notebook()
    for cell_id, source in runs:
        notebook.run(source, cell_id)
    return [one.source for one in notebook.history if isinstance(one, CellSource)]


def test_a_slider_that_is_dragged_leaves_one_entry() -> None:
    slider = [("slider", f"[let w {width}] [cube w 1 1]") for width in range(1, 100)]
    assert history_after(("before", "[let x 1]"), *slider) == ["[let x 1]", "[let w 99] [cube w 1 1]"]


def test_a_slider_whose_part_another_cell_uses_leaves_what_that_cell_saw() -> None:
    drags = [("slider", f"[let w {width}]") for width in range(3, 20)]
    left = history_after(("slider", "[let w 2]"), ("user", "[let twice [* 2 w]]"), *drags)
    assert left == ["[let w 2]", "[let twice [* 2 w]]", "[let w 19]"]


def test_a_run_that_takes_back_what_covered_another_name_is_kept_though_it_is_repeated() -> None:
    runs = (("a", "[let x 1]"), ("b", "[let x 2]"), ("b", "1"), ("b", "1"))
    assert history_after(*runs) == ["[let x 1]", "[let x 2]", "1"]


def test_a_look_at_a_value_leaves_nothing() -> None:
    assert history_after(("a", "[let x 1]"), ("b", "x"), ("c", "[+ x 1]")) == ["[let x 1]"]


def test_a_cell_that_never_runs_rightly_leaves_nothing_after_the_next_that_does() -> None:
    notebook = Notebook()
    for wrong in ("[nth #[] 0]", "[cube 1 2", "[+ 1 nowhere]"):
        for cell_id in ("scratch", "nameless:1", "nameless:2"):
            with pytest.raises(VcadError):
                notebook.run(wrong, cell_id)
    with pytest.raises(VcadError):
        notebook.run("[let kept 1] [nth #[] 0]", "half")
    notebook.run("[let a 1]", "one")
    assert [entry.cell_id for entry in notebook.history if isinstance(entry, CellSource)] == ["half", "one"]
    assert notebook.run("[+ a kept]", "two").display == "2"


def test_what_covered_another_cells_name_is_kept() -> None:
    runs = (("a", "[let x 1]"), ("b", "[let x 2]"), ("b", "[let y 3]"))
    assert history_after(*runs) == [source for _, source in runs]


def test_nothing_is_dropped_where_values_change_in_place() -> None:
    runs = (("a", "[let mut n 0] [fn bump [] [set! n [+ n 1]] n]"), ("b", "[bump]"), ("b", "[bump]"))
    assert history_after(*runs) == [source for _, source in runs]


def test_names_taken_back_that_nobody_defines_any_more_are_dropped() -> None:
    notebook = Notebook()
    notebook.run("[let x 1]", "a")
    notebook.take_back("x")
    notebook.run("[let y 1]", "a")
    assert notebook.history == [CellSource("a", "[let y 1]")]
    assert notebook.run("y").display == "1"


@pytest.mark.parametrize(
    ("error", "stopped"),
    [
        (KeyboardInterrupt(), True),
        (MemoryError(), True),
        (Cancelled("stopped"), True),
        (LoonRuntimeError("slow", code="time-limit"), True),
        (ServiceFailure(ErrorCode.WORKER_CRASHED, "gone"), True),
        (LoonRuntimeError("no", code="index"), False),
        (ValueError(), False),
    ],
)
def test_an_evaluation_that_was_stopped_from_outside_is_told_from_one_that_failed(
    error: BaseException, stopped: bool
) -> None:
    assert was_stopped(error) is stopped
