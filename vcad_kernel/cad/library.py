"""The CAD library as Loon environments take it: its text, and its own error for a wrong count.

Lengths are millimetres, angles degrees. Z is up. Functions take the subject last, so that they read well in
a pipe.

Used as ``Environment(prelude=PRELUDE)``.
"""

from __future__ import annotations

from typing import Final

from vcad_kernel.cad.guesses import GUESSES
from vcad_kernel.cad.reference import ENTRIES
from vcad_kernel.errors import GeometryError, Place
from vcad_kernel.loon.library import Library
from vcad_kernel.loon.reference_entries.numbers import OF_NUMBERS as OF_NUMBERS_ENTRIES
from vcad_kernel.loon.runtime.mathematics import OF_NUMBERS
from vcad_kernel.loon.runtime.registry import name_builtin
from vcad_kernel.loon.runtime.values import Adt
from vcad_kernel.operations.library import FUNCTIONS, VARIANTS, loon_text
from vcad_kernel.operations.record import Operation

__all__ = ["CAD_LIBRARY", "PRELUDE", "arity_error"]


def arity_error(name: str, expected: int, given: int, place: Place | None) -> GeometryError:
    """ARITY_MISMATCH for a call of a library function, or of one of its constructors."""
    operation = FUNCTIONS.get(name) or VARIANTS.get(name)
    argument, fix, listed = None, None, ""
    if operation is not None:
        arguments, usage = _called(operation, name)
        if given < len(arguments):
            argument = arguments[given]
        listed = f" ({' '.join(arguments)})" if arguments else ""
        fix = f"write {usage}, for example {operation.example}"
    return GeometryError(
        f"{name} takes {expected} argument{'' if expected == 1 else 's'}{listed}, got {given}",
        code="ARITY_MISMATCH",
        operation=operation.name if operation is not None else name,
        argument=argument,
        place=place,
        fix=fix,
        details={"expected": expected, "given": given},
    )


def _called(operation: Operation, name: str) -> tuple[list[str], str]:
    """The names of the arguments, and the call, of a function or of its constructor."""
    arguments = operation.arguments if name in FUNCTIONS else operation.stored
    names = [argument.name for argument in arguments]
    return names, f"[{' '.join((name, *names))}]"


def _is_solid(value: object) -> bool:
    """Whether a value is a solid of the library."""
    operation = VARIANTS.get(value.tag) if isinstance(value, Adt) else None
    return operation is not None and operation.gives == "Solid"


CAD_LIBRARY = Library(
    "cad/library.oo",
    loon_text(),
    arity_error,
    functions={"solid?": name_builtin(_is_solid, "solid?")},
    entries=ENTRIES,
    guesses=GUESSES,
)

_NUMBERS: Final = Library("numbers", "", functions=OF_NUMBERS, tolerant=True, entries=OF_NUMBERS_ENTRIES)

PRELUDE: Final = (_NUMBERS, CAD_LIBRARY)
"""All that is there before user code. Lengths may be ints as well as floats: ``min`` and ``max`` take
numbers besides a vector, and the checker lets the kinds mix where the run time does."""
