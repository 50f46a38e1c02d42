"""The CAD library as Loon environments take it: its text, and its own error for a wrong count.

Used as ``Environment(prelude=PRELUDE)``.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from vcad_kernel.cad.reference import ENTRIES
from vcad_kernel.cad.signatures import FUNCTIONS, VARIANTS, Parameter, Signature
from vcad_kernel.errors import GeometryError, Place
from vcad_kernel.loon.library import Library
from vcad_kernel.loon.reference_entries.numbers import OF_NUMBERS as OF_NUMBERS_ENTRIES
from vcad_kernel.loon.runtime.mathematics import OF_NUMBERS
from vcad_kernel.loon.runtime.registry import name_builtin
from vcad_kernel.loon.runtime.values import Adt

__all__ = ["CAD_LIBRARY", "PRELUDE", "arity_error"]


def arity_error(name: str, expected: int, given: int, place: Place | None) -> GeometryError:
    """ARITY_MISMATCH for a call of a library function, or of one of its constructors."""
    signature = FUNCTIONS.get(name) or VARIANTS.get(name)
    argument, fix = None, None
    if signature is not None:
        parameters = signature.parameters if name in FUNCTIONS else signature.fields
        if given < len(parameters):
            argument = parameters[given].name
        fix = f"write {_usage(name, parameters)}, for example {signature.example}"
    return GeometryError(
        f"{name} takes {_arguments(expected)}{_named(signature, name)}, got {given}",
        code="ARITY_MISMATCH",
        operation=signature.name if signature is not None else name,
        argument=argument,
        place=place,
        fix=fix,
        details={"expected": expected, "given": given},
    )


def _arguments(count: int) -> str:
    return f"{count} argument{'' if count == 1 else 's'}"


def _named(signature: Signature | None, name: str) -> str:
    if signature is None or not signature.parameters:
        return ""
    parameters = signature.parameters if name in FUNCTIONS else signature.fields
    return f" ({' '.join(parameter.name for parameter in parameters)})"


def _usage(name: str, parameters: tuple[Parameter, ...]) -> str:
    return f"[{' '.join((name, *(parameter.name for parameter in parameters)))}]"


def _is_solid(value: object) -> bool:
    """Whether a value is a solid of the library."""
    signature = VARIANTS.get(value.tag) if isinstance(value, Adt) else None
    return signature is not None and signature.gives == "Solid"


CAD_LIBRARY = Library(
    "cad/library.oo",
    files("vcad_kernel.cad").joinpath("library.oo").read_text("utf-8"),
    arity_error,
    functions={"solid?": name_builtin(_is_solid, "solid?")},
    entries=ENTRIES,
)

_NUMBERS: Final = Library("numbers", "", functions=OF_NUMBERS, tolerant=True, entries=OF_NUMBERS_ENTRIES)

PRELUDE: Final = (_NUMBERS, CAD_LIBRARY)
"""All that is there before user code. Lengths may be ints as well as floats: ``min`` and ``max`` take
numbers besides a vector, and the checker lets the kinds mix where the run time does."""
