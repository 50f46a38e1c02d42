"""Figures of meshes against closed formulas: above all inertia, and how bodies add up."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.geometry.models import FINE, Solid, box, difference, mesh_figures, scene, solid, union
from tests.tiers import examples
from vcad_kernel.geometry.measure.figures import Figures, of_exact, total
from vcad_kernel.geometry.solid import ExactFigures
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.operations.bodies.transforms import Rotate, Scale
from vcad_kernel.operations.solids.shapes import Cylinder, Sphere

lengths = st.floats(0.5, 50.0)
angles = st.floats(-180.0, 180.0)


def inertia(body: Solid) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array(scene(body, options=FINE).parts[0].mesh_figures.inertia)


def of_box(a: float, b: float, c: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return a * b * c / 12.0 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])


@given(lengths, lengths, lengths, lengths)
@examples(25)
def test_the_inertia_of_a_box_is_about_its_centre_wherever_it_is(
    a: float, b: float, c: float, at: float
) -> None:
    assert inertia(box(a, b, c, at=(at, -3.0 * at, 7.0))) == pytest.approx(
        of_box(a, b, c), rel=1e-9, abs=1e-6
    )


@given(angles, angles, angles)
@examples(20)
def test_inertia_turns_with_the_body(x: float, y: float, z: float) -> None:
    turned = inertia(solid(Rotate, box(2.0, 5.0, 9.0), angles=(x, y, z)))
    assert np.trace(turned) == pytest.approx(np.trace(of_box(2.0, 5.0, 9.0)), rel=1e-9)
    assert np.linalg.eigvalsh(turned) == pytest.approx(np.sort(np.diag(of_box(2.0, 5.0, 9.0))), rel=1e-9)


def test_round_bodies_come_close_to_their_formulas() -> None:
    r, h = 4.0, 9.0
    mass = math.pi * r * r * h
    across = mass * (3.0 * r * r + h * h) / 12.0
    expected = np.diag([across, across, mass * r * r / 2.0])
    assert inertia(solid(Cylinder, radius=r, height=h)) == pytest.approx(expected, rel=2e-3, abs=1e-6)
    ball = 8.0 / 15.0 * math.pi * r**5
    assert inertia(solid(Sphere, radius=r)) == pytest.approx(np.diag([ball] * 3), rel=5e-3, abs=1e-6)


def test_a_hole_takes_its_inertia_away() -> None:
    frame = difference(box(10.0, 10.0, 2.0), box(4.0, 4.0, 4.0, at=(3.0, 3.0, -1.0)))
    assert inertia(frame) == pytest.approx(
        of_box(10.0, 10.0, 2.0) - of_box(4.0, 4.0, 2.0), rel=1e-9, abs=1e-9
    )


@given(st.floats(0.2, 5.0))
@examples(10)
def test_inertia_grows_with_the_fifth_power_of_size(k: float) -> None:
    scaled = inertia(solid(Scale, box(1.0, 2.0, 3.0), factor=(k, k, k)))
    assert scaled == pytest.approx(of_box(1.0, 2.0, 3.0) * k**5, rel=1e-9, abs=1e-9)


def test_an_empty_body_has_no_inertia() -> None:
    assert mesh_figures(difference(box(1.0, 1.0, 1.0), box(2.0, 2.0, 2.0))).inertia is None


# ---------------------------------------------------------------- several bodies as one


def exact_box(a: float, b: float, c: float, x: float) -> Figures:
    """What an exact kernel says of a box that begins at (x, 0, 0)."""
    rows = of_box(a, b, c)
    body = ExactFigures(
        volume=a * b * c,
        surface_area=2.0 * (a * b + b * c + c * a),
        bounds=((x, 0.0, 0.0), (x + a, b, c)),
        center_of_mass=(x + a / 2.0, b / 2.0, c / 2.0),
        inertia=(tuple(rows[0]), tuple(rows[1]), tuple(rows[2])),
        genus=0,
        lumps=1,
        shells=1,
    )
    return of_exact(body, TriMesh.empty())


@given(st.lists(st.tuples(lengths, lengths, lengths), min_size=2, max_size=4))
@examples(25)
def test_bodies_add_up_by_the_parallel_axis_theorem(sizes: list[tuple[float, float, float]]) -> None:
    starts = [60.0 * place for place in range(len(sizes))]
    bodies = [box(*size, at=(x, 0.0, 0.0)) for size, x in zip(sizes, starts, strict=True)]
    together = bodies[0]
    for other in bodies[1:]:
        together = union(together, other)
    on_mesh = mesh_figures(together)
    added = total([exact_box(*size, x) for size, x in zip(sizes, starts, strict=True)], TriMesh.empty)
    assert added.exact
    assert added.volume == pytest.approx(on_mesh.volume, rel=1e-9)
    assert added.surface_area == pytest.approx(on_mesh.surface_area, rel=1e-9)
    assert np.array(added.bounds) == pytest.approx(np.array(on_mesh.bounds))
    assert added.center_of_mass == pytest.approx(on_mesh.center_of_mass, rel=1e-9, abs=1e-9)
    scale = float(np.abs(np.array(on_mesh.inertia)).max())
    assert np.array(added.inertia) == pytest.approx(np.array(on_mesh.inertia), rel=1e-8, abs=1e-9 * scale)
    assert (added.genus, added.lumps, added.shells) == (0, len(sizes), len(sizes))
