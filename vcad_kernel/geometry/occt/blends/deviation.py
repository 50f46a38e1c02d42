"""How far strips that are kept as splines are from those that the rolling ball leaves.

OpenCASCADE puts an arc of the ball's radius into each plane square to the edge. The ball's own arc lies
square to the way of its centre, which is another plane wherever the angle between the faces changes along
the edge: 0.003 mm for a ball of 1 mm at the foot of a rod that leans by 30°. So a strip is measured: for
places of it the centre is found that has the ball's radius from both faces beside the strip, and from there
each place should be a radius away.

A corner that is patched has no ball that would say what it should be. Lengths in millimetres.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.Geom import Geom_Surface
from OCP.GeomAbs import GeomAbs_Line
from OCP.GeomAPI import GeomAPI_ProjectPointOnSurf
from OCP.gp import gp_Pnt, gp_Pnt2d
from OCP.TopAbs import TopAbs_FACE
from OCP.TopoDS import TopoDS, TopoDS_Face

from vcad_kernel.geometry.occt.blends.builders import place_of
from vcad_kernel.geometry.occt.blends.request import Blend
from vcad_kernel.geometry.occt.brep import Brep, edges_of, faces_of, listed, shape_map
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import (
    OutwardNormals,
    is_free_form,
    places_over,
)
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import SharpEdge, faces_by_edge, turns_between
from vcad_kernel.ir.digest import Digest

__all__ = ["deviating"]

_Vector: TypeAlias = NDArray[np.float64]
_Law: TypeAlias = Callable[[_Vector], tuple[float, _Vector | None]]
"""Of a place: the radius of the ball there, and which way it rolls, where no face says that."""

_ROOM = 2.0
"""Times what is found: for what lies between the places that are looked at."""
_SMOOTH = 0.1
"""Radians: by no more a strip turns away from a face that it runs into. Sharper are the ends of strips."""
_STEPS, _ENOUGH = 6, 1e-10
"""Steps of Newton's method to a centre, and the part of the radius that ends them."""
_SURE = 3
"""Places that tell between which faces a ball rolls, and on which side."""
_FAR = 0.5
"""Part of the radius: a ball that misses by more is on the other side, or between other faces."""
_FADED = 1e-3
"""Sine of the angle between both ways to the centre: below, faces touch, and their ball rolls any way."""
_UNSTEADY = 1e-3
"""Part of a radius that changes along a curve by which the strip may be off; not measured."""


def deviating(blended: Brep, corners: Sequence[SharpEdge], blend: Blend, maker: Digest) -> Brep:
    """The blended body, which says how far its strips may be off."""
    if blend.kind != "fillet":
        return blended
    strips = [
        face
        for face, made_by in zip(faces_of(blended.shape), blended.makers, strict=True)
        if made_by == maker and is_free_form(face)
    ]
    if not strips:
        return blended
    law = _law(corners, blend)
    if law is None:
        away = _UNSTEADY * max(blend.size, blend.end or 0.0)
    else:
        beside = _faces_beside(blended, strips, maker)
        away = max(_ROOM * _away(strip, faces, law) for strip, faces in zip(strips, beside, strict=True))
    return Brep(blended.shape, blended.makers, {**blended.deviations, maker: away})


def _law(corners: Sequence[SharpEdge], blend: Blend) -> _Law | None:
    """The ball at each place; None where its radius changes along anything else than straight edges."""
    if blend.end is None:
        return lambda _there: (blend.size, None)
    curves = [BRepAdaptor_Curve(corner.edge) for corner in corners]
    if any(curve.GetType() != GeomAbs_Line for curve in curves):
        return None
    first, last = (
        np.array([end.Coord() for end in ends])
        for ends in zip(*(_ends(curve) for curve in curves), strict=True)
    )
    change = blend.end - blend.size
    lengths = np.linalg.norm(last - first, axis=1)
    ways = (last - first) / lengths[:, None]

    def ball(there: _Vector) -> tuple[float, _Vector | None]:
        ahead = np.einsum("ij,ij->i", there - first, ways)
        away = np.linalg.norm(there - first - ahead[:, None] * ways, axis=1)
        nearest = int(away.argmin())
        return blend.size + change * float(ahead[nearest] / lengths[nearest]), ways[nearest]

    return ball


def _ends(curve: BRepAdaptor_Curve) -> list[gp_Pnt]:
    """Both ends, that of the first radius first."""
    ends = (curve.Value(curve.FirstParameter()), curve.Value(curve.LastParameter()))
    return sorted(ends, key=place_of)


def _faces_beside(blended: Brep, strips: Sequence[TopoDS_Face], maker: Digest) -> list[list[TopoDS_Face]]:
    """The older faces into which each strip runs smoothly."""
    numbers = shape_map(blended.shape, TopAbs_FACE)
    by_edge = faces_by_edge(blended.shape)
    found = []
    for strip in strips:
        beside: list[TopoDS_Face] = []
        for edge in edges_of(strip):
            for other in map(TopoDS.Face, listed(by_edge.FindFromKey(edge))):
                if blended.makers[numbers.FindIndex(other) - 1] == maker or BRep_Tool.Degenerated_s(edge):
                    continue
                turns = turns_between(edge, (strip, other))
                is_known = any(other.IsSame(face) for face in beside)
                if not is_known and max((turn for turn, _ in turns), default=0.0) < _SMOOTH:
                    beside.append(other)
        found.append(beside)
    return found


def _away(strip: TopoDS_Face, faces: Sequence[TopoDS_Face], law: _Law) -> float:
    """The largest distance of a place of the strip from what the ball would leave; 0 for a patch."""
    pairs = list(combinations([BRep_Tool.Surface_s(face) for face in faces], 2))
    normals = OutwardNormals(strip)
    places: list[tuple[_Vector, _Vector]] = []
    for u, v in places_over(strip) if pairs else ():
        normal = normals.at(gp_Pnt2d(u, v))
        if normal is not None:
            places.append((np.array(normals.surface.Value(u, v).Coord()), np.array(normal.Coord())))
    if not places:
        return 0.0
    # the ball is in the body or outside of it, and rolls between two of the faces: the same all along
    ways = list(product(pairs, (1.0, -1.0)))
    misses = np.array(
        [
            [_miss(there, side * out, pair, *law(there)) for pair, side in ways]
            for there, out in places[:_SURE]
        ]
    )
    pair, side = ways[int(misses.max(axis=0).argmin())]
    found = [_miss(there, side * out, pair, *law(there)) for there, out in places]
    return max((miss for miss in found if miss < np.inf), default=0.0)


def _miss(
    there: _Vector,
    out: _Vector,
    sides: tuple[Geom_Surface, Geom_Surface],
    radius: float,
    along: _Vector | None,
) -> float:
    """How far a place is from the ball whose centre is square to its way from there; inf where none is.

    out: from the place to the ball, of length 1. along: which way the ball rolls; None = as faces lead it.
    """
    centre = there + radius * out
    for _ in range(_STEPS):
        searches = [GeomAPI_ProjectPointOnSurf(gp_Pnt(*centre.tolist()), side) for side in sides]
        if not all(search.NbPoints() for search in searches):
            return np.inf
        ways = [centre - np.array(search.NearestPoint().Coord()) for search in searches]
        lengths = [float(np.linalg.norm(way)) for way in ways]
        off = np.array([radius - length for length in lengths])
        if np.abs(off).max() > _FAR * radius:
            return np.inf
        ways = [way / length for way, length in zip(ways, lengths, strict=True)]
        onwards = np.cross(*ways)
        turn = float(np.linalg.norm(onwards))
        if turn < _FADED:
            return float(np.abs(off).max())
        onwards = onwards / turn if along is None else along
        step = np.linalg.solve(np.array([*ways, onwards]), [*off, (there - centre) @ onwards])
        centre = centre + step
        if np.linalg.norm(step) < _ENOUGH * radius:
            break
    return abs(float(np.linalg.norm(there - centre)) - radius)
