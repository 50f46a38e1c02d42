"""A film in a mesh is found by its geometry, and a body's own thin walls are none."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.geometry.models import Solid, box, difference, intersection, mesh, mesh_figures, solid, union
from vcad_kernel.geometry.mesh import manifold_kernel
from vcad_kernel.geometry.mesh.manifold_kernel import KernelFault, Operation
from vcad_kernel.geometry.mesh.rounding.films import has_film
from vcad_kernel.operations.bodies.transforms import Rotate, Translate
from vcad_kernel.operations.features.features import Shell
from vcad_kernel.operations.node import Vec3
from vcad_kernel.operations.solids.shapes import Cylinder


def boxes(*spans: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Cubes of side 1 beside each other, each with its own walls: (low, high) of x."""
    one = mesh(box(1.0, 1.0, 1.0))
    positions, triangles = [], []
    for number, (low, high) in enumerate(spans):
        positions.append(one.positions * [high - low, 1.0, 1.0] + [low, 0.0, 0.0])
        triangles.append(one.indices.astype(np.int64) + number * one.vertex_count)
    return np.vstack(positions), np.vstack(triangles)


@pytest.mark.parametrize("gap", [0.0, 1e-16, 1e-9, 5e-7])
def test_walls_back_to_back_are_a_film(gap: float) -> None:
    assert has_film(*boxes((0.0, 1.0), (1.0 + gap, 2.0)))


@pytest.mark.parametrize("gap", [2e-6, 1e-4, 0.1])
def test_walls_with_room_between_them_are_none(gap: float) -> None:
    assert not has_film(*boxes((0.0, 1.0), (1.0 + gap, 2.0)))


def test_a_film_is_found_where_it_lies_oblique() -> None:
    positions, triangles = boxes((0.0, 1.0), (1.0 + 1e-15, 2.0))
    turn = np.linalg.qr(np.array([[1.0, 2.0, 3.0], [0.3, -1.0, 2.0], [2.0, 0.1, 0.4]]))[0]
    turn *= np.sign(np.linalg.det(turn))
    assert has_film(positions @ turn.T + [100.3, -7.1, 0.2], triangles)


@pytest.mark.parametrize(
    "body",
    [
        # faces of both senses in one plane, beside each other
        union(box(2.0, 2.0, 1.0), box(4.0, 2.0, 1.0, at=(1.0, 0.0, 1.0))),
        difference(box(9.0, 9.0, 9.0), box(3.0, 3.0, 3.0, at=(3.0, 3.0, 3.0))),
        union(box(1.0, 1.0, 1.0), box(1.0, 1.0, 1.0, at=(1.0, 1.0, 0.0))),
        solid(Shell, box(10.0, 8.0, 6.0), thickness=0.001),
    ],
    ids=["step", "cavity", "edge to edge", "thin wall"],
)
def test_faces_of_both_senses_beside_each_other_are_none(body: Solid) -> None:
    made = mesh(body)
    assert not has_film(made.positions, made.indices)


def test_an_intersection_of_bodies_that_touch_beside_it_has_no_flap() -> None:
    # the library leaves a sheet of no thickness where the two only touch
    ell = union(box(0.1, 0.1, 0.1), box(0.1, 0.2, 0.1, at=(0.0, 0.0, 0.1)))
    measured = mesh_figures(intersection(ell, box(0.1, 0.2, 0.1)))
    assert measured.surface_area == pytest.approx(0.06, rel=1e-9)


def tilted(angles: Vec3) -> Solid:
    """A bore that should begin where its block does; both are turned, the bore about its own axis before."""
    rod = solid(Rotate, solid(Cylinder, radius=0.2, height=1.0), angles=(0.0, 0.0, 7.0))
    bore = solid(Translate, rod, offset=(0.5, 0.5, 0.1 + 0.2 - 0.3))
    return difference(solid(Rotate, box(1.0, 1.0, 1.0), angles=angles), solid(Rotate, bore, angles=angles))


@pytest.mark.parametrize("angles", [(20.0, -35.0, 50.0), (10.0, 20.0, 30.0), (0.0, 25.0, 0.0)])
def test_a_film_between_faces_turned_unlike_is_mended_by_the_exact_kernel(angles: Vec3) -> None:
    measured = mesh_figures(tilted(angles))
    assert (measured.genus, measured.lumps, measured.shells) == (1, 1, 1)
    assert measured.surface_area == pytest.approx(6.0 + 0.32 * math.pi, rel=2e-4)


def test_a_mesh_larger_than_its_operands_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the library did with a cap and its ribs: the union came out filled."""
    low, high = manifold_kernel.cube((1.0, 1.0, 1.0)), manifold_kernel.cube((1.0, 1.0, 2.0))
    filled = manifold_kernel.cube((5.0, 5.0, 5.0))
    library = manifold_kernel._library()
    monkeypatch.setattr(
        library.Manifold, "batch_boolean", staticmethod(lambda *_operands: filled.solid), raising=True
    )
    with pytest.raises(KernelFault, match="impossible"):
        manifold_kernel.batch(Operation.UNION, [(low, None), (high, None)])


def test_a_rod_in_a_bore_of_its_size_is_one_body_with_it() -> None:
    bored = difference(box(6.0, 6.0, 4.0), solid(Translate, ROD, offset=(3.0, 3.0, 0.0)))
    measured = mesh_figures(union(bored, solid(Translate, ROD, offset=(3.0, 3.0, 0.0))))
    assert measured.surface_area == pytest.approx(168.0, rel=1e-9)


ROD = solid(Cylinder, radius=1.3, height=4.0)
