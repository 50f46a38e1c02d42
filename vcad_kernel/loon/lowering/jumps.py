"""Calls of a function by itself: jumps where nothing comes after them, promises kept elsewhere.

A self tail call becomes a jump to the function's beginning. The name is looked up all the same, so
that a redefinition while the function runs takes effect; only a quick version of a function that
runs nothing but itself and builtins need not ask again.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.emitter import Emitter
from vcad_kernel.loon.lowering.kinds import ANY, STR, Kind
from vcad_kernel.loon.lowering.pyast import At
from vcad_kernel.loon.lowering.scope import Promise
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

__all__ = ["jump", "promised"]


def promised(low: Emitter, form: ListForm, arguments: Sequence[ast.expr]) -> Kind:
    """What is known of a call: something only if it is a self call in a quick version."""
    promise, head = low.frame.promise, form.items[0]
    if promise is None or promise.result is None or not isinstance(head, Symbol):
        return ANY
    if head.name != low.frame.name or low.frame.lookup(head.name):
        return ANY
    return promise.result if _keeps(low, promise, arguments) else ANY


def _keeps(low: Emitter, promise: Promise, arguments: Sequence[ast.expr]) -> bool:
    """Whether arguments are surely of the kinds that the quick version was promised."""
    return len(arguments) == len(promise.kinds) and all(
        wanted.covers(low.kind(argument)) for wanted, argument in zip(promise.kinds, arguments, strict=True)
    )


def jump(low: Emitter, form: ListForm, operands: Callable[[Sequence[Form]], list[ast.expr]]) -> bool:
    """Lower a self tail call as a jump to the function's beginning, if it is one.

    operands: lowers forms, from left to right.

    The name is looked up all the same, so a redefinition while the function runs takes effect.
    """
    frame, head = low.frame, form.items[0]
    assert isinstance(head, Symbol)
    if head.name != frame.name or len(form.items) - 1 not in frame.counts or frame.lookup(head.name):
        return False
    at = low.at(form)
    if frame.promise is not None and frame.promise.result is not None:
        arguments = operands(form.items[1:])
        _jump_within(low, frame.promise, _in_place(low, arguments, at), at)
        return True
    function, *arguments = operands(form.items)
    function = low.spill(function, at)
    arguments = [low.spill(argument, at) for argument in arguments]
    if frame.variadic:
        jump: list[ast.stmt] = [pyast.assign(frame.variables, pyast.tuple_of(arguments, at), at)]
    else:
        jump = _handed_over(low, arguments, at)
    frame.asks_itself = True
    if frame.promise is not None and _keeps(low, frame.promise, arguments):
        frame.quick_loops = True
        jump.append(pyast.again(at))
    elif frame.promise is not None:
        frame.quick_loops = frame.loops = True
        jump.append(pyast.stop(at))
    else:
        frame.loops = True
        jump.append(pyast.again(at))
    itself = pyast.load(frame.itself, at)
    low.emit(pyast.when(pyast.same(function, itself, at), jump, [], at))
    low.emit(pyast.give(pyast.call(function, arguments, at), at))
    return True


def _jump_within(low: Emitter, promise: Promise, arguments: Sequence[ast.expr], at: At) -> None:
    """A jump in a quick version that nothing can rebind the function's name in."""
    keeps = _keeps(low, promise, arguments)
    low.frame.quick_loops = True
    for statement in _handed_over(low, arguments, at):
        low.emit(statement)
    if keeps:
        low.emit(pyast.again(at))
    else:
        low.frame.loops = True
        low.frame.results.append(ANY)  # the plain version may go on, and give anything
        low.emit(pyast.stop(at))


def _in_place(low: Emitter, arguments: Sequence[ast.expr], at: At) -> list[ast.expr]:
    """Arguments of a jump in temporaries, except one that appends to its own parameter.

    Python then appends in place, for nothing else holds the text.
    """
    variables = low.frame.variables
    own = [
        index
        for index, (argument, variable) in enumerate(zip(arguments, variables, strict=True))
        if _grows(low, argument, variable)
    ]
    return [
        argument if own == [index] else low.spill(argument, at) for index, argument in enumerate(arguments)
    ]


def _handed_over(low: Emitter, arguments: Sequence[ast.expr], at: At) -> list[ast.stmt]:
    """Statements that make values held in temporaries the parameters' next ones."""
    variables = low.frame.variables
    changed = [
        (variable, argument)
        for variable, argument in zip(variables, arguments, strict=True)
        if not (isinstance(argument, ast.Name) and argument.id == variable)
    ]
    grown = [variable for variable, argument in changed if _grows(low, argument, variable)]
    changed.sort(key=lambda pair: pair[0] not in grown)
    statements: list[ast.stmt] = [pyast.assign([variable], argument, at) for variable, argument in changed]
    statements[len(grown) : len(grown)] = [low.has_grown(variable, at) for variable in grown]
    return statements


def _grows(low: Emitter, value: ast.expr, variable: str) -> bool:
    """Whether a value is the text in a variable with more appended."""
    return (
        variable in low.growing
        and isinstance(value, ast.BinOp)
        and low.kind(value) is STR
        and isinstance(value.left, ast.Name)
        and value.left.id == variable
    )
