"""The exact figures of every body of the corpus against a mesh of curved triangles."""

from __future__ import annotations

import numpy as np
import pytest
from OCP.TopoDS import TopoDS_Shape

from tests.geometry.corpus import names, source
from tests.geometry.occt.measure.columns import Measures
from tests.geometry.occt.measure.refined import Refined, refined
from vcad_kernel.cad.convert import convert
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.geometry.occt.kernel import OcctKernel
from vcad_kernel.loon.compile import Environment
from vcad_kernel.loon.source import Source

MESH_ONLY = {"hull_of_balls"}
QUICK = ("fillet_cube", "oblique_drill", "far_away")
AGREED = 1e-7
"""Relative: borders are taken as they are kept, which is within 1e-7 mm of where faces meet."""


def agrees(name: str) -> None:
    document = convert(Environment(prelude=PRELUDE).run(Source("model", source(name))))
    kernel, root = OcctKernel(), document.roots[0].node
    found = kernel.figures(document, root)
    assert found.tolerance == 0.0
    assert found.bounds is not None
    by_mesh = in_doubt_no_more(kernel.brep(document, root).shape)
    wanted = Measures.of(by_mesh.sums)
    assert found.volume == pytest.approx(wanted.volume, rel=AGREED)
    assert found.surface_area == pytest.approx(wanted.area, rel=AGREED)
    low, high = np.array(found.bounds)
    size = float((high - low).max())
    assert found.center_of_mass == pytest.approx(by_mesh.origin + wanted.centre, abs=AGREED * size)
    assert np.array(found.inertia) == pytest.approx(wanted.inertia, abs=AGREED * np.abs(wanted.inertia).max())
    assert (low <= by_mesh.lowest + 1e-9 * size).all()
    assert (high >= by_mesh.highest - 1e-9 * size).all()
    # the points nearest to an extreme miss it by the square of their distance from it
    assert low == pytest.approx(by_mesh.lowest, abs=5e-3 * size)
    assert high == pytest.approx(by_mesh.highest, abs=5e-3 * size)


def in_doubt_no_more(shape: TopoDS_Shape) -> Refined:
    """A mesh so fine that rules of two degrees give the same volume and area."""
    for chord in (0.02, 0.005, 0.001):
        found = refined(shape, chord)
        if (found.doubt[[0, 10]] <= AGREED * found.sums[[0, 10]]).all():
            break
    return found


@pytest.mark.parametrize("name", QUICK)
def test_a_body_measures_what_curved_triangles_find(name: str) -> None:
    agrees(name)


@pytest.mark.soak  # 75 bodies point by point: six minutes
@pytest.mark.parametrize("name", [name for name in names() if name not in MESH_ONLY])
def test_every_body_measures_what_curved_triangles_find(name: str) -> None:
    agrees(name)
