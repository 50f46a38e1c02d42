"""Reads one STEP file in a process of its own, which a malformed file may crash without harm.

Started by :mod:`vcad_kernel.geometry.occt.step_reading` as a script with a folder: ``model.step`` there is
read, and its shape written beside it as ``model.brep`` in millimetres. Imports nothing of ours, so that it
starts wherever the package lies.
"""

from __future__ import annotations

import sys
from pathlib import Path

from OCP.BinTools import BinTools
from OCP.BRepCheck import BRepCheck_Analyzer
from OCP.BRepGProp import BRepGProp
from OCP.GProp import GProp_GProps
from OCP.IFSelect import IFSelect_RetDone
from OCP.ShapeFix import ShapeFix_Shape
from OCP.STEPControl import STEPControl_Reader
from OCP.TopoDS import TopoDS_Shape

__all__ = ["EMPTY", "UNDERSTOOD", "main"]

UNDERSTOOD = 0
"""Exit status when the shape has been written."""
EMPTY = 4
"""Exit status when the file holds no shape."""
_NOT_UNDERSTOOD = 3


def main(folder: Path) -> int:
    """The exit status."""
    reader = STEPControl_Reader()
    if reader.ReadFile(str(folder / "model.step")) != IFSelect_RetDone:
        return _NOT_UNDERSTOOD
    reader.SetSystemLengthUnit(1.0)
    reader.TransferRoots()
    shape = reader.OneShape()
    if shape is None or shape.IsNull():
        return EMPTY
    _tried(shape)
    return UNDERSTOOD if BinTools.Write_s(shape, str(folder / "model.brep")) else _NOT_UNDERSTOOD


def _tried(shape: TopoDS_Shape) -> None:
    """Look at the shape as the reading process is going to: what crashes, crashes here."""
    BRepCheck_Analyzer(shape).IsValid()
    BRepGProp.VolumeProperties_s(shape, GProp_GProps())
    ShapeFix_Shape(shape).Perform()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
