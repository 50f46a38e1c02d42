"""Paths that stand on faces: where a face lies is known while building, and so is the path."""

from __future__ import annotations

import numpy as np

from vcad_kernel.geometry.placement import Matrix, enlargement, is_transform, matrix_of
from vcad_kernel.geometry.solid import check_parameters, geometry_error
from vcad_kernel.geometry.sweeps.planes import matrix_onto
from vcad_kernel.geometry.sweeps.profiles.regions import Source, read_plane
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.numbers import ParameterFault
from vcad_kernel.operations.planes import OnPath
from vcad_kernel.operations.profiles.path_transforms import Motion, path_moved
from vcad_kernel.operations.profiles.paths import DrawnPath, Path, WrittenPath
from vcad_kernel.operations.solids.sweeps import Sweep, SweepOn

__all__ = ["read_path", "swept_on"]


def swept_on(document: Document, node: NodeId, source: Source) -> Sweep:
    """The sweep along a path that stands on a face, its path in the coordinates of the world.

    Raises: as `read_path`, and for a path along which nothing is swept.
    """
    value = document.nodes[node]
    assert isinstance(value, SweepOn)
    path = read_path(document, value.path, source)
    try:
        if isinstance(path, DrawnPath):
            path.check_swept()
    except ParameterFault as fault:
        raise geometry_error(document, node, fault.code, fault.message, argument=fault.argument) from None
    return Sweep(value.sketch, path)


def read_path(document: Document, top: NodeId, source: Source) -> Path:
    """The path of a node in the coordinates of the world.

    Raises: GeometryError for what is no path, a plane that is not one face's, a motion that a path cannot
    make, and what the source raises.
    """
    motions: list[tuple[NodeId, Motion]] = []
    here = top
    while True:
        check_parameters(document, here)
        node = document.nodes[here]
        if isinstance(node, WrittenPath):
            break
        if isinstance(node, OnPath):
            plane = read_plane(document, node.plane, source)
            motions.append((here, _motion(matrix_onto(plane))))
            here = node.path
        elif node.GIVES == "Path" and is_transform(node):
            motions.append((here, _motion(matrix_of(node), enlargement(node))))
            (here,) = node.children()
        else:
            message = "a path is expected here, made by path-2d"
            raise geometry_error(document, here, "TYPE_MISMATCH", message)
    path = node.path
    if motions and not isinstance(path, DrawnPath):
        message = "k must be a path of path-2d; the others lie where their points are"
        raise geometry_error(document, here, "INVALID_PARAMETER", message, argument="k")
    for at, motion in reversed(motions):
        try:
            path = path_moved(path, motion)
        except ParameterFault as fault:
            raise geometry_error(document, at, fault.code, fault.message, argument=fault.argument) from None
    return path


def _motion(matrix: Matrix, size: float = 1.0) -> Motion:
    rows, (a, b, c) = np.asarray(matrix), matrix[:, 3].tolist()
    first, second, third = ((float(row[0]), float(row[1]), float(row[2])) for row in rows)
    return Motion((first, second, third), (a, b, c), size)
