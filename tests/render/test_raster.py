import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.render import raster as module
from vcad_kernel.render.raster import rasterise

coordinate = st.floats(-5, 25, width=32)
triangle = st.lists(st.tuples(coordinate, coordinate), min_size=3, max_size=3)


def covered(points: np.ndarray, width: int, height: int) -> np.ndarray:
    """Pixels whose centre lies strictly inside a triangle, by three half-planes."""
    y, x = np.mgrid[:height, :width] + 0.5
    sides = []
    for start, end in zip(points, np.roll(points, -1, axis=0), strict=True):
        sides.append((end[0] - start[0]) * (y - start[1]) - (end[1] - start[1]) * (x - start[0]))
    return np.asarray(np.all(np.array(sides) < -1e-6, axis=0))


@given(triangle)
def test_a_triangle_covers_the_centres_inside_it_and_none_outside(corners: list[tuple[float, float]]) -> None:
    points = np.array([(x, y, 1.0) for x, y in corners])
    found = rasterise(points, np.array([[0, 1, 2]]), 20, 20).face >= 0
    sure = covered(points, 20, 20)
    assert not (sure & ~found).any()
    grown = rasterise(points, np.array([[0, 1, 2]]), 20, 20).face >= 0
    middle = points[:, :2].mean(axis=0)
    larger = points.copy()
    larger[:, :2] = middle + (points[:, :2] - middle) * 1.001
    assert not (grown & ~(covered(larger, 20, 20) | sure)).sum() > 2


def test_triangles_with_a_common_edge_leave_no_gap_and_do_not_overlap() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        inner = rng.uniform(3.0, 17.0, 2)
        rim = [(0, 0), (0, 20), (20, 20), (20, 0)]
        points = np.array([(*inner, 0.0), *((x, y, 0.0) for x, y in rim)])
        fan = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1]])
        layers = [rasterise(points, fan[[k]], 20, 20).face >= 0 for k in range(4)]
        assert (np.sum(layers, axis=0) == 1).all()


def test_only_faces_towards_the_viewer_count() -> None:
    points = np.array([(1.0, 1.0, 0.0), (1.0, 9.0, 0.0), (9.0, 9.0, 0.0)])
    assert (rasterise(points, np.array([[0, 1, 2]]), 10, 10).face >= 0).any()
    assert not (rasterise(points, np.array([[0, 2, 1]]), 10, 10).face >= 0).any()


def test_crossing_triangles_hide_each_other_where_they_are_nearer() -> None:
    points = np.array(
        [(0, 0, 0), (0, 40, 0), (40, 40, 10), (40, 0, 10), (0, 0, 10), (0, 40, 10), (40, 40, 0), (40, 0, 0)],
        float,
    )
    quads = np.array([[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]])
    found = rasterise(points, quads, 40, 40)
    assert (found.face[:, :20] < 2).all()
    assert (found.face[:, 20:] >= 2).all()
    x = np.arange(40) + 0.5
    assert found.depth == pytest.approx(np.broadcast_to(np.minimum(x, 40 - x) / 4, (40, 40)), abs=1e-4)


def test_many_layers_are_drawn_in_batches_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    points = np.column_stack([rng.uniform(-5, 45, (300, 2)), rng.uniform(0, 10, 300)])
    triangles = np.arange(300).reshape(100, 3)
    whole = rasterise(points, triangles, 40, 40)
    monkeypatch.setattr(module, "_BATCH", 100)
    pieces = rasterise(points, triangles, 40, 40)
    assert np.array_equal(whole.face, pieces.face)
    assert np.array_equal(whole.depth, pieces.depth)


def test_no_triangles_show_nothing() -> None:
    found = rasterise(np.empty((0, 3)), np.empty((0, 3), np.int64), 4, 3)
    assert found.face.shape == (3, 4)
    assert np.isinf(found.depth).all()
