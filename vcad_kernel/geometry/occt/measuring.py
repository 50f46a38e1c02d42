"""Exact figures of a body (cad.md §8): integrals over its faces, its true extent, and how it hangs together.

Volume, area and centre are right to 1e-6 of themselves (much better on elementary faces); cavities
count negative. Nothing is taken from a mesh but the place where the search for an extreme begins.
"""

from __future__ import annotations

import numpy as np
from OCP.BRep import BRep_Tool
from OCP.TopAbs import TopAbs_EDGE, TopAbs_SHELL, TopAbs_VERTEX, TopAbs_WIRE
from OCP.TopoDS import TopoDS, TopoDS_Shape

from vcad_kernel.geometry.components import connected
from vcad_kernel.geometry.occt.brep import Brep, faces_of, shape_map, solids_of
from vcad_kernel.geometry.occt.extents import extent
from vcad_kernel.geometry.occt.validity import area_of, volume_properties
from vcad_kernel.geometry.solid import ExactFigures
from vcad_kernel.geometry.tolerance import EMPTY_VOLUME

__all__ = ["measured"]

_NOTHING = ExactFigures(0.0, 0.0, None, None, None, 0, 0, 0)


def measured(brep: Brep | None) -> ExactFigures:
    """The figures of a body; None = the empty solid."""
    if brep is None:
        return _NOTHING
    bounds = extent(brep)
    volume = volume_properties(brep.shape)
    if volume.Mass() <= EMPTY_VOLUME:
        return _NOTHING
    centre, inertia = volume.CentreOfMass(), volume.MatrixOfInertia()
    rows = [tuple(float(inertia.Value(row, column)) for column in (1, 2, 3)) for row in (1, 2, 3)]
    genus, shells = _topology(brep.shape)
    return ExactFigures(
        volume=float(volume.Mass()),
        surface_area=area_of(brep.shape),
        bounds=bounds,
        center_of_mass=(centre.X(), centre.Y(), centre.Z()),
        inertia=(rows[0], rows[1], rows[2]),  # type: ignore[arg-type]
        genus=genus,
        lumps=len(solids_of(brep.shape)),
        shells=shells,
    )


def _topology(shape: TopoDS_Shape) -> tuple[int, int]:
    """Genus, summed over the components of the boundary, and the number of those.

    Euler: vertices − edges + faces, where a face with n borders counts 2 − n and edges that are
    points (poles, apexes) do not count.
    """
    twice, count = 0, 0
    shells = shape_map(shape, TopAbs_SHELL)
    for index in range(1, shells.Extent() + 1):
        for faces in _components(shells.FindKey(index)):
            vertices: set[int] = set()
            edges: set[int] = set()
            euler = 0
            for face in faces:
                euler += 2 - shape_map(face, TopAbs_WIRE).Extent()
                vertices.update(_numbers(face, TopAbs_VERTEX))
                edges.update(_numbers(face, TopAbs_EDGE))
            twice += 2 - (euler + len(vertices) - len(edges))
            count += 1
    return twice // 2, count


def _numbers(shape: TopoDS_Shape, kind: object) -> list[int]:
    """Identities of the sub-shapes of a kind, leaving out edges that are points."""
    found = shape_map(shape, kind)
    parts = [found.FindKey(index) for index in range(1, found.Extent() + 1)]
    if kind == TopAbs_EDGE:
        parts = [part for part in parts if not BRep_Tool.Degenerated_s(TopoDS.Edge(part))]
    return [hash(part) for part in parts]


def _components(shell: TopoDS_Shape) -> list[list[TopoDS_Shape]]:
    """The faces of a shell, grouped by what hangs together through edges."""
    faces = faces_of(shell)
    first_with: dict[int, int] = {}
    one, other = [], []
    for index, face in enumerate(faces):
        for edge in _numbers(face, TopAbs_EDGE):
            one.append(index)
            other.append(first_with.setdefault(edge, index))
    labels = connected(len(faces), np.array(one, np.int64), np.array(other, np.int64))
    return [[faces[index] for index in np.flatnonzero(labels == label)] for label in np.unique(labels)]
