"""How far faces beside free-form ones are from where they should be: the same distance away everywhere.

What is parallel to a spline is none, so that such faces are interpolated, or OpenCASCADE's approximations.
All others are of the kind that they are parallel to. Lengths in millimetres.
"""

from __future__ import annotations

from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.GeomAPI import GeomAPI_ProjectPointOnSurf
from OCP.gp import gp_Pnt

from vcad_kernel.geometry.occt.brep import Brep, faces_of
from vcad_kernel.geometry.occt.measure.clearances import clearance
from vcad_kernel.geometry.occt.measure.faces_and_edges import is_free_form, places_over
from vcad_kernel.ir.digest import Digest

__all__ = ["deviating"]

_ROOM = 2.0
"""Times what is found: for what lies between the places that are looked at."""
_NEAR = 0.1
"""Part of the distance: by no more a face misses the one that it is parallel to."""


def deviating(moved: Brep, body: Brep, distance: float, maker: Digest) -> Brep:
    """The body with faces that are moved by so much, which says how far those may be off."""
    new = [
        face
        for face, made_by in zip(faces_of(moved.shape), moved.makers, strict=True)
        if made_by == maker and is_free_form(face)
    ]
    if not new:
        return moved
    surfaces = [BRep_Tool.Surface_s(face) for face in faces_of(body.shape) if is_free_form(face)]

    def miss(place: gp_Pnt) -> float:
        searches = (GeomAPI_ProjectPointOnSurf(place, surface) for surface in surfaces)
        misses = [abs(search.LowerDistance() - distance) for search in searches if search.NbPoints()]
        least = min(misses, default=distance)
        # what is round beside an edge is as far from that
        return least if least < _NEAR * distance else min(least, abs(clearance(place, body.shape) - distance))

    away = 0.0
    for face in new:
        surface = BRepAdaptor_Surface(face, False)
        away = max(away, *(miss(surface.Value(u, v)) for u, v in places_over(face)), 0.0)
    return Brep(moved.shape, moved.makers, {**moved.deviations, maker: _ROOM * away})
