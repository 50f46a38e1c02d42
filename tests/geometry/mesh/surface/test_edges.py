import manifold3d
import numpy as np
import pytest

from vcad_kernel.geometry.mesh.surface.edges import CREASE_ANGLE, Creases, crease_normals
from vcad_kernel.geometry.tri_mesh import FloatArray, TriMesh


def feature_edges(mesh: TriMesh, angle: float = CREASE_ANGLE) -> FloatArray:
    return Creases.of(mesh, angle).edges()


def mesh_of(solid: manifold3d.Manifold) -> TriMesh:
    read = solid.to_mesh64()
    return TriMesh.of(np.asarray(read.vert_properties)[:, :3], read.tri_verts)


def cube() -> TriMesh:
    return mesh_of(manifold3d.Manifold.cube([10.0, 20.0, 30.0]))


def cylinder(sides: int = 64) -> TriMesh:
    return mesh_of(manifold3d.Manifold.cylinder(10.0, 5.0, 5.0, sides))


def plate_with_holes() -> TriMesh:
    plate = manifold3d.Manifold.cube([40.0, 20.0, 5.0])
    drill = manifold3d.Manifold.cylinder(7.0, 3.0, 3.0, 32)
    return mesh_of(plate - drill.translate([10.0, 10.0, -1.0]) - drill.translate([30.0, 10.0, -1.0]))


def length(segments: np.ndarray) -> float:
    return float(np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1).sum())


def square_with_sliver(rise: float) -> TriMesh:
    """A unit box whose top is split along its diagonal by a triangle of no width."""
    corners = [(x, y, z) for z in (0.0, 1.0) for y in (0.0, 1.0) for x in (0.0, 1.0)]
    middle = (0.5 + rise, 0.5 - rise, 1.0 + 3 * rise)
    sides = [
        (0, 2, 3), (0, 3, 1), (0, 1, 5), (0, 5, 4), (1, 3, 7), (1, 7, 5),
        (3, 2, 6), (3, 6, 7), (2, 0, 4), (2, 4, 6),
    ]  # fmt: skip
    top = [(4, 5, 7), (4, 7, 8), (8, 7, 6), (4, 8, 6)]
    return TriMesh.of([*corners, middle], sides + top)


def test_a_cube_shows_its_twelve_edges_and_no_diagonal() -> None:
    edges = feature_edges(cube())
    assert edges.shape == (12, 2, 3)
    assert length(edges) == pytest.approx(4 * (10 + 20 + 30))


def test_a_round_cylinder_shows_only_its_two_rims() -> None:
    edges = feature_edges(cylinder())
    assert edges.shape == (128, 2, 3)
    assert np.array_equal(edges[:, 0, 2], edges[:, 1, 2])


def test_a_plate_with_holes_shows_the_box_and_every_rim() -> None:
    edges = feature_edges(plate_with_holes())
    assert len(edges) == 12 + 2 * 2 * 32


def test_a_sphere_shows_nothing() -> None:
    assert len(feature_edges(mesh_of(manifold3d.Manifold.sphere(10.0, 64)))) == 0


def test_the_angle_decides_and_must_be_exceeded() -> None:
    twelve_sided = cylinder(12)
    assert len(feature_edges(twelve_sided, 30.0)) == 24
    assert len(feature_edges(twelve_sided, 29.9)) == 36


def test_the_empty_mesh_has_no_edges_and_no_vertices() -> None:
    assert feature_edges(TriMesh.empty()).shape == (0, 2, 3)
    positions, normals, triangles = crease_normals(TriMesh.empty())
    assert (positions.shape, normals.shape, triangles.shape) == ((0, 3), (0, 3), (0, 3))


def test_the_border_of_an_open_mesh_is_an_edge() -> None:
    square = TriMesh.of([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 3)])
    assert len(feature_edges(square)) == 4


def test_the_line_on_which_two_cubes_touch_is_drawn_once() -> None:
    first = manifold3d.Manifold.cube([1.0, 1.0, 1.0])
    both = mesh_of(first)
    other = TriMesh.of(both.positions + np.array([1.0, 1.0, 0.0]), both.indices)
    joined, places = np.unique(np.concatenate([both.positions, other.positions]), axis=0, return_inverse=True)
    faces = np.concatenate([both.indices, other.indices + np.uint32(8)])
    assert len(feature_edges(TriMesh.of(joined, places.reshape(-1)[faces]))) == 23


@pytest.mark.parametrize("rise", [0.0, 1e-15, -1e-12, 1e-9, -1e-9])
def test_a_sliver_in_a_flat_face_shows_no_edge_and_no_dent(rise: float) -> None:
    mesh = square_with_sliver(rise)
    assert len(feature_edges(mesh)) == 12
    _, normals, triangles = crease_normals(mesh)
    assert normals[triangles[10:]] == pytest.approx(np.broadcast_to([0, 0, 1], (4, 3, 3)), abs=1e-6)


def test_normals_are_hard_across_the_edges_of_a_cube() -> None:
    mesh = cube()
    positions, normals, triangles = crease_normals(mesh)
    assert positions.shape == (24, 3)
    faces = np.repeat(mesh.face_normals()[:, None], 3, axis=1)
    assert normals[triangles] == pytest.approx(faces, abs=1e-6)


def test_normals_are_radial_on_a_cylinder_and_flat_on_its_caps() -> None:
    positions, normals, _ = crease_normals(cylinder())
    assert len(positions) == 4 * 64
    wall = np.abs(normals[:, 2]) < 0.5
    assert wall.sum() == 2 * 64
    assert normals[wall, :2] == pytest.approx(positions[wall, :2] / 5.0, abs=1e-6)
    assert np.abs(normals[~wall, 2]) == pytest.approx(1.0)


def test_normals_are_radial_on_a_sphere_with_its_vertices_shared() -> None:
    mesh = mesh_of(manifold3d.Manifold.sphere(10.0, 64))
    positions, normals, _ = crease_normals(mesh)
    assert len(positions) == mesh.vertex_count
    assert normals == pytest.approx(positions / 10.0, abs=5e-3)


@pytest.mark.parametrize("drilled", [False, True])
def test_a_flat_face_beside_a_rounding_is_shaded_flat_and_the_rounding_round(drilled: bool) -> None:
    """A bar of 30 × 20 with corners of radius 3, each of eight strips that turn by 11.25°."""
    core = manifold3d.CrossSection.square((24.0, 14.0), center=True)
    bar = manifold3d.Manifold.extrude(core.offset(3.0, manifold3d.JoinType.Round, circular_segments=32), 40.0)
    if drilled:  # through two of the roundings
        drill = manifold3d.Manifold.cylinder(90.0, 1.0, 1.0, 32, center=True).rotate([90.0, 0.0, 45.0])
        bar -= drill.translate([14.0, 9.0, 20.0])
    mesh = mesh_of(bar)
    positions, normals, triangles = crease_normals(mesh)
    flat = np.abs(mesh.face_normals()).max(axis=1) > 0.999999
    facing = np.einsum("fkj,fj->fk", normals[triangles[flat]], mesh.face_normals()[flat])
    assert np.degrees(np.arccos(np.clip(facing, -1.0, 1.0))).max() < 0.5
    away = positions[:, :2] - np.clip(positions[:, :2], [-12.0, -7.0], [12.0, 7.0])
    round_part = (np.abs(np.linalg.norm(away, axis=1) - 3.0) < 1e-4) & (np.abs(normals[:, 2]) < 1e-6)
    radial = away[round_part] / 3.0
    along = np.clip((normals[round_part, :2] * radial).sum(axis=1), -1.0, 1.0)
    turn = np.degrees(np.arccos(along[along > 0.9]))  # those of the drilled wall point elsewhere
    assert len(turn) > 60
    assert turn.max() < 1.0, "2.8° where the flat face has no more say than the strip"


def test_the_tip_of_a_cone_is_shaded_like_its_sides() -> None:
    mesh = mesh_of(manifold3d.Manifold.cylinder(10.0, 5.0, 0.0, 64))
    _, normals, triangles = crease_normals(mesh)
    flat = mesh.face_normals()
    turn = np.einsum("fkj,fj->fk", normals[triangles], flat)
    assert turn.min() > np.cos(np.radians(6.0))


@pytest.mark.parametrize("angle", [15.0, 30.0, 50.0])
def test_no_shading_normal_turns_from_its_face_by_more_than_the_angle(angle: float) -> None:
    cone = manifold3d.Manifold.cylinder(10.0, 5.0, 0.0, 64)
    dome = manifold3d.Manifold.sphere(4.0, 40).scale([1.0, 0.3, 2.0])
    for solid in (
        cone,
        cone - cone.translate([1.0, 0.0, -4.0]),
        cone + dome.rotate([20, 30, 0]),
        dome - cone,
    ):
        mesh = mesh_of(solid)
        _, normals, triangles = crease_normals(mesh, angle)
        turn = np.einsum("fkj,fj->fk", normals[triangles], Creases.of(mesh, angle).directions)
        assert turn.min() > np.cos(np.radians(angle)) - 1e-6


def test_split_buffers_describe_the_same_triangles_in_the_same_order() -> None:
    mesh = plate_with_holes()
    positions, normals, triangles = crease_normals(mesh)
    assert [str(array.dtype) for array in (positions, normals, triangles)] == ["float32", "float32", "uint32"]
    assert np.array_equal(positions[triangles], mesh.corners().astype(np.float32))
    assert np.linalg.norm(normals, axis=1) == pytest.approx(1.0, abs=1e-6)
    pairs = np.concatenate([positions, normals.round(5)], axis=1)
    assert len(np.unique(pairs, axis=0)) == len(pairs)


def test_normals_of_a_kept_analysis_agree_with_the_single_call() -> None:
    mesh = plate_with_holes()
    creases = Creases.of(mesh)
    for got, want in zip(creases.normals(), crease_normals(mesh), strict=True):
        assert np.array_equal(got, want)
