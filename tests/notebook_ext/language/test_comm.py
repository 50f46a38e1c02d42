"""What an editor is answered over the comm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.language.comm import answered
from notebook_ext.language.loon_text import LoonText
from vcad_kernel.cad.file_findings import FileFindings
from vcad_kernel.loon.diagnostics import Diagnostic, Label, Repair
from vcad_kernel.loon.source import Source, Span


def check(cell: LoonText, cell_id: str) -> Sequence[Diagnostic]:
    """Finds fault with every ``bad``, save in the cell that may."""
    start = -1 if cell_id == "licensed" else cell.text.find("bad")
    if start < 0:
        return ()
    span = Span(Source("cell", cell.text), start, start + 3)
    return (
        Diagnostic("E0201", "bad is not bound", (Label(span),), "it is not defined", "define it", "error"),
    )


def ask(method: str, text: str) -> dict[str, Any]:
    return answered({"id": 7, "method": method, "text": text}, check, of_file)


def of_file(text: str, file: str) -> Sequence[Diagnostic]:
    """What the checker finds in a file that is open in an editor."""
    return FileFindings().of(Path(file).name, text, Path(file).parent, Path(file).parent)


def test_a_file_is_checked_whole_with_what_it_imports(tmp_path: Path) -> None:
    (tmp_path / "legs.oo").write_text("[pub fn leg [h] [cube 1 1 h]]")
    asked = {"id": 7, "method": "check", "text": "; ü𝕏\n[use legs]\n[legs.leg 9] [cub 1 1 1]"}
    answer = answered({**asked, "file": str(tmp_path / "table.oo")}, check, of_file)
    (found,) = answer["result"]["diagnostics"]
    assert (found["from"], found["to"]) == (31, 34)
    assert found["edits"] == [{"from": 31, "to": 34, "text": "cube"}]


def test_findings_have_offsets_in_the_cell_as_browsers_count() -> None:
    cell = '%%loon plate\n[println "𝄞 𝄞" bad]'
    (found,) = ask("check", cell)["result"]["diagnostics"]
    units = cell.encode("utf-16-le")
    assert units[2 * found["from"] : 2 * found["to"]].decode("utf-16-le") == "bad"
    assert {key: found[key] for key in ("code", "severity", "message", "why", "fix")} == {
        "code": "E0201",
        "severity": "error",
        "message": "bad is not bound",
        "why": "it is not defined",
        "fix": "define it",
    }


def test_a_fix_that_helps_comes_as_edits_in_the_cell() -> None:
    def with_repair(cell: LoonText, cell_id: str) -> Sequence[Diagnostic]:
        return [
            replace(finding, repairs=(Repair(finding.labels[0].span, "good"),))
            for finding in check(cell, cell_id)
        ]

    cell = '%%loon\n[println "𝄞" bad]'
    request = {"id": 7, "method": "check", "text": cell}
    (found,) = answered(request, with_repair, of_file)["result"]["diagnostics"]
    assert found["edits"] == [{"from": found["from"], "to": found["to"], "text": "good"}]
    (found,) = ask("check", cell)["result"]["diagnostics"]
    assert found["edits"] == []


@pytest.mark.parametrize("cell", ["bad = 1", "%%time\nbad", "%%loon\n[cube 1 1 1]"])
def test_clean_and_foreign_cells_have_no_findings(cell: str) -> None:
    assert ask("check", cell) == {"id": 7, "result": {"diagnostics": []}}


def test_formatting_keeps_the_magic_line_and_adds_no_newline() -> None:
    assert ask("format", "%%loon plate  -q\n[cube   1\n 1 1 ]") == {
        "id": 7,
        "result": {"text": "%%loon plate  -q\n[cube 1 1 1]"},
    }


def test_text_that_cannot_be_read_is_not_formatted() -> None:
    assert ask("format", "%%loon\n[cube 1")["error"]["code"] == "E0102"


def test_the_checker_is_told_which_cell_the_text_is_of() -> None:
    request = {"id": 7, "method": "check", "text": "%%loon\nbad", "cell": "licensed"}
    assert answered(request, check, of_file)["result"] == {"diagnostics": []}


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"id": 7, "method": "check"}, "BAD_REQUEST"),
        ({"id": 7, "method": "run", "text": "%%loon\n1"}, "UNKNOWN_METHOD"),
        ({"id": 7, "method": "format", "text": "x = 1"}, "NOT_LOON"),
    ],
)
def test_a_request_that_makes_no_sense_is_answered_with_an_error(request_: dict[str, Any], code: str) -> None:
    answer = answered(request_, check, of_file)
    assert (answer["id"], answer["error"]["code"]) == (7, code)


def test_what_is_no_request_at_all_is_answered_too() -> None:
    assert answered(None, check, of_file)["error"]["code"] == "BAD_REQUEST"
