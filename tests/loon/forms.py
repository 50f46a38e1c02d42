"""Arbitrary forms, and the text that reads as them."""

from __future__ import annotations

import itertools
from functools import cache

from hypothesis import strategies as st

from vcad_kernel.loon.reading.tokens import lexemes
from vcad_kernel.loon.syntax import (
    BoolLit,
    FloatLit,
    Form,
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
    VectorForm,
)

__all__ = ["PIECES", "forms", "soup", "sources", "written"]

PIECES = (
    *("[", "]", "#[", "#{", "{", "}", "(", ")", "?", "`", "~", "~@", '"', ";", "#", ",", "\\", "'"),
    *('"a"', '"{x}"', '"a{[f 1]} b"', '"{{ {x}"', r'"\{ {[f \"q\"]} \n"', ";c\n", '; "[\n', " ", "\n"),
    *("\r\n", "\t"),
    *("5", "-2", "1.5", "-1.5", "e3", "1e3", "-5E-17", "1e", "-1e", "1.0e", "+5"),
    *("i32", "42i32", "-7u64", "1.0f32", "f64", "."),
    *("x", "x?", "f!", "true", "false", "truex", "-", "->", "+", "/", ":k", ":", ":a-b", "Some", "Io.op"),
    *("[fn f [x] ", "[let y ", "[match v ", "é", "99999999999999999999"),
)
"""Stretches of text that mean something in Loon, or nearly."""

_names = st.from_regex(r"[a-zA-Z_+*!<>=&%][a-zA-Z0-9_\-?!.*%/+<>=]{0,6}", fullmatch=True).filter(
    lambda name: name not in ("true", "false")
)


def forms() -> st.SearchStrategy[Form]:
    """Forms of every kind that can be written."""
    atoms: st.SearchStrategy[Form] = st.one_of(
        _names.map(lambda name: Symbol(0, 0, name)),
        st.integers(-(1 << 63), (1 << 63) - 1).map(lambda value: IntLit(0, 0, value)),
        st.floats(allow_nan=False, allow_infinity=False).map(lambda value: FloatLit(0, 0, value)),
        st.booleans().map(lambda value: BoolLit(0, 0, value)),
        st.text(max_size=8).map(lambda value: StringLit(0, 0, value)),
        st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_-]{0,6}", fullmatch=True).map(
            lambda name: KeywordLit(0, 0, name)
        ),
    )
    return st.recursive(atoms, _compound, max_leaves=12)


def soup(max_pieces: int = 16) -> st.SearchStrategy[str]:
    """Text of Loon's stretches thrown together; mostly wrong, and in all the ways there are."""
    return st.lists(st.sampled_from(PIECES), max_size=max_pieces).map("".join)


_HEADS = st.sampled_from(
    [
        "fn",
        "let",
        "if",
        "match",
        "pipe",
        "type",
        "effect",
        "do",
        "test",
        "pub",
        "handle",
        "macro",
        "when",
        "f",
    ]
)
_GAPS = st.one_of(
    st.sampled_from([" ", "  ", "\n", "\n\n", "\n\n\n", " \t", "\r\n  "]),
    st.sampled_from([" ; why\n", "\n; above\n", "\n\n;; two\n; lines [\n", ";x\n\n", '   ; "q" \r\n']),
)


@st.composite
def sources(draw: st.DrawFn) -> str:
    """Whole programs with blanks and comments wherever they may stand, and special forms of all shapes."""
    gaps = itertools.cycle(draw(st.lists(_GAPS, min_size=1, max_size=9)))
    between = itertools.cycle(draw(st.lists(st.one_of(st.just(""), _GAPS), min_size=1, max_size=8)))
    strings = itertools.cycle(draw(st.lists(st.sampled_from(_STRINGS), min_size=1, max_size=3)))
    out = [next(between)]
    for form in draw(_programs()):
        text = written(form)
        for kind, start, end in lexemes(text):
            if kind == "blank":
                out.append(next(gaps))
            elif kind == "string":
                out.append(next(strings) or text[start:end])
            else:
                out.append(text[start:end])
                out.append(next(between) if kind in ("open", "close", "quote") else "")
        out.append(next(gaps))
    return "".join(out)


@cache
def _programs() -> st.SearchStrategy[list[Form]]:
    """Top-level forms, among them special forms within special forms."""
    inner = forms()
    for _ in range(2):
        items = st.lists(inner, max_size=5)
        headed = st.builds(lambda head, held: ListForm(0, 0, (Symbol(0, 0, head), *held)), _HEADS, items)
        inner = st.one_of(headed, forms())
    return st.lists(inner, max_size=4)


_STRINGS = ("", '"w {[* 2 w]} \\n{{"', '"two\nlines"', '"a"?', '"a" ?', '"{x}"  ; so\n ?')


def _compound(inner: st.SearchStrategy[Form]) -> st.SearchStrategy[Form]:
    items = st.lists(inner, max_size=4).map(tuple)
    pairs = st.lists(st.tuples(inner, inner), max_size=3).map(
        lambda many: tuple(x for pair in many for x in pair)
    )
    return st.one_of(
        items.map(lambda held: ListForm(0, 0, held)),
        items.map(lambda held: VectorForm(0, 0, held)),
        items.map(lambda held: SetForm(0, 0, held)),
        items.map(lambda held: TupleForm(0, 0, held)),
        pairs.map(lambda held: MapForm(0, 0, held)),
        inner.map(lambda form: Quasi(0, 0, form)),
        inner.map(lambda form: Unquote(0, 0, form)),
    )


def written(form: Form) -> str:
    """A text that reads as the form; unlike printing, strings are escaped and tuples have no commas."""
    match form:
        case Symbol(name=name):
            return name
        case StringLit(value=text):
            for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("{", "\\{"), ("}", "\\}")):
                text = text.replace(plain, escaped)
            return f'"{text}"'
        case KeywordLit(name=name):
            return f":{name}"
        case BoolLit(value=truth):
            return "true" if truth else "false"
        case IntLit(value=value):
            return str(value)
        case FloatLit(value=value):
            return _float(value)
        case Quasi(form=inner):
            return "`" + written(inner)
        case Unquote(form=inner):
            return "~ " + written(inner)
        case ListForm(items=items):
            return "[" + " ".join(map(written, items)) + "]"
        case VectorForm(items=items):
            return "#[" + " ".join(map(written, items)) + "]"
        case SetForm(items=items):
            return "#{" + " ".join(map(written, items)) + "}"
        case MapForm(items=items):
            return "{" + " ".join(map(written, items)) + "}"
        case TupleForm(items=items):
            return "(" + " ".join(map(written, items)) + ")"
        case _:
            raise AssertionError(form)


def _float(value: float) -> str:
    text = repr(value)
    if "." not in text:
        mantissa, _, exponent = text.partition("e")
        text = f"{mantissa}.0e{exponent}"
    return text
