"""The magics: ``%%loon``, ``%loon``, ``%loon_view``.

Only the border between IPython and the session: parse the line, hand over, give back what is to be
shown. Nothing slow is imported here; the first cell pays for what it uses.
"""

from __future__ import annotations

import argparse
import keyword
import re
import shlex
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

from notebook_ext.session.session import LoonValue, Session
from notebook_ext.version import version

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["LoonMagics", "attach", "detach"]

_SESSION_NAME = "session"


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
    @argument("-x", "--exact", action="store_true", help="figures of the exact body, also where it is slow")
    @argument(
        "-e",
        "--export",
        action="append",
        default=[],
        metavar="FILE",
        help="also write a file: .stl .obj .dae .glb .3mf",
    )
    @argument("-q", "--quiet", action="store_true", help="bind the part, show nothing")
    @argument("-h", "--help", action="store_true", help="show this help")
    @no_var_expand
    @line_cell_magic
    def loon(self, line: str, cell: str | None = None) -> object:
        """Model a part in Loon.

        As a cell, ``%%loon bracket`` evaluates the cell, shows the part and binds it to ``bracket``.
        As a line, ``%loon [+ 1 2]`` evaluates one expression in the same environment.
        """
        silenced = _ends_in_semicolon(line if cell is None else cell)
        if cell is None:
            shown = self._line(line)
            return None if silenced else shown
        options = self._parse(line)
        if options.help:
            print(_help(self.loon))
            return None
        name = _python_name(options.name, options.output)
        shown = self.session.run_cell(
            cell,
            name=name,
            bindings=self._inputs(options.input),
            tolerance=options.tolerance,
            exact=options.exact,
            exports=options.export,
        )
        if name is not None:
            self._user.push({name: shown.for_python() if isinstance(shown, LoonValue) else shown})
        return None if options.quiet or silenced else shown

    def _line(self, line: str) -> object:
        """``%loon EXPR``; bare or with --help it explains itself."""
        if line.strip() in ("", "-h", "--help"):
            print(_help(self.loon))
            return None
        return self.session.run_expression(line)

    def _parse(self, line: str) -> argparse.Namespace:
        options: argparse.Namespace = self.loon.parser.parse_args(_words(line))
        if options.tolerance is not None and not options.tolerance > 0:
            raise UsageError(f"--tolerance {options.tolerance:g}: the chord error must be above 0 mm")
        return options

    def _inputs(self, lists: list[str]) -> dict[str, Any]:
        """The Python variables named by -i."""
        names = [name.strip() for one in lists for name in one.split(",") if name.strip()]
        missing = [name for name in names if name not in self._user.user_ns]
        if missing:
            raise UsageError(f"-i {', '.join(missing)}: no such Python variable")
        return {name: self._user.user_ns[name] for name in names}

    @magic_arguments("loon_view")
    @argument("-h", "--help", action="store_true", help="show this help")
    @line_magic
    def loon_view(self, line: str) -> object:
        """Show the live view: all named parts, following every cell that is run again."""
        if parse_argstring(self.loon_view, line).help:
            print(_help(self.loon_view))
            return None
        return self.session.view()


def _help(magic: Any) -> str:
    """The help of a magic, for reading: IPython's own is laid out for Sphinx."""
    text: str = magic.parser.format_help()
    return text.replace("::\n\n  ", "usage: ", 1)


def _words(line: str) -> list[str]:
    """The words of a magic line, as a shell takes them apart: quotes hold a file name with spaces together.

    A list whose commas are followed by spaces is one word, too.
    """
    lexer = shlex.shlex(line, posix=True)
    lexer.whitespace_split = True
    lexer.commenters = lexer.escape = ""
    words: list[str] = []
    try:
        for word in lexer:
            if words and words[-1].endswith(","):
                words[-1] += word
            else:
                words.append(word)
    except ValueError:
        raise UsageError(f"a quotation mark is not closed in: {line}") from None
    return words


def _ends_in_semicolon(source: str) -> bool:
    """Whether the last line ends in an empty comment, IPython's sign for "show nothing".

    IPython's own `output_can_be_silenced` reads the text as Python, which ``#[1 2]`` breaks.
    """
    last = source.rstrip().rpartition("\n")[2]
    return last.endswith(";") and last.count(";") == 1


def _give_empty_cells_a_body(lines: list[str]) -> list[str]:
    """IPython refuses a cell magic without a body, even ``%%loon --help``: an empty comment is one."""
    head, *body = lines or [""]
    if head.startswith("%%loon") and not "".join(body).strip():
        return [head.rstrip("\n") + "\n", ";\n"]
    return lines


def _python_name(name: str | None, output: str | None) -> str | None:
    """The Python name asked for, in either way; None when the part is only shown."""
    if name and output and name != output:
        raise UsageError(f"two names for one part: {name} and -o {output}")
    chosen = output or name
    if chosen is not None and (not chosen.isidentifier() or keyword.iskeyword(chosen)):
        raise UsageError(f"{chosen} is no Python name; write %%loon {_proposal(chosen)}")
    return chosen


def _proposal(name: str) -> str:
    """A Python name that looks like this one: ``wall_plate`` for wall-plate."""
    words = re.sub(r"\W+", "_", name).strip("_") or "part"
    if keyword.iskeyword(words):
        return words + "_"
    return words if words.isidentifier() else "_" + words


def attach(shell: InteractiveShell) -> None:
    """Register the magics with a new session, once per shell."""
    if _attached(shell) is not None:
        return
    session = Session(shell)
    shell.register_magics(LoonMagics(shell, session))
    shell.input_transformers_cleanup.append(_give_empty_cells_a_body)
    shell.user_ns.setdefault(_SESSION_NAME, session)
    print(f"vcad-workbench {version()}: model in %%loon cells, see %%loon --help")


def detach(shell: InteractiveShell) -> None:
    """Take back everything that `attach` did."""
    magics = _attached(shell)
    if magics is None:
        return
    for kind in shell.magics_manager.magics.values():
        for name in ("loon", "loon_view"):
            kind.pop(name, None)
    del shell.magics_manager.registry[LoonMagics.__name__]
    shell.input_transformers_cleanup.remove(_give_empty_cells_a_body)
    if shell.user_ns.get(_SESSION_NAME) is magics.session:
        del shell.user_ns[_SESSION_NAME]
    magics.session.close()


def _attached(shell: InteractiveShell) -> LoonMagics | None:
    found = shell.magics_manager.registry.get(LoonMagics.__name__)
    return found if isinstance(found, LoonMagics) else None
