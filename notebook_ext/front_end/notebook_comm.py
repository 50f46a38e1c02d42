"""The comm ``vcad.notebook``: the pages that show notebooks read, change and run cells for the kernel.

A page opens the comm on each kernel that has the extension. The kernel asks with ``{id, method, …}`` and
gets back ``{id, result}`` or ``{id, error: {code, message}}``; or it sends ``{event, number, value}``, and
gets nothing. labextension/src/notebook/notebookProtocol.ts has the methods and their fields. The page says
``{event: "interrupt"}`` when the person wants what the kernel does to stop, and which cells its notebooks of
this kernel have, in their order, when it comes and whenever that changes: ``{event: "cells", notebooks:
{path: [id]}}``. And the page asks with ``{ask, method, …}``, a number of its own, and gets ``{reply,
result}`` or ``{reply, error: {code, message, fix}}``.

Answers come on the thread of a sub-shell where the front end has one, so also while a cell computes. A page
that was closed or loaded anew does not say so: it is silent, and is not waited for a second time. Knows
comms; does not know what cells are.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.front_end.shell_channel import keep_asked_shell, runs_a_cell, say_busy_again
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError

__all__ = ["TARGET", "Answer", "FrontEnds", "ShownNotebook"]

TARGET: Final = "vcad.notebook"

PATIENCE: Final = 10.0
"""Seconds for an answer that a page can give at once."""
_LOOKING: Final = 3.0
"""Seconds in which pages say what they show."""
_GLANCE: Final = 0.5
"""Seconds between two looks whether who asks still wants to know."""

_log = logging.getLogger("vcad.notebook.notebook_comm")

Answer = Callable[[Mapping[str, Any]], "dict[str, Any] | Future[dict[str, Any]]"]
"""From the fields of a page's request to its answer, now or once it is done. Raises: VcadError."""


@dataclass(eq=False)
class _Page:
    """One comm, and what was asked over it and has no answer yet."""

    comm: Any
    waiting: dict[int, Future[dict[str, Any]]] = field(default_factory=dict)
    missed: int = 0
    """Questions since its last answer that it could have answered and did not."""

    @property
    def kernel_computes(self) -> bool:
        """Whether a cell runs: without a sub-shell, answers wait for its end."""
        return runs_a_cell(getattr(self.comm, "kernel", None))


class FrontEnds:
    """The pages that have a notebook of this kernel open. Safe on any thread.

    looking: seconds in which a page must say what it shows. came_again: called for each page after the first:
    one that was loaded anew does not say that it left. interrupted: called when a person wants a stop.
    has_cells: receives the cells of notebooks of this kernel, by path and in their order, when that changes.
    """

    def __init__(
        self,
        *,
        looking: float = _LOOKING,
        came_again: Callable[[], object] = lambda: None,
        interrupted: Callable[[], object] = lambda: None,
        has_cells: Callable[[Mapping[str, Sequence[str]]], object] = lambda _notebooks: None,
    ) -> None:
        self._looking = looking
        self._came_again = came_again
        self._interrupted = interrupted
        self._has_cells = has_cells
        self._came = False
        self._lock = threading.Lock()
        self._pages: dict[str, _Page] = {}
        """By the comm's id, oldest first."""
        self._numbers = count(1)
        self._published: dict[str, Callable[[], Any]] = {}
        self._answers: Mapping[str, Answer] = {}

    # ---- the comm --------------------------------------------------------------------------

    def open(self) -> None:
        """Let pages open the comm."""
        from comm import get_comm_manager

        get_comm_manager().register_target(TARGET, self._opened)

    def close(self) -> None:
        """Close every comm; what waits for an answer fails."""
        from comm import get_comm_manager

        get_comm_manager().unregister_target(TARGET, self._opened)
        for page in self._all():
            page.comm.close()
            self._gone(page)

    def keep_informed(self, event: str, value: Callable[[], Any]) -> Callable[[], None]:
        """Send a JSON value to every page, when the page comes and at each call of what is returned.

        Calls may cross: of two messages the one with the higher number is the newer.
        """
        self._published[event] = value

        def publish() -> None:
            number = next(self._numbers)
            shown = value()
            for page in self._all():
                page.comm.send({"event": event, "number": number, "value": shown})

        return publish

    def answer(self, answers: Mapping[str, Answer]) -> None:
        """Have what pages ask answered by these functions, by method; in place of those before."""
        self._answers = answers

    def _opened(self, comm: Any, _message: Mapping[str, Any]) -> None:
        keep_asked_shell(comm)
        page = _Page(comm)
        comm.on_msg(lambda message: self._answered(page, message["content"]["data"]))
        comm.on_close(lambda _message: self._gone(page))
        with self._lock:
            self._pages[comm.comm_id] = page
            before, self._came = self._came, True
        if before:
            self._came_again()
        for event, value in list(self._published.items()):
            number = next(self._numbers)
            comm.send({"event": event, "number": number, "value": value()})

    def _gone(self, page: _Page) -> None:
        with self._lock:
            self._pages.pop(page.comm.comm_id, None)
            waiting = list(page.waiting.values())
            page.waiting.clear()
        for answer in waiting:
            answer.set_exception(
                ServiceFailure(
                    ErrorCode.UNKNOWN_OUTCOME,
                    "the page was closed before it answered; it may have done what it was asked",
                    fix="look at the notebook before you repeat it",
                )
            )

    def _answered(self, page: _Page, data: object) -> None:
        if isinstance(data, Mapping) and data.get("event") == "interrupt":
            self._interrupted()
            return
        if isinstance(data, Mapping) and data.get("event") == "cells":
            self._has_cells(_cells(data.get("notebooks")))
            return
        if isinstance(data, Mapping) and "ask" in data:
            self._reply(page, data)
            return
        number = data.get("id") if isinstance(data, Mapping) else None
        with self._lock:
            answer = page.waiting.pop(number, None) if isinstance(number, int) else None
            page.missed = 0
        if answer is None or not isinstance(data, Mapping):
            _log.debug("a page answered what was not asked, or no longer: %r", number)
            return
        result, error = data.get("result"), data.get("error")
        if isinstance(result, dict):
            answer.set_result(result)
        else:
            answer.set_exception(_refusal(error))
        if getattr(page.comm, "kernel", None) is not None:
            self._say_busy_again(page.comm.kernel)

    def _reply(self, page: _Page, asked: Mapping[str, Any]) -> None:
        """Answer a page, now or when what it asks for is done."""

        def reply(answer: Future[dict[str, Any]]) -> None:
            failed = answer.exception()
            said = {"result": answer.result()} if failed is None else {"error": _failure(failed)}
            page.comm.send({"reply": asked["ask"], **said})

        done: Future[dict[str, Any]] = Future()
        try:
            answered = self._answers.get(str(asked.get("method")), _unknown)(asked)
        except Exception as failed:  # noqa: BLE001 - the border to the page: it waits for an answer
            done.set_exception(failed)
        else:
            if isinstance(answered, Future):
                done = answered
            else:
                done.set_result(answered)
        done.add_done_callback(reply)

    @staticmethod
    def _say_busy_again(kernel: Any) -> None:
        from tornado.ioloop import IOLoop

        # Once the kernel has called this message done.
        IOLoop.current().add_callback(say_busy_again, kernel)

    # ---- asking ----------------------------------------------------------------------------

    @property
    def has_pages(self) -> bool:
        """Whether a page has ever come and not gone; it may be silent."""
        return bool(self._all())

    @property
    def kernel_computes(self) -> bool:
        """Whether a cell runs, so that pages may be silent and there all the same."""
        return any(page.kernel_computes for page in self._all())

    def find(self, notebook: Path) -> ShownNotebook | None:
        """Where a notebook is shown; None where no page has it open. notebook: its real path.

        Of several pages that of the one that came last. Raises: ServiceFailure TIMEOUT when no page answers:
        a cell may compute, and the front end have no sub-shell on which it could.
        """
        return next(self._shown(lambda shown, folder: _same_file(folder / shown["path"], notebook)), None)

    def own(self) -> tuple[ShownNotebook, ...]:
        """The notebooks that run on this kernel, as shown; mostly there is one. Raises: as `find`."""
        notebooks: dict[str, ShownNotebook] = {}
        for notebook in self._shown(lambda shown, _folder: shown.get("own") is True):
            notebooks.setdefault(notebook.path, notebook)
        return tuple(notebooks.values())

    def _shown(self, keep: Callable[[Mapping[str, Any], Path], bool]) -> Iterator[ShownNotebook]:
        seen: set[_Page] = set()
        # Where no page answers, a page that comes meanwhile is asked as well: it has just been loaded anew.
        while pages := [page for page in self._all() if page not in seen]:
            seen.update(pages)
            answered = False
            for page, shown in self._shown_by(pages):
                answered = True
                folder = Path(str(shown.get("root") or os.devnull)).expanduser()
                for entry in shown.get("notebooks", ()):
                    if isinstance(entry, dict) and isinstance(entry.get("path"), str) and keep(entry, folder):
                        yield ShownNotebook(self, page, entry["path"], folder / entry["path"])
            if answered:
                return
        if seen:
            raise ServiceFailure(
                ErrorCode.TIMEOUT,
                f"no page answered within {self._looking:g} s which notebooks it shows",
                fix="interrupt the running cell or let it end, and call again; if none runs, reload the page",
            )

    def _shown_by(self, pages: list[_Page]) -> Iterator[tuple[_Page, dict[str, Any]]]:
        """What these pages show, the latest first; of those that answer in time."""
        pending = [(page, *self._begin(page, {"method": "notebooks"})) for page in reversed(pages)]
        until = time.monotonic() + self._looking
        for page, number, answer in pending:
            # A page that was silent before gets no time of its own; alone it is asked once more, and no more.
            waits = page.missed == 0 or (page.missed == 1 and len(pages) == 1)
            try:
                yield page, answer.result(max(0.0, until - time.monotonic()) if waits else 0.0)
            except TimeoutError:
                self._stop_waiting(page, number)
                page.missed += not page.kernel_computes
            except ServiceFailure:  # it was closed
                continue

    def _begin(self, page: _Page, request: Mapping[str, Any]) -> tuple[int, Future[dict[str, Any]]]:
        number = next(self._numbers)
        answer: Future[dict[str, Any]] = Future()
        with self._lock:
            page.waiting[number] = answer
        page.comm.send({"id": number, **request})
        return number, answer

    def _stop_waiting(self, page: _Page, number: int) -> None:
        with self._lock:
            page.waiting.pop(number, None)

    def _all(self) -> list[_Page]:
        with self._lock:
            return list(self._pages.values())


class ShownNotebook:
    """A notebook on a page. path: as the server has it. place: its file, if that is on this machine."""

    def __init__(self, front_ends: FrontEnds, page: _Page, path: str, place: Path) -> None:
        self._front_ends = front_ends
        self._page = page
        self.path = path
        self.place = place

    @property
    def kernel_computes(self) -> bool:
        """Whether a cell runs, so that another one would have to wait."""
        return self._page.kernel_computes

    def ask(self, method: str, **fields: Any) -> dict[str, Any]:
        """What the page answers at once.

        Raises: ServiceFailure with the page's code where it refuses; UNKNOWN_OUTCOME when nothing comes.
        """
        number, answer = self._front_ends._begin(self._page, self._request(method, fields))
        return self._waited(number, answer, time.monotonic() + PATIENCE, lambda: None)

    def run(
        self, *, patience: float, glance: Callable[[], object], **fields: Any
    ) -> tuple[dict[str, Any], bool]:
        """Have a cell run: what the page reports when it has ended, and whether it was interrupted.

        patience: seconds until it is. glance: called every half second; when it raises, the cell is
        interrupted, and what it raises comes out. A cell that waits behind another one is left to its turn.
        Raises: as `ask`.
        """
        number, answer = self._front_ends._begin(self._page, self._request("run", fields))
        try:
            return self._waited(number, answer, time.monotonic() + patience, glance, keep=True), False
        except TimeoutError:
            began = self.ask("stop", run=number).get("begun") is True
        except BaseException:
            if not answer.done():
                self.ask("stop", run=number)
            raise
        if not began and answer.done():  # it had just ended by itself
            return answer.result(), False
        if not began:
            self._front_ends._stop_waiting(self._page, number)
            raise ServiceFailure(
                ErrorCode.UNKNOWN_OUTCOME,
                f"the cell has waited behind another one for {patience:g} s; it runs when its turn comes",
                fix="look at its outputs later with nb_get_cell before you run it again",
            )
        return self._waited(number, answer, time.monotonic() + PATIENCE, lambda: None), True

    def _request(self, method: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        return {"method": method, "path": self.path, **fields}

    def _waited(
        self,
        number: int,
        answer: Future[dict[str, Any]],
        until: float,
        glance: Callable[[], object],
        *,
        keep: bool = False,
    ) -> dict[str, Any]:
        """keep: raise TimeoutError, and go on expecting the answer."""
        while True:
            left = until - time.monotonic()
            try:
                return answer.result(max(0.0, min(left, _GLANCE)))
            except TimeoutError:
                if left > 0:
                    glance()
                    continue
                if keep:
                    raise
            self._front_ends._stop_waiting(self._page, number)
            self._page.missed += 1
            raise ServiceFailure(
                ErrorCode.UNKNOWN_OUTCOME,
                f"the page that shows {self.path} did not answer; it may have done what it was asked",
                fix="look at the notebook before you repeat it; if it stays silent, load the page anew",
            )


def _cells(notebooks: object) -> dict[str, tuple[str, ...]]:
    """What a page tells of its cells, as far as it makes sense."""
    shown = notebooks if isinstance(notebooks, Mapping) else {}
    return {
        path: tuple(cell for cell in cells if isinstance(cell, str))
        for path, cells in shown.items()
        if isinstance(path, str) and isinstance(cells, list)
    }


def _refusal(error: object) -> ServiceFailure:
    shown = error if isinstance(error, Mapping) else {}
    code, message = shown.get("code"), shown.get("message")
    known = code if isinstance(code, str) and code in ErrorCode.__members__ else ErrorCode.REMOTE_ERROR
    return ServiceFailure(ErrorCode(known), str(message or "the page refused it and did not say why"))


def _unknown(asked: Mapping[str, Any]) -> dict[str, Any]:
    raise ServiceFailure(ErrorCode.METHOD_NOT_FOUND, f"pages cannot ask for {asked.get('method')!r} here")


def _failure(failed: BaseException) -> dict[str, str]:
    """Why there is no answer, for the person who asked. A mistake of ours goes to the log as well."""
    if isinstance(failed, LoonCellFailed):
        failed = failed.error
    if isinstance(failed, VcadError):
        return {"code": str(failed.error_code), "message": failed.message, "fix": failed.fix or ""}
    _log.error("a request of a page failed", exc_info=failed)
    return {"code": str(ErrorCode.INTERNAL_ERROR), "message": "a mistake of the workbench's own", "fix": ""}


def _same_file(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:
        return False
