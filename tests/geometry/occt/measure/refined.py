"""What a body measures by a mesh with curved triangles: the referee of figures of any body.

Each face is cut into triangles of its parameters whose sides are the borders' own curves. Points at the nodes
of Gauss's rule in each are evaluated by OpenCASCADE, one by one; what tangents and integrals there are comes
from those alone, by the polynomials through them, of two degrees, so that the difference says how exact they
are. Nothing of the product is used.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve2d, BRepAdaptor_Surface
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.BRepTools import BRepTools
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_FORWARD, TopAbs_REVERSED
from OCP.TopExp import TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS, TopoDS_Face, TopoDS_Shape

__all__ = ["Refined", "refined"]

Array: TypeAlias = NDArray[np.float64]

_NODES = 8, 12
"""Each way in a triangle: the rougher and the better."""
_ANGLE = math.pi / 8.0
_ZOOMS = 10
"""Each six times nearer to an extreme."""


@dataclass(frozen=True)
class Refined:
    """Sums over a boundary, mm: volume, three first and six second moments (xx, yy, zz, xy, yz, zx), area."""

    origin: Array
    """(3,): where moments are taken from."""
    sums: Array
    """(11,)."""
    doubt: Array
    """(11,): by how much the rougher ones differ."""
    lowest: Array
    """(3,): of all corners, and of the polynomials."""
    highest: Array


def refined(shape: TopoDS_Shape, chord: float = 0.1) -> Refined:
    """chord: how far the sides of triangles may be from the body, as a part of the length of its edges."""
    BRepTools.Clean_s(shape)
    BRepMesh_IncrementalMesh(shape, chord, True, _ANGLE, False)
    levels = np.zeros((2, 11))
    lows, highs, bent = [], [], []
    origin: Array | None = None
    walk = TopExp_Explorer(shape, TopAbs_FACE)
    while walk.More():
        face = TopoDS.Face(walk.Current())
        walk.Next()
        triangles = _Triangles(face)
        lows.append(triangles.lowest)
        highs.append(triangles.highest)
        for number, count in enumerate(_NODES):
            points, ways = triangles.at(count)
            origin = points[0, 0] if origin is None else origin
            levels[number] += _sums(points - origin, ways, count, face.Orientation() == TopAbs_REVERSED)
        bent.append(points - origin)
    BRepTools.Clean_s(shape)
    assert origin is not None
    whole = np.concatenate(bent)
    corners = np.min(lows, axis=0) - origin, np.max(highs, axis=0) - origin
    low = origin - [_peak(-whole[..., axis], -corners[0][axis]) for axis in range(3)]
    high = origin + [_peak(whole[..., axis], corners[1][axis]) for axis in range(3)]
    return Refined(origin, levels[1], np.abs(levels[1] - levels[0]), low, high)


def _peak(heights: Array, highest: float) -> float:
    """The highest place of triangles, (n, count²), or of the corners where that is higher."""
    count = math.isqrt(heights.shape[1])
    nodes = 2.0 * _rule(count)[0] - 1.0
    values = np.linalg.inv(np.vander(nodes))
    top, spread = heights.max(axis=1), np.ptp(heights, axis=1)
    # between nodes a triangle rises less than they differ
    for number in np.flatnonzero((top + spread > highest) & (spread > 1e-12 * np.ptp(heights))):
        if top[number] + spread[number] <= highest:
            continue
        left, right = np.full(2, -1.0), np.full(2, 1.0)
        for _ in range(_ZOOMS):
            grids = [np.linspace(*ends, 13) for ends in zip(left, right, strict=True)]
            along, across = (np.vander(grid, count) @ values for grid in grids)
            there = along @ heights[number].reshape(count, count) @ across.T
            best = np.unravel_index(there.argmax(), there.shape)
            highest = max(highest, float(there[best]))
            spot = np.array([grid[place] for grid, place in zip(grids, best, strict=True)])
            step = (right - left) / 12.0
            left, right = np.maximum(spot - step, -1.0), np.minimum(spot + step, 1.0)
    return highest


@cache
def _rule(count: int) -> tuple[Array, Array, Array]:
    """Gauss's nodes in [0, 1], their weights, and the matrix that makes slopes of values there."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    slopes = np.linalg.inv(np.vander(nodes, increasing=True))
    powers = np.arange(count)
    rising = np.where(powers > 0, powers * nodes[:, None] ** np.maximum(powers - 1, 0), 0.0)
    return 0.5 * (nodes + 1.0), 0.5 * weights, 2.0 * rising @ slopes


class _Triangles:
    """Those of one face, with the curves along its border."""

    def __init__(self, face: TopoDS_Face) -> None:
        upright = TopoDS.Face(face.Oriented(TopAbs_FORWARD))
        place = TopLoc_Location()
        mesh = BRep_Tool.Triangulation_s(upright, place)
        uv = np.array([mesh.UVNode(index).Coord() for index in range(1, mesh.NbNodes() + 1)])
        corners = np.array([mesh.Triangle(index).Get() for index in range(1, mesh.NbTriangles() + 1)]) - 1
        self._uv = uv[corners]
        self._surface = BRepAdaptor_Surface(upright, False)
        nodes = np.array([self._surface.Value(u, v).Coord() for u, v in uv.tolist()])
        self.lowest, self.highest = nodes.min(axis=0), nodes.max(axis=0)
        self._bends: list[tuple[int, int, BRepAdaptor_Curve2d, float, float]] = []
        """Triangle, which of its sides, the curve there and its parameters at both ends."""
        sides = {
            (int(a), int(b)): (number, side)
            for number, triangle in enumerate(corners)
            for side, (a, b) in enumerate(zip(triangle, np.roll(triangle, -1), strict=True))
        }
        around = TopExp_Explorer(upright, TopAbs_EDGE)
        while around.More():
            edge = TopoDS.Edge(around.Current())
            around.Next()
            polygon = BRep_Tool.PolygonOnTriangulation_s(edge, mesh, place)
            curve = BRepAdaptor_Curve2d(edge, upright)
            steps = [(polygon.Node(i) - 1, polygon.Parameter(i)) for i in range(1, polygon.NbNodes() + 1)]
            for one, other in itertools.pairwise(steps):
                for (a, start), (b, stop) in ((one, other), (other, one)):
                    if (a, b) in sides:
                        self._bends.append((*sides[a, b], curve, start, stop))

    def at(self, count: int) -> tuple[Array, Array]:
        """Points (n, count², 3) at Gauss's nodes, and whether parameters are turned over there, (n, count²).

        A triangle is the square whose one side is its first corner.
        """
        nodes, _, slopes = _rule(count)
        x, y = (part.ravel() for part in np.meshgrid(nodes, nodes, indexing="ij"))
        shares = np.stack([1.0 - x, x * (1.0 - y), x * y], axis=1)
        spots = shares @ self._uv
        for number, side, curve, start, stop in self._bends:
            spots[number] += _bend(curve, start, stop, shares[:, side], shares[:, (side + 1) % 3])
        points = np.array([self._surface.Value(u, v).Coord() for u, v in spots.reshape(-1, 2).tolist()])
        along, across = _tangents(spots, slopes)
        ways = np.sign(along[..., 0] * across[..., 1] - along[..., 1] * across[..., 0])
        return points.reshape(len(spots), -1, 3), ways


def _bend(curve: BRepAdaptor_Curve2d, start: float, stop: float, a: Array, b: Array) -> Array:
    """By how much places are moved where one side is a curve and no line: smoothly, and not at the others.

    a, b: shares of the corners of that side. Source: Szabó and Babuška, Finite Element Analysis, on blending
    functions for triangles.
    """
    first, last = (np.array(curve.Value(end).Coord()) for end in (start, stop))
    share = 0.5 * (1.0 + b - a)[:, None]
    there = np.array([curve.Value(start + part * (stop - start)).Coord() for part in share[:, 0].tolist()])
    beside = there - (1.0 - share) * first - share * last
    return np.asarray(beside * (a * b)[:, None] / (share * (1.0 - share)))


def _tangents(values: Array, slopes: Array) -> tuple[Array, Array]:
    grid = values.reshape(len(values), len(slopes), len(slopes), -1)
    along, across = np.einsum("ij,njkc->nikc", slopes, grid), np.einsum("ij,nkjc->nkic", slopes, grid)
    return along.reshape(values.shape), across.reshape(values.shape)


def _sums(points: Array, ways: Array, count: int, inwards: bool) -> Array:
    _, weights, slopes = _rule(count)
    normals = np.cross(*_tangents(points, slopes)) * (-1.0 if inwards else 1.0)
    flux = np.einsum("nkc,nkc->nk", points, normals)[..., None]
    mixed = points * np.roll(points, -1, axis=2)
    area = (ways * np.linalg.norm(normals, axis=2))[..., None]
    parts = [flux / 3.0, points * flux / 4.0, points**2 * flux / 5.0, mixed * flux / 5.0, area]
    return np.asarray(
        np.einsum("nkq,k->q", np.concatenate(parts, axis=2), np.outer(weights, weights).ravel())
    )
