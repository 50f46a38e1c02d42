"""The layout of Python text: parsing without warnings, where a header ends, moving code to an indentation.

Knows tokens and lines; knows neither definitions nor files.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from dataclasses import dataclass
from typing import Final

from vcad_kernel.errors import ErrorCode, Place, ServiceFailure

__all__ = ["Header", "header_end", "indented_as", "parsed", "syntax_failure"]

_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")
_STATEMENT_BEGINS: Final = frozenset({tokenize.ENCODING, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT})
_STRING_STARTS: Final = frozenset(
    getattr(tokenize, name) for name in ("FSTRING_START", "TSTRING_START") if hasattr(tokenize, name)
)
_STRING_ENDS: Final = frozenset(
    getattr(tokenize, name) for name in ("FSTRING_END", "TSTRING_END") if hasattr(tokenize, name)
)
_READ_AS: Final = "<vcad reads>"
"""The file that a text is parsed as, by which its warnings are known."""
_QUIET: Final = re.escape(_READ_AS)


@dataclass(frozen=True, slots=True)
class Header:
    """From ``def``, ``async`` or ``class`` to the colon before the body; offsets into the text."""

    start: int
    end: int


def parsed(text: str, name: str, operation: str) -> ast.Module:
    """The syntax tree of a text; warnings about it (of escapes) are not shown.

    Raises: ServiceFailure SYNTAX_ERROR, with a place where Python names one.
    """
    _keep_quiet()
    try:
        return ast.parse(text, filename=_READ_AS)
    except SyntaxError as wrong:
        raise syntax_failure(wrong, name, operation) from wrong
    except (ValueError, RecursionError, MemoryError) as wrong:
        # NUL characters, and expressions nested deeper than the parser goes
        raise syntax_failure(SyntaxError(str(wrong)), name, operation) from wrong


def _keep_quiet() -> None:
    """Let Python say nothing about the escapes in texts read here, whatever the person has it say of others.

    For good and under a name that no module has: `warnings.catch_warnings` puts back, on leaving, what it
    found for all threads, and this is not the thread that the person's cells run on.
    """
    if not any(getattr(rule[3], "pattern", None) == _QUIET for rule in warnings.filters[:1]):
        warnings.filterwarnings("ignore", module=_QUIET)


def syntax_failure(wrong: SyntaxError, name: str, operation: str) -> ServiceFailure:
    """What Python's complaint is to a caller."""
    line, column = wrong.lineno or 1, wrong.offset or 1
    text = (wrong.text or "").rstrip("\r\n")
    end_line = wrong.end_lineno or line
    end_column = wrong.end_offset or column
    return ServiceFailure(
        ErrorCode.SYNTAX_ERROR,
        f"{name}:{line}: {wrong.msg or 'it cannot be read as Python'}",
        place=Place(name, line, max(1, column), end_line, max(1, end_column), text),
        fix="correct the text; nothing has been written",
        details={"file": name, "line": line, "column": max(1, column), "operation": operation},
    )


def header_end(text: str) -> int:
    """The offset after the colon that ends the header with which a definition's text begins."""
    depth = lambdas = 0
    for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
        if token.type == tokenize.NAME and token.string == "lambda" and depth == 0:
            lambdas += 1  # ``-> lambda: 1:`` has a colon of its own
        if token.type != tokenize.OP:
            continue
        if token.string in _OPENING:
            depth += 1
        elif token.string in _CLOSING:
            depth -= 1
        elif token.string == ":" and depth == 0 and lambdas:
            lambdas -= 1
        elif token.string == ":" and depth == 0:
            row, column = token.end
            above = list(io.StringIO(text, newline=""))[: row - 1]
            return sum(len(line) for line in above) + column
    raise AssertionError(f"no header in {text[:80]!r}")


def indented_as(margin: str, text: str, operation: str) -> str:
    """The text moved so that its first line begins with ``margin``.

    Lines within a string stay as they are, but for a docstring's: moving them would change a value.
    Raises: ServiceFailure SYNTAX_ERROR for text whose indentation cannot be read.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    first = next((line for line in lines if line.strip()), "")
    old = first[: len(first) - len(first.lstrip())]
    bare = "\n".join(line.removeprefix(old) for line in lines)
    kept = _within_strings(bare, operation)
    if old == margin:
        return "\n".join(lines)
    moved = []
    for number, line in enumerate(lines, start=1):
        # a line that is further left than the first: of a docstring, or wrong and found when it is parsed
        if number in kept or (line.strip() and not line.startswith(old)):
            moved.append(line)
        elif not line.strip():
            moved.append("")
        else:
            moved.append(margin + line.removeprefix(old))
    return "\n".join(moved)


def _within_strings(text: str, operation: str) -> set[int]:
    """The lines that begin within a string which is no docstring."""
    kept: set[int] = set()
    before = tokenize.ENCODING
    opened: list[tuple[int, bool]] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.STRING and before not in _STATEMENT_BEGINS:
                kept.update(range(token.start[0] + 1, token.end[0] + 1))
            elif token.type in _STRING_STARTS:
                opened.append((token.start[0], False))
            elif token.type in _STRING_ENDS and opened:
                kept.update(range(opened.pop()[0] + 1, token.end[0] + 1))
            if token.type not in {tokenize.NL, tokenize.COMMENT}:
                before = token.type
    except (tokenize.TokenError, SyntaxError) as wrong:
        error = wrong if isinstance(wrong, SyntaxError) else SyntaxError(str(wrong.args[0]))
        raise syntax_failure(error, "<new text>", operation) from wrong
    return kept
