"""Arithmetic as it runs, for hosts where lengths and angles may be ints as well as floats.

An int takes on the kind of what it meets. So a float among the operands makes the result a float
whatever the others are; without one, operands whose kind is open share it with the result, and an int
beside them says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vcad_kernel.loon.checking.infer import Inference
from vcad_kernel.loon.checking.types import FLOAT, INT, Con, Fn, Type, Var, prune
from vcad_kernel.loon.checking.unify import Clash

__all__ = ["both_numbers", "free_to_mix", "mixing"]

_TWO: Final = frozenset({"-", "/"})
_SEVERAL: Final = frozenset({"+", "*"})


def mixing(inf: Inference, name: str, operands: Sequence[Type]) -> Fn | None:
    """The type that an arithmetic builtin has for these operands; None for other functions and counts."""
    count = len(operands)
    if not ((name in _TWO and count == 2) or (name in _SEVERAL and count >= 2)):
        return None
    kinds = [prune(operand) for operand in operands]
    has_float = any(_is(kind, FLOAT) for kind in kinds)
    if has_float or not any(isinstance(kind, Var) for kind in kinds):
        return Fn(tuple([_number(inf) for _ in kinds]), FLOAT if has_float else INT)
    shared = Var(inf.names.level).bounded("Add")
    return Fn(tuple([shared if isinstance(kind, Var) else _number(inf) for kind in kinds]), shared)


def _number(inf: Inference) -> Var:
    return Var(inf.names.level).bounded("Real")


def _is(kind: Type, number: Type) -> bool:
    return getattr(kind, "name", None) == getattr(number, "name", "")


def both_numbers(clash: Clash) -> bool:
    """Whether two types differ only in the kind of number."""
    names = {getattr(prune(side), "name", "") for side in (clash.wanted, clash.given)}
    return names == {"Int", "Float"}


def free_to_mix(param: Type, clash: Clash) -> bool:
    """Whether an argument may be of another kind of number than those before it.

    It may where a function left the kind of its parameter, or of what is in it, open; unless it compares:
    ``<`` refuses an int with a float.
    """
    if not both_numbers(clash):
        return False
    is_open = False
    waiting: list[Type] = [param]
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, Var):
            if "Ord" in (kind.bounds or ()):
                return False
            is_open = True
            waiting += [kind.ref] if kind.ref is not None else []
        elif isinstance(kind, Con):
            waiting += kind.args
        elif isinstance(kind, Fn):
            waiting += [*kind.params, kind.result]
    return is_open
