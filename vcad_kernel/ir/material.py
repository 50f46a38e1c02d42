"""Materials: a name and how its surface looks (metallic-roughness PBR)."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["DEFAULT_MATERIAL", "Material", "undefined_material"]


@dataclass(frozen=True, slots=True)
class Material:
    """A named PBR definition; colour, metallic and roughness are in 0..1."""

    name: str
    color: tuple[float, float, float]
    """Base colour, sRGB components in 0..1."""
    metallic: float = 0.0
    roughness: float = 0.5
    density: float | None = None
    friction: float | None = None


DEFAULT_MATERIAL = Material("default", (0.8, 0.8, 0.8))


def undefined_material(name: str) -> Material:
    """What a material looks like that a document names and does not define."""
    return replace(DEFAULT_MATERIAL, name=name)
