"""Sketches: one closed chain of lines and arcs on a plane (cad.md §3.6).

:func:`read_profile` checks a sketch node and gives a :class:`Profile`; its :meth:`Profile.outline`
turns arcs into chords. Pure geometry of the plane: what is swept from a profile is in `swept`.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.placement import cross, unit
from vcad_kernel.geometry.solid import check_parameters, geometry_error
from vcad_kernel.geometry.sweeps.profiles.crossing import crosses_itself, crossing_of, signed_area
from vcad_kernel.geometry.sweeps.profiles.curves import bulge_area, curve_chords, extremes
from vcad_kernel.geometry.tolerance import ANGULAR, LINEAR, Tessellation, sagitta
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId, Vec2
from vcad_kernel.operations.numbers import VECTOR_LENGTH
from vcad_kernel.operations.profiles.sketches import Arc, Curves, Line, Segment, Sketch2D, Spline

__all__ = [
    "Outline",
    "Profile",
    "arc_points",
    "arc_radius",
    "arc_sweep",
    "check_chain",
    "circle_points",
    "in_sweep",
    "read_profile",
]

_REFINEMENTS = 3
"""How often chords that cross are made four times finer before the profile is blamed."""


_AREA_LOSS = 16.0
"""Over the square of the sides of a circle: the share of its area that a profile may lose to chords.

A circle loses 6.6 over the square; a thin slice of one would lose far more.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """A profile as a simple polygon."""

    points: NDArray[np.float64]
    """(n, 2) float64 sketch coordinates, in the order of the segments, first point not repeated."""
    deviation: float
    """Largest distance to the true outline, millimetres; 0 for lines only."""

    @property
    def area(self) -> float:
        """Signed, positive when counter-clockwise."""
        return signed_area(self.points)


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """A checked sketch: (u, v) ↦ origin + u·x + v·y."""

    document: Document
    node: NodeId
    origin: NDArray[np.float64]
    x: NDArray[np.float64]
    """Unit axis; not necessarily square to ``y``."""
    y: NDArray[np.float64]
    normal: NDArray[np.float64]
    """Unit normal x × y."""
    segments: Curves

    @property
    def is_curved(self) -> bool:
        """Whether any side is."""
        return any(not isinstance(segment, Line) for segment in self.segments)

    @property
    def plain(self) -> tuple[Segment, ...]:
        """The segments of one that has lines and arcs only."""
        segments = tuple(segment for segment in self.segments if isinstance(segment, Segment))
        assert len(segments) == len(self.segments)
        return segments

    def place(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """World coordinates (n, 3) of sketch coordinates (n, 2)."""
        return self.origin + points[:, :1] * self.x + points[:, 1:] * self.y

    def outline(self, tessellation: Tessellation, scale: float = 1.0) -> Outline:
        """The profile as a simple polygon.

        scale: how much later transforms enlarge it.
        Raises: GeometryError SKETCH_DEGENERATE when the profile meets itself or encloses nothing.
        """
        # asked to find holes, and again for what grows out of it, by both kernels
        for segments, *of, known in tuple(_LATEST):
            if segments is self.segments and of == [tessellation, scale]:
                return known
        outline = self._polygon(tessellation, scale)
        _LATEST.append((self.segments, tessellation, scale, outline))
        return outline

    def _polygon(self, tessellation: Tessellation, scale: float) -> Outline:
        """As :meth:`outline`, worked out. Raises: GeometryError SKETCH_DEGENERATE."""
        finer = 1
        while True:
            points, deviation = self._chords(tessellation, scale, finer)
            simple = not crosses_itself(points)
            if (
                (simple and self._keeps_area(points, tessellation, scale))
                or not self.is_curved
                or finer >= 4**_REFINEMENTS
            ):
                break
            # chords of two arcs that pass closely may cross where the arcs do not, and those of a thin
            # slice lose a larger share of it than those of a circle
            finer *= 4
        if not simple:
            u, v = np.round(crossing_of(points), 6) + 0.0
            raise self._degenerate(f"the profile meets itself at ({u:.6g}, {v:.6g}) of its plane")
        sides = np.diff(points, axis=0, append=points[:1])
        perimeter = float(np.sum(np.sqrt(sides[:, 0] ** 2 + sides[:, 1] ** 2)))
        points.flags.writeable = False
        if abs(signed_area(points)) <= 0.5 * LINEAR * perimeter:
            raise self._degenerate("the profile encloses no area")
        return Outline(points, deviation * scale)

    def _keeps_area(self, points: NDArray[np.float64], tessellation: Tessellation, scale: float) -> bool:
        arcs = (segment for segment in self.segments if isinstance(segment, Arc))
        sides = min((tessellation.sides(arc_radius(arc), scale=scale) for arc in arcs), default=0)
        if sides == 0:
            return True
        area = self._area()
        return abs(signed_area(points) - area) <= _AREA_LOSS / sides**2 * abs(area)

    def _area(self) -> float:
        """Of the true outline, signed."""
        area = signed_area(np.array([segment.start for segment in self.segments]))
        for segment in self.segments:
            if isinstance(segment, Arc):
                sweep = math.radians(arc_sweep(segment))
                # the polygon of the ends, and a circular segment on each chord of an arc
                area += 0.5 * arc_radius(segment) ** 2 * (sweep - math.sin(sweep))
            elif not isinstance(segment, Line):
                area += bulge_area(segment)
        return area

    def _degenerate(self, message: str) -> GeometryError:
        return geometry_error(self.document, self.node, "SKETCH_DEGENERATE", message, argument="segments")

    def extent(self, direction: Vec2) -> tuple[float, float]:
        """Smallest and largest value of (u, v)·direction over the true outline, arcs included."""
        heading = math.degrees(math.atan2(direction[1], direction[0]))
        values: list[float] = []
        for segment in self.segments:
            values.append(_dot(segment.start, direction))
            if isinstance(segment, Arc):
                # an arc reaches furthest where its normal is the direction, if it gets there
                for angle, sign in ((heading, 1.0), (heading + 180.0, -1.0)):
                    if _in_sweep(segment, angle):
                        far = sign * arc_radius(segment) * math.hypot(*direction)
                        values.append(_dot(segment.center, direction) + far)
            elif not isinstance(segment, Line):
                values += extremes(segment, direction)
        return min(values), max(values)

    def _chords(
        self, tessellation: Tessellation, scale: float, finer: int
    ) -> tuple[NDArray[np.float64], float]:
        pieces: list[NDArray[np.float64]] = []
        deviation = 0.0
        for segment in self.segments:
            if isinstance(segment, Arc):
                radius = arc_radius(segment)
                sides = tessellation.sides(radius, scale=scale) * finer
                points, widest = _arc_chain(segment, sides)
                deviation = max(deviation, sagitta(radius, sides / widest))
                pieces.append(points)
            elif isinstance(segment, Line):
                pieces.append(np.array([segment.start]))
            else:
                points, off = curve_chords(segment, tessellation, scale, finer)
                deviation = max(deviation, off)
                pieces.append(points)
        return np.vstack(pieces), deviation


_LATEST: deque[tuple[Curves, Tessellation, float, Outline]] = deque(maxlen=32)
"""The outlines that were made last, and of what. Curves do not change."""


def read_profile(document: Document, node: NodeId) -> Profile:
    """Check a sketch node.

    Raises: GeometryError ZERO_VECTOR, SKETCH_DEGENERATE, SKETCH_NOT_CLOSED, TYPE_MISMATCH.
    """
    sketch = document.nodes[node]
    if not isinstance(sketch, Sketch2D):
        raise geometry_error(document, node, "TYPE_MISMATCH", "a sketch is expected here, not a solid")
    check_parameters(document, node)
    for names, vector in ((("xx", "x axis"), sketch.x_dir), (("yx", "y axis"), sketch.y_dir)):
        if math.hypot(*vector) < VECTOR_LENGTH:
            raise geometry_error(
                document, node, "ZERO_VECTOR", f"the {names[1]} has no length", argument=names[0]
            )
    x, y = unit(sketch.x_dir), unit(sketch.y_dir)
    normal = cross(x, y)
    area = math.hypot(*normal)
    if area < ANGULAR:
        raise geometry_error(
            document, node, "SKETCH_DEGENERATE", "the x and y axes are parallel", argument="yx"
        )
    check_chain(document, node, sketch.segments)
    origin, upwards = np.array(sketch.origin), np.array(normal) / area
    return Profile(document, node, origin, np.array(x), np.array(y), upwards, sketch.segments)


def check_chain(document: Document, node: NodeId, curves: Curves) -> None:
    """Whether curves close. Raises: GeometryError SKETCH_DEGENERATE, SKETCH_NOT_CLOSED."""
    fault = _segment_fault(curves) or _closure_fault(curves)
    if fault is not None:
        raise geometry_error(document, node, *fault, argument="segments")


def _segment_fault(segments: Curves) -> tuple[str, str] | None:
    if not segments:
        return "SKETCH_DEGENERATE", "the profile has no segments"
    for number, segment in enumerate(segments, 1):
        what = f"segment {number} of {len(segments)}"
        if math.dist(segment.start, segment.end) < LINEAR and not isinstance(segment, Spline):
            more = "; write a full circle as two half arcs" if isinstance(segment, Arc) else ""
            return "SKETCH_DEGENERATE", f"{what} starts and ends at the same point{more}"
        if isinstance(segment, Arc):
            first, last = (math.dist(end, segment.center) for end in (segment.start, segment.end))
            if min(first, last) < LINEAR:
                return "SKETCH_DEGENERATE", f"{what} is an arc without radius"
            if abs(first - last) > LINEAR * max(1.0, first):
                return "SKETCH_DEGENERATE", (
                    f"{what} is an arc that starts {first:g} mm and ends {last:g} mm from its centre"
                )
    return None


def _closure_fault(segments: Curves) -> tuple[str, str] | None:
    for index, segment in enumerate(segments):
        after = segments[(index + 1) % len(segments)]
        if math.dist(segment.end, after.start) > LINEAR:
            here, there = index + 1, (index + 1) % len(segments) + 1
            return "SKETCH_NOT_CLOSED", (
                f"segment {here} ends at ({segment.end[0]:g}, {segment.end[1]:g}), but segment {there}"
                f" starts at ({after.start[0]:g}, {after.start[1]:g})"
            )
    return None


# ---------------------------------------------------------------- arcs


def _dot(point: Vec2, direction: Vec2) -> float:
    return point[0] * direction[0] + point[1] * direction[1]


def arc_radius(arc: Arc) -> float:
    """Millimetres, at the start of the arc."""
    return math.dist(arc.start, arc.center)


def _heading(arc: Arc, point: Vec2) -> float:
    return math.degrees(math.atan2(point[1] - arc.center[1], point[0] - arc.center[0]))


def arc_sweep(arc: Arc) -> float:
    """Signed degrees from start to end in the stated sense: in (0, 360) or (−360, 0)."""
    turned = _heading(arc, arc.end) - _heading(arc, arc.start)
    if arc.ccw:
        return turned % 360.0 or 360.0
    return -((-turned) % 360.0 or 360.0)


def in_sweep(arc: Arc, point: Vec2) -> bool:
    """Whether a point of the circle is between the arc's ends; one that ends where it starts is all of it."""
    return arc.start == arc.end or _in_sweep(arc, _heading(arc, point))


def _in_sweep(arc: Arc, angle: float) -> bool:
    sweep = arc_sweep(arc)
    ahead = (angle - _heading(arc, arc.start)) % 360.0
    return ahead <= sweep if sweep > 0.0 else ahead == 0.0 or ahead - 360.0 >= sweep


def circle_points(steps: NDArray[np.intp], sides: int) -> NDArray[np.float64]:
    """(k, 2) cosine and sine of multiples of 360°/sides, exact at quarter turns."""
    angles = np.asarray(steps % sides, np.float64) * (2.0 * math.pi / sides)
    result = np.column_stack([np.cos(angles), np.sin(angles)])
    quarters, rest = np.divmod(4 * (steps % sides), sides)
    exact = np.array([(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)])
    on_quarter = rest == 0
    result[on_quarter] = exact[quarters[on_quarter] % 4]
    return result


def _arc_chain(arc: Arc, sides: int) -> tuple[NDArray[np.float64], float]:
    """Start of an arc and its inner points, at multiples of 360°/sides measured from +x; and its
    longest chord in such steps, at least 1.

    Absolute multiples put points on the extremes of the circle, so that bounding boxes are tight.
    """
    start, sweep = _heading(arc, arc.start), arc_sweep(arc)
    step = 360.0 / sides
    low, high = sorted((start, start + sweep))
    # a multiple within a twentieth of a step of an end would make a sliver
    steps = np.arange(math.ceil(low / step + 0.05), math.floor(high / step - 0.05) + 1)
    widest = max(1.0, float(np.diff([low / step, *steps[:1], *steps[-1:], high / step])[[0, -1]].max()))
    if sweep < 0.0:
        steps = steps[::-1]
    # the ends may lie at slightly different radii: the points between go from the one to the other
    ends = np.linspace(0.0, 1.0, len(steps) + 2)[1:-1, None]
    radius = arc_radius(arc) * (1.0 - ends) + math.dist(arc.end, arc.center) * ends
    inner = np.asarray(arc.center) + radius * circle_points(steps, sides)
    return np.vstack([np.array([arc.start]), inner]), widest


def arc_points(arc: Arc, count: int) -> NDArray[np.float64]:
    """(count, 2): the arc at parameters 0, 1/count, … (end not included), uniform in angle."""
    share = np.arange(count)[:, None] / count
    angles = np.radians(_heading(arc, arc.start) + arc_sweep(arc) * share)
    radius = arc_radius(arc) * (1.0 - share) + math.dist(arc.end, arc.center) * share
    points = np.asarray(arc.center) + radius * np.hstack([np.cos(angles), np.sin(angles)])
    points[0] = arc.start
    return np.asarray(points)
