from __future__ import annotations

import weakref
from dataclasses import fields, replace

import manifold3d
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.geometry.mesh.surface.test_edges import cube, cylinder, mesh_of, plate_with_holes
from vcad_kernel.geometry.mesh.surface import drawn_mesh
from vcad_kernel.geometry.mesh.surface.drawn_mesh import DrawnMesh, packed, unpacked
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.service.direct import DirectService


def outline(mesh: TriMesh, *toward: float) -> NDArray[np.float64]:
    return mesh.positions[DrawnMesh.of(mesh).outline(np.array(toward))]


def test_the_outline_of_a_cylinder_seen_from_the_side_is_its_two_extreme_lines() -> None:
    lines = outline(cylinder(), 1.0, 0.02, 0.0)
    assert lines.shape == (2, 2, 3)
    assert np.abs(lines[:, :, 1]) == pytest.approx(5.0, rel=0.01)
    assert np.ptp(lines[:, :, 2], axis=1) == pytest.approx(10.0)


def test_a_box_has_no_outline_beyond_its_edges() -> None:
    assert outline(cube(), 1.0, -1.0, 0.8).shape == (0, 2, 3)


def test_where_a_flat_face_runs_into_a_rounding_there_is_a_tangent_edge() -> None:
    pin = manifold3d.CrossSection.circle(5.0, 64)
    slot = mesh_of(manifold3d.CrossSection.batch_hull([pin, pin.translate((40.0, 0.0))]).extrude(10.0))
    lines = slot.positions[DrawnMesh.of(slot).tangents]
    places = sorted({(x, y) for x, y, _ in lines.reshape(-1, 3).round(6).tolist()})
    assert places == [(0, -5), (0, 5), (40, -5), (40, 5)]
    assert np.ptp(lines[:, :, 2], axis=1) == pytest.approx(10.0)
    for without in (cube(), cylinder()):
        assert len(DrawnMesh.of(without).tangents) == 0


def lines_within(text: str) -> NDArray[np.float64]:
    """The tangent edges of a body of Loon, as (k, 2, 3) points, mm."""
    (part,) = DirectService().eval_code(text).parts
    return part.mesh.positions[DrawnMesh.of(part.mesh).tangents]


def test_no_line_stands_on_a_cylinder_beside_letters() -> None:
    letters = '[text 3 {:align :center :valign :center} "VN"]'
    assert len(lines_within(f"[wrap-on {{:kind :cylinder}} 1 {letters} [cylinder 12 4]]")) == 0


def test_no_line_stands_about_the_pole_of_a_large_ball() -> None:
    # seen along a ring of 600 triangles none turns much from the next
    steps = np.radians(0.6) * np.arange(5)
    arc = 400.0 * np.stack([np.sin(steps), np.cos(steps)], axis=1)
    profile = manifold3d.CrossSection([np.array([[0.0, 390.0], [arc[-1, 0], 390.0], *arc[::-1]])])
    assert len(DrawnMesh.of(mesh_of(profile.revolve(600))).tangents) == 0


def test_faces_of_two_makers_meet_in_a_line_wherever_they_turn() -> None:
    capsule = lines_within("[union [translate 0 0 20 [sphere 10]] [cylinder 10 20]]")
    assert np.all(capsule[:, :, 2] == pytest.approx(20.0))
    assert np.linalg.norm(capsule[:, 1] - capsule[:, 0], axis=1).sum() == pytest.approx(62.8, abs=0.2)
    rounded = lines_within("[fillet-at 3 {:parallel #[0 0 1]} [cube 40 30 5]]")
    assert len(rounded) == 8


def test_what_is_drawn_twice_is_found_once_and_lives_as_long_as_its_mesh() -> None:
    mesh = cube()
    kept = DrawnMesh.kept(mesh)
    assert DrawnMesh.kept(mesh) is kept
    gone, drawn = weakref.ref(mesh), weakref.ref(kept.positions)
    del mesh, kept
    assert gone() is None
    assert drawn() is None


def test_what_was_found_is_kept_for_so_many_bytes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn_mesh._found.clear()
    meshes = [cube() for _ in range(4)]
    monkeypatch.setattr(drawn_mesh, "_MOST_BYTES", 2 * DrawnMesh.of(meshes[0]).nbytes)
    first = [DrawnMesh.kept(mesh) for mesh in meshes]
    is_kept = [DrawnMesh.kept(mesh) is one for mesh, one in reversed(list(zip(meshes, first, strict=True)))]
    assert is_kept == [True, True, False, False]


@pytest.mark.parametrize("meshes", [[plate_with_holes()], [cylinder(), TriMesh.empty(), cube()], []])
def test_what_is_sent_arrives(meshes: list[TriMesh]) -> None:
    sent = [DrawnMesh.of(mesh) for mesh in meshes]
    for got, want in zip(unpacked(packed(sent), meshes), sent, strict=True):
        for field in fields(DrawnMesh):
            assert np.array_equal(getattr(got, field.name), getattr(want, field.name)), field.name


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("counts", np.zeros((2, 5), np.uint32)),
        ("normals", np.zeros((1, 3), np.float32)),
        ("edges", np.full((12, 2), 8, np.uint32)),
        ("beside", np.full((6, 2), 12, np.uint32)),
        ("triangles", np.full((12, 3), 24, np.uint32)),
    ],
)
def test_what_is_not_of_the_mesh_is_refused(field: str, wrong: NDArray[np.generic]) -> None:
    arrays = packed([DrawnMesh.of(cube())])
    assert arrays[field].shape == wrong.shape or field in ("counts", "normals")
    with pytest.raises(ValueError, match=field):
        unpacked({**arrays, field: wrong}, [cube()])
    with pytest.raises(ValueError, match="triangles"):
        unpacked(arrays, [replace(cube(), indices=np.zeros((3, 3), np.uint32))])
