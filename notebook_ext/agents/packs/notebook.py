"""Tools for notebook files: list, read, set, put in and take out cells.

What is closed is changed on disk. What somebody has open is read as it was last saved, and not changed: the
text that counts is in their browser then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydantic import Field

from notebook_ext.agents.arguments import Answer, Arguments
from notebook_ext.agents.registry import Preview, Risk, Tool
from notebook_ext.workspace.files import TextFile, read_text, rewrite
from notebook_ext.workspace.notebook_file import CellKind, NotebookFile
from notebook_ext.workspace.open_notebooks import is_open
from notebook_ext.workspace.text_diff import unified
from vcad_kernel.errors import CapabilityUnavailable, ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from notebook_ext.agents.calling import Call

__all__ = ["tools"]


class InNotebook(Arguments):
    """A notebook."""

    path: str = Field(description="an .ipynb file, from the workspace")


class OneCell(InNotebook):
    """A cell."""

    cell_id: str = Field(description="its id, or #1 for the first cell")


class NewSource(OneCell):
    """A cell's other text."""

    source: str
    cell_type: CellKind | None = None
    expect_sha256: str | None = None


class NewCell(InNotebook):
    """A new cell."""

    source: str
    cell_type: CellKind = "code"
    after: str | None = Field(None, description='the cell before it; "" for the top; by default at the end')
    expect_sha256: str | None = None


class GoneCell(OneCell):
    """A cell to take out."""

    expect_sha256: str | None = None


class CellEntry(Answer):
    """A cell, briefly."""

    cell_id: str
    index: int = Field(description="1-based")
    cell_type: str
    lines: int
    first_line: str
    execution_count: int | None
    outputs: list[str] = Field(description="their kinds")


class CellList(Answer):
    """All cells."""

    path: str
    open: bool = Field(description="somebody has it open: this is as it was last saved")
    cells: list[CellEntry]
    sha256: str


class CellText(Answer):
    """One cell whole."""

    path: str
    open: bool = Field(description="somebody has it open: this is as it was last saved")
    cell: CellEntry
    source: str
    outputs: list[str] = Field(description="as text")
    sha256: str


class HeadingEntry(Answer):
    """A heading and its cell."""

    level: int
    text: str
    cell_id: str
    index: int


class NotebookOutline(Answer):
    """The headings of a notebook."""

    path: str
    open: bool = Field(description="somebody has it open: this is as it was last saved")
    headings: list[HeadingEntry]
    code_cells: int
    markdown_cells: int
    sha256: str


class ChangedNotebook(Answer):
    """A notebook that was written."""

    path: str
    cell_id: str
    index: int = Field(description="1-based; of a cell that is gone, where it was")
    sha256: str


def _read(path: str, call: Call, operation: str) -> tuple[TextFile, NotebookFile]:
    file = read_text(call.files, path, operation=operation)
    if file.path.suffix != ".ipynb":
        raise ServiceFailure(
            ErrorCode.UNSUPPORTED_TYPE,
            f"{file.shown} is no notebook",
            fix="name an .ipynb file; py_* and cad_* tools read sources",
            details={"path": file.shown, "operation": operation},
        )
    return file, NotebookFile(file.text, file.shown, operation=operation)


def _entry(notebook: NotebookFile, index: int) -> CellEntry:
    row = notebook.row(index)
    return CellEntry(
        cell_id=row.cell_id,
        index=row.index,
        cell_type=row.cell_type,
        lines=row.lines,
        first_line=row.first_line,
        execution_count=row.execution_count,
        outputs=list(row.outputs),
    )


def _list(asked: InNotebook, call: Call) -> CellList:
    file, notebook = _read(asked.path, call, "nb_list_cells")
    cells = [_entry(notebook, index) for index in range(len(notebook.rows()))]
    return CellList(path=file.shown, open=is_open(file.path), cells=cells, sha256=file.sha256)


def _get(asked: OneCell, call: Call) -> CellText:
    file, notebook = _read(asked.path, call, "nb_get_cell")
    index = notebook.find(asked.cell_id)
    return CellText(
        path=file.shown,
        open=is_open(file.path),
        cell=_entry(notebook, index),
        source=notebook.source(index),
        outputs=[text[:_LONGEST_OUTPUT] for text in notebook.outputs(index)],
        sha256=file.sha256,
    )


_LONGEST_OUTPUT = 16 * 1024
"""Characters of one output of a cell."""


def _outline(asked: InNotebook, call: Call) -> NotebookOutline:
    file, notebook = _read(asked.path, call, "nb_outline")
    kinds = [row.cell_type for row in notebook.rows()]
    return NotebookOutline(
        path=file.shown,
        open=is_open(file.path),
        headings=[
            HeadingEntry(level=one.level, text=one.text, cell_id=one.cell_id, index=one.index)
            for one in notebook.headings()
        ],
        code_cells=kinds.count("code"),
        markdown_cells=kinds.count("markdown"),
        sha256=file.sha256,
    )


def _changed(asked: Any, call: Call) -> tuple[TextFile, str, str, int, str]:
    """The file, its new text, the cell's id and 0-based index, and the operation. Raises: VcadError."""
    operation = _OPERATIONS[type(asked)]
    file, notebook = _read(asked.path, call, operation)
    _require_closed(file, operation)
    if isinstance(asked, NewSource):
        index = notebook.set_source(asked.cell_id, asked.source, asked.cell_type)
    elif isinstance(asked, NewCell):
        index = notebook.insert(asked.source, asked.cell_type, asked.after)
    else:
        row = notebook.delete(asked.cell_id)
        return file, notebook.text(), row.cell_id, row.index - 1, operation
    return file, notebook.text(), notebook.row(index).cell_id, index, operation


_OPERATIONS: dict[type[Arguments], str] = {
    NewSource: "nb_set_cell",
    NewCell: "nb_insert_cell",
    GoneCell: "nb_delete_cell",
}


def _require_closed(file: TextFile, operation: str) -> None:
    """Raises: CapabilityUnavailable for a notebook that somebody has open."""
    if is_open(file.path):
        raise CapabilityUnavailable(
            f"{file.shown} is open: what is written to its file would collide with the browser's text",
            fix="ask the person to close it with its kernel, or to make the change in the notebook",
            details={"required_capability": "vcad.notebook", "operation": operation},
        )


def _change(asked: Any, call: Call) -> ChangedNotebook:
    file, text, cell_id, index, operation = _changed(asked, call)
    written = rewrite(call.files, file, text, operation=operation, expect_sha256=asked.expect_sha256)
    call.files.updates.seen(call.agent, written.path, written.data)
    return ChangedNotebook(path=file.shown, cell_id=cell_id, index=index + 1, sha256=written.sha256)


def _preview(asked: Any, call: Call) -> Preview:
    file, text, *_ = _changed(asked, call)
    return Preview(diff=unified(file.text, text, file.shown), paths=(str(file.path),))


def _tool(
    name: str, risk: Risk, about: str, given: type[Arguments], gives: type[Answer], run: Callable[..., Any]
) -> Tool:
    return Tool(
        name, "notebook", risk, risk == "R", about, given, gives, run, None if risk == "R" else _preview
    )


def tools() -> tuple[Tool, ...]:
    """All tools of the pack."""
    return (
        _tool(
            "nb_list_cells",
            "R",
            "To find a cell of a notebook file: all of them, briefly.",
            InNotebook,
            CellList,
            _list,
        ),
        _tool(
            "nb_get_cell",
            "R",
            "To read one cell of a notebook file with its outputs.",
            OneCell,
            CellText,
            _get,
        ),
        _tool(
            "nb_outline",
            "R",
            "To find your way in a notebook file: its headings.",
            InNotebook,
            NotebookOutline,
            _outline,
        ),
        _tool(
            "nb_set_cell",
            "W",
            "To change the text of a cell of a closed notebook; its outputs stay.",
            NewSource,
            ChangedNotebook,
            _change,
        ),
        _tool(
            "nb_insert_cell", "W", "To add a cell to a closed notebook.", NewCell, ChangedNotebook, _change
        ),
        _tool(
            "nb_delete_cell",
            "W",
            "To take a cell out of a closed notebook.",
            GoneCell,
            ChangedNotebook,
            _change,
        ),
    )
