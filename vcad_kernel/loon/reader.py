"""Text to forms.

scanning.py reads, grammar.lark rules: text that the one refuses, the other explains. What was read
under a name is kept, and when the name comes back with an edited text only the edit is read. This
module does not know what the forms mean.
"""

from __future__ import annotations

from vcad_kernel.errors import LoonSyntaxError
from vcad_kernel.loon.chunks import ReadChunk
from vcad_kernel.loon.literals import ReadFault
from vcad_kernel.loon.recent import Recent
from vcad_kernel.loon.rereading import Reading, first_reading, reading_after
from vcad_kernel.loon.scanning import Refusal, forget_spellings
from vcad_kernel.loon.source import Source, Span

__all__ = ["ReadChunk", "forget", "read"]

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
    from vcad_kernel.loon.grammar import forms_by_grammar

    start = refusal.start
    try:
        forms_by_grammar(text[start : refusal.end])
    except ReadFault as fault:
        return ReadFault(fault.code, fault.message, fault.start + start, fault.end + start, fault.fix)
    raise AssertionError(f"the grammar accepts what was refused: {text[start : refusal.end]!r}")
