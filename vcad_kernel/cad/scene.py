"""Solids that are data or files, and parts with their materials."""

from __future__ import annotations

from typing import Final

from vcad_kernel.cad.signature import Kind, Parameter, Signature, parameters_of, solid

__all__ = ["SCENE"]

SCENE: Final[tuple[Signature, ...]] = (
    solid(
        "ImportedMesh",
        "ImportedMesh",
        "positions:reals indices:indices normals:reals",
        "A closed triangle mesh as a solid: x y z of each corner in turn, three indices from 0 per "
        "triangle; normals may be #[].",
        "[ImportedMesh positions indices #[]]",
        "[let positions #[0 0 0  9 0 0  0 9 0  0 0 9]]\n"
        "[let indices #[0 2 1  0 1 3  0 3 2  1 2 3]]\n"
        "[ImportedMesh positions indices #[]]",
    ),
    Signature(
        "import-mesh",
        "ImportMesh",
        parameters_of("path:text"),
        "Solid",
        "Mesh file as a solid, in millimetres. The path counts from the workspace; a mesh takes part in "
        "booleans but has no exact body.",
        '[import-mesh "bracket.stl"]',
    ),
    Signature(
        "import-mesh-scaled",
        "ImportMeshScaled",
        parameters_of("sx sy sz path:text"),
        "Solid",
        "Mesh file as a solid, scaled about the origin. 25.4 thrice takes inches to millimetres.",
        '[import-mesh-scaled 25.4 25.4 25.4 "bracket.stl"]',
    ),
    Signature(
        "import-step",
        "ImportStep",
        parameters_of("path:text"),
        "Solid",
        "First body of a STEP file as a solid. The path counts from the workspace.",
        '[import-step "bracket.step"]',
    ),
    Signature(
        "import-step-body",
        "ImportStepBody",
        parameters_of("path:text i:index"),
        "Solid",
        "Body of a STEP file by its number, from 0.",
        '[import-step-body "bracket.step" 0]',
    ),
    Signature(
        "root",
        "SceneEntry",
        (Parameter("s", Kind.SOLID), Parameter("material", Kind.TEXT)),
        "SceneEntry",
        "A part with the name of its material. The two may be swapped, for pipes.",
        '[root [cube 10 10 10] "steel"]',
        swappable=True,
    ),
    Signature(
        "root-named",
        "NamedEntry",
        parameters_of("s:solid material:text name:text"),
        "SceneEntry",
        "A part with the name of its material and a name of its own. The solid may also come last, for "
        "pipes.",
        '[root-named [cube 10 10 10] "steel" "block"]',
        swappable=True,
    ),
    Signature(
        "material",
        "Material",
        parameters_of("name:text r g b metallic roughness"),
        "Material",
        "What a material looks like; all numbers in 0..1.",
        '[material "brass" 0.8 0.6 0.2 1.0 0.3]',
        program='#[[material "brass" 0.8 0.6 0.2 1.0 0.3] [root [cylinder 6 9] "brass"]]',
    ),
)
