"""Tools for notebooks: list, read, set, put in, take out and run cells.

What a person has open is read and changed in their browser, through the page that shows it; what is closed,
on disk. A cell is run by the page as well, in the session's own kernel, as if the person had run it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from notebook_ext.agents.calls.arguments import Answer, Arguments
from notebook_ext.agents.calls.call import Preview, Risk, Tool
from notebook_ext.agents.packs.notebook.answers import (
    CellEntry,
    CellList,
    CellText,
    ChangedNotebook,
    GoneCell,
    HeadingEntry,
    InNotebook,
    NewCell,
    NewSource,
    NotebookOutline,
    OneCell,
    RanCell,
    RunCell,
)
from notebook_ext.workspace.files.named import named_files
from notebook_ext.workspace.files.text_diff import unified
from notebook_ext.workspace.notebooks.file import CellRow
from notebook_ext.workspace.notebooks.opened import (
    CellContent,
    Changed,
    NotebookAccess,
    PageAccess,
    digest,
    notebook_access,
    own_notebook,
)
from vcad_kernel.errors import CapabilityUnavailable, ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from notebook_ext.agents.calls.call import Call

__all__ = ["tools"]

# ---- reading -------------------------------------------------------------------------------


def _access(path: str, call: Call, operation: str) -> NotebookAccess:
    return notebook_access(call.files, call.session.front_ends, path, operation=operation)


def _entry(row: CellRow) -> CellEntry:
    return CellEntry(
        cell_id=row.cell_id,
        index=row.index,
        cell_type=row.cell_type,
        lines=row.lines,
        first_line=row.first_line,
        execution_count=row.execution_count,
        outputs=list(row.outputs),
    )


def _list(arguments: InNotebook, call: Call) -> CellList:
    access = _access(arguments.path, call, "nb_list_cells")
    cells = [_entry(row) for row in access.notebook().rows()]
    return CellList(path=access.path, open=access.is_open, live=access.live, cells=cells)


def _get(arguments: OneCell, call: Call) -> CellText:
    access = _access(arguments.path, call, "nb_get_cell")
    cell = access.cell(arguments.cell_id)
    return CellText(
        path=access.path,
        open=access.is_open,
        live=access.live,
        cell=_entry(cell.row),
        source=cell.source,
        outputs=_shortened(cell),
        sha256=digest(cell.source),
    )


def _shortened(cell: CellContent) -> list[str]:
    return [text[:_LONGEST_OUTPUT] for text in cell.outputs[:_MOST_OUTPUTS]]


_LONGEST_OUTPUT: Final = 16 * 1024
"""Characters of one output of a cell."""
_MOST_OUTPUTS: Final = 100


def _outline(arguments: InNotebook, call: Call) -> NotebookOutline:
    access = _access(arguments.path, call, "nb_outline")
    notebook = access.notebook()
    kinds = [row.cell_type for row in notebook.rows()]
    return NotebookOutline(
        path=access.path,
        open=access.is_open,
        live=access.live,
        headings=[
            HeadingEntry(level=heading.level, text=heading.text, cell_id=heading.cell_id, index=heading.index)
            for heading in notebook.headings()
        ],
        code_cells=kinds.count("code"),
        markdown_cells=kinds.count("markdown"),
    )


# ---- what a person has seen ----------------------------------------------------------------


def _expected(arguments: NewSource | GoneCell | RunCell, call: Call) -> str | None:
    """The digest that the cell must have: as its caller has read it, else as a person was shown it.

    Between a yes and its doing there is a moment in which another call could exchange the text.
    """
    if arguments.expect_sha256 is not None:
        return arguments.expect_sha256
    return None if call.approved is None else dict(call.approved.digests).get(arguments.cell_id)


# ---- changing ------------------------------------------------------------------------------


def _set(arguments: NewSource, call: Call) -> ChangedNotebook:
    access = _access(arguments.path, call, "nb_set_cell")
    before = access.cell(arguments.cell_id).source
    done = access.set_source(
        arguments.cell_id,
        arguments.content,
        arguments.cell_type,
        agent=call.agent,
        expect_sha256=_expected(arguments, call),
    )
    return _changed(access, done, arguments.content, call, before)


def _insert(arguments: NewCell, call: Call) -> ChangedNotebook:
    access = _access(arguments.path, call, "nb_insert_cell")
    done = access.insert(arguments.content, arguments.cell_type, arguments.after, agent=call.agent)
    return _changed(access, done, arguments.content, call)


def _delete(arguments: GoneCell, call: Call) -> ChangedNotebook:
    access = _access(arguments.path, call, "nb_delete_cell")
    done = access.delete(arguments.cell_id, agent=call.agent, expect_sha256=_expected(arguments, call))
    return _changed(access, done, "", call)


def _changed(
    access: NotebookAccess, done: Changed, source: str, call: Call, before: str = ""
) -> ChangedNotebook:
    call.files.persons.left(_cell_path(access.place, done.cell_id), before.encode(), source.encode())
    if done.file is not None:
        call.files.updates.seen(call.agent, done.file.path, done.file.data)
    return ChangedNotebook(
        path=access.path,
        cell_id=done.cell_id,
        index=done.index + 1,
        saved=done.file is not None,
        sha256=digest(source.replace("\r\n", "\n")),
    )


def _previewed(operation: str) -> Callable[[Any, Call], Preview]:
    def preview(arguments: NewSource | NewCell | GoneCell, call: Call) -> Preview:
        access = _access(arguments.path, call, operation)
        if isinstance(arguments, NewCell):
            access.require_changeable(None, None, going=False)
        else:
            going = isinstance(arguments, GoneCell)
            access.require_changeable(arguments.cell_id, arguments.expect_sha256, going=going)
        notebook = access.notebook()
        before, after = "", "" if isinstance(arguments, GoneCell) else arguments.content
        cell, what = "a new cell", f"Adds a cell to {access.path}"
        seen: tuple[tuple[str, str], ...] = ()
        lost: tuple[str, ...] = ()
        if not isinstance(arguments, NewCell):
            index = notebook.find(arguments.cell_id)
            before, cell = notebook.source(index), f"cell {index + 1}"
            verb = "Takes" if isinstance(arguments, GoneCell) else "Changes"
            what = f"{verb} {cell} {'out ' if isinstance(arguments, GoneCell) else ''}of {access.path}."
            seen = ((arguments.cell_id, digest(before)),)
            place = _cell_path(access.place, arguments.cell_id)
            lost = call.files.persons.lost(place, before.encode(), after.encode())
            if isinstance(arguments, GoneCell):
                lost = (f"{cell} of {access.path}",)
        elif arguments.after:
            what += f" after cell {notebook.find(arguments.after) + 1}."
        return Preview(
            diff=unified(_ended(before), _ended(after), f"{access.path}, {cell}"),
            summary=what,
            takes_away=lost,
            undo="Ctrl+Z in the notebook takes it back." if access.is_open else "",
            digests=seen,
            paths=(str(access.place),),
        )

    return preview


def _cell_path(notebook: Path, cell_id: str) -> Path:
    """A cell as a file of its own, for what of it is the person's."""
    return notebook / cell_id


def _ended(text: str) -> str:
    """A text of whole lines: cells end without the newline that files end with."""
    return text if not text or text.endswith("\n") else f"{text}\n"


# ---- running -------------------------------------------------------------------------------


def _page_of(arguments: RunCell, call: Call) -> PageAccess:
    """The page that is to run it. Raises: CapabilityUnavailable where no page does."""
    operation = "nb_run_cell"
    if arguments.path is None:
        return own_notebook(call.files, call.session.front_ends, operation=operation)
    access = _access(arguments.path, call, operation)
    if isinstance(access, PageAccess):
        return access
    if access.silence is not None:
        raise access.silence
    raise CapabilityUnavailable(
        f"no page shows {access.path}, so nobody could run its cells",
        fix="have the person open it in JupyterLab with this workbench's extension",
        details={"required_capability": "vcad.notebook", "operation": operation},
    )


def _run(arguments: RunCell, call: Call) -> RanCell:
    access = _page_of(arguments, call)
    seen = _expected(arguments, call)
    if arguments.content is not None:
        access.set_source(arguments.cell_id, arguments.content, None, agent=call.agent, expect_sha256=seen)
        seen = digest(arguments.content.replace("\r\n", "\n"))
    row, source = access.expected(arguments.cell_id, seen)
    began = time.monotonic()
    _wait_for_kernel(access, began + arguments.timeout_s, call)
    glance = _glance(call, "the cell runs")
    approved = () if call.approved is None else call.approved.digests
    try:
        with call.files.held(
            [named for named in approved if named[0] != arguments.cell_id], operation=call.tool
        ):
            result, stopped = access.page.run(
                cell=row.cell_id,
                expected=source,
                agent=call.agent,
                patience=max(1.0, began + arguments.timeout_s - time.monotonic()),
                glance=glance,
            )
    except ServiceFailure as error:
        raise access.refused(error) from None
    cell = access.content(result["cell"], int(result["index"]))
    return RanCell(
        path=access.path,
        cell=_entry(cell.row),
        status="timed_out" if stopped else "ok" if result.get("ok") is True else "error",
        outputs=_shortened(cell),
        duration_s=round(time.monotonic() - began, 3),
        sha256=digest(source),
    )


def _wait_for_kernel(access: PageAccess, until: float, call: Call) -> None:
    """Wait while another cell runs: what is queued behind it could not be stopped without stopping that.

    Raises: ServiceFailure TIMEOUT; Cancelled.
    """
    glance = _glance(call, "another cell runs; this one waits for it")
    while access.page.kernel_computes:
        if time.monotonic() >= until:
            raise ServiceFailure(
                ErrorCode.TIMEOUT,
                "another cell runs all the time; this one has not been begun",
                fix="wait until it has ended, or ask the person to interrupt it",
                details={"operation": "nb_run_cell"},
            )
        glance()
        call.cancelled.wait(_LOOK)


_LOOK: Final = 0.1
"""Seconds between two looks whether the kernel is free."""
_REPORT_EVERY: Final = 5.0
"""Seconds; clients give up on calls of which they hear nothing."""


def _glance(call: Call, message: str) -> Callable[[], None]:
    """What is done now and then while a call waits: it says so, and raises Cancelled once it is given up."""
    reported_at = time.monotonic()

    def glance() -> None:
        nonlocal reported_at
        call.checkpoint()
        if time.monotonic() - reported_at >= _REPORT_EVERY:
            reported_at = time.monotonic()
            call.progress(0, None, message)

    return glance


def _run_preview(arguments: RunCell, call: Call) -> Preview:
    access = _page_of(arguments, call)
    row, source = access.expected(arguments.cell_id, arguments.expect_sha256)
    what = f"cell {row.index} of {access.path}"
    runs = source if arguments.content is None else arguments.content
    return Preview(
        summary=f"Runs {what} in this kernel."
        if arguments.content is None
        else f"Gives {what} another text, and runs it in this kernel.",
        code=runs,
        diff=""
        if arguments.content is None
        else unified(_ended(source), _ended(runs), f"{access.path}, cell {row.index}"),
        undo="Nothing takes back what the cell does.",
        digests=((arguments.cell_id, digest(source)), *named_files(runs, access.place.parent, call.files)),
    )


# ---- the tools -----------------------------------------------------------------------------


def _tool(
    name: str,
    risk: Risk,
    about: str,
    given: type[Arguments],
    gives: type[Answer],
    run: Callable[..., Any],
    affects: Callable[[Any, Call], Preview] | None = None,
) -> Tool:
    return Tool(name, "notebook", risk, risk == "R", about, given, gives, run, affects)


def tools() -> tuple[Tool, ...]:
    """All tools of the pack."""
    return (
        _tool(
            "nb_list_cells",
            "R",
            "To find a cell of a notebook: all of them, briefly.",
            InNotebook,
            CellList,
            _list,
        ),
        _tool(
            "nb_get_cell",
            "R",
            "To read one cell of a notebook with its outputs.",
            OneCell,
            CellText,
            _get,
        ),
        _tool(
            "nb_outline",
            "R",
            "To find your way in a notebook: its headings.",
            InNotebook,
            NotebookOutline,
            _outline,
        ),
        _tool(
            "nb_set_cell",
            "W",
            "To change the text of a cell; its outputs stay. In an open notebook the person sees it, and can "
            "undo it.",
            NewSource,
            ChangedNotebook,
            _set,
            _previewed("nb_set_cell"),
        ),
        _tool(
            "nb_insert_cell",
            "W",
            "To add a cell to a notebook, open or closed.",
            NewCell,
            ChangedNotebook,
            _insert,
            _previewed("nb_insert_cell"),
        ),
        _tool(
            "nb_delete_cell",
            "W",
            "To take a cell out of a notebook, open or closed.",
            GoneCell,
            ChangedNotebook,
            _delete,
            _previewed("nb_delete_cell"),
        ),
        _tool(
            "nb_run_cell",
            "X",
            "To run a cell of the session's notebook in its live kernel, once the person has said yes; its "
            "outputs appear there, and here as text.",
            RunCell,
            RanCell,
            _run,
            _run_preview,
        ),
    )
