"""The same body with the seams and poles of its spheres, cylinders and tori somewhere else.

Where a seam or a pole falls on a corner of a face, OpenCASCADE's blends go wrong there, although the
body has nothing special at that place. The surface is laid anew, cut along the old edges, and sewn in.
Faces side by side on one sphere or cylinder, which cannot be merged, become one face by that.

Earns its place by `test_reseaming_rounds_an_eighth_of_a_ball`: OpenCASCADE alone cannot blend it at all.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.BRepAlgoAPI import BRepAlgoAPI_Common, BRepAlgoAPI_Splitter
from OCP.BRepBuilderAPI import (
    BRepBuilderAPI_Copy,
    BRepBuilderAPI_MakeFace,
    BRepBuilderAPI_MakeSolid,
    BRepBuilderAPI_Sewing,
)
from OCP.BRepClass import BRepClass_FaceClassifier
from OCP.BRepGProp import BRepGProp
from OCP.BRepLib import BRepLib
from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeSphere, BRepPrimAPI_MakeTorus
from OCP.BRepTools import BRepTools
from OCP.collections import List_TopoDS_Shape
from OCP.GeomAbs import GeomAbs_Cylinder, GeomAbs_Sphere, GeomAbs_Torus
from OCP.GeomAPI import GeomAPI_ProjectPointOnSurf
from OCP.gp import gp_Ax1, gp_Ax2, gp_Dir, gp_Pnt, gp_Pnt2d, gp_Vec
from OCP.GProp import GProp_GProps
from OCP.TopAbs import TopAbs_FACE, TopAbs_IN, TopAbs_SHELL, TopAbs_VERTEX
from OCP.TopExp import TopExp
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.brep import Brep, ShapeMap, compound_of, edges_of, faces_of, listed, shape_map
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.distances.clearances import clearance
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import boundary_numbers
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import SharpEdge, faces_by_edge
from vcad_kernel.geometry.occt.measure.validity import area_of, is_valid, volume_of
from vcad_kernel.ir.digest import Digest

__all__ = [
    "borders_of",
    "cut_out",
    "has_pole_in_corner",
    "in_tiles",
    "lies_on",
    "patches",
    "reseamed",
    "sewn_up",
    "whole_tube",
]

_TURNS = (0.7, 2.3, 4.1, 5.15)
"""Radians by which seams turn in each attempt: nothing that a designer would draw."""
_AXES = ((0.31, 0.52, 0.79), (-0.83, 0.37, 0.41), (0.57, -0.75, 0.33), (-0.29, -0.61, 0.74))
_CENTRED = 0.05
"""Share of the radius: patches as near as this around a ball's centre have no side that they are on."""
_SEWN = 1e-6
_SAME = 1e-7
"""Relative: a body with other seams has the same volume and area."""


def reseamed(solid: Brep) -> Iterator[Brep]:
    """The solid with its seams in other places, a few times; nothing if it has none that could move."""
    kinds = [BRepAdaptor_Surface(face, False).GetType() for face in faces_of(solid.shape)]
    if not any(kind in (GeomAbs_Sphere, GeomAbs_Cylinder, GeomAbs_Torus) for kind in kinds):
        return
    for turn, axis in zip(_TURNS, _AXES, strict=True):
        try:
            result = _with_seams(solid, turn, gp_Dir(*axis))
        except OCCT_ERRORS:
            result = None
        if result is not None:
            yield result


def in_tiles(solid: Brep) -> Iterator[Brep]:
    """The solid with every piece of a ball in tiles that have no seam and no pole, a few times."""
    kinds = [BRepAdaptor_Surface(face, False).GetType() for face in faces_of(solid.shape)]
    if GeomAbs_Sphere not in kinds:
        return
    for axis in _AXES:
        try:
            result = _laid_anew(solid, partial(_tiles, axis=gp_Dir(*axis)))
        except OCCT_ERRORS:
            result = None
        if result is not None:
            yield result


def has_pole_in_corner(shape: TopoDS_Shape, corners: Sequence[SharpEdge]) -> bool:
    """Whether the pole of a sphere is an end of one of the edges."""
    if GeomAbs_Sphere.value not in boundary_numbers(shape).kinds:
        return False
    ends = shape_map(compound_of(corner.edge for corner in corners), TopAbs_VERTEX)
    for face in faces_of(shape):
        if BRepAdaptor_Surface(face, False).GetType() != GeomAbs_Sphere:
            continue
        for edge in edges_of(face):
            if BRep_Tool.Degenerated_s(edge) and ends.Contains(TopExp.FirstVertex_s(edge)):
                return True
    return False


def lies_on(edge: SharpEdge, others: Sequence[SharpEdge]) -> bool:
    """Whether an edge is one of the others, or a part of one. (New seams divide edges.)"""
    curve = BRepAdaptor_Curve(edge.edge)
    low, high = curve.FirstParameter(), curve.LastParameter()
    there = compound_of(other.edge for other in others)
    return all(
        clearance(curve.Value(low + share * (high - low)), there) <= _SEWN for share in (0.13, 0.5, 0.81)
    )


def _with_seams(solid: Brep, turn: float, axis: gp_Dir) -> Brep | None:
    def whole_of(faces: Sequence[TopoDS_Face]) -> list[TopoDS_Shape]:
        whole = _whole(faces, turn, axis)
        return [] if whole is None else [whole]

    return _laid_anew(solid, whole_of)


def _laid_anew(
    solid: Brep, wholes_of: Callable[[Sequence[TopoDS_Face]], Sequence[TopoDS_Shape]]
) -> Brep | None:
    """The solid whose patches are cut out of other faces; None where those do not make the same body.

    wholes_of: the faces that take a patch's place, together larger than it; none = it stays.
    """
    # cutting and sewing leave marks on edges, which the old body must not bear
    solid = Brep(BRepBuilderAPI_Copy(solid.shape).Shape(), solid.makers)
    laid: list[tuple[TopoDS_Face, Digest]] = []
    for patch in patches(solid):
        faces = [face for face, _ in patch]
        wholes, borders = wholes_of(faces), borders_of(faces)
        anew = [piece for whole in wholes for piece in _pieces(whole, borders, faces)] if borders else []
        # a whole surface holds one piece, of tiles many
        fits = bool(anew) if len(wholes) > 1 else len(anew) == 1
        laid += [(piece, patch[0][1]) for piece in anew] if fits else patch
    body = sewn_up(laid)
    if body is None:
        return None
    # a piece that was kept on the wrong side of a border shows in volume or area
    for figure in (volume_of, area_of):
        before = figure(solid.shape)
        if abs(figure(body.shape) - before) > _SAME * before:
            return None
    return body


def sewn_up(faces: Sequence[tuple[TopoDS_Face, Digest]]) -> Brep | None:
    """The solid that faces with their makers enclose; None when it is not a sound one."""
    sewing = BRepBuilderAPI_Sewing(_SEWN)
    for face, _ in faces:
        sewing.Add(face)
    sewing.Perform()
    sewn = sewing.SewedShape()
    if sewn.ShapeType() != TopAbs_SHELL:
        return None
    body = BRepBuilderAPI_MakeSolid(TopoDS.Shell(sewn)).Solid()
    BRepLib.OrientClosedSolid_s(body)
    there = shape_map(body, TopAbs_FACE)
    makers = {there.FindIndex(sewing.Modified(face)): maker for face, maker in faces}
    # a face that sewing has dropped or doubled
    if sorted(makers) != list(range(1, there.Extent() + 1)) or not is_valid(body):
        return None
    return Brep(body, tuple(makers[index] for index in sorted(makers)))


def patches(solid: Brep) -> list[list[tuple[TopoDS_Face, Digest]]]:
    """The faces with their makers; those together that lie side by side on one sphere or cylinder."""
    faces = faces_of(solid.shape)
    group = list(range(len(faces)))
    numbers = shape_map(solid.shape, TopAbs_FACE)
    by_edge = faces_by_edge(solid.shape)
    for index in range(1, by_edge.Extent() + 1):
        at_edge = [numbers.FindIndex(face) - 1 for face in listed(by_edge.FindFromIndex(index))]
        first, last = group[at_edge[0]], group[at_edge[-1]]
        if len(at_edge) == 2 and first != last and _on_one_surface(faces[at_edge[0]], faces[at_edge[1]]):
            # both groups become one; at a seam both sides are one face, and first equals last
            group = [first if number == last else number for number in group]
    patches: dict[int, list[tuple[TopoDS_Face, Digest]]] = {}
    for number, face, maker in zip(group, faces, solid.makers, strict=True):
        patches.setdefault(number, []).append((face, maker))
    return list(patches.values())


def _on_one_surface(face: TopoDS_Face, other: TopoDS_Face) -> bool:
    surfaces = BRepAdaptor_Surface(face, False), BRepAdaptor_Surface(other, False)
    if all(surface.GetType() == GeomAbs_Sphere for surface in surfaces):
        balls = [surface.Sphere() for surface in surfaces]
        return bool(
            balls[0].Location().Distance(balls[1].Location()) <= _SEWN
            and abs(balls[0].Radius() - balls[1].Radius()) <= _SEWN
        )
    if all(surface.GetType() == GeomAbs_Cylinder for surface in surfaces):
        tubes = [surface.Cylinder() for surface in surfaces]
        return bool(
            tubes[0].Axis().IsCoaxial(tubes[1].Axis(), _SEWN, _SEWN)
            and abs(tubes[0].Radius() - tubes[1].Radius()) <= _SEWN
        )
    return False


def cut_out(
    whole: TopoDS_Shape,
    borders: Sequence[TopoDS_Edge],
    faces: Sequence[TopoDS_Face],
    without: Callable[[gp_Pnt], bool] = lambda _point: False,
) -> TopoDS_Face | None:
    """The piece of a surface within borders that lies where faces of the patch do; None without just one.

    without: says of points on the patch that they do not belong to the piece.
    """
    kept = _pieces(whole, borders, faces, without)
    return kept[0] if len(kept) == 1 else None


def _pieces(
    whole: TopoDS_Shape,
    borders: Sequence[TopoDS_Edge],
    faces: Sequence[TopoDS_Face],
    without: Callable[[gp_Pnt], bool] = lambda _point: False,
) -> list[TopoDS_Face]:
    """The pieces of a surface between borders that lie where faces of the patch do."""
    arguments, tools = List_TopoDS_Shape(), List_TopoDS_Shape()
    arguments.Append(whole)
    for edge in borders:
        tools.Append(edge)
    splitting = BRepAlgoAPI_Splitter()
    splitting.SetArguments(arguments)
    splitting.SetTools(tools)
    splitting.Build()
    if not splitting.IsDone():
        return []
    # the borders cut the whole surface into the patch and what lies around it
    return [piece for piece in faces_of(splitting.Shape()) if _lies_within(piece, faces, without)]


def _whole(faces: Sequence[TopoDS_Face], turn: float, axis: gp_Dir) -> TopoDS_Shape | None:
    """All of a sphere or torus, or of a cylinder as long as the faces on it, with the seam elsewhere."""
    surface = BRepAdaptor_Surface(faces[0], False)
    if surface.GetType() == GeomAbs_Sphere:
        ball = surface.Sphere()
        place = _turned_away(faces, ball.Location(), ball.Radius(), axis)
        return faces_of(BRepPrimAPI_MakeSphere(place, ball.Radius()).Shape())[0]
    if surface.GetType() == GeomAbs_Cylinder:
        return whole_tube(faces, turn)
    if surface.GetType() == GeomAbs_Torus:
        ring = surface.Torus()
        ring.Rotate(gp_Ax1(ring.Location(), ring.Axis().Direction()), turn)
        place = gp_Ax2(ring.Location(), ring.Axis().Direction(), ring.XAxis().Direction())
        # both seams move: the one along the ring by its start, the one around the tube with the axes
        laid = BRepPrimAPI_MakeTorus(place, ring.MajorRadius(), ring.MinorRadius(), turn, turn + 2 * math.pi)
        return faces_of(laid.Shape())[0]
    return None


def _tiles(faces: Sequence[TopoDS_Face], axis: gp_Dir) -> list[TopoDS_Shape]:
    """The eight triangles of a ball between three planes, each far from its own seam and poles."""
    surface = BRepAdaptor_Surface(faces[0], False)
    if surface.GetType() != GeomAbs_Sphere:
        return []
    ball, axes = surface.Sphere(), gp_Ax2(surface.Sphere().Location(), axis)
    frame = [gp_Vec(axes.XDirection()), gp_Vec(axes.YDirection()), gp_Vec(axes.Direction())]
    tiles: list[TopoDS_Shape] = []
    for signs in itertools.product((1.0, -1.0), repeat=3):
        x, y, z = (vector * sign for vector, sign in zip(frame, signs, strict=True))
        size = 2.0 * ball.Radius()
        # a box needs right-handed axes
        corner = gp_Ax2(ball.Location(), gp_Dir(z), gp_Dir(y if x.Crossed(y).Dot(z) < 0.0 else x))
        seam_behind = gp_Ax2(ball.Location(), gp_Dir(x - y), gp_Dir((x + y + z).Reversed()))
        octant = BRepAlgoAPI_Common(
            BRepPrimAPI_MakeSphere(seam_behind, ball.Radius()).Shape(),
            BRepPrimAPI_MakeBox(corner, size, size, size).Shape(),
        ).Shape()
        tiles += [
            face for face in faces_of(octant) if BRepAdaptor_Surface(face, False).GetType() == GeomAbs_Sphere
        ]
    return tiles


def whole_tube(faces: Sequence[TopoDS_Face], turn: float) -> TopoDS_Face:
    """A cylinder as long as the faces on it, with its seam turned by an angle from that of the first."""
    tube = BRepAdaptor_Surface(faces[0], False).Cylinder()
    along, heights = gp_Vec(tube.Axis().Direction()), []
    for face in faces:
        _, _, low, high = BRepTools.UVBounds_s(face)
        # faces on one cylinder may count heights from different origins
        own = BRepAdaptor_Surface(face, False)
        heights += [gp_Vec(tube.Location(), own.Value(0.0, v)).Dot(along) for v in (low, high)]
    tube.Rotate(gp_Ax1(tube.Location(), tube.Axis().Direction()), turn)
    low, high = min(heights), max(heights)
    spare = 0.1 * (high - low)
    return BRepBuilderAPI_MakeFace(tube, 0.0, 2 * math.pi, low - spare, high + spare).Face()


def _turned_away(faces: Sequence[TopoDS_Face], centre: gp_Pnt, radius: float, axis: gp_Dir) -> gp_Ax2:
    """Axes with the seam behind the faces and the poles to their sides, in the direction of ``axis``.

    A pole within a face costs the blend around it digits, up to 1e-5 of the volume.
    """
    total = GProp_GProps()
    for face in faces:
        properties = GProp_GProps()
        BRepGProp.SurfaceProperties_s(face, properties)
        total.Add(properties)
    # the patch's centre of mass shows on which side of the ball it lies
    outwards = gp_Vec(centre, total.CentreOfMass())
    if outwards.Magnitude() <= _CENTRED * radius:
        return gp_Ax2(centre, axis)
    sideways = gp_Vec(axis).Crossed(outwards).Crossed(outwards)
    return gp_Ax2(centre, gp_Dir(sideways), gp_Dir(outwards.Reversed()))


def borders_of(faces: Sequence[TopoDS_Face]) -> list[TopoDS_Edge]:
    """The edges at which the patch ends."""
    numbers = ShapeMap()
    uses: Counter[int] = Counter()
    for face in faces:
        # an edge between two faces of the patch is used twice, one at its border once
        uses.update(numbers.Add(edge) for edge in edges_of(face) if _is_border(edge, face))
    return [TopoDS.Edge(numbers.FindKey(number)) for number, count in uses.items() if count == 1]


def _is_border(edge: TopoDS_Edge, face: TopoDS_Face) -> bool:
    return not BRep_Tool.Degenerated_s(edge) and not BRepTools.IsReallyClosed_s(edge, face)


def _lies_within(piece: TopoDS_Face, faces: Sequence[TopoDS_Face], without: Callable[[gp_Pnt], bool]) -> bool:
    """Whether a point within the piece lies within one of the faces."""
    point = _point_within(piece)
    return point is not None and not without(point) and any(_holds(face, point) for face in faces)


def _holds(face: TopoDS_Face, point: gp_Pnt) -> bool:
    onto = GeomAPI_ProjectPointOnSurf(point, BRep_Tool.Surface_s(face))
    if onto.NbPoints() == 0:
        return False
    u, v = onto.LowerDistanceParameters()
    return bool(BRepClass_FaceClassifier(face, gp_Pnt2d(u, v), 1e-7).State() == TopAbs_IN)


def _point_within(face: TopoDS_Face) -> gp_Pnt | None:
    low_u, high_u, low_v, high_v = BRepTools.UVBounds_s(face)
    # uneven shares: regular patterns of holes cannot hit all of them
    for along in (0.5, 0.21, 0.83, 0.37, 0.66, 0.08, 0.95):
        for across in (0.5, 0.17, 0.79, 0.34, 0.62, 0.06, 0.94):
            u, v = low_u + along * (high_u - low_u), low_v + across * (high_v - low_v)
            if BRepClass_FaceClassifier(face, gp_Pnt2d(u, v), 1e-7).State() == TopAbs_IN:
                return BRepAdaptor_Surface(face, False).Value(u, v)
    return None
