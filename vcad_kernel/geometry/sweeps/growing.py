"""What grows out of a profile, in the coordinates of its plane: one prism or turned body of each outline.

Both kernels build it there and then carry it onto the plane, so that caps of several outlines meet exactly
however the plane leans.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from vcad_kernel.geometry.placement import IDENTITY, Matrix, compose
from vcad_kernel.geometry.solid import geometry_error
from vcad_kernel.geometry.sweeps.planes import Plane, matrix_onto
from vcad_kernel.geometry.tolerance import IN_PLANE
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.growing import Pull, Spin
from vcad_kernel.operations.node import NodeId, Vec3
from vcad_kernel.operations.sweeps import Extrude, Revolve, Sweep

__all__ = ["Grown", "grown_from"]

Grown: TypeAlias = Extrude | Revolve | Sweep
"""What is made of each outline in the plane's coordinates; of which sketch plays no part."""


def grown_from(document: Document, node: NodeId, plane: Plane) -> tuple[Grown, Matrix]:
    """What a node makes of outlines in the coordinates of a plane, and what carries that to where it stands.

    Raises: GeometryError INVALID_PARAMETER for a direction that lies in the plane.
    """
    value = document.nodes[node]
    place = matrix_onto(plane)
    match value:
        case Extrude():
            along = _local(plane, value.direction)
            return Extrude(value.sketch, along, value.twist_angle, value.scale_end), place
        case Revolve():
            origin = np.array(value.axis_origin) - plane.origin
            return (
                Revolve(
                    value.sketch, _local(plane, tuple(origin)), _local(plane, value.axis_dir), value.angle_deg
                ),
                place,
            )
        case Pull():
            direction = _pull_direction(document, node, value, plane)
            if value.both:
                back = np.column_stack([np.eye(3), -0.5 * np.array(direction)])
                place = compose(place, back)
            twist = math.radians(value.twist) if value.twist else None
            return Extrude(value.sketch, direction, twist), place
        case Spin():
            (u, v), (p, q) = value.axis_origin, value.axis_dir
            way = math.copysign(1.0, value.angle_deg)
            axis = (way * p, way * q, 0.0)
            return Revolve(value.sketch, (u, v, 0.0), axis, abs(value.angle_deg)), place
    assert isinstance(value, Sweep)
    # a path says where its sections stand
    return value, IDENTITY


def _pull_direction(document: Document, node: NodeId, value: Pull, plane: Plane) -> Vec3:
    if value.along is None:
        return (0.0, 0.0, value.height)
    u, v, up = _local(plane, value.along)
    if abs(up) < IN_PLANE * math.hypot(u, v, up):
        message = ":along lies in the plane of the profile, where nothing grows"
        raise geometry_error(document, node, "INVALID_PARAMETER", message, argument="along")
    stretch = value.height / up
    return (stretch * u, stretch * v, value.height)


def _local(plane: Plane, vector: Vec3 | tuple[float, ...]) -> Vec3:
    x, y, z = (float(np.asarray(vector) @ axis) for axis in (plane.x, plane.y, plane.normal))
    return (x, y, z)
