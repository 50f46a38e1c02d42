"""Builtins on vectors and on collections in general, without callbacks."""

from __future__ import annotations

from typing import Any

from vcad_kernel.loon.runtime.builtins.arithmetic import add
from vcad_kernel.loon.runtime.builtins.registry import builtin, name_builtin
from vcad_kernel.loon.runtime.builtins.text import concatenate
from vcad_kernel.loon.runtime.collections import Map, Set, Vector
from vcad_kernel.loon.runtime.equality import equal
from vcad_kernel.loon.runtime.faults import fault, type_fault
from vcad_kernel.loon.runtime.limits.limits import check_size
from vcad_kernel.loon.runtime.values import UNIT, UNSET

__all__ = ["goes_before", "sorted_by", "vector"]


# Tuples, since a union of types would be built anew at each call.
_COUNTED = (Vector, str, Map, Set)
_INDEXED = (Vector, tuple)
_GROWING = (Vector, Set)
_KEYED = (Map, Set)


def vector(operation: str, value: object) -> Vector:
    """``value`` if it is a vector, else a type error that names the operation."""
    if not isinstance(value, Vector):
        raise type_fault(operation, "a vector", value)
    return value


def _int(operation: str, value: object, what: str = "an int") -> int:
    if type(value) is not int:
        raise type_fault(operation, what, value)
    return value


@builtin("len")
def length(collection: object, *_surplus: object) -> int:
    """Number of items, characters or entries."""
    if isinstance(collection, _COUNTED):
        return len(collection)
    raise type_fault("len", "a vector, string, map or set", collection)


@builtin("empty?")
def is_empty(collection: object, *_surplus: object) -> bool:
    """Whether nothing is in it."""
    if isinstance(collection, _COUNTED):
        return len(collection) == 0
    raise type_fault("empty?", "a vector, string, map or set", collection)


@builtin("nth")
def nth(collection: Any, index: object, default: object = UNSET, *_surplus: object) -> object:
    """The item of a vector or tuple at an index, else the default."""
    if not isinstance(collection, _INDEXED):
        raise type_fault("nth", "a vector or tuple", collection)
    at = _int("nth", index, "an int as index")
    if 0 <= at < len(collection):
        return collection[at]
    if default is not UNSET:
        return default
    raise fault(
        "index",
        f"nth: {at} is outside a collection of {len(collection)}",
        fix="a third argument is the default",
    )


@builtin("get")
def get(collection: Any, index: object, default: object = UNIT, *_surplus: object) -> object:
    """The value under a key of a map or index of a vector, else the default or unit."""
    if isinstance(collection, Map):
        return collection.get(index, default)
    if isinstance(collection, Vector):
        at = _int("get", index, "an int as index of a vector")
        return collection[at] if 0 <= at < len(collection) else default
    raise type_fault("get", "a map or a vector", collection)


@builtin("conj")
def conj(collection: object, *added: object) -> object:
    """With items appended to a vector or added to a set."""
    if isinstance(collection, _GROWING):
        return _grown("conj", collection, added)
    raise type_fault("conj", "a vector or set", collection)


@builtin("push!")
def push(collection: object, *added: object) -> object:
    """A new vector or string with items appended."""
    if isinstance(collection, str):
        return concatenate(collection, *added)
    if isinstance(collection, _GROWING):
        return _grown("push!", collection, added)
    raise type_fault("push!", "a vector or string", collection)


def _grown(operation: str, collection: Vector | Set, added: tuple[object, ...]) -> Vector | Set:
    grown = collection.conj(*added)
    check_size(operation, len(grown))
    return grown


@builtin("cons")
def cons(item: object, items: object, *_surplus: object) -> Vector:
    """With an item put first."""
    grown = vector("cons", items).cons(item)
    check_size("cons", len(grown))
    return grown


@builtin("range")
def number_range(first: object, end: object = UNSET, *_surplus: object) -> Vector:
    """Ints from ``first`` up to but excluding ``end``; with one argument from 0 up to it."""
    if end is UNSET:
        first, end = 0, first
    start, stop = _int("range", first, "two ints"), _int("range", end, "two ints")
    check_size("range", stop - start)
    return Vector(list(range(start, stop)))


@builtin("take")
def take(count: object, items: object = UNSET, *_surplus: object) -> object:
    """The first items, at most as many as there are."""
    wanted = max(0, _int("take", count, "an int and a vector"))
    if items is UNSET:
        return name_builtin(lambda held, *_surplus: take(wanted, held), "take-partial")
    return vector("take", items)[:wanted]


@builtin("drop")
def drop(count: object, items: object = UNSET, *_surplus: object) -> object:
    """Without the first items."""
    unwanted = max(0, _int("drop", count, "an int and a vector"))
    if items is UNSET:
        return name_builtin(lambda held, *_surplus: drop(unwanted, held), "drop-partial")
    return vector("drop", items)[unwanted:]


@builtin("reverse")
def reverse(collection: object, *_surplus: object) -> object:
    """A vector or string backwards."""
    if isinstance(collection, str):
        return collection[::-1]
    if isinstance(collection, Vector):
        return Vector(collection.to_list()[::-1])
    raise type_fault("reverse", "a vector or string", collection)


def goes_before(a: Any, b: Any) -> bool:
    """The loose order of sorting: ints, floats and strings among themselves; else all are alike."""
    kind = type(a)
    return kind is type(b) and (kind is int or kind is float or kind is str) and bool(a < b)


def sorted_by(keyed: list[tuple[Any, object]], *, descending: bool = False) -> list[object]:
    """Items by their keys, stable in both directions: a merge sort by ``goes_before``."""
    run = list(keyed)
    width = 1
    while width < len(run):
        merged: list[tuple[Any, object]] = []
        for low in range(0, len(run), 2 * width):
            left, right = run[low : low + width], run[low + width : low + 2 * width]
            i = j = 0
            while i < len(left) and j < len(right):
                first, second = left[i][0], right[j][0]
                if goes_before(first, second) if descending else goes_before(second, first):
                    merged.append(right[j])
                    j += 1
                else:
                    merged.append(left[i])
                    i += 1
            merged += left[i:]
            merged += right[j:]
        run = merged
        width *= 2
    return [item for _, item in run]


@builtin("sort")
def sort(items: object, *_surplus: object) -> Vector:
    """Ascending and stable."""
    return Vector(sorted_by([(item, item) for item in vector("sort", items)]))


@builtin("zip")
def zip_vectors(left: object, right: object, *_surplus: object) -> Vector:
    """Tuples of the items side by side, as many as the shorter has."""
    return Vector(list(zip(vector("zip", left), vector("zip", right), strict=False)))


@builtin("flatten")
def flatten(items: object, *_surplus: object) -> Vector:
    """One level of vectors opened."""
    out: list[object] = []
    for item in vector("flatten", items):
        if isinstance(item, Vector):
            out.extend(item)
            check_size("flatten", len(out))
        else:
            out.append(item)
    return Vector(out)


@builtin("chunk")
def chunk(size: object, items: object, *_surplus: object) -> Vector:
    """Vectors of ``size`` items; the last may be shorter."""
    width = _int("chunk", size, "an int and a vector")
    held = vector("chunk", items).to_list()
    if width < 1:
        raise fault("type", f"chunk needs a size of at least 1, not {width}")
    return Vector([Vector(held[at : at + width]) for at in range(0, len(held), width)])


@builtin("contains?")
def contains(collection: object, wanted: object, *_surplus: object) -> bool:
    """Whether a vector or set has an element, a map a key, a string a part."""
    if isinstance(collection, _KEYED):
        return wanted in collection
    if isinstance(collection, Vector):
        return any(equal(item, wanted) for item in collection)
    if isinstance(collection, str):
        if not isinstance(wanted, str):
            raise type_fault("contains?", "a string to look for in a string", wanted)
        return wanted in collection
    raise type_fault("contains?", "a vector, set, map or string", collection)


@builtin("min")
def smallest(items: object, *_surplus: object) -> object:
    """The first of the smallest items."""
    return _extreme("min", items)


@builtin("max")
def largest(items: object, *_surplus: object) -> object:
    """The first of the largest items."""
    return _extreme("max", items)


def _extreme(operation: str, items: object) -> object:
    held = vector(operation, items).to_list()
    if not held:
        raise fault("empty", f"{operation} of an empty vector has no value")
    best = held[0]
    for item in held:
        if goes_before(item, best) if operation == "min" else goes_before(best, item):
            best = item
    return best


@builtin("sum")
def total(items: object, *_surplus: object) -> object:
    """The numbers added up; 0 when there are none."""
    result: object = 0
    for item in vector("sum", items):
        if type(item) is not int and type(item) is not float:
            raise type_fault("sum", "a vector of numbers", item)
        result = add(result, item)
    return result


@builtin("collect")
def collect(value: object, *_surplus: object) -> object:
    """The value itself: nothing is lazy."""
    return value


@builtin("vec?")
def is_vector(value: object, *_surplus: object) -> bool:
    """Whether it is a vector."""
    return isinstance(value, Vector)


@builtin("map?")
def is_map(value: object, *_surplus: object) -> bool:
    """Whether it is a map."""
    return isinstance(value, Map)
