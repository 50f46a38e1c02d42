r"""What Loon text is made of: the one table of tokens (§2), for everyone who looks at text.

The reader, the tree of concrete syntax and highlighters take the patterns from here; they mean the same in
Python and in JavaScript. The first pattern that matches wins; a negative number is one only when no further
symbol character follows, since a longer symbol beats it: ``-5`` is an int, ``-5-2`` a symbol.

Nothing here fails: what fits no pattern is ``illegal``. Knows neither forms nor meanings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

__all__ = ["BRACKETS", "LEXICON", "Token", "lexemes"]

_MORE = r"[a-zA-Z0-9_\-?!.*%/+<>=]"
_NUMBER_ENDS = f"(?!{_MORE})"
_FLOAT = r"[0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)(?:f32|f64)?"
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

_lexeme = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in LEXICON.items()))


class Token(NamedTuple):
    """A stretch of text, end exclusive, in code points."""

    kind: str
    start: int
    end: int


def lexemes(text: str) -> Iterator[Token]:
    """The text cut by the kinds of ``LEXICON``, nothing left out, strings whole."""
    for match in _lexeme.finditer(text):
        yield Token(match.lastgroup or "", match.start(), match.end())
