"""How far a mesh is from the faces that it stands for, measured and not promised.

For elementary surfaces the distance of the middles of triangles and of their sides is in closed form.
Other faces are evaluated at the middles of the parameters of some sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.GeomAbs import GeomAbs_Plane
from OCP.TopoDS import TopoDS_Face

from vcad_kernel.geometry.occt.elementary import ELEMENTARY, Elementary
from vcad_kernel.geometry.occt.triangulations import FaceMesh

__all__ = ["chord_of"]

_PLANE = GeomAbs_Plane.value
_MOST_SAMPLES = 300
"""Sides looked at on a face without closed form."""


def chord_of(faces: Sequence[TopoDS_Face], meshes: Iterable[FaceMesh | None]) -> float:
    """Largest distance between triangles and their faces, millimetres; 0 when all faces are flat."""
    worst = 0.0
    alike: dict[Elementary, list[tuple[FaceMesh, list[float]]]] = {}
    for face, mesh in zip(faces, meshes, strict=True):
        surface = BRepAdaptor_Surface(face, False)
        kind = surface.GetType().value
        if kind == _PLANE or mesh is None or len(mesh.triangles) == 0:
            continue
        elementary = ELEMENTARY.get(kind)
        if elementary is None:
            worst = max(worst, _sampled(surface, mesh))
        else:
            alike.setdefault(elementary, []).append((mesh, elementary.numbers(surface)))
    # faces of a kind all at once: most are so small that the call of an operation costs more than it does
    for elementary, members in alike.items():
        worst = max(worst, _farthest(members, elementary))
    return worst


def _farthest(members: Sequence[tuple[FaceMesh, list[float]]], elementary: Elementary) -> float:
    counts = [len(mesh.triangles) for mesh, _ in members]
    surfaces = np.repeat(np.array([numbers for _, numbers in members]).T, counts, axis=1)
    triples = np.concatenate([mesh.nodes[mesh.triangles - 1] for mesh, _ in members])
    # x, y and z of the three corners, each in a row
    a, b, c = np.ascontiguousarray(triples.transpose(1, 2, 0))
    samples = (a, 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a), (a + b + c) / 3.0)
    return max(float(elementary.distance(points, surfaces).max()) for points in samples)


def _sampled(surface: BRepAdaptor_Surface, mesh: FaceMesh) -> float:
    if len(mesh.parameters) == 0:
        return 0.0
    sides = np.vstack([mesh.triangles[:, :2], mesh.triangles[:, 1:]]) - 1
    sides = sides[:: -(-len(sides) // _MOST_SAMPLES)]
    places = mesh.parameters[sides].mean(axis=1)
    there = np.array([surface.Value(u, v).Coord() for u, v in places.tolist()])
    return float(np.linalg.norm(mesh.nodes[sides].mean(axis=1) - there, axis=1).max())
