"""A program's value to a document.

    document = convert(value)      # raises GeometryError

Children before parents, fields left to right, equal sub-trees once (cad.md §6.4). Wrong numbers of
fields, wrong kinds of value and numbers that are not finite are refused here, naming the CAD
function, the argument and where the call stands; sizes are judged at evaluation. Nothing recurses,
so that a tree may be as deep as a program can make it. A sub-value that occurs many times in one
value is looked at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from vcad_kernel.cad.fields import built, checked, operation_of, place_of
from vcad_kernel.cad.values import described
from vcad_kernel.errors import CapabilityUnavailable, GeometryError, VcadError
from vcad_kernel.ir.document import Document, DocumentBuilder
from vcad_kernel.ir.parameter import Parameter
from vcad_kernel.loon.runtime.collections import Vector
from vcad_kernel.loon.runtime.values import Adt
from vcad_kernel.operations.arguments import Argument, Kind
from vcad_kernel.operations.library import VARIANTS
from vcad_kernel.operations.node import Node, NodeId
from vcad_kernel.operations.profiles.paths import AnyPath
from vcad_kernel.operations.record import Operation
from vcad_kernel.operations.scene import Material, SceneEntry
from vcad_kernel.paths import content_hash

if TYPE_CHECKING:
    from vcad_kernel.paths import Workspace

__all__ = ["convert"]


def convert(
    value: object,
    files: Workspace | None = None,
    parameters: Sequence[Parameter] = (),
    *,
    profiles: bool = False,
) -> Document:
    """The document of a solid, a scene entry, a material, or a vector of those (nested ones flattened).

    files: where imported files are looked for; None lets none be imported.
    parameters: what the program declared with ``defparam``, to be kept in the document.
    profiles: they and surfaces may stand where solids do, as roots that are shown as they are.
    Raises: GeometryError TYPE_MISMATCH, ARITY_MISMATCH, UNKNOWN_VARIANT, INVALID_PARAMETER, ZERO_VECTOR;
    CapabilityUnavailable for an import without a workspace, and whatever reading its file raises.
    """
    converter = _Converter(files, profiles=profiles)
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
    """What a conversion asks of a record again and again."""

    operation: Operation
    stored: tuple[Argument, ...]
    vectors: tuple[int, ...]
    """Which fields are vectors of solids, profiles or paths."""


_VARIANTS: Mapping[str, _Variant] = {
    tag: _Variant(
        variant,
        variant.stored,
        tuple(
            at
            for at, field in enumerate(variant.stored)
            if field.kind in (Kind.SOLIDS, Kind.SKETCHES, Kind.PATHS)
        ),
    )
    for tag, variant in VARIANTS.items()
}


class _Converter:
    """One conversion; ``builder`` holds what has been converted so far."""

    def __init__(self, files: Workspace | None, *, profiles: bool) -> None:
        self.builder = DocumentBuilder()
        self._roots = ("Solid", "Sketch", "Surface") if profiles else ("Solid",)
        self._files = files
        self._hashes: dict[str, str] = {}
        self._names: dict[NodeId, str] = {}
        # the value being converted keeps its parts alive, so that ids stay their own
        self._known: dict[int, NodeId | AnyPath] = {}

    def add_scene_value(self, value: object) -> None:
        """A part, a material, or an error."""
        if not isinstance(value, Adt):
            raise GeometryError(
                "a model must end in a solid, a scene entry, a material or a vector of those;"
                f" this one ends in {described(value)}",
                code="TYPE_MISMATCH",
            )
        operation = operation_of(value)
        if operation.gives in self._roots:
            self.builder.add_root(self._node(value), site=value.site)
            return
        if operation.gives not in ("Material", "SceneEntry"):
            if issubclass(operation.result, Node):
                self._node(value)  # what is wrong within it is reported first
            raise GeometryError(
                f"a {operation.name} is not a solid; {_WHAT_IT_IS_FOR[operation.gives]}",
                code="TYPE_MISMATCH",
                operation=operation.name,
                place=place_of(value),
            )
        fields = checked(value, operation, operation.stored)
        fields = [self._node(field) if type(field) is Adt else field for field in fields]
        match built(value, operation, fields):
            case Material() as material:
                self.builder.add_material(material)
            case SceneEntry(node, material_name, name, look):
                if look is not None:
                    self.builder.add_material(look)
                self.builder.add_root(node, material_name, value.site)
                if name is not None:
                    self._names[node] = name

    def _node(self, top: Adt) -> NodeId:
        """The id of a solid's node; everything below it is added first."""
        known = self._known
        pending: list[tuple[Adt, _Variant | None, list[Any]]] = [(top, None, [])]
        while pending:
            value, variant, args = pending.pop()
            if id(value) in known:
                continue
            if variant is None:
                variant = _VARIANTS[value.tag]
                args = checked(value, variant.operation, variant.stored)
                children = [arg for arg in args if type(arg) is Adt]
                for at in variant.vectors:
                    children += args[at]
                if children:
                    pending.append((value, variant, args))
                    pending.extend((child, None, []) for child in reversed(children))
                    continue
            else:
                args = [known[id(arg)] if type(arg) is Adt else arg for arg in args]
            for at in variant.vectors:
                args[at] = tuple([known[id(part)] for part in args[at]])
            known[id(value)] = self._added(value, variant.operation, args)
        made = known[id(top)]
        assert not isinstance(made, AnyPath)  # it was asked for a body, or a profile
        return made

    def _added(self, value: Adt, operation: Operation, args: list[Any]) -> NodeId | AnyPath:
        builder, site, name = self.builder, value.site, operation.name
        if not operation.needs:
            made = built(value, operation, args)
            return made if isinstance(made, AnyPath) else builder.add(made, site, name)
        means = {
            "add": lambda node: builder.add(node, site, name),
            "files": lambda path: self._file(path, name),
        }
        try:
            made = built(value, operation, args, **{need: means[need] for need in operation.needs})
        except VcadError as error:
            error.place = error.place or place_of(value)
            raise
        return made if isinstance(made, AnyPath) else builder.add(made, site, name)

    def _file(self, path: str, function: str) -> tuple[str, str]:
        """A file's path as documents keep it, and the hexadecimal blake3 of its bytes, which are read once.

        Raises: CapabilityUnavailable without a workspace; whatever the workspace raises.
        """
        if self._files is None:
            raise CapabilityUnavailable(
                f"{function}: this program belongs to no folder, so it cannot read {path}",
                fix="run it from a file, or in a notebook, whose folder holds the file",
                details={"required_capability": "files"},
            )
        kept = self._files.relative(path)
        if kept not in self._hashes:
            self._hashes[kept] = content_hash(self._files.read(kept))
        return kept, self._hashes[kept]

    def document(self, parameters: Sequence[Parameter]) -> Document:
        """All that was converted."""
        for parameter in parameters:
            self.builder.add_parameter(parameter)
        document = self.builder.build()
        # selections by name make names part of the content
        return replace(document, names=self._names, _known_digests=None) if self._names else document


_WHAT_IT_IS_FOR: Mapping[str, str] = {
    "Sketch": "pull, spin, extrude, sweep or loft it to get one",
    "Surface": "thicken makes one of it",
    "Plane": "on places a profile there",
    "SketchSeg": "sketch makes a profile of segments",
    "Step": "outline and path-2d draw steps",
    "Path": "sweep carries a profile along it",
    "Places": "drill makes holes there",
    "Selection": "fillet-at, chamfer-at, shell-open and draft take it",
}
