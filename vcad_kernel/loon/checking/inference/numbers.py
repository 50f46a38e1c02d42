"""Arithmetic, comparisons and counts as they run, for hosts where lengths and angles may be ints as well as
floats; and what such a mixture makes of a program silently: an equality that never holds, a remainder that is
dropped.

An int takes on the kind of what it meets. So a float among the operands makes the result a float
whatever the others are; without one, operands whose kind is open share it with the result, and an int
beside them says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from vcad_kernel.loon.checking.inference.infer import Inference
from vcad_kernel.loon.checking.types.notation import scheme_of
from vcad_kernel.loon.checking.types.types import (
    BOOL,
    FLOAT,
    INT,
    WRITTEN_WHOLE,
    Con,
    Fn,
    Scheme,
    Type,
    Var,
    Whole,
    instance,
    prune,
)
from vcad_kernel.loon.checking.types.unify import Clash
from vcad_kernel.loon.diagnostics import Advice, to_write
from vcad_kernel.loon.syntax import FloatLit, Form, IntLit, ListForm, Symbol, TupleForm, VectorForm

__all__ = [
    "FLOATS_ARE_TRUE",
    "both_numbers",
    "counting",
    "cut",
    "free_to_mix",
    "indexing",
    "is_written_whole",
    "mixing",
    "never_equal",
    "of_equality",
    "whole_of",
]

_TWO: Final = frozenset({"-", "/"})
_SEVERAL: Final = frozenset({"+", "*"})
_COMPARING: Final = frozenset({"<", ">", "<=", ">="})
_COUNTING: Final[Mapping[str, str]] = {
    "range": "Real -> Real -> Vec Int | Real -> Vec Int",
    "nth": "Vec a -> Real -> a | Vec a -> Real -> b -> a | (a, b) -> Real -> c | (a, b, c) -> Real -> d",
    "take": "Real -> Vec a -> Vec a | Real -> c",
    "drop": "Real -> Vec a -> Vec a | Real -> c",
    "chunk": "Real -> Vec a -> Vec Vec a",
    "%": "Real -> Real -> Int",
    "get": "Vec a -> Real -> b | Vec a -> Real -> b -> c",
}
"""Builtins that want whole numbers; of a tolerant host these may be floats without a fraction."""
_ALSO_KEYED: Final = frozenset({"get"})
"""Those that are about vectors only now and then."""


FLOATS_ARE_TRUE: Final = "0.0 is true: only false, () and the int 0 are false"


def mixing(inf: Inference, name: str, operands: Sequence[Type]) -> Fn | None:
    """The type that an arithmetic builtin has for these operands; None for other functions and counts."""
    count = len(operands)
    if name in _COMPARING and count == 2:
        return Fn(tuple([Var(inf.names.level).bounded("Ord") for _ in operands]), BOOL)
    if not ((name in _TWO and count == 2) or (name in _SEVERAL and count >= 2)):
        return None
    kinds = [prune(operand) for operand in operands]
    has_float = any(_is(kind, FLOAT) for kind in kinds)
    if has_float or not any(isinstance(kind, Var) for kind in kinds):
        return Fn(tuple([_number(inf) for _ in kinds]), FLOAT if has_float else INT)
    shared = Var(inf.names.level).bounded("Add")
    return Fn(tuple([shared if isinstance(kind, Var) else _number(inf) for kind in kinds]), shared)


def counting(inf: Inference, name: str, arguments: Sequence[tuple[Form, Type]]) -> Type | None:
    """The type that a builtin which counts has here; None for others. Reports a number with a fraction."""
    scheme = None if name in _ALSO_KEYED else _counting(name)
    if scheme is None:
        return None
    for form, _ in arguments:
        if isinstance(form, FloatLit) and not form.value.is_integer():
            inf.report(
                "E0200",
                f"{name} needs a whole number, not {form.value:g}",
                [(form, "has a fraction")],
                fix="a parameter that counts is declared with {:whole true}; [int x] cuts a fraction off",
            )
    return instance(scheme, inf.names.level)


def indexing(name: str) -> Scheme | None:
    """The type of a builtin that takes a key or, of a vector, a float as index; None for others."""
    return _counting(name) if name in _ALSO_KEYED else None


@cache
def _counting(name: str) -> Scheme | None:
    text = _COUNTING.get(name)
    return None if text is None else scheme_of(text, lambda _: 0)


def of_equality(inf: Inference, name: str, arguments: Sequence[tuple[Form, Type]]) -> Fn | None:
    """The type of ``=`` where one side is a number: the other is left as it is, and looked at in the end."""
    if name == "contains?" and len(arguments) == 2:
        held = prune(arguments[0][1])
        if isinstance(held, Con) and held.name in ("Vec", "Set") and is_written_whole(inf, arguments[1][0]):
            inside = (arguments[0][0], held.args[0])
            inf.equalities.append((inside, arguments[1], "it is never found"))
    if name == "not" and len(arguments) == 1 and _is(prune(arguments[0][1]), FLOAT):
        form = arguments[0][0]
        what = "not of a float is always false"
        inf.report("E0200", what, [(form, "Float")], why=FLOATS_ARE_TRUE, severity="warning")
    if name != "=" or len(arguments) != 2:
        return None
    kinds = [prune(term) for _, term in arguments]
    if not any(_is(kind, FLOAT) or _is(kind, INT) for kind in kinds):
        return None
    if not all(isinstance(kind, Var) or _is(kind, FLOAT) or _is(kind, INT) for kind in kinds):
        return None
    inf.equalities.append((arguments[0], arguments[1], None))
    return Fn(tuple([inf.fresh() for _ in kinds]), BOOL)


def never_equal(inf: Inference) -> None:
    """Report the equalities of a form, all of whose types are known by now, that hold for no values."""
    for (left, first), (right, second), where in inf.equalities:
        sides = [(left, prune(first)), (right, prune(second))]
        floats = [(form, kind) for form, kind in sides if _is(kind, FLOAT)]
        rest = [(form, kind) for form, kind in sides if not _is(kind, FLOAT)]
        if len(floats) != 1:
            continue
        (form, _), (against, kind) = floats[0], rest[0]
        parameter = is_written_whole(inf, form)
        if not (_is(kind, INT) or (parameter and isinstance(kind, Var))):
            continue
        fix: str | Advice = "[float …] around the int makes both alike"
        if isinstance(against, IntLit):
            fix = to_write(f"{against.value}.0", against.start, against.end)
        what = where or f"this is {'always false' if _is(kind, INT) else 'false for any int'}"
        name = form.name if isinstance(form, Symbol) else "this"
        why = f"{name} is a float, and [= 4 4.0] is false"
        if parameter:
            why = f"{name} is a parameter, which is a float unless it is declared with {{:whole true}}"
        inf.report(
            "E0200",
            f"a float equals no int: {what}",
            [(form, "a float"), (against, "an int" if _is(kind, INT) else "of ints")],
            why=why,
            fix=fix,
            severity="warning",
        )
    inf.equalities.clear()


def is_written_whole(inf: Inference, form: Form) -> bool:
    """Whether a form is the name of a parameter that is a float though its default is written as an int."""
    held = inf.lookup(form.name) if isinstance(form, Symbol) else None
    return isinstance(held, Scheme) and held.type is WRITTEN_WHOLE


def whole_of(inf: Inference, form: Form) -> int | tuple[int, int] | None:
    """The int that a form stands for, or the two whose quotient, cut to an int, it is; None for others."""
    match form:
        case IntLit(value=value):
            return value
        case Symbol(name=name):
            held = inf.lookup(name)
            return held.type.value if isinstance(held, Scheme) and isinstance(held.type, Whole) else None
        case ListForm(items=(Symbol(name="/"), first, second)) if inf.origin("/") == "language":
            a, b = whole_of(inf, first), whole_of(inf, second)
            if isinstance(a, int) and isinstance(b, int) and b and a % b:
                return a, b
    return None


def cut(inf: Inference, form: Form, what: str, unit: str) -> None:
    """Report a form whose remainder was dropped, where it is a quantity or, as in points, one of several.

    what: ``x of cube``.
    """
    if isinstance(form, TupleForm | VectorForm):
        for item in form.items:
            cut(inf, item, what, unit)
        return
    pair = whole_of(inf, form)
    if not isinstance(pair, tuple):
        return
    a, b = pair
    first = form.items[1] if isinstance(form, ListForm) else None
    fix: str | Advice = f"write [/ {a}.0 {b}], or [div {a} {b}] if that is meant"
    if isinstance(first, IntLit):
        fix = Advice(f"write {a}.0, or [div {a} {b}] if that is meant", ((first.start, first.end, f"{a}.0"),))
    inf.report(
        "E0200",
        f"[/ {a} {b}] of two ints drops the remainder: it is {int(a / b)}",
        [(form, "cut to an int")],
        why=f"{what} is in {unit}, where {a / b:g} is as good",
        fix=fix,
        severity="warning",
    )


def _number(inf: Inference) -> Var:
    return Var(inf.names.level).bounded("Real")


def _is(kind: Type, number: Type) -> bool:
    return getattr(kind, "name", None) == getattr(number, "name", "")


def both_numbers(clash: Clash) -> bool:
    """Whether two types differ only in the kind of number."""
    names = {getattr(prune(side), "name", "") for side in (clash.wanted, clash.given)}
    return names == {"Int", "Float"}


def free_to_mix(param: Type, clash: Clash) -> bool:
    """Whether an argument may be of another kind of number than those before it.

    It may where a function left the kind of its parameter, or of what is in it, open.
    """
    if not both_numbers(clash):
        return False
    is_open = False
    waiting: list[Type] = [param]
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, Var):
            is_open = True
            waiting += [kind.ref] if kind.ref is not None else []
        elif isinstance(kind, Con):
            waiting += kind.args
        elif isinstance(kind, Fn):
            waiting += [*kind.params, kind.result]
    return is_open
