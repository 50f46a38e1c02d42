"""What there is to say about the names of the CAD library, for all who say it.

Made of the records, so that an operation is described in one place. Constructors, which users meet
when they take a model apart with ``match``, are described by the function that makes their values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from vcad_kernel.cad.selections import keys_of
from vcad_kernel.loon.reference import Entry
from vcad_kernel.loon.reference_entries.numbers import OF_NUMBERS
from vcad_kernel.loon.reference_entries.table import ENTRIES as LANGUAGE
from vcad_kernel.operations.library import OPERATIONS
from vcad_kernel.operations.record import Argument, Operation
from vcad_kernel.operations.sections import SCENES, SECTIONS

__all__ = ["ALL", "ENTRIES"]

_CONSTRUCTORS: Final = "Constructors"


_IS_SOLID: Final = Entry(
    "solid?",
    "function",
    "[solid? value]",
    "a -> Bool",
    "Whether a value is a solid. Sketches, paths, selections and scene entries are none.",
    "[let part [cube 4 4 4]]\n[if [solid? part] part Empty]",
    group=SCENES.title,
)


def _function(operation: Operation) -> Entry:
    return Entry(
        operation.name,
        "constructor" if operation.name == operation.variant else "function",
        operation.usage,
        operation.type,
        operation.doc,
        operation.program or operation.example,
        group=operation.section.title,
        parameters=_described(operation.arguments),
        keys=tuple(key for argument in operation.arguments for key in keys_of(argument.kind)),
    )


def _constructor(operation: Operation) -> Entry:
    stored = operation.stored
    subject = operation.subject_last and len(stored) > 1
    order = f"; {stored[0].name}, what it works on, comes first" if subject else ""
    program = operation.program or operation.example
    return Entry(
        operation.variant,
        "constructor",
        operation.variant_usage,
        operation.variant_type,
        f"What {operation.usage} makes. It serves in the patterns of match, to take a model apart{order}.",
        program.replace(operation.example, _constructed(operation)),
        group=_CONSTRUCTORS,
        parameters=_described(stored),
    )


def _constructed(operation: Operation) -> str:
    """The example, with the constructor in place of the function."""
    call = _parts(operation.example)
    if call[0] == "pipe":
        call = [*_parts(call[2]), call[1]]
    arguments = dict(zip((one.name for one in operation.arguments), call[1:], strict=True))
    return f"[{' '.join((operation.variant, *(arguments[one.name] for one in operation.stored)))}]"


def _parts(call: str) -> list[str]:
    """The forms in a pair of brackets, told apart by the blanks between them."""
    parts, depth = [""], 0
    for character in call[1:-1]:
        depth += (character in "[({") - (character in "])}")
        if character == " " and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part for part in parts if part]


def _described(arguments: tuple[Argument, ...]) -> tuple[str, ...]:
    """``r, h: a number, mm``: neighbours that are alike share a line."""
    lines: list[tuple[list[str], str]] = []
    for argument in arguments:
        unit = {"": "", "mm": ", mm", "deg": ", degrees"}[argument.unit]
        what = f"{argument.kind.words}{unit}"
        if lines and lines[-1][1] == what:
            lines[-1][0].append(argument.name)
        else:
            lines.append(([argument.name], what))
    return tuple(f"{', '.join(names)}: {what}" for names, what in lines)


def _entries() -> Iterator[Entry]:
    for section in SECTIONS:
        yield from (_function(one) for one in OPERATIONS if one.section is section)
    yield _IS_SOLID
    yield from (_constructor(one) for one in OPERATIONS if one.variant != one.name)


ENTRIES: Final[Mapping[str, Entry]] = {entry.name: entry for entry in _entries()}
"""By name: the functions section by section, then the constructors."""

ALL: Final[Mapping[str, Entry]] = {**LANGUAGE, **OF_NUMBERS, **ENTRIES}
"""Everything that a model can name without defining it."""
