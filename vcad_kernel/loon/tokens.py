r"""What Loon text is made of: the one table of tokens (§2), for everyone who looks at text.

The reader and the tree of concrete syntax take the lexical patterns from here; the Pygments lexer
and the editor's mode (as JSON) take them together with the roles that symbols play where they
stand. All patterns mean the same in Python and in JavaScript. The first pattern that matches wins;
a negative number is one only when no further symbol character follows, since a longer symbol beats
it: ``-5`` is an int, ``-5-2`` a symbol.

Nothing here fails: what fits no pattern is ``illegal``. Knows neither forms nor meanings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from vcad_kernel.loon.string_pieces import pieces, placed

__all__ = [
    "BRACKETS",
    "DEFINERS",
    "LEXICON",
    "ROLES",
    "SPECIAL_FORMS",
    "Token",
    "builtin_names",
    "lexemes",
    "token_table_json",
    "tokenize",
]

_MORE = r"[a-zA-Z0-9_\-?!.*%/+<>=]"
_NUMBER_ENDS = f"(?!{_MORE})"
_FLOAT = r"[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?(?:f32|f64)?"
_INT = r"[0-9]+(?:i32|i64|u32|u64)?"

LEXICON: Mapping[str, str] = {
    "blank": r"[ \t\r\n]+",
    "comment": r";[^\n]*",
    "string": r'"[^"\\]*(?:\\[\s\S][^"\\]*)*"',
    "open": r"#[\[{]|[\[({]",
    "close": r"[\])}]",
    "float": f"{_FLOAT}|-{_FLOAT}{_NUMBER_ENDS}",
    "int": f"{_INT}|-{_INT}{_NUMBER_ENDS}",
    "boolean": f"(?:true|false){_NUMBER_ENDS}",
    "keyword": r":[a-zA-Z_][a-zA-Z0-9_\-]*",
    "symbol": rf"[a-zA-Z_+\-*!<>=&%]{_MORE}*|[/:]",
    "quote": r"~@|[`~]",
    "postfix": r"\?",
    "unclosed": r'"[^\n]*',
    "illegal": r"[\s\S]",
}
"""Kind of token to its pattern, in the order of trying. Together they cover every text."""

BRACKETS: Mapping[str, str] = {"[": "]", "#[": "]", "{": "}", "#{": "}", "(": ")"}
"""Opening to closing bracket."""

SPECIAL_FORMS: Mapping[str, str] = {
    "let": "define",
    "defparam": "define",
    "set!": "change",
    "fn": "define",
    "if": "control",
    "do": "control",
    "match": "control",
    "pipe": "control",
    "type": "define",
    "test": "define",
    "use": "module",
    "pub": "module",
    "try": "control",
    "handle": "control",
    "effect": "define",
    "macro": "define",
    "macro+": "define",
    "macroexpand": "control",
    "sig": "define",
    "trait": "define",
    "impl": "declare",
    "derive": "declare",
    "mut": "declare",
    "when": "control",
    "inspect": "control",
    "catch-errors": "control",
}
"""Heads that are no calls, to what they are for. ``when`` is one only as a guard in ``match``."""

DEFINERS: Mapping[str, Sequence[str]] = {
    name: {"let": ("mut",), "test": ("fn",)}.get(name, ())
    for name, purpose in SPECIAL_FORMS.items()
    if purpose == "define"
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

_lexeme = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in LEXICON.items()))
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


class Token(NamedTuple):
    """A stretch of text, end exclusive, in code points."""

    kind: str
    start: int
    end: int


def lexemes(text: str) -> Iterator[Token]:
    """The text cut by the kinds of ``LEXICON``, nothing left out, strings whole."""
    for found in _lexeme.finditer(text):
        yield Token(found.lastgroup or "", found.start(), found.end())


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
    # Only who highlights wants them; the reader, which imports this module, does without.
    from vcad_kernel.loon.reference_entries import ENTRIES

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
