from collections.abc import Sequence
from dataclasses import dataclass

import manifold3d
import numpy as np
import pytest

from vcad_kernel.geometry.tri_mesh import PartMesh, TriMesh
from vcad_kernel.operations.scene import Material


@dataclass(frozen=True)
class Scene:
    """Parts with the figures that a true reader must find in them."""

    parts: Sequence[PartMesh]
    volumes: dict[str, float]
    bounds: dict[str, np.ndarray]
    colors: dict[str, tuple[float, float, float]]


def part_of(name: str, solid: manifold3d.Manifold, material: Material) -> PartMesh:
    read = solid.to_mesh64()
    return PartMesh(name, TriMesh.of(np.asarray(read.vert_properties)[:, :3], read.tri_verts), material)


@pytest.fixture
def scene() -> Scene:
    """A plate with a hole and, apart from it, a steel pin: two materials, negative coordinates."""
    plate = manifold3d.Manifold.cube([40.0, 20.0, 5.0]).translate([-20.0, -30.5, 0.0])
    plate -= manifold3d.Manifold.cylinder(9.0, 4.0, 4.0, 48).translate([0.0, -20.0, -1.0])
    pin = manifold3d.Manifold.cylinder(30.0, 3.25, 3.25, 48).translate([1.0 / 3.0, 10.0, -7.5])
    solids = {"plate": plate, "pin": pin}
    materials = {
        "plate": Material("signal_red", (0.8, 0.2, 0.1)),
        "pin": Material("steel", (0.6, 0.62, 0.65), metallic=1.0, roughness=0.3),
    }
    boxes = {name: np.array(solid.bounding_box()).reshape(2, 3) for name, solid in solids.items()}
    return Scene(
        [part_of(name, solid, materials[name]) for name, solid in solids.items()],
        {name: solid.volume() for name, solid in solids.items()},
        boxes,
        {name: material.color for name, material in materials.items()},
    )
