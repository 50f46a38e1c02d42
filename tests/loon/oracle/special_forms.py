"""The special forms (§6 to §14) of the reference evaluator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.loon.oracle.scopes import Scope, bind, binds, match
from tests.loon.oracle.values import UNIT, Adt, Builtin, Clause, Fault, Function, Value, shown, truthy
from vcad_kernel.loon.printing.printer import printed
from vcad_kernel.loon.syntax import (
    Form,
    KeywordLit,
    ListForm,
    SetForm,
    Symbol,
    TupleForm,
)

if TYPE_CHECKING:
    from tests.loon.oracle.evaluator import Evaluator, SpecialForm, Steps

__all__ = ["SPECIAL_FORMS"]


def _headed(form: Form, name: str) -> bool:
    return isinstance(form, ListForm) and form.items[:1] == (Symbol(0, 0, name),)


def _bad_unless(condition: bool) -> None:
    if not condition:
        raise Fault("bad-form")


def _let(ev: Evaluator, form: ListForm, scope: Scope) -> Steps:
    operands = form.items[1:]
    if operands[:1] == (Symbol(0, 0, "mut"),) and len(operands) > 2:
        operands = operands[1:]
    _bad_unless(len(operands) >= 2 and binds(operands[0]))
    value = yield from ev.evaluate(operands[1], scope)
    yield from bind(ev, operands[0], value, scope)
    return value


def _set(ev: Evaluator, form: ListForm, scope: Scope) -> Steps:
    _bad_unless(len(form.items) >= 3 and isinstance(form.items[1], Symbol))
    name = form.items[1]
    assert isinstance(name, Symbol)
    value = yield from ev.evaluate(form.items[2], scope)
    holder = scope.holder(name.name)  # quirk 5: the nearest binding
    if holder is None:
        if scope is not ev.globals:
            raise Fault("unbound-symbol")
        holder = scope
    holder.names[name.name] = value
    return value


def _fn(ev: Evaluator, form: ListForm, scope: Scope) -> Steps:
    operands = form.items[1:]
    _bad_unless(bool(operands))
    captured = scope.locals()
    if isinstance(operands[0], ListForm):
        return Function(None, [_clause(operands)], captured)
    _bad_unless(isinstance(operands[0], Symbol) and len(operands) > 1)
    name, *clauses = operands
    assert isinstance(name, Symbol)
    if isinstance(clauses[0], TupleForm):
        _bad_unless(all(isinstance(clause, TupleForm) for clause in clauses))
        made = [_clause(clause.items) for clause in clauses if isinstance(clause, TupleForm)]
        _bad_unless(all(clause.body for clause in made))
    else:
        made = [_clause(clauses)]
    ev.globals.names[name.name] = Function(name.name, made, captured)
    return UNIT
    yield  # an evaluation like the others


def _clause(parts: tuple[Form, ...] | list[Form]) -> Clause:
    _bad_unless(bool(parts) and isinstance(parts[0], ListForm))
    assert isinstance(parts[0], ListForm)
    parameters, body = list(parts[0].items), tuple(parts[1:])
    rest = None
    if Symbol(0, 0, "&") in parameters:
        _bad_unless(parameters.index(Symbol(0, 0, "&")) == len(parameters) - 2)
        _bad_unless(isinstance(parameters[-1], Symbol))
        rest = parameters[-1].name  # type: ignore[attr-defined]
        parameters = parameters[:-2]
    _bad_unless(all(map(binds, parameters)))
    return Clause(parameters, rest, body[1:] if _are_effects(body) else body)


def _are_effects(body: tuple[Form, ...]) -> bool:
    """Whether a function's body begins with a set of effects; ``#{}`` at its end is a value."""
    if not body or not isinstance(body[0], SetForm):
        return False
    names = body[0].items
    return all(isinstance(one, Symbol) and one.name[:1].isupper() for one in names) and body[1:] + names != ()


def _if(ev: Evaluator, form: ListForm, scope: Scope) -> Steps:
    _bad_unless(len(form.items) >= 3)
    if truthy((yield from ev.evaluate(form.items[1], scope))):
        return (yield from ev.evaluate(form.items[2], scope))
    return (yield from ev.body(form.items[3:4], scope))


def _do(ev: Evaluator, form: ListForm, scope: Scope) -> Steps:
    return (yield from ev.body(form.items[1:], scope))


def _match(ev: Evaluator, form: ListForm, scope: Scope) -> Steps:
    _bad_unless(len(form.items) >= 2)
    value = yield from ev.evaluate(form.items[1], scope)
    rest = list(form.items[2:])
    while len(rest) >= 2:
        pattern, body = rest[:2]
        del rest[:2]
        guard = None
        if _headed(body, "when") and rest:
            guard, body = body, rest.pop(0)
        names: dict[str, Value] = {}
        if not (yield from match(ev, pattern, value, scope, names)):
            continue
        arm = Scope(names, scope)
        if guard is not None:
            assert isinstance(guard, ListForm)
            _bad_unless(len(guard.items) == 2)
            if not truthy((yield from ev.evaluate(guard.items[1], arm))):
                continue
        return (yield from ev.evaluate(body, arm))
    raise Fault("no-match")


def _pipe(ev: Evaluator, form: ListForm, scope: Scope) -> Steps:
    _bad_unless(len(form.items) >= 2)
    value = yield from ev.evaluate(form.items[1], scope)
    for step in form.items[2:]:
        _bad_unless(isinstance(step, Symbol) or (isinstance(step, ListForm) and bool(step.items)))
        head, *operands = step.items if isinstance(step, ListForm) else (step,)
        function = yield from ev.evaluate(head, scope)
        arguments = yield from ev.all_of(operands, scope)
        value = yield from ev.call(function, [*arguments, value])
    return value


def _test(ev: Evaluator, form: ListForm, scope: Scope) -> Steps:
    operands = form.items[2:] if form.items[1:2] == (Symbol(0, 0, "fn"),) else form.items[1:]
    _bad_unless(len(operands) >= 2 and isinstance(operands[0], Symbol))
    return (yield from _fn(ev, ListForm(form.start, form.end, (form.items[0], *operands)), scope))


def _pub(ev: Evaluator, form: ListForm, scope: Scope) -> Steps:
    _bad_unless(len(form.items) > 1)
    return (yield from ev.evaluate(ListForm(form.start, form.end, form.items[1:]), scope))


def _value(ev: Evaluator, form: ListForm, scope: Scope) -> Steps:
    _bad_unless(len(form.items) >= 2)
    return (yield from ev.evaluate(form.items[1], scope))


def _inspect(ev: Evaluator, form: ListForm, scope: Scope) -> Steps:
    value = yield from _value(ev, form, scope)
    ev.write(f"[inspect] {printed(form.items[1])} = {shown(value)}\n")
    return value


def _declared(ev: Evaluator, form: ListForm, scope: Scope) -> Steps:
    return UNIT
    yield  # an evaluation like the others


# Types


def _type(ev: Evaluator, form: ListForm, scope: Scope) -> Steps:
    # constructors lives with what calls them.
    from tests.loon.oracle.evaluator import constructors

    _bad_unless(len(form.items) >= 2 and isinstance(form.items[1], Symbol))
    for item in form.items[2:]:
        if isinstance(item, Symbol):
            if item.name[:1].isupper():
                scope.names |= constructors([(item.name, [], None)])
            continue
        _bad_unless(isinstance(item, ListForm) and bool(item.items) and isinstance(item.items[0], Symbol))
        assert isinstance(item, ListForm)
        tag = item.items[0].name  # type: ignore[attr-defined]
        fields = [one for one in item.items[1:] if not isinstance(one, KeywordLit) and not _headed(one, "fn")]
        names = [one.name for one in item.items[1:] if isinstance(one, KeywordLit)]
        made = constructors([(tag, [""] * len(fields), names or None)])
        if not fields:  # [Dd]: a function of no arguments
            made = {tag: Builtin(tag, lambda _, tag=tag, *given: _fieldless(tag, given))}
        scope.names |= made
        for method in item.items[1:]:
            if _headed(method, "fn"):
                _define_method(ev, tag, method, scope)
    return UNIT
    yield  # an evaluation like the others


def _fieldless(tag: str, given: tuple[Value, ...]) -> Value:
    if given:
        raise Fault("arity")
    return Adt(tag, [])


def _define_method(ev: Evaluator, tag: str, form: Form, scope: Scope) -> None:
    assert isinstance(form, ListForm)
    name, parameters, *body = form.items[1:]
    assert isinstance(name, Symbol)
    assert isinstance(parameters, ListForm)
    by_tag = ev.methods.setdefault(name.name, {})
    by_tag[tag] = (list(parameters.items), tuple(body))

    def dispatch(ev: Evaluator, subject: Value, *_: Value) -> Steps:
        if not isinstance(subject, Adt) or subject.tag not in by_tag:
            raise Fault("type")
        names, body = by_tag[subject.tag]
        inner = Scope({}, ev.globals)
        for at, parameter in enumerate(names):
            value = subject.fields[at] if at < len(subject.fields) else UNIT
            yield from bind(ev, parameter, value, inner)
        return (yield from ev.body(body, inner))

    scope.names[name.name] = Builtin(name.name, dispatch, 1)


def _impl(ev: Evaluator, form: ListForm, scope: Scope) -> Steps:
    _bad_unless(len(form.items) >= 3)
    owner = form.items[2]
    for method in form.items[3:]:
        assert isinstance(owner, Symbol)
        assert isinstance(method, ListForm)
        name = method.items[1]
        assert isinstance(name, Symbol)
        full = f"{owner.name}.{name.name}"
        ev.globals.names[full] = Function(name.name, [_clause(method.items[2:])], scope.locals())
    return UNIT
    yield  # an evaluation like the others


# Effects (§13), model D


class _Continuation:
    """What waits for the value of an operation; it goes on once at most."""

    def __init__(self, waiting: Steps) -> None:
        self._waiting: Steps | None = waiting

    def take(self) -> Steps:
        """What waits, to be sent the value."""
        if self._waiting is None:
            raise Fault("unhandled-effect")
        waiting, self._waiting = self._waiting, None
        return waiting

    def abandon(self) -> None:
        """Give up what waits, unless it went on."""
        if self._waiting is not None:
            self.take().close()


def _handle(ev: Evaluator, form: ListForm, scope: Scope) -> Steps:
    _bad_unless(len(form.items) >= 2 and len(form.items) % 2 == 0)
    clauses: dict[str, tuple[list[str], Form]] = {}
    for pattern, clause in zip(form.items[2::2], form.items[3::2], strict=True):
        _bad_unless(isinstance(pattern, ListForm) and all(isinstance(one, Symbol) for one in pattern.items))
        assert isinstance(pattern, ListForm)
        operation, *parameters = [one.name for one in pattern.items if isinstance(one, Symbol)]
        _bad_unless(operation[:1].isupper() and "." in operation)
        clauses.setdefault(operation, (parameters, clause))
    return (yield from _handled(ev, ev.evaluate(form.items[1], scope), None, clauses, scope))


def _handled(
    ev: Evaluator, body: Steps, answer: Value, clauses: dict[str, tuple[list[str], Form]], scope: Scope
) -> Steps:
    """Go on with a body, given the value that it waits for, under clauses."""
    while True:
        try:
            request = body.send(answer)
        except StopIteration as end:
            return end.value
        if request.operation in clauses:
            break
        answer = yield request
    parameters, clause = clauses[request.operation]
    continuation = _Continuation(body)

    def resume(ev: Evaluator, value: Value = UNIT, *_: Value) -> Steps:
        return (yield from _handled(ev, continuation.take(), value, clauses, scope))

    inner = Scope({"resume": Builtin("resume", resume)}, scope)
    for at, name in enumerate(parameters):
        if name != "_":
            inner.names[name] = request.arguments[at] if at < len(request.arguments) else UNIT
    value = yield from ev.evaluate(clause, inner)
    continuation.abandon()
    return value


def _try(ev: Evaluator, form: ListForm, scope: Scope) -> Steps:
    _bad_unless(len(form.items) >= 3)
    on_fail = yield from ev.evaluate(form.items[2], scope)
    if not isinstance(on_fail, Function | Builtin):
        raise Fault("type")
    body, answer = ev.evaluate(form.items[1], scope), None
    while True:
        try:
            request = body.send(answer)
        except StopIteration as end:
            return end.value
        if request.operation == "Fail.fail":
            body.close()
            return (yield from ev.call(on_fail, [*request.arguments, UNIT][:1]))
        answer = yield request


def _derive(ev: Evaluator, form: ListForm, scope: Scope) -> Steps:
    _bad_unless(len(form.items) >= 3)
    return (yield from ev.evaluate(form.items[2], scope))


SPECIAL_FORMS: dict[str, SpecialForm] = {
    "derive": _derive,
    "do": _do,
    "effect": _declared,
    "fn": _fn,
    "handle": _handle,
    "if": _if,
    "impl": _impl,
    "inspect": _inspect,
    "let": _let,
    "macro": _declared,
    "macroexpand": _declared,
    "match": _match,
    "mut": _value,
    "pipe": _pipe,
    "pub": _pub,
    "set!": _set,
    "sig": _declared,
    "test": _test,
    "trait": _declared,
    "try": _try,
    "type": _type,
}
