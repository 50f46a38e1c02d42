"""Rows as people see them: padded text, HTML for a notebook."""

from __future__ import annotations

from notebook_ext.display.tables import html_table, text_table

TITLES = ("part", "pushed")
ROWS = [("lid", "1"), ("bracket", "")]


def test_columns_of_text_are_as_wide_as_their_widest_and_lines_end_with_what_is_said() -> None:
    assert text_table(TITLES, ROWS).split("\n") == ["part     pushed", "lid      1", "bracket"]


def test_numbers_stand_to_the_right_in_text_and_in_html() -> None:
    rows = [("1.5", "a"), ("10.5", "b")]
    assert text_table(("ms", "form"), rows, numbers=1).split("\n") == ["  ms  form", " 1.5  a", "10.5  b"]
    html = html_table(("ms", "form"), rows, numbers=1)
    assert '<td style="text-align: right">10.5</td>' in html
    assert '<td style="text-align: left">b</td>' in html


def test_a_table_without_rows_is_its_titles() -> None:
    assert text_table(TITLES, []) == "part  pushed"
    assert html_table(TITLES, []).count("<tr>") == 1


def test_html_keeps_text_as_text_also_in_titles() -> None:
    html = html_table(("<part>",), [("<img src=x onerror=alert(1)>",)])
    assert "<img" not in html
    assert "&lt;part&gt;" in html


def test_a_cell_may_be_made_into_html_of_its_own() -> None:
    assert "<code>[cube]</code>" in html_table(
        TITLES, [("[cube]", "")], cell=lambda text: f"<code>{text}</code>"
    )


def test_html_has_neither_script_nor_style_sheet_nor_class() -> None:
    html = html_table(TITLES, ROWS)
    assert not any(word in html for word in ("<script", "<style", "class=", "color"))
