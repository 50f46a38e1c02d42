"""What there is to say about the names of the CAD library, for all who say it.

Made of the records, so that an operation is described in one place. Constructors, which users meet
when they take a model apart with ``match``, are described by the function that makes their values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from vcad_kernel.cad.selections import selection_keys
from vcad_kernel.loon.reference import Entry, Key
from vcad_kernel.loon.reference_entries.numbers import OF_NUMBERS
from vcad_kernel.loon.reference_entries.table import ENTRIES as LANGUAGE
from vcad_kernel.operations.arguments import AnyKind, Argument, Choice, Either, Keyed, Kind, Several
from vcad_kernel.operations.arguments import Key as OperationKey
from vcad_kernel.operations.features.selections import WORDS
from vcad_kernel.operations.library import OPERATIONS
from vcad_kernel.operations.planes import PLANES
from vcad_kernel.operations.record import Operation
from vcad_kernel.operations.sections import SCENES, SECTIONS
from vcad_kernel.operations.words import Word, words_of

__all__ = ["ALL", "ENTRIES", "PREFIX", "entries_of"]

PREFIX: Final = "cad"
"""``cad.size`` is the library's, whatever a program has bound ``size`` to."""

_CONSTRUCTORS: Final = "Constructors"


def _test(name: str, what: str, others: str, of: str) -> Entry:
    return Entry(
        name,
        "function",
        f"[{name} value]",
        "a -> Bool",
        f"Whether a value is {what}. {others} are none.",
        f"[let part [cube 4 4 4]]\n[if [{name} {of}] part [cube 2 2 2]]",
        group=SCENES.title,
    )


_TESTS: Final = (
    _test("solid?", "a solid", "Profiles, paths, selections and scene entries", "part"),
    _test("profile?", "a profile", "Solids, paths and segments of outlines", "[rect 3 2]"),
    _test("path?", "a path", "Solids, profiles and segments of outlines", "[path-line 0 0 0 0 0 9]"),
    _test("surface?", "a surface", "Solids, profiles and paths", "[path-line 0 0 0 0 0 9]"),
    _test("keyword?", "a keyword", "Texts, numbers and maps", ":steel"),
)


def _function(word: Word) -> Entry:
    first = word.records[0]
    arguments = [argument for form in word.shown for argument in form.arguments]
    described = _described([argument for argument in arguments if argument.name != "options"], word)
    return Entry(
        word.name,
        "constructor" if first.name == first.variant else "function",
        word.usage,
        word.type,
        word.doc,
        first.program or first.example,
        group=first.section.title,
        parameters=described,
        keys=_keys_among(arguments),
        keywords={
            argument.name: _keywords(argument.kind) for argument in arguments if _keywords(argument.kind)
        },
        types=_types_among(arguments),
        units={argument.name: _UNITS[argument.unit] for argument in arguments if argument.unit},
    )


def _constructor(operation: Operation, word: Word) -> Entry:
    stored = operation.stored
    subject = operation.subject_last and len(stored) > 1
    usage = word.usage.replace(" | ", " or ")
    order = f"; {stored[0].name}, what it works on, comes first" if subject else ""
    program = operation.program or operation.example
    return Entry(
        operation.variant,
        "constructor",
        operation.variant_usage,
        operation.variant_type,
        f"What {usage} makes. It serves in the patterns of match, to take a model apart{order}.",
        program.replace(operation.example, _constructed(operation, word)),
        group=_CONSTRUCTORS,
        parameters=_described(stored),
        keys=_keys_among(stored),
        units={argument.name: _UNITS[argument.unit] for argument in stored if argument.unit},
    )


def _constructed(operation: Operation, word: Word) -> str:
    """The example, with the constructor in place of the function."""
    call = _parts(operation.example)
    if call[0] == "pipe":
        call = [*_parts(call[2]), call[1]]
    forms = [form for form in word.shown if form.operation is operation]
    names = next(form.arguments for form in forms if len(form.arguments) == len(call) - 1)
    arguments = {"options": "{}", **dict(zip((argument.name for argument in names), call[1:], strict=True))}
    return f"[{' '.join((operation.variant, *(arguments[argument.name] for argument in operation.stored)))}]"


def _parts(call: str) -> list[str]:
    """The forms in a pair of brackets, separated by the blanks between them."""
    parts, depth = [""], 0
    for character in call[1:-1]:
        depth += (character in "[({") - (character in "])}")
        if character == " " and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part for part in parts if part]


def _described(arguments: Sequence[Argument], word: Word | None = None) -> tuple[str, ...]:
    """``r, h: a number, mm``: neighbours that are alike share a line. word: whose arguments they are."""
    lines: list[tuple[list[str], str]] = []
    seen: set[str] = set()
    for argument in arguments:
        if argument.name in seen:
            continue
        seen.add(argument.name)
        kind = argument.kind.words if word is None else word.kinds_of(argument)
        what = _with_unit(kind, argument.unit)
        if lines and lines[-1][1] == what:
            lines[-1][0].append(argument.name)
        else:
            lines.append(([argument.name], what))
    return tuple(f"{', '.join(names)}: {what}" for names, what in lines)


_UNITS: Final = {"": "", "mm": "mm", "deg": "degrees"}


def _with_unit(kind: str, unit: str) -> str:
    return f"{kind}, {_UNITS[unit]}" if unit else kind


def _keys_among(arguments: Iterable[Argument]) -> dict[str, tuple[Key, ...]]:
    """The keys of the maps among arguments, by the argument's name, and of maps within those maps."""
    keys_of: dict[str, tuple[Key, ...]] = {}
    waiting: list[tuple[str, AnyKind]] = [(argument.name, argument.kind) for argument in arguments]
    while waiting:
        name, kind = waiting.pop(0)
        if name in keys_of:
            continue
        held = _map_in(kind)
        if isinstance(held, Keyed):
            keys_of[name] = tuple(_key(key) for key in held.keys)
            waiting += [(key.name, key.kind) for key in held.keys]
        elif held is not None:
            faces = name if held is Kind.FACES else _OF_FACES
            keys_of[name] = selection_keys(held, name, faces)
            if faces != name:
                waiting.append((faces, Kind.FACES))
    return keys_of


_SELECTION: Final = ("Keyword", "Map", "Selection")
_TYPES: Final[Mapping[AnyKind, tuple[str, ...]]] = {
    Kind.EDGES: _SELECTION,
    Kind.FACES: _SELECTION,
    Kind.SELECTION: _SELECTION,
    Kind.FACE: (*_SELECTION, "Plane"),
    Kind.PLACES: ("Vec", "Places"),
    Kind.PLANE: ("Keyword", "Plane"),
}
"""What may be of several types → their names."""


def _types_among(arguments: Sequence[Argument]) -> dict[str, tuple[str, ...]]:
    """The types of the arguments that may be of several, in all forms of a word that have one of the name."""
    closed = {argument.name for argument in arguments if argument.kind not in _TYPES}
    return {argument.name: _TYPES[argument.kind] for argument in arguments if argument.name not in closed}


_OF_FACES: Final = "adjacent"
"""The name of the keys of faces within a selection of edges."""


def _map_in(kind: AnyKind) -> Keyed | Kind | None:
    """The map that a value of a kind may be."""
    match kind:
        case Keyed() | Kind.EDGES | Kind.FACES | Kind.SELECTION:
            return kind
        case Kind.FACE:
            return Kind.FACES
        case Either():
            return next((held for inner in kind.kinds if (held := _map_in(inner)) is not None), None)
        case Several():
            return _map_in(kind.of)
    return None


def _key(key: OperationKey) -> Key:
    default = "" if key.required or key.default is None else f" ({_written(key)} by itself)"
    text = f"{_with_unit(key.kind.words, key.unit)}{f'; {key.doc}' if key.doc else ''}{default}"
    holds = key.name if _map_in(key.kind) is not None else ""
    return Key(f":{key.name}", text, _UNITS[key.unit], key.kind.type, _keywords(key.kind), holds)


def _written(key: OperationKey) -> str:
    """A default as the user would write it."""
    if isinstance(key.default, bool):
        return "true" if key.default else "false"
    if isinstance(key.default, str):
        return f":{key.default}" if key.default in _keywords_of(key.kind) else f'"{key.default}"'
    if isinstance(key.default, tuple):
        return f"#[{' '.join(f'{part:g}' for part in key.default)}]"
    return f"{key.default:g}"


_KEYWORDS: Final[Mapping[AnyKind, tuple[str, ...]]] = {
    Kind.EDGES: WORDS["edge"],
    Kind.FACES: WORDS["face"],
    Kind.SELECTION: WORDS["edge"],
    Kind.FACE: (*WORDS["face"], *PLANES),
    Kind.PLANE: tuple(PLANES),
}


def _keywords_of(kind: AnyKind) -> tuple[str, ...]:
    """The names of the keywords that a value may be."""
    if isinstance(kind, Choice):
        return kind.names
    if kind in _KEYWORDS:
        return _KEYWORDS[kind]
    held = kind.kinds if isinstance(kind, Either) else ()
    return tuple(name for inner in held for name in _keywords_of(inner))


def _keywords(kind: AnyKind) -> tuple[str, ...]:
    return tuple(f":{name}" for name in _keywords_of(kind))


def entries_of(operations: Sequence[Operation]) -> dict[str, Entry]:
    """The entries of records by name: the functions section by section, then the constructors."""
    words = words_of(operations)
    entries = [
        _function(word)
        for section in SECTIONS
        for word in words.values()
        if word.records[0].section is section
    ]
    entries += _TESTS
    entries += [
        _constructor(record, words[record.name])
        for record in operations
        if record.variant not in ("", record.name)
    ]
    return {entry.name: replace(entry, prefix=PREFIX) for entry in entries}


ENTRIES: Final[Mapping[str, Entry]] = entries_of(OPERATIONS)

ALL: Final[Mapping[str, Entry]] = {**LANGUAGE, **OF_NUMBERS, **ENTRIES}
"""Everything that a model can name without defining it."""
