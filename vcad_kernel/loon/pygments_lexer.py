"""Loon for Pygments: nbconvert, Sphinx, terminals. Found by its entry point and by file name.

The roles come from tokens.py, the names of builtins from the reference. Nothing else imports this
module, so that nothing else waits for Pygments.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from pygments.lexer import Lexer
from pygments.token import (
    Comment,
    Error,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
)

from vcad_kernel.loon.highlighting import builtin_names, tokenize

__all__ = ["LoonLexer"]

_STYLES: dict[str, Any] = {
    "blank": Whitespace,
    "comment": Comment.Single,
    "string": String.Double,
    "escape": String.Escape,
    "interpolation": String.Interpol,
    "keyword": String.Symbol,
    "number": Number,
    "boolean": Keyword.Constant,
    "open": Punctuation,
    "close": Punctuation,
    "special": Keyword,
    "definition": Name.Function,
    "operation": Name.Exception,
    "builtin": Name.Builtin,
    "constructor": Name.Class,
    "symbol": Name,
    "quote": Operator,
    "postfix": Operator,
    "illegal": Error,
}
"""Role to the type of token that styles know."""


class LoonLexer(Lexer):  # type: ignore[misc]  # Pygments ships no types
    """Highlights Loon, code within strings included."""

    name = "Loon"
    aliases: ClassVar[list[str]] = ["loon"]
    filenames: ClassVar[list[str]] = ["*.oo", "*.loon"]
    mimetypes: ClassVar[list[str]] = ["text/x-loon"]

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, Any, str]]:
        """Offset, type and text of each token; the texts joined are the text."""
        for kind, start, end in tokenize(text, builtin_names()):
            style = Name.Class if kind == "definition" and text[start].isupper() else _STYLES[kind]
            yield start, style, text[start:end]
