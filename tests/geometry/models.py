"""Short ways to write documents in tests: a value per solid, evaluated on the mesh kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vcad_kernel.geometry.evaluate import EvaluationOptions, Scene, evaluate
from vcad_kernel.geometry.measure.figures import Figures
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.ir.document import Document, DocumentBuilder
from vcad_kernel.operations.bodies.booleans import Difference, Intersection, Union
from vcad_kernel.operations.bodies.transforms import Translate
from vcad_kernel.operations.node import Node, NodeId, Vec2, Vec3
from vcad_kernel.operations.profiles.sketches import Arc, Line, Segment, Sketch2D
from vcad_kernel.operations.solids.shapes import Cube, Empty

Solid = Callable[[DocumentBuilder], NodeId]
"""A solid as a recipe: adds its nodes to a builder and says which is the top."""

XY = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
XZ = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
FINE = EvaluationOptions(Tessellation(segments=128))
"""Circles of 128 sides, as the conformance run of the mesh kernel has them."""


def solid(kind: Callable[..., Node], *children: Solid, **fields: object) -> Solid:
    """``solid(Translate, box, offset=(1.0, 0.0, 0.0))``."""

    def add(builder: DocumentBuilder) -> NodeId:
        return builder.add(kind(*[child(builder) for child in children], **fields))

    return add


def box(x: float, y: float, z: float, at: Vec3 = (0.0, 0.0, 0.0)) -> Solid:
    cube = solid(Cube, size=(x, y, z))
    return cube if at == (0.0, 0.0, 0.0) else solid(Translate, cube, offset=at)


def union(a: Solid, b: Solid) -> Solid:
    return solid(Union, a, b)


def difference(a: Solid, b: Solid) -> Solid:
    return solid(Difference, a, b)


def intersection(a: Solid, b: Solid) -> Solid:
    return solid(Intersection, a, b)


EMPTY = solid(Empty)


def polygon(points: Sequence[Vec2], plane: tuple[Vec3, Vec3, Vec3] = XY) -> Solid:
    corners = [(float(u), float(v)) for u, v in points]
    sides = zip(corners, corners[1:] + corners[:1], strict=True)
    return sketch(tuple(Line(start, end) for start, end in sides), plane)


def circle(radius: float, center: Vec2 = (0.0, 0.0), plane: tuple[Vec3, Vec3, Vec3] = XY) -> Solid:
    u, v = center
    right, left = (u + radius, v), (u - radius, v)
    return sketch((Arc(right, left, center, True), Arc(left, right, center, True)), plane)


def sketch(segments: tuple[Segment, ...], plane: tuple[Vec3, Vec3, Vec3] = XY) -> Solid:
    origin, x, y = plane
    return solid(Sketch2D, origin=origin, x_dir=x, y_dir=y, segments=segments)


def document(*roots: Solid) -> Document:
    builder = DocumentBuilder()
    for root in roots:
        builder.add_root(root(builder))
    return builder.build()


def scene(*roots: Solid, options: EvaluationOptions | None = None) -> Scene:
    result = evaluate(document(*roots), options)
    result.raise_first()
    return result


def figures(root: Solid, options: EvaluationOptions | None = None) -> Figures:
    return scene(root, options=options).parts[0].figures


def mesh_figures(root: Solid, options: EvaluationOptions | None = None) -> Figures:
    return scene(root, options=options).parts[0].mesh_figures


def mesh(root: Solid, options: EvaluationOptions | None = None) -> TriMesh:
    return scene(root, options=options).parts[0].mesh
