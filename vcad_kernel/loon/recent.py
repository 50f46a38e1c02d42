"""A bounded memory of what was computed lately."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

__all__ = ["Recent"]

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Keeps what was used lately and forgets the rest.

    Values have a weight in units of the caller's. There are two generations of at most ``limit``
    each (but for one value that is heavier by itself); when the young one is full the old one is
    forgotten. So nothing has to be sorted or searched, and every step is one operation on a dict:
    threads need no lock, at worst something is forgotten early.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._young: dict[K, tuple[V, int]] = {}
        self._old: dict[K, tuple[V, int]] = {}
        self._weight = 0

    def get(self, key: K) -> V | None:
        """What was kept under the key, if it still is."""
        value = self._young.get(key)
        if value is None:
            value = self._old.get(key)
            if value is None:
                return None
            self.keep(key, *value)
        return value[0]

    def keep(self, key: K, value: V, weight: int = 1) -> None:
        """Remember a value."""
        before = self._young.get(key)
        self._weight += weight - (before[1] if before is not None else 0)
        if self._weight > self._limit:
            self._old = self._young
            self._young = {}
            self._weight = weight
        self._young[key] = (value, weight)

    def clear(self) -> None:
        """Forget everything."""
        self._young = {}
        self._old = {}
        self._weight = 0
