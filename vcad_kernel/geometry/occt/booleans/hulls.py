"""Hull: the smallest convex solid around a body.

Exact for bodies with planar faces, whose hull is that of their vertices, and for bodies that are
convex already. The hull of other curved bodies is no solid of this kernel's surfaces. Lengths in mm.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepBuilderAPI import (
    BRepBuilderAPI_MakeFace,
    BRepBuilderAPI_MakePolygon,
    BRepBuilderAPI_MakeSolid,
    BRepBuilderAPI_Sewing,
)
from OCP.BRepLib import BRepLib
from OCP.gp import gp_Dir, gp_Pln, gp_Pnt
from OCP.TopAbs import TopAbs_SHELL, TopAbs_VERTEX
from OCP.TopoDS import TopoDS, TopoDS_Shape

from vcad_kernel.errors import CapabilityUnavailable
from vcad_kernel.geometry.mesh.manifold_kernel import hull_of
from vcad_kernel.geometry.occt.brep import Brep, faces_of, shape_map
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.measure.boxes import quick_box_of
from vcad_kernel.geometry.occt.measure.topology.joints import is_convex, is_planar
from vcad_kernel.geometry.occt.measure.validity import checked, volume_of
from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.operations.bodies.bodies import Hull

__all__ = ["hull"]

_FAILED = "BOOLEAN_FAILED"
_SAME_PLANE = 1e-9
"""Relative to the size of the hull: triangles whose corners are this near to a plane lie in it."""


def hull(build: Build, node: Hull, operands: Operands) -> Brep | None:
    """The convex hull. Raises: CapabilityUnavailable for curved bodies that are not convex."""
    del node
    (body,) = operands
    if body is None:
        return None
    if not all(is_planar(face) for face in faces_of(body.shape)):
        if is_convex(body.shape):
            return body
        raise CapabilityUnavailable(
            "hull: the hull of a curved body exists as a mesh only, not as an exact (B-rep) solid",
            place=build.document.place_of(build.node),
            fix="ask for a mesh, or take the hull of a body with planar faces",
            details={
                "required_capability": "mesh",
                "operation": "hull",
                "node_id": int(build.node),
            },
        )
    vertices = shape_map(body.shape, TopAbs_VERTEX)
    points = [
        BRep_Tool.Pnt_s(TopoDS.Vertex(vertices.FindKey(index))) for index in range(1, vertices.Extent() + 1)
    ]
    corners = np.array([(point.X(), point.Y(), point.Z()) for point in points])
    positions, triangles = hull_of(corners)
    # the library's corners may have lost digits on their way: the body's own are exact
    apart = np.linalg.norm(positions[:, None, :] - corners[None, :, :], axis=2)
    solid = _solid(corners[apart.argmin(axis=1)], np.asarray(triangles, np.int64))
    if solid is None:
        raise build.fault(_FAILED, "the faces of the hull do not fit together")
    low, high = quick_box_of(body.shape)
    volume = (volume_of(body.shape), math.prod(b - a for a, b in zip(low, high, strict=True)))
    return checked(build, Brep.made(solid, build.maker), _FAILED, volume=volume, box=(low, high))


def _solid(positions: NDArray[np.float64], triangles: NDArray[np.int64]) -> TopoDS_Shape | None:
    """Triangles of a convex skin as a solid whose faces are as large as they can be."""
    sewing = BRepBuilderAPI_Sewing(LINEAR)
    for outline, normal in _outlines(positions, triangles):
        polygon = BRepBuilderAPI_MakePolygon()
        for x, y, z in outline:
            polygon.Add(gp_Pnt(x, y, z))
        polygon.Close()
        plane = gp_Pln(gp_Pnt(*outline.mean(axis=0)), gp_Dir(*normal))
        face = BRepBuilderAPI_MakeFace(plane, polygon.Wire(), True)
        if not face.IsDone():
            return None
        sewing.Add(face.Face())
    sewing.Perform()
    shells = shape_map(sewing.SewedShape(), TopAbs_SHELL)
    if shells.Extent() != 1:
        return None
    making = BRepBuilderAPI_MakeSolid(TopoDS.Shell(shells.FindKey(1)))
    if not making.IsDone():
        return None
    solid = making.Solid()
    BRepLib.OrientClosedSolid_s(solid)
    return solid


def _outlines(
    positions: NDArray[np.float64], triangles: NDArray[np.int64]
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """The polygon of each planar face, corners counter-clockwise, with its unit normal."""
    corners = positions[triangles]
    doubled = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(doubled, axis=1)
    spare = _SAME_PLANE * float(np.linalg.norm(np.ptp(positions, axis=0))) + 1e-12
    left = np.ones(len(triangles), dtype=bool)
    outlines = []
    # from the largest triangle down, whose plane is known best
    for index in np.argsort(-sizes):
        if not left[index]:
            continue
        normal = doubled[index] / sizes[index]
        heights = (positions - corners[index, 0]) @ normal
        # by its corners: a sliver may lean out of the plane that its corners lie in
        flat = np.abs(heights) <= 1e3 * spare
        taken = left & flat[triangles].all(axis=1)
        left &= ~taken
        outlines.append((_around(positions, np.flatnonzero(flat), normal, spare), normal))
    return outlines


def _around(
    positions: NDArray[np.float64], inside: NDArray[np.int64], normal: NDArray[np.float64], spare: float
) -> NDArray[np.float64]:
    """The corners of the convex polygon around coplanar points, counter-clockwise (monotone chain)."""
    across = np.eye(3)[int(np.argmin(np.abs(normal)))]
    u = np.cross(normal, across)
    u /= np.linalg.norm(u)
    v = np.cross(normal, u)
    flat = np.stack((positions[inside] @ u, positions[inside] @ v), axis=1)
    order = list(np.lexsort((flat[:, 1], flat[:, 0])))
    ring: list[int] = []
    # the lower chain from left to right, then the upper one back
    for run in (order, order[::-1]):
        chain: list[int] = []
        for index in run:
            while len(chain) > 1 and not _turns_left(flat[chain[-2]], flat[chain[-1]], flat[index], spare):
                chain.pop()
            chain.append(int(index))
        ring += chain[:-1]
    return positions[inside[ring]]


def _turns_left(
    first: NDArray[np.float64], middle: NDArray[np.float64], last: NDArray[np.float64], spare: float
) -> bool:
    """Whether the middle point sticks out to the right of the line from first to last."""
    along, aside = last - first, middle - first
    length = float(np.hypot(along[0], along[1]))
    return float(aside[0] * along[1] - aside[1] * along[0]) > 1e3 * spare * length
