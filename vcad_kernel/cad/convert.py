"""A program's value to a document.

    document = convert(value)      # raises GeometryError

Children before parents, fields left to right, equal sub-trees once (cad.md §6.4). Wrong numbers of
fields, wrong kinds of value and numbers that are not finite are refused here, naming the CAD
function, the argument and where the call stands; sizes are judged at evaluation. Nothing recurses,
so that a tree may be as deep as a program can make it. A sub-value that occurs many times in one
value is looked at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from vcad_kernel.cad.fields import checked, field_error, place_of, signature_of
from vcad_kernel.cad.path_values import FieldFault
from vcad_kernel.cad.signatures import VARIANTS, Kind, Parameter, Signature
from vcad_kernel.cad.values import described
from vcad_kernel.cad.variant_nodes import NODES, Add, Imports
from vcad_kernel.errors import GeometryError, VcadError
from vcad_kernel.ir.document import Document, DocumentBuilder
from vcad_kernel.ir.material import Material
from vcad_kernel.ir.nodes import Node, NodeId
from vcad_kernel.ir.parameter import Parameter as ModelParameter
from vcad_kernel.loon.runtime.collections import Vector
from vcad_kernel.loon.runtime.values import Adt

if TYPE_CHECKING:
    from vcad_kernel.paths import Workspace

__all__ = ["convert"]


def convert(
    value: object, files: Workspace | None = None, parameters: Sequence[ModelParameter] = ()
) -> Document:
    """The document of a solid, a scene entry, a material, or a vector of those (nested ones flattened).

    files: where imported files are looked for; None lets none be imported.
    parameters: what the program declared with ``defparam``, to be kept in the document.
    Raises: GeometryError TYPE_MISMATCH, ARITY_MISMATCH, UNKNOWN_VARIANT, INVALID_PARAMETER, ZERO_VECTOR;
    CapabilityUnavailable for an import without a workspace, and whatever reading its file raises.
    """
    converter = _Converter(files)
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, Vector):
            pending.extend(reversed(item.to_list()))
        else:
            converter.add_scene_value(item)
    return converter.document(parameters)


@dataclass(frozen=True, slots=True)
class _Variant:
    signature: Signature
    fields: tuple[Parameter, ...]
    build: Callable[[list[Any], Add, Imports], Node]
    """From the checked fields, children already as ids; may add nodes that its own stands on."""
    takes_sketches: bool
    """The one field is a vector of sketches."""


class _Converter:
    """One conversion; ``builder`` holds what has been found."""

    def __init__(self, files: Workspace | None) -> None:
        self.builder = DocumentBuilder()
        self._imports = Imports(files)
        self._names: dict[NodeId, str] = {}
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
                f"a {signature.name} is not a solid; {_WHAT_IT_IS_FOR[signature.gives]}",
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
        solid, material, *name = checked(value, signature, signature.fields)
        node = self._node(solid)
        self.builder.add_root(node, material, value.site)
        if name:
            self._names[node] = name[0]

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
            built = self._built(value, variant, args)
            known[id(value)] = builder.add(built, value.site, variant.signature.name)
        return known[id(top)]

    def _built(self, value: Adt, variant: _Variant, args: list[Any]) -> Node:
        try:
            name = variant.signature.name
            return variant.build(args, lambda node: self.builder.add(node, value.site, name), self._imports)
        except FieldFault as fault:
            wrong = next(one for one in variant.fields if one.name == fault.argument)
            message = f"{fault.argument} {fault.message}"
            raise field_error(value, variant.signature, wrong, "INVALID_PARAMETER", message) from None
        except VcadError as error:
            error.place = error.place or place_of(value)
            raise

    def document(self, parameters: Sequence[ModelParameter]) -> Document:
        """All that was converted."""
        for parameter in parameters:
            self.builder.add_parameter(parameter)
        document = self.builder.build()
        # selections by name make names part of the content
        return replace(document, names=self._names, _known_digests=None) if self._names else document


_WHAT_IT_IS_FOR: Mapping[str, str] = {
    "Sketch": "extrude, revolve, sweep or loft it to get one",
    "SketchSeg": "sketch makes a profile of segments",
    "Path": "sweep carries a profile along it",
    "Selection": "fillet-at, chamfer-at, shell-open and draft take it",
}

_BUILDERS: Mapping[str, _Variant] = {
    tag: _Variant(
        VARIANTS[tag],
        VARIANTS[tag].fields,
        build,
        any(parameter.kind is Kind.SKETCHES for parameter in VARIANTS[tag].fields),
    )
    for tag, build in NODES.items()
}
