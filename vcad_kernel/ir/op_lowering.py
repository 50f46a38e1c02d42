"""Documents lowered to the engine profile of op records (cad.md §12.4), for foreign mesh engines.

    data = lower(document, names=("Plate",), ids=("plate",))

Lossy: arcs become chords, patterns become copies, names of nodes are lost. What an engine of this kind
cannot build (features, helices, lofts, meshes, twisted or oblique sweeps) is refused by name.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from vcad_kernel.errors import GeometryError
from vcad_kernel.ir.document import Document
from vcad_kernel.ir.op_bytes import encode_failed
from vcad_kernel.ir.op_engine import record
from vcad_kernel.ir.op_stream import BODY, OpRecord, SceneObject, Stream, object_hash
from vcad_kernel.operations.bodies.bodies import OneSolid
from vcad_kernel.operations.bodies.booleans import Difference, Intersection, Union
from vcad_kernel.operations.bodies.patterns import CircularPattern, LinearPattern
from vcad_kernel.operations.bodies.transforms import Rotate, Scale, Translate
from vcad_kernel.operations.node import Node, NodeId, Vec2, Vec3
from vcad_kernel.operations.profiles.sketches import Arc, Segment, Sketch2D
from vcad_kernel.operations.solids.shapes import Cone, Cube, Cylinder, Empty, Sphere
from vcad_kernel.operations.solids.sweeps import Extrude, Revolve

__all__ = ["lower"]

_CHORD = 0.005
"""Largest distance of a flattened arc from its circle, mm; the fineness of exported files (cad.md §9)."""
_ALIGNED = 1e-9
_TURN = 360.0

Matrix: TypeAlias = tuple[Vec3, Vec3, Vec3]
"""Columns: where x, y and z go."""


def lower(
    document: Document, names: Sequence[str] | None = None, ids: Sequence[str | None] | None = None
) -> bytes:
    """The visible roots of a document as a scene payload.

    names, ids: of the objects, one for each visible root; by default the names of their nodes, and no ids.
    Raises: GeometryError ENCODE_FAILED naming the node that has no standard record.
    """
    lowering = _Lowering(document)
    objects = []
    for ordinal, root in enumerate(root for root in document.roots if root.shown):
        out = lowering.body(root.node)
        if out is None:
            raise encode_failed("an empty solid has no record", root.node)
        name = document.names.get(root.node, "") if names is None else names[ordinal]
        user_id = None if ids is None else ids[ordinal]
        made = next(record for record, number in lowering.records if number == out)
        objects.append(SceneObject(object_hash(BODY, out, made, ordinal, user_id), BODY, out, name))
    return Stream(tuple(objects), tuple(record for record, _ in lowering.records)).to_bytes()


class _Lowering:
    """The records so far; every node of the document is lowered once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self.records: list[tuple[OpRecord, int]] = []
        self._done: dict[NodeId, int | None] = {}

    def body(self, root: NodeId) -> int | None:
        """The id of a node's record, its operands before it; None for the empty solid."""
        pending: list[tuple[NodeId, Iterator[NodeId]]] = [(root, iter(self._operands(root)))]
        while pending:
            node_id, operands = pending[-1]
            operand = next((node for node in operands if node not in self._done), None)
            if operand is not None:
                pending.append((operand, iter(self._operands(operand))))
                continue
            pending.pop()
            if node_id not in self._done:
                self._done[node_id] = self._lowered(node_id)
        return self._done[root]

    def _operands(self, node_id: NodeId) -> list[NodeId]:
        """What a node is made of; a chain of unions is one list."""
        node = self._document.nodes[node_id]
        if isinstance(node, Extrude | Revolve):
            return []
        if not isinstance(node, Union):
            return list(node.children())
        operands: list[NodeId] = []
        pending = [node.right, node.left]
        while pending:
            operand = pending.pop()
            inner = self._document.nodes[operand]
            if isinstance(inner, Union):
                pending += [inner.right, inner.left]
            else:
                operands.append(operand)
        return operands

    def _lowered(self, node_id: NodeId) -> int | None:
        node = self._document.nodes[node_id]
        operands = [self._done[operand] for operand in self._operands(node_id)]
        match node:
            case Empty():
                return None
            case Cube((x, y, z)):
                return self.add("Cube", x=x, y=y, z=z, center=0)
            case Sphere(radius, segments):
                return self.add("Sphere", radius=radius, segments=segments)
            case Cylinder(radius, height, segments):
                return self._cylinder(height, radius, -1.0, segments)
            case Cone(low, high, height, segments):
                return self._cylinder(height, low, high, segments)
            case Union():
                return self._united([operand for operand in operands if operand is not None])
            case Difference():
                a, b = operands
                if a is None or a == b:
                    return None
                return a if b is None else self.add("Subtract", a=a, b=b)
            case Intersection():
                a, b = operands
                if a is None or b is None:
                    return None
                return a if a == b else self.add("Intersect", a=a, b=b)
            case Extrude():
                return self._extrude(node_id, node)
            case Revolve():
                return self._revolve(node_id, node)
            case OneSolid():
                return self._on_one_body(node_id, node, operands[0])
        raise _without_record(node_id, node)

    def _on_one_body(self, node_id: NodeId, node: OneSolid, body: int | None) -> int | None:
        if not isinstance(node, Translate | Rotate | Scale | LinearPattern | CircularPattern):
            raise _without_record(node_id, node)
        if body is None:
            return None
        match node:
            case Translate(_, offset):
                return self._moved(body, offset)
            case Scale(_, (x, y, z)):
                return self.add("Scale", in_=body, x=x, y=y, z=z)
            case Rotate(_, (x, y, z)):
                # the engine turns about x first: one axis at a time leaves no doubt about the order
                for angles in ((0.0, 0.0, z), (0.0, y, 0.0), (x, 0.0, 0.0)):
                    body = self._turned(body, angles)
                return body
            case LinearPattern():
                return self._linear_pattern(node_id, node, body)
            case CircularPattern():
                return self._circular_pattern(node_id, node, body)

    def add(self, name: str, **fields: Any) -> int:
        """Append a record; its id."""
        out = len(self.records) + 1
        self.records.append((record(name, out, **fields), out))
        return out

    def _cylinder(self, height: float, low: float, high: float, segments: int) -> int:
        return self.add("Cylinder", height=height, r_low=low, r_high=high, segments=segments, center=0)

    def _united(self, bodies: Sequence[int]) -> int | None:
        distinct = list(dict.fromkeys(bodies))
        if len(distinct) < 2:
            return distinct[0] if distinct else None
        return self.add("Union", operands=distinct)

    def _moved(self, body: int, offset: Vec3) -> int:
        x, y, z = offset
        return self.add("Translate", in_=body, x=x, y=y, z=z)

    def _turned(self, body: int, angles: Vec3) -> int:
        x, y, z = angles
        return self.add("Rotate", in_=body, x=x, y=y, z=z)

    def _placed(self, body: int, frame: Matrix, origin: Vec3) -> int:
        """The body carried from the world's axes into a frame."""
        angles = _engine_angles(frame)
        if any(angles):
            body = self._turned(body, angles)
        return self._moved(body, origin) if any(origin) else body

    def _linear_pattern(self, node_id: NodeId, node: LinearPattern, body: int) -> int | None:
        if node.count <= 1:
            return body
        direction = _unit(node.direction, node_id)
        copies = [body]
        for index in range(1, node.count):
            copies.append(self._moved(body, _times(direction, index * node.spacing)))
        return self._united(copies)

    def _circular_pattern(self, node_id: NodeId, node: CircularPattern, body: int) -> int | None:
        if node.count <= 1:
            return body
        axis = _unit(node.axis_dir, node_id)
        centred = self._moved(body, _times(node.axis_origin, -1.0)) if any(node.axis_origin) else body
        copies = [body]
        for index in range(1, node.count):
            turned = _about(axis, index * node.angle_deg / node.count)
            copies.append(self._placed(centred, turned, node.axis_origin))
        return self._united(copies)

    def _extrude(self, node_id: NodeId, node: Extrude) -> int:
        if node.twist_angle or node.scale_end not in (None, 1.0):
            raise encode_failed("a twisted or tapered extrusion has no standard record", node_id)
        sketch, frame = self._sketch(node.sketch)
        height = _dot(node.direction, frame[2])
        aside = math.dist(node.direction, _times(frame[2], height))
        if not abs(height) > 0.0 or aside > _ALIGNED * abs(height):
            raise encode_failed("an extrusion not square to its sketch has no standard record", node_id)
        section = self.add("CrossPolygons", contours=[_outline(sketch.segments)])
        body = self.add("Extrude", in_=section, height=abs(height), divisions=0, twist_degrees=0.0)
        base = _times(frame[2], min(height, 0.0))
        return self._placed(body, frame, _plus(sketch.origin, base))

    def _revolve(self, node_id: NodeId, node: Revolve) -> int:
        sketch, frame = self._sketch(node.sketch)
        axis = _unit(node.axis_dir, node_id)
        away = _plus(sketch.origin, _times(node.axis_origin, -1.0))
        if abs(_dot(axis, frame[2])) > _ALIGNED or abs(_dot(away, frame[2])) > 1e-6:
            raise encode_failed("the axis of a revolution must lie in the sketch's plane", node_id)
        out = _cross(axis, frame[2])
        outline = []
        for u, v in _outline(sketch.segments):
            place = _plus(away, _plus(_times(frame[0], u), _times(frame[1], v)))
            outline.append((_dot(place, out), _dot(place, axis)))
        if sum(x for x, _ in outline) < 0.0:
            out = _times(out, -1.0)
            outline = [(-x, y) for x, y in outline]
        if min(x for x, _ in outline) < -1e-6:
            raise encode_failed("the profile of a revolution crosses its axis", node_id)
        section = self.add("CrossPolygons", contours=[_counter_clockwise(outline)])
        body = self.add("Revolve", in_=section, segments=0, degrees=node.angle_deg)
        return self._placed(body, (out, _cross(axis, out), axis), node.axis_origin)

    def _sketch(self, node_id: NodeId) -> tuple[Sketch2D, Matrix]:
        sketch = self._document.nodes[node_id]
        if not isinstance(sketch, Sketch2D) or not sketch.segments:
            raise encode_failed("there is no profile here", node_id)
        x, y = _unit(sketch.x_dir, node_id), _unit(sketch.y_dir, node_id)
        if abs(_dot(x, y)) > _ALIGNED:
            raise encode_failed("a sketch with oblique axes has no standard record", node_id)
        return sketch, (x, y, _cross(x, y))


def _without_record(node_id: NodeId, node: Node) -> GeometryError:
    return encode_failed(f"{node.function} has no standard record", node_id)


# ---------------------------------------------------------------- profiles


def _outline(segments: Sequence[Segment]) -> list[Vec2]:
    """The corners of a closed profile counter-clockwise, arcs as chords."""
    points: list[Vec2] = []
    for segment in segments:
        points.append(segment.start)
        if isinstance(segment, Arc):
            points += _between(segment)
    return _counter_clockwise(points)


def _between(arc: Arc) -> list[Vec2]:
    """Points on an arc strictly between its ends."""
    (x, y), radius = arc.center, math.dist(arc.start, arc.center)
    first = math.atan2(arc.start[1] - y, arc.start[0] - x)
    last = math.atan2(arc.end[1] - y, arc.end[0] - x)
    sweep = (last - first) % math.tau if arc.ccw else -((first - last) % math.tau)
    half = math.acos(max(0.0, 1.0 - _CHORD / radius)) if radius > 0.0 else math.pi
    sides = min(max(math.ceil(math.pi / max(half, 1e-3)), 32), 1024)
    pieces = max(1, math.ceil(sides * abs(sweep) / math.tau))
    angles = [first + sweep * index / pieces for index in range(1, pieces)]
    return [(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles]


def _counter_clockwise(points: list[Vec2]) -> list[Vec2]:
    doubled = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, [*points[1:], points[0]], strict=True))
    return points if doubled >= 0.0 else points[::-1]


# ---------------------------------------------------------------- vectors and frames


def _unit(vector: Vec3, node_id: NodeId) -> Vec3:
    length = math.hypot(*vector)
    if length < 1e-12:
        raise encode_failed("a direction has no length", node_id)
    return _times(vector, 1.0 / length)


def _times(vector: Vec3, factor: float) -> Vec3:
    return vector[0] * factor, vector[1] * factor, vector[2] * factor


def _plus(a: Vec3, b: Vec3) -> Vec3:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _dot(a: Vec3, b: Vec3) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vec3, b: Vec3) -> Vec3:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _about(axis: Vec3, degrees: float) -> Matrix:
    """The right-handed rotation about a unit axis (Rodrigues)."""
    angle = math.radians(degrees)
    sine, cosine = math.sin(angle), math.cos(angle)

    def turned(vector: Vec3) -> Vec3:
        along = _times(axis, _dot(axis, vector) * (1.0 - cosine))
        return _plus(_plus(_times(vector, cosine), _times(_cross(axis, vector), sine)), along)

    return turned((1.0, 0.0, 0.0)), turned((0.0, 1.0, 0.0)), turned((0.0, 0.0, 1.0))


def _engine_angles(frame: Matrix) -> Vec3:
    """Degrees (x, y, z) with Rz·Ry·Rx = the frame: the engine turns about x first, then y, then z."""
    (xx, xy, xz), (_, yy, yz), (_, zy, zz) = frame
    flat = math.hypot(xx, xy)
    y = math.atan2(-xz, flat)
    if flat > 1e-12:
        x, z = math.atan2(yz, zz), math.atan2(xy, xx)
    else:  # pointing straight up or down, x and z turn about the same axis
        x, z = math.atan2(-zy, yy), 0.0
    degrees = (math.degrees(x) + 0.0, math.degrees(y) + 0.0, math.degrees(z) + 0.0)
    return degrees[0], degrees[1], degrees[2]
