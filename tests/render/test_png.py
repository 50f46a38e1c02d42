import numpy as np
import pytest

from tests.render.samples import pixels_of
from vcad_kernel.render import png


def test_few_colours_are_kept_exactly() -> None:
    rng = np.random.default_rng(1)
    palette = rng.integers(0, 256, (256, 3), np.uint8)
    image = palette[rng.integers(0, 256, (40, 60))]
    assert np.array_equal(pixels_of(png.encode(image)), image)


def test_many_colours_come_out_close() -> None:
    x, y = np.meshgrid(np.linspace(0, 255, 200), np.linspace(0, 255, 150))
    image = np.stack([x, y, (x + y) / 2], axis=-1).astype(np.uint8)
    assert np.abs(pixels_of(png.encode(image)) - image).mean() < 6


def test_a_rare_colour_survives_beside_a_wide_gradient() -> None:
    ramp = np.linspace(0, 255, 400 * 300).reshape(300, 400)
    image = np.stack([ramp, 255 - ramp, ramp * 0 + 200], axis=-1).astype(np.uint8)
    image[100, 50:350] = (10, 10, 10)
    assert np.abs(pixels_of(png.encode(image))[100, 50:350] - 10).max() <= 4


def test_fewer_colours_take_fewer_bytes() -> None:
    rng = np.random.default_rng(2)
    image = rng.integers(0, 256, (60, 80, 3), np.uint8)
    assert len(png.encode(image, colors=16)) < len(png.encode(image, colors=256))


@pytest.mark.parametrize(("shape", "colors"), [((4, 4, 4), 256), ((4, 4, 3), 257), ((4, 4, 3), 1)])
def test_what_the_format_cannot_hold_is_refused(shape: tuple[int, ...], colors: int) -> None:
    with pytest.raises(ValueError, match="cannot encode"):
        png.encode(np.zeros(shape, np.uint8), colors=colors)
