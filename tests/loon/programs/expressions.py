"""Expressions that give a value of any type: control, binding, calls."""

from __future__ import annotations

from collections.abc import Sequence

from tests.loon.programs.writer import (
    BOOL,
    FLOAT,
    INT,
    KEY,
    STR,
    Producer,
    Ty,
    Writer,
    fn,
    option,
    record,
    tup,
    vec,
)

__all__ = ["GENERAL"]


def _if(w: Writer, ty: Ty, depth: int) -> str:
    condition = w.expr(BOOL if w.style.typed or w.pick(3) else w.a_type(0), depth)
    with w.branch():
        then = w.expr(ty, depth)
    with w.branch():
        return f"[if {condition} {then} {w.expr(ty, depth)}]"


def _let(w: Writer, ty: Ty, depth: int) -> str:
    bound = w.a_type(1) if w.pick(4) else fn(w.a_type(0), result=ty)
    value = w.expr(bound, depth)
    name = w.local()
    w.names[name] = bound
    return f"[do [let {name} {value}] {w.expr(ty, depth)}]"


def _destructured(w: Writer, ty: Ty, depth: int) -> str:
    parts = [w.a_type(0), w.a_type(0), w.a_type(0)]
    if w.pick(2):
        if w.style.typed:
            return _destructured_map(w, ty, parts[0], depth)
        source = w.expr(record({"w": parts[0], "h": parts[1]}), depth)
        default = w.expr(parts[2], 0) if w.pick(2) else "h"
        w.names["w"], w.names["h"] = parts[:2]
        return f"[do [let {{w w h {default}}} {source}] {w.expr(ty, depth)}]"
    source = w.expr(tup(parts[0], tup(parts[1], parts[2])), depth)
    names = [w.local() for _ in parts]
    w.names |= dict(zip(names, parts, strict=True))
    if not w.style.typed and w.rarely(4):
        names[1] = "_"
    return f"[do [let [{names[0]} [{names[1]} {names[2]}]] {source}] {w.expr(ty, depth)}]"


def _destructured_map(w: Writer, ty: Ty, held: Ty, depth: int) -> str:
    with w.scope():
        w.names["w"] = w.names["h"] = held
        function = f"[fn [{{w w h h}}] {w.expr(ty, depth)}]"
    return f"[{function} {w.expr(record({'w': held, 'h': held}), depth)}]"


def _set(w: Writer, ty: Ty, depth: int) -> str:
    value, name = w.expr(ty, depth), w.local()
    w.names[name] = ty
    return f"[do [let mut {name} {value}] [set! {name} {w.expr(ty, depth)}] {name}]"


def _match_number(w: Writer, ty: Ty, depth: int) -> str:
    subject = w.expr(INT, depth)
    arms = [f"{literal} {_in_arm(w, ty, depth)}" for literal in ("0", "2", "-1")[: w.pick(3)]]
    with w.scope():
        (name,) = w.parameters([INT])
        guard = f"[when {w.expr(BOOL, depth)}] " if w.pick(2) else ""
        arms.append(f"{name} {guard}{w.expr(ty, depth)}")
    return f"[match {subject} {' '.join(arms)} _ {_in_arm(w, ty, depth)}]"


def _match_option(w: Writer, ty: Ty, depth: int) -> str:
    held = w.a_type(1)
    subject = w.expr(option(held), depth)
    with w.scope():
        (name,) = w.parameters([held])
        guard = f"[when {w.expr(BOOL, depth)}] " if not w.style.typed and w.pick(2) else ""
        some = f"[Some {name}] {guard}{w.expr(ty, depth)}"
    none = f"{'_' if not w.style.typed and w.pick(2) else 'None'} {_in_arm(w, ty, depth)}"
    return f"[match {subject} {some} {none}]" if w.pick(2) else f"[match {subject} {none} {some}]"


def _match_variants(w: Writer, ty: Ty, depth: int) -> str:
    if not w.variants:
        return _match_option(w, ty, depth)
    name = w.one(list(w.variants))
    arms = []
    for tag, fields in w.variants[name].items():
        with w.scope():
            inner = w.parameters(fields)
            pattern = f"[{tag} {' '.join(inner)}]" if fields else tag
            arms.append(f"{pattern} {w.expr(ty, depth)}")
    subject = w.expr(Ty("Adt", (), (name,)), depth)
    if not w.style.typed and w.rarely(3):
        arms[w.pick(len(arms))] = f"_ {_in_arm(w, ty, depth)}"
    return f"[match {subject} {' '.join(arms)}]"


def _match_literals(w: Writer, ty: Ty, depth: int) -> str:
    subject = w.one((KEY, STR, FLOAT, BOOL, INT))
    arms = []
    for _ in range(1 + w.pick(3)):
        pattern = w.literal(subject)
        arms.append(f"{pattern} {_in_arm(w, ty, depth)}")
    return f"[match {w.expr(subject, depth)} {' '.join(arms)} _ {_in_arm(w, ty, depth)}]"


def _match_within(w: Writer, ty: Ty, depth: int) -> str:
    """Patterns within patterns."""
    held = w.one((INT, STR, BOOL))
    subject = w.expr(option(option(held)), depth)
    arms = [
        f"None {_in_arm(w, ty, depth)}",
        f"[Some [Some {w.literal(held)}]] {_in_arm(w, ty, depth)}",
        f"[Some None] {_in_arm(w, ty, depth)}",
    ]
    with w.scope():
        (name,) = w.parameters([held])
        arms.append(f"[Some [Some {name}]] {w.expr(ty, depth)}")
    last = arms.pop()
    first = w.pick(len(arms))
    return f"[match {subject} {' '.join([*arms[first:], *arms[:first], last])}]"


def _in_arm(w: Writer, ty: Ty, depth: int) -> str:
    with w.scope():
        return w.expr(ty, depth)


def _call(w: Writer, ty: Ty, depth: int) -> str:
    """Call a function in reach; else one made for it."""
    known = [name for name, held in w.names.items() if held.kind == "Fn" and held.parts[-1] == ty]
    if known and w.pick(4):
        name = w.one(known)
        given = [w.expr(part, depth) for part in w.names[name].parts[:-1]]
        return f"[{' '.join([name, *given])}]"
    parameters = [w.a_type(1) for _ in range(w.pick(3))]
    function = w.function(fn(*parameters, result=ty), depth)
    return f"[{' '.join([function, *(w.expr(part, depth) for part in parameters)])}]"


def _named(w: Writer, ty: Ty, depth: int) -> str:
    """A named function within an expression; it is a global, and sees what is around it."""
    name, parameter = w.fresh("g"), w.a_type(1)
    with w.scope():
        (inner,) = w.parameters([parameter])
        body = w.expr(ty, depth)
    w.names[name] = fn(parameter, result=ty)
    return f"[do [fn {name} [{inner}] {body}] [{name} {w.expr(parameter, depth)}]]"


def _pipe(w: Writer, ty: Ty, depth: int) -> str:
    held = w.a_type(1)
    steps = [w.expr(held, depth)]
    while w.pick(2):
        following = w.a_type(1)
        steps.append(_step(w, held, following, depth))
        held = following
    steps.append(_step(w, held, ty, depth))
    return f"[pipe {' '.join(steps)}]"


def _step(w: Writer, taken: Ty, given: Ty, depth: int) -> str:
    known = [name for name, held in w.names.items() if held == fn(taken, result=given)]
    if known and w.pick(2):
        return w.one((f"[{known[0]}]", known[0]))
    if w.pick(2):
        return f"[{w.function(fn(taken, result=given), depth)}]"
    extra = w.a_type(0)
    return f"[{w.function(fn(extra, taken, result=given), depth)} {w.expr(extra, depth)}]"


def _held(w: Writer, ty: Ty, depth: int) -> str:
    """Something taken out of a collection."""
    match w.pick(4):
        case 0:
            return f"[nth #[{w.expr(ty, depth)} {w.expr(ty, depth)}] {w.expr(INT, 0)}]"
        case 1:
            return f"[get {w.expr(record({'w': ty, 'h': w.a_type(0)}), depth)} :w]"
        case 2 if w.style.typed:
            return f"[get {w.expr(record({'w': ty, 'h': w.a_type(0)}), depth)} :w]"
        case 2:
            return f"[get {w.expr(vec(ty), depth)} {w.expr(INT, 0)} {w.expr(ty, depth)}]"
        case _:
            item = w.a_type(0)
            start, step = w.expr(ty, depth), w.function(fn(ty, item, result=ty), depth)
            return f"[fold {start} {step} {w.expr(vec(item), depth)}]"


def _printing(w: Writer, ty: Ty, depth: int) -> str:
    printed = w.expr(w.a_type(1), depth)
    return f"[do [println {printed}] {w.expr(ty, depth)}]"


def _macro(w: Writer, ty: Ty, depth: int) -> str:
    """A call of one of the macros of definitions.py."""
    match w.one(sorted(w.macros) or [""]):
        case "either":
            condition = w.expr(BOOL, depth)
            with w.branch():
                then = w.expr(ty, depth)
            with w.branch():
                return f"[either {condition} {then} {w.expr(ty, depth)}]"
        case "after":
            return f"[after {w.expr(ty, depth)} {' '.join(w.expr(STR, 0) for _ in range(w.pick(3)))}]"
        case "keep":
            return f"[keep {w.expr(ty, depth)}]"
        case _:
            return _if(w, ty, depth)


GENERAL: Sequence[Producer] = (
    *(_if, _let, _call, _pipe, _held, _match_number, _match_option, _match_variants),
    *(_match_literals, _match_within),
    *(_destructured, _set, _named, _printing, _macro, _call, _let),
)
