"""Vectors, sets, maps and what goes through them (§11.3, §11.4) for the reference evaluator."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.loon.oracle.arithmetic import less, total
from tests.loon.oracle.values import (
    UNIT,
    Adt,
    Builtin,
    Fault,
    Function,
    Keyword,
    MapValue,
    SetValue,
    Tup,
    Value,
    Vec,
    added,
    equal,
    put,
    raw,
    truthy,
)

if TYPE_CHECKING:
    from tests.loon.oracle.evaluator import Evaluator, Steps

__all__ = ["COLLECTIONS"]


def _vec(value: Value) -> list[Value]:
    if not isinstance(value, Vec):
        raise Fault("type")
    return value.items


def _map(value: Value) -> list[tuple[Value, Value]]:
    if not isinstance(value, MapValue):
        raise Fault("type")
    return value.pairs


def _int(value: Value) -> int:
    if type(value) is not int:
        raise Fault("type")
    return value


def _callable(value: Value) -> bool:
    return isinstance(value, Function | Builtin)


def _function_and_vector(one: Value, other: Value) -> tuple[Value, list[Value]]:
    """A function and a vector's items, given in either order."""
    if isinstance(one, Vec):
        one, other = other, one
    if not _callable(one):
        raise Fault("type")
    return one, _vec(other)


def _len(_: object, value: Value, *__: Value) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Vec | SetValue):
        return len(value.items)
    return len(_map(value))


def _nth(_: object, value: Value, at: Value, *default: Value) -> Value:
    if not isinstance(value, Vec | Tup):
        raise Fault("type")
    if 0 <= _int(at) < len(value.items):
        return value.items[at]
    if not default:
        raise Fault("index")
    return default[0]


def _get(_: object, value: Value, at: Value, *default: Value) -> Value:
    missing = default[0] if default else UNIT
    if isinstance(value, MapValue):
        found = value.find(at)
        return missing if found is None else found[0]
    items = _vec(value)
    return items[at] if 0 <= _int(at) < len(items) else missing


def _conj(_: object, value: Value, *more: Value) -> Value:
    if isinstance(value, SetValue):
        items = value.items
        for one in more:
            items = added(items, one)
        return SetValue(items)
    return Vec([*_vec(value), *more])


def _push(_: object, value: Value, *more: Value) -> Value:
    if isinstance(value, str):
        return value + "".join(map(raw, more))
    return _conj(_, value, *more)


def _range(ev: Evaluator, start: Value, end: Value, *__: Value) -> Value:
    ev.burn(_int(end) - _int(start))
    return Vec(list(range(_int(start), _int(end))))


def _mapped(ev: Evaluator, one: Value, other: Value, *_: Value) -> Steps:
    function, items = _function_and_vector(one, other)
    out = []
    for item in items:
        out.append((yield from ev.call(function, [item])))
    return Vec(out)


def _filtered(ev: Evaluator, one: Value, other: Value, *_: Value) -> Steps:
    function, items = _function_and_vector(one, other)
    out = []
    for item in items:
        if truthy((yield from ev.call(function, [item]))):
            out.append(item)
    return Vec(out)


def _each(ev: Evaluator, one: Value, other: Value, *_: Value) -> Steps:
    function, items = _function_and_vector(one, other)
    for item in items:
        yield from ev.call(function, [item])
    return UNIT


def _fold(ev: Evaluator, one: Value, two: Value, three: Value, *_: Value) -> Steps:
    if isinstance(one, Vec) and not (_callable(two) and isinstance(three, Vec)):
        one, two, three = two, three, one
    accumulated, function, items = one, two, three
    if not _callable(function):
        raise Fault("type")
    for item in _vec(items):
        accumulated = yield from ev.call(function, [accumulated, item])
    return accumulated


def _flat_map(ev: Evaluator, function: Value, value: Value, *_: Value) -> Steps:
    _, items = _function_and_vector(function, value)
    if isinstance(function, Vec):
        raise Fault("type")
    out = []
    for item in items:
        result = yield from ev.call(function, [item])
        out.extend(result.items if isinstance(result, Vec) else [result])
    return Vec(out)


def _find(ev: Evaluator, function: Value, value: Value, *_: Value) -> Steps:
    for item in _checked(function, value):
        if truthy((yield from ev.call(function, [item]))):
            return Adt("Some", [item])
    return Adt("None", [])


def _any(ev: Evaluator, function: Value, value: Value, *_: Value) -> Steps:
    for item in _checked(function, value):
        if truthy((yield from ev.call(function, [item]))):
            return True
    return False


def _all(ev: Evaluator, function: Value, value: Value, *_: Value) -> Steps:
    for item in _checked(function, value):
        if not truthy((yield from ev.call(function, [item]))):
            return False
    return True


def _checked(function: Value, value: Value) -> list[Value]:
    if not _callable(function):
        raise Fault("type")
    return _vec(value)


def _take(_: object, count: Value, value: Value, *__: Value) -> Value:
    return Vec(_vec(value)[: max(_int(count), 0)])


def _drop(_: object, count: Value, value: Value, *__: Value) -> Value:
    return Vec(_vec(value)[max(_int(count), 0) :])


def _reverse(_: object, value: Value, *__: Value) -> Value:
    return value[::-1] if isinstance(value, str) else Vec(_vec(value)[::-1])


def _sorted(items: list[Value], keys: list[Value], *, down: bool) -> Value:
    """Insertion sort: each item goes behind all that are not greater (or not less)."""
    out: list[tuple[Value, Value]] = []
    for key, item in zip(keys, items, strict=True):
        at = len(out)
        while at > 0 and (less(out[at - 1][0], key) if down else less(key, out[at - 1][0])):
            at -= 1
        out.insert(at, (key, item))
    return Vec([item for _, item in out])


def _sort_by(ev: Evaluator, function: Value, order: Value, value: Value, *_: Value) -> Steps:
    items = _checked(function, value)
    if not isinstance(order, Keyword):
        raise Fault("type")
    keys = []
    for item in items:
        keys.append((yield from ev.call(function, [item])))
    return _sorted(items, keys, down=order.name == "desc")


def _group_by(ev: Evaluator, function: Value, value: Value, *_: Value) -> Steps:
    groups: list[tuple[Value, Value]] = []
    for item in _checked(function, value):
        key = yield from ev.call(function, [item])
        found = MapValue(groups).find(key)
        groups = put(groups, key, Vec([*(found[0].items if found else []), item]))
    return MapValue(groups)


def _flatten(_: object, value: Value, *__: Value) -> Value:
    out = []
    for item in _vec(value):
        out.extend(item.items if isinstance(item, Vec) else [item])
    return Vec(out)


def _chunk(_: object, count: Value, value: Value, *__: Value) -> Value:
    items = _vec(value)
    if _int(count) <= 0:
        raise Fault("type")
    return Vec([Vec(items[at : at + count]) for at in range(0, len(items), count)])


def _contains(_: object, value: Value, part: Value, *__: Value) -> bool:
    if isinstance(value, str):
        if type(part) is not str:
            raise Fault("type")
        return part in value
    if isinstance(value, Vec | SetValue):
        return any(equal(item, part) for item in value.items)
    return any(equal(key, part) for key, _ in _map(value))


def _extreme(better: Callable[[Value, Value], bool]) -> Callable[..., Value]:
    def extreme(_: object, value: Value, *__: Value) -> Value:
        items = _vec(value)
        if not items:
            raise Fault("empty")
        best = items[0]
        for item in items[1:]:
            if better(item, best):
                best = item
        return best

    return extreme


def _update(ev: Evaluator, value: Value, key: Value, function: Value, *_: Value) -> Steps:
    pairs = _map(value)
    if not _callable(function):
        raise Fault("type")
    found = MapValue(pairs).find(key)
    new = yield from ev.call(function, [UNIT if found is None else found[0]])
    return MapValue(put(pairs, key, new))


def _merge(_: object, one: Value, other: Value, *__: Value) -> Value:
    pairs = _map(one)
    for key, value in _map(other):
        pairs = put(pairs, key, value)
    return MapValue(pairs)


def _into_map(_: object, value: Value, *__: Value) -> Value:
    pairs: list[tuple[Value, Value]] = []
    for item in _vec(value):
        if not isinstance(item, Tup) or len(item.items) != 2:
            raise Fault("type")
        pairs = put(pairs, *item.items)
    return MapValue(pairs)


def _partial(name: str, call: Callable[..., Value], wanted: int) -> Builtin:
    """A builtin that, called without the collection it takes last, waits for that."""

    def maybe_partial(ev: Evaluator, *arguments: Value) -> Value:
        if len(arguments) >= wanted:
            return call(ev, *arguments)
        return Builtin(f"{name}-partial", lambda ev, last, *_: call(ev, *arguments, last), 1)

    return Builtin(name, maybe_partial, wanted - 1)


COLLECTIONS = [
    Builtin("len", _len, 1),
    Builtin("empty?", lambda _, value, *__: _len(_, value) == 0, 1),
    Builtin("nth", _nth, 2),
    Builtin("get", _get, 2),
    Builtin("conj", _conj, 1),
    Builtin("push!", _push, 1),
    Builtin("cons", lambda _, item, value, *__: Vec([item, *_vec(value)]), 2),
    Builtin("range", _range, 2),
    _partial("map", _mapped, 2),
    _partial("filter", _filtered, 2),
    _partial("each", _each, 2),
    _partial("fold", _fold, 3),
    _partial("flat-map", _flat_map, 2),
    Builtin("find", _find, 2),
    Builtin("any?", _any, 2),
    Builtin("all?", _all, 2),
    _partial("take", _take, 2),
    _partial("drop", _drop, 2),
    Builtin("reverse", _reverse, 1),
    Builtin("sort", lambda _, value, *__: _sorted(_vec(value), _vec(value), down=False), 1),
    _partial("sort-by", _sort_by, 3),
    _partial("group-by", _group_by, 2),
    Builtin(
        "zip", lambda _, a, b, *__: Vec([Tup([x, y]) for x, y in zip(_vec(a), _vec(b), strict=False)]), 2
    ),
    Builtin("flatten", _flatten, 1),
    Builtin("chunk", _chunk, 2),
    Builtin("contains?", _contains, 2),
    Builtin("min", _extreme(less), 1),
    Builtin("max", _extreme(lambda one, best: less(best, one)), 1),
    Builtin("sum", lambda _, value, *__: total(_vec(value)), 1),
    Builtin("collect", lambda _, value, *__: value, 1),
    Builtin("vec?", lambda _, value, *__: isinstance(value, Vec), 1),
    Builtin("map?", lambda _, value, *__: isinstance(value, MapValue), 1),
    Builtin("assoc", lambda _, value, key, new, *__: MapValue(put(_map(value), key, new)), 3),
    Builtin("update", _update, 3),
    Builtin("remove", lambda _, m, key, *__: MapValue([p for p in _map(m) if not equal(p[0], key)]), 2),
    Builtin("keys", lambda _, value, *__: Vec([key for key, _ in _map(value)]), 1),
    Builtin("values", lambda _, value, *__: Vec([held for _, held in _map(value)]), 1),
    Builtin("entries", lambda _, value, *__: Vec([Tup([*pair]) for pair in _map(value)]), 1),
    Builtin("merge", _merge, 2),
    Builtin("into-map", _into_map, 1),
]
