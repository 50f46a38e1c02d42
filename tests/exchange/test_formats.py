import locale
from pathlib import Path

import numpy as np
import pytest

from tests.exchange.conftest import Scene
from vcad_kernel.error_envelope import envelope
from vcad_kernel.errors import CapabilityUnavailable, ExportError
from vcad_kernel.exchange import formats
from vcad_kernel.geometry.tri_mesh import PartMesh, TriMesh
from vcad_kernel.system import files


def names_in(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


MESH_SUFFIXES = [suffix for suffix in formats.SUFFIXES if formats.needs_mesh(suffix)]


@pytest.mark.parametrize("suffix", MESH_SUFFIXES)
def test_equal_parts_give_equal_bytes(scene: Scene, suffix: str) -> None:
    assert formats.encode(suffix, scene.parts) == formats.encode(suffix, scene.parts)


@pytest.mark.parametrize("suffix", MESH_SUFFIXES)
def test_only_the_files_of_the_format_appear(scene: Scene, suffix: str, tmp_path: Path) -> None:
    size = formats.write(tmp_path / f"model{suffix}", scene.parts)
    companions = {"model.mtl"} if suffix == ".obj" else set()
    assert names_in(tmp_path) == {f"model{suffix}"} | companions
    assert size == (tmp_path / f"model{suffix}").stat().st_size


def test_the_suffix_counts_in_either_case_and_the_name_is_kept(scene: Scene, tmp_path: Path) -> None:
    formats.write(str(tmp_path / "MODEL.STL"), scene.parts)
    assert names_in(tmp_path) == {"MODEL.STL"}


@pytest.mark.parametrize("name", ["model.xyz", "model"])
def test_an_unknown_suffix_lists_the_known_ones(scene: Scene, name: str, tmp_path: Path) -> None:
    with pytest.raises(
        ExportError, match=r"\.3mf, \.dae, \.glb, \.obj, \.ops, \.step, \.stl, \.stp"
    ) as caught:
        formats.write(tmp_path / name, scene.parts)
    assert envelope(caught.value, "export")["error_code"] == "EXPORT_FAILED"
    assert names_in(tmp_path) == set()


@pytest.mark.parametrize("suffix", [".step", ".STP"])
def test_step_asks_for_a_capability_that_a_mesh_lacks(scene: Scene, suffix: str, tmp_path: Path) -> None:
    with pytest.raises(CapabilityUnavailable) as caught:
        formats.write(tmp_path / f"model{suffix}", scene.parts)
    assert caught.value.details["required_capability"] == "export.step"


def test_op_records_ask_for_a_model_that_a_mesh_lacks(scene: Scene, tmp_path: Path) -> None:
    with pytest.raises(CapabilityUnavailable) as caught:
        formats.write(tmp_path / "model.ops", scene.parts)
    assert caught.value.details["required_capability"] == "export.ops"
    assert names_in(tmp_path) == set()


def test_parts_without_a_surface_are_left_out(scene: Scene) -> None:
    nothing = PartMesh("nothing", TriMesh.empty())
    for suffix in MESH_SUFFIXES:
        assert formats.encode(suffix, [*scene.parts, nothing]) == formats.encode(suffix, scene.parts)


def test_nothing_at_all_is_refused_and_no_file_appears(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="nothing to export"):
        formats.write(tmp_path / "model.stl", [PartMesh("nothing", TriMesh.empty())])
    assert names_in(tmp_path) == set()


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
def test_coordinates_that_no_file_can_hold_are_refused(scene: Scene, bad: float, tmp_path: Path) -> None:
    broken = scene.parts[0].mesh.positions.copy()
    broken[3, 1] = bad
    part = PartMesh("broken", TriMesh(broken, scene.parts[0].mesh.indices))
    with pytest.raises(ExportError, match="'broken' has a coordinate"):
        formats.write(tmp_path / "model.stl", [part])
    assert names_in(tmp_path) == set()


def test_a_missing_folder_is_an_export_error(scene: Scene, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="No such file or directory"):
        formats.write(tmp_path / "absent" / "model.stl", scene.parts)


def test_a_file_in_place_of_the_folder_is_an_export_error(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ExportError, match="cannot write"):
        formats.write(tmp_path / "file" / "model.stl", scene.parts)


def test_a_folder_in_place_of_the_file_is_an_export_error(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "model.obj").mkdir()
    with pytest.raises(ExportError, match="folder"):
        formats.write(tmp_path / "model.obj", scene.parts)
    assert names_in(tmp_path) == {"model.obj"}


def test_a_read_only_file_stays_as_it_was(scene: Scene, tmp_path: Path) -> None:
    target = tmp_path / "model.stl"
    target.write_bytes(b"precious")
    target.chmod(0o444)
    with pytest.raises(ExportError, match="read-only"):
        formats.write(target, scene.parts)
    assert target.read_bytes() == b"precious"
    assert names_in(tmp_path) == {"model.stl"}


def test_a_disk_that_fills_up_leaves_the_old_files(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model.obj").write_bytes(b"old")
    (tmp_path / "model.mtl").write_bytes(b"old")
    whole = files._write

    def half(folder: int | None, path: Path, data: bytes, mode: int | None, *, durable: bool) -> None:
        whole(folder, path, data[: len(data) // 2], mode, durable=durable)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "_write", half)
    with pytest.raises(ExportError, match="No space left on device"):
        formats.write(tmp_path / "model.obj", scene.parts)
    assert {entry.name: entry.read_bytes() for entry in tmp_path.iterdir()} == {
        "model.obj": b"old",
        "model.mtl": b"old",
    }


def test_an_overwritten_file_keeps_its_permissions_and_its_link(scene: Scene, tmp_path: Path) -> None:
    target = tmp_path / "model.stl"
    target.write_bytes(b"old")
    target.chmod(0o640)
    (tmp_path / "link.stl").symlink_to(target)
    formats.write(tmp_path / "link.stl", scene.parts)
    assert (tmp_path / "link.stl").is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert target.stat().st_size > 84


def test_writing_leaves_the_locale_of_the_process_alone(scene: Scene, tmp_path: Path) -> None:
    before = locale.setlocale(locale.LC_ALL)
    for suffix in MESH_SUFFIXES:
        formats.write(tmp_path / f"model{suffix}", scene.parts)
    assert locale.setlocale(locale.LC_ALL) == before
