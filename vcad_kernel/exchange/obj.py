"""Wavefront OBJ with its MTL file: one object per part, shared vertices, smooth normals.

Millimetres and Z up, as the model has them; the format cannot say either.
"""

from __future__ import annotations

from collections.abc import Sequence

from vcad_kernel.exchange.digits import decimals_for, fixed_rows, integer_rows
from vcad_kernel.exchange.palette import distinct_materials, one_word, unique
from vcad_kernel.geometry.mesh.surface.edges import crease_normals
from vcad_kernel.geometry.tri_mesh import PartMesh
from vcad_kernel.operations.scene import Material

__all__ = ["encode"]

_NORMAL_DECIMALS = 5


def encode(parts: Sequence[PartMesh], stem: str) -> dict[str, bytes]:
    """The parts as OBJ text and, beside it, their materials as ``stem.mtl``."""
    numbers = distinct_materials(parts)
    words = unique(one_word(material.name, "material") for material in numbers)
    objects = unique(one_word(part.name, "part") for part in parts)
    pieces = [f"# millimetres, Z up\nmtllib {stem}.mtl\n".encode()]
    vertices = normals = 1
    for part, name in zip(parts, objects, strict=True):
        mesh = part.mesh
        _, directions, corners = crease_normals(mesh)
        places = mesh.indices.astype(int) + vertices
        turns = corners.astype(int) + normals
        columns = [column for corner in range(3) for column in (places[:, corner], turns[:, corner])]
        pieces += [
            f"o {name}\n".encode(),
            fixed_rows(mesh.positions, decimals_for(mesh.positions), head=b"v "),
            fixed_rows(directions, _NORMAL_DECIMALS, head=b"vn "),
            f"usemtl {words[numbers[part.material]]}\n".encode(),
            integer_rows(columns, head=b"f ", gaps=(b"//", b" ", b"//", b" ", b"//")),
        ]
        vertices += mesh.vertex_count
        normals += len(directions)
    library = "\n".join(_material(word, material) for word, material in zip(words, numbers, strict=True))
    return {".obj": b"".join(pieces), ".mtl": library.encode()}


def _material(word: str, material: Material) -> str:
    """One MTL entry; Pm and Pr are the widespread PBR extension, Ks and Ns serve older readers."""
    red, green, blue = material.color
    shine = 0.04 + 0.5 * material.metallic
    exponent = 1 + 250 * (1 - material.roughness) ** 2
    return (
        f"newmtl {word}\nKd {red:.6g} {green:.6g} {blue:.6g}\nKs {shine:.3g} {shine:.3g} {shine:.3g}\n"
        f"Ns {exponent:.4g}\nd {material.opacity:.6g}\nillum 2\n"
        f"Pm {material.metallic:.6g}\nPr {material.roughness:.6g}\n"
    )
