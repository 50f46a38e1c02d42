"""Models as a person who knows OpenCASCADE would write them against OCP, for comparison."""

from __future__ import annotations

from typing import Any

import numpy as np
from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut
from OCP.BRepFilletAPI import BRepFilletAPI_MakeFillet
from OCP.BRepGProp import BRepGProp
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder
from OCP.collections import List_TopoDS_Shape
from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt
from OCP.GProp import GProp_GProps
from OCP.IMeshTools import IMeshTools_MeshAlgoType_Delabella, IMeshTools_Parameters
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE
from OCP.TopExp import TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS, TopoDS_Compound

__all__ = ["filleted_box", "meshed", "plate", "volume"]


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
    return cut.Shape()


def filleted_box() -> Any:
    """A box with every edge rounded."""
    box = BRepPrimAPI_MakeBox(30.0, 20.0, 10.0).Shape()
    fillet = BRepFilletAPI_MakeFillet(box)
    edges = TopExp_Explorer(box, TopAbs_EDGE)
    while edges.More():
        fillet.Add(2.0, TopoDS.Edge(edges.Current()))
        edges.Next()
    return fillet.Shape()


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
