"""Strings and output (§11.2, §11.5, §20.3) for the reference evaluator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.loon.oracle.values import (
    UNIT,
    Adt,
    Builtin,
    Fault,
    Keyword,
    Pipe,
    PipeEnd,
    Tup,
    Value,
    Vec,
    equal,
    raw,
)

if TYPE_CHECKING:
    from tests.loon.oracle.evaluator import Evaluator

__all__ = ["TEXTS"]


def _text(value: Value) -> str:
    if type(value) is not str:
        raise Fault("type")
    return value


def _count(value: Value) -> int:
    if type(value) is not int:
        raise Fault("type")
    return value


def _split(_: object, text: Value, delimiters: Value, *__: Value) -> Value:
    pieces = [""]
    for character in _text(text):
        if character in _text(delimiters):
            pieces.append("")
        else:
            pieces[-1] += character
    _text(delimiters)
    return Vec(list(pieces))


def _join(_: object, one: Value, other: Value, *__: Value) -> Value:
    separator, items = (other, one) if isinstance(one, Vec) else (one, other)
    if not isinstance(items, Vec):
        raise Fault("type")
    return _text(separator).join(map(raw, items.items))


def _replaced(_: object, text: Value, old: Value, new: Value, *__: Value) -> str:
    return _text(text).replace(_text(old), _text(new))


def _char_at(_: object, text: Value, at: Value, *__: Value) -> str:
    whole, position = _text(text), _count(at)
    if not 0 <= position < len(whole):
        raise Fault("index")
    return whole[position]


def _substring(_: object, text: Value, start: Value, end: Value, *__: Value) -> str:
    whole, first, last = _text(text), _count(start), _count(end)
    if not 0 <= first <= last <= len(whole):
        raise Fault("index")
    return whole[first:last]


def _name(_: object, value: Value, *__: Value) -> str:
    return value.name if isinstance(value, Keyword) else _text(value)


def _println(evaluator: Evaluator, *values: Value) -> Value:
    evaluator.write(" ".join(map(raw, values)) + "\n")
    return UNIT


def _print(evaluator: Evaluator, *values: Value) -> Value:
    evaluator.write(" ".join(map(raw, values)))
    return UNIT


def _assert_eq(_: object, actual: Value, expected: Value, *__: Value) -> Value:
    if not equal(actual, expected):
        raise Fault("assertion")
    return UNIT


def _channel(*_: Value) -> Value:
    pipe = Pipe()
    return Tup([PipeEnd(pipe, sends=True), PipeEnd(pipe, sends=False)])


def _end(value: Value, *, sends: bool) -> Pipe:
    if not isinstance(value, PipeEnd) or value.sends is not sends:
        raise Fault("type")
    return value.pipe


def _send(_: object, end: Value, value: Value, *__: Value) -> Value:
    _end(end, sends=True).waiting.append(value)
    return UNIT


def _recv(_: object, end: Value, *__: Value) -> Value:
    pipe = _end(end, sends=False)
    if not pipe.waiting:
        raise Fault("empty")
    return pipe.waiting.pop(0)


def _try_recv(_: object, end: Value, *__: Value) -> Value:
    pipe = _end(end, sends=False)
    return Adt("Some", [pipe.waiting.pop(0)]) if pipe.waiting else Adt("None", [])


def _str(_: object, *values: Value) -> str:
    return "".join(map(raw, values))


TEXTS = [
    Builtin("str", _str),
    Builtin("fmt", _str),
    Builtin("split", _split, 2),
    Builtin("join", _join, 2),
    Builtin("trim", lambda _, text, *__: _text(text).strip(), 1),
    Builtin("uppercase", lambda _, text, *__: _text(text).upper(), 1),
    Builtin("lowercase", lambda _, text, *__: _text(text).lower(), 1),
    Builtin("replace", _replaced, 3),
    Builtin("starts-with?", lambda _, text, part, *__: _text(text).startswith(_text(part)), 2),
    Builtin("ends-with?", lambda _, text, part, *__: _text(text).endswith(_text(part)), 2),
    Builtin("char-at", _char_at, 2),
    Builtin("substring", _substring, 3),
    Builtin("index-of", lambda _, text, part, *__: _text(text).find(_text(part)), 2),
    Builtin("name", _name, 1),
    Builtin("println", _println),
    Builtin("print", _print),
    Builtin("assert-eq", _assert_eq, 2),
    Builtin("channel", _channel),
    Builtin("send", _send, 2),
    Builtin("recv", _recv, 1),
    Builtin("try-recv", _try_recv, 1),
]
