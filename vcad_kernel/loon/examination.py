"""Programs checked together with the modules they use; nothing is run.

The checker itself knows one text and what it is told of the names outside. Here it is told: what a
session has defined, and what the modules of a project export, each file checked once while it and the
files it uses stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TypeVar

from vcad_kernel.errors import LoonSyntaxError, VcadError
from vcad_kernel.loon.checking.check import Checked, Part, check
from vcad_kernel.loon.checking.effects import Step, performed
from vcad_kernel.loon.checking.known import Definitions, Known
from vcad_kernel.loon.diagnostics import Diagnostic, Label
from vcad_kernel.loon.imports import is_use
from vcad_kernel.loon.library import Library
from vcad_kernel.loon.linking import circle, unreadable
from vcad_kernel.loon.modules import ModuleFile, Project
from vcad_kernel.loon.program import CodeStep, Program, UseStep
from vcad_kernel.loon.reader import read
from vcad_kernel.loon.source import Source, Span

__all__ = ["Examined", "Examiner", "finding_of", "language_of"]

_T = TypeVar("_T")


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


@cache
def language_of(libraries: tuple[Library, ...]) -> Known:
    """What is known where no program has defined anything: the language, and libraries loaded in order."""
    known = Known.base()
    for library in libraries:
        source = Source(library.name, library.text, internal=True)
        parts = [Part(one.chunk, one.forms) for one in read(source)]
        known = known.with_library(library.entries, check(source, parts, known).known)
    return known


class Examiner:
    """Checks texts of one project.

    language: what is known where no program has defined anything; compiled: a text made ready to run.
    """

    def __init__(
        self, language: Known, project: Project | None, compiled: Callable[[Source], Program]
    ) -> None:
        self._language = language
        self._project = project
        self._compiled = compiled
        self._kept: dict[Path, tuple[tuple[ModuleFile, ...], _Exports]] = {}

    def check(self, program: Program, known: Known, folder: Path | None) -> Examined:
        """Check a program, with what is known of names that it does not define.

        folder: where its imports look first.
        """
        return self._examined(program, known, folder, [], [])

    def _examined(
        self,
        program: Program,
        known: Known,
        folder: Path | None,
        loading: list[ModuleFile],
        used: list[ModuleFile],
    ) -> Examined:
        """``used`` gains the files that the outcome depends on."""
        problems: list[Diagnostic] = []
        resolved: set[int] = set()
        for step in program.uses:
            try:
                known = known.with_definitions(self._imported(step, folder, loading, used))
            except VcadError as error:
                problems.append(_finding(error, step.span))
            else:
                resolved.add(id(step.use.form))
        parts = [
            Part(one.chunk, tuple(form for form in one.forms if not is_use(form) or id(form) not in resolved))
            for one in program.expanded
        ]
        checked = check(program.source, parts, known)
        return Examined((*problems, *checked.diagnostics), checked)

    def _imported(
        self, step: UseStep, folder: Path | None, loading: list[ModuleFile], used: list[ModuleFile]
    ) -> Definitions:
        """What a ``use`` defines in the text that says it.

        Raises: LoonRuntimeError E0500-E0502.
        """
        if self._project is None:
            return Definitions()
        file = self._project.find(step.use.module, folder or self._project.root)
        if any(file.path == one.path for one in loading):
            raise circle(step.use.module, loading, file)
        files, exports = self._exports(step.use.module, file, loading)
        used += files
        return _renamed(exports.definitions, step.use.local_names(exports.names))

    def _exports(
        self, name: str, file: ModuleFile, loading: list[ModuleFile]
    ) -> tuple[tuple[ModuleFile, ...], _Exports]:
        assert self._project is not None
        kept = self._kept.get(file.path)
        if kept is not None and all(self._project.text_of(one.path) == one.text for one in kept[0]):
            return kept
        try:
            program = self._compiled(Source(file.name, file.text))
        except LoonSyntaxError as error:
            raise unreadable(name, error) from None
        used = [file]
        checked = self._examined(program, self._language, file.path.parent, [*loading, file], used).checked
        exports = _Exports(_self_contained(checked.known), tuple(_exported(program, checked.bindings)))
        self._kept[file.path] = tuple(used), exports
        return self._kept[file.path]


def _self_contained(known: Known) -> Definitions:
    """What a text defines, for texts in which its private functions have no name."""
    performs = {
        name: tuple(Step(operation, is_call=False, handled=frozenset()) for operation in found)
        for name, steps in known.own.performs.items()
        if (found := performed(steps, known.performs))
    }
    return replace(known.own, performs=performs)


def _exported(program: Program, defined: Mapping[str, str]) -> Iterator[str]:
    """What a module exports: what it marks ``pub``, else all that it defines."""
    marked: Sequence[tuple[str, ...]] = [
        step.exports for step in program.steps if isinstance(step, CodeStep) and step.exports is not None
    ]
    if marked:
        yield from dict.fromkeys(name for names in marked for name in names)
    else:
        yield from defined


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
    code = error.code if error.code.startswith("E010") else "E0100"
    place = error.place
    if place is None:
        span = Span(source, 0, len(source.text))
    else:
        start = source.offset(place.line, place.column)
        end = source.offset(place.end_line, place.end_column)
        span = Span(source, start, end)
    return Diagnostic(code, error.message, (Label(span),), error.why or "", error.fix or "")


def _finding(error: VcadError, span: Span) -> Diagnostic:
    return Diagnostic(error.code, error.message, (Label(span),), error.why or "", error.fix or "")
