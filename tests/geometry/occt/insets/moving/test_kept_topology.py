"""Insets in which all of the body stays: the same as those put together from cells, or none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from OCP.BRepBuilderAPI import BRepBuilderAPI_Copy
from OCP.BRepOffsetAPI import BRepOffsetAPI_DraftAngle
from OCP.BRepPrimAPI import BRepPrimAPI_MakeCylinder
from OCP.gp import gp_Ax2, gp_Dir, gp_Pln, gp_Pnt, gp_Trsf, gp_Vec
from OCP.TopAbs import TopAbs_FACE
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS_Face, TopoDS_Shape

from tests.geometry.occt import bodies
from tests.geometry.occt.bodies import BELOW, L_SHAPE
from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import Brep, faces_of, shape_map
from vcad_kernel.geometry.occt.insets.insetting import Inset
from vcad_kernel.geometry.occt.insets.moving.kept_topology import KeptTopology
from vcad_kernel.geometry.occt.insets.moving.moving_boundary import MovingBoundary
from vcad_kernel.geometry.occt.measure.extents import box_of
from vcad_kernel.geometry.occt.measure.integration.masses import area_and_centre
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import plane_normal
from vcad_kernel.geometry.occt.measure.validity import area_of, volume_of


def _merged(shape: TopoDS_Shape) -> TopoDS_Shape:
    return unified(Brep.made(shape, BELOW)).shape


def _bored(body: TopoDS_Shape, radius: float, x: float, y: float) -> TopoDS_Shape:
    axis = gp_Ax2(gp_Pnt(x, y, -1.0), gp_Dir(0.0, 0.0, 1.0))
    return _merged(bodies.difference(body, BRepPrimAPI_MakeCylinder(axis, radius, 100.0).Shape()))


def _drafted(body: TopoDS_Shape) -> TopoDS_Shape:
    """Its upright faces lean inwards by 5°."""
    draft = BRepOffsetAPI_DraftAngle(body)
    up, floor = gp_Dir(0.0, 0.0, 1.0), gp_Pln(gp_Pnt(0.0, 0.0, 0.0), gp_Dir(0.0, 0.0, 1.0))
    for face in faces_of(body):
        normal = plane_normal(face)
        if normal is not None and abs(normal.Z()) < 0.5:
            draft.Add(face, up, 0.0873, floor)
    return draft.Shape()


def _lids(shape: TopoDS_Shape) -> list[TopoDS_Face]:
    """The highest flat face that looks upwards."""
    flat = [face for face in faces_of(shape) if (normal := plane_normal(face)) and normal.Z() > 0.999]
    return [max(flat, key=lambda face: float(area_and_centre(face)[1].Z()))]


KEPT: dict[str, tuple[Callable[[], TopoDS_Shape], float]] = {
    "rounded box": (lambda: bodies.filleted(bodies.box(20, 15, 12), 3.0), 1.0),
    "rounded L-profile": (lambda: bodies.filleted(bodies.extruded(L_SHAPE, 10), 1.0), 0.4),
    "two bores in a plate": (lambda: _bored(_bored(bodies.box(30, 20, 8), 3, 9, 10), 2, 20, 10), 1.0),
    "boss with a rounded foot": (
        lambda: bodies.filleted(
            bodies.union(bodies.box(20, 20, 6), bodies.cylinder(5, 15, (10, 10, 0))), 1.5
        ),
        1.0,
    ),
    "tilted bored box": (
        lambda: bodies.turned(_bored(bodies.box(20, 16, 12), 3, 8, 8), 0.7, (1, 2, 3)),
        1.5,
    ),
    "cone": (lambda: bodies.cone(8, 3, 10), 1.0),
    "stepped ring": (lambda: bodies.revolved(((3, 0), (8, 0), (8, 4), (5, 4), (5, 10), (3, 10))), 0.5),
}


@pytest.mark.parametrize("name", KEPT)
def test_a_body_that_stays_is_moved_as_the_cells_have_it(name: str) -> None:
    body, distance = KEPT[name][0](), KEPT[name][1]
    kept, cells = KeptTopology(body).inset(distance), Inset(body)._put_together(distance)
    assert kept is not None
    assert cells is not None
    assert volume_of(kept) == pytest.approx(volume_of(cells), rel=1e-9)
    assert area_of(kept) == pytest.approx(area_of(cells), rel=1e-9)


OPENED: dict[str, tuple[Callable[[], TopoDS_Shape], int]] = {
    "cup": (lambda: bodies.cylinder(8, 20), 1),
    "cone": (lambda: bodies.cone(8, 3, 10), 1),
    "tray on an L": (lambda: bodies.turned(bodies.extruded(L_SHAPE, 10), 0.7, (0, 0, 1)), 1),
    # a wall is left around each bore, too
    "two bores in a plate": (KEPT["two bores in a plate"][0], 3),
}


@pytest.mark.parametrize("name", OPENED)
def test_an_opened_body_that_stays_is_the_body_less_its_cells(name: str) -> None:
    body, walls = OPENED[name][0](), OPENED[name][1]
    hollow = KeptTopology(body, _lids(body)).hollowed(1.0)
    cells = Inset(body, _lids(body)).at(1.0)
    assert hollow is not None
    assert cells is not None
    assert volume_of(hollow[0]) == pytest.approx(volume_of(body) - volume_of(cells), rel=1e-9)
    assert [len(rings) for rings in hollow[1]] == [walls]


GOING: dict[str, tuple[Callable[[], TopoDS_Shape], float]] = {
    # opposite walls meet, near or far from where faces are looked at
    "a plate as thick as two walls": (lambda: bodies.box(40, 30, 4), 2.0),
    "a leg thinner than two walls": (
        lambda: bodies.extruded(((0, 0), (40, 0), (40, 3), (20, 3), (20, 40), (0, 40)), 40),
        2.0,
    ),
    "a peg whose tip comes through the floor": (
        lambda: _merged(bodies.difference(bodies.box(30, 30, 12), bodies.sphere(8, (15, 15, 17)))),
        2.0,
    ),
    "two bores near each other": (lambda: _bored(_bored(bodies.box(30, 20, 20), 3, 9, 10), 3, 17, 10), 1.5),
    "a tilted plate as thick as two walls": (
        lambda: bodies.turned(bodies.box(40, 30, 4), 0.7, (1, 2, 3)),
        2.0,
    ),
    # of a convex body only borders tell
    "a disc as thick as two walls": (lambda: bodies.cylinder(10, 4), 2.0),
    "a rounded disc as thick as two walls": (lambda: bodies.filleted(bodies.cylinder(10, 4), 1.0), 2.0),
    # borders of one face meet
    "a bore near an edge": (lambda: _bored(bodies.box(30, 20, 20), 4, 15, 6), 1.5),
    "a land between slopes": (
        lambda: bodies.extruded(((0, 0), (40, 0), (21, 20), (19, 20)), 40),
        3.0,
    ),
    # something shrinks to nothing
    "a round as wide as the wall": (lambda: bodies.filleted(bodies.box(20, 20, 20), 1.0), 1.0),
    "a rod as thick as two walls": (lambda: bodies.cylinder(2, 30), 2.0),
    "a bevel that goes": (lambda: bodies.chamfered(bodies.box(20, 20, 20), 0.5), 2.0),
    # what nothing is known of
    "a free-form face": (lambda: bodies.stretched(bodies.cylinder(8, 20), 1.0, 1.5, 1.0), 1.0),
    "pipes that cross": (
        lambda: _merged(bodies.union(bodies.cylinder(8, 40), bodies.cylinder(5, 40, (0, 0, 20), (1, 0, 0)))),
        1.0,
    ),
    "two lumps": (lambda: bodies.union(bodies.box(9, 9, 9), bodies.box(9, 9, 9, (20, 0, 0))), 1.0),
    "a cavity": (lambda: bodies.difference(bodies.box(20, 20, 20), bodies.box(4, 4, 4, (8, 8, 8))), 1.0),
}


@pytest.mark.parametrize("name", GOING)
def test_a_body_of_which_something_goes_is_left_to_the_cells(name: str) -> None:
    body, distance = GOING[name]
    assert KeptTopology(body()).inset(distance) is None


def test_a_body_is_left_to_the_cells_before_its_rounds_go_and_not_long_before() -> None:
    body = KeptTopology(bodies.filleted(bodies.box(40, 30, 12), 3.0))
    assert body.inset(2.99) is not None
    assert body.inset(3.0) is None


def test_openings_that_meet_or_run_on_smoothly_are_left_to_the_cells() -> None:
    box = bodies.box(20, 20, 20)
    assert KeptTopology(box, faces_of(box)[:3]).hollowed(1.0) is None
    rounded = bodies.filleted(box, 3.0)
    assert KeptTopology(rounded, _lids(rounded)).hollowed(1.0) is None


def test_a_disc_that_is_open_above_keeps_a_floor() -> None:
    disc = bodies.cylinder(10, 4)
    assert KeptTopology(disc, _lids(disc)).hollowed(3.9) is not None
    assert KeptTopology(disc, _lids(disc)).hollowed(4.0) is None


@pytest.mark.parametrize(
    "body",
    [
        lambda place: bodies.filleted(bodies.box(20, 15, 12), 3.0).Moved(place),
        lambda place: bodies.extruded(L_SHAPE, 10).Moved(place),
        # what OpenCASCADE's own removal of locations tears apart
        lambda place: _drafted(bodies.box(20, 15, 12).Moved(place)),
    ],
    ids=["rounded", "extruded", "drafted where it is"],
)
def test_a_body_that_has_been_placed_is_moved_like_any_other(
    body: Callable[[TopLoc_Location], TopoDS_Shape],
) -> None:
    there, shift = gp_Trsf(), (3.0, 4.0, 0.0)
    there.SetTranslation(gp_Vec(*shift))
    inset = KeptTopology(body(TopLoc_Location())).inset(1.0)
    moved = KeptTopology(body(TopLoc_Location(there))).inset(1.0)
    assert inset is not None
    assert moved is not None
    assert volume_of(moved) == pytest.approx(volume_of(inset), rel=1e-12)
    assert np.array(box_of(moved)) == pytest.approx(np.add(box_of(inset), shift), abs=1e-9)


def test_a_body_that_has_been_placed_keeps_its_other_faces_when_it_is_opened() -> None:
    there = gp_Trsf()
    there.SetTranslation(gp_Vec(3.0, 4.0, 5.0))
    placed = bodies.box(20, 15, 12).Moved(TopLoc_Location(there))
    lids = _lids(placed)
    hollow = KeptTopology(placed, lids).hollowed(1.0)
    assert hollow is not None
    result = shape_map(hollow[0], TopAbs_FACE)
    assert all(result.Contains(face) != face.IsSame(lids[0]) for face in faces_of(placed))
    assert all(result.Contains(ring) for ring in hollow[1][0])


def test_the_body_itself_stays_as_it_is() -> None:
    body = bodies.filleted(bodies.box(20, 15, 12), 3.0)
    before = volume_of(body)
    assert KeptTopology(body).inset(1.0) is not None
    # a copy of it is read anew
    assert volume_of(BRepBuilderAPI_Copy(body).Shape()) == before


def test_the_inner_half_of_a_tube_is_no_convex_body() -> None:
    half = bodies.intersection(bodies.torus(10, 3), bodies.cylinder(10, 8, (0, 0, -4)))
    moving = MovingBoundary(half, faces_of(half), lambda _: False)
    assert not moving.is_convex
