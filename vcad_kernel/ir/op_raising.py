"""Documents from the engine profile of op records (cad.md §12.3): the way back of :mod:`op_lowering`.

    document = raised(Stream.from_bytes(data))

Numbers of segments are hints, and not taken. What no node of ours is (offsets and fillets of
cross-sections, slices, cross-sections of several contours, twists) is refused by the name of its record.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Final, TypeAlias

from vcad_kernel.errors import CapabilityUnavailable
from vcad_kernel.ir.document import Document, DocumentBuilder
from vcad_kernel.ir.op_engine import Operation, read
from vcad_kernel.ir.op_stream import BODY, Stream
from vcad_kernel.operations.bodies.booleans import Difference, Intersection, Union
from vcad_kernel.operations.bodies.transforms import Rotate, Scale, Translate
from vcad_kernel.operations.node import Node, NodeId, Vec2, Vec3
from vcad_kernel.operations.profiles.sketches import Arc, Line, Segment, Sketch2D
from vcad_kernel.operations.solids.shapes import Cone, Cube, Cylinder, Sphere
from vcad_kernel.operations.solids.sweeps import Extrude, Revolve

__all__ = ["raised"]


@dataclass(frozen=True, slots=True)
class _Section:
    """A cross-section: one closed chain, and the plane where it is extruded or revolved."""

    segments: tuple[Segment, ...]
    plane: int = 0
    offset: float = 0.0


_PLANES: Final[tuple[tuple[Vec3, Vec3, Vec3], ...]] = (
    ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)),
    ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)),
)
"""Where x, y and the normal of a section go, by the kind of its plane: XY, XZ, YZ."""


def raised(stream: Stream) -> Document:
    """The document of an engine stream: a root for each object, without materials.

    Raises: GeometryError DECODE_FAILED as `read`; CapabilityUnavailable for what has no node here.
    """
    raising = _Raising()
    for operation in read(stream):
        raising.take(operation)
    for scene_object in stream.objects:
        if scene_object.kind != BODY:
            raise _unavailable(f"the object {scene_object.name!r}", "a cross-section, which is no part")
        raising.builder.add_root(raising.bodies[scene_object.root])
    return raising.builder.build()


class _Raising:
    """What the records so far have made."""

    def __init__(self) -> None:
        self.builder = DocumentBuilder()
        self.bodies: dict[int, NodeId] = {}
        self.sections: dict[int, _Section] = {}

    def take(self, operation: Operation) -> None:
        """Build what one record defines."""
        body, section = _BODIES.get(operation.name), _SECTIONS.get(operation.name)
        if body is not None:
            self.bodies[operation.out] = body(self, operation)
        elif section is not None:
            self.sections[operation.out] = section(self, operation)
        else:
            raise _refused(operation, f"{operation.name} is not built here")

    def _add(self, node: Node) -> NodeId:
        return self.builder.add(node)

    def _centred(self, node: Node, operation: Operation, offset: Vec3) -> NodeId:
        made = self._add(node)
        return self._add(Translate(made, offset)) if operation.fields["center"] else made

    def sphere(self, operation: Operation) -> NodeId:
        return self._add(Sphere(operation.fields["radius"]))

    def cube(self, operation: Operation) -> NodeId:
        size = _vector(operation)
        return self._centred(Cube(size), operation, (-size[0] / 2, -size[1] / 2, -size[2] / 2))

    def cylinder(self, operation: Operation) -> NodeId:
        low, high, height = (operation.fields[name] for name in ("r_low", "r_high", "height"))
        straight = high < 0.0 or high == low
        node = Cylinder(low, height) if straight else Cone(low, high, height)
        return self._centred(node, operation, (0.0, 0.0, -height / 2))

    def union(self, operation: Operation) -> NodeId:
        bodies = [self.bodies[operand] for operand in operation.fields["operands"]]
        return reduce(lambda left, right: self._add(Union(left, right)), bodies)

    def boolean(self, operation: Operation) -> NodeId:
        kind = Difference if operation.name == "Subtract" else Intersection
        return self._add(kind(self.bodies[operation.fields["a"]], self.bodies[operation.fields["b"]]))

    def moved(self, operation: Operation) -> NodeId:
        kind = Translate if operation.name == "Translate" else Scale
        return self._add(kind(self.bodies[operation.fields["in"]], _vector(operation)))

    def rotated(self, operation: Operation) -> NodeId:
        # about x first, which ours would do last: one axis at a time leaves no doubt
        body = self.bodies[operation.fields["in"]]
        x, y, z = _vector(operation)
        for angles in ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z)):
            if any(angles):
                body = self._add(Rotate(body, angles))
        return body

    def extruded(self, operation: Operation) -> NodeId:
        if operation.fields["twist_degrees"]:
            raise _refused(operation, "a twisted extrusion is not built here")
        section = self.sections[operation.fields["in"]]
        x, y, normal = _PLANES[section.plane]
        sketch = self._add(Sketch2D(_times(normal, section.offset), x, y, section.segments))
        return self._add(Extrude(sketch, _times(normal, operation.fields["height"])))

    def revolved(self, operation: Operation) -> NodeId:
        section = self.sections[operation.fields["in"]]
        if min(_lowest_x(segment) for segment in section.segments) < 0.0:
            raise _refused(operation, "the revolution of a section across its axis is not built here")
        x, _, normal = _PLANES[section.plane]
        origin = _times(normal, section.offset)
        # the section's y becomes the body's z, which its plane carries to the normal
        sketch = self._add(Sketch2D(origin, x, normal, section.segments))
        return self._add(Revolve(sketch, origin, normal, operation.fields["degrees"]))

    def circle(self, operation: Operation) -> _Section:
        radius = operation.fields["radius"]
        x, y = (operation.fields.get(name, 0.0) for name in ("x", "y"))
        east, west = (x + radius, y), (x - radius, y)
        return _Section((Arc(east, west, (x, y), True), Arc(west, east, (x, y), True)))

    def rectangle(self, operation: Operation) -> _Section:
        x, y = operation.fields["x"], operation.fields["y"]
        corners = [(0.0, 0.0), (x, 0.0), (x, y), (0.0, y)]
        section = _Section(_chain(corners))
        return _placed(section, 0.0, (-x / 2, -y / 2)) if operation.fields["center"] else section

    def polygons(self, operation: Operation) -> _Section:
        first, *others = operation.fields["contours"]
        if others:
            raise _refused(operation, "a cross-section of several contours is not built here")
        if sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(first, [*first[1:], first[0]], strict=True)) <= 0.0:
            raise _refused(operation, "a contour that turns clockwise encloses nothing")
        return _Section(_chain(first))

    def placed(self, operation: Operation) -> _Section:
        fields = operation.fields
        offset = (fields.get("x", 0.0), fields.get("y", 0.0))
        return _placed(self.sections[fields["in"]], fields.get("degrees", 0.0), offset)

    def on_plane(self, operation: Operation) -> _Section:
        fields = operation.fields
        return replace(self.sections[fields["in"]], plane=fields["kind"], offset=fields["offset"])


_Body: TypeAlias = Callable[[_Raising, Operation], NodeId]
_BODIES: Final[Mapping[str, _Body]] = {
    "Sphere": _Raising.sphere,
    "Cube": _Raising.cube,
    "Cylinder": _Raising.cylinder,
    "Union": _Raising.union,
    **dict.fromkeys(("Subtract", "Intersect"), _Raising.boolean),
    **dict.fromkeys(("Translate", "Scale"), _Raising.moved),
    "Rotate": _Raising.rotated,
    "Extrude": _Raising.extruded,
    "Revolve": _Raising.revolved,
}
_SECTIONS: Final[Mapping[str, Callable[[_Raising, Operation], _Section]]] = {
    **dict.fromkeys(("CrossCircle", "CrossPoint"), _Raising.circle),
    **dict.fromkeys(("CrossSquare", "CrossRect"), _Raising.rectangle),
    "CrossPolygons": _Raising.polygons,
    **dict.fromkeys(("CrossTranslate", "CrossRotate"), _Raising.placed),
    "CrossPlane": _Raising.on_plane,
}


def _refused(operation: Operation, why: str) -> CapabilityUnavailable:
    return _unavailable(f"record {operation.index}", why, record=operation.index, name=operation.name)


def _unavailable(what: str, why: str, **details: Any) -> CapabilityUnavailable:
    return CapabilityUnavailable(
        f"{what}: {why}", details={"required_capability": "op records as an engine builds them", **details}
    )


def _vector(operation: Operation) -> Vec3:
    return operation.fields["x"], operation.fields["y"], operation.fields["z"]


def _times(vector: Vec3, factor: float) -> Vec3:
    return vector[0] * factor, vector[1] * factor, vector[2] * factor


def _chain(corners: Sequence[Vec2]) -> tuple[Segment, ...]:
    return tuple(Line(a, b) for a, b in zip(corners, [*corners[1:], corners[0]], strict=True))


def _placed(section: _Section, degrees: float, offset: Vec2) -> _Section:
    """A section turned about its origin, then moved in its plane."""
    sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))

    def at(point: Vec2) -> Vec2:
        x, y = point
        return x * cosine - y * sine + offset[0], x * sine + y * cosine + offset[1]

    def carried(segment: Segment) -> Segment:
        if isinstance(segment, Arc):
            return Arc(at(segment.start), at(segment.end), at(segment.center), segment.ccw)
        return Line(at(segment.start), at(segment.end))

    return replace(section, segments=tuple(carried(segment) for segment in section.segments))


def _lowest_x(segment: Segment) -> float:
    """A bound of a segment's x; arcs come from whole circles alone."""
    if isinstance(segment, Arc):
        return segment.center[0] - math.dist(segment.start, segment.center)
    return min(segment.start[0], segment.end[0])
