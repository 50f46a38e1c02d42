"""The referee of blends: whether a built body can be what was asked for.

OpenCASCADE says "done" for bodies that are inside out, half done or made of the wrong surfaces. Six
questions sort those out: is it a sound solid in the old box; has the volume changed by no more than
the edges can give, in the right direction; are the old edges gone; do the new faces keep clear of all on
which they do not end; does a ball of the radius fit under every new face, touching it from inside (over
convex edges) or outside (concave ones), with the curvature of that ball; do the borders of bevels lie at the
distance asked for. All are necessary conditions, computed from the result's geometry and not from the way it
was built.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence

from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.BRepClass import BRepClass_FaceClassifier
from OCP.BRepLProp import BRepLProp_SLProps
from OCP.BRepTools import BRepTools
from OCP.GeomAbs import GeomAbs_BSplineSurface, GeomAbs_Cylinder, GeomAbs_Plane, GeomAbs_Sphere, GeomAbs_Torus
from OCP.gp import gp_Pnt, gp_Pnt2d, gp_Vec
from OCP.TopAbs import TopAbs_EDGE, TopAbs_IN, TopAbs_SHELL
from OCP.TopoDS import TopoDS_Face, TopoDS_Shape

from vcad_kernel.geometry.occt.blends.contacts import meet_others
from vcad_kernel.geometry.occt.blends.request import Blend
from vcad_kernel.geometry.occt.blends.volume import expected_change
from vcad_kernel.geometry.occt.brep import (
    Brep,
    compound_of,
    shape_map,
    solids_of,
)
from vcad_kernel.geometry.occt.measure.distances.clearances import Crowd, clearance
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import (
    CIRCLE,
    LINE,
    BoundaryNumbers,
    boundary_numbers,
)
from vcad_kernel.geometry.occt.measure.topology.even_edges import outward_at
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import OutwardNormals, length_of
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import (
    SharpEdge,
    are_sharp,
    inner_radius,
    inwards,
    sharp_edges,
)
from vcad_kernel.geometry.occt.measure.validity import area_of, flaw, rough_volume, volume_of
from vcad_kernel.ir.digest import Digest

__all__ = ["blend_flaw"]

_LEFT_OVER = 0.02
"""Radians: no blend that is approximated by splines meets its neighbours worse than this."""
_BALL = 0.1
"""Share of the radius by which a ball may miss under splines: corners between convex and concave edges
of curved faces are patched."""
_PATCHED = 0.15
"""Radians: where the ball is larger than an arc of its edge the strips at both sides of the arc run together
behind it, and OpenCASCADE lays a patch over what is left. Over arcs of half the radius it meets its
neighbours within 0.08 rad, over arcs of a quarter within 0.18, which is a corner again."""
_ROUGH = 0.03
"""Share of the body's volume by which the rough volume of a sound blend may be wrong."""
_EXACT = 1e-6
"""The same for planes, cylinders, cones, spheres and tori."""
_BENT = 0.1
"""Relative error of the curvature along the ball, for elementary faces and strips of splines."""
_SETBACK = 1e-4
"""Share of the distance by which the border of a bevel may miss."""
_SPLINED = 0.1
"""The same along other curves, where bevels are splines: how far those are off `deviation.py` measures, and
it is stated as ≈."""
_CLEAR_OF_CORNERS = 4.0
"""Edges that are this many distances long have a middle that no corner piece reaches."""
_PLANE, _SPLINE = GeomAbs_Plane.value, GeomAbs_BSplineSurface.value
_SPHERE, _TORUS = GeomAbs_Sphere.value, GeomAbs_Torus.value
_ROLLED = frozenset({GeomAbs_Cylinder.value, _SPHERE, _TORUS})
_WORK = 6000
"""Faces times points looked at: what the check of a body may cost."""


def blend_flaw(
    before: TopoDS_Shape,
    corners: Sequence[SharpEdge],
    blend: Blend,
    after: Brep,
    maker: Digest,
    *,
    all_edges: bool,
) -> str | None:
    """Why the result cannot be right, in words; None when no flaw is found.

    before: the solid without the blend. maker: who made the new faces. all_edges: none may be left.
    """
    reason = _solid_flaw(before, corners, blend, after.shape)
    if reason is None:
        reason = _edges_flaw(corners, blend, after.shape, all_edges)
    if reason is not None:
        return reason
    numbers = boundary_numbers(after.shape)
    if len(numbers.faces) != len(after.makers):
        return "a face is there twice"
    new = [face for face, made_by in enumerate(after.makers) if made_by == maker]
    if not new:
        return "no face is new"
    if meet_others(numbers, new):
        return "it meets a face that it does not end on"
    if blend.kind == "chamfer":
        return _setback_flaw(corners, blend, after.shape)
    return _ball_flaw(corners, blend, numbers, new, all_edges) if blend.end is None else None


def _solid_flaw(
    before: TopoDS_Shape, corners: Sequence[SharpEdge], blend: Blend, after: TopoDS_Shape
) -> str | None:
    # convex edges lose material, concave ones gain it
    change, doubt = expected_change(corners, blend)
    volume = volume_of(before)
    low, high = volume + change - doubt, volume + change + doubt
    if all(corner.convex is True for corner in corners):
        high = volume
    if all(corner.convex is False for corner in corners):
        low = volume
    # before all else: OpenCASCADE's own check may never end on a body that is folded
    rough = rough_volume(after)
    if not low - _ROUGH * volume <= rough <= high + _ROUGH * volume:
        return f"its volume is about {rough:g} mm³, where {low:g} to {high:g} are possible"
    reason = flaw(after, volume=(max(low, 0.0), high), within=(after, before))
    if reason is not None:
        return reason
    for kind, count in (("solids", _solids), ("shells", _shells)):
        if count(before) != count(after):
            return f"it has {count(after)} {kind}, where the body had {count(before)}"
    return _area_flaw(before, corners, blend, after) if blend.kind == "fillet" else None


def _area_flaw(
    before: TopoDS_Shape, corners: Sequence[SharpEdge], blend: Blend, after: TopoDS_Shape
) -> str | None:
    """An arc is shorter than the corner it replaces: the area cannot grow but where concave edges end in
    a face, by the section there. It does where faces fold, which no other question sees."""
    most = area_of(before)
    spare = sum(2.0 * blend.section(corner) for corner in corners if corner.convex is not True)
    area = area_of(after)
    if area > (most + spare) * (1.0 + _EXACT):
        return f"its area is {area:g} mm², where {most:g} are possible"
    return None


def _solids(shape: TopoDS_Shape) -> int:
    return len(solids_of(shape))


def _shells(shape: TopoDS_Shape) -> int:
    return int(shape_map(shape, TopAbs_SHELL).Extent())


def _edges_flaw(
    corners: Sequence[SharpEdge], blend: Blend, after: TopoDS_Shape, all_edges: bool
) -> str | None:
    if all_edges and blend.kind == "fillet":
        tight = _tightest(corners) < blend.size
        left = [
            corner
            for corner in sharp_edges(after)
            if corner.turn > (_PATCHED if tight and _SPLINE in corner.surfaces else _LEFT_OVER)
        ]
        return f"{len(left)} edges are still sharp" if left else None
    untouched = shape_map(after, TopAbs_EDGE)
    left_over = [corner for corner in corners if untouched.Contains(corner.edge)]
    return f"{len(left_over)} edges are as they were" if left_over else None


def _ball_flaw(
    corners: Sequence[SharpEdge],
    blend: Blend,
    numbers: BoundaryNumbers,
    new: Sequence[int],
    all_edges: bool,
) -> str | None:
    """Balls of the radius touch the new faces and fit the body, or the hollow, there.

    Where only some edges are round the ball may stick out of what is not, as out of both sides of a
    thin plate whose corners are rounded: there it must fit the faces into which the new one runs on.
    Under the patch over an arc that is smaller than the ball a ball fits that is as small as the arc.
    """
    patched = min(blend.size, _tightest(corners))
    # each ball is measured against every face of its crowd, so on large bodies only some are looked at
    step = max(1, round(len(new) * len(numbers.faces) / _WORK))
    looked_at = new[::step]
    everywhere = range(len(numbers.faces))
    crowds = [everywhere] * len(looked_at) if all_edges else _running_on(looked_at, numbers)
    balls: list[gp_Pnt] = []
    least: list[float] = []
    among: list[Collection[int]] = []
    places: list[int] = []
    """Which place of a face each ball touches: on either side of a spline one will do."""
    count = 0
    for face, crowd in zip(looked_at, crowds, strict=True):
        spline = numbers.kinds[face] == _SPLINE
        size = patched if spline else blend.size
        under = _under_strip(numbers, face, size)
        touching = [[under]] if under else _under_face(numbers.faces[face], blend.size, size, spline)
        if touching is None:
            return "a new face is not round as the ball is"
        for place, centres in enumerate(touching, count):
            balls += centres
            least += [size * (1.0 - (_BALL if spline else _EXACT))] * len(centres)
            among += [crowd] * len(centres)
            places += [place] * len(centres)
        count += len(touching)
    room = Crowd(numbers.faces, numbers).leaves_room(balls, least, None if all_edges else among)
    if len({at for at, fits in zip(places, room, strict=True) if fits}) < count:
        return "a ball of the radius does not fit under it"
    return None


def _under_strip(numbers: BoundaryNumbers, face: int, radius: float) -> gp_Pnt | None:
    """Where a ball rolls under the middle of a strip, or lies in a corner, that is as round as it is.

    None of other faces than cylinders between lines, tori between rings, and spheres. A place on the border
    is one of the face whatever else is cut out of that.
    """
    kind = numbers.kinds[face]
    if kind not in _ROLLED:
        return None
    surface = numbers.surface_numbers(face)
    # a torus that passes through its own axis has its tube on the other side there
    if abs(radius / surface[-1] - 1.0) > _BENT or (kind == _TORUS and surface[6] <= surface[7]):
        return None
    curves = numbers.curves
    along = {
        edge: math.dist(curves.table[edge][:3], curves.table[edge][3:6])
        if curves.kinds[edge] == LINE
        else curves.table[edge][12] * curves.table[edge][13]
        for edge, _ in numbers.sides[face]
        if _runs_along(kind, surface, curves.kinds[edge], curves.table[edge])
    }
    curve = curves.adaptors[max(along, key=along.__getitem__)] if along else None
    if curve is None:
        return None
    place = curve.Value(0.5 * (curve.FirstParameter() + curve.LastParameter()))
    normal = gp_Vec(*outward_at(numbers, face, place.Coord()))
    return place.Translated(normal * (-radius * numbers.outwards(face)))


def _runs_along(kind: int, surface: Sequence[float], form: int, row: Sequence[float]) -> bool:
    """Whether a line or a circle on the border of a strip runs along it, not across; on a sphere all do."""
    if form != CIRCLE or kind == _SPHERE:
        return form in (LINE, CIRCLE)
    aligned = row[9] * surface[3] + row[10] * surface[4] + row[11] * surface[5]
    return kind == _TORUS and abs(aligned) > 0.5


def _under_face(face: TopoDS_Face, bend: float, radius: float, spline: bool) -> list[list[gp_Pnt]] | None:
    """Where balls of a radius touch a face, at some places within it; None if it is not round as the ball is.

    bend: the radius that it must have. On which side of a spline the ball rolls may not be known.
    """
    normals = OutwardNormals(face)
    touching = []
    for u, v in _inner_points(face, 3 if spline else 1):
        normal = normals.at(gp_Pnt2d(u, v))
        if normal is None:
            continue
        side = _side_of_ball(normals.surface, u, v, normal, bend)
        if side is None and not spline:
            return None
        point = normals.surface.Value(u, v)
        ways = (-1.0, 1.0) if side is None else (side,)
        touching.append([point.Translated(normal * (way * radius)) for way in ways])
    return touching


def _tightest(corners: Sequence[SharpEdge]) -> float:
    """The radius of the smallest arc within which a strip runs on a flat face, millimetres."""
    return min(
        (
            inner_radius(corner, face)
            for corner in corners
            for face, kind in zip(corner.faces, corner.surfaces, strict=True)
            if kind == _PLANE
        ),
        default=math.inf,
    )


def _running_on(faces: Sequence[int], numbers: BoundaryNumbers) -> list[set[int]]:
    """Each face with its neighbours across edges that are not sharp, by number."""
    borders = [[edge for edge, _ in numbers.sides[face]] for face in faces]
    sharp = are_sharp(numbers, dict.fromkeys(edge for there in borders for edge in there))
    return [
        {face, *(other for edge in there if edge not in sharp for other, _ in numbers.at_edge[edge])}
        for face, there in zip(faces, borders, strict=True)
    ]


def _side_of_ball(
    surface: BRepAdaptor_Surface, u: float, v: float, outward: gp_Vec, radius: float
) -> float | None:
    """-1 if the face is bent round a ball within the body, 1 if round one outside; None if it is not."""
    properties = BRepLProp_SLProps(surface, u, v, 2, 1e-9)
    if not properties.IsCurvatureDefined():
        return None
    # OpenCASCADE counts a curvature positive where the surface bends towards its own normal.
    own = 1.0 if gp_Vec(properties.Normal()).Dot(outward) > 0 else -1.0
    for bend in (properties.MaxCurvature(), properties.MinCurvature()):
        if abs(abs(bend) * radius - 1.0) <= _BENT:
            return own if bend > 0 else -own
    return None


def _setback_flaw(corners: Sequence[SharpEdge], blend: Blend, after: TopoDS_Shape) -> str | None:
    """Flat faces are cut at the distance asked for, looked at where corners do not reach."""
    edges = shape_map(after, TopAbs_EDGE)
    borders = compound_of(edges.FindKey(index) for index in range(1, edges.Extent() + 1))
    step = max(1, round(len(corners) * edges.Extent() / _WORK))
    for corner in corners[::step]:
        if length_of(corner.edge) < _CLEAR_OF_CORNERS * blend.size:
            continue
        for face, kind in zip(corner.faces, corner.surfaces, strict=True):
            if kind != _PLANE:
                continue
            place = _inside(corner, face, blend.size)
            miss = clearance(place, borders)
            most = (_SETBACK if corner.curve in (LINE, CIRCLE) else _SPLINED) * blend.size
            if miss > most and not _is_taken(place, corner, face, corners, blend.size):
                return f"a bevel misses its distance by {miss:g} mm"
    return None


def _is_taken(
    place: gp_Pnt, corner: SharpEdge, face: TopoDS_Face, corners: Sequence[SharpEdge], size: float
) -> bool:
    """Whether the bevel along a neighbour takes a place: beside a pointed corner that is so far along."""
    neighbours = (other for other in corners if other is not corner and set(other.ends) & set(corner.ends))
    return any(
        clearance(place, other.edge) < size * (1.0 - _SETBACK)
        for other in neighbours
        if any(own.IsSame(face) for own in other.faces)
    )


def _inside(corner: SharpEdge, face: TopoDS_Face, distance: float) -> gp_Pnt:
    """The point of a flat face at a distance from the middle of an edge, square to it."""
    curve = BRepAdaptor_Curve(corner.edge)
    middle = (curve.FirstParameter() + curve.LastParameter()) / 2
    return curve.Value(middle).Translated(inwards(corner, face, middle) * distance)


def _inner_points(face: TopoDS_Face, count: int) -> Iterator[tuple[float, float]]:
    """Up to ``count`` points (u, v) that lie within a face."""
    low_u, high_u, low_v, high_v = BRepTools.UVBounds_s(face)
    yielded = 0
    for along, across in ((0.5, 0.5), (0.2, 0.6), (0.75, 0.3), (0.35, 0.15), (0.9, 0.85), (0.1, 0.1)):
        u, v = low_u + along * (high_u - low_u), low_v + across * (high_v - low_v)
        if BRepClass_FaceClassifier(face, gp_Pnt2d(u, v), 1e-9).State() == TopAbs_IN:
            yield u, v
            yielded += 1
            if yielded == count:
                return
