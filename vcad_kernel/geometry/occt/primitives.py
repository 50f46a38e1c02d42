"""The primitives as B-reps: elementary surfaces, placed as cad.md §2.1 places them.

Their own sizes take up a stretch, so that faces stay planes, cylinders and cones. That earns its place by
`test_stretched_primitives_let_a_perforated_plate_be_hollowed`: with holes that OpenCASCADE has turned into
B-splines the plate is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from msgspec.structs import replace
from OCP.BRepPrimAPI import (
    BRepPrimAPI_MakeBox,
    BRepPrimAPI_MakeCone,
    BRepPrimAPI_MakeCylinder,
    BRepPrimAPI_MakePrism,
    BRepPrimAPI_MakeSphere,
    BRepPrimAPI_MakeTorus,
)
from OCP.TopoDS import TopoDS_Shape

from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.distances.meetings import of_volume
from vcad_kernel.geometry.occt.sweeps.profiles.sketches import face_of, vector_of
from vcad_kernel.geometry.placement import Matrix
from vcad_kernel.geometry.sweeps.planes import Plane
from vcad_kernel.geometry.sweeps.profiles.profile import circle_points
from vcad_kernel.operations.node import Node, Vec2, Vec3
from vcad_kernel.operations.profiles.sketches import Line
from vcad_kernel.operations.solids.shapes import Cone, Cube, Cylinder, Prism, Sphere, Torus, Wedge

__all__ = ["PRIMITIVES", "cone", "cube", "cylinder", "prism", "sphere", "taken_up", "torus", "wedge"]

PRIMITIVES = (Cone, Cube, Cylinder, Prism, Sphere, Torus, Wedge)
_SAME_RADIUS = 1e-7
"""OpenCASCADE takes a cone of radii nearer than this for a mistake."""


def _made(build: Build, make: Callable[[], TopoDS_Shape]) -> Brep:
    try:
        return Brep.made(make(), build.maker)
    except OCCT_ERRORS:
        raise build.fault(
            "INVALID_PARAMETER", "the body is too small for an exact solid", failed=False
        ) from None


def cube(build: Build, node: Cube, _operands: Operands) -> Brep:
    """Box with a corner at the origin."""
    x, y, z = node.size
    body = _made(build, lambda: BRepPrimAPI_MakeBox(x, y, z).Solid())
    return of_volume(body, x * y * z)


def cylinder(build: Build, node: Cylinder, _operands: Operands) -> Brep:
    """Cylinder standing on the origin."""
    body = _made(build, lambda: BRepPrimAPI_MakeCylinder(node.radius, node.height).Solid())
    return of_volume(body, math.pi * node.radius**2 * node.height)


def sphere(build: Build, node: Sphere, _operands: Operands) -> Brep:
    """Ball about the origin."""
    body = _made(build, lambda: BRepPrimAPI_MakeSphere(node.radius).Solid())
    return of_volume(body, 4.0 / 3.0 * math.pi * node.radius**3)


def cone(build: Build, node: Cone, _operands: Operands) -> Brep:
    """Frustum standing on the origin; nearly equal radii are a cylinder to OpenCASCADE too."""
    # so small a radius is an apex, and so small a difference no cone
    bottom, top = (
        0.0 if radius <= _SAME_RADIUS else radius for radius in (node.radius_bottom, node.radius_top)
    )
    if abs(bottom - top) <= _SAME_RADIUS:
        return _made(build, lambda: BRepPrimAPI_MakeCylinder(bottom, node.height).Solid())
    return _made(build, lambda: BRepPrimAPI_MakeCone(bottom, top, node.height).Solid())


def torus(build: Build, node: Torus, _operands: Operands) -> Brep:
    """Ring about +Z, centred at the origin."""
    return _made(build, lambda: BRepPrimAPI_MakeTorus(node.major_radius, node.minor_radius).Solid())


def _standing(build: Build, corners: Sequence[Vec2], plane: Plane, along: Vec3) -> Brep:
    sides = zip(corners, [*corners[1:], corners[0]], strict=True)
    lines = [Line(start, end) for start, end in sides]
    return _made(build, lambda: BRepPrimAPI_MakePrism(face_of(lines, plane), vector_of(along)).Shape())


def wedge(build: Build, node: Wedge, _operands: Operands) -> Brep:
    """Right-triangular prism: its section is (0, 0), (x, 0), (0, z) of the XZ plane."""
    x, y, z = node.size
    # seen from −Y, so that the prism grows along the normal's far side
    plane = Plane(np.zeros(3), np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0]))
    return _standing(build, [(0.0, 0.0), (z, 0.0), (0.0, x)], plane, (0.0, y, 0.0))


def prism(build: Build, node: Prism, _operands: Operands) -> Brep:
    """Regular prism standing on the origin, a corner on +X."""
    corners = [
        (float(u), float(v)) for u, v in node.radius * circle_points(np.arange(node.sides), node.sides)
    ]
    plane = Plane(np.zeros(3), np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    return _standing(build, corners, plane, (0.0, 0.0, node.height))


_SQUARE = 1e-12
"""Cosine between axes that are square but for rounding; relative difference of equal lengths."""


def taken_up(node: Node, matrix: Matrix) -> tuple[Node, Matrix] | None:
    """Another primitive and a matrix without stretch that together are this one under ``matrix``.

    None when there is none: the matrix shears, or would flatten circles.
    """
    linear = matrix[:, :3]
    lengths = np.linalg.norm(linear, axis=0)
    # lengths of the columns are the stretch, their directions a rotation: only where they are square
    axes = linear / lengths
    if np.any(np.abs(axes.T @ axes - np.eye(3)) > _SQUARE):
        return None
    x, y, z = (float(length) for length in lengths)
    # circles about Z stay circles where x and y are stretched alike
    across = x if abs(x - y) <= _SQUARE * x else None
    other: Node
    match node:
        case Cube(size):
            other = Cube((x * size[0], y * size[1], z * size[2]))
        case Wedge(size):
            other = Wedge((x * size[0], y * size[1], z * size[2]))
        case Cylinder() if across is not None:
            other = replace(node, radius=across * node.radius, height=z * node.height)
        case Prism() if across is not None:
            other = replace(node, radius=across * node.radius, height=z * node.height)
        case Cone() if across is not None:
            other = replace(
                node,
                radius_bottom=across * node.radius_bottom,
                radius_top=across * node.radius_top,
                height=z * node.height,
            )
        case Sphere() if across is not None and abs(x - z) <= _SQUARE * x:
            other = replace(node, radius=x * node.radius)
        case Torus() if across is not None and abs(x - z) <= _SQUARE * x:
            other = replace(node, major_radius=x * node.major_radius, minor_radius=x * node.minor_radius)
        case _:
            return None
    return other, np.hstack([axes, matrix[:, 3:]])
