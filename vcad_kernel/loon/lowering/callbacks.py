"""``map``, ``filter``, ``fold`` and their like, when their function is written in place: which can be loops.

A loop runs only while the builtin is what it was; beside every loop stands the plain call (see
Lowerer.two_versions). The errors and the calls that they list are those of a call: the frame notes
which stretch of text is the function's.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from vcad_kernel.loon.lowering.folds import Fold
from vcad_kernel.loon.lowering.foresight import CALLBACKS, binds, is_lambda
from vcad_kernel.loon.lowering.loops import Loop
from vcad_kernel.loon.lowering.lower import Inline, Lowerer
from vcad_kernel.loon.lowering.pyast import At
from vcad_kernel.loon.shapes import is_pattern, names_in
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

__all__ = ["INLINE", "can_loop", "loop_over"]

_DEEPEST = 8
"""Loops that may lie one in the other: Python refuses more than 20 blocks, of all kinds."""


def can_loop(low: Lowerer, form: Form, *, piped: bool = False) -> bool:
    """Whether a call can be done as a loop; ``piped``: its last argument comes from a pipe."""
    if not isinstance(form, ListForm) or not form.items or not isinstance(form.items[0], Symbol):
        return False
    name, operands = form.items[0].name, form.items[1:]
    if low.plain or len(low.loops) >= _DEEPEST or name not in CALLBACKS or low.frame.lookup(name):
        return False
    count = 2 if name == "fold" else 1
    if len(operands) + piped != count + 1:
        return False
    at = _lambda_at(low, name, operands, piped=piped)
    return (
        at is not None
        and _is_plain(operands[at])
        and not any(binds(one, low.rules.special) for one in operands[at + 1 :])
    )


def _is_plain(function: Form) -> bool:
    """Whether a literal function is well formed and binds each name once."""
    assert isinstance(function, ListForm)
    assert isinstance(function.items[1], ListForm)
    parameters = function.items[1].items
    if not all(map(is_pattern, parameters)):
        return False  # it fails where it is reached, as a function
    names = [name.name for one in parameters for name in names_in(one)]
    return len(names) == len(set(names))


def _lambda_at(low: Lowerer, name: str, operands: Sequence[Form], *, piped: bool) -> int | None:
    """Which operand is the function; None if none that can be."""
    if name == "fold":
        places = [1] if piped else [1, 2]
    else:
        places = [0] if piped or name in ("any?", "all?", "find") else [0, 1]
    found = [at for at in places if is_lambda(operands[at], 2 if name == "fold" else 1, low.rules.special)]
    return found[0] if len(found) == 1 else None


def lower_callback(low: Lowerer, form: ListForm, at: At) -> ast.expr | None:
    """A call with a literal function."""
    if not can_loop(low, form):
        return None
    if low.assumed is None:
        return low.in_two_versions(form, at)
    return loop_over(low, form, None, at)


def loop_over(low: Lowerer, form: ListForm, piped: ast.expr | None, at: At) -> ast.expr:
    """Lower a call for which ``can_loop`` holds; ``piped`` is its last argument if a pipe gives it."""
    head, operands = form.items[0], form.items[1:]
    assert isinstance(head, Symbol)
    low.takes_for_granted(head.name, at)
    place = _lambda_at(low, head.name, operands, piped=piped is not None)
    assert place is not None
    function = operands[place]
    assert isinstance(function, ListForm)
    first = low.next_number
    loop = (Fold if head.name == "fold" else Loop)(low, head, function, place, at)
    others = [one for index, one in enumerate(operands) if index != place]
    rebinds = any(binds(one, low.rules.special) for one in others)
    values: list[ast.expr] = []
    for index, one in enumerate(others):
        is_source = piped is None and index == (0 if place == 2 else len(others) - 1)
        value = loop.source(one) if is_source else low.value(one)
        values.append((low.spill if rebinds else low.hold)(value, low.at(one)))
    if piped is not None:
        values.append(low.hold(piped, at))
    low.frame.inlined.append((low.at(function), at))
    return loop.lower(values, first)


INLINE: Mapping[str, Inline] = dict.fromkeys(sorted(CALLBACKS), lower_callback)
"""How calls of builtins are done in place, by name."""
