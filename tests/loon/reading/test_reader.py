"""Reading: every consequence of the lexical grammar, positions, and text that cannot be read."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.loon.forms import PIECES, forms, soup, written
from tests.tiers import examples
from vcad_kernel.errors import LoonSyntaxError
from vcad_kernel.loon.printing.printer import printed
from vcad_kernel.loon.reading.grammar import forms_by_grammar
from vcad_kernel.loon.reading.interpolation import relocated
from vcad_kernel.loon.reading.literals import ReadFault
from vcad_kernel.loon.reading.reader import forget, read
from vcad_kernel.loon.source import Source, Span
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
    ReadChunk,
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
        ("1e3", [FloatLit(0, 0, 1000.0)]),
        ("5e-17", [FloatLit(0, 0, 5e-17)]),
        ("-5E+1", [FloatLit(0, 0, -50.0)]),
        ("1e", [num(1), sym("e")]),
        ("1e-", [num(1), sym("e-")]),
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
@examples(150)
def test_written_forms_read_back(expected: list[Form]) -> None:
    assert reading("\n".join(written(form) for form in expected)) == expected


@given(soup())
@examples(400)
def test_the_fast_reader_agrees_with_the_grammar(text: str) -> None:
    forget()
    source = Source("test.oo", text)
    refused: ReadFault | None = None
    try:
        whole = forms_by_grammar(text)
    except ReadFault as fault:
        refused = fault
    if refused is not None:
        found = refusal(text)
        assert (found.code, found.message, found.fix) == (refused.code, refused.message, refused.fix)
        assert found.place == Span(source, refused.start, refused.end).place()
        return
    chunks = read(source)
    moved = [
        relocated(form, range(one.chunk.start, one.chunk.start + len(one.chunk.text) + 1))
        for one in chunks
        for form in one.forms
    ]
    # Compared by their text, because equality ignores where forms stand.
    assert repr(moved) == repr(list(whole))
    for one in chunks:
        start = one.chunk.start
        assert text.startswith(one.chunk.text, start)
        assert source.position(start) == (one.chunk.line, one.chunk.column)
        assert repr(list(forms_by_grammar(one.chunk.text))) == repr(list(one.forms))


@st.composite
def editing(draw: st.DrawFn) -> list[str]:
    """Texts that come one from the other by replacing a stretch."""
    lines = st.lists(st.sampled_from([*LINES, *PIECES]), max_size=12).map("".join)
    texts = [draw(lines)]
    for _ in range(draw(st.integers(1, 6))):
        before = texts[-1]
        start = draw(st.integers(0, len(before)))
        stop = draw(st.integers(start, min(len(before), start + 8)))
        added = draw(st.one_of(st.sampled_from(PIECES), st.just(""), lines))
        texts.append(before[:start] + added + before[stop:])
    return texts


LINES = (
    "[let a 1]\n",
    "[fn f [x]\n  [+ x 1]]\n\n",
    "; about [b\n",
    '[let s "two\nlines"] ; [\n',
    '"{[f 1]} mm" ',
    "[g 2] [h 3]\n",
    "[Ok 1]\n ; so\n?\n",
    "1.0e",
    "42",
)


@given(editing())
@examples(200)
def test_reading_after_edits_is_reading_afresh(texts: list[str]) -> None:
    def outcome(name: str, text: str) -> tuple[ReadChunk, ...] | tuple[str, object]:
        try:
            return read(Source(name, text))
        except LoonSyntaxError as error:
            place = error.place
            return error.message, (place and (place.line, place.column, place.end_line, place.end_column))

    forget()
    for count, text in enumerate(texts):
        assert repr(outcome("edited", text)) == repr(outcome(f"fresh {count}", text))


def test_an_edit_reads_what_was_edited_and_nothing_else() -> None:
    before = read(Source("long.oo", "".join(f"[let n{i} {i}]\n" for i in range(100))))
    text = "".join(f"[let n{i} {i}]\n" if i != 50 else "[let\n n 5.5]\n" for i in range(100))
    after = read(Source("long.oo", text))
    kept = [i for i in range(100) if after[i].forms is before[i].forms]
    assert kept == [i for i in range(100) if i not in (49, 50)]
    assert [one.chunk.line for one in after[49:53]] == [50, 51, 53, 54]


def test_a_fault_far_down_a_long_text_is_told_with_its_place() -> None:
    lines = [f"[let n{i} [+ 1 {i}]]" for i in range(3000)]
    lines[2000] = "[let n2000 [+ 1 2000]"
    lines.append("x")
    error = refusal("\n".join(lines))
    assert (error.code, error.place and error.place.line) == ("E0102", 2001)
    lines[2000] = "[let n2000 [+ 1, 2000]]"
    error = refusal("\n".join(lines))
    assert (error.code, error.place and (error.place.line, error.place.column)) == ("E0100", (2001, 16))


def test_an_editor_may_read_while_a_cell_does() -> None:
    texts = ["".join(f"[let n{i} {i * step}]\n" for i in range(40)) for step in range(6)]

    def work(turn: int) -> bool:
        text = texts[turn % len(texts)]
        return [one.chunk.text for one in read(Source("shared.oo", text))] == text.splitlines()

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(300)))


def test_reading_sound_text_does_not_wait_for_lark() -> None:
    program = (
        "import sys\nfrom vcad_kernel.loon.reading.reader import read\n"
        "from vcad_kernel.loon.source import Source\n"
        "read(Source('a', '[fn f [x] \"{x}\"] [Ok 1]?')); print('lark' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        (") $", "E0100", 1, 3),
        ("[a\n[b $", "E0100", 2, 4),
        ('{:a} "open', "E0100", 1, 6),
        ("[a ] ]", "E0101", 1, 6),
    ],
)
def test_characters_without_meaning_come_before_forms_that_do_not_go_together(
    text: str, code: str, line: int, column: int
) -> None:
    with pytest.raises(LoonSyntaxError) as caught:
        read(Source("test.oo", text))
    place = caught.value.place
    assert place is not None
    assert (caught.value.code, place.line, place.column) == (code, line, column)


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("[let a [cube 1 2 3]\n[let b 5]\n[let c 6]", "close it on line 1: line 2 begins another form"),
        ("[fn f [x]\n  [+ x 1]\n\n; next\n[let b 5]", "close it on line 2: line 5 begins another form"),
        (
            "[let a 1]\n[let b [+ a 2]\n  [let c 3]\n[let d 4]",
            "close it on line 3: line 4 begins another form",
        ),
        ("[cube 1 2 3", "add the closing bracket"),
        ('[let a "\n[b]"\n  2', "add the closing bracket"),
    ],
)
def test_a_bracket_at_the_beginning_of_a_line_says_where_the_form_before_should_have_ended(
    text: str, fix: str
) -> None:
    with pytest.raises(LoonSyntaxError) as caught:
        read(Source("test.oo", text))
    assert (caught.value.code, caught.value.fix) == ("E0102", fix)
