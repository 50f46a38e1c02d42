"""Arithmetic, comparison and logic in place.

Where the kinds of the operands are known, Python's operator stands alone, with a look at the result
if it may leave 64 bits. Where they are not, the operands are asked for their kinds, and all that is
not plainly two ints goes to the builtin: mixed kinds, overflow, division of negatives, mistakes. So
there is one place where errors are worded, and it is called where the operator stands in the text.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.kinds import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    LOOSE,
    Kind,
    noted,
    raw_of,
    whole,
    with_raw,
)
from vcad_kernel.loon.lowering.lower import Inline, Lowerer
from vcad_kernel.loon.lowering.pyast import At
from vcad_kernel.loon.runtime.builtins.arithmetic import INT_MAX, INT_MIN
from vcad_kernel.loon.syntax import (
    BoolLit,
    FloatLit,
    Form,
    IntLit,
    KeywordLit,
    ListForm,
    StringLit,
    Symbol,
)

__all__ = ["INLINE", "Operation", "operation_of"]

_ARITHMETIC: dict[str, Callable[[], ast.operator]] = {"+": ast.Add, "-": ast.Sub, "*": ast.Mult}
_COMPARISONS: dict[str, Callable[[], ast.cmpop]] = {
    "<": ast.Lt,
    ">": ast.Gt,
    "<=": ast.LtE,
    ">=": ast.GtE,
}
_NUMBERS = ("int", "float")
_SMALL = (1 << 30) - 1
"""The largest int that Python keeps in one digit."""


class Operation:
    """One application of an operator that is being lowered."""

    def __init__(self, low: Lowerer, name: str, head: ast.expr, at: At) -> None:
        self.low = low
        self.name = name
        self.head = head
        self.at = at
        self.flags = low.takes_for_granted(name, at)
        self.sure = not self.flags
        """Whether the builtin itself is meant, so that its result is known too."""

    def call(self, left: ast.expr, right: ast.expr, kind: Kind = ANY) -> ast.expr:
        """The builtin, or what the name means by now."""
        return noted(pyast.call(self.head, [left, right], self.at), kind if self.sure else ANY)

    def held(self, left: ast.expr, right: ast.expr) -> tuple[ast.expr, ast.expr]:
        """Operands that may be read again."""
        return self.low.hold(left, self.at), self.low.hold(right, self.at)

    def is_kind(self, value: ast.expr, kind: str) -> list[ast.expr]:
        """What must be asked to know that a held value is of a kind; nothing if it is known."""
        low, at = self.low, self.at
        if low.kind(value).name == kind:
            return []
        test = pyast.same(pyast.call_support("$type", [value], at), pyast.load("$" + kind, at), at)
        if not isinstance(value, ast.Name):
            return [test]
        about = (value.id, kind)
        held = low.before_loop(*about, lambda _head, variable: pyast.assign([variable], test, at))
        held = held or low.asked.get(about)
        if held is None and low.occurs_often(value.id):
            held = low.fresh()
            low.emit(pyast.assign([held], test, at))
            low.asked[about] = held
        return [test if held is None else pyast.load(held, at)]

    def are_kind(self, values: Sequence[ast.expr], kind: str) -> list[ast.expr]:
        """What must be asked to know that held values are all of a kind."""
        asked: set[str] = set()
        tests: list[ast.expr] = []
        for value in values:
            if not (isinstance(value, ast.Name) and value.id in asked):
                tests += self.is_kind(value, kind)
            if isinstance(value, ast.Name):
                asked.add(value.id)
        return tests

    def checked(self, tests: list[ast.expr], value: ast.expr, otherwise: ast.expr) -> ast.expr:
        """The quick value if the flags and tests hold."""
        tests = [*self.flags, *tests]
        return pyast.choose(pyast.every(tests, self.at), value, otherwise, self.at) if tests else value


def operation_of(low: Lowerer, form: ListForm, at: At) -> tuple[Operation, list[ast.expr]] | None:
    """The operator and its operands' values, in the order in which they are written.

    None where a call is as good: at the top level, whose code runs once, and outside of quick versions
    unless the operands are literals and local variables. More would cost time to compile in functions
    that are seldom called often; and a call among the operands could rebind the operator, which must
    be looked up first.
    """
    head = form.items[0]
    assert isinstance(head, Symbol)
    if low.assumed is None and (
        low.frame.kind == "form" or not all(_is_simple(low, item) for item in form.items[1:])
    ):
        return None
    function = low.read(head.name, low.at(head))
    values = low.operands(form.items[1:])
    return Operation(low, head.name, function, at), values


def _is_simple(low: Lowerer, form: Form) -> bool:
    if isinstance(form, Symbol):
        slots = low.frame.lookup(form.name)
        return bool(slots) and slots[-1].definite
    return isinstance(form, IntLit | FloatLit | BoolLit | StringLit | KeywordLit)


def lower_arithmetic(low: Lowerer, form: ListForm, at: At) -> ast.expr | None:
    """``+``, ``-`` and ``*``; of more than two operands only where they may all be ints."""
    count = len(form.items) - 1
    name = form.items[0]
    assert isinstance(name, Symbol)
    if count < 2 or (count > 2 and name.name == "-"):
        return None
    matched = operation_of(low, form, at)
    if matched is None:
        return None
    operation, values = matched
    if count == 2:
        return _arithmetic(operation, values[0], values[1])
    values = [low.hold(value, at) for value in values]
    kinds = [low.kind(value) for value in values]
    if not all(kind.name in ("any", "int") and kind.fits for kind in kinds):
        return pyast.call(operation.head, values, at)
    tests = operation.are_kind(values, "int")
    total, bounds = values[0], kinds[0] if kinds[0].name == "int" else INT
    for value, kind in zip(values[1:], kinds[1:], strict=True):
        total = pyast.binary(total, _ARITHMETIC[name.name](), value, at)
        bounds = _bounds(name.name, bounds, kind if kind.name == "int" else INT)
    result, inside = _within(low, total, bounds, at)
    return operation.checked([*tests, *inside], result, pyast.call(operation.head, values, at))


def _arithmetic(operation: Operation, left: ast.expr, right: ast.expr) -> ast.expr:
    low, at = operation.low, operation.at
    a, b = low.kind(left), low.kind(right)
    if not {a.name, b.name} <= {"any", *_NUMBERS}:
        return operation.call(left, right)
    if not (a.fits and b.fits):
        return _summed(operation, left, right)
    if FLOAT in (a, b):
        return _of_floats(operation, left, right)
    operator = _ARITHMETIC[operation.name]()
    if operation.sure and a.name == b.name == "int":
        (left, a), (right, b) = raw_of(left, a), raw_of(right, b)
        return _bounded(low, pyast.binary(left, operator, right, at), _bounds(operation.name, a, b), at)
    left, right = operation.held(left, right)
    tests = operation.are_kind([left, right], "int")
    bounds = _bounds(operation.name, a if a.name == "int" else INT, b if b.name == "int" else INT)
    value, inside = _within(low, pyast.binary(left, operator, right, at), bounds, at)
    result = operation.checked([*tests, *inside], value, operation.call(left, right))
    if operation.sure and len(tests) == 1 and isinstance(tests[0], ast.Name):
        # The result is an int just when the one operand is that is not known to be one.
        held = low.hold(result, at)
        assert isinstance(held, ast.Name)
        low.asked[held.id, "int"] = tests[0].id
        return held
    return result


def _of_floats(operation: Operation, left: ast.expr, right: ast.expr) -> ast.expr:
    """A float and a number: a float in any case."""
    low, at = operation.low, operation.at
    tests: list[ast.expr] = []
    if not operation.sure or "any" in (low.kind(left).name, low.kind(right).name):
        left, right = operation.held(left, right)
        tests = [
            test
            for side in (left, right)
            if low.kind(side).name == "any"
            for test in operation.is_kind(side, "float")
        ]
    value = noted(pyast.binary(left, _ARITHMETIC[operation.name](), right, at), FLOAT)
    called = operation.call(left, right, FLOAT)
    return noted(operation.checked(tests, value, called), FLOAT if operation.sure else ANY)


def _bounds(name: str, a: Kind, b: Kind) -> Kind:
    if name == "+":
        return whole(a.low + b.low, a.high + b.high)
    if name == "-":
        return whole(a.low - b.high, a.high - b.low)
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return whole(min(corners), max(corners))


def _within(low: Lowerer, raw: ast.expr, bounds: Kind, at: At) -> tuple[ast.expr, list[ast.expr]]:
    """A result and the tests, the last of which makes it, that it is within 64 bits."""
    if bounds.fits:
        return noted(raw, bounds), []
    variable = low.fresh()
    made = pyast.walrus(variable, raw, at)
    test: ast.expr
    if bounds.low >= INT_MIN:
        test = pyast.compare(made, ast.LtE(), pyast.constant(INT_MAX, at), at)
    elif bounds.high <= INT_MAX:
        test = pyast.compare(made, ast.GtE(), pyast.constant(INT_MIN, at), at)
    elif isinstance(raw, ast.BinOp) and isinstance(raw.op, ast.Mult):
        test = pyast.between(INT_MIN, made, INT_MAX, at)
    else:
        # Small ints are compared much faster than large ones, and sums and differences mostly are.
        small = pyast.between(-_SMALL, made, _SMALL, at)
        test = pyast.some([small, pyast.between(INT_MIN, pyast.load(variable, at), INT_MAX, at)], at)
    return noted(pyast.load(variable, at), INT), [test]


def _bounded(low: Lowerer, raw: ast.expr, bounds: Kind, at: At) -> ast.expr:
    """A result of known ints, wrapped where it can leave 64 bits and does."""
    value, tests = _within(low, raw, bounds, at)
    if not tests:
        return value
    wrapped = pyast.call_support("$wrap", [value], at)
    return with_raw(noted(pyast.choose(tests[0], value, wrapped, at), INT), raw, bounds)


def _summed(operation: Operation, left: ast.expr, right: ast.expr) -> ast.expr:
    """A step of a sum that is wrapped at its end; see loops.py."""
    low, at = operation.low, operation.at
    total, added = (left, right) if not low.kind(left).fits else (right, left)
    kind = low.kind(added)
    wrapped = pyast.call_support("$wrap", [total], at)
    if kind.name == "any" and low.give_up is not None:
        give_up, added = low.give_up, low.hold(added, at)
        first, second = (wrapped, added) if total is left else (added, wrapped)
        body = low.gather(lambda: give_up(operation.call(first, second)))
        asked = pyast.call_support("$type", [added], at)
        low.emit(pyast.when(pyast.differ(asked, pyast.load("$int", at), at), body, [], at))
    elif kind.name != "int":
        return operation.call(wrapped, added) if total is left else operation.call(added, wrapped)
    added, _ = raw_of(added, kind)
    first, second = (total, added) if total is left else (added, total)
    return noted(pyast.binary(first, _ARITHMETIC[operation.name](), second, at), LOOSE)


def lower_comparison(low: Lowerer, form: ListForm, at: At) -> ast.expr | None:
    """Two ints or two floats."""
    matched = operation_of(low, form, at) if len(form.items) == 3 else None
    if matched is None:
        return None
    operation, (left, right) = matched
    a, b = low.kind(left), low.kind(right)
    kinds = {a.name, b.name}
    if not kinds <= {"any", *_NUMBERS} or kinds == set(_NUMBERS):
        return operation.call(left, right, BOOL)
    wanted = "float" if "float" in kinds else "int"
    if not operation.sure or "any" in kinds:
        left, right = operation.held(left, right)
    tests = operation.are_kind([left, right], wanted)
    value = noted(pyast.compare(left, _COMPARISONS[operation.name](), right, at), BOOL)
    whole_value = operation.checked(tests, value, operation.call(left, right, BOOL))
    return noted(whole_value, BOOL if operation.sure else ANY)


def lower_equality(low: Lowerer, form: ListForm, at: At) -> ast.expr | None:
    """Equality where one side is a literal or of a known plain kind, or both are ints."""
    matched = operation_of(low, form, at) if len(form.items) == 3 else None
    if matched is None:
        return None
    operation, (left, right) = matched
    left, right = operation.held(left, right)
    if isinstance(form.items[1], KeywordLit) or isinstance(form.items[2], KeywordLit):
        other = any(isinstance(side, ast.Constant) for side in (left, right))
        value = pyast.constant(False, at) if other else noted(pyast.same(left, right, at), BOOL)
    else:
        a, b = low.kind(left).name, low.kind(right).name
        plain = next((name for name in ("int", "float", "str", "bool") if name in (a, b)), None)
        same = noted(pyast.equals(left, right, at), BOOL)
        if plain is None:
            tests = operation.are_kind([left, right], "int")
            whole_value = operation.checked(tests, same, operation.call(left, right, BOOL))
            return noted(whole_value, BOOL if operation.sure else ANY)
        if plain == "bool":
            same = noted(pyast.same(left, right, at), BOOL)
            tests = []
        else:
            tests = operation.are_kind([left, right], plain)
        value = noted(pyast.every([*tests, same], at), BOOL)
    return noted(operation.checked([], value, operation.call(left, right)), BOOL if operation.sure else ANY)


def lower_division(low: Lowerer, form: ListForm, at: At) -> ast.expr | None:
    """By a positive int: of ints, toward zero; by a float other than 0: of floats."""
    matched = operation_of(low, form, at) if len(form.items) == 3 else None
    if matched is None:
        return None
    operation, (left, right) = matched
    a, b = low.kind(left), low.kind(right)
    if operation.name == "/" and b is FLOAT and isinstance(right, ast.Constant) and right.value:
        return _divided_by_float(operation, left, right)
    if not (b.name == "int" and b.low > 0 and a.name in ("any", "int")):
        both = a.name == b.name == "int" or operation.name == "%"
        return operation.call(left, right, INT if both else ANY)
    left, right = operation.held(left, right)
    operator = ast.FloorDiv if operation.name == "/" else ast.Mod
    value: ast.expr = pyast.binary(left, operator(), right, at)
    if operation.name == "/":
        bounds = whole(-(-min(a.low, 0) // b.low), max(a.high, 0) // b.low)
    else:
        bounds = whole(0 if a.low >= 0 else 1 - b.high, b.high - 1)
    if a.name != "int":
        bounds = INT if operation.name == "/" else whole(1 - b.high, b.high - 1)
        not_negative = pyast.compare(left, ast.GtE(), pyast.constant(0, at), at)
        value = noted(value, INT)
        result = operation.call(left, right, INT if operation.name == "%" else ANY)
        checked = operation.checked([*operation.is_kind(left, "int"), not_negative], value, result)
        return noted(checked, bounds if operation.sure and operation.name == "%" else ANY)
    if a.low < 0:
        opposite = ast.UnaryOp(ast.USub(), left, **pyast.placed(at))
        back = ast.UnaryOp(ast.USub(), pyast.binary(opposite, operator(), right, at), **pyast.placed(at))
        value = pyast.choose(pyast.compare(left, ast.GtE(), pyast.constant(0, at), at), value, back, at)
    value = noted(value, bounds)
    return noted(operation.checked([], value, operation.call(left, right)), bounds if operation.sure else ANY)


def _divided_by_float(operation: Operation, left: ast.expr, right: ast.expr) -> ast.expr:
    low, at = operation.low, operation.at
    kind = low.kind(left).name
    if kind not in ("any", *_NUMBERS):
        return operation.call(left, right)
    left = low.hold(left, at)
    tests = operation.is_kind(left, "float") if kind == "any" else []
    value = noted(pyast.binary(left, ast.Div(), right, at), FLOAT)
    whole_value = operation.checked(tests, value, operation.call(left, right, FLOAT))
    return noted(whole_value, FLOAT if operation.sure else ANY)


def lower_not(low: Lowerer, form: ListForm, at: At) -> ast.expr | None:
    """Negated truth, where the builtin is sure."""
    if len(form.items) != 2 or low.assumed is None:
        return None
    low.takes_for_granted("not", at)
    return noted(pyast.negated(low.condition(form.items[1]), at), BOOL)


def lower_logic(low: Lowerer, form: ListForm, at: At) -> ast.expr | None:
    """Of bools, where the builtin is sure. All operands are evaluated, those that cannot fail when needed."""
    if len(form.items) < 3 or low.assumed is None:
        return None
    head = form.items[0]
    assert isinstance(head, Symbol)
    low.takes_for_granted(head.name, at)
    values = low.operands(form.items[1:])
    if not all(low.kind(value) is BOOL for value in values):
        return low.call(low.read(head.name, low.at(head)), values, at)
    if not all(_is_quiet(value) for value in values[1:]):
        values = [low.hold(value, at) for value in values]
    join = pyast.every if head.name == "and" else pyast.some
    return noted(join(values, at), BOOL)


def _is_quiet(value: ast.expr) -> bool:
    """Whether evaluating an expression has no effect and cannot fail."""
    return not any(isinstance(part, ast.Call) for part in ast.walk(value))


INLINE: Mapping[str, Inline] = {
    **dict.fromkeys(("+", "-", "*"), lower_arithmetic),
    **dict.fromkeys(("<", ">", "<=", ">="), lower_comparison),
    "=": lower_equality,
    **dict.fromkeys(("/", "%"), lower_division),
    "not": lower_not,
    **dict.fromkeys(("and", "or"), lower_logic),
}
"""How calls of builtins are done in place, by name."""
