"""The whole cylinders of an exact body, and how many faces, edges and corners it has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.GeomAbs import GeomAbs_Cylinder
from OCP.gp import gp_Dir, gp_Lin, gp_Pnt, gp_Pnt2d, gp_Vec
from OCP.IntCurvesFace import IntCurvesFace_ShapeIntersector
from OCP.TopAbs import TopAbs_VERTEX
from OCP.TopoDS import TopoDS_Face

from vcad_kernel.geometry.measure.readings import RoundReading
from vcad_kernel.geometry.occt.brep import Brep, edges_of, faces_of, shape_map
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import middle_of, outward_normal
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import SharpEdge, sharp_edges
from vcad_kernel.geometry.tolerance import LINEAR

__all__ = ["counts", "rounds"]

_WHOLE: Final = 1e-6
"""Radians that a cylinder may lack of a full turn."""


def counts(brep: Brep) -> tuple[int, int, int]:
    """Faces, edges that have a length, and corners."""
    edges = sum(not BRep_Tool.Degenerated_s(edge) for edge in edges_of(brep.shape))
    return len(brep.makers), edges, shape_map(brep.shape, TopAbs_VERTEX).Extent()


def rounds(brep: Brep) -> list[RoundReading]:
    """Its whole cylinders, in the order of its faces. brep: merged."""
    corners = sharp_edges(brep.shape)
    readings = []
    for number, (face, maker) in enumerate(zip(faces_of(brep.shape), brep.makers, strict=True)):
        surface = BRepAdaptor_Surface(face, True)
        if surface.GetType() != GeomAbs_Cylinder:
            continue
        if surface.LastUParameter() - surface.FirstUParameter() < 2.0 * math.pi - _WHOLE:
            continue
        cylinder = surface.Cylinder()
        axis = cylinder.Axis()
        low, high = surface.FirstVParameter(), surface.LastVParameter()
        along = gp_Vec(axis.Direction())
        start, stop = (axis.Location().Translated(along * v) for v in (low, high))
        middle = gp_Pnt2d(surface.FirstUParameter(), 0.5 * (low + high))
        normal = outward_normal(face, middle)
        if normal is None:
            continue
        at = surface.Value(middle.X(), middle.Y())
        outwards = gp_Vec(axis.Location(), at)
        inwards = normal.Dot(outwards.Subtracted(along * outwards.Dot(along))) < 0.0
        ends = ((start, stop), (stop, start))
        opens = [
            _is_open(brep, face, corners, *end, radius=cylinder.Radius(), inwards=inwards) for end in ends
        ]
        readings.append(
            RoundReading(
                number,
                float(cylinder.Radius()),
                ((start.X(), start.Y(), start.Z()), (stop.X(), stop.Y(), stop.Z())),
                (opens[0], opens[1]),
                inwards,
                maker,
            )
        )
    return readings


def _is_open(
    brep: Brep,
    face: TopoDS_Face,
    corners: Sequence[SharpEdge],
    end: gp_Pnt,
    other: gp_Pnt,
    *,
    radius: float,
    inwards: bool,
) -> bool:
    """Whether the body ends at an end of a cylinder's axis.

    The edges there say so: convex ones border an opening, or the top of a boss; concave ones the bottom, or
    its foot. Where the end is rounded there is none. A rounding is no larger than the cylinder, so the axis
    meets the bottom of a hole, or leaves by the top of a boss, within a radius.
    """
    near = [
        corner
        for corner in corners
        if any(beside.IsSame(face) for beside in corner.faces)
        and middle_of(corner.edge).Distance(end) < middle_of(corner.edge).Distance(other)
    ]
    if near:
        return all(corner.convex is not False for corner in near)
    crossed = IntCurvesFace_ShapeIntersector()
    crossed.Load(brep.shape, LINEAR)
    crossed.Perform(gp_Lin(end, gp_Dir(gp_Vec(other, end))), -LINEAR, radius + LINEAR)
    return (crossed.NbPnt() > 0) is not inwards
