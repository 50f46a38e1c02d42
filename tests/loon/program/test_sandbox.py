"""A program cannot reach Python, files, the network or the process, however it is written."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.loon.evaluation import error_class, error_of, shown
from tests.loon.hostile import SECRETS, evaluated, hostile_program, strangers
from tests.tiers import SOAK
from vcad_kernel.cad.library import CAD_LIBRARY
from vcad_kernel.errors import VcadError
from vcad_kernel.loon.names import demangle, is_internal
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source

LANGUAGE_WORDS = {"None"}
"""Words that mean something to both languages."""


@pytest.mark.parametrize("name", sorted(set(SECRETS) - LANGUAGE_WORDS - {"print"}))
def test_a_name_that_python_knows_is_not_bound(name: str) -> None:
    for text in (name, f"[{name} 1]", f"[map {name} #[1]]", f'"{{{name}}}"', f"[fn f [] {name}] [f]"):
        assert error_class(text) == "unbound-symbol", text


@pytest.mark.parametrize("name", SECRETS)
def test_a_name_that_python_knows_is_the_programs_to_bind(name: str) -> None:
    assert shown(f"[let {name} 5] [+ {name} 1]") == "6"
    assert shown(f"[fn {name} [x] [* x 2]] [{name} 4]") == "8"
    assert shown(f"[fn f [{name}] [[fn [x] [+ x {name}]] 1]] [f 2]") == "3"
    assert shown(f"[let [{name} b] #[1 2]] #[{name} b]") == "#[1 2]"
    assert shown(f"{{:{name} 1}}").endswith("1}")


@pytest.mark.parametrize("value", ["5", "2.5", '"text"', ":key", "#[1]", "{:a 1}", "(1 2)", "[fn [x] x]",
                                   "str", "None", "[Some 1]", "[nth [channel] 0]", "[]"])  # fmt: skip
@pytest.mark.parametrize(
    "field",
    ["__class__", "__globals__", "__code__", "__dict__", "name", "fields", "site", "append", "_items"],
)
def test_a_dot_reads_declared_fields_and_nothing_of_the_host(value: str, field: str) -> None:
    assert error_class(f"[let v {value}] v.{field}") == "unbound-symbol"
    assert error_class(f"[fn f [v] v.{field}] [f {value}]") == "unbound-symbol"


def test_a_declared_field_may_have_any_name() -> None:
    assert shown("[type P [Pt :__class__ Int]] [let p [Pt 7]] p.__class__") == "7"
    assert error_class("[type P [Pt :x Int]] [let p [Pt 7]] p.tag") == "unbound-symbol"


@pytest.mark.parametrize(
    "text", ["$self", "[let $unit 5]", "$", "x$1", "[$perform 1]", "[fn $f [] 1]", '"{$type}"']
)
def test_the_compilers_own_names_cannot_be_written(text: str) -> None:
    assert error_of(text).code == "E0100"


@pytest.mark.parametrize(
    "text",
    [
        "[macro m [] [open \"/etc/passwd\"]] [m]",
        "[macro m [] [__import__ \"os\"]] [m]",
        "[macro m [] [IO.read-file \"/etc/passwd\"]] [m]",
        "[macro m [] [Process.env \"HOME\"]] [m]",
        "[macro m [] {:kind :symbol :name \"$perform\"}] [[m] 1]",
        "[macro m [] {:kind :symbol :name \"__import__\"}] [[m] \"os\"]",
        "[macro m [] {:kind :list :items #[{:kind :symbol :name \"$type\"} 1]}] [m]",
        "[macro m [] {:kind :symbol :name \"\"}] [m]",
        "[macro m [] {:kind :symbol :name \"a b\"}] [m]",
    ],
)  # fmt: skip
def test_macros_reach_no_further_than_programs(text: str) -> None:
    error = error_of(text)
    assert error.code.startswith("E")


@pytest.mark.parametrize(
    "path", ["os", "sys", "..secret", "a/../../etc", "builtins", "__builtins__", "/etc/passwd"]
)
def test_an_import_without_a_project_finds_nothing(path: str) -> None:
    error = error_of(f"[use {path}]")
    assert error.code in ("E0500", "E0100", "E0101", "E0501")


def test_every_bound_name_is_the_languages_or_a_librarys() -> None:
    environment = Environment(prelude=(CAD_LIBRARY,))
    environment.run(Source("empty.oo", ""))
    for identifier, value in environment._base.items():
        if not is_internal(identifier):
            assert strangers(value) == [], demangle(identifier)


def test_an_error_gives_the_program_nothing_to_hold() -> None:
    assert shown("[try [Fail.fail :message] [fn [m] m]]") == ":message"
    assert error_class("[try [/ 1 0] [fn [m] m]]") == "zero-division"
    assert error_class("[handle [nth #[] 1] [Fail.fail m] m]") == "index"


@given(st.randoms(use_true_random=False))
def test_a_hostile_program_ends_with_a_value_of_the_language_or_an_error_of_ours(
    choice: random.Random,
) -> None:
    outcome = evaluated(hostile_program(choice))
    if not isinstance(outcome, VcadError):
        assert strangers(outcome) == []


def test_hostile_programs_touch_nothing_of_the_world() -> None:
    count = 2400 if SOAK else 240
    done = subprocess.run(
        [sys.executable, "-m", "tests.loon.hostile", str(count)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[3],
        timeout=300,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "new modules: []",
        "ended with a value: True",
        f"touched the world: 0 of {count}",
    ]
