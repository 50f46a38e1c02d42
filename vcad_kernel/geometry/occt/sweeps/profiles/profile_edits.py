"""Profiles with their borders moved, or their corners rounded and cut off, as outlines.

Corners between lines and arcs are cut in closed form; borders are moved by OpenCASCADE, whose result must
have the area that moved polygons have.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeFace
from OCP.BRepOffsetAPI import BRepOffsetAPI_MakeOffset
from OCP.GeomAbs import GeomAbs_Arc, GeomAbs_Intersection
from OCP.TopAbs import TopAbs_EDGE, TopAbs_WIRE
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Face

from vcad_kernel.errors import GeometryError, candidate_lines
from vcad_kernel.geometry.mesh.manifold_kernel import moved_area
from vcad_kernel.geometry.occt.brep import Brep, compound_of, edges_of, shape_map
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.insets.wall_limits import largest_working, rounded_down
from vcad_kernel.geometry.occt.measure.topology.described import candidates
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import length_of, middle_of
from vcad_kernel.geometry.occt.measure.validity import area_of
from vcad_kernel.geometry.occt.selection.selection import select_edges
from vcad_kernel.geometry.occt.sweeps.extruding import prism_of
from vcad_kernel.geometry.occt.sweeps.profiles.regions import (
    combined,
    curves_of_faces,
    face_of_piece,
    outlines_of,
    upwards,
)
from vcad_kernel.geometry.occt.transforms import moved
from vcad_kernel.geometry.sweeps.planes import Plane, matrix_onto
from vcad_kernel.geometry.sweeps.profiles.curves import reversed_chain
from vcad_kernel.geometry.sweeps.profiles.fits import offset_error
from vcad_kernel.geometry.sweeps.profiles.hulls import hull_of_outlines
from vcad_kernel.geometry.sweeps.profiles.profile import Outline
from vcad_kernel.geometry.sweeps.profiles.regions import Piece, Shape, pieces_of, profile_in
from vcad_kernel.geometry.tolerance import LINEAR, Tessellation
from vcad_kernel.operations.bodies.booleans import Difference, Union
from vcad_kernel.operations.features.selections import Selector
from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.profiles.corners import CornerFault, bevelled, rounded, turn_between
from vcad_kernel.operations.profiles.profile_edits import CutCorners, OffsetProfile, ProfileHull
from vcad_kernel.operations.profiles.sketches import Curve, Curves, Outlines, Segment

__all__ = ["cut_corners", "hull_profile", "offset_profile"]

_SMOOTH = 1e-7
"""Degrees: curves that turn less go on smoothly."""
_HALVINGS = 40
_FINE = Tessellation(segments=512)
_NEAR = 1e-3
"""Relative: what an area of polygons so fine may be off."""


def cut_corners(build: Build, node: CutCorners, _operands: Operands) -> tuple[Plane, Outlines]:
    """All corners of a profile, or the selected ones, rounded or cut off.

    Raises: GeometryError FILLET_FAILED with the largest size that fits, NO_MATCH.
    """
    plane, pieces = _pieces(build)
    chosen = None if node.which is None else _selected(build, node, plane, pieces)
    outlines = [outline for piece in pieces for outline in (piece.outer, *piece.holes)]
    if outlines and not any(map(_has_corners, outlines)):
        build.warn("NO_EDGES", "the profile has no corner, so it stays as it is")
    return plane, tuple(_cut(build, node, outline, chosen) for outline in outlines)


def _has_corners(outline: Curves) -> bool:
    return any(abs(turn_between(outline[at - 1], outline[at])) > _SMOOTH for at in range(len(outline)))


def _pieces(build: Build) -> tuple[Plane, list[Piece]]:
    (sketch,) = build.document.nodes[build.node].children()
    plane, outlines = outlines_of(build, build.region(sketch))
    return plane, pieces_of(build.document, Shape(sketch, outlines), Tessellation())


def _cut(build: Build, node: CutCorners, outline: Curves, chosen: Sequence[Vec2] | None) -> Curves:
    try:
        return _with_corners_cut(outline, node.size, chosen, bevel=bool(node.bevel))
    except CornerFault as fault:
        largest = _largest(outline, node.size, chosen, bevel=bool(node.bevel))
        at = f"the corner at {fault.words}"
        fits = "" if largest is None else f"; the largest that fits is {largest:.6g}"
        raise build.fault(
            "FILLET_FAILED",
            at.partition(";")[0] + fits,
            argument="d" if node.bevel else "r",
            details={"largest_working": largest},
        ) from None


def _with_corners_cut(outline: Curves, size: float, chosen: Sequence[Vec2] | None, *, bevel: bool) -> Curves:
    """Raises: CornerFault, with the corner."""
    cut = bevelled if bevel else rounded
    curves: list[Curve] = list(outline)
    blends: list[Curve | None] = [None] * len(curves)
    for at in range(len(curves)):
        before, after = curves[at - 1], curves[at]
        u, v = after.start
        meant = chosen is None or any(math.dist((u, v), point) <= 10 * LINEAR for point in chosen)
        if not meant or abs(turn_between(before, after)) <= _SMOOTH:
            continue
        try:
            curves[at - 1], blends[at], curves[at] = cut(before, after, size)
        except CornerFault as fault:
            raise CornerFault(f"({u:g}, {v:g}) {fault.words}", fault.largest) from None
    chain: list[Curve] = []
    for blend, curve in zip(blends, curves, strict=True):
        if blend is not None:
            chain.append(blend)
        # of a side that two blends use up nothing is left
        if not isinstance(curve, Segment) or math.dist(curve.start, curve.end) > LINEAR:
            chain.append(curve)
    return tuple(chain)


def _largest(outline: Curves, size: float, chosen: Sequence[Vec2] | None, *, bevel: bool) -> float | None:
    """The largest size below that fits all corners that are meant; None where none does."""
    low, high = 0.0, size
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        try:
            _with_corners_cut(outline, middle, chosen, bevel=bevel)
        except CornerFault:
            high = middle
        else:
            low = middle
    return math.floor(low * 1e6) / 1e6 or None


def _selected(build: Build, node: CutCorners, plane: Plane, pieces: Sequence[Piece]) -> list[Vec2]:
    """The corners, in the plane's coordinates, whose upright edges a selection takes."""
    assert node.which is not None
    up = np.array([0.0, 0.0, 1.0])
    prisms = [prism_of(face_of_piece(piece), up, up) for piece in pieces]
    body = Brep.made(prisms[0] if len(prisms) == 1 else compound_of(prisms), build.maker)
    # half of it on each side, so that the middles of upright edges lie in the plane
    place = matrix_onto(plane)
    place[:, 3] -= 0.5 * plane.normal
    whole = moved(body, place)
    numbers = shape_map(whole.shape, TopAbs_EDGE)
    uprights: dict[int, Vec2] = {}
    for number in range(1, numbers.Extent() + 1):
        corner = _at_corner(TopoDS.Edge(numbers.FindKey(number)), plane)
        if corner is not None:
            uprights[number] = corner
    there = candidates(whole, map(numbers.FindKey, uprights))
    before = len(build.notes)
    try:
        edges = select_edges(build, whole, node.which)
    except GeometryError as error:
        # of the edges of what grows only those at corners are there to be chosen
        error.details.update(there)
        raise
    # whether all are taken is said of corners
    del build.notes[before:]
    taken = {numbers.FindIndex(edge) for edge in edges}
    corners = [corner for number, corner in uprights.items() if number in taken]
    if not corners:
        raise build.fault(
            "NO_MATCH", "the selection takes no corner", argument="which", failed=False, details=there
        )
    if len(corners) == len(uprights) > 1 and node.which != Selector("edge"):
        named = "; ".join(candidate_lines(there))
        message = f"the selection takes all {len(corners)} corners that there are: {named}. Leave it out"
        build.warn("SELECTS_ALL", f"{message} if they are meant")
    return corners


def _at_corner(edge: TopoDS_Edge, plane: Plane) -> Vec2 | None:
    """Where an upright edge stands on the plane, in whose coordinates; None of any other."""
    middle = middle_of(edge)
    offset = np.array([middle.X(), middle.Y(), middle.Z()]) - plane.origin
    if abs(float(offset @ plane.normal)) > LINEAR:
        return None
    return float(offset @ plane.x), float(offset @ plane.y)


def hull_profile(build: Build, _node: ProfileHull, _operands: Operands) -> tuple[Plane, Outlines]:
    """The convex hull of a profile, in its plane."""
    (sketch,) = build.document.nodes[build.node].children()
    plane, outlines = outlines_of(build, build.region(sketch))
    border = hull_of_outlines(outlines)
    return plane, (border,) if border else ()


def offset_profile(build: Build, node: OffsetProfile, _operands: Operands) -> tuple[Plane, Outlines]:
    """The border moved: outlines outwards, holes inwards.

    Raises: GeometryError OFFSET_FAILED, also where nothing is left of a profile that is something.
    """
    plane, pieces = _pieces(build)
    moved_pieces = _moved_pieces(build, node, pieces, node.distance)
    if moved_pieces is None:
        raise _refusal(build, node, pieces, "the border of the profile cannot be moved so far")
    faces: list[TopoDS_Face] = []
    for grown, holes in moved_pieces:
        faces += combined(build, Difference, grown, holes) if grown and holes else grown
    if pieces and not faces:
        raise _refusal(build, node, pieces, "nothing is left of the profile")
    if len(faces) > 1:
        faces = combined(build, Union, faces[:1], faces[1:])
    outlines = curves_of_faces(faces)
    if node.distance != 0.0:
        border = [outline for piece in pieces for outline in (piece.outer, *piece.holes)]
        build.fits.append(offset_error(outlines, border, node.distance))
    return plane, outlines


_Faces: TypeAlias = list[TopoDS_Face]


def _moved_pieces(
    build: Build, node: OffsetProfile, pieces: Sequence[Piece], distance: float
) -> list[tuple[_Faces, _Faces]] | None:
    """What the outline of each piece bounds and what its holes do, once moved; None if one cannot be."""
    result: list[tuple[_Faces, _Faces]] = []
    for piece in pieces:
        grown = _moved_faces(build, node, piece.outer, distance)
        holes = [_moved_faces(build, node, reversed_chain(hole), -distance) for hole in piece.holes]
        if grown is None or None in holes:
            return None
        result.append((grown, [face for hole in holes for face in hole or ()]))
    return result


def _moved_faces(build: Build, node: OffsetProfile, outline: Curves, distance: float) -> _Faces | None:
    """What a counter-clockwise outline bounds once it is moved outwards; nothing is left of a narrow one.

    None where OpenCASCADE cannot move it.
    """
    piece = Piece(outline, ())
    if distance == 0.0:
        return [face_of_piece(piece)]
    (polygon,) = _polygons(build, piece)
    wanted = moved_area([polygon.points], distance, sharp=bool(node.sharp))
    if wanted <= LINEAR:
        return []
    return _moved(piece, wanted, distance, polygon.deviation, sharp=bool(node.sharp))


def _polygons(build: Build, piece: Piece) -> list[Outline]:
    """The outlines of a piece as fine polygons."""
    (sketch,) = build.document.nodes[build.node].children()
    outlines = (piece.outer, *piece.holes)
    return [profile_in(build.document, sketch, outline).outline(_FINE) for outline in outlines]


def _refusal(build: Build, node: OffsetProfile, pieces: Sequence[Piece], why: str) -> GeometryError:
    """OFFSET_FAILED with the largest distance at which all can be moved and something is left."""
    regions = [[polygon.points for polygon in _polygons(build, piece)] for piece in pieces]

    def works(size: float) -> bool:
        distance = math.copysign(size, node.distance)
        left = any(moved_area(rings, distance, sharp=bool(node.sharp)) > LINEAR for rings in regions)
        return left and _moved_pieces(build, node, pieces, distance) is not None

    search = build.search
    largest = largest_working(works, abs(node.distance), seconds=search.wall_seconds, trials=search.trials)
    size = None if largest is None else math.copysign(rounded_down(largest), node.distance)
    return build.fault(
        "OFFSET_FAILED",
        why + ("" if size is None else f"; {size:g} works"),
        argument="d",
        fix=None if size is None else f"move it by {size:g}",
        details={"largest_working": size},
    )


def _moved(piece: Piece, wanted: float, distance: float, chord: float, *, sharp: bool) -> _Faces | None:
    """What a moved outline bounds; None where its area is not the one that is wanted, mm².

    chord: how far the polygon is off whose area that is. It is as far off once it is moved, which of a small
    rest of a large circle is much.
    """
    try:
        making = BRepOffsetAPI_MakeOffset(
            face_of_piece(piece), GeomAbs_Intersection if sharp else GeomAbs_Arc, False
        )
        making.Perform(distance)
        wires = shape_map(making.Shape(), TopAbs_WIRE)
        faces = [
            upwards(BRepBuilderAPI_MakeFace(TopoDS.Wire(wires.FindKey(at)), True).Face())
            for at in range(1, wires.Extent() + 1)
        ]
    except OCCT_ERRORS:
        return None
    area = sum(abs(area_of(face)) for face in faces)
    border = sum(length_of(edge) for face in faces for edge in edges_of(face))
    return faces if abs(area - wanted) <= _NEAR * wanted + chord * border else None
