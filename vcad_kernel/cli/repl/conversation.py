"""A conversation with Loon, input by input: what `vcad repl` says, whatever terminal it has.

Each input is a cell of one session, as in a notebook. Inputs that begin with a comma, which no Loon
text can, are commands to the conversation itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vcad_kernel.cli.documentation import lesson_on, lesson_text
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.errors import VcadError
from vcad_kernel.loon.reading.concrete import Node, parse
from vcad_kernel.loon.reference import Entry, arrows, plain
from vcad_kernel.service.protocol import EvaluationService
from vcad_kernel.service.requests import EvalCell

if TYPE_CHECKING:
    from vcad_kernel.loon.analysis.exports import FileKnowledge

__all__ = ["COMMANDS", "Conversation", "continues", "indentation"]

COMMANDS: Mapping[str, str] = {
    ",doc": "NAME  what a name means",
    ",env": "what has been defined",
    ",explain": "CODE  a lesson on a code such as E0201",
    ",help": "these commands",
    ",quit": "leave; so does Ctrl-D",
    ",reset": "forget everything that has been defined",
}


def _open_nodes(node: Node) -> Iterator[Node]:
    """The nodes whose end is missing, outermost first."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        bracketed = bool(node.children) and node.children[0].kind == "open"
        if node.kind == "unclosed" or (bracketed and not node.closed):
            yield node
        waiting.extend(reversed(node.children))


def continues(text: str) -> bool:
    """Whether an input goes on: a bracket or a string is open. Commands never do."""
    return not text.startswith(",") and any(True for _ in _open_nodes(parse(text)))


def indentation(text: str) -> str:
    """The blanks that the next line of an open input begins with: two more than the innermost bracket."""
    innermost = None
    for node in _open_nodes(parse(text)):
        if node.kind == "unclosed":
            return ""
        if innermost is None or node.start >= innermost.start:
            innermost = node
    if innermost is None:
        return ""
    line_start = text.rfind("\n", 0, innermost.start) + 1
    return " " * (innermost.start - line_start + 2)


class Conversation:
    """One session of inputs; completion asks it what is known.

    service: what evaluates; folder: what `use` may take files from; say: shows a text; library: entries
    of all names that are there from the start.
    """

    def __init__(
        self,
        service: EvaluationService,
        folder: Path,
        say: Callable[[str], object],
        library: Mapping[str, Entry],
    ) -> None:
        self._service = service
        self._folder = folder
        self._say = say
        self._library = library
        self._cells: list[CellSource] = []
        self._count = 0
        self.ended = False
        """Whether ``,quit`` was said."""

    def entries(self) -> Mapping[str, Entry]:
        """Everything that has a meaning now."""
        return {**self._library, **self._own()}

    def _own(self) -> Mapping[str, Entry]:
        """What the inputs have defined."""
        return {name: definition.entry for name, definition in self._service.definitions().items()}

    def modules(self) -> Sequence[str]:
        """The modules that ``use`` could name."""
        return self._files().modules()

    def exports(self, module: str) -> Mapping[str, Entry]:
        """What a module of the folder exports."""
        return self._files().exports(module)

    def _files(self) -> FileKnowledge:
        from vcad_kernel.loon.analysis.exports import FileKnowledge
        from vcad_kernel.loon.modules.modules import Project

        return FileKnowledge(self._library, Project(self._folder), self._folder)

    def take(self, text: str) -> None:
        """Take one input and say what comes of it."""
        if text.lstrip().startswith(","):
            command, _, rest = text.strip().partition(" ")
            self._command(command, rest.strip())
        elif text.strip():
            self._evaluate(text)

    def _evaluate(self, text: str) -> None:
        from vcad_kernel.service.evaluation.history import was_stopped
        from vcad_kernel.service.summary import result_line, warning_line

        self._count += 1
        cell = CellSource(f"input-{self._count}", text, f"[{self._count}]")
        try:
            result = self._service.evaluate(
                EvalCell(
                    text, tuple(self._cells), cell_id=cell.cell_id, name=cell.name, base_dir=self._folder
                ),
                output=self._print,
            )
        except VcadError as error:
            if not was_stopped(error):
                self._cells.append(cell)  # what it defined before it failed stays
            self._say(error.render())
            return
        self._cells.append(cell)
        needless = set(result.obsolete)
        self._cells = [kept for index, kept in enumerate(self._cells) if index not in needless]
        for finding in result.diagnostics:
            self._say(finding.render())
        for warning in result.all_warnings():
            self._say(warning_line(warning))
        line = result_line("part", result)
        if line is not None:
            self._say(line)

    def _print(self, text: str) -> None:
        self._say(text.removesuffix("\n"))

    def _command(self, command: str, rest: str) -> None:
        if command == ",quit":
            self.ended = True
        elif command == ",reset":
            self._cells.clear()
            self._say("everything forgotten")
        elif command == ",env":
            own = self._own() if self._cells else {}
            lines = [f"{entry.usage or name}  {arrows(entry.type)}".rstrip() for name, entry in own.items()]
            self._say("\n".join(lines) or "nothing has been defined")
        elif command == ",doc" and rest:
            entry = self.entries().get(rest)
            self._say(plain(entry) if entry is not None else f"there is nothing called {rest}")
        elif command == ",explain" and rest:
            explained = lesson_on(rest)
            self._say(explained if isinstance(explained, str) else lesson_text(explained))
        else:
            if command not in COMMANDS:
                self._say(f"there is no command {command}")
            self._say("\n".join(f"{name:10}{meaning}" for name, meaning in COMMANDS.items()))
