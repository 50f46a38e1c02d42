"""Blends that meet exactly on the face between them: full rounds, and bevels that meet in a ridge.

Where two strips use up a face without remainder OpenCASCADE has no face left to end them on, and fails.
But each of them alone leaves half of the face. So the edges are blended in groups none of which has two
strips that meet, and the groups' bodies are put together: of convex edges the common part, of concave
ones the union, of both the body without what the first take away and with what the others add. All
edges of a corner are in one group once, so that corner pieces are what they are without the full round.

A closed contour that meets itself, as the rim of a slot-shaped plate does, is in no such group: it is carved
(:mod:`vcad_kernel.geometry.occt.blends.special.carving`).

The face must shrink to a line: to a point it is refused (cad.md §3.3).

Earns its place by `test_full_round_of_a_wall_is_a_half_cylinder`: OpenCASCADE alone builds none of these.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias

from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.BRepAlgoAPI import (
    BRepAlgoAPI_Common,
    BRepAlgoAPI_Cut,
    BRepAlgoAPI_Fuse,
)
from OCP.TopAbs import TopAbs_FACE, TopAbs_VERTEX
from OCP.TopoDS import TopoDS_Edge, TopoDS_Face

from vcad_kernel.geometry.occt.blends.builders import at_once, contours
from vcad_kernel.geometry.occt.blends.limits import Meeting, meetings
from vcad_kernel.geometry.occt.blends.request import Blend
from vcad_kernel.geometry.occt.blends.reseaming import lies_on
from vcad_kernel.geometry.occt.blends.special.carving import boolean, carved
from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import (
    Brep,
    edges_of,
    faces_of,
    shape_map,
    solids_of,
)
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.distances.clearances import clearance
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import SharpEdge, sharp_edges
from vcad_kernel.geometry.occt.measure.validity import volume_of
from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.ir.digest import Digest

__all__ = ["as_full_rounds"]

_SAME = 1e-9
"""Relative: merging both halves of a full round does not change its volume."""

_Group: TypeAlias = frozenset[int]
"""Contours that are blended together, by number."""


def as_full_rounds(solid: Brep, corners: Sequence[SharpEdge], blend: Blend, maker: Digest) -> Brep | None:
    """The blended body; None where no such groups exist, one cannot be built, a face shrinks to a point."""
    concave = [corner for corner in corners if corner.convex is False]
    if concave and len(concave) < len(corners):
        result = _concave_first(solid, corners, concave, blend, maker)
        if result is not None:
            return result
    return _in_groups(solid, corners, blend, maker)


def _concave_first(
    solid: Brep, corners: Sequence[SharpEdge], concave: Sequence[SharpEdge], blend: Blend, maker: Digest
) -> Brep | None:
    """The body with its concave edges blended, and then what there is of the others.

    Where one concave edge ends between two convex ones, as inside the corner of a frame, their strip runs on
    round its own. So neither has to be put together of halves that lack each other's.
    """
    if meetings(concave, blend) != []:
        return None
    filled = at_once(solid, concave, blend, maker)
    if filled is None:
        return None
    rest = sharp_edges(filled.shape)
    if len(corners) < len(sharp_edges(solid.shape)):
        rest = [edge for edge in rest if lies_on(edge, corners)]
    return _in_groups(filled, rest, blend, maker) if all(edge.convex for edge in rest) else None


def _in_groups(solid: Brep, corners: Sequence[SharpEdge], blend: Blend, maker: Digest) -> Brep | None:
    meeting = meetings(corners, blend)
    if not meeting:
        return None
    try:
        numbers = contours(solid, corners, blend)
    except OCCT_ERRORS:
        return None
    number_of = {id(corner): number for corner, number in zip(corners, numbers, strict=True)}
    # a contour that meets itself is a pair of one
    apart = {frozenset(number_of[id(corner)] for corner in pair) for pair in meeting}
    stars = _stars(solid, corners, numbers)
    bodies: list[tuple[Brep, list[SharpEdge]]] = []
    pending = _groups(stars, apart)
    if not pending:
        return None
    while pending:
        group = pending.pop()
        members = [corner for corner, number in zip(corners, numbers, strict=True) if number in group]
        body = (carved if group in apart else at_once)(solid, members, blend, maker)
        if body is not None:
            bodies.append((body, members))
            continue
        # the ends of strips whose neighbours are in another group can be beyond OpenCASCADE: fewer of them
        parts = [star for star in stars if star < group]
        if not parts:
            return None
        pending += parts
    try:
        together = _together(solid, bodies, maker)
    except OCCT_ERRORS:
        return None
    if together is None or any(_is_point(face, together) for face in _used_up(solid, meeting)):
        return None
    merged = unified(together)
    # strips that end in a mitre are sometimes merged into a face that is another one by 1e-6
    volume = volume_of(together.shape)
    return merged if abs(volume_of(merged.shape) - volume) <= _SAME * volume else together


def _stars(solid: Brep, corners: Sequence[SharpEdge], numbers: Sequence[int]) -> list[_Group]:
    """What must be blended together: the contours that end in one vertex. The largest first."""
    at_vertex: dict[int, set[int]] = {}
    vertices = shape_map(solid.shape, TopAbs_VERTEX)
    for corner, number in zip(corners, numbers, strict=True):
        ends = shape_map(corner.edge, TopAbs_VERTEX)
        for index in range(1, ends.Extent() + 1):
            at_vertex.setdefault(vertices.FindIndex(ends.FindKey(index)), set()).add(number)
    stars = {frozenset(group) for group in at_vertex.values()}
    return sorted(stars, key=lambda star: (-len(star), sorted(star)))


def _groups(stars: Sequence[_Group], apart: Collection[_Group]) -> list[_Group]:
    """Few groups that hold each star and no pair that must be apart; none where a star itself holds one."""

    def fits(group: _Group) -> bool:
        # what meets itself stands alone
        return len(group) == 1 or not any(pair <= group for pair in apart)

    if not all(map(fits, stars)):
        return []
    groups: list[_Group] = []
    left = list(stars)
    while left:
        group = left[0]
        for other in left[1:]:
            if fits(group | other):
                group |= other
        groups.append(group)
        left = [other for other in left if not other <= group]
    return groups


def _together(solid: Brep, bodies: Sequence[tuple[Brep, Sequence[SharpEdge]]], maker: Digest) -> Brep | None:
    """The body with the blends of all groups; None when the parts do not make one solid."""
    kinds = {corner.convex for _, corners in bodies for corner in corners}
    (result, _), *others = bodies
    for body, _ in others:
        if kinds == {True}:
            combined = boolean(BRepAlgoAPI_Common(), result, [body], maker)
        elif kinds == {False}:
            combined = boolean(BRepAlgoAPI_Fuse(), result, [body], maker)
        else:
            # what either group has added, without what either has taken away
            taken = [boolean(BRepAlgoAPI_Cut(), solid, [part], maker) for part in (result, body)]
            combined = boolean(BRepAlgoAPI_Fuse(), result, [body], maker)
            if combined is not None:
                tools = [part for part in taken if part is not None]
                combined = boolean(BRepAlgoAPI_Cut(), combined, tools, maker) if tools else combined
        if combined is None or len(solids_of(combined.shape)) != 1:
            return None
        result = combined
    return Brep(solids_of(result.shape)[0], result.makers)


def _used_up(solid: Brep, meeting: Sequence[Meeting]) -> list[TopoDS_Face]:
    """The faces between edges whose strips meet."""
    numbers = shape_map(solid.shape, TopAbs_FACE)
    faces = faces_of(solid.shape)
    shared = set()
    for first, second in meeting:
        shared |= {numbers.FindIndex(face) for face in first.faces} & {
            numbers.FindIndex(face) for face in second.faces
        }
    return [faces[index - 1] for index in sorted(shared)]


def _is_point(face: TopoDS_Face, after: Brep) -> bool:
    """Whether nothing is left of a face but points."""
    return not any(_lies_on(edge, face) for edge in edges_of(after.shape))


def _lies_on(edge: TopoDS_Edge, face: TopoDS_Face) -> bool:
    curve = BRepAdaptor_Curve(edge)
    low, high = curve.FirstParameter(), curve.LastParameter()
    return all(
        clearance(curve.Value(low + share * (high - low)), face) <= LINEAR for share in (0.2, 0.5, 0.8)
    )
