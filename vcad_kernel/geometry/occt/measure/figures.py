"""Exact figures of a body (cad.md §8): integrals over its faces, its true extent, and how it hangs together.

Volume, area, centre, inertia and box are right to 1e-9, boxes of splines to 1e-8; cavities count negative.
Nothing is taken from a mesh but the place where the search for an extreme begins.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from OCP.BRep import BRep_Tool
from OCP.BRepTools import BRepTools_WireExplorer
from OCP.TopAbs import TopAbs_EDGE, TopAbs_REVERSED, TopAbs_SHELL, TopAbs_WIRE
from OCP.TopoDS import TopoDS, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.mesh.surface.components import connected
from vcad_kernel.geometry.occt.brep import (
    Brep,
    ShapeMap,
    compound_of,
    edges_of,
    faces_of,
    shape_map,
    solids_of,
)
from vcad_kernel.geometry.occt.measure.boxes import Box
from vcad_kernel.geometry.occt.measure.extents import box_of
from vcad_kernel.geometry.occt.measure.integration.masses import CLAIMED, Mass, mass_of, rough_area
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import is_free_form, length_of, mean_bend
from vcad_kernel.geometry.occt.measure.validity import area_of
from vcad_kernel.geometry.solid import ExactFigures
from vcad_kernel.geometry.tolerance import EMPTY_VOLUME, LINEAR, REFEREE_SIDES

__all__ = ["measured"]

_NOTHING = ExactFigures(0.0, 0.0, None, None, None, 0, 0, 0)


def measured(brep: Brep | None, *, faceted: bool = False) -> ExactFigures:
    """The figures of a body; None = the empty solid.

    faceted: it has flat facets in place of curved faces, so that its figures are only near those of the part.
    """
    if brep is None:
        return _NOTHING
    bounds = box_of(brep.shape)
    mass = mass_of(brep.shape)
    if mass.volume <= EMPTY_VOLUME:
        return _NOTHING
    genus, shells = _topology(brep.shape)
    area = area_of(brep.shape)
    return ExactFigures(
        volume=mass.volume,
        surface_area=area,
        bounds=bounds,
        center_of_mass=mass.centre,
        inertia=mass.inertia,
        genus=genus,
        lumps=len(solids_of(brep.shape)),
        shells=shells,
        tolerance=mass.tolerance
        + _deviation(brep, mass, bounds)
        + (_chord_error(bounds) if faceted else 0.0),
    )


def _deviation(brep: Brep, mass: Mass, bounds: Box) -> float:
    """How far free-form faces may be from what was asked for, mm; 0 where no figure is 1e-9 off by that.

    A face that moves by so little encloses its area times that more, and it grows or shrinks by its bend
    times that, and beside its border. Where the other faces are as far out, its share in the boundary
    lessens it.
    """
    if not brep.deviations:
        return 0.0
    worst, volume, area = 0.0, 0.0, 0.0
    others = []
    for face, maker in zip(faces_of(brep.shape), brep.makers, strict=True):
        away = brep.deviations.get(maker, 0.0) if is_free_form(face) else 0.0
        if away:
            own = rough_area(face)
            worst = max(worst, away)
            volume += away * own
            area += away * (own * mean_bend(face) + sum(map(length_of, edges_of(face))))
        else:
            others.append(face)
    if volume <= CLAIMED * mass.volume and area <= CLAIMED * mass.area:
        return 0.0
    if not others:
        return worst
    reached = box_of(compound_of(others))
    is_outermost = bool(np.any(np.abs(np.subtract(reached, bounds)) > LINEAR))
    return worst if is_outermost else max(volume / mass.area, area * mass.volume / mass.area**2)


def _chord_error(bounds: Box) -> float:
    """How far facets may be from the faces that they stand for, mm.

    An arc of angle a over a chord c rises c/2 · tan(a/4); no chord is longer than the body, and a face may be
    curved both ways.
    """
    return math.dist(*bounds) * math.tan(0.5 * math.pi / REFEREE_SIDES)


def _topology(shape: TopoDS_Shape) -> tuple[int, int]:
    """Genus, summed over the components of the boundary, and the number of those.

    Euler: vertices − edges + faces, where a face with n borders counts 2 − n and edges that are
    points (poles, apexes) do not count.
    """
    twice, count = 0, 0
    # numbers in the map of the whole, and not hashes, which can be the same for two parts
    all_edges = shape_map(shape, TopAbs_EDGE)
    shells = shape_map(shape, TopAbs_SHELL)
    for index in range(1, shells.Extent() + 1):
        faces = faces_of(shells.FindKey(index))
        edges_of_face = [_edge_numbers(face, all_edges) for face in faces]
        for members in _components(edges_of_face):
            edges: set[int] = set()
            euler = 0
            for member in members:
                euler += 2 - shape_map(faces[member], TopAbs_WIRE).Extent()
                edges.update(edges_of_face[member])
            euler += _corners([faces[member] for member in members], all_edges)
            twice += 2 - (euler - len(edges))
            count += 1
    return twice // 2, count


def _corners(faces: Sequence[TopoDS_Face], edges: ShapeMap) -> int:
    """How many corners the boundary that these faces form has.

    A corner is a ring of ends of edges, each the next one's neighbour in the border of a face. Where a
    boundary touches itself at one vertex there are several, and a vertex that only lies in a face has
    none: counting vertices would count wrongly.
    """
    leaving, following = [], []
    for face in faces:
        wires = shape_map(face, TopAbs_WIRE)
        for index in range(1, wires.Extent() + 1):
            begins, ends = [], []
            walk = BRepTools_WireExplorer(TopoDS.Wire(wires.FindKey(index)), face)
            while walk.More():
                edge = walk.Current()
                number, back = 2 * (edges.FindIndex(edge) - 1), int(edge.Orientation() == TopAbs_REVERSED)
                begins.append(number + back)
                ends.append(number + 1 - back)
                if BRep_Tool.Degenerated_s(edge):
                    leaving.append(number)
                    following.append(number + 1)
                walk.Next()
            leaving += ends
            following += [*begins[1:], *begins[:1]]
    there, compact = np.unique(np.array([leaving, following], np.int64), return_inverse=True)
    first, second = compact.reshape(2, -1)
    return len(np.unique(connected(len(there), first, second)))


def _edge_numbers(face: TopoDS_Face, whole: ShapeMap) -> list[int]:
    """Numbers of a face's edges in the map of the whole, leaving out those that are points."""
    return [whole.FindIndex(edge) for edge in edges_of(face) if not BRep_Tool.Degenerated_s(edge)]


def _components(edges_of_face: Sequence[Sequence[int]]) -> list[list[int]]:
    """The faces of a shell, grouped by what hangs together through edges."""
    first_with: dict[int, int] = {}
    faces, partners = [], []
    for index, edges in enumerate(edges_of_face):
        for edge in edges:
            faces.append(index)
            partners.append(first_with.setdefault(edge, index))
    labels = connected(len(edges_of_face), np.array(faces, np.int64), np.array(partners, np.int64))
    return [np.flatnonzero(labels == label).tolist() for label in np.unique(labels)]
