"""The parameters of a session's cells: which cell declares which, how it ran, and its sliders.

Does not evaluate: the session gets which cell is to run with which values, on a thread that may
take its time. While a slider is dragged, only the newest values are kept.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import Cancelled, VcadError

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from notebook_ext.display.part import Part
    from notebook_ext.viewer.inline.inline import InlineView
    from notebook_ext.viewer.inline.parameters import ParameterPanel
    from vcad_kernel.ir.parameter import Number, Parameter
    from vcad_kernel.service.requests import Options

__all__ = ["CHANGED", "CellParameters", "Newest", "Ran", "RunAgain", "Submit", "Write"]

_log = logging.getLogger("vcad.notebook.parameters")

_T = TypeVar("_T")

Submit = Callable[[Callable[[], None]], object]
"""Has a function called soon, on a thread that may take its time."""

_NONE: Final = object()

RunAgain = Callable[[str, Mapping[str, Any], object, Callable[[], bool]], None]
"""Runs the cell of an id again with these values, if it is still the outcome of that run of its text, and
then what depends on it, unless newer values have come.

Raises: VcadError.
"""

Write = Callable[["Ran", Mapping[str, "Number"]], object]
"""Writes values into the text of a cell as it ran last, as defaults of its parameters. Raises: VcadError."""

CHANGED = "the cell has changed since; run it again"


@dataclass(frozen=True, slots=True)
class Ran:
    """A cell as it ran last, and what it was asked for."""

    cell: CellSource
    name: str | None
    """Of its part."""
    options: Options
    run: object = field(default_factory=object, compare=False)
    """The run by a person; the runs by sliders that follow it keep it."""


class CellParameters:
    """The parameters of all cells.

    run_again: called where ``submit`` has its functions called; by default on one thread of its own.
    overtaken: called with each value that a newer one has taken the place of before its turn.
    """

    def __init__(
        self,
        run_again: RunAgain,
        submit: Submit | None = None,
        overtaken: Callable[[], object] = lambda: None,
    ) -> None:
        self._run_again = run_again
        self._overtaken = overtaken
        self._submit = submit
        self._thread: ThreadPoolExecutor | None = None
        self._ran: dict[str, Ran] = {}
        self._declared: dict[str, Sequence[Parameter]] = {}
        """Id of a cell → what it declares; the cell that ran last comes last."""
        self._views: dict[str, list[InlineView]] = {}
        self.on_write: Write | None = None
        """None where no notebook can be written to."""
        self._moved: ParameterPanel | None = None
        """The sliders on whose behalf a cell is being run."""

    # ---- cells -----------------------------------------------------------------------------

    def note(self, ran: Ran, declared: Sequence[Parameter]) -> None:
        """A cell has run and declares these."""
        cell_id = ran.cell.cell_id
        self._declared.pop(cell_id, None)
        if declared:
            self._declared[cell_id] = declared
            self._ran[cell_id] = ran

    def forget(self, cell_id: str) -> Callable[[], None]:
        """A cell is about to run: what it declared is past.

        Returns: what takes that back, for a cell that is stopped.
        """
        declared, ran = dict(self._declared), dict(self._ran)
        self._declared.pop(cell_id, None)
        self._ran.pop(cell_id, None)

        def take_back() -> None:
            self._declared, self._ran = declared, ran

        return take_back

    def clear(self) -> None:
        """No cell has run."""
        self._declared.clear()
        self._ran.clear()

    def all(self) -> tuple[Parameter, ...]:
        """What all cells declare; of one name, that of the cell that ran last. From any thread."""
        return tuple(
            {item.name: item for declared in list(self._declared.values()) for item in declared}.values()
        )

    def moved(self) -> Mapping[str, str]:
        """Cell → which of its values are not what its text says, in words. From any thread."""
        from vcad_kernel.ir.parameter import moved_words

        said = {cell_id: moved_words(declared) for cell_id, declared in list(self._declared.items())}
        return {cell_id: words for cell_id, words in said.items() if words}

    def declaring(self, name: str) -> str:
        """The id of the cell that declared a parameter last.

        Raises: GeometryError INVALID_PARAMETER.
        """
        for cell_id, declared in reversed(list(self._declared.items())):  # may be asked on any thread
            if any(parameter.name == name for parameter in declared):
                return cell_id
        from vcad_kernel.cad.parameters import unknown_parameter

        known = {parameter.name: None for declared in self._declared.values() for parameter in declared}
        raise unknown_parameter(name, known)

    def ran(self, cell_id: str) -> Ran:
        """How a cell that declares parameters ran last. Raises: KeyError for another, or where it failed."""
        return self._ran[cell_id]

    def require(self, name: str, cell_id: str) -> None:
        """Let pass a parameter that a cell has declared when it ran last.

        Raises: GeometryError INVALID_PARAMETER.
        """
        declared = [parameter.name for parameter in self._declared.get(cell_id, ())]
        if name not in declared:
            from vcad_kernel.cad.parameters import unknown_parameter

            unknown = unknown_parameter(name, declared)
            if not declared:
                unknown.fix = "if its cell has failed since the part was made, mend it and run it again"
            raise unknown

    def is_still(self, cell_id: str, run: object) -> bool:
        """Whether no user has run a cell, or begun to, since that run."""
        now = self._ran.get(cell_id)
        return now is not None and now.run is run

    # ---- sliders ---------------------------------------------------------------------------

    def attach(self, cell_id: str, part: Part, view: InlineView) -> None:
        """Have sliders below a view that shows what a cell gave, if the cell has parameters."""
        for views in self._views.values():
            views[:] = [other for other in views if other is not view and not other.closed]
        parameters = part.result.parameters
        if not parameters or len(part) != len(part.result.parts):
            if view.panel is not None:
                view.put_below(None)
            return
        from notebook_ext.viewer.inline.parameters import ParameterPanel

        write = None if self.on_write is None else partial(self._soon, partial(self._write, cell_id, view))
        panel = ParameterPanel(self._newest(cell_id, view).put, write)
        panel.show(parameters)
        view.put_below(panel)
        self._views.setdefault(cell_id, []).append(view)

    def show(self, cell_id: str) -> None:
        """Let the sliders of a cell go where its values are now.

        Not those whose move has led here: a person may have dragged them further on by now.
        """
        for view in self._views.get(cell_id, ()):
            if view.closed or view.panel is None:
                continue
            if view.panel is self._moved:
                view.panel.show_error(None)
                view.panel.show_moved(self._declared.get(cell_id, ()))
            else:
                view.panel.show(self._declared.get(cell_id, ()))

    def _write(self, cell_id: str, view: InlineView) -> None:
        """Have the source say what the sliders of a view do."""
        self._try(view, lambda: self._written(cell_id))

    def _written(self, cell_id: str) -> None:
        ran, declared = self._ran.get(cell_id), self._declared.get(cell_id, ())
        if ran is None or self.on_write is None:
            raise Cancelled(CHANGED)
        self.on_write(ran, {each.name: each.value for each in declared if each.value != each.default})

    def _try(self, view: InlineView, work: Callable[[], None]) -> None:
        """Do something on a thread of ours for the sliders of a view, which say why it fails."""
        panel = view.panel
        try:
            work()
        except VcadError as error:
            if panel is not None and not view.closed:
                panel.show_error(f"{error.message}; {error.fix}" if error.fix else error.message)
        except Exception:  # noqa: BLE001 - nobody else would see it
            _log.exception("what the sliders of a view asked for could not be done")
            if panel is not None and not view.closed:
                panel.show_error("internal error; the kernel's log has the details")

    def _newest(self, cell_id: str, view: InlineView) -> Newest[dict[str, Any]]:
        def work(values: dict[str, Any]) -> None:
            self._moved = view.panel
            self._try(view, lambda: moved(values))
            self._moved = None

        def moved(values: dict[str, Any]) -> None:
            ran = self._ran.get(cell_id)
            if ran is None:
                raise Cancelled(CHANGED)
            self._run_again(cell_id, values, ran.run, lambda: newest.is_overtaken)

        newest = Newest(work, self._soon, self._overtaken)
        return newest

    def _soon(self, work: Callable[[], None]) -> object:
        if self._submit is not None:
            return self._submit(work)
        if self._thread is None:
            from concurrent.futures import ThreadPoolExecutor

            # One thread: cells are evaluated one at a time anyway, and a message of a slider that comes
            # while one is must find the kernel free to take it.
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="vcad-parameters")
        return self._thread.submit(work)

    def close(self) -> None:
        """Let what is under way end, and begin nothing more; the views close their sliders."""
        self.clear()
        self._views.clear()
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)


class Newest(Generic[_T]):
    """A queue of one: works on the newest value, while those it has overtaken are dropped.

    A slider reports its value many times a second, and a model may take a second to build. A value that waits
    for its turn is replaced by the next, so nothing piles up, and the last value is always worked on.
    work: takes a value and may take long; submit: where it is done, once at a time. overtaken: called for
    each value that is dropped.
    """

    def __init__(
        self,
        work: Callable[[_T], None],
        submit: Submit,
        overtaken: Callable[[], object] = lambda: None,
    ) -> None:
        self._work = work
        self._overtaken = overtaken
        self._submit = submit
        self._lock = Lock()
        self._waiting: object = _NONE
        self._busy = False

    def put(self, value: _T) -> None:
        """Have this value worked on, in place of one that is still waiting; returns at once."""
        with self._lock:
            if self._waiting is not _NONE:
                self._overtaken()
            self._waiting = value
            if self._busy:
                return
            self._busy = True
        self._submit(self._run)

    @property
    def is_overtaken(self) -> bool:
        """Whether a newer value waits for the one that is worked on."""
        return self._waiting is not _NONE

    def _run(self) -> None:
        while True:
            with self._lock:
                value, self._waiting = self._waiting, _NONE
                if value is _NONE:
                    self._busy = False
                    return
            try:
                self._work(cast("_T", value))
            except BaseException:
                with self._lock:
                    self._busy = False
                raise
