"""The magics about what follows from a change: ``%loon_auto``, ``%loon_graph``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from notebook_ext.magics.line import help_text
from notebook_ext.session.session import Session

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["ReactingMagics"]


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
