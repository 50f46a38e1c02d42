"""``try``: what to do when the body performs ``Fail.fail`` (§13)."""

from __future__ import annotations

from collections.abc import Sequence

from vcad_kernel.loon.checking.inference.infer import Inference
from vcad_kernel.loon.checking.ownership.owners import Owners, Owning
from vcad_kernel.loon.checking.types.display import worded
from vcad_kernel.loon.checking.types.types import Fn, Type
from vcad_kernel.loon.forms.record import SpecialForm
from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.lower import Destination, Lowerer, Lowering
from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.scoping.walk import Walk
from vcad_kernel.loon.shapes import BadForm
from vcad_kernel.loon.syntax import ListForm, Symbol

__all__ = ["TRY"]


_FAIL = frozenset({"Fail.fail"})


def _walk(walk: Walk, _node: Node, items: Sequence[Node]) -> None:
    walk.sequence(items[2:])
    walk.maybe(items[1:2])


def _infer(inf: Inference, form: ListForm) -> Type:
    """``[try body on-fail]``: the type of the body; what fails in it is taken care of."""
    if len(form.items) != 3:
        return inf.fresh()
    body, on_fail = form.items[1:]
    handler = inf.infer(on_fail)
    if inf.unify(Fn((inf.fresh(),), inf.fresh()), handler) is not None:
        given = worded(handler)
        inf.report(
            "E0200",
            f"try wants a function of the failure's message, got {given}",
            [(on_fail, given)],
            fix="write [try … [fn [message] …]]",
        )
    inf.settle(on_fail)
    if isinstance(on_fail, Symbol):
        inf.calls(on_fail)
    inf.released(inf.latent.get(id(on_fail), ()))
    around, inf.handled = inf.handled, inf.handled | _FAIL
    term = inf.infer(body)
    inf.handled = around
    return term


def _own(owners: Owners, form: ListForm) -> None:
    owners.each(form.items[:0:-1])


def _lower(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[try body on-fail]``: the handler is evaluated first and runs after the body is left."""
    if len(form.items) != 3:
        raise BadForm("try needs a body and a function: [try body [fn [message] …]]")
    at = low.at(form)
    on_fail = low.spill(low.value(form.items[2]), at)
    mark, result, failure, caught = (low.fresh() for _ in range(4))
    low.emit(pyast.assign([mark], pyast.call_support("$try_enter", [on_fail], at), at))
    low.emit(pyast.assign([caught], pyast.load("$unset", at), at))
    before = low.bindings()
    body = low.gather(lambda: low.into(form.items[1], Destination("variable", result)))
    low.rejoin(before, before[1], low.bindings()[1])
    held = pyast.call_support("$try_caught", [pyast.load(mark, at), pyast.load(failure, at)], at)
    low.emit(pyast.attempt(body, "$Fail", failure, [pyast.assign([caught], held, at)], at))
    low.emit(pyast.run(pyast.call_support("$try_leave", [pyast.load(mark, at)], at), at))
    failed = pyast.differ(pyast.load(caught, at), pyast.load("$unset", at), at)
    handled = low.call(on_fail, [pyast.load(caught, at)], at)
    low.put(pyast.choose(failed, handled, pyast.load(result, at), at), destination, at)


TRY = SpecialForm(
    entry=Chapter("Flow").form(
        "[try body on-fail]",
        "The value of the body, or, when it performs Fail.fail, of the function called with the message. It "
        "catches only that: an error of the program, such as a division by zero, goes on.",
        '[try [Fail.fail "too thin"] [fn [why] [str "refused: " why]]]',
        '"refused: too thin"',
        "body: any expression",
        "on-fail: a function of the message",
    ),
    purpose="control",
    walks=_walk,
    infers=_infer,
    owns=Owning(_own),
    lowers=Lowering(lower=_lower),
)
