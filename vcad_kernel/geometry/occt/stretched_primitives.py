"""Primitives whose own sizes take up a stretch, so that their faces stay planes, cylinders and cones.

Earns its place by `test_stretched_primitives_let_a_perforated_plate_be_hollowed`: with holes that OpenCASCADE
has turned into B-splines the plate is refused.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vcad_kernel.geometry.placement import Matrix
from vcad_kernel.ir.nodes import Cone, Cube, Cylinder, Node, Prism, Sphere, Torus, Wedge

__all__ = ["taken_up"]

_SQUARE = 1e-12
"""Cosine between axes that are square but for rounding; relative difference of equal lengths."""


def taken_up(node: Node, matrix: Matrix) -> tuple[Node, Matrix] | None:
    """Another primitive and a matrix without stretch that together are this one under ``matrix``.

    None when there is none: the matrix shears, or would flatten circles.
    """
    linear = matrix[:, :3]
    lengths = np.linalg.norm(linear, axis=0)
    axes = linear / lengths
    if np.any(np.abs(axes.T @ axes - np.eye(3)) > _SQUARE):
        return None
    x, y, z = (float(length) for length in lengths)
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
