"""Length, items and text in place: what builtins find in a vector, or put at a text's end."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.emitter import LoopHead
from vcad_kernel.loon.lowering.intrinsics.operators import operation_of
from vcad_kernel.loon.lowering.kinds import ANY, STR, VECTOR, noted, whole
from vcad_kernel.loon.lowering.lower import Inline, Lowerer
from vcad_kernel.loon.lowering.pyast import At
from vcad_kernel.loon.syntax import ListForm, Symbol

__all__ = ["INLINE"]


def lower_length(low: Lowerer, form: ListForm, at: At) -> ast.expr | None:
    """Of a vector."""
    matched = operation_of(low, form, at) if len(form.items) == 2 else None
    if matched is None:
        return None
    operation, (value,) = matched
    value = low.hold(value, at)
    kind = whole(0, (1 << 62) - 1)
    called = pyast.call(operation.head, [value], at)
    quick = noted(pyast.call_support("$len", [value], at), kind)
    tests = operation.is_kind(value, "Vector") if low.kind(value) is not VECTOR else []
    return noted(operation.checked(tests, quick, called), kind if operation.sure else ANY)


def lower_nth(low: Lowerer, form: ListForm, at: At) -> ast.expr | None:
    """Within a loop, of a vector that it leaves as it is: the items are at hand."""
    if low.assumed is None or len(form.items) != 3 or not low.loops:
        return None
    matched = operation_of(low, form, at)
    assert matched is not None
    operation, (vector, index) = matched
    if low.kind(index).name in ("any", "int") and isinstance(vector, ast.Name):
        items = low.before_loop(vector.id, "items", lambda head, held: _at_hand(vector, head, held, at))
        if items is not None:
            index = low.hold(index, at)
            kind = low.kind(index)
            held = pyast.load(items, at)
            count = low.before_loop(vector.id, "count", lambda _head, held: _count(items, held, at))
            assert count is not None
            inside = pyast.compare(index, ast.Lt(), pyast.load(count, at), at)
            tests = [*operation.is_kind(index, "int"), inside]
            if kind.name != "int" or kind.low < 0:
                tests.insert(-1, pyast.compare(index, ast.GtE(), pyast.constant(0, at), at))
            value = ast.Subscript(held, index, ast.Load(), **pyast.placed(at))
            return operation.checked(tests, value, operation.call(vector, index))
    return operation.call(vector, index)


def _at_hand(vector: ast.expr, head: LoopHead, held: str, at: At) -> ast.stmt:
    return pyast.assign([held], pyast.call_support("$at_hand", [vector, head.turns], at), at)


def _count(items: str, held: str, at: At) -> ast.stmt:
    return pyast.assign([held], pyast.call_support("$len", [pyast.load(items, at)], at), at)


def lower_appending(low: Lowerer, form: ListForm, at: At) -> ast.expr | None:
    """Text that grows by what is appended; who lets it grow looks at its length (see loops.py)."""
    if low.assumed is None or len(form.items) < 3 or not isinstance(form.items[1], Symbol):
        return None
    slots = low.frame.lookup(form.items[1].name)
    if not (slots and slots[-1].definite and slots[-1].variable in low.growing):
        return None
    head = form.items[0]
    assert isinstance(head, Symbol)
    text, *added = low.operands(form.items[1:])
    if low.kind(text) is not STR:
        return low.call(low.read(head.name, low.at(head)), [text, *added], at)
    low.takes_for_granted(head.name, at)
    return noted(pyast.binary(text, ast.Add(), _joined(low, added, at), at), STR)


def _joined(low: Lowerer, parts: list[ast.expr], at: At) -> ast.expr:
    """The text of parts, one after the other."""
    pieces: list[ast.expr] = []
    for part in parts:
        kind = low.kind(part)
        if isinstance(part, ast.Constant) and kind is STR:
            pieces.append(part)
            continue
        known = kind is STR or kind.name == "int"
        text = part if known else pyast.call_support("$raw", [part], at)
        pieces.append(ast.FormattedValue(text, -1, None, **pyast.placed(at)))
    if len(pieces) == 1 and low.kind(parts[0]).name != "int":
        only = pieces[0]
        return only.value if isinstance(only, ast.FormattedValue) else only
    return ast.JoinedStr(pieces, **pyast.placed(at))


INLINE: Mapping[str, Inline] = {
    "len": lower_length,
    "nth": lower_nth,
    **dict.fromkeys(("str", "push!"), lower_appending),
}
"""How calls of builtins are done in place, by name."""
