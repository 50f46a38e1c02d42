"""Records as JSON data and back, by their annotations, with every step of reading checked.

A record is an object with a member for each field, and the ``type`` where it is one of several; vectors are
objects, too. What is wrong is refused with the path of the member: GeometryError TYPE_MISMATCH,
ARITY_MISMATCH, UNKNOWN_VARIANT or INVALID_PARAMETER. Knows plain dicts, lists, strings and numbers.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any, TypeAlias, TypeVar, get_args, get_origin

import msgspec

from vcad_kernel.errors import GeometryError
from vcad_kernel.ir.parameter import Number
from vcad_kernel.operations.features.selections import (
    CRITERIA,
    Coordinates,
    Ordinal,
    Selector,
    Target,
    keywords_of,
)
from vcad_kernel.operations.node import Node, NodeId, Record, fields_of

__all__ = [
    "as_integer",
    "as_list",
    "as_object",
    "as_text",
    "member",
    "read_record",
    "unknown_members",
    "variant",
    "written_record",
    "wrong",
]

_Record = TypeVar("_Record", bound=Record)
_Reader: TypeAlias = Callable[[Any, str], Any]
_Writer: TypeAlias = Callable[[Any], Any]

_LARGEST_INTEGER = 2**53
"""Beyond it a double no longer tells whole numbers apart."""
_DEEPEST_SELECTOR = 32
"""Selectors within selectors: a face next to a face next to a face … is a slip long before this."""
_SELECTORS_IN = tuple(
    criterion.member for criterion in CRITERIA if criterion.takes.endswith(("faces", "alike"))
)


def wrong(path: str, wanted: str, got: object) -> GeometryError:
    """The error of a value of another kind than wanted."""
    return GeometryError(
        f"{path} must be {wanted}, got {type(got).__name__}", code="TYPE_MISMATCH", details={"path": path}
    )


def _invalid(path: str, wanted: str, got: object) -> GeometryError:
    """The error of a value of the right kind that means nothing."""
    return GeometryError(
        f"{path} must be {wanted}, got {got}", code="INVALID_PARAMETER", details={"path": path}
    )


def as_object(value: object, path: str) -> dict[str, Any]:
    """A JSON object."""
    if not isinstance(value, dict):
        raise wrong(path, "an object", value)
    return value


def as_list(value: object, path: str) -> list[Any]:
    """A JSON list."""
    if not isinstance(value, list | tuple):
        raise wrong(path, "a list", value)
    return list(value)


def as_text(value: object, path: str) -> str:
    """A string."""
    if not isinstance(value, str):
        raise wrong(path, "text", value)
    return value


def _as_flag(value: object, path: str) -> bool:
    if not isinstance(value, bool):
        raise wrong(path, "true or false", value)
    return value


def _as_number(value: object, path: str) -> float:
    """A finite double; whole numbers are accepted."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong(path, "a number", value)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _invalid(path, "finite", number)
    return number


def as_integer(value: object, path: str) -> int:
    """A whole number from 0; a real with zero fraction is accepted."""
    number = _as_number(value, path)
    if number < 0 or not number.is_integer() or number > _LARGEST_INTEGER:
        raise _invalid(path, "a whole number from 0", value)
    return int(number)


def _as_ordinal(value: object, path: str) -> int:
    """A whole number."""
    number = _as_number(value, path)
    if not number.is_integer() or abs(number) > _LARGEST_INTEGER:
        raise _invalid(path, "a whole number", value)
    return int(number)


def _as_written(value: object, path: str) -> Number:
    """A finite number that stays whole when it was written so."""
    number = _as_number(value, path)
    if not isinstance(value, int):
        return number
    if abs(value) > _LARGEST_INTEGER:
        raise _invalid(path, "a whole number that a double can hold", value)
    return value


def _as_coordinates(value: object, path: str) -> Coordinates:
    record = as_object(value, path)
    for axis in record:
        if axis not in ("x", "y", "z"):
            raise _invalid(path, "coordinates by axis (x, y, z)", repr(axis))
    if not record:
        raise _invalid(path, "at least one coordinate", "none")
    axes: tuple[Any, ...] = tuple(axis for axis in "xyz" if axis in record)
    return tuple((axis, _as_number(record[axis], f"{path}.{axis}")) for axis in axes)


def _as_target(value: object, path: str) -> str:
    target = as_text(value, path)
    if target not in get_args(Target):
        raise _invalid(path, "'edge' or 'face'", repr(target))
    return target


def member(record: Mapping[str, Any], name: str, path: str) -> Any:
    """A member that must be there."""
    if name not in record:
        raise GeometryError(
            f"{path} has no member '{name}'", code="ARITY_MISMATCH", details={"path": f"{path}.{name}"}
        )
    return record[name]


def unknown_members(record: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """The members that this version does not know."""
    return {name: value for name, value in record.items() if name not in known}


def variant(record: Mapping[str, Any], path: str, known: Collection[str]) -> str:
    """The ``type`` of a record, which must be one of the known."""
    name = as_text(member(record, "type", path), f"{path}.type")
    if name not in known:
        raise GeometryError(
            f"{path} has the unknown type '{name}'; known: {', '.join(known)}",
            code="UNKNOWN_VARIANT",
            details={"path": path},
        )
    return name


# ---------------------------------------------------------------- records


def written_record(record: Record) -> dict[str, Any]:
    """A record as JSON data; optional fields that are unused are left out."""
    tag, plan = _writing(type(record))
    data: dict[str, Any] = {} if tag is None else {"type": tag}
    for name, optional, write in plan:
        value = getattr(record, name)
        if value is not None or not optional:
            data[name] = write(value)
    return data


def read_record(kind: type[_Record], data: Mapping[str, Any], path: str) -> _Record:
    """The record that an object describes."""
    values: dict[str, Any] = {}
    for name, optional, may_be_absent, read in _reading(kind):
        if name in data:
            given = data[name]
            values[name] = None if given is None and optional else read(given, f"{path}.{name}")
        elif not may_be_absent:
            member(data, name, path)
    return kind(**values)


@functools.cache
def _writing(kind: type[Record]) -> tuple[Any, tuple[tuple[str, bool, _Writer], ...]]:
    fields = tuple((field.name, field.optional, _writer(field.type)) for field in fields_of(kind))
    return kind.__struct_config__.tag, fields


@functools.cache
def _reading(kind: type[Record]) -> tuple[tuple[str, bool, bool, _Reader], ...]:
    """Name, whether it may be null, whether it may be absent, and reader of each field."""
    # of a node all is there but what is optional, and the hint that documents once did not have
    strict = issubclass(kind, Node)
    absent = {
        field.name
        for field in msgspec.structs.fields(kind)
        if not field.required and (field.default is None or field.name == "segments" or not strict)
    }
    return tuple(
        (field.name, field.optional, field.name in absent, _reader(field.type)) for field in fields_of(kind)
    )


def _read_selector(value: object, path: str) -> Selector:
    # the paths of members grow with the depth
    if sum(path.count(f".{name}") for name in _SELECTORS_IN) > _DEEPEST_SELECTOR:
        raise _invalid(path, f"no more than {_DEEPEST_SELECTOR} selectors deep", "more")
    data = as_object(value, path)
    known = Selector.__struct_fields__
    for name in unknown_members(data, known):
        # an unknown criterion cannot be carried through: leaving it out would select more
        raise GeometryError(
            f"{path} has the unknown criterion '{name}'; known: {', '.join(known[1:])}",
            code="UNKNOWN_VARIANT",
            details={"path": f"{path}.{name}"},
        )
    selector = read_record(Selector, data, path)
    for criterion in CRITERIA:
        given, words = getattr(selector, criterion.member), keywords_of(criterion.takes, selector.target)
        if isinstance(given, str) and words and given not in words:
            raise _invalid(f"{path}.{criterion.member}", f"one of {', '.join(words)}", repr(given))
    if (selector.nth is None) != (selector.sort_by is None):
        raise _invalid(path, "a selector with both of nth and sort_by, or neither", "one")
    if selector.between is not None and len(selector.between) != 2:
        raise _invalid(f"{path}.between", "two selectors", f"{len(selector.between)}")
    return selector


# ---------------------------------------------------------------- by type

_PLAIN: Mapping[Any, tuple[_Writer, _Reader]] = {
    float: (float, _as_number),
    int: (int, as_integer),
    bool: (bool, _as_flag),
    str: (str, as_text),
    NodeId: (int, as_integer),
    Number: (lambda value: value, _as_written),
    Ordinal: (int, _as_ordinal),
    Target: (str, _as_target),
    Coordinates: (dict, _as_coordinates),
    Selector: (written_record, _read_selector),
}
"""How values of a type are written and read that are no records, vectors or lists."""


def _writer(kind: Any) -> _Writer:
    if kind in _PLAIN:
        return _PLAIN[kind][0]
    if get_origin(kind) is Annotated:
        names = kind.__metadata__[0].split()
        return lambda vector: dict(zip(names, vector, strict=True))
    if get_origin(kind) is tuple:
        write = _writer(get_args(kind)[0])
        return lambda items: [write(item) for item in items]
    return written_record


def _reader(kind: Any) -> _Reader:
    if kind in _PLAIN:
        return _PLAIN[kind][1]
    if get_origin(kind) is Annotated:
        return functools.partial(_read_vector, kind.__metadata__[0].split())
    if get_origin(kind) is tuple:
        items, *more = get_args(kind)
        return functools.partial(_read_list, _reader(items), None if more == [...] else 1 + len(more))
    return functools.partial(
        _read_variant, {variant.__struct_config__.tag: variant for variant in get_args(kind)}
    )


def _read_vector(names: Collection[str], value: object, path: str) -> tuple[float, ...]:
    data = as_object(value, path)
    return tuple(_as_number(member(data, name, path), f"{path}.{name}") for name in names)


def _read_list(read: _Reader, length: int | None, value: object, path: str) -> tuple[Any, ...]:
    items = as_list(value, path)
    if length not in (None, len(items)):
        raise wrong(path, "two numbers, lowest and highest" if length == 2 else "three numbers", value)
    return tuple(read(item, f"{path}[{index}]") for index, item in enumerate(items))


def _read_variant(kinds: Mapping[str, type[Record]], value: object, path: str) -> Any:
    data = as_object(value, path)
    return read_record(kinds[variant(data, path, kinds)], data, path)
