"""Reading: every consequence of the lexical grammar, positions, and text that cannot be read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.loon.forms import forms, written
from vcad_kernel.errors import LoonSyntaxError
from vcad_kernel.loon.interpolation import relocated
from vcad_kernel.loon.printer import printed
from vcad_kernel.loon.reader import read, read_whole
from vcad_kernel.loon.source import Source
from vcad_kernel.loon.syntax import (
    BoolLit,
    FloatLit,
    Form,
    Interpolation,
    IntLit,
    KeywordLit,
    ListForm,
    MapForm,
    Quasi,
    SetForm,
    StringLit,
    Symbol,
    TupleForm,
    Unquote,
    UnquoteSplicing,
    VectorForm,
)


def reading(text: str) -> list[Form]:
    return [form for chunk in read(Source("test.oo", text)) for form in chunk.forms]


def refusal(text: str) -> LoonSyntaxError:
    with pytest.raises(LoonSyntaxError) as caught:
        read(Source("test.oo", text))
    return caught.value


def sym(name: str) -> Symbol:
    return Symbol(0, 0, name)


def num(value: int) -> IntLit:
    return IntLit(0, 0, value)


def call(*items: Form) -> ListForm:
    return ListForm(0, 0, items)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-5", [num(-5)]),
        ("[- 5 3]", [call(sym("-"), num(5), num(3))]),
        ("[-5 3]", [call(num(-5), num(3))]),
        ("5-2", [num(5), num(-2)]),
        ("-5-2", [sym("-5-2")]),
        ("n-1", [sym("n-1")]),
        ("+8", [sym("+8")]),
        ("1e3", [num(1), sym("e3")]),
        ("1.0e3", [FloatLit(0, 0, 1000.0)]),
        ("-1.5e-2", [FloatLit(0, 0, -0.015)]),
        ("ready?", [sym("ready?")]),
        ("truex true? true", [sym("truex"), sym("true?"), BoolLit(0, 0, True)]),
        (":3d", [sym(":"), num(3), sym("d")]),
        (":outer-dia", [KeywordLit(0, 0, "outer-dia")]),
        ("/ -> : ->x", [sym("/"), sym("->"), sym(":"), sym("->x")]),
        ("42i32 7u64 1.0f32", [num(42), num(7), FloatLit(0, 0, 1.0)]),
        ("#[1]#{2}{3 4}(5)", None),
        (
            "`[a ~b ~@c]",
            [Quasi(0, 0, call(sym("a"), Unquote(0, 0, sym("b")), UnquoteSplicing(0, 0, sym("c"))))],
        ),
        ("; a remark\n1 ; another", [num(1)]),
        ("", []),
    ],
)
def test_the_longest_token_wins(text: str, expected: list[Form] | None) -> None:
    if expected is None:
        expected = [
            VectorForm(0, 0, (num(1),)),
            SetForm(0, 0, (num(2),)),
            MapForm(0, 0, (num(3), num(4))),
            TupleForm(0, 0, (num(5),)),
        ]
    assert reading(text) == expected


@pytest.mark.parametrize("text", ["[Ok 1]?", "[Ok 1] ?", "[Ok 1]\n; so\n?"])
def test_a_postfix_mark_reads_as_a_match(text: str) -> None:
    (form,) = reading(text)
    assert printed(form) == "[match [Ok 1] [Ok __v] __v [Err __e] [Fail.fail __e]]"


@pytest.mark.parametrize("text", ["(1)?", "{:a 1}?", '"s"?', "5?", ":a?"])
def test_a_postfix_mark_follows_any_bracket_or_literal(text: str) -> None:
    (form,) = reading(text)
    assert isinstance(form, ListForm)
    assert form.items[0] == sym("match")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r'"a\tb\n\\\""', 'a\tb\n\\"'),
        (r'"\q"', "\\q"),
        (r'"\{not code\}"', "{not code}"),
        (r'"\}"', "}"),
        ('"plain } brace"', "plain } brace"),
        ('"two\nlines"', "two\nlines"),
        ('"{{x}}"', "{x}"),
        ('""', ""),
    ],
)
def test_escapes_come_before_interpolation(text: str, expected: str) -> None:
    assert reading(text) == [StringLit(0, 0, expected)]


def test_braces_in_a_string_hold_one_expression() -> None:
    (form,) = reading(r'"a{w}-{[f {:k \"v\"}]}{{"')
    assert isinstance(form, Interpolation)
    assert printed(form) == '[str "a" w "-" [f {:k "v"}] "{"]'


def test_forms_inside_a_string_know_their_place_in_the_text() -> None:
    text = r'"ab\n{x} \"q\" {[str \"in\" yy]}"'
    (form,) = reading(text)
    assert isinstance(form, Interpolation)
    x, listed = form.parts[1], form.parts[3]
    assert text[x.start : x.end] == "x"
    assert text[listed.start : listed.end] == r"[str \"in\" yy]"
    assert isinstance(listed, ListForm)
    assert text[listed.items[2].start : listed.items[2].end] == "yy"


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("\n [+ 1 @]", "E0100", 2, 7),
        ("\n[fn f [x, y] x]", "E0100", 2, 9),
        ("\n'quoted", "E0100", 2, 1),
        ("\n.75", "E0100", 2, 1),
        ("\n5.", "E0100", 2, 2),
        ("\n#(1 2)", "E0100", 2, 1),
        ("\nü", "E0100", 2, 1),
        ('\n[a "bc', "E0100", 2, 4),
        ("\n[+ 1 2]]", "E0101", 2, 8),
        ("\n{:a 1 :b}", "E0101", 2, 9),
        ("\n[Ok 1]??", "E0101", 2, 8),
        ("\n[a (b]", "E0101", 2, 6),
        ("\n?", "E0101", 2, 1),
        ('\n"é{}"', "E0101", 2, 3),
        ('\n"{1 2}"', "E0101", 2, 2),
        ('\n"x} {1}"', "E0101", 2, 3),
        ("\n[a\n [b", "E0102", 3, 2),
        ("\n #{1 2", "E0102", 2, 2),
        ('\n"list {#[1', "E0100", 2, 1),
        ('\n"list {x"', "E0102", 2, 7),
        ('\n"é {[a}"', "E0102", 2, 5),
        ("\n[x 9223372036854775808]", "E0103", 2, 4),
    ],
)
def test_text_that_cannot_be_read_is_refused_with_code_and_place(
    text: str, code: str, line: int, column: int
) -> None:
    error = refusal(text)
    assert error.place is not None
    assert (error.code, error.place.line, error.place.column) == (code, line, column)
    assert error.message


def test_nesting_has_a_limit_with_a_clear_error() -> None:
    assert len(reading("[" * 500 + "]" * 500)) == 1
    error = refusal("[" * 501 + "]" * 501)
    assert "500" in error.message
    assert error.place is not None
    assert error.place.column == 501
    assert "500" in refusal("~" * 600 + "x").message
    assert "500" in refusal('"{' + "[" * 501 + "]" * 501 + '}"').message


def test_the_least_and_greatest_ints_can_be_written() -> None:
    assert reading("-9223372036854775808 9223372036854775807") == [num(-(1 << 63)), num((1 << 63) - 1)]


@given(st.lists(forms(), max_size=4))
@settings(max_examples=150)
def test_written_forms_read_back(expected: list[Form]) -> None:
    assert reading("\n".join(written(form) for form in expected)) == expected


PIECES = st.sampled_from(
    [
        "[",
        "]",
        "#[",
        "#{",
        "{",
        "}",
        "(",
        ")",
        "?",
        "`",
        "~",
        "~@",
        '"a"',
        '"{x}"',
        '"',
        ";c\n",
        " ",
        "\n",
        "5",
        "-2",
        "1.5",
        "x",
        "x?",
        ":k",
        ":",
        "#",
        ",",
        "true",
        "-",
        "e3",
    ]
)


@given(st.lists(PIECES, max_size=14).map("".join))
@settings(max_examples=600)
def test_reading_by_chunks_agrees_with_the_grammar_on_the_whole_text(text: str) -> None:
    source = Source("test.oo", text)
    refused: LoonSyntaxError | None = None
    try:
        whole = read_whole(source)
    except LoonSyntaxError as error:
        refused = error
    if refused is not None:
        found = refusal(text)
        assert (found.code, found.place) == (refused.code, refused.place)
        return
    chunks = read(source)
    moved = [
        relocated(form, list(range(one.chunk.start, one.chunk.start + len(one.chunk.text) + 1)))
        for one in chunks
        for form in one.forms
    ]
    # Compared by their text, because equality ignores where forms stand.
    assert repr(moved) == repr(list(whole))
    for one in chunks:
        assert source.position(one.chunk.start) == (one.chunk.line, one.chunk.column)
