"""Loon sources as agents read and edit them."""

from __future__ import annotations

import pytest

from notebook_ext.workspace.loon_outline import LoonSource
from vcad_kernel.errors import ServiceFailure

_TEXT = """\
[use lib.bolt]
; A plate with a hole.
[pub fn plate [w]
  [box w 20 5]]

[type Shape [Circle r] Empty]
[let big [plate 30]]
[let plate-2 [fn [plate] plate]]
"""


def _source(text: str = _TEXT) -> LoonSource:
    return LoonSource(text, "a.loon", operation="cad_get_definition")


def test_the_outline() -> None:
    rows = [(one.name, one.kind, one.line, one.end_line, one.depth) for one in _source().outline()]
    assert rows[1:] == [
        ("plate", "function", 3, 4, 0),
        ("Shape", "type", 6, 6, 0),
        ("Circle", "constructor", 6, 6, 1),
        ("Empty", "constructor", 6, 6, 1),
        ("big", "variable", 7, 7, 0),
        ("plate-2", rows[-1][1], 8, 8, 0),
    ]
    assert _source().outline()[1].summary == "A plate with a hole."
    assert _source().imports() == (("lib.bolt", 1),)


def test_a_definition_has_all_of_its_form() -> None:
    found = _source().definition("plate")
    assert found.text == "[pub fn plate [w]\n  [box w 20 5]]"
    assert (found.line, found.end_line, found.doc) == (3, 4, "A plate with a hole.")
    assert _source().definition("Shape.Circle").text == "[Circle r]"


def test_of_several_definitions_the_last_is_meant() -> None:
    assert _source("[let a 1]\n[let a 2]\n").definition("a").text == "[let a 2]"


def test_a_name_that_is_not_defined() -> None:
    for name in ("missing", "Shape.plate", "w"):
        with pytest.raises(ServiceFailure) as caught:
            _source().definition(name)
        assert caught.value.error_code == "INVALID_PARAMS"
        assert caught.value.details["path"] == "name"
        assert "plate" in (caught.value.fix or "")


def test_one_definition_is_replaced_and_nothing_else() -> None:
    changed = _source().with_definition("plate", "\n[pub fn plate [w h]\n  [box w h 5]]\n\n")
    assert changed == _TEXT.replace(
        "[pub fn plate [w]\n  [box w 20 5]]", "[pub fn plate [w h]\n  [box w h 5]]"
    )
    assert _source().with_definition("Circle", "[Circle r z]") == _TEXT.replace("[Circle r]", "[Circle r z]")


def test_line_endings_stay() -> None:
    text = _TEXT.replace("\n", "\r\n")
    changed = _source(text).with_definition("plate", "[fn plate [w]\n  w]")
    assert changed.count("\r\n") == changed.count("\n") == _TEXT.count("\n")


@pytest.mark.parametrize("new", ["[fn plate [w]", "]", "[fn plate [w] 1]]", '[fn plate [w] "]'])
def test_what_cannot_be_read_is_not_put_in(new: str) -> None:
    with pytest.raises(ServiceFailure) as caught:
        _source().with_definition("plate", new)
    assert caught.value.error_code == "SYNTAX_ERROR"
    assert caught.value.details["line"] == 1


@pytest.mark.parametrize("new", ["", "42", "; nothing"])
def test_what_defines_nothing_is_not_put_in(new: str) -> None:
    with pytest.raises(ServiceFailure) as caught:
        _source().with_definition("plate", new)
    assert caught.value.error_code == "INVALID_PARAMS"


def test_a_file_that_is_broken_elsewhere_is_not_written() -> None:
    with pytest.raises(ServiceFailure) as caught:
        _source(_TEXT + "[let z\n").with_definition("plate", "[fn plate [w] w]")
    assert caught.value.error_code == "SYNTAX_ERROR"


def test_usages_are_by_meaning() -> None:
    found = [(one.line, one.defines, one.text) for one in _source().usages("plate")]
    assert found == [(3, True, "[pub fn plate [w]"), (7, False, "[let big [plate 30]]")]


def test_mentions_find_a_name_that_comes_from_a_module() -> None:
    source = _source("[use parts]\n[parts.plate 3]\n[plate 4]\n[fn f [plate] plate]\n")
    assert [one.line for one in source.mentions("plate")] == [2, 3]


def test_the_first_fault() -> None:
    assert _source().fault() is None
    wrong = _source("[a\n[b]]\n]").fault()
    assert wrong is not None
    assert wrong.place is not None
