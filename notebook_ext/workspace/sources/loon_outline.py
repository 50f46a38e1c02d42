"""A Loon file as an agent reads and edits it: its definitions, one of them, where a name is used.

    source = LoonSource(file.text, file.shown, operation="cad_get_outline")
    source.with_definition("plate", "[fn plate [w] [box w 20 5]]")

Nothing is evaluated. Lines and columns are 1-based; columns count characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from notebook_ext.workspace.files.slices import in_style, style_of
from vcad_kernel.errors import ErrorCode, LoonSyntaxError, Place, ServiceFailure
from vcad_kernel.loon.analysis import Document, Knowledge
from vcad_kernel.loon.analysis.document import PlacedDefinition
from vcad_kernel.loon.analysis.navigation import references
from vcad_kernel.loon.analysis.symbols import OutlineSymbol, doc_above, outline
from vcad_kernel.loon.reading.reader import read
from vcad_kernel.loon.scoping.nodes import headed, parts
from vcad_kernel.loon.source import Source, Span

__all__ = ["ENDINGS", "Definition", "LoonSource", "OutlineRow", "Usage"]

ENDINGS: Final = (".oo", ".loon")
"""Of the files that hold Loon."""

_WRAPPERS: Final = ("pub", "derive")
"""Forms around a definition that belong to it."""


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """One definition of a file."""

    name: str
    kind: str
    usage: str
    """How it is written: ``[plate w]``."""
    line: int
    end_line: int
    depth: int
    """0 at the top, 1 for the constructors of a type."""
    summary: str
    """First line of the comment above it."""


@dataclass(frozen=True, slots=True)
class Definition:
    """One definition, with the text of its whole form."""

    name: str
    kind: str
    usage: str
    doc: str
    text: str
    start: int
    end: int
    """Offsets in the file's text; the end is exclusive."""
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Usage:
    """One place where a name stands."""

    line: int
    column: int
    defines: bool
    text: str
    """The line, without the space around it."""


class LoonSource:
    """One Loon text. name: as places call it. knowledge: what is bound outside of it."""

    def __init__(self, text: str, name: str, *, operation: str, knowledge: Knowledge | None = None) -> None:
        self.text = text
        self.name = name
        self._operation = operation
        self._knowledge = knowledge
        self._source = Source(name, text)

    @cached_property
    def document(self) -> Document:
        """The text, analysed; a half-typed one too."""
        return Document(self.text, self._knowledge)

    def fault(self) -> LoonSyntaxError | None:
        """The first reason why the text cannot be read; None when it can."""
        try:
            read(self._source)
        except LoonSyntaxError as wrong:
            return wrong
        return None

    # ---- definitions -----------------------------------------------------------------------

    def outline(self) -> tuple[OutlineRow, ...]:
        """Every definition in order, the inner after the outer."""
        return tuple(self._rows(outline(self.document), 0))

    def _rows(self, symbols: list[OutlineSymbol], depth: int) -> Iterator[OutlineRow]:
        for symbol in symbols:
            place = self._place(symbol.start, symbol.end)
            summary = symbol.doc.split("\n", 1)[0]
            yield OutlineRow(
                symbol.name, symbol.kind, symbol.usage, place.line, place.end_line, depth, summary
            )
            yield from self._rows(symbol.children, depth + 1)

    def imports(self) -> tuple[tuple[str, int], ...]:
        """The modules that the text uses, each with its line."""
        return tuple(
            (used.module, self._place(section.start + used.start, section.start + used.end).line)
            for section, walked in zip(self.document.sections, self.document.walked, strict=True)
            for used in walked.imports
        )

    def definition(self, name: str) -> Definition:
        """The definition of a name that is in force at the end of the text; with ``pub`` around it.

        Raises: ServiceFailure INVALID_PARAMS when the text does not define it.
        """
        placed = self._placed(name)
        start, end = self._whole_form(placed)
        place = self._place(start, end)
        return Definition(
            placed.definition.name,
            placed.definition.kind,
            placed.definition.usage,
            doc_above(self.text, placed.start),
            self.text[start:end],
            start,
            end,
            place.line,
            place.end_line,
        )

    def with_definition(self, name: str, new: str) -> str:
        """The text with another form in place of a definition, in the text's line endings.

        Raises: ServiceFailure SYNTAX_ERROR when the whole text could not be read then, or the new form
        by itself; INVALID_PARAMS when the text does not define the name, or the new form nothing.
        """
        old = self.definition(name)
        piece = in_style(new.strip(), style_of(self.text))
        own = LoonSource(piece, "content", operation=self._operation)
        own.require_readable()
        if not own.document.definitions and not self._placed(name).definition.owner:
            raise self._refused("content", "a form that defines something", "it defines nothing")
        rest = self.text[old.end :]
        if rest.lstrip(" \t")[:1] not in ("", "\r", "\n") and not _stands_apart(piece):
            piece += style_of(self.text)  # else its comment would take in what follows on the line
        changed = self.text[: old.start] + piece + rest
        # under a name of its own: the reading that is kept for the file stays that of the file
        LoonSource(changed, f"{self.name} (changed)", operation=self._operation).require_readable()
        return changed

    def require_readable(self) -> None:
        """Do nothing if the text can be read. Raises: ServiceFailure SYNTAX_ERROR, with the place."""
        wrong = self.fault()
        if wrong is None:
            return
        place = wrong.place
        raise ServiceFailure(
            ErrorCode.SYNTAX_ERROR,
            f"{self.name}: {wrong.message}",
            place=place,
            fix=wrong.fix or "correct the text; nothing has been written",
            details={
                "file": self.name,
                "code": wrong.code,
                "line": place.line if place is not None else None,
                "column": place.column if place is not None else None,
                "operation": self._operation,
            },
        ) from None

    def _placed(self, name: str) -> PlacedDefinition:
        for key in (name, name.rpartition(".")[2]):
            owner = name.rpartition(".")[0] if key != name else ""
            matches = [
                candidate
                for known, several in self.document.definitions.items()
                for candidate in several
                if key in (known.name, candidate.definition.name)
                and owner in ("", candidate.definition.owner)
            ]
            if matches:
                # a type and its constructor may share a name: the outer form is meant
                return max(matches, key=lambda match: (match.start, match.end))
        names = ", ".join(dict.fromkeys(row.name for row in self.outline()))
        raise self._refused("name", f"one of {names[:400] or 'none'}", f"it does not define {name!r}")

    def _whole_form(self, placed: PlacedDefinition) -> tuple[int, int]:
        """The extent of a definition, with a ``pub`` or ``derive`` around it that is there for it alone."""
        section = self.document.sections[self.document.section_at(placed.start)]
        for node in parts(section.tree):
            start, end = section.start + node.start, section.start + node.end
            if (
                start <= placed.start
                and placed.end <= end
                and any(headed(node, wrapper) for wrapper in _WRAPPERS)
            ):
                inner = (other for several in self.document.definitions.values() for other in several)
                if all(
                    placed.start <= other.start and other.end <= placed.end
                    for other in inner
                    if start <= other.start and other.end <= end
                ):
                    return start, end
        return placed.start, placed.end

    # ---- names -----------------------------------------------------------------------------

    def usages(self, name: str) -> tuple[Usage, ...]:
        """Every place of what a name that the text defines means. Raises: as `definition`."""
        placed = self._placed(name)
        places = references(self.document, placed.name_start)
        return tuple(self._usage(place.start, place.end, place.defines) for place in places)

    def global_names(self) -> tuple[str, ...]:
        """The names that the text uses and that no scope in it binds, by alphabet."""
        used = (mention for mention in self.document.mentions if not mention.occurrence.defines)
        return tuple(sorted({mention.name for mention in used if not mention.occurrence.locals}))

    def mentions(self, name: str) -> tuple[Usage, ...]:
        """Every place where a global of this name stands, also as the export of a module: ``parts.plate``."""
        wanted = re.compile(rf"(?:.*\.)?{re.escape(name)}", re.DOTALL)
        return tuple(
            self._usage(mention.start, mention.end, mention.occurrence.defines)
            for mention in self.document.mentions
            if mention.occurrence.reaches_global and wanted.fullmatch(mention.name)
        )

    def _usage(self, start: int, end: int, defines: bool) -> Usage:
        place = self._place(start, end)
        return Usage(place.line, place.column, defines, place.text.strip())

    def _place(self, start: int, end: int) -> Place:
        return Span(self._source, start, end).place()

    def _refused(self, path: str, expected: str, why: str) -> ServiceFailure:
        return ServiceFailure(
            ErrorCode.INVALID_PARAMS,
            f"{self.name}: {why}",
            fix=f"expected is {expected}",
            details={"path": path, "expected": expected, "operation": self._operation},
        )


def _stands_apart(piece: str) -> bool:
    """Whether what is written right behind a text is certainly no part of it."""
    last = re.split(r"[\r\n]", piece)[-1]
    return last.endswith("]") and ";" not in last
