"""Surfaces, which have no thickness, and the solids that they become. Lengths are millimetres."""

import itertools
import math
from typing import Annotated, ClassVar, TypeAlias

from vcad_kernel.operations.arguments import Given, Mm, Numbers, Several, Surface
from vcad_kernel.operations.node import Add, Node, NodeId, Vec3
from vcad_kernel.operations.numbers import LINEAR, XYZ, finite_vector, invalid, within_reach
from vcad_kernel.operations.profiles.paths import AnyPath, Tracks, WrittenPath
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import SURFACES

__all__ = ["Patch", "Thicken"]

SpacePoints: TypeAlias = Annotated[tuple[Vec3, ...], Given(Several(Numbers(3)), "mm")]

_HILL = """[let foot [path-polyline 0 #[0 20 0  0 0 0  30 0 0  30 20 0]]]
[let arch [on [plane {:at #[0 20 0] :normal #[0 -1 0]}]
  [path-2d 30 0 #[[arc-to {:sagitta 6} 0 0]]]]]
"""
"""Three straight edges and an arch, as examples span them."""


class Patch(Node):
    """The surface within paths that close one outline, through points."""

    GIVES: ClassVar[str] = "Surface"
    FAILURE: ClassVar[str] = "PATCH_FAILED"
    CURVED: ClassVar[bool] = True

    edges: tuple[NodeId, ...]
    points: tuple[Vec3, ...]

    def children(self) -> tuple[NodeId, ...]:
        """The paths."""
        return self.edges

    def check(self) -> None:
        """An edge, and points apart from each other."""
        if not self.edges:
            raise invalid("edges", "must be paths that close one outline, got none")
        for point in self.points:
            finite_vector(XYZ, point)
        for (i, one), (j, other) in itertools.combinations(enumerate(self.points, 1), 2):
            if math.dist(one, other) <= LINEAR:
                raise invalid("points", f"{i} and {j} coincide")


@operation(
    SURFACES,
    "[patch #[foot arch] #[#[15 10 5]]]",
    _HILL + "[thicken 1.5 [patch #[foot arch] #[#[15 10 5]]]]",
)
def patch(edges: Tracks, points: SpacePoints, *, add: Add) -> Patch:
    """Surface that spans an outline in space and goes through points #[#[x y z] …], of which there may be
    none. The edges are paths that meet end to end, in any order and either way round. It bends as little as
    it may: where nothing holds it, it swings on, and a point there holds it. Edges in one plane, with no
    points outside of it, give that plane's region exactly; any other surface is ≈, within the bound that the
    figures name."""
    nodes = [add(WrittenPath(edge)) if isinstance(edge, AnyPath) else edge for edge in edges]
    return Patch(tuple(nodes), points)


class Thicken(Node):
    """The solid of constant thickness on one side of a surface."""

    FAILURE: ClassVar[str] = "THICKEN_FAILED"
    CURVED: ClassVar[bool] = True

    surface: Surface
    thickness: Mm

    def children(self) -> tuple[NodeId, ...]:
        """The surface."""
        return (self.surface,)

    def check(self) -> None:
        """A thickness."""
        within_reach("t", self.thickness)
        if self.thickness == 0.0:
            raise invalid("t", "must not be 0: the solid would have no thickness")
        if abs(self.thickness) <= LINEAR:
            raise invalid("t", f"must be thicker than {LINEAR:g} mm, got {self.thickness:g}")


@operation(SURFACES, "[thicken 1.5 hood]", _HILL + "[let hood [patch #[foot arch] #[]]]\n[thicken 1.5 hood]")
def thicken(t: Mm, surface: Surface) -> Thicken:
    """Solid of a surface, t thick along its normals. It is on the side from which the first edge of the patch
    runs counter-clockwise around it, or with t below 0 on the other. A t that is too large for the curvature
    is refused with the largest that works."""
    return Thicken(surface, t)
