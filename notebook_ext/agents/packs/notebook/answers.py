"""What the tools for notebooks are called with, and what they give."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from notebook_ext.agents.calls.arguments import Answer, Arguments, Changing
from notebook_ext.workspace.notebooks.file import CellKind

__all__ = [
    "CellEntry",
    "CellList",
    "CellText",
    "ChangedNotebook",
    "GoneCell",
    "HeadingEntry",
    "InNotebook",
    "NewCell",
    "NewSource",
    "NotebookOutline",
    "OneCell",
    "RanCell",
    "RunCell",
]

_SEEN = "the cell's sha256 as nb_get_cell gave it: refused if its text has changed since"
_LIVE = "as the person sees it now; false: as it was last saved"


class InNotebook(Arguments):
    """A notebook."""

    path: str = Field(description="an .ipynb file, from the workspace")


class OneCell(InNotebook):
    """A cell."""

    cell_id: str = Field(description="its id, or #1 for the first cell")


class NewSource(OneCell, Changing):
    """A cell's other text."""

    content: str
    cell_type: CellKind | None = None
    expect_sha256: str | None = Field(None, description=_SEEN)


class NewCell(InNotebook, Changing):
    """A new cell."""

    content: str
    cell_type: CellKind = "code"
    after: str | None = Field(None, description='the cell before it; "" for the top; by default at the end')


class GoneCell(OneCell, Changing):
    """A cell to take out."""

    expect_sha256: str | None = Field(None, description=_SEEN)


class RunCell(Changing):
    """A cell to run."""

    cell_id: str = Field(description="its id, or #1 for the first cell")
    content: str | None = Field(None, description="text that it gets first; by default it runs as it is")
    timeout_s: float = Field(60, ge=1, le=600, description="after which it is interrupted")
    path: str | None = Field(
        None, description="its notebook, where several run on this kernel; else the session's own"
    )
    expect_sha256: str | None = Field(None, description=_SEEN)


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
    open: bool = Field(description="somebody has it open")
    live: bool = Field(description=_LIVE)
    cells: list[CellEntry]


class CellText(Answer):
    """One cell whole."""

    path: str
    open: bool = Field(description="somebody has it open")
    live: bool = Field(description=_LIVE)
    cell: CellEntry
    source: str
    outputs: list[str] = Field(description="as text")
    sha256: str = Field(description="of its source")


class HeadingEntry(Answer):
    """A heading and its cell."""

    level: int
    text: str
    cell_id: str
    index: int


class NotebookOutline(Answer):
    """The headings of a notebook."""

    path: str
    open: bool = Field(description="somebody has it open")
    live: bool = Field(description=_LIVE)
    headings: list[HeadingEntry]
    code_cells: int
    markdown_cells: int


class ChangedNotebook(Answer):
    """A notebook that was changed."""

    path: str
    cell_id: str
    index: int = Field(description="1-based; of a cell that is gone, where it was")
    saved: bool = Field(description="false: changed in the browser; its file follows when that is saved")
    sha256: str = Field(description="of the cell's source")


class RanCell(Answer):
    """What came of it."""

    path: str
    cell: CellEntry
    status: Literal["ok", "error", "timed_out"]
    outputs: list[str] = Field(description="as text")
    duration_s: float
    sha256: str = Field(description="of the source that ran")
