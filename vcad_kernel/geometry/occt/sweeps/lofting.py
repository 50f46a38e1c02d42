"""Lofts, and other ruled bodies through wires, edge to edge (cad.md §3.10).

Faces are planes, cylinders and cones where two edges make one, else bilinear.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Curve2d, BRepAdaptor_Surface
from OCP.BRepLib import BRepLib
from OCP.BRepOffsetAPI import BRepOffsetAPI_ThruSections
from OCP.BRepTools import BRepTools
from OCP.collections import IndexedDataMap_TopoDS_Shape_List_TopoDS_Shape_TopTools_ShapeMapHasher as Parents
from OCP.Geom import Geom_BSplineSurface, Geom_Line, Geom_Plane
from OCP.GeomAbs import GeomAbs_BSplineCurve, GeomAbs_Circle, GeomAbs_Ellipse, GeomAbs_Line, GeomAbs_Plane
from OCP.GeomLib import GeomLib_IsPlanarSurface
from OCP.gp import gp_Dir, gp_Pln, gp_Pnt, gp_Vec
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE
from OCP.TopExp import TopExp
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Face, TopoDS_Shape, TopoDS_Wire

from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import Brep, edges_of, faces_of, listed
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.validity import ROUND, outward_solid, sound
from vcad_kernel.geometry.occt.sweeps.profiles.sketches import plane_of, wire_of
from vcad_kernel.geometry.sweeps.loft import matched
from vcad_kernel.geometry.sweeps.profiles.regions import outline_of
from vcad_kernel.geometry.sweeps.sweeping import lofted
from vcad_kernel.operations.solids.sweeps import Loft

__all__ = ["loft", "ruled"]

_PRECISION = 1e-7
_ROUND = (GeomAbs_Circle, GeomAbs_Ellipse)


def ruled(wires: Sequence[TopoDS_Wire], *, closed: bool = False) -> TopoDS_Shape:
    """The outward solid between wires of as many edges each, paired in order.

    closed: the last is joined to the first, and there are no end faces.
    Raises: one of OpenCASCADE's exceptions.
    """
    maker = BRepOffsetAPI_ThruSections(True, True, _PRECISION)
    # its own pairing would move the first edges and cut others
    maker.CheckCompatibility(False)
    for wire in [*wires, wires[0]] if closed else wires:
        maker.AddWire(wire)
    maker.Build()
    shape = maker.Shape()
    _straighten(shape)
    return outward_solid(shape)


def _straighten(shape: TopoDS_Shape) -> None:
    """Flat spline faces of a new body become planes, straight spline edges between planes lines, arcs arcs.

    Blends, offsets and the merging of faces know planes and lines for what they are.
    """
    # ThruSections makes splines of everything; first the surfaces, since edges between planes are lines
    for face in faces_of(shape):
        _follow_arcs(face)
        _flatten(face)
    BRepTools.RemoveUnusedPCurves_s(shape)
    parents = Parents()
    TopExp.MapShapesAndAncestors_s(shape, TopAbs_EDGE, TopAbs_FACE, parents)
    for index in range(1, parents.Extent() + 1):
        around = [TopoDS.Face(face) for face in listed(parents.FindFromIndex(index))]
        if all(BRepAdaptor_Surface(face, False).GetType() == GeomAbs_Plane for face in around):
            _unbend(TopoDS.Edge(parents.FindKey(index)))
    # the new curves have other parameters than those on the faces
    BRepLib.SameParameter_s(shape, _PRECISION)


def _follow_arcs(face: TopoDS_Face) -> None:
    """The spline between two edges of which one is an arc, moved to where they are.

    OpenCASCADE makes polynomials of arcs that are 1e-7 mm off, however small the body is.
    """
    surface = BRep_Tool.Surface_s(face)
    if not isinstance(surface, Geom_BSplineSurface) or (surface.NbUKnots(), surface.NbVPoles()) != (2, 2):
        return
    first, last, low, high = surface.Bounds()
    sides: dict[int, tuple[BRepAdaptor_Curve, float, float]] = {}
    for edge in edges_of(face):
        way = BRepAdaptor_Curve2d(edge, face)
        start, end = (way.Value(at).Coord() for at in (way.FirstParameter(), way.LastParameter()))
        if start[1] == end[1] and start[1] in (low, high):
            curve = BRepAdaptor_Curve(edge)
            # both are run through evenly: as is the circle, so is the surface
            rate = (way.LastParameter() - way.FirstParameter()) / (end[0] - start[0])
            sides[1 if start[1] == low else 2] = curve, way.FirstParameter() - rate * start[0], rate
    kinds = [curve.GetType() for curve, _, _ in sides.values()]
    if len(kinds) < 2 or not set(kinds) & set(_ROUND) or not set(kinds) <= {*_ROUND, GeomAbs_Line}:
        return
    turn = max(abs((last - first) * rate) for curve, _, rate in sides.values() if curve.GetType() in _ROUND)
    degree = max(surface.UDegree(), 8 + 4 * math.ceil(2.0 * turn / math.pi - 1e-9))
    surface.IncreaseDegree(degree, 1)
    # Chebyshev's places, at which a polynomial of this degree is nowhere off by more than rounding
    powers = np.arange(degree + 1)
    shares = 0.5 - 0.5 * np.cos(np.pi * powers / degree)
    binomials = np.array([math.comb(degree, power) for power in powers])
    bernstein = binomials * shares[:, None] ** powers * (1.0 - shares[:, None]) ** (degree - powers)
    for row, (curve, offset, rate) in sides.items():
        places = [curve.Value(offset + rate * u).Coord() for u in (first + shares * (last - first)).tolist()]
        for number, pole in enumerate(np.linalg.solve(bernstein, np.array(places)).tolist(), 1):
            surface.SetPole(number, row, gp_Pnt(*pole))


def _flatten(face: TopoDS_Face) -> None:
    surface = BRep_Tool.Surface_s(face)
    if isinstance(surface, Geom_Plane):
        return
    planar = GeomLib_IsPlanarSurface(surface, _PRECISION)
    if not planar.IsPlanar():
        return
    adaptor = BRepAdaptor_Surface(face, False)
    middle, along, across = gp_Pnt(), gp_Vec(), gp_Vec()
    u = 0.5 * (adaptor.FirstUParameter() + adaptor.LastUParameter())
    v = 0.5 * (adaptor.FirstVParameter() + adaptor.LastVParameter())
    adaptor.D1(u, v, middle, along, across)
    # the plane must face where the spline did, or the face would turn over
    plane = gp_Pln(middle, gp_Dir(along.Crossed(across)))
    BRep_Builder().UpdateFace(face, Geom_Plane(plane), TopLoc_Location(), _PRECISION)


def _unbend(edge: TopoDS_Edge) -> None:
    curve = BRepAdaptor_Curve(edge)
    if curve.GetType() != GeomAbs_BSplineCurve or curve.Degree() != 1 or curve.NbPoles() != 2:
        return
    first, last = curve.Value(curve.FirstParameter()), curve.Value(curve.LastParameter())
    builder = BRep_Builder()
    builder.UpdateEdge(edge, Geom_Line(first, gp_Dir(gp_Vec(first, last))), _PRECISION)
    builder.Range(edge, 0.0, first.Distance(last))


def loft(build: Build, node: Loft, _operands: Operands) -> Brep:
    """Ruled solid through the sketches in order; what the mesh side refuses is refused in the same words."""
    profiles = [outline_of(build.document, sketch, build.source, build.node) for sketch in node.sketches]
    near = lofted(build.document, build.node, profiles, ROUND, 1.0).volume
    outlines = [profile.outline(ROUND) for profile in profiles]
    sections = matched(profiles, outlines, closed=bool(node.closed))
    wires = [wire_of(section.segments, plane_of(section.profile)) for section in sections]
    try:
        shape = ruled(wires, closed=bool(node.closed))
    except OCCT_ERRORS as error:
        raise build.fault("LOFT_FAILED", f"the sections cannot be joined: {error}") from None
    brep = sound(build, shape, "LOFT_FAILED", volume=near)
    # two half circles over two half circles are one cone
    return unified(brep) if any(profile.is_curved for profile in profiles) else brep
