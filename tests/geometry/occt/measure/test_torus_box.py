"""The box of a piece of a torus contains the piece and touches it on every side."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeFace
from OCP.Geom import Geom_ToroidalSurface
from OCP.gp import gp_Ax3, gp_Dir, gp_Pnt

from vcad_kernel.geometry.occt.measure.validity import torus_box

STEPS = 60


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
