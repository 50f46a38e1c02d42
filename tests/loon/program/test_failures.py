"""Errors of a running program: class, place, calls and advice, all in the program's own words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.loon.evaluation import error_class, error_of
from vcad_kernel.errors import (
    GeometryError,
    LoonNameError,
    LoonTypeError,
    Place,
    VcadError,
)
from vcad_kernel.loon.printing.display import display
from vcad_kernel.loon.program.environment import Environment, Library
from vcad_kernel.loon.source import Source


@pytest.mark.parametrize(
    ("text", "kind", "marked"),
    [
        ("[fn f [a]\n  [* a missing]]\n[f 2]", "unbound-symbol", "missing"),
        ("[let a 1] [+ a\n   [nope 1]]", "unbound-symbol", "nope"),
        ('"a {[len 5]} b"', "type", "[len 5]"),
        ("[println 1]\n  [two 1 2 3]\n[fn two [a b] a]", "unbound-symbol", "two"),
        ("[fn two [a b] a]\n [println [two 1 2 3]]", "arity", "[two 1 2 3]"),
        ("[fn two ([a] a) ([a b] a)]\n [println [two]]", "arity", "[two]"),
        ("[fn f [x] x]\n[map [fn [a b] a] #[1]]", "arity", "[map [fn [a b] a] #[1]]"),
        ("[fn f [x] [+ x]]\n[f 1]", "arity", "[+ x]"),
        ("[let x 5]\n[x 1]", "not-callable", "[x 1]"),
        ("[map 5 #[1]]", "type", "[map 5 #[1]]"),
        ("[pipe #[1 2]\n  [map [fn [x] [/ x 0]]]\n  [sum]]", "zero-division", "[/ x 0]"),
        ("[pipe 5\n  [+ 1]\n  [len]]", "type", "[len]"),
        ("[match 5\n 1 2]", "no-match", "[match 5\n 1 2]"),
        ("[let [a b] 5]", "type", "[a b]"),
        ("[fn f [n]\n [if [= n 0] [nth #[] 0] [f [- n 1]]]] [f 3]", "index", "[nth #[] 0]"),
        ("[macro half [x] `[/ ~x 0]]\n[+ 1 [half 3]]", "zero-division", "[half 3]"),
        ("[macro half [x] `[/ ~x 0]]\n[+ 1 [half ghost]]", "unbound-symbol", "ghost"),
        ("[fn f [c] [if c 1 [let z\n]]]\n[f false]", "bad-form", "[let z\n]"),
        ("[A.op 1]", "unhandled-effect", "[A.op 1]"),
    ],
)
def test_the_place_of_an_error_is_the_form_that_failed(text: str, kind: str, marked: str) -> None:
    text = "\n" + text
    error = error_of(text)
    assert error.details["class"] == kind
    source = Source("test.oo", text)
    place = error.place
    assert place is not None
    start, end = source.offset(place.line, place.column), source.offset(place.end_line, place.end_column)
    assert text[start:end] == marked
    assert place.text == text.split("\n")[place.line - 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[fn two [a b] a] [two 1 2 3]", "two takes 2 arguments (a b), got 3"),
        ("[fn one [a] a] [one]", "one takes 1 argument (a), got 0"),
        ("[fn f ([a] 1) ([a b & c] 2)] [f]", "f takes 1 or 2 or more arguments, got 0"),
        ("[+ 1]", "+ takes at least 2 arguments, but got 1"),
        ("[char-at \"a\"]", "char-at takes at least 2 arguments, but got 1"),
        ("[Some 1 2]", "Some takes 1 argument, but got 2"),
        ("[map [fn [a b] a] #[1]]", "this function takes 2 arguments, but got 1"),
        ("[fold 0 [fn [a] a] #[1]]", "this function takes 1 argument, but got 2"),
        ("[fn main [x] x]", "main is called without arguments, but takes 1"),
        ("[let x 5] [x 1]", "x is an int, which cannot be called"),
        ("[{:a 1} :a]", "a map cannot be called"),
        ("[\"text\" 1]", None),
        ("[+ 1 \"2\"]", "+ needs numbers, not a string (\"2\")"),
        ("[< 1 2.0]", "< compares two ints or two floats, not an int with a float"),
        ("[let x.y 1] [x.z]", "x.z is not bound"),
    ],
)  # fmt: skip
def test_messages_speak_of_the_program_and_never_of_python(text: str, message: str | None) -> None:
    error = error_of(text)
    shown = error.render()
    if message is not None:
        assert error.message == message
    for word in ("positional", "object", "$", "lambda", "NoneType", "_pair", "locals"):
        assert word not in shown


def test_a_name_that_is_nearly_right_is_suggested() -> None:
    error = error_of("[let wall-thickness 2]\n[* 2 wall-thicknes]")
    assert isinstance(error, LoonNameError)
    assert error.code == "E0201"
    assert error.fix == "did you mean wall-thickness?"
    assert "filter" in str(error_of("[fliter str #[1]]").fix)


def test_the_calls_that_led_to_an_error_are_listed_innermost_last() -> None:
    error = error_of("\n[fn f [x]\n [g x]]\n[fn g [y]\n [map [fn [z] [/ z 0]] #[y]]]\n[f 1]")
    assert [(entry.name, entry.place.line if entry.place else None) for entry in error.stack] == [
        ("top level", 6),
        ("f", 3),
        ("g", 5),
        ("fn", 5),
    ]


def test_an_error_keeps_no_frames_of_the_failed_run_alive() -> None:
    error = error_of("[fn f [x] [/ x 0]] [f 1]")
    assert error.__context__ is None
    traceback = error.__traceback__
    while traceback is not None:
        assert "$form" not in traceback.tb_frame.f_code.co_name
        traceback = traceback.tb_next


def test_earlier_output_stays_and_nothing_runs_after_a_reading_error() -> None:
    out: list[str] = []
    environment = Environment(stdout=out.append)
    with pytest.raises(VcadError):
        environment.run(Source("a", "[println 1] [/ 1 0] [println 2]"))
    assert out == ["1\n"]
    with pytest.raises(VcadError):
        environment.run(Source("a", "[println 3] [oops"))
    with pytest.raises(VcadError):
        environment.run(Source("a", "[println 4] [macro m [x] `~x] [m]"))
    assert out == ["1\n"]


LIBRARY = """
[type Shape [Box a b] [Both a b]]
[fn box [a b] [Box [float a] [float b]]]
[fn both ([a] a) ([tool body] [Both body tool])]
[fn each-box [f] [map f #[[box 1 2]]]]
"""


def library(arity_error: Callable[[str, int, int, Place | None], VcadError] | None = None) -> Environment:
    return Environment(prelude=[Library("shapes", LIBRARY, arity_error)])


def test_a_mistake_that_surfaces_in_a_library_is_shown_at_the_users_call() -> None:
    error = error_of("\n[fn part [x]\n  [box x 2]]\n[part :wide]", library())
    assert error.message == "float needs a number or a string, not a keyword (:wide)"
    assert error.place is not None
    assert (error.place.file, error.place.line, error.place.column) == ("test.oo", 3, 3)
    assert [entry.name for entry in error.stack] == ["top level", "part"]


def test_a_library_may_word_the_wrong_number_of_arguments_to_its_functions() -> None:
    def complain(name: str, expected: int, given: int, place: Place | None) -> VcadError:
        return GeometryError(
            f"{name}: {expected}, {given}", code="ARITY_MISMATCH", operation=name, place=place
        )

    for text, message in [
        ("[box 1]", "box: 2, 1"),
        ("[box 1 2 3]", "box: 2, 3"),
        ("[Box 1]", "Box: 2, 1"),
        ("[map box #[1]]", "box: 2, 1"),
        ("[both 1 2 3]", "both: 2, 3"),
        ("[pipe 1 [box 2 3]]", "box: 2, 3"),
    ]:
        error = error_of(text, library(complain))
        assert (error.code, error.message) == ("ARITY_MISMATCH", message)
        assert error.place is not None
    assert error_of("[box 1]", library()).code == "E0202"
    assert isinstance(error_of("[fn box [a] a] [box]", library(complain)), LoonTypeError)
    assert isinstance(error_of("[each-box [fn [] 1]]", library(complain)), LoonTypeError)


def test_errors_of_host_functions_get_the_place_of_their_call() -> None:
    def refuse(value: object) -> object:
        raise GeometryError("too small", code="INVALID_PARAMETER", operation="refuse")

    environment = Environment()
    environment.user.define("refuse", refuse)
    error = error_of("\n[let a 1] [refuse a]", environment)
    assert isinstance(error, GeometryError)
    assert error.place is not None
    assert (error.place.line, error.place.column, error.place.end_column) == (2, 11, 21)


def test_a_mistake_of_ours_is_not_dressed_up_as_the_users() -> None:
    def broken(value: object) -> object:
        raise KeyError(value)

    def confused(value: object) -> object:
        return len(5)  # type: ignore[arg-type]

    environment = Environment()
    environment.user.define("broken", broken)
    environment.user.define("confused", confused)
    with pytest.raises(KeyError):
        environment.run(Source("a", "[broken 1]"))
    with pytest.raises(TypeError):
        environment.run(Source("a", "[confused 1]"))


def test_an_interrupt_passes_through_and_leaves_the_environment_usable() -> None:
    def interrupt(value: object) -> object:
        raise KeyboardInterrupt

    environment = Environment()
    environment.user.define("interrupt", interrupt)
    with pytest.raises(KeyboardInterrupt):
        environment.run(Source("a", "[let kept 1] [try [handle [interrupt 1] [A.x] [resume 1]] str]"))
    assert environment.run(Source("a", "kept")) == 1
    assert error_of("[Fail.fail 1]", environment).code == "E0400"


def test_run_time_errors_are_not_caught_by_try() -> None:
    assert error_class("[try [nth #[] 0] [fn [m] 1]]") == "index"


def test_an_old_function_shows_its_own_text_after_its_cell_was_edited() -> None:
    environment = Environment()
    environment.run(Source("cell", "\n[fn f [x] [/ x 0]] [let kept f]"), cell=True)
    environment.run(Source("cell", "; shorter"), cell=True)
    error = error_of("[kept 1]", environment)
    assert error.place is not None
    assert error.place.text == "[fn f [x] [/ x 0]] [let kept f]"
    assert error.place.line == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[#{1} 2]", "a set cannot be called"),
        ("[[map str]]", "this call lacks an argument"),
        (
            "[len [range 0 4000000000000000000]]",
            "range makes a value of 4,000,000,000,000,000,000 items or characters; "
            "at most 10,000,000 are allowed",
        ),
    ],
)
def test_messages_are_plain(text: str, message: str) -> None:
    assert error_of(text).message == message


def test_forms_that_python_cannot_nest_are_refused_or_run() -> None:
    text = "[if " * 480 + "1" + " 2 3]" * 480
    got = ""
    try:
        got = display(Environment().run(Source("deep.oo", text)))
    except VcadError as error:
        got = error.message
    assert got in ("2", "forms are nested too deep here")
