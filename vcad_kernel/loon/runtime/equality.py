"""``=`` on Loon values, and keys that agree with it.

Python's ``==`` finds 1, 1.0 and True equal and descends on the C stack; Loon distinguishes them and
nests values thousands deep. So comparison here goes by kind and keeps its own stack. The classes of
values import this module and declare their kind as ``loon_kind``.
"""

from __future__ import annotations

from collections.abc import Hashable
from enum import Enum, auto
from typing import Any, TypeAlias

__all__ = ["Key", "KeyTooDeepError", "KeyTooLargeError", "Kind", "equal", "key"]

_DEEPEST_KEY = 100
"""Sets and maps that may lie one in the other within a key: Python hashes and compares their keys on
the C stack, which would overflow. Vectors, tuples and types may nest without bound."""

_LONGEST_KEY = 1_000_000
"""Parts of a key. A small value that holds parts of itself many times over may have any number."""


class KeyTooLargeError(MemoryError):
    """The parts of a value, those that it shares counted each time, are too many for a key."""


class KeyTooDeepError(RecursionError):
    """More than _DEEPEST_KEY sets and maps lie one in the other where a key is wanted."""


class Kind(Enum):
    """How values of a class compare."""

    ATOM = auto()
    """Only with themselves."""
    ADT = auto()
    VECTOR = auto()
    SET = auto()
    MAP = auto()


Key: TypeAlias = Hashable
"""What stands for a value in a Python dict: two values have equal keys when ``=`` holds."""

_PLAIN = frozenset({int, float, bool, str})
_VECTOR, _TUPLE, _ADT, _SET, _MAP, _FLOAT, _TRUE, _FALSE = (object() for _ in range(8))


def equal(left: object, right: object) -> bool:
    """Whether two values are of one kind and structurally equal; functions never are."""
    kind = type(left)
    if kind is not type(right):
        return False
    if kind in _PLAIN:
        return left == right
    waiting: list[tuple[Any, Any]] = [(left, right)]
    compared: set[tuple[int, int]] = set()  # shared parts of a tree are compared once
    while waiting:
        a, b = waiting.pop()
        kind = type(a)
        if kind is not type(b):
            return False
        if kind in _PLAIN:
            if a != b:
                return False
            continue
        shape = getattr(kind, "loon_kind", None)
        if shape is Kind.ATOM:
            if a is not b:
                return False
            continue
        pair = (id(a), id(b))
        if pair in compared:
            continue
        compared.add(pair)
        if shape is Kind.ADT:
            if a.tag != b.tag or len(a.fields) != len(b.fields):
                return False
            waiting.extend(zip(a.fields, b.fields, strict=True))
        elif kind is tuple or shape is Kind.VECTOR:
            if len(a) != len(b):
                return False
            waiting.extend(zip(a, b, strict=True))
        elif shape is Kind.SET:
            if len(a) != len(b) or not all(item in b for item in a):
                return False
        elif shape is Kind.MAP:
            if len(a) != len(b) or not all(wanted in b for wanted in a):
                return False
            waiting.extend((value, b.get(wanted)) for wanted, value in a.items())
        else:
            return False
    return True


def key(value: Any, level: int = 0) -> Key:
    """A hashable stand-in for ``value``.

    Nested values become one flat tuple, because hashing and comparing nested tuples would descend
    on the C stack. NaN and functions get a key that equals nothing.
    level: how many sets and maps this value lies in.
    Raises: KeyTooDeepError, KeyTooLargeError.
    """
    kind = type(value)
    shape = getattr(kind, "loon_kind", None)
    if kind is str or kind is int or shape is Kind.ATOM:
        plain: Key = value
        return plain
    if kind is float:
        return (_FLOAT, value) if value == value else (_FLOAT, object())
    if kind is bool:
        return _TRUE if value else _FALSE
    if level > _DEEPEST_KEY:
        raise KeyTooDeepError
    flat: list[Hashable] = []
    waiting: list[Any] = [value]
    while waiting:
        if len(flat) > _LONGEST_KEY:
            raise KeyTooLargeError
        part = waiting.pop()
        kind = type(part)
        shape = getattr(kind, "loon_kind", None)
        if shape is Kind.ADT:
            flat += (_ADT, part.tag, len(part.fields))
            waiting.extend(reversed(part.fields))
        elif kind is tuple:
            flat += (_TUPLE, len(part))
            waiting.extend(reversed(part))
        elif shape is Kind.VECTOR:
            items = list(part)
            flat += (_VECTOR, len(items))
            items.reverse()
            waiting.extend(items)
        elif shape is Kind.SET:
            flat += (_SET, frozenset([key(item, level + 1) for item in part]))
        elif shape is Kind.MAP:
            pairs = [(key(held, level + 1), key(item, level + 1)) for held, item in part.items()]
            flat += (_MAP, frozenset(pairs))
        elif kind in _PLAIN or shape is Kind.ATOM:
            flat.append(key(part))
        else:
            flat.append(object())
    return tuple(flat)
