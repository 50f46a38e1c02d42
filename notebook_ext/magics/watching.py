"""The magic about what is watched: ``%loon_watch``. Only the border between IPython and the session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from IPython.core.magic import Magics, line_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import argument, magic_arguments

from notebook_ext.magics.line import help_text, words
from notebook_ext.session.session import Session

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["WatchMagics"]


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
