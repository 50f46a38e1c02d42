"""Functions: closures, named functions, several arities, rest parameters.

What a function captures becomes the default of a keyword-only parameter, so it is taken by value
when the function is made. A self tail call becomes a jump; see Lowerer._jump.

A function at the top level that calls itself, or has loops, is compiled twice in one: a quick version
for arguments of the kinds that it seems meant for, in which ints are known to be ints and its own
results are known too, and a plain one for all others.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Sequence

from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.intrinsics.foresight import Foresight, foresee, heads_in, likely_kind
from vcad_kernel.loon.lowering.kinds import ANY, STR, Kind
from vcad_kernel.loon.lowering.lower import RETURN, Destination, Lowerer
from vcad_kernel.loon.lowering.pyast import At
from vcad_kernel.loon.lowering.scope import Block, Frame, FrameKind, Promise, Slot
from vcad_kernel.loon.names import mangle
from vcad_kernel.loon.runtime.builtins.pristine import CALLBACKS
from vcad_kernel.loon.shapes import Clause, names_in
from vcad_kernel.loon.syntax import Form, KeywordLit, ListForm, MapForm, Symbol

__all__ = ["define_global_function", "make_function", "take_apart"]


def define_global_function(low: Lowerer, name: str, clauses: Sequence[Clause], at: At) -> None:
    """Emit the definition of a named function."""
    frame = _frame(low, "fn", clauses, name)
    top = low.frame.kind == "form" and not low.frame.blocks
    if top:
        # The form runs once, so a variable of it can hold the function: cheaper than an argument.
        frame.itself = low.fresh("$self")
    body = _lower_clauses(low, frame, clauses, name, at)
    identifier = low.define_global(name, at)
    low.emit(pyast.define(identifier, _arguments(frame, at), body, at))
    if frame.asks_itself:
        function = pyast.load(identifier, at)
        tied = pyast.run(pyast.call_support("$tie", [function], at), at)
        low.emit(pyast.assign([frame.itself], function, at) if top else tied)


def make_function(low: Lowerer, clauses: Sequence[Clause], at: At, kind: FrameKind = "fn") -> ast.expr:
    """The expression for a function without a name, defined by a statement if it needs one."""
    frame = _frame(low, kind, clauses, None)
    body = _lower_clauses(low, frame, clauses, "anonymous", at)
    arguments = _arguments(frame, at)
    if len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is not None:
        return pyast.function(arguments, body[0].value, at)
    variable = low.fresh()
    low.emit(pyast.define(variable, arguments, body, at))
    return pyast.load(variable, at)


def _frame(low: Lowerer, kind: FrameKind, clauses: Sequence[Clause], name: str | None) -> Frame:
    only = clauses[0]
    if len(clauses) > 1 or only.rest is not None:
        counts = tuple(count for clause in clauses for count in _counts(clause) if name is not None)
        return Frame(kind, low.frame, name, counts, ("$arguments",), variadic=True)
    variables = tuple(
        low.fresh(mangle(parameter.name).partition("$")[0] if isinstance(parameter, Symbol) else "")
        for parameter in only.parameters
    )
    return Frame(kind, low.frame, name, (len(variables),) if name else (), variables)


def _counts(clause: Clause) -> range:
    """The numbers of arguments that make a jump worth it; a rest parameter has no upper bound."""
    least = len(clause.parameters)
    return range(least, least + (8 if clause.rest is not None else 1))


def _arguments(frame: Frame, at: At) -> ast.arguments:
    captured: list[tuple[str, ast.expr]] = [(name, pyast.load(name, at)) for name in frame.captured]
    if frame.asks_itself and frame.itself == "$self":
        captured.append(("$self", pyast.constant(None, at)))
    if frame.variadic:
        return pyast.parameters([], captured, at, variadic=frame.variables[0])
    return pyast.parameters(frame.variables, captured, at)


def _lower_clauses(
    low: Lowerer, frame: Frame, clauses: Sequence[Clause], name: str, at: At
) -> list[ast.stmt]:
    with low.inside(frame):
        foresight = _worth_two_versions(low, clauses)
        if frame.variadic:
            _lower_by_count(low, clauses, name, at)
        elif foresight is not None:
            _lower_twice(low, clauses[0], foresight, at)
        else:
            _lower_fixed(low, clauses[0], frame.variables, at)
    body = frame.body
    if frame.loops:
        body = [pyast.forever([*_begin_unset(frame, set(), at), *body], at)]
    return [*low.prologue(frame, at), *body]


def _begin_unset(frame: Frame, but: Container[str], at: At) -> list[ast.stmt]:
    """What begins a turn of a loop: variables that begin unset in it, taken from the frame's."""
    names = [name for name in frame.begin_unset if name not in but]
    for name in names:
        del frame.begin_unset[name]
    return [pyast.assign(names, pyast.load("$unset", at), at)] if names else []


def _worth_two_versions(low: Lowerer, clauses: Sequence[Clause]) -> Foresight | None:
    """What is foreseen of a function whose quick version is worth compiling, else None."""
    frame, clause = low.frame, clauses[0]
    names = [parameter.name for parameter in clause.parameters if isinstance(parameter, Symbol)]
    if low.plain or frame.itself == "$self" or frame.name is None or frame.variadic:
        return None
    if len(names) != len(clause.parameters) or len(set(names) - {"_"}) != len(names):
        return None
    if heads_in(clause.body).isdisjoint({frame.name, *CALLBACKS}):
        return None
    foresight = foresee(frame.name, names, clause.body, low.rules.special)
    return foresight if foresight.calls_itself or foresight.loops else None


def _lower_twice(low: Lowerer, clause: Clause, foresight: Foresight, at: At) -> None:
    """A quick version for the kinds of arguments that are foreseen, and a plain one."""
    frame = low.frame
    kinds: dict[str, Kind] = {}
    tests: list[ast.expr] = []
    names = [parameter.name for parameter in clause.parameters if isinstance(parameter, Symbol)]
    for name, variable in zip(names, frame.variables, strict=True):
        kinds[name] = foresight.kind(name)
        if kinds[name] is not ANY:
            asked = pyast.call_support("$type", [pyast.load(variable, at)], at)
            tests.append(pyast.same(asked, pyast.load("$" + kinds[name].name, at), at))
    # a promise about the result holds only while the name still means this very function
    result: Kind | None = None
    if foresight.closed and foresight.calls_itself:
        frame.asks_itself = True
        bound = pyast.load(mangle(foresight.name), at)
        tests.append(pyast.same(bound, pyast.load(frame.itself, at), at))
        result = likely_kind(clause.body, kinds, foresight.name, low.rules.special) or ANY

    def version() -> None:
        _lower_fixed(low, clause, frame.variables, at)

    def quick(result: Kind | None) -> None:
        # a text may be appended to again and again: its size is looked at only when its room is used up
        frame.promise, frame.quick_loops = Promise(tuple(kinds.values()), result), False
        frame.results.clear()
        before = set(frame.begin_unset)
        growing = [v for v, kind in zip(frame.variables, kinds.values(), strict=True) if kind is STR]
        mark = len(low.frame.body)
        for variable in growing:
            low.begin_to_grow(variable, at)

        def promised() -> None:
            low.known.update(zip(frame.variables, kinds.values(), strict=True))
            version()

        body = low.gather(promised)
        for variable in growing:
            del low.growing[variable]
        frame.promise = None
        # the guess was wrong: once more, without a promise about the result
        if result is not None and not all(result.covers(kind) for kind in frame.results):
            del low.frame.body[mark:]
            quick(ANY)
            return
        if result is not None:
            for name in sorted(foresight.builtins):
                low.takes_for_granted(name, at)
        # a call of itself at the end is a jump to the beginning, with nothing bound yet that is bound below
        if frame.quick_loops:
            body = [pyast.forever([*_begin_unset(frame, before, at), *body], at)]
            if frame.loops:
                body.append(pyast.again(at))
        low.frame.body += body

    low.two_versions(tests, lambda: quick(result), version, at)


def _lower_fixed(low: Lowerer, clause: Clause, variables: Sequence[str], at: At) -> None:
    block = Block(low.frame)
    low.frame.blocks.append(block)
    late = _bound_twice(clause)
    for parameter, variable in zip(clause.parameters, variables, strict=True):
        if isinstance(parameter, Symbol) and parameter.name not in ("_", *late):
            block.slots[parameter.name] = Slot(variable, low.frame, parameter=True)
            block.variables[parameter.name] = variable
    _bind_patterns(low, clause, variables)
    low.sequence(clause.body, RETURN, at)
    low.frame.blocks.pop()


def _bind_patterns(low: Lowerer, clause: Clause, variables: Sequence[str]) -> None:
    late = _bound_twice(clause)
    for parameter, variable in zip(clause.parameters, variables, strict=True):
        if not isinstance(parameter, Symbol) or parameter.name in late:
            take_apart(low, parameter, pyast.load(variable, low.at(parameter)))


def _bound_twice(clause: Clause) -> set[str]:
    """Plain parameters whose name a pattern among the parameters binds too: the last one wins."""
    plain = {parameter.name for parameter in clause.parameters if isinstance(parameter, Symbol)}
    patterns = (parameter for parameter in clause.parameters if not isinstance(parameter, Symbol))
    return plain & {parameter.name for pattern in patterns for parameter in names_in(pattern)}


def _lower_by_count(low: Lowerer, clauses: Sequence[Clause], name: str, at: At) -> None:
    """All clauses in one Python function, the first that fits the number of arguments taken."""
    given = low.frame.variables[0]
    count = low.fresh()
    length = pyast.call_support("$len", [pyast.load(given, at)], at)
    low.emit(pyast.assign([count], length, at))
    for clause in clauses:
        least = pyast.constant(len(clause.parameters), at)
        compare = pyast.equals if clause.rest is None else pyast.at_least
        test = compare(pyast.load(count, at), least, at)
        body = low.gather(lambda clause=clause: _lower_clause(low, clause, given, at))  # type: ignore[misc]
        low.emit(pyast.when(test, body, [], at))
    expected = pyast.constant(" or ".join(_described(clause) for clause in clauses), at)
    parts = [pyast.constant(name, at), expected, pyast.load(count, at)]
    low.emit(pyast.give(pyast.call_support("$wrong_count", parts, at), at))


def _described(clause: Clause) -> str:
    return f"{len(clause.parameters)}" + (" or more" if clause.rest is not None else "")


def _lower_clause(low: Lowerer, clause: Clause, given: str, at: At) -> None:
    block = Block(low.frame)
    low.frame.blocks.append(block)
    variables = [low.fresh() for _ in clause.parameters]
    whole: ast.expr = pyast.load(given, at)
    if clause.rest is None:
        if variables:
            low.emit(pyast.assign_each(variables, whole, at))
    else:
        for index, variable in enumerate(variables):
            low.emit(pyast.assign([variable], pyast.item(whole, index, at), at))
    for parameter, variable in zip(clause.parameters, variables, strict=True):
        if isinstance(parameter, Symbol) and parameter.name != "_":
            low.bind(parameter.name, pyast.load(variable, at), at)
    _bind_patterns(low, clause, variables)
    if clause.rest is not None:
        start = pyast.constant(len(variables), at)
        low.bind(clause.rest.name, pyast.call_support("$rest", [whole, start], at), at)
    low.sequence(clause.body, RETURN, at)
    low.frame.blocks.pop()


def take_apart(low: Lowerer, pattern: Form, value: ast.expr) -> None:
    """Bind the names of a checked pattern to the parts of a value held in a variable."""
    at = low.at(pattern)
    match pattern:
        case Symbol():
            if pattern.name != "_":
                low.bind(pattern.name, value, at)
        case ListForm():
            variables = [low.fresh() for _ in pattern.items]
            parts = pyast.call_support("$apart", [value, pyast.constant(len(variables), at)], at)
            low.emit(pyast.assign_each(variables, parts, at) if variables else pyast.run(parts, at))
            for part, variable in zip(pattern.items, variables, strict=True):
                take_apart(low, part, pyast.load(variable, at))
        case MapForm():
            held = low.spill(pyast.call_support("$a_map", [value], at), at)
            for name, default in zip(pattern.items[::2], pattern.items[1::2], strict=True):
                assert isinstance(name, Symbol)
                _take_key(low, held, name, default)


def _take_key(low: Lowerer, held: ast.expr, name: Symbol, default: Form) -> None:
    at = low.at(name)
    key = low.value(KeywordLit(name.start, name.end, name.name))
    bare = isinstance(default, Symbol) and default.name == name.name
    absent = pyast.load("$unit" if bare else "$unset", at)
    looked_up = pyast.call(pyast.attribute(held, "get", at), [key, absent], at)
    if bare:
        low.bind(name.name, looked_up, at)
        return
    variable = low.fresh()
    low.emit(pyast.assign([variable], looked_up, at))
    before = low.bindings()
    otherwise = low.gather(lambda: low.into(default, Destination("variable", variable)))
    low.rejoin(before, before[1], low.bindings()[1])
    missing = pyast.same(pyast.load(variable, at), pyast.load("$unset", at), at)
    low.emit(pyast.when(missing, otherwise, [], at))
    low.bind(name.name, pyast.load(variable, at), at)
