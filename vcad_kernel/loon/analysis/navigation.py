"""From a name to where it is defined and used, and to another name.

A rename is checked by what it does: the renamed text is analysed anew, and when any name in it means
something else than before, the rename is refused. So nothing is captured, and nothing is forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vcad_kernel.errors import VcadError
from vcad_kernel.loon.analysis.document import Document, Meaning, Mention, PlacedLocal, outside
from vcad_kernel.loon.reading.tokens import LEXICON

__all__ = [
    "Edit",
    "Reference",
    "RenameRefused",
    "applied",
    "definition",
    "references",
    "renamable",
    "rename",
    "renamed",
]

_SYMBOL = re.compile(LEXICON["symbol"])


class RenameRefused(VcadError):
    """A rename that would change what the text means, or that is no rename of a name in it."""

    def __init__(self, message: str, why: str, fix: str | None = None) -> None:
        super().__init__(message, code="RENAME_REFUSED", why=why, fix=fix)


@dataclass(frozen=True, slots=True)
class Reference:
    """A place where a name stands; ``defines`` where it is bound."""

    start: int
    end: int
    defines: bool


@dataclass(frozen=True, slots=True)
class Edit:
    """``text`` in place of what is between ``start`` and ``end``."""

    start: int
    end: int
    text: str


def definition(document: Document, offset: int) -> Reference | None:
    """Where the name at an offset is bound; None when there is none or the text does not bind it."""
    mention = document.mention_at(offset)
    if mention is None:
        return None
    for meaning in mention.meanings:
        if isinstance(meaning, PlacedLocal):
            site = mention.occurrence.site
            if site is not None:
                base = document.sections[mention.section].start
                return Reference(base + site.start, base + site.end, True)
        else:
            placed = document.defined(meaning, mention.start)
            if placed is not None:
                return Reference(placed.name_start, placed.name_end, True)
    return None


def references(document: Document, offset: int) -> list[Reference]:
    """All places of what the name at an offset means, in the order of the text."""
    mention = document.mention_at(offset)
    if mention is None:
        return []
    groups = _Groups(document)
    group = groups.of(mention)
    return [
        Reference(mention.start, mention.end, mention.occurrence.defines)
        for mention in document.mentions
        if groups.of(mention) == group
    ]


def renamable(document: Document, offset: int) -> Mention:
    """The name at an offset, if it is one that the text may rename.

    Raises: RenameRefused.
    """
    mention = document.mention_at(offset)
    if mention is None:
        raise RenameRefused("there is no name here", "only names can be renamed")
    groups = _Groups(document)
    group = groups.of(mention)
    shown = document.text[mention.start : mention.end]
    if not all(walked.whole for walked in document.walked):
        raise RenameRefused(f"{shown} cannot be renamed", "some forms are nested too deep to be looked into")
    meanings = groups.members(group)
    for meaning in meanings:
        if meaning == outside(mention.name):
            raise RenameRefused(
                f"{shown} cannot be renamed",
                f"{shown} is bound outside of this text as well, and some places may mean that",
                "give the definition here another name by hand",
            )
    for fixed in _fixed(document, meanings):
        raise RenameRefused(f"{shown} cannot be renamed", fixed)
    if not any(mention.occurrence.defines for mention in document.mentions if groups.of(mention) == group):
        raise RenameRefused(
            f"{shown} cannot be renamed here",
            f"this text does not define {shown}",
            "rename it where it is defined",
        )
    return mention


def _fixed(document: Document, meanings: Sequence[Meaning]) -> Iterator[str]:
    """Why things cannot be renamed, if they cannot."""
    for meaning in meanings:
        if isinstance(meaning, PlacedLocal):
            if meaning.local.fixed:
                yield meaning.local.fixed
        else:
            for placed in document.definitions.get(meaning, ()):
                if placed.definition.fixed:
                    yield placed.definition.fixed


def rename(document: Document, offset: int, new: str) -> tuple[Edit, ...]:
    """The edits that give the name at an offset another one, everywhere it means the same.

    Raises: RenameRefused.
    """
    mention = renamable(document, offset)
    return renamed(document, mention, new)


def renamed(document: Document, mention: Mention, new: str) -> tuple[Edit, ...]:
    """The edits for a name that may be renamed.

    Raises: RenameRefused when another name would mean something else then.
    """
    old = document.text[mention.start : mention.end]
    if not _SYMBOL.fullmatch(new) or new in ("true", "false", "_", "&"):
        raise RenameRefused(
            f"{new!r} is not a name",
            "a name is letters, digits and _-?!.*%/+<>=& without blanks, and does not begin with a digit",
            "choose another",
        )
    edits = tuple(
        Edit(reference.start, reference.end, new) for reference in references(document, mention.start)
    )
    if new == old:
        return ()
    after = Document(applied(document.text, edits), document.knowledge)
    if _structure(after) != _structure(document):
        raise RenameRefused(
            f"{old} cannot be called {new}",
            f"{new} already means something where {old} is used, or is read in another way there",
            "choose a name that is not in use",
        )
    return edits


def applied(text: str, edits: Sequence[Edit]) -> str:
    """A text with edits made; they do not overlap and are in its order."""
    out, at = [], 0
    for edit in edits:
        out += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*out, text[at:]])


class _Groups:
    """Which meanings belong together, because some name may have either."""

    def __init__(self, document: Document) -> None:
        self._parent: dict[Meaning, Meaning] = {}
        for mention in document.mentions:
            first = mention.meanings[0]
            for other in mention.meanings[1:]:
                self._join(first, other)
        for walked in document.walked:
            for name, other in walked.links:
                self._join(name, other)

    def of(self, mention: Mention) -> Meaning:
        """The meaning that stands for all that a name may mean."""
        return self._root(mention.meanings[0])

    def members(self, group: Meaning) -> list[Meaning]:
        """All meanings of a group."""
        return [group, *(other for other in self._parent if other != group and self._root(other) == group)]

    def _root(self, meaning: Meaning) -> Meaning:
        while meaning in self._parent:
            meaning = self._parent[meaning]
        return meaning

    def _join(self, name: Meaning, other: Meaning) -> None:
        name, other = self._root(name), self._root(other)
        if name != other:
            self._parent[other] = name


def _structure(document: Document) -> list[tuple[int, str, bool]]:
    """What each name of a text means, whatever it is called: a number per meaning, in order.

    Names that the text does not define are called by name.
    """
    groups = _Groups(document)
    numbers: dict[Meaning, int] = {}
    defined = {groups.of(mention) for mention in document.mentions if mention.occurrence.defines}
    out = []
    for mention in document.mentions:
        group = groups.of(mention)
        number = numbers.setdefault(group, len(numbers))
        called = "" if group in defined else mention.name
        out.append((number, called, mention.occurrence.defines))
    return out
