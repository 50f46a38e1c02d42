"""Text to forms.

grammar.lark rules what Loon text is; this module drives it, keeps what it has read by the text of
the chunk, and says in words what is wrong with text that the grammar refuses. It does not know
what the forms mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import lark

from vcad_kernel.errors import LoonSyntaxError
from vcad_kernel.loon.chunks import DEEPEST, Chunk, TooDeepError, cut
from vcad_kernel.loon.interpolation import ReadFault, string_form
from vcad_kernel.loon.source import Source, Span
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
    Symbol,
    TupleForm,
    Unquote,
    UnquoteSplicing,
    VectorForm,
)

__all__ = ["ReadChunk", "forms_of", "read", "read_whole"]

_KEPT = 8192
"""Chunks whose forms are remembered; the oldest go first."""

_kept: dict[str, tuple[Form, ...]] = {}


@dataclass(frozen=True, slots=True)
class ReadChunk:
    """A chunk and its forms, whose offsets count from the chunk's beginning."""

    chunk: Chunk
    forms: tuple[Form, ...]


def read(source: Source) -> list[ReadChunk]:
    """All forms of a source, chunk by chunk.

    Raises: LoonSyntaxError with code E0100-E0103.
    """
    try:
        chunks = cut(source.text)
        if chunks is not None:
            return [ReadChunk(chunk, _forms_kept(chunk.text)) for chunk in chunks]
    except (ReadFault, TooDeepError):
        pass  # read once more as a whole, for the position in the whole text
    whole = Chunk(source.text, 0, 1, 1)
    return [ReadChunk(whole, read_whole(source))]


def read_whole(source: Source) -> tuple[Form, ...]:
    """All forms of a source, by the grammar alone; offsets count from the beginning of the text.

    Raises: LoonSyntaxError with code E0100-E0103.
    """
    try:
        return forms_of(source.text)
    except ReadFault as fault:
        span = Span(source, fault.start, fault.end)
        found = LoonSyntaxError(
            fault.message,
            code=fault.code,
            place=span.place(),
            fix=fault.fix,
            details={"class": fault.code},
        )
    raise found


def _forms_kept(text: str) -> tuple[Form, ...]:
    forms = _kept.get(text)
    if forms is None:
        forms = forms_of(text)
        if len(_kept) >= _KEPT:
            del _kept[next(iter(_kept))]
        _kept[text] = forms
    return forms


def forms_of(text: str) -> tuple[Form, ...]:
    """The forms of ``text``, by the grammar.

    Raises: ReadFault.
    """
    try:
        cut(text)
    except TooDeepError as deep:
        raise ReadFault(
            "E0101",
            f"forms are nested more than {DEEPEST} deep here",
            deep.offset,
            deep.offset + 1,
            "give inner parts names with let or fn",
        ) from None
    try:
        found: Any = _parser().parse(text)
    except lark.exceptions.UnexpectedCharacters as error:
        fault = _illegal_character(text, error.pos_in_stream or 0)
    except lark.exceptions.UnexpectedToken as error:
        fault = _unexpected_token(text, error.token)
    else:
        return tuple(found)
    raise fault


@cache
def _parser() -> lark.Lark:
    grammar = files(__package__).joinpath("grammar.lark").read_text("utf-8")
    return lark.Lark(grammar, parser="lalr", lexer="basic", transformer=_Builder())


class _Builder(lark.Transformer[Any, Any]):
    """Makes forms while the parser runs, so that no tree is built in between.

    One method per rule or alias of the grammar; brackets arrive as the first and last child.
    """

    def start(self, children: list[Any]) -> list[Form]:
        return children

    def int_literal(self, children: list[Any]) -> Form:
        token = children[0]
        start, end = _extent(token)
        digits = token.partition("i")[0].partition("u")[0]
        value = int(digits) if len(digits) < 24 else 1 << 64
        if not -(1 << 63) <= value < 1 << 63:
            raise ReadFault(
                "E0103",
                f"the number {token} does not fit in 64 bits",
                start,
                end,
                "ints go from -9223372036854775808 to 9223372036854775807; add .0 if a float will do",
            )
        return IntLit(start, end, value)

    def float_literal(self, children: list[Any]) -> Form:
        token = children[0]
        return FloatLit(*_extent(token), float(token.partition("f")[0]))

    def bool_literal(self, children: list[Any]) -> Form:
        return BoolLit(*_extent(children[0]), children[0] == "true")

    def string_literal(self, children: list[Any]) -> Form:
        token = children[0]
        return string_form(str(token[1:-1]), *_extent(token), forms_of)

    def keyword_literal(self, children: list[Any]) -> Form:
        return KeywordLit(*_extent(children[0]), str(children[0][1:]))

    def symbol(self, children: list[Any]) -> Form:
        return Symbol(*_extent(children[0]), str(children[0]))

    def list_form(self, children: list[Any]) -> Form:
        return ListForm(*_bracketed(children))

    def vector_form(self, children: list[Any]) -> Form:
        return VectorForm(*_bracketed(children))

    def set_form(self, children: list[Any]) -> Form:
        return SetForm(*_bracketed(children))

    def map_form(self, children: list[Any]) -> Form:
        return MapForm(*_bracketed(children))

    def tuple_form(self, children: list[Any]) -> Form:
        return TupleForm(*_bracketed(children))

    def quasi(self, children: list[Any]) -> Form:
        return Quasi(children[0].start_pos, children[1].end, children[1])

    def unquote(self, children: list[Any]) -> Form:
        return Unquote(children[0].start_pos, children[1].end, children[1])

    def splice(self, children: list[Any]) -> Form:
        return UnquoteSplicing(children[0].start_pos, children[1].end, children[1])

    def propagate(self, children: list[Any]) -> Form:
        """``E?``: the value of an ``Ok``, or ``Fail.fail`` with what an ``Err`` holds."""
        subject, mark = children
        extent = (subject.start, mark.end_pos)

        def name(text: str) -> Symbol:
            return Symbol(*extent, text)

        def form(*items: Form) -> ListForm:
            return ListForm(*extent, items)

        return form(
            name("match"),
            subject,
            form(name("Ok"), name("__v")),
            name("__v"),
            form(name("Err"), name("__e")),
            form(name("Fail.fail"), name("__e")),
        )


def _extent(token: lark.Token) -> tuple[int, int]:
    return token.start_pos or 0, token.end_pos or 0


def _bracketed(children: list[Any]) -> tuple[int, int, tuple[Form, ...]]:
    return children[0].start_pos, children[-1].end_pos, tuple(children[1:-1])


_HINTS = {
    ",": "items are parted by blanks alone",
    "'": "strings stand between double quotes; there is no quote form",
    ".": "a float needs digits on both sides of its point",
    "#": "# stands only in #[ and #{",
}


def _illegal_character(text: str, at: int) -> ReadFault:
    char = text[at]
    if char == '"':
        return ReadFault("E0100", "this string is never closed", at, at + 1, 'add the closing "')
    return ReadFault("E0100", f"the character {char} has no meaning here", at, at + 1, _HINTS.get(char))


_OPENERS = {"LIST_OPEN", "VECTOR_OPEN", "SET_OPEN", "MAP_OPEN", "TUPLE_OPEN"}
_CLOSERS = {"SQUARE_CLOSE", "CURLY_CLOSE", "ROUND_CLOSE"}


def _unexpected_token(text: str, token: lark.Token) -> ReadFault:
    at_end = token.type == "$END"
    stop = len(text) if at_end else _extent(token)[0]
    open_tokens: list[lark.Token] = []
    for earlier in _parser().lex(text[:stop]):
        if earlier.type in _OPENERS:
            open_tokens.append(earlier)
        elif earlier.type in _CLOSERS:
            open_tokens.pop()
    if at_end and open_tokens:
        opener = open_tokens[-1]
        start, end = _extent(opener)
        return ReadFault("E0102", f"this {opener} is never closed", start, end, "add the closing bracket")
    if at_end:
        return ReadFault("E0101", "the text ends where a form should follow", max(stop - 1, 0), stop)
    start, end = _extent(token)
    message = f"unexpected {token}"
    fix = None
    if token.type == "CURLY_CLOSE" and open_tokens and open_tokens[-1].type == "MAP_OPEN":
        message = "this map has a key without a value"
        fix = "a map holds keys and values in pairs"
    elif token.type in _CLOSERS and open_tokens:
        message = f"unexpected {token}: the bracket open here is {open_tokens[-1]}"
    elif token.type in _CLOSERS:
        message = f"this {token} closes nothing"
    elif token.type == "POSTFIX":
        message = "a ? must follow a form, and only one may"
    return ReadFault("E0101", message, start, end, fix)
