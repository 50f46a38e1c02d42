"""The pipeline from text to something that can run: read → expand → compile.

A program is a list of steps: compiled forms, and imports between them. A whole program is kept while its
text and the macros in force stay the same, and so is the code of each chunk. That depends on the chunk's
text, the column it begins at and the macros it may use, and on nothing else: names are looked up when the
code runs. So it is compiled once, as if it stood on line 1, and moved to its line and source when it is
wanted. An unchanged cell costs nothing to compile, and a moved one next to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from types import CodeType
from typing import Final, TypeAlias

from vcad_kernel.errors import LoonError, LoonSyntaxError, VcadError
from vcad_kernel.loon.forms.defparam import Parameters
from vcad_kernel.loon.forms.table import FORMS
from vcad_kernel.loon.forms.use import Use, is_use, use_of
from vcad_kernel.loon.lowering.intrinsics import access, callbacks, operators
from vcad_kernel.loon.lowering.lower import Lowerer, Malformed, Rules
from vcad_kernel.loon.macros import Expander, Macro, MacroFault, Procedure
from vcad_kernel.loon.reading.reader import ReadChunk, read
from vcad_kernel.loon.recent import Recent
from vcad_kernel.loon.runtime.faults import fault
from vcad_kernel.loon.shapes import behind_pub, is_headed
from vcad_kernel.loon.source import Source, SourceName, Span
from vcad_kernel.loon.syntax import Chunk, Form, ListForm, Symbol

__all__ = [
    "CodeStep",
    "Expanded",
    "FormCode",
    "MacroRules",
    "Program",
    "Timings",
    "TooNestedError",
    "UseStep",
    "code_of",
    "compiled",
    "expanded",
    "moved",
]

_RULES: Final = Rules(
    {name: form.lowers for name, form in FORMS.items()},
    {**operators.INLINE, **access.INLINE, **callbacks.INLINE},
)

_MORE_THAN_CALLS: Final = re.compile(rf"\b(?:{'|'.join(map(re.escape, FORMS))})(?!\w)|[?\\]", re.ASCII)
"""What any text with a special form has: the form's name; a ``?``, which is read as one; or a backslash,
which may hide a name in the code of a string."""

_KEPT = 8192
"""Chunks whose code is remembered, at least."""

_kept: Recent[tuple[str, int, Hashable], tuple[FormCode, ...]] = Recent(_KEPT)


class TooNestedError(Exception):
    """Python refuses to nest code as deep as a form does; ``form`` is the top-level one.

    blocks: it is ``try`` forms that are too deep.
    """

    def __init__(self, form: Form, *, blocks: bool) -> None:
        super().__init__()
        self.form = form
        self.blocks = blocks


@dataclass(frozen=True, slots=True)
class FormCode:
    """A top-level form, ready to run as a function without parameters."""

    code: CodeType
    keywords: frozenset[str]
    """Keywords that must be bound as ``:name`` before it runs."""
    defines: frozenset[str]
    """Global names that it may bind."""
    malformed: tuple[Malformed, ...] = ()
    """What in it is put together wrongly; offsets of its chunk."""


def code_of(text: str, column: int, macros: Hashable, forms: tuple[Form, ...]) -> tuple[FormCode, ...]:
    """The code of a chunk's expanded forms, as if the chunk stood on line 1.

    Raises: TooNestedError.
    """
    wanted = (text, column, macros)
    compiled = _kept.get(wanted)
    if compiled is None:
        compiled = tuple(_compiled(text, column, form) for form in forms)
        _kept.keep(wanted, compiled)
    return compiled


def _compiled(text: str, column: int, form: Form) -> FormCode:
    lowered = Lowerer(text, column, rules=_RULES).top_level(form)
    try:
        module = compile(lowered.module, "<loon>", "exec", dont_inherit=True, optimize=0)
    except SyntaxError as error:
        if "nested blocks" not in str(error):
            raise
        raise TooNestedError(form, blocks=True) from None
    except RecursionError:
        raise TooNestedError(form, blocks=False) from None
    code = next(constant for constant in module.co_consts if isinstance(constant, CodeType))
    return FormCode(code, lowered.keywords, lowered.defines, lowered.malformed)


def moved(form_code: FormCode, line: int, name: SourceName) -> FormCode:
    """The same code for a chunk that begins on a line of a source."""
    return replace(form_code, code=_moved(form_code.code, line - 1, name))


def _moved(code: CodeType, lines: int, name: SourceName) -> CodeType:
    constants = tuple(
        _moved(constant, lines, name) if isinstance(constant, CodeType) else constant
        for constant in code.co_consts
    )
    return code.replace(co_filename=name, co_firstlineno=code.co_firstlineno + lines, co_consts=constants)


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
    only_calls: bool = False
    """Whether it surely has no special form in it: then it declares, binds and exports nothing."""


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
    malformed: tuple[Malformed, ...] = ()
    """The special forms that fail when they are reached; offsets of the text."""

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
    malformed: list[Malformed] = []
    for part in parts:
        made = _steps(source, part)
        steps += made
        start = part.chunk.start
        malformed += [
            Malformed(start + wrong.start, start + wrong.end, wrong.message)
            for step in made
            if isinstance(step, CodeStep)
            for wrong in step.code.malformed
        ]
    timings.compile += perf_counter() - started
    return Program(source, tuple(parts), tuple(steps), macros, frozenset(defined), tuple(malformed))


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
    for read_chunk in chunks:
        if not macros and not _MORE_THAN_CALLS.search(read_chunk.chunk.text):
            out.append(Expanded(read_chunk.chunk, read_chunk.forms, known, only_calls=True))
            continue
        forms = []
        for form in read_chunk.forms:
            try:
                result = expander.top_level(form)
            except MacroFault as error:
                complaint = fault(error.kind, error.message)
                complaint.code = error.code or complaint.code
                raise _at(complaint, source, read_chunk.chunk, error.form) from None
            if result is None:
                known = tuple(macros.values())
            else:
                try:
                    forms.append(parameters.bound(result))
                except LoonError as error:
                    raise _at(error, source, read_chunk.chunk, result) from None
        out.append(Expanded(read_chunk.chunk, tuple(forms), known))
    return out, expander.defined


def _steps(source: Source, part: Expanded) -> Sequence[Step]:
    """The steps of a chunk; a ``use`` compiles to nothing, so it is left out of what code is kept for."""
    plain = part.forms if part.only_calls else tuple(form for form in part.forms if not is_use(form))
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
    if part.only_calls:
        return [CodeStep(moved(code, part.chunk.line, source.tag), None) for code in codes]
    steps: list[Step] = []
    for form in part.forms:
        if isinstance(form, ListForm) and is_use(form):
            steps.append(_use_step(source, part.chunk, form))
        else:
            exports = _public_names(form)
            code = moved(next(codes), part.chunk.line, source.tag)
            steps.append(CodeStep(code, None if exports is None else tuple(exports)))
    return steps


def _public_names(form: Form) -> Iterator[str] | None:
    """The names that a top-level form exports by ``pub``; None when it is not marked so."""
    if not is_headed(form, "pub"):
        return None
    match behind_pub(form):
        case ListForm(items=(Symbol(name=head), *operands)) if head in FORMS:
            return FORMS[head].exports(operands)
    return iter(())


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
