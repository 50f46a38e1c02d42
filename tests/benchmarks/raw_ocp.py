"""Models as a person who knows OpenCASCADE would write them against OCP, for comparison.

With the care that build123d takes without being asked: what a fillet, a chamfer or a closed hollowing gives
is checked, faces of one surface are merged after a boolean, and the volume of an offset says whether it is
inside out. `bare` leaves all of that out, as calls of OpenCASCADE alone do.

Raises: ValueError where OpenCASCADE gives something else.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut, BRepAlgoAPI_Fuse
from OCP.BRepBuilderAPI import (
    BRepBuilderAPI_MakeEdge,
    BRepBuilderAPI_MakeFace,
    BRepBuilderAPI_MakePolygon,
    BRepBuilderAPI_MakeSolid,
    BRepBuilderAPI_MakeWire,
)
from OCP.BRepCheck import BRepCheck_Analyzer
from OCP.BRepFilletAPI import BRepFilletAPI_MakeChamfer, BRepFilletAPI_MakeFillet
from OCP.BRepGProp import BRepGProp
from OCP.BRepLib import BRepLib
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.BRepOffset import BRepOffset_Skin
from OCP.BRepOffsetAPI import (
    BRepOffsetAPI_DraftAngle,
    BRepOffsetAPI_MakeOffsetShape,
    BRepOffsetAPI_MakePipeShell,
    BRepOffsetAPI_MakeThickSolid,
)
from OCP.BRepPrimAPI import (
    BRepPrimAPI_MakeBox,
    BRepPrimAPI_MakeCylinder,
    BRepPrimAPI_MakePrism,
    BRepPrimAPI_MakeRevol,
)
from OCP.collections import IndexedMap_TopoDS_Shape_TopTools_ShapeMapHasher, List_TopoDS_Shape
from OCP.GC import GC_MakeArcOfCircle
from OCP.Geom import Geom_CylindricalSurface
from OCP.Geom2d import Geom2d_Line
from OCP.GeomAbs import GeomAbs_Arc, GeomAbs_Circle, GeomAbs_Intersection, GeomAbs_Line, GeomAbs_Plane
from OCP.gp import gp_Ax1, gp_Ax2, gp_Ax3, gp_Circ, gp_Dir, gp_Dir2d, gp_Pln, gp_Pnt, gp_Pnt2d, gp_Vec
from OCP.GProp import GProp_GProps
from OCP.IMeshTools import IMeshTools_MeshAlgoType_Delabella, IMeshTools_Parameters
from OCP.ShapeUpgrade import ShapeUpgrade_UnifySameDomain
from OCP.STEPControl import STEPControl_Reader
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_SHELL
from OCP.TopExp import TopExp, TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS, TopoDS_Compound

__all__ = [
    "bare",
    "bottle",
    "chamfer_rims",
    "drafted_boss",
    "fillet_cylinder",
    "fillet_rod_on_plate",
    "filleted_box",
    "flange",
    "grown_ell",
    "meshed",
    "oblique_drill",
    "pipe_tee",
    "plate",
    "pulley",
    "read_step",
    "shell_filleted_box",
    "shell_open_cup",
    "shell_open_filleted_box",
    "slotted_link",
    "spring",
    "tangent_cross_drill",
    "tray",
    "volume",
]


_IS_CAREFUL = ContextVar("is_careful", default=True)


@contextmanager
def bare() -> Iterator[None]:
    """While it lasts, nothing is looked at that OpenCASCADE gives."""
    token = _IS_CAREFUL.set(False)
    try:
        yield
    finally:
        _IS_CAREFUL.reset(token)


def _checked(shape: Any) -> Any:
    """A blend, or a hollowed body."""
    if _IS_CAREFUL.get() and not BRepCheck_Analyzer(shape).IsValid():
        raise ValueError("what OpenCASCADE gives is not valid")
    return shape


def _cleaned(shape: Any) -> Any:
    """What a boolean gives, without edges between faces of one surface."""
    if not _IS_CAREFUL.get():
        return shape
    merging = ShapeUpgrade_UnifySameDomain(shape, True, True, True)
    merging.AllowInternalEdges(False)
    merging.Build()
    return merging.Shape()


def _outward(shape: Any) -> Any:
    """An offset body."""
    if _IS_CAREFUL.get() and volume(shape) < 0.0:
        raise ValueError("the offset is inside out")
    return shape


def plate(columns: int, rows: int) -> Any:
    """A plate with columns × rows holes, 8 mm apart: one cut with one compound of all holes."""
    box = BRepPrimAPI_MakeBox(8.0 * columns + 2.0, 8.0 * rows + 2.0, 5.0).Shape()
    compound, builder = TopoDS_Compound(), BRep_Builder()
    builder.MakeCompound(compound)
    for i in range(columns):
        for j in range(rows):
            axis = gp_Ax2(gp_Pnt(5.0 + 8.0 * i, 5.0 + 8.0 * j, -1.0), gp_Dir(0.0, 0.0, 1.0))
            builder.Add(compound, BRepPrimAPI_MakeCylinder(axis, 1.5, 7.0).Shape())
    arguments, tools = List_TopoDS_Shape(), List_TopoDS_Shape()
    arguments.Append(box)
    tools.Append(compound)
    cut = BRepAlgoAPI_Cut()
    cut.SetArguments(arguments)
    cut.SetTools(tools)
    cut.SetRunParallel(True)
    cut.Build()
    return _cleaned(cut.Shape())


def filleted_box() -> Any:
    """A box with every edge rounded."""
    box = BRepPrimAPI_MakeBox(30.0, 20.0, 10.0).Shape()
    fillet = BRepFilletAPI_MakeFillet(box)
    edges = TopExp_Explorer(box, TopAbs_EDGE)
    while edges.More():
        fillet.Add(2.0, TopoDS.Edge(edges.Current()))
        edges.Next()
    return _checked(fillet.Shape())


def read_step(path: str) -> Any:
    """What is in a STEP file, in millimetres."""
    reader = STEPControl_Reader()
    reader.ReadFile(path)
    reader.TransferRoots()
    return reader.OneShape()


def volume(shape: Any) -> float:
    """Volume in mm³."""
    properties = GProp_GProps()
    BRepGProp.VolumeProperties_s(shape, properties)
    return float(properties.Mass())


def meshed(shape: Any, chord: float, angle: float) -> int:
    """Triangulate with Delabella and read the triangles of every face, one by one; their number."""
    parameters = IMeshTools_Parameters()
    parameters.Deflection, parameters.Angle = chord, angle
    parameters.InParallel = True
    parameters.MeshAlgo = IMeshTools_MeshAlgoType_Delabella
    BRepMesh_IncrementalMesh(shape, parameters)
    count = 0
    faces = TopExp_Explorer(shape, TopAbs_FACE)
    while faces.More():
        triangulation = BRep_Tool.Triangulation_s(TopoDS.Face(faces.Current()), TopLoc_Location())
        triangles = [triangulation.Triangle(i).Get() for i in range(1, triangulation.NbTriangles() + 1)]
        nodes = [triangulation.Node(i) for i in range(1, triangulation.NbNodes() + 1)]
        np.array([(node.X(), node.Y(), node.Z()) for node in nodes])
        count += len(np.array(triangles))
        faces.Next()
    return count


def _edges(shape: Any) -> list[Any]:
    """All edges, each once."""
    found = IndexedMap_TopoDS_Shape_TopTools_ShapeMapHasher()
    TopExp.MapShapes_s(shape, TopAbs_EDGE, found)
    return [TopoDS.Edge(found.FindKey(index)) for index in range(1, found.Extent() + 1)]


def _middle(edge: Any) -> Any:
    curve = BRepAdaptor_Curve(edge)
    return curve.Value(0.5 * (curve.FirstParameter() + curve.LastParameter()))


def _upright(shape: Any) -> list[Any]:
    """The straight edges along z, each once."""
    curves = [(edge, BRepAdaptor_Curve(edge)) for edge in _edges(shape)]
    return [
        edge
        for edge, curve in curves
        if curve.GetType() == GeomAbs_Line and abs(curve.Line().Direction().Z()) > 0.999
    ]


def _face_at(shape: Any, z: float) -> Any:
    """The flat face whose middle is at a height."""
    faces = TopExp_Explorer(shape, TopAbs_FACE)
    while faces.More():
        face = TopoDS.Face(faces.Current())
        faces.Next()
        surface = BRepAdaptor_Surface(face)
        if surface.GetType() == GeomAbs_Plane:
            plane = surface.Plane()
            if abs(plane.Axis().Direction().Z()) > 0.999 and abs(plane.Location().Z() - z) < 1e-6:
                return face
    raise LookupError(z)


def _filleted(shape: Any, edges: list[Any], radius: float) -> Any:
    fillet = BRepFilletAPI_MakeFillet(shape)
    for edge in edges:
        fillet.Add(radius, edge)
    return _checked(fillet.Shape())


def _cylinder(radius: float, height: float, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Any:
    axis = gp_Ax2(gp_Pnt(x, y, z), gp_Dir(0.0, 0.0, 1.0))
    return BRepPrimAPI_MakeCylinder(axis, radius, height).Shape()


def _cut(shape: Any, tool: Any) -> Any:
    return _cleaned(BRepAlgoAPI_Cut(shape, tool).Shape())


def _fused(shape: Any, other: Any) -> Any:
    return _cleaned(BRepAlgoAPI_Fuse(shape, other).Shape())


def _along_x(radius: float, length: float, x: float, y: float = 0.0, z: float = 0.0) -> Any:
    axis = gp_Ax2(gp_Pnt(x, y, z), gp_Dir(1.0, 0.0, 0.0))
    return BRepPrimAPI_MakeCylinder(axis, radius, length).Shape()


def _hollow(shape: Any, thickness: float, opened: Any) -> Any:
    faces = List_TopoDS_Shape()
    faces.Append(opened)
    thick = BRepOffsetAPI_MakeThickSolid()
    thick.MakeThickSolidByJoin(
        shape, faces, -thickness, 1e-3, BRepOffset_Skin, False, False, GeomAbs_Intersection
    )
    return _outward(thick.Shape())


def tray() -> Any:
    """A box with rounded upright edges, hollowed from above."""
    box = BRepPrimAPI_MakeBox(40.0, 30.0, 10.0).Shape()
    rounded = _filleted(box, _upright(box), 6.0)
    return _hollow(rounded, 2.0, _face_at(rounded, 10.0))


def grown_ell() -> Any:
    """An L, grown with round joins."""
    ell = _cut(
        BRepPrimAPI_MakeBox(40.0, 40.0, 10.0).Shape(),
        BRepPrimAPI_MakeBox(gp_Pnt(20.0, 20.0, -1.0), 40.0, 40.0, 12.0).Shape(),
    )
    offset = BRepOffsetAPI_MakeOffsetShape()
    offset.PerformByJoin(ell, 2.0, 1e-6, BRepOffset_Skin, False, False, GeomAbs_Arc)
    return _outward(BRepBuilderAPI_MakeSolid(TopoDS.Shell(offset.Shape())).Shape())


def shell_filleted_box() -> Any:
    """A box with all edges rounded, with a closed cavity."""
    box = BRepPrimAPI_MakeBox(20.0, 14.0, 9.0).Shape()
    rounded = _filleted(box, _edges(box), 2.0)
    offset = BRepOffsetAPI_MakeOffsetShape()
    offset.PerformByJoin(rounded, -0.8, 1e-6, BRepOffset_Skin, False, False, GeomAbs_Intersection)
    outside = TopExp_Explorer(rounded, TopAbs_SHELL).Current()
    solid = BRepBuilderAPI_MakeSolid(TopoDS.Shell(outside), TopoDS.Shell(offset.Shape().Reversed())).Solid()
    return _checked(solid)


def shell_open_filleted_box() -> Any:
    """A box rounded but above, hollowed from there."""
    box = BRepPrimAPI_MakeBox(20.0, 15.0, 10.0).Shape()
    rounded = _filleted(box, [edge for edge in _edges(box) if _middle(edge).Z() < 9.9], 2.0)
    return _hollow(rounded, 1.0, _face_at(rounded, 10.0))


def shell_open_cup() -> Any:
    """A cylinder rounded below, hollowed from above."""
    can = _cylinder(9.0, 15.0)
    rounded = _filleted(can, [_circle(can, 9.0, 0.0)], 3.0)
    return _hollow(rounded, 1.0, _face_at(rounded, 15.0))


def fillet_cylinder() -> Any:
    """A cylinder with both rims rounded."""
    can = _cylinder(8.0, 10.0)
    return _filleted(can, [_circle(can, 8.0, 0.0), _circle(can, 8.0, 10.0)], 1.5)


def fillet_rod_on_plate() -> Any:
    """A rod on a plate, rounded where they meet."""
    whole = _fused(_cylinder(4.0, 12.0, 10.0, 10.0), BRepPrimAPI_MakeBox(20.0, 20.0, 3.0).Shape())
    return _filleted(whole, [_circle(whole, 4.0, 3.0)], 1.5)


def chamfer_rims() -> Any:
    """A tube with its four rims bevelled."""
    tube = _cut(_cylinder(9.0, 10.0), _cylinder(4.0, 12.0, z=-1.0))
    chamfer = BRepFilletAPI_MakeChamfer(tube)
    for radius in (4.0, 9.0):
        for z in (0.0, 10.0):
            chamfer.Add(0.7, _circle(tube, radius, z))
    return _checked(chamfer.Shape())


def oblique_drill() -> Any:
    """A block with a bore askew."""
    tilt = math.radians(55.0)
    along = gp_Dir(math.sin(tilt), 0.0, math.cos(tilt))
    start = gp_Pnt(-30.0 * math.sin(tilt), 0.0, 10.0 - 30.0 * math.cos(tilt))
    bore = BRepPrimAPI_MakeCylinder(gp_Ax2(start, along), 3.0, 60.0).Shape()
    block = BRepPrimAPI_MakeBox(gp_Pnt(-15.0, -10.0, 0.0), 30.0, 20.0, 20.0).Shape()
    return _cut(block, bore)


def spring() -> Any:
    """A wire of radius 1 along a helix of radius 8, two turns that rise by 4.5 mm each."""
    tube = Geom_CylindricalSurface(gp_Ax3(), 8.0)
    turns, rise = 2.0, 4.5
    way = Geom2d_Line(gp_Pnt2d(0.0, 0.0), gp_Dir2d(2.0 * math.pi, rise))
    length = turns * math.hypot(2.0 * math.pi, rise)
    edge = BRepBuilderAPI_MakeEdge(way, tube, 0.0, length).Edge()
    BRepLib.BuildCurves3d_s(edge)
    section = gp_Circ(gp_Ax2(gp_Pnt(8.0, 0.0, 0.0), gp_Dir(0.0, 1.0, 0.0)), 1.0)
    pipe = BRepOffsetAPI_MakePipeShell(BRepBuilderAPI_MakeWire(edge).Wire())
    # the section keeps its attitude to the axis
    pipe.SetMode(gp_Dir(0.0, 0.0, 1.0))
    pipe.Add(BRepBuilderAPI_MakeWire(BRepBuilderAPI_MakeEdge(section).Edge()).Wire())
    pipe.Build()
    pipe.MakeSolid()
    return pipe.Shape()


def drafted_boss() -> Any:
    """A box whose four walls lean inwards."""
    box = BRepPrimAPI_MakeBox(gp_Pnt(-10.0, -10.0, 0.0), 20.0, 20.0, 12.0).Shape()
    draft = BRepOffsetAPI_DraftAngle(box)
    up, floor = gp_Dir(0.0, 0.0, 1.0), gp_Pln(gp_Pnt(0.0, 0.0, 0.0), gp_Dir(0.0, 0.0, 1.0))
    faces = TopExp_Explorer(box, TopAbs_FACE)
    while faces.More():
        face = TopoDS.Face(faces.Current())
        faces.Next()
        if abs(BRepAdaptor_Surface(face).Plane().Axis().Direction().Z()) < 0.5:
            draft.Add(face, up, math.radians(5.0), floor)
    return draft.Shape()


def flange() -> Any:
    """A disc with a hub, a fillet between them, a bore, eight bolts and a bevelled rim."""
    body = _fused(_cylinder(40.0, 8.0), _cylinder(20.0, 25.0))
    body = _filleted(body, [_circle(body, 20.0, 8.0)], 3.0)
    tools = [_cylinder(14.0, 40.0, z=-1.0)]
    for turn in range(8):
        angle = math.radians(45.0 * turn)
        tools.append(_cylinder(3.0, 12.0, 32.0 * math.cos(angle), 32.0 * math.sin(angle), -1.0))
    for tool in tools:
        body = BRepAlgoAPI_Cut(body, tool).Shape()
    body = _cleaned(body)
    chamfer = BRepFilletAPI_MakeChamfer(body)
    for z in (0.0, 8.0):
        chamfer.Add(1.0, _circle(body, 40.0, z))
    return _checked(chamfer.Shape())


def _circle(shape: Any, radius: float, z: float) -> Any:
    edges = TopExp_Explorer(shape, TopAbs_EDGE)
    while edges.More():
        edge = TopoDS.Edge(edges.Current())
        edges.Next()
        curve = BRepAdaptor_Curve(edge)
        if curve.GetType() == GeomAbs_Circle:
            circle = curve.Circle()
            if abs(circle.Radius() - radius) < 1e-6 and abs(circle.Location().Z() - z) < 1e-6:
                return edge
    raise LookupError((radius, z))


def pipe_tee() -> Any:
    """Two tubes that meet."""
    outside = _fused(_along_x(10.0, 60.0, -30.0), _cylinder(7.0, 30.0))
    inside = _fused(_along_x(8.0, 62.0, -31.0), _cylinder(5.0, 31.0))
    return _cut(outside, inside)


def tangent_cross_drill() -> Any:
    """A rod with a bore whose wall touches that of the rod."""
    return _cut(_cylinder(8.0, 20.0), _along_x(3.0, 30.0, -15.0, 5.0, 10.0))


def _face_of(corners: list[tuple[float, float, float]]) -> Any:
    wire = BRepBuilderAPI_MakePolygon()
    for corner in corners:
        wire.Add(gp_Pnt(*corner))
    wire.Close()
    return BRepBuilderAPI_MakeFace(wire.Wire()).Face()


def pulley() -> Any:
    """A turned profile."""
    outline = [(4, 0), (20, 0), (20, 2), (14, 5), (14, 7), (20, 10), (20, 12), (4, 12)]
    face = _face_of([(float(x), 0.0, float(z)) for x, z in outline])
    return BRepPrimAPI_MakeRevol(face, gp_Ax1(gp_Pnt(0.0, 0.0, 0.0), gp_Dir(0.0, 0.0, 1.0))).Shape()


def slotted_link() -> Any:
    """A rounded link with a slot."""

    def stadium(length: float, width: float, z: float, height: float) -> Any:
        far, radius = (length - width) / 2.0, width / 2.0
        a, b = gp_Pnt(-far, -radius, z), gp_Pnt(far, -radius, z)
        c, d = gp_Pnt(far, radius, z), gp_Pnt(-far, radius, z)
        wire = BRepBuilderAPI_MakeWire()
        wire.Add(BRepBuilderAPI_MakeEdge(a, b).Edge())
        wire.Add(
            BRepBuilderAPI_MakeEdge(GC_MakeArcOfCircle(b, gp_Pnt(far + radius, 0.0, z), c).Value()).Edge()
        )
        wire.Add(BRepBuilderAPI_MakeEdge(c, d).Edge())
        wire.Add(
            BRepBuilderAPI_MakeEdge(GC_MakeArcOfCircle(d, gp_Pnt(-far - radius, 0.0, z), a).Value()).Edge()
        )
        return BRepPrimAPI_MakePrism(
            BRepBuilderAPI_MakeFace(wire.Wire()).Face(), gp_Vec(0.0, 0.0, height)
        ).Shape()

    link = stadium(34.0, 16.0, 0.0, 5.0)
    # the walls run smoothly into each other: one edge of each rim takes all of it along
    rims = [_circle(link, 8.0, 0.0), _circle(link, 8.0, 5.0)]
    return _cut(_filleted(link, rims, 0.8), stadium(24.0, 6.0, -1.0, 8.0))


def bottle() -> Any:
    """The bottle of OpenCASCADE's tutorial, hollowed from its mouth; without its thread."""
    a, b = gp_Pnt(-10.0, -6.0, 0.0), gp_Pnt(10.0, -6.0, 0.0)
    c, d = gp_Pnt(10.0, 6.0, 0.0), gp_Pnt(-10.0, 6.0, 0.0)
    bulge = 4.5 + math.hypot(5.5, 6.0)
    wire = BRepBuilderAPI_MakeWire()
    wire.Add(BRepBuilderAPI_MakeEdge(a, b).Edge())
    wire.Add(BRepBuilderAPI_MakeEdge(GC_MakeArcOfCircle(b, gp_Pnt(bulge, 0.0, 0.0), c).Value()).Edge())
    wire.Add(BRepBuilderAPI_MakeEdge(c, d).Edge())
    wire.Add(BRepBuilderAPI_MakeEdge(GC_MakeArcOfCircle(d, gp_Pnt(-bulge, 0.0, 0.0), a).Value()).Edge())
    body = BRepPrimAPI_MakePrism(BRepBuilderAPI_MakeFace(wire.Wire()).Face(), gp_Vec(0.0, 0.0, 30.0)).Shape()
    body = _filleted(body, _edges(body), 1.5)
    whole = _fused(body, _cylinder(3.0, 4.0, z=29.0))
    return _hollow(whole, 0.6, _face_at(whole, 33.0))
