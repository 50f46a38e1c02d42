"""The fields of a library value, checked and turned into what nodes hold.

Kinds of all fields come before the range of any; a fault names the CAD function, the argument and
where the call stands. Does not know documents.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, NoReturn, TypeAlias

from vcad_kernel.cad.selections import SelectionFault, selector_of
from vcad_kernel.cad.values import described, number_text
from vcad_kernel.errors import GeometryError, Place
from vcad_kernel.loon.runtime.collections import Vector
from vcad_kernel.loon.runtime.faults import WHERE_UNIT_COMES_FROM
from vcad_kernel.loon.runtime.values import UNIT, Adt
from vcad_kernel.operations.library import VARIANTS
from vcad_kernel.operations.numbers import ParameterFault
from vcad_kernel.operations.record import LEAST_FIDELITY, Argument, Kind, Operation
from vcad_kernel.operations.selections import Target

__all__ = ["built", "checked", "operation_of", "place_of"]


def operation_of(value: Adt) -> Operation:
    """The library's record of a value. Raises: GeometryError UNKNOWN_VARIANT."""
    operation = VARIANTS.get(value.tag)
    if operation is None:
        raise GeometryError(
            f"'{value.tag}' is not a variant of the CAD library",
            code="UNKNOWN_VARIANT",
            place=place_of(value),
            fix="a model is made of the library's solids, sketches, scene entries and materials",
        )
    return operation


def checked(value: Adt, operation: Operation, stored: tuple[Argument, ...]) -> list[Any]:
    """The fields, checked and turned into what nodes hold; solids and sketches stay values."""
    given = value.fields
    if len(given) != len(stored):
        raise GeometryError(
            f"{operation.name}: {operation.variant} has {len(stored)} fields, got {len(given)}",
            code="ARITY_MISMATCH",
            operation=operation.name,
            place=place_of(value),
        )
    result: list[Any] = []
    faults: list[tuple[Argument, str]] = []
    for argument, item in zip(stored, given, strict=True):
        # the kinds of all fields come before the range of any
        # most arguments are numbers, and thousands of calls may be read: they take no detour
        if argument.kind is Kind.REAL and (type(item) is float or type(item) is int):
            number = float(item)
            result.append(number)
            if not math.isfinite(number):
                faults.append((argument, f"must be a finite number, got {number_text(number)}"))
            continue
        read, fault = _READERS[argument.kind](item, _At(value, operation, argument))
        result.append(read)
        if fault:
            faults.append((argument, fault))
    if faults:
        argument, fault = faults[0]
        raise _At(value, operation, argument).error("INVALID_PARAMETER", f"{argument.name} {fault}")
    return result


def built(value: Adt, operation: Operation, fields: list[Any], **means: Any) -> Any:
    """What a value stands for, from its checked fields. Raises: GeometryError."""
    if operation.subject_last:
        fields = [*fields[1:], fields[0]]
    try:
        return operation.build(*fields, **means)
    except ParameterFault as fault:
        wrong = next(one for one in operation.arguments if one.name == fault.argument)
        raise _At(value, operation, wrong).error(fault.code, fault.message) from None


def place_of(value: Adt) -> Place | None:
    """Where the call that made a value stands."""
    return None if value.site is None else value.site.place()


class _At(NamedTuple):
    """The argument that is being read, for what is to be said of it."""

    value: Adt
    operation: Operation
    argument: Argument

    def error(self, code: str, message: str) -> GeometryError:
        """The error of the argument; message is read after ``function: ``."""
        return GeometryError(
            f"{self.operation.name}: {message}",
            code=code,
            operation=self.operation.name,
            argument=self.argument.name,
            place=place_of(self.value),
            details={"variant": self.operation.variant},
        )

    def mismatch(self, item: object, *, inside: bool = False) -> NoReturn:
        """Refuse a value of another kind. inside: it is an item of the argument."""
        given = described(item)
        if inside:
            given = f"a vector with {given} in it"
        message = f"{self.argument.name} must be {self.argument.kind.words}, got {given}"
        error = self.error("TYPE_MISMATCH", message)
        if item is UNIT:
            error.why = WHERE_UNIT_COMES_FROM
        raise error

    def variant(self, item: object, gives: str, *, inside: bool = False) -> tuple[Adt, Operation]:
        """A value of a type of the library, with its record. Raises: GeometryError."""
        if not isinstance(item, Adt):
            self.mismatch(item, inside=inside)
        operation = VARIANTS.get(item.tag)
        if operation is None:
            what = f"got '{item.tag}', which is not a variant of the CAD library"
            message = f"{self.argument.name} must be {self.argument.kind.words}, {what}"
            raise self.error("UNKNOWN_VARIANT", message)
        if operation.gives != gives:
            self.mismatch(item, inside=inside)
        return item, operation

    def items(self, item: object) -> list[object]:
        """What a vector holds."""
        if not isinstance(item, Vector):
            self.mismatch(item)
        return item.to_list()


_LARGEST_WHOLE = 2**63 - 1
"""What Loon's whole numbers and a node's digest hold."""

_Read: TypeAlias = tuple[Any, str | None]
"""A field as nodes hold it, and what is wrong with its size if anything."""
_Reader: TypeAlias = Callable[[object, _At], _Read]


def _no_number(item: object, at: _At) -> _Read:
    # numbers are read before a reader is looked for
    at.mismatch(item)


def _whole(item: object, least: int, wanted: str) -> _Read:
    if type(item) is float:
        if not item.is_integer():
            return 0, f"must be {wanted}, got {number_text(item)}"
        item = int(item)
    assert isinstance(item, int)
    if item > _LARGEST_WHOLE:
        return 0, f"must be {wanted}, got {number_text(item)}, which is too large"
    return item, None if item >= least else f"must be {wanted}, got {item}"


def _whole_from(least: int) -> _Reader:
    def read(item: object, at: _At) -> _Read:
        if type(item) not in (int, float):
            at.mismatch(item)
        return _whole(item, least, at.argument.kind.words)

    return read


def _of_class(kind: type) -> _Reader:
    def read(item: object, at: _At) -> _Read:
        if type(item) is not kind:
            at.mismatch(item)
        return item, None

    return read


def _of_type(gives: str) -> _Reader:
    return lambda item, at: (at.variant(item, gives)[0], None)


def _sketches(item: object, at: _At) -> _Read:
    return [at.variant(sketch, "Sketch", inside=True)[0] for sketch in at.items(item)], None


def _segments(item: object, at: _At) -> _Read:
    return tuple(_plain(*at.variant(part, "SketchSeg", inside=True)) for part in at.items(item)), None


def _path(item: object, at: _At) -> _Read:
    return _plain(*at.variant(item, "Path")), None


def _plain(value: Adt, operation: Operation) -> Any:
    """What a value without children stands for."""
    return built(value, operation, checked(value, operation, operation.stored))


def _reals(item: object, at: _At) -> _Read:
    numbers: list[float] = []
    fault = None
    for index, part in enumerate(at.items(item)):
        if type(part) not in (int, float):
            at.mismatch(part, inside=True)
        assert isinstance(part, int | float)
        if fault is None and not math.isfinite(part):
            fault = f"must be finite numbers, got {number_text(part)} at {index}"
        numbers.append(float(part))
    return tuple(numbers), fault


def _indices(item: object, at: _At) -> _Read:
    numbers: list[int] = []
    fault = None
    for part in at.items(item):
        if type(part) not in (int, float):
            at.mismatch(part, inside=True)
        number, bad = _whole(part, 0, "whole numbers from 0")
        fault = fault or bad
        numbers.append(number)
    return tuple(numbers), fault


def _selector(target: Target) -> _Reader:
    def read(item: object, at: _At) -> _Read:
        try:
            return selector_of(item, target), None
        except SelectionFault as fault:
            error = at.error(fault.code, f"{at.argument.name} {fault.message}")
            error.fix = fault.fix
            raise error from None

    return read


_READERS: Mapping[Kind, _Reader] = {
    Kind.REAL: _no_number,
    Kind.COUNT: _whole_from(1),
    Kind.FIDELITY: _whole_from(LEAST_FIDELITY),
    Kind.INDEX: _whole_from(0),
    Kind.FLAG: _of_class(bool),
    Kind.TEXT: _of_class(str),
    Kind.SOLID: _of_type("Solid"),
    Kind.SKETCH: _of_type("Sketch"),
    Kind.SEGMENTS: _segments,
    Kind.SKETCHES: _sketches,
    Kind.REALS: _reals,
    Kind.INDICES: _indices,
    Kind.PATH: _path,
    Kind.EDGES: _selector("edge"),
    Kind.FACES: _selector("face"),
}
