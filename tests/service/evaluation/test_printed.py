"""What a program prints is kept up to a limit, and what is dropped is told."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.service.direct import MOST_PRINTED, DirectService, Printed
from vcad_kernel.service.requests import EvalCode


@given(st.lists(st.text(max_size=6)), st.integers(0, 20))
def test_no_more_is_kept_than_there_is_room_for_and_nothing_is_reordered(
    pieces: list[str], most: int
) -> None:
    seen: list[str] = []
    printed = Printed(seen.append, most)
    for piece in pieces:
        printed(piece)
    said, whole = printed.end(), "".join(pieces)
    assert "".join(seen) == said == printed.end()
    assert said.startswith(whole[:most])
    dropped = len(whole) - most
    if dropped > 0:
        assert said[most:] == f"\n… {dropped:,} more characters were printed and are not shown\n"
    else:
        assert said == whole


def test_a_program_that_prints_without_measure_says_how_much_was_left_out() -> None:
    seen: list[str] = []
    line = '[let line [join "" [map [fn [_] "0123456789"] [range 0 5000]]]]'
    code = f"{line} [each [fn [_] [print line]] [range 0 30]] 1"
    result = DirectService().evaluate(EvalCode(code, allow_scene=True), output=seen.append)
    assert "".join(seen) == result.stdout
    assert len(result.stdout) < MOST_PRINTED + 100
    assert result.stdout.splitlines()[-1] == "… 500,000 more characters were printed and are not shown"
