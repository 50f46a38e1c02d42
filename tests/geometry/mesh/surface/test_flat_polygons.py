"""Flat faces as polygons: which triangles they stand for, and how their corners run."""

from __future__ import annotations

import manifold3d
import numpy as np
import pytest

from vcad_kernel.geometry.mesh.surface.edges import Creases
from vcad_kernel.geometry.mesh.surface.flat_polygons import FlatPolygons
from vcad_kernel.geometry.tri_mesh import TriMesh


def _polygons(mesh: TriMesh) -> tuple[list[list[int]], list[int]]:
    """The vertices around each polygon, and the triangles left over."""
    flat = FlatPolygons.of(Creases.of(mesh))
    rings = np.split(mesh.indices.reshape(-1)[flat.corners], np.cumsum(flat.counts)[:-1])
    return [ring.tolist() for ring in rings if len(ring)], flat.triangles.tolist()


def _solid(body: manifold3d.Manifold) -> TriMesh:
    read = body.to_mesh64()
    return TriMesh.of(np.asarray(read.vert_properties)[:, :3], read.tri_verts)


def _sheet(points: list[list[float]], triangles: list[list[int]]) -> TriMesh:
    return TriMesh.of(np.array(points, float), np.array(triangles))


SQUARE = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]


def test_two_triangles_of_a_square_are_one_polygon_from_its_lowest_corner() -> None:
    assert _polygons(_sheet(SQUARE, [[0, 1, 2], [0, 2, 3]])) == ([[0, 1, 2, 3]], [])


def test_a_bent_pair_stays_two_triangles() -> None:
    bent = [*SQUARE[:3], [0.0, 1.0, 0.1]]
    assert _polygons(_sheet(bent, [[0, 1, 2], [0, 2, 3]])) == ([], [0, 1])


def test_an_inner_vertex_is_left_out_and_one_on_the_border_is_not() -> None:
    fan = [*SQUARE, [0.5, 0.5, 0.0], [0.5, 0.0, 0.0]]
    triangles = [[0, 5, 4], [5, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]
    assert _polygons(_sheet(fan, triangles)) == ([[0, 5, 1, 2, 3]], [])


def test_a_ring_stays_triangles() -> None:
    tube = manifold3d.Manifold.cylinder(5, 4, 4, 16) - manifold3d.Manifold.cylinder(9, 2, 2, 16).translate(
        [0, 0, -2]
    )
    rings, left = _polygons(_solid(tube))
    assert len(rings) == 32
    assert len(left) == 64


def test_squares_that_touch_in_a_corner_are_two_polygons() -> None:
    points = [*SQUARE, [2.0, 1.0, 0.0], [2.0, 2.0, 0.0], [1.0, 2.0, 0.0]]
    rings, left = _polygons(_sheet(points, [[0, 1, 2], [0, 2, 3], [2, 4, 5], [2, 5, 6]]))
    assert (rings, left) == ([[0, 1, 2, 3], [2, 4, 5, 6]], [])


def test_a_border_that_touches_itself_stays_triangles() -> None:
    """An L of squares whose ends are pinched to one place by different vertices."""
    points = [[0, 0, 0], [2, 0, 0], [2, 2, 0], [1, 1, 0], [0, 2, 0], [1, 1, 0]]
    rings, left = _polygons(_sheet(points, [[0, 1, 3], [1, 2, 3], [0, 3, 5], [0, 5, 4]]))
    assert rings == []
    assert left == [0, 1, 2, 3]


def test_nothing_has_no_polygons() -> None:
    assert _polygons(TriMesh.of(np.empty((0, 3)), np.empty((0, 3), np.uint32))) == ([], [])


def test_every_triangle_is_in_one_place() -> None:
    body = manifold3d.Manifold.cube([9, 9, 9]) - manifold3d.Manifold.sphere(6, 40).translate([9, 9, 9])
    mesh = _solid(body)
    rings, left = _polygons(mesh)
    corners = mesh.corners()
    doubled = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    whole = np.linalg.norm(doubled, axis=1).sum()
    ringed = sum(
        np.linalg.norm(np.cross(mesh.positions[ring], np.roll(mesh.positions[ring], -1, 0)).sum(0))
        for ring in rings
    )
    assert ringed + np.linalg.norm(doubled[left], axis=1).sum() == pytest.approx(whole, rel=1e-9)
