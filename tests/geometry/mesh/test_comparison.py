"""What differs between two versions of a body."""

from __future__ import annotations

import manifold3d
import numpy as np
import pytest

from vcad_kernel.geometry.mesh.comparison import compared
from vcad_kernel.geometry.tri_mesh import TriMesh


def box(x: float, y: float, z: float) -> TriMesh:
    read = manifold3d.Manifold.cube([x, y, z]).to_mesh64()
    return TriMesh.of(np.asarray(read.vert_properties)[:, :3], read.tri_verts)


def volume(mesh: TriMesh) -> float:
    a, b, c = np.moveaxis(mesh.corners(), 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


def test_what_came_went_and_stayed_make_the_two_bodies() -> None:
    both = compared(box(10, 10, 5), box(8, 10, 6))
    assert volume(both.kept) == pytest.approx(8 * 10 * 5)
    assert volume(both.added) == pytest.approx(8 * 10 * 1)
    assert volume(both.removed) == pytest.approx(2 * 10 * 5)


def test_the_same_body_has_not_changed() -> None:
    both = compared(box(10, 10, 5), box(10, 10, 5))
    assert (both.added.is_empty, both.removed.is_empty) == (True, True)
    assert volume(both.kept) == pytest.approx(500)


def test_of_nothing_all_is_new() -> None:
    both = compared(TriMesh.empty(), box(1, 1, 1))
    assert (volume(both.added), both.kept.is_empty, both.removed.is_empty) == (pytest.approx(1), True, True)
