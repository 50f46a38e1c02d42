"""``pipe``: a value handed from call to call (§10)."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from vcad_kernel.loon.checking.inference.calls import call_with
from vcad_kernel.loon.checking.inference.infer import Inference
from vcad_kernel.loon.checking.ownership.owners import Owners, Owning
from vcad_kernel.loon.checking.types.types import Type
from vcad_kernel.loon.forms.record import SpecialForm, on_first_line
from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.intrinsics.callbacks import can_loop, loop_over
from vcad_kernel.loon.lowering.lower import Destination, Lowerer, Lowering
from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.scoping.nodes import LIST, SYMBOL, parts
from vcad_kernel.loon.scoping.walk import Walk
from vcad_kernel.loon.shapes import BadForm
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

__all__ = ["PIPE"]


def _walk(walk: Walk, _node: Node, items: Sequence[Node]) -> None:
    walk.sequence(items[1:2])
    for step in items[2:]:
        if step.kind == LIST:
            head = parts(step)[:1]
            if head and head[0].kind == SYMBOL:
                walk.use(head[0])  # a name even if special forms or operations are written so
                walk.sequence(parts(step)[1:])
            else:
                walk.sequence(parts(step))
        else:
            walk.code(step)


def _infer(inf: Inference, form: ListForm) -> Type:
    """``[pipe e step…]``: each step is a call that gets the value so far as its last argument."""
    if len(form.items) < 2:
        return inf.fresh()
    subject: Form = form.items[1]
    term = inf.infer(subject)
    for step in form.items[2:]:
        if isinstance(step, Symbol):
            callee, arguments = inf.symbol(step), []
        elif isinstance(step, ListForm) and step.items:
            head = step.items[0]
            callee = inf.symbol(head) if isinstance(head, Symbol) else inf.infer(head)
            arguments = [(item, inf.infer(item)) for item in step.items[1:]]
        else:
            return inf.fresh()
        term = call_with(inf, step, callee, [*arguments, (subject, term)])
        subject = step
        if inf.recorded is not None:
            inf.recorded.append((step, term))
    return term


def _own(owners: Owners, form: ListForm) -> None:
    before, owners.only_checked = owners.only_checked, True
    owners.each(form.items[1:2])
    for step in form.items[2:]:
        if isinstance(step, ListForm) and step.items:
            owners.call(step.items[0], step.items[1:], len(step.items))
        else:
            owners.visit(step)
    owners.only_checked = before


def _lower(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[pipe e step…]``: each step is a call that gets the value so far as its last argument.

    The value comes first, then the step's head and arguments, so the value waits in a variable.
    """
    if len(form.items) < 2:
        raise BadForm("pipe needs a value: [pipe value step …]")
    at = low.at(form)
    if low.assumed is None and any(can_loop(low, step, piped=True) for step in form.items[2:]):
        low.put(low.in_two_versions(form, at), destination, at)
        return
    value = low.value(form.items[1])
    for step in form.items[2:]:
        place = low.at(step)
        if low.assumed is not None and can_loop(low, step, piped=True):
            assert isinstance(step, ListForm)
            value = loop_over(low, step, value, place)
            continue
        if not (isinstance(step, Symbol) or (isinstance(step, ListForm) and step.items)):
            low.emit(pyast.run(value, place))
            value = low.failing(step, "a step of a pipe is a call [f a …] or a name")
            break
        if not isinstance(value, ast.Constant):
            value = low.spill(value, at)
        parts = step.items if isinstance(step, ListForm) else (step,)
        head = parts[0]
        mark = len(low.frame.body)
        # Read as a name even if it is a special form's: those are no steps.
        function = low.read(head.name, low.at(head)) if isinstance(head, Symbol) else low.value(head)
        argument_mark = len(low.frame.body)
        arguments = low.operands(parts[1:])
        if len(low.frame.body) > max(mark, argument_mark):
            later = low.frame.body[argument_mark:]
            del low.frame.body[argument_mark:]
            function = low.spill(function, low.at(head))
            low.frame.body += later
        value = low.call(function, [*arguments, value], place)
    low.put(value, destination, at)


PIPE = SpecialForm(
    entry=Chapter("Flow").form(
        "[pipe value step …]",
        "Hands a value from step to step, each time as the last argument. A step is a call that lacks its "
        "last argument, or the name of a function. A fn is no step: name it first.",
        "[pipe #[1 2 3] [map [fn [x] [* x x]]] sum]",
        "14",
        "value: any expression",
        "step …: calls without their last argument, or names",
    ),
    purpose="control",
    first_line=on_first_line(2),
    walks=_walk,
    infers=_infer,
    owns=Owning(_own),
    lowers=Lowering(lower=_lower, is_open=True, binds=False, calls=lambda operands: operands[1:]),
)
