"""``handle``: the body and the clauses as functions that share the variables around them.

The body is no scope, so a ``let`` in it binds outside; it is a Python function all the same, because
it must be able to stop in the middle. A clause is a scope. Neither captures: both run where the
``handle`` stands.
"""

from __future__ import annotations

import ast

from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.lower import (
    RETURN,
    BadForm,
    Destination,
    Lowerer,
    is_operation,
    special,
)
from vcad_kernel.loon.lowering.scope import Block, Frame
from vcad_kernel.loon.names import SHARED
from vcad_kernel.loon.syntax import Form, ListForm, Symbol


@special("handle")
def lower_handle(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[handle body [Eff.op p…] clause …]``."""
    if len(form.items) < 2 or len(form.items) % 2:
        raise BadForm("handle needs a body, then operations and clauses in pairs")
    at = low.at(form)
    patterns = [_operation(pattern) for pattern in form.items[2::2]]
    before = low.bindings()
    body = _lower_body(low, form.items[1])
    low.rejoin(before, before[1], low.bindings()[1])
    arguments: list[ast.expr] = [body]
    for (name, parameters), clause in zip(patterns, form.items[3::2], strict=True):
        arguments.append(pyast.constant(name, at))
        arguments.append(_lower_clause(low, parameters, clause))
    low.put(pyast.call_support("$handle", arguments, at), destination, at)


def _operation(pattern: Form) -> tuple[str, list[Symbol]]:
    if isinstance(pattern, ListForm) and pattern.items:
        head, *parameters = pattern.items
        names = [one for one in parameters if isinstance(one, Symbol)]
        if isinstance(head, Symbol) and is_operation(head.name) and len(names) == len(parameters):
            return head.name, names
    raise BadForm("a handler names an operation and its parameters: [Effect.operation a b]")


def _lower_body(low: Lowerer, form: Form) -> ast.expr:
    at = low.at(form)
    with low.inside(Frame("shared", low.frame)):
        low.into(form, RETURN)
        body = [*low.prologue(low.frame, at), *low.frame.body]
    name = low.fresh(SHARED)
    low.emit(pyast.define(name, pyast.parameters([], [], at), body, at))
    return pyast.load(name, at)


def _lower_clause(low: Lowerer, parameters: list[Symbol], form: Form) -> ast.expr:
    at = low.at(form)
    resume, given = low.fresh("resume"), low.fresh()
    with low.inside(Frame("shared", low.frame)):
        block = Block(low.frame)
        low.frame.blocks.append(block)
        low.bind("resume", pyast.load(resume, at), at)
        for index, parameter in enumerate(parameters):
            if parameter.name == "_":
                continue
            place = low.at(parameter)
            part = [pyast.load(given, place), pyast.constant(index, place)]
            low.bind(parameter.name, pyast.call_support("$argument", part, place), place)
        low.into(form, RETURN)
        body = [*low.prologue(low.frame, at), *_with_resumptions(low.frame.body, block.variables["resume"])]
    name = low.fresh(SHARED)
    low.emit(pyast.define(name, pyast.parameters([resume, given], [], at), body, at))
    return pyast.load(name, at)


def _with_resumptions(body: list[ast.stmt], resume: str) -> list[ast.stmt]:
    """Tail calls ``resume(v)`` handed back to the handler's loop instead of nested in it."""
    for statement in body:
        if isinstance(statement, ast.Return) and statement.value is not None:
            statement.value = _resumption(statement.value, resume)
        elif isinstance(statement, ast.If):
            _with_resumptions(statement.body, resume)
            _with_resumptions(statement.orelse, resume)
    return body


def _resumption(value: ast.expr, resume: str) -> ast.expr:
    if isinstance(value, ast.IfExp):
        value.body = _resumption(value.body, resume)
        value.orelse = _resumption(value.orelse, resume)
    elif (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id == resume
        and len(value.args) == 1
    ):
        at = (value.lineno, value.col_offset, value.end_lineno or 1, value.end_col_offset or 0)
        return pyast.call_support("$resumption", [value.func, *value.args], at)
    return value
