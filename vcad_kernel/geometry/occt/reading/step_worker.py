"""A script for a process of its own: reads one STEP file, which may crash its reader without harm.

Run by ``step_reading.py`` beside it. All that can go wrong with a foreign shape goes wrong
here: it is repaired where it must be and looked at once, and what is handed over needs no second look.
Imports nothing of ours, so that it starts wherever the package lies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from OCP.BinTools import BinTools
from OCP.BRep import BRep_Builder
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeSolid, BRepBuilderAPI_Sewing
from OCP.BRepCheck import BRepCheck_Analyzer
from OCP.BRepGProp import BRepGProp
from OCP.BRepLib import BRepLib
from OCP.collections import IndexedMap_TopoDS_Shape_TopTools_ShapeMapHasher as ShapeMap
from OCP.GProp import GProp_GProps
from OCP.IFSelect import IFSelect_RetDone
from OCP.ShapeFix import ShapeFix_Shape
from OCP.STEPControl import STEPControl_Reader
from OCP.TopAbs import TopAbs_FACE, TopAbs_ShapeEnum, TopAbs_SHELL, TopAbs_SOLID
from OCP.TopExp import TopExp
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS, TopoDS_Compound, TopoDS_Shape

__all__ = ["UNDERSTOOD", "main"]

UNDERSTOOD = 0
"""Given when the bodies have been written."""
_NOT_UNDERSTOOD = 3
_SEWING = 1e-4
"""Millimetres: gaps between loose faces that are closed; smaller features need not survive (cad.md §9)."""
_MANY = 64
"""Faces from which on it pays to check them in parallel."""


def main(arguments: Sequence[str]) -> int:
    """Write the bodies of a file in millimetres; UNDERSTOOD, or another number for a file that is not.

    arguments: the STEP file, and OpenCASCADE's binary B-rep to be written: a compound with a member for each
    body in the order of the file, a valid solid with its faces outward, or an empty compound for one that is
    unsound and beyond repair.
    """
    source, target = arguments
    reader = STEPControl_Reader()
    if reader.ReadFile(source) != IFSelect_RetDone:
        return _NOT_UNDERSTOOD
    reader.SetSystemLengthUnit(1.0)
    reader.TransferRoots()
    shape = reader.OneShape()
    bodies = [] if shape is None or shape.IsNull() else _members(shape, TopAbs_SOLID) or _closed_faces(shape)
    return UNDERSTOOD if BinTools.Write_s(_compound(_sound_bodies(bodies)), target) else _NOT_UNDERSTOOD


def _members(shape: TopoDS_Shape, kind: TopAbs_ShapeEnum) -> list[TopoDS_Shape]:
    """Sub-shapes of a kind, each once, in order."""
    shapes = ShapeMap()
    TopExp.MapShapes_s(shape, kind, shapes)
    return [shapes.FindKey(index) for index in range(1, shapes.Extent() + 1)]


def _compound(shapes: Sequence[TopoDS_Shape]) -> TopoDS_Compound:
    compound, builder = TopoDS_Compound(), BRep_Builder()
    builder.MakeCompound(compound)
    for shape in shapes:
        builder.Add(compound, shape)
    return compound


def _closed_faces(shape: TopoDS_Shape) -> list[TopoDS_Shape]:
    """Solids out of faces that close, for files that hold surfaces only."""
    sewing = BRepBuilderAPI_Sewing(_SEWING)
    sewing.Add(shape)
    sewing.Perform()
    sewn = sewing.SewedShape()
    if sewn.IsNull():
        return []
    shells = [TopoDS.Shell(shell) for shell in _members(sewn, TopAbs_SHELL)]
    return [BRepBuilderAPI_MakeSolid(shell).Solid() for shell in shells if shell.Closed()]


def _sound_bodies(bodies: Sequence[TopoDS_Shape]) -> list[TopoDS_Shape]:
    """Each body made sound where it is. A part that an assembly has many times is looked at once."""
    parts, sound, placed = ShapeMap(), list[TopoDS_Shape](), list[TopoDS_Shape]()
    for body in bodies:
        place = body.Location()
        if place.Transformation().IsNegative():
            # what is outward in the part is inward in its mirror image
            placed.append(_sound(body))
            continue
        number = parts.Add(body.Located(TopLoc_Location()))
        if number > len(sound):
            sound.append(_sound(parts.FindKey(number)))
        placed.append(sound[number - 1].Moved(place))
    return placed


def _sound(part: TopoDS_Shape) -> TopoDS_Shape:
    """A part as an outward solid, repaired where it has to be; the empty compound when it cannot be."""
    for candidate in _repairs(part):
        solids = _members(candidate, TopAbs_SOLID)
        if len(solids) != 1:
            continue
        solid = TopoDS.Solid(solids[0])
        BRepLib.OrientClosedSolid_s(solid)
        if _is_valid(solid) and _volume(solid) > 0.0:
            return solid
    return _compound([])


def _repairs(part: TopoDS_Shape) -> Iterator[TopoDS_Shape]:
    yield part
    fixing = ShapeFix_Shape(part)
    fixing.Perform()
    yield fixing.Shape()


def _is_valid(solid: TopoDS_Shape) -> bool:
    in_parallel = len(_members(solid, TopAbs_FACE)) >= _MANY
    return bool(BRepCheck_Analyzer(solid, True, in_parallel).IsValid())


def _volume(solid: TopoDS_Shape) -> float:
    """Signed, to a tenth of itself: its sign is what is asked."""
    properties = GProp_GProps()
    BRepGProp.VolumeProperties_s(solid, properties, 0.1)
    return float(properties.Mass())
