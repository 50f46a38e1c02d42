"""Parts, and materials: a name and how its surface looks (metallic-roughness PBR)."""

from typing import ClassVar

import msgspec

from vcad_kernel.operations.arguments import Real, Solid, String
from vcad_kernel.operations.node import NodeId, Record
from vcad_kernel.operations.numbers import invalid
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import SCENES

__all__ = ["DEFAULT_MATERIAL", "Material", "SceneEntry", "undefined_material"]


class SceneEntry(Record):
    """A part: a solid, the name of its material, and its own."""

    GIVES: ClassVar[str] = "SceneEntry"

    solid: NodeId
    material: str
    name: str | None = None
    look: "Material | None" = None
    """What the material is, where the entry says it itself; it takes the place of an earlier definition."""


@operation(SCENES, '[root [cube 10 10 10] "steel"]', variant="SceneEntry", swappable=True)
def root(s: Solid, material: String) -> SceneEntry:
    """A part with the name of its material. The two may be swapped, for pipes."""
    return SceneEntry(s, material)


@operation(SCENES, '[root-named [cube 10 10 10] "steel" "block"]', variant="NamedEntry", swappable=True)
def root_named(s: Solid, material: String, name: String) -> SceneEntry:
    """A part with the name of its material and a name of its own. The solid may also come last, for
    pipes."""
    return SceneEntry(s, material, name)


class Material(Record):
    """A named PBR definition; colour, metallic and roughness are in 0..1."""

    GIVES: ClassVar[str] = "Material"

    name: str
    color: tuple[float, float, float]
    """Base colour, sRGB components in 0..1."""
    metallic: float = 0.0
    roughness: float = 0.5
    density: float | None = None
    """kg/m³."""
    friction: float | None = None


@operation(
    SCENES,
    '[material "brass" 0.8 0.6 0.2 1.0 0.3]',
    '#[[material "brass" 0.8 0.6 0.2 1.0 0.3] [root [cylinder 6 9] "brass"]]',
)
def material(name: String, r: Real, g: Real, b: Real, metallic: Real, roughness: Real) -> Material:
    """What a material looks like; all numbers in 0..1."""
    numbers = {"r": r, "g": g, "b": b, "metallic": metallic, "roughness": roughness}
    for argument, number in numbers.items():
        if not 0.0 <= number <= 1.0:
            raise invalid(argument, f"must be in 0..1, got {number:g}")
    return Material(name, (r, g, b), metallic, roughness)


DEFAULT_MATERIAL = Material("default", (0.8, 0.8, 0.8))


def undefined_material(name: str) -> Material:
    """What a material looks like that a document names and does not define."""
    return msgspec.structs.replace(DEFAULT_MATERIAL, name=name)
