"""Where the holes of a drill are: points of a plane, from counts and spacings or from the body itself."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.GeomAbs import GeomAbs_Circle, GeomAbs_Line
from OCP.gp import gp_Pnt
from OCP.TopAbs import TopAbs_REVERSED
from OCP.TopoDS import TopoDS_Edge

from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.occt.brep import Brep, edges_of
from vcad_kernel.geometry.occt.building import Build
from vcad_kernel.geometry.occt.measure.boxes import loose_box
from vcad_kernel.geometry.occt.measure.integration.masses import area_and_centre
from vcad_kernel.geometry.occt.measure.topology.described import candidates
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import middle_of
from vcad_kernel.geometry.occt.selection.face_frames import FaceFrame
from vcad_kernel.geometry.occt.selection.selection import select_edges, select_faces
from vcad_kernel.geometry.sweeps.planes import Plane
from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.operations.features.places import AlongEdge, CentersOf, Corners, Grid, Places, Points, Ring
from vcad_kernel.operations.node import Vec2
from vcad_kernel.units import cosd, sind

__all__ = ["Ground", "depths_of", "places_on"]


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """The plane into which is drilled, and the body."""

    build: Build
    brep: Brep
    plane: Plane
    frame: FaceFrame | None
    """The face of the body; None where any plane is given."""

    def seen(self, point: gp_Pnt | NDArray[np.float64]) -> Vec2:
        """A point of space as it lies in the plane, seen along its normal."""
        there = np.array(point.Coord()) if isinstance(point, gp_Pnt) else point
        away = there - self.plane.origin
        return float(away @ self.plane.x), float(away @ self.plane.y)


def depths_of(brep: Brep, plane: Plane) -> Vec2:
    """Between what depths below a plane all of a body lies, mm."""
    low, high = loose_box(brep)
    corners = np.array(
        [[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    )
    depths = (plane.origin - corners) @ plane.normal
    spare = 0.01 * float(np.ptp(depths)) + 1.0
    return float(depths.min()) - spare, float(depths.max()) + spare


def places_on(ground: Ground, places: Places) -> list[Vec2]:
    """The points of the plane, each once. Raises: GeometryError where the body has no such places."""
    centers: list[Vec2] = []
    for point in _points(ground, places):
        # a rim above and one below it are one hole; of many given points no two are compared
        if not isinstance(places, CentersOf) or all(math.dist(point, other) > LINEAR for other in centers):
            centers.append(point)
    return [*dict.fromkeys(centers)]


def _points(ground: Ground, places: Places) -> Sequence[Vec2]:
    match places:
        case Points():
            return places.points
        case Grid():
            (dx, dy), columns, rows = places.spacing, places.columns, places.rows
            return [
                ((column - 0.5 * (columns - 1)) * dx, (row - 0.5 * (rows - 1)) * dy)
                for row, column in itertools.product(range(rows), range(columns))
            ]
        case Ring():
            turns = [at * 360.0 / places.number for at in range(places.number)]
            return [(places.radius * cosd(turn), places.radius * sind(turn)) for turn in turns]
        case Corners():
            return _corners(ground, places)
        case AlongEdge():
            return _along(ground, places)
        case CentersOf():
            return _centres(ground, places)


def _corners(ground: Ground, places: Corners) -> list[Vec2]:
    frame = _frame(ground, "corners")
    a, b = (0.5 * side - places.inset for side in frame.size)
    if min(a, b) < -LINEAR:
        size = " by ".join(f"{side:g}" for side in frame.size)
        raise _refused(ground, f"corners are inset by {places.inset:g} mm, and the face is {size} mm")
    return [(-a, -b), (a, -b), (a, b), (-a, b)]


def _along(ground: Ground, places: AlongEdge) -> list[Vec2]:
    frame = _frame(ground, "along-edge")
    edge, runs_back = _edge_of_face(ground, frame, places)
    curve = BRepAdaptor_Curve(edge)
    if curve.GetType() != GeomAbs_Line:
        raise _refused(
            ground,
            "along-edge needs a straight edge, and the selection takes a curved one",
            fix="on a circle write ring, or centers-of where holes are to share its centre",
        )
    ends = [ground.seen(curve.Value(at)) for at in (curve.FirstParameter(), curve.LastParameter())]
    start, end = (np.array(end) for end in (ends[::-1] if runs_back else ends))
    length = math.dist(start, end)
    along = (end - start) / length
    # the face lies to the left of its border
    inwards = np.array([-along[1], along[0]]) * places.inset
    if places.number > 1 and 2.0 * places.inset > length + LINEAR:
        raise _refused(
            ground, f"along-edge is inset by {places.inset:g} mm, and the edge is {length:g} mm long"
        )
    between = length - 2.0 * places.inset
    # always in one order, however the border runs: along x, and upwards where that says nothing
    if along[0] < -1e-9 or (abs(along[0]) <= 1e-9 and along[1] < 0.0):
        start, along = end, -along
    steps = (
        [0.5 * length]
        if places.number == 1
        else [places.inset + between * at / (places.number - 1) for at in range(places.number)]
    )
    points = [start + step * along + inwards for step in steps]
    return [(float(u), float(v)) for u, v in points]


def _edge_of_face(ground: Ground, frame: FaceFrame, places: AlongEdge) -> tuple[TopoDS_Edge, bool]:
    """The one edge of the face that a selection takes, and whether the face's border runs against it."""
    chosen = select_edges(ground.build, ground.brep, places.edge)
    border = [edge for face in frame.faces for edge in edges_of(face)]
    matching = [edge for edge in border if any(edge.IsSame(selected) for selected in chosen)]
    if len(matching) != 1:
        raise ground.build.fault(
            "AMBIGUOUS_EDGE" if matching else "NO_MATCH",
            "along-edge needs one edge of the face, and the selection takes "
            + (f"{len(matching)} of its edges" if matching else "none of its edges"),
            argument="places",
            failed=False,
            fix="say where the edge is, as {:at {:y 0}}",
            details=candidates(ground.brep, matching or border),
        )
    (edge,) = matching
    return edge, edge.Orientation() == TopAbs_REVERSED


def _centres(ground: Ground, places: CentersOf) -> list[Vec2]:
    build, brep = ground.build, ground.brep
    if places.which.target == "face":
        return [ground.seen(area_and_centre(face)[1]) for face in select_faces(build, brep, places.which)]
    return [ground.seen(_centre(edge)) for edge in select_edges(build, brep, places.which)]


def _centre(edge: TopoDS_Edge) -> gp_Pnt:
    curve = BRepAdaptor_Curve(edge)
    return curve.Circle().Location() if curve.GetType() == GeomAbs_Circle else middle_of(edge)


def _frame(ground: Ground, word: str) -> FaceFrame:
    if ground.frame is None:
        raise _refused(
            ground,
            f"{word} needs a face, and a plane has no outline",
            fix="select a face of the body, or give the places as points, grid or ring",
        )
    return ground.frame


def _refused(ground: Ground, message: str, fix: str | None = None) -> GeometryError:
    return ground.build.fault("INVALID_PARAMETER", message, argument="places", failed=False, fix=fix)
