"""A persistent table: entries by key, in the order in which their keys came.

What Map and Set are made of. A small table is one dict, copied for each new version. A large one is a
tree whose leaves are dicts: a new version copies one leaf and the path to it and shares everything
else, whichever version it is made from. Each entry knows its place in the order, so the tree need not
keep any; who walks through a large table has it laid out as one dict, once.

Knows keys (equality.py), not what an entry is.
"""

from __future__ import annotations

from typing import Any, Final, Self, TypeAlias

from vcad_kernel.loon.runtime.equality import Key

__all__ = ["Ordered"]

_SMALL: Final = 256
"""Entries up to which a table is one dict: copying that many costs less than going down a tree."""

_LEAF: Final = 128
"""Entries of a leaf beyond which it is split."""

_BITS: Final = 6
"""Bits of a hash that choose a branch."""

_FAN: Final = 1 << _BITS
_MASK: Final = _FAN - 1
_DEEPEST: Final = 10
"""Levels of branches: then the bits of a hash are used up, and leaves grow instead."""

_Leaf: TypeAlias = dict[Key, tuple[int, Any]]
"""Places and entries by key."""

_Node: TypeAlias = "_Leaf | list[Any]"
"""A leaf, or _FAN nodes. Never changed once a table has it."""


_Tree: TypeAlias = tuple[_Node, int, int]
"""A large table: its root, the number of its entries, and the place that a new key gets."""


class Ordered:
    """Entries in the order of their keys' first coming. Versions never change.

    At least one of the two forms is there; the other is made when it is first wanted. Each is put in
    place by one assignment, so another thread sees it whole or not at all.
    """

    __slots__ = ("_flat", "_tree")

    _flat: dict[Key, Any] | None
    _tree: _Tree | None

    @classmethod
    def _of(cls, flat: dict[Key, Any]) -> Self:
        """A table that takes over a dict of entries."""
        table = cls.__new__(cls)
        table._flat = flat
        table._tree = None
        return table

    @classmethod
    def _of_tree(cls, tree: _Tree) -> Self:
        table = cls.__new__(cls)
        table._flat = None
        table._tree = tree
        return table

    def _find(self, key: Key) -> Any:
        """The entry under a key, else None."""
        flat = self._flat
        if flat is not None:
            return flat.get(key)
        assert self._tree is not None
        node, bits = self._tree[0], hash((key,))
        while type(node) is list:
            node = node[bits & _MASK]
            bits >>= _BITS
        held = node.get(key)  # type: ignore[union-attr]
        return None if held is None else held[1]

    def _with(self, key: Key, entry: Any) -> Self:
        """With an entry under a key; a key that is there keeps its place."""
        flat = self._flat
        if flat is not None and len(flat) < _SMALL:
            flat = flat.copy()
            flat[key] = entry
            return self._of(flat)
        root, size, end = self._as_tree()
        top, holder, turn, level = _copied_path(root, key)
        leaf = holder[turn]
        old = leaf.get(key)
        if old is not None:
            leaf[key] = (old[0], entry)
            return self._of_tree((top[0], size, end))
        leaf[key] = (end, entry)
        if len(leaf) > _LEAF:
            holder[turn] = _split(leaf, level)
        return self._of_tree((top[0], size + 1, end + 1))

    def _without(self, key: Key) -> Self:
        """Without a key that is there."""
        if len(self) <= _SMALL:
            flat = self._as_dict().copy()
            del flat[key]
            return self._of(flat)
        root, size, end = self._as_tree()
        top, holder, turn, _ = _copied_path(root, key)
        del holder[turn][key]
        return self._of_tree((top[0], size - 1, end))

    def _as_dict(self) -> dict[Key, Any]:
        """The table in order. To be looked at only."""
        flat = self._flat
        if flat is None:
            assert self._tree is not None
            flat = self._flat = _laid_out(self._tree)
        return flat

    def _as_tree(self) -> _Tree:
        tree = self._tree
        if tree is None:
            assert self._flat is not None
            tree = self._tree = _tree_of(self._flat)
        return tree

    def __len__(self) -> int:
        return len(self._flat) if self._flat is not None else self._as_tree()[1]


def _copied_path(root: _Node, key: Key) -> tuple[list[Any], list[Any], int, int]:
    """Copies of the branches on the way to the leaf of a key, and of that leaf.

    As a list that holds the new root, the list that holds the leaf, where in it, and the leaf's level.
    """
    bits = hash((key,))  # not hash(key): ints are their own, and many end in the same bits
    top = holder = [root]
    turn = level = 0
    node = root
    while type(node) is list:
        holder[turn] = node = node.copy()
        holder = node
        turn = bits & _MASK
        bits >>= _BITS
        level += 1
        node = node[turn]
    holder[turn] = node.copy()
    return top, holder, turn, level


def _split(leaf: _Leaf, level: int) -> _Node:
    """A leaf at a level of the tree, or branches with smaller ones when it is too large."""
    if len(leaf) <= _LEAF or level >= _DEEPEST:
        return leaf
    leaves: list[_Leaf] = [{} for _ in range(_FAN)]
    shift = _BITS * level
    for key, placed in leaf.items():
        leaves[(hash((key,)) >> shift) & _MASK][key] = placed
    return [_split(leaf, level + 1) for leaf in leaves]


def _tree_of(flat: dict[Key, Any]) -> _Tree:
    leaf = {key: (at, entry) for at, (key, entry) in enumerate(flat.items())}
    return _split(leaf, 0), len(flat), len(flat)


def _laid_out(tree: _Tree) -> dict[Key, Any]:
    """The entries of a tree as one dict, in order."""
    root, size, end = tree
    places: list[Any] = [None] * end
    nodes: list[Any] = [root]
    while nodes:
        node = nodes.pop()
        if type(node) is list:
            nodes += node
        else:
            for key, (at, entry) in node.items():
                places[at] = (key, entry)
    return dict(places if size == end else [placed for placed in places if placed is not None])
