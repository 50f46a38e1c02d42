"""The CAD library as Loon environments take it: its text, and its own error for a wrong count.

Lengths are millimetres, angles degrees. Z is up. Functions take the subject last, so that they read well in
a pipe.

Used as ``Environment(prelude=PRELUDE)``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from vcad_kernel.cad.guesses import GUESSES
from vcad_kernel.cad.reference import PREFIX, entries_of
from vcad_kernel.errors import GeometryError, Place
from vcad_kernel.loon.program.library import Library, LibraryTrait
from vcad_kernel.loon.reference_entries.numbers import OF_NUMBERS as OF_NUMBERS_ENTRIES
from vcad_kernel.loon.runtime.builtins.of_numbers import OF_NUMBERS
from vcad_kernel.loon.runtime.builtins.registry import name_builtin
from vcad_kernel.loon.runtime.values import Adt, Keyword
from vcad_kernel.operations.arguments import TRAITS, joined
from vcad_kernel.operations.library import OPERATIONS, loon_text
from vcad_kernel.operations.record import Operation
from vcad_kernel.operations.words import TESTS, Word, words_of

__all__ = ["CAD_LIBRARY", "PRELUDE", "library_of"]


def library_of(operations: Sequence[Operation]) -> Library:
    """The library of some records."""
    words, variants = words_of(operations), {operation.variant: operation for operation in operations}
    return Library(
        "cad/library.oo",
        loon_text(operations),
        lambda name, expected, given, place: _arity_error(
            words.get(name), variants.get(name), name, (expected, given), place
        ),
        prefix=PREFIX,
        functions={name: name_builtin(_is_of(type_, operations), name) for name, type_ in TESTS.items()},
        entries=entries_of(operations),
        traits={trait.name: LibraryTrait(trait.types, trait.words) for trait in TRAITS},
        guesses=GUESSES,
    )


def _arity_error(
    word: Word | None,
    constructor: Operation | None,
    name: str,
    counts: tuple[int, int],
    place: Place | None,
) -> GeometryError:
    """ARITY_MISMATCH for a call of a library function, or of one of its constructors.

    counts: of arguments, the nearest that it takes, and those given.
    """
    expected, given = counts
    operation = word.records[0] if word is not None else constructor
    argument, fix = None, None
    takes = f"{expected} argument{'' if expected == 1 else 's'}"
    if operation is not None:
        ways = _ways(word, operation)
        names = next((names for names in ways if len(names) == expected), ways[0])
        if given < len(names):
            argument = names[given]
        if len({len(names) for names in ways}) > 1:
            takes = f"{joined([str(count) for count in sorted({len(names) for names in ways})])} arguments"
        elif names:
            takes += f" ({' '.join(names)})"
        usage = joined([f"[{' '.join((name, *names))}]" for names in ways])
        fix = f"write {usage}, for example {operation.example}"
    return GeometryError(
        f"{name} takes {takes}, got {given}",
        code="ARITY_MISMATCH",
        operation=operation.name if operation is not None else name,
        argument=argument,
        place=place,
        fix=fix,
        details={"expected": expected, "given": given},
    )


def _ways(word: Word | None, operation: Operation) -> list[tuple[str, ...]]:
    """The names of the arguments, for each way to call a word, or to call a constructor."""
    if word is None:
        return [tuple(argument.name for argument in operation.stored)]
    return [*dict.fromkeys(tuple(argument.name for argument in form.arguments) for form in word.shown)]


def _is_of(type_: str, operations: Sequence[Operation]) -> Callable[[object], bool]:
    """Whether a value is of a type of the library, or a keyword."""
    if type_ == "Keyword":
        return lambda value: isinstance(value, Keyword)
    tags = frozenset(operation.variant for operation in operations if operation.gives == type_)
    return lambda value: isinstance(value, Adt) and value.tag in tags


CAD_LIBRARY: Final = library_of(OPERATIONS)

_NUMBERS: Final = Library("numbers", "", functions=OF_NUMBERS, tolerant=True, entries=OF_NUMBERS_ENTRIES)

PRELUDE: Final = (_NUMBERS, CAD_LIBRARY)
"""All that is there before user code. Lengths may be ints as well as floats: ``min`` and ``max`` take
numbers besides a vector, and the checker lets the kinds mix where the run time does."""
