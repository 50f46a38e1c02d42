"""Content digests of Loon values: equal digests mean that code which uses the value sees no difference.

    value_digest(environment.user.lookup("wall"))     # "3f1c…", the same in every process

Numbers are distinct as in Loon, 1 from 1.0. Where a value was made is no part of it. A function's digest
covers its code, what it has captured and, through the globals that it looks up, all that it would call; so it
differs once a function or number that it uses does. What has a state of its own, as a channel, is equal to
nothing, itself included. Nothing here recurses: values may be nested 10 000 deep.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any, Final
from uuid import uuid4

from blake3 import blake3

from vcad_kernel.loon.names import OWN, is_internal
from vcad_kernel.loon.runtime.equality import Kind
from vcad_kernel.loon.runtime.values import Keyword, Unit

__all__ = ["value_digest"]

_CYCLE: Final = b"cycle"
"""Stands for a function that is being digested already, as one that calls itself."""


def value_digest(value: object) -> str:
    """The digest of a value, 32 hexadecimal digits."""
    return blake3(_Walk().digest(value)).hexdigest(16)


class _Walk:
    """The digests of one value and of all within it, each found once: trees share their branches."""

    def __init__(self) -> None:
        self._known: dict[int, bytes] = {}
        self._alive: list[object] = []
        """Keeps the ids of what is made on the way from being given out again."""

    def digest(self, value: object) -> bytes:
        known = self._known
        # (value, its kind and children): what is open waits below its children
        waiting: list[tuple[object, tuple[bytes, list[object]] | None]] = [(value, None)]
        while waiting:
            item, opened = waiting.pop()
            if opened is not None:
                head, children = opened
                parts = [head]
                parts += [_atom(child) or known[id(child)] for child in children]
                known[id(item)] = blake3(b"".join(parts)).digest(16)
            elif id(item) not in known and _atom(item) is None:
                head, children = _opened(item)
                known[id(item)] = _CYCLE
                self._alive.append(children)
                waiting.append((item, (head, children)))
                waiting += [(child, None) for child in children]
        return _atom(value) or known[id(value)]


def _atom(value: Any) -> bytes | None:
    """The bytes of what holds nothing else; None for all others."""
    kind = type(value)
    if kind is float:
        return b"f" + struct.pack("<d", value)
    if kind is int:
        return b"i%d;" % value
    if kind is str:
        text: bytes = value.encode("utf-8", "surrogatepass")
        return b"s%d:" % len(text) + text
    if kind is bool:
        return b"T" if value else b"F"
    if kind is Keyword:
        return b"k%s;" % value.name.encode()
    if value is None or kind is Unit:
        return b"u"
    if kind is bytes:
        return b"b%d:%s" % (len(value), value)
    return None


def _opened(value: Any) -> tuple[bytes, list[object]]:
    """What begins the digest of a value that holds others, and those."""
    shape = getattr(type(value), "loon_kind", None)
    if shape is Kind.ADT:
        names = "" if value.names is None else " ".join(value.names)
        return f"a{value.tag} {len(value.fields)} {names};".encode(), list(value.fields)
    if type(value) is tuple:
        return b"t%d;" % len(value), list(value)
    if shape is Kind.VECTOR:
        return b"v%d;" % len(value), list(value)
    if shape is Kind.SET:
        return b"S%d;" % len(value), list(value)
    if shape is Kind.MAP:
        return b"m%d;" % len(value), [part for pair in value.items() for part in pair]
    if type(value) is FunctionType:
        return b"l", list(_of_function(value))
    if type(value) is CodeType:
        return b"c" + value.co_code, [*value.co_consts, *value.co_names, *value.co_varnames]
    if isinstance(value, frozenset):  # of constants
        return b"z", sorted(value, key=repr)
    tobytes = getattr(value, "tobytes", None)
    if tobytes is not None:  # an array of an imported mesh
        return f"n{value.dtype} {value.shape};".encode(), [tobytes()]
    if callable(value) and hasattr(value, "__qualname__"):  # of the language itself
        return f"p{value.__module__}.{value.__qualname__};".encode(), []
    return b"o" + uuid4().bytes, []


def _of_function(function: FunctionType) -> Iterator[object]:
    """What decides what a function does: its code, what it captured, the globals that it may look up."""
    yield function.__code__
    yield function.__defaults__
    captured = function.__kwdefaults__ or {}
    for name in sorted(captured):
        yield name
        yield captured[name]
    for cell in function.__closure__ or ():
        yield cell.cell_contents
    space = function.__globals__
    names: set[str] = set()
    pending = [function.__code__]
    while pending:
        code = pending.pop()
        names.update(code.co_names)
        pending += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
    for name in sorted(names):
        if name in space and (OWN in name or not is_internal(name)):
            yield name
            yield space[name]
