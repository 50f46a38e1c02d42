"""`vcad_reference`: what Loon and the CAD library have, for clients that read no resources.

One page says all there is to say of a name; a chapter, all its names and what holds for each of them. Words
find pages, the words of other CAD systems too. The resources below ``vcad://reference`` are these pages.
"""

from __future__ import annotations

import difflib
import math
import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Final

from pydantic import Field

from notebook_ext.agents.calls.arguments import Answer, Arguments
from notebook_ext.agents.calls.call import Call, Tool
from vcad_kernel.errors import ErrorCode, ServiceFailure

if TYPE_CHECKING:
    from vcad_kernel.loon.reference import Entry

__all__ = ["tools"]

_MOST_PAGES: Final = 12
"""Names of one call: some 130 tokens each."""
_MOST_FOUND: Final = 10
"""Names that a search gives."""
_STEM: Final = 4
"""Letters by which two words that begin alike are taken for one, as *fillet* and *filleted*."""


class _Asked(Arguments):
    name: str | None = Field(None, description="names or a chapter; without any: all names by chapter")
    search: str | None = Field(None, description="words")


class _Pages(Answer):
    text: str
    names: list[str] = Field(description="whose pages these are, or what was found")


def tools() -> tuple[Tool, ...]:
    """The one tool."""
    return (
        Tool(
            "vcad_reference",
            "core",
            "R",
            True,
            'Look up Loon: pages by name ("fillet-at sketch", "Selections"), or search by words.',
            _Asked,
            _Pages,
            _reference,
        ),
    )


def _reference(arguments: _Asked, _call: Call) -> _Pages:
    if arguments.search is not None and arguments.search.strip():
        return _found(arguments.search)
    asked = (arguments.name or "").strip()
    if not asked:
        return _Pages(text=_contents(), names=[])
    whole = _title(asked)
    names = (
        [asked] if whole is not None or asked in _all() else list(dict.fromkeys(re.split(r"[\s,]+", asked)))
    )
    return _Pages(text="\n\n".join(_page(name) for name in names[:_MOST_PAGES]), names=names[:_MOST_PAGES])


def _contents() -> str:
    """All names, a line for each chapter."""
    return "\n".join(
        f"{title}: {' '.join(entry.name for entry in entries)}" for title, entries in _chapters().items()
    )


def _page(name: str) -> str:
    """A name's page, or a chapter whole. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED."""
    from vcad_kernel.loon.reference import plain

    title = _title(name)
    if title is not None:
        # what there is to say of selections are the keys of their maps
        written = plain if title == _SELECTIONS else _line
        rows = [written(entry) for entry in _chapters()[title]]
        return "\n".join((title, *filter(None, (_note(title),)), *rows))
    entry = _all().get(name)
    if entry is None:
        raise _unknown(name)
    selects = any("Selection" in types for types in entry.types.values())
    return plain(entry) + (f"\n\n{_note(_SELECTIONS)}" if selects else "")


_SELECTIONS: Final = "Selections"


def _all() -> dict[str, Entry]:
    from vcad_kernel.cad.reference import ALL

    return dict(ALL)


@cache
def _chapters() -> dict[str, list[Entry]]:
    """Chapter → its pages, in the reference's order."""
    chapters: dict[str, list[Entry]] = {}
    for entry in _all().values():
        chapters.setdefault(entry.group, []).append(entry)
    return chapters


def _title(name: str) -> str | None:
    """The chapter of this name, in capitals or not."""
    return next((title for title in _chapters() if title.casefold() == name.casefold()), None)


def _note(title: str) -> str:
    """What holds for all of a chapter; "" where nothing does."""
    from vcad_kernel.operations.sections import SECTIONS

    return next((section.intro for section in SECTIONS if section.title == title), "")


def _line(entry: Entry) -> str:
    head, stop, _ = entry.doc.partition(". ")
    return f"{entry.usage or entry.name}: {head}{stop.strip()}"


def _unknown(name: str) -> ServiceFailure:
    near = difflib.get_close_matches(name, [*_all(), *_chapters()], 3, 0.6) or _ranked(name)[:3]
    return ServiceFailure(
        ErrorCode.SCHEMA_VALIDATION_FAILED,
        f"the reference has no page {name!a}",
        fix=f"did you mean {' or '.join(near)}?"
        if near
        else "vcad_reference with search finds pages by words",
        details={"path": "name", "expected": "a name or chapter of the reference"},
    )


# ---- searching -----------------------------------------------------------------------------


def _found(search: str) -> _Pages:
    """The best page whole, and the others in a line each; before them what other systems' words mean here."""
    words = _words(search)
    hints = [f"{word}: {hint}" for word in words if (hint := _foreign().get(word))]
    names = _ranked(search)[:_MOST_FOUND]
    if not names and not hints:
        return _Pages(text="nothing found; vcad_reference without arguments lists all names", names=[])
    texts = ["\n".join(hints)] if hints else []
    texts += [_page(names[0])] if names else []
    texts += ["\n".join(_line(_all()[name]) for name in names[1:])] if names[1:] else []
    return _Pages(text="\n\n".join(texts), names=names)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+(?:[-!?*_][a-z0-9]+)*[!?*]?", text.lower())


@cache
def _foreign() -> dict[str, str]:
    """Word of another system → what to write here."""
    from vcad_kernel.cad.guesses import GUESSES

    return {word.lower(): hint for word, hint in GUESSES.words.items()}


@cache
def _index() -> tuple[dict[str, Counter[str]], dict[str, float]]:
    """Name → its words with what each counts for; word → how much it tells, the rarer the more.

    Constructors are left out: each is said with the function that makes its values.
    """
    rows: dict[str, Counter[str]] = {}
    for name, entry in _all().items():
        if entry.kind == "constructor" and name[0].isupper():
            continue
        weights: Counter[str] = Counter()
        said = ((8, name), (8, name.replace("-", " ")), (3, _line(entry)), (2, entry.group), (1, entry.doc))
        for weight, text in (*said, (1, " ".join(entry.parameters))):
            for word in set(_words(text)):
                weights[word] = max(weights[word], weight)
        rows[name] = weights
    seen = Counter(word for weights in rows.values() for word in weights)
    return rows, {word: math.log(1 + len(rows) / count) for word, count in seen.items()}


def _ranked(search: str) -> list[str]:
    """The names whose pages have the most of these words, best first."""
    rows, telling = _index()
    asked = _words(search)
    for word in list(asked):
        asked += [name for name in re.findall(r"\[([a-z][\w-]*)", _foreign().get(word, "")) if name in rows]
    scores = {
        name: sum(
            max((weight * telling[own] for own, weight in weights.items() if _alike(word, own)), default=0.0)
            for word in asked
        )
        for name, weights in rows.items()
    }
    best = max(scores.values(), default=0.0)
    # what has but a word in its small print is noise beside what is called so
    hits = [name for name, score in scores.items() if score > best / 6.0]
    return sorted(hits, key=lambda name: -scores[name])


def _alike(asked: str, own: str) -> bool:
    """Whether two words are one, but for their endings."""
    if asked == own:
        return True
    short, long = sorted((asked, own), key=len)
    return len(short) >= _STEM and len(long) - len(short) <= 3 and long.startswith(short)
