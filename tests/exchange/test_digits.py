import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.exchange.digits import decimals_for, fixed_rows, integer_rows

numbers = st.floats(-1e6, 1e6, allow_nan=False)


def test_rows_carry_head_gaps_and_no_needless_zeros() -> None:
    rows = np.array([[0.0, -1.5, 20.0], [100.25, -0.000001, 3.0]])
    assert fixed_rows(rows, 6, head=b"v ") == b"v 0 -1.5 20\nv 100.25 -0.000001 3\n"


def test_a_value_that_rounds_to_zero_has_no_sign() -> None:
    assert fixed_rows(np.array([[-1e-9, 0.1]]), 6) == b"0 0.1\n"


def test_integers_are_written_in_full() -> None:
    columns = [np.array([1, 20, 0]), np.array([300, 4, 70000])]
    assert integer_rows(columns, head=b"f ", gaps=[b"//"]) == b"f 1//300\nf 20//4\nf 0//70000\n"


def test_no_rows_are_no_bytes() -> None:
    assert fixed_rows(np.empty((0, 3)), 6) == b""


@pytest.mark.parametrize(("largest", "decimals"), [(0.0, 6), (1e6, 6), (40.0, 7), (0.001, 11), (1e-9, 12)])
def test_small_models_get_more_decimals(largest: float, decimals: int) -> None:
    assert decimals_for(np.array([largest, -largest / 2])) == decimals


def test_what_fixed_notation_cannot_hold_is_refused() -> None:
    for bad in (np.nan, np.inf, 1e14):
        with pytest.raises(ValueError, match="too large"):
            fixed_rows(np.array([[bad]]), 6)


@given(st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=20))
def test_python_reads_back_what_was_written(rows: list[tuple[float, float, float]]) -> None:
    text = fixed_rows(np.array(rows), 6).decode()
    read = [[float(word) for word in line.split(" ")] for line in text.splitlines()]
    assert read == [[pytest.approx(value, abs=5.1e-7) for value in row] for row in rows]
