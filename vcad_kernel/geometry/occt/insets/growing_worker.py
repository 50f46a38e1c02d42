"""A program of its own: grow one body by one distance, and die alone if OpenCASCADE dies of it.

    python growing_worker.py BODY DISTANCE RESULT

Files are OpenCASCADE's binary B-reps; DISTANCE is in millimetres, outwards positive, with round
joins. The exit status is 0 when RESULT has been written, 1 when there is no result. Imports nothing
but OCP, so that it starts quickly and from any place.
"""

from __future__ import annotations

import sys

from OCP.BinTools import BinTools
from OCP.BRepOffset import BRepOffset_Skin
from OCP.BRepOffsetAPI import BRepOffsetAPI_MakeOffsetShape
from OCP.GeomAbs import GeomAbs_Arc
from OCP.TopoDS import TopoDS_Shape

__all__ = ["grown", "main"]

_TOLERANCE = 1e-6


def grown(body: TopoDS_Shape, distance: float) -> TopoDS_Shape | None:
    """The moved faces with round joins, unchecked: a shell, a solid or a compound of shells.

    Kills the process for some distances that swallow a face (cad.md §10.4). Raises: OpenCASCADE's own.
    """
    offset = BRepOffsetAPI_MakeOffsetShape()
    offset.PerformByJoin(body, distance, _TOLERANCE, BRepOffset_Skin, False, False, GeomAbs_Arc)
    # a shape that swallowed one of its faces may be "done" and null, and null shapes crash their readers
    return offset.Shape() if offset.IsDone() and not offset.Shape().IsNull() else None


def main(arguments: list[str]) -> int:
    """Run with the arguments of the command line."""
    source, distance, target = arguments
    body = TopoDS_Shape()
    if not BinTools.Read_s(body, source):
        return 1
    if body.IsNull():
        return 1
    shape = grown(body, float(distance))
    return 0 if shape is not None and BinTools.Write_s(shape, target) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
