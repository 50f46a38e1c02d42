"""STL has no vertices: what a reader makes one of must be closed."""

from __future__ import annotations

import numpy as np
import pytest

from vcad_kernel.errors import ExportError
from vcad_kernel.exchange import stl
from vcad_kernel.geometry.tri_mesh import PartMesh, TriMesh

TETRAHEDRON = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]


def written(*meshes: TriMesh) -> np.ndarray:
    """(m, 3, 3) float32: the corners in the file."""
    data = stl.encode([PartMesh(f"part {number}", mesh) for number, mesh in enumerate(meshes)], "x")[".stl"]
    record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
    corners = np.frombuffer(data[84:], record)["corners"]
    assert isinstance(corners, np.ndarray)
    return corners


def uses_of_edges(corners: np.ndarray) -> set[tuple[int, int]]:
    """How often each edge is run along there and back, corners of equal bytes taken for one."""
    _, ids = np.unique(corners.reshape(-1, 3).view("V12").ravel(), return_inverse=True)
    triangles = ids.reshape(-1, 3)
    ahead = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2)
    there, back = (
        np.unique(ahead, axis=0, return_counts=True),
        np.unique(ahead[:, ::-1], axis=0, return_counts=True),
    )
    assert np.array_equal(there[0], back[0])
    return set(zip(there[1].tolist(), back[1].tolist(), strict=True))


def test_bodies_that_touch_along_an_edge_are_closed_each_for_itself() -> None:
    mirrored = TriMesh.of(TETRAHEDRON * (-1.0, -1.0, 1.0), FACES)
    first = TriMesh.of(TETRAHEDRON, FACES)
    corners = written(first, mirrored)
    assert uses_of_edges(corners) == {(1, 1)}
    assert corners == pytest.approx(np.concatenate([first.corners(), mirrored.corners()]), abs=2e-7)
    # the second body moves away from the first
    assert (corners[4:, :, :2] <= 0.0).all()


def test_vertices_that_single_precision_takes_for_one_stay_apart() -> None:
    # a fin whose tips differ by less than a step of single precision 100 mm from the origin
    thin = TETRAHEDRON * (1.0, 1e-9, 1.0) + 100.0
    corners = written(TriMesh.of(thin, FACES))
    assert uses_of_edges(corners) == {(1, 1)}
    assert corners == pytest.approx(thin[FACES], abs=1e-5)


def test_zero_is_written_with_one_sign() -> None:
    corners = written(TriMesh.of(TETRAHEDRON * (1.0, 1.0, -1.0), np.array(FACES)[:, ::-1]))
    assert not np.signbit(corners[corners == 0.0]).any()


def test_a_mesh_whose_vertices_are_apart_is_written_as_it_is() -> None:
    assert np.array_equal(written(TriMesh.of(TETRAHEDRON, FACES)), TETRAHEDRON[FACES].astype(np.float32))


def test_what_is_too_fine_for_single_precision_is_refused() -> None:
    many = [TriMesh.of(TETRAHEDRON * 1e-9 + 100.0, FACES) for _ in range(400)]
    with pytest.raises(ExportError, match="too fine"):
        written(*many)
