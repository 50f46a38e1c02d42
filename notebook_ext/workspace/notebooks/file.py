"""One notebook file as text: its cells by id, and the text with a cell changed, put in or taken out.

    file = NotebookFile(text, "plan.ipynb", operation="nb_set_cell")
    file.set_source("a1b2", "1 + 1")
    file.text()

Cells of a notebook older than format 4.5 have no ids; there ``#1`` is the first cell, and so it may be said
of any. Knows no files: text comes in, text goes out. Outputs stay when a cell's source changes, as in
JupyterLab.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NoReturn, TypeAlias

from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["CellKind", "CellRow", "Heading", "NotebookFile"]

CellKind: TypeAlias = Literal["code", "markdown", "raw"]

_MAJOR: Final = 4
_IDS_FROM: Final = 5
_INDEX: Final = re.compile(r"#([1-9][0-9]{0,5})")
_HEADING: Final = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*#*$", re.MULTILINE)
_FENCE: Final = re.compile(r"^(```|~~~).*?(^\1|\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class CellRow:
    """One cell, briefly."""

    cell_id: str
    index: int
    """1-based."""
    cell_type: str
    lines: int
    first_line: str
    execution_count: int | None
    outputs: tuple[str, ...]
    """Their kinds: ``stream``, ``error``, or the mime types of a picture or value."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the notebook's text."""

    level: int
    text: str
    cell_id: str
    index: int
    """Of its cell, 1-based."""


class NotebookFile:
    """A notebook's content, to be changed.

    name: what errors call the file. operation: the tool on whose behalf it is read.
    Raises: ServiceFailure UNSUPPORTED_TYPE for what is no notebook of format 4.
    """

    def __init__(self, text: str, name: str, *, operation: str) -> None:
        self.name = name
        self.operation = operation
        try:
            self._content: Any = json.loads(text)
        except (ValueError, RecursionError) as wrong:
            self._no_notebook(str(wrong))
        if not isinstance(self._content, dict) or self._content.get("nbformat") != _MAJOR:
            self._no_notebook("its format is not 4")
        self._require_valid()

    def _require_valid(self) -> None:
        from nbformat import validator

        validator_of: Any = validator.get_validator  # without types
        # not nbformat.validate: it warns of cells without an id, and gives them one
        minor = self._content.get("nbformat_minor", 0)
        checked = copy.deepcopy(self._content)
        try:
            for number, cell in enumerate(checked["cells"] if minor >= _IDS_FROM else ()):
                cell.setdefault("id", f"cell-{number}")
            wrong = next(iter(validator_of(_MAJOR, minor).iter_errors(checked)), None)
        except (KeyError, TypeError, AttributeError) as malformed:
            # what the schema was to find first: cells that are no objects
            self._no_notebook(f"{type(malformed).__name__}: {malformed}")
        if wrong is not None:
            self._no_notebook(str(wrong.message))

    @property
    def _cells(self) -> list[dict[str, Any]]:
        cells: list[dict[str, Any]] = self._content["cells"]
        return cells

    # ---- reading ---------------------------------------------------------------------------

    def rows(self) -> tuple[CellRow, ...]:
        """All cells in order."""
        return tuple(self.row(index) for index in range(len(self._cells)))

    def row(self, index: int, *, at: int | None = None) -> CellRow:
        """One cell, briefly. index, at: 0-based; at: its place in a notebook of which this is a part."""
        cell = self._cells[index]
        source = _joined(cell["source"])
        return CellRow(
            self._id(index),
            (index if at is None else at) + 1,
            cell["cell_type"],
            source.count("\n") + 1 if source else 0,
            next((line.strip() for line in source.split("\n") if line.strip()), "")[:200],
            cell.get("execution_count"),
            tuple(kind for output in cell.get("outputs", ()) for kind in _kinds(output)),
        )

    def find(self, cell_id: str) -> int:
        """The 0-based index of a cell. cell_id: its id, or ``#1`` for the first.

        Raises: ServiceFailure INVALID_PARAMS.
        """
        indices = [index for index, cell in enumerate(self._cells) if cell.get("id") == cell_id]
        numbered = _INDEX.fullmatch(cell_id)
        if not indices and numbered and int(numbered[1]) <= len(self._cells):
            indices = [int(numbered[1]) - 1]
        if len(indices) != 1:
            known = ", ".join(self._id(index) for index in range(min(len(self._cells), 30))) or "none"
            raise ServiceFailure(
                ErrorCode.INVALID_PARAMS,
                f"there is no cell {cell_id!r} in {self.name}",
                fix=f"nb_list_cells lists them: {known}",
                details={
                    "path": "cell_id",
                    "expected": f"one of {known}",
                    "operation": self.operation,
                },
            )
        return indices[0]

    def source(self, index: int) -> str:
        """The text of a cell. index: 0-based."""
        return _joined(self._cells[index]["source"])

    def outputs(self, index: int) -> tuple[str, ...]:
        """What a cell has put out, each as text; of what is no text only its kind."""
        return tuple(_as_text(output) for output in self._cells[index].get("outputs", ()))

    def is_locked(self, index: int, lock: str) -> bool:
        """Whether a cell is not to be changed, says its maker. lock: ``editable`` or ``deletable``."""
        return self._cells[index]["metadata"].get(lock) is False

    def headings(self) -> tuple[Heading, ...]:
        """The headings of its Markdown cells, in order."""
        return tuple(
            Heading(len(match[1]), match[2], self._id(index), index + 1)
            for index, cell in enumerate(self._cells)
            if cell["cell_type"] == "markdown"
            for match in _HEADING.finditer(_FENCE.sub("", _joined(cell["source"])))
        )

    # ---- changing --------------------------------------------------------------------------

    def set_source(self, cell_id: str, source: str, kind: CellKind | None = None) -> int:
        """Give a cell another text, and another kind. Returns: its 0-based index. Raises: as ``find``."""
        index = self.find(cell_id)
        cell = self._cells[index]
        if kind is not None and kind != cell["cell_type"]:
            kept: dict[str, Any] = {name: cell[name] for name in ("id", "metadata") if name in cell}
            cell = self._cells[index] = {**_new_cell(kind), **kept}
        cell["source"] = _as_lines(source)
        return index

    def insert(self, source: str, kind: CellKind, after: str | None) -> int:
        """Put a cell in. after: the cell before it; "" for the top, None for the end.

        Returns: its 0-based index. Raises: as ``find``.
        """
        index = len(self._cells) if after is None else self.find(after) + 1 if after else 0
        cell = _new_cell(kind)
        if self._content.get("nbformat_minor", 0) >= _IDS_FROM:
            import uuid

            cell["id"] = uuid.uuid4().hex[:8]
        cell["source"] = _as_lines(source)
        self._cells.insert(index, cell)
        return index

    def delete(self, cell_id: str) -> CellRow:
        """Take a cell out. Returns: what it was. Raises: as ``find``."""
        index = self.find(cell_id)
        row = self.row(index)
        del self._cells[index]
        return row

    def text(self) -> str:
        """The whole file, as Jupyter writes it, checked again."""
        self._require_valid()
        return json.dumps(self._content, indent=1, ensure_ascii=False, sort_keys=True) + "\n"

    def _id(self, index: int) -> str:
        return str(self._cells[index].get("id") or f"#{index + 1}")

    def _no_notebook(self, why: str) -> NoReturn:
        raise ServiceFailure(
            ErrorCode.UNSUPPORTED_TYPE,
            f"{self.name} is no notebook of format 4: {why[:300]}",
            fix="open it in JupyterLab and save it, which brings it to format 4",
            details={"path": self.name, "operation": self.operation},
        )


def _new_cell(kind: CellKind) -> dict[str, Any]:
    empty: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": []}
    return {**empty, "outputs": [], "execution_count": None} if kind == "code" else empty


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def _as_lines(text: str) -> list[str]:
    """As notebooks keep a text: its lines with their ends."""
    lines = text.replace("\r\n", "\n").split("\n")
    whole = [f"{line}\n" for line in lines[:-1]]
    return [*whole, lines[-1]] if lines[-1] else whole


def _kinds(output: Mapping[str, Any]) -> tuple[str, ...]:
    data = output.get("data")
    return tuple(data) if isinstance(data, dict) else (str(output["output_type"]),)


def _as_text(output: Mapping[str, Any]) -> str:
    if output["output_type"] == "stream":
        return _joined(output["text"])
    if output["output_type"] == "error":
        return f"{output['ename']}: {output['evalue']}"
    data = output["data"]
    if "text/plain" in data:
        return _joined(data["text/plain"])
    return f"<{', '.join(data)}>"
