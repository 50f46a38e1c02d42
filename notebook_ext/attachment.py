"""What ``%load_ext notebook_ext`` adds to a shell, and ``%unload_ext`` takes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from notebook_ext.display.failure import show_failures_plainly, show_failures_with_tracebacks
from notebook_ext.entry_points import session_of
from notebook_ext.gateway.opening import open_with_first_of
from notebook_ext.language.comm import LanguageComm
from notebook_ext.language.help import LanguageHelp
from notebook_ext.language.hooks import LanguageHooks
from notebook_ext.language.loon_text import LoonText, loon_cell
from notebook_ext.magics.agents import AgentMagics
from notebook_ext.magics.line import help_text, inputs_named
from notebook_ext.magics.loon import LoonMagics
from notebook_ext.magics.reacting import ReactingMagics, WatchMagics
from notebook_ext.magics.sketchup import SketchupMagics
from notebook_ext.session.panels import PagePanels
from notebook_ext.version import version

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from vcad_kernel.cad.file_findings import FileFindings
    from vcad_kernel.loon.diagnostics import Diagnostic

__all__ = ["OldOutputs", "attach", "detach"]

_SESSION_NAME = "session"
_REMEMBERED: Final = 1000
"""Runs, where ``Out`` is switched off: as many as IPython keeps results by itself."""


class _Attachment:
    """A session and everything of it that a shell knows."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self.session = session_of(shell)
        self._magics = LoonMagics(shell, self.session)
        self._all_magics = (
            self._magics,
            SketchupMagics(shell, self.session),
            ReactingMagics(shell, self.session),
            AgentMagics(shell, self.session),
            WatchMagics(shell, self.session),
        )
        self._hooks = LanguageHooks(
            shell,
            LanguageHelp(
                lambda: self.session.knowledge,
                self._magics.loon.parser,
                lambda: dict(shell.user_ns),
                lambda: help_text(self._magics.loon),
            ),
        )
        self._old_outputs = OldOutputs(shell)
        self._panels = PagePanels(self.session)
        self._close_panels: Callable[[], None] | None = None
        speaks = getattr(shell, "kernel", None) is not None
        self._comm = LanguageComm(self._check, self._check_file) if speaks else None

    def _check(self, cell: LoonText, cell_id: str) -> Sequence[Diagnostic]:
        """The findings in a cell's text, with the Python variables that its line takes in."""
        variables = self._shell.user_ns
        given = {name: variables[name] for name in inputs_named(cell.head) if name in variables}
        return self.session.check(cell.text, cell_id=cell_id, bindings=given)

    def _check_file(self, text: str, file: str) -> Sequence[Diagnostic]:
        """The findings in a file that is open in an editor; it sees nothing of the notebook's cells."""
        path, workspace = Path(file).expanduser().resolve(), self.session.workspace.resolve()
        root = workspace if path.is_relative_to(workspace) else path.parent
        return self._file_findings.of(path.name, text, path.parent, root)

    @cached_property
    def _file_findings(self) -> FileFindings:
        from vcad_kernel.cad.file_findings import FileFindings

        return FileFindings()

    def open(self) -> None:
        shell = self._shell
        for magics in self._all_magics:
            shell.register_magics(magics)
        if getattr(shell, "kernel", None) is not None:
            open_with_first_of(self._all_magics, shell, self.session)
        shell.input_transformers_cleanup.append(_give_empty_cells_a_body)
        shell.user_ns.setdefault(_SESSION_NAME, self.session)
        show_failures_plainly(shell)
        self._hooks.open()
        self._old_outputs.open()
        if self._comm is not None:
            self._comm.open()
            self._close_panels = self._panels.open()
            self.session.front_ends.open()

    def close(self) -> None:
        shell = self._shell
        if self._comm is not None:
            self.session.front_ends.close()
            self._comm.close()
        if self._close_panels is not None:
            self._close_panels()
        self._hooks.close()
        self._old_outputs.close()
        show_failures_with_tracebacks(shell)
        if shell.user_ns.get(_SESSION_NAME) is self.session:
            del shell.user_ns[_SESSION_NAME]
        shell.input_transformers_cleanup.remove(_give_empty_cells_a_body)
        for magics in self._all_magics:
            for kind, names in type(magics).magics.items():
                for name in names:
                    shell.magics_manager.magics[kind].pop(name, None)
            del shell.magics_manager.registry[type(magics).__name__]
        self.session.close()


_attached: WeakKeyDictionary[InteractiveShell, _Attachment] = WeakKeyDictionary()


def attach(shell: InteractiveShell) -> None:
    """Give a shell its session, magics and help with Loon text; once per shell."""
    if shell in _attached:
        return
    attachment = _attached[shell] = _Attachment(shell)
    attachment.open()
    print(f"vcad-workbench {version()}: model in %%loon cells, see %%loon --help")


def detach(shell: InteractiveShell) -> None:
    """Take back everything that `attach` did."""
    attachment = _attached.pop(shell, None)
    if attachment is not None:
        attachment.close()


def _give_empty_cells_a_body(lines: list[str]) -> list[str]:
    """IPython refuses a cell magic without a body, even ``%%loon --help``: an empty comment is one.

    Blank lines stay, for in a terminal they are the sign that the cell is to run.
    """
    head, *body = lines or [""]
    if loon_cell(head) is not None and not "".join(body).strip():
        return [head.rstrip("\n") + "\n", ";\n", *body]
    return lines


class OldOutputs:
    """Forgets what IPython remembers of old runs, from :meth:`open` to :meth:`close`.

    IPython keeps the latest thousand results (``Out``), but of every run what it showed, pictures and all,
    and how it failed; and each result as ``_12`` among the names that ``%who`` hides, of which it takes none
    out. In a kernel that runs for weeks that is most of its memory.
    """

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self._hidden_from = 0
        """The number of the oldest run whose result may be among the hidden names."""

    def open(self) -> None:
        """Look after each run."""
        self._shell.events.register("post_run_cell", self._forget)

    def close(self) -> None:
        """Look no more; what is remembered stays."""
        self._shell.events.unregister("post_run_cell", self._forget)

    def _forget(self, _result: Any) -> None:
        last = self._shell.execution_count - (self._shell.cache_size or _REMEMBERED)
        history: Any = self._shell.history_manager
        for name in ("outputs", "exceptions"):
            remembered = getattr(history, name, None)
            # runs are numbered upwards, and the oldest comes first
            while remembered and (oldest := next(iter(remembered))) < last:
                del remembered[oldest]
        first = next(iter(self._shell.user_ns.get("_oh", ())), self._shell.execution_count)
        for number in range(self._hidden_from, first):
            self._shell.user_ns_hidden.pop(f"_{number}", None)
        self._hidden_from = max(self._hidden_from, first)
