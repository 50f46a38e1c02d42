"""The formatter: one layout, nothing lost, nothing changed in meaning."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.loon.forms import sources
from tests.tiers import examples
from vcad_kernel.errors import LoonSyntaxError
from vcad_kernel.loon.printing.formatter import format_source
from vcad_kernel.loon.reading.concrete import parse
from vcad_kernel.loon.reading.reader import read
from vcad_kernel.loon.source import Source
from vcad_kernel.loon.syntax import Form


def forms_in(text: str) -> list[Form]:
    return [form for one in read(Source("test.oo", text)) for form in one.forms]


def comments_in(text: str) -> list[str]:
    return [leaf.text.rstrip() for leaf in parse(text).leaves() if leaf.kind == "comment"]


def spellings_in(text: str) -> list[str]:
    return [leaf.text for leaf in parse(text).leaves() if leaf.kind not in ("blank", "comment")]


@given(sources())
@examples(100)
def test_meaning_comments_and_spelling_stay(text: str) -> None:
    formatted = format_source(text)
    assert forms_in(formatted) == forms_in(text)
    assert comments_in(formatted) == comments_in(text)
    assert spellings_in(formatted) == spellings_in(text)
    assert format_source(formatted) == formatted


def laid_out(text: str) -> str:
    formatted = format_source(text)
    assert format_source(formatted) == formatted
    return formatted


LONG = "[translate inset inset -1 [cylinder 1.5 [+ wall 2]]]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("  \n ", ""),
        ("[+   1\n 2 ]", "[+ 1 2]\n"),
        ("#[ 1 2 ] #{3} {:a  4} (5 6)", "#[1 2]\n#{3}\n{:a 4}\n(5 6)\n"),
        ("` [a ~ b ~@ c]", "`[a ~b ~@c]\n"),
        ("[Ok 1] ?", "[Ok 1]?\n"),
        ("x  ?", "x ?\n"),
        ("-5 ?", "-5 ?\n"),
        ('0x 1.50e+3 42i32 "a\\tb{ w }" "\\{"', '0\nx\n1.50e+3\n42i32\n"a\\tb{ w }"\n"\\{"\n'),
    ],
)
def test_what_fits_stands_on_one_line(text: str, expected: str) -> None:
    assert laid_out(text) == expected


def test_a_function_keeps_its_parameters_on_the_first_line() -> None:
    assert laid_out(f"[fn peg [w d] #{{IO}} {LONG} {LONG}]") == (
        f"[fn peg [w d] #{{IO}}\n  {LONG}\n  {LONG}]\n"
    )
    assert laid_out(f"[map [fn [w d] {LONG} {LONG}]]") == (f"[map\n  [fn [w d]\n    {LONG}\n    {LONG}]]\n")
    assert laid_out(f"[pub fn peg [w d] {LONG} {LONG}]").startswith("[pub fn peg [w d]\n  [")
    assert laid_out(f"[test pegs [] {LONG} {LONG}]").startswith("[test pegs []\n  [")


def test_several_arities_stand_one_below_the_other() -> None:
    assert laid_out(f"[fn row ([n] [row n 10]) ([n pitch] {LONG} {LONG})]") == (
        f"[fn row\n  ([n] [row n 10])\n  ([n pitch]\n    {LONG}\n    {LONG})]\n"
    )


def test_the_value_of_a_broken_let_is_indented_like_any_other() -> None:
    assert laid_out(f"[do [let mut hole [f {LONG} 1 2 3 4 5 6 7]] hole 1]") == (
        f"[do\n  [let mut hole\n    [f {LONG} 1 2 3 4 5 6 7]]\n  hole\n  1]\n"
    )


def test_if_keeps_its_condition_and_pipe_its_value_on_the_first_line() -> None:
    assert laid_out(f"[if [< w 5] {LONG} {LONG}]") == f"[if [< w 5]\n  {LONG}\n  {LONG}]\n"
    assert laid_out(f"[pipe [cube w d 5] [difference {LONG}] [fillet 1] [chamfer 2]]") == (
        f"[pipe [cube w d 5]\n  [difference {LONG}]\n  [fillet 1]\n  [chamfer 2]]\n"
    )


def test_match_type_and_effect_are_always_broken() -> None:
    assert laid_out("[match v [Some x] [when [> x 1]] x _ 0]") == (
        "[match v\n  [Some x] [when [> x 1]]\n  x\n  _\n  0]\n"
    )
    assert laid_out("[type Result t e [Ok t] [Err e]]") == "[type Result t e\n  [Ok t]\n  [Err e]]\n"
    assert laid_out("[effect Store [fn get [k]]]") == "[effect Store\n  [fn get [k]]]\n"
    assert laid_out("[fn f [x] [match x 1 2]]") == "[fn f [x]\n  [match x\n    1\n    2]]\n"


def test_collections_stand_one_item_or_pair_per_line() -> None:
    words = " ".join(f'"word number {i}"' for i in range(5))
    lines = words.replace('" "', '"\n  "')
    assert laid_out(f"#[{words}]") == f"#[{lines}]\n"
    assert laid_out(f"({words})") == f"({lines})\n"
    assert laid_out(f"{{:a {words}}}").splitlines()[:2] == [
        '{:a "word number 0"',
        '  "word number 1" "word number 2"',
    ]


def test_other_lists_stand_one_argument_per_line() -> None:
    assert laid_out(f"[union {LONG} {LONG}]") == f"[union\n  {LONG}\n  {LONG}]\n"


def test_functions_and_types_have_blank_lines_around_them() -> None:
    text = "[let a 1]\n\n\n[let b 2]\n[fn f [] a]\n[f]\n[pub fn g [] b]\n"
    assert laid_out(text) == "[let a 1]\n[let b 2]\n\n[fn f [] a]\n\n[f]\n\n[pub fn g [] b]\n"


def test_comments_stay_with_what_they_are_about() -> None:
    text = (
        "; file\n\n\n\n; about a\n[let   a 1]   ; one\n; about b\n[let b 2]\n\n\n; about c\n[let c 3]\n"
        "[fn f []\n\n  ; first\n  a ; trailing\n\n  ; second\n  b\n  ; last\n ]\n; end"
    )
    assert laid_out(text) == (
        "; file\n\n; about a\n[let a 1]   ; one\n; about b\n[let b 2]\n\n; about c\n[let c 3]\n\n"
        "[fn f []\n\n  ; first\n  a ; trailing\n\n  ; second\n  b\n  ; last\n]\n\n; end\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[; why\n a]", "[; why\n  a]\n"),
        ("[ ; nothing\n ]", "[; nothing\n]\n"),
        ("#[1 ; one\n 2 ; two\n]", "#[1 ; one\n  2 ; two\n]\n"),
        ("{:a ; key\n 1}", "{:a ; key\n  1}\n"),
        ("~ ; c\n x", "~; c\nx\n"),
        ("x ; c\n ?", "x ; c\n?\n"),
        ("; only this", "; only this\n"),
    ],
)
def test_comments_have_a_place_anywhere(text: str, expected: str) -> None:
    assert laid_out(text) == expected


EVERYTHING = (
    '[use a [b]] [fn f [a b] #{IO} [let mut v #[1 {:k 2.50}]] [if [< a b] [do a] (b "{v}")]]',
    "[pub type Sh t [Sq t :w Float [fn area [w] w]] Dot] [match v [Some x] [when [> x 1]] x _ 0]",
    "[macro u [c & r] `[if ~c None [do ~@r]]] [handle [f]? [S.get k] [resume k]] [fn g ([a] a) ([a b] b)]",
)


@pytest.mark.parametrize("program", EVERYTHING)
@pytest.mark.parametrize("comment", [" ; c\n", "\n; c\n", "\n\n;; c\n; d\n\n", ";\n"])
def test_a_comment_may_stand_between_any_two_characters(program: str, comment: str) -> None:
    for at in range(len(program) + 1):
        text = program[:at] + comment + program[at:]
        if program[:at].count('"') % 2:
            continue  # inside a string it is no comment
        try:
            forms = forms_in(text)
        except LoonSyntaxError:
            continue  # it came between two characters of one mark
        formatted = laid_out(text)
        assert forms_in(formatted) == forms
        assert comments_in(formatted) == comments_in(text)
        assert spellings_in(formatted) == spellings_in(text)
        assert all(line == line.rstrip() for line in formatted.splitlines())


def test_text_that_cannot_be_read_is_refused_as_by_the_reader() -> None:
    with pytest.raises(LoonSyntaxError) as caught:
        format_source("[fn f [x]\n  [+ x 1]", "part.oo")
    assert caught.value.code == "E0102"
    assert caught.value.place is not None
    assert caught.value.place.file == "part.oo"


def test_the_deepest_text_that_can_be_read_can_be_laid_out() -> None:
    text = "[f " * 499 + "x" + "]" * 499
    assert spellings_in(laid_out(text)) == spellings_in(text)
