"""The magics about SketchUp: ``%loon_push``, ``%loon_plan``, ``%loon_sketchup``.

Only the border between IPython and the session, as in loon.py.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import argument, magic_arguments

from notebook_ext.magics.line import help_text, names_in, words
from notebook_ext.session.session import Session
from vcad_kernel.errors import ErrorCode, VcadError

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["SketchupMagics", "point", "pushed"]

_NOT_CONNECTED = (ErrorCode.CONNECTION_FAILED, ErrorCode.CONNECTION_TIMEOUT)


@magics_class
class SketchupMagics(Magics):
    """What of the session stands in SketchUp."""

    def __init__(self, shell: InteractiveShell, session: Session) -> None:
        super().__init__(shell)
        self.session = session

    @magic_arguments("loon_push")
    @argument("names", nargs="*", metavar="NAME", help="parts to push; all that are linked by default")
    @argument("--clean", action="store_true", help="first remove what the workbench has put into the model")
    @argument(
        "--omit",
        action="append",
        default=[],
        metavar="NAME[,NAME…]",
        help="parts that may be left out though they cannot be pushed",
    )
    @argument("-h", "--help", action="store_true", help="show this help")
    @no_var_expand
    @line_magic
    def loon_push(self, line: str) -> object:
        """Bring SketchUp up to date with the linked parts; what a person drew or moved there stays."""
        from notebook_ext.sketchup.status import PushView

        options = self.loon_push.parser.parse_args(words(line))
        if options.help:
            print(help_text(self.loon_push))
            return None
        if not options.clean:
            left_out = names_in(options.omit)
            result = self.session.push(options.names or None, omit=left_out)
            return PushView(result, left_out=left_out, nothing=self._nothing())
        if options.names or options.omit:
            raise UsageError("--clean builds all parts anew; it takes no names")
        return PushView(self.session.replay(), nothing=self._nothing())

    def _nothing(self) -> str | None:
        """What is said of having had nothing to do where nothing is linked; None where something is."""
        from notebook_ext.sketchup.status import nothing_linked

        return None if self.session.model.components else nothing_linked(self.session.trouble)

    @magic_arguments("loon_plan")
    @argument("names", nargs="*", metavar="NAME", help="parts to look at; all that are linked by default")
    @argument("--clean", action="store_true", help="of building all parts anew")
    @argument("-h", "--help", action="store_true", help="show this help")
    @no_var_expand
    @line_magic
    def loon_plan(self, line: str) -> object:
        """Show what a push would do, without SketchUp."""
        from notebook_ext.sketchup.status import PlanView

        options = self.loon_plan.parser.parse_args(words(line))
        if options.help:
            print(help_text(self.loon_plan))
            return None
        trace = self.session.plan(options.names or None, "clean" if options.clean else "incremental")
        return PlanView(trace, nothing=self._nothing())

    @magic_arguments("loon_sketchup")
    @argument("--headless", action="store_true", help="start a SketchUp without a window for this session")
    @argument(
        "--picture",
        nargs="?",
        const="iso",
        choices=("iso", "top", "bottom", "front", "back", "left", "right"),
        help="show SketchUp's own picture of its model instead; iso by default",
    )
    @argument("-h", "--help", action="store_true", help="show this help")
    @no_var_expand
    @line_magic
    def loon_sketchup(self, line: str) -> object:
        """Show whether SketchUp answers, and how each linked part stands there."""
        from notebook_ext.sketchup.status import StatusView

        options = self.loon_sketchup.parser.parse_args(words(line))
        if options.help:
            print(help_text(self.loon_sketchup))
            return None
        if options.headless:
            self.session.start_headless_sketchup()
        if options.picture is not None:
            from IPython.display import Image

            png = self.session.picture_of_sketchup(options.picture)
            return Image(png, format="png", width=640, alt=f"SketchUp's model, {options.picture}")
        return StatusView(self.session.sketchup())


def pushed(session: Session, name: str, at: tuple[float, ...] | None) -> None:
    """What ``%%loon NAME --push`` does after the cell has run, and says below it.

    Where SketchUp does not answer, the part is linked all the same, and a later push does the rest: the
    cell has not failed, and says how SketchUp is started. Raises: VcadError for anything else.
    """
    from notebook_ext.sketchup.status import PushView

    try:
        print(PushView(session.place(name, position=at)))
    except VcadError as error:
        if error.error_code not in _NOT_CONNECTED:
            raise
        lines = [f"not pushed: {error.message}", *([f"  {error.fix}"] if error.fix else [])]
        lines.append("  `%loon_sketchup --headless` starts one for this notebook")
        lines.append("  the plan is kept: %loon_plan shows it, %loon_push does it")
        sys.stderr.write("\n".join(lines) + "\n")


def point(text: str) -> tuple[float, ...]:
    """The point that ``--at`` gives, mm. Raises: UsageError."""
    try:
        numbers = tuple(float(number) for number in text.split(","))
    except ValueError:
        numbers = ()
    if len(numbers) != 3 or not all(math.isfinite(number) for number in numbers):
        raise UsageError(f"--at {text}: a point is three numbers in mm, as in --at 10,0,2.5")
    return numbers
