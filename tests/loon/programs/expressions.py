"""Expressions that give a value of any type: control, binding, calls, effects."""

from __future__ import annotations

from collections.abc import Sequence

from tests.loon.programs.writer import (
    BOOL,
    FLOAT,
    INT,
    KEY,
    STR,
    UNIT,
    Producer,
    Ty,
    Writer,
    fn,
    option,
    record,
    tup,
    vec,
)

__all__ = ["GENERAL", "LOOSE", "WITH_EFFECTS"]


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


def _match_guards(w: Writer, ty: Ty, depth: int) -> str:
    """Guard expressions in the place of patterns."""
    subject = w.expr(w.a_type(1), depth)
    guard = f"[{w.one(('=', '<', '>'))} {w.expr(INT, 0)} {w.expr(INT, 0)}]"
    return f"[match {subject} {guard} {_in_arm(w, ty, depth)} _ {_in_arm(w, ty, depth)}]"


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


def _unwrapped(w: Writer, ty: Ty, depth: int) -> str:
    if w.may_fail and w.pick(2):
        return f"[if {w.expr(BOOL, depth)} [Ok {w.expr(ty, depth)}] [Err {w.expr(STR, 0)}]]?"
    return f"[Ok {w.expr(ty, depth)}]?"


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


# Effects


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
        body = w.expr(ty, depth + 1)
    w.operations = outer
    return f"[handle {body} {' '.join(clauses)}]"


def _clause(w: Writer, ty: Ty, given: Ty, depth: int) -> str:
    """What answers an operation, by resuming, once or not at all."""
    match w.pick(7):
        case 0 | 1:
            return f"[resume {w.expr(given, depth)}]"
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


# What the checker would not have, or does not follow


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
