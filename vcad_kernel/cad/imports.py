"""Values that a program takes from elsewhere: ``[let box [import :bbox "entity:12"]]``.

    found = extract_imports(Source("lid.oo", text))
    found.transformed_source      # the same text with a symbol where each import stood

``import`` is no form of the language. Such bindings are found among the forms that the reader makes, so that
text in strings and comments is never mistaken for one, and each is replaced by a symbol that the code which
evaluates the program binds to the value. What is replaced keeps its extent, so that everything else stays in
its line and column; `shown_as` gives errors the user's own text.

Knows how imports are written; not where their values come from.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Final, NoReturn

from vcad_kernel.errors import ErrorCode, LoonSyntaxError, ServiceFailure
from vcad_kernel.loon.diagnostics import Diagnostic, Label
from vcad_kernel.loon.reading.reader import read
from vcad_kernel.loon.runtime.collections import Map, Vector
from vcad_kernel.loon.runtime.values import Adt, Keyword
from vcad_kernel.loon.source import Source, Span
from vcad_kernel.loon.syntax import Form, KeywordLit, ListForm, StringLit, Symbol

__all__ = [
    "EXTRACTS",
    "ExtractedImports",
    "ImportForm",
    "checked",
    "extract_imports",
    "known_imports",
    "shown_as",
]

EXTRACTS: Final = ("dimensions", "bbox", "transform", "solid")
"""What can be taken of an entity."""

_REFERENCE = re.compile(r"(?:entity|pid):[0-9]+|node:[^\s\"\\{}\x00-\x1f\x7f]+")
_SYMBOL_LENGTH: Final = 7
"""Characters of a symbol that stands for an import: no more than the shortest reference with its quotes, so
that there is room for it however the form is broken into lines."""

_USAGE: Final = '[let NAME [import :bbox "entity:12"]]'


@dataclass(frozen=True, slots=True)
class ImportForm:
    """One import of a program."""

    import_id: str
    """Names it within this program."""
    binding_name: str
    """The name that the program gives it."""
    extract: str
    """What is taken of the entity, one of `EXTRACTS`."""
    entity_ref: str
    """``entity:…``, ``pid:…`` or ``node:…``."""
    injected_symbol: str
    """What to bind to the value. The same import has the same symbol in every program that does not use the
    name itself, unless it is taken."""

    @property
    def key(self) -> str:
        """What is imported, whatever it is called: equal ones have one value."""
        return f":{self.extract} {self.entity_ref}"


@dataclass(frozen=True, slots=True)
class ExtractedImports:
    """A program with symbols in place of its imports."""

    transformed_source: str
    imports: tuple[ImportForm, ...]
    spans: tuple[Span, ...] = ()
    """Where each ``[import …]`` stands in the text that the user wrote."""

    @property
    def forms(self) -> Iterator[tuple[ImportForm, Span]]:
        """Each import and its place."""
        return zip(self.imports, self.spans, strict=True)


def extract_imports(source: Source, taken: Collection[str] = ()) -> ExtractedImports:
    """The imports of a program, in the order of its text.

    taken: symbols that stand for something else where it runs.
    Raises: LoonSyntaxError for text that cannot be read; ServiceFailure IMPORT_FORM_INVALID, with its
    place, for ``import`` in any other use.
    """
    if "import" not in source.text:  # most programs; the reader would find nothing else
        return ExtractedImports(source.text, ())
    walk = _Walk(source)
    for chunk in read(source):
        walk.chunk(chunk.chunk.start, chunk.forms)
    text = source.text
    forms: list[ImportForm] = []
    pieces: list[str] = []
    done = 0
    for number, (span, name, extract, reference) in enumerate(walk.found, 1):
        symbol = _symbol(extract, reference, forms, source.text, taken)
        forms.append(ImportForm(f"import-{number}", name, extract, reference, symbol))
        pieces += (text[done : span.start], _blanked(text[span.start : span.end], symbol))
        done = span.end
    pieces.append(text[done:])
    spans = tuple(span for span, *_ in walk.found)
    return ExtractedImports("".join(pieces), tuple(forms), spans)


def known_imports(source: Source) -> tuple[Source, dict[str, object]]:
    """A text for the checker: with symbols for its imports, and for each a value of the kind that it gives.

    What an import gives, the session finds when the text runs; its kind is known before.
    Raises: ServiceFailure IMPORT_FORM_INVALID. A text that cannot be read stays as it is.
    """
    try:
        program = extract_imports(source)
    except LoonSyntaxError:
        return source, {}
    if not program.imports:
        return source, {}
    given = {form.injected_symbol: _example_of(form.extract) for form in program.imports}
    return shown_as(Source(source.name, program.transformed_source), source.text), given


def checked(
    source: Source,
    check: Callable[..., tuple[Diagnostic, ...]],
    given: Mapping[str, object] = MappingProxyType({}),
) -> tuple[Diagnostic, ...]:
    """What is found in a text that may import values.

    check: finds it, as `Environment.check` does, with ``given``. given: what else is known.
    """
    try:
        text, imports = known_imports(source)
        return check(text, given={**imports, **given})
    except ServiceFailure as error:
        place = error.place
        if error.error_code != ErrorCode.IMPORT_FORM_INVALID or place is None:
            raise
        start, end = (
            source.offset(line, column)
            for line, column in ((place.line, place.column), (place.end_line, place.end_column))
        )
        label = Label(Span(source, start, end))
        return (Diagnostic(str(error.error_code), error.message, (label,), fix=error.fix or ""),)


def _example_of(extract: str) -> object:
    """A Loon value of the kind that an extract gives."""
    if extract == "solid":
        return Adt("Cube", (1.0, 1.0, 1.0))
    corner = Vector((0.0, 0.0, 0.0))
    kinds: dict[str, dict[str, object]] = {
        "dimensions": {"width": 1.0, "height": 1.0, "depth": 1.0},
        "bbox": {"min": corner, "max": corner},
        "transform": {"matrix": Vector((1.0,) * 16)},
    }
    return Map((Keyword(name), value) for name, value in kinds[extract].items())


def shown_as(source: Source, original: str) -> Source:
    """A program with symbols for its imports, whose errors show the text that the user wrote.

    original: that text; a text that is not broken into lines as ``source`` is is not shown.
    """
    if original == source.text:  # most programs import nothing
        return source
    if len(original) != len(source.text) or Source("", original).starts != source.starts:
        return source
    return _Restored(source.name, source.text, original)


class _Restored(Source):
    """A text that is shown as another, of the same lines."""

    __slots__ = ("_shown",)

    def __init__(self, name: str, text: str, shown: str) -> None:
        super().__init__(name, text)
        self._shown = Source(name, shown)

    def line_text(self, line: int) -> str:
        return self._shown.line_text(line)


class _Walk:
    """Looks through the forms of one source for imports; ``found`` has them in order."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._origin = 0
        self.found: list[tuple[Span, str, str, str]] = []

    def chunk(self, start: int, forms: Sequence[Form]) -> None:
        """Look through forms whose offsets count from ``start``."""
        self._origin = start
        pending = list(reversed(forms))
        while pending:
            form = pending.pop()
            bound = _bound_import(form)
            if bound is not None:
                name, value = bound
                self.found.append(self._read(name, value))
            elif isinstance(form, Symbol) and form.name == "import":
                self._refuse(form, "`import` stands only where a name is bound to what it gives")
            else:
                pending.extend(reversed(list(_held(form))))

    def _read(self, name: Symbol, value: ListForm) -> tuple[Span, str, str, str]:
        if name.name == "import":
            self._refuse(name, "`import` cannot be the name of a value")
        if len(value.items) != 3:
            self._refuse(value, "an import takes what to import and from which entity, and nothing else")
        _, extract, reference = value.items
        if not isinstance(extract, KeywordLit) or extract.name not in EXTRACTS:
            self._refuse(extract, f"what to import is one of {', '.join(':' + name for name in EXTRACTS)}")
        if not isinstance(reference, StringLit) or not _REFERENCE.fullmatch(reference.value):
            self._refuse(
                reference, 'the entity is a text of its own, such as "entity:12", "pid:12" or "node:lid"'
            )
        return self._span(value), name.name, extract.name, reference.value

    def _span(self, form: Form) -> Span:
        return Span(self._source, self._origin + form.start, self._origin + form.end)

    def _refuse(self, form: Form, message: str) -> NoReturn:
        place = self._span(form).place()
        raise ServiceFailure(ErrorCode.IMPORT_FORM_INVALID, message, place=place, fix=f"write {_USAGE}")


def _bound_import(form: Form) -> tuple[Symbol, ListForm] | None:
    """Name and value of a ``let``, by itself or behind ``pub``, whose value is an ``import``."""
    if not isinstance(form, ListForm):
        return None
    items = form.items[1:] if form.items[:1] == (Symbol(0, 0, "pub"),) else form.items
    match items:
        case (Symbol(name="let"), Symbol() as name, ListForm(items=(Symbol(name="import"), *_)) as value):
            return name, value
    return None


def _held(form: Form) -> Iterator[Form]:
    """The forms within a form."""
    for spec in fields(form):
        value = getattr(form, spec.name)
        if isinstance(value, Form):
            yield value
        elif isinstance(value, tuple):
            yield from value


def _symbol(
    extract: str, reference: str, earlier: Sequence[ImportForm], text: str, elsewhere: Collection[str]
) -> str:
    """A symbol for an import that nothing else in the program has, nor anything else where it runs."""
    for form in earlier:
        if (form.extract, form.entity_ref) == (extract, reference):
            return form.injected_symbol
    taken = {*elsewhere, *(form.injected_symbol for form in earlier)}
    salt = 0
    while True:
        digest = hashlib.sha256(f"{extract}\0{reference}\0{salt}".encode()).digest()
        symbol = "%" + base64.b32encode(digest).decode("ascii").lower()[: _SYMBOL_LENGTH - 1]
        if symbol not in taken and symbol not in text:
            return symbol
        salt += 1


def _blanked(text: str, symbol: str) -> str:
    """A symbol in as many lines and characters as a form has; not at its ends, where others may adjoin."""
    blank = re.sub(r"\S", " ", text)
    at = next(
        place.start()
        for place in re.finditer(rf"(?=[^\r\n]{{{len(symbol)}}})", text)
        if 0 < place.start() < len(text) - len(symbol)
    )
    return blank[:at] + symbol + blank[at + len(symbol) :]
