"""COLLADA as a host reads it: valid, closed, flat faces in one piece, lines at edges and nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import manifold3d
import numpy as np
import pytest
import trimesh
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from tests.exchange.collada_reader import ColladaPart, parts_of
from tests.exchange.collada_structure import complaints
from tests.exchange.conftest import Scene, part_of
from tests.tiers import examples
from vcad_kernel.exchange import dae, formats
from vcad_kernel.geometry.mesh.surface.edges import Creases
from vcad_kernel.geometry.tri_mesh import PartMesh, TriMesh
from vcad_kernel.operations.scene import DEFAULT_MATERIAL, Material
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.requests import EvalCell

Solid = manifold3d.Manifold


def _bracket() -> Solid:
    """An L with two holes: concave flat sides, and faces with holes."""
    outline = manifold3d.CrossSection([[(0, 0), (60, 0), (60, 8), (8, 8), (8, 50), (0, 50)]])
    body = Solid.extrude(outline, 30.0)
    upright = Solid.cylinder(20.0, 4.0, 4.0, 48).rotate([90, 0, 0]).translate([40, 14, 15])
    return body - upright


def _rounded_plate() -> Solid:
    outline = manifold3d.CrossSection.square([40.0, 24.0], center=True).offset(
        5.0, manifold3d.JoinType.Round, circular_segments=64
    )
    return Solid.extrude(outline, 6.0)


def _stacked() -> Solid:
    """A small box on a large one: the side planes run on, and borders have vertices in the middle."""
    low = Solid.cube([40.0, 20.0, 10.0])
    return low + Solid.cube([10.0, 20.0, 10.0]).translate([15.0, 0.0, 10.0])


SHAPES: dict[str, Callable[[], Solid]] = {
    "box": lambda: Solid.cube([10.0, 20.0, 30.0]),
    "box off the grid": lambda: (
        Solid.cube([1 / 3, 1 / 7, 0.1]).rotate([10, 20, 30]).translate([1e3, 0, -1e3])
    ),
    "cylinder": lambda: Solid.cylinder(20.0, 6.0, 6.0, 64),
    "cone": lambda: Solid.cylinder(20.0, 6.0, 0.0, 64),
    "sphere": lambda: Solid.sphere(10.0, 48),
    "twelve-sided prism": lambda: Solid.cylinder(10.0, 5.0, 5.0, 12),
    "hexagonal prism": lambda: Solid.cylinder(10.0, 5.0, 5.0, 6),
    "bracket with a hole": _bracket,
    "tube": lambda: (
        Solid.cylinder(20.0, 8.0, 8.0, 48) - Solid.cylinder(30.0, 5.0, 5.0, 48).translate([0, 0, -5])
    ),
    "rounded plate": _rounded_plate,
    "boxes that share planes": _stacked,
    "box with an inner void": lambda: Solid.cube([20, 20, 20]) - Solid.cube([5, 5, 5]).translate([7, 7, 7]),
    "two bodies": lambda: Solid.cube([5, 5, 5]) + Solid.cube([5, 5, 5]).translate([20, 0, 0]),
}

FEATURES = {
    "fillet": "[fillet 2.0 [cube 20.0 30.0 10.0]]",
    "fillet round a hole": "[fillet 1.0 [difference [translate 10 10 -1 [cylinder 4 12]] [cube 20 20 10]]]",
    "chamfer": "[chamfer 1.0 [cylinder 5.0 10.0]]",
    "shell": "[shell 1.0 [cone 8.0 3.0 10.0]]",
    "balls": "[union [translate 5 0 0 [sphere 5]] [sphere 5]]",
    "row of pins": "[union [cube 50 10 2] [linear-pattern 1 0 0 4 10 [translate 10 5 1 [cylinder 2 8]]]]",
}
"""Bodies as people make them, in Loon."""


def part_in_loon(source: str) -> PartMesh:
    """The one part that a text makes."""
    (part,) = DirectService().evaluate(EvalCell(source, (), cell_id="1", name="part")).part_meshes()
    return part


def _read(solid: Solid, folder: Path) -> ColladaPart:
    formats.write(folder / "part.dae", [part_of("part", solid, DEFAULT_MATERIAL)])
    (part,) = parts_of(folder / "part.dae")
    return part


@pytest.fixture(params=SHAPES)
def solid(request: pytest.FixtureRequest) -> Solid:
    return SHAPES[request.param]()


def test_a_document_follows_the_structure_of_collada(solid: Solid) -> None:
    assert complaints(formats.encode(".dae", [part_of("part", solid, DEFAULT_MATERIAL)])[".dae"]) == []


def test_a_scene_with_odd_names_follows_the_structure_of_collada(scene: Scene) -> None:
    mesh = scene.parts[0].mesh
    odd = [
        PartMesh(name, mesh, Material(name, (0.1, 0.2, 1.0)))
        for name in ("Träger <a> & b", "Träger <a> & b", "部品", "3 mm", " ", 'say "x"')
    ]
    assert complaints(formats.encode(".dae", [*scene.parts, *odd])[".dae"]) == []


def test_the_structure_check_sees_a_broken_document() -> None:
    whole = formats.encode(".dae", [part_of("part", Solid.cube([1, 1, 1]), DEFAULT_MATERIAL)])[".dae"]
    for good, bad in [
        (b"<up_axis>Z_UP", b"<up_axis>UP"),
        (b'count="6" material', b'count="7" material'),
        (b'url="#geometry-0"', b'url="#geometry-1"'),
        (b"<vcount>\n4", b"<vcount>\n5"),
        (b'id="effect-0"', b'id="material-0"'),
        (b'symbol="surface"', b'symbol="other"'),
        (b'offset="1"', b'offset="2"'),
        (b"<created>2000-01-01T00:00:00Z</created>", b""),
    ]:
        assert good in whole
        assert complaints(whole.replace(good, bad)), bad


def test_volume_bounds_and_closure_survive_in_pycollada(solid: Solid, tmp_path: Path) -> None:
    part = _read(solid, tmp_path)
    assert part.is_closed
    found = part.mesh
    assert found.volume == pytest.approx(solid.volume(), rel=1e-5)
    assert found.bounds == pytest.approx(np.array(solid.bounding_box()).reshape(2, 3), abs=1e-6)


def test_volume_and_bounds_survive_in_trimesh(solid: Solid, tmp_path: Path) -> None:
    _read(solid, tmp_path)
    found = trimesh.load_scene(tmp_path / "part.dae").to_mesh()
    scale = 1000.0 if found.units in ("meter", "meters", "m") else 1.0
    assert found.volume * scale**3 == pytest.approx(solid.volume(), rel=1e-4)
    assert found.bounds * scale == pytest.approx(np.array(solid.bounding_box()).reshape(2, 3), abs=1e-4)


def test_lines_show_at_edges_and_nowhere_else(solid: Solid, tmp_path: Path) -> None:
    read = solid.to_mesh64()
    mesh = TriMesh.of(np.asarray(read.vert_properties)[:, :3], read.tri_verts)
    edges = Creases.of(mesh).edges()
    expected = float(np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1).sum())
    assert _read(solid, tmp_path).hard_length() == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("source", FEATURES.values(), ids=FEATURES)
def test_a_feature_is_closed_has_its_volume_and_its_edges(source: str, tmp_path: Path) -> None:
    whole = part_in_loon(source)
    formats.write(tmp_path / "part.dae", [whole])
    assert complaints((tmp_path / "part.dae").read_bytes()) == []
    (part,) = parts_of(tmp_path / "part.dae")
    assert part.is_closed
    closed = trimesh.Trimesh(whole.mesh.positions, whole.mesh.indices, process=False)
    assert part.mesh.volume == pytest.approx(closed.volume, rel=1e-6)
    edges = Creases.of(whole.mesh).edges()
    expected = float(np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1).sum())
    assert part.hard_length() == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_polygons_are_flat_and_face_outwards(solid: Solid, tmp_path: Path) -> None:
    part = _read(solid, tmp_path)
    for ring, direction, normals in zip(part.polygons, part.directions(), part.normals, strict=True):
        points = part.positions[ring]
        assert np.abs((points - points[0]) @ direction).max() < 2e-3
        assert (normals @ direction).min() > 0.85 or len(ring) == 3  # but for the tip of a cone
        first, here, following = points[-1], points[0], points[1]
        turn = np.cross(here - first, following - here) @ direction
        assert turn > 0.0  # hosts take the direction of a face from its first corner


@pytest.mark.parametrize(
    ("name", "polygons", "triangles"),
    [
        ("box", 6, 0),
        ("hexagonal prism", 8, 0),
        ("cylinder", 64 + 2, 0),
        ("cone", 1, 64),
        ("boxes that share planes", 10, 0),
        ("box with an inner void", 12, 0),
        ("two bodies", 12, 0),
    ],
)
def test_a_flat_face_is_one_polygon(name: str, polygons: int, triangles: int, tmp_path: Path) -> None:
    part = _read(SHAPES[name](), tmp_path)
    sizes = [len(ring) for ring in part.polygons]
    text = (tmp_path / "part.dae").read_text("utf-8")
    assert (f'<polylist count="{polygons}"' in text) or polygons == 0
    assert (f'<triangles count="{triangles}"' in text) == (triangles > 0)
    assert len(sizes) == polygons + triangles


def test_a_face_with_a_hole_stays_triangles_without_lines(tmp_path: Path) -> None:
    part = _read(SHAPES["tube"](), tmp_path)
    rings = [ring for ring in part.polygons if len(ring) == 3]
    assert len(rings) == 2 * 96  # the two end faces; the walls are quads
    assert part.hard_length() == pytest.approx(2 * 48 * 2 * (8 + 5) * np.sin(np.pi / 48), rel=1e-6)


def test_a_vertex_in_the_middle_of_a_straight_border_stays(tmp_path: Path) -> None:
    part = _read(SHAPES["boxes that share planes"](), tmp_path)
    users = np.bincount(np.concatenate(part.polygons), minlength=len(part.positions))
    assert users.min() >= 3
    assert max(len(ring) for ring in part.polygons) == 8


def test_a_mesh_with_needless_vertices_on_its_faces_has_them_only_where_faces_meet(tmp_path: Path) -> None:
    cut = trimesh.creation.box([10, 10, 10]).subdivide().subdivide()
    mesh = TriMesh.of(cut.vertices, cut.faces)
    formats.write(tmp_path / "part.dae", [PartMesh("part", mesh)])
    (part,) = parts_of(tmp_path / "part.dae")
    assert [len(ring) for ring in part.polygons] == [16] * 6
    assert part.is_closed
    assert part.mesh.volume == pytest.approx(1000.0)


_BLOCKS = st.lists(
    st.tuples(st.tuples(*[st.integers(0, 4)] * 3), st.tuples(*[st.integers(1, 3)] * 3), st.booleans()),
    min_size=1,
    max_size=7,
)


@examples(30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(blocks=_BLOCKS)
def test_whatever_blocks_are_joined_and_cut_nothing_gapes(
    blocks: list[tuple[tuple[int, ...], tuple[int, ...], bool]], tmp_path: Path
) -> None:
    body = Solid.cube([5, 5, 5])
    for at, size, added in blocks:
        block = Solid.cube(size).translate(at)
        body = body + block if added else body - block
    if body.is_empty():
        return
    part = _read(body, tmp_path)
    assert part.is_closed
    assert part.mesh.volume == pytest.approx(body.volume(), rel=1e-9)
    assert complaints((tmp_path / "part.dae").read_bytes()) == []
    for ring in part.polygons:
        assert len(set(map(tuple, part.positions[ring]))) == len(ring)


def test_nearly_level_strips_of_a_wide_curve_are_not_flattened(tmp_path: Path) -> None:
    part = _read(Solid.cylinder(10.0, 500.0, 500.0, 20_000), tmp_path)
    assert part.mesh.volume == pytest.approx(Solid.cylinder(10.0, 500.0, 500.0, 20_000).volume(), rel=1e-7)
    assert part.is_closed


def test_parts_keep_their_places_colours_and_names(scene: Scene, tmp_path: Path) -> None:
    formats.write(tmp_path / "scene.dae", scene.parts)
    found = {part.name: part for part in parts_of(tmp_path / "scene.dae")}
    assert set(found) == {"plate", "pin"}
    for name, part in found.items():
        assert part.color == pytest.approx(scene.colors[name], abs=1e-6)
        assert part.mesh.volume == pytest.approx(scene.volumes[name], rel=1e-6)
        assert part.mesh.bounds == pytest.approx(scene.bounds[name], abs=1e-6)


def test_equal_parts_give_equal_bytes(solid: Solid) -> None:
    part = part_of("part", solid, DEFAULT_MATERIAL)
    assert formats.encode(".dae", [part]) == formats.encode(".dae", [part])


def test_a_large_part_is_written_in_bulk_and_not_triangle_by_triangle() -> None:
    """What a push may take is a matter of calls: a hundred times the triangles take hardly more of them."""

    def calls(sides: int, least: int) -> int:
        part = part_of("ball", Solid.sphere(20.0, sides), DEFAULT_MATERIAL)
        assert part.mesh.triangle_count >= least
        formats.encode(".dae", [part])  # loads what is loaded late
        made = 0

        def count(*_: object) -> None:
            nonlocal made
            made += 1

        before = sys.getprofile()
        sys.setprofile(count)
        try:
            formats.encode(".dae", [part])
        finally:
            sys.setprofile(before)
        return made

    assert calls(200, 20_000) < 2 * calls(20, 200)


def test_a_part_of_the_default_look_may_stay_unpainted() -> None:
    solid = Solid.cube([1.0, 2.0, 3.0])
    plain = part_of("plain", solid, DEFAULT_MATERIAL)
    brass = part_of("pin", solid, Material("brass", (0.8, 0.6, 0.2)))
    alone = dae.encode([plain], "model", paint_default=False)[".dae"]
    assert b"material" not in alone
    both = dae.encode([plain, brass], "model", paint_default=False)[".dae"]
    assert both.count(b"<material ") == 1
    assert both.count(b"<bind_material>") == 1
    assert complaints(alone) == complaints(both) == []
