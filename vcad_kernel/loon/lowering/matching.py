"""The arms of a match: patterns as Python conditions, arms as branches.

A pattern is a condition without side effects plus variables to bind. An arm with a guard, or whose
pattern is an expression, first works out whether it is taken; so arms never need loops or labels.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, fields

from vcad_kernel.loon import syntax
from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.lower import Destination, Lowerer
from vcad_kernel.loon.lowering.pyast import At
from vcad_kernel.loon.lowering.scope import Block, Slot
from vcad_kernel.loon.names import mangle
from vcad_kernel.loon.runtime.values import shape_of
from vcad_kernel.loon.shapes import Case
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

__all__ = ["lower_arms"]


@dataclass(slots=True)
class _Tested:
    """What a pattern needs: tests that must hold, and names for parts of the subject.

    maybe: names that are bound only if no constructor of that name exists when the program runs;
    unpacked: values of constructors whose fields are all bound to names.
    """

    tests: list[ast.expr] = field(default_factory=list)
    names: list[tuple[Symbol, ast.expr]] = field(default_factory=list)
    unpacked: list[tuple[ast.expr, tuple[Symbol, ...]]] = field(default_factory=list)
    maybe: list[tuple[Symbol, ast.expr]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Subject:
    """The variable that holds the value, and the one that holds its tag (None: it has none) if any."""

    variable: str
    tag: str | None


def lower_arms(low: Lowerer, value: Form, arms: list[Case], destination: Destination, at: At) -> None:
    """The arms of a match on a value: the first that fits is taken. A guard is the condition alone."""
    subject = low.value(value)
    # Only what stands between the patterns could bind the variable anew while they are tried.
    between = any(arm.guard is not None or _is_expression(arm.pattern) for arm in arms)
    subject = (low.spill if between else low.hold)(subject, at)
    if isinstance(subject, ast.Constant):
        variable = low.fresh()
        low.emit(pyast.assign([variable], subject, at))
        subject = pyast.load(variable, at)
    assert isinstance(subject, ast.Name)
    tag = None
    if sum(_asks_tag(low, arm.pattern) for arm in arms) > 1:
        tag = low.fresh()
        held = pyast.choose(
            _is_adt(subject, at), pyast.attribute(subject, "tag", at), pyast.constant(None, at), at
        )
        low.emit(pyast.assign([tag], held, at))
    _lower_arms(low, arms, _Subject(subject.id, tag), destination, at)


def _asks_tag(low: Lowerer, pattern: Form) -> bool:
    """Whether a pattern begins by asking for the value's tag."""
    if isinstance(pattern, Symbol):
        return _may_be_constructor(low, pattern)
    return isinstance(pattern, ListForm) and bool(pattern.items) and not _is_expression(pattern)


def _may_be_constructor(low: Lowerer, symbol: Symbol) -> bool:
    """Whether a pattern's name may be that of a constructor when the program runs: no variable surely is."""
    slots = low.frame.lookup(symbol.name) if "A" <= symbol.name[0] <= "Z" else None
    return slots is not None and not (slots and slots[-1].definite)


def _lower_arms(low: Lowerer, arms: list[Case], subject: _Subject, destination: Destination, at: At) -> None:
    if not arms:
        failure = pyast.call_support("$no_match", [pyast.load(subject.variable, at)], at)
        low.put(failure, destination, at)
        return
    arm, others = arms[0], arms[1:]
    place = low.at(arm.pattern)
    if _is_expression(arm.pattern):
        tested = _Tested([low.condition(arm.pattern)])
    else:
        tested = _Tested()
        _test(low, arm.pattern, pyast.load(subject.variable, place), tested, subject.tag)
    before = low.bindings()
    if arm.guard is None:
        body = low.gather(lambda: _lower_body(low, arm, tested, destination))
        chosen = pyast.every(tested.tests, place) if tested.tests else None
    elif destination.kind == "return":
        body = low.gather(lambda: _lower_guarded(low, arm, tested, destination, None))
        chosen = pyast.every(tested.tests, place) if tested.tests else pyast.constant(True, place)
    else:
        taken = low.fresh()
        low.emit(pyast.assign([taken], pyast.constant(False, place), place))
        body = low.gather(lambda: _lower_guarded(low, arm, tested, destination, taken))
        if tested.tests:
            low.emit(pyast.when(pyast.every(tested.tests, place), body, [], place))
        else:
            low.frame.body += body
        low.rejoin(before, before[1], low.bindings()[1])
        remaining = low.gather(lambda: _lower_arms(low, others, subject, destination, at))
        low.emit(pyast.when(pyast.load(taken, place), [], remaining, place))
        low.rejoin(before, before[1], low.bindings()[1])
        return
    if chosen is None:
        low.frame.body += body
        return
    low.rejoin(before, before[1], low.bindings()[1])
    remaining = low.gather(lambda: _lower_arms(low, others, subject, destination, at))
    low.rejoin(before, before[1], low.bindings()[1])
    if destination.kind == "return":
        low.emit(pyast.when(chosen, body, [], place))
        low.frame.body += remaining
    else:
        low.emit(pyast.when(chosen, body, remaining, place))


def _lower_body(low: Lowerer, arm: Case, tested: _Tested, destination: Destination) -> None:
    _in_arm(low, arm, tested, lambda: low.into(arm.body, destination))


def _lower_guarded(
    low: Lowerer, arm: Case, tested: _Tested, destination: Destination, taken: str | None
) -> None:
    def guarded() -> None:
        assert arm.guard is not None
        place = low.at(arm.guard)
        condition = low.condition(arm.guard)
        before = low.bindings()
        body = low.gather(lambda: low.into(arm.body, destination))
        low.rejoin(before, before[1], low.bindings()[1])
        if taken is not None:
            body.insert(0, pyast.assign([taken], pyast.constant(True, place), place))
        low.emit(pyast.when(condition, body, [], place))

    _in_arm(low, arm, tested, guarded)


def _in_arm(low: Lowerer, arm: Case, tested: _Tested, lower: Callable[[], None]) -> None:
    """Lower in a new scope that holds the pattern's variables."""
    low.frame.blocks.append(block := Block(low.frame))
    for value, symbols in tested.unpacked:
        variables = [low.fresh(mangle(symbol.name).partition("$")[0]) for symbol in symbols]
        at = low.at(symbols[0])
        low.emit(pyast.assign_each(variables, pyast.attribute(value, "fields", at), at))
        for symbol, variable in zip(symbols, variables, strict=True):
            if symbol.name != "_":
                block.variables[symbol.name] = variable
                block.slots[symbol.name] = Slot(variable, low.frame)
    for symbol, part in tested.names:
        low.bind(symbol.name, part, low.at(symbol))
    for symbol, part in tested.maybe:
        if not _mentions(arm.body, symbol.name) and not (arm.guard and _mentions(arm.guard, symbol.name)):
            continue
        at = low.at(symbol)
        constructor = _is_constructor(symbol, at)
        low.bind(symbol.name, pyast.choose(constructor, pyast.load("$unset", at), part, at), at)
        block.slots[symbol.name] = block.slots[symbol.name].doubtful()
    lower()
    low.frame.blocks.pop()


def _is_expression(pattern: Form) -> bool:
    """A list that does not begin with an upper-case name is evaluated and stands for its truth.

    So does a string with expressions in it, which is a call of ``str`` in other clothes: it fits anything.
    """
    if isinstance(pattern, syntax.Interpolation):
        return True
    if not isinstance(pattern, ListForm) or not pattern.items:
        return False
    head = pattern.items[0]
    return not (isinstance(head, Symbol) and "A" <= head.name[0] <= "Z")


def _is_constructor(symbol: Symbol, at: At, *, inverted: bool = False) -> ast.expr:
    known = pyast.load("$nullary", at)
    return pyast.within(pyast.constant(symbol.name, at), known, at, inverted=inverted)


def _test(low: Lowerer, pattern: Form, part: ast.expr, tested: _Tested, tag: str | None = None) -> None:
    """Add what a pattern demands of ``part``, an expression that may be evaluated more than once.

    tag: the variable that holds its tag, if there is one.
    """
    at = low.at(pattern)
    tests = tested.tests
    match pattern:
        case Symbol(name="_"):
            return
        case Symbol(name=name) if _may_be_constructor(low, pattern):
            part = _held(low, part, tests, at)
            tagged = _has_tag(part, name, tag, at)
            tests.append(pyast.some([tagged, _is_constructor(pattern, at, inverted=True)], at))
            tested.maybe.append((pattern, part))
        case Symbol():
            tested.names.append((pattern, part))
        case syntax.BoolLit(value=truth):
            tests.append(pyast.same(part, pyast.constant(truth, at), at))
        case syntax.KeywordLit(name=name):
            tests.append(pyast.same(part, low.keyword(name, at), at))
        case syntax.IntLit() | syntax.FloatLit() | syntax.StringLit():
            part = _held(low, part, tests, at)
            kind = "$" + type(pattern.value).__name__
            asked = pyast.call_support("$type", [part], at)
            tests.append(pyast.same(asked, pyast.load(kind, at), at))
            tests.append(pyast.equals(part, pyast.constant(pattern.value, at), at))
        case ListForm(items=(Symbol(name=constructor), *parts)) if "A" <= constructor[0] <= "Z":
            part = _held(low, part, tests, at)
            tests.append(_has_tag(part, constructor, tag, at))
            shape = pyast.constant(shape_of(constructor, len(parts)), at)
            tests.append(pyast.equals(pyast.attribute(part, "shape", at), shape, at))
            names = [
                name for name in parts if isinstance(name, Symbol) and not _may_be_constructor(low, name)
            ]
            if len(names) == len(parts) and sum(name.name != "_" for name in names) > 1:
                tested.unpacked.append((part, tuple(names)))
                return
            for index, inner in enumerate(parts):
                _test(low, inner, pyast.item(pyast.attribute(part, "fields", at), index, at), tested)
        case ListForm(items=(_, *_)) | syntax.Interpolation():
            tests.append(low.condition(pattern))
        case _:
            tests.append(pyast.constant(False, at))  # other literals are patterns that fit nothing


def _has_tag(part: ast.expr, constructor: str, tag: str | None, at: At) -> ast.expr:
    """Whether a value was made by a constructor of that name, with any number of fields."""
    if tag is not None:
        return pyast.equals(pyast.load(tag, at), pyast.constant(constructor, at), at)
    is_it = pyast.equals(pyast.attribute(part, "tag", at), pyast.constant(constructor, at), at)
    return pyast.every([_is_adt(part, at), is_it], at)


def _is_adt(part: ast.expr, at: At) -> ast.expr:
    return pyast.same(pyast.call_support("$type", [part], at), pyast.load("$Adt", at), at)


def _held(low: Lowerer, part: ast.expr, tests: list[ast.expr], at: At) -> ast.expr:
    """``part`` in a variable, set by a test that always holds."""
    if isinstance(part, ast.Name):
        return part
    variable = low.fresh()
    tests.append(pyast.differ(pyast.walrus(variable, part, at), pyast.load("$unset", at), at))
    return pyast.load(variable, at)


def _mentions(form: Form, name: str) -> bool:
    """Whether a symbol of that name, or a field access on it, occurs in a form.

    Not within quotes, which are never run.
    """
    if isinstance(form, Symbol):
        return form.name == name or form.name.startswith(name + ".")
    for spec in fields(form):
        value = getattr(form, spec.name)
        if isinstance(value, tuple) and any(_mentions(item, name) for item in value):
            return True
    return False
