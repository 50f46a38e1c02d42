"""The findings about types that do not fit: arguments and their number, conditions, branches."""

from __future__ import annotations

from collections.abc import Sequence

from vcad_kernel.loon.checking.findings import a_count, conversion
from vcad_kernel.loon.checking.inference.infer import Inference, clash_code
from vcad_kernel.loon.checking.inference.numbers import FLOATS_ARE_TRUE, both_numbers
from vcad_kernel.loon.checking.inference.values import missing_fields
from vcad_kernel.loon.checking.types.display import worded, worded_together
from vcad_kernel.loon.checking.types.types import BOOL, TUPLE, UNIT, Fn, Overload, Record, Type, Var, prune
from vcad_kernel.loon.checking.types.unify import Clash
from vcad_kernel.loon.diagnostics import Advice, Severity, to_write
from vcad_kernel.loon.reference import fitting
from vcad_kernel.loon.shapes import is_headed
from vcad_kernel.loon.syntax import FloatLit, Form, IntLit, ListForm, Symbol

__all__ = ["an_argument", "condition", "counts", "differing", "not_called", "of_count"]

_ANY_TRUTH = "any value has a truth when the program runs; only false, () and 0 are false"
_ORDINALS = ("first", "second", "third", "fourth", "fifth")


def an_argument(
    inf: Inference,
    call: Form,
    head: Form,
    callee: Fn,
    at: int,
    param: Type,
    arguments: Sequence[tuple[Form, Type]],
    clash: Clash,
    severity: Severity,
) -> None:
    """Report an argument of a call that does not fit its parameter."""
    form, given = arguments[at]
    if clash.kind == "fields":
        missing_fields(inf, clash, form)
        return
    name = head.name if isinstance(head, Symbol) else "this function"
    if clash.kind == "count":
        _callback(inf, name, form, clash, severity)
        return
    wanted_text, given_text = worded_together([param, given])
    described, place = _described(inf, name, at, len(callee.params))
    what = f"{name} wants {described or _wanted(inf, param, wanted_text)}{place}, got {given_text}"
    why = ""
    if clash.kind == "circle":
        what = f"{name} would need a type that contains itself here"
        why = f"{wanted_text} and {given_text} would have to be the same"
    elif prune(clash.wanted) is not prune(param):
        inner = worded_together([clash.wanted, clash.given])
        why = f"within them, {_wanted(inf, clash.wanted, inner[0])} is wanted and {inner[1]} given"
    elif any(other is param for other in callee.params[:at]):
        why = "its arguments must be of one type, and an earlier one is " + wanted_text
    fix: Advice = conversion(clash.wanted, clash.given, form)
    if severity == "hint" and name in _MIXING:
        fix = Advice("it runs, and gives a float; [float …] around the int makes both alike")
    elif name in _COMPARING and both_numbers(clash):
        whole = [item for item, _ in arguments if isinstance(item, IntLit)]
        fix = to_write(f"{whole[0].value}.0", whole[0].start, whole[0].end) if whole else fix
    elif isinstance(form, ListForm) and len(form.items) == 3 and is_headed(form, "if"):
        why = "without a third part, this if is unit where its condition is false"
    tells = call if inf.is_global(name) and inf.names.origin(name) == "library" else None
    inf.report(
        clash_code(clash), what, [(form, given_text)], why=why, fix=fix, severity=severity, fails=tells
    )


def _wanted(inf: Inference, term: Type, text: str) -> str:
    term = prune(term)
    if isinstance(term, Var) and term.bounds:
        trait = next(iter(term.bounds))
        known = inf.names.traits.get(trait)
        return _BOUNDED.get(trait, text) if known is None else known.words
    if isinstance(term, Var):
        return "something of another type"
    if isinstance(term, Record):
        return f"a map like {text}"
    return f"a function {text}" if isinstance(term, Fn) else text


_MIXING = frozenset({"+", "-", "*", "/"})
"""Builtins that take an int with a float."""

_COMPARING = frozenset({"<", ">", "<=", ">="})
"""Builtins that take two ints or two floats."""

_BOUNDED = {"Real": "a number", "Count": "a whole number"}


def _described(inf: Inference, name: str, at: int, count: int) -> tuple[str, str]:
    """What a parameter is, in the words of the reference if it has any, and which one it is."""
    if not inf.is_global(name):
        return "", _ordinal(at) if count > 1 else ""
    names = inf.names.parameters(name, count)
    place = f" for {names[at]}" if at < len(names) else _ordinal(at) if count > 1 else ""
    entry = inf.names.library_entry(name)
    text = entry.text_of(names[at]) if entry is not None and at < len(names) else ""
    return text, place


def _ordinal(at: int) -> str:
    return f" as its {_ORDINALS[at]} argument" if at < len(_ORDINALS) else f" as argument {at + 1}"


def _callback(inf: Inference, name: str, form: Form, clash: Clash, severity: Severity) -> None:
    """Report a function that is handed on and takes another number of arguments than it gets."""
    wanted, given = prune(clash.wanted), prune(clash.given)
    expected = _spread(counts(wanted)) if isinstance(wanted, Fn | Overload) else "other arguments"
    got = _spread(counts(given)) if isinstance(given, Fn | Overload) else "others"
    inf.report(
        "E0202",
        f"{name} calls this function with {expected}, but it takes {got}",
        [(form, worded(given))],
        fix=f"give it {expected}",
        severity=severity,
    )


def counts(callee: Type) -> list[tuple[int, bool]]:
    """The numbers of arguments that a function takes, each with whether it takes more."""
    callee = prune(callee)
    if isinstance(callee, Fn):
        return [(len(callee.params), callee.rest is not None)]
    if isinstance(callee, Overload):
        numbers = [count for alternative in callee.alternatives for count in counts(alternative)]
        return sorted(set(numbers))
    return []


def _spread(numbers: list[tuple[int, bool]]) -> str:
    """``2 arguments``, ``1 or 2 arguments``, ``1 or more arguments``."""
    texts = [f"{number} or more" if more else str(number) for number, more in numbers]
    if len(texts) == 1 and not numbers[0][1]:
        return a_count(numbers[0][0])
    return f"{' or '.join(texts)} arguments"


def of_count(
    inf: Inference,
    form: Form,
    head: Form,
    expected: list[tuple[int, bool]],
    given: int,
    severity: Severity,
    meant: Advice | None = None,
) -> None:
    """Report a call with the wrong number of arguments. meant: what to write, where that is known."""
    name = head.name if isinstance(head, Symbol) else "this function"
    ways = inf.names.ways(name) if inf.is_global(name) else ()
    names = fitting(ways, -1)
    listed = f" ({' '.join(names)})" if len(expected) == 1 and len(names) == expected[0][0] and names else ""
    place = form
    most = max([number for number, _ in expected], default=0)
    if given > most and isinstance(form, ListForm) and len(form.items) > most + 1:
        place = form.items[most + 1]  # the first one too many
    several = len({len(way) for way in ways}) > 1
    calls = " or ".join([f"[{' '.join([name, *way])}]" for way in ways]) if listed or several else ""
    fix = meant or Advice(f"write {calls}" if calls else "")
    if severity == "hint":
        fix = Advice("it runs all the same; the type knows only the plain call")
    inf.report(
        "E0202",
        f"{name} takes {_spread(expected)}{listed}, got {given}",
        [(place, f"{a_count(given)} given")],
        fix=fix,
        severity=severity,
        fails=form if meant or (name and inf.origin(name) != "language") else None,
    )


def not_called(head: Form, callee: Type) -> str:
    """The sentence about a call of something that is no function."""
    name = getattr(prune(callee), "name", "")
    kind = "a map" if isinstance(prune(callee), Record) else _KINDS.get(name) or worded(callee)
    if isinstance(head, Symbol):
        return f"{head.name} is {kind}, which cannot be called"
    if isinstance(head, IntLit | FloatLit):
        return f"{head.value} is {kind}, which cannot be called"
    return f"{kind} cannot be called"


_KINDS = {
    "Int": "an int",
    "Float": "a float",
    "Bool": "a bool",
    "String": "a string",
    "Keyword": "a keyword",
    "Vec": "a vector",
    "Map": "a map",
    "Set": "a set",
    TUPLE: "a tuple",
    UNIT.name: "unit",
}


def condition(inf: Inference, form: Form, where: str) -> None:
    """Infer a form that is asked for its truth."""
    term = inf.infer(form)
    if inf.unify(BOOL, term) is not None:
        given = worded(term)
        always = inf.names.tolerant and given == "Float"
        inf.report(
            "E0200",
            f"{where} asks for a Bool, got {given}",
            [(form, given)],
            why=FLOATS_ARE_TRUE if always else _ANY_TRUTH,
            fix=conversion(BOOL, term, form),
            severity="warning" if always else "hint",
        )


def differing(
    inf: Inference,
    clash: Clash,
    where: str,
    first: tuple[Form, Type],
    second: tuple[Form, Type],
    severity: Severity = "hint",
) -> None:
    """Report two values of different types of which either may come out; a tolerant host takes both."""
    if inf.names.tolerant:
        return
    if clash.kind == "fields":
        missing_fields(inf, clash, second[0])
        return
    earlier, other = worded(first[1]), worded(second[1])
    inf.report(
        clash_code(clash),
        f"{where} give values of different types: {earlier} and {other}",
        [(second[0], other), (first[0], earlier)],
        why="what goes on with the value must know its type",
        fix=conversion(first[1], second[1], second[0]),
        severity=severity,
        runs=both_numbers(clash),
    )
