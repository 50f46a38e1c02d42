"""Booleans of exact bodies against closed formulas, and the laws that sets obey."""

from __future__ import annotations

import itertools
import math
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeFace
from OCP.BRepPrimAPI import (
    BRepPrimAPI_MakeBox,
    BRepPrimAPI_MakeCylinder,
    BRepPrimAPI_MakePrism,
    BRepPrimAPI_MakeSphere,
)
from OCP.collections import Array2_gp_Pnt
from OCP.Geom import Geom_BezierSurface
from OCP.gp import gp_Pnt, gp_Vec

from tests.geometry import models
from tests.geometry.models import box, difference, intersection, union
from tests.geometry.occt import bodies
from tests.geometry.occt.answers import ball, body, cylinder, figures, ring, volume
from tests.geometry.occt.solids import build_of
from tests.tiers import examples
from vcad_kernel.cad.convert import convert
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.mesh.manifold_kernel import KernelFault
from vcad_kernel.geometry.occt.booleans import booleans
from vcad_kernel.geometry.occt.booleans.booleans import MeshOperands
from vcad_kernel.geometry.occt.booleans.claims import Claim, Operation
from vcad_kernel.geometry.occt.brep import Brep, edges_of, faces_of
from vcad_kernel.geometry.occt.building import Build
from vcad_kernel.geometry.occt.kernel import OcctKernel
from vcad_kernel.geometry.occt.measure.distances import meetings
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import boundary_numbers
from vcad_kernel.geometry.occt.measure.validity import flaw, volume_of
from vcad_kernel.geometry.occt.tessellation import tessellated
from vcad_kernel.geometry.solid import ExactFigures, TracedMesh
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source
from vcad_kernel.operations.bodies.booleans import Difference, Union
from vcad_kernel.operations.bodies.patterns import LinearPattern
from vcad_kernel.operations.bodies.transforms import Rotate, Scale

UNIT = box(1.0, 1.0, 1.0)
BALL = 4.0 / 3.0 * math.pi


def lens(big: float, small: float, apart: float) -> float:
    """Volume common to two balls, Weisstein, "Sphere-Sphere Intersection"."""
    height = big + small - apart
    rest = apart**2 + 2.0 * apart * (big + small) - 3.0 * (big - small) ** 2
    return math.pi * height**2 * rest / (12.0 * apart)


def test_bodies_that_share_a_face_unite_without_a_wall_between_them() -> None:
    found = figures(union(UNIT, box(1.0, 1.0, 1.0, (1.0, 0.0, 0.0))))
    assert found.volume == pytest.approx(2.0)
    assert found.surface_area == pytest.approx(10.0)
    assert (found.lumps, found.shells) == (1, 1)


@pytest.mark.parametrize("at", [(1.0, 1.0, 0.0), (1.0, 1.0, 1.0)])
def test_contact_along_an_edge_or_a_corner_keeps_all_the_volume(at: tuple[float, float, float]) -> None:
    assert volume(union(UNIT, box(1.0, 1.0, 1.0, at))) == pytest.approx(2.0)


def test_a_line_of_contact_is_no_edge_of_what_is_read_of_the_body_later() -> None:
    # the rod outside touches the side from a third of its height to two thirds
    found = body(difference(box(20.0, 20.0, 20.0), cylinder(5.0, 10.0, (10.0, -5.0, 5.0))))
    assert found is not None
    assert len(boundary_numbers(found.shape).edges) == len(edges_of(found.shape)) == 12


def test_a_gap_too_small_to_count_is_closed() -> None:
    found = figures(union(UNIT, box(1.0, 1.0, 1.0, (1.0 + 5e-7, 0.0, 0.0))))
    assert found.lumps == 1
    assert found.volume == pytest.approx(2.0, abs=1e-6)


def test_touching_bodies_have_nothing_in_common() -> None:
    assert body(intersection(UNIT, box(1.0, 1.0, 1.0, (1.0, 0.0, 0.0)))) is None


@pytest.mark.parametrize("over", [-1.0, 0.0, 5e-7])
def test_a_tool_as_large_as_the_body_leaves_no_film(over: float) -> None:
    assert body(difference(UNIT, box(3.0, 3.0, 3.0, (-1.0, -1.0, over)))) is None


def test_a_tool_inside_leaves_a_cavity() -> None:
    found = figures(difference(box(3.0, 3.0, 3.0), box(1.0, 1.0, 1.0, (1.0, 1.0, 1.0))))
    assert found.volume == pytest.approx(26.0)
    assert found.surface_area == pytest.approx(60.0)
    assert (found.lumps, found.shells, found.genus) == (1, 2, 0)


def test_a_slot_cuts_a_bar_in_two_lumps() -> None:
    found = figures(difference(box(3.0, 1.0, 1.0), box(1.0, 3.0, 3.0, (1.0, -1.0, -1.0))))
    assert (found.lumps, found.shells) == (2, 2)
    assert found.volume == pytest.approx(2.0)


@pytest.mark.parametrize(
    "at", [(-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.5, 0.5, 0.5), (-0.3, 0.0, 0.9)]
)
def test_balls_meet_in_a_lens_wherever_their_seams_are(at: tuple[float, float, float]) -> None:
    one, other, apart = ball(1.0), ball(0.8, at), math.hypot(*at)
    assert volume(union(one, other)) == pytest.approx(BALL * 1.512 - lens(1.0, 0.8, apart), rel=1e-6)
    assert volume(difference(one, other)) == pytest.approx(BALL - lens(1.0, 0.8, apart), rel=1e-6)
    assert volume(intersection(one, other)) == pytest.approx(lens(1.0, 0.8, apart), rel=1e-6)


def test_a_wall_that_passes_close_to_the_pole_of_a_ball_is_not_drawn_to_it() -> None:
    # 0.01 mm from the pole OpenCASCADE lets the edge run through it, which is that far beside both faces
    bore = cylinder(3.0, 40.0, (3.01, 0.0, -20.0))
    found = figures(difference(ball(5.0), bore))
    across = models.solid(Rotate, bore, angles=(90.0, 0.0, 0.0))
    wanted = figures(difference(ball(5.0), across))
    assert found.tolerance == wanted.tolerance == 0.0
    assert (found.volume, found.surface_area) == pytest.approx((wanted.volume, wanted.surface_area), rel=1e-9)


def test_what_does_not_come_out_at_once_is_united_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    operate = booleans._operate

    def pairs_only(build: Build, operation: Operation, operands: list[Brep], fuzzy: float) -> Brep | None:
        return operate(build, operation, operands, fuzzy) if len(operands) == 2 else None

    monkeypatch.setattr(booleans, "_operate", pairs_only)
    ends = union(box(2.0, 1.0, 1.0), box(2.0, 1.0, 1.0, (2.0, 0.0, 0.0)))
    assert volume(union(ends, box(2.0, 1.0, 1.0, (1.0, 0.0, 0.0)))) == pytest.approx(4.0, rel=1e-12)


def test_lines_of_contact_leave_no_edge_inside_a_face() -> None:
    made = body(difference(box(10.0, 10.0, 10.0), cylinder(5.0, 6.0, (15.0, 5.0, 2.0))))
    assert made is not None
    assert (len(faces_of(made.shape)), len(edges_of(made.shape))) == (6, 12)


@pytest.mark.parametrize("factor", [100.0, 1e4])
def test_enlarged_bodies_are_as_exact_as_bodies_made_large(factor: float) -> None:
    whole = union(box(10.0, 10.0, 10.0), ball(5.0, (5.0, 5.0, 5.0)))
    made = body(models.solid(Scale, whole, factor=(factor, factor, factor)))
    assert made is not None
    assert len(faces_of(made.shape)) == 6
    assert volume_of(made.shape) == pytest.approx(1000.0 * factor**3, rel=1e-9)


def test_balls_that_touch_stay_two() -> None:
    assert figures(union(ball(1.0), ball(1.0, (2.0, 0.0, 0.0)))).lumps == 2


def test_crossing_pipes_have_the_volume_that_archimedes_found() -> None:
    pipe = cylinder(1.0, 4.0, (0.0, 0.0, -2.0))
    across = models.solid(Rotate, pipe, angles=(90.0, 0.0, 0.0))
    assert volume(intersection(pipe, across)) == pytest.approx(16.0 / 3.0, rel=1e-6)


def test_a_plate_with_five_hundred_holes_is_cut_at_once() -> None:
    row = models.solid(
        LinearPattern, cylinder(2.0, 12.0, (3.0, 3.0, -1.0)), direction=(1.0, 0.0, 0.0), count=25, spacing=6.0
    )
    holes = models.solid(LinearPattern, row, direction=(0.0, 1.0, 0.0), count=20, spacing=6.0)
    found = figures(difference(box(150.0, 120.0, 10.0), holes))
    assert found.volume == pytest.approx(150 * 120 * 10 - 500 * math.pi * 4 * 10, rel=1e-9)
    assert (found.genus, found.lumps) == (500, 1)


def test_a_chain_of_cuts_is_the_cut_with_all_tools() -> None:
    tools = [box(1.0, 1.0, 9.0, (2.0 * step, 0.5, -1.0)) for step in range(20)]
    chain = reduce(difference, tools, box(40.0, 2.0, 5.0))
    assert volume(chain) == pytest.approx(400.0 - 20 * 5.0)


def test_a_body_less_itself_is_empty_and_with_itself_is_itself() -> None:
    holed = difference(box(3.0, 3.0, 3.0), cylinder(1.0, 9.0, (1.5, 1.5, -1.0)))
    assert body(difference(holed, holed)) is None
    assert volume(union(holed, holed)) == pytest.approx(volume(holed))
    assert volume(intersection(holed, holed)) == pytest.approx(volume(holed))


def test_faces_know_the_operand_they_came_from() -> None:
    document = models.document(difference(box(3.0, 3.0, 3.0), cylinder(1.0, 9.0, (1.5, 1.5, -1.0))))
    made = body(difference(box(3.0, 3.0, 3.0), cylinder(1.0, 9.0, (1.5, 1.5, -1.0))))
    assert made is not None
    kinds = [document.nodes[document.by_digest[maker]].KIND for maker in made.makers]
    assert sorted(kinds) == ["Cube"] * 6 + ["Cylinder"]


# ---------------------------------------------------------------- when the exact boolean fails


def _operands() -> list[Brep]:
    return [
        Brep.made(BRepPrimAPI_MakeBox(3.0, 3.0, 3.0).Shape(), b"box"),
        Brep.made(BRepPrimAPI_MakeCylinder(1.0, 5.0).Shape(), b"cylinder"),
    ]


def _build() -> Build:
    return build_of(difference(UNIT, UNIT))


def _gives_up(*_: object) -> Brep | None:
    raise RuntimeError("refused for the test")


def test_a_boolean_that_fails_is_done_with_meshes_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(booleans, "_operate", _gives_up)
    build = build_of(difference(UNIT, UNIT))
    base, tool = _operands()
    made = booleans.cut(build, base, [tool])
    assert made is not None
    assert flaw(made.shape) is None
    assert volume_of(made.shape) == pytest.approx(27.0 - 3.0 * math.pi / 4.0, rel=2e-3)
    assert set(made.makers) == {b"box", b"cylinder"}
    assert [note.code for note in build.notes] == ["FALLBACK_MESH_BOOLEAN"]


def _of_program(text: str) -> ExactFigures:
    made = convert(Environment(prelude=PRELUDE).run(Source("model", text)))
    return OcctKernel().figures(made, made.roots[0].node)


def test_figures_of_facets_say_why_they_are_only_near(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(booleans, "_operate", _gives_up)
    found = _of_program("[difference [cylinder 1 4] [cube 4 4 4]]")
    assert found.tolerance > 0.0
    assert [note.code for note in found.notes] == ["FALLBACK_MESH_BOOLEAN"]


def test_a_cone_that_is_nearly_a_rod_is_cut_exactly() -> None:
    """OpenCASCADE finds no crossing of these cones, and gives the base back whole."""
    base = "[union [cylinder 2.9 7] [translate 0 0 0.31 [rotate 0 30 -84.4 [cone 3.2 3.06 10]]]]"
    tool = "[translate 0 -5.19 0.95 [rotate 45 90 156.2 [cone 6.66 0 10.67]]]"
    rest = _of_program(f"[difference {tool} {base}]")
    assert rest.tolerance == 0.0
    # with the common part, by which it is less than the base's 369.397669
    assert rest.volume == pytest.approx(310.103390, abs=1e-5)


def test_no_piece_is_missing_between_edges_that_do_not_meet() -> None:
    """OpenCASCADE loses 10 mm³ of this union, and closes the gap with a corner of 1 mm."""
    box_less_balls = (
        "[difference [translate 0 0 2.25 [rotate 90 45.9 0 [sphere 4.94]]]"
        " [union [translate -1.8 0 -3.26 [rotate 0 0 90 [pull 14 [rounded-rect 8 11 3.31]]]]"
        " [translate 0 0.5 0.71 [rotate 30 0 -50 [sphere 6]]]]]"
    )
    rod_less_box = (
        "[translate 0 0 2.94 [rotate 90 45 90 [difference"
        " [translate 0 0.14 4.83 [rotate 45 90 0 [pull 13 [rounded-rect 7.1 13.61 1.3]]]]"
        " [translate -1.8 7.65 6.42 [difference [translate 6.69 0 -6.81 [sphere 6.34]]"
        " [translate 6.37 0 0 [rotate 90 30 30 [cylinder 6.52 17.7]]]]]]]]"
    )
    found = _of_program(f"[union {box_less_balls} {rod_less_box}]")
    assert found.tolerance == 0.0
    # of a mesh within 0.003 mm: 2161.3
    assert found.volume == pytest.approx(2162.475, abs=0.001)


def test_a_boolean_that_meshes_cannot_do_either_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: MeshOperands) -> Brep | None:
        raise KernelFault("NotManifold")

    monkeypatch.setattr(booleans, "_operate", _gives_up)
    monkeypatch.setattr(MeshOperands, "combined", broken)
    base, tool = _operands()
    with pytest.raises(GeometryError) as caught:
        booleans.cut(build_of(difference(UNIT, UNIT)), base, [tool])
    assert caught.value.code == "BOOLEAN_FAILED"
    assert "difference" in str(caught.value)


def test_a_result_that_forgot_an_operand_is_not_believed() -> None:
    base, tool = _operands()
    claim = Claim.of(Operation.UNION, [base, tool])
    assert not claim.allows(base, MeshOperands(Operation.UNION, [base, tool]).volumes)
    assert not Claim.of(Operation.DIFFERENCE, [base, tool]).allows(
        base, MeshOperands(Operation.DIFFERENCE, [base, tool]).volumes
    )


def test_a_fine_mesh_is_made_only_where_coarse_ones_do_not_say_that_the_result_is_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sides: list[int | None] = []

    def noted(body: Brep, tessellation: Tessellation, *, loosely: bool = False) -> TracedMesh:
        sides.append(tessellation.segments)
        return tessellated(body, tessellation, loosely=loosely)

    monkeypatch.setattr(booleans, "tessellated", noted)
    block = Brep.made(BRepPrimAPI_MakeBox(20.0, 20.0, 20.0).Shape(), b"block")
    ball = Brep.made(BRepPrimAPI_MakeSphere(gp_Pnt(10.0, 10.0, 10.0), 6.0).Shape(), b"ball")
    # a cavity takes away as much as there can be taken away
    assert booleans.cut(_build(), block, [ball]) is not None
    assert sides == [48, 48]
    meshes = MeshOperands(Operation.DIFFERENCE, [block, ball])
    assert not Claim.of(Operation.DIFFERENCE, [block, ball]).allows(block, meshes.volumes)
    assert sides == [48, 48, 32, 32, 64, 64, 192, 192]


def test_a_smaller_ring_that_crosses_a_fat_one_is_not_lost_in_it() -> None:
    """OpenCASCADE finds no crossing, and the union lost all 77 mm³ that the smaller has outside the other."""
    fat, slim = ring(6.7, 6.63), ring(6.7, 5.36, (1.1, 0.3, 1.4))
    united = volume(union(fat, slim))
    assert united == pytest.approx(volume(fat) + volume(slim) - _shared_by_rings(), rel=1e-7)


def _shared_by_rings() -> float:
    """The volume that the two have in common: in each plane across their axes, discs less discs."""
    z = np.linspace(-6.63, 6.63, 400_001)
    fat, slim = (np.sqrt(np.maximum(r**2 - (z - up) ** 2, 0.0)) for r, up in ((6.63, 0.0), (5.36, 1.4)))
    apart = math.hypot(1.1, 0.3)
    areas = sum(
        sign * other_sign * _lens_of_discs(6.7 + sign * fat, 6.7 + other_sign * slim, apart)
        for sign in (1, -1)
        for other_sign in (1, -1)
    )
    return float(np.trapezoid(areas, z))


def _lens_of_discs(r: NDArray[np.float64], s: NDArray[np.float64], apart: float) -> NDArray[np.float64]:
    """Weisstein, "Circle-Circle Intersection"."""
    near = np.clip((apart**2 + r**2 - s**2) / (2.0 * apart * r), -1.0, 1.0)
    far = np.clip((apart**2 + s**2 - r**2) / (2.0 * apart * s), -1.0, 1.0)
    kite = (r + s - apart) * (apart + r - s) * (apart - r + s) * (apart + r + s)
    return r**2 * np.arccos(near) + s**2 * np.arccos(far) - 0.5 * np.sqrt(np.maximum(kite, 0.0))


def _wave() -> Brep:
    """A block whose top rises by a few millimetres on one side and sinks by as much on the other."""
    poles = Array2_gp_Pnt(1, 5, 1, 4)
    for row, (x, rise) in enumerate(
        zip((-10.0, -5.0, 0.0, 5.0, 10.0), (0.0, 8.0, 0.0, -8.0, 0.0), strict=True)
    ):
        for column, y in enumerate((-5.0, -2.0, 2.0, 5.0)):
            poles.SetValue(row + 1, column + 1, gp_Pnt(x, y, 5.0 + (rise if abs(y) < 5.0 else 0.0)))
    top = BRepBuilderAPI_MakeFace(Geom_BezierSurface(poles), 1e-7).Face()
    below = BRepPrimAPI_MakePrism(top, gp_Vec(0.0, 0.0, -40.0)).Shape()
    block = bodies.box(40.0, 40.0, 40.0, (-20.0, -20.0, -5.0))
    return Brep.made(bodies.intersection(below, block), b"wave")


def test_a_quick_mesh_that_lacks_here_what_it_has_too_much_there_is_made_finer() -> None:
    wave, half = _wave(), Brep.made(bodies.box(20.0, 20.0, 60.0, (0.0, -10.0, -20.0)), b"half")
    right = volume_of(bodies.intersection(wave.shape, half.shape))
    (quick, _), _ = MeshOperands(Operation.INTERSECTION, [wave, half]).volumes()
    assert quick == pytest.approx(right, rel=2e-3)


def _egg(*, height: float) -> Brep:
    """A ball of splines, of which a quick integral may be wrong."""
    return Brep.made(bodies.stretched(bodies.sphere(4.0), 1.0, 0.8, height / 4.0), b"egg")


def test_a_forgotten_operand_shows_beside_splines_too_however_small_it_is() -> None:
    egg, pin = _egg(height=6.0), Brep.made(BRepPrimAPI_MakeCylinder(0.2, 9.0).Shape(), b"pin")
    joined, bored = booleans.united(_build(), [egg, pin]), booleans.cut(_build(), egg, [pin])
    for operation, right, wrong in (
        (Operation.UNION, joined, bored),
        (Operation.DIFFERENCE, bored, joined),
    ):
        meshes, claim = MeshOperands(operation, [egg, pin]), Claim.of(operation, [egg, pin])
        assert claim.allows(right, meshes.volumes)
        # what the pin takes or adds is less than quick integrals may be wrong by
        assert not claim.allows(wrong, meshes.volumes)


def test_the_volume_of_splines_is_integrated_finely_only_where_it_decides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    finely: list[object] = []
    monkeypatch.setattr(meetings, "volume_of", lambda shape: finely.append(shape) or volume_of(shape))
    egg, block = _egg(height=6.0), Brep.made(BRepPrimAPI_MakeBox(9.0, 9.0, 9.0).Shape(), b"block")
    assert booleans.cut(_build(), egg, [block]) is not None
    assert finely == []
    pin = Brep.made(BRepPrimAPI_MakeCylinder(0.2, 9.0).Shape(), b"pin")
    assert booleans.cut(_build(), egg, [pin]) is not None
    assert finely != []


# ---------------------------------------------------------------- laws

_PLACES = st.tuples(*[st.integers(-3, 3).map(lambda step: 0.5 * step)] * 3)
_SIZES = st.integers(1, 4).map(lambda step: 0.5 * step)
_BOXES = st.builds(lambda x, y, z, at: box(x, y, z, at), _SIZES, _SIZES, _SIZES, _PLACES)
_ROUND = st.one_of(st.builds(cylinder, _SIZES, _SIZES, _PLACES), st.builds(ball, _SIZES, _PLACES))
_SOLIDS = st.one_of(_BOXES, _ROUND)
_FEW = examples(12)


@_FEW
@given(_SOLIDS, _SOLIDS)
def test_inclusion_and_exclusion(one: models.Solid, other: models.Solid) -> None:
    whole = volume(one) + volume(other)
    assert volume(union(one, other)) + volume(intersection(one, other)) == pytest.approx(whole, rel=1e-5)
    assert volume(difference(one, other)) + volume(intersection(one, other)) == pytest.approx(
        volume(one), rel=1e-5
    )


@_FEW
@given(st.lists(_BOXES, min_size=3, max_size=3))
def test_the_order_of_operands_does_not_matter(parts: list[models.Solid]) -> None:
    for kind in (union, intersection):
        found = [volume(reduce(kind, order)) for order in itertools.permutations(parts)]
        assert max(found) == pytest.approx(min(found), rel=1e-6, abs=1e-9)


@_FEW
@given(_SOLIDS)
def test_nothing_is_neutral(one: models.Solid) -> None:
    assert volume(models.solid(Union, one, models.EMPTY)) == pytest.approx(volume(one))
    assert volume(models.solid(Difference, one, models.EMPTY)) == pytest.approx(volume(one))
    assert body(models.solid(Difference, models.EMPTY, one)) is None
    assert body(intersection(models.EMPTY, one)) is None
