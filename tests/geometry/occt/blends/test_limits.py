"""Blends that cannot be: refused with code, place, failing edges and the largest size that works."""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace

import pytest
from OCP.TopoDS import TopoDS_Shape

from tests.geometry import models
from tests.geometry.occt.blends.special.test_full_rounds import at_height, blended
from tests.geometry.occt.bodies import (
    FEW_TRIALS,
    L_SHAPE,
    box,
    built,
    cylinder,
    difference,
    extruded,
    intersection,
    made,
    sphere,
    union,
)
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.occt.blends.blending import chamfer, fillet, fillet_at
from vcad_kernel.geometry.occt.blends.builders import at_once, coarsely
from vcad_kernel.geometry.occt.blends.checks import blend_flaw
from vcad_kernel.geometry.occt.blends.limits import largest_working
from vcad_kernel.geometry.occt.blends.request import Blend
from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.building import Build
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import sharp_edges
from vcad_kernel.geometry.solid import SearchLimit
from vcad_kernel.operations.features.features import Chamfer, Fillet, FilletAt
from vcad_kernel.operations.features.selections import Selector
from vcad_kernel.operations.node import NodeId


def refusal(body: TopoDS_Shape, search: SearchLimit = FEW_TRIALS, **size: float) -> GeometryError:
    builder, kind = (fillet, Fillet) if "radius" in size else (chamfer, Chamfer)
    with pytest.raises(GeometryError) as caught:
        built(builder, body, kind, search=search, **size)
    return caught.value


@pytest.mark.parametrize("radius", [5.0, 6.0, 50.0])
def test_half_the_side_of_a_cube_or_more_is_refused_naming_what_works(radius: float) -> None:
    error = refusal(box(10, 10, 10), SearchLimit(), radius=radius)
    assert error.code == "FILLET_FAILED"
    assert error.failed
    assert error.argument == "r"
    assert 4.99 <= error.details["largest_working"] < 5.0
    assert "4.99" in error.message
    assert error.fix is not None
    assert "4.99" in error.fix
    assert len(error.details["failing_edges"]) == 12
    edge = error.details["failing_edges"][0]
    assert edge["kind"] == "line"
    assert edge["length"] == pytest.approx(10.0)
    assert sorted(edge["middle"]).count(5.0) == 1
    made(fillet, box(10, 10, 10), Fillet, radius=error.details["largest_working"])


def test_a_radius_that_varies_is_told_with_both_of_its_ends() -> None:
    with pytest.raises(GeometryError) as caught:
        built(
            fillet_at,
            box(40, 30, 10),
            FilletAt,
            radius=2.0,
            radius_end=20.0,
            edges=Selector("edge", parallel=(0.0, 0.0, 1.0)),
        )
    error = caught.value
    largest = error.details["largest_working"]
    assert "radii of 2 and 20 do not fit 4 edges" in error.message
    assert f"{largest:g} and {10 * largest:g} work" in error.message
    assert error.fix == f"use radii of {largest:g} and {10 * largest:g} or less"


def test_bevels_that_overlap_are_refused_with_their_own_code() -> None:
    error = refusal(box(10, 10, 10), distance=7.0)
    assert error.code == "CHAMFER_FAILED"
    assert error.argument == "d"
    assert 4.99 <= error.details["largest_working"] < 5.0


@pytest.mark.parametrize(
    ("body", "radius", "limit"),
    [
        (cylinder(5, 4), 2.1, 2.0),
        (box(40, 30, 1), 0.6, 0.5),
        (difference(box(20, 20, 10), cylinder(3, 12, (5, 10, -1))), 1.1, 1.0),
        (union(box(30, 30, 5), cylinder(5, 10, (7, 15, 5))), 1.5, 1.0),
    ],
)
def test_the_limit_is_where_two_blends_meet(body: TopoDS_Shape, radius: float, limit: float) -> None:
    assert refusal(body, FEW_TRIALS, radius=radius).details["largest_working"] == limit
    made(fillet, body, Fillet, radius=limit)


def test_a_rim_is_rounded_by_less_than_its_radius() -> None:
    assert 4.99 <= refusal(cylinder(5, 20), SearchLimit(), radius=5.0).details["largest_working"] < 5.0


def test_the_edges_that_are_named_are_those_that_meet() -> None:
    body = difference(box(20, 20, 10), cylinder(3, 12, (5, 10, -1)))
    edges = refusal(body, radius=1.1).details["failing_edges"]
    assert {edge["kind"] for edge in edges} == {"line", "circle"}
    assert all(edge["middle"][2] in (0.0, 10.0) for edge in edges)


class CountingBuilder:
    """Builds nothing, up to a size; knows what it was asked for."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self.tried: list[float] = []

    def works(self, size: float) -> bool:
        self.tried.append(size)
        return size < self.limit


def test_bisection_names_only_what_it_has_seen_work() -> None:
    builder = CountingBuilder(math.pi)
    largest = largest_working(builder.works, 10.0, seconds=math.inf, trials=40)
    assert largest in builder.tried
    assert 3.14 <= largest < math.pi
    assert len(builder.tried) <= 14
    assert largest_working(CountingBuilder(0.0).works, 10.0, seconds=math.inf, trials=40) is None


def test_what_is_just_below_a_known_limit_is_tried_first_and_is_near_enough_after_a_few_more() -> None:
    builder = CountingBuilder(5.0)
    assert largest_working(builder.works, 50.0, 5.0, seconds=math.inf, trials=40) == 4.999
    assert builder.tried[:2] == [4.995, 5.0]
    assert len(builder.tried) <= 5


def test_a_known_limit_that_works_is_the_answer() -> None:
    builder = CountingBuilder(6.0)
    assert largest_working(builder.works, 50.0, 5.0 + 1e-12, seconds=math.inf, trials=40) == 5.0
    assert builder.tried == [4.995, 5.0]


def test_a_known_limit_of_many_digits_is_not_tried_itself() -> None:
    builder = CountingBuilder(5.0)
    largest_working(builder.works, 50.0, 4.12345, seconds=math.inf, trials=1)
    assert builder.tried == [4.119]


def test_where_a_known_limit_promises_too_much_less_is_looked_for() -> None:
    builder = CountingBuilder(5.0)
    largest = largest_working(builder.works, 50.0, 7.0, seconds=math.inf, trials=40)
    assert builder.tried[:3] == [6.993, 3.5, 7.0]
    assert largest in builder.tried
    assert largest == pytest.approx(5.0, rel=3e-4)
    assert largest < 5.0


def test_small_balls_are_not_rolled_coarsely_along_edges_that_fade(monkeypatch: pytest.MonkeyPatch) -> None:
    class OpenCascadeIsAskedError(Exception):
        """It may never come to an end."""

    def asked(*_: object) -> None:
        raise OpenCascadeIsAskedError

    monkeypatch.setattr("vcad_kernel.geometry.occt.blends.builders.BRepFilletAPI_MakeFillet", asked)
    fading = intersection(cylinder(5, 30, (0, 0, -15)), cylinder(5, 30, (-15, 0, 0), (1.0, 0.0, 0.0)))
    for body, radius in ((fading, 0.5), (cylinder(5, 30), 0.01)):
        with pytest.raises(OpenCascadeIsAskedError):
            coarsely(Brep.made(body, b"below"), sharp_edges(body), Blend("fillet", radius), b"blend")
    small = Blend("fillet", 0.01)
    assert coarsely(Brep.made(fading, b"below"), sharp_edges(fading), small, b"blend") is None


@pytest.mark.parametrize("trials", [0, 1, 2, 5])
@pytest.mark.parametrize("known", [math.inf, 5.0])
def test_no_more_bodies_are_built_than_there_are_trials(trials: int, known: float) -> None:
    builder = CountingBuilder(5.0)
    largest = largest_working(builder.works, 50.0, known, seconds=math.inf, trials=trials)
    assert len(builder.tried) == min(trials, 5)
    assert largest == max((size for size in builder.tried if size < 5.0), default=None)


def test_after_its_patience_no_other_way_of_building_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    body, none = cylinder(5, 10), SearchLimit(trials=0)
    assert built(fillet, body, Fillet, search=none, radius=1.0) is not None
    ticks = itertools.count(0.0, 10.0)
    clock = SimpleNamespace(thread_time=lambda: next(ticks))
    monkeypatch.setattr("vcad_kernel.geometry.occt.blends.blending.time", clock)
    error = refusal(body, none, radius=1.0)
    assert (error.code, error.details["largest_working"]) == ("FILLET_FAILED", None)


def test_the_search_stops_when_its_time_is_over() -> None:
    ticks = iter(range(1000))
    builder = CountingBuilder(1.0)
    largest_working(builder.works, 10.0, seconds=3.0, trials=40, clock=lambda: float(next(ticks)))
    assert len(builder.tried) <= 3


@pytest.mark.parametrize(
    ("costs", "works_below", "tried", "largest"),
    [
        # a full round takes longer than the whole search: what works is known before
        ({5.0: 9.0}, 5.0, [4.995, 5.0], 4.995),
        # just below the limit nothing works, and that takes long to see
        ({4.995: 2.4}, 4.0, [4.995, 2.5, 5.0], 2.5),
        ({4.995: 9.0}, 4.0, [4.995], None),
    ],
)
def test_a_size_that_works_is_found_before_what_takes_longest_is_tried(
    costs: dict[float, float], works_below: float, tried: list[float], largest: float | None
) -> None:
    builder, now = CountingBuilder(works_below), [0.0]

    def works(size: float) -> bool:
        now[0] += costs.get(size, 0.06)
        return builder.works(size)

    assert largest_working(works, 6.0, 5.0, seconds=2.5, trials=40, clock=lambda: now[0]) == largest
    assert builder.tried == tried


def test_a_body_without_sharp_edges_stays_with_a_warning() -> None:
    document = models.document(models.solid(Fillet, models.box(1.0, 1.0, 1.0), radius=1.0))
    build = Build(document, document.roots[0].node)
    body = Brep.made(sphere(5), b"below")
    assert fillet(build, Fillet(NodeId(0), 1.0), (body,)) is body
    assert [note.code for note in build.notes] == ["NO_EDGES"]


def test_blends_of_nothing_are_nothing() -> None:
    assert built(fillet, None, Fillet, radius=1.0) is None
    assert built(chamfer, None, Chamfer, distance=1.0) is None
    assert built(fillet_at, None, FilletAt, radius=1.0, edges=Selector("edge")) is None


def test_the_referee_knows_a_wrong_radius_a_half_done_body_and_the_wrong_kind() -> None:
    body = extruded(L_SHAPE, 6)
    corners = sharp_edges(body)
    before = Brep.made(body, b"below")
    right = at_once(before, corners, Blend("fillet", 1.0), b"new")
    assert right is not None

    def judged(blend: Blend, result: Brep | None) -> str | None:
        assert result is not None
        return blend_flaw(body, corners, blend, result, b"new", all_edges=True)

    assert judged(Blend("fillet", 1.0), right) is None
    assert judged(Blend("fillet", 1.3), right) is not None
    # by so little that neither the volume nor the curvature tells
    assert judged(Blend("fillet", 1.02), right) == "a ball of the radius does not fit under it"
    assert judged(Blend("chamfer", 1.0), right) is not None
    half = at_once(before, corners[:5], Blend("fillet", 1.0), b"new")
    assert judged(Blend("fillet", 1.0), half) is not None
    assert judged(Blend("fillet", 1.0), before) is not None
    bevel = at_once(before, corners, Blend("chamfer", 1.0), b"new")
    assert judged(Blend("chamfer", 1.0), bevel) is None
    assert judged(Blend("chamfer", 1.1), bevel) is not None


@pytest.mark.parametrize("blend", [Blend("chamfer", 0.8), Blend("fillet", 1.5)])
def test_a_blend_through_a_thin_wall_into_a_hollow_is_refused(blend: Blend) -> None:
    """OpenCASCADE lets the faces cut through each other, and finds the body sound."""
    hollow = difference(box(10.0, 10.0, 10.0), box(9.4, 9.4, 9.4, at=(0.3, 0.3, 0.3)))
    assert blended(hollow, blend, at_height(10.0)) is None
    assert blended(hollow, blend.sized(0.5), at_height(10.0)) is not None


def test_a_plate_of_many_holes_names_the_radius_at_which_two_rims_meet() -> None:
    plate = box(53, 32, 4)
    for place in range(50):
        plate = difference(plate, cylinder(1.5, 6, (4 + 5 * (place % 10), 4 + 6 * (place // 10), -1)))
    error = refusal(plate, radius=1.8)
    # the holes are 2 mm apart, less than the plate is thick
    assert error.details["largest_working"] == 1.0
    assert error.details["failing_edge_count"] >= 90
