"""Findings under a cell."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from notebook_ext.display.findings import Findings, explained_by
from vcad_kernel.errors import LoonRuntimeError, Place
from vcad_kernel.loon.diagnostics import Diagnostic, Label, Severity
from vcad_kernel.loon.source import Source, Span

SOURCE = Source("cell [3]", '\n[let wide "2"]\n[fillet wide <part>]')


def finding(code: str, at: str, severity: Severity = "error", why: str = "", fix: str = "") -> Diagnostic:
    start = SOURCE.text.index(at)
    return Diagnostic(
        code, f"{at} is wrong", (Label(Span(SOURCE, start, start + len(at))),), why, fix, severity
    )


FINDINGS = Findings(
    [
        finding("E0300", "let", "hint"),
        finding("W0100", "wide", "warning"),
        finding("E0200", "<part>", why="a < b", fix="write part"),
        finding("E0201", '"2"'),
        finding("E0301", "fillet", "hint"),
    ]
)


def test_plain_text_says_all_of_it_the_grave_first() -> None:
    assert repr(FINDINGS).split("\n\n")[1] == (
        "error [E0200] <part> is wrong\n"
        "  --> cell [3]:3:14\n"
        "  3 | [fillet wide <part>]\n"
        "    |              ^^^^^^\n"
        "  why: a < b\n"
        "  fix: write part"
    )
    heads = [block.split("\n")[0] for block in repr(FINDINGS).split("\n\n")]
    assert [head.split(" is")[0] for head in heads] == [
        'error [E0201] "2"',
        "error [E0200] <part>",
        "warning [W0100] wide",
        "hint [E0300] let",
        "hint [E0301] fillet",
    ]


class _Details(HTMLParser):
    """Which findings are open, and how deep they lie."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[bool] = []
        self.tags: set[str] = set()
        self.balance = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.balance += 1
        if tag == "details":
            self.opened.append("open" in dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        self.balance -= 1


def test_html_opens_errors_and_warnings_and_folds_hints_behind_one_line() -> None:
    reader = _Details()
    reader.feed(FINDINGS.html())
    assert reader.opened == [True, True, True, False, False, False]
    assert reader.balance == 0
    assert "2 hints" in FINDINGS.html()
    assert not reader.tags & {"script", "style", "link", "img"}


def test_html_keeps_the_users_text_as_text() -> None:
    html = FINDINGS.html()
    assert "&lt;part&gt; is wrong" in html
    assert "a &lt; b" in html
    assert "<part>" not in html


def place(line: int, column: int, end_line: int, end_column: int) -> Place:
    return Place("cell [3]", line, column, end_line, end_column, "")


@pytest.mark.parametrize(
    ("error", "explained"),
    [
        (place(3, 14, 3, 20), True),
        (place(3, 1, 3, 21), True),
        (place(3, 2, 5, 1), True),
        (place(3, 1, 3, 14), False),
        (place(2, 14, 2, 20), False),
    ],
)
def test_an_error_at_the_same_characters_explains_a_finding(error: Place, explained: bool) -> None:
    failure = LoonRuntimeError("no", code="type", place=error)
    assert explained_by(failure, finding("E0200", "<part>")) is explained


def test_an_error_in_the_same_words_explains_a_finding_wherever_it_is() -> None:
    found = finding("E0200", "<part>")
    assert explained_by(LoonRuntimeError(found.what, code=found.code), found)
    assert not explained_by(LoonRuntimeError(found.what, code="E0201"), found)
