"""Documents as they have always been written: JSON text, digests and op records of every kind, byte by byte.

What is kept in files and caches is found again by these bytes. A new kind of node is added at the end of
`_nodes`; ``python -m tests.ir.test_golden`` writes the files anew, and the old lines of them must not change.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vcad_kernel.ir import codec_json, op_document
from vcad_kernel.ir.document import Document, Root
from vcad_kernel.ir.parameter import Parameter
from vcad_kernel.operations.bodies.bodies import Hull, Offset, Section
from vcad_kernel.operations.bodies.booleans import (
    Difference,
    Intersection,
    ProfileDifference,
    ProfileIntersection,
    ProfileUnion,
    Union,
)
from vcad_kernel.operations.bodies.parting import Keep, Project, SectionProfile
from vcad_kernel.operations.bodies.patterns import (
    CircularPattern,
    LinearPattern,
    ProfileCircularPattern,
    ProfileLinearPattern,
)
from vcad_kernel.operations.bodies.transforms import (
    Mirror,
    ProfileMirror,
    ProfileRotate,
    ProfileScale,
    ProfileTranslate,
    Rotate,
    Scale,
    Translate,
)
from vcad_kernel.operations.features.features import (
    Chamfer,
    ChamferAt,
    Draft,
    Fillet,
    FilletAt,
    Shell,
    ShellOpen,
)
from vcad_kernel.operations.features.holes import DrillTool
from vcad_kernel.operations.features.on_bodies import BossTo, CutThrough, PocketTo
from vcad_kernel.operations.features.places import AlongEdge, CentersOf, Corners, Grid, Points, Ring
from vcad_kernel.operations.features.selections import Ordinal, Selector
from vcad_kernel.operations.features.wrapping import WrapOn
from vcad_kernel.operations.library import KINDS
from vcad_kernel.operations.node import Node, NodeId
from vcad_kernel.operations.planes import FacePlane, On, OnPath, PlaneAt
from vcad_kernel.operations.profiles.curve_profiles import CurveProfile
from vcad_kernel.operations.profiles.path_transforms import (
    PathMirror,
    PathRotate,
    PathScale,
    PathTranslate,
)
from vcad_kernel.operations.profiles.paths import (
    CylinderPath,
    DrawnPath,
    HelixPath,
    LinePath,
    PolylinePath,
    SplinePath,
    WrittenPath,
)
from vcad_kernel.operations.profiles.profile_edits import CutCorners, OffsetProfile, ProfileHull
from vcad_kernel.operations.profiles.profiles import Region
from vcad_kernel.operations.profiles.sketches import Arc, EllipseArc, Line, Sketch2D, Spline
from vcad_kernel.operations.scene import Material
from vcad_kernel.operations.solids.gears import Gear
from vcad_kernel.operations.solids.growing import Pull, Spin
from vcad_kernel.operations.solids.imported import DxfFile, ImportedMesh, MeshFile, StepFile, SvgFile
from vcad_kernel.operations.solids.shapes import Cone, Cube, Cylinder, Empty, Prism, Sphere, Torus, Wedge
from vcad_kernel.operations.solids.surface_moves import (
    SurfaceMirror,
    SurfaceRotate,
    SurfaceScale,
    SurfaceTranslate,
)
from vcad_kernel.operations.solids.surfaces import Patch, Thicken
from vcad_kernel.operations.solids.sweeps import Extrude, Loft, Revolve, Sweep, SweepOn
from vcad_kernel.operations.solids.text import Lettering, Text
from vcad_kernel.operations.solids.threads import Thread

GOLDEN = Path(__file__).parent / "golden"
JSON, DIGESTS, RECORDS = (GOLDEN / name for name in ("document.json", "digests.txt", "document.ops.hex"))

ORIGIN, X, Y, Z = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_EDGES = Selector(
    "edge",
    parallel=Z,
    at=(("x", 1.0), ("z", 2.5)),
    above=(("y", -0.0),),
    below=(("z", 9.0),),
    length=(1.0, 2.0),
    radius=(3.0, 3.0),
    convex=True,
    kind="circle",
    largest=2,
    smallest=1,
    adjacent=Selector("face", normal=X, kind="plane", made_by="lid"),
    made_by="cylinder-n",
)
_FACES = Selector("face", normal=Z, at=(("z", 5.0),), largest=1)
_CURVES = (
    EllipseArc((5.0, 0.0), (-5.0, 0.0), (0.0, 0.0), (5.0, 0.0), (0.0, 3.0), True),
    Spline(2, ((-5.0, 0.0), (0.0, -9.0), (5.0, 0.0)), (0.0, 0.0, 0.0, 1.0, 1.0, 1.0)),
)
_WORDS = Selector(
    "edge",
    side="top",
    inside=True,
    outside=False,
    new=True,
    between=(Selector("face", side="left"), Selector("face", kind="plane")),
    any_of=(Selector("edge", radius=(3.0, 3.0)), Selector("edge", adjacent=Selector("face", side="back"))),
    all_of=(Selector("edge"),),
    none_of=Selector("edge", made_by="lid"),
    nth=Ordinal(-1),
    sort_by="length",
    chain=True,
)
_SEGMENTS = (
    Arc((5.0, 0.0), (-5.0, 0.0), (0.0, 0.0), True),
    Line((-5.0, 0.0), (0.0, -5.0)),
    Arc((0.0, -5.0), (5.0, 0.0), (0.0, 0.0), False),
    Line((5.0, 0.0), (5.0, -0.0)),
)


def _nodes() -> Iterator[Node]:
    c, k, k2 = NodeId(0), NodeId(1), NodeId(2)
    yield Cube((1.0, 2.0, 3.0))
    yield Sketch2D(ORIGIN, X, Y, _SEGMENTS)
    yield Sketch2D((0.0, 0.0, 9.0), X, Y, ())
    yield Cylinder(1.0, 2.0)
    yield Cylinder(1.5, 2.5, 12)
    yield Sphere(3.0)
    yield Sphere(3.0, 9)
    yield Cone(1.0, 0.0, 2.0)
    yield Cone(1.0, 0.5, 2.0, 16)
    yield Empty()
    yield Torus(10.0, 3.0)
    yield Torus(10.0, 3.0, 24)
    yield Wedge((3.0, 2.0, 1.0))
    yield Prism(5, 8.0, 12.0)
    yield Gear(2.0, 20, 6.0)
    yield Gear(2.0, 18, 6.0, 0.1, True, 3)
    yield Text("Ä b", 8.0, 2.0)
    yield Extrude(k, (0.0, -0.0, 1.0))
    yield Extrude(k, Z, 0.5, 0.25)
    yield Extrude(k, Z, None, 2.0)
    yield Revolve(k, ORIGIN, X, 90.0)
    yield Sweep(k, LinePath(ORIGIN, (1.0, 2.0, 3.0)))
    yield Sweep(k, HelixPath(10.0, 5.0, 15.0, 3.0), 0.1, 1.0, 2.0, 10.0, 4, 5)
    yield Sweep(k, CylinderPath(20.0, ((0.0, 1.0), (90.0, 4.0))))
    yield Sweep(k, CylinderPath(20.0, ((0.0, 1.0), (90.0, 4.0)), 2.0))
    yield Sweep(k, PolylinePath(((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)), 0.5))
    yield Sweep(k, SplinePath(((1.0, 2.0, 3.0), (0.0, 0.0, 9.0))), scale_start=0.5, arc_segments=3)
    yield Loft((k, k2))
    yield Loft((k, k2, k), True)
    yield Loft((k, k2), False)
    yield ImportedMesh((0.0, 1.0, 2.0), (0, 0, 0))
    yield ImportedMesh((0.0, 1.0, 2.0), (0, 0, 0), (0.0,), "a.stl")
    yield MeshFile("a/b.stl", (1.0, 2.0, 3.0), "ab" * 32)
    yield StepFile("a.step", 2, "cd" * 32)
    yield Union(c, NodeId(3))
    yield Difference(c, NodeId(3))
    yield Intersection(NodeId(3), c)
    yield Translate(c, (1.0, 2.0, -0.0))
    yield Rotate(c, (1.0, 2.0, 3.0))
    yield Scale(c, (1.0, 2.0, -3.0))
    yield Mirror(c, (5.0, 0.0, 0.0), X)
    yield Hull(c)
    yield Offset(c, -2.0)
    yield Section(c, ORIGIN, Y)
    yield Draft(c, ORIGIN, Z, 5.0, _FACES)
    yield FilletAt(c, 2.0, _EDGES)
    yield FilletAt(c, 2.0, _EDGES, 3.0)
    yield ChamferAt(c, 1.5, _EDGES)
    yield ShellOpen(c, 2.0, _FACES)
    yield Fillet(c, 1.0)
    yield Chamfer(c, 1.0)
    yield Shell(c, 2.0)
    yield LinearPattern(c, X, 3, -2.5)
    yield CircularPattern(c, ORIGIN, Z, 6, 360.0)
    yield Region((_CURVES, ()))
    yield PlaneAt(ORIGIN, Z, X)
    yield FacePlane(c, _FACES)
    yield On(NodeId(55), k)
    yield Pull(k, 5.0)
    yield Pull(k, -5.0, twist=30.0, both=True)
    yield Pull(k, 5.0, taper=-3.0, along=(0.0, 1.0, 1.0))
    yield Spin(k, -90.0, (1.0, 2.0), (0.0, 1.0))
    yield ProfileUnion(k, k2)
    yield ProfileDifference(k, k2)
    yield ProfileIntersection(k, k2)
    yield ProfileTranslate(k, (1.0, 2.0, -0.0))
    yield ProfileRotate(k, (1.0, 2.0, 3.0))
    yield ProfileScale(k, (1.0, 2.0, -3.0))
    yield ProfileMirror(k, (5.0, 0.0, 0.0), X)
    yield ProfileLinearPattern(k, X, 3, -2.5)
    yield ProfileCircularPattern(k, ORIGIN, Z, 6, 360.0)
    yield FilletAt(c, 1.0, _WORDS)
    yield DrillTool(c, NodeId(55), Points(((1.0, -0.0), (2.5, 3.0))), 4.5)
    yield DrillTool(c, NodeId(55), Grid(3, 2, (12.0, 10.0)), 4.5, 6.0, 118.0, 8.0, 4.4)
    yield DrillTool(c, NodeId(55), Ring(6, 9.0), 4.5, sink_diameter=9.18, sink_angle=90.0)
    yield DrillTool(c, NodeId(55), Corners(6.0), 5.0)
    yield DrillTool(c, NodeId(55), AlongEdge(_EDGES, 3, 5.0), 5.0)
    yield DrillTool(c, NodeId(55), CentersOf(_FACES), 5.0)
    yield Lettering("Ä b", 8.0)
    yield Lettering("Ä b", 8.0, "bold", "center", "top", 1.5)
    yield Lettering("b", 8.0, font="a/b.ttf", content="ab" * 32)
    yield Sweep(k, DrawnPath(ORIGIN, X, Z, _CURVES))
    yield BossTo(c, k, "next")
    yield PocketTo(c, k, "last")
    yield CutThrough(c, k)
    yield CutThrough(c, k, True)
    yield Keep(c, NodeId(55), "above")
    yield SectionProfile(c, NodeId(55))
    yield Project(c, NodeId(55))
    yield OffsetProfile(k, -1.5)
    yield OffsetProfile(k, 1.5, True)
    yield CutCorners(k, 2.0)
    yield CutCorners(k, 2.0, True, _EDGES)
    yield SvgFile("a.svg", "ab" * 32)
    yield DxfFile("a.dxf", "ab" * 32)
    yield DxfFile("a.dxf", "ab" * 32, "cut")
    yield ProfileHull(k)
    yield CurveProfile((0.0, 0.0, 1.5, -0.0, 0.0, 0.0), 1e-4)
    yield WrapOn(c, k, _FACES, -0.5)
    drawn = DrawnPath((1.0, 2.0, 3.0), X, Y, (Line((0.0, 0.0), (5.0, 0.0)),))
    yield WrittenPath(drawn)
    yield OnPath(NodeId(55), NodeId(99))
    yield PathTranslate(NodeId(99), (1.0, 2.0, 3.0))
    yield PathRotate(NodeId(99), (10.0, 20.0, 30.0))
    yield PathScale(NodeId(99), (2.0, -2.0, 2.0))
    yield PathMirror(NodeId(99), (0.0, 0.0, 1.0), (0.0, 0.0, 1.0))
    yield SweepOn(k, NodeId(100))
    yield Patch((NodeId(99), NodeId(100)), ((1.0, 2.0, 3.0), (-0.0, 5.0, 6.0)))
    yield Thicken(NodeId(106), -1.5)
    yield Thread(8.0, 1.25, 20.0)
    yield Thread(8.0, 1.0, 20.0, True, "6H", "top", True)
    yield DrillTool(c, NodeId(55), Ring(6, 9.0), 6.8, thread=8.0, pitch=1.25)
    yield SurfaceTranslate(NodeId(106), (1.0, 2.0, 3.0))
    yield SurfaceRotate(NodeId(106), (10.0, 20.0, 30.0))
    yield SurfaceScale(NodeId(106), (2.0, 2.0, 2.0))
    yield SurfaceMirror(NodeId(106), (0.0, 0.0, 1.0), (0.0, 0.0, 1.0))


def _document() -> Document:
    nodes = {NodeId(index): node for index, node in enumerate(_nodes())}
    steel = Material("steel", (0.1, 0.2, 0.3), 0.4, 0.5, 7.85, 0.6)
    return Document(
        nodes,
        {"steel": steel, "default": Material("default", (0.8, 0.8, 0.8))},
        (Root(NodeId(3), "steel"), Root(NodeId(34), "default", False), Root(NodeId(5), "x", True)),
        {NodeId(3): "lid", NodeId(4): "Ä"},
        parameters=(
            Parameter("width", 30.0, 40, unit="mm", min=10, max=80.5, step=1, doc="outer"),
            Parameter("n", 3, 3),
        ),
    )


def _digests(document: Document) -> str:
    lines = [document.content_digest.hex(), *(document.digest(node).hex() for node in document.nodes)]
    return "\n".join(lines) + "\n"


def test_every_kind_of_node_is_here() -> None:
    assert {type(node) for node in _nodes()} == set(KINDS.values())


def test_the_json_text_is_what_it_was() -> None:
    assert codec_json.dumps(_document()) == JSON.read_bytes()
    assert codec_json.loads(JSON.read_bytes()) == _document()


def test_the_digests_are_what_they_were() -> None:
    assert _digests(_document()) == DIGESTS.read_text("ascii")


def test_the_op_records_are_what_they_were() -> None:
    records = bytes.fromhex(RECORDS.read_text("ascii"))
    assert op_document.encode(_document()) == records
    assert op_document.decode(records) == _document()


if __name__ == "__main__":
    JSON.write_bytes(codec_json.dumps(_document()))
    DIGESTS.write_text(_digests(_document()), "ascii")
    RECORDS.write_text(op_document.encode(_document()).hex("\n", -35), "ascii")
