"""The types of ``do``, ``if``, ``pipe``, ``try``, ``handle``, and of the forms that only pass a value on."""

from __future__ import annotations

from vcad_kernel.loon.checking.display import worded
from vcad_kernel.loon.checking.findings import conversion
from vcad_kernel.loon.checking.handlers import is_operation, special
from vcad_kernel.loon.checking.infer import Inference, Scope, clash_code
from vcad_kernel.loon.checking.infer_calls import call_with
from vcad_kernel.loon.checking.infer_collections import missing_fields
from vcad_kernel.loon.checking.infer_numbers import both_numbers
from vcad_kernel.loon.checking.types import (
    BOOL,
    INT,
    NUMBERS,
    STRING,
    UNIT,
    Con,
    Fn,
    Overload,
    Record,
    Type,
    prune,
    vector_of,
)
from vcad_kernel.loon.checking.unify import Clash
from vcad_kernel.loon.diagnostics import Severity
from vcad_kernel.loon.parameters import declared_name
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

__all__ = ["condition", "differing"]

_FAIL = frozenset({"Fail.fail"})


@special("do")
def infer_do(inf: Inference, form: ListForm) -> Type:
    """``[do e…]``: the last one."""
    return inf.sequence(form.items[1:])


@special("if")
def infer_if(inf: Inference, form: ListForm) -> Type:
    """``[if c a b]``: a truth, and branches of one type."""
    if len(form.items) not in (3, 4):
        return inf.fresh()
    condition(inf, form.items[1], "if")
    first = inf.infer(form.items[2])
    if len(form.items) == 3:
        return first
    second = inf.infer(form.items[3])
    clash = inf.unify(first, second)
    if clash is None:
        inf.settle(form.items[3])
        return first
    differing(inf, clash, "the branches of this if", (form.items[2], first), (form.items[3], second))
    return inf.fresh()


def condition(inf: Inference, form: Form, where: str) -> None:
    """Infer a form that is asked for its truth."""
    term = inf.infer(form)
    if inf.unify(BOOL, term) is not None:
        given = worded(term)
        inf.report(
            "E0200",
            f"{where} asks for a Bool, got {given}",
            [(form, given)],
            why="any value has a truth when the program runs; only false, () and 0 are false",
            fix=conversion(BOOL, term, form),
            severity="hint",
        )


def differing(
    inf: Inference,
    clash: Clash,
    where: str,
    first: tuple[Form, Type],
    second: tuple[Form, Type],
    severity: Severity = "hint",
) -> None:
    """Report two values of different types of which either may come out."""
    if clash.kind == "fields":
        missing_fields(inf, clash, second[0])
        return
    one, other = worded(first[1]), worded(second[1])
    inf.report(
        clash_code(clash),
        f"{where} give values of different types: {one} and {other}",
        [(second[0], other), (first[0], one)],
        why="what goes on with the value must know its type",
        fix=conversion(first[1], second[1], second[0]),
        severity=severity,
        runs=both_numbers(clash),
    )


@special("pipe")
def infer_pipe(inf: Inference, form: ListForm) -> Type:
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


@special("try")
def infer_try(inf: Inference, form: ListForm) -> Type:
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


@special("handle")
def infer_handle(inf: Inference, form: ListForm) -> Type:
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


@special("mut", "inspect")
def infer_passing(inf: Inference, form: ListForm) -> Type:
    """``[mut e]`` and ``[inspect e]``: the type of ``e``."""
    return inf.infer(form.items[1]) if len(form.items) == 2 else inf.fresh()


@special("pub")
def infer_pub(inf: Inference, form: ListForm) -> Type:
    """``[pub form…]``: the inner form's."""
    inner = form.items[1:]
    if not inner:
        return inf.fresh()
    if len(inner) == 1 and isinstance(inner[0], ListForm):
        return inf.infer(inner[0])
    return inf.infer(ListForm(form.start, form.end, inner))


@special("macro", "macro+", "macroexpand", "sig", "trait", "effect", "use")
def infer_inert(_inf: Inference, _form: ListForm) -> Type:
    """Declarations, which are unit when the program runs."""
    return UNIT


@special("defparam")
def infer_defparam(inf: Inference, form: ListForm) -> Type:
    """The value of a parameter, which is of its default's type."""
    if declared_name(form) is None:
        return inf.fresh()
    _, _, default, options = form.items
    term = prune(inf.infer(default))
    if isinstance(term, Con | Fn | Record) and not (isinstance(term, Con) and term.name in NUMBERS):
        shown = worded(term)
        inf.report("E0200", f"the default of a parameter is a number, not {shown}", [(default, shown)])
    inf.infer(options)
    return term


@special("catch-errors")
def infer_catch_errors(inf: Inference, form: ListForm) -> Type:
    """``[catch-errors "source"]``: findings as maps."""
    for item in form.items[1:]:
        term = prune(inf.infer(item))
        if isinstance(term, Con) and term.name != "String":
            inf.report("E0200", f"catch-errors wants String, got {worded(term)}", [(item, worded(term))])
    spans = vector_of(Record({"start": INT, "end": INT, "label": STRING}, None))
    texts = dict.fromkeys(("code", "what", "why", "fix"), STRING)
    return vector_of(Record({**texts, "spans": spans}, None))
