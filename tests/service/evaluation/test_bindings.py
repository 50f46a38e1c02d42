"""Python values that a cell takes in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from vcad_kernel.errors import LoonTypeError
from vcad_kernel.loon.printing.display import display
from vcad_kernel.loon.runtime.collections import Vector
from vcad_kernel.loon.runtime.values import Adt
from vcad_kernel.service.evaluation.bindings import NotPlainError, from_loon, outline, to_loon, to_plain


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (3, "3"),
        (2.5, "2.5"),
        (True, "true"),
        ("oak", '"oak"'),
        (None, "()"),
        ([1, [2.0, "x"]], '#[1 #[2 "x"]]'),
        ((1, 2), "(1, 2)"),
        ({"w": 3, "deep-er": [1]}, "{:w 3 :deep-er #[1]}"),
        (np.float32(0.5), "0.5"),
        (np.int64(7), "7"),
        (np.bool_(True), "true"),
        (np.array([[1.0, 2.0]]), "#[#[1 2]]"),
    ],
)
def test_plain_data_crosses(value: Any, shown: str) -> None:
    assert display(to_loon(value, "it")) == shown


@pytest.mark.parametrize("value", [None, True, 3, 2.5, "oak", [1, [2.0]], (1, "a"), {"w": {"deep": [1]}}])
def test_plain_data_comes_back_as_it_went(value: Any) -> None:
    back = from_loon(to_loon(value, "it"))
    assert back == value
    assert type(back) is type(value)


def test_a_function_or_a_solid_is_no_plain_data() -> None:
    with pytest.raises(NotPlainError):
        from_loon(to_loon)
    with pytest.raises(NotPlainError):
        from_loon(Vector([Adt("Sphere", (1.0,))]))


def test_a_copy_is_taken() -> None:
    given = {"sizes": [1, 2]}
    copy = to_plain(given, "it")
    given["sizes"].append(3)
    assert copy == {"sizes": [1, 2]}


@pytest.mark.parametrize("value", [object(), {1: 2}, {"two words": 1}, 2**63, {1, 2}, lambda: 1])
def test_anything_else_is_refused_by_name(value: Any) -> None:
    with pytest.raises(LoonTypeError, match="`it`"):
        to_loon(value, "it")


def test_a_list_that_holds_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(LoonTypeError, match="`it` holds itself"):
        to_plain(endless, "it")


def test_an_outline_of_a_small_value_is_the_value() -> None:
    assert display(outline({"w": [1, 2.5]}, "it")) == "{:w #[1 2.5]}"


class Unwilling(list[int]):
    """A value that may not be looked at item by item."""

    def __iter__(self) -> Any:
        raise AssertionError("looked at an item")


@pytest.mark.parametrize(
    "value", [Unwilling(range(2000)), np.zeros(10**9, np.bool_), [[0] * 600] * 2, object(), {1: 2}, 2**63]
)
def test_nothing_is_known_in_outline_of_what_is_large_or_cannot_be_taken(value: Any) -> None:
    assert outline(value, "it") is outline(object(), "it")
