"""The terminal of `vcad repl`: editing, history, completion and colours by prompt_toolkit.

Without a terminal (input from a pipe) the same conversation is held line by line.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from vcad_kernel.cli.repl.conversation import COMMANDS, Conversation, continues, indentation
from vcad_kernel.loon.reference import arrows

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import Completer
    from prompt_toolkit.history import History
    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.output import Output

__all__ = ["completer", "converse", "history_in", "prompt_session"]


def converse(folder: Path) -> None:
    """Hold a conversation on this terminal until it is ended."""
    from platformdirs import user_state_path

    from vcad_kernel.cad.reference import ALL
    from vcad_kernel.service.direct import DirectService

    talk = Conversation(DirectService(), folder, print, ALL)
    if not sys.stdin.isatty():
        for text in _inputs(sys.stdin):
            talk.take(text)
            if talk.ended:
                return
        return
    print("Loon: [cube 50 30 5] shows its figures; ,help lists commands")
    session = prompt_session(talk, history_in(user_state_path("vcad-workbench")))
    while not talk.ended:
        try:
            text = session.prompt()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        try:
            talk.take(text)
        except KeyboardInterrupt:
            print("stopped; what had been defined by then stays")


def _inputs(lines: Iterable[str]) -> Iterator[str]:
    """Lines put together until their brackets close; what is left open at the end is an input, too."""
    text = ""
    for line in lines:
        text += line
        if not continues(text):
            yield text
            text = ""
    if text.strip():
        yield text


def history_in(folder: Path) -> History:
    """The inputs of earlier conversations, kept in a folder; only this one's where nothing can be written."""
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    file = folder / "repl-history"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.open("ab").close()
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(file))


def completer(talk: Conversation) -> Completer:
    """What Tab proposes in a conversation."""
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion
    from prompt_toolkit.document import Document

    from vcad_kernel.loon.analysis.completion import complete

    class LoonCompleter(Completer):
        def get_completions(self, document: Document, event: CompleteEvent) -> Iterator[Completion]:
            del event  # typed or asked for: the answer is the same
            text, at = document.text, document.cursor_position
            if text.startswith(","):
                head = text[:at]
                yield from (Completion(name, -len(head)) for name in COMMANDS if name.startswith(head))
                return
            proposals = complete(text, at, talk)
            for item in proposals.items:
                yield Completion(
                    item.insert, proposals.start - at, display=item.label, display_meta=arrows(item.detail)
                )

    return LoonCompleter()


def prompt_session(
    talk: Conversation, history: History, *, terminal: tuple[Input, Output] | None = None
) -> PromptSession[str]:
    """A prompt for a conversation.

    terminal: what to read from and write to, the process's own by default.
    """
    from prompt_toolkit import PromptSession
    from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
    from prompt_toolkit.completion import ThreadedCompleter
    from prompt_toolkit.lexers import PygmentsLexer

    from vcad_kernel.loon.pygments_lexer import LoonLexer

    input_, output = terminal if terminal is not None else (None, None)
    return PromptSession(
        message="loon> ",
        prompt_continuation="    > ",
        multiline=True,
        key_bindings=_keys(),
        completer=ThreadedCompleter(completer(talk)),
        complete_while_typing=False,
        history=history,
        auto_suggest=AutoSuggestFromHistory(),
        lexer=PygmentsLexer(LoonLexer),
        input=input_,
        output=output,
    )


def _keys() -> KeyBindings:
    """Enter ends an input whose brackets are closed, and else begins an indented line; after Escape it
    always begins a line."""
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

    keys = KeyBindings()

    @keys.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if continues(buffer.text):
            buffer.insert_text("\n" + indentation(buffer.document.text_before_cursor))
        else:
            buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    return keys
