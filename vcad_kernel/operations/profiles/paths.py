"""What profiles are swept along: plain values inside a sweep, in the coordinates of the world.

A path that stands on the plane of a face is a node: where it lies is found while building.

Lengths in millimetres, angles in degrees. What is wrong with a path as a curve (points that coincide, angles
out of order) is found when it is swept along.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Annotated, ClassVar, TypeAlias, TypeVar

from vcad_kernel.operations.arguments import Coordinates, Degrees, Given, Kind, Mm, Real, Reals
from vcad_kernel.operations.node import Node, NodeId, Record, Vec3
from vcad_kernel.operations.numbers import (
    LINEAR,
    VECTOR_LENGTH,
    XYZ,
    ParameterFault,
    finite,
    finite_vector,
    invalid,
    not_negative,
    positive,
    within_reach,
)
from vcad_kernel.operations.profiles.corners import turn_between
from vcad_kernel.operations.profiles.sketches import Curves, Line, in_groups
from vcad_kernel.operations.record import operation
from vcad_kernel.operations.sections import PATHS

__all__ = [
    "TRIANGLE",
    "AnyPath",
    "CylinderPath",
    "DrawnPath",
    "HelixPath",
    "Knot",
    "LinePath",
    "Path",
    "PolylinePath",
    "SplinePath",
    "Track",
    "Tracks",
    "WrittenPath",
    "is_bent",
]

_Point = TypeVar("_Point")

_KINK = 1e-6
"""Degrees: by less a path does not turn."""

Knot: TypeAlias = Annotated[tuple[float, float], "angle height"]
"""Degrees and millimetres."""

TRIANGLE = """[let k [polygon #[#[-1 -1] #[1 -1] #[0 1]]]]
"""
"""A triangle about the origin, as examples sweep it."""


class AnyPath(Record, tag_field="type"):
    """What all kinds of paths share."""

    GIVES: ClassVar[str] = "Path"

    def check(self) -> None:
        """Whether it is a path. Raises: ParameterFault."""


class LinePath(AnyPath, tag="Line"):
    """A straight sweep path."""

    start: Vec3
    end: Vec3

    def check(self) -> None:
        """Two ends."""
        finite_vector(("sx", "sy", "sz"), self.start)
        finite_vector(("ex", "ey", "ez"), self.end)
        if math.dist(self.start, self.end) < VECTOR_LENGTH:
            raise ParameterFault(
                "SWEEP_FAILED", "ex", "the path starts and ends at the same point", failed=True
            )


@operation(PATHS, "[path-line 0 0 0  10 0 25]", TRIANGLE + "[sweep [path-line 0 0 0  10 0 25] k]")
def path_line(sx: Mm, sy: Mm, sz: Mm, ex: Mm, ey: Mm, ez: Mm) -> LinePath:
    """Straight path from s to e."""
    return LinePath((sx, sy, sz), (ex, ey, ez))


class PolylinePath(AnyPath, tag="Polyline"):
    """Straight from point to point, corners rounded with the radius ``bend`` (0 = mitred)."""

    points: tuple[Vec3, ...]
    bend: float = 0.0

    def check(self) -> None:
        """Points apart from each other."""
        _points_apart(self.points)
        finite("bend", self.bend)
        not_negative("bend", self.bend)


@operation(
    PATHS,
    "[path-polyline 5 #[0 0 0  0 0 20  20 0 20]]",
    TRIANGLE + "[sweep [path-polyline 5 #[0 0 0  0 0 20  20 0 20]] k]",
)
def path_polyline(bend: Mm, points: Coordinates) -> PolylinePath:
    """Straight from point to point x y z x y z …, corners rounded with the radius bend. With 0 they
    are mitred."""
    triples = in_groups("points", points, 3, "x y z")
    not_negative("bend", bend)
    return PolylinePath(_some("points", _vectors(triples), "x y z"), bend)


class SplinePath(AnyPath, tag="Spline"):
    """A smooth curve through points: the natural cubic spline over chord length."""

    points: tuple[Vec3, ...]

    def check(self) -> None:
        """Points apart from each other."""
        _points_apart(self.points)


@operation(
    PATHS,
    "[path-spline #[0 0 0  5 0 15  20 0 20]]",
    TRIANGLE + "[sweep [path-spline #[0 0 0  5 0 15  20 0 20]] k]",
)
def path_spline(points: Coordinates) -> SplinePath:
    """Smooth curve through points x y z x y z …, three numbers for each."""
    return SplinePath(_some("points", _vectors(in_groups("points", points, 3, "x y z")), "x y z"))


class DrawnPath(AnyPath, tag="Drawn"):
    """A chain of curves on a plane.

    (x, y) ↦ origin + x·x_dir + y·y_dir.
    """

    origin: Vec3
    x_dir: Vec3
    y_dir: Vec3
    """Of length 1, as ``x_dir``, and square to it."""
    curves: Curves

    def check(self) -> None:
        """Within reach; the chain was drawn."""
        finite_vector(XYZ, self.origin)
        if not self.curves:
            raise ParameterFault("INVALID_PARAMETER", "path", "the path has no curves")

    def check_swept(self) -> None:
        """Open, and smooth but for corners between two lines, which are mitred. Raises: ParameterFault."""
        if math.dist(self.curves[0].start, self.curves[-1].end) <= LINEAR:
            raise ParameterFault(
                "INVALID_PARAMETER",
                "path",
                "the path ends where it begins, and nothing is swept around it; leave a step out",
            )
        for before, after in itertools.pairwise(self.curves):
            turn = abs(turn_between(before, after))
            mitred = isinstance(before, Line) and isinstance(after, Line) and turn < 180.0 - _KINK
            if turn > _KINK and not mitred:
                x, y = after.start
                raise ParameterFault(
                    "INVALID_PARAMETER",
                    "path",
                    f"the path has a corner of {turn:.4g} degrees at {x:.6g} {y:.6g}, which is not between "
                    "two lines; round it with a corner, or draw on with tangent-arc-to",
                )


class HelixPath(AnyPath, tag="Helix"):
    """A helix about +Z from (radius, 0, 0); height and turns rule, pitch is informational.

    The section keeps its attitude to the axis, as on a track about it."""

    radius: float
    pitch: float
    height: float
    turns: float

    LEAST_TURNS: ClassVar[float] = 1e-6
    """With fewer its rise by turn is beyond all numbers."""

    def check(self) -> None:
        """A radius, and a rise from turn to turn."""
        positive("radius", self.radius)
        finite("pitch", self.pitch)
        within_reach("height", self.height)
        positive("turns", self.turns)
        if self.turns < self.LEAST_TURNS:
            raise invalid("turns", f"must be at least {self.LEAST_TURNS:g}, got {self.turns:g}")
        if self.height == 0.0 and self.turns >= 1.0:
            raise invalid("height", "must not be 0 for a full turn or more")


class CylinderPath(AnyPath, tag="Cylinder"):
    """A track about +Z at ``radius``: height over angle, straight between knots once unrolled."""

    radius: float
    knots: tuple[Knot, ...]
    """Strictly monotonic in the angle; at least two."""
    step: float = 0.5
    """Fidelity hint: degrees per piece of a mesh."""

    def check(self) -> None:
        """A radius, and knots in order."""
        positive("r", self.radius)
        for knot in self.knots:
            finite_vector(("deg", "z"), knot)
        if len(self.knots) < 2:
            raise ParameterFault(
                "INVALID_PARAMETER",
                "path",
                f"the path needs at least 2 knots (deg z), got {len(self.knots)}",
            )
        steps = [after - before for (before, _), (after, _) in itertools.pairwise(self.knots)]
        # nearer knots than this are one and the same on the cylinder
        least = math.degrees(LINEAR / self.radius)
        if not (all(step > least for step in steps) or all(step < -least for step in steps)):
            raise ParameterFault(
                "INVALID_PARAMETER", "path", "the angles of the path must rise, or fall, from knot to knot"
            )
        positive("seg-deg", self.step)


@operation(PATHS, "[helix 12 0.05 0 720]", TRIANGLE + "[sweep [helix 12 0.05 0 720] k]")
def helix(r: Mm, rate: Real, start: Degrees, arc: Degrees) -> CylinderPath:
    """Track about the Z axis at radius r, which climbs rate mm per degree. It begins at the angle
    start, height 0, and goes on for arc degrees."""
    return _track(r, _helix_knots(rate, start, arc))


@operation(PATHS, "[helix-res 5 12 0.05 0 720]", TRIANGLE + "[sweep [helix-res 5 12 0.05 0 720] k]")
def helix_res(seg: Degrees, r: Mm, rate: Real, start: Degrees, arc: Degrees) -> CylinderPath:
    """As helix, drawn with a piece for every seg degrees."""
    step = _fine_enough(seg)
    return _track(r, _helix_knots(rate, start, arc), step)


@operation(
    PATHS,
    "[cam-path 12 #[0 0  90 8  180 8  270 0]]",
    TRIANGLE + "[sweep [cam-path 12 #[0 0  90 8  180 8  270 0]] k]",
)
def cam_path(r: Mm, knots: Reals) -> CylinderPath:
    """Track about the Z axis at radius r, by its height over the angle. The knots are degrees and
    height in turn, the angles in order."""
    return _track(r, _cam_knots(knots))


@operation(
    PATHS,
    "[cam-path-res 5 12 #[0 0  90 8  180 8  270 0]]",
    TRIANGLE + "[sweep [cam-path-res 5 12 #[0 0  90 8  180 8  270 0]] k]",
)
def cam_path_res(seg: Degrees, r: Mm, knots: Reals) -> CylinderPath:
    """As cam-path, drawn with a piece for every seg degrees."""
    step = _fine_enough(seg)
    return _track(r, _cam_knots(knots), step)


Path: TypeAlias = LinePath | HelixPath | CylinderPath | PolylinePath | SplinePath | DrawnPath
Track: TypeAlias = Annotated[Path | NodeId, Given(Kind.PATH)]
"""A path of numbers, or the node of one that stands on a face."""

Tracks: TypeAlias = Annotated[tuple[Path | NodeId, ...], Given(Kind.PATHS)]


def is_bent(path: Path) -> bool:
    """Whether what is swept along it has faces that are no planes."""
    match path:
        case DrawnPath():
            return not all(isinstance(curve, Line) for curve in path.curves)
        case PolylinePath():
            return path.bend > 0.0 and len(path.points) > 2
        case _:
            return not isinstance(path, LinePath)


class WrittenPath(Node):
    """A path of numbers, under what places it on a face."""

    GIVES: ClassVar[str] = "Path"
    FUNCTION: ClassVar[str] = "path-2d"

    path: Path

    def is_curved(self) -> bool:
        """Where it bends."""
        return is_bent(self.path)

    def check(self) -> None:
        """A path."""
        self.path.check()


def _points_apart(points: Sequence[Vec3]) -> None:
    for point in points:
        finite_vector(XYZ, point)
    if len(points) < 2:
        raise ParameterFault(
            "INVALID_PARAMETER", "points", f"the path needs at least 2 points, got {len(points)}"
        )
    for number, (before, after) in enumerate(itertools.pairwise(points), 1):
        if math.dist(before, after) < LINEAR:
            raise invalid("points", f"{number} and {number + 1} of the path coincide")


def _vectors(triples: Sequence[tuple[float, ...]]) -> tuple[Vec3, ...]:
    return tuple((x, y, z) for x, y, z in triples)


def _some(name: str, points: tuple[_Point, ...], order: str) -> tuple[_Point, ...]:
    if len(points) < 2:
        raise invalid(name, f"must be at least 2 points ({order}), got {len(points)}")
    return points


def _fine_enough(step: float) -> float:
    if not step > 0.0:
        raise invalid("seg", f"must be above 0 degrees, got {step:g}")
    return step


def _helix_knots(rate: float, start: float, arc: float) -> tuple[Knot, ...]:
    if arc == 0.0:
        raise invalid("arc", "must not be 0: the path would have no length")
    end, height = start + arc, rate * arc
    if not (math.isfinite(end) and math.isfinite(height)):
        raise invalid("arc", f"leads out of all bounds, got {arc:g}")
    return ((start, 0.0), (end, height))


def _cam_knots(numbers: Sequence[float]) -> tuple[Knot, ...]:
    pairs = in_groups("knots", numbers, 2, "degrees and height")
    return _some("knots", tuple((angle, height) for angle, height in pairs), "degrees height")


def _track(radius: float, knots: tuple[Knot, ...], step: float = 0.5) -> CylinderPath:
    if not radius > 0.0:
        raise invalid("r", f"must be greater than 0 mm, got {radius:g}")
    return CylinderPath(radius, knots, step)
