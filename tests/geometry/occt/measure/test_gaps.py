"""Faces that do not quite meet: what is measured of a body whose file was written so loosely."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from OCP.BRep import BRep_Builder
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.TopAbs import TopAbs_VERTEX
from OCP.TopoDS import TopoDS, TopoDS_Shape

from tests.geometry.occt import bodies
from vcad_kernel.geometry.measure.figures import Figures
from vcad_kernel.geometry.occt.brep import edges_of, shape_map
from vcad_kernel.geometry.occt.measure.parametric.edge_gaps import end_at_corners
from vcad_kernel.geometry.occt.measure.validity import area_of, volume_of
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.questions import Export
from vcad_kernel.service.requests import EvalCode

GAP = 1e-4


@pytest.fixture(scope="module")
def service() -> DirectService:
    return DirectService()


def written(service: DirectService, source: str, folder: Path) -> str:
    (part,) = service.evaluate(EvalCode(source)).parts
    part.answers.ask(Export(path=folder / "part.step"), part)
    return (folder / "part.step").read_text()


def read(service: DirectService, text: str, folder: Path) -> Figures:
    (folder / "loose.step").write_text(text)
    (part,) = service.evaluate(EvalCode('[import-step "loose.step"]', base_dir=folder)).parts
    assert part.figure_warnings() == ()
    return part.figures


def rounded_cube(radius: float) -> tuple[float, float]:
    side, rest = 10.0 - 2.0 * radius, math.pi * radius
    volume = side**3 + 6.0 * side**2 * radius + 3.0 * side * rest * radius + 4.0 / 3.0 * rest * radius**2
    return volume, 6.0 * side**2 + 6.0 * side * rest + 4.0 * rest * radius


def test_a_gap_between_smoothly_joined_faces_is_in_the_bound(service: DirectService, tmp_path: Path) -> None:
    text = written(service, "[fillet 1 [cube 10 10 10]]", tmp_path)
    # one edge's fillet is a little larger than those around it, and touches the sides no more
    loose = re.sub(r"(CYLINDRICAL_SURFACE\('',#\d+,)1\.\)", rf"\g<1>{1.0 + GAP})", text, count=1)
    found = read(service, loose, tmp_path)
    volume, area = rounded_cube(1.0)
    assert not found.exact
    assert found.tolerance is not None
    assert GAP * (1.0 - 1e-9) <= found.tolerance < 10.0 * GAP
    # the true body is anything between: the whole fillet is that much further out
    assert 0.0 < found.volume - volume < 8.0 * 0.5 * math.pi * GAP * 1.001
    assert found.surface_area == pytest.approx(area, abs=found.tolerance * found.surface_area)


@pytest.mark.parametrize("gap", [1e-4, 1e-6, 3e-8])
def test_a_face_that_lies_beside_its_edges_is_in_the_bound(
    gap: float, service: DirectService, tmp_path: Path
) -> None:
    text = written(service, "[cube 10 10 10]", tmp_path)
    # the plane at x = 0 is further out than the lines around it
    plane = re.search(r"PLANE\('',#(\d+)\)", text)
    assert plane is not None
    axes = re.search(rf"#{plane[1]} = AXIS2_PLACEMENT_3D\('',#(\d+)", text)
    assert axes is not None
    point = rf"(#{axes[1]} = CARTESIAN_POINT\('',\()0\.,"
    found = read(service, re.sub(point, rf"\g<1>{-gap:.12f},", text), tmp_path)
    assert found.tolerance == pytest.approx(gap, rel=1e-3)
    # as the planes have it; the lines enclose a cube
    assert found.volume == pytest.approx(1000.0 + 100.0 * gap, rel=1e-11)
    assert found.surface_area == pytest.approx(600.0 + 40.0 * gap, rel=1e-11)
    assert found.bounds is not None
    assert found.bounds[0][0] == pytest.approx(-gap, rel=1e-3)


def test_a_file_in_which_all_fits_stays_exact(service: DirectService, tmp_path: Path) -> None:
    found = read(service, written(service, "[fillet 1 [cube 10 10 10]]", tmp_path), tmp_path)
    assert found.exact
    assert (found.volume, found.surface_area) == pytest.approx(rounded_cube(1.0), rel=1e-9)


def _with_a_long_edge(body: TopoDS_Shape, number: int) -> TopoDS_Shape:
    """One edge ends beside its corners, which are so large that it is still sound."""
    edge, builder = edges_of(body)[number], BRep_Builder()
    curve = BRepAdaptor_Curve(edge)
    builder.Range(edge, curve.FirstParameter() - GAP, curve.LastParameter() + GAP)
    corners = shape_map(edge, TopAbs_VERTEX)
    for index in range(1, corners.Extent() + 1):
        builder.UpdateVertex(TopoDS.Vertex(corners.FindKey(index)), 2.0 * GAP)
    return body


@pytest.mark.parametrize("number", [0, 5, 11])
def test_an_edge_that_ends_beside_its_corner_does_not_move_the_figures(number: int) -> None:
    body = _with_a_long_edge(bodies.box(3, 4, 5), number)
    assert (volume_of(body), area_of(body)) == pytest.approx((60.0, 94.0), rel=1e-9)
    end_at_corners(body)
    assert BRepAdaptor_Curve(edges_of(body)[number]).LastParameter() == pytest.approx(
        round(BRepAdaptor_Curve(edges_of(body)[number]).LastParameter()), abs=1e-12
    )


def test_arcs_end_at_their_corners_again() -> None:
    body = bodies.intersection(bodies.cylinder(3, 4), bodies.box(9, 9, 9))
    wanted = volume_of(body)
    for number, edge in enumerate(edges_of(body)):
        if BRepAdaptor_Curve(edge).GetType().name == "GeomAbs_Circle":
            _with_a_long_edge(body, number)
    end_at_corners(body)
    ranges = [
        (curve.FirstParameter(), curve.LastParameter())
        for curve in map(BRepAdaptor_Curve, edges_of(body))
        if curve.GetType().name == "GeomAbs_Circle"
    ]
    assert [last - first for first, last in ranges] == pytest.approx([math.pi / 2.0] * 2, abs=1e-12)
    assert volume_of(body) == pytest.approx(wanted, rel=1e-9)
