"""STEP files as solids: the bodies of a file by their position, in millimetres, checked and sound.

OpenCASCADE reads the file in a process of its own, since a malformed file can crash it, heals what
other programs wrote carelessly and converts units. Bodies are the solids of the file where its
assemblies put them, in the order of the file; a file of faces alone has bodies where the faces close.
"""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

from OCP.BinTools import BinTools
from OCP.TopAbs import TopAbs_SOLID
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS_Iterator, TopoDS_Shape

from vcad_kernel.geometry.imported_file import content_of, suffix_of
from vcad_kernel.geometry.occt.brep import Brep, ShapeMap
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.measure.parametric.edge_gaps import note_gaps
from vcad_kernel.geometry.occt.reading import step_worker
from vcad_kernel.geometry.occt.separate_process import exit_status
from vcad_kernel.operations.solids.imported import StepFile

__all__ = ["STEP_SUFFIXES", "step_file"]

STEP_SUFFIXES = (".step", ".stp")

_START = b"ISO-10303-21"
_END = b"END-ISO-10303-21"
_PATIENCE = 120.0
"""Seconds that the reading of one file may take."""
_KEPT = 4
"""Files whose shapes are kept, so that all bodies of a file are had by reading it once."""
_READING = threading.Lock()
_latest: dict[str, list[TopoDS_Shape]] = {}
"""The bodies of each, by content."""


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
    body = bodies[node.body]
    if body.ShapeType() != TopAbs_SOLID:
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
        return _latest[node.content]


def _transferred(build: Build, node: StepFile, data: bytes) -> list[TopoDS_Shape]:
    """The bodies of a file, read by a process that may die of it; an unsound one is an empty compound."""
    with tempfile.TemporaryDirectory(prefix="vcad-step-") as name:
        source, target = Path(name, "model.step"), Path(name, "model.brep")
        source.write_bytes(data)
        ended = exit_status(step_worker.__file__, str(source), str(target), seconds=_PATIENCE)
        if ended is None:
            raise _failed(build, node, f"reading it takes longer than {_PATIENCE:.0f} s")
        if ended < 0:
            raise _failed(build, node, "its entities are so broken that they crash OpenCASCADE")
        if ended != step_worker.UNDERSTOOD:
            raise _failed(build, node, "its entities cannot be understood")
        whole = TopoDS_Shape()
        if not BinTools.Read_s(whole, str(target)):
            raise _failed(build, node, "its shape could not be handed over")
    bodies, members, parts = [], TopoDS_Iterator(whole), ShapeMap()
    while members.More():
        bodies.append(members.Value())
        # what an assembly has many times is one part
        parts.Add(bodies[-1].Located(TopLoc_Location()))
        members.Next()
    for number in range(1, parts.Extent() + 1):
        note_gaps(parts.FindKey(number))
    return bodies
