"""Programs checked together with the modules they use; nothing is run.

The checker itself knows one text and what is given of the names outside. Here is gathered what a
session has defined, and what the modules of a project export, each file checked once while it and the
files it uses stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TypeAlias, TypeVar

from vcad_kernel.errors import VcadError
from vcad_kernel.loon.checking.check import Checked, Part, check
from vcad_kernel.loon.checking.definitions import Step, performed
from vcad_kernel.loon.checking.known import Definitions, Known
from vcad_kernel.loon.diagnostics import Diagnostic, Label
from vcad_kernel.loon.modules.loading import Loaded, Loading
from vcad_kernel.loon.modules.modules import ModuleFile, Project
from vcad_kernel.loon.program.library import Library
from vcad_kernel.loon.program.program import Program, UseStep
from vcad_kernel.loon.reading.reader import read
from vcad_kernel.loon.recent import Recent
from vcad_kernel.loon.runtime.collections import Map, Vector
from vcad_kernel.loon.runtime.faults import type_fault
from vcad_kernel.loon.runtime.values import Keyword
from vcad_kernel.loon.source import Source, Span

__all__ = ["Examined", "Examiner", "catcher", "finding_of", "language_of"]

_T = TypeVar("_T")

_Asked: TypeAlias = tuple[Definitions, set[int]]
"""What an answer of the checker depends on besides the program and the language."""

_REMEMBERED = 32
"""Programs whose findings are kept: cells that run again as they are."""


@dataclass(frozen=True, slots=True)
class _Exports:
    """What a module offers to others, as far as the checker knows."""

    definitions: Definitions
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Examined:
    """What came of checking a program."""

    diagnostics: tuple[Diagnostic, ...]
    """Problems with imports first, then what the checker found."""
    checked: Checked
    imported: frozenset[str]
    """The names that its imports bind, those that do not fail."""


@cache
def language_of(libraries: tuple[Library, ...]) -> Known:
    """What is known where no program has defined anything: the language, and libraries loaded in order."""
    known = Known.base()
    for library in libraries:
        source = Source(library.name, library.text, internal=True)
        parts = [Part(read_chunk.chunk, read_chunk.forms) for read_chunk in read(source)]
        known = known.with_library(library, check(source, parts, known).known)
    return known


class Examiner:
    """Checks texts of one project; may be asked from several threads at once.

    language: what is known where no program has defined anything; compiled: a text made ready to run.
    """

    def __init__(
        self, language: Known, project: Project | None, compiled: Callable[[Source], Program]
    ) -> None:
        self._language = language
        self._project = project
        self._compiled = compiled
        self._kept: dict[Path, Loaded[_Exports]] = {}
        self._last: Recent[int, tuple[_Asked, Checked, Program]] = Recent(_REMEMBERED)
        """By the identity of a program, which stays its own because the program is kept with it."""

    def check(self, program: Program, known: Known, folder: Path | None) -> Examined:
        """Check a program, with what is known of names that it does not define.

        folder: where its imports look first.
        """

        def exports(module: Program, file: ModuleFile) -> _Exports:
            definitions, problems, _ = self._examined(module, self._language, file.path.parent, loading)
            if problems:
                raise problems[0][1]  # the module would fail there, and with it those that use it
            return _Exports(_self_contained(definitions.known), module.exports(definitions.bindings))

        loading = Loading(self._project, self._kept, self._compiled, exports)
        checked, problems, imported = self._examined(program, known, folder, loading)
        findings = [_finding(error, step.span) for step, error in problems]
        malformed = [
            Diagnostic("E0101", wrong.message, (Label(Span(program.source, wrong.start, wrong.end)),))
            for wrong in program.malformed
        ]
        return Examined((*findings, *malformed, *checked.diagnostics), checked, frozenset(imported))

    def _examined(
        self, program: Program, known: Known, folder: Path | None, loading: Loading[_Exports]
    ) -> tuple[Checked, list[tuple[UseStep, VcadError]], set[str]]:
        """What the checker finds in a program; the imports that fail, each with its error and place; the
        names that the others bind."""
        problems: list[tuple[UseStep, VcadError]] = []
        imported: set[str] = set()
        resolved: set[int] = set()
        for step in program.uses:
            try:
                exports = loading.load(step.use.module, folder).content
                names = step.use.local_names(exports.names)
            except VcadError as error:
                if error.place is None:
                    error.place = step.span.place()
                problems.append((step, error))
            else:
                known = known.with_definitions(_renamed(exports.definitions, names))
                imported.update(names.values())
                resolved.add(id(step.use.form))
        return self._checked(program, known, resolved), problems, imported

    def _checked(self, program: Program, known: Known, resolved: set[int]) -> Checked:
        """What the checker says; what it said last is kept while it is asked about the same.

        resolved: the uses, by identity, whose names are among what is known.
        """
        asked = (known.own, resolved)
        last = self._last.get(id(program))
        if last is not None and last[0] == asked:
            return last[1]
        parts = [
            Part(part.chunk, tuple(form for form in part.forms if id(form) not in resolved), part.only_calls)
            for part in program.expanded
        ]
        checked = check(program.source, parts, known)
        self._last.keep(id(program), (asked, checked, program))
        return checked


def _self_contained(known: Known) -> Definitions:
    """What a text defines, for texts in which its private functions have no name."""
    performs = {
        name: tuple(Step(operation, is_call=False, handled=frozenset()) for operation in effects)
        for name, steps in known.own.performs.items()
        if (effects := performed(steps, known.performs))
    }
    return replace(known.own, performs=performs)


def _renamed(definitions: Definitions, names: Mapping[str, str]) -> Definitions:
    """What a module defines, under the names that its user gives; types keep theirs."""

    def taken(held: Mapping[str, _T]) -> dict[str, _T]:
        return {local: held[name] for name, local in names.items() if name in held}

    return replace(
        definitions,
        schemes=taken(definitions.schemes),
        variants=taken(definitions.variants),
        performs=taken(definitions.performs),
        modes=taken(definitions.modes),
        parameters=taken(definitions.parameters),
        signatures={},
    )


def finding_of(source: Source, error: VcadError) -> Diagnostic:
    """An error that keeps a text from being read or expanded, as the one finding on it.

    Macro expansion fails with E0100 here, whatever class it has when a program runs (§15.2).
    """
    code = error.code if error.code.startswith(("E010", "E050")) else "E0100"
    place = error.place
    if place is None:
        span = Span(source, 0, len(source.text))
    else:
        start = source.offset(place.line, place.column)
        end = source.offset(place.end_line, place.end_column)
        span = Span(source, start, end)
    return Diagnostic(code, error.message, (Label(span),), error.why or "", error.fix or "")


def _finding(error: VcadError, span: Span) -> Diagnostic:
    """A failing import as a finding on the ``use``, wherever among the modules it fails."""
    place, why = error.place, error.why or ""
    if place is not None and place != span.place():
        where = f"this happens at {place.file}:{place.line}:{place.column}"
        why = f"{where}; {why}" if why else where
    return Diagnostic(error.code, error.message, (Label(span),), why, error.fix or "")


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
