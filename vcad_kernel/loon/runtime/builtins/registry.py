"""The table of builtins by Loon name, filled by the modules that define them.

A builtin is a plain Python function. It takes exactly the arguments it needs and ignores further
ones (``*_surplus``); too few is Python's own complaint, which failures.py turns into an arity
error. Callbacks are called from Python loops only: a call through C (``sorted(key=…)``, ``map``)
costs C stack, and recursion through it would crash long before ten thousand levels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

__all__ = ["BUILTINS", "EXTENSIONS", "builtin", "extension", "name_builtin"]

BUILTINS: dict[str, Any] = {}
"""Builtins that need nothing from an environment."""

EXTENSIONS: dict[str, Any] = {}
"""What a host may put in place of builtins without code that does these in place being wrong: they take all
that the builtin takes, with the same result, and more."""

_P = ParamSpec("_P")
_R = TypeVar("_R")


def name_builtin(function: Callable[_P, _R], name: str) -> Callable[_P, _R]:
    """Give a function the name it shows as ``<builtin name>``."""
    function.__loon__ = name  # type: ignore[attr-defined]
    return function


def builtin(name: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Register a function under a Loon name."""

    def register(function: Callable[_P, _R]) -> Callable[_P, _R]:
        BUILTINS[name] = name_builtin(function, name)
        return function

    return register


def extension(name: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Register a function that takes more than the builtin of this name."""

    def register(function: Callable[_P, _R]) -> Callable[_P, _R]:
        EXTENSIONS[name] = name_builtin(function, name)
        return function

    return register
