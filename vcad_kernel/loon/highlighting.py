"""What plays which part in Loon text: for Pygments, the language server and, as JSON, the editor's mode.

Takes the patterns from tokens.py, the words with a meaning from the special forms and the reference. Nothing
here fails: what fits no pattern is ``illegal``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from vcad_kernel.loon.forms.table import FORMS
from vcad_kernel.loon.reading.string_pieces import pieces, placed
from vcad_kernel.loon.reading.tokens import BRACKETS, LEXICON, Token, lexemes
from vcad_kernel.loon.reference_entries.table import ENTRIES

__all__ = ["DEFINERS", "ROLES", "SPECIAL_FORMS", "builtin_names", "token_table_json", "tokenize"]

SPECIAL_FORMS: Mapping[str, str] = dict(
    sorted((word, form.purpose) for form in FORMS.values() for word in (form.name, *form.words))
)
"""Heads that are no calls, to what they are for. ``when`` is one only as a guard in ``match``."""

DEFINERS: Mapping[str, Sequence[str]] = {
    name: form.between for name, form in sorted(FORMS.items()) if form.purpose == "define"
}
"""Special forms that a name to be defined follows, to the words that may stand in between."""

ROLES = (
    "blank",
    "comment",
    "string",
    "escape",
    "interpolation",
    "keyword",
    "number",
    "boolean",
    "open",
    "close",
    "special",
    "definition",
    "operation",
    "builtin",
    "constructor",
    "symbol",
    "quote",
    "postfix",
    "illegal",
)
"""The kinds of token that ``tokenize`` gives."""

_OPERATION = r"[A-Z][^.]*\..+"
_CONSTRUCTOR = r"[A-Z][a-zA-Z0-9_\-?!*%/+<>=]*"

_operation = re.compile(_OPERATION)
_constructor = re.compile(_CONSTRUCTOR)

_ROLE_OF_LEXEME = {"float": "number", "int": "number", "unclosed": "illegal"}
_ROLE_OF_PIECE = {
    "text": "string",
    "escape": "escape",
    "open": "interpolation",
    "close": "interpolation",
    "stray": "illegal",
}


def tokenize(text: str, builtins: Collection[str] = ()) -> Iterator[Token]:
    """The text cut by ``ROLES``, nothing left out; symbols by the part they play.

    builtins: names to show as such where they head a call or are passed on.
    """
    return _tokens(text, range(len(text) + 1), builtins)


def _tokens(text: str, origins: Sequence[int], builtins: Collection[str]) -> Iterator[Token]:
    """As tokenize; origins says where each character of ``text``, and its end, lies in the source."""
    place = ""  # what may stand next: "head" of a list, "name" to be defined
    definer = ""
    for kind, start, end in lexemes(text):
        if kind == "string":
            yield from _string(text[start + 1 : end - 1], origins[start : end + 1], builtins)
        elif kind == "symbol":
            name = text[start:end]
            if place == "name" and name in DEFINERS[definer]:
                kind = "special"
            elif place == "name":
                kind, place = "definition", ""
            elif place == "head" and name in SPECIAL_FORMS:
                kind = "special"
                definer = name
                place = "name" if name in DEFINERS else "head" if name == "pub" else ""
            else:
                kind = _role(name, place == "head", builtins)
                place = ""
            yield Token(kind, origins[start], origins[end])
            continue
        else:
            yield Token(_ROLE_OF_LEXEME.get(kind, kind), origins[start], origins[end])
        if kind not in ("blank", "comment"):
            place = "head" if kind == "open" and text[start] == "[" else ""


def _role(name: str, heads: bool, builtins: Collection[str]) -> str:
    if heads and _operation.fullmatch(name):
        return "operation"
    if name in builtins:
        return "builtin"
    return "constructor" if _constructor.fullmatch(name) else "symbol"


def _string(raw: str, origins: Sequence[int], builtins: Collection[str]) -> Iterator[Token]:
    """The tokens of a string literal; origins covers it with both quotes."""
    inner = origins[1:-1]
    yield Token("string", origins[0], inner[0])
    for piece in pieces(raw):
        if piece.kind == "code":
            yield from _tokens(piece.text, placed(piece.origins, inner), builtins)
        elif piece.end > piece.start:
            yield Token(_ROLE_OF_PIECE[piece.kind], inner[piece.start], inner[piece.end])
    yield Token("string", inner[-1], origins[-1])


def builtin_names() -> frozenset[str]:
    """The names to show as builtins: functions and constants that the language brings along."""
    return frozenset(name for name, entry in ENTRIES.items() if entry.kind in ("function", "constant"))


def token_table_json() -> str:
    """The table for highlighters that are not written in Python, as JSON with sorted lines.

    ``lexicon``: kind and pattern, in the order of trying; ``symbols``: how a symbol's role is
    found, see ``tokenize``.
    """
    builtins = sorted(builtin_names())
    table = {
        "lexicon": [{"kind": kind, "pattern": pattern} for kind, pattern in LEXICON.items()],
        "brackets": dict(BRACKETS),
        "roles": list(ROLES),
        "symbols": {
            "special": dict(SPECIAL_FORMS),
            "definers": {name: list(between) for name, between in DEFINERS.items()},
            "operation": _OPERATION,
            "constructor": _CONSTRUCTOR,
            "builtin": builtins,
        },
        "strings": {"escape": r'\\[nt\\"{}]|\{\{|\}\}', "open": "{", "close": "}"},
    }
    return json.dumps(table, indent=1, ensure_ascii=True) + "\n"
