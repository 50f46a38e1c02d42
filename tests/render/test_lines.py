import numpy as np
import pytest

from vcad_kernel.render.lines import Occluder, coverage
from vcad_kernel.render.raster import Raster


def line(*ends: tuple[float, float, float]) -> np.ndarray:
    return np.array([ends], float)


@pytest.mark.parametrize(
    ("start", "end"), [((5, 5), (35, 5)), ((5, 5), (5, 35)), ((5, 8), (35, 31)), ((9, 35), (20, 4))]
)
def test_a_line_covers_as_much_as_its_length_times_its_thickness(
    start: tuple[float, float], end: tuple[float, float]
) -> None:
    share = coverage(line((*start, 0), (*end, 0)), 40, 40, thickness=1.5)
    length = np.hypot(end[0] - start[0], end[1] - start[1])
    assert share.sum() == pytest.approx(1.5 * (length + 1), rel=0.08)
    assert share.max() <= 1.0


def test_crossing_lines_do_not_add_up() -> None:
    one = line((2, 10.5, 0), (18, 10.5, 0))
    assert np.array_equal(
        coverage(np.concatenate([one, one]), 20, 20, thickness=1.0), coverage(one, 20, 20, thickness=1.0)
    )


def test_a_line_that_leaves_the_picture_is_cut_at_its_border() -> None:
    share = coverage(line((-50, 5.5, 0), (50, 5.5, 0)), 20, 10, thickness=1.0)
    assert share[5] == pytest.approx(np.ones(20))
    assert coverage(line((-50, -5, 0), (-10, 30, 0)), 20, 10, thickness=1.0).sum() == 0


def test_a_fading_line_follows_its_strength() -> None:
    share = coverage(line((0, 5.5, 0), (20, 5.5, 0)), 20, 10, thickness=1.0, strength=np.array([[0.0, 1.0]]))
    assert share[5] == pytest.approx((np.arange(20) + 0.5) / 20, abs=1e-5)


def test_a_line_is_hidden_where_a_surface_is_nearer() -> None:
    depth = np.full((20, 40), np.inf, np.float32)
    depth[:, :20] = 5.0
    face = np.where(np.isinf(depth), -1, 0).astype(np.int32)
    occluder = Occluder.of(Raster(depth, face), 2, 0.1)
    behind = coverage(line((1, 5.5, 6), (19, 5.5, 6)), 20, 10, thickness=1.0, occluder=occluder)
    before = coverage(line((1, 5.5, 5.05), (19, 5.5, 5.05)), 20, 10, thickness=1.0, occluder=occluder)
    assert behind[5, :9].sum() == 0
    assert behind[5, 11:18].min() == 1.0
    assert before[5, 2:18].min() == 1.0


def test_a_line_seen_end_on_is_not_drawn() -> None:
    assert coverage(line((5, 5, 0), (5, 5, 9)), 10, 10, thickness=1.0).sum() == 0
