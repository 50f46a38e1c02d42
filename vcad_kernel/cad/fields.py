"""The fields of a library value, checked and turned into what nodes hold.

Kinds of all fields come before the range of any; a fault names the CAD function, the argument and
where the call stands. Does not know documents.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from vcad_kernel.cad.path_values import FieldFault, path_of
from vcad_kernel.cad.selections import SelectionFault, selector_of
from vcad_kernel.cad.signature import LEAST_FIDELITY
from vcad_kernel.cad.signatures import VARIANTS, Kind, Parameter, Signature
from vcad_kernel.cad.values import described, number_text
from vcad_kernel.errors import GeometryError, Place
from vcad_kernel.ir.nodes import Arc, Line, Segment
from vcad_kernel.ir.selector import Target
from vcad_kernel.loon.runtime.collections import Vector
from vcad_kernel.loon.runtime.values import Adt

__all__ = ["checked", "field_error", "place_of", "signature_of"]


def signature_of(value: Adt) -> Signature:
    """The library's entry for a value. Raises: GeometryError UNKNOWN_VARIANT."""
    signature = VARIANTS.get(value.tag)
    if signature is None:
        raise GeometryError(
            f"'{value.tag}' is not a variant of the CAD library",
            code="UNKNOWN_VARIANT",
            place=place_of(value),
            fix="a model is made of the library's solids, sketches, scene entries and materials",
        )
    return signature


def checked(value: Adt, signature: Signature, fields: tuple[Parameter, ...]) -> list[Any]:
    """The fields, checked and turned into what nodes hold; solids and sketches stay values."""
    given = value.fields
    if len(given) != len(fields):
        raise GeometryError(
            f"{signature.name}: {signature.variant} has {len(fields)} fields, got {len(given)}",
            code="ARITY_MISMATCH",
            operation=signature.name,
            place=place_of(value),
        )
    result: list[Any] = []
    faults: list[tuple[Parameter, str]] = []
    for parameter, item in zip(fields, given, strict=True):
        # the kinds of all fields come before the range of any
        if type(item) is float and parameter.kind is Kind.REAL:
            result.append(item)
            if not math.isfinite(item):
                faults.append((parameter, f"must be a finite number, got {number_text(item)}"))
            continue
        read, fault = _READERS[parameter.kind](item, value, signature, parameter)
        result.append(read)
        if fault:
            faults.append((parameter, fault))
    if faults:
        parameter, fault = faults[0]
        raise field_error(value, signature, parameter, "INVALID_PARAMETER", f"{parameter.name} {fault}")
    return result


_LARGEST_WHOLE = 2**63 - 1
"""What Loon's whole numbers and a node's digest hold."""

_Read = tuple[Any, str | None]
"""A field as nodes hold it, and what is wrong with its size if anything."""


def _real(item: object, value: Adt, signature: Signature, parameter: Parameter) -> _Read:
    if type(item) is int:
        return float(item), None
    if type(item) is not float:
        _mismatch(item, value, signature, parameter)
    return item, None if math.isfinite(item) else f"must be a finite number, got {number_text(item)}"


def _whole(item: object, least: int, wanted: str) -> _Read:
    if type(item) is float:
        if not item.is_integer():
            return 0, f"must be {wanted}, got {number_text(item)}"
        item = int(item)
    assert isinstance(item, int)
    if item > _LARGEST_WHOLE:
        return 0, f"must be {wanted}, got {number_text(item)}, which is too large"
    return item, None if item >= least else f"must be {wanted}, got {item}"


def _whole_from(least: int) -> Callable[[object, Adt, Signature, Parameter], _Read]:
    def read(item: object, value: Adt, signature: Signature, parameter: Parameter) -> _Read:
        if type(item) not in (int, float):
            _mismatch(item, value, signature, parameter)
        return _whole(item, least, parameter.kind.value)

    return read


def _flag(item: object, value: Adt, signature: Signature, parameter: Parameter) -> _Read:
    if type(item) is not bool:
        _mismatch(item, value, signature, parameter)
    return item, None


def _text(item: object, value: Adt, signature: Signature, parameter: Parameter) -> _Read:
    if type(item) is not str:
        _mismatch(item, value, signature, parameter)
    return item, None


def _of_type(gives: str) -> Callable[[object, Adt, Signature, Parameter], _Read]:
    def read(item: object, value: Adt, signature: Signature, parameter: Parameter) -> _Read:
        if not isinstance(item, Adt) or _known(item, value, signature, parameter).gives != gives:
            _mismatch(item, value, signature, parameter)
        return item, None

    return read


def _items(item: object, value: Adt, signature: Signature, parameter: Parameter) -> list[object]:
    if not isinstance(item, Vector):
        _mismatch(item, value, signature, parameter)
    return item.to_list()


def _sketches(item: object, value: Adt, signature: Signature, parameter: Parameter) -> _Read:
    sketches = _items(item, value, signature, parameter)
    for sketch in sketches:
        if not isinstance(sketch, Adt) or _known(sketch, value, signature, parameter).gives != "Sketch":
            _mismatch(sketch, value, signature, parameter, inside=True)
    return sketches, None


def _segments(item: object, value: Adt, signature: Signature, parameter: Parameter) -> _Read:
    segments: list[Segment] = []
    for part in _items(item, value, signature, parameter):
        known = _known(part, value, signature, parameter) if isinstance(part, Adt) else None
        if known is None or known.gives != "SketchSeg":
            _mismatch(part, value, signature, parameter, inside=True)
        assert isinstance(part, Adt)
        numbers = checked(part, known, known.fields)
        start, end = (numbers[0], numbers[1]), (numbers[2], numbers[3])
        if known.variant == "SLine":
            segments.append(Line(start, end))
        else:
            segments.append(Arc(start, end, (numbers[4], numbers[5]), numbers[6]))
    return tuple(segments), None


def _reals(item: object, value: Adt, signature: Signature, parameter: Parameter) -> _Read:
    numbers: list[float] = []
    fault = None
    for index, part in enumerate(_items(item, value, signature, parameter)):
        if type(part) not in (int, float):
            _mismatch(part, value, signature, parameter, inside=True)
        assert isinstance(part, int | float)
        if fault is None and not math.isfinite(part):
            fault = f"must be finite numbers, got {number_text(part)} at {index}"
        numbers.append(float(part))
    return tuple(numbers), fault


def _indices(item: object, value: Adt, signature: Signature, parameter: Parameter) -> _Read:
    numbers: list[int] = []
    fault = None
    for part in _items(item, value, signature, parameter):
        if type(part) not in (int, float):
            _mismatch(part, value, signature, parameter, inside=True)
        number, bad = _whole(part, 0, "whole numbers from 0")
        fault = fault or bad
        numbers.append(number)
    return tuple(numbers), fault


def _path(item: object, value: Adt, signature: Signature, parameter: Parameter) -> _Read:
    known = _known(item, value, signature, parameter) if isinstance(item, Adt) else None
    if known is None or known.gives != "Path":
        _mismatch(item, value, signature, parameter)
    assert isinstance(item, Adt)
    try:
        return path_of(known.variant, checked(item, known, known.fields)), None
    except FieldFault as fault:
        wrong = next(one for one in known.fields if one.name == fault.argument)
        message = f"{fault.argument} {fault.message}"
        raise field_error(item, known, wrong, "INVALID_PARAMETER", message) from None


def _selector(target: Target) -> Callable[[object, Adt, Signature, Parameter], _Read]:
    def read(item: object, value: Adt, signature: Signature, parameter: Parameter) -> _Read:
        try:
            return selector_of(item, target), None
        except SelectionFault as fault:
            error = field_error(value, signature, parameter, fault.code, f"{parameter.name} {fault.message}")
            error.fix = fault.fix
            raise error from None

    return read


_READERS: Mapping[Kind, Callable[[object, Adt, Signature, Parameter], _Read]] = {
    Kind.REAL: _real,
    Kind.COUNT: _whole_from(1),
    Kind.FIDELITY: _whole_from(LEAST_FIDELITY),
    Kind.INDEX: _whole_from(0),
    Kind.FLAG: _flag,
    Kind.TEXT: _text,
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


# ---------------------------------------------------------------- errors


def place_of(value: Adt) -> Place | None:
    """Where the call that made a value stands."""
    return None if value.site is None else value.site.place()


def field_error(
    value: Adt, signature: Signature, parameter: Parameter, code: str, message: str
) -> GeometryError:
    """The error of one argument; message is read after ``function: ``."""
    return GeometryError(
        f"{signature.name}: {message}",
        code=code,
        operation=signature.name,
        argument=parameter.name,
        place=place_of(value),
        details={"variant": signature.variant},
    )


def _known(item: Adt, value: Adt, signature: Signature, parameter: Parameter) -> Signature:
    """The library's entry for a field that is a variant. Raises: GeometryError UNKNOWN_VARIANT."""
    known = VARIANTS.get(item.tag)
    if known is None:
        what = f"got '{item.tag}', which is not a variant of the CAD library"
        message = f"{parameter.name} must be {parameter.kind.value}, {what}"
        raise field_error(value, signature, parameter, "UNKNOWN_VARIANT", message)
    return known


def _mismatch(
    item: object, value: Adt, signature: Signature, parameter: Parameter, *, inside: bool = False
) -> NoReturn:
    found = described(item)
    if inside:
        found = f"a vector with {found} in it"
    raise field_error(
        value,
        signature,
        parameter,
        "TYPE_MISMATCH",
        f"{parameter.name} must be {parameter.kind.value}, got {found}",
    )
