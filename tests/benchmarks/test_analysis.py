"""How quickly a text of 500 lines answers while it is typed: completion, hover, references, rename.

As in test_speed.py nothing passes or fails by the clock.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from tests.benchmarks.models import long_model
from tests.benchmarks.test_speed import best_of, seconds_in_fresh_python
from vcad_kernel.cad.reference import ENTRIES as CAD_ENTRIES
from vcad_kernel.loon.analysis import Document, KnownEntries, complete, describe
from vcad_kernel.loon.analysis.navigation import references, rename
from vcad_kernel.loon.analysis.symbols import outline
from vcad_kernel.loon.reference_entries.table import ENTRIES

Record = Callable[[str, float, float, str], None]

KNOWN = KnownEntries({**ENTRIES, **CAD_ENTRIES})
TEXT = long_model(71)
LIMIT = 0.030

_turns = itertools.count()


def typed(head: str = "[bracket-3") -> tuple[str, int]:
    """The model with a new, half-typed form in its middle, different each time, and where typing goes on."""
    at = TEXT.index("[fn bracket-35 ")
    form = f"[fn fresh-{next(_turns)} [width]\n  {head}"
    return f"{TEXT[:at]}{form}\n\n{TEXT[at:]}", at + len(form)


@pytest.mark.benchmark(group="analysis")
def test_completion_in_a_half_typed_form(benchmark: Any, record: Record) -> None:
    assert TEXT.count("\n") >= 499

    def work() -> Any:
        return complete(*typed(), KNOWN)

    assert "bracket-3" in [item.label for item in work().items]
    benchmark(work)
    record("completion in 500 lines, one form edited", best_of(20, work), LIMIT, "limit 30 ms")


@pytest.mark.benchmark(group="analysis")
def test_completion_of_everything_there_is(benchmark: Any, record: Record) -> None:
    def work() -> Any:
        return complete(*typed("["), KNOWN)

    assert len(work().items) > 150
    benchmark(work)
    record("completion of an empty head in 500 lines", best_of(20, work), LIMIT, "limit 30 ms")


@pytest.mark.benchmark(group="analysis")
def test_first_completion_in_a_fresh_python(benchmark: Any, record: Record) -> None:
    setup = "from tests.benchmarks.test_analysis import *"
    benchmark.pedantic(lambda: seconds_in_fresh_python(setup, "complete(*typed(), KNOWN)"), rounds=3)
    spent = min(seconds_in_fresh_python(setup, "complete(*typed(), KNOWN)") for _ in range(3))
    record("first completion in 500 lines, nothing kept", spent, LIMIT, "for comparison 30 ms")


@pytest.mark.benchmark(group="analysis")
def test_hover_references_rename_and_outline(benchmark: Any, record: Record) -> None:
    text, _ = typed()
    wall = text.index("wall")

    def hover() -> Any:
        return describe(text, wall, KNOWN)

    def refer() -> Any:
        return references(Document(text, KNOWN), wall)

    def another_name() -> Any:
        return rename(Document(text, KNOWN), wall, "thickness")

    assert hover().usage == "wall"
    assert len(refer()) == len(another_name()) == 1 + 71 * 3
    benchmark(refer)
    record("hover in 500 lines", best_of(20, hover), LIMIT, "limit 30 ms")
    record("references in 500 lines", best_of(20, refer), LIMIT, "limit 30 ms")
    record("outline of 500 lines", best_of(20, lambda: outline(Document(text, KNOWN))), LIMIT, "limit 30 ms")
    record("rename in 500 lines, checked", best_of(5, another_name), LIMIT, "for comparison 30 ms")
