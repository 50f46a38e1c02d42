"""A script for a process of its own: grow one body by one distance, and die alone if OpenCASCADE dies of it.

Imports nothing but OCP, so that it starts wherever the package lies.
"""

from __future__ import annotations

from collections.abc import Sequence

from OCP.BinTools import BinTools
from OCP.BRepOffset import BRepOffset_Skin
from OCP.BRepOffsetAPI import BRepOffsetAPI_MakeOffsetShape
from OCP.GeomAbs import GeomAbs_Arc, GeomAbs_C1
from OCP.ShapeUpgrade import ShapeUpgrade_RemoveLocations, ShapeUpgrade_ShapeDivideContinuity
from OCP.TopoDS import TopoDS_Shape

__all__ = ["grown", "main"]

_TOLERANCE = 1e-6


def grown(body: TopoDS_Shape, distance: float) -> TopoDS_Shape | None:
    """The moved faces with round joins, unchecked: a shell, a solid or a compound of shells.

    Kills the process for some distances that swallow a face (cad.md §10.4). Raises: OpenCASCADE's own.
    """
    # of a body that is turned by its location OpenCASCADE takes the normals for wrong
    placing = ShapeUpgrade_RemoveLocations()
    placing.Remove(body)
    # arcs of rational splines meet smoothly, and yet OpenCASCADE moves them in pieces only
    dividing = ShapeUpgrade_ShapeDivideContinuity(placing.GetResult())
    dividing.SetTolerance(_TOLERANCE)
    dividing.SetSurfaceCriterion(GeomAbs_C1)
    dividing.Perform()
    offset = BRepOffsetAPI_MakeOffsetShape()
    offset.PerformByJoin(dividing.Result(), distance, _TOLERANCE, BRepOffset_Skin, False, False, GeomAbs_Arc)
    # a shape that swallowed one of its faces may be "done" and null, and null shapes crash their readers
    return offset.Shape() if offset.IsDone() and not offset.Shape().IsNull() else None


def main(arguments: Sequence[str]) -> int:
    """0 when the result has been written, 1 when there is none.

    arguments: the file of the body, the distance (mm, outwards positive), the file of the result; files are
    OpenCASCADE's binary B-reps.
    """
    source, distance, target = arguments
    body = TopoDS_Shape()
    if not BinTools.Read_s(body, source):
        return 1
    if body.IsNull():
        return 1
    shape = grown(body, float(distance))
    return 0 if shape is not None and BinTools.Write_s(shape, target) else 1
