"""Python syntax nodes with positions, in one call each.

``At`` is line, column, end line, end column as Python's AST wants them (lines from 1, columns from
0); columns count code points, which Python stores and hands back as they are.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, TypeAlias

At: TypeAlias = tuple[int, int, int, int]

_LOAD = ast.Load()
_STORE = ast.Store()


def placed(at: At) -> dict[str, Any]:
    """The position as the fields of a node."""
    return {"lineno": at[0], "col_offset": at[1], "end_lineno": at[2], "end_col_offset": at[3]}


def load(name: str, at: At) -> ast.Name:
    """Read a variable."""
    return ast.Name(name, _LOAD, **placed(at))


def store(name: str, at: At) -> ast.Name:
    """A variable as the target of an assignment."""
    return ast.Name(name, _STORE, **placed(at))


def constant(value: bool | int | float | str | None, at: At) -> ast.Constant:
    """A literal."""
    return ast.Constant(value, **placed(at))


def keep(value: tuple[object, ...], at: At) -> ast.Assign:
    """A constant that is kept with the code for those who read it, not for the program."""
    return ast.Assign([store("$kept", at)], ast.Constant(value, **placed(at)), **placed(at))  # type: ignore[arg-type]


def call(function: ast.expr, arguments: Sequence[ast.expr], at: At) -> ast.Call:
    """A call."""
    return ast.Call(function, list(arguments), [], **placed(at))


def call_support(name: str, arguments: Sequence[ast.expr], at: At) -> ast.Call:
    """A call of one of the compiler's own functions."""
    return call(load(name, at), arguments, at)


def items(values: Sequence[ast.expr], at: At) -> ast.List:
    """A Python list."""
    return ast.List(list(values), _LOAD, **placed(at))


def tuple_of(values: Sequence[ast.expr], at: At) -> ast.Tuple:
    """A Python tuple."""
    return ast.Tuple(list(values), _LOAD, **placed(at))


def assign(targets: Sequence[str], value: ast.expr, at: At) -> ast.Assign:
    """The same value to one or several variables."""
    return ast.Assign([store(name, at) for name in targets], value, **placed(at))


def assign_each(targets: Sequence[str], value: ast.expr, at: At) -> ast.Assign:
    """The items of a value to variables, one each."""
    target = ast.Tuple([store(name, at) for name in targets], _STORE, **placed(at))
    return ast.Assign([target], value, **placed(at))


def walrus(name: str, value: ast.expr, at: At) -> ast.NamedExpr:
    """Assign within an expression."""
    return ast.NamedExpr(store(name, at), value, **placed(at))


def run(value: ast.expr, at: At) -> ast.Expr:
    """Evaluate for the effect."""
    return ast.Expr(value, **placed(at))


def give(value: ast.expr, at: At) -> ast.Return:
    """Return from the function."""
    return ast.Return(value, **placed(at))


def when(test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt], at: At) -> ast.If:
    """A conditional statement; an empty body does nothing."""
    return ast.If(test, body or [ast.Pass(**placed(at))], orelse, **placed(at))


def choose(test: ast.expr, value: ast.expr, other: ast.expr, at: At) -> ast.IfExp:
    """A conditional expression."""
    return ast.IfExp(test, value, other, **placed(at))


def compare(left: ast.expr, operator: ast.cmpop, right: ast.expr, at: At) -> ast.Compare:
    """``left operator right``."""
    return ast.Compare(left, [operator], [right], **placed(at))


def between(low: int, value: ast.expr, high: int, at: At) -> ast.Compare:
    """``low <= value <= high``."""
    bounds = [constant(low, at), constant(high, at)]
    return ast.Compare(bounds[0], [ast.LtE(), ast.LtE()], [value, bounds[1]], **placed(at))


def binary(left: ast.expr, operator: ast.operator, right: ast.expr, at: At) -> ast.BinOp:
    """``left operator right``."""
    return ast.BinOp(left, operator, right, **placed(at))


def negated(value: ast.expr, at: At) -> ast.expr:
    """``not value``, for a truth."""
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not):
        return value.operand
    return ast.UnaryOp(ast.Not(), value, **placed(at))


def same(left: ast.expr, right: ast.expr, at: At) -> ast.Compare:
    """``left is right``."""
    return compare(left, ast.Is(), right, at)


def differ(left: ast.expr, right: ast.expr, at: At) -> ast.Compare:
    """``left is not right``."""
    return compare(left, ast.IsNot(), right, at)


def equals(left: ast.expr, right: ast.expr, at: At) -> ast.Compare:
    """``left == right``."""
    return compare(left, ast.Eq(), right, at)


def at_least(left: ast.expr, right: ast.expr, at: At) -> ast.Compare:
    """``left >= right``."""
    return compare(left, ast.GtE(), right, at)


def within(left: ast.expr, right: ast.expr, at: At, *, inverted: bool = False) -> ast.Compare:
    """``left in right``, or not in."""
    return compare(left, ast.NotIn() if inverted else ast.In(), right, at)


def every(tests: Sequence[ast.expr], at: At) -> ast.expr:
    """``a and b and …`` of one or more."""
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), list(tests), **placed(at))


def some(tests: Sequence[ast.expr], at: At) -> ast.expr:
    """``a or b or …`` of one or more."""
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), list(tests), **placed(at))


def attribute(value: ast.expr, name: str, at: At) -> ast.Attribute:
    """``value.name``."""
    return ast.Attribute(value, name, _LOAD, **placed(at))


def item(value: ast.expr, index: int, at: At) -> ast.Subscript:
    """``value[index]``."""
    return ast.Subscript(value, constant(index, at), _LOAD, **placed(at))


def forever(body: list[ast.stmt], at: At) -> ast.While:
    """An endless loop."""
    return ast.While(constant(True, at), body, [], **placed(at))


def again(at: At) -> ast.Continue:
    """The next turn of the loop."""
    return ast.Continue(**placed(at))


def stop(at: At) -> ast.Break:
    """Leave the loop."""
    return ast.Break(**placed(at))


def loop(variable: str, over: ast.expr, body: list[ast.stmt], at: At) -> ast.For:
    """``for variable in over``."""
    return ast.For(store(variable, at), over, body or [ast.Pass(**placed(at))], [], **placed(at))


def attempt(body: list[ast.stmt], catch: str, name: str, handler: list[ast.stmt], at: At) -> ast.Try:
    """``try`` with one ``except``."""
    return ast.Try(
        body, [ast.ExceptHandler(load(catch, at), name, handler, **placed(at))], [], [], **placed(at)
    )


def shared(names: Sequence[str], at: At) -> ast.Nonlocal:
    """Variables of the enclosing function that are assigned here."""
    return ast.Nonlocal(list(names), **placed(at))


def global_names(names: Sequence[str], at: At) -> ast.Global:
    """Global variables that are assigned here."""
    return ast.Global(list(names), **placed(at))


def parameters(
    names: Sequence[str], captured: Sequence[tuple[str, ast.expr]], at: At, *, variadic: str | None = None
) -> ast.arguments:
    """Positional parameters, and keyword-only ones that hold what was captured."""
    return ast.arguments(
        posonlyargs=[ast.arg(name, **placed(at)) for name in names],
        args=[],
        vararg=None if variadic is None else ast.arg(variadic, **placed(at)),
        kwonlyargs=[ast.arg(name, **placed(at)) for name, _ in captured],
        kw_defaults=[value for _, value in captured],
        kwarg=None,
        defaults=[],
    )


def define(name: str, arguments: ast.arguments, body: list[ast.stmt], at: At) -> ast.FunctionDef:
    """A function."""
    return ast.FunctionDef(name, arguments, body, [], **placed(at))


def function(arguments: ast.arguments, value: ast.expr, at: At) -> ast.Lambda:
    """A function of one expression."""
    return ast.Lambda(arguments, value, **placed(at))


def zero_argument_module(name: str, body: list[ast.stmt], at: At) -> ast.Module:
    """A module that holds one function without parameters."""
    return ast.Module([define(name, parameters([], [], at), body, at)], [])
