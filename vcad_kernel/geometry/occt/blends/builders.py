"""OpenCASCADE's own blends of one solid, all edges at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from OCP.BRep import BRep_Tool
from OCP.BRepFilletAPI import BRepFilletAPI_MakeChamfer, BRepFilletAPI_MakeFillet
from OCP.collections import Array1_gp_Pnt2d
from OCP.gp import gp_Pnt, gp_Pnt2d
from OCP.TopAbs import TopAbs_FACE
from OCP.TopoDS import TopoDS_Shape

from vcad_kernel.geometry.occt.blends.request import Blend
from vcad_kernel.geometry.occt.brep import Brep, carried, faces_of, listed, shape_map, solids_of
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import length_of
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import SharpEdge, fades
from vcad_kernel.ir.digest import Digest

__all__ = ["Maker", "at_once", "coarsely", "contours", "faulty_edges", "place_of"]

Maker: TypeAlias = BRepFilletAPI_MakeFillet | BRepFilletAPI_MakeChamfer

_FINE = (1e-3, 1e-5, 1e-6, 1e-7, 1e-8, 1e-4)
"""Tolerances of strips that must be approximated (angle, space, surface, 3-D and 2-D approximation,
sag): with these the volume of a rounded lens is right to 1e-12 instead of 1e-8, in the same time."""
_COARSEST = 1e-3
"""Millimetres: balls no larger than a few of OpenCASCADE's own tolerances can take it forever."""
_FADING = 2e-3
"""Share of the longest edge: balls below this go astray where the corner fades."""
_LAW_POINTS = 65
"""Of a radius that changes: the volume of the blend is then right to 2e-6."""


def at_once(solid: Brep, corners: Sequence[SharpEdge], blend: Blend, maker: Digest) -> Brep | None:
    """All edges in one go; None when OpenCASCADE cannot, or a face of the body would vanish."""
    return _built(solid, corners, blend, maker, _FINE)


def coarsely(solid: Brep, corners: Sequence[SharpEdge], blend: Blend, maker: Digest) -> Brep | None:
    """The same with OpenCASCADE's own tolerances (some 0.001 mm), for strips that the fine ones do not reach.

    Earns its place by `test_blend_builders_round_a_ring_that_is_drilled_through`.
    Not for small balls along edges that fade: there it may never come to an end.
    """
    if blend.kind != "fillet" or blend.size < _COARSEST:
        return None
    longest = max(length_of(corner.edge) for corner in corners)
    if blend.size < _FADING * longest and any(fades(corner) for corner in corners):
        return None
    return _built(solid, corners, blend, maker, None)


def contours(solid: Brep, corners: Sequence[SharpEdge], blend: Blend) -> list[int]:
    """For each edge the number of its contour: edges that run on tangentially are blended as one.

    Raises OCCT_ERRORS.
    """
    work = _prepared(solid.shape, corners, blend, None)
    return [0 if work is None else int(work.Contour(corner.edge)) for corner in corners]


def faulty_edges(solid: Brep, corners: Sequence[SharpEdge], blend: Blend) -> list[SharpEdge]:
    """The edges that OpenCASCADE blames for a failed fillet; none where it blames none."""
    if blend.kind == "chamfer":
        return []
    try:
        work = _prepared(solid.shape, corners, blend, _FINE)
        if not isinstance(work, BRepFilletAPI_MakeFillet):
            return list(corners)
        work.Build()
        blamed = {work.FaultyContour(index) for index in range(1, work.NbFaultyContours() + 1)}
        return [corner for corner in corners if work.Contour(corner.edge) in blamed]
    except OCCT_ERRORS:
        return []


def _built(
    solid: Brep,
    corners: Sequence[SharpEdge],
    blend: Blend,
    maker: Digest,
    tolerances: tuple[float, ...] | None,
) -> Brep | None:
    try:
        work = _prepared(solid.shape, corners, blend, tolerances)
        if work is None:
            return None
        work.Build()
        if not work.IsDone():
            return None
        result = work.Shape()
    except OCCT_ERRORS:
        return None
    bodies = solids_of(result)
    if len(bodies) != 1:
        return None
    return _carried(bodies[0], solid, work, maker)


def _prepared(
    shape: TopoDS_Shape, corners: Sequence[SharpEdge], blend: Blend, tolerances: tuple[float, ...] | None
) -> Maker | None:
    if blend.kind == "chamfer":
        bevels = BRepFilletAPI_MakeChamfer(shape)
        for corner in corners:
            # an edge that an earlier one's tangent chain has taken along is there already
            if bevels.Contour(corner.edge) == 0:
                bevels.Add(blend.size, corner.edge)
        return bevels
    rounds = BRepFilletAPI_MakeFillet(shape)
    if tolerances is not None:
        rounds.SetParams(*tolerances)
    for corner in corners:
        if rounds.Contour(corner.edge) == 0:
            rounds.Add(blend.size, corner.edge)
    if blend.end is not None:
        for index in range(1, rounds.NbContours() + 1):
            first, last = rounds.FirstVertex(index), rounds.LastVertex(index)
            if first.IsSame(last):
                return None
            radii = (
                (blend.size, blend.end)
                if place_of(BRep_Tool.Pnt_s(first)) <= place_of(BRep_Tool.Pnt_s(last))
                else (blend.end, blend.size)
            )
            rounds.SetRadius(_straight(*radii), index, 1)
    return rounds


def _straight(first: float, last: float) -> Array1_gp_Pnt2d:
    """Radius over the share of the way. Two radii alone would not run straight from one to the other:
    OpenCASCADE smooths the ends, and so it does with these points, but over one gap between them only."""
    law = Array1_gp_Pnt2d(1, _LAW_POINTS)
    for index in range(_LAW_POINTS):
        share = index / (_LAW_POINTS - 1)
        law.SetValue(index + 1, gp_Pnt2d(share, first + share * (last - first)))
    return law


def place_of(point: gp_Pnt) -> tuple[float, float, float]:
    """By which the ends of an edge are told apart, in x, then y, then z."""
    return (round(point.X(), 6), round(point.Y(), 6), round(point.Z(), 6))


def _carried(result: TopoDS_Shape, solid: Brep, work: Maker, maker: Digest) -> Brep | None:
    """The result with its faces' makers; None when a face of the body is gone."""
    there = shape_map(result, TopAbs_FACE)
    heirs_of = []
    for face in faces_of(solid.shape):
        heirs = [heir for heir in (listed(work.Modified(face)) or [face]) if there.Contains(heir)]
        if not heirs:
            return None
        heirs_of.append(heirs)
    old = shape_map(solid.shape, TopAbs_FACE)
    return carried(result, (solid,), lambda face: heirs_of[old.FindIndex(face) - 1], maker)
