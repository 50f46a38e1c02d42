"""Findings as Loon values: what ``[catch-errors "source"]`` gives (§15.4)."""

from __future__ import annotations

from collections.abc import Callable

from vcad_kernel.loon.diagnostics import Diagnostic, Label
from vcad_kernel.loon.runtime.collections import Map, Vector
from vcad_kernel.loon.runtime.faults import type_fault
from vcad_kernel.loon.runtime.values import Keyword

__all__ = ["UNREADABLE", "catcher"]

UNREADABLE = "E0000"
"""The code of the one entry for a text that cannot be read."""


def catcher(check: Callable[[str], tuple[Diagnostic, ...]]) -> Callable[[object], Vector]:
    """The function behind ``catch-errors``; ``check`` finds what is wrong with a text."""

    def catch_errors(text: object) -> Vector:
        if not isinstance(text, str):
            raise type_fault("catch-errors", "a string of Loon text", text)
        return Vector([_entry(finding, text) for finding in check(text)])

    return catch_errors


def _entry(finding: Diagnostic, text: str) -> Map:
    unreadable = finding.code.startswith("E010")
    return _record(
        code=UNREADABLE if unreadable else finding.code,
        what=finding.what,
        why=finding.why,
        fix=finding.fix,
        spans=Vector([_span(label, text) for label in finding.labels]),
    )


def _span(label: Label, text: str) -> Map:
    """Offsets in bytes, half-open, as the language counts them."""
    start, end = (
        len(text[:at].encode("utf-8", "surrogatepass")) for at in (label.span.start, label.span.end)
    )
    return _record(start=start, end=end, label=label.text)


def _record(**values: object) -> Map:
    return Map([(Keyword(name), value) for name, value in values.items()])
