"""Channels: first in, first out, within one program."""

from __future__ import annotations

import pytest

from tests.loon.evaluation import error_class, shown, value_of
from vcad_kernel.loon.printing.display import display
from vcad_kernel.loon.program.environment import Environment


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[let [t r] [channel]] [send t 1] [send t 2] #[[recv r] [recv r]]", "#[1 2]"),
        ("[let [t r] [channel]] [send t None] #[[try-recv r] [try-recv r]]", "#[[Some None] None]"),
        ("[let [t r] [channel]] [each [fn [x] [send t x]] #[1 2 3]]"
         " [fold 0 [fn [a _] [+ a [recv r]]] #[1 1 1]]", "6"),
        ("[let [a b] [channel]] [let [c d] [channel]] #[a b c d]",
         "#[<channel-tx 0> <channel-rx 0> <channel-tx 1> <channel-rx 1>]"),
        ("[let [a b] [channel]] [let [c d] [channel]] #[[= a a] [= a c] [= a b] [len #{a a c}]]",
         "#[true false false 2]"),
    ],
)  # fmt: skip
def test_what_goes_in_comes_out_in_order(text: str, expected: str) -> None:
    assert shown(text) == expected


def test_channels_are_counted_from_0_in_each_environment() -> None:
    text = "[let [t r] [channel]] t"
    assert [shown(text), shown(text)] == ["<channel-tx 0>"] * 2
    session = Environment()
    assert [display(value_of(text, session)) for _ in range(2)] == ["<channel-tx 0>", "<channel-tx 1>"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[let [t r] [channel]] [recv r]", "empty"),
        ("[let [t r] [channel]] [recv t]", "type"),
        ("[let [t r] [channel]] [send r 1]", "type"),
        ("[let [t r] [channel]] [try-recv t]", "type"),
        ("[let [t r] [channel]] [send t]", "arity"),
    ],
)
def test_the_wrong_end_or_an_empty_channel_is_an_error(text: str, kind: str) -> None:
    assert error_class(text) == kind
