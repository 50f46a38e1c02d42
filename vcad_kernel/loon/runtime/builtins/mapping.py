"""Builtins on maps; ``get``, ``len`` and ``contains?`` are with the sequences, ``update`` with callbacks."""

from __future__ import annotations

from vcad_kernel.loon.runtime.builtins.registry import builtin
from vcad_kernel.loon.runtime.collections import EMPTY_MAP, Map, Vector
from vcad_kernel.loon.runtime.faults import type_fault
from vcad_kernel.loon.runtime.limits.limits import check_size


def _map(operation: str, value: object) -> Map:
    if not isinstance(value, Map):
        raise type_fault(operation, "a map", value)
    return value


@builtin("assoc")
def assoc(mapping: object, key: object, value: object, *_surplus: object) -> Map:
    """With a value under a key."""
    grown = _map("assoc", mapping).assoc(key, value)
    check_size("assoc", len(grown))
    return grown


@builtin("remove")
def remove(mapping: object, key: object, *_surplus: object) -> Map:
    """Without a key."""
    return _map("remove", mapping).remove(key)


@builtin("keys")
def keys(mapping: object, *_surplus: object) -> Vector:
    """The keys in order."""
    return Vector(_map("keys", mapping).keys())


@builtin("values")
def values(mapping: object, *_surplus: object) -> Vector:
    """The values in order."""
    return Vector(_map("values", mapping).values())


@builtin("entries")
def entries(mapping: object, *_surplus: object) -> Vector:
    """Tuples of key and value in order."""
    return Vector(list(_map("entries", mapping).items()))


@builtin("merge")
def merge(left: object, right: object, *_surplus: object) -> Map:
    """Both maps in one; the second wins."""
    first, second = _map("merge", left), _map("merge", right)
    merged = first.merge(second)
    check_size("merge", len(merged))
    return merged


@builtin("into-map")
def into_map(pairs: object, *_surplus: object) -> Map:
    """A map of 2-tuples."""
    if not isinstance(pairs, Vector):
        raise type_fault("into-map", "a vector of 2-tuples", pairs)
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise type_fault("into-map", "a vector of 2-tuples", pair)
    return Map(pairs)  # type: ignore[arg-type]


@builtin("HashMap.new")
def new_map(*_surplus: object) -> Map:
    """The empty map."""
    return EMPTY_MAP
