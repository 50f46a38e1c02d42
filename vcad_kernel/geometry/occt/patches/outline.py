"""The outline of a patch: paths in space, taken apart into curves that follow each other around it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeEdge
from OCP.BRepExtrema import BRepExtrema_DistShapeShape
from OCP.Geom import Geom_Circle, Geom_Curve, Geom_Line
from OCP.gp import gp_Ax2, gp_Circ
from OCP.TopoDS import TopoDS_Edge

from vcad_kernel.geometry.occt.building import Build
from vcad_kernel.geometry.occt.sweeps.fitting import curve_of, fitted
from vcad_kernel.geometry.occt.sweeps.profiles.sketches import Stretch, direction_of, point_of, stretch_of
from vcad_kernel.geometry.sweeps.paths.along_paths import about_axis
from vcad_kernel.geometry.sweeps.paths.on_faces import read_path
from vcad_kernel.geometry.sweeps.paths.paths import Track, cylinder_tracks, spline_track
from vcad_kernel.geometry.sweeps.paths.polyline import PathFault, pieces_along
from vcad_kernel.geometry.sweeps.planes import Plane
from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.profiles.paths import DrawnPath, LinePath, Path, PolylinePath, SplinePath
from vcad_kernel.operations.solids.surfaces import Patch

__all__ = ["PLACES", "Edge", "outline_of_patch", "refuse_crossings", "said"]

Points = NDArray[np.float64]

PLACES = 64
"""Of each curve, at which it is looked at."""
_FITTED = 1e-10
"""Relative to its length: how near a curve without closed form is followed."""
_NEIGHBOURS = 1e-3
"""Part of a curve beside a corner in which it may be near to its neighbour."""


@dataclass(frozen=True, slots=True, eq=False)
class Edge:
    """A smooth piece of the outline, in the direction in which that is followed."""

    curve: Geom_Curve
    first: float
    last: float
    path: int
    """Of the paths, from 1."""
    off: float = 0.0
    """How far it may be from the path, mm."""

    def at(self, shares: Points) -> Points:
        """(k, 3): places by their share (k,) of the way."""
        return np.array([self.curve.Value(parameter).Coord() for parameter in self.parameters(shares)])

    def parameters(self, shares: Points) -> list[float]:
        """The curve's own."""
        return [float(self.first + share * (self.last - self.first)) for share in shares]

    @property
    def start(self) -> Points:
        """Where it begins."""
        return np.asarray(self.at(np.zeros(1))[0])

    @property
    def end(self) -> Points:
        """Where it ends."""
        return np.asarray(self.at(np.ones(1))[0])

    @property
    def turned(self) -> Edge:
        """The other way."""
        back = self.curve.Reversed()
        first, last = (self.curve.ReversedParameter(end) for end in (self.last, self.first))
        return replace(self, curve=back, first=first, last=last)

    def part(self, low: float, high: float) -> Edge:
        """From one share of the way to another."""
        first, last = self.parameters(np.array([low, high]))
        return replace(self, first=first, last=last)

    @property
    def shape(self) -> TopoDS_Edge:
        """As OpenCASCADE has it, with ends of its own."""
        return BRepBuilderAPI_MakeEdge(self.curve, self.first, self.last).Edge()


def said(point: Points | Sequence[float]) -> str:
    """A point as messages have it."""
    return "({:.6g}, {:.6g}, {:.6g})".format(*(value + 0.0 for value in np.round(point, 9)))


def outline_of_patch(build: Build, node: Patch) -> list[Edge]:
    """The edges in order, along the first path from its start.

    Raises: GeometryError SKETCH_NOT_CLOSED where ends do not meet, SKETCH_DEGENERATE where three do.
    """
    chains = [_edges(build, path, number) for number, path in enumerate(node.edges, 1)]
    return _closed(build, chains)


# ---------------------------------------------------------------- curves of paths


def _edges(build: Build, path: NodeId, number: int) -> list[Edge]:
    """The curves of one path, which follow each other."""
    assert build.source is not None
    value = read_path(build.document, path, build.source)
    try:
        return [Edge(*stretch, number, off) for stretch, off in _curves(value)]
    except PathFault as fault:
        message = f"edge {number}: {fault}"
        raise build.fault("SKETCH_DEGENERATE", message, argument="edges", failed=False) from None


def _curves(path: Path) -> list[tuple[Stretch, float]]:
    """The smooth curves of a path, and how far each may be off. Raises: PathFault."""
    match path:
        case LinePath():
            return [(_line(np.array(path.start), np.array(path.end)), 0.0)]
        case DrawnPath():
            plane = Plane(np.array(path.origin), np.array(path.x_dir), np.array(path.y_dir))
            return [(stretch_of(curve, plane), 0.0) for curve in path.curves]
        case PolylinePath():
            return [(stretch, 0.0) for stretch in _straight_and_round(path)]
        case SplinePath():
            return [_followed(spline_track(path.points))]
    around = about_axis(path)
    assert around is not None
    return [_followed(track) for track in cylinder_tracks(around)]


def _line(start: Points, end: Points) -> Stretch:
    return Geom_Line(point_of(start), direction_of(end - start)), 0.0, float(np.linalg.norm(end - start))


def _straight_and_round(path: PolylinePath) -> list[Stretch]:
    found: list[Stretch] = []
    for piece in pieces_along(path, np.zeros((1, 2))):
        start, end = piece.start.point, piece.end.point
        if piece.bend is not None:
            frame = gp_Ax2(
                point_of(piece.bend.centre),
                direction_of(piece.bend.axis),
                direction_of(start - piece.bend.centre),
            )
            radius = float(np.linalg.norm(start - piece.bend.centre))
            found.append((Geom_Circle(gp_Circ(frame, radius)), 0.0, piece.bend.angle))
        elif np.linalg.norm(end - start) > LINEAR:
            found.append(_line(start, end))
    return found


def _followed(track: Track) -> tuple[Stretch, float]:
    size = float(track.breaks[-1] - track.breaks[0])
    spline = fitted(lambda at: track.at(at).points, track.breaks, _FITTED * size)
    stretch = curve_of(spline, spline.poles), float(spline.knots[0]), float(spline.knots[-1])
    # what is a spline of a lower degree is one of this, but for rounding
    return stretch, spline.error if spline.error > _FITTED * size else 0.0


# ---------------------------------------------------------------- one after the other


def _closed(build: Build, chains: Sequence[list[Edge]]) -> list[Edge]:
    """The edges of all paths in one ring."""
    outline = [*chains[0]]
    left = [*chains[1:]]
    while True:
        end = outline[-1].end
        if not left and math.dist(end, outline[0].start) <= LINEAR:
            return outline
        there = [chain for chain in left if _near(chain, end) <= LINEAR]
        if len(there) > 1 or (there and math.dist(end, outline[0].start) <= LINEAR):
            numbers = sorted({outline[-1].path, *(chain[0].path for chain in there)})
            named = ", ".join(map(str, numbers))
            message = f"more than two ends meet at {said(end)}, among them those of the edges {named}"
            fix = "an outline goes on from each of its ends to one other: make several patches"
            raise build.fault("SKETCH_DEGENERATE", message, argument="edges", failed=False, fix=fix)
        if not there:
            raise _gap(build, outline, left)
        (chain,) = there
        left = [other for other in left if other is not chain]
        if math.dist(chain[0].start, end) > LINEAR:
            chain = [edge.turned for edge in reversed(chain)]
        outline += chain


def _near(chain: Sequence[Edge], point: Points) -> float:
    """How far a point is from the nearer end of a chain."""
    return min(math.dist(chain[0].start, point), math.dist(chain[-1].end, point))


def _gap(build: Build, outline: Sequence[Edge], left: Sequence[list[Edge]]) -> Exception:
    end, number = outline[-1].end, outline[-1].path
    start = outline[0].start
    # the end of another edge, or, when all are used up, the beginning of the first
    others = [(_near(chain, end), chain[0].path) for chain in left]
    if math.dist(end, start) <= LINEAR:
        unused = ", ".join(str(chain[0].path) for chain in left)
        message = f"the outline is closed at {said(end)} before all edges are in it: {unused} is left over"
        fix = "leave that edge out, or make another patch of it"
    else:
        gap, other = min(others, default=(math.dist(end, start), outline[0].path))
        if not others or math.dist(end, start) < gap:
            gap, other = math.dist(end, start), outline[0].path
        nearest = f"the nearest is {gap:.6g} mm away, on edge {other}"
        message = f"edge {number} ends at {said(end)}, where no other end is; {nearest}"
        fix = "let the edges end in the same points, and close the outline with a path-line"
    return build.fault("SKETCH_NOT_CLOSED", message, argument="edges", failed=False, fix=fix)


# ---------------------------------------------------------------- crossings


def refuse_crossings(build: Build, outline: Sequence[Edge]) -> None:
    """Raises: GeometryError SKETCH_DEGENERATE where edges meet that do not follow each other."""
    count = len(outline)
    boxes = [_box(edge) for edge in outline]
    for i, j in itertools.combinations(range(count), 2):
        follows, leads = j == i + 1, (j + 1) % count == i
        if np.any(boxes[i][0] > boxes[j][1]) or np.any(boxes[j][0] > boxes[i][1]):
            continue
        one, other = outline[i], outline[j]
        # beside the corners that they have in common they are near to each other
        if follows or leads:
            one = one.part(_NEIGHBOURS if leads else 0.0, 1.0 - _NEIGHBOURS if follows else 1.0)
            other = other.part(_NEIGHBOURS if follows else 0.0, 1.0 - _NEIGHBOURS if leads else 1.0)
        search = BRepExtrema_DistShapeShape(one.shape, other.shape)
        if search.IsDone() and search.NbSolution() and search.Value() <= LINEAR:
            place = search.PointOnShape1(1).Coord()
            where = (
                f"edges {one.path} and {other.path} meet"
                if one.path != other.path
                else (f"edge {one.path} meets itself")
            )
            raise build.fault(
                "SKETCH_DEGENERATE",
                f"{where} at {said(place)}, where neither ends",
                argument="edges",
                failed=False,
                fix="edges meet at their ends alone: end them there, or move them apart",
            )


def _box(edge: Edge) -> tuple[Points, Points]:
    places = edge.at(np.linspace(0.0, 1.0, PLACES + 1))
    # a curve is no further from its places than they are from each other
    room = LINEAR + float(np.linalg.norm(np.diff(places, axis=0), axis=1).max())
    return places.min(axis=0) - room, places.max(axis=0) + room
