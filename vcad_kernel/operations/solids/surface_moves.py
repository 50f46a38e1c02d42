"""Surfaces moved, turned, enlarged and reflected, with the side that they show. Lengths are millimetres."""

from typing import ClassVar

from vcad_kernel.operations.arguments import Degrees, Mm, Real, Surface
from vcad_kernel.operations.bodies.transforms import ORIGIN, Mirror, Rotate, Scale, Translate, X, Y, Z
from vcad_kernel.operations.numbers import scaled_evenly
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import TRANSFORMS

__all__ = ["SurfaceMirror", "SurfaceRotate", "SurfaceScale", "SurfaceTranslate"]

_SAIL = "[patch #[[path-polyline 0 #[0 0 0  20 0 4  20 20 0  0 20 4  0 0 0]]] #[]]"
"""A surface between four straight edges, as examples move it."""


class SurfaceTranslate(Translate):
    """Move a surface by offset."""

    GIVES: ClassVar[str] = "Surface"


@operation(
    TRANSFORMS,
    f"[translate 0 0 8 {_SAIL}]",
    f"[thicken 1 [translate 0 0 8 {_SAIL}]]",
    name="translate",
    variant="SurfaceTranslate",
)
def surface_translate(x: Mm, y: Mm, z: Mm, s: Surface) -> SurfaceTranslate:
    """What a moved surface is thickened to is what it was thickened to, moved."""
    return SurfaceTranslate(s, (x, y, z))


class SurfaceRotate(Rotate):
    """Turn a surface about the world origin."""

    GIVES: ClassVar[str] = "Surface"


@operation(
    TRANSFORMS,
    f"[rotate 90 0 0 {_SAIL}]",
    f"[thicken 1 [rotate 90 0 0 {_SAIL}]]",
    name="rotate",
    variant="SurfaceRotate",
)
def surface_rotate(x: Degrees, y: Degrees, z: Degrees, s: Surface) -> SurfaceRotate:
    return SurfaceRotate(s, (x, y, z))


class SurfaceScale(Scale):
    """Enlarge a surface about the world origin."""

    GIVES: ClassVar[str] = "Surface"

    def check(self) -> None:
        """One factor in all directions."""
        scaled_evenly("a surface", self.factor)


@operation(
    TRANSFORMS,
    f"[scale 2 2 2 {_SAIL}]",
    f"[thicken 1 [scale 2 2 2 {_SAIL}]]",
    name="scale",
    variant="SurfaceScale",
)
def surface_scale(x: Real, y: Real, z: Real, s: Surface) -> SurfaceScale:
    """A surface is scaled by one factor in all directions, too."""
    return SurfaceScale(s, (x, y, z))


class SurfaceMirror(Mirror):
    """Reflect a surface in a plane."""

    GIVES: ClassVar[str] = "Surface"


@operation(
    TRANSFORMS,
    f"[mirror 5 0 0 1 0 0 {_SAIL}]",
    f"[thicken 1 [mirror 5 0 0 1 0 0 {_SAIL}]]",
    name="mirror",
    variant="SurfaceMirror",
)
def surface_mirror(ox: Mm, oy: Mm, oz: Mm, nx: Real, ny: Real, nz: Real, s: Surface) -> SurfaceMirror:
    return SurfaceMirror(s, (ox, oy, oz), (nx, ny, nz))


@operation(
    TRANSFORMS,
    f"[mirror-x {_SAIL}]",
    f"[thicken 1 [mirror-x {_SAIL}]]",
    name="mirror-x",
    variant="SurfaceMirrorX",
)
def surface_mirror_x(s: Surface) -> SurfaceMirror:
    return SurfaceMirror(s, ORIGIN, X)


@operation(
    TRANSFORMS,
    f"[mirror-y {_SAIL}]",
    f"[thicken 1 [mirror-y {_SAIL}]]",
    name="mirror-y",
    variant="SurfaceMirrorY",
)
def surface_mirror_y(s: Surface) -> SurfaceMirror:
    return SurfaceMirror(s, ORIGIN, Y)


@operation(
    TRANSFORMS,
    f"[mirror-z {_SAIL}]",
    f"[thicken 1 [mirror-z {_SAIL}]]",
    name="mirror-z",
    variant="SurfaceMirrorZ",
)
def surface_mirror_z(s: Surface) -> SurfaceMirror:
    return SurfaceMirror(s, ORIGIN, Z)
