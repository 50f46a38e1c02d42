"""The fields of a library value, checked and turned into what nodes hold.

Kinds of all fields come before the range of any; a fault names the CAD function, the argument and
where the call stands. Does not know documents.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple, NoReturn, TypeAlias

from vcad_kernel.cad.selections import SelectionFault, selector_of
from vcad_kernel.cad.values import described, number_text
from vcad_kernel.errors import GeometryError, Place
from vcad_kernel.loon.runtime.collections import Map, Vector
from vcad_kernel.loon.runtime.faults import WHERE_UNIT_COMES_FROM
from vcad_kernel.loon.runtime.values import UNIT, Adt, Keyword
from vcad_kernel.operations.arguments import (
    LEAST_FIDELITY,
    AnyKind,
    Argument,
    Choice,
    Either,
    Key,
    Keyed,
    Kind,
    Numbers,
    Several,
)
from vcad_kernel.operations.features.places import Points
from vcad_kernel.operations.features.selections import Target
from vcad_kernel.operations.library import VARIANTS, WORDS
from vcad_kernel.operations.numbers import ParameterFault
from vcad_kernel.operations.planes import PLANES
from vcad_kernel.operations.record import Operation

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
    """The fields, checked and turned into what nodes hold; solids, profiles and paths stay values."""
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
        read, fault = _read(argument.kind, item, _At(value, operation, argument))
        result.append(read)
        if fault:
            faults.append((argument, fault))
    if faults:
        argument, fault = faults[0]
        raise _At(value, operation, argument).error("INVALID_PARAMETER", f"{argument.name} {fault}")
    return result


def built(value: Adt, operation: Operation, fields: list[Any], **means: Any) -> Any:
    """What a value stands for, from its checked fields. Raises: GeometryError."""
    if operation.options:
        *fields, options = fields
        means |= {key.parameter: options[key.name] for key in operation.options}
    if operation.subject_last:
        fields = [*fields[1:], fields[0]]
    try:
        return operation.build(*fields, **means)
    except ParameterFault as fault:
        wrong = next((argument for argument in operation.arguments if argument.name == fault.argument), None)
        if wrong is None:
            wrong = Argument(fault.argument or "", operation.options_argument.kind)
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

    def under(self, key: Key) -> _At:
        """What stands under a key of the argument."""
        return self._replace(argument=Argument(f":{key.name}", key.kind, key.unit))

    @property
    def wanted(self) -> str:
        """What the argument must be, in words; of all meanings of the function where it has several."""
        word = WORDS.get(self.operation.name)
        if word is None or self.argument not in self.operation.arguments:
            return self.argument.kind.words
        return word.kinds_of(self.argument)

    def mismatch(self, item: object, *, inside: bool = False) -> NoReturn:
        """Refuse a value of another kind. inside: it is an item of the argument."""
        given = described(item)
        if inside:
            given = f"a vector with {given} in it"
        wanted = self.wanted
        if isinstance(item, Adt) and item.tag in VARIANTS and self.operation.arguments[-1] != self.argument:
            # it is of another of the word's meanings: the subject has said which is meant
            wanted = self.argument.kind.words
        message = f"{self.argument.name} must be {wanted}, got {given}"
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
            message = f"{self.argument.name} must be {self.wanted}, {what}"
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


def _vector_of(gives: str) -> _Reader:
    return lambda item, at: ([at.variant(part, gives, inside=True)[0] for part in at.items(item)], None)


def _plain_ones(gives: str) -> _Reader:
    """A vector of values without children."""
    return lambda item, at: (
        tuple(_plain(*at.variant(part, gives, inside=True)) for part in at.items(item)),
        None,
    )


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


def _plane(item: object, at: _At) -> _Read:
    """A plane by name, or a value that gives one."""
    if not isinstance(item, Keyword):
        return at.variant(item, "Plane")[0], None
    if item.name in PLANES:
        return item.name, None
    error = at.error(
        "INVALID_PARAMETER", f"{at.argument.name} must be {at.argument.kind.words}, got :{item.name}"
    )
    error.fix = _nearest(item.name, PLANES)
    raise error


def _plane_or_numbers(item: object, at: _At) -> _Read:
    """A plane by name, the node of one that stands on nothing, or a value to be converted."""
    plane, fault = _plane(item, at)
    if not isinstance(plane, Adt):
        return plane, fault
    operation = VARIANTS[plane.tag]
    if any(argument.kind is Kind.SOLID for argument in operation.arguments):
        return plane, fault
    return _plain(plane, operation), None


def _face(item: object, at: _At) -> _Read:
    """A plane, or a selection of a face."""
    named = isinstance(item, Keyword) and item.name in PLANES
    known = VARIANTS.get(item.tag) if isinstance(item, Adt) else None
    if named or (known is not None and known.gives == "Plane"):
        return _plane(item, at)
    return _selector("face")(item, at)


def _selection(item: object, at: _At) -> _Read:
    """A selection of edges or of faces: what is none of edges is read as one of faces."""
    try:
        return selector_of(item, "edge"), None
    except SelectionFault:
        with contextlib.suppress(SelectionFault):
            return selector_of(item, "face"), None
    return _selector("edge")(item, at)


def _places(item: object, at: _At) -> _Read:
    """Points, or a value that says where."""
    if not isinstance(item, Vector):
        return _plain(*at.variant(item, "Places")), None
    points, fault = _several(_POINTS, item, at)
    return Points(points), fault


_POINTS = Several(Numbers(2))


def _real(item: object, at: _At) -> _Read:
    if type(item) is not float and type(item) is not int:
        at.mismatch(item)
    number = float(item)
    fault = None if math.isfinite(number) else f"must be a finite number, got {number_text(number)}"
    return number, fault


_READERS: Mapping[Kind, _Reader] = {
    Kind.REAL: _real,
    Kind.COUNT: _whole_from(1),
    Kind.FIDELITY: _whole_from(LEAST_FIDELITY),
    Kind.INDEX: _whole_from(0),
    Kind.FLAG: _of_class(bool),
    Kind.TEXT: _of_class(str),
    Kind.SOLID: _of_type("Solid"),
    Kind.SKETCH: _of_type("Sketch"),
    Kind.SEGMENTS: _plain_ones("SketchSeg"),
    Kind.STEPS: _plain_ones("Step"),
    Kind.SOLIDS: _vector_of("Solid"),
    Kind.SKETCHES: _vector_of("Sketch"),
    Kind.REALS: _reals,
    Kind.INDICES: _indices,
    Kind.PATH: _of_type("Path"),
    Kind.PATHS: _vector_of("Path"),
    Kind.SURFACE: _of_type("Surface"),
    Kind.PLANE: _plane,
    Kind.PLANE_OR_NUMBERS: _plane_or_numbers,
    Kind.FACE: _face,
    Kind.PLACES: _places,
    Kind.EDGES: _selector("edge"),
    Kind.FACES: _selector("face"),
    Kind.SELECTION: _selection,
}


def _read(kind: AnyKind, item: object, at: _At) -> _Read:
    """A field of any kind."""
    match kind:
        case Kind():
            return _READERS[kind](item, at)
        case Choice():
            return _choice(kind, item, at)
        case Numbers():
            return _numbers(kind, item, at)
        case Several():
            return _several(kind, item, at)
        case Either():
            meant = next((alternative for alternative in kind.kinds if _may_be(alternative, item)), None)
            if meant is None:
                at.mismatch(item)
            return _read(meant, item, at)
        case Keyed():
            return _keyed(kind, item, at)


def _choice(kind: Choice, item: object, at: _At) -> _Read:
    if not isinstance(item, Keyword):
        at.mismatch(item)
    if item.name in kind.names:
        return item.name, None
    error = at.error("INVALID_PARAMETER", f"{at.argument.name} must be {kind.words}, got :{item.name}")
    error.fix = _nearest(item.name, kind.names)
    raise error


def _numbers(kind: Numbers, item: object, at: _At) -> _Read:
    held = item.to_list() if isinstance(item, Vector) else item
    if not isinstance(held, list | tuple) or len(held) != kind.count:
        at.mismatch(item)
    numbers: list[float] = []
    fault = None
    for part in held:
        if type(part) not in (int, float):
            at.mismatch(part, inside=True)
        if not math.isfinite(part):
            fault = f"must be finite numbers, got {number_text(part)}"
        numbers.append(float(part))
    return tuple(numbers), fault


def _several(kind: Several, item: object, at: _At) -> _Read:
    parts = [_read(kind.of, part, at) for part in at.items(item)]
    faults = [fault for _, fault in parts if fault]
    return tuple(part for part, _ in parts), faults[0] if faults else None


def _keyed(kind: Keyed, item: object, at: _At) -> _Read:
    """A map of keys: each key's value, or what stands for it where it is not given."""
    if not isinstance(item, Map):
        at.mismatch(item)
    keys = {key.name: key for key in kind.keys}
    values: dict[str, Any] = {}
    for written, value in item.items():
        key = keys.get(written.name) if isinstance(written, Keyword) else None
        if key is None:
            said = f":{written.name}" if isinstance(written, Keyword) else described(written)
            known = ", ".join(f":{name}" for name in keys)
            message = f"{at.argument.name} has the unknown key {said}; keys are {known}"
            error = at.error("INVALID_PARAMETER", message)
            error.fix = _nearest(written.name, keys) if isinstance(written, Keyword) else None
            raise error
        under = at.under(key)
        values[key.name], fault = _read(key.kind, value, under)
        if fault:
            raise under.error("INVALID_PARAMETER", f"{under.argument.name} {fault}")
    lacking = [key for key in kind.keys if key.required and key.name not in values]
    if lacking:
        missing = at.under(lacking[0])
        needed = f"{at.argument.name} needs {missing.argument.name}, {lacking[0].kind.words}"
        raise missing.error("INVALID_PARAMETER", needed)
    return {name: values.get(name, key.default) for name, key in keys.items()}, None


def _may_be(kind: AnyKind, item: object) -> bool:
    """Whether a value is written as one of a kind is; what is wrong with it is reported when it is read."""
    match kind:
        case Choice():
            return isinstance(item, Keyword)
        case Keyed():
            return isinstance(item, Map)
        case Numbers() | Several():
            return isinstance(item, Vector | tuple)
        case Either():
            return any(_may_be(alternative, item) for alternative in kind.kinds)
        case Kind.REAL | Kind.COUNT | Kind.FIDELITY | Kind.INDEX:
            return type(item) in (int, float)
        case Kind.FLAG:
            return isinstance(item, bool)
        case Kind.TEXT:
            return isinstance(item, str)
        case Kind.SEGMENTS | Kind.STEPS | Kind.SOLIDS | Kind.SKETCHES | Kind.PATHS:
            return isinstance(item, Vector)
        case Kind.REALS | Kind.INDICES:
            return isinstance(item, Vector)
        case Kind.PLACES:
            return isinstance(item, Vector | Adt)
        case Kind.EDGES | Kind.FACES | Kind.SELECTION | Kind.FACE | Kind.PLANE | Kind.PLANE_OR_NUMBERS:
            return isinstance(item, Map | Adt | Keyword)
        case Kind.SOLID | Kind.SKETCH | Kind.PATH | Kind.SURFACE:
            known = VARIANTS.get(item.tag) if isinstance(item, Adt) else None
            return known is not None and known.gives == kind.type
    raise AssertionError(f"no value is known to be {kind.words}")


def _nearest(name: str, known: Iterable[str]) -> str | None:
    close = get_close_matches(name, [*known], 1)
    return f"did you mean :{close[0]}?" if close else None
