"""How far a mesh is from the faces that it stands for, measured and not promised.

For elementary surfaces the distance of the middles of triangles and of their sides is in closed form.
Other faces are evaluated at the middles of the parameters of some sides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.GeomAbs import GeomAbs_Cone, GeomAbs_Cylinder, GeomAbs_Plane, GeomAbs_Sphere, GeomAbs_Torus
from OCP.gp import gp_Ax3
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS_Face

__all__ = ["chord_of"]

_MOST_SAMPLES = 300
"""Sides looked at on a face without closed form."""

_Points = NDArray[np.float64]


def chord_of(
    faces: Sequence[TopoDS_Face], nodes: Sequence[_Points], triangles: Sequence[NDArray[np.int64]]
) -> float:
    """Largest distance between triangles and their faces, millimetres; 0 when all faces are flat.

    nodes, triangles: of each face, as read from its triangulation.
    """
    worst = 0.0
    for face, points, corners in zip(faces, nodes, triangles, strict=True):
        surface = BRepAdaptor_Surface(face, False)
        kind = surface.GetType()
        if kind == GeomAbs_Plane or len(corners) == 0:
            continue
        distance = _DISTANCES.get(kind)
        if distance is None:
            worst = max(worst, _sampled(face, surface, points, corners))
        else:
            triples = points[corners]
            middles = [triples.mean(axis=1), 0.5 * (triples + np.roll(triples, 1, axis=1)).reshape(-1, 3)]
            worst = max(worst, float(distance(surface, np.vstack([points[:1], *middles])).max()))
    return worst


def _local(axes: gp_Ax3, points: _Points) -> tuple[_Points, _Points]:
    """Distance from the axis and height along it."""
    origin, way = axes.Location(), axes.Direction()
    offset = points - (origin.X(), origin.Y(), origin.Z())
    along = np.array([way.X(), way.Y(), way.Z()])
    height = offset @ along
    return np.asarray(np.linalg.norm(offset - height[:, None] * along, axis=1)), height


def _to_cylinder(surface: BRepAdaptor_Surface, points: _Points) -> _Points:
    cylinder = surface.Cylinder()
    return np.asarray(np.abs(_local(cylinder.Position(), points)[0] - cylinder.Radius()))


def _to_cone(surface: BRepAdaptor_Surface, points: _Points) -> _Points:
    cone = surface.Cone()
    radius, height = _local(cone.Position(), points)
    tilt = cone.SemiAngle()
    return np.asarray(np.abs(radius - np.abs(cone.RefRadius() + height * np.tan(tilt))) * np.cos(tilt))


def _to_sphere(surface: BRepAdaptor_Surface, points: _Points) -> _Points:
    sphere = surface.Sphere()
    centre = sphere.Location()
    offset = points - (centre.X(), centre.Y(), centre.Z())
    return np.asarray(np.abs(np.linalg.norm(offset, axis=1) - sphere.Radius()))


def _to_torus(surface: BRepAdaptor_Surface, points: _Points) -> _Points:
    torus = surface.Torus()
    radius, height = _local(torus.Position(), points)
    return np.asarray(np.abs(np.hypot(radius - torus.MajorRadius(), height) - torus.MinorRadius()))


_DISTANCES: dict[object, Callable[[BRepAdaptor_Surface, _Points], _Points]] = {
    GeomAbs_Cylinder: _to_cylinder,
    GeomAbs_Cone: _to_cone,
    GeomAbs_Sphere: _to_sphere,
    GeomAbs_Torus: _to_torus,
}


def _sampled(
    face: TopoDS_Face, surface: BRepAdaptor_Surface, points: _Points, corners: NDArray[np.int64]
) -> float:
    triangulation = BRep_Tool.Triangulation_s(face, TopLoc_Location())
    if triangulation is None or not triangulation.HasUVNodes():
        return 0.0
    sides = np.vstack([corners[:, :2], corners[:, 1:]])
    sides = sides[:: -(-len(sides) // _MOST_SAMPLES)]
    worst = 0.0
    for one, other in sides.tolist():
        start, end = triangulation.UVNode(one + 1), triangulation.UVNode(other + 1)
        there = surface.Value(0.5 * (start.X() + end.X()), 0.5 * (start.Y() + end.Y()))
        middle = 0.5 * (points[one] + points[other])
        worst = max(worst, float(np.linalg.norm(middle - (there.X(), there.Y(), there.Z()))))
    return worst
