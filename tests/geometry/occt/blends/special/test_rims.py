"""Blends of whole outlines: letters, ellipses and corners that vanish, against the areas of insets."""

from __future__ import annotations

import math

import manifold3d
import numpy as np
import pytest
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.BRepTools import BRepTools_WireExplorer
from OCP.TopAbs import TopAbs_REVERSED

from vcad_kernel.cad.convert import convert
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.occt.blends.special.rims import wires_of
from vcad_kernel.geometry.occt.brep import Brep, faces_of
from vcad_kernel.geometry.occt.kernel import OcctKernel
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import plane_normal
from vcad_kernel.geometry.solid import ExactFigures
from vcad_kernel.ir.document import Document
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source

ELLIPSE = "[pull 5 [ellipse 10 6]]"
ELLIPSE_AREA = math.pi * 60.0
CUT_CORNER = "[pull 5 [polygon #[#[0.1 0] #[10 0] #[10 10] #[0 10] #[0 0.1]]]]"


def document(source: str) -> Document:
    return convert(Environment(prelude=PRELUDE).run(Source("model", source)))


def figures(source: str) -> ExactFigures:
    model = document(source)
    return OcctKernel().figures(model, model.roots[0].node)


def ellipse_length() -> float:
    """By the trapezoidal rule, which is right to rounding for a period."""
    turns = 2.0 * math.pi * np.arange(512) / 512
    return float(np.hypot(10.0 * np.sin(turns), 6.0 * np.cos(turns)).sum()) * 2.0 * math.pi / 512


def taken(kind: str, size: float, length: float) -> float:
    """What the rim of a smooth convex prism loses: ∫ A(0) − A(s), with A(s) = A(0) − L s + π s² (Steiner)."""
    if kind == "chamfer":
        return length * size**2 / 2.0 - math.pi * size**3 / 3.0
    return length * size**2 * (1.0 - math.pi / 4.0) - math.pi * size**3 * (5.0 / 3.0 - math.pi / 2.0)


def rings(model: Document, height: float) -> list[np.ndarray]:
    """The outlines of the flat face at a height, by many chords."""
    body = OcctKernel().brep(model, model.roots[0].node)
    assert isinstance(body, Brep)
    found = []
    for face in faces_of(body.shape):
        up = plane_normal(face)
        if up is None or up.Z() < 0.5:
            continue
        for wire in wires_of(face):
            walk, places = BRepTools_WireExplorer(wire, face), []
            while walk.More():
                curve = BRepAdaptor_Curve(walk.Current())
                at = np.linspace(curve.FirstParameter(), curve.LastParameter(), 201)
                there = [curve.Value(parameter).Coord() for parameter in at]
                places += there[:0:-1] if walk.Current().Orientation() == TopAbs_REVERSED else there[:-1]
                walk.Next()
            if abs(places[0][2] - height) < 1e-6:
                found.append(np.array(places)[:, :2])
    return found


def by_insets(outlines: list[np.ndarray], kind: str, size: float) -> float:
    """What a rim loses, by mitred insets of polygons: ∫ A(0) − A(s) over the heights."""
    section = manifold3d.CrossSection(outlines, manifold3d.FillRule.EvenOdd)
    nodes, weights = np.polynomial.legendre.leggauss(6)
    lost: float = 0.0
    for node, weight in zip(nodes, weights, strict=True):
        share = 0.5 * (1.0 + float(node))
        by, step = size * share, size
        if kind == "fillet":
            angle = 0.5 * math.pi * share
            by, step = size * (1.0 - math.cos(angle)), 0.5 * math.pi * size * math.cos(angle)
        inset = section.offset(-by, manifold3d.JoinType.Miter, 60.0)
        lost += 0.5 * float(weight) * step * (section.area() - inset.area())
    return lost


@pytest.mark.parametrize(("letter", "kind"), [("B", "chamfer"), ("2", "fillet")])
def test_letters_are_blended(letter: str, kind: str) -> None:
    # two bowls meet in a deep notch, and between curves and lines there are corners of all kinds
    body = f'[pull 4 [text 12 "{letter}"]]'
    whole, after = figures(body), figures(f"[{kind}-at 0.3 :top {body}]")
    assert after.tolerance < 1e-6
    lost = by_insets(rings(document(body), 4.0), kind, 0.3)
    assert whole.volume - after.volume == pytest.approx(lost, rel=1e-4)


def test_the_rims_of_a_sunk_letter_are_bevelled_along_its_walls() -> None:
    """What a boolean has left of the letter's outline is only fitted to it."""
    plate = '[difference [translate 0 0 2 [pull 2 [text 12 "2"]]] [translate -2 -2 0 [cube 14 18 3]]]'
    whole, after = figures(plate), figures(f"[chamfer-at 0.3 :inside {plate}]")
    assert after.tolerance < 1e-7
    # the outer rim of the plate stays
    lost = by_insets(rings(document(plate), 3.0), "chamfer", 0.3) - (64.0 * 0.3**2 / 2.0 - 4.0 * 0.3**3 / 3.0)
    assert whole.volume - after.volume == pytest.approx(lost, rel=1e-4)


@pytest.mark.parametrize("kind", ["chamfer", "fillet"])
def test_the_rim_of_an_ellipse_is_blended_to_nine_digits(kind: str) -> None:
    after = figures(f"[{kind}-at 1 :top {ELLIPSE}]")
    meant = 5.0 * ELLIPSE_AREA - taken(kind, 1.0, ellipse_length())
    assert after.volume == pytest.approx(meant, rel=1e-9)


def test_corners_that_hardly_turn_are_rounded_as_corners() -> None:
    """A regular polygon of 72 corners: its insets lack n tan(π / n) s² where Steiner's lack π s²."""
    corners, radius, size = 72, 10.0, 0.3
    area = corners / 2.0 * radius**2 * math.sin(2.0 * math.pi / corners)
    length = 2.0 * corners * radius * math.sin(math.pi / corners)
    bend = corners * math.tan(math.pi / corners) / math.pi
    lost = taken("fillet", size, length / bend) * bend
    after = figures(f"[fillet-at {size} :top [pull 4 [regular {corners} {radius}]]]")
    assert after.volume == pytest.approx(4.0 * area - lost, rel=1e-9)
    assert after.tolerance == 0.0


def test_both_rims_are_blended_at_once() -> None:
    after = figures(f"[chamfer 1 {ELLIPSE}]")
    meant = 5.0 * ELLIPSE_AREA - 2.0 * taken("chamfer", 1.0, ellipse_length())
    assert after.volume == pytest.approx(meant, rel=1e-9)


def test_the_floor_of_a_pocket_is_filled() -> None:
    pocket = f"[difference [translate 0 0 3 {ELLIPSE}] [translate -20 -15 0 [cube 40 30 6]]]"
    whole, after = figures(pocket), figures(f"[fillet-at 1 {{:convex false}} {pocket}]")
    assert after.volume - whole.volume == pytest.approx(taken("fillet", 1.0, ellipse_length()), rel=1e-8)


@pytest.mark.parametrize("kind", ["chamfer", "fillet"])
def test_a_rim_that_a_boolean_has_cut_is_blended_exactly(kind: str) -> None:
    """Between the ellipse's wall and the plane that cuts it there is a straight spline, which is no line."""
    half = f"[difference [translate 0 -10 0 [cube 20 20 5]] {ELLIPSE}]"
    whole, after = figures(half), figures(f"[{kind}-at 0.5 {{:at {{:z 5}}}} {half}]")
    assert after.tolerance == 0.0
    lost = by_insets(rings(document(half), 5.0), kind, 0.5)
    assert whole.volume - after.volume == pytest.approx(lost, rel=1e-4)


@pytest.mark.parametrize("size", [0.1, 0.3])
def test_an_edge_that_is_used_up_in_a_corner_vanishes(size: float) -> None:
    """A square with a corner cut off by 0.1: the cut becomes shorter by (2 − √2) s on either side."""

    def lacking(to: float) -> float:
        shrinks = 2.0 - math.sqrt(2.0)
        until = min(to, 0.1 / shrinks)
        return (0.1**3 - (0.1 - shrinks * until) ** 3) / (6.0 * shrinks)

    meant = 5.0 * (100.0 - 0.005) - size * (100.0 - 0.005)
    meant += (10.0**3 - (10.0 - 2.0 * size) ** 3) / 6.0 - lacking(size)
    after = figures(f"[chamfer-at {size} :top {CUT_CORNER}]")
    assert after.volume == pytest.approx(meant, rel=1e-9)
    assert after.tolerance == 0.0


def test_what_does_not_fit_is_refused_with_what_does() -> None:
    # the ellipse's smallest radius is 36 / 10 = 3.6: there the bevel would fold
    with pytest.raises(GeometryError) as failure:
        figures(f"[chamfer-at 3.7 :top {ELLIPSE}]")
    assert 3.5 < failure.value.details["largest_working"] <= 3.6
