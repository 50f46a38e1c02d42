"""Whether a body is sound: what is looked at once, and what must contain what."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from OCP.BRep import BRep_Builder
from OCP.BRepBuilderAPI import BRepBuilderAPI_Copy
from OCP.TopoDS import TopoDS, TopoDS_Face, TopoDS_Shape, TopoDS_Shell, TopoDS_Solid

from tests.geometry.occt import bodies
from vcad_kernel.geometry.occt.brep import faces_of
from vcad_kernel.geometry.occt.measure.validity import flaw, is_valid, rough_volume, volume_bounds, volume_of

BORED = bodies.difference(bodies.cylinder(8, 20), bodies.turned(bodies.cylinder(3, 40), 0.7, (1, 2, 0)))
LENS = bodies.intersection(
    bodies.stretched(bodies.sphere(5), 1.0, 2.0, 3.0), bodies.box(60, 60, 60, (0, -30, -30))
)
"""What it is cut by goes through its middle, where integrals of the flat face are nothing."""
RING = bodies.intersection(
    bodies.torus(8, 3), bodies.turned(bodies.box(60, 60, 60, (-30.0, -30.0, 0.2)), 35.0, (1, 2, 0))
)
"""All its corners lie in the plane that it is cut by: an integral from there found no end."""
HOOF = bodies.intersection(
    bodies.cylinder(5, 20), bodies.turned(bodies.box(60, 60, 60, (-30, -30, -59)), 0.7, (0, 1, 0))
)
"""Both flat faces meet in its only line, whose ends are all its corners."""


@pytest.mark.parametrize(
    "body",
    [*bodies.ALL_KINDS, BORED, LENS, RING, HOOF, *map(bodies.cushion, (0.01, 10, 100, 1000, 1e6))],
)
def test_the_rough_volume_is_right_to_a_hundredth_and_has_the_sign(body: TopoDS_Shape) -> None:
    volume = volume_of(body)
    assert volume > 0.0
    assert rough_volume(body) == pytest.approx(volume, rel=0.01)
    low, high = volume_bounds(body)
    assert low * (1.0 - 1e-9) <= volume <= high * (1.0 + 1e-9)
    # by the same integral, which says how far it may be off: others take a hundred times as long
    assert rough_volume(body.Reversed()) == pytest.approx(-rough_volume(body), rel=1e-12)


def test_what_reaches_out_of_its_place_is_a_flaw() -> None:
    place, body = bodies.filleted(bodies.box(9, 9, 9), 2), bodies.filleted(bodies.box(9, 9, 9), 2.1)
    assert flaw(body, within=(body, place)) is None
    for moved in (bodies.box(9, 9, 9, (0.001, 0, 0)), bodies.sphere(4.6, (4.5, 4.5, 4.5))):
        assert flaw(body, within=(moved, place)) == "it reaches out of the box it must lie in"
    # only a tight box tells: the quick one of a turned rod is larger than it is
    rod = bodies.turned(bodies.cylinder(4, 9), 33.0, (1, 2, 0))
    assert flaw(rod, within=(rod, rod)) is None


def test_a_range_of_volumes_is_kept_to_whether_it_is_wide_or_narrow() -> None:
    body = bodies.stretched(bodies.sphere(2), 1.0, 2.0, 3.0)
    volume = 64.0 * math.pi
    for low, high in ((0.0, 10.0 * volume), (0.99999 * volume, 1.00001 * volume), (0.9 * volume, math.inf)):
        assert flaw(body, volume=(low, high)) is None
    for low, high in ((1.001 * volume, 2.0 * volume), (0.0, 0.999 * volume), (1.01 * volume, math.inf)):
        assert "are possible" in (flaw(body, volume=(low, high)) or "")
    assert flaw(body.Reversed(), volume=(-math.inf, math.inf)) == "it is inside out"


def _solid_of(faces: Sequence[TopoDS_Face]) -> TopoDS_Shape:
    builder, shell, solid = BRep_Builder(), TopoDS_Shell(), TopoDS_Solid()
    builder.MakeShell(shell)
    for face in faces:
        builder.Add(shell, face)
    shell.Closed(True)
    builder.MakeSolid(solid)
    builder.Add(solid, shell)
    return solid


def test_sound_faces_make_no_sound_body_unless_they_close_and_look_one_way() -> None:
    sound = bodies.filleted(bodies.box(9, 9, 9), 2)
    assert is_valid(sound)
    # what follows is put together from faces that have passed
    first, *others = faces_of(sound)
    assert is_valid(_solid_of([first, *others]))
    assert not is_valid(_solid_of(others))
    assert not is_valid(_solid_of([TopoDS.Face(first.Reversed()), *others]))


def test_a_face_that_is_new_is_looked_at_beside_those_that_are_known() -> None:
    sound = bodies.box(3, 4, 5)
    assert is_valid(sound)
    first, *others = faces_of(sound)
    other_border = BRepBuilderAPI_Copy(first).Shape()
    # all six sides are there, but the border of one is not that of its neighbours
    assert not is_valid(_solid_of([TopoDS.Face(other_border), *others]))
