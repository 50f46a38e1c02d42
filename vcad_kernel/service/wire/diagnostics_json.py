"""Findings as structs, with the texts that they stand in.

A label is a stretch of a file, in code points. Who has a file already need not be sent it. Two texts of one
name (an earlier run of a cell) are kept apart: the label then names its text by ``source``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct

from vcad_kernel.loon.diagnostics import Diagnostic, Label
from vcad_kernel.loon.source import Source, Span
from vcad_kernel.service.wire import values

__all__ = ["Finding", "Stretch", "decode", "encode"]


class Stretch(Struct, frozen=True, omit_defaults=True):
    """A label."""

    file: str
    start: int
    end: int
    text: str | None = None
    source: str | None = None
    """Which text it stands in, where that is not the file's own."""


class Finding(Struct, frozen=True, kw_only=True):
    """A finding."""

    code: str
    severity: Literal["error", "warning", "hint", "information"]
    what: str
    why: str | None = None
    fix: str | None = None
    labels: Annotated[tuple[Stretch, ...], Meta(min_length=1)]


def encode(
    findings: Iterable[Diagnostic], known: Mapping[str, str] | None = None
) -> tuple[tuple[Finding, ...], dict[str, str]]:
    """The structs of findings, and the texts that they need, by name.

    known: texts that the reader has, by file; they are left out.
    """
    texts: dict[str, str] = {}
    forms = [
        Finding(
            code=finding.code,
            severity=finding.severity,
            what=finding.what,
            why=finding.why,
            fix=finding.fix,
            labels=tuple([_stretch(label, texts) for label in finding.labels]),
        )
        for finding in findings
    ]
    had = known or {}
    return tuple(forms), {name: text for name, text in texts.items() if had.get(name) != text}


def _stretch(label: Label, texts: dict[str, str]) -> Stretch:
    source = label.span.source
    name, number = source.name, 1
    while texts.setdefault(name, source.text) != source.text:
        number += 1
        name = f"{source.name} ({number})"
    other = None if name == source.name else name
    return Stretch(source.name, label.span.start, label.span.end, label.text, other)


def decode(
    data: object, texts: Mapping[str, str], known: Mapping[str, str] | None = None
) -> tuple[Diagnostic, ...]:
    """The findings of structs.

    texts: those that came with them. known: those that were left out; a text that is in neither is empty.
    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED.
    """
    held = {**(known or {}), **texts}
    sources: dict[str, Source] = {}
    return tuple(
        Diagnostic(
            form.code,
            form.what,
            tuple([_label(stretch, held, sources) for stretch in form.labels]),
            form.why or "",
            form.fix or "",
            "hint" if form.severity == "information" else form.severity,
        )
        for form in values.decode(data, tuple[Finding, ...], "finding")
    )


def _label(stretch: Stretch, texts: Mapping[str, str], sources: dict[str, Source]) -> Label:
    name = stretch.source or stretch.file
    if name not in sources:
        sources[name] = Source(stretch.file, texts.get(name, ""))
    source = sources[name]
    end = max(0, min(stretch.end, len(source.text)))
    return Label(Span(source, max(0, min(stretch.start, end)), end), stretch.text or "")
