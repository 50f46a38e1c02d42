"""Findings as JSON objects, with the texts that they stand in.

A label is a stretch of a file, in code points. Who has a file already need not be sent it. Two texts of one
name (an earlier run of a cell) are kept apart: the label then names its text by ``source``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from vcad_kernel.loon.diagnostics import Diagnostic, Label, Severity
from vcad_kernel.loon.source import Source, Span
from vcad_kernel.service.wire.values import reading

__all__ = ["decode", "encode"]

_SEVERITIES: Mapping[str, Severity] = {
    "error": "error",
    "warning": "warning",
    "hint": "hint",
    "information": "hint",
}


def encode(
    findings: Iterable[Diagnostic], known: Mapping[str, str] | None = None
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The objects of findings, and the texts that they need, by name.

    known: texts that the reader has, by file; they are left out.
    """
    texts: dict[str, str] = {}
    data = [
        {
            "code": one.code,
            "severity": one.severity,
            "what": one.what,
            "why": one.why,
            "fix": one.fix,
            "labels": [_label(label, texts) for label in one.labels],
        }
        for one in findings
    ]
    had = known or {}
    return data, {name: text for name, text in texts.items() if had.get(name) != text}


def _label(label: Label, texts: dict[str, str]) -> dict[str, Any]:
    source = label.span.source
    name, number = source.name, 1
    while texts.setdefault(name, source.text) != source.text:
        number += 1
        name = f"{source.name} ({number})"
    data = {"file": source.name, "start": label.span.start, "end": label.span.end, "text": label.text}
    return data if name == source.name else {**data, "source": name}


def decode(
    data: Iterable[Mapping[str, Any]],
    texts: Mapping[str, str],
    known: Mapping[str, str] | None = None,
) -> tuple[Diagnostic, ...]:
    """The findings of objects.

    texts: those that came with them. known: those that were left out; a text that is in neither is empty.
    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED.
    """
    sources: dict[str, Source] = {}
    with reading("finding"):
        held = {**(known or {}), **texts}
        return tuple(
            Diagnostic(
                str(one["code"]),
                str(one["what"]),
                tuple([_read_label(label, held, sources) for label in one["labels"]]) or _nowhere(),
                one.get("why") or "",
                one.get("fix") or "",
                _SEVERITIES[one["severity"]],
            )
            for one in data
        )


def _read_label(data: Mapping[str, Any], texts: Mapping[str, str], sources: dict[str, Source]) -> Label:
    file = str(data["file"])
    name = data.get("source") or file
    if name not in sources:
        sources[name] = Source(file, texts.get(name, ""))
    source = sources[name]
    end = max(0, min(int(data["end"]), len(source.text)))
    start = max(0, min(int(data["start"]), end))
    return Label(Span(source, start, end), data.get("text") or "")


def _nowhere() -> tuple[Label, ...]:
    raise ValueError("a finding has at least one place")
