"""Where a host lets numbers mix: what runs is no finding, what fails still is."""

from __future__ import annotations

import pytest

from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.errors import LoonError
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source

QUIET = [
    "[* 2 2.5]",
    "[/ 5.0 2.0]",
    "[+ 1 2 3]",
    "[fn plate [w] [cube w [* w 0.5] 5]] [plate 40] [plate 40.5]",
    "[fn area [w h] [* w h]] [area 40 2.5]",
    "[fn inc [n] [+ n 1]] [inc 2.5]",
    "[fold 0 [fn [a x] [+ a x]] #[1.5 2.5]]",
    "[fold #[1 2] 0 [fn [a x] [+ a x]]]",
    "[map [fn [r] [cylinder r 5]] #[1 2.5 3]]",
    "[if true 1 2.5]",
    "[max 1 2.5 3]",
    "[< 1 2.5]",
    "[fn f [x] [< x 2.5]] [f 1] [f 1.5]",
    "[nth #[1 2 3] [/ 4 2.0]]",
    "[% 5 2.0]",
    "[fn f [n] [map [fn [i] [* i 2]] [range 0 n]]] [f 3] [f 3.0]",
    "[get #[1 2 3] [/ 4 2.0]]",
    "[take 2.0 [drop 1.0 [chunk 2.0 #[1 2 3 4]]]]",
    "[println 1 2.5]",
    '[len "abc"]',
    "[sum #[1.5 2.0]]",
    "[= #[1] #[1]]",
    '[keys {:a 1 :b "x"}]',
    '[assoc {:name "x" :w 1} :w 2]',
    '[get {:a 1 :b "x"} :c 3]',
]


@pytest.mark.parametrize("text", QUIET)
def test_what_runs_is_no_finding(text: str) -> None:
    environment = Environment(prelude=PRELUDE, stdout=lambda _: None)
    assert environment.check(Source("cell", text)) == ()
    environment.run(Source("cell", text))


@pytest.mark.parametrize(
    "text",
    [
        '[+ 1 "a"]',
        "[+ [cube 1 2 3] 1]",
        "[* 2]",
        '[- "a" 1]',
        "[nth #[1 2] 2.5]",
        "[range 0 2.5]",
        '[fn f [x] [* x 2.5]] [f "a"]',
        "[len 5]",
        "[keys 5]",
    ],
)
def test_what_fails_is_found_all_the_same(text: str) -> None:
    environment = Environment(prelude=PRELUDE)
    assert [one.severity for one in environment.check(Source("cell", text))] == ["error"]
    with pytest.raises(LoonError):
        environment.run(Source("cell", text))


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("[fn f [x] [* x 2.5]]", "∀a. Real a => a → Float"),
        ("[fn f [x] [+ x 1]]", "∀a. Add a => a → a"),
        ("[fn f [x y] [- x y]]", "∀a. Add a => a → a → a"),
        ("[let f [* 2 2.5]]", "Float"),
        ("[let f [* 2 3]]", "Num"),
    ],
)
def test_an_int_takes_on_the_kind_of_what_it_meets(text: str, type_: str) -> None:
    environment = Environment(prelude=PRELUDE)
    environment.run(Source("cell", text), cell=True)
    assert environment.user.entries()["f"].type == type_


def test_the_language_by_itself_keeps_its_own_types() -> None:
    assert [one.code for one in Environment().check(Source("cell", "[* 2 2.5]"))] == ["E0200"]
    assert Environment(prelude=PRELUDE).check(Source("cell", "[* 2 2.5]")) == ()
    assert [one.code for one in Environment().check(Source("cell", "[* 2 2.5]"))] == ["E0200"]


def test_a_value_that_a_host_binds_has_the_type_of_its_variant() -> None:
    environment = Environment(prelude=PRELUDE)
    solid = environment.run(Source("cell", "[cube 1 2 3]"), cell=True)
    environment.user.define("bracket", solid)
    assert environment.check(Source("cell", "[fillet 1 bracket]")) == ()
    assert [one.code for one in environment.check(Source("cell", "[extrude 0 0 1 bracket]"))] == ["E0200"]
