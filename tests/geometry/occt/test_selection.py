"""Edges and faces chosen by criteria, and blends of only those."""

from __future__ import annotations

import math

import pytest
from OCP.TopoDS import TopoDS_Shape

from tests.geometry import models
from tests.geometry.occt.bodies import box, cylinder, difference, made, union
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.occt.blends.blending import chamfer_at, fillet_at
from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import Brep, edges_of, faces_of
from vcad_kernel.geometry.occt.building import Build
from vcad_kernel.geometry.occt.measure.faces_and_edges import middle_of
from vcad_kernel.geometry.occt.measure.validity import volume_of
from vcad_kernel.geometry.occt.selection import select_edges, select_faces
from vcad_kernel.operations.features import ChamferAt, FilletAt
from vcad_kernel.operations.selections import Selector
from vcad_kernel.operations.shapes import Cube, Cylinder

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
    assert error.details == {"candidates": 14, "criterion": "at"}
    assert "14 sharp edges" in error.message
    assert ":at" in error.message
    with pytest.raises(GeometryError, match="7 faces"):
        faces(kind="torus")


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
