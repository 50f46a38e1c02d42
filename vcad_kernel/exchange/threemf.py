"""3MF through lib3mf: millimetres, one object per part with its name and base colour.

The library is loaded only when a 3MF is written. It gives every object a random UUID unless
one is set; ours follow from names and places, so equal models give equal bytes.
"""

from __future__ import annotations

import locale
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.errors import ExportError
from vcad_kernel.exchange.palette import distinct_materials
from vcad_kernel.geometry.tri_mesh import PartMesh

__all__ = ["encode"]

_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "vcad-workbench/3mf")


def encode(parts: Sequence[PartMesh], stem: str) -> dict[str, bytes]:
    """The parts as one 3MF package. Raises ExportError when lib3mf is missing or refuses."""
    try:
        import lib3mf
    except ImportError as missing:
        raise ExportError(
            "writing 3MF needs the lib3mf package",
            why=str(missing),
            fix="install lib3mf, or export to another format",
        ) from missing
    try:
        return {".3mf": _package(lib3mf, parts, stem)}
    except lib3mf.ELib3MFException as refused:
        raise ExportError("lib3mf refused the model", why=str(refused)) from refused


def _package(lib3mf: Any, parts: Sequence[PartMesh], stem: str) -> bytes:
    """The bytes of the package."""
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
        # whole arrays at once, in place of a call for each vertex
        solid.SetGeometry(
            _records(lib3mf.Position, part.mesh.positions.astype(np.float32)),
            _records(lib3mf.Triangle, part.mesh.indices.copy()),
        )
        solid.SetObjectLevelProperty(group.GetResourceID(), colors[part.material])
        # what is not in the build is not printed
        item = model.AddBuildItem(solid, wrapper.GetIdentityTransform())
        item.SetUUID(str(uuid.uuid5(_NAMESPACE, f"{stem}/item/{number}")))
    # WriteToBuffer composes everything twice and returns a list of integers.
    with _locale_kept(), tempfile.TemporaryDirectory(prefix="vcad-3mf-") as folder:
        written = Path(folder, "model.3mf")
        model.QueryWriter("3mf").WriteToFile(str(written))
        return written.read_bytes()


@contextmanager
def _locale_kept() -> Iterator[None]:
    """lib3mf's writer leaves the process in the C locale, where Python takes text for ASCII."""
    before = locale.setlocale(locale.LC_ALL)
    try:
        yield
    finally:
        locale.setlocale(locale.LC_ALL, before)


def _records(kind: Any, rows: NDArray[Any]) -> Any:
    """A ctypes array of lib3mf structs over the memory of a fresh C-contiguous array."""
    return (kind * len(rows)).from_buffer(rows)
