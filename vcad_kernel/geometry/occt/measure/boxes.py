"""Boxes around bodies that are quick: never too small, or, through points of the edges, never too large.

Axis-parallel, in millimetres. The tight one is :func:`vcad_kernel.geometry.occt.measure.extents.box_of`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from OCP.Bnd import Bnd_Box
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepBndLib import BRepBndLib
from OCP.GeomAbs import (
    GeomAbs_Cone,
    GeomAbs_Cylinder,
    GeomAbs_Plane,
    GeomAbs_SurfaceOfExtrusion,
    GeomAbs_Torus,
)
from OCP.gp import gp_Pnt
from OCP.TopoDS import TopoDS_Shape

from vcad_kernel.geometry.occt.brep import Brep, compound_of
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import boundary_numbers
from vcad_kernel.operations.node import Vec3

__all__ = [
    "RULED",
    "Box",
    "LooseBox",
    "box_of_points",
    "loose_box",
    "quick_box_of",
    "shifted_box",
    "torus_box",
]

Box: TypeAlias = tuple[Vec3, Vec3]
"""Lowest and highest corner."""
LooseBox: TypeAlias = NDArray[np.float64]
"""(2, 3) float64: lowest and highest corner, millimetres."""

RULED = frozenset(
    {
        GeomAbs_Plane.value,
        GeomAbs_Cylinder.value,
        GeomAbs_Cone.value,
        GeomAbs_SurfaceOfExtrusion.value,
    }
)
"""Kinds of surfaces with a straight line through each point that lies in the face until it meets the border:
such a face reaches nowhere further than its border does."""
_TORUS = GeomAbs_Torus.value
_LOOSE: WeakKeyDictionary[Brep, LooseBox] = WeakKeyDictionary()


def loose_box(body: Brep) -> LooseBox:
    """A box that contains the body; larger than it by at least its tolerances. Kept as long as the body."""
    known = _LOOSE.get(body)
    if known is None:
        box = Bnd_Box()
        BRepBndLib.Add_s(body.shape, box, False)
        low, high = box.CornerMin(), box.CornerMax()
        known = _LOOSE[body] = np.array([[low.X(), low.Y(), low.Z()], [high.X(), high.Y(), high.Z()]])
    return known


def shifted_box(moved: Brep, original: Brep, shift: Sequence[float]) -> None:
    """Keeps the loose box of a body that is another one moved so far, where that has one."""
    box = _LOOSE.get(original)
    if box is not None:
        _LOOSE[moved] = box + shift


def quick_box_of(shape: TopoDS_Shape) -> Box:
    """An axis-parallel box, never too small; where a face is trimmed that is not ruled, its whole surface may
    count."""
    box = Bnd_Box()
    numbers = boundary_numbers(shape)
    if not numbers.faces:
        BRepBndLib.Add_s(shape, box, False)
        return _corners(box)
    bent = []
    for face, kind in zip(numbers.faces, numbers.kinds, strict=True):
        if kind == _TORUS:
            for corner in torus_box(BRepAdaptor_Surface(face, True)):
                box.Add(corner)
        elif kind not in RULED:
            bent.append(face)
    # of a bore askew OpenCASCADE's own reaches far out of the body
    BRepBndLib.Add_s(compound_of((*bent, *numbers.edges)), box, False)
    return _corners(box)


def _corners(box: Bnd_Box) -> Box:
    box.SetGap(0.0)
    low, high = box.CornerMin(), box.CornerMax()
    return (low.X(), low.Y(), low.Z()), (high.X(), high.Y(), high.Z())


def box_of_points(shape: TopoDS_Shape) -> Box | None:
    """The box of the corners and of points along the edges, never too large; None where there is no edge."""
    places = boundary_numbers(shape).stations
    if not len(places):
        return None
    (low_x, low_y, low_z), (high_x, high_y, high_z) = places.min(axis=0).tolist(), places.max(axis=0).tolist()
    return (low_x, low_y, low_z), (high_x, high_y, high_z)


# ---- the axis-parallel box of a piece of a torus, in closed form -----------------------------
#     P(u, v) = C + (R + r cos v)(X cos u + Y sin u) + Z r sin v
#
# Along an axis of space that is linear in the A = (X cos u + Y sin u) of that axis, so its extremes have the
# largest or the least A of the range of u; for either, what is left is a sinusoid of v. OpenCASCADE's quick
# box is too large by up to the radius of the tube, and its tight one takes 10 ms for each piece. Lengths in
# millimetres, angles in radians.
#
# Earns its place by the benchmark of a rounded link: two thirds of what is built and checked are such boxes.


def torus_box(surface: BRepAdaptor_Surface) -> tuple[gp_Pnt, gp_Pnt]:
    """Lowest and highest corner of all of a torus within the surface's range of parameters."""
    torus = surface.Torus()
    axes, centre = torus.Position(), torus.Location().Coord()
    us = surface.FirstUParameter(), surface.LastUParameter()
    vs = surface.FirstVParameter(), surface.LastVParameter()
    major, minor = torus.MajorRadius(), torus.MinorRadius()
    lows, highs = [], []
    directions = (axes.XDirection().Coord(), axes.YDirection().Coord(), axes.Direction().Coord())
    for middle, x, y, z in zip(centre, *directions, strict=True):
        reaches = (_most(x, y, us), -_most(-x, -y, us))
        highs.append(middle + max(major * reach + _most(minor * reach, minor * z, vs) for reach in reaches))
        lows.append(middle + min(major * reach - _most(-minor * reach, -minor * z, vs) for reach in reaches))
    return gp_Pnt(*lows), gp_Pnt(*highs)


def _most(cosine: float, sine: float, span: tuple[float, float]) -> float:
    """The largest value of cosine · cos t + sine · sin t within a span of t."""
    low, high = span
    # the crest that comes first in the span, if there is one
    crest = low + (math.atan2(sine, cosine) - low) % (2.0 * math.pi)
    if crest <= high:
        return math.hypot(cosine, sine)
    return max(cosine * math.cos(at) + sine * math.sin(at) for at in span)
