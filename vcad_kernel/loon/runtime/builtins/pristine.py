"""Which builtins still mean what they mean at first.

Any name may be rebound at any time, but compiled code does arithmetic and loops in place as long as
the names it finds are the builtins. Asking for each operator each time would cost as much as the
operator. So the globals hold flags, one for all operators and one for each other builtin that is
compiled in place; code asks a flag once and may rely on it until the top-level form ends, because a
flag only ever falls, and falls before a form begins that may rebind the name:

* a form whose text binds such a name says so when it begins (``$rebinds``);
* every other form begins by looking whether a host or an import has bound one (``$sync``).

A flag stays down for good: a function that rebinds the name may still be somewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any, Final

from vcad_kernel.loon.runtime.builtins.registry import BUILTINS, EXTENSIONS

__all__ = ["CALLBACKS", "IN_PLACE", "flag_of", "flags_for"]

_OPERATORS: Final = ("+", "-", "*", "/", "%", "<", ">", "<=", ">=", "=", "not", "and", "or")

CALLBACKS: Final = frozenset({"map", "filter", "fold", "each", "flat-map", "any?", "all?", "find"})
"""Builtins that call a function for each item."""

_OTHERS: Final = ("range", "nth", "get", "len", "empty?", "conj", "str", "push!")

IN_PLACE: Final = frozenset((*_OPERATORS, *CALLBACKS, *_OTHERS))
"""Builtins that compiled code may do without a call."""


def flag_of(name: str) -> str:
    """The global that says whether a builtin is what it was.

    >>> flag_of("+"), flag_of("*"), flag_of("map")
    ('$operators', '$operators', '$pristine:map')
    """
    return "$operators" if name in _OPERATORS else f"$pristine:{name}"


def flags_for(bound: MutableMapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """The flags of globals and the functions that take them down.

    bound, base: the globals and, behind them, the builtins and library names.
    """

    def rebinds(*names: str) -> None:
        """The form that begins may bind these names."""
        for name in names:
            bound[flag_of(name)] = False

    def sync() -> None:
        """Notice what was bound from outside."""
        if not bound.keys().isdisjoint(IN_PLACE):
            rebinds(*(IN_PLACE & bound.keys()))

    flags: dict[str, Any] = {"$rebinds": rebinds, "$sync": sync}
    for name in IN_PLACE:
        known = base.get(name)
        intact = known is BUILTINS[name] or (known is not None and known is EXTENSIONS.get(name))
        flags[flag_of(name)] = flags.get(flag_of(name), True) and intact
    return flags
