"""Blends on bodies whose seams or lumps lie in the way: the same body turned has the same blend."""

from __future__ import annotations

import contextlib
import math

import pytest
from OCP.BRepPrimAPI import BRepPrimAPI_MakeCylinder, BRepPrimAPI_MakeTorus
from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt

from tests.geometry import models
from tests.geometry.occt.answers import figures
from tests.geometry.occt.bodies import (
    area,
    box,
    cylinder,
    difference,
    intersection,
    made,
    sphere,
    torus,
    union,
    volume,
)
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.occt.blends.blending import chamfer, fillet
from vcad_kernel.geometry.occt.blends.limits import blend_failure
from vcad_kernel.geometry.occt.blends.request import Blend
from vcad_kernel.geometry.occt.blends.reseaming import reseamed
from vcad_kernel.geometry.occt.brep import Brep, edges_of
from vcad_kernel.geometry.occt.building import Build
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import sharp_edges
from vcad_kernel.operations.bodies.booleans import Intersection
from vcad_kernel.operations.bodies.transforms import Translate
from vcad_kernel.operations.features.features import Chamfer, Fillet
from vcad_kernel.operations.solids.shapes import Sphere

SAME = 1e-6
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def rounded_cube(side: float, r: float) -> float:
    inner = side - 2 * r
    return inner**3 + 6 * r * inner**2 + 3 * math.pi * r**2 * inner + 4 / 3 * math.pi * r**3


@pytest.mark.parametrize("corner", [(10.0, 10.0, 0.0), (10.0, 10.0, 10.0)])
def test_lumps_that_touch_in_an_edge_or_a_corner_are_blended_each_for_itself(
    corner: tuple[float, float, float],
) -> None:
    touching = union(box(10, 10, 10), box(10, 10, 10, corner))
    assert volume(made(fillet, touching, Fillet, radius=0.5)) == pytest.approx(2 * rounded_cube(10, 0.5))
    bevelled = 2 * (1000 - 2 * 0.25 * 27 - 20 / 3 * 0.125)
    assert volume(made(chamfer, touching, Chamfer, distance=0.5)) == pytest.approx(bevelled)


def lens(x: float, y: float, z: float) -> models.Solid:
    moved = models.solid(Translate, models.solid(Sphere, radius=10.0), offset=(x, y, z))
    return models.solid(Intersection, models.solid(Sphere, radius=10.0), moved)


def test_a_lens_has_the_same_blend_whichever_way_it_looks() -> None:
    volumes = [
        figures(models.solid(Fillet, lens(*way), radius=0.5)).volume
        for way in ((0.0, 0.0, 6.0), (6.0, 0.0, 0.0), (-6.0, 0.0, 0.0), (0.0, 6.0, 0.0))
    ]
    assert volumes == pytest.approx([volumes[0]] * 4, rel=SAME)


@pytest.mark.parametrize("at", [(0, 0, 0), (-20, -20, -20), (0, -20, -20)])
def test_each_eighth_of_a_ball_has_the_volume_of_steiners_formula(at: tuple[float, float, float]) -> None:
    # the body inset by 0.5, integrated numerically, and grown again: V + S r + M r² + 4/3 π r³
    eighth = intersection(box(20, 20, 20, at), sphere(10))
    assert volume(made(fillet, eighth, Fillet, radius=0.5)) == pytest.approx(519.36848608, rel=SAME)


def test_half_a_ring_cut_along_its_seam_has_the_blend_of_one_cut_elsewhere() -> None:
    half = box(40, 20, 20, (-20, 0, -10))
    along = difference(torus(10, 3), half)
    place = gp_Ax2(gp_Pnt(0, 0, 0), gp_Dir(*Z), gp_Dir(1, 2, 0))
    across = difference(BRepPrimAPI_MakeTorus(place, 10, 3).Shape(), half)
    first, second = (made(fillet, body, Fillet, radius=0.5) for body in (along, across))
    assert volume(first) == pytest.approx(volume(second), rel=SAME)
    assert area(first) == pytest.approx(area(second), rel=SAME)


def test_the_rims_of_a_groove_that_lie_on_both_seams_of_a_torus_are_rounded_exactly() -> None:
    disc, radius, groove, r = cylinder(10, 6, (0, 0, -6)), 10.0, 1.5, 0.3
    body = made(fillet, difference(disc, torus(5, groove)), Fillet, radius=r)
    # the corner between plane and groove: a triangle of the three centres less two sectors
    reach = math.sqrt((groove + r) ** 2 - r**2)
    angle = math.asin(r / (groove + r))
    corner = reach * r / 2 - groove**2 * angle / 2 - r**2 * (math.pi / 2 - angle) / 2
    kite, centre = 1 - math.pi / 4, (10 - 3 * math.pi) / (12 - 3 * math.pi)
    rim = kite * r**2 * 2 * math.pi * (radius - centre * r)
    whole = math.pi * radius**2 * 6 - math.pi**2 * 5 * groove**2
    assert volume(body) == pytest.approx(whole - 2 * math.pi * 5 * 2 * corner - 2 * rim, rel=SAME)


@pytest.mark.parametrize("turned", [False, True])
def test_a_tee_of_equal_pipes_is_rounded_whichever_pipe_runs_through(turned: bool) -> None:
    pipe, branch = (X, Z) if turned else (Z, X)
    through = cylinder(3, 30, tuple(-15.0 * share for share in pipe), pipe)
    tee = union(cylinder(3, 15, (0, 0, 0), branch), through)
    assert volume(made(fillet, tee, Fillet, radius=0.5)) == pytest.approx(1197.825787, rel=1e-8)


@pytest.mark.parametrize("seam", [(0.0, 0.0, -1.0), (0.0, 1.0, 0.0)])
def test_where_a_rim_and_the_blend_of_a_joint_meet_exactly_no_folded_faces_pass(
    seam: tuple[float, float, float],
) -> None:
    # OpenCASCADE also builds a body of 774.4 mm³, with more area than there was before.
    place = gp_Ax2(gp_Pnt(0, 0, 0), gp_Dir(*X), gp_Dir(*seam))
    elbow = union(BRepPrimAPI_MakeCylinder(place, 3, 15).Shape(), cylinder(3, 15, (0, 0, -4)))
    with contextlib.suppress(GeometryError):
        assert volume(made(fillet, elbow, Fillet, radius=0.5)) == pytest.approx(773.71144, rel=SAME)


def test_other_seams_leave_no_mark_on_the_body() -> None:
    body = Brep.made(union(cylinder(3, 15, (0, 0, 0), X), cylinder(3, 30, (0, 0, -15))), b"below")
    count = len(edges_of(body.shape))
    first, again = list(reseamed(body)), list(reseamed(body))
    assert len(first) == len(again) > 1
    assert len(edges_of(body.shape)) == count


def test_no_smaller_size_is_looked_for_when_one_trial_takes_all_the_time() -> None:
    document = models.document(models.solid(Fillet, models.box(1.0, 1.0, 1.0), radius=1.0))
    build = Build(document, document.roots[0].node)
    body = Brep.made(cylinder(5, 10), b"below")
    tried: list[float] = []

    def slow(_lump: Brep, _corners: object, blend: Blend, _maker: bytes, _end: float) -> None:
        tried.append(blend.size)

    lumps = [(body, sharp_edges(body.shape))]
    everything = edges_of(body.shape)
    long = build.search.blend_seconds + 1.0
    fault = blend_failure(build, Blend("fillet", 3.0), lumps, everything, slow, spent=long)
    assert not tried
    assert fault.details["largest_working"] is None
    blend_failure(build, Blend("fillet", 3.0), lumps, everything, slow, spent=0.0)
    assert tried


def test_however_long_blends_that_meet_exactly_took_smaller_ones_are_looked_for() -> None:
    document = models.document(models.solid(Fillet, models.box(1.0, 1.0, 1.0), radius=1.0))
    build = Build(document, document.roots[0].node)
    plate = Brep.made(box(30, 30, 10), b"below")

    def smaller(lump: Brep, _corners: object, blend: Blend, _maker: bytes, _end: float) -> Brep | None:
        return lump if blend.size < 5.0 else None

    lumps, everything = [(plate, sharp_edges(plate.shape))], edges_of(plate.shape)
    long = build.search.blend_seconds + 1.0
    fault = blend_failure(build, Blend("fillet", 5.0), lumps, everything, smaller, spent=long)
    assert fault.details["largest_working"] == 4.999
