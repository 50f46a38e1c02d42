"""Text to forms.

scanning.py reads, grammar.lark rules: text that the one refuses, the other explains. What was read under
a name is kept, and when the name comes back with an edited text only the edit is read: what the old and
the new text have in common at their beginning and end keeps its chunks. What lies between is scanned,
from the last chunk that the edit cannot have touched; and since a quote or a bracket may change the
meaning of everything after it, the stretch grows until it can be read by itself and leaves nothing under
way at its end. The outcome is that of a fresh reading, which a property test confirms. This module does
not know what the forms mean.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from vcad_kernel.errors import LoonSyntaxError
from vcad_kernel.loon.reading.literals import ReadFault
from vcad_kernel.loon.reading.scanning import Extent, Refusal, forget_spellings, scan
from vcad_kernel.loon.recent import Recent
from vcad_kernel.loon.source import Source, Span
from vcad_kernel.loon.syntax import Chunk, ReadChunk

__all__ = ["ReadChunk", "Reading", "first_reading", "forget", "read", "reading_after"]


class Reading(NamedTuple):
    """A text and its chunks."""

    text: str
    chunks: tuple[ReadChunk, ...]


_GROWTH = 16
"""How many times more chunks to try when a stretch cannot be read by itself."""


def first_reading(text: str) -> Reading:
    """A text read from its beginning to its end.

    Raises: Refusal.
    """
    return Reading(text, tuple(_placed(text, scan(text, 0, len(text)), 0, 1)))


def reading_after(before: Reading, text: str) -> Reading:
    """The reading of ``text``, from that of an earlier version.

    Raises: Refusal.
    """
    old, chunks = before
    grown = len(text) - len(old)
    alike = _common_start(old, text)
    behind = len(old) - _common_end(old, text, min(len(old), len(text)) - alike)
    # The last chunk that ends before the edit is read again: a ? that now follows belongs to it.
    first = max(bisect_left(chunks, alike, key=_end) - 1, 0)
    start, line = 0, 1
    if chunks and _end(chunks[first]) < alike:
        _, start, line, _ = chunks[first].chunk
    resumed = bisect_left(chunks, behind, key=_start)
    growth = 1
    extents: list[Extent] | None = None
    while extents is None:
        stop = _start(chunks[resumed]) + grown if resumed < len(chunks) else len(text)
        extents = _scanned_alone(text, start, stop)
        if extents is None:
            resumed += growth
            growth *= _GROWTH
    between = _placed(text, extents, start, line)
    after = _moved(text, chunks[resumed:], grown, line + text.count("\n", start, stop))
    return Reading(text, (*chunks[:first], *between, *after))


def _start(read_chunk: ReadChunk) -> int:
    return read_chunk.chunk.start


def _end(read_chunk: ReadChunk) -> int:
    return read_chunk.chunk.start + len(read_chunk.chunk.text)


def _scanned_alone(text: str, start: int, stop: int) -> list[Extent] | None:
    """What a stretch holds; None when it cannot be known without the text after it.

    Raises: Refusal.
    """
    if stop == len(text) or stop == 0:
        return scan(text, start, stop)
    if not text[stop - 1].isspace():
        return None
    try:
        extents = scan(text, start, stop)
    except Refusal as refusal:
        if refusal.curable:
            return None
        raise
    gap = text[extents[-1].end if extents else start : stop]
    in_comment = gap.rfind(";") > gap.rfind("\n")
    return None if in_comment else extents


def _placed(text: str, extents: Sequence[Extent], seen: int, line: int) -> list[ReadChunk]:
    """Extents as chunks; seen: an offset before them, line: that it lies on."""
    chunks = []
    line_start = text.rfind("\n", 0, seen) + 1
    for start, end, forms in extents:
        fresh = text.count("\n", seen, start)
        if fresh:
            line += fresh
            line_start = text.rfind("\n", seen, start) + 1
        seen = start
        chunks.append(ReadChunk(Chunk(text[start:end], start, line, start - line_start + 1), forms))
    return chunks


def _moved(text: str, chunks: Sequence[ReadChunk], by: int, line: int) -> Sequence[ReadChunk]:
    """Chunks ``by`` characters further on in ``text``, of which the first is on that line."""
    if not chunks:
        return chunks
    _, start, line_before, column_before = chunks[0].chunk
    lines = line - line_before
    column = start + by - text.rfind("\n", 0, start + by)
    if not by and not lines and column == column_before:
        return chunks
    on_line = bisect_right(chunks, line_before, key=lambda read_chunk: read_chunk.chunk.line)
    beside = [
        ReadChunk(Chunk(own, at + by, line, column_there + column - column_before), forms)
        for (own, at, _, column_there), forms in chunks[:on_line]
    ]
    # Thousands may follow: tuple.__new__ makes a named tuple in half the time.
    make = tuple.__new__
    below = [
        make(ReadChunk, (make(Chunk, (own, at + by, line_there + lines, column_there)), forms))
        for (own, at, line_there, column_there), forms in chunks[on_line:]
    ]
    return beside + below


def _common_start(text: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    low, high = 0, min(len(text), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if text[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_end(text: str, other: str, most: int) -> int:
    """How many characters, at most so many, two texts have in common at their end."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if text[len(text) - middle : len(text) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return low


_KEPT = 1_000_000
"""Characters of text whose reading is kept, twice over. Forms take some thirty times the room."""

_readings: Recent[str, Reading] = Recent(_KEPT)


def read(source: Source) -> tuple[ReadChunk, ...]:
    """All forms of a source, chunk by chunk.

    Raises: LoonSyntaxError with code E0100-E0103.
    """
    text = source.text
    before = _readings.get(source.name)
    if before is not None and before.text == text:
        return before.chunks
    try:
        reading = first_reading(text) if before is None else reading_after(before, text)
    except Refusal as refusal:
        fault = _explained(text, refusal)
    else:
        _readings.keep(source.name, reading, len(text))
        return reading.chunks
    raise LoonSyntaxError(
        fault.message,
        code=fault.code,
        place=Span(source, fault.start, fault.end).place(),
        fix=fault.fix,
        details={"class": fault.code},
    )


def forget() -> None:
    """Forget what was read so far; the next reading is as the first."""
    _readings.clear()
    forget_spellings()


def _explained(text: str, refusal: Refusal) -> ReadFault:
    """The grammar's word on refused text; offsets count from the beginning of the text."""
    # Only a text with a fault waits for lark.
    from vcad_kernel.loon.reading.grammar import forms_by_grammar

    start = refusal.start
    try:
        line = text.count("\n", 0, start) + 1
        forms_by_grammar(text[start : refusal.end], ahead=text[refusal.end :], line=line)
    except ReadFault as fault:
        return ReadFault(fault.code, fault.message, fault.start + start, fault.end + start, fault.fix)
    raise AssertionError(f"the grammar accepts what was refused: {text[start : refusal.end]!r}")
