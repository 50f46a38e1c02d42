"""When a notebook's session is opened to other programs: with the first ``%loon…``, not before.

Knows the shell: which kernel and which notebook it is, and its table of magics. Imports nothing slow.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vcad_kernel.errors import VcadError

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.core.magic import Magics

    from notebook_ext.session.session import Session
    from notebook_ext.session_records import SessionRecord

__all__ = ["kernel_id", "notebook", "open_with_first_of"]


def kernel_id(shell: InteractiveShell) -> str | None:
    """The id by which Jupyter knows this kernel, the same after a restart; None outside of a kernel."""
    if getattr(shell, "kernel", None) is None:
        return None
    from ipykernel.connect import get_connection_file

    try:
        name = Path(get_connection_file()).stem
    except RuntimeError:  # a kernel without an application: embedded in another program
        return None
    return name.removeprefix("kernel-") or None


def notebook(shell: InteractiveShell) -> str | None:
    """The notebook's file, where its front end says it: Jupyter's server does, and VS Code."""
    name = os.environ.get("JPY_SESSION_NAME") or shell.user_ns.get("__vsc_ipynb_file__")
    return name if isinstance(name, str) and name else None


def open_with_first_of(magics: Iterable[Magics], shell: InteractiveShell, session: Session) -> None:
    """Have the first call of any of these magics, already registered, open the session's gateway.

    A cell never fails because that is not possible; ``%loon_mcp`` says why it was not.
    """
    table: dict[str, dict[str, Callable[..., Any]]] = shell.magics_manager.magics
    waiting = {
        (kind, name): table[kind][name]
        for group in magics
        for kind, names in type(group).magics.items()
        for name in names
    }

    def opening(magic: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(magic)
        def opened(*arguments: Any, **options: Any) -> Any:
            if waiting:
                # from now on the magics stand in the table themselves; what has taken the place of one stays
                for (kind, name), itself in waiting.items():
                    if getattr(table[kind].get(name), "__wrapped__", None) is itself:
                        table[kind][name] = itself
                waiting.clear()
                _open(session)
            return magic(*arguments, **options)

        return opened

    for (kind, name), magic in waiting.items():
        table[kind][name] = opening(magic)


def _open(session: Session) -> None:
    try:
        _ = session.cell_dock  # made on the thread that runs cells: approvals appear there
        record = session.gateway.open()
    except VcadError as error:
        session.log.event("gateway_failed", level="warning", error_code=str(error.error_code))
        return
    if _agent_works_without_a_notebook(record):
        print("an agent works in this project without a notebook; it comes here with its next call")


def _agent_works_without_a_notebook(ours: SessionRecord) -> bool:
    from notebook_ext.session_records import live_records

    return any(
        record.kernel_id is None
        and record.workspace == ours.workspace
        and record.session_id != ours.session_id
        for record in live_records()
    )
