"""Paths moved, turned, scaled evenly and reflected: the curve moves; how a profile stands on it is `sweep`'s.

A motion is p ↦ matrix · p + offset, a similarity. A path that stands on a face is moved by a node, as
profiles are, any other here and now. Lengths are millimetres.
"""

import math
from typing import ClassVar, NamedTuple, TypeAlias

from vcad_kernel.operations.arguments import Degrees, Mm, Real
from vcad_kernel.operations.bodies.transforms import ORIGIN, Mirror, Rotate, Scale, Translate, X, Y, Z
from vcad_kernel.operations.node import Vec2, Vec3
from vcad_kernel.operations.numbers import XYZ, direction, finite, finite_vector, invalid, scaled_evenly
from vcad_kernel.operations.profiles.paths import (
    AnyPath,
    CylinderPath,
    DrawnPath,
    LinePath,
    Path,
    PolylinePath,
    SplinePath,
    Track,
)
from vcad_kernel.operations.profiles.sketches import Arc, Curve, EllipseArc, Line, Spline
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import TRANSFORMS

__all__ = [
    "Motion",
    "PathMirror",
    "PathRotate",
    "PathScale",
    "PathTranslate",
    "path_moved",
    "path_scale",
    "path_translate",
]

_SAME = 1e-12
"""Of parts of unit vectors: rounding."""

_BEND = "[path-2d 0 0 #[[line-to 0 20] [tangent-arc-to 10 30]]]"


class Motion(NamedTuple):
    """A similarity."""

    matrix: tuple[Vec3, Vec3, Vec3]
    """Its rows."""
    offset: Vec3
    size: float = 1.0
    """By how much lengths grow."""

    def turned(self, vector: Vec3) -> Vec3:
        """A direction, of the length that it had."""
        x, y, z = (sum(a * b for a, b in zip(row, vector, strict=True)) for row in self.matrix)
        return (x / self.size, y / self.size, z / self.size)

    def moved(self, point: Vec3) -> Vec3:
        """A point."""
        (x, y, z), (a, b, c) = self.turned(point), self.offset
        return (self.size * x + a, self.size * y + b, self.size * z + c)


def path_moved(path: Path, motion: Motion) -> Path:
    """A path under a motion.

    Raises: ParameterFault for what stands about the Z axis and would not any more.
    """
    match path:
        case LinePath():
            return LinePath(motion.moved(path.start), motion.moved(path.end))
        case PolylinePath():
            return PolylinePath(tuple(map(motion.moved, path.points)), motion.size * path.bend)
        case SplinePath():
            return SplinePath(tuple(map(motion.moved, path.points)))
        case DrawnPath():
            return DrawnPath(
                motion.moved(path.origin),
                motion.turned(path.x_dir),
                motion.turned(path.y_dir),
                tuple(_sized(curve, motion.size) for curve in path.curves),
            )
        case _:
            assert isinstance(path, CylinderPath)
            return _about_z(path, motion)


def _about_z(path: CylinderPath, motion: Motion) -> CylinderPath:
    x, y, z = (motion.turned(axis) for axis in (X, Y, Z))
    if math.hypot(z[0], z[1]) > _SAME or motion.offset[:2] != (0.0, 0.0):
        raise invalid("s", "stands about the Z axis, where it must stay; move what is swept along it")
    begins = math.degrees(math.atan2(x[1], x[0]))
    way = math.copysign(1.0, x[0] * y[1] - x[1] * y[0])
    rise, up = motion.size * z[2], motion.offset[2]
    knots = tuple((begins + way * angle, rise * height + up) for angle, height in path.knots)
    return CylinderPath(motion.size * path.radius, knots, path.step)


def _sized(curve: Curve, size: float) -> Curve:
    """A curve scaled about the origin of its plane."""
    if size == 1.0:
        return curve

    def far(point: Vec2) -> Vec2:
        return (size * point[0], size * point[1])

    match curve:
        case Spline():
            return Spline(curve.degree, tuple(map(far, curve.poles)), curve.knots)
        case Arc():
            return Arc(far(curve.start), far(curve.end), far(curve.center), curve.ccw)
        case EllipseArc():
            ends = far(curve.start), far(curve.end), far(curve.center)
            return EllipseArc(*ends, far(curve.major), far(curve.minor), curve.ccw)
        case _:
            return Line(far(curve.start), far(curve.end))


class PathTranslate(Translate):
    """Move a path that stands on a face."""

    GIVES: ClassVar[str] = "Path"


class PathRotate(Rotate):
    """Turn a path that stands on a face about the world origin."""

    GIVES: ClassVar[str] = "Path"


class PathScale(Scale):
    """Enlarge a path that stands on a face about the world origin."""

    GIVES: ClassVar[str] = "Path"

    def check(self) -> None:
        """One factor in all directions."""
        scaled_evenly("a path", self.factor)


class PathMirror(Mirror):
    """Reflect a path that stands on a face in a plane."""

    GIVES: ClassVar[str] = "Path"


_Mirrored: TypeAlias = AnyPath | PathMirror

_STILL = (X, Y, Z)


@operation(
    TRANSFORMS,
    f"[translate 0 0 8 {_BEND}]",
    f"[sweep [translate 0 0 8 {_BEND}] [circle 3]]",
    name="translate",
    variant="PathTranslate",
)
def path_translate(x: Mm, y: Mm, z: Mm, s: Track) -> AnyPath | PathTranslate:
    """A path is moved as a curve; a profile stands on it as sweep puts it there."""
    if isinstance(s, int):
        return PathTranslate(s, (x, y, z))
    finite_vector(XYZ, (x, y, z))
    return path_moved(s, Motion(_STILL, (x, y, z)))


@operation(
    TRANSFORMS,
    f"[rotate 90 0 0 {_BEND}]",
    f"[sweep [rotate 90 0 0 {_BEND}] [circle 3]]",
    name="rotate",
    variant="PathRotate",
)
def path_rotate(x: Degrees, y: Degrees, z: Degrees, s: Track) -> AnyPath | PathRotate:
    if isinstance(s, int):
        return PathRotate(s, (x, y, z))
    for name, value in zip(XYZ, (x, y, z), strict=True):
        finite(name, value)
    (a, u), (b, v), (c, w) = ((_cosine(turn), _cosine(turn - 90.0)) for turn in (x, y, z))
    rows = (
        (b * c, -b * w, v),
        (a * w + u * v * c, a * c - u * v * w, -u * b),
        (u * w - a * v * c, u * c + a * v * w, a * b),
    )
    return path_moved(s, Motion(rows, ORIGIN))


def _cosine(turn: float) -> float:
    """Of degrees; without rounding where it is 0."""
    return 0.0 if turn % 180.0 == 90.0 else math.cos(math.radians(turn))


@operation(
    TRANSFORMS,
    f"[scale 2 2 2 {_BEND}]",
    f"[sweep [scale 2 2 2 {_BEND}] [circle 3]]",
    name="scale",
    variant="PathScale",
)
def path_scale(x: Real, y: Real, z: Real, s: Track) -> AnyPath | PathScale:
    """A path is scaled by one factor in all directions, so that arcs stay arcs."""
    if isinstance(s, int):
        return PathScale(s, (x, y, z))
    scaled_evenly("a path", (x, y, z))
    return path_moved(s, Motion(((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z)), ORIGIN, abs(x)))


@operation(
    TRANSFORMS,
    f"[mirror 5 0 0 1 0 0 {_BEND}]",
    f"[sweep [mirror 5 0 0 1 0 0 {_BEND}] [circle 3]]",
    name="mirror",
    variant="PathMirror",
)
def path_mirror(ox: Mm, oy: Mm, oz: Mm, nx: Real, ny: Real, nz: Real, s: Track) -> _Mirrored:
    return _mirrored(s, (ox, oy, oz), (nx, ny, nz))


def _mirrored(path: Track, origin: Vec3, normal: Vec3) -> _Mirrored:
    if isinstance(path, int):
        return PathMirror(path, origin, normal)
    finite_vector(("ox", "oy", "oz"), origin)
    direction(("nx", "ny", "nz"), normal, "normal of the mirror plane")
    length = math.hypot(*normal)
    n = tuple(part / length for part in normal)
    rows = tuple(tuple((1.0 if i == j else 0.0) - 2.0 * n[i] * n[j] for j in range(3)) for i in range(3))
    far = 2.0 * sum(a * b for a, b in zip(origin, n, strict=True))
    (a, b, c), (r, s, t) = (far * part for part in n), rows
    return path_moved(path, Motion(((r[0], r[1], r[2]), (s[0], s[1], s[2]), (t[0], t[1], t[2])), (a, b, c)))


@operation(
    TRANSFORMS,
    f"[mirror-x {_BEND}]",
    f"[sweep [mirror-x {_BEND}] [circle 3]]",
    name="mirror-x",
    variant="PathMirrorX",
)
def path_mirror_x(s: Track) -> _Mirrored:
    return _mirrored(s, ORIGIN, X)


@operation(
    TRANSFORMS,
    f"[mirror-y {_BEND}]",
    f"[sweep [mirror-y {_BEND}] [circle 3]]",
    name="mirror-y",
    variant="PathMirrorY",
)
def path_mirror_y(s: Track) -> _Mirrored:
    return _mirrored(s, ORIGIN, Y)


@operation(
    TRANSFORMS,
    f"[mirror-z [on :xz {_BEND}]]",
    f"[sweep [mirror-z [on :xz {_BEND}]] [circle 3]]",
    name="mirror-z",
    variant="PathMirrorZ",
)
def path_mirror_z(s: Track) -> _Mirrored:
    return _mirrored(s, ORIGIN, Z)
