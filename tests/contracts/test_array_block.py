"""Arrays in a block of memory: what is read is what was written, and what is none is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.tiers import examples
from vcad_kernel.contracts.array_block import MAGIC, ArrayBlockError, read, size_for, write

arrays = st.dictionaries(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12),
    st.builds(
        lambda kind, shape: np.arange(np.prod(shape)).reshape(shape).astype(kind),
        st.sampled_from(["<f4", "<f8", "<u4", "u1"]),
        st.lists(st.integers(0, 5), min_size=1, max_size=3).map(tuple),
    ),
    max_size=4,
)


def block(given: dict[str, NDArray[np.generic]]) -> bytearray:
    buffer = bytearray(size_for(given))
    assert write(buffer, given) == len(buffer)
    return buffer


@given(arrays)
@examples(40)
def test_what_is_read_is_what_was_written(given: dict[str, NDArray[np.generic]]) -> None:
    found = read(block(given))
    assert list(found) == list(given)
    for name, array in given.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert np.array_equal(found[name], array)


def test_nothing_is_copied_and_nothing_can_be_written_through_a_view() -> None:
    buffer = block({"lines": np.zeros((4, 3), np.float32)})
    found = read(buffer)["lines"]
    assert np.shares_memory(found, np.frombuffer(buffer, np.uint8))
    assert found.ctypes.data % 4 == 0
    with pytest.raises(ValueError, match="read-only"):
        found[0, 0] = 1.0


def test_arrays_that_do_not_fit_leave_no_block() -> None:
    given = {"lines": np.zeros((4, 3), np.float32)}
    with pytest.raises(ArrayBlockError, match="take"):
        write(bytearray(size_for(given) - 1), given)
    with pytest.raises(ArrayBlockError, match="i8"):
        size_for({"lines": np.zeros(3, np.int64)})


@pytest.mark.parametrize(
    ("spoilt", "said"),
    [
        (b"VCAD", "smaller"),
        (b"VCADMESH" + bytes(60), "begins with"),
        (MAGIC + bytes([9, 0, 0, 0, 2, 0, 0, 0]) + b"[]", "version 9"),
        (MAGIC + bytes([1, 0, 0, 0, 99, 0, 0, 0]) + b"[]", "beyond"),
        (MAGIC + bytes([1, 0, 0, 0, 2, 0, 0, 0]) + b"[}", "cannot be read"),
        (MAGIC + bytes([1, 0, 0, 0, 2, 0, 0, 0]) + b"{}", "cannot be read"),
    ],
)
def test_what_is_no_block_is_refused(spoilt: bytes, said: str) -> None:
    with pytest.raises(ArrayBlockError, match=said):
        read(spoilt)


@pytest.mark.parametrize("shape", [[1000], [-1], [2**40, 2**40]])
def test_a_table_that_promises_too_much_is_refused(shape: list[int]) -> None:
    table = b'[{"name":"a","dtype":"f4","shape":%s}]' % str(shape).encode()
    head = MAGIC + (1).to_bytes(4, "little") + len(table).to_bytes(4, "little")
    with pytest.raises(ArrayBlockError):
        read(head + table + bytes(200))
