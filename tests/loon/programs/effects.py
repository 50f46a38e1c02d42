"""Expressions that perform, handle, fail and try, to give a value of any type."""

from __future__ import annotations

from collections.abc import Sequence

from tests.loon.programs.writer import BOOL, STR, Producer, Ty, Writer, fn

__all__ = ["WITH_EFFECTS"]


def _unwrapped(w: Writer, ty: Ty, depth: int) -> str:
    if w.may_fail and w.pick(2):
        return f"[if {w.expr(BOOL, depth)} [Ok {w.expr(ty, depth)}] [Err {w.expr(STR, 0)}]]?"
    return f"[Ok {w.expr(ty, depth)}]?"


def _handle(w: Writer, ty: Ty, depth: int) -> str:
    """Operations of one or two effects, which the body may perform any number of times."""
    outer = dict(w.operations)
    clauses = []
    for operation in (w.one(("Ask.it", "Say.it", "Ask.one")), "Ask.two")[: 1 + w.pick(2)]:
        taken, given = w.a_type(0), w.a_type(1)
        w.operations[operation] = (taken, given)
        with w.scope():
            (name,) = w.parameters([taken])
            inner, w.operations = w.operations, dict(outer)
            clauses.append(f"[{operation} {name}] {_clause(w, ty, given, depth)}")
            w.operations = inner
    with w.branch():
        body = _performing(w, ty, depth) if w.pick(3) else w.expr(ty, depth + 1)
    w.operations = outer
    return f"[handle {body} {' '.join(clauses)}]"


def _performing(w: Writer, ty: Ty, depth: int) -> str:
    """Operations first, of one of them the value is kept; then an expression."""
    operation = w.one(list(w.operations))
    taken, given = w.operations[operation]
    performed = f"[{operation} {w.expr(taken, 0)}]"
    if w.pick(2):  # out of a callback
        performed = f"[nth [map [fn [_] {performed}] [range 0 2]] 0]"
    name = w.local()
    w.names[name] = given
    return f"[do [let {name} {performed}] {w.expr(ty, depth)}]"


def _clause(w: Writer, ty: Ty, given: Ty, depth: int) -> str:
    """What answers an operation, by resuming, once or not at all."""
    match w.pick(9 if w.style.typed else 11):
        case 0 | 1:
            return f"[resume {w.expr(given, depth)}]"
        case 7:
            return f"[do [let later [fn [answer] [resume answer]]] [later {w.expr(given, depth)}]]"
        case 8:
            with w.branch():
                resumed = f"[resume {w.expr(given, depth)}]"
            return f"[try {resumed} {w.function(fn(STR, result=ty), depth)}]"
        case 9:
            return f"[do [resume {w.expr(given, depth)}] [resume {w.expr(given, 0)}]]"
        case 10:
            with w.branch():
                resumed = f"[resume {w.expr(given, depth)}]"
            return f"[handle {resumed} [Ask.two z] [resume {w.expr(w.a_type(0), depth)}]]"
        case 2:
            return w.expr(ty, depth)
        case 3:
            condition = w.expr(BOOL, depth)
            with w.branch():
                resumed = f"[resume {w.expr(given, depth)}]"
            with w.branch():
                return f"[if {condition} {resumed} {w.expr(ty, depth)}]"
        case 4:
            answer, name = w.expr(given, depth), w.local()
            w.names[name] = ty
            return f"[do [let {name} [resume {answer}]] {w.expr(ty, depth)}]"
        case 5:
            return f"[{w.function(fn(ty, result=ty), depth)} [resume {w.expr(given, depth)}]]"
        case _:
            return f"[nth [map resume #[{w.expr(given, depth)}]] 0]"


def _perform(w: Writer, ty: Ty, depth: int) -> str:
    fitting = [name for name, (_, given) in w.operations.items() if given == ty]
    if fitting:
        operation = w.one(fitting)
        return f"[{operation} {w.expr(w.operations[operation][0], depth)}]"
    if w.may_fail:
        return f"[Fail.fail {w.expr(STR, depth)}]"
    return _handle(w, ty, depth)


def _try(w: Writer, ty: Ty, depth: int) -> str:
    before, w.may_fail = w.may_fail, True
    with w.branch():
        body = w.expr(ty, depth + 1)
    w.may_fail = before
    with w.scope():
        (name,) = w.parameters([STR])
        return f"[try {body} [fn [{name}] {w.expr(ty, depth)}]]"


WITH_EFFECTS: Sequence[Producer] = (_handle, _perform, _perform, _try, _unwrapped)
