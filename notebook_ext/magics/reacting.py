"""The magics about what follows from a change: ``%loon_auto``, ``%loon_graph``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from IPython.core.magic import Magics, line_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from notebook_ext.magics.line import help_text, words
from notebook_ext.session.session import Session

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["ReactingMagics", "WatchMagics"]


@magics_class
class ReactingMagics(Magics):
    """How cells follow what they are built from."""

    def __init__(self, shell: InteractiveShell, session: Session) -> None:
        super().__init__(shell)
        self.session = session

    @magic_arguments("loon_auto")
    @argument("state", nargs="?", choices=("on", "off"), help="what is so now is said without it")
    @argument("-h", "--help", action="store_true", help="show this help")
    @line_magic
    def loon_auto(self, line: str) -> None:
        """Have cells evaluated again when what they use changes; off only marks them as out of date."""
        options = parse_argstring(self.loon_auto, line)
        if options.help:
            print(help_text(self.loon_auto))
            return
        if options.state is not None:
            self.session.reactions.set_auto(options.state == "on")
        what = "evaluated again" if self.session.reactions.auto else "only marked"
        print(f"cells that are out of date are {what}")

    @magic_arguments("loon_graph")
    @argument("-h", "--help", action="store_true", help="show this help")
    @line_magic
    def loon_graph(self, line: str) -> object:
        """Show what is built from what: cells, files and what was imported from SketchUp.

        In JupyterLab the picture follows: after each evaluation it is the graph as it is then.
        """
        if parse_argstring(self.loon_graph, line).help:
            print(help_text(self.loon_graph))
            return None
        return self.session.show_graph()


# ---- the magic about what is watched: ``%loon_watch``. Only the border between IPython and the session ----


@magics_class
class WatchMagics(Magics):
    """Which changes the session follows."""

    def __init__(self, shell: InteractiveShell, session: Session) -> None:
        super().__init__(shell)
        self.session = session

    @magic_arguments("loon_watch")
    @argument(
        "what",
        nargs="?",
        default="status",
        choices=("on", "off", "pause", "resume", "status"),
        help="on and off: files and SketchUp; pause and resume: whatever changes; status by default",
    )
    @argument("-h", "--help", action="store_true", help="show this help")
    @no_var_expand
    @line_magic
    def loon_watch(self, line: str) -> object:
        """Say what is watched and what waits, or turn that on and off.

        While paused, changes are collected, in later kernels too; resume follows all of them at once.
        """
        options = self.loon_watch.parser.parse_args(words(line))
        if options.help:
            print(help_text(self.loon_watch))
            return None
        if options.what == "on":
            return self.session.watch_start()
        if options.what == "off":
            return self.session.watch_stop()
        if options.what == "pause":
            paused = self.session.watch_pause()
            print(f"{paused.status.replace('_', ' ')} · {_changes(paused.pending_count)} so far")
            return None
        if options.what == "resume":
            resumed = self.session.watch_resume()
            followed = f" · {_changes(resumed.flushed)} to follow" if resumed.flushed else ""
            print(f"{resumed.status.replace('_', ' ')}{followed}")
            return None
        return self.session.watch_status()


def _changes(number: int) -> str:
    return "1 change" if number == 1 else f"{number} changes"
