"""``handle``: answers to the operations that a body performs (§13).

The body is no scope, so a ``let`` in it binds outside; it compiles to a function all the same, because it
must be able to stop in the middle. A clause is a scope. Neither captures: both run where the ``handle``
stands.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from vcad_kernel.loon.checking.declared import Declaring
from vcad_kernel.loon.checking.inference.infer import Inference, Scope
from vcad_kernel.loon.checking.ownership.owners import Owners, Owning
from vcad_kernel.loon.checking.ownership.variables import NOT_FOLLOWED
from vcad_kernel.loon.checking.types.types import Fn, Overload, Type
from vcad_kernel.loon.forms.record import Part, SpecialForm, on_first_line
from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.lower import RETURN, Destination, Lowerer, Lowering
from vcad_kernel.loon.lowering.scope import Block, Frame
from vcad_kernel.loon.names import SHARED
from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.scoping.nodes import LIST, SYMBOL, inner_end, parts
from vcad_kernel.loon.scoping.patterns import bind_pattern
from vcad_kernel.loon.scoping.walk import Walk
from vcad_kernel.loon.shapes import BadForm
from vcad_kernel.loon.syntax import Form, ListForm, Symbol, is_operation

__all__ = ["HANDLE"]


_RESUME = "handle gives it"


def _holds(items: Sequence[Form]) -> Sequence[Part]:
    return ["name" if at > 1 and at % 2 == 0 else "code" for at in range(len(items))]


def _walk(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    walk.maybe(items[1:2])
    for at in range(2, len(items), 2):
        pattern = items[at]
        end = items[at + 2].start if at + 2 < len(items) else inner_end(node)
        names = parts(pattern) if pattern.kind == LIST else ()
        if names and names[0].kind == SYMBOL and is_operation(names[0].text):
            walk.operation(names[0])
            names = names[1:]
        outer = walk.enter("clause", pattern.start, end)
        walk.given("resume", "resume", pattern.end, _RESUME)
        for name in names:
            bind_pattern(walk, name, "pattern", name.end, node)
        walk.sequence(items[at + 1 : at + 2])
        walk.leave(outer)


def _declare(declaring: Declaring, operands: tuple[Form, ...], at_top: bool) -> None:
    declaring.each(operands[:1], at_top=at_top)
    declaring.each(operands[2::2], at_top=False)


def _infer(inf: Inference, form: ListForm) -> Type:
    """``[handle body [Eff.op p…] clause …]``: the type of the body."""
    if len(form.items) < 2 or len(form.items) % 2:
        return inf.fresh()
    patterns = form.items[2::2]
    operations = [
        pattern.items[0].name
        for pattern in patterns
        if isinstance(pattern, ListForm)
        and pattern.items
        and isinstance(pattern.items[0], Symbol)
        and is_operation(pattern.items[0].name)
    ]
    if len(operations) != len(patterns):
        return inf.fresh()
    around, inf.handled = inf.handled, inf.handled.union(operations)
    term = inf.infer(form.items[1])
    inf.handled = around
    for pattern, clause in zip(patterns, form.items[3::2], strict=True):
        outer, inf.scope = inf.scope, Scope(inf.scope)
        inf.scope.names["resume"] = Overload((Fn((inf.fresh(),), term), Fn((), term)))
        assert isinstance(pattern, ListForm)
        for parameter in pattern.items[1:]:
            if isinstance(parameter, Symbol) and parameter.name != "_":
                inf.bind(parameter, inf.fresh())
        inf.infer(clause)
        inf.scope = outer
    return term


def _own(owners: Owners, form: ListForm) -> None:
    owners.each(form.items[1:2])
    for operation, clause in zip(form.items[2::2], form.items[3::2], strict=False):
        owners.variables.scopes.append({"resume": NOT_FOLLOWED})
        if isinstance(operation, ListForm):
            for parameter in operation.items[1:]:
                owners.bind(parameter)
        owners.visit(clause)
        owners.variables.scopes.pop()


def _lower(low: Lowerer, form: ListForm, destination: Destination) -> None:
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
        names = [parameter for parameter in parameters if isinstance(parameter, Symbol)]
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


HANDLE = SpecialForm(
    entry=Chapter("Effects").form(
        "[handle body [Effect.op a …] clause …]",
        "Evaluates the body and answers the operations that it performs. [resume v] in a clause goes on "
        "with v as the operation's value, at most once; a clause that ends without it abandons the body, and "
        "its value is the whole form's.",
        "[handle [* 2 [Size.get :w]] [Size.get key] [resume [get {:w 50} key]]]",
        "100",
        "body: any expression",
        "[Effect.op a …]: an operation, with names for its arguments",
        "clause: what to do then",
    ),
    purpose="control",
    first_line=on_first_line(2),
    holds=_holds,
    walks=_walk,
    declares=_declare,
    infers=_infer,
    owns=Owning(_own),
    lowers=Lowering(lower=_lower),
)
