"""Faces that are only near what was asked for: their figures carry a bound, and it is true."""

from __future__ import annotations

import math

import numpy as np
import pytest
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.TopoDS import TopoDS_Compound

from tests.geometry.occt.bodies import box
from vcad_kernel.cad.convert import convert
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.occt.blends import deviation
from vcad_kernel.geometry.occt.booleans import sections
from vcad_kernel.geometry.occt.brep import compound_of, faces_of
from vcad_kernel.geometry.occt.kernel import OcctKernel
from vcad_kernel.geometry.occt.measure.distances.off_faces import distances_to_faces
from vcad_kernel.geometry.occt.measure.parametric.surfaces import patches_of
from vcad_kernel.geometry.solid import ExactFigures
from vcad_kernel.ir.document import Document
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source

ROUNDED = "[outline 0 0 #[[line-to 20 0] [spline-to #[#[24 6] #[10 14] #[0 10]]]]]"
PRISM = f"[pull 5 {ROUNDED}]"
HALF_BALL = "[intersection [translate -10 -10 0 [cube 20 20 20]] [sphere 5]]"
HALF_BALL_BEVELLED = (
    math.pi * (25 * (5 - 0.99498743710662) - (125 - 0.99498743710662**3) / 3)
    + math.pi * 0.99498743710662 * (16 + 4 * 4.9 + 4.9**2) / 3
)
"""By the chord of 1: what lies above where the ball is cut, and the frustum below."""


def document(source: str) -> Document:
    return convert(Environment(prelude=PRELUDE).run(Source("model", source)))


def figures(source: str) -> ExactFigures:
    model = document(source)
    return OcctKernel().figures(model, model.roots[0].node)


def ellipse_leaning(a: float, b: float, height: float, degrees: float) -> float:
    """Volume under sides that lean inwards, by areas of parallel curves (Steiner): A − P d + π d²."""
    turns = 2.0 * math.pi * np.arange(512) / 512
    around = float(np.hypot(a * np.sin(turns), b * np.cos(turns)).sum()) * 2.0 * math.pi / 512
    d = height * math.tan(math.radians(degrees))
    return height * (math.pi * a * b - around * d / 2 + math.pi * d**2 / 3)


def steiner(source: str, height: float, grown_by: float) -> float:
    """Volume of a convex prism grown by a ball."""
    prism = figures(source)
    around = (prism.surface_area - 2 * prism.volume / height) / height
    bend = math.pi * height + math.pi / 2 * around
    return prism.volume + prism.surface_area * grown_by + bend * grown_by**2 + 4 * math.pi / 3 * grown_by**3


@pytest.mark.parametrize(
    ("source", "volume"),
    [
        (f"[chamfer 1 {HALF_BALL}]", HALF_BALL_BEVELLED),
        ("[pull 5 {:taper 5} [ellipse 10 6]]", ellipse_leaning(10, 6, 5, 5)),
        (f"[offset 1 {PRISM}]", steiner(PRISM, 5, 1)),
    ],
)
def test_bevels_tapers_and_offsets_of_splines_have_a_true_bound(source: str, volume: float) -> None:
    found = figures(source)
    bound = found.tolerance * found.surface_area
    assert 1e-9 * volume < abs(found.volume - volume) < bound
    assert bound < 1e-3 * volume


def test_chamfers_along_splines_are_shown_with_a_bound_and_flat_ones_are_exact() -> None:
    assert 0.0 < figures(f"[chamfer 0.5 {PRISM}]").tolerance < 1e-3
    assert figures("[chamfer 1 [cube 10 10 10]]").tolerance == 0.0


@pytest.mark.parametrize(
    "source",
    [
        "[fillet 0.5 [intersection [sphere 10] [translate 3 2 0 [cylinder 6 30]]]]",
        f"[chamfer 1 {HALF_BALL}]",
    ],
)
def test_strips_of_which_nothing_can_be_measured_are_not_exact(
    source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = figures(source)
    monkeypatch.setattr(deviation, "_misses", lambda there, *_: np.full(len(there), math.inf))
    monkeypatch.setattr(deviation, "_off_bevel", lambda *_: math.inf)
    monkeypatch.setattr(deviation, "_PATCHED", 0.0)
    assert figures(source).tolerance > 10 * measured.tolerance > 0.0


def test_a_corner_of_three_strips_is_the_ball_at_rest() -> None:
    # where an eighth is cut out of a ball, OpenCASCADE patches what is a piece of a sphere
    found = figures("[fillet 1 [difference [cube 20 20 20] [sphere 12]]]")
    assert 0.0 < found.tolerance < 1e-4


def test_what_grows_out_of_a_fitted_border_is_exact_once_that_is_cut_off() -> None:
    oval = "[pull 3 [curve-profile {:error 0.01} points]]"
    points = "[let points [map [fn [i] #[[* 9 [cos [* i 5.625]]] [* 5 [sin [* i 5.625]]]]] [range 0 65]]]"
    assert figures(f"{points} {oval}").tolerance > 0.0
    within = figures(f"{points} [intersection [translate -1 -1 0 [cube 2 2 2]] {oval}]")
    assert (within.tolerance, within.volume) == (0.0, pytest.approx(8.0, rel=1e-9))


def test_a_face_of_another_kind_is_not_taken_for_its_number() -> None:
    # OpenCASCADE's name of a ball equals 3, as the fourth of other surfaces did
    (ball,) = faces_of(OcctKernel().brep(*part("[sphere 2]")).shape)
    walls = [
        face
        for face in faces_of(OcctKernel().brep(*part(f"[offset 1 {PRISM}]")).shape)
        if BRepAdaptor_Surface(face, False).GetType().name == "GeomAbs_OffsetSurface"
    ]
    adaptors = [BRepAdaptor_Surface(face, False) for face in (*walls * 4, ball)]
    assert sorted(members for _, members in patches_of(adaptors)) == [[0], [1], [2], [3], [4]]


def part(source: str) -> tuple[Document, int]:
    model = document(source)
    return model, model.roots[0].node


def test_a_cut_whose_distance_from_the_body_cannot_be_found_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nothing: TopoDS_Compound = compound_of([])
    assert distances_to_faces(nothing, np.zeros((1, 3))) == [math.inf]
    assert distances_to_faces(box(2, 2, 2), np.array([[1.0, 1.0, 1.25]])) == [0.75]
    monkeypatch.setattr(sections, "distances_to_faces", lambda _, points: [math.inf] * len(points))
    cut = "[pull 1 [section-profile [plane {:at #[0 0 1]}] [scale 1 2 3 [rotate 0 30 0 [torus 9 3]]]]]"
    with pytest.raises(GeometryError, match="cannot be measured"):
        figures(cut)


def test_the_box_of_plane_ends_is_as_far_off_as_the_sides_at_their_borders() -> None:
    """The ends counted as exact, and what they share in the boundary lessened the bound of the box."""
    model, top = part("[rotate 35 64 171 [pull 5 {:taper 5} [ellipse 10 6]]]")
    body = OcctKernel().brep(model, top)
    assert body.farthest_off > 0.0
    assert OcctKernel().figures(model, top).tolerance >= body.farthest_off


def test_ends_square_to_an_axis_are_exact_along_it() -> None:
    """Where they are all that the box is of, the sides count by their share."""
    within = "[translate -20 -20 1 [cube 40 40 1]]"
    model, top = part(f"[union {within} [pull 5 {{:taper 5}} [ellipse 10 6]]]")
    body = OcctKernel().brep(model, top)
    assert 0.0 < OcctKernel().figures(model, top).tolerance < body.farthest_off


@pytest.mark.parametrize("times", [0.01, 100.0])
def test_a_bound_is_scaled_with_its_body(times: float) -> None:
    oval = "[pull 5 {:taper 5} [ellipse 10 6]]"
    smaller = figures(f"[scale {times} {times} {times} {oval}]").tolerance
    assert smaller == pytest.approx(times * figures(oval).tolerance, rel=1e-6)


def test_of_a_body_and_its_smaller_copy_the_larger_bound_counts() -> None:
    oval = "[pull 5 {:taper 5} [ellipse 10 6]]"
    both = f"[union [translate 20 0 0 [scale 0.1 0.1 0.1 {oval}]] {oval}]"
    model, top = part(both)
    body = OcctKernel().brep(model, top)
    alone, below = part(oval)
    assert body.farthest_off == pytest.approx(OcctKernel().brep(alone, below).farthest_off, rel=1e-9)
