"""What a program's code looks up and changes, read off its code."""

from __future__ import annotations

import dis
from types import CodeType

import pytest

from vcad_kernel.errors import LoonNameError
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.program.mentions import (
    _loaded,
    changes_in_place,
    has_lasting_forms,
    looked_up,
    may_change_in_place,
)
from vcad_kernel.loon.program.program import Program
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


def test_what_code_loads_is_what_the_disassembler_says() -> None:
    names = " ".join(f"[+ late{number} {number}]" for number in range(300))
    text = f"[fn many [] {names}] [let y #[1 2]] [map [fn [x] [+ x late1]] y]"
    environment = Environment(stdout=lambda _: None)
    with pytest.raises(LoonNameError):
        environment.run(Source("text", text), cell=True)
    checked = 0
    for step in environment.program.steps:
        pending = [step.code.code]  # type: ignore[union-attr]
        while pending:
            code = pending.pop()
            said = {
                each.argval
                for each in dis.get_instructions(code)
                if each.opname in ("LOAD_GLOBAL", "LOAD_NAME")
            }
            assert _loaded(code) == said
            checked += len(said)
            pending += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
    assert checked > 300


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
