"""Blends that meet exactly on the face between them: full rounds, and bevels that meet in a ridge.

Where two strips use up a face without remainder OpenCASCADE has no face left to end them on, and fails.
But each of them alone leaves half of the face. So the edges are blended in groups none of which has two
strips that meet, and the groups' bodies are put together: of convex edges the common part, of concave
ones the union, of both the body without what the first take away and with what the others add. All
edges of a corner are in one group once, so that corner pieces are what they are without the full round.

The face must shrink to a line: to a point it is refused (cad.md §3.3).

Earns its place by `test_full_round_of_a_wall_is_a_half_cylinder`: OpenCASCADE alone builds none of these.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias

from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.BRepAlgoAPI import (
    BRepAlgoAPI_BooleanOperation,
    BRepAlgoAPI_Common,
    BRepAlgoAPI_Cut,
    BRepAlgoAPI_Fuse,
)
from OCP.collections import List_TopoDS_Shape
from OCP.TopAbs import TopAbs_FACE, TopAbs_VERTEX
from OCP.TopoDS import TopoDS_Edge, TopoDS_Face

from vcad_kernel.geometry.occt.blends.builders import at_once, contours
from vcad_kernel.geometry.occt.blends.limits import Meeting, meetings
from vcad_kernel.geometry.occt.blends.request import Blend
from vcad_kernel.geometry.occt.booleans.unify import unified
from vcad_kernel.geometry.occt.brep import (
    Brep,
    carried,
    edges_of,
    faces_of,
    shape_map,
    solids_of,
    with_history,
)
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.clearances import clearance
from vcad_kernel.geometry.occt.measure.sharp_edges import SharpEdge
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
    meeting = meetings(solid.shape, corners, blend)
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
        body = at_once(solid, members, blend, maker)
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
        return not any(pair <= group for pair in apart)

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
            combined = _boolean(BRepAlgoAPI_Common(), result, [body], maker)
        elif kinds == {False}:
            combined = _boolean(BRepAlgoAPI_Fuse(), result, [body], maker)
        else:
            # what either group has added, without what either has taken away
            taken = [_boolean(BRepAlgoAPI_Cut(), solid, [part], maker) for part in (result, body)]
            combined = _boolean(BRepAlgoAPI_Fuse(), result, [body], maker)
            if combined is not None:
                tools = [part for part in taken if part is not None]
                combined = _boolean(BRepAlgoAPI_Cut(), combined, tools, maker) if tools else combined
        if combined is None or len(solids_of(combined.shape)) != 1:
            return None
        result = combined
    return Brep(solids_of(result.shape)[0], result.makers)


def _boolean(
    operation: BRepAlgoAPI_BooleanOperation, body: Brep, others: Sequence[Brep], maker: Digest
) -> Brep | None:
    arguments, tools = List_TopoDS_Shape(), List_TopoDS_Shape()
    arguments.Append(body.shape)
    for other in others:
        tools.Append(other.shape)
    operation.SetArguments(arguments)
    operation.SetTools(tools)
    operation.SetNonDestructive(True)
    operation.Build()
    if not operation.IsDone() or not solids_of(operation.Shape()):
        return None
    return carried(operation.Shape(), (body, *others), with_history(operation.History()), maker)


def _used_up(solid: Brep, meeting: Sequence[Meeting]) -> list[TopoDS_Face]:
    """The faces between edges whose strips meet."""
    numbers = shape_map(solid.shape, TopAbs_FACE)
    faces = faces_of(solid.shape)
    found = set()
    for first, second in meeting:
        found |= {numbers.FindIndex(face) for face in first.faces} & {
            numbers.FindIndex(face) for face in second.faces
        }
    return [faces[index - 1] for index in sorted(found)]


def _is_point(face: TopoDS_Face, after: Brep) -> bool:
    """Whether nothing is left of a face but points."""
    return not any(_lies_on(edge, face) for edge in edges_of(after.shape))


def _lies_on(edge: TopoDS_Edge, face: TopoDS_Face) -> bool:
    curve = BRepAdaptor_Curve(edge)
    low, high = curve.FirstParameter(), curve.LastParameter()
    return all(
        clearance(curve.Value(low + share * (high - low)), face) <= LINEAR for share in (0.2, 0.5, 0.8)
    )
