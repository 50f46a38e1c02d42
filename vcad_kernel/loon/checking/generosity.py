"""Where the run time takes more than the types of §17.3 say: swapped arguments, defaults, mixed numbers.

The checker reports such calls all the same, as the language wants, but as hints: they run.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from vcad_kernel.loon.checking.known import Known
from vcad_kernel.loon.checking.notation import scheme_of
from vcad_kernel.loon.checking.types import Scheme

__all__ = ["also_taken", "ignores_surplus"]

_ALSO: Mapping[str, str] = {
    **dict.fromkeys(("+", "*"), "Real -> Real -> & Real -> c"),
    **dict.fromkeys(("-", "/"), "Real -> Real -> c"),
    "=": "a -> b -> Bool",
    "not": "a -> Bool",
    **dict.fromkeys(("and", "or"), "& a -> c"),
    **dict.fromkeys(("println", "print"), "& a -> ()"),
    "len": "String -> Int | Map k v -> Int | Set a -> Int | {r} -> Int",
    "nth": "(a, b) -> Int -> c | (a, b, c) -> Int -> d | Vec a -> Int -> b -> c",
    "get": "Map k v -> a -> b | Map k v -> a -> b -> c | {r} -> a -> b -> c | Vec a -> Int -> b | "
    "Vec a -> Int -> b -> c",
    "conj": "Vec a -> & b -> c | Set a -> & b -> c",
    "push!": "Vec a -> & b -> c | Set a -> & b -> c | String -> & a -> String",
    "cons": "a -> Vec b -> c",
    "range": "Int -> Vec Int",
    "map": "Vec a -> (a -> b) -> Vec b | (a -> b) -> c",
    "filter": "Vec a -> (a -> b) -> Vec a | (a -> b) -> c | (a -> b) -> Vec a -> Vec a",
    "each": "Vec a -> (a -> b) -> () | (a -> b) -> c | (a -> b) -> Vec a -> ()",
    "fold": "Vec a -> b -> (b -> a -> b) -> b | b -> (b -> a -> b) -> c",
    "flat-map": "Vec a -> (a -> b) -> c | (a -> b) -> c | (a -> b) -> Vec a -> c",
    **dict.fromkeys(("find", "any?", "all?"), "(a -> b) -> Vec a -> c"),
    **dict.fromkeys(("take", "drop"), "Int -> Vec a -> Vec a | Int -> c"),
    "reverse": "String -> String",
    "sort-by": "(a -> b) -> Vec a -> Vec a | (a -> b) -> Keyword -> c",
    "group-by": "(a -> b) -> c",
    "flatten": "Vec a -> b",
    "contains?": "Vec a -> b -> Bool | Set a -> b -> Bool | Map k v -> a -> Bool | {r} -> a -> Bool",
    "keys": "{r} -> Vec Keyword",
    "values": "{r} -> Vec a",
    "entries": "{r} -> Vec (Keyword, a)",
    **dict.fromkeys(("min", "max"), "Real -> Real -> c"),
    "sum": "Vec Float -> Float",
    "collect": "a -> a",
    "name": "String -> String",
    "int": "Float -> Int | Int -> Int",
    "float": "Int -> Float | Float -> Float",
    "join": "String -> Vec a -> String | Vec a -> String -> String",
    "assoc": "Map k v -> a -> b -> c | {r} -> a -> b -> c",
    "update": "Map k v -> a -> (b -> c) -> d | {r} -> a -> (b -> c) -> d",
    "remove": "Map k v -> a -> b | {r} -> a -> b",
    "merge": "Map k v -> Map a b -> c | {r} -> {s} -> c",
    "assert-eq": "a -> b -> ()",
    "index-of": "String -> String -> Int",
}
"""By builtin, kinds of calls that run. Results are left open: what follows from them is not reported."""


@cache
def also_taken(name: str) -> Scheme | None:
    """The further kinds of calls of a builtin of the language that run."""
    text = _ALSO.get(name)
    return None if text is None else scheme_of(text, Known.base().arity)


def ignores_surplus(name: str) -> bool:
    """Whether a builtin takes no notice of arguments beyond its own: all but arithmetic's do."""
    return name not in ("+", "*", "and", "or")
