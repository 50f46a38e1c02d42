"""Our meshes as SketchUp's importer makes them: closed, of the right size, with lines only at edges."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import manifold3d
import numpy as np
import pytest

from tests.exchange.conftest import part_of
from tests.exchange.test_dae import FEATURES, SHAPES, part_in_loon
from tests.sketchup.headless import RunningSketchUp, headless_sketchup
from vcad_kernel.exchange import formats
from vcad_kernel.geometry.mesh.surface.edges import Creases
from vcad_kernel.geometry.tri_mesh import PartMesh, TriMesh
from vcad_kernel.operations.scene import DEFAULT_MATERIAL, Material

INCH = 25.4
LOOK = """
  require 'json'
  node = Sketchup.active_model.definitions.find { |one| one.get_attribute('vcad', 'node_id') == 'part' }
  edges = node.entities.grep(Sketchup::Edge)
  faces = node.entities.grep(Sketchup::Face)
  shown = edges.reject { |edge| edge.soft? || edge.hidden? }
  JSON.generate(volume: node.instances.first.volume.to_f, shown: shown.size,
                length: shown.sum { |edge| edge.length.to_f }, faces: faces.size, edges: edges.size,
                nested: node.entities.size - faces.size - edges.size,
                open: edges.count { |edge| edge.faces.size != 2 },
                colors: faces.map { |face| face.material && face.material.color.to_a.first(3) }.uniq,
                alphas: faces.map { |face| face.material && face.material.alpha.to_f }.uniq)
"""


@dataclass(frozen=True)
class Seen:
    """What stands in SketchUp, in millimetres."""

    manifold: bool
    bounds: np.ndarray
    volume: float
    shown: int
    """Edges that are drawn."""
    shown_length: float
    faces: int
    nested: int
    open: int
    colors: list[list[int]]
    alphas: list[float]
    warnings: list[str]


@pytest.fixture(scope="module")
def evaluating(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSketchUp]:
    """One that may be looked into with Ruby."""
    with headless_sketchup(workspace=tmp_path_factory.mktemp("dae").resolve(), allow_eval=True) as running:
        yield running


@pytest.fixture
def host(evaluating: RunningSketchUp) -> Iterator[RunningSketchUp]:
    evaluating.control("_test.reset")
    yield evaluating
    evaluating.assert_clean()


def _placed(host: RunningSketchUp, part: PartMesh) -> Seen:
    mesh = host.workspace / "part.dae"
    formats.write(mesh, [part])
    placed = host.control("place_vcad_node", mesh_path=str(mesh), node_id="part", position=[5.0, 0.0, 0.0])
    look = json.loads(host.control("eval_ruby", code=LOOK)["result"])
    return Seen(
        manifold=placed["manifold"],
        bounds=np.array([placed["bounds"]["min"], placed["bounds"]["max"]]),
        volume=look["volume"] * INCH**3,
        shown=look["shown"],
        shown_length=look["length"] * INCH,
        faces=look["faces"],
        nested=look["nested"],
        open=look["open"],
        colors=look["colors"],
        alphas=look["alphas"],
        warnings=placed.get("warnings", []),
    )


@pytest.mark.parametrize("name", [name for name in SHAPES if name != "box off the grid"])
def test_a_part_arrives_closed_with_its_size_and_its_edges(name: str, host: RunningSketchUp) -> None:
    solid = SHAPES[name]()
    part = part_of("part", solid, DEFAULT_MATERIAL)
    edges = Creases.of(part.mesh).edges()
    seen = _placed(host, part)
    assert seen.manifold
    assert seen.open == 0
    assert seen.nested == 0
    assert seen.warnings == []
    assert seen.bounds == pytest.approx(np.array(solid.bounding_box()).reshape(2, 3), abs=1e-3)
    assert seen.volume == pytest.approx(solid.volume(), rel=1e-5)
    length = float(np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1).sum())
    assert seen.shown_length == pytest.approx(length, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("source", FEATURES.values(), ids=FEATURES)
def test_a_feature_arrives_closed_without_needless_lines(source: str, host: RunningSketchUp) -> None:
    part = part_in_loon(source)
    edges = Creases.of(part.mesh).edges()
    seen = _placed(host, part)
    assert seen.manifold
    corners = part.mesh.corners()
    volume = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
    assert seen.volume == pytest.approx(volume, rel=1e-4)
    length = float(np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1).sum())
    # where curved surfaces meet, points are nearer than SketchUp tells apart
    assert seen.shown_length == pytest.approx(length, rel=2e-3, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "shown", "faces"),
    [
        ("box", 12, 6),
        ("hexagonal prism", 18, 8),
        ("cylinder", 2 * 64, 64 + 2),
        ("tube", 4 * 48, 2 * 48 + 2),
        ("sphere", 0, None),
        ("box with an inner void", 24, 12),
        ("bracket with a hole", 18 + 2 * 48, 8 + 48),
    ],
)
def test_lines_and_faces_are_as_many_as_a_person_counts(
    name: str, shown: int, faces: int | None, host: RunningSketchUp
) -> None:
    seen = _placed(host, part_of("part", SHAPES[name](), DEFAULT_MATERIAL))
    assert seen.shown == shown
    assert faces is None or seen.faces == faces


@pytest.mark.parametrize("structure", ["flat", "wrapped", "multi"])
@pytest.mark.parametrize("name", ["box", "bracket with a hole", "cone"])
def test_however_the_importer_nests_it_the_part_is_the_same(
    structure: str, name: str, host: RunningSketchUp
) -> None:
    host.control("_test.configure", dae_structure=structure)
    solid = SHAPES[name]()
    seen = _placed(host, part_of("part", solid, DEFAULT_MATERIAL))
    assert seen.manifold
    assert seen.nested == 0
    assert seen.bounds == pytest.approx(np.array(solid.bounding_box()).reshape(2, 3), abs=1e-3)
    assert seen.volume == pytest.approx(solid.volume(), rel=1e-5)


def test_a_part_brings_its_colour(host: RunningSketchUp) -> None:
    part = part_of("part", SHAPES["box"](), Material("signal red", (0.8, 0.2, 0.1)))
    seen = _placed(host, part)
    assert (seen.colors, seen.alphas) == ([[204, 51, 26]], [1.0])


def test_a_part_that_lets_light_through_does_so_in_sketchup(host: RunningSketchUp) -> None:
    part = part_of("part", SHAPES["box"](), Material("glass", (0.8, 0.2, 0.1), alpha=0.4))
    assert _placed(host, part).alphas == pytest.approx([0.4])


def test_names_in_any_script_arrive(host: RunningSketchUp) -> None:
    mesh = part_of("part", SHAPES["box"](), DEFAULT_MATERIAL).mesh
    seen = _placed(host, PartMesh("Träger <部品> & 1", mesh, Material("Lack „rot“", (1.0, 0.0, 0.0))))
    assert seen.manifold


def test_details_below_what_sketchup_tells_apart_are_told(host: RunningSketchUp) -> None:
    solid = manifold3d.Manifold.cube([10, 10, 10])
    solid -= manifold3d.Manifold.cube([0.01, 5, 5]).translate([5, -1, 7])
    seen = _placed(host, part_of("part", solid, DEFAULT_MATERIAL))
    assert not seen.manifold
    assert seen.warnings == ["TOLERANCE_COLLAPSE"]


def test_a_large_part_is_exchanged_in_all_its_instances(host: RunningSketchUp) -> None:
    part = part_of("part", manifold3d.Manifold.sphere(20.0, 200), DEFAULT_MATERIAL)
    assert 19_000 <= part.mesh.triangle_count <= 22_000
    _placed(host, part)
    mesh = str(host.workspace / "part.dae")
    for k in range(9):
        at = [0.0, 50.0 * k, 0.0]
        host.control("place_vcad_node", mesh_path=mesh, node_id="part", position=at, if_exists="add_instance")
    formats.write(mesh, [PartMesh("part", TriMesh(part.mesh.positions * 1.1, part.mesh.indices))])
    updated = host.control("update_vcad_node", mesh_path=mesh, node_id="part")
    assert updated["replaced_instances"] == 10
    assert updated["bounds"]["max"][2] == pytest.approx(22.0, abs=1e-3)
