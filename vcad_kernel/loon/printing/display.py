"""Values as text: ``display`` for results and inside collections, ``raw`` for printing.

Keeps its own stack, so a list ten thousand deep prints like any other.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from vcad_kernel.loon.names import demangle
from vcad_kernel.loon.runtime.collections import Map, Set, Vector
from vcad_kernel.loon.runtime.limits.allowance import allowed_size
from vcad_kernel.loon.runtime.values import UNIT, Adt, Keyword, Receiver, Sender

__all__ = ["display", "function_name", "number", "raw"]


def raw(value: object) -> str:
    """Display form, except that a string is its bare text.

    A small value that holds parts of itself many times over may have a text beyond all bounds. So the
    form ends soon after the allowed size, and who puts texts together refuses what is longer.
    """
    return value if type(value) is str else display(value, allowed_size())


def number(value: float) -> str:
    """Shortest decimal that reads back to the same float, without exponent or trailing ``.0``.

    >>> number(4.0), number(1e21), number(1e-7), number(-0.0), number(float("nan"))
    ('4', '1000000000000000000000', '0.0000001', '-0', 'NaN')
    """
    text = repr(value)
    if text.endswith(".0"):
        return text[:-2]
    if "e" in text:
        text = format(Decimal(text), "f")
        return text.removesuffix(".0")
    return "NaN" if text == "nan" else text


def function_name(value: Any) -> str:
    """``<fn name>`` or ``<builtin name>``; constructors count as builtins."""
    builtin = getattr(value, "__loon__", None)
    if builtin is not None:
        return f"<builtin {builtin}>"
    code = getattr(value, "__code__", None)
    name = demangle(code.co_name) if code is not None else getattr(value, "__name__", "")
    return f"<fn {name}>" if name and not name.startswith("<") else "<fn anonymous>"


class _Literal(str):
    """Text on the work stack that stands for itself."""

    __slots__ = ()


_SPACE, _COMMA = _Literal(" "), _Literal(", ")


def display(value: object, limit: int | None = None) -> str:
    """The display form of a value.

    limit: stop soon after that many characters; for messages that show the beginning.
    """
    out: list[str] = []
    length = 0
    waiting: list[Any] = [value]
    # a stack of its own: values may be nested deeper than Python calls
    while waiting:
        pending = waiting.pop()
        kind = type(pending)
        if kind is _Literal:
            text = pending
        elif kind is str:
            text = f'"{pending}"'
        elif kind is float:
            text = number(pending)
        elif kind is bool:
            text = "true" if pending else "false"
        elif kind is int:
            text = str(pending)
        elif kind is Keyword:
            text = ":" + pending.name
        elif pending is UNIT:
            text = "()"
        elif kind is Adt:
            if not pending.fields:
                text = pending.tag
            else:
                text = "[" + pending.tag
                _push(waiting, pending.fields, _SPACE, "]", leading=True)
        elif kind is Vector:
            text = "#["
            _push(waiting, pending, _SPACE, "]")
        elif kind is Set:
            text = "#{"
            _push(waiting, pending, _SPACE, "}")
        elif kind is tuple:
            text = "("
            _push(waiting, pending, _COMMA, ")")
        elif kind is Map:
            text = "{"
            _push(waiting, [part for pair in pending.items() for part in pair], _SPACE, "}")
        elif kind is Sender or kind is Receiver:
            text = f"<channel-{pending.end} {pending.number}>"
        elif callable(pending):
            text = function_name(pending)
        else:
            text = str(pending)
        out.append(text)
        length += len(text)
        if limit is not None and length > limit:
            break
    return "".join(out)


def _push(waiting: list[Any], items: Any, gap: _Literal, close: str, *, leading: bool = False) -> None:
    waiting.append(_Literal(close))
    for item in reversed(list(items)):
        waiting.append(item)
        waiting.append(gap)
    if items and not leading:
        waiting.pop()
