"""Plain values through JSON text and back, unchanged to the kind of each number."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.errors import LoonTypeError, ServiceFailure
from vcad_kernel.service.wire import plain_json
from vcad_kernel.service.wire.plain_json import DEEPEST

_ATOMS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["$tuple", "nan"]),
)
_KEYS = st.one_of(st.text(max_size=4), st.sampled_from(["$tuple", "$float", "$dict", "$"]))
PLAIN = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(_KEYS, inner, max_size=4),
    ),
    max_leaves=12,
)


def through(value: Any) -> Any:
    return plain_json.decode(json.loads(json.dumps(plain_json.encode(value), allow_nan=False)))


@given(PLAIN)
def test_every_plain_value_comes_back_as_it_was(value: Any) -> None:
    assert repr(through(value)) == repr(value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -0.0, 1.0, 2**80, (1, (2.0,)), {"$int": 3}])
def test_what_json_has_no_word_for_comes_back(value: Any) -> None:
    assert repr(through(value)) == repr(value)


@given(
    st.recursive(
        st.one_of(_ATOMS, st.just({"$": 1})),
        lambda inner: st.one_of(st.lists(inner), st.dictionaries(_KEYS, inner)),
        max_leaves=8,
    )
)
def test_any_json_is_read_or_refused(data: Any) -> None:
    with suppress(ServiceFailure):
        plain_json.decode(data)


def test_json_without_end_is_refused() -> None:
    data: Any = []
    for _ in range(100_000):
        data = [data]
    with pytest.raises(ServiceFailure, match="plain value") as refused:
        plain_json.decode(data)
    assert refused.value.error_code == "SCHEMA_VALIDATION_FAILED"
    assert refused.value.details == {"path": "plain value", "expected": "a well-formed plain value"}


@pytest.mark.parametrize("value", [object(), {1: 2}, {1, 2}, b"bytes"])
def test_what_is_not_plain_is_not_written(value: object) -> None:
    with pytest.raises(TypeError):
        plain_json.encode(value)


def test_a_value_of_too_many_levels_is_refused_before_any_reader_trips_over_it() -> None:
    value: Any = 1
    for _ in range(DEEPEST):
        value = [value]
    assert through(value) == value
    with pytest.raises(LoonTypeError, match="levels"):
        plain_json.encode((value,))
    held: list[Any] = []
    held.append(held)
    with pytest.raises(LoonTypeError, match="levels"):
        plain_json.encode_members({"itself": held})
