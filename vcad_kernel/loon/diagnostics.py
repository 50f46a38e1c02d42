"""Findings about a text that accompany its result and never stop it.

Made by the checker, shown by cells, editors, `vcad check` and agents. What stops a program is an
error (vcad_kernel.errors); failures.py explains those.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from vcad_kernel.errors import Place, VcadError
from vcad_kernel.loon.source import Span

__all__ = [
    "Advice",
    "Diagnostic",
    "Edit",
    "Label",
    "Repair",
    "Severity",
    "did_you_mean",
    "helps",
    "repaired",
    "to_write",
]

Severity = Literal["error", "warning", "hint"]
"""error: the form fails if it is reached; warning: it may do what was not meant; hint: advice only."""


@dataclass(frozen=True, slots=True)
class Label:
    """A stretch of source that a finding speaks of."""

    span: Span
    text: str = ""
    """What is there, in a few words."""


Edit = tuple[int, int, str]
"""Offsets of a stretch, and the text that replaces it."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do about a finding: a line for people, and the edits that do it where nothing is to decide."""

    text: str
    edits: tuple[Edit, ...] = ()


def to_write(text: str, start: int, end: int) -> Advice:
    """The advice to write ``text`` where another stands.

    >>> to_write("[/ r 2]", 8, 11)
    Advice(text='write [/ r 2]', edits=((8, 11, '[/ r 2]'),))
    """
    return Advice(f"write {text}", ((start, end, text),))


def did_you_mean(name: str, start: int, end: int) -> Advice:
    """The advice to write a name where another stands that is nearly the same."""
    return Advice(f"did you mean {name}?", ((start, end, name),))


@dataclass(frozen=True, slots=True)
class Repair:
    """A stretch of source, and what replaces it: part of what the fix of a finding says."""

    span: Span
    text: str


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
    """The form whose failing is reported in these words when it is reached."""
    repairs: tuple[Repair, ...] = ()
    """The fix as edits, where it leaves nothing to decide; none overlaps another."""

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
        """The finding as tools read it; lines and columns count from 1, in code points.

        By hand: the language needs no library for messages, and a place stands among the other fields.
        """
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


def repaired(text: str, finding: Diagnostic) -> str:
    """The text in which a finding was made, with its repairs."""
    for repair in sorted(finding.repairs, key=lambda repair: repair.span.start, reverse=True):
        text = text[: repair.span.start] + repair.text + text[repair.span.end :]
    return text


def helps(
    finding: Diagnostic,
    text: str,
    findings: Sequence[Diagnostic],
    check: Callable[[str], Sequence[Diagnostic]],
) -> bool:
    """Whether the repairs of a finding, tried, lead to fewer findings and to no more errors.

    findings: all of the text; check: what is found in another one.
    """
    if not finding.repairs:
        return False
    after = check(repaired(text, finding))
    return len(after) < len(findings) and _errors(after) <= _errors(findings)


def _errors(findings: Sequence[Diagnostic]) -> int:
    return sum(finding.severity == "error" for finding in findings)


def _also(label: Label) -> str:
    """A further place that a finding speaks of, in a line."""
    place = label.span.place()
    text = f" {label.text}" if label.text else ""
    return f"  see: {place.file}:{place.line}:{place.column}{text}"
