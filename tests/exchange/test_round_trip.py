"""Every format is read back by a reader that shares no code with our writers."""

import io
import json
import struct
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import collada
import numpy as np
import pytest
import trimesh
from msgspec import structs

from tests.exchange.collada_reader import parts_of
from tests.exchange.conftest import Scene
from tests.exchange.test_formats import MESH_SUFFIXES
from vcad_kernel.exchange import formats
from vcad_kernel.geometry.tri_mesh import PartMesh, TriMesh
from vcad_kernel.operations.scene import Material


def assert_solid(found: trimesh.Trimesh, volume: float, bounds: np.ndarray) -> None:
    assert found.is_watertight
    assert found.is_winding_consistent
    assert found.volume == pytest.approx(volume, rel=1e-6)
    assert found.bounds == pytest.approx(bounds, abs=1e-5)


def lib3mf_objects(target: Path) -> list[tuple[Any, Any]]:
    """The mesh objects of a 3MF file with their model, read strictly and without a warning."""
    lib3mf = pytest.importorskip("lib3mf", reason="lib3mf has no wheel for this platform")
    model = lib3mf.Wrapper().CreateModel()
    reader = model.QueryReader("3mf")
    reader.SetStrictModeActive(True)
    reader.ReadFromFile(str(target))
    assert reader.GetWarningCount() == 0
    objects = model.GetMeshObjects()
    found = []
    while objects.MoveNext():
        found.append((model, objects.GetCurrentMeshObject()))
    return found


def lib3mf_mesh(solid: Any) -> trimesh.Trimesh:
    points = np.array([list(point.Coordinates) for point in solid.GetVertices()])
    return trimesh.Trimesh(points, [list(face.Indices) for face in solid.GetTriangleIndices()], process=False)


def volume_in(target: Path) -> float:
    """Volume of all parts in a file, in its own units."""
    if target.suffix == ".3mf":
        return sum(lib3mf_mesh(solid).volume for _, solid in lib3mf_objects(target))
    if target.suffix == ".dae":
        return float(sum(part.mesh.volume for part in parts_of(target)))
    return float(trimesh.load_scene(target, process=False).to_mesh().volume)


def test_stl_holds_all_parts_as_one_closed_surface(scene: Scene, tmp_path: Path) -> None:
    target = tmp_path / "model.stl"
    size = formats.write(target, scene.parts)
    assert size == target.stat().st_size == 84 + 50 * sum(part.mesh.triangle_count for part in scene.parts)
    found = trimesh.load_mesh(target)
    whole = np.stack(list(scene.bounds.values()))
    assert_solid(found, sum(scene.volumes.values()), np.stack([whole[:, 0].min(0), whole[:, 1].max(0)]))


def test_stl_normals_point_outwards(scene: Scene) -> None:
    data = formats.encode(".stl", scene.parts)[".stl"]
    found = trimesh.load_mesh(io.BytesIO(data), file_type="stl", process=False)
    stored = np.frombuffer(data[84:], np.dtype([("n", "<f4", 3), ("rest", "V38")]))["n"]
    assert stored == pytest.approx(found.face_normals, abs=1e-4)


def test_obj_keeps_parts_names_and_colours(scene: Scene, tmp_path: Path) -> None:
    formats.write(tmp_path / "model.obj", scene.parts)
    found = trimesh.load_scene(tmp_path / "model.obj", split_objects=True, group_material=False)
    assert set(found.geometry) == {"plate", "pin"}
    for name, mesh in found.geometry.items():
        assert mesh.visual.material.diffuse[:3] == pytest.approx(
            np.multiply(scene.colors[name], 255), abs=1.0
        )
        mesh.merge_vertices(merge_norm=True, merge_tex=True)
        assert_solid(mesh, scene.volumes[name], scene.bounds[name])


def test_obj_names_its_material_file(scene: Scene, tmp_path: Path) -> None:
    formats.write(tmp_path / "Träger 2.obj", scene.parts)
    assert "mtllib Träger 2.mtl\n" in (tmp_path / "Träger 2.obj").read_text("utf-8")
    assert "newmtl signal_red\n" in (tmp_path / "Träger 2.mtl").read_text("utf-8")


def test_glb_shows_upright_in_metres_with_names_and_colours(scene: Scene, tmp_path: Path) -> None:
    formats.write(tmp_path / "model.glb", scene.parts)
    found = trimesh.load_scene(tmp_path / "model.glb")
    assert set(found.graph.nodes_geometry) == {"plate", "pin"}
    for name in ("plate", "pin"):
        placed, geometry = found.graph.get(name)
        mesh = found.geometry[geometry].copy()
        material = mesh.visual.material
        mesh.apply_transform(placed)
        mesh.merge_vertices(merge_norm=True)
        x, y, z = (scene.bounds[name] / 1000.0).T
        turned = np.sort(np.stack([x, z, -y], axis=1), axis=0)
        assert mesh.is_watertight
        assert mesh.volume == pytest.approx(scene.volumes[name] * 1e-9, rel=1e-5)
        assert mesh.bounds == pytest.approx(turned, abs=1e-8)
        srgb = np.array(scene.colors[name])
        light = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
        assert np.asarray(material.baseColorFactor[:3]) / 255 == pytest.approx(light, abs=1 / 255)
        assert (material.metallicFactor, material.roughnessFactor) == (
            (1.0, 0.3) if name == "pin" else (0.0, 0.5)
        )


def test_glb_chunks_are_aligned_and_add_up(scene: Scene) -> None:
    data = formats.encode(".glb", scene.parts, stem="schön")[".glb"]
    magic, version, total, json_size = struct.unpack_from("<4sIII", data)
    assert (magic, version, total) == (b"glTF", 2, len(data))
    assert json_size % 4 == 0
    document = json.loads(data[20 : 20 + json_size])
    binary_size, kind = struct.unpack_from("<I4s", data, 20 + json_size)
    assert kind == b"BIN\0"
    assert binary_size == document["buffers"][0]["byteLength"] == len(data) - 28 - json_size
    assert all(view["byteOffset"] % 4 == 0 for view in document["bufferViews"])
    assert document["nodes"][0]["name"] == "schön"


def test_dae_is_read_by_pycollada_with_units_axes_colours_and_normals(scene: Scene, tmp_path: Path) -> None:
    formats.write(tmp_path / "model.dae", scene.parts)
    found = collada.Collada(str(tmp_path / "model.dae"))
    assert found.errors == []
    assert found.assetInfo.unitmeter == 0.001
    assert found.assetInfo.upaxis == "Z_UP"
    assert [node.xmlnode.get("name") for node in found.scene.nodes] == ["plate", "pin"]
    for part in parts_of(tmp_path / "model.dae"):
        assert part.color == pytest.approx(scene.colors[part.name], abs=1e-6)
        assert_solid(part.mesh, scene.volumes[part.name], scene.bounds[part.name])
        for direction, corner_normals in zip(part.directions(), part.normals, strict=True):
            assert (corner_normals @ direction).min() > np.cos(np.radians(30.0))


def test_3mf_keeps_millimetres_names_and_colours(scene: Scene, tmp_path: Path) -> None:
    formats.write(tmp_path / "model.3mf", scene.parts)
    objects = lib3mf_objects(tmp_path / "model.3mf")
    for (model, solid), name in zip(objects, ("plate", "pin"), strict=True):
        assert model.GetUnit().name == "MilliMeter"
        assert solid.GetName() == name
        assert solid.IsManifoldAndOriented()
        assert_solid(lib3mf_mesh(solid), scene.volumes[name], scene.bounds[name])
        group, number, _ = solid.GetObjectLevelProperty()
        color = model.GetBaseMaterialGroupByID(group).GetDisplayColor(number)
        assert (color.Red, color.Green, color.Blue) == tuple(round(255 * c) for c in scene.colors[name])
        assert model.GetBaseMaterialGroupByID(group).GetName(number) == (
            "signal_red" if name == "plate" else "steel"
        )


def test_what_lets_light_through_does_so_in_every_file_with_colours(scene: Scene, tmp_path: Path) -> None:
    parts = [replace(part, material=structs.replace(part.material, alpha=0.6)) for part in scene.parts[:1]]
    for suffix in (".obj", ".glb", ".dae", ".3mf"):
        formats.write(tmp_path / f"model{suffix}", [*parts, *scene.parts[1:]])
    library = (tmp_path / "model.mtl").read_text().splitlines()
    assert [line for line in library if line.startswith("d ")] == ["d 0.6", "d 1"]
    plate, pin = (
        trimesh.load_scene(tmp_path / "model.glb").geometry[name].visual.material for name in ("plate", "pin")
    )
    assert (plate.alphaMode, plate.baseColorFactor[3]) == ("BLEND", 153)
    assert (pin.alphaMode, pin.baseColorFactor[3]) == (None, 255)
    clear, opaque = collada.Collada(str(tmp_path / "model.dae")).effects
    assert (clear.opaque_mode, clear.transparency, clear.transparent) == ("A_ONE", 0.6, (1.0, 1.0, 1.0, 1.0))
    assert opaque.transparent is None
    alphas = []
    for model, solid in lib3mf_objects(tmp_path / "model.3mf"):
        group, number, _ = solid.GetObjectLevelProperty()
        alphas.append(model.GetBaseMaterialGroupByID(group).GetDisplayColor(number).Alpha)
    assert alphas == [153, 255]


def test_3mf_is_the_same_model_to_a_plain_xml_reader(scene: Scene, tmp_path: Path) -> None:
    formats.write(tmp_path / "model.3mf", scene.parts)
    with zipfile.ZipFile(tmp_path / "model.3mf") as package:
        model = ElementTree.fromstring(package.read("3D/3dmodel.model"))
    assert model.get("unit") == "millimeter"
    core = {"": "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"}
    solids = model.findall("resources/object", core)
    assert [solid.get("name") for solid in solids] == ["plate", "pin"]
    items = {item.get("objectid") for item in model.findall("build/item", core)}
    assert items == {solid.get("id") for solid in solids}
    for solid, name in zip(solids, ("plate", "pin"), strict=True):
        points = [[float(v.get(k, "")) for k in "xyz"] for v in solid.iterfind(".//vertex", core)]
        faces = [[int(t.get(k, "")) for k in ("v1", "v2", "v3")] for t in solid.iterfind(".//triangle", core)]
        assert_solid(trimesh.Trimesh(points, faces), scene.volumes[name], scene.bounds[name])


@pytest.mark.parametrize("suffix", MESH_SUFFIXES)
def test_names_in_any_script_and_with_markup_survive(scene: Scene, suffix: str, tmp_path: Path) -> None:
    mesh = scene.parts[0].mesh
    odd = Material('Lack "rot" <1> & 赤', (1.0, 0.0, 0.0))
    target = tmp_path / f"größe & ß{suffix}"
    formats.write(target, [PartMesh("Träger <a> & b", mesh, odd), PartMesh("Träger <a> & b", mesh, odd)])
    cubic = 1e-9 if suffix == ".glb" else 1.0
    assert volume_in(target) == pytest.approx(2 * scene.volumes["plate"] * cubic, rel=1e-5)
    if suffix == ".3mf":
        assert [solid.GetName() for _, solid in lib3mf_objects(target)] == ["Träger <a> & b"] * 2


def test_dae_names_are_plain_words_and_the_full_name_stands_beside(scene: Scene, tmp_path: Path) -> None:
    part = scene.parts[0]
    target = tmp_path / "model.dae"
    formats.write(target, [PartMesh("Träger <a> & b", part.mesh), PartMesh("Träger <a> & b", part.mesh)])
    found = collada.Collada(str(target))
    assert [node.xmlnode.get("name") for node in found.scene.nodes] == ["Träger_a_b", "Träger_a_b-2"]
    assert target.read_text("utf-8").count("<name>Träger &lt;a&gt; &amp; b</name>") == 2


@pytest.mark.parametrize("suffix", MESH_SUFFIXES)
@pytest.mark.parametrize("size", [1e-3, 1e6])
def test_minute_and_huge_parts_keep_their_shape(
    suffix: str, size: float, scene: Scene, tmp_path: Path
) -> None:
    mesh = scene.parts[0].mesh
    scaled = TriMesh(mesh.positions * (size / 40.0), mesh.indices)
    formats.write(tmp_path / f"model{suffix}", [PartMesh("plate", scaled)])
    cubic = 1e-9 if suffix == ".glb" else 1.0
    expected = scene.volumes["plate"] * (size / 40.0) ** 3 * cubic
    # 3MF is written with six decimals, which is a good part of a thousandth of a millimetre.
    tolerance = 2e-2 if suffix == ".3mf" and size < 1 else 1e-5
    assert volume_in(tmp_path / f"model{suffix}") == pytest.approx(expected, rel=tolerance)
