"""The static checker (§17, §18): findings on a text, and what it defines.

It never stops a program, and never fails: whatever the reader accepts has an outcome here.

What is promised: if there is no finding on types for a program, whatever its severity, then running it
raises no error of the classes type, arity, not-callable, unbound-symbol and no-match. The language's own
rules leave gaps in that, which are outside of the promise:

* a key that is missing from a map gives unit: ``get`` on a ``Map``, a default in a map pattern;
* a pattern of ``let`` or of a parameter that is longer than the vector binds unit;
* a one-armed ``if`` whose condition is false, and a ``pipe`` or ``do`` that ends in it, is unit;
* an operation of an effect gives any type; so does a clause of ``handle`` that does not resume, and the
  function of ``try``, whose values stand for that of the body;
* constructors count as covered by an arm that demands more of their fields, or has a guard; values other
  than of a type of variants need no arm at all; a method may be missing for some variants;
* a name is looked up when it is used: it may be redefined with another type, bound further down than a
  call needs it, or bound (also anew, with another type) in a branch that was not taken;
* a field of a value that may be of several types which name it: ``p.x`` for a parameter ``p``;
* where a host is tolerant (see inference/calls.py and numbers.py), what such calls give is left open;
* fields of a library's values, values from a host, names of modules that could not be read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vcad_kernel.loon.checking.definitions import performed
from vcad_kernel.loon.checking.findings import Finding, beside, placed
from vcad_kernel.loon.checking.inference.resolution import Item, Resolution
from vcad_kernel.loon.checking.known import Definitions, Known
from vcad_kernel.loon.checking.outline import kept_forms
from vcad_kernel.loon.checking.ownership.ownership import moves
from vcad_kernel.loon.checking.ownership.variables import Modes
from vcad_kernel.loon.checking.types.display import shown, shown_part
from vcad_kernel.loon.checking.types.types import Scheme, Type
from vcad_kernel.loon.diagnostics import Diagnostic, Label
from vcad_kernel.loon.runtime.limits.limits import deep_stack
from vcad_kernel.loon.source import Source, Span
from vcad_kernel.loon.syntax import Chunk, Form, Symbol

__all__ = ["Checked", "Part", "check"]


@dataclass(frozen=True, slots=True)
class Part:
    """A chunk and its forms with macros expanded; their offsets count from the chunk's beginning."""

    chunk: Chunk
    forms: tuple[Form, ...]
    only_calls: bool = False
    """Whether it surely has no special form in it."""


class Checked:
    """What the checker has to say about a text."""

    def __init__(
        self, diagnostics: tuple[Diagnostic, ...], known: Known, last: str | None, inner: _Inner
    ) -> None:
        self.diagnostics = diagnostics
        """Findings on types first, then on ownership, each in the order of the text."""
        self.known = known
        """What was known before, with the definitions of the text."""
        self.last = last
        """The name that the text binds last, by ``let`` or ``fn`` at the top."""
        self._inner = inner

    @property
    def bindings(self) -> Mapping[str, str]:
        """The type display of each name that the text defines."""
        return {name: shown(scheme) for name, scheme in self._inner.defined.items()}

    def type_at(self, offset: int) -> str | None:
        """The type display of the smallest form around an offset; None where none has a type."""
        return self._inner.type_at(offset)


@dataclass(slots=True)
class _Inner:
    """What is needed to answer further questions about a checked text."""

    resolution: Resolution
    parts: Sequence[Part]
    defined: Mapping[str, Scheme]

    def type_at(self, offset: int) -> str | None:
        for item in self.resolution.items:
            chunk = self.parts[item.part].chunk
            at = offset - chunk.start
            if not item.kept.form.start <= at <= item.kept.form.end:
                continue
            with deep_stack():
                recorded = _recorded(self.resolution, item)
            narrowest: tuple[int, Type] | None = None
            for form, term in recorded:
                width = form.end - form.start
                inside = form.start <= at < form.end or (at == form.end and isinstance(form, Symbol))
                if inside and (narrowest is None or width <= narrowest[0]):
                    narrowest = (width, term)
            if narrowest is not None:
                return shown_part(narrowest[1])
        return None


def _recorded(resolution: Resolution, item: Item) -> list[tuple[Form, Type]]:
    """Every form of an item with its type: the item is inferred once more."""
    asker = Item(item.index, item.part, item.kept)  # what it asks is not what the outcome rests on
    inference = resolution.inference(asker)
    inference.recorded = []
    inference.infer(item.kept.form)
    resolution.unifier.due.clear()
    return inference.recorded


def check(source: Source, parts: Sequence[Part], known: Known) -> Checked:
    """Check a text whose macros are expanded, with what is known of names outside it."""
    with deep_stack():
        kept = [kept_forms(part.chunk.text, part.forms, part.only_calls) for part in parts]
        forms = [(at, parts[at].chunk.line, form) for at, held in enumerate(kept) for form in held]
        resolution = Resolution(forms, known)
        resolution.run()
        diagnostics = _type_findings(source, parts, resolution)
        advice, modes = _ownership(source, parts, resolution)
    defined = _definitions(resolution, modes)
    last = None
    for item in resolution.items:
        last = item.kept.declared.last or last
    inner = _Inner(resolution, parts, defined.schemes)
    return Checked((*diagnostics, *advice), known.with_definitions(defined), last, inner)


def _type_findings(source: Source, parts: Sequence[Part], resolution: Resolution) -> list[Diagnostic]:
    located = []
    guesses = resolution.known.guesses
    for item in resolution.items:
        assert item.outcome is not None
        start = parts[item.part].chunk.start
        findings = [*item.outcome.findings]
        for symbol, promised, performs in item.outcome.promises:
            for operation, through in performed(performs, resolution.performs).items():
                effect = operation.partition(".")[0]
                if effect not in promised:
                    findings.append(_broken_promise(symbol, promised, operation, through))
                    break
        located += [placed(beside(finding, source, start, guesses), source, start) for finding in findings]
    return located


def _broken_promise(symbol: Symbol, promised: frozenset[str], operation: str, through: str) -> Finding:
    effect = operation.partition(".")[0]
    way = f" through {through}" if through else ""
    allowed = f"#{{{' '.join(sorted(promised))}}}"
    return Finding(
        "E0401",
        f"{symbol.name} performs {operation}{way}, but its effect set {allowed} leaves {effect} out",
        ((symbol, f"performs {effect}"),),
        "an effect set says all that may happen when the function is called",
        f"add {effect} to the set, or handle {operation} inside",
        "warning",
    )


def _ownership(
    source: Source, parts: Sequence[Part], resolution: Resolution
) -> tuple[list[Diagnostic], Mapping[str, Modes]]:
    if all(part.only_calls for part in parts):
        return [], {}  # no variables, no functions
    owned: set[int] = set()
    forms: list[list[Form]] = [[] for _ in parts]
    for item in resolution.items:
        assert item.outcome is not None
        owned |= item.outcome.owned
        forms[item.part].append(item.kept.form)
    findings, modes = moves(forms, lambda symbol: id(symbol) not in owned, resolution.known.modes())
    placed_findings = []
    for finding in findings:
        labels = []
        for mark in finding.marks:
            start = parts[mark.part].chunk.start
            labels.append(Label(Span(source, start + mark.form.start, start + mark.form.end), mark.text))
        placed_findings.append(
            Diagnostic(finding.code, finding.what, tuple(labels), finding.why, finding.fix, "hint")
        )
    return placed_findings, modes


def _definitions(resolution: Resolution, modes: Mapping[str, Modes]) -> Definitions:
    """All that the text defines, later definitions over earlier ones."""
    outline = resolution.outline
    schemes: dict[str, Scheme] = {}
    variants = {}
    methods: set[str] = set()
    performs = {}
    parameters = {}
    for name in outline.definers:
        item = resolution.definition(name)
        assert item is not None
        assert item.outcome is not None
        if name not in item.outcome.defined:
            continue
        schemes[name] = item.outcome.defined[name]
        held = resolution.variant(resolution.items[-1], name)
        if held is not None:
            variants[name] = held
        if name in item.kept.declared.methods:
            methods.add(name)
        if name in item.outcome.performs:
            performs[name] = item.outcome.performs[name]
        if name in item.outcome.parameters:
            parameters[name] = item.outcome.parameters[name]
    return Definitions(
        schemes,
        variants,
        types={name: adt for name in outline.types if (adt := resolution.adt(name)) is not None},
        traits=outline.traits,
        impls=frozenset(outline.impls),
        methods=frozenset(methods),
        performs=performs,
        modes=modes,
        parameters=parameters,
        signatures=outline.open_signatures(),
    )
