"""Which answer figures come from: a rule that can be read off the document."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest

from tests.geometry.models import Solid, box, circle, difference, document, polygon, solid, union
from vcad_kernel.geometry.measure.figure_rule import (
    MOST_OPERANDS,
    boolean_operands,
    is_planar,
    measured_exactly,
    mesh_inside,
)
from vcad_kernel.operations.bodies.bodies import Hull, Offset, Section
from vcad_kernel.operations.bodies.patterns import CircularPattern, LinearPattern
from vcad_kernel.operations.bodies.transforms import Mirror, Rotate
from vcad_kernel.operations.features.features import (
    Chamfer,
    ChamferAt,
    Draft,
    Fillet,
    FilletAt,
    Shell,
    ShellOpen,
)
from vcad_kernel.operations.features.selections import Selector
from vcad_kernel.operations.profiles.paths import CylinderPath, LinePath, PolylinePath, SplinePath
from vcad_kernel.operations.solids.gears import Gear
from vcad_kernel.operations.solids.imported import MeshFile, StepFile
from vcad_kernel.operations.solids.shapes import Cone, Cylinder, Prism, Sphere, Torus, Wedge
from vcad_kernel.operations.solids.sweeps import Extrude, Revolve, Sweep
from vcad_kernel.operations.solids.text import Text

_T = TypeVar("_T")
X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
ORIGIN = (0.0, 0.0, 0.0)
BLOCK = box(10.0, 20.0, 30.0)
ROD = solid(Cylinder, radius=1.0, height=50.0)
SQUARE = polygon([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
EDGES, FACES = Selector("edge", convex=True), Selector("face", largest=1)
CORNER = ((0.0, 0.0, 0.0), (9.0, 0.0, 0.0), (9.0, 9.0, 0.0))


def rule(ask: Callable[..., _T], body: Solid) -> _T:
    made = document(body)
    return ask(made, made.roots[0].node)


def row(count: int, body: Solid = ROD) -> Solid:
    return solid(LinearPattern, body, direction=X, count=count, spacing=5.0)


@pytest.mark.parametrize(
    "body",
    [
        BLOCK,
        solid(Wedge, size=(1.0, 2.0, 3.0)),
        solid(Prism, sides=6, radius=2.0, height=1.0),
        solid(Extrude, SQUARE, direction=Z),
        solid(Sweep, SQUARE, path=LinePath(ORIGIN, Z)),
        solid(Sweep, SQUARE, path=PolylinePath(CORNER)),
        solid(Sweep, SQUARE, path=PolylinePath(CORNER[:2], 3.0)),
        solid(Chamfer, BLOCK, distance=1.0),
        solid(ChamferAt, BLOCK, distance=1.0, edges=EDGES),
        solid(Shell, BLOCK, thickness=1.0),
        solid(ShellOpen, BLOCK, thickness=1.0, faces=FACES),
        solid(Hull, union(BLOCK, box(1.0, 1.0, 90.0))),
        solid(Section, BLOCK, origin=(5.0, 0.0, 0.0), normal=X),
        solid(Offset, BLOCK, distance=-1.0),
        solid(Mirror, BLOCK, origin=ORIGIN, normal=X),
        solid(Draft, BLOCK, origin=ORIGIN, normal=Z, angle_deg=3.0, faces=FACES),
        solid(MeshFile, path="a.stl", scale=(1.0, 1.0, 1.0), content="00"),
    ],
)
def test_bodies_of_flat_faces_are_planar_whatever_cuts_them(body: Solid) -> None:
    assert rule(is_planar, body)
    assert not rule(is_planar, difference(body, ROD))


@pytest.mark.parametrize(
    "body",
    [
        ROD,
        solid(Sphere, radius=1.0),
        solid(Cone, radius_bottom=1.0, radius_top=2.0, height=1.0),
        solid(Torus, major_radius=5.0, minor_radius=1.0),
        solid(Gear, module=1.0, teeth=20, width=5.0, backlash=0.0, internal=False, flank=0),
        solid(Text, text="H", size=5.0, height=1.0),
        solid(Extrude, circle(1.0), direction=Z),
        solid(Extrude, SQUARE, direction=Z, twist_angle=1.0),
        solid(Revolve, SQUARE, axis_origin=ORIGIN, axis_dir=X, angle_deg=90.0),
        solid(Sweep, SQUARE, path=CylinderPath(9.0, ((0.0, 0.0), (90.0, 5.0)))),
        solid(Sweep, SQUARE, path=SplinePath(CORNER)),
        solid(Sweep, SQUARE, path=PolylinePath(CORNER, 3.0)),
        solid(Fillet, BLOCK, radius=1.0),
        solid(FilletAt, BLOCK, radius=1.0, edges=EDGES),
        solid(Offset, BLOCK, distance=1.0),
        solid(StepFile, path="a.step", body=0, content="00"),
    ],
)
def test_bodies_with_a_round_face_are_not(body: Solid) -> None:
    assert not rule(is_planar, body)


def test_operands_are_those_of_the_flattened_document() -> None:
    assert rule(boolean_operands, BLOCK) == 1
    assert rule(boolean_operands, difference(BLOCK, ROD)) == 2
    assert rule(boolean_operands, difference(BLOCK, row(12))) == 13
    assert rule(boolean_operands, difference(BLOCK, row(4, union(ROD, BLOCK)))) == 9
    ring = solid(CircularPattern, row(3), axis_origin=ORIGIN, axis_dir=Z, count=5, angle_deg=360.0)
    assert rule(boolean_operands, solid(Fillet, solid(Rotate, ring, angles=X), radius=1.0)) == 15


def test_a_shared_body_counts_for_each_that_uses_it() -> None:
    twice = union(ROD, solid(Rotate, ROD, angles=(90.0, 0.0, 0.0)))
    assert rule(boolean_operands, twice) == 2
    body = ROD
    for _ in range(7):
        body = union(body, solid(Rotate, body, angles=X))
    assert rule(boolean_operands, body) > MOST_OPERANDS


def test_the_limit_is_sixty_four_operands_and_no_imported_mesh() -> None:
    assert rule(measured_exactly, difference(BLOCK, row(63)))
    assert not rule(measured_exactly, difference(BLOCK, row(64)))
    mesh = solid(MeshFile, path="a.stl", scale=(1.0, 1.0, 1.0), content="00")
    assert not rule(measured_exactly, union(ROD, mesh))
    assert rule(mesh_inside, union(ROD, mesh)) is not None
    assert rule(mesh_inside, BLOCK) is None
