"""A program's value to a document.

    document = convert(value)      # raises GeometryError

Children before parents, fields left to right, equal sub-trees once (cad.md §6.4). Wrong numbers of
fields, wrong kinds of value and numbers that are not finite are refused here, naming the CAD
function, the argument and where the call stands; sizes are judged at evaluation. Nothing recurses,
so that a tree may be as deep as a program can make it. A sub-value that occurs many times in one
value is looked at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from vcad_kernel.cad.fields import checked, described, field_error, place_of, signature_of
from vcad_kernel.cad.signatures import VARIANTS, Kind, Parameter, Signature
from vcad_kernel.errors import GeometryError
from vcad_kernel.ir.document import Document, DocumentBuilder
from vcad_kernel.ir.material import Material
from vcad_kernel.ir.nodes import (
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
    LinearPattern,
    LinePath,
    Loft,
    Node,
    NodeId,
    Revolve,
    Rotate,
    Scale,
    Shell,
    Sketch2D,
    Sphere,
    Sweep,
    Translate,
    Union,
)
from vcad_kernel.loon.runtime.collections import Vector
from vcad_kernel.loon.runtime.values import Adt

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
                f" this one ends in {described(value)}",
                code="TYPE_MISMATCH",
            )
        signature = signature_of(value)
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
                place=place_of(value),
            )

    def _add_material(self, value: Adt, signature: Signature) -> None:
        name, *numbers = checked(value, signature, signature.fields)
        for parameter, number in zip(signature.fields[1:], numbers, strict=True):
            if not 0.0 <= number <= 1.0:
                raise field_error(
                    value,
                    signature,
                    parameter,
                    "INVALID_PARAMETER",
                    f"{parameter.name} must be in 0..1, got {number:g}",
                )
        r, g, b, metallic, roughness = numbers
        self.builder.add_material(Material(name, (r, g, b), metallic, roughness))

    def _add_entry(self, value: Adt, signature: Signature) -> None:
        solid, material = checked(value, signature, signature.fields)
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
                args = checked(value, variant.signature, variant.fields)
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
