"""The checker's findings as a cell shows them: beside the result, never instead of it.

Plain text says everything, the same in every run; HTML says the same in less room, errors and warnings
open, hints behind one line. Knows nothing of cells or sessions, and does not decide what is shown
when: it is given findings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from vcad_kernel.errors import Place, VcadError

if TYPE_CHECKING:
    from vcad_kernel.loon.diagnostics import Diagnostic, Label, Severity

__all__ = ["Findings", "explained_by", "show_findings"]

_ORDER: tuple[Severity, ...] = ("error", "warning", "hint")

_COLOUR = {
    "error": "var(--jp-error-color1, #d32f2f)",
    "warning": "var(--jp-warn-color1, #f57c00)",
    "hint": "var(--jp-info-color1, #1976d2)",
}


class Findings:
    """Findings of one text, shown together: the grave ones first, otherwise in the order of the text."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(
            sorted(
                diagnostics,
                key=lambda item: (_ORDER.index(item.severity), item.place.line, item.place.column),
            )
        )

    def __repr__(self) -> str:
        return "\n\n".join(f"{finding.severity} {finding.render()}" for finding in self.diagnostics)

    def _repr_mimebundle_(self, **_tiers: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.html()}

    def html(self) -> str:
        """The findings for a browser: no script, no style sheet, colours of the user's theme."""
        open_ones = [_finding(finding, "open") for finding in self.diagnostics if finding.severity != "hint"]
        hints = [_finding(finding, "") for finding in self.diagnostics if finding.severity == "hint"]
        return (
            '<div style="font-size: var(--jp-ui-font-size1, 13px); color: var(--jp-ui-font-color1, inherit)">'
            f"{''.join(open_ones)}{_folded(hints)}</div>"
        )


def _finding(finding: Diagnostic, state: str) -> str:
    """One finding that opens and closes: code and sentence; below them place, why and fix."""
    place = finding.place
    reasons = "".join(
        f"<div><b>{name}</b> {escape(text)}</div>"
        for name, text in (("why", finding.why), ("fix", finding.fix))
        if text
    )
    return (
        f'<details {state} style="margin: 2px 0; padding-left: 8px; '
        f'border-left: 3px solid {_COLOUR[finding.severity]}">'
        f'<summary style="cursor: pointer"><b style="color: {_COLOUR[finding.severity]}">'
        f"{finding.severity} {escape(finding.code)}</b> {escape(finding.what)} "
        f'<span style="color: var(--jp-ui-font-color2, inherit)">line {place.line}</span></summary>'
        f"{''.join(_marked(label) for label in finding.labels)}"
        f"{reasons}</details>"
    )


def _marked(label: Label) -> str:
    """A line of source with a caret line under the stretch, and what is said there."""
    return (
        '<pre style="margin: 2px 0; padding: 2px 4px; font-family: var(--jp-code-font-family, monospace); '
        f'background: var(--jp-layout-color2, transparent)">{escape(label.span.place().caret())} '
        f"{escape(label.text)}</pre>"
    )


def _folded(hints: Sequence[str]) -> str:
    """Hints behind one line that counts them."""
    if not hints:
        return ""
    count = "1 hint" if len(hints) == 1 else f"{len(hints)} hints"
    return f'<details><summary style="cursor: pointer">{count}</summary>{"".join(hints)}</details>'


def explained_by(error: VcadError, finding: Diagnostic) -> bool:
    """Whether an error says what the finding says: in the same words, or of the same characters."""
    if (error.code, error.message) == (finding.code, finding.what):
        return True
    place, other = error.place, finding.place
    if place is None:
        return False
    if (other.file, other.line) != (place.file, place.line):
        return False
    return other.column < _end(place) and place.column < _end(other)


def _end(place: Place) -> float:
    """Where a place ends on its first line."""
    return place.end_column if place.end_line == place.line else float("inf")


def show_findings(findings: Sequence[Diagnostic]) -> None:
    """Put findings under the cell, before its result; a clean cell shows nothing."""
    if findings:
        from IPython.display import display

        show: Callable[[object], object] = display
        show(Findings(findings))
