"""The globals that compiled code runs in.

Python looks for a name in a function's globals, then in its builtins. The globals here are what the
program binds and the support that belongs to it; the builtins are a dict of ours that holds the
language's builtins and the names of libraries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from vcad_kernel.loon.runtime.adts import USER_MARK
from vcad_kernel.loon.runtime.support import support_for

__all__ = ["Module"]


@dataclass(slots=True)
class Module:
    """Globals that code runs in, and what belongs to them."""

    globals: dict[str, Any]
    base: dict[str, Any]
    nullary: set[str]
    methods: dict[str, dict[str, Callable[..., Any]]] = field(default_factory=dict)

    @classmethod
    def make(cls, base: dict[str, Any], nullary: Iterable[str], home: object | None) -> Module:
        """Empty globals in front of ``base``; user code has no home library."""
        scope: dict[str, Any] = {"__name__": "loon", "__builtins__": base}
        if home is None:
            scope[USER_MARK] = True
        module = cls(scope, base, set(nullary))
        scope.update(support_for(scope, base, nullary=module.nullary, methods=module.methods, home=home))
        return module
