"""Bytes that are nearly right: seeds with a few changes, of the kinds that readers stumble over."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from tests.fuzz.seeds import seeds

__all__ = ["nearly"]

_NUMBERS = [0, 1, 7, 0x7F, 0xFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF]
_TOKENS = [
    *(b'"', b"{", b"}", b"[", b"]", b":", b",", b"\\", b"\n", b"\0", b" ", b"%"),
    *(b"null", b"true", b"1e999", b"-1", b"1.5", b"NaN", b'"\\ud800"', b"\xff\xfe", b"\xed\xa0\x80"),
    *(b"1" + b"0" * 400, b"[" * 200, b'{"a":' * 200, b'"$tuple"', b"../", b"1" * 5000),
]

_change = st.one_of(
    st.tuples(st.just("set"), st.floats(0, 1), st.integers(0, 255)),
    st.tuples(st.just("cut"), st.floats(0, 1), st.integers(1, 40)),
    st.tuples(st.just("put"), st.floats(0, 1), st.sampled_from(_TOKENS)),
    st.tuples(st.just("u32"), st.floats(0, 1), st.sampled_from(_NUMBERS)),
    st.tuples(st.just("end"), st.floats(0, 1), st.just(0)),
    st.tuples(st.just("twice"), st.floats(0, 1), st.integers(1, 60)),
)

_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(["..", "/etc/passwd", "a.loon", "\0", "\ud800", "", "$tuple", "x" * 3000]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=5) | st.sampled_from(["$tuple", "$dict", "$int"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)


def _changed(data: bytes, changes: list[tuple[str, float, Any]]) -> bytes:
    found = bytearray(data)
    for kind, where, how in changes:
        at = int(where * len(found))
        if kind == "set":
            found[at : at + 1] = bytes([how])
        elif kind == "cut":
            del found[at : at + how]
        elif kind == "put":
            found[at:at] = how
        elif kind == "u32":
            at = at // 4 * 4
            found[at : at + 4] = int(how).to_bytes(4, "little")
        elif kind == "end":
            del found[at:]
        else:
            found[at:at] = found[at : at + how]
    return bytes(found)


def _replaced(value: Any, choices: list[int], put: Any) -> Any:
    """JSON with the value at some place replaced by another."""
    if not choices or not isinstance(value, list | dict) or not value:
        return put
    first, *rest = choices
    if isinstance(value, list):
        at = first % len(value)
        return [*value[:at], _replaced(value[at], rest, put), *value[at + 1 :]]
    key = sorted(value)[first % len(value)]
    if first % 7 == 0:
        return {name: held for name, held in value.items() if name != key}
    return {**value, key: _replaced(value[key], rest, put)}


def _in_json(data: bytes, choices: list[int], put: Any) -> bytes:
    *before, last = data.split(b"\n")
    try:
        found = json.loads(last)
    except ValueError:
        return data
    return b"\n".join([*before, json.dumps(_replaced(found, choices, put)).encode()])


def nearly(target: str) -> st.SearchStrategy[bytes]:
    """Bytes for a target."""
    begun = st.sampled_from(seeds(target))
    return st.one_of(
        st.builds(_changed, begun, st.lists(_change, min_size=1, max_size=4)),
        st.builds(_in_json, begun, st.lists(st.integers(0, 50), max_size=5), _values),
        st.binary(max_size=200),
    )
