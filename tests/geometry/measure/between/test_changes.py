"""What changed between two parts: added, removed and unchanged material, without films."""

from __future__ import annotations

import math

import pytest

from tests.geometry.models import EMPTY, Solid, box, difference, document, solid, union
from vcad_kernel.geometry.evaluate import EvaluationOptions, evaluate
from vcad_kernel.geometry.measure.between.changes import Changed, changed_from
from vcad_kernel.geometry.measure.figures import measure
from vcad_kernel.geometry.measure.part_figures import Measurement
from vcad_kernel.geometry.tolerance import LINEAR, Tessellation
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.operations.bodies.transforms import Translate
from vcad_kernel.operations.features.features import Fillet
from vcad_kernel.operations.solids.shapes import Cylinder


def measured(body: Solid, chord: float = 0.02) -> Measurement:
    scene = evaluate(document(body), EvaluationOptions(Tessellation(chord=chord)))
    scene.raise_first()
    return scene.parts[0].measurement


def rod(radius: float, x: float = 0.0) -> Solid:
    return solid(Translate, solid(Cylinder, radius=radius, height=10.0), offset=(x, 10.0, -2.0))


def volumes(changed: Changed) -> tuple[float, float, float]:
    def volume(mesh: TriMesh) -> float:
        return 0.0 if mesh.is_empty else measure(mesh, exact=True).volume

    return volume(changed.added), volume(changed.removed), volume(changed.unchanged)


PLATE = box(40.0, 20.0, 5.0)


def test_of_planar_bodies_the_pieces_are_exact() -> None:
    changed = changed_from(measured(union(PLATE, box(4.0, 4.0, 9.0))), measured(box(42.0, 20.0, 5.0)))
    assert volumes(changed) == pytest.approx((64.0, 200.0, 4000.0))
    assert (changed.new.volume, changed.old.volume) == pytest.approx((4064.0, 4200.0))
    assert changed.film == LINEAR


def test_a_wider_hole_is_material_removed() -> None:
    new, old = (measured(difference(PLATE, rod(radius, 10.0))) for radius in (4.0, 3.0))
    added, removed, _ = volumes(changed_from(new, old))
    assert (added, removed) == (0.0, pytest.approx(35.0 * math.pi, rel=0.02))


def test_the_same_curved_faces_in_other_triangles_are_no_change() -> None:
    rounded = solid(Fillet, difference(PLATE, rod(3.0, 10.0)), radius=1.0)
    changed = changed_from(measured(rounded, 0.02), measured(rounded, 0.013))
    assert changed.added.is_empty
    assert changed.removed.is_empty
    grown = union(rounded, box(4.0, 4.0, 9.0, at=(30.0, 8.0, 0.0)))
    added, removed, _ = volumes(changed_from(measured(grown, 0.02), measured(rounded, 0.013)))
    assert (added, removed) == (pytest.approx(64.0, rel=0.02), 0.0)


def test_a_part_that_was_empty_is_all_new() -> None:
    changed = changed_from(measured(PLATE), measured(EMPTY))
    assert volumes(changed) == pytest.approx((4000.0, 0.0, 0.0))
