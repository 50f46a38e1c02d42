"""Where help with Loon text meets IPython: completion and inspection, also while a cell computes.

In a kernel both are answered on the thread that receives them (shell_channel.py). A terminal, and a
kernel that cannot do that, ask on the ordinary path: IPython's completer, and the kernel's own
inspection. Python text is left to IPython everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from IPython.core.completer import (
    CompletionContext,
    SimpleCompletion,
    SimpleMatcherResult,
    context_matcher,
)

from notebook_ext.front_end.shell_channel import AnsweringChannel
from notebook_ext.language.help import LanguageHelp

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["LanguageHooks"]


class LanguageHooks:
    """The hooks of one shell, from `open` to `close`."""

    def __init__(self, shell: InteractiveShell, help_: LanguageHelp) -> None:
        self._shell = shell
        self._help = help_
        self._kernel: Any = getattr(shell, "kernel", None)
        # A function of its own, for IPython writes what kind of matcher it is on the function.
        self._matcher: Any = context_matcher(identifier="vcad.loon", priority=100)(
            lambda context: self._matched(context)
        )
        self._channel = AnsweringChannel(
            self._kernel,
            {"complete_request": help_.answer_completion, "inspect_request": help_.answer_inspection},
        )

    def open(self) -> None:
        """Begin to help."""
        self._shell.Completer.custom_matchers.append(self._matcher)
        if self._kernel is not None:
            self._kernel.do_inspect = self._inspected
            self._channel.open()

    def close(self) -> None:
        """Take every hook back."""
        self._shell.Completer.custom_matchers.remove(self._matcher)
        if self._kernel is not None:
            self._channel.close()
            if vars(self._kernel).get("do_inspect") == self._inspected:
                del self._kernel.do_inspect  # the class's own is visible again

    def _matched(self, context: CompletionContext) -> SimpleMatcherResult:
        lines = context.full_text.split("\n")
        offset = sum(len(line) + 1 for line in lines[: context.cursor_line]) + context.cursor_position
        suggestions = self._help.suggest(context.full_text, offset)
        if suggestions is None:
            return SimpleMatcherResult(completions=[], suppress=False)
        return SimpleMatcherResult(
            completions=[SimpleCompletion(item.text, type=item.kind) for item in suggestions.items],
            suppress=True,
            matched_fragment=context.full_text[suggestions.start : offset],
            ordered=True,
        )

    def _inspected(
        self, code: str, cursor_pos: int, detail_level: int = 0, omit_sections: Any = ()
    ) -> dict[str, Any]:
        """The kernel's ``do_inspect``, which knows Python's names only, for both languages."""
        content = self._help.answer_inspection({"code": code, "cursor_pos": cursor_pos})
        if content is not None:
            return content
        reply: dict[str, Any] = type(self._kernel).do_inspect(
            self._kernel, code, cursor_pos, detail_level, omit_sections
        )
        return reply
