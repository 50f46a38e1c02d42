"""Loon sources as agents read and edit them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_ext.workspace.sources.loon_outline import LoonSource
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


@pytest.mark.parametrize("new", ["[let a 2] ; see [b]", "[let a 2] ; why", "[let a 2] x"])
def test_what_follows_on_the_line_is_not_taken_in(new: str) -> None:
    text = "[let a 1][box a a a]\r\n[box 1 2 3]"
    assert _source(text).with_definition("a", new) == f"{new}\r\n[box a a a]\r\n[box 1 2 3]"
    assert _source(text).with_definition("a", "[let a 2]") == "[let a 2]" + text.removeprefix("[let a 1]")
    # where nothing follows, nothing is added
    assert _source("[let a 1] \n").with_definition("a", new) == f"{new} \n"


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


_FORMS = (
    "[let a 1]",
    "[fn b [w]\n  ; within\n  [box w 2 3]]",
    '[let c "x ; no comment]\n"]',
    "[pub fn d [] 4]",
    "[type E [F r] G]",
)


@given(
    forms=st.lists(st.sampled_from(_FORMS), min_size=1, max_size=5, unique=True),
    between=st.lists(
        st.sampled_from((" ", "\n", "\n\n", " ; why [let a 2]\n", "", "42 \n")), min_size=6, max_size=6
    ),
    ending=st.sampled_from(("\n", "\r\n")),
    chosen=st.integers(0, 4),
    new=st.sampled_from(("[let z 9]", "[let z 9] ; behind", "[fn z [x]\n  x]", "[let a 7]\n")),
)
def test_only_the_definition_is_replaced(
    forms: list[str], between: list[str], ending: str, chosen: int, new: str
) -> None:
    pieces = [one for pair in zip(between, forms, strict=False) for one in pair]
    text = ("".join(pieces) + between[-1]).replace("\n", ending)
    source = _source(text)
    form = forms[chosen % len(forms)]
    name = {"[let a": "a", "[fn b ": "b", "[let c": "c", "[pub f": "d", "[type ": "E"}[form[:6]]
    found = source.definition(name)

    assert found.text == form.replace("\n", ending)
    assert source.with_definition(name, found.text) == text
    changed = source.with_definition(name, new)
    assert changed.startswith(text[: found.start])
    assert changed.endswith(text[found.end :])
    others = {row.name for row in source.outline() if not found.line <= row.line <= found.end_line}
    assert others <= {row.name for row in _source(changed).outline()}
    if ending == "\r\n" and ending in text:
        assert "\n" not in changed.replace("\r\n", "")
