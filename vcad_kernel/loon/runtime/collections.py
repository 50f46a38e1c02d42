"""Vector, Map and Set: immutable values whose versions share their storage.

A version knows how much of a growing list is its own. Adding to the newest version appends to the
shared list, so building a collection item by item is linear; adding to an older one copies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import ClassVar, Final, overload

from vcad_kernel.loon.runtime.equality import Key, Kind, equal, key

__all__ = ["EMPTY_MAP", "Map", "Set", "Vector"]


class Vector:
    """An ordered sequence. Takes over the list it is given."""

    __slots__ = ("_items", "_size")

    loon_kind: ClassVar = Kind.VECTOR

    def __init__(self, items: Iterable[object] = ()) -> None:
        self._items: list[object] = items if type(items) is list else list(items)
        self._size = len(self._items)

    def conj(self, *added: object) -> Vector:
        """A vector with ``added`` at the end."""
        items = self._items
        if len(items) != self._size:
            items = items[: self._size]
        items.extend(added)
        return Vector(items)

    def to_list(self) -> list[object]:
        """A fresh list of the items."""
        return self._items[: self._size]

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[object]:
        return islice(self._items, self._size)

    @overload
    def __getitem__(self, index: int) -> object: ...

    @overload
    def __getitem__(self, index: slice) -> Vector: ...

    def __getitem__(self, index: int | slice) -> object:
        if isinstance(index, slice):
            return Vector(self.to_list()[index])
        if not -self._size <= index < self._size:
            raise IndexError(index)
        return self._items[index if index >= 0 else index + self._size]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vector) and equal(self, other)

    def __hash__(self) -> int:
        return hash(key(self))

    def __repr__(self) -> str:
        return f"Vector({self.to_list()!r})"


class Map:
    """A map in insertion order; keys are told apart as ``=`` does, so 1, 1.0 and true never mix."""

    __slots__ = ("_index", "_keys", "_size", "_values")

    loon_kind: ClassVar = Kind.MAP

    def __init__(self, pairs: Iterable[tuple[object, object]] = ()) -> None:
        self._index: dict[Key, int] = {}
        self._keys: list[object] = []
        self._values: list[object] = []
        for one, value in pairs:
            normal = key(one)
            at = self._index.get(normal)
            if at is None:
                self._index[normal] = len(self._keys)
                self._keys.append(one)
                self._values.append(value)
            else:
                self._values[at] = value
        self._size = len(self._keys)

    def _find(self, wanted: object) -> int:
        at = self._index.get(key(wanted), -1)
        return at if at < self._size else -1

    def get(self, wanted: object, default: object = None) -> object:
        """The value under a key, else ``default``."""
        at = self._find(wanted)
        return self._values[at] if at >= 0 else default

    def assoc(self, one: object, value: object) -> Map:
        """A map with ``value`` under the key; a key that is there keeps its position."""
        normal = key(one)
        at = self._index.get(normal, -1)
        size = self._size
        fresh = Map.__new__(Map)
        if 0 <= at < size:
            values = self._values[:size]
            values[at] = value
            fresh._index, fresh._keys, fresh._values, fresh._size = self._index, self._keys, values, size
            return fresh
        if len(self._keys) == size and len(self._values) == size:
            fresh._index, fresh._keys, fresh._values = self._index, self._keys, self._values
        else:
            fresh._keys, fresh._values = self._keys[:size], self._values[:size]
            fresh._index = {held: where for held, where in self._index.items() if where < size}
        fresh._index[normal] = size
        fresh._keys.append(one)
        fresh._values.append(value)
        fresh._size = size + 1
        return fresh

    def remove(self, unwanted: object) -> Map:
        """A map without the key."""
        at = self._find(unwanted)
        if at < 0:
            return self
        return Map(pair for where, pair in enumerate(self.items()) if where != at)

    def keys(self) -> list[object]:
        """The keys in order."""
        return self._keys[: self._size]

    def values(self) -> list[object]:
        """The values in the order of the keys."""
        return self._values[: self._size]

    def items(self) -> Iterator[tuple[object, object]]:
        """Keys with their values, in order."""
        return zip(self.keys(), self.values(), strict=True)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[object]:
        return iter(self.keys())

    def __contains__(self, wanted: object) -> bool:
        return self._find(wanted) >= 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Map) and equal(self, other)

    def __hash__(self) -> int:
        return hash(key(self))

    def __repr__(self) -> str:
        return f"Map({list(self.items())!r})"


class Set:
    """A set in insertion order, elements told apart as ``=`` does."""

    __slots__ = ("_index", "_items", "_size")

    loon_kind: ClassVar = Kind.SET

    def __init__(self, items: Iterable[object] = ()) -> None:
        self._index: dict[Key, int] = {}
        self._items: list[object] = []
        self._size = 0
        self._add(items)

    def _add(self, items: Iterable[object]) -> None:
        for item in items:
            normal = key(item)
            if normal not in self._index:
                self._index[normal] = len(self._items)
                self._items.append(item)
        self._size = len(self._items)

    def conj(self, *added: object) -> Set:
        """A set with ``added`` in it, those that were there already skipped."""
        fresh = Set.__new__(Set)
        if len(self._items) == self._size:
            fresh._index, fresh._items = self._index, self._items
        else:
            fresh._items = self._items[: self._size]
            fresh._index = {held: where for held, where in self._index.items() if where < self._size}
        fresh._add(added)
        return fresh

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[object]:
        return islice(self._items, self._size)

    def __contains__(self, wanted: object) -> bool:
        at = self._index.get(key(wanted), -1)
        return 0 <= at < self._size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Set) and equal(self, other)

    def __hash__(self) -> int:
        return hash(key(self))

    def __repr__(self) -> str:
        return f"Set({list(self)!r})"


EMPTY_MAP: Final = Map()
