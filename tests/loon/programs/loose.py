"""Expressions that the checker would not have, or does not follow."""

from __future__ import annotations

from collections.abc import Sequence

from tests.loon.programs.writer import BOOL, INT, UNIT, Producer, Ty, Writer, fn

__all__ = ["LOOSE"]


def _match_guards(w: Writer, ty: Ty, depth: int) -> str:
    """Guard expressions in the place of patterns."""
    subject = w.expr(w.a_type(1), depth)
    guard = f"[{w.one(('=', '<', '>'))} {w.expr(INT, 0)} {w.expr(INT, 0)}]"
    return f"[match {subject} {guard} {_apart(w, ty, depth)} _ {_apart(w, ty, depth)}]"


def _apart(w: Writer, ty: Ty, depth: int) -> str:
    with w.scope():
        return w.expr(ty, depth)


def _one_armed(w: Writer, ty: Ty, depth: int) -> str:
    return f"[if {w.expr(BOOL, depth)} {w.expr(ty, depth)}]"


def _channel(w: Writer, ty: Ty, depth: int) -> str:
    sent, taken = w.expr(ty, depth), w.one(("recv", "recv", "try-recv"))
    return f"[do [let [tx rx] [channel]] [send tx {sent}] [{taken} rx]]"


_REBOUND = {
    "+": ("*", "-"),
    "<": (">", "="),
    "str": ("str", "max"),
    "len": ("len", "sum"),
    "map": ("filter",),
}


def _rebound(w: Writer, ty: Ty, depth: int) -> str:
    """A builtin's name bound to something else."""
    name = w.one(sorted(_REBOUND))
    other = w.one(_REBOUND[name])
    match w.pick(3):
        case 0:
            return f"[[fn [{name}] {w.expr(ty, depth)}] {other}]"
        case 1:
            return f"[match {other} {name} {w.expr(ty, depth)}]"
        case _:
            return f"[do [let {name} {other}] {w.expr(ty, depth)}]"


def _redefining(w: Writer, ty: Ty, depth: int) -> str:
    """A global function replaced while the program runs, perhaps from within itself."""
    known = [name for name, held in w.names.items() if held.kind == "Fn" and name[0] in "fgr"]
    if known and w.pick(3):
        name = w.one(known)
        types = w.names[name].parts
        with w.scope():
            parameters = w.parameters(types[:-1])
            body = w.expr(types[-1], 0)
        return f"[do [fn {name} [{' '.join(parameters)}] {body}] {w.expr(ty, depth)}]"
    name = w.one(sorted(_REBOUND))
    replaced = w.one((f"[fn {name} [& all] [fold 1 - all]]", f"[set! {name} {w.one(_REBOUND[name])}]"))
    return f"[do {replaced} {w.expr(ty, depth)}]"


def _any_name(w: Writer, ty: Ty, depth: int) -> str:
    """A name that may be bound, or not, to a value of any type."""
    names = [name for name, held in w.names.items() if held == ty]
    return w.one(names) if names and not w.rarely(4) else w.one(("x", "n", "acc", "f", "p.w", "k1", "k2"))


def _assigned(w: Writer, ty: Ty, depth: int) -> str:
    known = [name for name, held in w.names.items() if held == ty and "." not in name]
    if not known:
        return w.expr(ty, depth)
    return f"[set! {w.one(known)} {w.expr(ty, depth)}]"


def _asserted(w: Writer, ty: Ty, depth: int) -> str:
    given = w.expr(ty, 0)
    return f"[do [assert-eq {given} {given}] {w.expr(ty, depth)}]"


def _discarded(w: Writer, ty: Ty, depth: int) -> str:
    return f"[do [each {w.function(fn(INT, result=UNIT), depth)} [range 0 3]] {w.expr(ty, depth)}]"


LOOSE: Sequence[Producer] = (
    *(_one_armed, _channel, _rebound, _any_name, _assigned, _asserted, _discarded, _match_guards),
    _redefining,
)
