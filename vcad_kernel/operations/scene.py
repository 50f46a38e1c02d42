"""Parts, and materials: a name and how its surface looks (metallic-roughness PBR)."""

from typing import Annotated, ClassVar, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

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


Alpha: TypeAlias = Annotated[float, Meta(ge=0.0, le=1.0)]


class Material(Record):
    """A named PBR definition; colour, metallic, roughness and alpha are in 0..1."""

    GIVES: ClassVar[str] = "Material"

    name: str
    color: tuple[float, float, float]
    """Base colour, sRGB components in 0..1."""
    metallic: float = 0.0
    roughness: float = 0.5
    density: float | None = None
    """kg/m³."""
    friction: float | None = None
    alpha: Alpha | UnsetType = UNSET
    """Share of the light from behind that it holds back. Unset, and written nowhere, where that is all."""

    def __post_init__(self) -> None:
        """What holds back all of the light says nothing of it, so that equal looks are equal values."""
        if self.alpha == 1.0:
            msgspec.structs.force_setattr(self, "alpha", UNSET)

    def __repr__(self) -> str:
        """Without an alpha that is unset: digests of scenes are made of this text."""
        said = [
            f"{name}={value!r}" for name, value in msgspec.structs.asdict(self).items() if value is not UNSET
        ]
        return f"Material({', '.join(said)})"

    @property
    def opacity(self) -> float:
        """0..1: the alpha; 1 for what nothing is seen through."""
        return 1.0 if isinstance(self.alpha, UnsetType) else self.alpha

    @property
    def is_clear(self) -> bool:
        """Whether what lies behind it is seen."""
        return self.alpha is not UNSET


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
