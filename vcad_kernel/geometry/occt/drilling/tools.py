"""What a drill cuts with: cylinders, cones and steps, turned once and carried to each place."""

from __future__ import annotations

import numpy as np

from vcad_kernel.geometry.occt.booleans.booleans import united
from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.drilling.places import Ground, depths_of, places_on
from vcad_kernel.geometry.occt.drilling.strays import strays_among
from vcad_kernel.geometry.occt.sweeps.profiles.sketches import segments_of
from vcad_kernel.geometry.occt.sweeps.revolving import turned_outline
from vcad_kernel.geometry.occt.transforms import moved
from vcad_kernel.geometry.sweeps.boring import Bores, turned_bore
from vcad_kernel.geometry.sweeps.planes import Plane, matrix_onto
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.operations.features.holes import DrillTool
from vcad_kernel.operations.node import Vec2

__all__ = ["bores_in", "drill_tool"]

_COARSE = Tessellation()
_LIFT = 0.01
"""Millimetres: far beyond rounding, and less than any air above a face."""


def drill_tool(build: Build, _node: DrillTool, operands: Operands) -> Brep | None:
    """All holes as one body; None where there is nothing to drill into."""
    if operands[0] is None:
        return None
    assert build.source is not None
    bores = build.source.bores(build.document, build.node)
    build.notes.extend(bores.notes)
    value, profile = turned_bore(build.document, build.node, bores)
    against = profile.outline(_COARSE).area < 0.0
    bore = turned_outline(build, value, profile, segments_of(profile, reverse=against))
    return united(build, [moved(bore, place) for place in bores.places])


def bores_in(ground: Ground, tool: DrillTool) -> Bores:
    """Where the holes of a drill are, with what is to be said of them.

    Raises: GeometryError for places that the body does not have.
    """
    points = places_on(ground, tool.places)
    _, reach = depths_of(ground.brep, ground.plane)
    # a seat may be deeper than the body
    reach = max(reach, 1.0) + tool.seat
    strays = strays_among(ground, tool, points, reach)
    strays.tell(ground, points)
    # above a face that holds all of them there is nothing; a plane may run through the body
    lift = _LIFT if ground.frame is not None and not (strays.beside_face or strays.in_air) else 0.0
    places = tuple(matrix_onto(_plane_at(ground.plane, point)) for point in points)
    return Bores(places, reach, lift, tuple(ground.build.notes))


def _plane_at(plane: Plane, point: Vec2) -> Plane:
    return Plane(plane.place(np.array(point)), plane.x, plane.y)
