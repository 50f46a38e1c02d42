"""The pipeline from text to something that can run: read → expand → compile.

A program is a list of steps: compiled forms, and imports between them. What a chunk compiles to
depends on its text and on the macros in force, so it is kept by those (code.py); a whole program is
kept while neither changes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TypeAlias

from vcad_kernel.errors import LoonError, LoonSyntaxError, VcadError
from vcad_kernel.loon.chunks import Chunk
from vcad_kernel.loon.code import FormCode, TooNestedError, code_of, moved
from vcad_kernel.loon.imports import Use, is_use, public_names, use_of
from vcad_kernel.loon.macros import Expander, Macro, MacroFault, Procedure
from vcad_kernel.loon.parameters import Parameters
from vcad_kernel.loon.reader import ReadChunk, read
from vcad_kernel.loon.recent import Recent
from vcad_kernel.loon.runtime.faults import fault
from vcad_kernel.loon.source import Source, Span
from vcad_kernel.loon.syntax import Form, ListForm

__all__ = ["CodeStep", "Expanded", "MacroRules", "Program", "Timings", "UseStep", "compiled", "expanded"]


@dataclass(slots=True)
class Timings:
    """Seconds that the stages of the last run took."""

    read: float = 0.0
    expand: float = 0.0
    check: float = 0.0
    compile: float = 0.0
    run: float = 0.0


@dataclass(frozen=True, slots=True)
class Expanded:
    """A chunk after expansion; ``macros`` is what its code depends on besides its text."""

    chunk: Chunk
    forms: tuple[Form, ...]
    macros: Hashable


@dataclass(frozen=True, slots=True)
class CodeStep:
    """A form to run."""

    code: FormCode
    exports: tuple[str, ...] | None
    """Names that it exports by ``pub``; None when it is not marked."""


@dataclass(frozen=True, slots=True)
class UseStep:
    """A module to import."""

    use: Use
    span: Span


Step: TypeAlias = CodeStep | UseStep


@dataclass(frozen=True, slots=True)
class Program:
    """A source ready to run, and the macros in force after it."""

    source: Source
    expanded: tuple[Expanded, ...]
    steps: tuple[Step, ...]
    macros: dict[str, Macro]
    defines_macros: frozenset[str]

    @property
    def uses(self) -> tuple[UseStep, ...]:
        """The imports, in order."""
        return tuple(step for step in self.steps if isinstance(step, UseStep))

    def exports(self, defined: Iterable[str]) -> tuple[str, ...]:
        """What it offers as a module: what it marks ``pub``, else all that it defines."""
        steps = (step for step in self.steps if isinstance(step, CodeStep))
        marked = [step.exports for step in steps if step.exports is not None]
        return tuple(dict.fromkeys(name for names in marked for name in names) if marked else defined)


_KEPT = 128
_programs: Recent[Hashable, Program] = Recent(_KEPT)


@dataclass(frozen=True, slots=True)
class MacroRules:
    """How macros are expanded. procedure: runs procedural ones; most: calls that a text may hold."""

    procedure: Procedure
    most: int


def compiled(source: Source, macros: dict[str, Macro], rules: MacroRules, timings: Timings) -> Program:
    """The program of a text, given the macros in force before it.

    timings: gets the time of each stage, where it was not known already.
    Raises: LoonError for anything wrong in the text; nothing has run then.
    """
    wanted = (source.name, source.text, source.internal, frozenset(macros.items()))
    program = _programs.get(wanted)
    if program is None:
        program = _compiled_afresh(source, macros, rules, timings)
        _programs.keep(wanted, program)
    return program


def _compiled_afresh(
    source: Source, macros: dict[str, Macro], rules: MacroRules, timings: Timings
) -> Program:
    started = perf_counter()
    chunks = read(source)
    timings.read += perf_counter() - started

    started = perf_counter()
    macros = dict(macros)
    parts, defined = expanded(source, chunks, macros, rules)
    timings.expand += perf_counter() - started

    started = perf_counter()
    steps: list[Step] = []
    for part in parts:
        steps += _steps(source, part)
    timings.compile += perf_counter() - started
    return Program(source, tuple(parts), tuple(steps), macros, frozenset(defined))


def expanded(
    source: Source, chunks: Sequence[ReadChunk], macros: dict[str, Macro], rules: MacroRules
) -> tuple[list[Expanded], set[str]]:
    """The chunks with macros expanded, and the macros they define; ``macros`` gains those.

    Raises: LoonError of class macro or arity.
    """
    expander = Expander(macros, rules.procedure, rules.most)
    parameters = Parameters()
    out = []
    known: Hashable = tuple(macros.values())
    for one in chunks:
        forms = []
        for form in one.forms:
            try:
                result = expander.top_level(form)
            except MacroFault as error:
                complaint = fault(error.kind, error.message)
                complaint.code = error.code or complaint.code
                raise _at(complaint, source, one.chunk, error.form) from None
            if result is None:
                known = tuple(macros.values())
            else:
                try:
                    forms.append(parameters.bound(result))
                except LoonError as error:
                    raise _at(error, source, one.chunk, result) from None
        out.append(Expanded(one.chunk, tuple(forms), known))
    return out, expander.defined


def _steps(source: Source, part: Expanded) -> list[Step]:
    """The steps of a chunk; a ``use`` compiles to nothing, so it is left out of what code is kept for."""
    plain = tuple(form for form in part.forms if not is_use(form))
    try:
        codes = iter(code_of(part.chunk.text, part.chunk.column, part.macros, plain))
    except TooNestedError as error:
        raise _at(
            LoonSyntaxError(
                f"{'try ' if error.blocks else ''}forms are nested too deep here",
                code="E0101",
                fix="give the inner part a name with fn",
                details={"class": "bad-form"},
            ),
            source,
            part.chunk,
            error.form,
        ) from None
    steps: list[Step] = []
    for form in part.forms:
        if isinstance(form, ListForm) and is_use(form):
            steps.append(_use_step(source, part.chunk, form))
        else:
            exports = public_names(form)
            code = moved(next(codes), part.chunk.line, source.tag)
            steps.append(CodeStep(code, None if exports is None else tuple(exports)))
    return steps


def _use_step(source: Source, chunk: Chunk, form: ListForm) -> UseStep:
    try:
        use = use_of(form)
    except VcadError as error:
        raise _at(error, source, chunk, form) from None
    return UseStep(use, Span(source, chunk.start + form.start, chunk.start + form.end))


def _at(error: VcadError, source: Source, chunk: Chunk, form: Form) -> VcadError:
    """``error`` with the place of a form of a chunk."""
    error.place = Span(source, chunk.start + form.start, chunk.start + form.end).place()
    return error
