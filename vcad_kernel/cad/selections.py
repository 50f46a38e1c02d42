"""A selection, as a program writes it, to a selector.

    :top                                                      # short for {:side :top}; :all is {}
    {:parallel :z :length (5 20) :adjacent :top}
    {:or (:top {:radius 3}) :not {:kind :circle}}

Keys and values are checked here; what they select is found when the solid is built. Knows neither
nodes nor where the call stands: what is wrong is raised as `SelectionFault`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, Final, get_args

from vcad_kernel.cad.values import described
from vcad_kernel.loon.reference import Key
from vcad_kernel.loon.runtime.collections import Map, Vector
from vcad_kernel.loon.runtime.values import Adt, Keyword
from vcad_kernel.operations.arguments import Kind
from vcad_kernel.operations.features.selections import (
    AXES,
    CRITERIA,
    SIDES,
    WORDS,
    Coordinates,
    Criterion,
    Ordinal,
    Range,
    Selector,
    Takes,
    Target,
    keywords_of,
)
from vcad_kernel.operations.library import VARIANTS
from vcad_kernel.operations.node import Vec3

__all__ = ["SelectionFault", "selection_keys", "selector_of"]


class SelectionFault(ValueError):
    """What is wrong with a selection: an error code and words that follow the argument's name."""

    def __init__(self, code: str, message: str, fix: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.fix = fix


_CRITERIA: Final[Mapping[Target, Mapping[str, Criterion]]] = {
    target: {criterion.name: criterion for criterion in CRITERIA if target in criterion.targets}
    for target in get_args(Target)
}
"""The keys that a map may have."""

_TARGETS: Final[Mapping[Kind, Target]] = {Kind.EDGES: "edge", Kind.FACES: "face"}
_SELECTIONS: Final[Mapping[str, Target]] = {
    variant.variant: target
    for variant in VARIANTS.values()
    for kind, target in _TARGETS.items()
    if variant.gives == "Selection" and variant.arguments[0].kind is kind
}
"""Tag of a selection value → what it selects."""

_PLURAL: Final[Mapping[Target, str]] = {"edge": "edges", "face": "faces"}
_DEEPEST: Final = 8
"""Selections that may stand in each other."""


def selection_keys(kind: Kind, name: str, faces: str) -> tuple[Key, ...]:
    """The keys that a selection as an argument of this kind may have.

    name, faces: what these keys, and those of selections of faces, are called among an entry's.
    """
    if kind is Kind.SELECTION:
        either: dict[str, Key] = {}
        for of in (Kind.EDGES, Kind.FACES):
            for key in selection_keys(of, name, faces):
                known = either.setdefault(key.name, key)
                words = dict.fromkeys((*known.keywords, *key.keywords))
                either[key.name] = replace(known, keywords=tuple(words))
        return tuple(either.values())
    target = _TARGETS[kind]
    held = {"alike": name, "several alike": name, "faces": faces, "two faces": faces}
    return tuple(
        Key(
            f":{criterion.name}",
            criterion.text(target),
            type=_TYPES.get(criterion.takes, ""),
            keywords=tuple(f":{word}" for word in keywords_of(criterion.takes, target)),
            holds=held.get(criterion.takes, ""),
        )
        for criterion in _CRITERIA[target].values()
    )


def selector_of(value: object, target: Target, depth: int = 0) -> Selector:
    """The selector of a keyword, a map, or a value of ``edges`` or ``faces``.

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
    if isinstance(value, Keyword):
        return _of_word(value.name, target)
    if not isinstance(value, Map):
        raise SelectionFault(
            "TYPE_MISMATCH",
            f"must be a map such as {{:parallel :z}}, a word such as :top, or {_PLURAL[target]}, "
            f"got {described(value)}",
        )
    members: dict[str, Any] = {}
    for key, item in value.items():
        criterion = _key(key, target)
        if criterion.takes in _SELECTORS:
            members[criterion.member] = _within(item, criterion, target, depth + 1)
        else:
            members[criterion.member] = _READERS[criterion.takes](item, criterion.name, target)
    for key, other in (("nth", "sort-by"), ("sort-by", "nth")):
        if key.replace("-", "_") in members and other.replace("-", "_") not in members:
            raise SelectionFault(
                "INVALID_PARAMETER", f"has :{key}, which needs :{other}, as {{:nth 0 :sort-by :x}}"
            )
    return Selector(target, **members)


def _of_word(word: str, target: Target) -> Selector:
    if word not in WORDS[target]:
        known = ", ".join(f":{known}" for known in WORDS[target])
        raise SelectionFault(
            "INVALID_PARAMETER",
            f"must be a map, or one of {known}, got :{word}",
            _nearest(word, WORDS[target])
            or ("write it in a map: {" + f":{word} …}}" if word in _CRITERIA[target] else None),
        )
    return Selector(
        target,
        side=word if word in SIDES else None,
        inside=word == "inside" or None,
        outside=word == "outside" or None,
    )


_SELECTORS: Final = ("faces", "two faces", "alike", "several alike")
"""What is a selection, or several."""


def _within(
    value: object, criterion: Criterion, target: Target, depth: int
) -> Selector | tuple[Selector, ...]:
    """The selections under a key."""
    of: Target = "face" if criterion.takes.endswith("faces") else target
    if criterion.takes in ("faces", "alike"):
        return selector_of(value, of, depth)
    items = _items(value)
    several = "two selections of faces" if criterion.takes == "two faces" else "selections"
    if items is None:
        raise SelectionFault(
            "TYPE_MISMATCH",
            f":{criterion.name} must be {several} in a tuple, as (:top :front), got {described(value)}",
        )
    if not items or (criterion.takes == "two faces" and len(items) != 2):
        raise SelectionFault(
            "INVALID_PARAMETER", f":{criterion.name} must be {several}, as (:top :front), got {len(items)}"
        )
    return tuple(selector_of(item, of, depth) for item in items)


def _key(key: object, target: Target) -> Criterion:
    name = key.name if isinstance(key, Keyword) else None
    allowed = _CRITERIA[target]
    if name is not None and name in allowed:
        return allowed[name]
    known = ", ".join(f":{word}" for word in allowed)
    written = f":{name}" if name is not None else described(key)
    other: Target = "face" if target == "edge" else "edge"
    if name in _CRITERIA[other]:
        what = f"has {written}, which selects {_PLURAL[other]} only; {_PLURAL[target]} have {known}"
        fix = f"select by what lies beside: {{:adjacent {{{written} …}}}}" if target == "edge" else None
        raise SelectionFault("INVALID_PARAMETER", what, fix)
    raise SelectionFault(
        "INVALID_PARAMETER",
        f"has the unknown key {written}; keys are {known}",
        f"write {written} alone, or {{:side {written}}}" if name in SIDES else _nearest(name or "", allowed),
    )


def _nearest(word: str, known: Iterable[str]) -> str | None:
    close = get_close_matches(word, [*known], 1)
    return f"did you mean :{close[0]}?" if close else None


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
    wanted = "a vector of three numbers, as #[0 0 1], or an axis, as :z"
    if isinstance(value, Keyword):
        return AXES[_one_of(value, name, tuple(AXES))]
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


def _one_of(value: object, name: str, words: Sequence[str], of: str = "") -> str:
    known = ", ".join(f":{word}" for word in words)
    if not isinstance(value, Keyword):
        raise SelectionFault("TYPE_MISMATCH", f":{name} must be one of {known}, got {described(value)}")
    if value.name not in words:
        raise SelectionFault(
            "INVALID_PARAMETER",
            f":{name} must be one of {known}{of}, got :{value.name}",
            _nearest(value.name, words),
        )
    return value.name


def _word(takes: Takes) -> Callable[[object, str, Target], str]:
    return lambda value, name, target: _one_of(
        value, name, keywords_of(takes, target), f" for {_PLURAL[target]}"
    )


def _count(value: object, name: str, _target: Target) -> int:
    number = _number(value, name, "a whole number from 1")
    if number < 1 or not number.is_integer():
        raise SelectionFault("INVALID_PARAMETER", f":{name} must be a whole number from 1, got {number:g}")
    return int(number)


def _ordinal(value: object, name: str, _target: Target) -> Ordinal:
    number = _number(value, name, "a whole number")
    if not number.is_integer():
        raise SelectionFault("INVALID_PARAMETER", f":{name} must be a whole number, got {number:g}")
    return Ordinal(int(number))


def _text(value: object, name: str, _target: Target) -> str:
    if not isinstance(value, str):
        raise SelectionFault("TYPE_MISMATCH", f":{name} must be a text, got {described(value)}")
    return value


_READERS: Final[Mapping[Takes, Callable[[object, str, Target], Any]]] = {
    "direction": _direction,
    "coordinates": _coordinates,
    "range": _range,
    "flag": _flag,
    "kind": _word("kind"),
    "side": _word("side"),
    "order": _word("order"),
    "count": _count,
    "ordinal": _ordinal,
    "text": _text,
}
_TYPES: Final[Mapping[Takes, str]] = {
    "kind": "Keyword",
    "side": "Keyword",
    "order": "Keyword",
    "flag": "Bool",
    "count": "Count",
    "ordinal": "Count",
    "text": "String",
}
"""Of what stands under a key, where there is one type of that, in the checker's notation."""
assert {*Selector.__struct_fields__} == {"target", *(criterion.member for criterion in CRITERIA)}
