"""A body with another one taken out of its inside, put together from their shells.

No boolean is needed, and none can go wrong, where the boundaries of the two have no point in common. A
boolean finds the same, and takes seven to ten times as long on plates with holes and on gears:
`test_hollowing_a_perforated_plate_against_a_boolean`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeSolid
from OCP.BRepClass3d import BRepClass3d
from OCP.GeomAbs import GeomAbs_Plane
from OCP.gp import gp_Pnt
from OCP.IntTools import IntTools_Context
from OCP.TopAbs import (
    TopAbs_FACE,
    TopAbs_FORWARD,
    TopAbs_REVERSED,
    TopAbs_SHELL,
    TopAbs_VERTEX,
    TopAbs_WIRE,
)
from OCP.TopExp import TopExp_Explorer
from OCP.TopoDS import TopoDS, TopoDS_Face, TopoDS_Shape, TopoDS_Shell, TopoDS_Solid

from vcad_kernel.geometry.occt.brep import compound_of, shape_map, solids_of
from vcad_kernel.geometry.occt.measure.distances.depth import Depth, Inside, face_point
from vcad_kernel.geometry.occt.measure.validity import rough_volume, volume_of
from vcad_kernel.geometry.tolerance import LINEAR

__all__ = ["filled", "hollowed", "nested", "opened"]


@dataclass(slots=True, eq=False)
class _Piece:
    """A connected piece of the result: its outer boundary, and the boundaries of its cavities."""

    outer: TopoDS_Shape
    volume: float
    inside: Inside
    cavities: list[TopoDS_Shape] = field(default_factory=list)


def filled(shell: TopoDS_Shape) -> TopoDS_Shape:
    """What a closed shell surrounds, whichever way it is oriented, as an outward solid."""
    solid = BRepBuilderAPI_MakeSolid(TopoDS.Shell(shell)).Solid()
    # OpenCASCADE's own way to orient a solid asks whether infinity is inside, and errs on some lenses
    return solid.Reversed() if rough_volume(solid) < 0.0 else solid


def hollowed(body: TopoDS_Shape, taken: TopoDS_Shape) -> TopoDS_Shape | None:
    """body − taken, which lies strictly inside it; None when it does not.

    What bounds a piece from outside is an outer shell of the body or a cavity of what is taken;
    each cavity belongs to the smallest piece around it.
    """
    outers: list[TopoDS_Shape] = []
    inners: list[TopoDS_Shape] = []
    for solid in solids_of(body):
        outer = BRepClass3d.OuterShell_s(TopoDS.Solid(solid))
        for shell in _shells(solid):
            (outers if shell.IsSame(outer) else inners).append(shell)
    for solid in solids_of(taken):
        outer = BRepClass3d.OuterShell_s(TopoDS.Solid(solid))
        for shell in _shells(solid):
            (inners if shell.IsSame(outer) else outers).append(shell.Reversed())
    pieces = []
    for shell in outers:
        solid = filled(shell)
        pieces.append(_Piece(shell, volume_of(solid), Inside(solid)))
    for shell in inners:
        place = _some_point(shell)
        around = [piece for piece in pieces if piece.inside.holds(place)]
        if not around:
            return None
        min(around, key=lambda piece: piece.volume).cavities.append(shell)
    return _as_body(pieces)


def nested(body: TopoDS_Shape, taken: TopoDS_Shape) -> TopoDS_Shape:
    """body − taken, both solids of one shell, which are known to lie one within the other."""
    builder, solid = BRep_Builder(), TopoDS_Solid()
    builder.MakeSolid(solid)
    for shell in (*_shells(body), *(shell.Reversed() for shell in _shells(taken))):
        builder.Add(solid, shell)
    return solid


def opened(
    body: TopoDS_Shape, taken: TopoDS_Shape, openings: Sequence[TopoDS_Face]
) -> tuple[TopoDS_Shape, list[TopoDS_Face]] | None:
    """body − taken, which reaches the boundary of the body within some of its faces only.

    openings: those faces. Gives the result, unchecked, and what is left of each opening: a flat ring. None
    where it is not as simple as that: an opening that is not flat, has holes or meets another one; a body or
    a taken piece of several shells; a piece that reaches no opening.
    """
    pieces = solids_of(taken)
    if [len(_shells(solid)) for solid in (*solids_of(body), *pieces)] != [1] * (1 + len(pieces)):
        return None
    if any(not _is_plain(face) for face in openings) or _meet(openings):
        return None
    rims: list[list[TopoDS_Face]] = [[] for _ in openings]
    walls: list[TopoDS_Shape] = []
    skins = [Depth([face]) for face in openings]
    context = IntTools_Context()
    for piece in pieces:
        reached = False
        for face in _oriented_faces(piece):
            point, _ = face_point(face, context)
            at = next((index for index, skin in enumerate(skins) if skin.of(point) <= LINEAR), None)
            if at is None:
                walls.append(face.Reversed())
                continue
            if not _is_plain(face):
                return None
            rims[at].append(face)
            reached = True
        if not reached:
            return None
    if not all(rims):
        return None
    rings = [_ring(face, there) for face, there in zip(openings, rims, strict=True)]
    builder, shell, solid = BRep_Builder(), TopoDS_Shell(), TopoDS_Solid()
    builder.MakeShell(shell)
    for face in _oriented_faces(body):
        if not any(face.IsSame(opening) for opening in openings):
            builder.Add(shell, face)
    for face in (*rings, *walls):
        builder.Add(shell, face)
    shell.Closed(True)
    builder.MakeSolid(solid)
    builder.Add(solid, shell)
    return solid, rings


def _is_plain(face: TopoDS_Face) -> bool:
    """Flat, with one border."""
    flat = BRepAdaptor_Surface(face, False).GetType() == GeomAbs_Plane
    return bool(flat) and shape_map(face, TopAbs_WIRE).Extent() == 1


def _meet(faces: Sequence[TopoDS_Face]) -> bool:
    """Whether two faces have a corner in common."""
    corners = [shape_map(face, TopAbs_VERTEX) for face in faces]
    return any(
        other.Contains(here.FindKey(index))
        for here, other in itertools.combinations(corners, 2)
        for index in range(1, here.Extent() + 1)
    )


def _ring(opening: TopoDS_Face, holes: Sequence[TopoDS_Face]) -> TopoDS_Face:
    """The opening with the borders of faces that lie in it, and look the same way, as holes."""
    ring = TopoDS.Face(opening.EmptyCopied().Oriented(TopAbs_FORWARD))
    builder = BRep_Builder()
    builder.Add(ring, _border(opening.Oriented(TopAbs_FORWARD)))
    for hole in holes:
        # seen from outside both borders run the same way; in the ring a hole runs against its border
        border = _border(hole)
        builder.Add(ring, border if opening.Orientation() == TopAbs_REVERSED else border.Reversed())
    return TopoDS.Face(ring.Oriented(opening.Orientation()))


def _border(face: TopoDS_Shape) -> TopoDS_Shape:
    return TopExp_Explorer(face, TopAbs_WIRE).Current()


def _oriented_faces(shape: TopoDS_Shape) -> list[TopoDS_Face]:
    """The faces as the shape has them oriented: outward."""
    faces = []
    explorer = TopExp_Explorer(shape, TopAbs_FACE)
    while explorer.More():
        faces.append(TopoDS.Face(explorer.Current()))
        explorer.Next()
    return faces


def _shells(solid: TopoDS_Shape) -> list[TopoDS_Shape]:
    """The shells as the solid has them oriented."""
    shells = []
    explorer = TopExp_Explorer(solid, TopAbs_SHELL)
    while explorer.More():
        shells.append(explorer.Current())
        explorer.Next()
    return shells


def _some_point(shell: TopoDS_Shape) -> gp_Pnt:
    return BRep_Tool.Pnt_s(TopoDS.Vertex(shape_map(shell, TopAbs_VERTEX).FindKey(1)))


def _as_body(pieces: list[_Piece]) -> TopoDS_Shape:
    builder = BRep_Builder()
    solids = []
    for piece in pieces:
        solid = TopoDS_Solid()
        builder.MakeSolid(solid)
        builder.Add(solid, piece.outer)
        for cavity in piece.cavities:
            builder.Add(solid, cavity)
        solids.append(solid)
    return solids[0] if len(solids) == 1 else compound_of(solids)
