"""What a program's code looks up and changes, read off its code."""

from __future__ import annotations

import pytest

from vcad_kernel.loon.compile import Environment
from vcad_kernel.loon.mentions import changes_in_place, has_lasting_forms, looked_up, may_change_in_place
from vcad_kernel.loon.program import Program
from vcad_kernel.loon.source import Source


def program(text: str, before: str = "") -> Program:
    environment = Environment(stdout=lambda _: None)
    environment.run(Source("before", before), cell=True)
    environment.run(Source("text", f"[fn defined-only [] {text}]"), cell=True)
    return environment.program


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[+ wall 1]", "wall"),
        ("[map [fn [x] [thick x]] #[1]]", "thick"),
        ('"{wall} mm"', "wall"),
        ("[let y wall] y", "wall"),
        ("[match 1 1 wall _ 0]", "wall"),
        ("wall.size", "wall"),
        ("[getting]", "hidden"),
    ],
)
def test_every_global_name_that_code_may_look_up_is_told(text: str, name: str) -> None:
    assert name in looked_up(program(text, "[macro getting [] `hidden]"))


def test_names_of_its_own_are_not_looked_up_outside() -> None:
    found = looked_up(program("[let inner 1] [fold 0 [fn [sum x] [+ sum x inner]] #[1 2]]"))
    assert not {"inner", "sum", "x"} & found


@pytest.mark.parametrize(
    ("text", "changing"),
    [
        ("[set! counter 1]", True),
        ("[let ends [channel]] ends", True),
        ("[let mut n 0] [fn [] [set! n 1]]", False),
        ("[let mut n 0] [set! n 1] n", False),
        ('"set! channel"', False),
        ("[+ 1 2]", False),
    ],
)
def test_code_that_changes_what_outlives_it_is_told_from_code_that_does_not(
    text: str, changing: bool
) -> None:
    assert changes_in_place(program(text, "[let counter 0]")) is changing


def test_a_text_without_the_words_cannot_change_anything() -> None:
    assert not may_change_in_place("[let a 1] [fn f [x] [+ x a]]")
    assert may_change_in_place("[set! a 1]")


@pytest.mark.parametrize(
    ("text", "lasting"),
    [
        ("[type T A]", True),
        ("[pub type T A]", True),
        ("[sig f : Int -> Int]", True),
        ("[trait Named [fn title [self]]]", True),
        ("[let a 1]", False),
        ("[fn type-of [x] x]", False),
    ],
)
def test_what_outlasts_the_names_that_it_binds_is_told(text: str, lasting: bool) -> None:
    environment = Environment(stdout=lambda _: None)
    environment.run(Source("text", text), cell=True)
    assert has_lasting_forms(environment.program) is lasting
