"""How far faces beside free-form ones are from where they should be: the same distance away everywhere.

What is parallel to a spline is none, so that such faces are interpolated, or OpenCASCADE's approximations.
All others are of the kind that they are parallel to. Lengths in millimetres.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.Geom import Geom_Surface
from OCP.GeomAPI import GeomAPI_ProjectPointOnSurf
from OCP.gp import gp_Pnt

from vcad_kernel.geometry.occt.brep import Brep, faces_of
from vcad_kernel.geometry.occt.measure.boxes import quick_box_of
from vcad_kernel.geometry.occt.measure.distances.clearances import clearance
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import is_free_form, places_over
from vcad_kernel.ir.digest import Digest

__all__ = ["deviating"]

_ROOM = 2.0
"""Times what is found: for what lies between the places that are looked at."""
_MOST = 600
"""Places on all new faces together, but one on each."""
_NEAR = 0.1
"""Part of the distance: by no more a face misses the one that it is parallel to."""
_SURE = 3
"""Places that tell what a face is parallel to."""


def deviating(moved: Brep, body: Brep, distance: float, maker: Digest) -> Brep:
    """The body with faces that are moved by so much, which says how far those may be off."""
    new = [
        face
        for face, made_by in zip(faces_of(moved.shape), moved.makers, strict=True)
        if made_by == maker and is_free_form(face)
    ]
    if not new:
        return moved
    old = [face for face in faces_of(body.shape) if is_free_form(face)]
    surfaces = [BRep_Tool.Surface_s(face) for face in old]
    boxes = np.array([quick_box_of(face) for face in old]).reshape(-1, 2, 3)
    reach = (1.0 + _NEAR) * distance
    away = 0.0
    for face in new:
        surface = BRepAdaptor_Surface(face, False)
        spread = list(places_over(face))
        places = [surface.Value(u, v) for u, v in spread[:: max(1, len(spread) * len(new) // _MOST)]]
        if not places:
            # a sliver between places: it is off by no more than it reaches
            away = max(away, math.dist(*quick_box_of(face)))
            continue
        # the whole of a face is parallel to one other that is near it, or, round beside an edge, to that
        there = np.array(places[0].Coord())
        near = np.all((boxes[:, 0] - reach <= there) & (there <= boxes[:, 1] + reach), axis=1)
        ways: list[Callable[[gp_Pnt], float]] = [
            *(partial(_miss, surfaces[index], distance) for index in np.flatnonzero(near).tolist()),
            lambda place: abs(clearance(place, body.shape) - distance),
        ]
        way = min(ways, key=lambda way: max(map(way, places[:_SURE])))
        away = max(away, *map(way, places))
    # what is parallel to a face that is off is off by as much
    return moved.off_by(body.farthest_off + _ROOM * away, maker)


def _miss(surface: Geom_Surface, distance: float, place: gp_Pnt) -> float:
    search = GeomAPI_ProjectPointOnSurf(place, surface)
    return abs(search.LowerDistance() - distance) if search.NbPoints() else distance
