"""The comm ``vcad.language``: an editor asks for findings and formatting, also while a cell computes.

The front end opens the comm and sends ``{id, method, text}`` with the whole text of a cell; it gets back
``{id, result}`` or ``{id, error: {code, message}}``. Offsets count UTF-16 code units of that text, as
browsers do. Nothing is evaluated, and a text that is no Loon cell has no findings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tornado.ioloop import IOLoop

from notebook_ext.loon_text import LoonText, loon_cell
from notebook_ext.shell_channel import say_busy_again
from vcad_kernel.errors import LoonError

if TYPE_CHECKING:
    from vcad_kernel.loon.diagnostics import Diagnostic

__all__ = ["TARGET", "LanguageComm", "answered"]

TARGET = "vcad.language"

Check = Callable[[LoonText], "Sequence[Diagnostic]"]
"""What the checker finds in the text of a cell; offsets count from where that text begins."""


class LanguageComm:
    """Answers on every comm that a front end opens, from `open` to `close`."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._comms: dict[str, Any] = {}

    def open(self) -> None:
        """Let front ends open comms."""
        from comm import get_comm_manager

        get_comm_manager().register_target(TARGET, self._opened)

    def close(self) -> None:
        """Close every comm; front ends fall silent."""
        from comm import get_comm_manager

        get_comm_manager().unregister_target(TARGET, self._opened)
        for comm in list(self._comms.values()):
            comm.close()
        self._comms.clear()

    def _opened(self, comm: Any, _message: Mapping[str, Any]) -> None:
        # JupyterLab asks on a sub-shell, which no cell holds up. By itself ipykernel (7.4) would
        # move a comm to the shell on which it last spoke.
        comm._reply_subshell_for = _shell_asked_for
        comm.on_msg(lambda message: self._asked(comm, message["content"]["data"]))
        comm.on_close(lambda _message: self._comms.pop(comm.comm_id, None))
        self._comms[comm.comm_id] = comm

    def _asked(self, comm: Any, request: Mapping[str, Any]) -> None:
        comm.send(answered(request, self._check))
        # Once the kernel has called this request done.
        IOLoop.current().add_callback(say_busy_again, comm.kernel)


def _shell_asked_for(_data: object, asked: str | None) -> str | None:
    """The sub-shell that a message is sent to, which is to take it."""
    return asked


def answered(request: Mapping[str, Any], check: Check) -> dict[str, Any]:
    """The answer to one request; a request that makes no sense is answered with an error."""
    number, method, text = request.get("id"), request.get("method"), request.get("text")
    if not isinstance(text, str):
        return _refusal(number, "BAD_REQUEST", "a request needs the text of a cell")
    if method == "check":
        return {"id": number, "result": {"diagnostics": _findings(text, check)}}
    if method == "format":
        return _formatted(number, text)
    return _refusal(number, "UNKNOWN_METHOD", f"{method!r} is none of check, format")


def _refusal(number: object, code: str, message: str) -> dict[str, Any]:
    return {"id": number, "error": {"code": code, "message": message}}


def _findings(text: str, check: Check) -> list[dict[str, Any]]:
    cell = loon_cell(text)
    if cell is None:
        return []
    from vcad_kernel.loon.analysis.utf16 import Utf16

    units = Utf16(text)

    def offset(of: int) -> int:
        return units.from_points(cell.start + of)

    return [
        {
            "from": offset(finding.labels[0].span.start),
            "to": offset(finding.labels[0].span.end),
            "severity": finding.severity,
            "code": finding.code,
            "message": finding.what,
            "why": finding.why,
            "fix": finding.fix,
        }
        for finding in check(cell)
    ]


def _formatted(number: object, text: str) -> dict[str, Any]:
    """A cell with its Loon text in the one layout; the ``%%loon`` line stays as it is."""
    from vcad_kernel.loon.formatter import format_source

    cell = loon_cell(text)
    if cell is None:
        return _refusal(number, "NOT_LOON", "only %%loon cells can be formatted")
    try:
        body = format_source(cell.text)
    except LoonError as error:
        return _refusal(number, error.code, error.message)
    # A cell ends without the newline that a file ends with.
    return {"id": number, "result": {"text": text[: cell.start] + body.rstrip("\n")}}
