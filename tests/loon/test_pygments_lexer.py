"""Loon in Pygments: found by name and file, nothing lost, every role with its style."""

from __future__ import annotations

from importlib.metadata import entry_points

import pytest
from hypothesis import given
from pygments.lexer import Lexer
from pygments.token import Error, Keyword, Name, Number, String

from tests.loon.forms import soup
from tests.tiers import examples
from vcad_kernel.loon.pygments_lexer import LoonLexer


def styles(text: str) -> list[tuple[object, str]]:
    return [(style, value) for _, style, value in LoonLexer().get_tokens_unprocessed(text)]


@given(soup())
@examples(100)
def test_highlighting_changes_no_character(text: str) -> None:
    assert "".join(value for _, value in styles(text)) == text


@pytest.mark.parametrize(
    ("text", "style", "word"),
    [
        ("[fn area [w] w]", Keyword, "fn"),
        ("[fn area [w] w]", Name.Function, "area"),
        ("[type Hole Plain]", Name.Class, "Hole"),
        ("[type Hole Plain]", Name.Class, "Plain"),
        ("[println 1]", Name.Builtin, "println"),
        ("[cube 1 2.5 3]", Name, "cube"),
        ("[cube 1 2.5 3]", Number, "2.5"),
        (":mm", String.Symbol, ":mm"),
        ('"{[println 1]}"', String.Interpol, "{"),
        ('"{[println 1]}"', Name.Builtin, "println"),
        ('"a\\n"', String.Escape, "\\n"),
        ("[Fail.fail 1]", Name.Exception, "Fail.fail"),
        ("true", Keyword.Constant, "true"),
        ("a, b", Error, ","),
    ],
)
def test_words_have_the_style_of_their_role(text: str, style: object, word: str) -> None:
    assert (style, word) in styles(text)


def test_half_typed_text_is_highlighted_too() -> None:
    assert (Error, '"ab') in styles('[f "ab')


def test_pygments_finds_the_lexer_by_name_and_file() -> None:
    if not any(one.name == "loon" for one in entry_points(group="pygments.lexers")):
        pytest.skip("the package was installed before it declared the lexer")
    from pygments.lexers import get_lexer_by_name, get_lexer_for_filename

    found: list[Lexer] = [get_lexer_by_name("loon"), get_lexer_for_filename("bracket.cmp.oo")]
    assert [lexer.name for lexer in found] == ["Loon", "Loon"]
