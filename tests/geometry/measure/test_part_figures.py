"""Figures on demand: asked once, exact by rule, from the mesh with a warning where that is all there is."""

from __future__ import annotations

import math
import threading
from dataclasses import replace
from typing import NoReturn

import numpy as np
import pytest

from tests.geometry.kernels import NoExactKernel
from tests.geometry.mesh.rounding.test_films import tilted
from tests.geometry.models import Solid, box, difference, document, figures, polygon, solid, union
from vcad_kernel.errors import CapabilityUnavailable, ExportError, GeometryError
from vcad_kernel.geometry import evaluate as evaluation
from vcad_kernel.geometry.cache.solid_cache import SolidCache
from vcad_kernel.geometry.evaluate import EvaluationOptions, evaluate
from vcad_kernel.geometry.exact import InstalledKernel
from vcad_kernel.geometry.measure.figures import Figures
from vcad_kernel.geometry.measure.part_figures import FIGURES_FROM_MESH, Measurement
from vcad_kernel.geometry.measure.referee import MESH_UNSOUND, REFEREE_DISAGREES
from vcad_kernel.geometry.mesh.reading.literal import closed_edges
from vcad_kernel.geometry.solid import ExactFigures, TracedMesh, geometry_error
from vcad_kernel.geometry.tolerance import MAX_SIDES, Tessellation
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.bodies.patterns import LinearPattern
from vcad_kernel.operations.bodies.transforms import Rotate
from vcad_kernel.operations.features.features import Fillet
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.solids.growing import Pull
from vcad_kernel.operations.solids.imported import ImportedMesh
from vcad_kernel.operations.solids.shapes import Cylinder, Sphere, Torus

PI = 3.141592653589793
ROD = solid(Cylinder, radius=2.0, height=10.0)
EXACT_ROD = ExactFigures(
    volume=40.0 * PI,
    surface_area=48.0 * PI,
    bounds=((-2.0, -2.0, 0.0), (2.0, 2.0, 10.0)),
    center_of_mass=(0.0, 0.0, 5.0),
    inertia=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    genus=0,
    lumps=1,
    shells=1,
)


class Scripted:
    """An exact kernel that gives one answer, and counts how often it is asked."""

    identity = "scripted"

    def __init__(self, answer: ExactFigures | str) -> None:
        self.answer = answer
        self.asked = 0

    def brep(self, document: Document, node: NodeId) -> NoReturn:
        raise NotImplementedError

    def tessellate(
        self, document: Document, node: NodeId, tessellation: Tessellation, scale: float = 1.0
    ) -> TracedMesh | None:
        raise geometry_error(document, node, "SHAPE_INVALID", "it has no mesh", failed=True)

    def figures(self, document: Document, node: NodeId) -> ExactFigures:
        self.asked += 1
        if isinstance(self.answer, str):
            raise geometry_error(document, node, self.answer, "it cannot be", failed=True)
        return self.answer


def measured(body: Solid, kernel: Scripted | NoExactKernel, sides: int | None = None) -> Measurement:
    scene = evaluate(document(body), EvaluationOptions(Tessellation(segments=sides), exact=kernel))
    scene.raise_first()
    return scene.parts[0].measurement


def test_nothing_is_asked_until_figures_are_and_then_once() -> None:
    kernel = Scripted(EXACT_ROD)
    measurement = measured(ROD, kernel)
    assert kernel.asked == 0
    askers = [threading.Thread(target=measurement.figures) for _ in range(8)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    figures = measurement.figures()
    assert kernel.asked == 1
    assert (figures.exact, figures.tolerance, figures.volume) == (True, None, EXACT_ROD.volume)
    assert (figures.inertia, figures.genus, figures.lumps) == (EXACT_ROD.inertia, 0, 1)
    assert figures.triangles > 0
    assert figures.is_manifold


def test_a_planar_body_is_exact_without_the_exact_kernel() -> None:
    kernel = Scripted(EXACT_ROD)
    measurement = measured(box(1.0, 2.0, 3.0), kernel)
    assert measurement.figures().exact
    assert measurement.exact().volume == pytest.approx(6.0)
    assert kernel.asked == 0


@pytest.mark.parametrize("taper", [-5.0, 5.0])
def test_a_taper_is_measured_with_the_cones_about_its_corners(taper: float) -> None:
    pulled = solid(Pull, polygon([(0.0, 0.0), (12.0, 0.0), (12.0, 7.0), (0.0, 7.0)]), height=2.0, taper=taper)
    found = figures(pulled)
    away = 2.0 * math.tan(math.radians(-taper))
    # areas of parallel curves (Steiner) outwards; corners stay corners inwards
    bend = math.pi if taper < 0.0 else 4.0
    assert found.exact
    assert found.volume == pytest.approx(2.0 * (84.0 + 38.0 * away / 2.0 + bend * away**2 / 3.0), rel=1e-9)


def test_a_large_document_is_exact_only_when_asked() -> None:
    kernel = Scripted(EXACT_ROD)
    many = solid(LinearPattern, ROD, direction=(1.0, 0.0, 0.0), count=65, spacing=0.0)
    measurement = measured(many, kernel)
    assert not measurement.figures().exact
    assert kernel.asked == 0
    assert measurement.exact().exact
    assert not measurement.figures().exact, "what is shown does not depend on what was asked before"
    assert measurement.demanding().figures().exact


def test_an_imported_mesh_in_a_curved_body_has_no_exact_figures() -> None:
    corners = (0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0, 9.0)
    mesh = solid(ImportedMesh, positions=corners, indices=(0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3))
    assert measured(mesh, Scripted(EXACT_ROD)).exact().exact
    measurement = measured(difference(mesh, ROD), Scripted(EXACT_ROD))
    assert not measurement.figures().exact
    assert measurement.figures().notes == ()
    with pytest.raises(CapabilityUnavailable, match="ImportedMesh") as refused:
        measurement.exact()
    assert refused.value.details["required_capability"] == "brep"


def test_a_body_that_cannot_be_built_exactly_is_measured_on_its_mesh_and_says_so() -> None:
    measurement = measured(ROD, Scripted("SWEEP_FAILED"))
    figures = measurement.figures()
    assert not figures.exact
    assert figures.tolerance is not None
    (note,) = figures.notes
    assert note.code == FIGURES_FROM_MESH
    assert "cylinder: it cannot be [SWEEP_FAILED]" in note.message
    with pytest.raises(GeometryError) as failed:
        measurement.exact()
    assert failed.value.code == "SWEEP_FAILED"


@pytest.mark.parametrize(
    "wrong",
    [
        replace(EXACT_ROD, volume=EXACT_ROD.volume * 1.05),
        replace(EXACT_ROD, surface_area=EXACT_ROD.surface_area * 1.5),
        replace(EXACT_ROD, bounds=((-2.0, -2.0, 0.0), (2.0, 7.0, 10.0))),
        replace(EXACT_ROD, volume=0.0, surface_area=0.0, bounds=None, center_of_mass=None),
    ],
)
def test_an_exact_answer_that_the_mesh_contradicts_is_not_shown(wrong: ExactFigures) -> None:
    measurement = measured(ROD, Scripted(wrong))
    figures = measurement.figures()
    assert not figures.exact
    assert [note.code for note in figures.notes] == [REFEREE_DISAGREES]
    with pytest.raises(GeometryError) as doubted:
        measurement.exact()
    assert (doubted.value.code, doubted.value.failed) == (REFEREE_DISAGREES, True)


@pytest.mark.parametrize("sides", [3, 4, 8, 32, 128, 1024])
def test_the_referee_allows_for_the_chord_error_that_the_mesh_states(sides: int) -> None:
    assert measured(ROD, Scripted(EXACT_ROD), sides).figures().exact


def test_without_an_exact_kernel_the_figures_are_those_of_the_mesh_and_say_so() -> None:
    measurement = measured(ROD, NoExactKernel())
    assert not measurement.figures().exact
    (note,) = measurement.figures().notes
    assert note.message == "there is no exact kernel, so these figures are those of the mesh; ask for a mesh"
    with pytest.raises(CapabilityUnavailable):
        measurement.exact()


# ---------------------------------------------------------------- who is right where they differ

TURNED = solid(Rotate, solid(Cylinder, radius=3.0, height=10.0), angles=(0.0, 0.0, 7.0))
BORED = difference(box(10.0, 10.0, 10.0, at=(-5.0, -5.0, 0.0)), solid(Cylinder, radius=3.0, height=10.0))
PLUGGED = union(BORED, TURNED)
"""A plug in a bore of its size, turned by some degrees: the chords of the two cross, and leave slits."""


@pytest.fixture
def unseen_slits(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of other faults of meshes, of which nobody knows before figures are asked for."""
    monkeypatch.setattr(evaluation, "has_slits", lambda *_, **__: False)


@pytest.mark.usefixtures("unseen_slits")
def test_a_b_rep_that_agrees_with_its_own_mesh_wins_against_a_mesh_with_slits() -> None:
    scene = evaluate(document(PLUGGED))
    scene.raise_first()
    measurement = scene.parts[0].measurement
    assert measurement.on_mesh.surface_area > 700.0
    figures = measurement.figures()
    assert (figures.exact, figures.surface_area) == (True, pytest.approx(600.0, rel=1e-9))
    (note,) = figures.notes
    assert note.code == MESH_UNSOUND
    assert "the area is 600 mm² by the B-rep and 788.065 mm² by the mesh" in note.message
    assert measurement.exact().volume == pytest.approx(1000.0, rel=1e-9)
    assert measurement.demanding().figures().exact


@pytest.mark.usefixtures("unseen_slits")
def test_what_is_given_away_of_such_a_part_is_the_mesh_of_its_b_rep() -> None:
    scene = evaluate(document(PLUGGED))
    measurement = scene.parts[0].measurement
    measurement.figures()
    given = measurement.sound_mesh()
    assert (given.surface_area, given.shells) == (pytest.approx(600.0, rel=1e-9), 1)
    finer = measurement.file_mesh(Tessellation(chord=0.001))
    assert finer.volume == pytest.approx(1000.0, rel=1e-9)


def test_a_folded_b_rep_is_refused_and_what_is_wrong_with_it_is_said() -> None:
    """Its figures are not those of its own mesh."""

    class Folded(Scripted):
        def tessellate(
            self, document: Document, node: NodeId, tessellation: Tessellation, scale: float = 1.0
        ) -> TracedMesh | None:
            return InstalledKernel(SolidCache()).tessellate(document, node, tessellation, scale)

    measurement = measured(ROD, Folded(replace(EXACT_ROD, volume=EXACT_ROD.volume * 1.05)))
    with pytest.raises(GeometryError, match="of the B-rep itself, the volume is") as doubted:
        measurement.exact()
    assert doubted.value.code == REFEREE_DISAGREES
    assert not measurement.figures().exact
    # what is written is the mesh, against which nothing speaks
    assert measurement.sound_mesh().volume == measurement.on_mesh.volume


def test_a_piece_that_only_one_of_them_has_is_named_with_its_volume() -> None:
    """Both agree with themselves, however fine: nobody can say who is right, and that is said."""
    other = InstalledKernel(SolidCache())
    longer = solid(Cylinder, radius=2.0, height=11.0)
    stranger = document(longer)

    class Longer(Scripted):
        def tessellate(
            self, document: Document, node: NodeId, tessellation: Tessellation, scale: float = 1.0
        ) -> TracedMesh | None:
            return other.tessellate(stranger, stranger.roots[0].node, tessellation, scale)

    figures = other.figures(stranger, stranger.roots[0].node)
    measurement = measured(ROD, Longer(figures))
    with pytest.raises(GeometryError, match=r"closed and has 12\.[0-9]+ mm³ more than the mesh") as doubted:
        measurement.exact()
    assert doubted.value.code == REFEREE_DISAGREES


def test_a_mesh_given_away_is_the_shown_one_where_nothing_speaks_against_it() -> None:
    kernel = Scripted(EXACT_ROD)
    measurement = measured(ROD, kernel)
    assert measurement.sound_mesh() is measurement.on_mesh
    assert kernel.asked == 0, "a picture, a push and a mesh wait for no exact kernel"
    assert measurement.file_mesh(Tessellation()) is measurement.on_mesh
    assert kernel.asked == 1, "a file is held against the exact body"


def test_a_film_that_no_exact_kernel_can_mend_is_said_and_not_given_away() -> None:
    scene = evaluate(document(tilted((10.0, 20.0, 30.0))), EvaluationOptions(exact=NoExactKernel()))
    scene.raise_first()
    assert [warning.code for warning in scene.warnings] == [MESH_UNSOUND]
    measurement = scene.parts[0].measurement
    assert not measurement.figures().exact
    for give in (measurement.sound_mesh, lambda: measurement.file_mesh(Tessellation())):
        with pytest.raises(GeometryError, match="a film thinner than 1e-6 mm") as refused:
            give()
        assert refused.value.code == MESH_UNSOUND


def test_chords_of_tangent_surfaces_that_cross_are_not_written() -> None:
    """Rounded copies that overlap by half touch along arcs: their meshes cross, and edges have four faces."""
    kernel = InstalledKernel(SolidCache())
    row = solid(
        LinearPattern,
        solid(Fillet, box(10.0, 8.0, 6.0), radius=1.0),
        direction=(1.0, 0.0, 0.0),
        count=4,
        spacing=5.0,
    )
    scene = evaluate(document(row), EvaluationOptions(exact=kernel))
    written = scene.parts[0].measurement.file_mesh(Tessellation(chord=0.001)).mesh
    _, places = np.unique(written.positions.astype(np.float32), axis=0, return_inverse=True)
    assert closed_edges(places.reshape(-1)[written.indices].astype(np.int64), written.vertex_count) == 0


# ---------------------------------------------------------------- as near as was asked for


@pytest.mark.parametrize(
    "body", [solid(Torus, major_radius=10.0, minor_radius=3.0), solid(Sphere, radius=10.0)]
)
def test_a_file_is_as_near_to_the_part_as_was_asked_for(body: Solid) -> None:
    """Curved both ways, so that both chord errors add up."""
    (part,) = evaluate(document(body)).parts
    for chord in (0.01, 0.002):
        written = part.measurement.file_mesh(Tessellation(chord=chord, for_file=True))
        assert written.tolerance is not None
        assert 0.4 * chord < deepest(body, written.mesh) <= written.tolerance <= chord


def deepest(body: Solid, mesh: TriMesh) -> float:
    """How far the facets of a ball or a ring lie inside it at most, mm."""
    corners = mesh.positions[mesh.indices]
    weights = np.array([[i, j, 8 - i - j] for i in range(9) for j in range(9 - i)]) / 8.0
    x, y, z = np.moveaxis(np.einsum("wk,nkj->wnj", weights, corners), -1, 0)
    if mesh.positions[:, 2].max() > 5.0:
        return float((10.0 - np.sqrt(x * x + y * y + z * z)).max())
    return float((3.0 - np.hypot(np.hypot(x, y) - 10.0, z)).max())


def test_a_large_circle_has_as_many_sides_in_a_file_as_it_takes() -> None:
    (part,) = evaluate(document(solid(Cylinder, radius=500.0, height=1.0))).parts
    written = part.measurement.file_mesh(Tessellation(chord=1e-4, for_file=True))
    assert written.tolerance is not None
    assert written.tolerance <= 1e-4
    # of a picture the specification says how many there are at most
    assert len(part.mesh.indices) <= 4 * MAX_SIDES


def test_more_triangles_than_a_file_may_have_are_refused_before_they_are_made() -> None:
    (part,) = evaluate(document(solid(Sphere, radius=1e3))).parts
    with pytest.raises(ExportError, match="some 15 million triangles, more than the 5 million") as refused:
        part.measurement.file_mesh(Tessellation(chord=5e-4, for_file=True))
    assert refused.value.fix == "allow 0.0017 mm, or write .step, whose surfaces are exact"


@pytest.mark.parametrize(
    ("pins", "radius", "plates", "chord"), [(2_500, 1.0, 0, 2e-4), (1, 100.0, 1_300_000, 1e-3)]
)
def test_what_takes_fewer_triangles_than_a_file_may_have_is_not_refused(
    pins: int, radius: float, plates: int, chord: float
) -> None:
    """Small circles are no coarser in a coarse mesh, and flat faces take no more triangles in a fine one."""
    (part,) = evaluate(document(solid(Cylinder, radius=radius, height=1.0))).parts
    again = part.measurement.meshed
    assert again is not None

    def many(figures: Figures) -> Figures:
        return replace(figures, triangles=plates + pins * figures.triangles)

    kernel = InstalledKernel(SolidCache())
    measurement = Measurement(
        part.measurement.document,
        part.measurement.node,
        many(part.measurement.on_mesh),
        kernel,
        meshed=lambda tessellation: many(again(tessellation)),
    )
    written = measurement.file_mesh(Tessellation(chord=chord, for_file=True))
    assert written.triangles < 2_000_000
