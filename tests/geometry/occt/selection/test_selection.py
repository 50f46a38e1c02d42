"""Edges and faces chosen by criteria, and blends of only those."""

from __future__ import annotations

import math
from functools import partial

import pytest
from msgspec import structs
from OCP.TopoDS import TopoDS_Shape

from tests.geometry import models
from tests.geometry.models import Solid
from tests.geometry.occt.bodies import Z, box, cylinder, difference, made, sphere, turned, union
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.occt.blends.blending import chamfer_at, fillet_at
from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import Brep, edges_of, faces_of
from vcad_kernel.geometry.occt.building import Build
from vcad_kernel.geometry.occt.kernel import OcctKernel
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import middle_of
from vcad_kernel.geometry.occt.measure.validity import volume_of
from vcad_kernel.geometry.occt.selection.selection import select_edges, select_faces
from vcad_kernel.operations.bodies.transforms import Scale, Translate
from vcad_kernel.operations.features.features import ChamferAt, FilletAt
from vcad_kernel.operations.features.selections import SIDES, Ordinal, Selector
from vcad_kernel.operations.solids.shapes import Cube, Cylinder

DOCUMENT = models.document(
    models.difference(models.box(1.0, 1.0, 1.0), models.solid(Cylinder, radius=1.0, height=1.0))
)
BUILD = Build(DOCUMENT, DOCUMENT.roots[0].node)
BY_TYPE = {type(node): DOCUMENT.digest(number) for number, node in DOCUMENT.nodes.items()}


def plate() -> Brep:
    """20 × 20 × 10 with a hole of radius 3; the hole's wall made by the cylinder."""
    body = unified(Brep.made(difference(box(20, 20, 10), cylinder(3, 12, (10, 10, -1))), BY_TYPE[Cube]))
    makers = [
        BY_TYPE[Cylinder] if len(edges_of(face)) == 3 else maker
        for face, maker in zip(faces_of(body.shape), body.makers, strict=True)
    ]
    return Brep(body.shape, tuple(makers))


def boss() -> TopoDS_Shape:
    return union(box(30, 30, 5), cylinder(5, 10, (15, 15, 5)))


def edges(**criteria: object) -> int:
    return len(select_edges(BUILD, plate(), Selector("edge", **criteria)))  # type: ignore[arg-type]


def faces(**criteria: object) -> int:
    return len(select_faces(BUILD, plate(), Selector("face", **criteria)))  # type: ignore[arg-type]


def test_each_criterion_chooses_edges() -> None:
    assert edges() == 14
    assert edges(kind="circle") == 2
    assert edges(kind="line") == 12
    assert edges(parallel=(0.0, 0.0, -3.0)) == 4
    assert edges(at=(("z", 10.0),)) == 5
    assert edges(at=(("x", 10.0), ("y", 10.0))) == 2
    assert edges(above=(("z", 5.0),)) == 5
    assert edges(above=(("z", 4.0),), below=(("z", 6.0),)) == 4
    assert edges(length=(10.0, 10.0)) == 4
    assert edges(length=(18.0, 19.0)) == 2
    assert edges(radius=(3.0, 3.0)) == 2
    assert edges(convex=True) == 14
    assert edges(largest=1) == 8
    assert edges(smallest=3) == 4
    assert edges(adjacent=Selector("face", kind="cylinder")) == 2
    assert edges(adjacent=Selector("face", normal=(0.0, 0.0, 1.0))) == 5
    assert edges(made_by="cylinder") == 2


def test_each_criterion_chooses_faces() -> None:
    assert faces() == 7
    assert faces(kind="cylinder") == 1
    assert faces(kind="plane") == 6
    assert faces(normal=(0.0, 0.0, 2.0)) == 1
    assert faces(parallel=(0.0, 0.0, 1.0)) == 4
    assert faces(at=(("z", 10.0),)) == 1
    assert faces(radius=(2.9, 3.1)) == 1
    assert faces(largest=1) == 2
    assert faces(smallest=1) == 1
    assert faces(adjacent=Selector("face", kind="cylinder")) == 2
    assert faces(made_by="cylinder") == 1
    assert faces(made_by="cube") == 6


def test_a_side_is_that_of_the_plane_faces_furthest_out() -> None:
    assert faces(side="top") == 1
    assert edges(side="top") == 5
    assert edges(side="top", kind="circle") == 1
    assert edges(adjacent=Selector("face", side="left")) == 4
    assert edges(between=(Selector("face", side="top"), Selector("face", side="front"))) == 1
    for side in SIDES:
        assert faces(side=side) == 1
    # two towers of one height: both are the top, the ground between them is not
    towers = union(box(30, 10, 5), union(box(5, 10, 20), box(5, 10, 20, (25, 0, 0))))
    body = unified(Brep.made(towers, BY_TYPE[Cube]))
    assert len(select_faces(BUILD, body, Selector("face", side="top"))) == 2
    assert len(select_edges(BUILD, body, Selector("edge", side="top"))) == 8
    # what is round has no such face
    with pytest.raises(GeometryError, match="meets :side"):
        select_faces(BUILD, Brep.made(sphere(5), BY_TYPE[Cube]), Selector("face", side="top"))


def test_selections_are_joined_intersected_and_taken_away() -> None:
    top, upright = Selector("edge", side="top"), Selector("edge", parallel=(0.0, 0.0, 1.0))
    rims = Selector("edge", kind="circle")
    assert edges(any_of=(top, upright)) == 9
    assert edges(any_of=(top, rims), convex=True) == 6
    assert edges(all_of=(top, rims)) == 1
    assert edges(none_of=rims) == 12
    assert edges(none_of=Selector("edge", any_of=(top, rims))) == 8
    assert edges(side="top", none_of=rims) == 4
    assert faces(any_of=(Selector("face", side="top"), Selector("face", kind="cylinder"))) == 2
    assert faces(none_of=Selector("face", kind="plane")) == 1


def one_edge(**criteria: object) -> tuple[float, float, float]:
    (edge,) = select_edges(BUILD, plate(), Selector("edge", **criteria))  # type: ignore[arg-type]
    x, y, z = middle_of(edge).Coord()
    return (x, y, z)


def test_one_of_several_is_told_by_its_place_in_an_order() -> None:
    upright = {"parallel": (0.0, 0.0, 1.0)}
    assert one_edge(**upright, nth=0, sort_by="x")[0] == 0.0
    assert one_edge(**upright, nth=-1, sort_by="x")[0] == 20.0
    assert one_edge(nth=0, sort_by="radius")[:2] == (10.0, 10.0)
    assert one_edge(nth=-1, sort_by="length")[2] in (0.0, 10.0)
    # what is equal is in the body's order
    order = [middle_of(edge).Coord() for edge in select_edges(BUILD, plate(), Selector("edge", **upright))]
    assert [one_edge(**upright, nth=index, sort_by="z") for index in range(4)] == order
    assert faces(nth=0, sort_by="area") == 1
    assert faces(kind="plane", nth=-1, sort_by="z") == 1


def test_rounding_does_not_put_what_is_equal_in_order() -> None:
    tilted = turned(box(10, 10, 10), 1e-9, (1, 1, 0))
    upper = Selector("edge", above=(("z", 9.0),))
    body = Brep.made(tilted, BY_TYPE[Cube])
    order = select_edges(BUILD, body, upper)
    for index, edge in enumerate(order):
        (one,) = select_edges(BUILD, body, structs.replace(upper, nth=Ordinal(index), sort_by="z"))
        assert one.IsSame(edge)


@pytest.mark.parametrize(("nth", "by", "said"), [(4, "x", "4 to count by :x, from 0 to 3"), (-5, "z", "4")])
def test_a_place_beyond_the_end_says_how_many_there_are(nth: int, by: str, said: str) -> None:
    with pytest.raises(GeometryError, match=said) as caught:
        edges(parallel=(0.0, 0.0, 1.0), nth=nth, sort_by=by)
    assert caught.value.code == "NO_MATCH"
    assert caught.value.details["criterion"] == "nth"
    assert len(caught.value.details["candidate_edges"]) == 4
    with pytest.raises(GeometryError, match="there is none to count by :radius"):
        edges(parallel=(0.0, 0.0, 1.0), nth=0, sort_by="radius")


def test_a_chain_runs_on_over_smooth_joints_and_stops_at_corners() -> None:
    rounded = made(fillet_at, box(20, 15, 10), FilletAt, radius=3.0, edges=Selector("edge", parallel=Z))
    # the outline of the top: four lines and four arcs; its straight corners are smooth
    assert len(select_edges(BUILD, rounded, Selector("edge", side="top", nth=Ordinal(0), sort_by="x"))) == 1
    chain = Selector("edge", side="top", nth=Ordinal(0), sort_by="x", chain=True)
    assert len(select_edges(BUILD, rounded, chain)) == 8
    assert edges(side="top", nth=0, sort_by="x", chain=True) == 1
    # walls and rounds around, but neither lid nor floor
    assert len(select_faces(BUILD, rounded, Selector("face", side="front", chain=True))) == 8
    assert faces(side="front", chain=True) == 1


def test_rims_of_holes_and_outer_outlines() -> None:
    assert edges(inside=True) == 2
    assert edges(outside=True) == 12
    assert edges(inside=False) == 12
    # a boss: its foot is on an inner outline of the plate, but no rim; its upper edge is an outline
    body = Brep.made(boss(), BY_TYPE[Cube])
    with pytest.raises(GeometryError, match="meets :inside"):
        select_edges(BUILD, body, Selector("edge", inside=True))
    outlines = select_edges(BUILD, body, Selector("edge", outside=True))
    assert len(outlines) == 13
    assert any(middle_of(edge).Z() == pytest.approx(15.0) for edge in outlines)
    # a square pocket: the rim of its mouth is inside, its other edges are outlines of its own walls
    pocket = Brep.made(difference(box(20, 20, 10), box(6, 6, 9, (7, 7, 5))), BY_TYPE[Cube])
    rim = select_edges(BUILD, pocket, Selector("edge", inside=True))
    assert [middle_of(edge).Z() for edge in rim] == pytest.approx([10.0] * 4)
    assert len(select_edges(BUILD, pocket, Selector("edge", outside=True))) == 12 + 4 + 4


def test_everything_where_a_part_was_meant_is_told_with_what_there_is() -> None:
    build = Build(DOCUMENT, DOCUMENT.roots[0].node)
    select_edges(build, plate(), Selector("edge"))
    assert build.notes == []
    select_edges(build, plate(), Selector("edge", convex=True))
    (note,) = build.notes
    assert note.code == "SELECTS_ALL"
    assert "all 14 sharp edges" in note.message
    assert "circle of 18.85 mm, radius 3 at (10, 10, " in note.message
    assert "and 2 more" in note.message
    # of one alone nothing can be left
    ball = Brep.made(sphere(5), BY_TYPE[Cube])
    select_faces(build, ball, Selector("face", kind="sphere"))
    assert len(build.notes) == 1


def test_criteria_are_met_together_and_the_order_is_the_bodys() -> None:
    body = plate()
    chosen = select_edges(BUILD, body, Selector("edge", at=(("z", 10.0),), kind="line"))
    order = [next(i for i, edge in enumerate(edges_of(body.shape)) if edge.IsSame(one)) for one in chosen]
    assert len(order) == 4
    assert order == sorted(order)


def test_an_edge_that_fills_a_corner_is_not_convex() -> None:
    body = Brep.made(boss(), BY_TYPE[Cube])
    (foot,) = select_edges(BUILD, body, Selector("edge", convex=False))
    assert middle_of(foot).Z() == pytest.approx(5.0)


def test_nothing_selected_is_an_error_that_names_the_last_criterion() -> None:
    with pytest.raises(GeometryError) as caught:
        edges(kind="line", at=(("z", 99.0),))
    error = caught.value
    assert error.code == "NO_MATCH"
    assert not error.failed
    assert (error.details["candidates"], error.details["criterion"]) == (14, "at")
    assert "14 sharp edges" in error.message
    assert ":at" in error.message
    # what there was to choose from: those that met all before
    assert error.details["candidate_count"] == 12
    assert {edge["kind"] for edge in error.details["candidate_edges"]} == {"line"}
    assert "  there: edge 0, line of 10 mm at (0, 0, 5)" in error.render().split("\n")
    with pytest.raises(GeometryError, match="7 faces") as caught:
        faces(kind="torus")
    assert "  there: face 6, cylinder of 188.5 mm², radius 3 at (10, 10, 5)" in caught.value.render()


def new_edges(code: Solid, selector: Selector | None = None) -> list[tuple[float, float, float]]:
    """The middles of what is new of a body, selected from as a feature on it does."""
    document = models.document(models.solid(FilletAt, code, radius=1.0, edges=Selector("edge")))
    node = document.roots[0].node
    kernel = OcctKernel()
    build = Build(document, node, merged=partial(kernel.merged, document))
    body = kernel.merged(document, document.nodes[node].children()[0])
    assert body is not None
    taken = select_edges(build, body, selector or Selector("edge", new=True))
    middles = [middle_of(edge).Coord() for edge in taken]
    return sorted((round(x, 6), round(y, 6), round(z, 6)) for x, y, z in middles)


def test_new_is_what_the_last_operation_has_made() -> None:
    pin = models.solid(Cylinder, radius=3.0, height=30.0)
    drill = models.solid(Translate, pin, offset=(10.0, 10.0, -1.0))
    drilled = models.difference(models.box(20.0, 20.0, 10.0), drill)
    rims = [(10.0, 10.0, 0.0), (10.0, 10.0, 10.0)]
    assert new_edges(drilled) == rims
    # transforms are looked through
    stretched = models.solid(Scale, drilled, factor=(2.0, 1.0, -1.0))
    there = models.solid(Translate, stretched, offset=(5.0, 0.0, 0.0))
    assert new_edges(there) == [(19.0, 10.0, -10.0), (19.0, 10.0, 0.0)]
    # old edges of which a piece is gone, or which have grown, are no new ones
    notch = models.difference(models.box(20.0, 20.0, 10.0), models.box(4.0, 4.0, 4.0, (8.0, -1.0, 8.0)))
    assert len(new_edges(notch)) == 11
    assert len(new_edges(notch, Selector("edge", new=False))) == 13
    longer = models.union(models.box(20.0, 20.0, 10.0), models.box(10.0, 20.0, 10.0, (20.0, 0.0, 0.0)))
    assert len(new_edges(longer)) == 4
    assert len(new_edges(longer, Selector("edge", new=False))) == 8
    # of nothing, and of a profile, all is new
    assert len(new_edges(models.box(1.0, 1.0, 1.0))) == 12
    lid = Selector("edge", side="top")
    chamfered = models.solid(ChamferAt, models.box(9.0, 9.0, 9.0), distance=1.0, edges=lid)
    assert len(new_edges(chamfered)) == 12


def test_only_the_selected_edges_are_blended() -> None:
    kite = 1.0 - math.pi / 4
    upright = Selector("edge", parallel=(0.0, 0.0, 1.0))
    result = made(fillet_at, box(10, 10, 20), FilletAt, radius=2.0, edges=upright)
    assert volume_of(result.shape) == pytest.approx(2000 - 4 * kite * 4 * 20, rel=1e-9)
    result = made(chamfer_at, box(10, 10, 20), ChamferAt, distance=2.0, edges=upright)
    assert volume_of(result.shape) == pytest.approx(2000 - 4 * 2 * 20, rel=1e-9)
    foot = Selector("edge", convex=False)
    result = made(fillet_at, boss(), FilletAt, radius=2.0, edges=foot)
    assert volume_of(result.shape) > volume_of(boss())


def test_a_radius_runs_from_its_first_to_its_last_value_along_the_axis() -> None:
    edge = Selector("edge", at=(("y", 0.0), ("z", 10.0)))
    result = made(fillet_at, box(30, 10, 10), FilletAt, radius=1.0, radius_end=3.0, edges=edge)
    mean = (1 + 3 + 9) / 3
    assert volume_of(result.shape) == pytest.approx(3000 - (1 - math.pi / 4) * mean * 30, rel=1e-6)
    # thicker at low x, where the radius is small
    low = difference(result.shape, box(15, 10, 10, (15, 0, 0)))
    assert volume_of(low) > volume_of(result.shape) / 2
