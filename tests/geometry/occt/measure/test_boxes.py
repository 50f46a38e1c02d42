"""Boxes: tight ones, quick ones, and those in closed form."""

from __future__ import annotations

import itertools
import math
import random
from contextlib import nullcontext

import numpy as np
import pytest
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepBuilderAPI import BRepBuilderAPI_Copy, BRepBuilderAPI_MakeFace
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.Geom import Geom_ToroidalSurface
from OCP.gp import gp_Ax3, gp_Dir, gp_Pnt
from OCP.TopoDS import TopoDS_Shape

from tests.geometry.occt import bodies
from vcad_kernel.geometry.occt.brep import faces_of
from vcad_kernel.geometry.occt.measure import extents
from vcad_kernel.geometry.occt.measure.boxes import box_of_points, quick_box_of, torus_box
from vcad_kernel.geometry.occt.measure.extents import box_of
from vcad_kernel.geometry.occt.triangulations import face_meshes

STEPS = 60


@pytest.mark.parametrize("body", bodies.ALL_KINDS)
def test_a_face_that_cannot_be_meshed_has_its_box_all_the_same(
    body: TopoDS_Shape, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = BRepBuilderAPI_Copy(body).Shape()
    low, high = box_of(body)
    monkeypatch.setattr(extents, "meshed", lambda faces: nullcontext())
    found_low, found_high = box_of(copied)
    assert found_low == pytest.approx(low, abs=1e-7)
    assert found_high == pytest.approx(high, abs=1e-7)


@pytest.mark.parametrize("body", bodies.ALL_KINDS)
def test_the_box_of_points_is_never_too_large_and_the_quick_one_never_too_small(body: TopoDS_Shape) -> None:
    least, tight, most = box_of_points(body), box_of(body), quick_box_of(body)
    assert least is not None
    for axis in range(3):
        assert most[0][axis] <= tight[0][axis] + 1e-6
        assert tight[0][axis] <= least[0][axis] + 1e-6
        assert least[1][axis] <= tight[1][axis] + 1e-6
        assert tight[1][axis] <= most[1][axis] + 1e-6


@pytest.mark.parametrize(
    "body",
    [
        bodies.intersection(bodies.torus(8, 3), bodies.cylinder(5, 50, along=(0.2, -0.9, 0.3))),
        bodies.difference(bodies.stretched(bodies.torus(8, 3), 1, 2, 1), bodies.box(20, 30, 20)),
        bodies.intersection(bodies.stretched(bodies.sphere(6), 1, 2, 1), bodies.cylinder(6, 40, (3, 2, -20))),
    ],
)
def test_the_box_of_a_trimmed_face_is_no_larger_than_its_mesh(body: TopoDS_Shape) -> None:
    chord = 0.02
    turned = bodies.turned(body, 0.7, (1, 2, 3))
    BRepMesh_IncrementalMesh(turned, chord)
    nodes = np.concatenate([mesh.nodes for mesh in face_meshes(faces_of(turned)) if mesh is not None])
    low, high = box_of(turned)
    assert np.array(low) == pytest.approx(nodes.min(axis=0), abs=chord)
    assert np.array(high) == pytest.approx(nodes.max(axis=0), abs=chord)
    assert np.all(low <= nodes.min(axis=0) + 1e-6)
    assert np.all(nodes.max(axis=0) - 1e-6 <= high)


def test_the_quick_box_of_a_block_with_a_bore_askew_is_that_of_the_block() -> None:
    block = bodies.box(30, 20, 20)
    bored = bodies.difference(block, bodies.turned(bodies.cylinder(3, 60), 0.9, (0, 1, 0)))
    assert np.array(quick_box_of(bored)) == pytest.approx(np.array(box_of(block)), abs=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_a_box_holds_its_piece_and_is_no_larger(seed: int) -> None:
    chance = random.Random(seed)
    # an apple, a ring that touches itself, and rings
    major, minor = (3.0, 2.0) if seed % 3 else (2.0, 2.0 + seed % 2)
    centre = gp_Pnt(*(chance.uniform(-9.0, 9.0) for _ in range(3)))
    axis = gp_Dir(*(chance.uniform(-1.0, 1.0) for _ in range(3))) if seed > 3 else gp_Dir(0.0, 0.0, 1.0)
    u, v = (chance.uniform(-math.pi, math.pi) for _ in range(2))
    spans = (u, u + chance.uniform(0.1, 6.2)), (v, v + chance.uniform(0.1, 6.2))
    face = BRepBuilderAPI_MakeFace(
        Geom_ToroidalSurface(gp_Ax3(centre, axis), major, minor), *spans[0], *spans[1], 1e-7
    ).Face()
    surface = BRepAdaptor_Surface(face, True)
    low, high = (corner.Coord() for corner in torus_box(surface))
    (u0, u1), (v0, v1) = (
        (surface.FirstUParameter(), surface.LastUParameter()),
        (surface.FirstVParameter(), surface.LastVParameter()),
    )
    places = [
        surface.Value(u0 + (u1 - u0) * i / STEPS, v0 + (v1 - v0) * j / STEPS).Coord()
        for i, j in itertools.product(range(STEPS + 1), repeat=2)
    ]
    # between two stations a point strays from them by no more than their distance squared over eight radii
    coarse = (major + minor) * (6.3 / STEPS) ** 2
    for at in range(3):
        values = [place[at] for place in places]
        assert low[at] - 1e-12 <= min(values) <= low[at] + coarse
        assert high[at] - coarse <= max(values) <= high[at] + 1e-12
