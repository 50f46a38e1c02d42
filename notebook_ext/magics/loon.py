"""The magics: ``%%loon``, ``%loon``, ``%loon_view``, ``%loon_env``, ``%loon_reset``,
``%loon_profile``, ``%loon_explain``.

Only the border between IPython and the session: parse the line, hand over, give back what is to be
shown. Nothing slow is imported here; the first cell pays for what it uses.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError
from IPython.core.magic import (
    Magics,
    line_cell_magic,
    line_magic,
    magics_class,
    no_var_expand,
)
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.magics.line import ends_in_semicolon, help_text, joined, names_in, python_name, words
from notebook_ext.magics.sketchup import point, pushed
from notebook_ext.session.cells.loon_value import LoonValue
from notebook_ext.session.session import Session
from vcad_kernel.errors import Cancelled, VcadError

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from notebook_ext.display.part import Part

__all__ = ["LoonMagics"]


@magics_class
class LoonMagics(Magics):
    """Loon cells and expressions, evaluated in the kernel's one session."""

    def __init__(self, shell: InteractiveShell, session: Session) -> None:
        super().__init__(shell)
        self._user = shell
        self.session = session

    @magic_arguments("%loon")
    @argument("name", nargs="?", help="Python name for the part; later Loon cells may use it too")
    @argument(
        "-i",
        "--input",
        action="append",
        default=[],
        metavar="NAME[,NAME…]",
        help="Python variables to take in: numbers, strings, booleans, lists, dicts",
    )
    @argument("-o", "--output", metavar="NAME", help="Python name for the part, as NAME in first place")
    @argument(
        "-t",
        "--tolerance",
        type=float,
        metavar="MM",
        help="chord error of curved faces in mm (default: from the part, 0.02)",
    )
    @argument(
        "-p",
        "--param",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set what the cell has by defparam, as in width=50",
    )
    @argument("--private", action="store_true", help="keep all names but NAME to this cell")
    @argument("-x", "--exact", action="store_true", help="figures of the exact body, also where it is slow")
    @argument(
        "-e",
        "--export",
        action="append",
        default=[],
        metavar="FILE",
        help="also write a file: .step .stl .obj .dae .glb .3mf .ops .html",
    )
    @argument("--push", action="store_true", help="have the part stand in SketchUp, linked to this cell")
    @argument("--at", metavar="X,Y,Z", help="where to push it to, in mm; by default it stays where it is")
    @argument("-q", "--quiet", action="store_true", help="bind the part, show nothing")
    @argument("-h", "--help", action="store_true", help="show this help")
    @no_var_expand
    @line_cell_magic
    def loon(self, line: str, cell: str | None = None) -> object:
        """Model a part in Loon.

        As a cell, ``%%loon bracket`` evaluates the cell, shows the part and binds it to ``bracket``.
        As a line, ``%loon [+ 1 2]`` evaluates one expression in the same environment.
        """
        silenced = ends_in_semicolon(line if cell is None else cell)
        try:
            if cell is None:
                value = self._line(line)
                return None if silenced else self.session.measure(value)
            options = self._parse(line)
            if options.help:
                print(help_text(self.loon))
                return None
            name = python_name(options.name, options.output)
            if options.push and name is None:
                raise UsageError("--push needs a name, by which SketchUp knows the part: %%loon NAME --push")
            if options.at is not None and not options.push:
                raise UsageError("--at says where a part is pushed to: add --push")
            if options.private and name is None:
                raise UsageError("--private keeps all names but one: say which, as in %%loon NAME --private")
            at = None if options.at is None else point(options.at)
            shown = self.session.run_cell(
                cell,
                name=name,
                bindings=self._inputs(options.input) if options.input else None,
                tolerance=options.tolerance,
                exact=options.exact,
                exports=options.export,
                parameters=_settings(options.param) if options.param else None,
                private=options.private,
            )
            silenced = silenced or options.quiet
            if name is not None and options.push:
                self._push(name, shown, at, seen=not silenced)
            return None if silenced else self.session.measure(shown)
        except KeyboardInterrupt:  # in a moment in which nothing was being evaluated
            raise LoonCellFailed(Cancelled("the cell was interrupted")) from None

    def _push(
        self, name: str, shown: Part | LoonValue | None, at: tuple[float, ...] | None, *, seen: bool
    ) -> None:
        """seen: whether the part is to be seen also when it cannot be pushed: it is made, after all."""
        if shown is None or isinstance(shown, LoonValue):
            raise UsageError(f"--push: {name} is no part; let the cell's last expression be the solid")
        try:
            pushed(self.session, name, at)
        except VcadError as error:
            if seen:
                from IPython.display import display

                display(self.session.measure(shown))
            raise LoonCellFailed(error) from None

    def _line(self, line: str) -> Part | LoonValue | None:
        """``%loon EXPR``; bare or with --help it explains itself."""
        if line.strip() in ("", "-h", "--help"):
            print(help_text(self.loon))
            return None
        return self.session.run_expression(line)

    def _parse(self, line: str) -> argparse.Namespace:
        options: argparse.Namespace = self.loon.parser.parse_args(joined(words(line), "--at"))
        if options.tolerance is not None and not options.tolerance > 0:
            raise UsageError(f"--tolerance {options.tolerance:g}: the chord error must be above 0 mm")
        return options

    def _inputs(self, lists: list[str]) -> dict[str, Any]:
        """The Python variables named by -i."""
        names = names_in(lists)
        missing = [name for name in names if name not in self._user.user_ns]
        if missing:
            raise UsageError(f"-i {', '.join(missing)}: no such Python variable")
        return {name: self._user.user_ns[name] for name in names}

    @magic_arguments("loon_view")
    @argument("-h", "--help", action="store_true", help="show this help")
    @argument("--dock", action="store_true", help="beside the notebook, where JupyterLab can show it there")
    @line_magic
    def loon_view(self, line: str) -> object:
        """Show the live view: all named parts, following every cell that is run again."""
        options = parse_argstring(self.loon_view, line)
        if options.help:
            print(help_text(self.loon_view))
            return None
        if options.dock:
            if self.session.dock_view():
                return None
            print("this page has no place beside the notebook for it: it is shown below the cell")
        return self.session.view()

    @magic_arguments("loon_env")
    @argument("-h", "--help", action="store_true", help="show this help")
    @line_magic
    def loon_env(self, line: str) -> object:
        """List what Loon cells have defined: name, type, cell, and value or figures."""
        if parse_argstring(self.loon_env, line).help:
            print(help_text(self.loon_env))
            return None
        from notebook_ext.display.environment import EnvironmentView

        return EnvironmentView(self.session.measured())

    @magic_arguments("loon_reset")
    @argument("names", nargs="*", metavar="NAME", help="what to forget; everything by default")
    @argument("-h", "--help", action="store_true", help="show this help")
    @no_var_expand
    @line_magic
    def loon_reset(self, line: str) -> None:
        """Forget what Loon cells have defined, with the parts; Python's variables stay."""
        options = self.loon_reset.parser.parse_args(words(line))
        if options.help:
            print(help_text(self.loon_reset))
            return
        if not options.names:
            self.session.reset()
            return
        known = {name: name for name in (*self.session.knowledge.definitions, *self.session.nodes())}
        for name in options.names:
            if name not in known:
                raise UsageError(f"no cell has defined {name}{_alike(name, known)}")
        self.session.forget(options.names)

    @magic_arguments("loon_profile")
    @argument("name", nargs="?", metavar="NAME", help="a part; by default the one that was made last")
    @argument("-h", "--help", action="store_true", help="show this help")
    @no_var_expand
    @line_magic
    def loon_profile(self, line: str) -> object:
        """Show where the time of a part went: a table of forms with ms, triangles, and what was known."""
        options = self.loon_profile.parser.parse_args(words(line))
        if options.help:
            print(help_text(self.loon_profile))
            return None
        if options.name is None:
            latest = self.session.latest
            if latest is None:
                raise UsageError("no part has been made yet")
            return latest.profile()
        if options.name not in self.session.nodes():
            known = {name: name for name in self.session.nodes()}
            raise UsageError(f"no part is called {options.name}{_alike(options.name, known)}")
        return self.session[options.name].profile()

    @magic_arguments("loon_explain")
    @argument("code", nargs="?", metavar="CODE", help="as in E0201; all codes are listed without one")
    @argument("-h", "--help", action="store_true", help="show this help")
    @no_var_expand
    @line_magic
    def loon_explain(self, line: str) -> object:
        """Explain the code of an error or a finding in a short lesson whose examples run."""
        options = self.loon_explain.parser.parse_args(words(line))
        if options.help:
            print(help_text(self.loon_explain))
            return None
        from notebook_ext.display.lesson import LessonList, LessonView
        from vcad_kernel.loon.lessons import codes, lesson

        if options.code is None:
            return LessonList([lesson(code) for code in codes()])
        known = {code.lower(): code for code in codes()}
        wanted = options.code.lower()
        if wanted not in known:
            near = [code for letters, code in known.items() if letters[:3] == wanted[:3]]
            proposed = f"; near it are {', '.join(near)}" if near else _alike(wanted, known)
            raise UsageError(f"there is no lesson for {options.code}{proposed}")
        return LessonView(lesson(known[wanted]))


def _settings(texts: list[str]) -> dict[str, int | float]:
    """The values that --param gives."""
    from vcad_kernel.service.parameter_text import settings_of

    try:
        return settings_of(texts)
    except ValueError as wrong:
        raise UsageError(f"--param {wrong}") from None


def _alike(name: str, known: Mapping[str, str]) -> str:
    """What one may have meant, as the end of a sentence; known: what is written, by how it is compared."""
    from difflib import get_close_matches

    close = [known[likely] for likely in get_close_matches(name, sorted(known), n=3)]
    return f"; did you mean {' or '.join(close)}?" if close else ""
