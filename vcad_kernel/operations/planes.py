"""Planes in space: where a profile is drawn, and on which face of a body.

A plane has an origin and axes x, y, z: a profile lies in x and y and grows along z. Lengths are
millimetres.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, ClassVar, Final, TypeAlias

from vcad_kernel.operations.arguments import Given, Key, Keys, Kind, Numbers, Sketch, Solid, keyed
from vcad_kernel.operations.bodies.transforms import ORIGIN, X, Y, Z
from vcad_kernel.operations.features.selections import Faces, Selector
from vcad_kernel.operations.node import Add, Node, NodeId, Vec3
from vcad_kernel.operations.numbers import direction, finite_vector, invalid
from vcad_kernel.operations.profiles.path_transforms import Motion, path_moved
from vcad_kernel.operations.profiles.paths import AnyPath, DrawnPath, Track, WrittenPath
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import PROFILES

__all__ = [
    "PLANES",
    "Face",
    "FacePlane",
    "On",
    "OnPath",
    "PlaneAt",
    "face_node",
    "level_axis",
    "plane_node",
]

_BACK_X: Vec3 = (-1.0, 0.0, 0.0)
_BACK_Y: Vec3 = (0.0, -1.0, 0.0)
_BACK_Z: Vec3 = (0.0, 0.0, -1.0)

PLANES: Final[Mapping[str, tuple[Vec3, Vec3]]] = MappingProxyType(
    {
        "xy": (X, Z),
        "xz": (X, _BACK_Y),
        "yz": (Y, X),
        "yx": (Y, _BACK_Z),
        "zx": (Z, Y),
        "zy": (Z, _BACK_X),
    }
)
"""The planes through the origin by name: the first letter is x, the second y. x and the normal of each."""

Point: TypeAlias = Annotated[tuple[float, float, float], Given(Numbers(3), "mm")]
Way: TypeAlias = Annotated[tuple[float, float, float], Given(Numbers(3))]
PlaneOrNumbers: TypeAlias = Annotated["PlaneAt | NodeId | str", Given(Kind.PLANE_OR_NUMBERS)]
"""The name of one of ``PLANES``, a plane that stands on no face, or the node of one that does."""
AnyPlane: TypeAlias = Annotated[NodeId | str, Given(Kind.PLANE)]
"""The name of one of ``PLANES``, or a node that gives a plane."""
Face: TypeAlias = Annotated[NodeId | str | Selector, Given(Kind.FACE)]
"""A selection that takes exactly one plane face, or a plane."""


class PlaneAt(Node):
    """The plane through a point with a normal; x as it lies in the plane."""

    GIVES: ClassVar[str] = "Plane"

    origin: Vec3
    normal: Vec3
    x_dir: Vec3

    def check(self) -> None:
        """A normal, and an x that is not along it."""
        finite_vector(("at", "at", "at"), self.origin)
        direction(("normal",) * 3, self.normal, "normal of the plane")
        direction(("x",) * 3, self.x_dir, "x axis of the plane")
        across = _cross(self.normal, self.x_dir)
        size = sum(part * part for part in across)
        if size <= 1e-18 * sum(part * part for part in self.normal) * sum(part * part for part in self.x_dir):
            raise invalid("x", "must not point along the normal")

    @property
    def axes(self) -> tuple[Vec3, Vec3, Vec3]:
        """x, y and z, of length 1 and square to each other."""
        y = _of_length_1(_cross(self.normal, self.x_dir))
        z = _of_length_1(self.normal)
        return _cross(y, z), y, z


def _cross(first: Vec3, second: Vec3) -> Vec3:
    (a, b, c), (u, v, w) = first, second
    return (b * w - c * v, c * u - a * w, a * v - b * u)


def _of_length_1(vector: Vec3) -> Vec3:
    (a, b, c), size = vector, math.hypot(*vector)
    return (a / size, b / size, c / size)


PlaneKeys: TypeAlias = Annotated[
    Keys,
    keyed(
        "a plane",
        Key("at", Point, ORIGIN, "its origin; the world's if it is not given"),
        Key("normal", Way, Z, "the way in which profiles on it grow; +z if it is not given"),
        Key("x", Way, None, "its x axis, or a direction near to it; the world's X as it lies in the plane"),
    ),
]


@operation(
    PROFILES,
    "[plane {:at #[0 0 8] :normal #[1 0 1]}]",
    "[pull 4 [on [plane {:at #[0 0 8] :normal #[1 0 1]}] [rect 12 8]]]",
)
def plane(axes: PlaneKeys) -> PlaneAt:
    """The plane through :at with the normal :normal. :x says where its x axis points; without it y is the
    world's Z as it lies in the plane, and on a horizontal plane x is the world's X, as on a face."""
    normal = axes["normal"]
    x = axes["x"]
    return PlaneAt(axes["at"], normal, level_axis(normal) if x is None else x)


def level_axis(normal: Vec3) -> Vec3:
    """The direction of the x axis of a face with this normal: X where it is horizontal, as far as that lies
    in the face; else level, with y upwards."""
    a, b, c = normal
    size = (a * a + b * b + c * c) ** 0.5
    # y is Z as it lies in the plane, and x = y × z
    return X if size == 0.0 or abs(c) > (1.0 - 1e-9) * size else (-b, a, 0.0)


class FacePlane(Node):
    """The plane of the one plane face that a selection takes of a solid."""

    GIVES: ClassVar[str] = "Plane"

    child: Solid
    face: Selector

    def children(self) -> tuple[NodeId, ...]:
        """The solid."""
        return (self.child,)


@operation(
    PROFILES,
    "[face-plane :top box]",
    "[let box [cube 20 15 6]]\n[union [pull 5 [on [face-plane :top box] [circle 4]]] box]",
    renamed={"which": "face"},
)
def face_plane(face: Faces, s: Solid) -> FacePlane:
    """The plane of a face: the selection takes exactly one plane face. z points outwards, y is the world's
    Z as it lies in the face, and on horizontal faces x is the world's X. The origin is the middle of the
    rectangle about the face's outer outline."""
    return FacePlane(s, face)


class On(Node):
    """A profile carried from the XY plane to another one."""

    GIVES: ClassVar[str] = "Sketch"

    plane: Annotated[NodeId, Given(Kind.PLANE)]
    sketch: Sketch

    def children(self) -> tuple[NodeId, ...]:
        """The plane, then the profile."""
        return (self.plane, self.sketch)


@operation(PROFILES, "[on :xz [circle 5]]", "[pull 12 [on :xz [circle 5]]]")
def on(plane: AnyPlane, k: Sketch, *, add: Add) -> On:
    """The profile on a plane: one of :xy :xz :yz, or their backs :yx :zx :zy, or what plane and face-plane
    give. What is drawn on XY about the origin lies there about the plane's origin."""
    return On(plane_node(plane, add), k)


class OnPath(Node):
    """A path carried from the XY plane to that of a face."""

    GIVES: ClassVar[str] = "Path"
    FUNCTION: ClassVar[str] = "on"

    plane: Annotated[NodeId, Given(Kind.PLANE)]
    path: Annotated[NodeId, Given(Kind.PATH)]

    def children(self) -> tuple[NodeId, ...]:
        """The plane, then the path."""
        return (self.plane, self.path)


@operation(
    PROFILES,
    "[on :xz [path-2d 0 0 #[[line-to 0 20] [tangent-arc-to 10 30]]]]",
    "[sweep [on :xz [path-2d 0 0 #[[line-to 0 20] [tangent-arc-to 10 30]]]] [circle 3]]",
    name="on",
    variant="OnPath",
)
def on_path(plane: PlaneOrNumbers, k: Track, *, add: Add) -> AnyPath | OnPath:
    """A path that was drawn with path-2d is placed like a profile."""
    if isinstance(plane, PlaneAt):
        plane.check()
    if not isinstance(k, int) and not isinstance(k, DrawnPath):
        raise invalid("k", "must be a path of path-2d; the others lie where their points are")
    if isinstance(plane, int) or isinstance(k, int):
        # where a face lies is found while building
        path = k if isinstance(k, int) else add(WrittenPath(k))
        return OnPath(add(plane) if isinstance(plane, PlaneAt) else plane_node(plane, add), path)
    place = PlaneAt(ORIGIN, PLANES[plane][1], PLANES[plane][0]) if isinstance(plane, str) else plane
    (a, b, c), (d, e, f), (g, h, i) = place.axes
    return path_moved(k, Motion(((a, d, g), (b, e, h), (c, f, i)), place.origin))


def plane_node(plane: NodeId | str, add: Add) -> NodeId:
    """The node of a plane that may be given by name."""
    if not isinstance(plane, str):
        return plane
    x, normal = PLANES[plane]
    return add(PlaneAt(ORIGIN, normal, x))


def face_node(face: NodeId | str | Selector, s: NodeId, add: Add) -> NodeId:
    """The node of the plane of a face of a solid, or of a plane that stands in its place."""
    return add(FacePlane(s, face)) if isinstance(face, Selector) else plane_node(face, add)
