"""What designers write and what runs is not found fault with; what is doubted all the same is justified."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.loon.checking.programs import programs
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.errors import VcadError
from vcad_kernel.loon.diagnostics import Diagnostic
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source

QUIET = [
    "[map [fn [[x y]] [+ x y]] #[(2.5 0) (12 5)]]",
    "[map [fn [p] [+ [get p :x] [get p :y]]] #[{:x 1 :y 2.5} {:x 1.5 :y 2}]]",
    "[fold 0 [fn [t [x y]] [+ t x y]] #[(2.5 0) (12 5)]]",
    "[fn xs [v] [map [fn [p] [get p :x]] v]] [xs #[{:x 1} {:x 2.5}]]",
    '[fold "" str #[1 2 3]]',
    "[map [fn [p] [nth p 0]] [zip #[1 2] #[3 4]]]",
    "[map [fn [p] [nth p 0]] [entries {:a 1}]]",
    "[fn f [p] [nth p 0]] [f (1 2)]",
    "[let [[a b] c] #[#[1 2] 3]] a",
    "[map [fn [[x y]] [+ x y]] #[#[1 2] #[3 4]]]",
    "[map [fn [h] [get h :deep false]] #[{:d 1 :deep true} {:d 2}]]",
    "[map [fn [h] [get h :deep 1]] #[{:d 3} {:d 4 :deep 5.5}]]",
    "[or [get {} :x] 5]",
    '[fold {} [fn [m w] [update m w [fn [n] [+ 1 [or n 0]]]]] #["a" "b" "a"]]',
    "[type Hole [Drilled Float] Tapped] [Drilled 4]",
    "[type P [P Float Float]] [P 1 2]",
    "[let c true] [let x 5] [if c x None]",
    "[fn unless [c x] [if c None x]] [unless false 5]",
    '#[1 "a" :k]',
    '{:w 1 "k" 2}',
    '#{1 "a"}',
    "[fn has [c x] [contains? c x]] [has #[1 2] 1] [has #{1} 1]",
    "[flat-map [fn [x] x] #[1 2]]",
    "[flatten #[1 #[2]]]",
    '[let m {:a 1 :b "x"}] [map [fn [k] [get m k]] #[:a :b]]',
    '[match 5 1 "a" x 2]',
    "[let v #[(1 2) (3.5 4)]] [nth [nth v 0] 1]",
]


@pytest.fixture(scope="module")
def library() -> Environment:
    return Environment(prelude=PRELUDE, stdout=lambda _: None)


@pytest.mark.parametrize("text", QUIET)
def test_what_runs_as_it_was_meant_is_no_finding(text: str, library: Environment) -> None:
    assert library.check(Source("cell", text)) == ()
    library.run(Source("cell", text), cell=True)
    library.user.forget(library.user.user_names())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[get {:a 1} :b]", "E0207"),
        ("[if 1 2 3]", "E0200"),
        ("[let v #[1]] [push! v 2]", "E0301"),
        ("[map [fn [[x y]] [+ x y]] #[1 2]]", "E0200"),
        ("[map str 5]", "E0200"),
        ("[map < #[1 2]]", "E0202"),
        ("[cube 1 2 [or 1 \"a\"]]", None),
        ('[cube 1 2 [nth #["a"] 0]]', "E0200"),
        ('[fold 0 [fn [t p] [+ t [nth p "a"]]] #[(1 2)]]', None),
    ],
)  # fmt: skip
def test_what_is_doubtful_is_said_all_the_same(text: str, code: str | None, library: Environment) -> None:
    assert [one.code for one in library.check(Source("cell", text))] == ([code] if code else [])


_NUMBER = st.sampled_from(["1", "4", "2.5", "12", "0.5", "30"])
_HOLE = st.one_of(
    st.builds("{{:d {} :x {}}}".format, _NUMBER, _NUMBER),
    st.builds("{{:d {} :x {} :deep {}}}".format, _NUMBER, _NUMBER, _NUMBER),
)
_PARTS = {
    "NUMBER": _NUMBER,
    "INT": st.integers(0, 9).map(str),
    "POINTS": st.lists(st.builds("({} {})".format, _NUMBER, _NUMBER), min_size=1, max_size=4).map(" ".join),
    "HOLES": st.lists(_HOLE, min_size=1, max_size=4).map(" ".join),
    "WORDS": st.lists(st.sampled_from(['"m3"', ":steel", "5", "2.5"]), min_size=1, max_size=4).map(" ".join),
}
_STEPS = [
    "[let NAME [map [fn [[x y]] [translate x y 0 [cylinder 1 NUMBER]]] #[POINTS]]]",
    "[let NAME [fold 0 [fn [t [x y]] [+ t [* x y] NUMBER]] #[POINTS]]]",
    "[let NAME [map [fn [p] [* NUMBER [nth p 0]]] #[POINTS]]]",
    "[let NAME [map [fn [h] [* [get h :d] [get h :deep NUMBER]]] #[HOLES]]]",
    "[let NAME [filter [fn [h] [> [float [get h :x]] INT.0]] #[HOLES]]]",
    '[let NAME [fold "" str #[WORDS]]]',
    "[let NAME [fold {} [fn [m w] [update m w [fn [n] [+ 1 [or n 0]]]]] #[WORDS]]]",
    "[let NAME [map [fn [e] [nth e 1]] [entries {:a NUMBER :b NUMBER}]]]",
    "[let NAME [map [fn [[a b]] [+ a b]] [zip #[NUMBER NUMBER] #[3 4]]]]",
    "[let NAME [if [contains? #[WORDS] 5] NUMBER None]]",
    "[let NAME [flatten #[NUMBER #[NUMBER NUMBER]]]]",
    "[let NAME [fold Empty union [map [fn [i] [translate [* i NUMBER] 0 0 [sphere NUMBER]]] [range 0 3]]]]",
    "[let NAME [pipe [cube NUMBER NUMBER 5] [difference [cylinder 1 9]] [rotate 0 0 NUMBER]]]",
    "[fn NAME [w h] [cube w h [min w h NUMBER]]]",
    '[let NAME [match INT 1 :one 4 "four" x x]]',
]


@st.composite
def designs(draw: st.DrawFn) -> str:
    """What a designer puts together of numbers, points, records with optional keys, and vectors of them."""
    steps = draw(st.lists(st.sampled_from(_STEPS), min_size=1, max_size=8))
    lines = [step.replace("NAME", f"step{at}") for at, step in enumerate(steps)]
    return re.sub("[A-Z]{3,}", lambda part: draw(_PARTS[part[0]]), "\n".join(lines))


def _flagged(strategy: st.SearchStrategy[str], count: int) -> tuple[int, list[tuple[str, Diagnostic]]]:
    """How many of so many programs run, and those of them that have findings, with the first."""
    environment = Environment(prelude=PRELUDE, stdout=lambda _: None)
    ran = 0
    flagged: list[tuple[str, Diagnostic]] = []

    @seed(17)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def each(text: str) -> None:
        nonlocal ran
        found = environment.check(Source("cell", text))
        try:
            environment.run(Source("cell", text), cell=True)
        except VcadError:
            return
        finally:
            environment.user.forget(environment.user.user_names())
        ran += 1
        if found:
            flagged.append((text, found[0]))

    each()
    return ran, flagged


def _is_justified(finding: Diagnostic) -> bool:
    """Whether the finding is one that is meant to be made on a program that runs: of ownership, of a truth
    that is no Bool, of a key that is not there, of a catch-all, of an int that a function may compare."""
    return finding.code in ("E0300", "E0301", "E0302", "E0207", "W0100") or finding.severity == "hint"


def test_few_designs_that_run_are_flagged() -> None:
    ran, flagged = _flagged(designs(), 60)
    assert ran >= 50
    assert flagged == []


@pytest.mark.soak
@pytest.mark.parametrize(("strategy", "count"), [(designs(), 1000), (programs(mistakes=False), 600)])
def test_of_many_programs_that_run_at_most_two_in_a_hundred_are_flagged(
    strategy: st.SearchStrategy[str], count: int
) -> None:
    ran, flagged = _flagged(strategy, count)
    assert ran >= count * 0.8
    assert len(flagged) <= 0.02 * ran, [(one.code, one.what) for _, one in flagged[:20]]
    assert all(_is_justified(one) for _, one in flagged), [
        one.render() for _, one in flagged if not _is_justified(one)
    ]
