"""The authority on Loon text: grammar.lark, driven by lark.

Some fifteen times slower than scanning.py, which reads what is right. This module is asked about
text that was refused, to say in words what is wrong with it; property tests hold the two to each
other. Imported only then, since lark takes longer to import than most programs to read.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import lark

from vcad_kernel.loon.reading.interpolation import relocated, string_form
from vcad_kernel.loon.reading.literals import ReadFault, float_literal, int_literal, propagation
from vcad_kernel.loon.reading.tokens import lexemes
from vcad_kernel.loon.syntax import (
    DEEPEST,
    BoolLit,
    Form,
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

__all__ = ["forms_by_grammar"]


def forms_by_grammar(text: str, base: int = 0, ahead: str = "", line: int = 1) -> tuple[Form, ...]:
    """The forms of ``text``; their offsets count from ``base``.

    ahead: what follows it; line: that it begins on.

    Raises: ReadFault, with offsets that count from 0.
    """
    _refuse_depth(text)
    try:
        tree: Any = _parser().parse(text)
    except lark.exceptions.UnexpectedCharacters as error:
        fault = _illegal_character(text, error.pos_in_stream or 0)
    except lark.exceptions.UnexpectedToken as error:
        # the language looks at all tokens before it looks at any form
        fault = _first_illegal(text + ahead) or _unexpected_token(text, error.token, ahead, line)
    else:
        origins = range(base, base + len(text) + 1)
        return tuple([relocated(form, origins) for form in tree] if base else tree)
    raise fault


def _refuse_depth(text: str) -> None:
    """Refuse more than DEEPEST brackets and quote marks, open or waiting for their form, at once."""
    waiting = [0]  # quote marks, by level of brackets
    for kind, start, _ in lexemes(text):
        if kind in ("open", "quote"):
            if len(waiting) + sum(waiting) > DEEPEST:
                raise ReadFault(
                    "E0101",
                    f"forms are nested more than {DEEPEST} deep here",
                    start,
                    start + 1,
                    "give inner parts names with let or fn",
                )
            if kind == "open":
                waiting.append(0)
            else:
                waiting[-1] += 1
        elif kind not in ("blank", "comment", "postfix"):
            if kind == "close" and len(waiting) > 1:
                waiting.pop()
            waiting[-1] = 0


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
        return int_literal(*_extent(children[0]), str(children[0]))

    def float_literal(self, children: list[Any]) -> Form:
        return float_literal(*_extent(children[0]), str(children[0]))

    def bool_literal(self, children: list[Any]) -> Form:
        return BoolLit(*_extent(children[0]), children[0] == "true")

    def string_literal(self, children: list[Any]) -> Form:
        token = children[0]
        return string_form(str(token[1:-1]), *_extent(token), forms_by_grammar)

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
        subject, mark = children
        return propagation(subject, mark.end_pos)


def _extent(token: lark.Token) -> tuple[int, int]:
    return token.start_pos or 0, token.end_pos or 0


def _bracketed(children: list[Any]) -> tuple[int, int, tuple[Form, ...]]:
    return children[0].start_pos, children[-1].end_pos, tuple(children[1:-1])


def _first_illegal(text: str) -> ReadFault | None:
    """The first character that no token begins with, wherever it stands."""
    try:
        for _ in _parser().lex(text):
            pass
    except lark.exceptions.UnexpectedCharacters as error:
        return _illegal_character(text, error.pos_in_stream or 0)
    return None


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


def _where_it_ends(text: str, opened: int, line: int) -> str:
    """What to do about a bracket that is never closed: one at the beginning of a line, where the forms of a
    program begin, says that the form before it should have ended.

    opened: where the bracket stands; line: that the text begins on.
    """
    before = opened
    for kind, start, end in lexemes(text):
        if start > opened and kind == "open" and text[start] == "[" and text[start - 1] == "\n":
            ended, begun = (line + text.count("\n", 0, place) for place in (before, start))
            return f"close it on line {ended}: line {begun} begins another form"
        if kind not in ("blank", "comment"):
            before = end
    return "add the closing bracket"


_OPENERS = {"LIST_OPEN", "VECTOR_OPEN", "SET_OPEN", "MAP_OPEN", "TUPLE_OPEN"}
_CLOSERS = {"SQUARE_CLOSE", "CURLY_CLOSE", "ROUND_CLOSE"}


def _unexpected_token(text: str, token: lark.Token, ahead: str, line: int) -> ReadFault:
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
        return ReadFault(
            "E0102", f"this {opener} is never closed", start, end, _where_it_ends(text + ahead, start, line)
        )
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
