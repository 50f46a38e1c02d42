"""The checker's findings under a cell, in a real kernel."""

from __future__ import annotations

import re

import pytest

from tests.integration.kernel import Kernel

WRONG = '[fn half [x] [/ x 2]]\n[fn never-called [] [half "2"]]'


def test_findings_stand_beside_the_result_and_never_instead_of_it(kernel: Kernel) -> None:
    done = kernel.run(f"%%loon found\n{WRONG}\n[cube 1 2 3]")
    assert done.status == "ok", done.traceback
    findings, part = done.data
    assert part["text/plain"].startswith("found: 1 × 2 × 3 mm")
    assert re.match(r"error \[E0\d\d\d\] ", findings["text/plain"])
    assert '3 | [fn never-called [] [half "2"]]' in findings["text/plain"]
    assert "<details open" in findings["text/html"]


@pytest.mark.parametrize(
    "cell",
    [
        "[cube 50 30.0 5]",
        "[fn plate [w] [difference [cube w w 1] [translate 1 1 -1 [cylinder 0.5 3]]]] [plate 4]",
        "[macro twice [x] `[* 2 ~x]] [twice 21]",
        "[let {width 5} {:width 3 :depth 4.5}] [cube width width 1]",
    ],
)
def test_a_clean_cell_shows_nothing_extra(kernel: Kernel, cell: str) -> None:
    assert len(kernel.run(f"%%loon\n{cell}").data) == 1


def test_what_is_only_advice_is_one_line(kernel: Kernel) -> None:
    findings, value = kernel.run("%%loon\n[if 1 2 3]").data
    assert value["text/plain"] == "2"
    assert findings["text/plain"].startswith("hint [")
    assert "<summary" in findings["text/html"]
    assert "<details open" not in findings["text/html"]


def test_a_failing_cell_shows_what_its_error_does_not_say(kernel: Kernel) -> None:
    done = kernel.run(f"%%loon\n{WRONG}\n[nth #[1] 9]")
    assert done.status == "error"
    (findings,) = done.data
    assert '[half "2"]' in findings["text/plain"]
    assert "[index]" in done.traceback


def test_a_failing_cell_says_nothing_twice(kernel: Kernel) -> None:
    done = kernel.run("%%loon\n[cube 1 1 nowhere]")
    assert done.status == "error"
    assert done.data == []


def test_names_of_earlier_cells_and_of_python_are_known(kernel: Kernel) -> None:
    kernel.run("wide = 3")
    kernel.run("%%loon\n[fn slab [t] [cube 2 2 t]]")
    assert len(kernel.run("%%loon shelf -i wide\n[slab wide]").data) == 1
    assert len(kernel.run("%%loon\n[translate 1 1 1 shelf]").data) == 1


def test_a_redefinition_in_an_earlier_cell_is_known(kernel: Kernel) -> None:
    kernel.run("%%loon\n[fn size [] 3]", cell_id="size")
    assert len(kernel.run("%%loon\n[cube [size] 1 1]").data) == 1
    kernel.run('%%loon\n[fn size [] "3"]', cell_id="size")
    failing = kernel.run("%%loon\n[fn later [] [cube [size] 1 1]]")
    assert "[E0200]" in failing.data[0]["text/plain"]


def test_an_expression_on_a_line_has_findings_too(kernel: Kernel) -> None:
    done = kernel.run("%loon [fn wrong [] [uppercase 3]]")
    assert "[E0200]" in done.data[0]["text/plain"]
