"""What grows out of a profile, in the coordinates of its plane: one prism or turned body of each outline.

Both kernels build it there and then carry it onto the plane, so that caps of several outlines meet exactly
however the plane leans.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.placement import IDENTITY, Matrix, compose
from vcad_kernel.geometry.solid import geometry_error
from vcad_kernel.geometry.sweeps.planes import Plane, matrix_onto
from vcad_kernel.geometry.tolerance import IN_PLANE
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.features.on_bodies import BossTo, CutThrough, OnBody, PocketTo
from vcad_kernel.operations.node import NodeId, Vec3
from vcad_kernel.operations.solids.growing import Pull, Spin
from vcad_kernel.operations.solids.sweeps import Extrude, Revolve, Sweep

__all__ = ["Growing", "Grown", "Span", "gap_to_fill", "grown_from", "span_of", "walls_to_cut"]

_BEYOND = 0.05
"""Of its size, by which a prism that passes all of a body reaches beyond it."""
_AT_PLANE = 1e-5
"""Millimetres from the plane, or from where a prism ends, within which a piece of it counts as there."""

Grown: TypeAlias = Extrude | Revolve | Sweep
"""What is made of each outline in the plane's coordinates; of which sketch plays no part."""
Growing: TypeAlias = Grown | Pull | Spin
"""What makes a body of each outline of a profile."""
Span: TypeAlias = tuple[float, float]
"""From where to where along the plane's normal, mm."""


def grown_from(document: Document, node: NodeId, value: Growing, plane: Plane) -> tuple[Grown, Matrix]:
    """What a node makes of outlines in the coordinates of a plane, and what carries that to where it stands.

    value: the node's, or what it comes to.

    Raises: GeometryError INVALID_PARAMETER for a direction that lies in the plane.
    """
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


# ---------------------------------------------------------------- as far as a body says


def span_of(node: OnBody, plane: Plane, box: NDArray[np.float64]) -> Span:
    """How far a prism must go that passes all of a body, on the side on which the node works.

    box: (2, 3), lowest and highest corner of the body.
    """
    corners = np.array(list(itertools.product(*box.T)))
    heights = (corners - plane.origin) @ plane.normal
    beyond = _BEYOND * math.dist(*box) + 1.0
    low, high = min(float(heights.min()), 0.0) - beyond, max(float(heights.max()), 0.0) + beyond
    if isinstance(node, BossTo):
        return 0.0, high
    return low, high if isinstance(node, CutThrough) and node.both else 0.0


def gap_to_fill(document: Document, node: NodeId, pieces: Sequence[Span], end: float) -> list[int]:
    """Which pieces of a prism less the body fill the gap above a profile, by their heights; end: the prism's.

    Raises: GeometryError OPEN_ENDED where nothing ends it, NOTHING_MET where nothing is free.
    """
    value = document.nodes[node]
    assert isinstance(value, BossTo)
    at_profile = [at for at, (low, _) in enumerate(pieces) if low <= _AT_PLANE]
    bounded = [at for at, (_, high) in enumerate(pieces) if high < end - _AT_PLANE]
    if not at_profile:
        message = f"the profile lies within the body, with nothing to fill up to the {value.end} face"
        raise geometry_error(
            document,
            node,
            "NOTHING_MET",
            message,
            argument="face",
            fix="name a face that has free space above the profile",
        )
    if not {*at_profile} <= {*bounded}:
        message = f":{value.end} needs a face of the body above all of the profile, and part of it meets none"
        raise geometry_error(
            document,
            node,
            "OPEN_ENDED",
            message,
            argument="h",
            fix="give a height in mm, or move the profile to where the body covers it",
        )
    return at_profile if value.end == "next" else bounded


def walls_to_cut(document: Document, node: NodeId, pieces: Sequence[Span]) -> list[int]:
    """Which pieces of the body within a prism below a profile a pocket takes, by their heights.

    Raises: GeometryError NOTHING_MET where the body is not at the profile.
    """
    value = document.nodes[node]
    assert isinstance(value, PocketTo)
    if value.end == "last":
        return [*range(len(pieces))]
    first = [at for at, (_, high) in enumerate(pieces) if high >= -_AT_PLANE]
    if not first:
        raise geometry_error(
            document,
            node,
            "NOTHING_MET",
            ":next finds nothing of the body at the profile",
            argument="depth",
            fix="move the profile onto the face, or go through all that is below it with :last",
        )
    return first
