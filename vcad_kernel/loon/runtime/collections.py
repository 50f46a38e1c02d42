"""Vector, Map and Set: immutable values whose versions share what they have in common.

Every operation that makes a new version costs about the same from whichever version it starts, so
programs may keep old versions and branch off them. Walking through costs what a list or dict costs.
Other threads may read any version meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import ClassVar, Final, overload

from vcad_kernel.loon.runtime.equality import Kind, equal, key
from vcad_kernel.loon.runtime.ordered import Ordered

__all__ = ["EMPTY_MAP", "Map", "Set", "Vector"]

_SHORT: Final = 64
"""Items that are rather copied than shared."""

_DEEPEST: Final = 8
"""Branches that may grow one out of the other before the items are laid out anew."""


class Vector:
    """An ordered sequence. Takes over the list it is given.

    The items are those of ``_base``, a vector that this one grew out of (None: there are none), then
    those of ``_items`` from ``_start`` on, as far as ``_size`` goes. Lists only ever grow at their
    end, where the newest version adds to the list that it shares with the older ones; a version that
    is not the newest begins a list of its own.
    """

    __slots__ = ("_base", "_items", "_size", "_start")

    loon_kind: ClassVar = Kind.VECTOR

    _base: Vector | None
    _items: list[object]
    _size: int
    _start: int

    def __init__(self, items: Iterable[object] = ()) -> None:
        self._items = items if type(items) is list else list(items)
        self._size = len(self._items)
        self._start = 0
        self._base = None

    def conj(self, *added: object) -> Vector:
        """A vector with ``added`` at the end."""
        base, items, size = self._base, self._items, self._size
        own_end = self._start + (size if base is None else size - base._size)
        if len(items) == own_end:
            items.extend(added)
            # Another thread may have been quicker with the same version: then the items are its own.
            for item in added:
                if items[own_end] is not item:
                    break
                own_end += 1
            else:
                return _version(base, items, self._start, size + len(added))
        return self._branch(list(added))

    def _branch(self, added: list[object]) -> Vector:
        """A vector with ``added`` at the end in a list of its own."""
        size, base = self._size, self._base
        own = size if base is None else size - base._size
        if own <= _SHORT:
            return _version(base, self._items[self._start : self._start + own] + added, 0, size + len(added))
        self._flatten()
        return _version(self, added, 0, size + len(added))

    def cons(self, item: object) -> Vector:
        """A vector with ``item`` put first."""
        self._flatten()
        base = self._base
        if base is not None:
            return _version(base.cons(item), self._items, self._start, self._size + 1)
        if self._size <= _SHORT:
            return Vector([item, *self])
        return _version(Vector([item]), self._items, self._start, self._size + 1)

    def _flatten(self) -> None:
        """Lay the items out as one list if they lie in too many."""
        depth, base = 0, self._base
        while base is not None:
            depth, base = depth + 1, base._base
        if depth >= _DEEPEST:
            # From now on all items of this version count as its base's. One assignment, so that
            # readers in other threads see either state.
            self._base = Vector(self.to_list())

    def _runs(self) -> list[tuple[list[object], int, int]]:
        """The lists that hold the items, each with the first index and the one after the last."""
        runs: list[tuple[list[object], int, int]] = []
        vector: Vector | None = self
        end = self._size
        while vector is not None:
            base = vector._base
            before = 0 if base is None else base._size
            if before < end:
                runs.append((vector._items, vector._start, vector._start + end - before))
            end = min(end, before)
            vector = base
        runs.reverse()
        return runs

    def to_list(self) -> list[object]:
        """A fresh list of the items."""
        if self._base is None:
            return self._items[self._start : self._start + self._size]
        out: list[object] = []
        for items, start, end in self._runs():
            out += items[start:end]
        return out

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[object]:
        if self._base is None:
            if self._start == 0:
                return islice(self._items, self._size)
            return iter(self._items[self._start : self._start + self._size])
        return chain.from_iterable(
            [islice(items, end) if start == 0 else items[start:end] for items, start, end in self._runs()]
        )

    @overload
    def __getitem__(self, index: int) -> object: ...

    @overload
    def __getitem__(self, index: slice) -> Vector: ...

    def __getitem__(self, index: int | slice) -> object:
        if isinstance(index, slice):
            start, stop, step = index.indices(self._size)
            if step != 1:
                return Vector(self.to_list()[index])
            return self._part(start, max(start, stop))
        if index < 0:
            index += self._size
        if not 0 <= index < self._size:
            raise IndexError(index)
        vector = self
        while True:
            base = vector._base
            if base is None:
                return vector._items[vector._start + index]
            if index >= base._size:
                return vector._items[vector._start + index - base._size]
            vector = base

    def _part(self, start: int, stop: int) -> Vector:
        """The items from ``start`` up to but excluding ``stop``, shared unless they are few."""
        if start == 0 and stop == self._size:
            return self
        base = self._base
        if base is None:
            if stop - start <= _SHORT:
                return Vector(self._items[self._start + start : self._start + stop])
            return _version(None, self._items, self._start + start, stop - start)
        if stop - start <= _SHORT:
            return Vector([self[index] for index in range(start, stop)])
        if stop <= base._size:
            return base._part(start, stop)
        if start >= base._size:
            return _version(None, self._items, self._start + start - base._size, stop - start)
        return _version(base._part(start, base._size), self._items, self._start, stop - start)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vector) and equal(self, other)

    def __hash__(self) -> int:
        return hash(key(self))

    def __repr__(self) -> str:
        return f"Vector({self.to_list()!r})"


def _version(base: Vector | None, items: list[object], start: int, size: int) -> Vector:
    vector = Vector.__new__(Vector)
    vector._base = base
    vector._items = items
    vector._start = start
    vector._size = size
    return vector


class Map(Ordered):
    """A map in insertion order; keys are distinguished as ``=`` does, so 1, 1.0 and true never mix."""

    __slots__ = ()

    loon_kind: ClassVar = Kind.MAP

    def __init__(self, pairs: Iterable[tuple[object, object]] = ()) -> None:
        entries: dict[object, tuple[object, object]] = {}
        for pair in pairs:
            normal = key(pair[0])
            old = entries.get(normal)
            entries[normal] = (pair[0], pair[1]) if old is None else (old[0], pair[1])
        self._flat = entries
        self._tree = None

    def get(self, wanted: object, default: object = None) -> object:
        """The value under a key, else ``default``."""
        item = self._find(key(wanted))
        return default if item is None else item[1]

    def assoc(self, wanted: object, value: object) -> Map:
        """A map with ``value`` under the key; a key that is there keeps its position."""
        normal = key(wanted)
        if normal is not wanted:  # 0.0 and -0.0 are one key: the one that came first stays
            old = self._find(normal)
            if old is not None:
                wanted = old[0]
        return self._with(normal, (wanted, value))

    def remove(self, unwanted: object) -> Map:
        """A map without the key."""
        normal = key(unwanted)
        return self if self._find(normal) is None else self._without(normal)

    def merge(self, other: Map) -> Map:
        """A map with the other's entries put in one by one."""
        if len(other) * _FEW < len(self):
            merged = self
            for wanted, value in other.items():
                merged = merged.assoc(wanted, value)
            return merged
        return Map(chain(self.items(), other.items()))

    def keys(self) -> list[object]:
        """The keys in order."""
        return [pair[0] for pair in self._as_dict().values()]

    def values(self) -> list[object]:
        """The values in the order of the keys."""
        return [pair[1] for pair in self._as_dict().values()]

    def items(self) -> Iterator[tuple[object, object]]:
        """Keys with their values, in order."""
        return iter(self._as_dict().values())

    def __iter__(self) -> Iterator[object]:
        return iter(self.keys())

    def __contains__(self, wanted: object) -> bool:
        return self._find(key(wanted)) is not None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Map) and equal(self, other)

    def __hash__(self) -> int:
        return hash(key(self))

    def __repr__(self) -> str:
        return f"Map({list(self.items())!r})"


_FEW: Final = 8
"""One part in so many is put into a large map one by one rather than by making a new one."""


class Set(Ordered):
    """A set in insertion order, elements distinguished as ``=`` does."""

    __slots__ = ()

    loon_kind: ClassVar = Kind.SET

    def __init__(self, items: Iterable[object] = ()) -> None:
        entries: dict[object, tuple[object]] = {}
        for item in items:
            entries.setdefault(key(item), (item,))
        self._flat = entries
        self._tree = None

    def conj(self, *added: object) -> Set:
        """A set with ``added`` in it, those that were there already skipped."""
        grown = self
        for item in added:
            normal = key(item)
            if grown._find(normal) is None:
                grown = grown._with(normal, (item,))
        return grown

    def __iter__(self) -> Iterator[object]:
        return iter([entry[0] for entry in self._as_dict().values()])

    def __contains__(self, wanted: object) -> bool:
        return self._find(key(wanted)) is not None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Set) and equal(self, other)

    def __hash__(self) -> int:
        return hash(key(self))

    def __repr__(self) -> str:
        return f"Set({list(self)!r})"


EMPTY_MAP: Final = Map()
