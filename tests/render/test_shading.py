import numpy as np
import pytest

from vcad_kernel.operations.scene import Material
from vcad_kernel.render.picture import entry_of, shade_table


def shade(material: Material, right: float, up: float) -> np.ndarray:
    return np.asarray(shade_table(material)[entry_of(np.array([right]), np.array([up]))[0]], int)


def test_a_surface_towards_the_light_has_about_its_own_colour() -> None:
    orange = Material("orange", (0.8, 0.5, 0.2))
    assert shade(orange, -0.35, 0.4) == pytest.approx(255 * np.array(orange.color), abs=50)


def test_top_left_and_right_faces_of_a_box_differ_clearly_and_none_is_black() -> None:
    grey = Material("grey", (0.8, 0.8, 0.8))
    top, left, right = (shade(grey, *facing)[0] for facing in ((0, 0.87), (-0.71, -0.35), (0.71, -0.35)))
    assert top - left > 25
    assert left - right > 20
    assert right > 100


def test_metal_mirrors_more_contrast_than_plastic() -> None:
    steel, plastic = (Material("m", (0.6, 0.6, 0.6), metallic=m, roughness=0.3) for m in (1.0, 0.0))
    ring = [(np.sin(a) * 0.9, -0.3) for a in np.linspace(-1.3, 1.3, 40)]
    assert np.ptp([shade(steel, *n)[0] for n in ring]) > 1.2 * np.ptp([shade(plastic, *n)[0] for n in ring])


def test_normals_at_and_beyond_the_horizon_stay_in_the_table() -> None:
    entries = entry_of(np.array([-1.1, 0.0, 1.0, 1.1]), np.array([1.1, -1.0, 0.0, -1.1]))
    assert entries.min() >= 0
    assert entries.max() < len(shade_table(Material("m", (0.5, 0.5, 0.5))))
