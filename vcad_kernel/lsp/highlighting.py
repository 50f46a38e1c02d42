"""A text's tokens in the protocol's words, for editors that colour by them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from lsprotocol import types

from vcad_kernel.loon.analysis.utf16 import Utf16
from vcad_kernel.loon.highlighting import tokenize

__all__ = ["LEGEND", "semantic_tokens"]

_Kind = types.SemanticTokenTypes
_KINDS: Mapping[str, types.SemanticTokenTypes] = {
    "comment": _Kind.Comment,
    "string": _Kind.String,
    "escape": _Kind.Regexp,
    "keyword": _Kind.Property,
    "number": _Kind.Number,
    "boolean": _Kind.Keyword,
    "special": _Kind.Keyword,
    "definition": _Kind.Function,
    "operation": _Kind.Event,
    "builtin": _Kind.Function,
    "constructor": _Kind.EnumMember,
    "symbol": _Kind.Variable,
    "quote": _Kind.Macro,
    "postfix": _Kind.Operator,
}
"""The roles of tokens that have a colour; brackets and blanks have none."""

_TYPES = list(dict.fromkeys(_KINDS.values()))

LEGEND = types.SemanticTokensLegend([str(kind.value) for kind in _TYPES], [])


def semantic_tokens(units: Utf16, builtins: Collection[str]) -> types.SemanticTokens:
    """The tokens of a text, each given by its distance from the one before."""
    data: list[int] = []
    line, column = 0, 0
    for start, end, kind in _on_one_line(units.text, builtins):
        at_line, at_column = units.position(start)
        width = units.position(end)[1] - at_column
        data += [at_line - line, at_column - column if at_line == line else at_column, width]
        data += [_TYPES.index(kind), 0]
        line, column = at_line, at_column
    return types.SemanticTokens(data)


def _on_one_line(text: str, builtins: Collection[str]) -> Iterator[tuple[int, int, types.SemanticTokenTypes]]:
    """The coloured tokens; one that runs over several lines in pieces, as not every editor takes it whole."""
    for token in tokenize(text, builtins):
        kind = _KINDS.get(token.kind)
        if kind is None:
            continue
        start = token.start
        for piece in text[token.start : token.end].splitlines(keepends=True):
            width = len(piece.rstrip("\r\n"))
            if width:
                yield start, start + width, kind
            start += len(piece)
