"""Volume and area in closed form are what OpenCASCADE integrates, and nothing is guessed elsewhere."""

from __future__ import annotations

import pytest
from OCP.BRep import BRep_Builder
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepBuilderAPI import (
    BRepBuilderAPI_Copy,
    BRepBuilderAPI_MakeEdge,
    BRepBuilderAPI_MakeFace,
    BRepBuilderAPI_MakeWire,
)
from OCP.BRepGProp import BRepGProp
from OCP.GeomAbs import GeomAbs_Plane
from OCP.gp import gp_Ax3, gp_Sphere, gp_Vec
from OCP.GProp import GProp_GProps
from OCP.TopAbs import TopAbs_INTERNAL
from OCP.TopoDS import TopoDS_Compound, TopoDS_Shape

from vcad_kernel.cad.convert import convert
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.geometry.occt.brep import faces_of
from vcad_kernel.geometry.occt.kernel import OcctKernel
from vcad_kernel.geometry.occt.measure.integration.integrals import plain_figures
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source

HOLES = "[difference [linear-pattern 1 0 0 30 4 [translate 3 {y} -1 [cylinder 1 9]]] [cube 130 6 5]]"
ROUND = "[fillet 2 [cube 30 20 10]]"
RODS = "[linear-pattern 1 0 0 2 30 [fillet 2 [cylinder 9 10]]]"
TURNED = "[union [fillet 2 [cylinder 9 10]] [chamfer 2 [translate 30 0 0 [cone 9 5 10]]]]"
"""Tori and cones: the rims of a rod, and an end of a cone."""


def shape_of(source: str) -> TopoDS_Shape:
    document = convert(Environment(prelude=PRELUDE).run(Source("model", source)))
    (root,) = document.roots
    body = OcctKernel().brep(document, root.node)
    assert body is not None
    return body.shape


def integrated(shape: TopoDS_Shape) -> tuple[float, float]:
    volume, area = GProp_GProps(), GProp_GProps()
    BRepGProp.VolumeProperties_s(shape, volume)
    BRepGProp.SurfaceProperties_s(shape, area)
    return volume.Mass(), area.Mass()


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(HOLES.format(y=3), id="holes"),
        pytest.param(HOLES.format(y=0), id="halves of holes in the border"),
        pytest.param(
            f"[translate 1000 -9000 50 [rotate 20 30 40 {HOLES.format(y=3)}]]", id="far away, turned"
        ),
        pytest.param(f"[mirror 0 0 0 1 1 0 {HOLES.format(y=5.5)}]", id="mirrored"),
        pytest.param(f"[scale 3 3 3 {HOLES.format(y=3)}]", id="enlarged"),
        pytest.param(ROUND, id="rounded box"),
        pytest.param(f"[rotate 10 20 30 [mirror 0 0 0 1 2 3 {ROUND}]]", id="rounded box mirrored"),
        pytest.param(f"[difference [translate 3 3 3 {ROUND}] [cube 40 40 40]]", id="rounded hollow"),
        pytest.param(f"[linear-pattern 1 0 0 3 50 {ROUND}]", id="several bodies"),
        pytest.param(TURNED, id="rims"),
        pytest.param(f"[rotate 10 20 30 [mirror 0 0 0 1 2 3 {TURNED}]]", id="rims mirrored"),
        pytest.param(f"[difference {TURNED} [translate -20 -20 -9 [cube 70 40 40]]]", id="rims hollow"),
        pytest.param(f"[difference [translate -20 0 -1 [cube 70 40 40]] {RODS}]", id="halves of rims"),
    ],
)
def test_closed_forms_agree_with_quadrature(source: str) -> None:
    shape = shape_of(source)
    figures = plain_figures(shape)
    assert figures is not None
    assert figures == pytest.approx(integrated(shape), rel=1e-9)


def test_what_lies_inside_a_body_or_a_face_bounds_nothing() -> None:
    body = BRepBuilderAPI_Copy(shape_of(HOLES.format(y=3))).Shape()
    expected = plain_figures(body)
    plane = next(face for face in faces_of(body) if BRepAdaptor_Surface(face).GetType() == GeomAbs_Plane)
    start = BRepAdaptor_Surface(plane).Plane().Location()
    line = BRepBuilderAPI_MakeEdge(start, start.Translated(gp_Vec(1.0, 0.0, 0.0))).Edge()
    plane.Free(True)
    BRep_Builder().Add(plane, BRepBuilderAPI_MakeWire(line).Wire().Oriented(TopAbs_INTERNAL))
    everything = TopoDS_Compound()
    BRep_Builder().MakeCompound(everything)
    BRep_Builder().Add(everything, body)
    ball = BRepBuilderAPI_MakeFace(gp_Sphere(gp_Ax3(), 2.0)).Face()
    BRep_Builder().Add(everything, ball.Oriented(TopAbs_INTERNAL))
    assert expected is not None
    assert plain_figures(everything) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(
            "[union [torus 9 1] [linear-pattern 1 0 0 30 4 [translate 30 0 0 [cube 1 1 1]]]]", id="a torus"
        ),
        pytest.param(
            "[union [sphere 5] [linear-pattern 1 0 0 30 4 [translate 30 0 0 [cube 1 1 1]]]]",
            id="a ball",
        ),
        pytest.param(
            "[linear-pattern 1 0 0 9 20 [difference [rotate 90 0 0 [translate 0 0 -9 [cylinder 2 18]]]"
            " [cylinder 5 20]]]",
            id="crossing cylinders",
        ),
    ],
)
def test_other_faces_and_borders_have_no_closed_form(source: str) -> None:
    assert plain_figures(shape_of(source)) is None
