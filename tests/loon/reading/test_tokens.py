"""The one table of tokens: it covers every text, agrees with the grammar, and knows what symbols are for."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.loon.forms import soup
from tests.tiers import examples
from vcad_kernel.loon.highlighting import ROLES, SPECIAL_FORMS, token_table_json, tokenize
from vcad_kernel.loon.reading.grammar import forms_by_grammar
from vcad_kernel.loon.reading.literals import ReadFault
from vcad_kernel.loon.reading.tokens import BRACKETS, LEXICON, lexemes
from vcad_kernel.loon.reference_entries.table import ENTRIES


def roles(text: str) -> list[tuple[str, str]]:
    builtins = {"map", "sum", "println"}
    return [(kind, text[a:b]) for kind, a, b in tokenize(text, builtins) if kind != "blank"]


@given(st.one_of(soup(), st.text(max_size=20)))
@examples(300)
def test_tokens_cover_the_text_without_gap_or_overlap(text: str) -> None:
    for tokens in (list(lexemes(text)), list(tokenize(text))):
        at = 0
        for _, start, end in tokens:
            assert start == at
            assert end > start
            at = end
        assert at == len(text)
    assert {kind for kind, _, _ in lexemes(text)} <= set(LEXICON)
    assert {kind for kind, _, _ in tokenize(text)} <= set(ROLES)


@given(soup(4))
@examples(300)
def test_text_with_an_illegal_token_is_refused_by_the_grammar(text: str) -> None:
    if any(kind in ("illegal", "unclosed") for kind, _, _ in lexemes(text)):
        with pytest.raises(ReadFault):
            forms_by_grammar(text)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("-5 -5-2 n-1 +8", ["int", "symbol", "symbol", "symbol"]),
        ("1e3", ["float"]),
        ("5e-17", ["float"]),
        ("-5E+1f32", ["float"]),
        ("1e", ["int", "symbol"]),
        ("1e-", ["int", "symbol"]),
        ("-1e3x", ["symbol"]),
        ("1.5e-3 -1.5 -1.5x 5.", ["float", "float", "symbol", "int", "illegal"]),
        ("42i32 1.0f32 42i3", ["int", "float", "int", "symbol"]),
        ("true truex true?", ["boolean", "symbol", "symbol"]),
        (":a? : :3", ["keyword", "postfix", "symbol", "symbol", "int"]),
        ("#[ #{ # { ~@ ~ `", ["open", "open", "illegal", "open", "quote", "quote", "quote"]),
        ('"a\\"b" "c\nd', ["string", "unclosed", "symbol"]),
        ('; [ "\n]', ["comment", "close"]),
    ],
)
def test_the_first_pattern_that_matches_wins(text: str, kinds: list[str]) -> None:
    assert [kind for kind, _, _ in lexemes(text) if kind != "blank"] == kinds


def test_symbols_have_the_role_of_their_place() -> None:
    assert roles("[fn area [w] [sum map]]") == [
        ("open", "["),
        ("special", "fn"),
        ("definition", "area"),
        ("open", "["),
        ("symbol", "w"),
        ("close", "]"),
        ("open", "["),
        ("builtin", "sum"),
        ("builtin", "map"),
        ("close", "]"),
        ("close", "]"),
    ]


@pytest.mark.parametrize(
    ("text", "role", "word"),
    [
        ("[let mut total 0]", "definition", "total"),
        ("[let mut total 0]", "special", "mut"),
        ("[pub let x 1]", "special", "let"),
        ("[pub let x 1]", "definition", "x"),
        ("[test fn adds [] 1]", "definition", "adds"),
        ("[type Hole Plain]", "definition", "Hole"),
        ("[type Hole Plain]", "constructor", "Plain"),
        ("[Fail.fail 1]", "operation", "Fail.fail"),
        ("[map Shape.area]", "symbol", "Shape.area"),
        ("[f if]", "symbol", "if"),
        ("[let [a b] v]", "symbol", "a"),
        ("{:w 1}", "keyword", ":w"),
        ("`[~x]", "quote", "~"),
        ("[Ok 1]?", "postfix", "?"),
        ("[a , b]", "illegal", ","),
    ],
)
def test_roles_of_words(text: str, role: str, word: str) -> None:
    assert (role, word) in roles(text)


def test_code_within_a_string_is_code() -> None:
    assert roles(r'"w {[sum \"a{x}\"]} \n{{"') == [
        ("string", '"'),
        ("string", "w "),
        ("interpolation", "{"),
        ("open", "["),
        ("builtin", "sum"),
        ("string", r"\""),
        ("string", "a"),
        ("interpolation", "{"),
        ("symbol", "x"),
        ("interpolation", "}"),
        ("string", r"\""),
        ("close", "]"),
        ("interpolation", "}"),
        ("string", " "),
        ("escape", r"\n"),
        ("escape", "{{"),
        ("string", '"'),
    ]


def test_the_table_for_other_highlighters_says_all_that_is_needed() -> None:
    table = json.loads(token_table_json())
    assert [entry["kind"] for entry in table["lexicon"]] == list(LEXICON)
    assert table["brackets"] == BRACKETS
    assert set(table["symbols"]["special"]) == set(SPECIAL_FORMS)
    assert {"map", "sqrt", "println"} <= set(table["symbols"]["builtin"]) <= set(ENTRIES)
    for pattern in [entry["pattern"] for entry in table["lexicon"]]:
        # What Python and JavaScript read differently, or only one of them reads.
        assert not re.search(r"\(\?(?!:|!)|\\[AZzGdws](?<!\\s)|\(\?<", pattern)


def test_every_special_form_of_the_reference_is_in_the_table() -> None:
    forms = {name for name, entry in ENTRIES.items() if entry.kind == "form"}
    assert forms <= set(SPECIAL_FORMS)
