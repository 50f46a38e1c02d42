"""How much volume the blends of a body's edges take away or add, estimated from the edges alone.

Each edge contributes the area between corner and blend, integrated along it by Simpson's rule with
the angle that the faces have there. What that leaves out is bounded: the bend of the edge (Pappus: the
section's centroid runs on another radius than the edge) and the ends, where blends meet.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Curve2d, BRepAdaptor_Surface
from OCP.BRepLProp import BRepLProp_CLProps, BRepLProp_SLProps
from OCP.GeomAbs import GeomAbs_Plane
from OCP.gp import gp_Dir, gp_Pnt, gp_Vec

from vcad_kernel.geometry.occt.blends.request import Blend
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import CIRCLE, LINE
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import SharpEdge, oriented_in, turns_along

__all__ = ["expected_change"]

_PLANE = GeomAbs_Plane.value
_LOOSE = 0.12
"""Relative uncertainty of the integral along an edge."""
_PIECES = 8
_HOLLOW = 3.0
"""What the bend of the faces counts: between curved faces the section is no kite of straight sides, and
with a ball that reaches far along them it can be several times as large."""


def expected_change(corners: Sequence[SharpEdge], blend: Blend) -> tuple[float, float]:
    """The change of volume, mm³ (negative: material goes), and by how much that may be wrong."""
    change = doubt = 0.0
    ends: dict[int, list[tuple[float, float]]] = {}
    for corner in corners:
        amount, trim = _along(corner, blend)
        change += amount
        hollow = trim * _hollowness(corner)
        # the section times the length is right for straight edges between planes; bends make it doubtful
        bend = min(1.0, trim * _curvature(corner) + _HOLLOW * hollow)
        if blend.kind == "fillet":
            bend += 20.0 * _HOLLOW * hollow**2
        doubt += abs(amount) * (_LOOSE + bend)
        first, last = corner.ends
        if first != last:
            section = blend.section(corner)
            for vertex in (first, last):
                ends.setdefault(vertex, []).append((section, trim))
    # in a corner the strips of several edges overlap, or leave a piece out
    for meeting in ends.values():
        reach = max(trim for _, trim in meeting)
        doubt += sum(section for section, _ in meeting) * reach
    return change, doubt


def _along(corner: SharpEdge, blend: Blend) -> tuple[float, float]:
    """Signed volume along an edge, and the widest strip that the blend takes of a face."""
    row = corner.row
    if corner.convex is not None and corner.into is not None:
        # the section is the same all along
        length = math.dist(row[:3], row[3:6]) if corner.curve == LINE else row[12] * row[13]
        size = blend.section(corner) * length
        return -size if corner.convex else size, blend.reach(corner)
    curve = BRepAdaptor_Curve(corner.edge)
    low, high = curve.FirstParameter(), curve.LastParameter()
    stations = [low + (high - low) * index / _PIECES for index in range(_PIECES + 1)]
    points = [curve.Value(at) for at in stations]
    # not the very ends: surfaces may be singular there
    inner = [stations[0] + (high - low) * 1e-3, *stations[1:-1], stations[-1] - (high - low) * 1e-3]
    turned = [(corner.turned(turn), convex) for turn, convex in turns_along(corner, inner)]
    sections = [blend.section(there) * (-1.0 if convex else 1.0) for there, convex in turned]
    trim = max((blend.reach(there) for there, _ in turned), default=0.0)
    # Trapezia: the chords of a fine polygon stand for the arc length.
    amount = sum(
        (a + b) / 2 * start.Distance(end)
        for (a, b), (start, end) in zip(pairwise(sections), pairwise(points), strict=True)
    )
    return amount, trim


def _curvature(corner: SharpEdge) -> float:
    """The largest curvature of an edge, 1/mm."""
    if corner.curve == LINE:
        return 0.0
    if corner.curve == CIRCLE:
        return 1.0 / corner.row[12]
    curve = BRepAdaptor_Curve(corner.edge)
    low, high = curve.FirstParameter(), curve.LastParameter()
    largest = 0.0
    for share in (0.05, 0.25, 0.5, 0.75, 0.95):
        properties = BRepLProp_CLProps(curve, low + share * (high - low), 2, 1e-9)
        if properties.IsTangentDefined():
            largest = max(largest, properties.Curvature())
    return largest


def _hollowness(corner: SharpEdge) -> float:
    """The largest curvature of the faces square to the edge, at its middle, 1/mm."""
    if corner.surfaces == (_PLANE, _PLANE):
        return 0.0
    curve = BRepAdaptor_Curve(corner.edge)
    middle = (curve.FirstParameter() + curve.LastParameter()) / 2
    point, tangent = gp_Pnt(), gp_Vec()
    curve.D1(middle, point, tangent)
    largest = 0.0
    for face, kind in zip(corner.faces, corner.surfaces, strict=True):
        if kind == _PLANE:
            continue
        surface = BRepAdaptor_Surface(face, False)
        place = BRepAdaptor_Curve2d(oriented_in(corner.edge, face), face).Value(middle)
        properties = BRepLProp_SLProps(surface, place.X(), place.Y(), 2, 1e-9)
        if not properties.IsCurvatureDefined():
            continue
        bends = (properties.MaxCurvature(), properties.MinCurvature())
        if properties.IsUmbilic() or tangent.Magnitude() < 1e-12:
            largest = max(largest, *map(abs, bends))
            continue
        main, other = gp_Dir(), gp_Dir()
        properties.CurvatureDirections(main, other)
        # Euler: the normal curvature in a direction; square to the edge sine and cosine change places.
        share = gp_Dir(tangent).Dot(main) ** 2
        largest = max(largest, abs(bends[0] * (1.0 - share) + bends[1] * share))
    return largest
