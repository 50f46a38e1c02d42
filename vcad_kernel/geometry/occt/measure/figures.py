"""Exact figures of a body (cad.md §8): integrals over its faces, its true extent, and how it hangs together.

Volume, area, centre, inertia and box are right to 1e-9, boxes of splines to 1e-8; cavities count negative.
Nothing is taken from a mesh but the place where the search for an extreme begins.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepTools import BRepTools_WireExplorer
from OCP.GeomAbs import GeomAbs_Plane
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
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import BoundaryNumbers, boundary_numbers
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import is_free_form, length_of, mean_bend
from vcad_kernel.geometry.occt.measure.validity import area_of
from vcad_kernel.geometry.solid import ExactFigures
from vcad_kernel.geometry.tolerance import EMPTY_VOLUME, LINEAR, REFEREE_SIDES

__all__ = ["measured"]

_SQUARE = 1e-14
"""How far from 1 the part of a unit normal along an axis may be."""
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
    others, borders = [], ShapeMap()
    for face, maker in zip(faces_of(brep.shape), brep.makers, strict=True):
        away = brep.deviations.get(maker, 0.0) if is_free_form(face) else 0.0
        if away:
            own, edges = rough_area(face), edges_of(face)
            worst = max(worst, away)
            volume += away * own
            area += away * (own * mean_bend(face) + sum(map(length_of, edges)))
            for edge in edges:
                borders.Add(edge)
        else:
            others.append(face)
    if volume <= CLAIMED * mass.volume and area <= CLAIMED * mass.area:
        return 0.0
    is_outermost = bool(np.any(np.abs(_reached(others, borders) - bounds) > LINEAR))
    return worst if is_outermost else max(volume / mass.area, area * mass.volume / mass.area**2)


def _reached(faces: Sequence[TopoDS_Face], borders: ShapeMap) -> NDArray[np.float64]:
    """The box (2, 3) of faces as far as it does not depend on some borders: of those that have none of them,
    and where planes lie that are square to an axis."""
    apart = [face for face in faces if not any(map(borders.Contains, edges_of(face)))]
    reached = np.array(box_of(compound_of(apart)) if apart else [[math.inf] * 3, [-math.inf] * 3])
    for face in faces:
        surface = BRepAdaptor_Surface(face, False)
        if surface.GetType() == GeomAbs_Plane:
            plane = surface.Plane()
            for axis, part in enumerate(plane.Axis().Direction().Coord()):
                if abs(part) > 1.0 - _SQUARE:
                    level = plane.Location().Coord()[axis]
                    reached[:, axis] = min(reached[0, axis], level), max(reached[1, axis], level)
    return reached


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
    numbers = boundary_numbers(shape)
    faces = numbers.faces
    borders = [shape_map(face, TopAbs_WIRE).Extent() for face in faces]
    real = [not is_point for _, _, is_point in numbers.ends]
    for shell in _shells(shape, faces):
        for members in _components(numbers, shell):
            edges = {edge for face in members for edge, _ in numbers.sides[face] if real[edge]}
            corners = _corners(numbers, members)
            if corners is None:
                corners = _walked_corners(shape, [faces[face] for face in members])
            twice += 2 - (corners - len(edges) + sum(2 - borders[face] for face in members))
            count += 1
    return twice // 2, count


def _shells(shape: TopoDS_Shape, faces: Sequence[TopoDS_Face]) -> list[Sequence[int]]:
    """The numbers of the faces of each shell."""
    shells = shape_map(shape, TopAbs_SHELL)
    if shells.Extent() == 1:
        return [range(len(faces))]
    numbered, first = ShapeMap(), list[int]()
    for number, face in enumerate(faces):
        # one that two solids have in common is there twice
        if numbered.Add(face) > len(first):
            first.append(number)
    return [
        [first[numbered.FindIndex(face) - 1] for face in faces_of(shells.FindKey(index))]
        for index in range(1, shells.Extent() + 1)
    ]


def _corners(numbers: BoundaryNumbers, faces: Sequence[int]) -> int | None:
    """How many corners the boundary that these faces form has; None where a walk along its borders must say.

    A corner is a ring of ends of edges, each the next one's neighbour in the border of a face. Where a
    boundary touches itself at one vertex there are several, and a vertex that only lies in a face has
    none: counting vertices would count wrongly.
    """
    ends: list[int] = []
    neighbours: list[int] = []
    for face in faces:
        there: dict[int, list[int]] = {}
        for edge, sign in numbers.sides[face]:
            first, last, is_point = numbers.ends[edge]
            if not (sign and first and last):
                return None
            # all of a pole is one end
            there.setdefault(first, []).append(2 * edge)
            there.setdefault(last, []).append(2 * edge + (not is_point))
        for meeting in there.values():
            # two ends at a vertex are neighbours; four are, too, if a seam has one to either side of it
            if len(meeting) > 2 and not (len(meeting) == 4 and len(set(meeting)) < 4):
                return None
            ends += meeting
            neighbours += [meeting[0]] * len(meeting)
    numbered: dict[int, int] = {}
    near, far = ([numbered.setdefault(end, len(numbered)) for end in row] for row in (ends, neighbours))
    labels = connected(len(numbered), np.array(near, np.int64), np.array(far, np.int64))
    return int(labels.max(initial=-1)) + 1


def _walked_corners(shape: TopoDS_Shape, faces: Sequence[TopoDS_Face]) -> int:
    """The same, by walking along the borders: some touch themselves at a vertex."""
    # numbers in the map of the whole, and not hashes, which can be the same for two parts
    edges = shape_map(shape, TopAbs_EDGE)
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


def _components(numbers: BoundaryNumbers, faces: Sequence[int]) -> list[list[int]]:
    """Faces grouped by what hangs together through edges."""
    first_with: dict[int, int] = {}
    places, partners = [], []
    for place, face in enumerate(faces):
        for edge, _ in numbers.sides[face]:
            if not numbers.ends[edge][2]:
                places.append(place)
                partners.append(first_with.setdefault(edge, place))
    labels = connected(len(faces), np.array(places, np.int64), np.array(partners, np.int64)).tolist()
    groups: dict[int, list[int]] = {}
    for face, label in zip(faces, labels, strict=True):
        groups.setdefault(label, []).append(face)
    return [*groups.values()]
