"""What a part has: faces, edges and corners by number, and the round features that a node made.

    features(measurement, mesh)      # Features: counts, holes, bosses, patterns of equal holes

Holes and bosses are whole cylinders of the exact body: a hole looks at its axis, a boss away from it and
stands on something. Who made them is known, since each face knows its maker. Where the exact body is not
asked, the mesh gives the counts, and the reason stands in place of the features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.measure.figure_rule import MOST_OPERANDS
from vcad_kernel.geometry.measure.inspection.mesh_regions import Regions
from vcad_kernel.geometry.measure.part_figures import Measurement
from vcad_kernel.geometry.measure.readings import RoundReading
from vcad_kernel.geometry.tri_mesh import TriMesh
from vcad_kernel.operations.node import Vec3

__all__ = ["Features", "Pattern", "Round", "features"]

_SAME: Final = 1e-6
"""mm, and of unit vectors, within which places and sizes are the same: what selections take for one."""
_FEWEST: Final = 3
"""Holes that make a pattern."""


@dataclass(frozen=True, slots=True)
class Round:
    """A hole or a boss. mm."""

    face: int
    """Its number in the table of faces."""
    diameter: float
    depth: float
    """From end to end; of a boss its height."""
    through: bool
    """Of a hole: open at both ends."""
    at: Vec3
    """The middle of its opening, or of a boss's top."""
    direction: Vec3
    """From there into the body, a unit vector."""
    made_by: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Pattern:
    """Equal holes at equal distances."""

    kind: Literal["linear", "circular", "grid"]
    count: int
    holes: tuple[int, ...]
    """Their faces."""
    spacing: tuple[float, ...]
    """mm between neighbours; of a grid along both; of a circular one the diameter of its circle."""


@dataclass(frozen=True, slots=True)
class Features:
    """What a part has."""

    faces: int
    edges: int
    vertices: int
    exact: bool
    """Whether they are those of the exact body; else the mesh's, where faces of two makers are two."""
    holes: tuple[Round, ...] = ()
    bosses: tuple[Round, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    why_not: str = ""
    """Why no features were looked for."""


def features(measurement: Measurement, mesh: TriMesh) -> Features:
    """What a part has. mesh: the part's, with the nodes that made its triangles."""
    if measurement.on_mesh.is_empty:
        return Features(0, 0, 0, True)
    if not measurement.answers_exactly():
        regions = Regions(mesh, planar=measurement.on_mesh.exact)
        borders, corners = regions.corners()
        why = (
            "holes and bosses are those of the exact body, which is not asked: an imported mesh is inside, or"
            f" more than {MOST_OPERANDS} boolean operands, or it cannot be built"
        )
        return Features(regions.count, borders, corners, False, why_not=why)
    from vcad_kernel.geometry.occt.measure.topology.inspecting import merged
    from vcad_kernel.geometry.occt.measure.topology.rounds import counts, rounds

    brep = merged(measurement.kernel.brep(measurement.document, measurement.node))
    readings = rounds(brep)
    holes = [_feature(reading, measurement) for reading in readings if reading.inwards and any(reading.opens)]
    bosses = [
        _feature(reading, measurement)
        for reading in readings
        if not reading.inwards and sum(reading.opens) == 1
    ]
    return Features(*counts(brep), True, tuple(holes), tuple(bosses), tuple(_patterns(holes)))


def _feature(reading: RoundReading, measurement: Measurement) -> Round:
    ends = np.array(reading.ends)
    # the opening is at its first end unless only the other one is open; of two the one further up
    first = reading.opens[0] and (not reading.opens[1] or tuple(ends[0][::-1]) >= tuple(ends[1][::-1]))
    start, stop = (ends[0], ends[1]) if first else (ends[1], ends[0])
    depth = float(np.linalg.norm(stop - start))
    document = measurement.document
    node = document.by_digest[reading.maker]
    place = document.place_of(node)
    return Round(
        reading.face,
        2.0 * reading.radius,
        depth,
        all(reading.opens),
        _vec3(start),
        _vec3((stop - start) / depth),
        document.function_of(node),
        None if place is None else place.line,
    )


# ---- patterns ------------------------------------------------------------------------------


def _patterns(holes: Sequence[Round]) -> list[Pattern]:
    """Equal holes that stand in a line, on a circle or in a grid; each in one of them at most."""
    left, patterns = list(holes), []
    while left:
        like = [hole for hole in left if _is_like(left[0], hole)]
        left = [hole for hole in left if hole not in like]
        pattern = _pattern(like) if len(like) >= _FEWEST else None
        if pattern is not None:
            patterns.append(pattern)
    return patterns


def _is_like(a: Round, b: Round) -> bool:
    """Whether two holes are equal, in parallel and side by side."""
    sizes = np.array([a.diameter - b.diameter, a.depth - b.depth])
    directions = np.array(a.direction) - np.array(b.direction)
    beside = float((np.array(b.at) - np.array(a.at)) @ np.array(a.direction))
    return bool(np.all(np.abs([*sizes, *directions, beside]) <= _SAME) and a.through is b.through)


def _pattern(holes: Sequence[Round]) -> Pattern | None:
    points = np.array([hole.at for hole in holes])
    faces = tuple(hole.face for hole in holes)
    away = points - points.mean(axis=0)
    _, reach, axes = np.linalg.svd(away)
    along = np.sort(away @ axes[0])
    if reach[1] <= _SAME * len(holes):
        step = _even(along)
        return None if step is None else Pattern("linear", len(holes), faces, (step,))
    plane = away @ axes[:2].T
    radii = np.linalg.norm(plane, axis=1)
    if np.ptp(radii) <= _SAME:
        turns = np.sort(np.arctan2(plane[:, 1], plane[:, 0]))
        if np.ptp(np.diff(turns, append=turns[0] + 2.0 * np.pi)) * radii[0] <= 2.0 * _SAME:
            return Pattern("circular", len(holes), faces, (2.0 * float(radii[0]),))
    return _grid(points, faces)


def _grid(points: NDArray[np.float64], faces: tuple[int, ...]) -> Pattern | None:
    """Rows and columns, square to each other, along the line to the nearest neighbour."""
    from_first = points[1:] - points[0]
    nearest = from_first[np.argmin(np.linalg.norm(from_first, axis=1))]
    x = nearest / np.linalg.norm(nearest)
    normal = np.linalg.svd(points - points.mean(axis=0))[2][2]
    y = np.cross(normal, x)
    columns, rows = (_levels((points - points[0]) @ axis) for axis in (x, y))
    steps = [_even(levels) for levels in (columns, rows)]
    if len(columns) * len(rows) != len(points) or None in steps:
        return None
    return Pattern("grid", len(points), faces, tuple(step for step in steps if step is not None))


def _levels(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values that differ, in order."""
    ordered = np.sort(values)
    return ordered[np.diff(ordered, prepend=-np.inf) > _SAME]


def _even(levels: NDArray[np.float64]) -> float | None:
    """The step of values in order; None where they are not even."""
    steps = np.diff(levels)
    return float(steps.mean()) if len(steps) and np.ptp(steps) <= 2.0 * _SAME else None


def _vec3(point: NDArray[np.float64]) -> Vec3:
    x, y, z = (float(part) + 0.0 for part in point)
    return (x, y, z)
