"""STEP files as solids: the bodies of a file by their position, in millimetres, checked and sound.

OpenCASCADE reads the file in a process of its own, since a malformed file can crash it, heals what
other programs wrote carelessly and converts units. Bodies are the solids of the file where its
assemblies put them, in the order of the file; a file of faces alone has bodies where the faces close.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from OCP.BinTools import BinTools
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeSolid, BRepBuilderAPI_Sewing
from OCP.BRepLib import BRepLib
from OCP.ShapeFix import ShapeFix_Shape
from OCP.TopAbs import TopAbs_SHELL
from OCP.TopoDS import TopoDS, TopoDS_Shape, TopoDS_Solid

from vcad_kernel.geometry.imported_file import content_of, suffix_of
from vcad_kernel.geometry.occt import step_worker
from vcad_kernel.geometry.occt.brep import Brep, shape_map, solids_of
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.validity import is_valid, volume_of
from vcad_kernel.geometry.occt.separate_process import exit_status
from vcad_kernel.operations.imported import StepFile

__all__ = ["STEP_SUFFIXES", "step_file"]

STEP_SUFFIXES = (".step", ".stp")

_START = b"ISO-10303-21"
_END = b"END-ISO-10303-21"
_PATIENCE = 120.0
"""Seconds that the reading of one file may take."""
_KEPT = 4
"""Files whose shapes are kept, so that all bodies of a file are had by reading it once."""
_READING = threading.Lock()
_latest: dict[str, TopoDS_Shape | None] = {}
"""By content."""
_SEWING = 1e-4
"""Millimetres: gaps between loose faces that are closed; smaller features need not survive (cad.md §9)."""


def step_file(build: Build, node: StepFile, operands: Operands) -> Brep | None:
    """The body of a STEP file that the node names by its position.

    Warns MORE_BODIES where the first of several was not chosen but taken.
    Raises: GeometryError IMPORT_FAILED for a file that is no STEP file, has changed, or whose body is
    unsound; INVALID_PARAMETER when there is no such body; as `content_of` for the path.
    """
    del operands
    data = content_of(build.document, build.node, build.files)
    bodies = _bodies(build, node, data)
    if not bodies:
        raise _failed(build, node, "there is no solid body in it")
    if node.body >= len(bodies):
        held = "1 body, number 0" if len(bodies) == 1 else f"{len(bodies)} bodies, 0 to {len(bodies) - 1}"
        raise build.fault(
            "INVALID_PARAMETER",
            f"{node.path!r} has {held}; there is no number {node.body}",
            argument="i",
            failed=False,
            details={"bodies": len(bodies)},
        )
    if len(bodies) > 1 and build.document.function_of(build.node) == "import-step":
        build.warn(
            "MORE_BODIES",
            f"{node.path!r} has {len(bodies)} bodies and this is the first;"
            f" [import-step-body path i] takes any, numbered 0 to {len(bodies) - 1}",
        )
    body = _sound(bodies[node.body])
    if body is None:
        raise _failed(build, node, f"its body {node.body} is not a sound solid")
    return Brep.made(body, build.maker)


def _failed(build: Build, node: StepFile, why: str) -> Exception:
    return build.fault("IMPORT_FAILED", f"{node.path!r} cannot be read: {why}", argument="path", failed=False)


def _bodies(build: Build, node: StepFile, data: bytes) -> list[TopoDS_Shape]:
    """All solids of a file, in its order."""
    if suffix_of(node.path) not in STEP_SUFFIXES:
        raise _failed(build, node, f"the name of a STEP file ends in {' or '.join(STEP_SUFFIXES)}")
    if not data.lstrip().startswith(_START):
        raise _failed(build, node, f"it does not begin with {_START.decode()}")
    if _END not in data[-1024:]:
        raise _failed(build, node, f"it is cut off: {_END.decode()} is missing at its end")
    with _READING:
        if node.content not in _latest:
            _latest[node.content] = _transferred(build, node, data)
            while len(_latest) > _KEPT:
                del _latest[next(iter(_latest))]
        shape = _latest[node.content]
    return [] if shape is None else solids_of(shape) or _closed_faces(shape)


def _transferred(build: Build, node: StepFile, data: bytes) -> TopoDS_Shape | None:
    """The shape of a file, read by a process that may die of it; None when there is nothing in it."""
    with tempfile.TemporaryDirectory(prefix="vcad-step-") as name:
        folder = Path(name)
        (folder / "model.step").write_bytes(data)
        ended = exit_status(step_worker.__file__, str(folder), seconds=_PATIENCE)
        if ended is None:
            raise _failed(build, node, f"reading it takes longer than {_PATIENCE:.0f} s")
        if ended == step_worker.EMPTY:
            return None
        if ended < 0:
            raise _failed(build, node, "its entities are so broken that they crash OpenCASCADE")
        if ended != step_worker.UNDERSTOOD:
            raise _failed(build, node, "its entities cannot be understood")
        shape = TopoDS_Shape()
        if not BinTools.Read_s(shape, str(folder / "model.brep")):
            raise _failed(build, node, "its shape could not be handed over")
    return None if shape.IsNull() else shape


def _closed_faces(shape: TopoDS_Shape) -> list[TopoDS_Shape]:
    """Solids out of faces that close, for files that hold surfaces only."""
    sewing = BRepBuilderAPI_Sewing(_SEWING)
    sewing.Add(shape)
    try:
        sewing.Perform()
        sewn = sewing.SewedShape()
        if sewn.IsNull():
            return []
        shells = shape_map(sewn, TopAbs_SHELL)
        solids: list[TopoDS_Shape] = []
        for index in range(1, shells.Extent() + 1):
            shell = TopoDS.Shell(shells.FindKey(index))
            if shell.Closed():
                solids.append(BRepBuilderAPI_MakeSolid(shell).Solid())
    except OCCT_ERRORS:
        return []  # the caller says that there is no body
    return solids


def _sound(shape: TopoDS_Shape) -> TopoDS_Shape | None:
    """The body, outward; repaired where it has to be; None when it cannot be."""
    for candidate in _repairs(shape):
        solids = solids_of(candidate)
        if len(solids) != 1:
            continue
        solid: TopoDS_Solid = TopoDS.Solid(solids[0])
        BRepLib.OrientClosedSolid_s(solid)
        if is_valid(solid) and volume_of(solid) > 0.0:
            return solid
    return None


def _repairs(shape: TopoDS_Shape) -> Iterator[TopoDS_Shape]:
    yield shape
    fixing = ShapeFix_Shape(shape)
    try:
        fixing.Perform()
    except OCCT_ERRORS:
        return
    yield fixing.Shape()
