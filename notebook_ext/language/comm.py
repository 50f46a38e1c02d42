"""The comm ``vcad.language``: an editor asks for findings and formatting, also while a cell computes.

The front end opens the comm and sends ``{id, method, text}`` with the whole text of a cell, and ``cell``,
the cell's id in the notebook, where it is one, or with that of a file, and ``file``, its path; it gets back
``{id, result}`` or ``{id, error: {code, message}}``. Offsets count UTF-16 code units of that text, as
browsers do. Nothing is evaluated, and a text that is no Loon cell has no findings.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tornado.ioloop import IOLoop

from notebook_ext.front_end.shell_channel import keep_asked_shell, say_busy_again
from notebook_ext.language.loon_text import LoonText, loon_cell
from vcad_kernel.errors import LoonError

if TYPE_CHECKING:
    from vcad_kernel.loon.diagnostics import Diagnostic

__all__ = ["TARGET", "LanguageComm", "answered"]

TARGET = "vcad.language"

_log = logging.getLogger("vcad.notebook.language_comm")

Check = Callable[[LoonText, str], "Sequence[Diagnostic]"]
"""What the checker finds in the text of the cell of this id, which is empty where the cell is not known;
offsets count from where that text begins."""
CheckFile = Callable[[str, str], "Sequence[Diagnostic]"]
"""What the checker finds in a text as that of the file of this path."""


class LanguageComm:
    """Answers on every comm that a front end opens, from `open` to `close`."""

    def __init__(self, check: Check, check_file: CheckFile) -> None:
        self._check = check
        self._check_file = check_file
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
        keep_asked_shell(comm)
        comm.on_msg(lambda message: self._answer_request(comm, message["content"]["data"]))
        comm.on_close(lambda _message: self._comms.pop(comm.comm_id, None))
        self._comms[comm.comm_id] = comm

    def _answer_request(self, comm: Any, request: object) -> None:
        comm.send(_answer(request, self._check, self._check_file))
        # Once the kernel has called this request done.
        IOLoop.current().add_callback(say_busy_again, comm.kernel)


def _answer(request: object, check: Check, check_file: CheckFile) -> dict[str, Any]:
    """An answer in any case: an editor waits for it before it asks again."""
    try:
        return answered(request, check, check_file)
    except Exception:  # noqa: BLE001 - the border to the front end: our mistake must not silence the editor
        _log.exception("a request of an editor could not be answered")
        number = request.get("id") if isinstance(request, Mapping) else None
        return _refusal(number, "INTERNAL", "the request failed; the kernel's log says why")


def answered(request: object, check: Check, check_file: CheckFile) -> dict[str, Any]:
    """The answer to one request; a request that makes no sense is answered with an error."""
    if not isinstance(request, Mapping):
        return _refusal(None, "BAD_REQUEST", "a request is an object with id, method and text")
    number, method, text = request.get("id"), request.get("method"), request.get("text")
    if not isinstance(text, str):
        return _refusal(number, "BAD_REQUEST", "a request needs the text of a cell")
    if method == "check":
        of_cell, of_file = request.get("cell"), request.get("file")
        if isinstance(of_file, str):
            path = of_file
            findings = _findings(text, _whole, lambda file: check_file(file.text, path))
        else:
            cell_id = of_cell if isinstance(of_cell, str) else ""
            findings = _findings(text, loon_cell, lambda cell: check(cell, cell_id))
        return {"id": number, "result": {"diagnostics": findings}}
    if method == "format":
        return _formatted(number, text)
    return _refusal(number, "UNKNOWN_METHOD", f"{method!r} is none of check, format")


def _refusal(number: object, code: str, message: str) -> dict[str, Any]:
    return {"id": number, "error": {"code": code, "message": message}}


def _whole(text: str) -> LoonText:
    """The text of a file, all of which is Loon."""
    return LoonText(text, 0)


def _findings(
    text: str,
    loon_of: Callable[[str], LoonText | None],
    check: Callable[[LoonText], Sequence[Diagnostic]],
) -> list[dict[str, Any]]:
    cell = loon_of(text)
    if cell is None:
        return []
    from vcad_kernel.loon.analysis.utf16 import Utf16
    from vcad_kernel.loon.diagnostics import helps

    units, head = Utf16(text), text[: cell.start]
    findings = check(cell)

    def offset(of: int) -> int:
        return units.from_points(cell.start + of)

    def check_other(loon: str) -> Sequence[Diagnostic]:
        changed = loon_of(head + loon)
        return check(changed) if changed is not None else ()

    return [
        {
            "from": offset(finding.labels[0].span.start),
            "to": offset(finding.labels[0].span.end),
            "severity": finding.severity,
            "code": finding.code,
            "message": finding.what,
            "why": finding.why,
            "fix": finding.fix,
            "edits": [
                {"from": offset(repair.span.start), "to": offset(repair.span.end), "text": repair.text}
                for repair in (finding.repairs if helps(finding, cell.text, findings, check_other) else ())
            ],
        }
        for finding in findings
    ]


def _formatted(number: object, text: str) -> dict[str, Any]:
    """A cell with its Loon text in the one layout; the ``%%loon`` line stays as it is."""
    from vcad_kernel.loon.printing.formatter import format_source

    cell = loon_cell(text)
    if cell is None:
        return _refusal(number, "NOT_LOON", "only %%loon cells can be formatted")
    try:
        body = format_source(cell.text)
    except LoonError as error:
        return _refusal(number, error.code, error.message)
    # A cell ends without the newline that a file ends with.
    return {"id": number, "result": {"text": text[: cell.start] + body.rstrip("\n")}}
