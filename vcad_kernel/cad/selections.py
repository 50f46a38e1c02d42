"""A map of criteria, as a program writes it, to a selector.

    {:parallel #[0 0 1] :length (5 20) :adjacent {:normal #[0 0 1]}}

Keys and values are checked here; what they select is found when the solid is built. Knows neither
nodes nor where the call stands: what is wrong is told by `SelectionFault`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, Final

from vcad_kernel.cad.values import described
from vcad_kernel.loon.reference import Key
from vcad_kernel.loon.runtime.collections import Map, Vector
from vcad_kernel.loon.runtime.values import Adt, Keyword
from vcad_kernel.operations.arguments import Kind
from vcad_kernel.operations.library import VARIANTS
from vcad_kernel.operations.node import Vec3
from vcad_kernel.operations.selections import EDGE_KINDS, FACE_KINDS, Coordinates, Range, Selector, Target

__all__ = ["SelectionFault", "selection_keys", "selector_of"]


class SelectionFault(ValueError):
    """What is wrong with a selection: an error code and words that follow the argument's name."""

    def __init__(self, code: str, message: str, fix: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.fix = fix


_BOTH: Final = ("parallel", "at", "above", "below", "radius", "kind", "largest", "smallest", "adjacent")
_CRITERIA: Final[Mapping[Target, tuple[str, ...]]] = {
    "edge": (*_BOTH, "length", "convex", "made-by"),
    "face": (*_BOTH, "normal", "made-by"),
}
"""The keys that a map may have."""

_KINDS: Final[Mapping[Target, tuple[str, ...]]] = {"edge": tuple(EDGE_KINDS), "face": tuple(FACE_KINDS)}

_TARGETS: Final[Mapping[Kind, Target]] = {Kind.EDGES: "edge", Kind.FACES: "face", Kind.FACE: "face"}
_SELECTIONS: Final[Mapping[str, Target]] = {
    one.variant: target
    for one in VARIANTS.values()
    for kind, target in _TARGETS.items()
    if one.gives == "Selection" and one.arguments[0].kind is kind
}
"""Tag of a selection value → what it selects."""

_PLURAL: Final[Mapping[Target, str]] = {"edge": "edges", "face": "faces"}
_DEEPEST: Final = 8
"""Maps that may lie in each other by ``:adjacent``."""


def selection_keys(kind: Kind) -> tuple[Key, ...]:
    """The keys that a selection as an argument of this kind may have."""
    if kind is Kind.SELECTION:
        either: dict[str, Key] = {}
        for key in (*selection_keys(Kind.EDGES), *selection_keys(Kind.FACES)):
            known = either.setdefault(key.name, key)
            words = dict.fromkeys((*known.keywords, *key.keywords))
            either[key.name] = replace(known, keywords=tuple(words))
        return tuple(either.values())
    target = _TARGETS[kind]
    kinds = tuple(f":{name}" for name in _KINDS[target])
    return tuple(
        Key(
            f":{name}",
            keywords=kinds if name == "kind" else (),
            holds="adjacent" if name == "adjacent" else "",
        )
        for name in _CRITERIA[target]
    )


def selector_of(value: object, target: Target, depth: int = 0) -> Selector:
    """The selector of a map, or of a value of ``edges`` or ``faces``.

    Raises: SelectionFault.
    """
    if depth > _DEEPEST:
        raise SelectionFault("INVALID_PARAMETER", f"has more than {_DEEPEST} selections in each other")
    if isinstance(value, Adt) and value.tag in _SELECTIONS and len(value.fields) == 2:
        given = _SELECTIONS[value.tag]
        if given != target:
            raise SelectionFault(
                "TYPE_MISMATCH",
                f"must select {_PLURAL[target]}, got a selection of {_PLURAL[given]}",
                "the edges around selected faces are {:adjacent FACES}" if target == "edge" else None,
            )
        return selector_of(value.fields[1], target, depth + 1)
    if not isinstance(value, Map):
        raise SelectionFault(
            "TYPE_MISMATCH",
            f"must be a map such as {{:parallel #[0 0 1]}}, or {_PLURAL[target]}, got {described(value)}",
        )
    found: dict[str, Any] = {}
    for key, item in value.items():
        name = _key(key, target)
        found[name.replace("-", "_")] = (
            selector_of(item, "face", depth + 1) if name == "adjacent" else _READERS[name](item, name, target)
        )
    return Selector(target, **found)


def _key(key: object, target: Target) -> str:
    name = key.name if isinstance(key, Keyword) else None
    allowed = _CRITERIA[target]
    if name in allowed:
        assert name is not None
        return name
    known = ", ".join(f":{one}" for one in allowed)
    written = f":{name}" if name is not None else described(key)
    other: Target = "face" if target == "edge" else "edge"
    if name in _CRITERIA[other]:
        what = f"has {written}, which selects {_PLURAL[other]} only; {_PLURAL[target]} have {known}"
        fix = f"select by what lies beside: {{:adjacent {{{written} …}}}}" if target == "edge" else None
        raise SelectionFault("INVALID_PARAMETER", what, fix)
    close = get_close_matches(name or "", allowed, 1)
    raise SelectionFault(
        "INVALID_PARAMETER",
        f"has the unknown key {written}; keys are {known}",
        f"did you mean :{close[0]}?" if close else None,
    )


def _items(value: object) -> list[object] | None:
    if isinstance(value, Vector):
        return value.to_list()
    return list(value) if isinstance(value, tuple) else None


def _number(value: object, name: str, wanted: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SelectionFault("TYPE_MISMATCH", f":{name} must be {wanted}, got {described(value)}")
    if not math.isfinite(value):
        raise SelectionFault("INVALID_PARAMETER", f":{name} must be finite, got {value:g}")
    return float(value)


def _direction(value: object, name: str, _target: Target) -> Vec3:
    wanted = "a vector of three numbers, as #[0 0 1]"
    items = _items(value)
    if items is None or len(items) != 3:
        raise SelectionFault("TYPE_MISMATCH", f":{name} must be {wanted}, got {described(value)}")
    x, y, z = (_number(item, name, wanted) for item in items)
    if math.hypot(x, y, z) < 1e-12:
        raise SelectionFault("ZERO_VECTOR", f":{name} must have a direction, got the zero vector")
    return (x, y, z)


def _coordinates(value: object, name: str, _target: Target) -> Coordinates:
    wanted = "a map of coordinates, as {:z 5}"
    if not isinstance(value, Map):
        raise SelectionFault("TYPE_MISMATCH", f":{name} must be {wanted}, got {described(value)}")
    given: dict[str, float] = {}
    for key, item in value.items():
        axis = key.name if isinstance(key, Keyword) else ""
        if axis not in ("x", "y", "z"):
            written = f":{axis}" if axis else described(key)
            raise SelectionFault("INVALID_PARAMETER", f":{name} has {written}; coordinates are :x, :y and :z")
        given[axis] = _number(item, f"{name} :{axis}", "a number")
    if not given:
        raise SelectionFault("INVALID_PARAMETER", f":{name} must name a coordinate, as {{:z 5}}")
    axes: Coordinates = tuple((axis, given[axis]) for axis in ("x", "y", "z") if axis in given)
    return axes


def _range(value: object, name: str, _target: Target) -> Range:
    wanted = "a number, or lowest and highest as (1 5)"
    items = _items(value)
    if items is None:
        number = _number(value, name, wanted)
        return (number, number)
    if len(items) != 2:
        raise SelectionFault("TYPE_MISMATCH", f":{name} must be {wanted}, got {len(items)} values")
    low, high = (_number(item, name, wanted) for item in items)
    if low > high:
        raise SelectionFault("INVALID_PARAMETER", f":{name} must go up, got {low:g} to {high:g}")
    return (low, high)


def _flag(value: object, name: str, _target: Target) -> bool:
    if not isinstance(value, bool):
        raise SelectionFault("TYPE_MISMATCH", f":{name} must be true or false, got {described(value)}")
    return value


def _kind(value: object, name: str, target: Target) -> str:
    kinds = _KINDS[target]
    known = ", ".join(f":{one}" for one in kinds)
    if not isinstance(value, Keyword):
        raise SelectionFault("TYPE_MISMATCH", f":{name} must be one of {known}, got {described(value)}")
    if value.name not in kinds:
        close = get_close_matches(value.name, kinds, 1)
        raise SelectionFault(
            "INVALID_PARAMETER",
            f":{name} must be one of {known} for {_PLURAL[target]}, got :{value.name}",
            f"did you mean :{close[0]}?" if close else None,
        )
    return value.name


def _count(value: object, name: str, _target: Target) -> int:
    number = _number(value, name, "a whole number from 1")
    if number < 1 or not number.is_integer():
        raise SelectionFault("INVALID_PARAMETER", f":{name} must be a whole number from 1, got {number:g}")
    return int(number)


def _text(value: object, name: str, _target: Target) -> str:
    if not isinstance(value, str):
        raise SelectionFault("TYPE_MISMATCH", f":{name} must be a text, got {described(value)}")
    return value


_READERS: Final[Mapping[str, Callable[[object, str, Target], Any]]] = {
    "parallel": _direction,
    "normal": _direction,
    "at": _coordinates,
    "above": _coordinates,
    "below": _coordinates,
    "length": _range,
    "radius": _range,
    "convex": _flag,
    "kind": _kind,
    "largest": _count,
    "smallest": _count,
    "made-by": _text,
}
assert {name.replace("_", "-") for name in Selector.__struct_fields__} == {*_READERS, "target", "adjacent"}
