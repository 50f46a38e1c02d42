"""``if``: one of two values."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from vcad_kernel.loon.checking.inference.infer import Inference
from vcad_kernel.loon.checking.inference.mismatch import condition, differing
from vcad_kernel.loon.checking.ownership.owners import Owners, Owning
from vcad_kernel.loon.checking.types.types import UNIT, Con, Type, Var, prune
from vcad_kernel.loon.forms.record import IN_ORDER, SpecialForm, on_first_line
from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.kinds import ANY, either, noted
from vcad_kernel.loon.lowering.lower import Destination, Lowerer, Lowering
from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.scoping.walk import Walk
from vcad_kernel.loon.shapes import BadForm
from vcad_kernel.loon.syntax import ListForm

__all__ = ["IF"]


def _walk(walk: Walk, _node: Node, items: Sequence[Node]) -> None:
    walk.sequence(items[1:2])
    walk.either(items[2:3], items[3:4])
    walk.sequence(items[4:])


def _infer(inf: Inference, form: ListForm) -> Type:
    """``[if c a b]``: a truth, and branches of one type."""
    if len(form.items) not in (3, 4):
        return inf.fresh()
    condition(inf, form.items[1], "if")
    first = inf.infer(form.items[2])
    if len(form.items) == 3:
        return first
    second = inf.infer(form.items[3])
    if inf.names.tolerant and _one_may_be_missing(first, second):
        return inf.fresh()
    clash = inf.unify(first, second)
    if clash is None:
        inf.settle(form.items[3])
        return first
    differing(inf, clash, "the branches of this if", (form.items[2], first), (form.items[3], second))
    return inf.fresh()


def _one_may_be_missing(first: Type, second: Type) -> bool:
    """Whether one branch is an Option or unit, and nothing is known of the other: ``[if c x None]``."""
    kinds = (prune(first), prune(second))
    return any(isinstance(kind, Var) for kind in kinds) and any(
        isinstance(kind, Con) and kind.name in ("Option", UNIT.name) for kind in kinds
    )


def _own_returned(owners: Owners, form: ListForm) -> None:
    owners.each(form.items[1:2])
    for branch in form.items[2:]:
        owners.returned(branch)


def _lower(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[if c a]`` and ``[if c a b]``."""
    if len(form.items) not in (3, 4):
        raise BadForm("if needs a condition and one or two branches: [if c a b]")
    at = low.at(form)
    test = low.condition(form.items[1])
    before = low.bindings()
    yes = low.gather(lambda: low.supposing(test, True, lambda: low.into(form.items[2], destination)))
    known = low.left
    after_yes = low.go_back(before)
    no = low.gather(lambda: low.supposing(test, False, lambda: low.sequence(form.items[3:], destination, at)))
    if destination.kind == "return" and low.frame.blocks:
        low.go_back(before)  # the scope ends in both branches
    else:
        low.rejoin(before, after_yes, low.bindings()[1])
    value = _one_expression(test, yes, no, low, form)
    if value is not None:
        low.put(value, destination, at)
    elif yes and isinstance(yes[-1], ast.Return | ast.Continue | ast.Break):
        low.emit(pyast.when(test, yes, [], at))
        low.frame.body += no
    else:
        low.emit(pyast.when(test, yes, no, at))
        result = destination.variable
        low.learn(result, either(known.get(result, ANY), low.left.get(result, ANY)))


def _one_expression(
    test: ast.expr, yes: list[ast.stmt], no: list[ast.stmt], low: Lowerer, form: ListForm
) -> ast.expr | None:
    """Both branches as one expression, when each is nothing but the delivery of a value."""
    if len(yes) != 1 or len(no) != 1:
        return None
    values: list[ast.expr] = []
    for statement in (yes[0], no[0]):
        returned = isinstance(statement, ast.Return)
        if returned or (isinstance(statement, ast.Assign) and _is_temporary(statement.targets)):
            assert isinstance(statement, ast.Return | ast.Assign)
            assert statement.value is not None
            values.append(statement.value)
    if len(values) != 2 or type(yes[0]) is not type(no[0]):
        return None
    kind = either(low.kind(values[0]), low.kind(values[1]))
    return noted(pyast.choose(test, values[0], values[1], low.at(form)), kind)


def _is_temporary(targets: list[ast.expr]) -> bool:
    """Whether an assignment is to one of the compiler's own variables alone."""
    return len(targets) == 1 and isinstance(targets[0], ast.Name) and targets[0].id[0] == "$"


IF = SpecialForm(
    entry=Chapter("Flow").form(
        "[if condition then else]",
        "Chooses one of two values; only the chosen one is computed. False are false, unit and the int 0, "
        "nothing else. Without else it gives unit when the condition is false.",
        '[let wall 2] [if [< wall 3] "thin" "thick"]',
        '"thin"',
        "condition: any expression, taken for its truth",
        "then, else: expressions; else may be left out",
    ),
    purpose="control",
    first_line=on_first_line(2),
    walks=_walk,
    infers=_infer,
    owns=Owning(IN_ORDER.walk, _own_returned),
    lowers=Lowering(
        lower=_lower,
        is_open=True,
        binds=False,
        results=lambda operands: operands[1:] if len(operands) == 3 else (),
    ),
)
