"""Offset: a body grown with round joins, or shrunk with sharp ones. Lengths in millimetres."""

from __future__ import annotations

import itertools
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

from OCP.BinTools import BinTools
from OCP.BRepAdaptor import BRepAdaptor_Curve2d, BRepAdaptor_Surface
from OCP.BRepAlgoAPI import BRepAlgoAPI_Fuse
from OCP.BRepClass3d import BRepClass3d
from OCP.gp import gp_Pnt, gp_Pnt2d
from OCP.IntTools import IntTools_Context
from OCP.TopAbs import TopAbs_SHELL
from OCP.TopoDS import TopoDS, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import Brep, edges_of, faces_of, shape_map, solids_of
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.insets import growing_worker
from vcad_kernel.geometry.occt.insets.cavities import filled, hollowed
from vcad_kernel.geometry.occt.insets.deviation import deviating
from vcad_kernel.geometry.occt.insets.insetting import Inset
from vcad_kernel.geometry.occt.insets.moving.moved_faces import vanishes
from vcad_kernel.geometry.occt.insets.wall_limits import (
    Clock,
    borders,
    described_faces,
    largest_working,
    rounded_down,
)
from vcad_kernel.geometry.occt.measure.boxes import Box, box_of_points
from vcad_kernel.geometry.occt.measure.distances.clearances import Crowd
from vcad_kernel.geometry.occt.measure.distances.depth import Inside, boundary_points, face_point
from vcad_kernel.geometry.occt.measure.extents import box_of
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import boundary_numbers
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import outward_normal, places_over
from vcad_kernel.geometry.occt.measure.topology.joints import is_convex, joints_of
from vcad_kernel.geometry.occt.measure.validity import (
    checked,
    flaw,
    is_valid,
    rough_volume,
    volume_of,
)
from vcad_kernel.geometry.occt.separate_process import exit_status
from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.operations.bodies.bodies import Offset

__all__ = ["offset"]

_FAILED = "OFFSET_FAILED"


def offset(build: Build, node: Offset, operands: Operands, *, clock: Clock = time.monotonic) -> Brep | None:
    """The body grown (distance > 0) or shrunk (distance < 0). Raises: OFFSET_FAILED."""
    (body,) = operands
    if body is None or node.distance == 0.0:
        return body
    size = abs(node.distance)
    moving: Growth | Inset = Growth(body.shape) if node.distance > 0.0 else Inset(body.shape)
    result = moving.at(size)
    if result is None:
        raise _refusal(build, node, body, moving, clock)
    grown = deviating(Brep.made(result, build.maker), body, size, build.maker)
    whole = volume_of(body.shape)
    # what lies within a box that may be too small needs no tight one, which takes as long as all else
    least = box_of_points(body.shape)
    if least is not None and flaw(result, **_room_for(least, whole, node.distance)) is None:
        return grown
    return checked(build, grown, _FAILED, **_room_for(box_of(body.shape), whole, node.distance))


class _Room(TypedDict):
    """What a result must keep to: its volume, mm³, and its box."""

    volume: tuple[float, float]
    box: Box


def _room_for(box: Box, whole: float, distance: float) -> _Room:
    """What a body of a box and a volume can become when it is grown, or shrunk, by a distance."""
    (x, y, z), (u, v, w) = box
    moved = (x - distance, y - distance, z - distance), (u + distance, v + distance, w + distance)
    volume = (whole, _box_volume(moved)) if distance > 0.0 else (0.0, whole)
    return _Room(volume=volume, box=moved)


def _box_volume(box: Box) -> float:
    volume = 1.0
    for low, high in zip(*box, strict=True):
        volume *= high - low
    return volume


def _refusal(build: Build, node: Offset, body: Brep, moving: Growth | Inset, clock: Clock) -> Exception:
    """The refusal, with the largest distance that works and the faces that stand in the way."""
    size, sign = abs(node.distance), 1.0 if node.distance > 0.0 else -1.0
    failing = min(size, moving.bound) if isinstance(moving, Inset) else moving.room(size)
    largest = largest_working(
        lambda value: moving.at(value) is not None,
        failing,
        seconds=build.search.wall_seconds,
        trials=build.search.trials,
        clock=clock,
    )
    faces = moving.collapsing(size) if isinstance(moving, Inset) else moving.swallowed(size)
    if isinstance(moving, Inset) and moving.is_too_freeform:
        return build.fault(
            _FAILED,
            "this body has too many free-form faces to be moved inwards together",
            fix="build the smaller body directly",
            details={"largest_working": None, "failing_faces": []},
        )
    how = "grown" if sign > 0.0 else "shrunk"
    message = f"the body cannot be {how} by {size:g} mm"
    fix = "simplify the body, or use a smaller distance"
    if largest is not None:
        largest = sign * rounded_down(largest)
        message += f"; the largest distance that works is {largest:g} mm"
        fix = f"use a distance of {largest:g}"
    return build.fault(
        _FAILED,
        message,
        argument="d",
        fix=fix,
        details={
            "largest_working": largest,
            "failing_faces": described_faces(faces_of(body.shape), faces),
        },
        lines=borders(faces_of(body.shape), faces),
    )


# ---- a body grown by a distance: all points no further from it than that ---------------------
# OpenCASCADE builds it with round joins. For convex bodies that is safe to call; for
# others it can kill the process, so it is called in a process of its own. Each result is checked to
# lie at the distance. Lengths in millimetres.


_AT_DISTANCE = 1e-4
"""Relative: how well the skin of the result keeps the distance."""
_MOST_PROBES = 200
_HALVINGS = 14
_SECONDS = 20.0
"""For the process that may die."""


class Growth:
    """The growths of one body by any distance."""

    def __init__(self, shape: TopoDS_Shape) -> None:
        """shape: sound and outward oriented."""
        self._lumps = [_Lump(lump) for lump in solids_of(shape)]

    def at(self, distance: float) -> TopoDS_Shape | None:
        """The grown body, its lumps fused where they meet; None when it cannot be built soundly."""
        try:
            lumps = [lump.at(distance) for lump in self._lumps]
            whole = lumps[0]
            for lump in lumps[1:]:
                if whole is None or lump is None:
                    return None
                fusing = BRepAlgoAPI_Fuse(whole, lump)
                if not fusing.IsDone():
                    return None
                whole = unified(Brep.made(fusing.Shape(), b"")).shape
        except OCCT_ERRORS:
            return None
        if whole is None or not solids_of(whole) or not is_valid(whole):
            return None
        return whole

    def swallowed(self, distance: float) -> list[int]:
        """Positions of the faces, in the order of the body, that have no room outside them."""
        positions: list[int] = []
        count = 0
        for lump in self._lumps:
            positions += [count + index for index in lump.swallowed(distance)]
            count += len(lump.faces)
        return positions

    def room(self, distance: float) -> float:
        """The distance at which the first face has no room outside it, at most the given one.

        Found by bisection, since that takes no building; to about 1 in 10 000.
        """
        low, high = 0.0, distance
        if not self.swallowed(distance):
            return distance
        for _ in range(_HALVINGS):
            middle = (low + high) / 2.0
            low, high = (low, middle) if self.swallowed(middle) else (middle, high)
        return high


class _Lump:
    """One connected piece; its cavities are shrunk, its outside is grown."""

    def __init__(self, solid: TopoDS_Shape) -> None:
        self.faces = faces_of(solid)
        self._context = IntTools_Context()
        self._crowd = _crowd_of(solid)
        self._inside = Inside(solid)
        self._distance = 0.0
        """The last at which places were looked for."""
        self._skin: dict[int, gp_Pnt | None] = {}
        """What was found at that above each face, by its number."""
        outer = BRepClass3d.OuterShell_s(TopoDS.Solid(solid))
        shells = shape_map(solid, TopAbs_SHELL)
        self._outside = solid if shells.Extent() == 1 else filled(outer)
        self._cavities = [
            filled(shells.FindKey(index))
            for index in range(1, shells.Extent() + 1)
            if not shells.FindKey(index).IsSame(outer)
        ]
        self._is_convex = is_convex(self._outside)
        # what rounds a convex edge of a cavity wall would have to be rolled, not moved
        self._can_shrink_cavities = not any(
            joint.is_concave for cavity in self._cavities for joint in joints_of(cavity)
        )

    def at(self, distance: float) -> TopoDS_Shape | None:
        """The grown lump; None when it cannot be built soundly."""
        if not self._can_shrink_cavities or self.swallowed(distance):
            return None
        # a convex body is the one that OpenCASCADE always grows right; others may kill the process
        skin = (
            growing_worker.grown(self._outside, distance)
            if self._is_convex
            else grown_apart(self._outside, distance)
        )
        whole = _as_solid(skin)
        if whole is None:
            return None
        # the wall grows into its cavities: each is replaced by its inset
        for cavity in self._cavities:
            left = Inset(cavity).at(distance)
            if left is None:
                return None
            whole = hollowed(whole, left)
            if whole is None:
                return None
        return whole if self._is_sound(whole, distance) else None

    def swallowed(self, distance: float) -> list[int]:
        """Faces that curve inwards too tightly, or that others stand too near in front of everywhere."""
        return [
            index
            for index, face in enumerate(self.faces)
            if vanishes(face, distance) or self._skin_above(index, distance) is None
        ]

    def _skin_above(self, index: int, distance: float) -> gp_Pnt | None:
        """The same as `_found_above`, of a face by its number; looked for once at each distance."""
        if distance != self._distance:
            self._distance, self._skin = distance, self._above_middles(distance)
        if index not in self._skin:
            self._skin[index] = self._found_above(self.faces[index], distance)
        return self._skin[index]

    def _above_middles(self, distance: float) -> dict[int, gp_Pnt | None]:
        """The same above one place well within each face, by its number: most have room there."""
        above: dict[int, gp_Pnt] = {}
        for index, face in enumerate(self.faces):
            point, place = face_point(face, self._context)
            outward = outward_normal(face, place)
            if outward is not None:
                above[index] = point.Translated(outward * distance)
        rooms = self._crowd.leaves_room(list(above.values()), [distance * (1.0 - 1e-6)] * len(above))
        return {
            index: there
            for (index, there), has_room in zip(above.items(), rooms, strict=True)
            if has_room and not self._inside.holds(there)
        }

    def _found_above(self, face: TopoDS_Face, distance: float) -> gp_Pnt | None:
        """A point at the distance above a face that is no nearer to any other; None where none was found.

        In the corner with a neighbour the skin is that one's, which says nothing of the rest of the face.
        """
        least = distance * (1.0 - 1e-6)
        surface = BRepAdaptor_Surface(face, False)
        for place in self._places(face):
            outward = outward_normal(face, place)
            if outward is None:
                continue
            there = surface.Value(place.X(), place.Y()).Translated(outward * distance)
            # inside of the body again, or nearer to another face: there the grown faces would cross
            if self._crowd.leaves_room([there], [least])[0] and not self._inside.holds(there):
                return there
        return None

    def _places(self, face: TopoDS_Face) -> Iterator[gp_Pnt2d]:
        """Parameters all over a face, and along its border, where there is the most room at convex edges."""
        yield face_point(face, self._context)[1]
        for edge in edges_of(face):
            curve = BRepAdaptor_Curve2d(edge, face)
            first, last = curve.FirstParameter(), curve.LastParameter()
            yield from (curve.Value(first + share * (last - first)) for share in (0.5, 0.1, 0.9))
        yield from itertools.starmap(gp_Pnt2d, places_over(face))

    def _is_sound(self, grown: TopoDS_Shape, distance: float) -> bool:
        """Valid, larger, nowhere nearer or further than the distance, and complete."""
        if not is_valid(grown) or rough_volume(grown) <= 0.0:
            return False
        # every point of the skin lies at the distance from the body …
        probes = list(boundary_points(grown, self._context))
        spare = distance * _AT_DISTANCE + LINEAR
        chosen = probes[:: -(-len(probes) // _MOST_PROBES)]
        if not self._crowd.lie_at(chosen, distance, spare) or any(map(self._inside.holds, chosen)):
            return False
        # … and over every face of the body lies skin
        looked_at = range(0, len(self.faces), -(-len(self.faces) // _MOST_PROBES))
        above = [self._skin_above(index, distance) for index in looked_at]
        return _crowd_of(grown).lie_at([there for there in above if there is not None], 0.0, spare)


def _crowd_of(solid: TopoDS_Shape) -> Crowd:
    """All faces of a solid."""
    numbers = boundary_numbers(solid)
    return Crowd(numbers.faces, numbers)


def grown_apart(body: TopoDS_Shape, distance: float) -> TopoDS_Shape | None:
    """The same as ``grown``, by another process; None also when that has died or run out of time."""
    with tempfile.TemporaryDirectory(prefix="vcad-grow-") as folder:
        source, target = Path(folder, "body.bin"), Path(folder, "result.bin")
        if not BinTools.Write_s(body, str(source)):
            return None
        arguments = (str(source), repr(distance), str(target))
        ended = exit_status(growing_worker.__file__, *arguments, seconds=_SECONDS)
        result = TopoDS_Shape()
        if ended != 0 or not BinTools.Read_s(result, str(target)) or result.IsNull():
            return None
        return result


def _as_solid(shape: TopoDS_Shape | None) -> TopoDS_Shape | None:
    """The one closed shell of an offset as an outward solid."""
    if shape is None:
        return None
    shells = shape_map(shape, TopAbs_SHELL)
    return filled(shells.FindKey(1)) if shells.Extent() == 1 else None
