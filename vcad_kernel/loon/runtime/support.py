"""What compiled code calls by names that no Loon program can write.

Loon globals and these live in one dict; the ``$`` in the names keeps them apart.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Any

from vcad_kernel.loon.names import mangle
from vcad_kernel.loon.printing.display import raw
from vcad_kernel.loon.runtime.adts import constructor, dispatcher
from vcad_kernel.loon.runtime.builtins.arithmetic import wrap
from vcad_kernel.loon.runtime.builtins.pristine import flags_for
from vcad_kernel.loon.runtime.builtins.sequences import number_range
from vcad_kernel.loon.runtime.builtins.text import concatenate, room
from vcad_kernel.loon.runtime.collections import Map, Set, Vector
from vcad_kernel.loon.runtime.faults import WrongCount, a_kind, fault, shown
from vcad_kernel.loon.runtime.limits.limits import check_size
from vcad_kernel.loon.runtime.values import UNIT, UNSET, Adt, truthy

__all__ = ["SUPPORT", "support_for"]


def literal_map(flat: list[object]) -> Map:
    """A map from keys and values in turn."""
    return Map(zip(flat[::2], flat[1::2], strict=True))


def taken_apart(value: Any, count: int) -> tuple[object, ...]:
    """The first ``count`` items of a vector or tuple, missing ones unit."""
    if type(value) is not Vector and type(value) is not tuple:
        raise fault("type", f"only a vector or tuple can be taken apart by position, not {a_kind(value)}")
    if len(value) == count:
        return tuple(value)
    items = tuple(value)[:count]
    return items + (UNIT,) * (count - len(items))


def a_map(value: object) -> Map:
    """``value``, which must be a map to be taken apart by key."""
    if not isinstance(value, Map):
        raise fault("type", f"only a map can be taken apart by key, not {a_kind(value)}")
    return value


def argument(arguments: tuple[object, ...], at: int) -> object:
    """An argument of an operation or a field of a method's value; unit when there are fewer."""
    return arguments[at] if at < len(arguments) else UNIT


def rest(arguments: tuple[object, ...], at: int) -> Vector:
    """The arguments from ``at`` on as a vector."""
    return Vector(list(arguments[at:]))


def no_match(value: object) -> Any:
    """Fail a match."""
    raise fault(
        "no-match",
        f"no arm of this match fits {shown(value)}",
        fix="add an arm, or _ as the last pattern",
    )


def bad_form(message: str) -> Any:
    """Fail a special form that is put together wrongly."""
    raise fault("bad-form", message)


def macro_fault(message: str) -> Any:
    """Fail a quote that no macro took away."""
    raise fault("macro", message)


def wrong_count(name: str, expected: str, given: int) -> Any:
    """Fail a call that fits no clause of a function."""
    raise WrongCount(name, expected, given, inside=True)


def tie(function: Any) -> None:
    """Give a function itself, so that its self calls can see whether it is still the one bound."""
    function.__kwdefaults__["$self"] = function


def span_of(whole_range: Callable[..., Any]) -> Callable[..., Any]:
    """What ``range`` gives, for a loop to run over without making it; whole_range: the builtin itself."""

    def span(first: object, end: object = UNSET) -> Any:
        start, stop = (0, first) if end is UNSET else (first, end)
        if type(start) is int and type(stop) is int and stop - start <= _MANY:
            return range(start, stop)
        return whole_range(first, end)

    return span


def at_hand(value: object, turns: Vector | range) -> list[object]:
    """The items of a vector for a loop to read at indices: a copy that costs no more than the loop.

    Empty if it would, or if ``value`` is no vector: then every index is outside.
    """
    if type(value) is Vector:
        size = len(value)
        if size <= _FEW or size <= len(turns):
            return value.to_list()
    return []


def splice(out: list[object], value: object) -> None:
    """Add a value to a list, or what is in it if it is a vector."""
    if isinstance(value, Vector):
        check_size("flat-map", len(out) + len(value))
        out.extend(value)
    else:
        out.append(value)


def some(value: object) -> Adt:
    """``[Some value]``."""
    return Adt("Some", (value,))


def stand_in(*_arguments: object) -> None:
    """In the place of a function that a builtin complains before calling."""


_MANY = 100_000
"""Items of a range that any limit on size allows for."""

_FEW = 32
"""Items that are copied as quickly as anything is called."""

SUPPORT: dict[str, Any] = {
    "$unit": UNIT,
    "$unset": UNSET,
    "$truthy": truthy,
    "$wrap": wrap,
    "$stand_in": stand_in,
    "$splice": splice,
    "$at_hand": at_hand,
    "$some": some,
    "$none": Adt("None"),
    "$iter": iter,
    "$range": range,
    "$Adt": Adt,
    "$Vector": Vector,
    "$type": type,
    "$int": int,
    "$float": float,
    "$str": str,
    "$len": len,
    "$vector": Vector,
    "$set": Set,
    "$map": literal_map,
    "$text": concatenate,
    "$raw": raw,
    "$room": room,
    "$apart": taken_apart,
    "$a_map": a_map,
    "$argument": argument,
    "$rest": rest,
    "$no_match": no_match,
    "$bad_form": bad_form,
    "$macro_fault": macro_fault,
    "$wrong_count": wrong_count,
    "$tie": tie,
}


def support_for(
    bound: MutableMapping[str, Any],
    base: MutableMapping[str, Any],
    *,
    nullary: set[str],
    methods: dict[str, dict[str, Callable[..., Any]]],
    home: object,
) -> dict[str, Any]:
    """The support that depends on the globals that code runs in.

    bound, base: the globals and, behind them, the builtins and library names; nullary: names that
    match as constructors without fields; methods: by name, then tag; home: the library that
    defines types here, or None for user code.
    """

    def lookup(name: str) -> Any:
        identifier = mangle(name)
        value = bound.get(identifier, UNSET)
        return base.get(identifier, UNSET) if value is UNSET else value

    def dotted(whole: str, first: str, field: str, local: Any = UNSET) -> Any:
        """A name with a dot: bound as a whole, a field of an ADT value, or a library's name for its own."""
        identifier = mangle(whole)
        if identifier in bound:
            return bound[identifier]
        value = lookup(first) if local is UNSET else local
        if isinstance(value, Adt) and value.names is not None and field in value.names:
            return value.fields[value.names.index(field)]
        if identifier in base:
            return base[identifier]
        missing = fault("unbound-symbol", f"{whole} is not bound")
        if isinstance(value, Adt):
            has = ", ".join(name for name in value.names or () if name) or "no named fields"
            missing.why = f"{first} is {a_kind(value)}, which has {has}"
        elif isinstance(value, Map):
            missing.why = f"{first} is a map"
            missing.fix = f"write [get {first} :{field}]"
        missing.details["name"] = whole if value is not UNSET else first
        raise missing

    def variant(tag: str, count: int, names: tuple[str, ...] | None) -> Any:
        """The constructor of a variant with fields."""
        nullary.discard(tag)
        return constructor(tag, count, names, sited=home is not None, home=home)

    def constant(tag: str) -> Adt:
        """The value of a variant without fields."""
        nullary.add(tag)
        return Adt(tag)

    def method(name: str, tag: str, function: Callable[..., Any]) -> Any:
        """The function ``name`` with a method for one more tag."""
        table = methods.setdefault(name, {})
        table[tag] = function
        return dispatcher(name, table)

    return {
        **SUPPORT,  # also in the base, but Python finds it sooner here
        **flags_for(bound, base),
        "$nullary": nullary,
        "$span": span_of(base.get("range", number_range)),
        "$dotted": dotted,
        "$variant": variant,
        "$constant": constant,
        "$method": method,
        "$shadow": nullary.discard,
    }
