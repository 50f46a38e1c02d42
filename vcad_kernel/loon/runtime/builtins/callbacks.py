"""Builtins that call a function for each item of a vector.

The loops are Python's, and the function is called as plain ``f(x)``: so a program may recurse
through ``map`` or ``fold`` as deep as through its own functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from vcad_kernel.loon.runtime.builtins.registry import builtin, name_builtin
from vcad_kernel.loon.runtime.builtins.sequences import sorted_by
from vcad_kernel.loon.runtime.collections import Map, Vector
from vcad_kernel.loon.runtime.equality import Key, key
from vcad_kernel.loon.runtime.faults import a_kind, fault, shown, type_fault
from vcad_kernel.loon.runtime.limits.limits import check_size
from vcad_kernel.loon.runtime.values import UNIT, UNSET, Adt, Keyword, truthy

Function: TypeAlias = Callable[..., Any]


def _pair(operation: str, function: Any, vector: Any, *, swap: bool = False) -> tuple[Function, Vector]:
    """The function and the vector, from either order where ``swap`` allows."""
    if swap and isinstance(function, Vector):
        function, vector = vector, function
    if not isinstance(vector, Vector):
        raise type_fault(operation, "a function and a vector", vector)
    if not callable(function):
        raise type_fault(operation, "a function and a vector", function)
    return function, vector


def _partial(operation: str, function: Any, resume: Function) -> Any:
    """The function that waits for the collection."""
    if not callable(function):
        raise type_fault(operation, "a function", function)
    return name_builtin(lambda items, *_surplus: resume(function, items), f"{operation}-partial")


@builtin("map")
def map_vector(function: object, items: object = UNSET, *_surplus: object) -> object:
    """The function's values, one per item; either order."""
    if items is UNSET:
        return _partial("map", function, map_vector)
    f, held = _pair("map", function, items, swap=True)
    out = []
    for item in held:
        out.append(f(item))
    return Vector(out)


@builtin("filter")
def filter_vector(function: object, items: object = UNSET, *_surplus: object) -> object:
    """The items for which the function is truthy; either order."""
    if items is UNSET:
        return _partial("filter", function, filter_vector)
    f, held = _pair("filter", function, items, swap=True)
    out = []
    for item in held:
        if truthy(f(item)):
            out.append(item)
    return Vector(out)


@builtin("each")
def each(function: object, items: object = UNSET, *_surplus: object) -> object:
    """Call the function with each item; unit. Either order."""
    if items is UNSET:
        return _partial("each", function, each)
    f, held = _pair("each", function, items, swap=True)
    for item in held:
        f(item)
    return UNIT


@builtin("fold")
def fold(first: Any, second: Any, third: Any = UNSET, *_surplus: object) -> Any:
    """Fold from the left, as [fold init f v] or [fold v init f]."""
    if third is UNSET:
        return name_builtin(lambda items, *_surplus: fold(first, second, items), "fold-partial")
    # A vector in first place is the collection, unless only the other order makes sense.
    if isinstance(first, Vector) and not (callable(second) and isinstance(third, Vector)):
        items, result, f = first, second, third
    else:
        result, f, items = first, second, third
    if not isinstance(items, Vector) or not callable(f):
        raise fault(
            "type",
            f"fold needs an initial value, a function and a vector, not {a_kind(first)}, "
            f"{a_kind(second)} and {a_kind(third)}",
            fix="write [fold init f v] or [fold v init f]",
        )
    for item in items:
        result = f(result, item)
    return result


@builtin("flat-map")
def flat_map(function: object, items: object = UNSET, *_surplus: object) -> object:
    """Like map, with vectors among the values opened."""
    if items is UNSET:
        return _partial("flat-map", function, flat_map)
    f, held = _pair("flat-map", function, items, swap=True)
    out: list[object] = []
    for item in held:
        value = f(item)
        if isinstance(value, Vector):
            out.extend(value)
            check_size("flat-map", len(out))
        else:
            out.append(value)
    return Vector(out)


@builtin("find")
def find(function: object, items: object, *_surplus: object) -> Adt:
    """``[Some x]`` of the first item for which the function is truthy, else ``None``."""
    f, held = _pair("find", function, items)
    for item in held:
        if truthy(f(item)):
            return Adt("Some", (item,))
    return Adt("None")


@builtin("any?")
def any_item(function: object, items: object, *_surplus: object) -> bool:
    """Whether the function is truthy for some item."""
    f, held = _pair("any?", function, items)
    for item in held:  # noqa: SIM110 - any() would call through C
        if truthy(f(item)):
            return True
    return False


@builtin("all?")
def all_items(function: object, items: object, *_surplus: object) -> bool:
    """Whether the function is truthy for every item."""
    f, held = _pair("all?", function, items)
    for item in held:  # noqa: SIM110 - all() would call through C
        if not truthy(f(item)):
            return False
    return True


@builtin("sort-by")
def sort_by(function: object, order: object, items: object = UNSET, *_surplus: object) -> object:
    """Sorted by the function's values; ``:desc`` for descending; stable."""
    if isinstance(order, Vector):
        order, items = Keyword("asc"), order
    if not isinstance(order, Keyword):
        raise fault("type", f"sort-by needs :asc or :desc as its order, not {shown(order)}")
    direction = order
    if items is UNSET:
        return _partial("sort-by", function, lambda f, held: sort_by(f, direction, held))
    f, held = _pair("sort-by", function, items)
    keyed = []
    for item in held:
        keyed.append((f(item), item))
    return Vector(sorted_by(keyed, descending=order.name == "desc"))


@builtin("group-by")
def group_by(function: object, items: object = UNSET, *_surplus: object) -> object:
    """A map from the function's values to vectors of items, in order of first appearance."""
    if items is UNSET:
        return _partial("group-by", function, group_by)
    f, held = _pair("group-by", function, items)
    groups: dict[Key, tuple[object, list[object]]] = {}
    for item in held:
        value = f(item)
        groups.setdefault(key(value), (value, []))[1].append(item)
    return Map([(value, Vector(members)) for value, members in groups.values()])


@builtin("update")
def update(mapping: object, key: object, function: Any, *_surplus: object) -> Map:
    """With the value under a key replaced by the function of the old value, or of unit."""
    if not isinstance(mapping, Map):
        raise type_fault("update", "a map", mapping)
    if not callable(function):
        raise type_fault("update", "a function", function)
    grown = mapping.assoc(key, function(mapping.get(key, UNIT)))
    check_size("update", len(grown))
    return grown
