"""Printed text arrives once and whole, whatever is lost on the way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.service.client.evaluation_call import PrintedText


@given(st.lists(st.tuples(st.text(max_size=5), st.booleans())))
def test_whatever_pieces_are_lost_the_whole_is_passed_on_in_order(pieces: list[tuple[str, bool]]) -> None:
    heard: list[str] = []
    printed = PrintedText(heard.append)
    begun = 0
    for text, arrives in pieces:
        if arrives:
            printed.piece(begun, text)
        begun += len(text)
    whole = "".join(text for text, _ in pieces)
    printed.whole(whole)
    assert "".join(heard) == whole


def test_printed_text_is_passed_on_once() -> None:
    heard: list[str] = []
    printed = PrintedText(heard.append)
    printed.piece(0, "ab")
    printed.piece(3, "d")  # a piece is missing before it
    printed.piece(2, "")
    printed.whole("abcde")
    assert heard == ["ab", "cde"]


def test_printed_text_that_came_whole_is_not_repeated() -> None:
    heard: list[str] = []
    printed = PrintedText(heard.append)
    printed.piece(0, "µm\n")
    printed.piece(3, "x")
    printed.whole("µm\nx")
    assert heard == ["µm\n", "x"]
