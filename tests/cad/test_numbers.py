"""Numbers of a drawing: a parameter is a float, counts say so, and what changes silently is told."""

from __future__ import annotations

import pytest

from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.errors import LoonError
from vcad_kernel.loon.diagnostics import Diagnostic
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source


def ran(text: str) -> tuple[object, tuple[Diagnostic, ...]]:
    session = Environment(prelude=PRELUDE)
    return session.run(Source("part.oo", text)), session.diagnostics


@pytest.mark.parametrize(
    "text",
    [
        "[map [fn [i] [* i 2]] [range 0 n]]",
        "[nth #[1 2 3 4] [- n 1]]",
        "[get #[1 2 3] [- n 3]]",
        "[take n [drop n [chunk n [range 9]]]]",
        "[if [< n 5] [>= n 4] false]",
        "[fold 0 [fn [a i] [+ a i]] [range n]]",
        "[% n 3]",
        "[fn holes [count] [range 0 count]] [holes n]",
        "[match [% n 3] 1 true _ false]",
    ],
)
def test_a_program_that_counts_with_a_parameter_goes_on_as_before(text: str) -> None:
    as_before, found = ran(f"[let n 4] {text}")
    assert found == ()
    assert ran(f"[defparam n 4] {text}") == (as_before, ())


@pytest.mark.parametrize(
    "text",
    [
        "[= n 4]",
        "[map [fn [i] [= i [- n 1]]] [range 0 4]]",
        "[fn last? [i] [= i n]]",
        "[match n 4 true _ false]",
        "[if n 1 2]",
        "[not n]",
        "[contains? #[1 4] n]",
        "[= 8 [* n 2]]",
    ],
)
def test_what_would_silently_give_another_answer_is_told(text: str) -> None:
    _, before = ran(f"[defparam n 4 {{:whole true}}] {text}")
    assert [one for one in before if one.severity != "hint"] == []
    _, (finding,) = ran(f"[defparam n 4] {text}")
    assert finding.severity == "warning"


@pytest.mark.parametrize("text", ["[range 0 n]", "[nth #[1 2 3] n]", "[take n #[1 2]]", "[chunk n #[1 2]]"])
def test_a_fraction_where_a_count_is_wanted_names_the_way_to_declare_one(text: str) -> None:
    with pytest.raises(LoonError) as caught:
        ran(f"[defparam n 2.5] {text}")
    assert "needs a whole number, not 2.5" in caught.value.message
    assert "{:whole true}" in (caught.value.fix or "")


@pytest.mark.parametrize(
    "text",
    [
        "[cube [/ 5 2] 1 1]",
        "[let len 95] [cube [/ len 2] 1 1]",
        "[let half [/ 95 2]] [cube half 1 1]",
        "[fn f [] [let half [/ 95 2]] [cube half 1 1]] [f]",
        "[let len 95] [fn f [] [let two 2] [rotate 0 0 [/ len two] [cube 1 1 1]]] [f]",
        "[pipe [rect 3 4] [pull [/ 5 2]]]",
        "[polygon #[#[0 0] #[[/ 95 2] 0] #[0 9]]]",
        "[polygon #[(0 0) ([/ 95 2] 0) (0 9)]]",
        "[drill :top {:d 2} #[#[[/ 5 2] 0]] [cube 9 9 9]]",
        "[on [plane {:at #[0 0 [/ 5 2]]}] [rect 3 4]]",
        "[path-spline #[0 0 0  5 0 [/ 5 2]  9 9 9]]",
    ],
)
def test_a_dropped_remainder_that_becomes_a_size_is_told(text: str) -> None:
    _, (finding,) = ran(text)
    assert "drops the remainder" in finding.what
    assert "[div" in finding.fix


@pytest.mark.parametrize(
    "text",
    [
        "[cube [div 95 2] 1 1]",
        "[cube [/ 4 2] 1 1]",
        "[let mut len 95] [cube [/ len 2] 1 1]",
        "[let len 95] [let odd [nth #[len 3] 1]] [cube [/ odd 2] 1 1]",
        "[let n 95] [linear-pattern 1 0 0 [/ n 2] 20 [cube 1 1 1]]",
        "[pipe [cube 1 1 1] [linear-pattern 1 0 0 [/ 95 2] 20]]",
        "[drill :top {:d 2} [grid [/ 5 2] 2 3 3] [cube 29 29 9]]",
        "[let len 95] [let len 94] [cube [/ len 2] 1 1]",
        "[map [fn [i] [cube [/ i 2] 1 1]] #[7 9]]",
    ],
)
def test_other_quotients_are_not_told(text: str) -> None:
    assert ran(text)[1] == ()


def test_a_cell_that_changes_a_number_is_looked_at_anew() -> None:
    session = Environment(prelude=PRELUDE)
    use = Source("b", "[cube [/ len 2] 1 1]")
    session.run(Source("a", "[let len 95]"), cell=True)
    assert len(session.check(use)) == 1
    session.run(Source("a", "[let len 94]"), cell=True)
    assert session.check(use) == ()
