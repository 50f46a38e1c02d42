"""The Loon text of the library, read again: its types and functions are what the records say, all of them.

A constructor without a record would be found by the user alone, who is told that his own call made something
that is no variant of the library.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pytest

from vcad_kernel.loon.printing.printer import printed
from vcad_kernel.loon.reading.reader import read
from vcad_kernel.loon.source import Source
from vcad_kernel.loon.syntax import Form, ListForm, Symbol, TupleForm, VectorForm
from vcad_kernel.operations.arguments import Argument, Choice, Kind
from vcad_kernel.operations.features.selections import Selector
from vcad_kernel.operations.library import OPERATIONS, VARIANTS, WORDS, loon_text
from vcad_kernel.operations.node import Node
from vcad_kernel.operations.record import Operation
from vcad_kernel.operations.sections import OLDER

_TEXT = loon_text()

_FIELD_TYPES = {
    Kind.REAL: "Float",
    Kind.COUNT: "Int",
    Kind.FIDELITY: "Int",
    Kind.INDEX: "Int",
    Kind.SOLID: "Solid",
    Kind.SKETCH: "Sketch",
    Kind.FLAG: "Bool",
    Kind.TEXT: "String",
    Kind.SEGMENTS: "[Vec SketchSeg]",
    Kind.STEPS: "[Vec Step]",
    Kind.SOLIDS: "[Vec Solid]",
    Kind.SKETCHES: "[Vec Sketch]",
    Kind.REALS: "[Vec Float]",
    Kind.INDICES: "[Vec Int]",
    Kind.PATH: "Path",
    Kind.PATHS: "[Vec Path]",
    Kind.SURFACE: "Surface",
}
"""How the library's types write what the records say of an argument; of other kinds by its name."""

_WITHOUT_NODE = {
    "SketchSeg": "a field of its sketch",
    "Step": "a curve of what is drawn",
    "Path": "a field of its sweep",
    "Places": "a field of its drill",
    "Selection": "a field of its feature",
    "Material": "of the document, beside the nodes",
    "SceneEntry": "a root of the document",
}
"""Types whose values are no nodes, and what they become."""


@dataclass(frozen=True)
class Constructor:
    """One variant, as the library declares it."""

    type: str
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Clause:
    """One number of arguments of a function, as the library defines it."""

    parameters: tuple[str, ...]
    calls: frozenset[tuple[str, ...]]
    """Every call of a constructor in its body, with what it is given."""


def _forms() -> Iterator[tuple[Form, ...]]:
    for chunk in read(Source("library.oo", _TEXT)):
        for form in chunk.forms:
            assert isinstance(form, ListForm), f"{printed(form)} is no definition"
            yield form.items


def _constructors() -> dict[str, Constructor]:
    found = {}
    for head, *rest in _forms():
        if printed(head) == "type":
            name, *variants = rest
            for variant in variants:
                tag, *fields = variant.items if isinstance(variant, ListForm) else (variant,)
                found[printed(tag)] = Constructor(printed(name), tuple(map(printed, fields)))
    return found


def _functions() -> dict[str, list[Clause]]:
    found = {}
    for head, *rest in _forms():
        if printed(head) == "fn":
            name, *clauses = rest
            several = isinstance(clauses[0], TupleForm)
            found[printed(name)] = [
                _clause(clause.items) if isinstance(clause, TupleForm) else _clause(clauses)
                for clause in (clauses if several else clauses[:1])
            ]
    return found


def _clause(forms: Sequence[Form]) -> Clause:
    parameters, *body = forms
    assert isinstance(parameters, ListForm)
    return Clause(tuple(map(printed, parameters.items)), frozenset(_calls(body)))


def _calls(forms: Sequence[Form]) -> Iterator[tuple[str, ...]]:
    for form in forms:
        if isinstance(form, ListForm | VectorForm):
            head = form.items[0]
            if isinstance(head, Symbol) and head.name in CONSTRUCTORS:
                yield tuple(map(printed, form.items))
            else:
                yield from _calls(form.items)


CONSTRUCTORS = _constructors()
DEFINED = _functions()


def test_the_library_holds_types_and_functions_and_nothing_else() -> None:
    assert {printed(form[0]) for form in _forms()} == {"type", "fn"}


def test_every_function_of_the_library_has_a_record_and_no_record_is_without() -> None:
    direct = {one.name for one in OPERATIONS if one.name == one.variant}
    assert set(DEFINED) | direct == set(WORDS)
    assert direct <= set(CONSTRUCTORS)


def test_every_constructor_of_the_library_has_a_record_and_no_record_is_without() -> None:
    assert set(CONSTRUCTORS) == set(VARIANTS)


def test_every_constructor_that_stands_for_a_node_makes_one_and_no_other_does() -> None:
    nodes = {tag for tag, one in CONSTRUCTORS.items() if one.type not in _WITHOUT_NODE}
    assert nodes == {tag for tag, one in VARIANTS.items() if issubclass(one.result, Node)}
    selections = {tag for tag, one in CONSTRUCTORS.items() if one.type == "Selection"}
    assert selections == {tag for tag, one in VARIANTS.items() if one.result is Selector}


def test_no_two_records_make_the_same_variant_and_no_name_is_defined_twice() -> None:
    assert len([one for one in OPERATIONS if one.variant]) == len(VARIANTS)
    names = [printed(form[1]) for form in _forms()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("operation", VARIANTS.values(), ids=lambda operation: operation.name)
def test_a_record_says_what_the_library_defines(operation: Operation) -> None:
    declared = CONSTRUCTORS[operation.variant]
    assert declared.type == operation.gives
    types = [_FIELD_TYPES.get(one.kind, one.name) for one in operation.stored]
    words = [
        one.kind.stored if isinstance(one.kind, Choice) else type_
        for one, type_ in zip(operation.stored, types, strict=True)
    ]
    assert declared.fields == tuple(words)
    if operation.name == operation.variant:
        return
    clauses = {len(clause.parameters): clause for clause in DEFINED[operation.name]}
    if operation.options:
        # the map stands before the last argument, and an empty one where none is given
        *most, last = operation.arguments
        _is_called(clauses, operation, operation.arguments, {"options": "{}"})
        _is_called(clauses, operation, (*most, operation.options_argument, last))
        return
    defined = clauses[len(operation.arguments)]
    if operation.swappable:
        calls = {call for call in defined.calls if call[0] == operation.variant}
        # the first may come last: a call for each place, of the parameters as the function calls them
        first, *rest = defined.parameters
        assert calls == {
            (operation.variant, first, *rest),
            (operation.variant, defined.parameters[-1], *defined.parameters[:-1]),
        }
        return
    calls = _is_called(clauses, operation, operation.arguments)
    if len(WORDS[operation.name].records) == 1:
        assert defined.parameters == tuple(parameter.name for parameter in operation.arguments)
        assert defined.calls == calls


def _is_called(
    clauses: Mapping[int, Clause],
    operation: Operation,
    arguments: Sequence[Argument],
    given: Mapping[str, str] | None = None,
) -> set[tuple[str, ...]]:
    """That the clause of these arguments calls the constructor with them, each in its field."""
    clause = clauses[len(arguments)]
    # of a word with several meanings, parameters are called by the order alone
    called = {**(given or {}), **dict(zip((one.name for one in arguments), clause.parameters, strict=True))}
    calls = {call for call in clause.calls if call[0] == operation.variant}
    assert calls == {(operation.variant, *(called[one.name] for one in operation.stored))}
    return calls


def test_older_words_stand_apart_and_each_names_one_that_is_not_older() -> None:
    older = {word.name for word in WORDS.values() for record in word.records if record.instead}
    assert older == {name for name, word in WORDS.items() if word.records[0].section is OLDER}
    assert {"extrude", "revolve", "sketch", "line", "arc", "profile-rect"} <= older
    for name in older:
        for record in WORDS[name].records:
            assert record.instead in WORDS.keys() - older
            assert record.doc.endswith(f"Shorter today: {record.instead}.")
