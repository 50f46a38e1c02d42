"""Sweeps as B-reps: prisms along lines, prisms and turned pieces along polylines, splines elsewhere."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut, BRepAlgoAPI_Fuse
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeFace
from OCP.BRepPrimAPI import BRepPrimAPI_MakeHalfSpace
from OCP.collections import List_TopoDS_Shape
from OCP.gp import gp_Pln
from OCP.TopoDS import TopoDS_Shape

from vcad_kernel.geometry.mesh.manifold_kernel import Operation, batch, of_skin
from vcad_kernel.geometry.occt.brep import Brep, solids_of
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.validity import ROUND, sound
from vcad_kernel.geometry.occt.sweeps.extruding import prism_of
from vcad_kernel.geometry.occt.sweeps.lofting import ruled
from vcad_kernel.geometry.occt.sweeps.profiles.sketches import (
    checked_profile,
    direction_of,
    face_of,
    merged,
    point_of,
    wire_of,
)
from vcad_kernel.geometry.occt.sweeps.revolving import turned_face
from vcad_kernel.geometry.occt.sweeps.skinning import Misfit, skinned
from vcad_kernel.geometry.sweeps.paths.along_paths import (
    about_axis,
    is_closed,
    is_modified,
    swept_along,
    tracks_of,
)
from vcad_kernel.geometry.sweeps.paths.paths import Track, line_frames, pitch_mismatch
from vcad_kernel.geometry.sweeps.paths.polyline import Piece, Station, is_of_pieces, pieces_along
from vcad_kernel.geometry.sweeps.planes import Plane
from vcad_kernel.geometry.sweeps.profiles.profile import Profile
from vcad_kernel.geometry.sweeps.swept import Swept
from vcad_kernel.operations.profiles.paths import HelixPath, LinePath
from vcad_kernel.operations.profiles.sketches import Curve, Curves, EllipseArc, Line, Spline
from vcad_kernel.operations.solids.sweeps import Sweep

__all__ = ["fused", "sweep", "swept_outline"]

_FAULTS: tuple[type[Exception], ...] = (*OCCT_ERRORS, Misfit)

_OVERLAP = 1e-3
"""Share of the volume by which the pieces of a path must overlap before it counts."""


def sweep(build: Build, node: Sweep, _operands: Operands) -> Brep:
    """Profile carried along the path; the sketch's own plane plays no part."""
    return swept_outline(build, node, *checked_profile(build, node.sketch))


def swept_outline(build: Build, node: Sweep, profile: Profile, segments: Curves) -> Brep:
    """The swept body of one outline, counter-clockwise."""
    warning = pitch_mismatch(node.path) if isinstance(node.path, HelixPath) else None
    if warning is not None:
        build.warn("PITCH_MISMATCH", warning)
    mesh = swept_along(build.document, build.node, node, profile, ROUND, 1.0)
    try:
        shape = _shape(build, node, profile, merged(segments), mesh)
    except _FAULTS as error:
        raise build.fault("SWEEP_FAILED", f"the profile cannot be carried along: {error}") from None
    return sound(build, shape, "SWEEP_FAILED", volume=_united_volume(mesh))


def _shape(build: Build, node: Sweep, profile: Profile, segments: Curves, mesh: Swept) -> TopoDS_Shape:
    path = node.path
    # straight ways first, as prisms and ruled faces: planes and cylinders stay what they are
    if isinstance(path, LinePath) and not is_modified(node):
        frames = line_frames(path.start, path.end)
        way = frames.points[1] - frames.points[0]
        plane = Plane(frames.points[0], frames.u[0], frames.v[0])
        return prism_of(face_of(segments, plane), plane.normal, way)
    if isinstance(path, LinePath) and not node.twist_angle:
        (track,) = tracks_of(node)
        ends = track.at(np.array([0.0, 1.0]))
        planes = [Plane(*frame) for frame in zip(ends.points, ends.u, ends.v, strict=True)]
        return ruled([wire_of(segments, plane) for plane in planes])
    if is_of_pieces(path):
        outline = profile.outline(ROUND)
        return fused([_piece(piece, segments) for piece in pieces_along(path, outline.points)])
    # skinned faces know nothing of each other: the mesh shows whether the body overlaps itself
    if len(mesh.skins) > 1 and _united_volume(mesh) < (1.0 - _OVERLAP) * mesh.volume:
        raise build.fault(
            "SWEEP_FAILED",
            "the profile runs into itself further along the path",
            fix="make the profile smaller, or the path's turns further apart",
        )
    around = about_axis(path)
    if around is not None and not is_modified(node):
        return skinned(segments, tracks_of(node), about_z=True, closed=is_closed(around))
    turns = path.turns if isinstance(path, HelixPath) else 0.0
    count = math.ceil(max(turns, abs(node.twist_angle or 0.0) / (2.0 * math.pi)) - 1e-9)
    return skinned(segments, [part for track in tracks_of(node) for part in _parts(track, count)])


def _parts(track: Track, count: int) -> list[Track]:
    """A smooth track in parts of a turn each: booleans with faces of many turns do not come to an end."""
    if count <= 1 or len(track.breaks) > 2:
        return [track]
    ends = np.linspace(track.breaks[0], track.breaks[-1], count + 1)
    return [Track((float(first), float(last)), track.at) for first, last in itertools.pairwise(ends)]


def _united_volume(mesh: Swept) -> float:
    if len(mesh.skins) == 1:
        return mesh.volume
    union = batch(Operation.UNION, [(of_skin(skin), None) for skin in mesh.skins])
    return float(union.solid.volume())


# ---------------------------------------------------------------- polylines


def _plane_at(station: Station) -> Plane:
    return Plane(station.point, station.u, station.v)


def _piece(piece: Piece, segments: Curves) -> TopoDS_Shape:
    if piece.bend is not None:
        face = face_of(segments, _plane_at(piece.start))
        return turned_face(face, piece.bend.centre, piece.bend.axis, np.degrees(piece.bend.angle))
    u, v = piece.square
    leans = [max(np.linalg.norm(side.u - u), np.linalg.norm(side.v - v)) for side in (piece.start, piece.end)]
    width = max(float(np.linalg.norm(point)) for segment in segments for point in _reach(segment))
    # mitred ends: a prism that is too long, cut at the planes of the corners
    spare = [0.0 if lean <= 1e-12 else 1.01 * lean * width + 1.0 for lean in leans]
    first = piece.start.point - spare[0] * piece.tangent
    last = piece.end.point + spare[1] * piece.tangent
    shape = prism_of(face_of(segments, Plane(first, u, v)), piece.tangent, last - first)
    for station, extra, sign in ((piece.start, spare[0], -1.0), (piece.end, spare[1], 1.0)):
        if extra:
            # u and v of a station span the mitre plane
            normal = np.cross(station.u, station.v)
            plane = gp_Pln(point_of(station.point), direction_of(normal))
            beyond = station.point + sign * piece.tangent
            face = BRepBuilderAPI_MakeFace(plane).Face()
            half = BRepPrimAPI_MakeHalfSpace(face, point_of(beyond)).Solid()
            shape = BRepAlgoAPI_Cut(shape, half).Shape()
    return shape


def _reach(segment: Curve) -> list[tuple[float, float]]:
    """Points that bound a segment: its ends, its poles, or the box of a circle about it."""
    if isinstance(segment, Spline):
        return [*segment.poles]
    if isinstance(segment, Line):
        return [segment.start, segment.end]
    center = segment.center
    if isinstance(segment, EllipseArc):
        radius = math.hypot(*segment.major, *segment.minor)
    else:
        radius = math.dist(segment.start, center)
    return [(center[0] + a * radius, center[1] + b * radius) for a in (-1, 1) for b in (-1, 1)]


def fused(pieces: Sequence[TopoDS_Shape]) -> TopoDS_Shape:
    """Pieces that meet in faces, as one solid; anything else is left to the checks."""
    if len(pieces) == 1:
        return pieces[0]
    operation = BRepAlgoAPI_Fuse()
    first, rest = List_TopoDS_Shape(), List_TopoDS_Shape()
    first.Append(pieces[0])
    for piece in pieces[1:]:
        rest.Append(piece)
    operation.SetArguments(first)
    operation.SetTools(rest)
    operation.Build()
    shape = operation.Shape()
    solids = solids_of(shape)
    return solids[0] if len(solids) == 1 else shape
