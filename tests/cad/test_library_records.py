"""From ``library.oo`` to the records that say what its names are, and back: neither knows a name alone.

A function without a signature, or a constructor without a node, would be found by the user alone, who is
told that his own call made something that is no variant of the library.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files

import pytest

from vcad_kernel.cad.selections import SELECTIONS
from vcad_kernel.cad.signatures import FUNCTIONS, SIGNATURES, VARIANTS, Kind, Signature
from vcad_kernel.cad.variant_nodes import NODES
from vcad_kernel.loon.printer import printed
from vcad_kernel.loon.reader import read
from vcad_kernel.loon.source import Source
from vcad_kernel.loon.syntax import Form, ListForm, Symbol, VectorForm

_TEXT = files("vcad_kernel.cad").joinpath("library.oo").read_text("utf-8")

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
    Kind.SKETCHES: "[Vec Sketch]",
    Kind.REALS: "[Vec Float]",
    Kind.INDICES: "[Vec Int]",
    Kind.PATH: "Path",
    Kind.EDGES: "which",
    Kind.FACES: "which",
}
"""How the library's types write what the records say of an argument."""

_WITHOUT_NODE = {
    "SketchSeg": "a field of its sketch",
    "Path": "a field of its sweep",
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
class Function:
    """One function, as the library defines it."""

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


def _functions() -> dict[str, Function]:
    found = {}
    for head, *rest in _forms():
        if printed(head) == "fn":
            name, parameters, *body = rest
            assert isinstance(parameters, ListForm)
            names = tuple(map(printed, parameters.items))
            found[printed(name)] = Function(names, frozenset(_calls(body)))
    return found


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


def test_every_function_of_the_library_has_a_signature_and_no_signature_is_without() -> None:
    direct = {one.name for one in SIGNATURES if one.name == one.variant}
    assert set(DEFINED) | direct == set(FUNCTIONS)
    assert direct <= set(CONSTRUCTORS)


def test_every_constructor_of_the_library_has_a_signature_and_no_signature_is_without() -> None:
    assert set(CONSTRUCTORS) == set(VARIANTS)


def test_every_constructor_that_stands_for_a_node_makes_one_and_no_other_does() -> None:
    nodes = {tag for tag, one in CONSTRUCTORS.items() if one.type not in _WITHOUT_NODE}
    assert nodes == set(NODES)
    assert {tag for tag, one in CONSTRUCTORS.items() if one.type == "Selection"} == set(SELECTIONS)


def test_no_two_functions_make_the_same_variant_and_no_name_is_defined_twice() -> None:
    assert len(SIGNATURES) == len(FUNCTIONS) == len(VARIANTS)
    names = [printed(form[1]) for form in _forms()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("signature", SIGNATURES, ids=lambda signature: signature.name)
def test_a_signature_says_what_the_library_defines(signature: Signature) -> None:
    declared = CONSTRUCTORS[signature.variant]
    assert declared.type == signature.gives
    assert declared.fields == tuple(_FIELD_TYPES[parameter.kind] for parameter in signature.fields)
    if signature.name == signature.variant:
        return
    defined = DEFINED[signature.name]
    in_order = tuple(parameter.name for parameter in signature.fields)
    if signature.swappable:
        # the first may come last: a call for each place, of the parameters as the function calls them
        first, *rest = defined.parameters
        orders = {(first, *rest), (defined.parameters[-1], *defined.parameters[:-1])}
        assert len(defined.parameters) == len(in_order)
        assert defined.calls == {(signature.variant, *order) for order in orders}
    else:
        assert defined.parameters == tuple(parameter.name for parameter in signature.parameters)
        assert defined.calls == {(signature.variant, *in_order)}
