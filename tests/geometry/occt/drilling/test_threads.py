"""Threads as B-reps, and in holes: sound, near the helicoid, with the figures of closed formulas."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.GeomAbs import GeomAbs_BSplineSurface

from tests.geometry import models
from tests.geometry.sweeps.test_threads import section
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.evaluate import EvaluatedPart
from vcad_kernel.geometry.mesh.rounding.slits import has_slits
from vcad_kernel.geometry.occt.brep import Brep, faces_of
from vcad_kernel.geometry.occt.kernel import OcctKernel
from vcad_kernel.geometry.occt.measure.validity import is_valid
from vcad_kernel.operations.bodies.booleans import Difference
from vcad_kernel.operations.bodies.transforms import Rotate
from vcad_kernel.operations.features.holes import DrillTool
from vcad_kernel.operations.features.places import Grid, Places, Points
from vcad_kernel.operations.features.selections import Selector
from vcad_kernel.operations.planes import FacePlane, PlaneAt
from vcad_kernel.operations.solids.shapes import Cylinder
from vcad_kernel.operations.solids.thread_forms import basic_form
from vcad_kernel.operations.solids.threads import Thread

TOP = Selector("face", side="top")
BLOCK = models.box(20.0, 20.0, 10.0)
SOLID = 4000.0
MIDDLE = Points(((0.0, 0.0),))
M8 = {"diameter": 6.8, "thread": 8.0, "pitch": 1.25}
TIP = 3.4 / math.tan(math.radians(59.0))


BORE = section(basic_form(8.0, 1.25).bored(6.8).corners, 1.25)


def rod(**fields: object) -> models.Solid:
    return models.solid(Thread, **{"diameter": 8.0, "pitch": 1.25, "length": 20.0, **fields})


def brep(root: models.Solid) -> Brep:
    document = models.document(root)
    body = OcctKernel().brep(document, document.roots[0].node)
    assert body is not None
    assert is_valid(body.shape)
    return body


def part(root: models.Solid) -> EvaluatedPart:
    """The part; both kernels agree, and its figures are marked ≈ with a bound."""
    scene = models.scene(root)
    assert scene.warnings == ()
    (found,) = scene.parts
    figures, mesh = found.figures, found.mesh_figures
    assert figures.notes == ()
    assert not figures.exact
    assert figures.tolerance is not None
    assert 0.0 < figures.tolerance < 1e-4
    assert mesh.is_manifold
    assert (mesh.genus, mesh.lumps, mesh.shells) == (figures.genus, figures.lumps, figures.shells)
    return found


def drilled(body: models.Solid = BLOCK, places: Places = MIDDLE, **hole: float) -> models.Solid:
    plane = models.solid(FacePlane, body, face=TOP)
    return models.solid(
        Difference, body, models.solid(DrillTool, body, plane, places=places, **{**M8, **hole})
    )


def assert_volume(found: EvaluatedPart, wanted: float) -> None:
    """Within what the figures say of themselves."""
    figures = found.figures
    assert figures.tolerance is not None
    assert abs(figures.volume - wanted) <= figures.tolerance * figures.surface_area


@pytest.mark.parametrize("length", [20.0, 0.3, 3.33])
def test_a_thread_has_the_volume_of_its_section(length: float) -> None:
    found = part(rod(length=length))
    wanted = section(basic_form(8.0, 1.25).corners, 1.25) * length
    assert_volume(found, wanted)
    assert found.figures.volume == pytest.approx(wanted, rel=1e-8)
    assert found.figures.genus == 0
    assert found.figures.bounds is not None
    assert [corner[2] for corner in found.figures.bounds] == pytest.approx([0.0, length], abs=1e-9)


@pytest.mark.parametrize(
    "fields",
    [
        {"lead_in": "both"},
        {"lead_in": "top", "internal": True, "tolerance": "6H"},
        {"lead_in": "bottom", "internal": True, "length": 2.0},
        {"tolerance": "6g", "lead_in": "bottom", "length": 5.0},
        {"diameter": 1.6, "pitch": 0.35, "length": 3.0},
        {"diameter": 68.0, "pitch": 6.0, "length": 13.0},
    ],
)
def test_other_threads_are_sound_and_agree_with_their_meshes(fields: dict[str, object]) -> None:
    brep(rod(**fields))
    part(rod(**fields))


def test_flanks_lie_within_a_ten_thousandth_of_the_helicoid() -> None:
    body = brep(rod(length=4.0, lead_in="top"))
    outer, inner = 4.0, 0.5 * basic_form(8.0, 1.25).minor
    crest = 1.25 / 16
    worst = 0.0
    flanks = 0
    for face in faces_of(body.shape):
        surface = BRepAdaptor_Surface(face, True)
        if surface.GetType() != GeomAbs_BSplineSurface:
            continue
        flanks += 1
        assert BRep_Tool.Tolerance_s(face) < 1e-4
        for u, v in itertools.product(np.linspace(0, 1, 9), np.linspace(0, 1, 3)):
            ends = surface.FirstUParameter(), surface.LastUParameter()
            x, y, z = surface.Value(ends[0] + (ends[1] - ends[0]) * float(u), float(v)).Coord()
            # the axial distance from the middle of the nearest ridge
            away = abs((z / 1.25 - math.atan2(y, x) / math.tau + 0.5) % 1.0 - 0.5) * 1.25
            radius = outer - (away - crest) * math.sqrt(3.0)
            assert inner - 1e-4 < radius < outer + 1e-4
            worst = max(worst, abs(math.hypot(x, y) - radius) / 2.0)
    assert flanks
    assert worst < 1e-6
    assert max(body.deviations.values()) < 1e-6


def test_a_rod_fits_into_a_hole_that_was_cut_for_it() -> None:
    left = models.difference(rod(length=2.0, internal=True), rod(length=2.0))
    assert models.scene(left).parts[0].figures.volume == pytest.approx(0.0, abs=1e-6)


def test_a_cosmetic_thread_is_a_cylinder_and_says_so() -> None:
    scene = models.scene(rod(cosmetic=True))
    assert [warning.code for warning in scene.warnings] == ["THREAD_COSMETIC"]
    (found,) = scene.parts
    assert found.figures.exact
    assert found.figures.volume == pytest.approx(math.pi * 16 * 20)
    (hole,) = models.scene(rod(cosmetic=True, internal=True, lead_in="bottom")).parts
    minor = 0.5 * basic_form(8.0, 1.25).minor
    cone = math.pi * (4.2 - minor) / 3 * (4.2**2 + 4.2 * minor + minor**2)
    wanted = math.pi * minor**2 * (20 - (4.2 - minor)) + cone
    assert hole.figures.volume == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("hole", "volume", "genus"),
    [
        ({}, BORE * 10, 1),
        ({"depth": 6.0}, BORE * 6, 0),
        ({"depth": 6.0, "tip": 118.0}, BORE * 6 + math.pi * 3.4**2 * TIP / 3, 0),
        ({"bore_diameter": 15.0, "bore_depth": 3.0}, BORE * 7 + math.pi * 7.5**2 * 3, 1),
        (
            {"bore_diameter": 15.0, "bore_depth": 3.0, "depth": 7.0, "tip": 118.0},
            BORE * 4 + math.pi * 7.5**2 * 3 + math.pi * 3.4**2 * TIP / 3,
            0,
        ),
    ],
)
def test_a_tapped_hole_takes_the_bore_and_the_thread(
    hole: dict[str, float], volume: float, genus: int
) -> None:
    found = part(drilled(**hole))
    assert_volume(found, SOLID - volume)
    assert found.figures.genus == genus


@pytest.mark.parametrize("angle", [90.0, 120.0])
def test_a_countersink_leads_into_the_thread(angle: float) -> None:
    found = part(drilled(sink_diameter=10.0, sink_angle=angle))
    height = 1.6 / math.tan(math.radians(angle / 2))
    cone = math.pi * height / 3 * (25 + 5 * 3.4 + 3.4**2)
    # the groove runs out in the cone
    assert SOLID - BORE * 10 - cone + math.pi * 3.4**2 * height < found.figures.volume
    assert found.figures.volume < SOLID - BORE * (10 - height) - cone


def test_four_tapped_holes_are_four_and_their_mesh_is_that_of_the_mesh_kernel() -> None:
    """Where flanks run out into a face at 30° there are thin edges, and no slits."""
    plate = models.box(20.0, 20.0, 3.0)
    root = drilled(plate, Grid(2, 2, (10.0, 10.0)), diameter=3.3, thread=4.0, pitch=0.7)
    (found,) = models.scene(root).parts
    assert found.mesh_figures.genus == 4
    every = np.ones(len(found.mesh.indices), np.bool_)
    assert not has_slits(found.mesh.positions, found.mesh.indices, 0.02, among=every)
    bore = section(basic_form(4.0, 0.7).bored(3.3).corners, 0.7)
    assert found.figures.volume == pytest.approx(1200 - 12 * bore, rel=1e-9)


def test_a_shaft_is_tapped_across_from_a_plane() -> None:
    shaft = models.solid(Cylinder, radius=10.0, height=20.0)
    plane = models.solid(PlaneAt, origin=(0.0, 0.0, 10.0), normal=(1.0, 0.0, 0.0), x_dir=(0.0, 1.0, 0.0))
    tool = models.solid(DrillTool, shaft, plane, places=MIDDLE, diameter=3.3, thread=4.0, pitch=0.7)
    bore = section(basic_form(4.0, 0.7).bored(3.3).corners, 0.7)
    whole = math.pi * 2000
    # the bottom is round: the hole is at most as long as the radius, and at least as its wall is
    volume = part(models.solid(Difference, shaft, tool)).figures.volume
    assert whole - 10 * bore < volume < whole - math.sqrt(100 - 4) * bore


def test_a_tapped_hole_in_a_turned_block_is_the_same() -> None:
    straight = part(drilled(depth=6.0)).figures
    turned = part(models.solid(Rotate, drilled(depth=6.0), angles=(30.0, 40.0, 50.0))).figures
    assert turned.volume == pytest.approx(straight.volume, rel=1e-9)


def test_a_thread_of_more_than_a_thousand_turns_is_refused() -> None:
    root = drilled(models.box(20.0, 20.0, 500.0), diameter=1.6, thread=2.0, pitch=0.4)
    with pytest.raises(GeometryError) as caught:
        models.scene(root).raise_first()
    assert caught.value.code == "THREAD_TOO_LONG"
    assert caught.value.fix is not None
    assert ":depth of at most 400" in caught.value.fix


def test_a_seat_is_wider_than_the_thread() -> None:
    with pytest.raises(GeometryError) as caught:
        models.scene(drilled(bore_diameter=7.5, bore_depth=2.0)).raise_first()
    assert "wider than the thread, 8 mm" in caught.value.message
