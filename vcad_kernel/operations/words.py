"""A word of the library: all that may be called by one name, and how.

A record with options has two call forms, one without the map. Several records may have one name: the same
for solids and for profiles, or other arguments for another thing. Calls are told apart by the number of
arguments, then by what stands at a place: a map, a solid, a profile, a path, a surface. Why:
docs/decisions/0014-one-word-several-call-forms.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from vcad_kernel.operations.arguments import TRAITS, AnyKind, Argument, Choice, Either, Keyed, Kind, joined
from vcad_kernel.operations.record import Operation

__all__ = ["TESTS", "Form", "Word", "words_of"]

TESTS: Final[Mapping[str, str]] = {
    "solid?": "Solid",
    "profile?": "Sketch",
    "path?": "Path",
    "surface?": "Surface",
    "keyword?": "Keyword",
}
"""The functions that tell a call's forms apart, besides ``map?``: name → the type it asks for."""

_ASKED: Final[Mapping[str, Callable[[AnyKind], bool]]] = {
    # what is none of them counts as a solid, as messages of the most used meaning have it
    "[path? {}]": lambda kind: kind is Kind.PATH,
    "[profile? {}]": lambda kind: kind is Kind.SKETCH,
    "[surface? {}]": lambda kind: kind is Kind.SURFACE,
    "[map? {}]": lambda kind: isinstance(kind, Keyed),
    "[keyword? {}]": lambda kind: isinstance(kind, Choice),
    "[solid? {}]": lambda kind: kind is Kind.SOLID,
    # of none at all solids are meant
    "[solid? [nth {} 0 Empty]]": lambda kind: kind is Kind.SOLIDS,
}
"""What is asked of an argument → the kinds of which it is true."""


_OF_VALUES: Final = (
    *(Kind.EDGES, Kind.FACES, Kind.SELECTION),
    *(Kind.FACE, Kind.PLANE, Kind.PLANE_OR_NUMBERS),
)
"""Kinds of which nothing is asked: what one is depends on the value."""


class Form(NamedTuple):
    """One way to call a word."""

    operation: Operation
    arguments: tuple[Argument, ...]
    """As the user writes them, options included."""

    @property
    def usage(self) -> str:
        """``[cube x y z]``; a constant is just its name."""
        if self.operation.is_constant:
            return self.operation.name
        return f"[{' '.join((self.operation.name, *(argument.name for argument in self.arguments)))}]"

    def call(self, names: Sequence[str]) -> str:
        """The constructor's call, or what stands for it. names: what the function calls its arguments."""
        if self.operation.body:
            return self.operation.body
        given = dict(zip((argument.name for argument in self.arguments), names, strict=True))
        fields = [given.get(argument.name, "{}") for argument in self.operation.stored]
        return f"[{' '.join((self.operation.variant, *fields))}]"


class Word:
    """What is called by one name."""

    def __init__(self, records: Sequence[Operation]) -> None:
        self.name = records[0].name
        self.records = tuple(records)
        self.forms = tuple(form for record in records for form in _forms(record))
        """In the order of the number of arguments, those of one record together."""

    @property
    def doc(self) -> str:
        """What is said of it: of each meaning that has something to say."""
        return " ".join(dict.fromkeys(record.doc for record in self.records if record.doc))

    @property
    def renamed(self) -> Mapping[str, str]:
        """How it calls an argument that its node's checks call otherwise."""
        return {checked: written for record in self.records for checked, written in record.renamed.items()}

    @property
    def _groups(self) -> list[list[Form]]:
        """The forms by the number of arguments."""
        ordered = sorted(self.forms, key=_count)
        return [list(group) for _, group in groupby(ordered, _count)]

    @property
    def shown(self) -> list[Form]:
        """The forms that are shown to users: not those that differ only in the order."""
        return [form for form in self.forms if not _is_swapped(form)]

    @property
    def usage(self) -> str:
        """All ways to write a call."""
        return " | ".join(dict.fromkeys(form.usage for form in self.shown))

    @property
    def type(self) -> str:
        """As the checker reads it."""
        return " | ".join(written for group in self._groups for written in _types(group))

    @property
    def definition(self) -> str:
        """The function in the library's text; empty where the constructor is the function."""
        if any(record.name == record.variant for record in self.records):
            return ""
        clauses = [_clause(group) for group in self._groups]
        if len(clauses) == 1:
            return f"[fn {self.name} {clauses[0]}]"
        return f"[fn {self.name} {' '.join(f'({clause})' for clause in clauses)}]"

    def kinds_of(self, argument: Argument) -> str:
        """What an argument of this name may be, in words: of all meanings of the word."""
        kinds = [other.kind for form in self.forms for other in form.arguments if other.name == argument.name]
        types = {kind.type for kind in kinds if isinstance(kind, Kind)}
        for trait in TRAITS:
            if types == {*trait.types}:
                return trait.words
        return joined([*dict.fromkeys(kind.words for kind in kinds)])


def words_of(operations: Iterable[Operation]) -> dict[str, Word]:
    """The words of records, by name, in the order of each name's first record."""
    records: dict[str, list[Operation]] = {}
    for operation in operations:
        records.setdefault(operation.name, []).append(operation)
    return {name: Word(several) for name, several in records.items()}


def _forms(record: Operation) -> list[Form]:
    arguments = record.arguments
    forms = [Form(record, arguments)]
    if record.swappable:
        forms.append(Form(record, (*arguments[1:], arguments[0])))
    if record.options:
        forms.append(Form(record, (*arguments[:-1], record.options_argument, arguments[-1])))
    return forms


def _count(form: Form) -> int:
    return len(form.arguments)


def _is_swapped(form: Form) -> bool:
    return form.operation.swappable and form.arguments != form.operation.arguments


def _clause(group: Sequence[Form]) -> str:
    """Parameters and body for one number of arguments."""
    first = group[0]
    names = [argument.name for argument in first.arguments]
    if any([argument.name for argument in form.arguments] != names for form in group):
        names = list("abcdefghijklmnop"[: len(names)])
    return f"[{' '.join(names)}] {_told_apart(group, names)}"


def _told_apart(group: Sequence[Form], names: Sequence[str]) -> str:
    """The call of the form that is meant."""
    if len(group) == 1:
        return group[0].call(names)
    for asked, is_true in _ASKED.items():
        for at in reversed(range(len(names))):
            kinds = [form.arguments[at].kind for form in group]
            if any(isinstance(kind, Either) or kind in _OF_VALUES for kind in kinds):
                continue
            passing = [is_true(kind) for kind in kinds]
            if all(passing) or not any(passing):
                continue
            yes = [form for form, passes in zip(group, passing, strict=True) if passes]
            no = [form for form, passes in zip(group, passing, strict=True) if not passes]
            return f"[if {asked.format(names[at])} {_told_apart(yes, names)} {_told_apart(no, names)}]"
    raise AssertionError(f"calls of {group[0].operation.name} cannot be told apart")


def _types(group: Sequence[Form]) -> list[str]:
    """The types of forms that take the same number of arguments: one, where a trait says it of all."""
    rows = [(*(argument.type for argument in form.arguments), form.operation.gives) for form in group]
    columns = list(zip(*rows, strict=True))
    for trait in TRAITS:
        said = {frozenset(trait.types): "a", frozenset(f"Vec {kind}" for kind in trait.types): "Vec a"}
        if len(rows) == len(trait.types):
            alike = {frozenset((kind,)): kind for row in rows for kind in row}
            held = [(alike | said).get(frozenset(column), "") for column in columns]
            if all(held) and "a" in held:
                return [f"{trait.name} a => {' -> '.join(held)}"]
    return [" -> ".join(row) for row in rows]
