import io

import manifold3d
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vcad_kernel.geometry.tri_mesh import PartMesh, TriMesh
from vcad_kernel.operations.scene import Material

RED = Material("red", (0.8, 0.1, 0.1))
BLUE = Material("blue", (0.1, 0.2, 0.8))


def part(solid: manifold3d.Manifold, material: Material = RED, name: str = "part") -> PartMesh:
    read = solid.to_mesh64()
    return PartMesh(name, TriMesh.of(np.asarray(read.vert_properties)[:, :3], read.tri_verts), material)


def box(x: float, y: float, z: float, at: tuple[float, float, float] = (0, 0, 0)) -> manifold3d.Manifold:
    return manifold3d.Manifold.cube([x, y, z]).translate(list(at))


def pixels_of(png: bytes) -> NDArray[np.int16]:
    """The picture as (height, width, 3), decoded by Pillow."""
    with Image.open(io.BytesIO(png)) as image:
        assert image.format == "PNG"
        return np.asarray(image.convert("RGB"), np.int16)


def reddish(pixels: NDArray[np.int16]) -> NDArray[np.bool_]:
    return (pixels[..., 0] - pixels[..., 2] > 40) & (pixels[..., 0] > 90)


def bluish(pixels: NDArray[np.int16]) -> NDArray[np.bool_]:
    return (pixels[..., 2] - pixels[..., 0] > 40) & (pixels[..., 2] > 70)


def dark(pixels: NDArray[np.int16]) -> NDArray[np.bool_]:
    return np.asarray(pixels.max(axis=-1) < 75)
