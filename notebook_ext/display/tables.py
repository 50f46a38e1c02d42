"""A table in text and in HTML, for everything that a magic shows in rows.

HTML without script or style sheet, so that a notebook's theme colours it. Knows nothing of what it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

__all__ = ["html_table", "text_table"]


def text_table(titles: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: int = 0) -> str:
    """Lines of padded columns under their titles. numbers: so many of the first are set to the right."""
    table = [titles, *rows]
    widths = [max(len(cells[column]) for cells in table) for column in range(len(titles))]
    return "\n".join(
        "  ".join(
            text.rjust(width) if column < numbers else text.ljust(width)
            for column, (text, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()
        for cells in table
    )


def html_table(
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numbers: int = 0,
    cell: Callable[[str], str] = escape,
) -> str:
    """The same for a browser. cell: makes HTML of a text."""

    def side(column: int) -> str:
        return f' style="text-align: {"right" if column < numbers else "left"}"'

    head = "".join(f'<th style="text-align: left">{escape(title)}</th>' for title in titles)
    body = "".join(
        "<tr>"
        + "".join(f"<td{side(column)}>{cell(text)}</td>" for column, text in enumerate(cells))
        + "</tr>"
        for cells in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
