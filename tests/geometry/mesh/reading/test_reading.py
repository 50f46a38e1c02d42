"""Mesh files in: every format gives the same solid, millimetres, Z up; what is no solid is refused."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import manifold3d
import numpy as np
import pytest
import trimesh

from vcad_kernel.errors import FileMissing, GeometryError, PathRefused, Place, VcadError
from vcad_kernel.exchange import formats
from vcad_kernel.geometry.mesh.reading.reading import MESH_SUFFIXES, read_mesh_file
from vcad_kernel.geometry.sweeps.swept import Skin
from vcad_kernel.geometry.tri_mesh import PartMesh, TriMesh
from vcad_kernel.ir.document import Document, DocumentBuilder
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.solids.imported import MeshFile
from vcad_kernel.paths import Workspace, content_hash

LOW, HIGH = np.array([1.0, -2.0, 3.0]), np.array([11.0, 18.0, 33.0])


class _Site:
    def place(self) -> Place:
        return Place("m.oo", 7, 1, 7, 2, "x")


def _box() -> Any:
    """10 × 20 × 30, corner at (1, −2, 3), as trimesh has it."""
    return trimesh.creation.box(bounds=[LOW, HIGH])


def _read(
    folder: Path,
    name: str,
    data: bytes,
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0),
    content: str | None = None,
) -> Skin | None:
    (folder / name).write_bytes(data)
    document, node = _document(name, scale, content_hash(data) if content is None else content)
    return read_mesh_file(document, node, Workspace(folder))


def _document(name: str, scale: tuple[float, float, float], content: str) -> tuple[Document, NodeId]:
    builder = DocumentBuilder()
    node = builder.add(MeshFile(name, scale, content), _Site())
    return builder.build(), node


def _volume(skin: Skin | None) -> float:
    assert skin is not None
    corners = skin.positions[skin.triangles]
    return float(np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))) / 6.0


def _export(suffix: str) -> bytes:
    """The box as our own writers write it, or trimesh where we have none."""
    box = _box()
    if suffix in formats.SUFFIXES:
        part = PartMesh("box", TriMesh.of(box.vertices, box.faces))
        return formats.encode(suffix, [part])[suffix]
    data = box.export(file_type=suffix[1:])
    return data if isinstance(data, bytes) else data.encode()


@pytest.mark.parametrize("suffix", MESH_SUFFIXES)
def test_every_format_gives_the_box_in_millimetres_with_z_up(tmp_path: Path, suffix: str) -> None:
    skin = _read(tmp_path, f"box{suffix}", _export(suffix))
    assert skin is not None
    assert len(skin.positions) == 8
    assert skin.positions.min(axis=0) == pytest.approx(LOW, abs=1e-5)
    assert skin.positions.max(axis=0) == pytest.approx(HIGH, abs=1e-5)
    assert _volume(skin) == pytest.approx(6000.0, rel=1e-6)


def test_the_text_form_of_stl_is_read_and_the_suffix_counts_in_either_case(tmp_path: Path) -> None:
    data = _box().export(file_type="stl_ascii").encode()
    assert _volume(_read(tmp_path, "BOX.STL", data)) == pytest.approx(6000.0)


def test_scale_is_about_the_origin_and_mirroring_keeps_a_positive_volume(tmp_path: Path) -> None:
    skin = _read(tmp_path, "box.stl", _export(".stl"), (2.0, -1.0, 0.5))
    assert skin is not None
    assert _volume(skin) == pytest.approx(6000.0)
    assert skin.positions.min(axis=0) == pytest.approx([2.0, -18.0, 1.5], abs=1e-5)
    assert skin.positions.max(axis=0) == pytest.approx([22.0, 2.0, 16.5], abs=1e-5)


def test_several_objects_of_a_file_are_one_solid_each_in_its_place(tmp_path: Path) -> None:
    parts = [
        PartMesh(name, TriMesh.of(np.add(box.vertices, [offset, 0, 0]), box.faces))
        for name, offset, box in (("a", 0.0, _box()), ("b", 100.0, _box()))
    ]
    for suffix in (".glb", ".3mf", ".obj"):
        skin = _read(tmp_path, f"two{suffix}", formats.encode(suffix, parts)[suffix])
        assert _volume(skin) == pytest.approx(12000.0, rel=1e-6)
        assert skin is not None
        assert skin.positions[:, 0].max() == pytest.approx(111.0, abs=1e-4)


def test_the_unit_of_a_3mf_is_heeded(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(_export(".3mf"))) as given, zipfile.ZipFile(packed, "w") as changed:
        for entry in given.infolist():
            data = given.read(entry)
            changed.writestr(entry.filename, data.replace(b'unit="millimeter"', b'unit="inch"'))
    skin = _read(tmp_path, "box.3mf", packed.getvalue())
    assert skin is not None
    assert np.ptp(skin.positions, axis=0) == pytest.approx(np.array([10.0, 20.0, 30.0]) * 25.4)


def test_an_inside_out_mesh_is_turned(tmp_path: Path) -> None:
    box = _box()
    box.invert()
    assert _volume(_read(tmp_path, "box.stl", box.export(file_type="stl"))) == pytest.approx(6000.0)


def test_a_real_body_keeps_its_volume_through_stl(tmp_path: Path) -> None:
    body = manifold3d.Manifold.cube([10.0] * 3) - manifold3d.Manifold.cylinder(10.0, 3.0, 3.0, 64)
    read = body.to_mesh64()
    part = PartMesh("x", TriMesh.of(np.asarray(read.vert_properties)[:, :3], read.tri_verts))
    skin = _read(tmp_path, "x.stl", formats.encode(".stl", [part])[".stl"])
    assert _volume(skin) == pytest.approx(body.volume(), rel=1e-6)


def test_an_open_mesh_is_not_manifold_and_the_error_knows_the_call(tmp_path: Path) -> None:
    box = _box()
    box.update_faces(np.arange(len(box.faces)) > 0)
    with pytest.raises(GeometryError, match="not closed") as caught:
        _read(tmp_path, "box.stl", box.export(file_type="stl"))
    error = caught.value
    assert (error.code, error.operation, error.argument) == ("MESH_NOT_MANIFOLD", "import-mesh", "path")
    assert error.place is not None
    assert error.place.line == 7


@pytest.mark.parametrize("suffix", MESH_SUFFIXES)
@pytest.mark.parametrize(
    "data", [b"", b"hello", bytes(range(256)), b"solid x\nendsolid x\n", b"PK\3\4" + bytes(40)]
)
def test_what_is_no_mesh_is_refused_saying_so(tmp_path: Path, suffix: str, data: bytes) -> None:
    with pytest.raises(GeometryError, match="cannot be read") as caught:
        _read(tmp_path, f"bad{suffix}", data)
    assert (caught.value.code, caught.value.argument) == ("IMPORT_FAILED", "path")
    assert not caught.value.failed


@pytest.mark.parametrize("suffix", MESH_SUFFIXES)
def test_files_cut_off_anywhere_are_refused_or_no_solid(tmp_path: Path, suffix: str) -> None:
    data = _export(suffix)
    for keep in (0.1, 0.35, 0.6, 0.85):
        with pytest.raises(GeometryError) as caught:
            _read(tmp_path, f"cut{suffix}", data[: int(len(data) * keep)])
        assert caught.value.code in {"IMPORT_FAILED", "MESH_NOT_MANIFOLD"}


@pytest.mark.parametrize("name", ["box.blend", "box", "box.step"])
def test_an_unknown_format_lists_the_known_ones(tmp_path: Path, name: str) -> None:
    with pytest.raises(GeometryError, match=r"\.3mf, \.glb, \.obj, \.off, \.ply, \.stl"):
        _read(tmp_path, name, b"x")


def test_coordinates_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    data = b"OFF\n3 1 0\n0 0 0\nnan 0 0\n0 1 0\n3 0 1 2\n"
    with pytest.raises(GeometryError, match="cannot be read"):
        _read(tmp_path, "bad.off", data)


def test_coordinates_beyond_all_measure_are_refused(tmp_path: Path) -> None:
    with pytest.raises(GeometryError, match="farther than") as caught:
        _read(tmp_path, "box.stl", _export(".stl"), (1e300, 1.0, 1.0))
    assert caught.value.code == "IMPORT_FAILED"


def test_a_mesh_of_triangles_without_area_is_empty(tmp_path: Path) -> None:
    data = b"OFF\n3 1 0\n0 0 0\n1 0 0\n2 0 0\n3 0 1 2\n"
    assert _read(tmp_path, "flat.off", data) is None


def test_indices_out_of_range_are_refused(tmp_path: Path) -> None:
    data = b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n"
    with pytest.raises(GeometryError, match="cannot be read"):
        _read(tmp_path, "bad.off", data)


def test_what_an_obj_names_beside_itself_is_not_opened(tmp_path: Path) -> None:
    data = _export(".obj").replace(b"model.mtl", b"/etc/passwd")
    assert _volume(_read(tmp_path, "box.obj", data)) == pytest.approx(6000.0)


def test_a_file_that_changed_since_the_program_ran_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GeometryError, match="changed since") as caught:
        _read(tmp_path, "box.stl", _export(".stl"), content=content_hash(b"before"))
    assert caught.value.code == "IMPORT_FAILED"


def test_without_a_workspace_nothing_is_read() -> None:
    document, node = _document("box.stl", (1.0, 1.0, 1.0), "00")
    with pytest.raises(GeometryError, match="no folder") as caught:
        read_mesh_file(document, node, None)
    assert caught.value.code == "IMPORT_FAILED"


@pytest.mark.parametrize(("path", "kind"), [("../box.stl", PathRefused), ("absent.stl", FileMissing)])
def test_errors_of_the_path_know_the_call(tmp_path: Path, path: str, kind: type[VcadError]) -> None:
    document, node = _document(path, (1.0, 1.0, 1.0), "00")
    with pytest.raises(kind) as caught:
        read_mesh_file(document, node, Workspace(tmp_path))
    assert caught.value.place is not None
    assert caught.value.details["operation"] == "import-mesh"
