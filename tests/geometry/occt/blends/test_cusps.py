"""Edges that run into each other without an angle: no blend of any size fits between them."""

from __future__ import annotations

import math

import pytest
from OCP.TopoDS import TopoDS_Shape

from tests.geometry.occt.bodies import box, built, cylinder, difference, made, union, volume
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.occt.blends.blending import chamfer, fillet, fillet_at
from vcad_kernel.operations.features.features import Chamfer, Fillet, FilletAt
from vcad_kernel.operations.features.selections import Selector

PLATE = box(40, 40, 10)
BOSS_AT_THE_BORDER = union(PLATE, cylinder(8, 20, (20, 8, 0)))
"""OpenCASCADE never returned from the fillet of this one."""


@pytest.mark.parametrize(
    ("body", "corners"),
    [
        (BOSS_AT_THE_BORDER, [(20, 0, 10)]),
        (union(PLATE, cylinder(8, 10, (20, 8, 10))), [(20, 0, 10)]),
        (difference(PLATE, cylinder(3, 20, (20, 3, -1))), [(20, 0, 0), (20, 0, 10)]),
        (union(cylinder(10, 5), cylinder(5, 10, (5, 0, 0))), [(10, 0, 5)]),
    ],
    ids=["boss through", "boss on top", "hole", "boss on a boss"],
)
@pytest.mark.parametrize("size", [0.01, 1.0])
def test_where_bodies_touch_a_border_no_blend_fits(
    body: TopoDS_Shape, corners: list[tuple[float, ...]], size: float
) -> None:
    for builder, kind, field in ((fillet, Fillet, "radius"), (chamfer, Chamfer, "distance")):
        with pytest.raises(GeometryError, match="without an angle") as caught:
            built(builder, body, kind, **{field: size})
        error = caught.value
        assert error.code == kind.__name__.upper() + "_FAILED"
        assert any("({:g}, {:g}, {:g})".format(*corner) in error.message for corner in corners)
        assert error.details["largest_working"] is None
        assert error.details["failing_edge_count"] >= 2


def test_edges_that_do_not_end_there_are_blended() -> None:
    top = Selector("edge", kind="circle", above=(("z", 19.0),))
    rounded = made(fillet_at, BOSS_AT_THE_BORDER, FilletAt, radius=2.0, radius_end=2.0, edges=top)
    square = 16000.0 + 640.0 * math.pi
    share = 1.0 - math.pi / 4.0
    centroid = (0.5 - math.pi / 4.0 * (1.0 - 4.0 / (3.0 * math.pi))) / share
    rim = 2.0 * math.pi * (8.0 - 2.0 * centroid) * share * 4.0
    assert volume(rounded) == pytest.approx(square - rim, rel=1e-6)
