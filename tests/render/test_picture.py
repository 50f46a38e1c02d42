import manifold3d
import numpy as np
import pytest

from tests.render.samples import BLUE, RED, bluish, box, dark, part, pixels_of, reddish
from vcad_kernel.geometry.tri_mesh import PartMesh, TriMesh
from vcad_kernel.operations.scene import Material
from vcad_kernel.render.camera import VIEWS
from vcad_kernel.render.picture import LIMIT, draw
from vcad_kernel.render.sight import Sight


def plate_with_hole() -> manifold3d.Manifold:
    return box(40, 40, 10) - manifold3d.Manifold.cylinder(20, 10, 10, 64).translate([20, 20, -5])


def test_a_picture_has_the_size_asked_for() -> None:
    assert pixels_of(draw([part(box(1, 2, 3))])).shape == (480, 640, 3)
    assert pixels_of(draw([part(box(1, 2, 3))], 200, 150)).shape == (150, 200, 3)


def test_equal_parts_give_equal_bytes() -> None:
    assert draw([part(plate_with_hole())]) == draw([part(plate_with_hole())])


def test_the_material_colours_the_part_and_the_paper_stays_white() -> None:
    pixels = pixels_of(draw([part(box(10, 10, 10))]))
    assert reddish(pixels).mean() > 0.2
    assert not bluish(pixels[:, 100:]).any()
    assert (pixels[0] == 255).all()
    assert reddish(pixels[200:280, 280:360]).mean() > 0.9


def test_faces_that_turn_differently_have_different_shades() -> None:
    pixels = pixels_of(draw([part(box(10, 10, 10))], grid=False, axes=False))
    reds = pixels[reddish(pixels)][:, 0]
    shades, counts = np.unique(reds, return_counts=True)
    assert (counts > 5000).sum() == 3
    assert np.ptp(shades[counts > 5000]) > 50


def test_the_top_view_shows_a_hole_and_nothing_outside_the_outline() -> None:
    pixels = pixels_of(draw([part(plate_with_hole())], 400, 400, view="top", grid=False, axes=False))
    red = reddish(pixels)
    rows, columns = np.nonzero(red)
    side = np.ptp(rows) + 1
    assert side == pytest.approx(0.86 * 400, abs=4)
    assert np.ptp(columns) + 1 == pytest.approx(side, abs=2)
    assert not red[150:250, 150:250].any()
    assert (pixels[190:210, 190:210] == 255).all()
    assert red.sum() == pytest.approx(side**2 * (1 - np.pi / 16), rel=0.03)
    assert (pixels[:25] == 255).all()


def test_what_lets_light_through_shows_what_is_behind_and_hides_in_the_order_of_depth() -> None:
    glass = Material("glass", (0.1, 0.2, 0.8), alpha=0.5)
    block = part(box(20, 20, 5), RED)
    pane, upper = (part(box(20, 20, 5, (0, 0, at)), glass) for at in (10.0, 20.0))

    def middle(*parts: PartMesh, view: str = "top") -> list[int]:
        return list(pixels_of(draw(parts, view=view, grid=False, axes=False))[240, 320])

    red, glazed, twice = middle(block), middle(block, pane), middle(upper, block, pane)
    blue = middle(part(box(20, 20, 5, (0, 0, 10)), BLUE))
    assert glazed == pytest.approx([(a + b) / 2 for a, b in zip(red, blue, strict=True)], abs=3)
    assert twice == pytest.approx([(a + 3 * b) / 4 for a, b in zip(red, blue, strict=True)], abs=3)
    assert middle(upper, block, pane, view="bottom") == middle(block, view="bottom")
    # a pane inside another: the outer one's near side is before both
    green = part(box(4, 4, 1, (8, 8, 12)), Material("green", (0.1, 0.8, 0.1), alpha=0.9))
    assert middle(green, pane) == middle(pane, green)
    assert middle(green, pane)[2] > middle(green)[2] + 50


def test_a_part_behind_glass_can_be_pointed_at_and_so_can_the_glass() -> None:
    glass = Material("glass", (0.1, 0.2, 0.8), alpha=0.5)
    inner, case = part(box(8, 8, 8, (6, 6, 6)), RED), part(box(20, 20, 20), glass)
    window = part(box(2, 2, 1, (9, 9, 30)), glass)
    sights: list[Sight] = []
    draw(
        [inner, case, window],
        view="top",
        overlays=[lambda image, camera, sight: sights.append(sight)],
    )
    (sight,) = sights
    assert sight.seen == {0, 1, 2}
    assert {int(sight.part[240, 320 + right]) for right in (0, 60, 150)} == {2, 0, 1}


def test_the_nearer_of_two_parts_hides_the_other() -> None:
    low, high = part(box(20, 20, 5), RED), part(box(20, 20, 5, (0, 0, 10)), BLUE)
    for parts in ([low, high], [high, low]):
        above = pixels_of(draw(parts, view="top", grid=False, axes=False))
        assert bluish(above).sum() > 50_000
        assert not reddish(above).any()
        below = pixels_of(draw(parts, view="bottom", grid=False, axes=False))
        assert reddish(below).sum() > 50_000
        assert not bluish(below).any()


def test_feature_edges_are_drawn_and_triangulation_is_not() -> None:
    pixels = pixels_of(draw([part(box(20, 20, 20))], 400, 400, view="front", grid=False, axes=False))
    lines = pixels.max(axis=-1) < 130
    rows, columns = np.nonzero(lines)
    assert lines[27:30, 60:340].any(axis=0).all()
    assert lines[60:340, 27:30].any(axis=1).all()
    assert not lines[40:360, 40:360].any()
    assert (np.ptp(rows), np.ptp(columns)) == pytest.approx((344, 344), abs=3)


def test_edges_behind_a_surface_are_not_drawn() -> None:
    pixels = pixels_of(draw([part(box(20, 20, 20))], 400, 400, grid=False, axes=False))
    across, down = np.nonzero(dark(pixels).T)
    left, right, top, bottom = across.min(), across.max(), down.min(), down.max()
    middle = (left + right) // 2
    # The near corner hides the far one: of the vertical line between them only the lower half shows.
    column = dark(pixels)[top:bottom, middle - 1 : middle + 2].max(axis=1)
    height = bottom - top
    assert column[int(0.55 * height) : int(0.95 * height)].all()
    assert not column[int(0.05 * height) : int(0.40 * height)].any()


def test_a_round_part_has_an_outline() -> None:
    ball = part(manifold3d.Manifold.sphere(10.0, 64))
    pixels = pixels_of(draw([ball], 400, 400, view="front", grid=False, axes=False))
    lines = dark(pixels)
    rows, columns = np.nonzero(lines)
    distance = np.hypot(rows + 0.5 - 200, columns + 0.5 - 200)
    assert len(rows) > 700
    assert distance.min() > 165
    assert distance.max() < 176


def test_every_view_is_different() -> None:
    wedge = manifold3d.Manifold.hull_points([[0, 0, 0], [30, 0, 0], [0, 20, 0], [0, 0, 10], [4, 4, 9]])
    pictures = {view: draw([part(wedge)], 200, 150, view=view, axes=False, grid=False) for view in VIEWS}
    assert len(set(pictures.values())) == len(VIEWS)


def test_the_front_view_has_x_to_the_right_and_z_up() -> None:
    foot = part(box(40, 10, 10)), part(box(10, 10, 40, (0, 0, 10)), BLUE)
    pixels = pixels_of(draw(foot, view="front", grid=False, axes=False))
    blue_rows, blue_columns = np.nonzero(bluish(pixels))
    red_rows, red_columns = np.nonzero(reddish(pixels))
    assert blue_rows.max() <= red_rows.min() + 2
    assert blue_columns.max() < red_columns.max() - 100
    assert blue_columns.min() == pytest.approx(red_columns.min(), abs=2)


def test_the_axes_never_lie_over_the_part() -> None:
    slab = [part(box(40, 10, 30))]
    bare, marked = (pixels_of(draw(slab, view="front", axes=axes)) for axes in (False, True))
    assert reddish(bare[-84:, :84]).any()
    columns = np.nonzero(reddish(marked[:380]).any(axis=0))[0]
    assert columns.min() > 84
    assert bluish(marked[-84:, :84]).any()


def test_an_empty_scene_is_a_clean_picture_of_the_ground() -> None:
    for parts in ([], [PartMesh("nothing", TriMesh.empty())]):
        pixels = pixels_of(draw(parts))
        assert pixels.shape == (480, 640, 3)
        assert (pixels.min(axis=-1) < 245).sum() > 1000
        assert not dark(pixels).any()


def test_a_tall_slim_part_stands_on_some_ground() -> None:
    rod = [part(manifold3d.Manifold.cylinder(100.0, 3.0, 3.0, 32))]
    with_ground, without = (pixels_of(draw(rod, axes=False, grid=grid)) for grid in (True, False))
    assert (with_ground != without).any(axis=-1).sum() > 1000


def test_the_picture_is_the_same_wherever_the_part_lies_and_whatever_its_size() -> None:
    solid = plate_with_hole()
    near = draw([part(solid)], 320, 240, grid=False)
    far = draw([part(solid.scale([0.125] * 3).translate([65536.0, -32768.0, 4096.0]))], 320, 240, grid=False)
    assert np.abs(pixels_of(near) - pixels_of(far)).mean() < 0.2


def test_a_busy_picture_stays_below_the_limit() -> None:
    rng = np.random.default_rng(7)
    peaks = rng.uniform(0.2, 10.0, (40, 40))
    bars = manifold3d.Manifold.compose(
        [box(0.8, 0.8, peaks[i, j], (i, j, 0)) for i in range(40) for j in range(40)]
    )
    picture = draw([part(bars)], 1000, 750)
    assert len(picture) <= LIMIT
    assert pixels_of(picture).shape[1] < 1000


def test_small_pictures_leave_the_axes_out() -> None:
    assert draw([part(box(1, 1, 1))], 64, 48) == draw([part(box(1, 1, 1))], 64, 48, axes=False)


def test_an_unknown_view_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="iso, front, back, right, left, top, bottom"):
        draw([], view="sideways")


def test_a_picture_too_small_to_show_anything_is_refused() -> None:
    with pytest.raises(ValueError, match="16 × 16"):
        draw([], 8, 8)
