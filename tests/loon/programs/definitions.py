"""Whole programs: what stands at the top of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.loon.programs.effects import WITH_EFFECTS
from tests.loon.programs.expressions import GENERAL
from tests.loon.programs.kinds import KINDS, LOOSE_KINDS
from tests.loon.programs.loose import LOOSE
from tests.loon.programs.writer import BOOL, FLOAT, INT, STR, Pick, Style, Ty, Writer, adt, fn, vec

__all__ = ["program"]


def program(pick: Pick, style: Style) -> str:
    """The text of a program."""
    kinds = dict(KINDS)
    if not style.typed:
        kinds |= {kind: (*kinds.get(kind, ()), *more) for kind, more in LOOSE_KINDS.items()}
    general = (*GENERAL, *(WITH_EFFECTS if style.effects else ()), *(() if style.typed else LOOSE))
    w = Writer(pick, style, general, kinds)
    definitions = (*_DEFINITIONS, *(() if style.typed else _LOOSE_DEFINITIONS))
    lines = [w.one(definitions)(w) for _ in range(w.pick(6))]
    shown = [w.expr(w.a_type(2), 3) for _ in range(1 + w.pick(3))]
    return "\n".join([*lines, f"({' '.join(shown)})"])


def _let(w: Writer) -> str:
    ty = w.a_type(2)
    value = w.expr(ty, 3)
    name = w.fresh("k") if w.style.typed else w.one(("k1", "k2", "x", "n"))
    w.names[name] = ty
    return f"[let {name} {value}]"


def _function(w: Writer) -> str:
    parameters = [w.a_type(1) for _ in range(w.pick(4))]
    result = w.a_type(1)
    name = w.fresh("f")
    with w.scope():
        names = w.parameters(parameters)
        body = [w.expr(w.a_type(0), 2) for _ in range(w.pick(2))]
        text = f"[fn {name} [{' '.join(names)}] {' '.join([*body, w.expr(result, 3)])}]"
    w.names[name] = fn(*parameters, result=result)
    return text


def _destructuring(w: Writer) -> str:
    """A function that takes a map and a pair apart."""
    name, result, held = w.fresh("f"), w.a_type(1), w.a_type(0)
    with w.scope():
        with w.branch():
            default = w.expr(INT, 1)
        w.names |= {"w": INT, "p": held, "q": INT}
        text = f"[fn {name} [{{w {default}}} [p q]] {w.expr(result, 3)}]"
    option = w.one(("{:w 3}", "{}")) if not w.style.typed else "{:w 3}"
    return f"{text}\n[println [{name} {option} ({w.expr(held, 1)} {w.expr(INT, 1)})]]"


def _type(w: Writer) -> str:
    name = w.fresh("T")
    fields: tuple[Ty, ...] = tuple(w.a_type(1) for _ in range(1 + w.pick(2)))
    written = {INT: "Int", FLOAT: "Float", BOOL: "Bool", STR: "String"}
    fields = tuple(field if field in written else INT for field in fields)
    first = " ".join(written[field] for field in fields)
    w.variants[name] = {f"A{name}": fields, f"B{name}": (INT,), f"C{name}": ()}
    return f"[type {name} [A{name} {first}] [B{name} Int] C{name}]"


def _named_fields(w: Writer) -> str:
    name = w.fresh("P")
    w.variants[name] = {name: (INT, STR)}
    point = w.fresh("p") if w.style.typed else "p"
    given = f"{w.expr(INT, 1)} {w.expr(STR, 1)}"
    w.names[point], w.names[f"{point}.w"], w.names[f"{point}.h"] = adt(name), INT, STR
    return f"[type {name} [{name} :w Int :h String]]\n[let {point} [{name} {given}]]"


def _countdown(w: Writer) -> str:
    """A recursion, with or without work left to do after the call."""
    name, ty = w.fresh("r"), w.a_type(1)
    with w.scope():
        w.names |= {"n": INT, "acc": ty}
        shape = w.pick(4)
        if shape == 0:
            step = w.expr(ty, 2)
            body = f"[if [< n 1] acc [{name} [- n 1] {step}]]"
        elif shape == 1:
            w.names["m"] = INT
            body = f"[do [let m [- n 1]] [if [< m 0] acc [{name} m {w.expr(ty, 2)}]]]"
        elif shape == 2:
            w.names["m"] = INT
            body = f"[match n 0 acc m [when [< m 0]] acc m [{name} [- m 1] {w.expr(ty, 2)}]]"
        else:
            w.names["rest"] = ty
            body = f"[if [< n 1] acc [do [let rest [{name} [- n 1] acc]] {w.expr(ty, 2)}]]"
    return f"[fn {name} [n acc] {body}]\n[println [{name} {w.one(('3', '0', '1', '5'))} {w.expr(ty, 1)}]]"


def _macros(w: Writer) -> str:
    """The macros that expressions.py calls."""
    texts = {
        "either": "[macro either [c a b] `[if ~c ~a [do ~b]]]",
        "after": "[macro after [value & rest] `[do [let kept ~value] ~@rest kept]]",
        "keep": "[macro keep [value] [do value]]",
    }
    # What a procedural macro is not told about, such as a float, comes back as text.
    name = w.one(("after", "either") if w.style.typed else sorted(texts))
    w.macros.add(name)
    return texts[name]


def _printed(w: Writer) -> str:
    return f"[println {w.expr(w.a_type(2), 3)}]"


_DEFINITIONS: Sequence[Callable[[Writer], str]] = (
    *(_let, _function, _function, _type, _countdown, _countdown, _named_fields, _macros, _destructuring),
    _printed,
)


# What the checker would not have, or does not follow


def _arities(w: Writer) -> str:
    name, result, one, two = w.fresh("f"), w.a_type(1), w.a_type(1), w.a_type(1)
    clauses = []
    for types, rest in (((one,), ""), ((one, two), ""), ((one, two), " & more")):
        with w.scope():
            names = w.parameters(types)
            if rest:
                w.names["more"] = vec(INT)
            clauses.append(f"([{' '.join(names)}{rest}] {w.expr(result, 2)})")
    w.names[name] = fn(*w.one(((one,), (one, two), (one, two, INT), (one, two, INT, INT))), result=result)
    return f"[fn {name} {' '.join(clauses)}]"


def _methods(w: Writer) -> str:
    name, result = w.fresh("M"), w.a_type(0)
    with w.scope():
        w.names["x"] = INT
        one = w.expr(result, 2)
        w.names["y"] = FLOAT
        two = w.expr(result, 2)
    w.variants[name] = {f"D{name}": (INT,), f"E{name}": (INT, FLOAT)}
    w.names[f"m{name}"] = fn(adt(name), result=result)
    method = f"[fn m{name} [x] {one}]", f"[fn m{name} [x y] {two}]"
    return f"[type {name} [D{name} Int {method[0]}] [E{name} Int Float {method[1]}]]"


def _implementation(w: Writer) -> str:
    name, taken, result = w.fresh("I"), w.a_type(1), w.a_type(1)
    with w.scope():
        (self,) = w.parameters([taken])
        text = f"[impl Shape {name} [fn area [{self}] {w.expr(result, 2)}]]"
    return f"{text}\n[println [map {name}.area #[{w.expr(taken, 1)}]]]"


def _redefined(w: Writer) -> str:
    """A builtin, or a function that others call, is replaced."""
    return w.one(
        (
            "[fn + [a b] [- a b]]",
            "[let len [fn [c] 7]]",
            "[fn map [f v] v]",
            "[fn * [& all] [sum all]]",
            "[let < >]",
            "[fn str [& parts] [len parts]]",
            "[fn sum [v] [fold 0 - v]]",
            "[let Some Ok]",
            "[fn not [b] b]",
        )
    )


def _later(w: Writer) -> str:
    """A function that calls another, which is replaced afterwards."""
    name, other, ty = w.fresh("f"), w.fresh("f"), w.a_type(1)
    w.names[name] = fn(INT, result=ty)
    with w.scope():
        w.names["n"] = INT
        bodies = w.expr(ty, 2), w.expr(ty, 2)
    return (
        f"[fn {name} [n] [{other} [+ n 1]]]\n[fn {other} [n] {bodies[0]}]\n[println [{name} 1]]\n"
        f"[fn {other} [n] {bodies[1]}]"
    )


def _main(w: Writer) -> str:
    with w.scope():
        return f"[fn main [] {w.expr(w.a_type(1), 2)}]"


_LOOSE_DEFINITIONS: Sequence[Callable[[Writer], str]] = (
    *(_arities, _arities, _methods, _implementation, _redefined, _later, _main),
)
