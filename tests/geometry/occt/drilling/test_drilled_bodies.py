"""Drilled bodies against closed formulas: every kind of hole, on every kind of plane, from both kernels."""

from __future__ import annotations

import math

import pytest

from tests.geometry import models
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.evaluate import EvaluatedPart, evaluate
from vcad_kernel.geometry.measure.figure_rule import boolean_operands
from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.kernel import OcctKernel
from vcad_kernel.geometry.placement import rotation
from vcad_kernel.geometry.solid import Note
from vcad_kernel.operations.bodies.booleans import Difference
from vcad_kernel.operations.bodies.transforms import Mirror, Rotate, Scale
from vcad_kernel.operations.features.features import Chamfer
from vcad_kernel.operations.features.holes import DrillTool
from vcad_kernel.operations.features.places import AlongEdge, CentersOf, Corners, Grid, Places, Points, Ring
from vcad_kernel.operations.features.selections import Selector
from vcad_kernel.operations.node import Vec2, Vec3
from vcad_kernel.operations.planes import FacePlane, PlaneAt
from vcad_kernel.operations.solids.imported import ImportedMesh
from vcad_kernel.operations.solids.shapes import Cylinder, Empty, Wedge

TOP = Selector("face", normal=(0.0, 0.0, 1.0))
UPPER = Selector("face", normal=(0.0, 0.0, 1.0), at=(("z", 8.0),))
"""The top of a block, and not the floors of its holes."""
MIDDLE = Points(((0.0, 0.0),))
BLOCK = models.box(60.0, 40.0, 8.0)
SOLID = 60.0 * 40.0 * 8.0


def drilled(
    body: models.Solid, places: Places = MIDDLE, *, face: Selector = TOP, **hole: float
) -> models.Solid:
    plane = models.solid(FacePlane, body, face=face)
    return models.solid(Difference, body, models.solid(DrillTool, body, plane, places=places, **hole))


def drilled_from(body: models.Solid, plane: models.Solid, places: Places, **hole: float) -> models.Solid:
    return models.solid(Difference, body, models.solid(DrillTool, body, plane, places=places, **hole))


def plane(origin: Vec3, normal: Vec3, x: Vec3) -> models.Solid:
    return models.solid(PlaneAt, origin=origin, normal=normal, x_dir=x)


def part(root: models.Solid) -> EvaluatedPart:
    """The part; both kernels agree on its volume."""
    found = models.scene(root).parts[0]
    exact, mesh = found.figures, found.mesh_figures
    assert exact.exact
    assert mesh.is_manifold
    assert mesh.volume == pytest.approx(exact.volume, rel=0.01)
    assert (mesh.genus, mesh.lumps) == (exact.genus, exact.lumps)
    return found


def taken(root: models.Solid, volume: float = SOLID) -> float:
    return volume - part(root).figures.volume


def warnings(root: models.Solid) -> list[Note]:
    return [Note(one.code, one.message, b"") for one in models.scene(root).warnings]


def cylinder(diameter: float, height: float) -> float:
    return math.pi * diameter**2 / 4.0 * height


def frustum(wide: float, narrow: float, height: float) -> float:
    return math.pi * height / 12.0 * (wide**2 + wide * narrow + narrow**2)


POINT_OF_5 = 2.5 / math.tan(math.radians(59.0))


@pytest.mark.parametrize(
    ("hole", "volume", "genus"),
    [
        ({"diameter": 5.0}, cylinder(5, 8), 1),
        ({"diameter": 5.0, "depth": 6.0}, cylinder(5, 6), 0),
        ({"diameter": 5.0, "depth": 6.0, "tip": 118.0}, cylinder(5, 6) + cylinder(5, POINT_OF_5) / 3, 0),
        (
            {"diameter": 4.5, "bore_diameter": 8.0, "bore_depth": 4.4},
            cylinder(8, 4.4) + cylinder(4.5, 3.6),
            1,
        ),
        (
            {"diameter": 4.5, "sink_diameter": 9.18, "sink_angle": 90.0},
            frustum(9.18, 4.5, 2.34) + cylinder(4.5, 8 - 2.34),
            1,
        ),
        (
            {"diameter": 4.0, "depth": 5.0, "tip": 90.0, "sink_diameter": 6.0, "sink_angle": 120.0},
            frustum(6, 4, 1 / math.tan(math.radians(60)))
            + cylinder(4, 5 - 1 / math.tan(math.radians(60)))
            + cylinder(4, 2) / 3,
            0,
        ),
        # the seat is deeper than the body, so the whole hole is as wide
        ({"diameter": 4.0, "bore_diameter": 8.0, "bore_depth": 9.0}, cylinder(8, 8), 1),
    ],
)
def test_a_hole_takes_away_what_its_drawing_says(hole: dict[str, float], volume: float, genus: int) -> None:
    one, four = drilled(BLOCK, **hole), drilled(BLOCK, Corners(8.0), **hole)
    assert taken(one) == pytest.approx(volume, rel=1e-9)
    assert taken(four) == pytest.approx(4.0 * volume, rel=1e-9)
    assert part(four).figures.genus == 4 * genus
    assert not warnings(four)


@pytest.mark.parametrize(
    ("places", "wanted"),
    [
        (Points(((1.0, 2.0), (-3.0, 4.0))), [(1, 2), (-3, 4)]),
        (Grid(3, 2, (12.0, 10.0)), [(-12, -5), (0, -5), (12, -5), (-12, 5), (0, 5), (12, 5)]),
        (Grid(1, 1, (0.0, 0.0)), [(0, 0)]),
        (Ring(4, 9.0), [(9, 0), (0, 9), (-9, 0), (0, -9)]),
        (Corners(6.0), [(-24, -14), (24, -14), (24, 14), (-24, 14)]),
        (Corners(20.0), [(-10, 0), (10, 0)]),
        (AlongEdge(Selector("edge", at=(("y", 0.0),)), 3, 5.0), [(-25, -15), (0, -15), (25, -15)]),
        (AlongEdge(Selector("edge", at=(("y", 40.0),)), 2, 5.0), [(-25, 15), (25, 15)]),
        (AlongEdge(Selector("edge", at=(("x", 0.0),)), 1, 5.0), [(-25, 0)]),
        (CentersOf(Selector("edge", at=(("y", 0.0), ("z", 8.0)))), [(0, -20)]),
        (CentersOf(Selector("face", normal=(1.0, 0.0, 0.0))), [(30, 0)]),
        # of all edges those above each other are one
        (CentersOf(Selector("edge", parallel=(0.0, 0.0, 1.0))), [(-30, -20), (-30, 20), (30, -20), (30, 20)]),
        (CentersOf(Selector("edge", parallel=(1.0, 0.0, 0.0))), [(0, -20), (0, 20)]),
    ],
)
def test_places_lie_in_the_frame_of_the_face(places: Places, wanted: list[Vec2]) -> None:
    found = places_in(drilled(BLOCK, places, diameter=2.0))
    assert sorted((round(u, 9), round(v, 9)) for u, v in found) == sorted(wanted)


def places_in(root: models.Solid) -> list[Vec2]:
    """Where holes of a block are, about the middle of its top."""
    document = models.document(root)
    (tool,) = (node for node, value in document.nodes.items() if isinstance(value, DrillTool))
    bores = OcctKernel().bores(document, tool)
    assert all(place[2, 3] == 8.0 for place in bores.places)
    return [(float(place[0, 3]) - 30.0, float(place[1, 3]) - 20.0) for place in bores.places]


def test_centres_of_arcs_are_those_of_their_circles() -> None:
    base = drilled(BLOCK, Points(((-20.0, 0.0), (20.0, 5.0))), diameter=4.0)
    again = drilled(base, CentersOf(Selector("edge", radius=(2.0, 2.0))), diameter=8.0, depth=3.0)
    assert taken(again) == pytest.approx(2.0 * (cylinder(8, 3) + cylinder(4, 5)), rel=1e-9)
    assert not warnings(again)
    half = models.difference(BLOCK, models.solid(Cylinder, radius=6.0, height=20.0))
    quarter = drilled(half, CentersOf(Selector("edge", radius=(6.0, 6.0))), diameter=14.0, depth=3.0)
    away = (math.pi * 6.0**2 / 4.0) * 8.0 + math.pi / 4.0 * (7.0**2 - 6.0**2) * 3.0
    assert taken(quarter) == pytest.approx(away, rel=1e-9)


@pytest.mark.parametrize(
    ("normal", "edge", "count"),
    [
        ((0.0, 0.0, 1.0), (("x", 60.0), ("z", 8.0)), 4),
        ((0.0, 0.0, -1.0), (("y", 0.0), ("z", 0.0)), 4),
        ((0.0, -1.0, 0.0), (("y", 0.0), ("z", 8.0)), 3),
        ((1.0, 0.0, 0.0), (("x", 60.0), ("z", 0.0)), 3),
        ((-1.0, 0.0, 0.0), (("x", 0.0), ("z", 8.0)), 3),
    ],
)
def test_holes_along_an_edge_lie_within_the_face_on_every_side(
    normal: Vec3, edge: tuple[tuple[str, float], ...], count: int
) -> None:
    places = AlongEdge(Selector("edge", at=edge), count, 3.0)
    root = drilled(BLOCK, places, face=Selector("face", normal=normal), diameter=2.0, depth=1.0)
    assert taken(root) == pytest.approx(count * cylinder(2, 1), rel=1e-9)
    assert not warnings(root)


def test_holes_go_square_into_a_face_that_leans() -> None:
    wedge = models.solid(Wedge, size=(30.0, 20.0, 15.0))
    slope = Selector("face", normal=(15.0, 0.0, 30.0))
    root = drilled(wedge, Points(((0.0, -4.0), (6.0, 3.0))), face=slope, diameter=3.0, depth=2.0)
    assert taken(root, 30.0 * 20.0 * 15.0 / 2.0) == pytest.approx(2.0 * cylinder(3, 2), rel=1e-9)
    assert not warnings(root)
    angles = (20.0, 30.0, 10.0)
    x, y, z = (float(part) for part in rotation(angles)[:, 2])
    turned = models.solid(Rotate, BLOCK, angles=angles)
    upper = Selector("face", normal=(x, y, z))
    seated = drilled(turned, Ring(5, 9.0), face=upper, diameter=4.5, sink_diameter=9.0, sink_angle=90.0)
    assert taken(seated) == pytest.approx(5.0 * (frustum(9, 4.5, 2.25) + cylinder(4.5, 5.75)), rel=1e-9)
    assert not warnings(seated)


def test_a_shaft_is_drilled_across_from_a_plane() -> None:
    shaft = models.solid(Cylinder, radius=6.0, height=30.0)
    volume = 36.0 * math.pi * 30.0
    # z is upwards in it, so x of its frame is the world's
    outside, middle = ((0.0, y, 10.0) for y in (-20.0, 0.0))
    across = drilled_from(shaft, plane(outside, (0.0, -1.0, 0.0), (1.0, 0.0, 0.0)), MIDDLE, diameter=4.0)
    half = drilled_from(shaft, plane(middle, (0.0, -1.0, 0.0), (1.0, 0.0, 0.0)), MIDDLE, diameter=4.0)
    assert taken(across, volume) == pytest.approx(2.0 * taken(half, volume), rel=1e-9)
    # ∫ of the chord of the shaft over the disc of the hole
    steps = 20_000
    chords = (
        2.0 * math.sqrt(36.0 - u * u) * 2.0 * math.sqrt(4.0 - u * u) * 4.0 / steps
        for u in (-2.0 + 4.0 * (at + 0.5) / steps for at in range(steps))
    )
    assert taken(across, volume) == pytest.approx(sum(chords), rel=1e-5)
    assert not warnings(across)
    assert not warnings(half)


def test_a_seat_of_a_hole_in_a_plane_begins_there() -> None:
    level = plane((0.0, 0.0, 5.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
    root = drilled_from(
        BLOCK, level, Points(((30.0, 20.0),)), diameter=4.0, bore_diameter=8.0, bore_depth=2.0
    )
    assert taken(root) == pytest.approx(cylinder(8, 2) + cylinder(4, 3), rel=1e-9)


def test_a_body_is_drilled_again_among_its_holes_and_into_a_pocket() -> None:
    once = drilled(BLOCK, Grid(3, 1, (20.0, 0.0)), diameter=5.0)
    twice = drilled(once, Grid(2, 1, (20.0, 0.0)), face=UPPER, diameter=4.0, depth=6.0)
    wider = drilled(twice, face=UPPER, diameter=9.0, depth=2.0)
    away = 3.0 * cylinder(5, 8) + 2.0 * cylinder(4, 6) + cylinder(9, 2) - cylinder(5, 2)
    assert taken(wider) == pytest.approx(away, rel=1e-9)
    assert not warnings(wider)
    pocket = models.difference(BLOCK, models.box(30.0, 20.0, 9.0, (15.0, 10.0, 5.0)))
    floor = Selector("face", normal=(0.0, 0.0, 1.0), at=(("z", 5.0),))
    root = drilled(pocket, Corners(3.0), face=floor, diameter=4.0)
    assert taken(root) == pytest.approx(30.0 * 20.0 * 3.0 + 4.0 * cylinder(4, 5), rel=1e-9)
    assert not warnings(root)


def test_below_a_wider_hole_is_drilled_on_from_the_same_face() -> None:
    wide = drilled(BLOCK, diameter=10.0, depth=3.0)
    deeper = drilled(wide, face=UPPER, diameter=4.0)
    assert taken(deeper) == pytest.approx(cylinder(10, 3) + cylinder(4, 5), rel=1e-9)
    assert not warnings(deeper)


@pytest.mark.parametrize(
    ("places", "hole", "code", "said"),
    [
        (((28.0, 0.0),), {}, "HOLE_OUTSIDE", "the hole at (28, 0) leaves the face"),
        (((0.0, 0.0), (27.5, 0.0)), {}, None, ""),
        (((0.0, 0.0), (27.51, 0.0)), {}, "HOLE_OUTSIDE", "the hole at (27.51, 0) leaves the face"),
        (
            ((26.0, 0.0),),
            {"bore_diameter": 9.0, "bore_depth": 2.0},
            "HOLE_OUTSIDE",
            "(26, 0) leaves the face",
        ),
        (((0.0, 0.0), (50.0, 0.0)), {}, "HOLE_CUTS_NOTHING", "the hole at (50, 0) cuts nothing"),
        (((32.5, 0.0),), {}, "HOLE_CUTS_NOTHING", "the hole at (32.5, 0) cuts nothing"),
        (((0.0, 0.0),), {"depth": 8.0}, "HOLE_OUTSIDE", "the hole at (0, 0) is deeper than the body there"),
        (((0.0, 0.0),), {"depth": 7.9}, None, ""),
        (((0.0, 0.0),), {"depth": 7.0, "tip": 118.0}, "HOLE_OUTSIDE", "is deeper than the body there"),
        (
            tuple((at, 19.0) for at in (-20.0, -10.0, 0.0, 10.0, 20.0)),
            {},
            "HOLE_OUTSIDE",
            "5 holes leave the face, at (-20, 19), (-10, 19), (0, 19), (10, 19) and 1 more",
        ),
    ],
)
def test_a_hole_that_is_not_where_holes_should_be_is_told_with_its_place(
    places: tuple[Vec2, ...], hole: dict[str, float], code: str | None, said: str
) -> None:
    found = warnings(drilled(BLOCK, Points(places), diameter=5.0, **hole))
    assert [warning.code for warning in found] == ([code] if code else [])
    assert not code or said in found[0].message


def test_a_hole_that_cuts_into_another_leaves_the_face() -> None:
    base = drilled(BLOCK, diameter=10.0)
    (found,) = warnings(drilled(base, Points(((6.0, 0.0),)), diameter=5.0))
    assert (found.code, "(6, 0) leaves the face" in found.message) == ("HOLE_OUTSIDE", True)
    assert not warnings(drilled(base, Points(((7.6, 0.0),)), diameter=5.0))
    (nothing,) = warnings(drilled(base, Points(((1.0, 0.0),)), diameter=5.0))
    assert nothing.code == "HOLE_CUTS_NOTHING"


def test_a_hole_from_a_plane_leaves_the_body_unless_that_is_all_round_it() -> None:
    shaft = models.solid(Cylinder, radius=6.0, height=30.0)
    side = plane((0.0, -20.0, 10.0), (0.0, -1.0, 0.0), (1.0, 0.0, 0.0))

    def codes(u: float) -> list[str]:
        root = drilled_from(shaft, side, Points(((u, 0.0),)), diameter=4.0)
        return [warning.code for warning in warnings(root)]

    assert [codes(u) for u in (3.9, 5.0, 7.9, 8.1)] == [
        [],
        ["HOLE_OUTSIDE"],
        ["HOLE_OUTSIDE"],
        ["HOLE_CUTS_NOTHING"],
    ]
    behind = plane((0.0, 20.0, 10.0), (0.0, -1.0, 0.0), (1.0, 0.0, 0.0))
    (beyond,) = warnings(drilled_from(shaft, behind, MIDDLE, diameter=4.0))
    assert beyond.code == "HOLE_CUTS_NOTHING"


def test_the_exact_kernel_tells_of_holes_where_only_that_builds_the_body() -> None:
    stray = drilled(BLOCK, Points(((28.0, 0.0),)), diameter=5.0)
    (found,) = warnings(models.solid(Chamfer, stray, distance=0.1))
    assert found.code == "HOLE_OUTSIDE"


def test_the_faces_of_a_hole_know_the_drill() -> None:
    root = drilled(BLOCK, Corners(8.0), diameter=5.0, bore_diameter=8.0, bore_depth=3.0)
    document = models.document(root)
    (tool,) = (node for node, value in document.nodes.items() if isinstance(value, DrillTool))
    body = OcctKernel().brep(document, document.roots[0].node)
    assert isinstance(body, Brep)
    # a counterbore has two walls and a seat
    assert body.makers.count(document.digest(tool)) == 4 * 3
    assert document.nodes[tool].functions >= {"drill"}


def test_a_drilled_body_is_stretched_and_mirrored_with_its_faces_kept() -> None:
    base = drilled(BLOCK, Corners(8.0), diameter=5.0)
    assert taken(models.solid(Scale, base, factor=(2.0, 1.0, 1.0)), 2 * SOLID) == pytest.approx(
        8.0 * cylinder(5, 8), rel=1e-6
    )
    mirrored = models.solid(Mirror, base, origin=(0.0, 0.0, 0.0), normal=(1.0, 0.0, 0.0))
    assert taken(mirrored) == pytest.approx(4.0 * cylinder(5, 8), rel=1e-9)


def test_nothing_is_drilled_out_of_nothing() -> None:
    empty = models.solid(Empty)
    level = plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
    for root in (drilled_from(empty, level, MIDDLE, diameter=5.0), drilled(empty, diameter=5.0)):
        assert models.scene(root).parts[0].mesh.is_empty


def failures(root: models.Solid) -> list[str]:
    return [failure.code for failure in evaluate(models.document(root)).failures]


@pytest.mark.parametrize(
    ("places", "code"),
    [
        (AlongEdge(Selector("edge", parallel=(1.0, 0.0, 0.0)), 3, 5.0), "AMBIGUOUS_EDGE"),
        (AlongEdge(Selector("edge", at=(("z", 0.0),)), 3, 5.0), "NO_MATCH"),
        (AlongEdge(Selector("edge", at=(("x", 0.0),)), 3, 25.0), "INVALID_PARAMETER"),
        (AlongEdge(Selector("edge", at=(("z", 99.0),)), 3, 5.0), "NO_MATCH"),
        (Corners(21.0), "INVALID_PARAMETER"),
        (CentersOf(Selector("edge", kind="circle")), "NO_MATCH"),
        (Corners(-1.0), "INVALID_PARAMETER"),
        (Points(()), "INVALID_PARAMETER"),
        (Ring(0, 5.0), "INVALID_PARAMETER"),
        (Grid(2, 1, (0.0, 1.0)), "INVALID_PARAMETER"),
        (Grid(10**4, 10**4, (1.0, 1.0)), "INVALID_PARAMETER"),
    ],
)
def test_places_that_a_body_does_not_have_are_refused(places: Places, code: str) -> None:
    assert failures(drilled(BLOCK, places, diameter=2.0)) == [code]


def test_what_goes_by_an_outline_needs_a_face_and_a_straight_edge() -> None:
    level = plane((0.0, 0.0, 9.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
    along = AlongEdge(Selector("edge", kind="circle", at=(("z", 5.0),)), 2, 1.0)
    for places in (Corners(5.0), along):
        assert failures(drilled_from(BLOCK, level, places, diameter=2.0)) == ["INVALID_PARAMETER"]
    disc = models.solid(Cylinder, radius=9.0, height=5.0)
    assert failures(drilled(disc, along, diameter=2.0)) == ["INVALID_PARAMETER"]


@pytest.mark.parametrize(
    ("hole", "argument"),
    [
        ({"diameter": 0.0}, ":d"),
        ({"diameter": 5.0, "depth": -1.0}, ":depth"),
        ({"diameter": 5.0, "depth": 2.0, "tip": 180.0}, ":tip"),
        ({"diameter": 5.0, "bore_diameter": 5.0, "bore_depth": 2.0}, ":cbore"),
        ({"diameter": 5.0, "bore_diameter": 8.0, "bore_depth": 0.0}, ":cbore"),
        ({"diameter": 5.0, "sink_diameter": 4.0, "sink_angle": 90.0}, ":csk"),
        ({"diameter": 5.0, "sink_diameter": 9.0, "sink_angle": 0.0}, ":csk"),
        ({"diameter": 5.0, "depth": 2.0, "bore_diameter": 8.0, "bore_depth": 2.0}, ":depth"),
    ],
)
def test_a_hole_that_cannot_be_drilled_is_refused_with_its_key(hole: dict[str, float], argument: str) -> None:
    (failure,) = evaluate(models.document(drilled(BLOCK, **hole))).failures
    assert isinstance(failure.error, GeometryError)
    assert (failure.code, failure.error.argument) == ("INVALID_PARAMETER", argument)


def test_each_hole_counts_as_an_operand_of_the_rule_that_says_who_measures() -> None:
    def operands(places: Places) -> int:
        document = models.document(drilled(drilled(BLOCK, places, diameter=1.0), places, diameter=0.5))
        return boolean_operands(document, document.roots[0].node)

    assert operands(Ring(5, 9.0)) == 11
    assert operands(CentersOf(Selector("edge"))) == 3


def test_a_mesh_has_no_face_to_drill_into() -> None:
    corners = (0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0, 9.0)
    mesh = models.solid(ImportedMesh, positions=corners, indices=(0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3))
    assert failures(drilled(mesh, diameter=1.0)) == ["CAPABILITY_UNAVAILABLE"]
