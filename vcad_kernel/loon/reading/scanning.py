"""The fast reader: text that is right to forms, in one walk over its tokens.

It gives exactly the forms that the grammar gives and refuses exactly what the grammar refuses, but
says only where; grammar.py then says what is wrong. One regular expression cuts the text in C;
what an atom means is remembered by its spelling.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias, cast

from vcad_kernel.loon.reading.interpolation import string_form
from vcad_kernel.loon.reading.literals import ReadFault, float_literal, int_literal, propagation
from vcad_kernel.loon.reading.tokens import BRACKETS, LEXICON
from vcad_kernel.loon.syntax import (
    DEEPEST,
    BoolLit,
    FloatLit,
    Form,
    IntLit,
    KeywordLit,
    ListForm,
    MapForm,
    Quasi,
    Sequence,
    SetForm,
    StringLit,
    Symbol,
    TupleForm,
    Unquote,
    UnquoteSplicing,
    VectorForm,
)

__all__ = ["Extent", "Refusal", "forget_spellings", "scan"]


class Extent(NamedTuple):
    """Where a chunk begins and ends, and its forms, whose offsets count from its beginning."""

    start: int
    end: int
    forms: tuple[Form, ...]


class Refusal(Exception):
    """Text that the grammar refuses.

    start, end: a stretch that shows the fault just as the whole text does. curable: whether more
    text at the end could make it right.
    """

    def __init__(self, start: int, end: int, *, curable: bool = False) -> None:
        super().__init__(start, end)
        self.start = start
        self.end = end
        self.curable = curable


def scan(text: str, start: int, stop: int) -> list[Extent]:
    """The chunks between two offsets, where no token or form may be under way.

    Raises: Refusal.
    """
    with _no_collection():
        return _walk(text, start, stop, None)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the cycle collector quiet.

    Forms hold no cycles, but so many of them make it look through the whole process several times,
    which took a third to a half of the time for ten thousand lines.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def forget_spellings() -> None:
    """Forget what atoms mean, as in a fresh process."""
    _meanings.clear()


_Marked: TypeAlias = Quasi | Unquote | UnquoteSplicing
_Mark: TypeAlias = tuple[type[_Marked], int]
"""What a quote mark makes of the form after it, and where it stands."""
_Meaning: TypeAlias = tuple[Callable[[int, int, Any], Form], Any]
"""What makes an atom's form, given its start, its end and this value."""

_READ = "|".join(p for kind, p in LEXICON.items() if kind not in ("blank", "comment", "unclosed"))
_TOKENS = re.compile(rf"([ \t\r\n]*(?:;[^\n]*[ \t\r\n]*)*)({_READ}|\Z)")
"""A gap and the token after it; at the end an empty token. A quote that nothing closes is illegal."""
_ATOM = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in LEXICON.items()))

_BRACKETED: dict[str, type[Sequence]] = {
    "[": ListForm,
    "#[": VectorForm,
    "#{": SetForm,
    "{": MapForm,
    "(": TupleForm,
}
_CLOSERS = frozenset(BRACKETS.values())
_MARKED: dict[str, type[_Marked]] = {"`": Quasi, "~": Unquote, "~@": UnquoteSplicing}

_SPELLINGS = 16384
"""Atoms whose meaning is remembered."""
_meanings: dict[str, _Meaning] = {}


def _walk(text: str, start: int, stop: int, base: int | None) -> list[Extent]:
    """As scan; given a base, all is one chunk and its offsets count from there.

    One loop on local names, since every token of every text goes through it.
    """
    extents: list[Extent] = []
    items: list[Form] = []  # in the innermost bracket, or in the chunk
    levels: list[tuple[list[Form], str, int, list[_Mark]]] = []  # around that: items, bracket, place, marks
    marks: list[_Mark] = []  # that wait for their form
    waiting = 0  # marks on all levels
    postfixes = _Postfixes()
    at = base or 0
    origin = start - at  # where offsets count from
    meanings = _meanings
    try:
        for gap, token in _TOKENS.findall(text, start, stop):
            begin = at + len(gap)
            at = begin + len(token)
            if (
                not levels
                and (gap or not items or not token or _parted(text[origin + begin - 1], token))
                and not marks
                and base is None
                and token != "?"
            ):  # a chunk ends, another begins
                if items:
                    extents.append(Extent(origin, origin + begin - len(gap), tuple(items)))
                    items = []
                origin += begin
                at -= begin
                begin = 0
            meaning = meanings.get(token)
            if meaning is not None:
                form = meaning[0](begin, at, meaning[1])
            elif token in _BRACKETED:
                if len(levels) + waiting >= DEEPEST:
                    raise Refusal(origin, origin + at)
                levels.append((items, token, begin, marks))
                items, marks = [], []
                continue
            elif token in _CLOSERS:
                if not levels or marks:
                    raise Refusal(origin, origin + at)
                held = tuple(items)
                items, opener, begin, marks = levels.pop()
                if token != BRACKETS[opener] or (opener == "{" and len(held) % 2):
                    raise Refusal(origin, origin + at)
                form = _BRACKETED[opener](begin, at, held)
            elif token in _MARKED:
                if len(levels) + waiting >= DEEPEST:
                    raise Refusal(origin, origin + at)
                marks.append((_MARKED[token], begin))
                waiting += 1
                continue
            elif token == "?":
                if marks or not items or not postfixes.take(items, at):
                    raise Refusal(origin, origin + at)
                continue
            elif token:
                meaning = _meaning(token)
                if meaning is None:
                    raise Refusal(origin, origin + at, curable=token == '"')
                form = meaning[0](begin, at, meaning[1])
            elif levels:
                _, opener, begin, _ = levels[-1]
                raise Refusal(origin + begin, origin + begin + len(opener), curable=True)
            elif marks:
                raise Refusal(origin, stop, curable=True)
            else:
                break
            if marks:
                waiting -= len(marks)
                form = postfixes.marked(form, marks, at)
                marks = []
            items.append(form)
    except ReadFault:
        # The grammar looks one token ahead before it looks into a literal, and may stumble there.
        ahead = _TOKENS.match(text, origin + at)
        raise Refusal(origin, ahead.end() if ahead else origin + at) from None
    if items:
        extents.append(Extent(origin, origin + at, tuple(items)))
    return extents


def _parted(before: str, token: str) -> bool:
    """Whether a token can be separated from what ends with ``before`` without a blank in between."""
    return before in '])}"' or token[0] in '[({#"`~'


class _Postfixes:
    """Puts ``?`` on forms. After quote marks the first belongs to the innermost form, the next to
    that with its mark, and so on outwards."""

    __slots__ = ("_form", "_marks", "_taken")

    def __init__(self) -> None:
        self._form: Form | None = None  # the last that had marks or a postfix
        self._marks: list[_Mark] = []
        self._taken = 0

    def marked(self, form: Form, marks: list[_Mark], end: int) -> Form:
        """``form`` with the marks before it put on, the last innermost."""
        for make, begin in reversed(marks):
            form = make(begin, end, form)
        self._form, self._marks, self._taken = form, marks, 0
        return form

    def take(self, items: list[Form], end: int) -> bool:
        """Put a ``?`` on the last of ``items``; False when it has as many as it may have."""
        form: Form = items[-1]
        marks, taken = (self._marks, self._taken) if form is self._form else ([], 0)
        if taken > len(marks):
            return False
        outer = len(marks) - taken
        for _ in range(outer):
            form = cast(_Marked, form).form
        items[-1] = self.marked(propagation(form, end), marks[:outer], end)
        self._marks, self._taken = marks, taken + 1
        return True


def _meaning(token: str) -> _Meaning | None:
    """What an atom means; None when it is illegal. Remembered, unless it is a string."""
    atom = _ATOM.fullmatch(token)
    kind = atom.lastgroup if atom else None
    meaning: _Meaning
    if kind == "symbol":
        meaning = (Symbol, token)
    elif kind == "keyword":
        meaning = (KeywordLit, token[1:])
    elif kind == "int":
        meaning = (IntLit, int_literal(0, 0, token).value)
    elif kind == "float":
        meaning = (FloatLit, float_literal(0, 0, token).value)
    elif kind == "boolean":
        meaning = (BoolLit, token == "true")
    elif kind == "string":
        raw = token[1:-1]
        return (_string, raw) if "{" in raw or "\\" in raw else (StringLit, raw)
    else:
        return None
    if len(_meanings) >= _SPELLINGS:
        _meanings.clear()
    _meanings[token] = meaning
    return meaning


def _string(start: int, end: int, raw: str) -> Form:
    return string_form(raw, start, end, _code)


def _code(text: str, base: int) -> tuple[Form, ...]:
    """The forms of code in a string."""
    try:
        extents = _walk(text, 0, len(text), base)
    except Refusal:
        raise ReadFault("E0101", "this code cannot be read", 0, len(text)) from None
    return extents[0].forms if extents else ()
