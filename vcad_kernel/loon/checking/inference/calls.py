"""Calls: a function's type against its arguments.

Arguments are fitted one by one, so that a finding stands at the argument at fault. A call of the
language's own functions that the types of §17.3 refuse but the run time takes is a hint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TypeAlias

from vcad_kernel.loon.checking.inference.infer import Inference
from vcad_kernel.loon.checking.inference.keys import map_keys
from vcad_kernel.loon.checking.inference.mismatch import an_argument, counts, not_called, of_count
from vcad_kernel.loon.checking.inference.numbers import (
    both_numbers,
    counting,
    cut,
    free_to_mix,
    indexing,
    mixing,
    of_equality,
)
from vcad_kernel.loon.checking.inference.values import missing_fields, not_bound
from vcad_kernel.loon.checking.known import Known
from vcad_kernel.loon.checking.types.display import worded
from vcad_kernel.loon.checking.types.notation import scheme_of
from vcad_kernel.loon.checking.types.types import (
    BOOL,
    FLOAT,
    INT,
    NUMBER_BOUNDS,
    STRING,
    TUPLE,
    Con,
    Fn,
    Overload,
    Record,
    Scheme,
    Type,
    Var,
    instance,
    prune,
)
from vcad_kernel.loon.checking.types.unify import Clash
from vcad_kernel.loon.diagnostics import Advice, Edit, Severity
from vcad_kernel.loon.guesses import CUT_DIVISION, of_unit, stuck
from vcad_kernel.loon.syntax import (
    FloatLit,
    Form,
    IntLit,
    KeywordLit,
    ListForm,
    Symbol,
    is_constructor,
)

__all__ = ["Argument", "apply", "call", "call_with", "parameters_of"]

Argument: TypeAlias = "tuple[Form, Type]"
"""An argument and its type."""


def call(inf: Inference, form: ListForm) -> Type:
    """``[f a …]``: the head first, then the arguments."""
    head, *operands = form.items
    if isinstance(head, Symbol) and inf.lookup(head.name) is None:
        callee = not_bound(inf, head, called=True)
        if inf.recorded is not None:
            inf.recorded.append((head, callee))
        if head.name in inf.names.guesses.syntax:
            return inf.fresh()  # what stands in it is another language's
    else:
        callee = inf.infer(head)
    spread = _numbers_in_brackets(inf, form, callee)
    if spread is not None:
        return spread
    if isinstance(head, Symbol) and head.name == "fold":
        _folding(inf, operands)
    return call_with(inf, form, callee, [(item, inf.infer(item)) for item in operands])


def _numbers_in_brackets(inf: Inference, form: ListForm, callee: Type) -> Type | None:
    """Report ``[cube [10 10 10]]``, whose numbers are the arguments; None for any other call."""
    listed = [item for item in form.items[1:] if isinstance(item, ListForm) and _is_number(item.items[:1])]
    if not listed:
        return None
    given = len(form.items) - 1
    count = given + sum(len(item.items) - 1 for item in listed)
    terms = map(prune, callee.alternatives) if isinstance(callee, Overload) else (prune(callee),)
    functions = [term for term in terms if isinstance(term, Fn)]
    if any(term.takes(given) for term in functions) or not any(term.takes(count) for term in functions):
        return None
    for item in form.items[1:]:
        spread = isinstance(item, ListForm) and _is_number(item.items[:1])
        inf.sequence(item.items if spread and isinstance(item, ListForm) else [item])
    first = listed[0].items[0]
    edits = tuple([edit for item in listed for edit in _without_brackets(item)])
    name = _callee(form.items[0])
    inf.report(
        "E0200",
        not_called(first, inf.infer(first)),
        [(first, worded(inf.infer(first)))],
        why="a list in square brackets calls its first item",
        fix=Advice(f"the arguments of {name} stand beside each other, without brackets around them", edits),
        fails=listed[0],
    )
    return inf.fresh()


def _without_brackets(form: Form) -> tuple[Edit, Edit]:
    """The edits that take away what a form begins and ends with."""
    return (form.start, form.start + 1, ""), (form.end - 1, form.end, "")


def _is_number(items: Sequence[Form]) -> bool:
    return bool(items) and isinstance(items[0], IntLit | FloatLit)


def _folding(inf: Inference, operands: Sequence[Form]) -> None:
    """Report ``[fold part difference tools]``: fold hands the part first, and it is wanted last."""
    for operand in operands:
        if not isinstance(operand, Symbol) or operand.name not in inf.names.guesses.subject_last:
            continue
        name = operand.name
        if inf.origin(name) == "library":
            inf.report(
                "E0200",
                f"fold gives {name} what it has so far first, but {name} works on its last argument",
                [(operand, "the wrong way round")],
                why=f"each step would be [{name} part tool], which takes the part away from the tool: "
                "the opposite of what it looks like",
                fix=Advice(inf.names.guesses.of_a_vector.get(name, ""), _turned(name, operand)),
                severity="warning",
            )


def _turned(name: str, operand: Symbol) -> tuple[Edit, ...]:
    """The edit that has a function of ``fold`` take what it works on last."""
    return ((operand.start, operand.end, f"[fn [part tool] [{name} tool part]]"),)


def _remainders(inf: Inference, name: str, operands: Sequence[Form]) -> None:
    """Report ``[cube [/ 5 2] 1 1]``, whose first size is 2: a quantity with a unit has no whole parts."""
    entry = inf.names.library_entry(name)
    for parameter, operand in zip(inf.names.parameters(name, len(operands)), operands, strict=False):
        unit = entry.units.get(parameter, "") if entry is not None else ""
        if unit:
            cut(inf, operand, f"{parameter} of {name}", unit)


def call_with(inf: Inference, form: Form, callee: Type, arguments: list[Argument]) -> Type:
    """A call whose head and arguments have been inferred; ``form`` is a name or begins with the head."""
    head = form.items[0] if isinstance(form, ListForm) else form
    _note_calls(inf, head, arguments)
    if isinstance(head, Symbol) and inf.is_global(head.name) and inf.origin(head.name) == "library":
        _remainders(inf, head.name, [operand for operand, _ in arguments])
        map_keys(inf, head.name, arguments)
    if isinstance(head, Symbol) and inf.names.tolerant and inf.origin(head.name) == "language":
        callee = (
            mixing(inf, head.name, [term for _, term in arguments])
            or counting(inf, head.name, arguments)
            or of_equality(inf, head.name, arguments)
            or callee
        )
        left_open = _left_open(inf, head.name, [prune(term) for _, term in arguments])
        if left_open is not None:
            return left_open
    if isinstance(head, Symbol) and head.name in _PECULIAR and inf.origin(head.name) == "language":
        if head.name == "get":
            taken = _get(inf, arguments)
            if taken is not None:
                return taken
        else:
            return STRING
    return apply(inf, form, head, callee, arguments)


_OF_ANY_KIND: Mapping[str, tuple[tuple[int, ...], Type | None]] = {
    "nth": ((2, 3), None),
    "get": ((3,), None),
    "len": ((1,), INT),
    "contains?": ((2,), BOOL),
    "int": ((1,), INT),
    "float": ((1,), FLOAT),
    "reverse": ((1,), None),
    "flatten": ((1,), None),
    "keys": ((1,), None),
    "values": ((1,), None),
    "entries": ((1,), None),
    "assoc": ((3,), None),
    "update": ((3,), None),
    "remove": ((2,), None),
}
"""Builtins that take a first argument of several kinds, with the numbers of arguments, and what they give if
that is the same for all."""


def _left_open(inf: Inference, name: str, terms: Sequence[Type]) -> Type | None:
    """What a call gives, for tolerant hosts, of which §17.3 says more than is so; None for others.

    A parameter that is passed to ``nth`` may be a tuple as well as a vector; ``and`` and ``or`` take any
    values and give one of them.
    """
    if name in ("and", "or") and len(terms) == 2:
        left, right = terms
        alike = isinstance(left, Con) and isinstance(right, Con) and not left.args and left.name == right.name
        return left if alike else inf.fresh()
    counts_and_result = _OF_ANY_KIND.get(name)
    if counts_and_result is None or len(terms) not in counts_and_result[0] or not isinstance(terms[0], Var):
        return None
    return counts_and_result[1] or inf.fresh()


_PECULIAR = frozenset({"str", "fmt", "get"})
"""Builtins whose calls are typed by a rule of their own."""


def _note_calls(inf: Inference, head: Form, arguments: Sequence[Argument]) -> None:
    """What a call may perform: the function called, and the functions handed to it."""
    if isinstance(head, Symbol):
        inf.calls(head)
        if is_constructor(head.name):
            return
    else:
        inf.released(inf.latent.get(id(head), ()))
    for form, term in arguments:
        if isinstance(form, Symbol):
            if isinstance(prune(term), Fn | Overload):
                inf.calls(form)
        elif isinstance(form, ListForm):
            inf.released(inf.latent.get(id(form), ()))


def _get(inf: Inference, arguments: list[Argument]) -> Type | None:
    """``[get r :key]`` on a record, or on what may be one; None when it is another call."""
    if len(arguments) != 2 or not isinstance(arguments[1][0], KeywordLit):
        return None
    (form, subject), (key, _) = arguments
    if not isinstance(prune(subject), Var | Record):
        return None
    value = inf.fresh()
    clash = inf.unify(Record({key.name: value}, inf.fresh()), subject)  # type: ignore[attr-defined]
    if clash is None:
        return value
    if clash.kind == "fields":
        missing_fields(inf, clash, key)
    else:
        inf.report(
            "E0203",
            f"this map would contain itself: {worded(subject)}",
            [(form, worded(subject))],
            severity="warning",
        )
    return inf.fresh()


def apply(inf: Inference, form: Form, head: Form, callee: Type, arguments: list[Argument]) -> Type:
    """The type of a call: the callee's result, once the arguments fit its parameters."""
    callee = prune(callee)
    if isinstance(callee, Overload):
        chosen = _chosen(inf, callee, arguments)
        if chosen is None:
            return _wrong_count(inf, form, head, callee, arguments)
        callee = chosen
    if isinstance(callee, Fn):
        if not callee.takes(len(arguments)):
            return _wrong_count(inf, form, head, callee, arguments)
        return _fitted(inf, form, head, callee, arguments)
    result = inf.fresh()
    if isinstance(callee, Var):
        clash = inf.unify(callee, Fn(tuple([term for _, term in arguments]), result))
        if clash is None:
            inf.settle(form)
            return result
        if clash.kind == "circle":
            return _circle(inf, head, callee, arguments)
    why = "a list in square brackets calls its first item"
    fix = Advice("write #[…] for a vector, (…) for a tuple", ((form.start, form.start, "#"),))
    if isinstance(head, Symbol):
        fix = Advice(f"write {head.name} without brackets")
        if isinstance(form, ListForm) and len(form.items) == 1:
            fix = replace(fix, edits=_without_brackets(form))
        line = inf.names.hidden(head.name) if inf.is_global(head.name) else -1
        if line >= 0:
            where = f" on line {line}" if line else ""
            why = f"{head.name} was redefined{where}: the function of that name is hidden"
            fix = Advice("give the value another name")
            always = inf.names.qualified(head.name)
            if always:
                why = f"{head.name} is bound{where or ' by another text'}; the library's is {always}"
                edit = (head.start, head.end, always)
                fix = Advice(f"write {always}, or give the value another name", (edit,))
    elif isinstance(prune(callee), Record) or getattr(prune(callee), "name", "") in ("Map", "Keyword", "Vec"):
        fix = Advice("get reads from maps and vectors: [get map :key]")
    inf.report("E0200", not_called(head, callee), [(head, worded(callee))], why=why, fix=fix, fails=form)
    return inf.fresh()


def parameters_of(callee: Fn, count: int) -> list[Type]:
    """The types of the parameters for a call with so many arguments."""
    beyond = count - len(callee.params)
    assert callee.rest is not None or not beyond
    return [*callee.params, *([callee.rest] * beyond if callee.rest is not None else [])]


def _fitted(inf: Inference, form: Form, head: Form, callee: Fn, arguments: list[Argument]) -> Type:
    start, owed = inf.unifier.mark(), len(inf.unifier.due)
    params = parameters_of(callee, len(arguments))
    clashes, demanded = _clashes(inf, params, arguments, owed)
    if not clashes:
        fulfilled = [inf.must_have(traits, place) for place, traits in demanded]
        if all(fulfilled):
            return callee.result
        result = prune(callee.result)
        inf.unifier.undo(start)
        return result if isinstance(result, Con) and not result.args else inf.fresh()
    inf.unifier.undo(start)  # another kind of call begins with what was known before this one
    taken = _taken(inf, head, arguments)
    if taken is not None and inf.names.tolerant:
        for param, (_, term) in zip(parameters_of(taken, len(arguments)), arguments, strict=True):
            inf.unify(param, term)
        del inf.unifier.due[owed:]
        return taken.result
    clashes, _ = _clashes(inf, params, arguments, owed)  # the findings speak of what is known within the call
    reported = [(at, clash, _severity(inf, head, clash, taken)) for at, clash in clashes]
    if inf.names.tolerant:
        reported = [row for row in reported if not _runs(inf, head, params, arguments, *row)]
    for at, clash, severity in reported:
        an_argument(inf, form, head, callee, at, params[at], arguments, clash, severity)
    inf.unifier.undo(start)
    return inf.fresh()


def _runs(
    inf: Inference,
    head: Form,
    params: Sequence[Type],
    arguments: Sequence[Argument],
    at: int,
    clash: Clash,
    severity: Severity,
) -> bool:
    """Whether an argument that does not fit its parameter's type is taken all the same by a tolerant host."""
    if free_to_mix(params[at], clash):
        return True
    if severity == "hint":
        # A function of the program's own may compare the number, which fails.
        return not both_numbers(clash) or (isinstance(head, Symbol) and is_constructor(head.name))
    kinds = {getattr(prune(side), "name", "") for side in (clash.wanted, clash.given)}
    if kinds == {TUPLE, "Vec"}:
        return True  # [a b] takes both apart
    form = arguments[at][0]
    if isinstance(form, Symbol) and inf.origin(form.name) == "language" and isinstance(prune(params[at]), Fn):
        return form.name in _PECULIAR or (form.name in _ALSO and clash.kind != "count")
    return False


def _clashes(
    inf: Inference, params: Sequence[Type], arguments: Sequence[Argument], owed: int
) -> tuple[list[tuple[int, Clash]], list[tuple[Form, list[tuple[str, Type]]]]]:
    """What stands against each argument, and the traits that each must have; types are filled in.

    owed: how many traits were to be checked before.
    """
    clashes: list[tuple[int, Clash]] = []
    demanded: list[tuple[Form, list[tuple[str, Type]]]] = []
    for at, (param, (argument, term)) in enumerate(zip(params, arguments, strict=True)):
        alone = _stands_alone(param)
        if clashes and not alone:
            continue  # it may only disagree with what was wrong before
        clash = inf.unify(param, term)
        if clash is not None:
            clashes.append((at, clash))
        if len(inf.unifier.due) > owed:
            demanded.append((argument, inf.unifier.due[owed:]))
            del inf.unifier.due[owed:]
    return clashes, demanded


def _stands_alone(param: Type) -> bool:
    """Whether what a parameter takes does not depend on the other arguments."""
    param = prune(param)
    if isinstance(param, Var):
        return bool(param.bounds) and NUMBER_BOUNDS.issuperset(param.bounds or ())
    return isinstance(param, Con) and not param.args


def _chosen(inf: Inference, callee: Overload, arguments: list[Argument]) -> Fn | None:
    """The alternative for a call: by the number of arguments, then the first that they fit."""
    fitting = [
        alternative
        for alternative in map(prune, callee.alternatives)
        if isinstance(alternative, Fn)
        and alternative.takes(len(arguments))
        and not _asks_for_a_map(alternative, arguments)
    ]
    if len(fitting) < 2:
        return fitting[0] if fitting else None
    for alternative in fitting:
        if _would_fit(inf, alternative, arguments):
            return alternative
    wants_record = len(arguments) == 1 and isinstance(prune(arguments[0][1]), Record)
    return fitting[-1] if wants_record else fitting[0]


def _asks_for_a_map(callee: Fn, arguments: list[Argument]) -> bool:
    """Whether a constructor's alternative takes its fields as a map, which the one argument is not."""
    if len(arguments) != 1 or not callee.params or not isinstance(callee.params[0], Record):
        return False
    given = prune(arguments[0][1])
    return isinstance(given, Fn) or (isinstance(given, Con) and given.name != "Map")


def _would_fit(inf: Inference, callee: Fn, arguments: list[Argument]) -> bool:
    """Whether a call fits; nothing is filled in."""
    mark, owed = inf.unifier.mark(), len(inf.unifier.due)
    params = parameters_of(callee, len(arguments))
    fits = all(inf.unify(param, term) is None for param, (_, term) in zip(params, arguments, strict=True))
    fits = fits and all(inf.has_trait(trait, term) for trait, term in inf.unifier.due[owed:])
    del inf.unifier.due[owed:]
    inf.unifier.undo(mark)
    return fits


def _taken(inf: Inference, head: Form, arguments: list[Argument]) -> Fn | None:
    """The kind of call that runs although the type of one of the language's functions refuses it."""
    if not isinstance(head, Symbol) or inf.origin(head.name) != "language" or is_constructor(head.name):
        return None
    for scheme in (_also_taken(head.name), indexing(head.name) if inf.names.tolerant else None):
        taken = instance(scheme, inf.names.level) if scheme is not None else None
        for alternative in taken.alternatives if isinstance(taken, Overload) else (taken,):
            if (
                isinstance(alternative, Fn)
                and alternative.takes(len(arguments))
                and _would_fit(inf, alternative, arguments)
            ):
                return alternative
    return None


def _severity(inf: Inference, head: Form, clash: Clash, taken: Fn | None) -> Severity:
    """How bad an argument of the wrong type is; ``taken``: the kind of call that runs all the same."""
    if clash.kind == "fields":
        return "warning"
    name = head.name if isinstance(head, Symbol) else ""
    origin = inf.origin(name) if name else "own"
    if origin == "language" and not is_constructor(name):
        return "hint" if taken is not None else "error"
    if origin == "library":
        return "error"
    if is_constructor(name):
        return "hint"
    wanted, given = (getattr(prune(side), "name", "") for side in (clash.wanted, clash.given))
    may_run = (
        {wanted, given} == {"Int", "Float"}
        or wanted == "Bool"  # asked for its truth, which every value has
        or (wanted, given) in ((TUPLE, "Vec"), ("Vec", TUPLE), ("Map", ""))
    )
    return "hint" if may_run else "error"


def _wrong_count(
    inf: Inference, form: Form, head: Form, callee: Fn | Overload, arguments: list[Argument]
) -> Type:
    name = head.name if isinstance(head, Symbol) else ""
    severity: Severity = "error"
    if name and inf.origin(name) == "language" and not is_constructor(name):
        surplus = isinstance(callee, Fn) and len(arguments) > len(callee.params) and _ignores_surplus(name)
        if surplus:
            assert isinstance(callee, Fn)
            surplus = _would_fit(inf, callee, arguments[: len(callee.params)])
        if surplus or _taken(inf, head, arguments) is not None:
            if inf.names.tolerant:
                return inf.fresh()
            severity = "hint"
    forms = [argument for argument, _ in arguments]
    unit = stuck(forms)
    if unit is not None and inf.lookup(unit[1].name) is None:
        return inf.fresh()  # 40mm was one argument; that mm is not bound has been said
    meant = None if severity == "hint" else _meant(inf, head, callee, arguments)
    of_count(inf, form, head, counts(callee), len(arguments), severity, meant)
    return inf.fresh()


def _meant(inf: Inference, head: Form, callee: Fn | Overload, arguments: list[Argument]) -> Advice | None:
    """What a call with a wrong number of arguments was surely meant to be; None where that is not known."""
    name = head.name if isinstance(head, Symbol) else ""
    forms = [argument for argument, _ in arguments]
    unit = stuck(forms)
    if unit is not None:
        number, word = unit
        return of_unit(str(number.value), word.name, (number.start, word.end), inf.names.guesses)
    if name == "-" and len(forms) == 1:
        return Advice("write [- 0 x] for the negative", ((head.end, head.end, " 0"),))
    if name == "/" and forms and isinstance(forms[0], Symbol) and forms[0].name == "/":
        return Advice(CUT_DIVISION)
    keywords = sum(isinstance(form, KeywordLit) for form in forms)
    if 2 * keywords == len(forms) and _takes(callee, keywords):
        return Advice("arguments go by position: write the values alone, in the order of the names above")
    if len(arguments) == 1 and getattr(prune(arguments[0][1]), "name", "") == "Vec":
        return Advice(inf.names.guesses.of_a_vector.get(name, ""))
    if isinstance(head, Symbol) and inf.is_global(name) and inf.origin(name) == "library":
        return _longer_name(inf, head, arguments)
    return None


def _longer_name(inf: Inference, head: Symbol, arguments: list[Argument]) -> Advice | None:
    """A function beside this one whose call it would be: ``fillet-at`` for ``fillet`` with a selection."""
    for longer in sorted(known for known in inf.names.names() if known.startswith(head.name + "-")):
        scheme = inf.names.scheme(longer, deferred=True)
        term = instance(scheme, inf.names.level) if isinstance(scheme, Scheme) else None
        if isinstance(term, Fn) and term.takes(len(arguments)) and _would_fit(inf, term, arguments):
            call = f"[{' '.join([longer, *inf.names.parameters(longer)])}]"
            return Advice(f"did you mean {call}?", ((head.start, head.end, longer),))
    return None


def _takes(callee: Fn | Overload, count: int) -> bool:
    terms = callee.alternatives if isinstance(callee, Overload) else (callee,)
    return any(isinstance(term, Fn) and term.takes(count) for term in map(prune, terms))


def _circle(inf: Inference, head: Form, callee: Type, arguments: list[Argument]) -> Type:
    name = _callee(head)
    inf.report(
        "E0203",
        f"{name} would have to be a function that takes itself",
        [(head, f"its type {worded(callee)} would stand within itself")],
        why=f"no type fits: the arguments are {', '.join([worded(term) for _, term in arguments])}",
        fix="give the function to be called a name with fn, or pass what it needs besides itself",
        severity="warning",
    )
    return inf.fresh()


def _callee(head: Form) -> str:
    return head.name if isinstance(head, Symbol) else "the first item of this list"


_ALSO: Mapping[str, str] = {
    **dict.fromkeys(("+", "*"), "Real -> Real -> & Real -> c"),
    **dict.fromkeys(("-", "/"), "Real -> Real -> c"),
    "=": "a -> b -> Bool",
    "not": "a -> Bool",
    **dict.fromkeys(("and", "or"), "& a -> c"),
    **dict.fromkeys(("println", "print"), "& a -> ()"),
    "len": "String -> Int | Map k v -> Int | Set a -> Int | {r} -> Int",
    "nth": "(a, b) -> Int -> c | (a, b, c) -> Int -> d | Vec a -> Int -> b -> c",
    "get": "Map k v -> a -> b | Map k v -> a -> b -> c | {r} -> Keyword -> b | {r} -> a -> b -> c | "
    "Vec a -> Int -> b | Vec a -> Int -> b -> c",
    "conj": "Vec a -> & b -> c | Set a -> & b -> c",
    "push!": "Vec a -> & b -> c | Set a -> & b -> c | String -> & a -> String",
    "cons": "a -> Vec b -> c",
    "range": "Int -> Vec Int",
    "map": "Vec a -> (a -> b) -> Vec b | (a -> b) -> c",
    "filter": "Vec a -> (a -> b) -> Vec a | (a -> b) -> c | (a -> b) -> Vec a -> Vec a",
    "each": "Vec a -> (a -> b) -> () | (a -> b) -> c | (a -> b) -> Vec a -> ()",
    "fold": "Vec a -> b -> (b -> a -> b) -> b | b -> (b -> a -> b) -> c",
    "flat-map": "Vec a -> (a -> b) -> c | (a -> b) -> c | (a -> b) -> Vec a -> c",
    **dict.fromkeys(("find", "any?", "all?"), "(a -> b) -> Vec a -> c"),
    **dict.fromkeys(("take", "drop"), "Int -> Vec a -> Vec a | Int -> c"),
    "reverse": "String -> String",
    "sort-by": "(a -> b) -> Vec a -> Vec a | (a -> b) -> Keyword -> c",
    "group-by": "(a -> b) -> c",
    "flatten": "Vec a -> b",
    "contains?": "Vec a -> b -> Bool | Set a -> b -> Bool | Map k v -> a -> Bool | {r} -> a -> Bool",
    "keys": "{r} -> Vec Keyword",
    "values": "{r} -> Vec a",
    "entries": "{r} -> Vec (Keyword, a)",
    **dict.fromkeys(("min", "max"), "Real -> Real -> c"),
    "sum": "Vec Float -> Float",
    "collect": "a -> a",
    "name": "String -> String",
    "int": "Float -> Int | Int -> Int",
    "float": "Int -> Float | Float -> Float",
    "join": "String -> Vec a -> String | Vec a -> String -> String",
    "assoc": "Map k v -> a -> b -> c | {r} -> a -> b -> c",
    "update": "Map k v -> a -> (b -> c) -> d | {r} -> a -> (b -> c) -> d",
    "remove": "Map k v -> a -> b | {r} -> a -> b",
    "merge": "Map k v -> Map a b -> c | {r} -> {s} -> c",
    "assert-eq": "a -> b -> ()",
    "index-of": "String -> String -> Int",
}
"""By builtin, where the run time takes more than the types of §17.3 say: swapped arguments, defaults, mixed
numbers. Such calls are reported all the same, as the language wants, but as hints: they run. Results are left
open: what follows from them is not reported."""


@cache
def _also_taken(name: str) -> Scheme | None:
    """The further kinds of calls of a builtin of the language that run."""
    text = _ALSO.get(name)
    return None if text is None else scheme_of(text, Known.base().arity)


def _ignores_surplus(name: str) -> bool:
    """Whether a builtin takes no notice of arguments beyond its own: all but arithmetic's do."""
    return name not in ("+", "*", "and", "or")
