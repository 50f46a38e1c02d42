"""``do``, ``if``, ``pipe``, ``try``, and the forms that only pass a value on."""

from __future__ import annotations

import ast

from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.callbacks import can_loop, loop_over
from vcad_kernel.loon.lowering.kinds import ANY, either, noted
from vcad_kernel.loon.lowering.lower import BadForm, Destination, Lowerer, special
from vcad_kernel.loon.parameters import DECLARE, declared_name
from vcad_kernel.loon.printer import printed
from vcad_kernel.loon.syntax import ListForm, Symbol


@special("do")
def lower_do(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[do e…]``: the last value."""
    low.sequence(form.items[1:], destination, low.at(form))


@special("if")
def lower_if(low: Lowerer, form: ListForm, destination: Destination) -> None:
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


@special("pipe")
def lower_pipe(low: Lowerer, form: ListForm, destination: Destination) -> None:
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
            message = "a step of a pipe is a call [f a …] or a name"
            value = pyast.call_support("$bad_form", [pyast.constant(message, place)], place)
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


@special("try")
def lower_try(low: Lowerer, form: ListForm, destination: Destination) -> None:
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


@special("pub")
def lower_pub(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[pub form…]``: the inner form; what is exported is the module loader's business."""
    if len(form.items) < 2:
        raise BadForm("pub needs a definition: [pub fn …], [pub let …] or [pub type …]")
    inner = form.items[1:]
    if len(inner) == 1 and isinstance(inner[0], ListForm):
        low.into(inner[0], destination)
    else:
        low.into(ListForm(form.start, form.end, inner), destination)


@special("mut")
def lower_mut(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[mut e]``: the value; the mark is the ownership checker's."""
    if len(form.items) != 2:
        raise BadForm("mut needs one form: [mut e]")
    low.into(form.items[1], destination)


@special("inspect")
def lower_inspect(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[inspect e]``: print a form with its value and give the value."""
    if len(form.items) != 2:
        raise BadForm("inspect needs one form: [inspect e]")
    at = low.at(form)
    text = pyast.constant(printed(form.items[1]), at)
    low.put(pyast.call_support("$inspect", [text, low.value(form.items[1])], at), destination, at)


@special("macro", "macro+", "macroexpand", "sig", "trait", "effect")
def lower_inert(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """Declarations that mean nothing when the program runs, and macros out of their place."""
    at = low.at(form)
    low.put(low.unit(at), destination, at)


@special("use")
def lower_use(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``use`` at the top of a text is a step of its own; anywhere else it is out of place."""
    del low, form, destination
    raise BadForm("use stands at the top of a text, not inside another form")


@special("defparam")
def lower_defparam(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """The value of a parameter; the binding around it is a ``let``."""
    name = declared_name(form)
    if name is None:
        raise BadForm("defparam stands at the top of a text, not inside another form")
    at = low.at(form)
    given = low.operands(form.items[2:])
    low.put(pyast.call_support(DECLARE, [pyast.constant(name, at), *given], at), destination, at)


@special("catch-errors")
def lower_catch_errors(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[catch-errors "source"]``: what the checker finds in a text."""
    if len(form.items) != 2:
        raise BadForm('catch-errors needs a text: [catch-errors "[+ 1 2]"]')
    at = low.at(form)
    low.put(pyast.call_support("$catch_errors", [low.value(form.items[1])], at), destination, at)
