"""Digests of values: equal where nobody sees a difference, different where somebody does."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.program.value_digest import value_digest
from vcad_kernel.loon.source import Source
from vcad_kernel.service.evaluation.bindings import to_loon


def _digest(text: str, name: str = "x") -> str:
    environment = Environment(prelude=PRELUDE)
    environment.run(Source("text", text), cell=True)
    return value_digest(environment.user.lookup(name))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("[let x 1]", "[let x [+ 0 1]]"),
        ("[let x #[1 2]]", "[let x [conj #[1] 2]]"),
        ("[let x {:a 1 :b 2}]", "[let x [assoc {:a 1} :b 2]]"),
        ("[let x [cube 1 2 3]]", "\n\n[let w 2] [let x [cube 1 w 3]]"),
        ("[fn x [a] [+ a 1]]", "; a comment\n\n[fn x [a]   [+ a 1]]"),
        ("[let k 5] [fn x [a] [+ a k]]", "[fn x [a] [+ a k]] [let k 5]"),
    ],
)
def test_what_means_the_same_has_one_digest(one: str, other: str) -> None:
    assert _digest(one) == _digest(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("[let x 1]", "[let x 1.0]"),
        ("[let x 1]", "[let x true]"),
        ("[let x 0.0]", "[let x -0.0]"),
        ("[let x #[1 2]]", "[let x (1 2)]"),
        ("[let x #[#[1] 2]]", "[let x #[1 #[2]]]"),
        ("[let x {:a 1 :b 2}]", "[let x {:a 2 :b 1}]"),
        ("[let x [cube 1 2 3]]", "[let x [cube 1 2 3.5]]"),
        ("[fn x [a] [+ a 1]]", "[fn x [a] [+ a 2]]"),
        ("[let k 5] [fn x [a] [+ a k]]", "[let k 6] [fn x [a] [+ a k]]"),
        (
            "[fn g [a] a] [fn h [a] [g a]] [fn x [a] [h a]]",
            "[fn g [a] [+ a 1]] [fn h [a] [g a]] [fn x [a] [h a]]",
        ),
        ("[fn of [k] [fn [a] [+ a k]]] [let x [of 1]]", "[fn of [k] [fn [a] [+ a k]]] [let x [of 2]]"),
    ],
)
def test_what_means_something_else_has_another(one: str, other: str) -> None:
    assert _digest(one) != _digest(other)


def test_a_function_that_calls_itself_through_another_has_one() -> None:
    text = "[fn x [n] [if [= n 0] true [odd [- n 1]]]] [fn odd [n] [if [= n 0] false [x [- n 1]]]]"
    assert _digest(text) == _digest(text)


def test_depth_and_shared_branches_cost_no_stack_and_no_time() -> None:
    deep = "[let x [fold [range 0 9000] None [fn [inner _] [Some inner]]]]"
    doubled = "[let x [fold [range 0 60] [cube 1 1 1] [fn [s _] [union s s]]]]"
    assert _digest(deep) == _digest(deep)
    assert _digest(doubled) != _digest(doubled.replace("60", "61"))


def test_a_channel_is_equal_to_nothing() -> None:
    assert _digest("[let x [channel]]") != _digest("[let x [channel]]")


def test_every_process_finds_the_same() -> None:
    text = '[let k {:a #[1 2.5] :b "c"}] [fn x [a] [+ a [len k]]]'
    script = (
        "from tests.loon.program.test_value_digest import _digest\n"
        f"print(_digest({text!r}), _digest({text!r}, 'k'))"
    )
    other = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert other.stdout.split() == [_digest(text), _digest(text, "k")]


_PLAIN = st.recursive(
    st.integers(-(2**40), 2**40) | st.floats(allow_nan=False) | st.booleans() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@given(_PLAIN, _PLAIN)
def test_digests_agree_with_what_is_written_out(one: object, other: object) -> None:
    # repr tells 1 from 1.0 and True, as Loon does; the order of a map's keys does count in both
    same = repr(one) == repr(other)
    assert (value_digest(to_loon(one, "x")) == value_digest(to_loon(other, "x"))) == same
