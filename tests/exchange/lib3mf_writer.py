"""The same 3MF packages by lib3mf, the consortium's own library."""

from __future__ import annotations

import locale
import uuid
from collections.abc import Sequence
from pathlib import Path

import lib3mf
import numpy as np

from vcad_kernel.exchange.palette import distinct_materials
from vcad_kernel.geometry.tri_mesh import PartMesh

_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "vcad-workbench/3mf")


def package(parts: Sequence[PartMesh], stem: str, folder: Path) -> bytes:
    """One object per part, in the build where it is."""
    wrapper = lib3mf.Wrapper()
    model = wrapper.CreateModel()
    model.SetUnit(lib3mf.ModelUnit.MilliMeter)
    model.SetBuildUUID(str(uuid.uuid5(_NAMESPACE, stem)))
    group = model.AddBaseMaterialGroup()
    colors = {}
    for material in distinct_materials(parts):
        red, green, blue = (round(255 * value) for value in material.color)
        colors[material] = group.AddMaterial(material.name, wrapper.RGBAToColor(red, green, blue, 255))
    for number, part in enumerate(parts):
        solid = model.AddMeshObject()
        solid.SetName(part.name)
        solid.SetUUID(str(uuid.uuid5(_NAMESPACE, f"{stem}/object/{number}")))
        positions, triangles = part.mesh.positions.astype(np.float32), part.mesh.indices.copy()
        solid.SetGeometry(
            (lib3mf.Position * len(positions)).from_buffer(positions),
            (lib3mf.Triangle * len(triangles)).from_buffer(triangles),
        )
        solid.SetObjectLevelProperty(group.GetResourceID(), colors[part.material])
        item = model.AddBuildItem(solid, wrapper.GetIdentityTransform())
        item.SetUUID(str(uuid.uuid5(_NAMESPACE, f"{stem}/item/{number}")))
    # its writer leaves the process in the C locale
    before = locale.setlocale(locale.LC_ALL)
    try:
        model.QueryWriter("3mf").WriteToFile(str(folder / "by_lib3mf.3mf"))
    finally:
        locale.setlocale(locale.LC_ALL, before)
    return (folder / "by_lib3mf.3mf").read_bytes()
