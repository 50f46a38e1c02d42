"""Notebook files: cells found by id, changed, put in and taken out; and whether one is open."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest

from notebook_ext.workspace.notebooks import opened as open_notebooks
from notebook_ext.workspace.notebooks.file import NotebookFile
from notebook_ext.workspace.notebooks.opened import is_open
from vcad_kernel.errors import ServiceFailure


def content(minor: int = 5) -> dict[str, Any]:
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Plan\n", "```\n", "# no\n", "```\n", "## Ä"]},
        {
            "cell_type": "code",
            "execution_count": 3,
            "metadata": {"tags": ["x"]},
            "source": ["\n", "%%loon plate\n", "[box 1 2 3]"],
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]},
                {
                    "output_type": "display_data",
                    "data": {"image/png": "eA==", "text/plain": ["Part"]},
                    "metadata": {},
                },
                {"output_type": "error", "ename": "E", "evalue": "why", "traceback": []},
            ],
        },
    ]
    if minor >= 5:
        for cell, name in zip(cells, ("first", "second"), strict=True):
            cell["id"] = name
    return {
        "nbformat": 4,
        "nbformat_minor": minor,
        "metadata": {"kernelspec": {"display_name": "P", "name": "p"}},
        "cells": cells,
    }


def notebook(minor: int = 5) -> NotebookFile:
    return NotebookFile(json.dumps(content(minor)), "plan.ipynb", operation="nb_test")


def test_cells_are_listed_briefly() -> None:
    first, second = notebook().rows()

    assert (first.cell_id, first.index, first.cell_type, first.lines, first.outputs) == (
        "first",
        1,
        "markdown",
        5,
        (),
    )
    assert (second.first_line, second.execution_count) == ("%%loon plate", 3)
    assert second.outputs == ("stream", "image/png", "text/plain", "error")
    assert notebook().outputs(1) == ("a\nb\n", "Part", "E: why")


def test_headings_are_those_outside_of_code() -> None:
    assert [(one.level, one.text, one.cell_id) for one in notebook().headings()] == [
        (1, "Plan", "first"),
        (2, "Ä", "first"),
    ]


def test_a_cell_is_found_by_id_or_by_its_number() -> None:
    assert notebook().find("second") == notebook().find("#2") == 1
    with pytest.raises(ServiceFailure) as missing:
        notebook().find("third")
    assert missing.value.error_code == "INVALID_PARAMS"
    assert missing.value.details["expected"] == "one of first, second"


def test_a_new_source_leaves_everything_else() -> None:
    file = notebook()
    file.set_source("second", "1\r\n2\n")

    before, after = content(), json.loads(file.text())
    before["cells"][1]["source"] = ["1\n", "2\n"]
    assert after == before


def test_another_kind_of_cell_keeps_its_id_and_loses_its_outputs() -> None:
    file = notebook()
    file.set_source("second", "text", "markdown")

    assert json.loads(file.text())["cells"][1] == {
        "cell_type": "markdown",
        "id": "second",
        "metadata": {"tags": ["x"]},
        "source": ["text"],
    }


@pytest.mark.parametrize(("after", "index"), [(None, 2), ("", 0), ("first", 1)])
def test_a_cell_is_put_where_it_is_wanted(after: str | None, index: int) -> None:
    file = notebook()

    assert file.insert("x = 1", "code", after) == index
    made = nbformat.reads(file.text(), as_version=4)
    nbformat.validate(made)
    assert made.cells[index].source == "x = 1"
    assert made.cells[index].id not in {"first", "second"}


def test_a_cell_is_taken_out() -> None:
    file = notebook()

    assert file.delete("first").cell_id == "first"
    assert [one.cell_id for one in file.rows()] == ["second"]


def test_an_older_notebook_has_no_ids_and_is_given_none() -> None:
    file = notebook(4)
    file.insert("x", "raw", "#1")

    assert [one.cell_id for one in file.rows()] == ["#1", "#2", "#3"]
    assert all("id" not in cell for cell in json.loads(file.text())["cells"])


def test_the_file_is_written_as_jupyter_writes_it() -> None:
    text = notebook().text()

    assert text == nbformat.writes(nbformat.reads(text, as_version=4)) + "\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Expecting value"),
        ("[]", "its format is not 4"),
        ("{", "Expecting property name"),
        ('{"nbformat": 3, "worksheets": []}', "its format is not 4"),
        ('{"nbformat": 5, "cells": []}', "its format is not 4"),
        ('{"cells": []}', "its format is not 4"),
        ('{"nbformat": 4, "nbformat_minor": 5}', "KeyError: 'cells'"),
        ("1", "its format is not 4"),
    ],
)
def test_what_is_no_notebook_is_told(text: str, why: str) -> None:
    with pytest.raises(ServiceFailure) as wrong:
        NotebookFile(text, "plan.ipynb", operation="nb_test")

    assert wrong.value.error_code == "UNSUPPORTED_TYPE"
    assert why in wrong.value.message


@pytest.mark.parametrize(
    ("name", "opened"),
    [("a.ipynb", True), ("plans/a.ipynb", True), ("z/a.ipynb", False), ("b.ipynb", False), ("", False)],
)
def test_a_relative_name_is_a_notebook_whose_path_ends_in_it(
    name: str, opened: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr(open_notebooks, "live_records", lambda: [SimpleNamespace(notebook=name)])
    assert is_open(Path("/home/me/plans/a.ipynb")) is opened


def test_a_notebook_is_open_while_a_local_server_has_a_kernel_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str | None] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.headers["Authorization"])
            body = json.dumps([{"path": "plans/a.ipynb"}]).encode()
            self.send_response(200 if self.path == "/base/api/sessions" else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            del format, args

    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    (tmp_path / "runtime").mkdir()
    root = tmp_path.resolve()
    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        record = {
            "url": f"http://127.0.0.1:{server.server_port}/base/",
            "token": "t",
            "root_dir": str(root),
        }
        (tmp_path / "runtime" / "jpserver-1.json").write_text(json.dumps(record))
        (tmp_path / "runtime" / "jpserver-2.json").write_text("broken")

        assert is_open(root / "plans" / "a.ipynb")
        assert not is_open(root / "a.ipynb")
        server.shutdown()
        thread.join(5)

    assert asked == ["token t", "token t"]
    assert not is_open(root / "plans" / "a.ipynb")
