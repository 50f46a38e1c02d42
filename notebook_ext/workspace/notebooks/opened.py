"""Two ways to the cells of a notebook: through the page that shows it, or on disk where it is not open.

    access = notebook_access(gate, front_ends, "plan.ipynb", operation="nb_set_cell")
    access.set_source("a1b2", "1 + 1", None, agent="robot", expect_sha256=None)

An open notebook is changed on its page, so that nothing typed there is lost and it can be undone;
its file follows when it is saved. Without a page that answers for it, it can be read as it was last saved,
and not be changed. Digests are of a cell's text.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from notebook_ext.front_end.notebook_comm import FrontEnds, ShownNotebook
from notebook_ext.session_records import live_records, runtime_folder
from notebook_ext.workspace.files.files import TextFile, read_text, rewrite
from notebook_ext.workspace.files.gate import FileGate
from notebook_ext.workspace.notebooks.file import CellKind, CellRow, NotebookFile
from vcad_kernel.errors import CapabilityUnavailable, ErrorCode, PathRefused, ServiceFailure

__all__ = [
    "CellContent",
    "Changed",
    "NotebookAccess",
    "PageAccess",
    "digest",
    "is_open",
    "notebook_access",
    "own_notebook",
]


# ---- whether a notebook is open: by the sessions that run, and by the local Jupyter servers ----
# A notebook that is open has its text in a browser, and what is written to its file is lost or in the way
# there. Looks at records in Jupyter's runtime folder, and asks the servers of this machine that have one.


_PATIENCE: Final = 2.0
"""Seconds for a server's answer; one that does not answer has nothing to say."""
_LARGEST: Final = 4 * 2**20


def is_open(notebook: Path) -> bool:
    """Whether a kernel runs for this notebook. notebook: its real path."""
    names = [record.notebook for record in live_records() if record.notebook]
    return any(_same(name, notebook) for name in (*names, *_served()))


def _same(name: str, notebook: Path) -> bool:
    """Whether a name is this file; a relative one, whose folder is not known, is by its end."""
    if Path(name).is_absolute():
        return os.path.realpath(name) == str(notebook)
    parts = PurePosixPath(name).parts
    return bool(parts) and notebook.parts[-len(parts) :] == parts


def _served() -> Iterator[str]:
    """The notebooks that the local servers have kernels for, absolute."""
    try:
        records = sorted(runtime_folder().glob("jpserver-*.json"))
    except OSError:
        return
    for path in records:
        try:
            server = json.loads(path.read_bytes()[:65536])
            sessions = _sessions_of(server)
        except (OSError, ValueError, RecursionError, KeyError, TypeError, http.client.HTTPException):
            continue
        for session in sessions:
            if isinstance(session, dict) and isinstance(session.get("path"), str):
                yield str(Path(server["root_dir"]) / session["path"])


def _sessions_of(server: dict[str, Any]) -> list[Any]:
    """What a server answers for its sessions. Raises: OSError, ValueError, KeyError, HTTPException."""
    parts = urlsplit(str(server["url"]))
    if parts.scheme != "http" or parts.hostname not in {"localhost", "127.0.0.1", "::1"}:
        return []
    connection = http.client.HTTPConnection(parts.hostname, parts.port or 80, timeout=_PATIENCE)
    try:
        headers = {"Authorization": f"token {server.get('token', '')}"}
        connection.request("GET", f"{parts.path.rstrip('/')}/api/sessions", headers=headers)
        answer = connection.getresponse()
        sessions = json.loads(answer.read(_LARGEST)) if answer.status == 200 else []
    finally:
        connection.close()
    return sessions if isinstance(sessions, list) else []


# ---- two ways to the cells: through the page that shows them, or on disk ----------------------

CAPABILITY: Final = "vcad.notebook"
"""What a front end must have for an open notebook to be changed."""


@dataclass(frozen=True, slots=True)
class CellContent:
    """One cell whole."""

    row: CellRow
    source: str
    outputs: tuple[str, ...]
    """Each as text."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A cell that was changed."""

    cell_id: str
    index: int
    """0-based; of one that is gone, where it was."""
    file: TextFile | None
    """As it was written; None where the change is in a browser, and not saved yet."""


class NotebookAccess(Protocol):
    """The cells of one notebook. Every verb raises VcadError."""

    path: str
    """As answers say it."""
    place: Path
    """Its real path."""
    is_open: bool
    live: bool
    """What is read is what the person sees now, not what was saved last."""
    silence: ServiceFailure | None
    """Why it is not known whether a page shows it; None where that is known."""

    def notebook(self) -> NotebookFile:
        """All cells; of their outputs perhaps only the kinds."""
        ...

    def cell(self, cell_id: str) -> CellContent:
        """One cell whole."""
        ...

    def require_changeable(self, cell_id: str | None, expect_sha256: str | None, *, going: bool) -> None:
        """See that a change could be made, so that no person is asked for one that could not.

        cell_id: None for a new cell. going: whether the cell is to be taken out. Raises: as the change.
        """
        ...

    def set_source(
        self, cell_id: str, source: str, kind: CellKind | None, *, agent: str, expect_sha256: str | None
    ) -> Changed:
        """Give a cell another text, and another kind."""
        ...

    def insert(self, source: str, kind: CellKind, after: str | None, *, agent: str) -> Changed:
        """Put a cell in. after: the cell before it; "" for the top, None for the end."""
        ...

    def delete(self, cell_id: str, *, agent: str, expect_sha256: str | None) -> Changed:
        """Take a cell out."""
        ...


def notebook_access(gate: FileGate, front_ends: FrontEnds, path: str, *, operation: str) -> NotebookAccess:
    """The way to a notebook's cells. path: as an agent writes it.

    Raises: as `read_text`; UNSUPPORTED_TYPE for what is no notebook.
    """
    place = gate.file(path, operation=operation)
    shown = gate.shown(place)
    if place.suffix != ".ipynb":
        raise ServiceFailure(
            ErrorCode.UNSUPPORTED_TYPE,
            f"{shown} is no notebook",
            fix="name an .ipynb file; py_* and cad_* tools read sources",
            details={"path": shown, "operation": operation},
        )
    silence: ServiceFailure | None = None
    try:
        page = front_ends.find(place)
    except ServiceFailure as unanswered:
        page, silence = None, unanswered
    if page is not None:
        return PageAccess(page, shown, place, workspace=str(gate.workspace), operation=operation)
    access = _FileAccess(gate, path, place, shown, operation)
    # A page that was left open somewhere says nothing about what is closed, unless it only cannot answer now.
    access.silence = silence if access.is_open or front_ends.kernel_computes else None
    return access


def own_notebook(gate: FileGate, front_ends: FrontEnds, *, operation: str) -> PageAccess:
    """The notebook of this kernel, on the page that shows it.

    Raises: CapabilityUnavailable where no page does; INVALID_PARAMS where several have this kernel; TIMEOUT.
    """
    shown = front_ends.own()
    if not shown:
        raise _not_shown("the notebook of this session", operation)
    if len(shown) > 1:
        names = ", ".join(gate.shown(page.place.resolve()) for page in shown)
        raise ServiceFailure(
            ErrorCode.INVALID_PARAMS,
            f"several notebooks run on this kernel: {names}",
            fix="say which one is meant with path",
            details={"path": "path", "expected": f"one of {names}", "operation": operation},
        )
    place = shown[0].place.resolve()
    return PageAccess(shown[0], gate.shown(place), place, workspace=str(gate.workspace), operation=operation)


def digest(source: str) -> str:
    """Of a cell's text; hexadecimal SHA-256."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()


class PageAccess:
    """A notebook that a page shows. workspace: named where the page refuses a change."""

    is_open = True
    live = True
    silence: ServiceFailure | None = None

    def __init__(
        self, page: ShownNotebook, path: str, place: Path, *, workspace: str, operation: str
    ) -> None:
        self.path = path
        self.place = place
        self.page = page
        self._workspace = workspace
        self._operation = operation

    def notebook(self) -> NotebookFile:
        """All cells; of their outputs the kinds."""
        return self._read(self._ask("list")["cells"])

    def cell(self, cell_id: str) -> CellContent:
        """One cell whole."""
        all_cells = self.notebook()
        row = all_cells.row(all_cells.find(cell_id))
        alone = self._read([self._ask("get", cell=row.cell_id)["cell"]])
        return CellContent(row, alone.source(0), alone.outputs(0))

    def content(self, cell: Any, index: int) -> CellContent:
        """A cell that the page has sent, which is at this place, 0-based."""
        alone = self._read([cell])
        return CellContent(alone.row(0, at=index), alone.source(0), alone.outputs(0))

    def require_changeable(self, cell_id: str | None, expect_sha256: str | None, *, going: bool) -> None:
        """See that a change could be made: the page says the rest when it is made."""
        del going
        if cell_id is not None:
            self.expected(cell_id, expect_sha256)

    def set_source(
        self, cell_id: str, source: str, kind: CellKind | None, *, agent: str, expect_sha256: str | None
    ) -> Changed:
        """Give a cell another text, and another kind."""
        row, expected = self.expected(cell_id, expect_sha256)
        text = source.replace("\r\n", "\n")
        done = self._ask("set", cell=row.cell_id, source=text, kind=kind, expected=expected, agent=agent)
        return Changed(row.cell_id, int(done["index"]), None)

    def insert(self, source: str, kind: CellKind, after: str | None, *, agent: str) -> Changed:
        """Put a cell in."""
        there = self.notebook()
        if after is None:
            rows = there.rows()
            before = rows[-1].cell_id if rows else None
        else:
            before = there.row(there.find(after)).cell_id if after else None
        text = source.replace("\r\n", "\n")
        done = self._ask("insert", after=before, source=text, kind=kind, agent=agent)
        return Changed(str(done["cell"]), int(done["index"]), None)

    def delete(self, cell_id: str, *, agent: str, expect_sha256: str | None) -> Changed:
        """Take a cell out."""
        row, expected = self.expected(cell_id, expect_sha256)
        done = self._ask("delete", cell=row.cell_id, expected=expected, agent=agent)
        return Changed(row.cell_id, int(done["index"]), None)

    def expected(self, cell_id: str, expect_sha256: str | None) -> tuple[CellRow, str]:
        """A cell and its text as it is now, which is the one that was seen. Raises: REVISION_CONFLICT."""
        there = self.notebook()
        index = there.find(cell_id)
        _require_seen(there.source(index), expect_sha256, self.path, there.row(index), self._operation)
        return there.row(index), there.source(index)

    def refused(self, error: ServiceFailure) -> ServiceFailure | PathRefused:
        """What the page refuses, with the details that its code must have."""
        details: dict[str, Any] = {"path": self.path, "operation": self._operation}
        if error.error_code == ErrorCode.PATH_NOT_ALLOWED:
            return PathRefused(error.message, details={**details, "workspace": self._workspace})
        if error.error_code == ErrorCode.REVISION_CONFLICT:
            fix = "read the cell again with nb_get_cell, and decide anew"
            extra: dict[str, Any] = {"node_id": None, "expected": None, "current": None}
        elif error.error_code == ErrorCode.CAPABILITY_UNAVAILABLE:
            fix = "attach to the session of that notebook"
            extra = {"required_capability": CAPABILITY, "negotiated_capabilities": []}
        elif error.error_code == ErrorCode.INVALID_PARAMS:
            fix, extra = (
                "nb_list_cells lists the cells",
                {"path": "cell_id", "expected": "a cell that is there"},
            )
        else:
            fix, extra = error.fix or "", {}
        return ServiceFailure(error.error_code, error.message, fix=fix or None, details={**details, **extra})

    def _ask(self, method: str, **fields: Any) -> dict[str, Any]:
        try:
            return self.page.ask(method, **fields)
        except ServiceFailure as error:
            raise self.refused(error) from None

    def _read(self, cells: Any) -> NotebookFile:
        content = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
        return NotebookFile(json.dumps(content), self.path, operation=self._operation)


class _FileAccess:
    """A notebook by its file."""

    live = False
    silence: ServiceFailure | None = None

    def __init__(self, gate: FileGate, given: str, place: Path, path: str, operation: str) -> None:
        self._gate = gate
        self._operation = operation
        self._file = read_text(gate, given, operation=operation)
        self.path = path
        self.place = place
        self.is_open = is_open(place)

    def notebook(self) -> NotebookFile:
        """All cells."""
        return NotebookFile(self._file.text, self.path, operation=self._operation)

    def cell(self, cell_id: str) -> CellContent:
        """One cell whole."""
        there = self.notebook()
        index = there.find(cell_id)
        return CellContent(there.row(index), there.source(index), there.outputs(index))

    def require_changeable(self, cell_id: str | None, expect_sha256: str | None, *, going: bool) -> None:
        """See that a change could be made."""
        if cell_id is None:
            self._require_closed()
        else:
            self._to_change(cell_id, expect_sha256, lock="deletable" if going else "editable")

    def set_source(
        self, cell_id: str, source: str, kind: CellKind | None, *, agent: str, expect_sha256: str | None
    ) -> Changed:
        """Give a cell another text, and another kind."""
        del agent
        there = self._to_change(cell_id, expect_sha256, lock="editable")
        index = there.set_source(cell_id, source, kind)
        return self._written(there, there.row(index).cell_id, index)

    def insert(self, source: str, kind: CellKind, after: str | None, *, agent: str) -> Changed:
        """Put a cell in."""
        del agent
        self._require_closed()
        there = self.notebook()
        index = there.insert(source, kind, after)
        return self._written(there, there.row(index).cell_id, index)

    def delete(self, cell_id: str, *, agent: str, expect_sha256: str | None) -> Changed:
        """Take a cell out."""
        del agent
        there = self._to_change(cell_id, expect_sha256, lock="deletable")
        row = there.delete(cell_id)
        return self._written(there, row.cell_id, row.index - 1)

    def _to_change(self, cell_id: str, expect_sha256: str | None, *, lock: str) -> NotebookFile:
        self._require_closed()
        there = self.notebook()
        index = there.find(cell_id)
        _require_seen(there.source(index), expect_sha256, self.path, there.row(index), self._operation)
        if there.is_locked(index, lock):
            raise PathRefused(
                f"the cell is locked: its metadata say that it is not {lock}",
                fix="ask the person to unlock it in JupyterLab",
                details={
                    "path": self.path,
                    "workspace": str(self._gate.workspace),
                    "operation": self._operation,
                },
            )
        return there

    def _written(self, there: NotebookFile, cell_id: str, index: int) -> Changed:
        file = rewrite(self._gate, self._file, there.text(), operation=self._operation)
        return Changed(cell_id, index, file)

    def _require_closed(self) -> None:
        """Raises: CapabilityUnavailable for what is open; TIMEOUT where that is not known."""
        if self.silence is not None:
            raise self.silence
        if self.is_open:
            raise _not_shown(self.path, self._operation)


def _not_shown(what: str, operation: str) -> CapabilityUnavailable:
    return CapabilityUnavailable(
        f"{what} is open, and no page answers for it: what is written to its file would collide with the "
        "browser's text",
        fix="have the person open it in JupyterLab with this workbench's extension, in the window of the "
        "session's notebook; or close it with its kernel",
        details={"required_capability": CAPABILITY, "operation": operation},
    )


def _require_seen(source: str, expect_sha256: str | None, path: str, row: CellRow, operation: str) -> None:
    current = digest(source)
    if expect_sha256 is not None and expect_sha256.lower() != current:
        raise ServiceFailure(
            ErrorCode.REVISION_CONFLICT,
            f"cell {row.index} of {path} is not what you have read; nothing was done",
            fix="read it again with nb_get_cell, and decide anew",
            details={
                "node_id": None,
                "path": path,
                "expected": expect_sha256,
                "current": current,
                "operation": operation,
            },
        )
