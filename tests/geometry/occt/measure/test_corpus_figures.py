"""The exact figures of every body of the corpus against a mesh of curved triangles."""

from __future__ import annotations

import numpy as np
import pytest
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.GeomAbs import GeomAbs_Circle, GeomAbs_Line
from OCP.TopoDS import TopoDS_Shape

from tests.geometry.corpus import names, source
from tests.geometry.occt.measure.columns import Measures
from tests.geometry.occt.measure.refined import Refined, refined
from vcad_kernel.cad.convert import convert
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.geometry.occt.brep import edges_of
from vcad_kernel.geometry.occt.kernel import OcctKernel
from vcad_kernel.loon.compile import Environment
from vcad_kernel.loon.source import Source

MESH_ONLY = {"hull_of_balls"}
QUICK = ("fillet_cube", "oblique_drill", "far_away")
DOUBT = 3e-6
"""Relative: what rules of two degrees may differ by; the better one is then right to a thousandth of it."""
KEPT = 1e-7
"""Relative: borders are taken as they are kept, which is within some 1e-7 mm of where faces meet."""


def agrees(name: str) -> None:
    document = convert(Environment(prelude=PRELUDE).run(Source("model", source(name))))
    kernel, root = OcctKernel(), document.roots[0].node
    found, body = kernel.figures(document, root), kernel.brep(document, root)
    assert body is not None
    assert found.tolerance == 0.0
    assert found.bounds is not None
    by_mesh = in_doubt_no_more(body.shape)
    wanted = Measures.of(by_mesh.sums)
    agreed = 1e-9 if is_kept_exactly(body.shape) else KEPT
    assert found.volume == pytest.approx(wanted.volume, rel=agreed)
    assert found.surface_area == pytest.approx(wanted.area, rel=agreed)
    low, high = np.array(found.bounds)
    size = float((high - low).max())
    assert found.center_of_mass == pytest.approx(by_mesh.origin + wanted.centre, abs=agreed * size)
    assert np.array(found.inertia) == pytest.approx(wanted.inertia, abs=agreed * np.abs(wanted.inertia).max())
    assert low == pytest.approx(by_mesh.lowest, abs=agreed * size)
    assert high == pytest.approx(by_mesh.highest, abs=agreed * size)


def is_kept_exactly(shape: TopoDS_Shape) -> bool:
    """Whether every edge is a line or a circle."""
    kinds = {
        BRepAdaptor_Curve(edge).GetType() for edge in edges_of(shape) if not BRep_Tool.Degenerated_s(edge)
    }
    return kinds <= {GeomAbs_Line, GeomAbs_Circle}


def in_doubt_no_more(shape: TopoDS_Shape) -> Refined:
    """A mesh so fine that rules of two degrees give the same volume and area."""
    for chord in (0.02, 0.005, 0.001):
        found = refined(shape, chord)
        if (found.doubt[[0, 10]] <= DOUBT * found.sums[[0, 10]]).all():
            break
    return found


@pytest.mark.parametrize("name", QUICK)
def test_a_body_measures_what_curved_triangles_find(name: str) -> None:
    agrees(name)


@pytest.mark.soak  # 75 bodies point by point: six minutes
@pytest.mark.parametrize("name", [name for name in names() if name not in MESH_ONLY])
def test_every_body_measures_what_curved_triangles_find(name: str) -> None:
    agrees(name)
