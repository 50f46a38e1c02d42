"""One word, several ways to call it: options that may be left out, one meaning for each kind of subject.

The records here are the tests' own, so that the rules are held to before any of the library's uses them.
"""

from __future__ import annotations

from typing import Any, cast

import pytest

from tests.cad import words
from vcad_kernel.cad.fields import built, checked
from vcad_kernel.cad.library import library_of
from vcad_kernel.errors import GeometryError
from vcad_kernel.loon.analysis.completion import complete
from vcad_kernel.loon.analysis.knowledge import KnownEntries
from vcad_kernel.loon.diagnostics import Diagnostic
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.reference import plain
from vcad_kernel.loon.runtime.values import Adt
from vcad_kernel.loon.source import Source
from vcad_kernel.operations.library import VARIANTS, WORDS
from vcad_kernel.operations.record import Operation
from vcad_kernel.operations.words import Word, words_of

_LIBRARY = library_of(words.ALL)


@pytest.fixture(autouse=True)
def of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """The records count as the library's."""
    for record in words.ALL:
        monkeypatch.setitem(cast("dict[str, Operation]", VARIANTS), record.variant, record)
    for name, word in words_of(words.ALL).items():
        monkeypatch.setitem(cast("dict[str, Word]", WORDS), name, word)


def _run(text: str) -> Adt:
    value = Environment(prelude=[_LIBRARY]).run(Source("part.oo", text))
    assert isinstance(value, Adt)
    return value


def _made(text: str) -> Any:
    """What the record's function makes of a call."""
    value = _run(text)
    record = VARIANTS[value.tag]
    return built(value, record, checked(value, record, record.stored))


def _refused(text: str) -> GeometryError:
    with pytest.raises(GeometryError) as caught:
        _made(text)
    return caught.value


def _found(text: str) -> list[Diagnostic]:
    return [*Environment(prelude=[_LIBRARY]).check(Source("part.oo", text))]


_GROWN = "[grow 5 {:twist 30 :ends :round} [blob 2]]"


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("[grow 5 [blob 2]]", (5.0, 0.0, "sharp", None)),
        (_GROWN, (5.0, 30.0, "round", None)),
        ("[pipe [blob 2] [grow 5]]", (5.0, 0.0, "sharp", None)),
        ("[pipe [blob 2] [grow 5 {:towards #[0 0 1]}]]", (5.0, 0.0, "sharp", (0.0, 0.0, 1.0))),
        ("[let how {:twist 1.5}] [grow 5 how [blob 2]]", (5.0, 1.5, "sharp", None)),
        ("[let twist 4] [fn f [t] [grow 5 {:twist t} [blob 2]]] [f twist]", (5.0, 4.0, "sharp", None)),
        ("[grow :next [blob 2]]", ("next", 0.0, "sharp", None)),
    ],
)
def test_options_stand_before_the_subject_or_are_left_out(text: str, made: tuple[object, ...]) -> None:
    assert _made(text).given == made
    assert _found(text) == []


@pytest.mark.parametrize("text", ["[grow 5 {} 1 [blob 2]]", "[pipe [blob 2] [grow 5 {} {}]]", "[grow 5]"])
def test_an_argument_too_many_or_too_few_is_an_error_that_shows_all_ways(text: str) -> None:
    error = _refused(text)
    assert error.code == "ARITY_MISMATCH"
    assert "grow takes 2 or 3 arguments" in error.message
    assert "[grow h s] or [grow h options s]" in (error.fix or "")
    (finding,) = _found(text)
    assert (finding.code, "2 or 3 arguments" in finding.what) == ("E0202", True)


@pytest.mark.parametrize(
    ("options", "code", "said", "fix", "column"),
    [
        ("{:twits 30}", "INVALID_PARAMETER", ":twits", "did you mean :twist?", 10),
        ("{:ends :rond}", "INVALID_PARAMETER", ":ends must be :sharp or :round", "did you mean :round?", 16),
        ("{:twist true}", "TYPE_MISMATCH", ":twist must be a number, got true", None, 17),
        ("{:ends 5}", "TYPE_MISMATCH", ":ends must be :sharp or :round, got the number 5", None, 16),
        ("{:towards #[1 2]}", "TYPE_MISMATCH", ":towards must be a vector of 3 numbers", None, None),
        ('"x"', "TYPE_MISMATCH", "options must be a map of options (:twist, :ends, :towards)", None, 9),
    ],
)
def test_options_are_checked_before_anything_is_built(
    options: str, code: str, said: str, fix: str | None, column: int | None
) -> None:
    text = f"[grow 5 {options} [blob 2]]"
    error = _refused(text)
    assert (error.code, error.operation, error.fix) == (code, "grow", fix)
    assert said in error.message
    assert error.place is not None
    found = _found(text)
    assert [one.labels[0].span.place().column for one in found] == ([] if column is None else [column])


def test_an_option_that_a_map_from_elsewhere_has_is_looked_at_too() -> None:
    (finding,) = _found("[let how {:twits 3}] [grow 5 how [blob 2]]")
    assert ":twits" in finding.what
    assert ":twist" in finding.fix


def test_a_map_of_keys_may_need_some_of_them() -> None:
    assert _made("[pierce {:d 4 :head {:kind :flat}} [blob 2]]").given == (4.0, "flat")
    error = _refused("[pierce {:head {:kind :flat}} [blob 2]]")
    assert (error.argument, "hole needs :d, a number" in error.message) == (":d", True)
    (finding,) = _found("[pierce {:d 4 :head {:knd :flat}} [blob 2]]")
    assert ":knd" in finding.what


@pytest.mark.parametrize(
    ("before", "offered"),
    [
        ("[grow 5 {", [":twist", ":ends", ":towards"]),
        ("[grow 5 {:ends ", [":sharp", ":round"]),
        ("[grow 5 {:ends :sharp :", [":twist", ":towards"]),
        ("[pipe [blob 2] [grow 5 {:t", [":towards", ":twist"]),
        ("[pierce {:head {", [":kind"]),
        ("[pierce {:d 3 :head {:kind :f", [":flat"]),
        ("[grow :", [":next"]),
    ],
)
def test_keys_and_keywords_are_offered_where_they_fit(before: str, offered: list[str]) -> None:
    items = complete(before, len(before), KnownEntries(_LIBRARY.entries)).items
    assert sorted(one.label for one in items if one.kind == "keyword") == sorted(offered)


def test_what_there_is_to_say_of_a_word_lists_its_keys() -> None:
    text = plain(_LIBRARY.entries["grow"])
    assert "[grow h s]\n[grow h options s]" in text
    assert ":twist: a number, degrees; turn of the end (0 by itself)" in text


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("[shift 1 [blob 2]]", "Shift"),
        ("[shift 1 [patch 2]]", "ShiftProfile"),
        ("[shift 1 [way 2]]", "ShiftPath"),
        ("[shift 1 [sail 2]]", "ShiftSurface"),
        ("[fuse [blob 1] [blob 2]]", "Fuse"),
        ("[fuse [patch 1] [patch 2]]", "FuseProfile"),
        ("[fold [patch 1] fuse #[[patch 2] [patch 3]]]", "FuseProfile"),
        ("[fn both [a b] [fuse a [shift 1 b]]] [both [patch 1] [patch 2]]", "FuseProfile"),
        ('[letters 3 "a"]', "LettersProfile"),
        ('[letters 3 {:bold true} "a"]', "LettersProfile"),
        ('[letters 3 5 "a"]', "Letters"),
    ],
)
def test_a_word_takes_several_kinds_of_subject(text: str, tag: str) -> None:
    assert _run(text).tag == tag
    assert _found(text) == []


def test_the_type_of_such_a_word_is_bounded() -> None:
    assert _LIBRARY.entries["fuse"].type == "Shape a => a -> a -> a"
    assert _LIBRARY.entries["shift"].type == "Movable a => Real -> a -> a"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[shift 1 5]", "a solid, a profile, a path or a surface"),
        ("[fuse [blob 1] 5]", "a solid or a profile"),
        ("[fuse 5 [blob 1]]", "a solid"),
        ("[fuse [way 1] [way 2]]", "a solid or a profile"),
    ],
)
def test_what_is_neither_is_told_what_is_wanted(text: str, said: str) -> None:
    error = _refused(text)
    assert error.code == "TYPE_MISMATCH"
    assert said in error.message
    (finding, *_) = _found(text)
    assert (finding.code, "a solid or a profile" in finding.what or said in finding.what) == ("E0200", True)


def test_a_solid_and_a_profile_do_not_mix() -> None:
    assert "other must be a solid, got a patch" in _refused("[fuse [patch 1] [blob 2]]").message
    (finding,) = _found("[fuse [patch 1] [blob 2]]")
    assert "got Solid" in finding.what
