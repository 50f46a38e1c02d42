"""Lines of a text by number, and another text in their place; every other line stays as it is, to the byte.

A line ends with ``\\n``, ``\\r\\n`` or ``\\r``; what ends the last one may be missing. Numbers are 1-based,
ends inclusive. Knows texts, not files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["Line", "in_style", "lines_of", "slice_of", "style_of", "with_slice"]

_LINE: Final = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")


class Line(NamedTuple):
    """One line, and what ends it; "" for a last line that nothing ends."""

    text: str
    ending: str


def lines_of(text: str) -> list[Line]:
    """The lines of a text; an empty text has none."""
    lines = [Line(match[1], match[2]) for match in _LINE.finditer(text)]
    while lines and lines[-1] == ("", ""):
        lines.pop()
    return lines


def style_of(text: str) -> str:
    """What ends most lines of a text; ``\\n`` where none is ended, or as many by it as by another."""
    endings = Counter(line.ending for line in lines_of(text) if line.ending)
    return max(("\n", "\r\n", "\r"), key=lambda ending: endings[ending])


def in_style(text: str, ending: str) -> str:
    """A text with this ending at all of its lines."""
    return re.sub(r"\r\n|\r|\n", lambda _: ending, text)


def slice_of(text: str, start: int, end: int, *, operation: str) -> str:
    """Lines ``start`` to ``end``; an end beyond the last line is the last. Raises: INVALID_PARAMS."""
    lines = lines_of(text)
    if not 1 <= start <= max(1, len(lines)):
        raise _outside("start_line", f"1 to {max(1, len(lines))}", len(lines), operation)
    if end < start - 1:
        raise _outside("end_line", f"at least {start - 1}", len(lines), operation)
    return _joined(lines[start - 1 : end])


def with_slice(text: str, start: int, end: int, new: str, *, operation: str) -> str:
    """The text with ``new`` in place of lines ``start`` to ``end``.

    end: ``start - 1`` puts the new lines before line ``start``, which may be one behind the last. ``new`` is
    given the text's line ending; one at its end ends its last line and makes no empty line behind it.
    Raises: ServiceFailure INVALID_PARAMS for lines that are not there.
    """
    lines = lines_of(text)
    if not 1 <= start <= len(lines) + 1:
        raise _outside("start_line", f"1 to {len(lines) + 1}", len(lines), operation)
    if not start - 1 <= end <= len(lines):
        raise _outside("end_line", f"{start - 1} to {len(lines)}", len(lines), operation)
    if not lines:
        return new
    ending = style_of(text)
    before, after = lines[: start - 1], lines[end:]
    put = [Line(line.text, ending) for line in lines_of(new)]
    if before and put:
        before[-1] = Line(before[-1].text, before[-1].ending or ending)
    if put and not after and not lines[-1].ending and not new.endswith(("\n", "\r")):
        put[-1] = Line(put[-1].text, "")
    _keep_apart(before, put, after)
    return _joined([*before, *put, *after])


def _keep_apart(before: list[Line], put: list[Line], after: list[Line]) -> None:
    """Let no ``\\r`` at the end of a line and the ``\\n`` of an empty one behind it become one ending.

    Only in a text of several endings; one of the two is written as ``\\r\\n``, in a new line if there is one.
    """
    empty = ("", "\n")
    if put and before and before[-1].ending == "\r" and put[0] == empty:
        put[0] = Line("", "\r\n")
    last = put or before
    if last and after and last[-1].ending == "\r" and after[0] == empty:
        last[-1] = Line(last[-1].text, "\r\n")


def _joined(lines: Sequence[Line]) -> str:
    return "".join(line.text + line.ending for line in lines)


def _outside(path: str, expected: str, count: int, operation: str) -> ServiceFailure:
    lines = f"{count} line{'' if count == 1 else 's'}"
    return ServiceFailure(
        ErrorCode.INVALID_PARAMS,
        f"{path} is out of range: the file has {lines}, and here {expected} is possible",
        fix="read the file again; lines count from 1, and the end is included",
        details={"path": path, "expected": expected, "lines": count, "operation": operation},
    )
