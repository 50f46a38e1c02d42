"""The exact figures of every body of the corpus against a mesh of curved triangles."""

from __future__ import annotations

import numpy as np
import pytest
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Curve2d
from OCP.GeomAbs import GeomAbs_Circle, GeomAbs_Line
from OCP.TopAbs import TopAbs_EDGE
from OCP.TopoDS import TopoDS_Shape

from tests.geometry.corpus import names, source
from tests.geometry.occt.measure.columns import Measures
from tests.geometry.occt.measure.refined import Refined, refined
from vcad_kernel.cad.convert import convert
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.geometry.occt.brep import edges_of, faces_of
from vcad_kernel.geometry.occt.kernel import OcctKernel
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source

MESH_ONLY = {"hull_of_balls"}
QUICK = ("fillet_cube", "oblique_drill", "far_away")
DOUBT = 3e-6
"""Relative: what rules of two degrees may differ by; the better one is then right to a thousandth of it."""
EXACT = 1e-9
KEPT = 3e-7
"""Relative: other borders are taken here as they are kept, which is near where faces meet."""


def agrees(name: str) -> None:
    document = convert(Environment(prelude=PRELUDE).run(Source("model", source(name))))
    kernel, root = OcctKernel(), document.roots[0].node
    found, body = kernel.figures(document, root), kernel.brep(document, root)
    assert body is not None
    # what is measured here is the body that was built, near what was asked for or not
    assert found.tolerance == 0.0 or body.deviations
    assert found.bounds is not None
    by_mesh = in_doubt_no_more(body.shape)
    wanted = Measures.of(by_mesh.sums)
    low, high = np.array(found.bounds)
    size = float((high - low).max())
    kept = KEPT + BRep_Tool.MaxTolerance_s(body.shape, TopAbs_EDGE) / size
    agreed = EXACT if is_kept_exactly(body.shape) else kept
    assert found.volume == pytest.approx(wanted.volume, rel=agreed)
    assert found.surface_area == pytest.approx(wanted.area, rel=agreed)
    assert found.center_of_mass == pytest.approx(by_mesh.origin + wanted.centre, abs=agreed * size)
    assert np.array(found.inertia) == pytest.approx(wanted.inertia, abs=agreed * np.abs(wanted.inertia).max())
    assert low == pytest.approx(by_mesh.lowest, abs=agreed * size)
    assert high == pytest.approx(by_mesh.highest, abs=agreed * size)


def is_kept_exactly(shape: TopoDS_Shape) -> bool:
    """Whether every edge is a line or a circle, in space and on its faces."""
    simple = {GeomAbs_Line, GeomAbs_Circle}
    return all(
        BRep_Tool.Degenerated_s(edge)
        or {BRepAdaptor_Curve(edge).GetType(), BRepAdaptor_Curve2d(edge, face).GetType()} <= simple
        for face in faces_of(shape)
        for edge in edges_of(face)
    )


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


@pytest.mark.soak  # 76 bodies point by point: ten minutes of a core
@pytest.mark.parametrize("name", [name for name in names() if name not in MESH_ONLY])
def test_every_body_measures_what_curved_triangles_find(name: str) -> None:
    agrees(name)
