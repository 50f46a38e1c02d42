"""Neighbouring faces of one surface become one face, as cad.md §3.1.5 requires before any feature.

Called only where merged faces are needed: it costs about twice what the boolean before it did.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from OCP.BRep import BRep_Tool
from OCP.BRepBuilderAPI import BRepBuilderAPI_Copy, BRepBuilderAPI_MakeFace
from OCP.BRepTools import BRepTools_ReShape
from OCP.GeomAbs import GeomAbs_Sphere
from OCP.ShapeUpgrade import ShapeUpgrade_UnifySameDomain
from OCP.TopAbs import TopAbs_FORWARD
from OCP.TopoDS import TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import Brep, carried, faces_of, solids_of, with_history
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.distances.elementary import ELEMENTARY
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import (
    CIRCLE,
    LINE,
    POINT,
    BoundaryNumbers,
    boundary_numbers,
)
from vcad_kernel.geometry.occt.measure.validity import area_of, is_valid, volume_of

__all__ = ["unified"]

_SAME = 1e-6
"""Relative: merging faces changes neither volume nor area."""
_ALIKE = 1e-3
"""Radians, and part of a length, by which surfaces and curves differ that are surely not one; OpenCASCADE
asks for 1e-12 and 1e-7 mm."""

_SPHERE = GeomAbs_Sphere.value


def unified(brep: Brep) -> Brep:
    """The same solid without edges between faces of one surface.

    A merged face keeps the maker of the first of its parts that comes in order. Where OpenCASCADE
    merges wrongly (two different spheres into one, cad.md §10.5) the body comes back as it was.
    """
    if not _may_merge(brep.shape):
        return brep
    # even where it fails, and in its safe mode, it writes into the edges that it is given
    copy = Brep(BRepBuilderAPI_Copy(brep.shape, False, False).Shape(), brep.makers, brep.deviations)
    merging = ShapeUpgrade_UnifySameDomain(copy.shape, True, True, False)
    try:
        merging.Build()
    except OCCT_ERRORS:
        return brep
    shape = merging.Shape()
    if shape.IsNull() or shape.IsSame(copy.shape):
        return brep
    bounding = _bounded(shape)
    shape = bounding.Apply(shape)
    if len(solids_of(shape)) != len(solids_of(brep.shape)) or not is_valid(shape):
        return brep
    for figure in (volume_of, area_of):
        before = figure(brep.shape)
        if abs(figure(shape) - before) > _SAME * abs(before):
            return brep
    became = with_history(merging.History())

    def descendants(face: TopoDS_Face) -> Sequence[TopoDS_Shape] | None:
        there = became(face)
        return there and [bounding.Value(merged) for merged in there]

    return carried(shape, (copy,), descendants, brep.makers[0])


def _bounded(shape: TopoDS_Shape) -> BRepTools_ReShape:
    """What gives rings that are whole again their seams, without which no file can be written of them."""
    bounding = BRepTools_ReShape()
    for face in faces_of(shape):
        if not face.NbChildren():
            ring = BRepBuilderAPI_MakeFace(BRep_Tool.Surface_s(face), BRep_Tool.Tolerance_s(face)).Face()
            # to be replaced as it stands there, whichever way round that is
            bounding.Replace(face.Oriented(TopAbs_FORWARD), ring)
    return bounding


def _may_merge(shape: TopoDS_Shape) -> bool:
    """Whether neighbours may be of one surface, or edges of one curve. No = merging changes nothing."""
    numbers = boundary_numbers(shape)
    for kind, there in zip(numbers.curves.kinds, numbers.at_edge, strict=True):
        if kind == POINT:
            continue
        # no edge between two faces, or one within a face
        if len(there) != 2 or not there[0][1] or not there[1][1]:
            return True
        (first, _), (second, _) = there
        if first != second and _may_be_one_surface(numbers, first, second):
            return True
    at_vertex: dict[int, list[int]] = {}
    for number, (first, last, is_point) in enumerate(numbers.ends):
        # a ring goes on as itself
        for end in () if is_point or first == last else (first, last):
            at_vertex.setdefault(end, []).append(number)
    return any(len(edges) == 2 and _may_be_one_curve(numbers, *edges) for edges in at_vertex.values())


def _may_be_one_surface(numbers: BoundaryNumbers, first: int, second: int) -> bool:
    """Of two faces with an edge in common."""
    kind = numbers.kinds[first]
    if kind != numbers.kinds[second]:
        return False
    if kind not in ELEMENTARY:
        return True
    here, there = numbers.surface_numbers(first), numbers.surface_numbers(second)
    # balls have no axis, and no more than a radius
    is_ball = kind == _SPHERE
    return (is_ball or _are_parallel(here[3:6], there[3:6])) and all(
        math.isclose(a, b, rel_tol=_ALIKE, abs_tol=_ALIKE) for a, b in zip(here[6:], there[6:], strict=True)
    )


def _may_be_one_curve(numbers: BoundaryNumbers, first: int, second: int) -> bool:
    """Of two edges that alone meet in a corner."""
    kind = numbers.curves.kinds[first]
    if kind != numbers.curves.kinds[second]:
        return False
    here, there = numbers.curves.table[first], numbers.curves.table[second]
    return kind not in (LINE, CIRCLE) or (
        _are_parallel(here[9:12], there[9:12])
        and math.isclose(here[12], there[12], rel_tol=_ALIKE, abs_tol=_ALIKE)
    )


def _are_parallel(first: Sequence[float], second: Sequence[float]) -> bool:
    """Of unit vectors."""
    cosine = first[0] * second[0] + first[1] * second[1] + first[2] * second[2]
    return abs(cosine) > 1.0 - 0.5 * _ALIKE**2
