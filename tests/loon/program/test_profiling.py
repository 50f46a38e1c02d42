"""Compiled Loon is Python code: its profilers and tracebacks show Loon's functions and lines."""

from __future__ import annotations

import cProfile
import pstats
import sys
import traceback
from types import FrameType

from tests.loon.evaluation import value_of
from vcad_kernel.loon.program.environment import Environment

PROGRAM = """
[fn fib [n]
  [if [< n 2]
    n
    [+ [fib [- n 1]] [fib [- n 2]]]]]
[fn sum-of-squares [v]
  [fold 0
    [fn [total x] [+ total [square x]]]
    v]]
[fn square [x] [* x x]]
"""


def test_a_profile_names_the_functions_with_the_lines_that_define_them() -> None:
    environment = Environment()
    value_of(PROGRAM, environment)
    profile = cProfile.Profile()
    profile.enable()
    value_of("[fib 10] [sum-of-squares [range 0 50]]", environment)
    profile.disable()
    stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    calls = {key: row[1] for key, row in stats.items() if key[0] == "test.oo" and key[2] != "$form"}
    assert calls == {
        ("test.oo", 2, "fib"): 177,
        ("test.oo", 6, "sum-of-squares"): 1,
        ("test.oo", 10, "square"): 50,
    }


def test_a_profiler_of_ones_own_sees_each_call_where_it_stands() -> None:
    environment = Environment()
    value_of(PROGRAM, environment)
    seen: list[tuple[str, int, int]] = []

    def watch(frame: FrameType, event: str, _argument: object) -> None:
        caller = frame.f_back
        if event == "call" and frame.f_code.co_filename == "test.oo" and caller is not None:
            seen.append((frame.f_code.co_name, frame.f_code.co_firstlineno, caller.f_lineno))

    sys.setprofile(watch)
    try:
        value_of("\n\n[sum-of-squares #[3]]", environment)
    finally:
        sys.setprofile(None)
    assert seen[1:] == [("sum-of-squares", 6, 3), ("square", 10, 8)]


def test_a_python_traceback_shows_loon_functions_and_lines() -> None:
    environment = Environment()
    shown: list[str] = []

    def look(value: object) -> object:
        shown.extend(
            f"{frame.name}:{frame.lineno}"
            for frame in traceback.extract_stack()
            if frame.filename == "test.oo"
        )
        return value

    environment.user.define("look", look)
    value_of(PROGRAM, environment)
    value_of("[fn square [x]\n  [look\n    x]]\n\n[sum-of-squares #[3]]", environment)
    assert shown == ["$form:5", "sum-of-squares:8", "square:2"]


def test_a_self_tail_call_is_a_loop_in_a_profile_too() -> None:
    environment = Environment()
    value_of("[fn count [n] [if [= n 0] :done [count [- n 1]]]]", environment)
    profile = cProfile.Profile()
    profile.enable()
    value_of("[count 1000]", environment)
    profile.disable()
    stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    assert [row[1] for key, row in stats.items() if key[2] == "count"] == [1]
