"""Which values of a program are a model, and which part came from which value."""

from __future__ import annotations

from collections.abc import Iterator

from vcad_kernel.loon.runtime.collections import Vector
from vcad_kernel.loon.runtime.values import Adt
from vcad_kernel.operations.library import VARIANTS

__all__ = ["is_scene_value", "only_solid", "root_values"]

_PARTS = frozenset({"Solid", "SceneEntry"})
_SHOWN = _PARTS | {"Sketch", "Surface"}


def _flat(value: object) -> Iterator[object]:
    """The value itself, or the items of nested vectors in order."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, Vector):
            pending.extend(reversed(item.to_list()))
        else:
            yield item


def _gives(value: object) -> str | None:
    operation = VARIANTS.get(value.tag) if isinstance(value, Adt) else None
    return None if operation is None else operation.gives


def is_scene_value(value: object, *, profiles: bool = False) -> bool:
    """Whether a cell's value is meant as a model: something in it can be a part or a material.

    A path, a number or a vector of numbers is an ordinary value, to be printed, and so is a profile or a
    surface, unless profiles are asked for, which a cell shows as they are.
    """
    parts = {"Material", *(_SHOWN if profiles else _PARTS)}
    return any(_gives(item) in parts for item in _flat(value))


def root_values(value: object, *, profiles: bool = False) -> list[Adt]:
    """The solids and scene entries of a model, one per root of its document and in that order.

    profiles: they count, too, and so do surfaces.
    """
    parts = _SHOWN if profiles else _PARTS
    return [item for item in _flat(value) if isinstance(item, Adt) and _gives(item) in parts]


def only_solid(root: Adt) -> Adt:
    """The solid of a part, without its material and name."""
    while _gives(root) == "SceneEntry":
        inner = root.fields[0]
        assert isinstance(inner, Adt)
        root = inner
    return root
