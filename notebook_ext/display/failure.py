"""A user's mistake fails its cell, and shows the diagnostic and nothing else.

IPython prints what ``_render_traceback_`` returns instead of a traceback; the cell's result is an
error all the same, so that "run all", nbclient and CI stop there. In a Python cell, `Part` and `Session`
raise the error itself, for programs to catch; an uncaught one is shown with the lines of the
user's own that led to it, not with ours.
"""

from __future__ import annotations

import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import IPython

import vcad_kernel
from vcad_kernel.errors import Cancelled, VcadError

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["LoonCellFailed", "failing_the_cell", "show_failures_plainly", "show_failures_with_tracebacks"]

_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
"""No colour: notebooks lay errors on a red ground, on which a red text is hard to read in dark themes."""
_OURS = (str(Path(__file__).parents[1]), str(Path(vcad_kernel.__file__).parent))
_SHOWN = (VcadError, KeyboardInterrupt)
_INTERRUPTED = "interrupted; what was done until then is done"
_OF_A_MAGIC = "get_ipython().run_"
"""What IPython makes of the line of a magic, which its user has never seen."""
_INSTALLED = tuple({sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")})
_MACHINERY = str(Path(IPython.__file__).parent)


class LoonCellFailed(Exception):
    """Carries the error of a cell to IPython; ``error`` has code, place and details."""

    def __init__(self, error: VcadError) -> None:
        super().__init__(f"[{error.shown_code}] {error.message}")
        self.error = error
        # below the traceback, where a script ends by it: the place, the caret and the fix
        where = error.render().partition("\n")[2]
        if where:
            self.add_note(where)

    def _render_traceback_(self) -> list[str]:
        """The lines IPython shows: the diagnostic, its first line and the caret in bold."""
        return _painted(self.error)


@contextmanager
def failing_the_cell() -> Iterator[None]:
    """What goes wrong in here fails the cell that asked for it. Raises: LoonCellFailed for a VcadError."""
    try:
        yield
    except VcadError as error:
        raise LoonCellFailed(error) from None


def show_failures_plainly(shell: InteractiveShell) -> None:
    """From now on an uncaught error of ours, or an interrupt in our code, is shown as a diagnostic.

    A handler that is there stays.
    """
    if not shell.custom_exceptions:
        shell.set_custom_exc(_SHOWN, _show)  # type: ignore[no-untyped-call]


def show_failures_with_tracebacks(shell: InteractiveShell) -> None:
    """Take `show_failures_plainly` back."""
    if shell.custom_exceptions == _SHOWN:
        shell.set_custom_exc((), None)  # type: ignore[no-untyped-call]


def _show(
    shell: InteractiveShell,
    kind: type[VcadError | KeyboardInterrupt],
    error: VcadError | KeyboardInterrupt,
    trace: TracebackType | None,
    tb_offset: int | None = None,
) -> None:
    """What IPython calls, as a method of the shell, for an error that no cell has caught."""
    if isinstance(error, VcadError) or _is_in_ours(trace):
        failure = error if isinstance(error, VcadError) else Cancelled(_INTERRUPTED)
        lines = [*_painted(failure), *_led_to(trace)]
        error._render_traceback_ = lambda: lines  # type: ignore[union-attr]
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset, running_compiled_code=True)


def _is_in_ours(trace: TracebackType | None) -> bool:
    """Whether an interrupt came while our code was at work, or nobody's but Python's: in a magic's cell."""
    frames = traceback.extract_tb(trace)
    return any(frame.filename.startswith(_OURS) for frame in frames) or all(
        frame.filename.startswith(_INSTALLED) or (frame.line or "").startswith(_OF_A_MAGIC)
        for frame in frames
    )


def _led_to(trace: TracebackType | None) -> Iterator[str]:
    """The user's own lines above the call into this package, the innermost last."""
    for frame in traceback.extract_tb(trace):
        if frame.filename.startswith(_OURS):
            return
        if not frame.filename.startswith(_MACHINERY) and not (frame.line or "").startswith(_OF_A_MAGIC):
            file = Path(frame.filename)
            # a cell's file name stands for text that was never a file
            where = f"{file.name}:{frame.lineno}" if file.is_file() else f"line {frame.lineno}"
            yield f"  {where}: {frame.line}"


def _painted(error: VcadError) -> list[str]:
    first, *rest = error.render().split("\n")
    return [f"{_BOLD}{first}{_PLAIN}", *(_paint(line) for line in rest)]


def _paint(line: str) -> str:
    """Set a caret line in bold."""
    return f"{_BOLD}{line}{_PLAIN}" if line.strip(" |^") == "" and "^" in line else line
