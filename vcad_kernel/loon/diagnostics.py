"""Findings about a text that accompany its result and never stop it.

Made by the checker, shown by cells, editors, `vcad check` and agents. What stops a program is an
error (vcad_kernel.errors); failures.py explains those.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from vcad_kernel.errors import Place, VcadError
from vcad_kernel.loon.source import Span

__all__ = ["Diagnostic", "Label", "Severity"]

Severity = Literal["error", "warning", "hint"]
"""error: the form fails if it is reached; warning: it may do what nobody meant; hint: advice only."""


@dataclass(frozen=True, slots=True)
class Label:
    """A stretch of source that a finding speaks of."""

    span: Span
    text: str = ""
    """What is there, in a few words."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding, with a code of §15.2 of the language specification."""

    code: str
    what: str
    """One sentence that names the offending thing."""
    labels: tuple[Label, ...]
    """The first is the place of the finding."""
    why: str = ""
    fix: str = ""
    severity: Severity = "error"
    fails: Span | None = None
    """The form whose failing is told in these words when it is reached."""

    @property
    def place(self) -> Place:
        """Where it is."""
        return self.labels[0].span.place()

    def render(self) -> str:
        """The finding as people see it: code, sentence, place with caret, why, fix, other places."""
        shown = VcadError(
            self.what, code=self.code, place=self.place, why=self.why or None, fix=self.fix or None
        )
        return "\n".join([shown.render(), *map(_also, self.labels[1:])])

    def to_json(self) -> Mapping[str, Any]:
        """The finding as tools read it; lines and columns count from 1, in code points."""
        place = self.place
        return {
            "code": self.code,
            "severity": self.severity,
            "what": self.what,
            "why": self.why,
            "fix": self.fix,
            "file": place.file,
            "line": place.line,
            "column": place.column,
            "end_line": place.end_line,
            "end_column": place.end_column,
        }


def _also(label: Label) -> str:
    """A further place that a finding speaks of, in a line."""
    place = label.span.place()
    text = f" {label.text}" if label.text else ""
    return f"  see: {place.file}:{place.line}:{place.column}{text}"
