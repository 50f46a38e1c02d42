"""Texts through the pipeline up to the checker: read, expand, check."""

from __future__ import annotations

from functools import cache

from vcad_kernel.cad.library import CAD_LIBRARY
from vcad_kernel.loon.checking.check import Checked, Part, check
from vcad_kernel.loon.checking.known import Known
from vcad_kernel.loon.diagnostics import Diagnostic
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.program.examination import language_of
from vcad_kernel.loon.program.program import expanded
from vcad_kernel.loon.reading.reader import read
from vcad_kernel.loon.source import Source

__all__ = ["cad", "checked", "codes", "finding", "type_of"]


@cache
def cad() -> Known:
    """The language with the CAD library."""
    return language_of((CAD_LIBRARY,))


def checked(text: str, known: Known | None = None) -> Checked:
    """What the checker says of a text. Raises: LoonError when it cannot be read or expanded."""
    source = Source("test.oo", text)
    chunks, _ = expanded(source, read(source), {}, Environment()._rules)
    parts = [Part(one.chunk, one.forms, one.only_calls) for one in chunks]
    return check(source, parts, Known.base() if known is None else known)


def codes(text: str, known: Known | None = None) -> list[str]:
    """The distinct codes of a text's findings, in order."""
    return list(dict.fromkeys(one.code for one in checked(text, known).diagnostics))


def finding(text: str, known: Known | None = None) -> Diagnostic:
    """The one finding on a text."""
    (only,) = checked(text, known).diagnostics
    return only


def type_of(text: str, known: Known | None = None) -> str:
    """The type display of what a text binds last."""
    outcome = checked(text, known)
    assert not outcome.diagnostics, [one.render() for one in outcome.diagnostics]
    assert outcome.last is not None
    return outcome.bindings[outcome.last]
