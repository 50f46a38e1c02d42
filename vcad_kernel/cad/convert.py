"""A program's value to a document.

    document = convert(value)      # raises GeometryError

Children before parents, fields left to right, equal sub-trees once (cad.md §6.4). Wrong numbers of
fields, wrong kinds of value and numbers that are not finite are refused here, naming the CAD
function, the argument and where the call stands; sizes are judged at evaluation. Nothing recurses,
so that a tree may be as deep as a program can make it. A sub-value that occurs many times in one
value is looked at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from vcad_kernel.cad.signatures import VARIANTS, Kind, Parameter, Signature
from vcad_kernel.errors import GeometryError
from vcad_kernel.ir.document import Document, DocumentBuilder
from vcad_kernel.ir.material import Material
from vcad_kernel.ir.nodes import (
    Arc,
    Chamfer,
    CircularPattern,
    Cone,
    Cube,
    Cylinder,
    Difference,
    Empty,
    Extrude,
    Fillet,
    HelixPath,
    ImportedMesh,
    Intersection,
    Line,
    LinearPattern,
    LinePath,
    Loft,
    Node,
    NodeId,
    Revolve,
    Rotate,
    Scale,
    Segment,
    Shell,
    Sketch2D,
    Sphere,
    Sweep,
    Translate,
    Union,
)
from vcad_kernel.loon.runtime.collections import Map, Set, Vector
from vcad_kernel.loon.runtime.values import UNIT, Adt, Keyword

__all__ = ["convert"]


def convert(value: object) -> Document:
    """The document of a solid, a scene entry, a material, or a vector of those (nested ones flattened).

    Raises: GeometryError TYPE_MISMATCH, ARITY_MISMATCH, UNKNOWN_VARIANT, INVALID_PARAMETER.
    """
    converter = _Converter()
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, Vector):
            pending.extend(reversed(item.to_list()))
        else:
            converter.add_scene_value(item)
    return converter.builder.build()


@dataclass(frozen=True, slots=True)
class _Variant:
    signature: Signature
    fields: tuple[Parameter, ...]
    build: Callable[[list[Any]], Node]
    """From the checked fields, children already as ids."""
    takes_sketches: bool
    """The one field is a vector of sketches."""


class _Converter:
    """One conversion; ``builder`` holds what has been found."""

    def __init__(self) -> None:
        self.builder = DocumentBuilder()
        # the value being converted keeps its parts alive, so that ids stay their own
        self._known: dict[int, NodeId] = {}

    def add_scene_value(self, value: object) -> None:
        """A part, a material, or an error."""
        if not isinstance(value, Adt):
            raise GeometryError(
                "a model must end in a solid, a scene entry, a material or a vector of those;"
                f" this one ends in {_described(value)}",
                code="TYPE_MISMATCH",
            )
        signature = _signature(value)
        if signature.gives == "Material":
            self._add_material(value, signature)
        elif signature.gives == "SceneEntry":
            self._add_entry(value, signature)
        elif signature.gives == "Solid":
            self.builder.add_root(self._node(value), site=value.site)
        else:
            raise GeometryError(
                f"a {signature.name} is not a solid; extrude, revolve, sweep or loft a sketch to get one",
                code="TYPE_MISMATCH",
                operation=signature.name,
                place=_place(value),
            )

    def _add_material(self, value: Adt, signature: Signature) -> None:
        name, *numbers = _checked(value, signature, signature.fields)
        for parameter, number in zip(signature.fields[1:], numbers, strict=True):
            if not 0.0 <= number <= 1.0:
                raise _error(
                    value,
                    signature,
                    parameter,
                    "INVALID_PARAMETER",
                    f"{parameter.name} must be in 0..1, got {number:g}",
                )
        r, g, b, metallic, roughness = numbers
        self.builder.add_material(Material(name, (r, g, b), metallic, roughness))

    def _add_entry(self, value: Adt, signature: Signature) -> None:
        solid, material = _checked(value, signature, signature.fields)
        self.builder.add_root(self._node(solid), material, value.site)

    def _node(self, top: Adt) -> NodeId:
        """The id of a solid's node; everything below it is added first."""
        known = self._known
        builder = self.builder
        pending: list[tuple[Adt, _Variant | None, list[Any]]] = [(top, None, [])]
        while pending:
            value, variant, args = pending.pop()
            if id(value) in known:
                continue
            if variant is None:
                variant = _BUILDERS[value.tag]
                args = _checked(value, variant.signature, variant.fields)
                children = [arg for arg in args if type(arg) is Adt]
                if variant.takes_sketches:
                    children = args[0]
                if children:
                    pending.append((value, variant, args))
                    pending.extend((child, None, []) for child in reversed(children))
                    continue
            else:
                args = [known[id(arg)] if type(arg) is Adt else arg for arg in args]
                if variant.takes_sketches:
                    args[0] = tuple(known[id(sketch)] for sketch in args[0])
            known[id(value)] = builder.add(variant.build(args), value.site)
        return known[id(top)]


# ---------------------------------------------------------------- checks


def _signature(value: Adt) -> Signature:
    signature = VARIANTS.get(value.tag)
    if signature is None:
        raise GeometryError(
            f"'{value.tag}' is not a variant of the CAD library",
            code="UNKNOWN_VARIANT",
            place=_place(value),
            fix="a model is made of the library's solids, sketches, scene entries and materials",
        )
    return signature


def _checked(value: Adt, signature: Signature, fields: tuple[Parameter, ...]) -> list[Any]:
    """The fields, checked and turned into what nodes hold; solids and sketches stay values."""
    given = value.fields
    if len(given) != len(fields):
        raise GeometryError(
            f"{signature.name}: {signature.variant} has {len(fields)} fields, got {len(given)}",
            code="ARITY_MISMATCH",
            operation=signature.name,
            place=_place(value),
        )
    result: list[Any] = []
    faults: list[tuple[Parameter, str]] = []
    for parameter, item in zip(fields, given, strict=True):
        # the kinds of all fields come before the range of any
        if type(item) is float and parameter.kind is Kind.REAL:
            result.append(item)
            if not math.isfinite(item):
                faults.append((parameter, f"must be a finite number, got {_number_text(item)}"))
            continue
        read, fault = _READERS[parameter.kind](item, value, signature, parameter)
        result.append(read)
        if fault:
            faults.append((parameter, fault))
    if faults:
        parameter, fault = faults[0]
        raise _error(value, signature, parameter, "INVALID_PARAMETER", f"{parameter.name} {fault}")
    return result


_LARGEST_WHOLE = 2**63 - 1
"""What Loon's whole numbers and a node's digest hold."""

_Read = tuple[Any, str | None]
"""A field as nodes hold it, and what is wrong with its size if anything."""


def _real(item: object, value: Adt, signature: Signature, parameter: Parameter) -> _Read:
    if type(item) is int:
        return float(item), None
    if type(item) is not float:
        _mismatch(item, value, signature, parameter)
    return item, None if math.isfinite(item) else f"must be a finite number, got {_number_text(item)}"


def _whole(item: object, least: int, wanted: str) -> _Read:
    if type(item) is float:
        if not item.is_integer():
            return 0, f"must be {wanted}, got {_number_text(item)}"
        item = int(item)
    assert isinstance(item, int)
    if item > _LARGEST_WHOLE:
        return 0, f"must be {wanted}, got {_number_text(item)}, which is too large"
    return item, None if item >= least else f"must be {wanted}, got {item}"


def _count(item: object, value: Adt, signature: Signature, parameter: Parameter) -> _Read:
    if type(item) not in (int, float):
        _mismatch(item, value, signature, parameter)
    return _whole(item, 1, Kind.COUNT.value)


def _flag(item: object, value: Adt, signature: Signature, parameter: Parameter) -> _Read:
    if type(item) is not bool:
        _mismatch(item, value, signature, parameter)
    return item, None


def _text(item: object, value: Adt, signature: Signature, parameter: Parameter) -> _Read:
    if type(item) is not str:
        _mismatch(item, value, signature, parameter)
    return item, None


def _of_type(gives: str) -> Callable[[object, Adt, Signature, Parameter], _Read]:
    def read(item: object, value: Adt, signature: Signature, parameter: Parameter) -> _Read:
        if not isinstance(item, Adt) or _signature(item).gives != gives:
            _mismatch(item, value, signature, parameter)
        return item, None

    return read


def _items(item: object, value: Adt, signature: Signature, parameter: Parameter) -> list[object]:
    if not isinstance(item, Vector):
        _mismatch(item, value, signature, parameter)
    return item.to_list()


def _sketches(item: object, value: Adt, signature: Signature, parameter: Parameter) -> _Read:
    sketches = _items(item, value, signature, parameter)
    for sketch in sketches:
        if not isinstance(sketch, Adt) or _signature(sketch).gives != "Sketch":
            _mismatch(sketch, value, signature, parameter, inside=True)
    return sketches, None


def _segments(item: object, value: Adt, signature: Signature, parameter: Parameter) -> _Read:
    segments: list[Segment] = []
    for part in _items(item, value, signature, parameter):
        if not isinstance(part, Adt) or (known := _signature(part)).gives != "SketchSeg":
            _mismatch(part, value, signature, parameter, inside=True)
        numbers = _checked(part, known, known.fields)
        start, end = (numbers[0], numbers[1]), (numbers[2], numbers[3])
        if known.variant == "SLine":
            segments.append(Line(start, end))
        else:
            segments.append(Arc(start, end, (numbers[4], numbers[5]), numbers[6]))
    return tuple(segments), None


def _reals(item: object, value: Adt, signature: Signature, parameter: Parameter) -> _Read:
    numbers: list[float] = []
    fault = None
    for index, part in enumerate(_items(item, value, signature, parameter)):
        if type(part) not in (int, float):
            _mismatch(part, value, signature, parameter, inside=True)
        assert isinstance(part, int | float)
        if fault is None and not math.isfinite(part):
            fault = f"must be finite numbers, got {_number_text(part)} at {index}"
        numbers.append(float(part))
    return tuple(numbers), fault


def _indices(item: object, value: Adt, signature: Signature, parameter: Parameter) -> _Read:
    numbers: list[int] = []
    fault = None
    for part in _items(item, value, signature, parameter):
        if type(part) not in (int, float):
            _mismatch(part, value, signature, parameter, inside=True)
        number, bad = _whole(part, 0, "whole numbers from 0")
        fault = fault or bad
        numbers.append(number)
    return tuple(numbers), fault


_READERS: Mapping[Kind, Callable[[object, Adt, Signature, Parameter], _Read]] = {
    Kind.REAL: _real,
    Kind.COUNT: _count,
    Kind.FLAG: _flag,
    Kind.TEXT: _text,
    Kind.SOLID: _of_type("Solid"),
    Kind.SKETCH: _of_type("Sketch"),
    Kind.SEGMENTS: _segments,
    Kind.SKETCHES: _sketches,
    Kind.REALS: _reals,
    Kind.INDICES: _indices,
}


# ---------------------------------------------------------------- errors


def _place(value: Adt) -> Any:
    return None if value.site is None else value.site.place()


def _error(value: Adt, signature: Signature, parameter: Parameter, code: str, message: str) -> GeometryError:
    return GeometryError(
        f"{signature.name}: {message}",
        code=code,
        operation=signature.name,
        argument=parameter.name,
        place=_place(value),
        details={"variant": signature.variant},
    )


def _mismatch(
    item: object, value: Adt, signature: Signature, parameter: Parameter, *, inside: bool = False
) -> NoReturn:
    found = _described(item)
    if inside:
        found = f"a vector with {found} in it"
    raise _error(
        value,
        signature,
        parameter,
        "TYPE_MISMATCH",
        f"{parameter.name} must be {parameter.kind.value}, got {found}",
    )


def _number_text(number: float) -> str:
    if math.isnan(number):
        return "NaN"
    return f"{number:g}"


def _described(value: object) -> str:
    """A value in a few words, however large it is."""
    if value is UNIT:
        return "nothing, ()"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {_number_text(value)}"
    if isinstance(value, str):
        return f'the text "{value}"' if len(value) <= 40 else f'the text "{value[:37]}…"'
    if isinstance(value, Keyword):
        return f"the keyword :{value.name}"
    if isinstance(value, Adt):
        known = VARIANTS.get(value.tag)
        return f"a {known.name}" if known is not None else f"the value {value.tag}"
    for kind, words in ((Vector, "a vector"), (Map, "a map"), (Set, "a set"), (tuple, "a tuple")):
        if isinstance(value, kind):
            return words
    return "a function" if callable(value) else f"a {type(value).__name__}"


# ---------------------------------------------------------------- variants


def _vec(args: list[Any], first: int) -> tuple[float, float, float]:
    return (args[first], args[first + 1], args[first + 2])


_NODES: Mapping[str, Callable[[list[Any]], Node]] = {
    "Cube": lambda a: Cube((a[0], a[1], a[2])),
    "Cylinder": lambda a: Cylinder(a[0], a[1]),
    "Sphere": lambda a: Sphere(a[0]),
    "Cone": lambda a: Cone(a[0], a[1], a[2]),
    "Empty": lambda _: Empty(),
    "Union": lambda a: Union(a[0], a[1]),
    "Difference": lambda a: Difference(a[0], a[1]),
    "Intersection": lambda a: Intersection(a[0], a[1]),
    "Translate": lambda a: Translate(a[0], _vec(a, 1)),
    "Rotate": lambda a: Rotate(a[0], _vec(a, 1)),
    "Scale": lambda a: Scale(a[0], _vec(a, 1)),
    "Fillet": lambda a: Fillet(a[0], a[1]),
    "Chamfer": lambda a: Chamfer(a[0], a[1]),
    "Shell": lambda a: Shell(a[0], a[1]),
    "LinearPattern": lambda a: LinearPattern(a[0], _vec(a, 1), a[4], a[5]),
    "CircularPattern": lambda a: CircularPattern(a[0], _vec(a, 1), _vec(a, 4), a[7], a[8]),
    "Sketch": lambda a: Sketch2D(_vec(a, 0), _vec(a, 3), _vec(a, 6), a[9]),
    "Extrude": lambda a: Extrude(a[0], _vec(a, 1)),
    "Revolve": lambda a: Revolve(a[0], _vec(a, 1), _vec(a, 4), a[7]),
    "SweepLine": lambda a: Sweep(a[0], LinePath(_vec(a, 1), _vec(a, 4))),
    "SweepHelix": lambda a: Sweep(a[0], HelixPath(a[1], a[2], a[3], a[4])),
    "Loft": lambda a: Loft(tuple(a[0])),
    "LoftClosed": lambda a: Loft(tuple(a[0]), closed=True),
    "ImportedMesh": lambda a: ImportedMesh(a[0], a[1], a[2] or None),
}

_BUILDERS: Mapping[str, _Variant] = {
    tag: _Variant(
        VARIANTS[tag],
        VARIANTS[tag].fields,
        build,
        any(parameter.kind is Kind.SKETCHES for parameter in VARIANTS[tag].fields),
    )
    for tag, build in _NODES.items()
}
