"""Bodies put together from shells without a boolean: the same body, or nothing."""

from __future__ import annotations

import pytest
from OCP.TopAbs import TopAbs_EDGE
from OCP.TopoDS import TopoDS_Face, TopoDS_Shape

from tests.geometry.occt import bodies
from vcad_kernel.geometry.occt.brep import faces_of, shape_map
from vcad_kernel.geometry.occt.insets.cavities import opened
from vcad_kernel.geometry.occt.insets.insetting import Inset
from vcad_kernel.geometry.occt.measure.extents import box_of
from vcad_kernel.geometry.occt.measure.validity import area_of, is_valid, volume_of


def flat_faces(shape: TopoDS_Shape, *heights: float) -> list[TopoDS_Face]:
    """The faces square to z at these heights."""
    found = []
    for face in faces_of(shape):
        box = [box_of(face)[corner][2] for corner in (0, 1)]
        if box[0] == pytest.approx(box[1], abs=1e-9) and any(abs(box[0] - z) < 1e-9 for z in heights):
            found.append(face)
    return found


SIMPLE = [
    pytest.param(bodies.box(30, 20, 10), (10.0,), id="a box from above"),
    pytest.param(bodies.mirrored(bodies.box(30, 20, 10)), (10.0,), id="its mirror image"),
    pytest.param(bodies.box(30, 20, 10), (0.0, 10.0), id="a box from above and below"),
    pytest.param(bodies.cylinder(8, 20), (0.0, 20.0), id="a tube"),
    pytest.param(bodies.union(bodies.cylinder(8, 20), bodies.sphere(8)), (20.0,), id="a round cup"),
    pytest.param(
        bodies.difference(bodies.box(30, 20, 20), bodies.box(10, 20, 10, (10, 0, 10))), (20.0,), id="two tops"
    ),
    pytest.param(bodies.cone(10, 6, 12), (12.0,), id="a cone"),
]


@pytest.mark.parametrize(("body", "heights"), SIMPLE)
def test_an_opened_body_is_what_the_boolean_gives(body: TopoDS_Shape, heights: tuple[float, ...]) -> None:
    openings = flat_faces(body, *heights)
    assert openings
    inset = Inset(body, openings).at(1.0)
    assert inset is not None
    put_together = opened(body, inset, openings)
    assert put_together is not None
    result, rings = put_together
    cut = bodies.difference(body, inset)
    assert is_valid(result)
    assert volume_of(result) == pytest.approx(volume_of(cut), rel=1e-9)
    assert area_of(result) == pytest.approx(area_of(cut), rel=1e-9)
    assert len(faces_of(result)) == len(faces_of(cut))
    assert len(rings) == len(openings)
    assert all(area_of(ring) < area_of(face) for ring, face in zip(rings, openings, strict=True))


def test_what_is_not_simple_is_left_to_the_boolean() -> None:
    block = bodies.box(30, 20, 10)
    pierced = bodies.difference(block, bodies.cylinder(3, 10, (15, 10, 0)))
    sides = [face for face in faces_of(block) if not flat_faces(face, 0.0, 10.0)]
    hollow = bodies.difference(block, bodies.box(8, 8, 4, (11, 6, 3)))
    for body, openings in (
        (pierced, flat_faces(pierced, 10.0)),  # with a hole
        (block, sides),  # next to each other
        (hollow, flat_faces(hollow, 10.0)),  # two shells
    ):
        inset = Inset(body, openings).at(1.0)
        assert inset is not None
        assert opened(body, inset, openings) is None
    # a cavity that reaches no opening
    assert opened(block, bodies.box(8, 8, 4, (11, 6, 3)), flat_faces(block, 10.0)) is None
    # an opening that is round
    (rod,) = [face for face in faces_of(bodies.cylinder(8, 20)) if not flat_faces(face, 0.0, 20.0)]
    assert shape_map(rod, TopAbs_EDGE).Extent() == 3
    assert opened(bodies.cylinder(8, 20), bodies.cylinder(7, 18, (0, 0, 1)), [rod]) is None
