"""Reading and formatting ten thousand lines, each against its limit in the same run.

make bench
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import pytest

from vcad_kernel.loon.printing.formatter import format_source
from vcad_kernel.loon.reading.reader import forget, read
from vcad_kernel.loon.source import Source

Record = Callable[[str, float, float, str], None]

SECTION = """
; Bracket {i}: a plate with a row of holes and two ribs.
[type Bracket{i} [Plain{i} Float Float] [Ribbed{i} Float Float Int] None{i}]

[fn holes-{i} [w pitch]
  [let count [/ [- w {i}] pitch]]
  [let hole [translate {i}.5 6.25 -1 [cylinder 1.5 [+ wall-{i} 2]]]]   ; through
  [linear-pattern 1 0 0 count pitch hole]]

[fn bracket-{i} [w d & options]
  [let inset [+ {i} [* 0.1 w]]]
  [let {{label label thick {i}}} {{:label "bracket {i}" :thick 3}}]
  [pipe [cube w d thick]
    [union [cube wall-{i} d [* 0.5 w]]]
    [difference [holes-{i} w [/ w 4]]]
    [map [fn [part] [translate [* 60 {i}] 0 0 part]]]]]

[fn area-{i} [shape]
  [match shape
    [Plain{i} w h] [* w h]
    [Ribbed{i} w h ribs] [+ [* w h] [* ribs {i}.25]]
    None{i} 0.0]]

[let wall-{i} 4]
[let row-{i} #[[bracket-{i} 40 {i}] [bracket-{i} 41 30] [bracket-{i} 42 32.5]]]
[println "bracket {i}: {{[area-{i} [Plain{i} 2.0 {i}.0]]}} mm², wall {{wall-{i}}}"]
"""


def long_program(lines: int = 10_000) -> str:
    """A program of so many lines, of which no two forms are alike."""
    sections = lines // SECTION.count("\n")
    return "".join([SECTION.format(i=i) for i in range(sections + 1)])


def cpu_seconds(times: int, work: Callable[[], Any]) -> float:
    """Processor seconds of the quickest of several runs."""
    spent = []
    for _ in range(times):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)


@pytest.mark.benchmark(group="reading")
def test_first_read_of_ten_thousand_lines(benchmark: Any, record: Record) -> None:
    source = Source("long.oo", long_program())
    assert source.text.count("\n") >= 10_000

    def first() -> Any:
        forget()
        return read(source)

    assert len(first()) > 2500
    benchmark.pedantic(first, rounds=3)
    record("first read of 10 000 lines", cpu_seconds(5, first), 0.150, "limit 150 ms CPU")


@pytest.mark.benchmark(group="reading")
@pytest.mark.parametrize("where", ["beginning", "middle", "end"])
def test_read_after_an_edit_of_one_definition(benchmark: Any, record: Record, where: str) -> None:
    text = long_program()
    at = text.index("[let wall-", {"beginning": 0, "middle": len(text) // 2, "end": len(text) - 600}[where])
    sources = itertools.cycle(
        [Source("long.oo", text[:at] + f"[let added {'1' * n}]\n" + text[at:]) for n in range(1, 18)]
    )
    forget()
    read(Source("long.oo", text))

    def edited() -> Any:
        return read(next(sources))

    assert len(edited()) == len(read(Source("long.oo", text))) + 1
    benchmark(edited)
    record(f"read after an edit at the {where}", cpu_seconds(20, edited), 0.002, "limit 2 ms CPU")


@pytest.mark.benchmark(group="reading")
def test_formatting_ten_thousand_lines(benchmark: Any, record: Record) -> None:
    text = long_program()
    assert format_source(text).count("\n") > 9_000
    benchmark.pedantic(lambda: format_source(text), rounds=1)
    record("format 10 000 lines", cpu_seconds(3, lambda: format_source(text)), 1.0, "limit 1 s CPU")
