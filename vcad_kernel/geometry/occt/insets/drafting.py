"""Draft: selected walls tilted about the line in which they meet the neutral plane.

Angles in degrees at the border, radians inside. Lengths in millimetres.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from OCP.BOPAlgo import BOPAlgo_ArgumentAnalyzer
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepOffsetAPI import BRepOffsetAPI_DraftAngle
from OCP.GeomAbs import GeomAbs_Cone, GeomAbs_Plane
from OCP.gp import gp_Dir, gp_Pln, gp_Pnt
from OCP.TopoDS import TopoDS_Face, TopoDS_Shape

from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.occt.brep import Brep, carried, faces_of, listed, solids_of
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.insets.wall_limits import (
    Clock,
    borders,
    described_faces,
    largest_working,
    rounded_down,
)
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import boundary_numbers
from vcad_kernel.geometry.occt.measure.topology.convex import convex_polyhedron
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import are_sharp
from vcad_kernel.geometry.occt.measure.validity import is_valid, rough_volume
from vcad_kernel.geometry.occt.selection.selection import select_faces
from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.operations.features.features import Draft

__all__ = ["draft"]

_FAILED = "DRAFT_FAILED"
_CONE = GeomAbs_Cone.value
_SQUARE = 1e-9
"""Radians: a face that leans by no more stays within 1e-5 mm of its level over 10 m."""


def draft(build: Build, node: Draft, operands: Operands, *, clock: Clock = time.monotonic) -> Brep | None:
    """The body with the selected faces tilted. Raises: DRAFT_FAILED, NO_MATCH."""
    (body,) = operands
    if body is None:
        return None
    walls = select_faces(build, body, node.faces)
    if node.angle_deg == 0.0:
        return body
    square = [wall for wall in walls if _is_square(wall, node)]
    if square:
        raise _square_refusal(build, body, square, node)
    tilting = _tilted(body, walls, node, node.angle_deg)
    if tilting is None:
        smooth = _running_on(body, walls)
        raise _smooth_refusal(build, body, smooth) if smooth else _refusal(build, body, walls, node, clock)
    # the walls keep their makers too: they are the same faces, tilted
    return carried(tilting.Shape(), (body,), lambda face: _became(tilting, face), build.maker)


def _became(tilting: BRepOffsetAPI_DraftAngle, face: TopoDS_Face) -> Sequence[TopoDS_Shape] | None:
    became = [*listed(tilting.Generated(face)), *listed(tilting.Modified(face))]
    return became or None


def _tilted(
    body: Brep, walls: Sequence[TopoDS_Face], node: Draft, degrees: float
) -> BRepOffsetAPI_DraftAngle | None:
    """The finished construction; None when it cannot be built or gives no sound solid."""
    pull = gp_Dir(*node.normal)
    neutral = gp_Pln(gp_Pnt(*node.origin), pull)
    tilting = BRepOffsetAPI_DraftAngle(body.shape)
    try:
        for wall in walls:
            tilting.Add(wall, pull, math.radians(degrees), neutral, True)
            if not tilting.AddDone():
                return None
        tilting.Build()
        if not tilting.IsDone():
            return None
        result = tilting.Shape()
        # OpenCASCADE tilts on where walls have met: the counts change, or faces cross each other
        sound = len(boundary_numbers(result).faces) == len(body.makers) and (
            convex_polyhedron(result) is not None or _is_sound(result, len(solids_of(body.shape)))
        )
    except OCCT_ERRORS:
        return None
    return tilting if sound else None


def _is_sound(shape: TopoDS_Shape, count: int) -> bool:
    """Whether a drafted body has so many solids, which neither cross themselves nor are inside out."""
    read = boundary_numbers(shape)
    return (
        is_valid(shape)
        and len(solids_of(shape)) == count
        and not any(
            kind == _CONE and _passes_its_apex(face)
            for face, kind in zip(read.faces, read.kinds, strict=True)
        )
        and rough_volume(shape) > 0.0
        and not _crosses_itself(shape)
    )


def _is_square(wall: TopoDS_Face, node: Draft) -> bool:
    """Whether a face lies in parallel to the neutral plane: it meets it nowhere, or everywhere."""
    surface = BRepAdaptor_Surface(wall, False)
    if surface.GetType() != GeomAbs_Plane:
        return False
    return bool(surface.Plane().Axis().Direction().IsParallel(gp_Dir(*node.normal), _SQUARE))


def _square_refusal(build: Build, body: Brep, square: Sequence[TopoDS_Face], node: Draft) -> GeometryError:
    verb = "lies" if len(square) == 1 else "lie"
    pull = " ".join(f"{part:g}" for part in node.normal)
    said = f"{verb} square to the pull direction, so that there is no line to tilt about"
    return _unfit(build, body, square, said, f"select the sides alone, as with {{:parallel #[{pull}]}}")


def _smooth_refusal(build: Build, body: Brep, smooth: Sequence[TopoDS_Face]) -> GeometryError:
    verb = "runs" if len(smooth) == 1 else "run"
    said = f"{verb} on smoothly into a face that is not selected, as a fillet, and tilted would leave it"
    fix = "draft first and round afterwards, or select that face, too, if it is a plane, cylinder or cone"
    return _unfit(build, body, smooth, said, fix)


def _unfit(build: Build, body: Brep, walls: Sequence[TopoDS_Face], said: str, fix: str) -> GeometryError:
    """The error of faces that no angle suits. said: why, with its verb."""
    faces = faces_of(body.shape)
    failing = [index for index, face in enumerate(faces) if any(face.IsSame(wall) for wall in walls)]
    described = described_faces(faces, failing)
    # a middle is an integral, which misses 0 by rounding
    x, y, z = (round(value, 6) + 0.0 for value in described[0]["middle"])
    first = f"the face at ({x:.4g}, {y:.4g}, {z:.4g})"
    which = first if len(walls) == 1 else f"{len(walls)} faces, among them {first},"
    return build.fault(
        _FAILED,
        f"{which} {said}",
        argument="which",
        fix=fix,
        details={"largest_working": None, "failing_faces": described},
        lines=borders(faces, failing),
    )


def _running_on(body: Brep, walls: Sequence[TopoDS_Face]) -> list[TopoDS_Face]:
    """Those of the walls that run on smoothly into a face that is none of them."""
    numbers = boundary_numbers(body.shape)
    chosen = {at for at, face in enumerate(numbers.faces) if any(face.IsSame(wall) for wall in walls)}
    borders_of = {
        wall: [edge for edge, _ in numbers.sides[wall] if {at for at, _ in numbers.at_edge[edge]} - chosen]
        for wall in chosen
    }
    sharp = are_sharp(numbers, {edge for there in borders_of.values() for edge in there})
    return [numbers.faces[wall] for wall, there in borders_of.items() if not sharp.issuperset(there)]


def _passes_its_apex(face: TopoDS_Face) -> bool:
    """Whether a cone goes on beyond its apex, where its circles grow again: the body is inside out there."""
    surface = BRepAdaptor_Surface(face)
    cone = surface.Cone()
    slope = math.sin(cone.SemiAngle())
    ends = surface.FirstVParameter(), surface.LastVParameter()
    radii: list[float] = [cone.RefRadius() + along * slope for along in ends]
    return min(radii) < -LINEAR and max(radii) > LINEAR


def _crosses_itself(shape: TopoDS_Shape) -> bool:
    analyzer = BOPAlgo_ArgumentAnalyzer()
    analyzer.SetShape1(shape)
    analyzer.ArgumentTypeMode = False
    analyzer.SelfInterMode = True
    analyzer.SmallEdgeMode = False
    analyzer.RebuildFaceMode = False
    analyzer.TangentMode = False
    analyzer.MergeVertexMode = False
    analyzer.MergeEdgeMode = False
    analyzer.ContinuityMode = False
    analyzer.CurveOnSurfaceMode = False
    analyzer.Perform()
    return bool(analyzer.HasFaulty())


def _refusal(
    build: Build, body: Brep, walls: Sequence[TopoDS_Face], node: Draft, clock: Clock
) -> GeometryError:
    faces = faces_of(body.shape)
    # faces that cannot be tilted alone are to blame, else all together
    failing = [
        index
        for index, face in enumerate(faces)
        if any(face.IsSame(wall) for wall in walls) and _tilted(body, [face], node, node.angle_deg) is None
    ] or [index for index, face in enumerate(faces) if any(face.IsSame(wall) for wall in walls)]
    sign = math.copysign(1.0, node.angle_deg)
    largest = largest_working(
        lambda degrees: _tilted(body, walls, node, sign * degrees) is not None,
        abs(node.angle_deg),
        seconds=build.search.wall_seconds,
        trials=build.search.trials,
        clock=clock,
    )
    message = f"these faces cannot be tilted by {node.angle_deg:g}°"
    fix = "select walls (planes, cylinders or cones) along the pull direction"
    if largest is not None:
        largest = sign * rounded_down(largest)
        message += f"; the largest angle that works is {largest:g}°"
        fix = f"use an angle of at most {abs(largest):g}°"
    return build.fault(
        _FAILED,
        message,
        argument="angle",
        fix=fix,
        details={"largest_working": largest, "failing_faces": described_faces(faces, failing)},
        lines=borders(faces, failing),
    )
