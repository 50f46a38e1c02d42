"""Where Loon text stands in a cell."""

from __future__ import annotations

import pytest

from notebook_ext.language.loon_text import LoonText, loon_cell, loon_text_at


@pytest.mark.parametrize(
    ("cell", "text", "head"),
    [
        ("%%loon\n[cube 1 1 1]", "[cube 1 1 1]", ""),
        ("%%loon bracket -q\n[a]\n[b]", "[a]\n[b]", " bracket -q"),
        ("\n\n%%loon\n[a]", "[a]", ""),
        ("%%loon", "", ""),
        ("%%loon plate", "", " plate"),
    ],
)
def test_a_loon_cell_is_what_stands_below_its_magic(cell: str, text: str, head: str) -> None:
    found = loon_cell(cell)
    assert found is not None
    assert (found.text, found.head) == (text, head)
    assert cell[found.start :] == text
    assert cell[found.head_start : found.head_start + len(head)] == head


@pytest.mark.parametrize(
    "cell", ["", "x = 1", "%loon [a]", "%%loons\n[a]", "x = 1\n%%loon\n[a]", "%%time\n[a]"]
)
def test_other_cells_are_no_loon_cells(cell: str) -> None:
    assert loon_cell(cell) is None


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("x = 1\n%loon [cu|", "[cu"),
        ("%loon [cu| 1]\ny = 2", "[cu 1]"),
        ("  %loon |", ""),
        ("volume = %loon [f |x]", "[f x]"),
    ],
)
def test_a_line_magic_holds_loon_to_the_end_of_its_line(cell: str, text: str) -> None:
    offset = cell.index("|")
    found = loon_text_at(cell.replace("|", ""), offset)
    assert found is not None
    assert found.text == text


@pytest.mark.parametrize(
    "cell", ["x = 1|\n%loon [a]", "%lo|on [a]", "%loon_view |", "print('%loon x|')", "%%lo|on\n"]
)
def test_python_and_the_names_of_magics_are_left_to_ipython(cell: str) -> None:
    assert loon_text_at(cell.replace("|", ""), cell.index("|")) is None


def test_the_options_are_told_from_the_text() -> None:
    cell = "%%loon plate -i x\n[cube x x x]"
    found = loon_text_at(cell, 8)
    assert isinstance(found, LoonText)
    assert [found.in_head(offset) for offset in (6, 17, 18)] == [True, True, False]
