"""A face of a body moved along its normal, and stretched where it must still meet its neighbours.

Planes, cylinders, cones, spheres and tori move to surfaces of their own kind; everything else to
an offset surface. A face that curves more tightly than it is moved vanishes. Lengths millimetres.

Earns its place with :mod:`vcad_kernel.geometry.occt.insets.insetting`, and its spheres with other seams by
`test_moved_faces_meet_in_a_lens_that_is_hollowed`: with seams as they fall the lens is refused.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve2d, BRepAdaptor_Surface
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeFace
from OCP.BRepTools import BRepTools
from OCP.Geom import (
    Geom_ConicalSurface,
    Geom_CylindricalSurface,
    Geom_OffsetSurface,
    Geom_Plane,
    Geom_RectangularTrimmedSurface,
    Geom_SphericalSurface,
    Geom_Surface,
    Geom_ToroidalSurface,
)
from OCP.GeomAbs import (
    GeomAbs_C1,
    GeomAbs_Cone,
    GeomAbs_Cylinder,
    GeomAbs_Plane,
    GeomAbs_Sphere,
    GeomAbs_SurfaceOfExtrusion,
    GeomAbs_SurfaceOfRevolution,
    GeomAbs_SurfaceType,
    GeomAbs_Torus,
)
from OCP.GeomConvert import GeomConvert, GeomConvert_ApproxSurface, GeomConvert_BSplineSurfaceToBezierSurface
from OCP.GeomLib import GeomLib_IsPlanarSurface
from OCP.gp import gp_Ax2, gp_Ax3, gp_Dir, gp_Pnt, gp_Pnt2d, gp_Vec
from OCP.TopAbs import TopAbs_EDGE, TopAbs_REVERSED
from OCP.TopExp import TopExp_Explorer
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Face

from vcad_kernel.geometry.occt.insets.moving.moved_sweeps import extrusion_of, moved_extrusion
from vcad_kernel.geometry.occt.measure.boxes import quick_box_of
from vcad_kernel.geometry.occt.measure.integration.masses import area_and_centre
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import outward_normal
from vcad_kernel.geometry.tolerance import LINEAR

__all__ = ["Smoothness", "moved", "vanishes"]

Smoothness: TypeAlias = Callable[[TopoDS_Edge], bool]
"""Whether the moved neighbour across an edge will meet the moved face exactly there."""

_TURN = 2.0 * math.pi
_WHOLE_TURN = (0.0, _TURN)
"""From anywhere else OpenCASCADE makes two edges of the seam, which nothing joins."""
_APPROXIMATION = 1e-6
"""Millimetres: how well an offset of a surface of many pieces is kept."""
_ON_SIDE = 1e-7
"""Relative to the parameter range: an outline this near to a side of the range lies on it."""


@dataclass(frozen=True, slots=True, eq=False)
class _Placed:
    """The moved surface, with how its parameters relate to those of the old one."""

    surface: Geom_Surface
    lengths: tuple[float, float]
    """Millimetres of one unit of u and of v, roughly; 0 = cannot be stretched that way."""
    shift: float = 0.0
    """What is added to v."""
    lowest: float = -math.inf
    """v must not go below (the apex of a cone)."""
    highest: float = math.inf
    turns: tuple[bool, bool] = (False, False)
    """Whether u and v are angles that close after a full turn."""
    freeform: bool = False
    """Stretched by the surface itself, which has no parameters beyond its bounds."""


def vanishes(face: TopoDS_Face, distance: float) -> bool:
    """Whether nothing is left of a face moved by a distance (outwards positive)."""
    return _placed(face, distance) is None


def moved(
    face: TopoDS_Face, distance: float, reach: float, meets_exactly: Smoothness, *, turned: bool = False
) -> list[TopoDS_Face]:
    """The face at a distance (outwards positive), stretched by ``reach``; none when it vanishes.

    meets_exactly: the edges at which it is not stretched, because the neighbour ends there too.
    turned: give spheres with sharp edges a seam that keeps away from them.
    """
    # planes in the guise of splines first: as planes they are moved and cut in closed form
    flat = _flat(face, distance, reach)
    if flat is not None:
        return [flat]
    placed = _placed(face, distance)
    if placed is None:
        return []
    sides, all_on_sides, all_exact = _sides(face, meets_exactly)
    # extruded curves likewise: moved in their plane, they stay extrusions
    extrusion = extrusion_of(face)
    if extrusion is not None:
        along = -distance if face.Orientation() == TopAbs_REVERSED else distance
        faces = moved_extrusion(extrusion, along, BRepTools.UVBounds_s(face), sides, reach)
        if faces is not None:
            return faces
    if all_exact and not all_on_sides and isinstance(placed.surface, Geom_OffsetSurface):
        # between smooth neighbours the whole of it touches them all along, which takes long to find out
        return []
    if turned and isinstance(placed.surface, Geom_SphericalSurface) and not all_exact:
        return [_whole_sphere(face, placed.surface)]
    # all others are stretched in their parameters, by ``reach`` over the length of a unit
    u0, u1, v0, v1 = BRepTools.UVBounds_s(face)
    u0, u1 = _stretched(u0, u1, sides["u0"], sides["u1"], reach, placed.lengths[0], placed.turns[0])
    v0, v1 = _stretched(
        v0 + placed.shift, v1 + placed.shift, sides["v0"], sides["v1"], reach, placed.lengths[1],
        placed.turns[1],
    )  # fmt: skip
    # a cone ends at its apex, a sphere at its poles
    v0, v1 = max(v0, placed.lowest), min(v1, placed.highest)
    if v1 - v0 < LINEAR * (1.0 if not placed.turns[1] else 1e-3):
        return []
    surface = placed.surface
    if placed.freeform:
        surface = _stretched_freeform(surface, (u0, u1, v0, v1), sides, reach)
        u0, u1, v0, v1 = surface.Bounds()
    made = BRepBuilderAPI_MakeFace(surface, u0, u1, v0, v1, 1e-7)
    return [made.Face()] if made.IsDone() else []


def _stretched(
    low: float, high: float, low_exact: bool, high_exact: bool, reach: float, length: float, turns: bool
) -> tuple[float, float]:
    if turns and high - low >= _TURN - 1e-9:
        return _WHOLE_TURN
    if length <= 0.0:
        return low, high
    more = reach / length
    wide_low = low if low_exact else low - more
    wide_high = high if high_exact else high + more
    if turns and wide_high - wide_low >= _TURN - 1e-3:
        return _WHOLE_TURN
    return wide_low, wide_high


def _placed(face: TopoDS_Face, distance: float) -> _Placed | None:
    adaptor = BRepAdaptor_Surface(face, True)
    along = -distance if face.Orientation() == TopAbs_REVERSED else distance
    rule = _RULES.get(adaptor.GetType())
    if rule is not None:
        return rule(adaptor, along)
    kind = adaptor.GetType()
    offset = Geom_OffsetSurface(BRep_Tool.Surface_s(face), along)
    if kind == GeomAbs_SurfaceOfExtrusion:
        return _Placed(offset, (0.0, 1.0))
    if kind == GeomAbs_SurfaceOfRevolution:
        return _Placed(offset, (0.0, 0.0), turns=(True, False))
    return _Placed(offset, (0.0, 0.0), freeform=True)


def _plane(adaptor: BRepAdaptor_Surface, along: float) -> _Placed:
    plane = adaptor.Plane()
    axes = plane.Position()
    normal = gp_Vec(axes.XDirection().Crossed(axes.YDirection()))
    return _Placed(Geom_Plane(plane.Translated(normal * along)), (1.0, 1.0))


def _outward(axes: gp_Ax3, along: float) -> float:
    """How far the surface moves away from its axis: a left-handed frame turns the normal round."""
    return along if axes.Direct() else -along


def _cylinder(adaptor: BRepAdaptor_Surface, along: float) -> _Placed | None:
    cylinder = adaptor.Cylinder()
    radius = cylinder.Radius() + _outward(cylinder.Position(), along)
    if radius <= LINEAR:
        return None
    cylinder.SetRadius(radius)
    return _Placed(Geom_CylindricalSurface(cylinder), (radius, 1.0), turns=(True, False))


def _sphere(adaptor: BRepAdaptor_Surface, along: float) -> _Placed | None:
    sphere = adaptor.Sphere()
    radius = sphere.Radius() + _outward(sphere.Position(), along)
    if radius <= LINEAR:
        return None
    sphere.SetRadius(radius)
    return _Placed(
        Geom_SphericalSurface(sphere), (radius, radius), lowest=-math.pi / 2, highest=math.pi / 2,
        turns=(True, False),
    )  # fmt: skip


def _torus(adaptor: BRepAdaptor_Surface, along: float) -> _Placed | None:
    torus = adaptor.Torus()
    radius = torus.MinorRadius() + _outward(torus.Position(), along)
    if radius <= LINEAR:
        return None
    torus.SetMinorRadius(radius)
    return _Placed(Geom_ToroidalSurface(torus), (torus.MajorRadius(), radius), turns=(True, True))


def _cone(adaptor: BRepAdaptor_Surface, along: float) -> _Placed | None:
    """The circle at v = 0 stays in its plane and widens by d / cos α; points slide along by −d·tan α."""
    cone = adaptor.Cone()
    angle = cone.SemiAngle()
    outward = _outward(cone.Position(), along)
    radius = cone.RefRadius() + outward / math.cos(angle)
    apex = -radius / math.sin(angle)
    slide = -outward * math.tan(angle)
    low, high = adaptor.FirstVParameter() + slide, adaptor.LastVParameter() + slide
    # the reference circle goes to the wide end, since its radius may not be negative
    wide = high if angle > 0.0 else low
    wide_radius = radius + wide * math.sin(angle)
    if wide_radius <= LINEAR:
        return None
    axes = cone.Position()
    axes.Translate(gp_Vec(axes.Direction()) * (wide * math.cos(angle)))
    return _Placed(
        Geom_ConicalSurface(axes, angle, wide_radius),
        (wide_radius, 1.0),
        shift=slide - wide,
        lowest=apex - wide if angle > 0.0 else -math.inf,
        highest=apex - wide if angle < 0.0 else math.inf,
        turns=(True, False),
    )


_RULES: Mapping[GeomAbs_SurfaceType, Callable[[BRepAdaptor_Surface, float], _Placed | None]] = {
    GeomAbs_Plane: _plane,
    GeomAbs_Cylinder: _cylinder,
    GeomAbs_Cone: _cone,
    GeomAbs_Sphere: _sphere,
    GeomAbs_Torus: _torus,
}


def _sides(face: TopoDS_Face, meets_exactly: Smoothness) -> tuple[dict[str, bool], bool, bool]:
    """Which sides of the parameter range are exact, whether all edges lie on sides, and all are exact."""
    u0, u1, v0, v1 = BRepTools.UVBounds_s(face)
    spare = _ON_SIDE * max(u1 - u0, v1 - v0, 1.0)
    exact_on: dict[str, list[bool]] = {"u0": [], "u1": [], "v0": [], "v1": []}
    all_on_sides = all_exact = True
    explorer = TopExp_Explorer(face, TopAbs_EDGE)
    while explorer.More():
        edge = TopoDS.Edge(explorer.Current())
        explorer.Next()
        curve = BRepAdaptor_Curve2d(edge, face)
        low, high = curve.FirstParameter(), curve.LastParameter()
        # an edge lies on a side of the parameter range when four points of it do
        points = [curve.Value(low + part * (high - low)) for part in (0.0, 0.31, 0.5, 1.0)]
        exact = BRep_Tool.Degenerated_s(edge) or BRepTools.IsReallyClosed_s(edge, face) or meets_exactly(edge)
        all_exact = all_exact and exact
        on = [
            name
            for name, miss in (
                ("u0", max(abs(point.X() - u0) for point in points)),
                ("u1", max(abs(point.X() - u1) for point in points)),
                ("v0", max(abs(point.Y() - v0) for point in points)),
                ("v1", max(abs(point.Y() - v1) for point in points)),
            )
            if miss <= spare
        ]
        all_on_sides = all_on_sides and bool(on)
        for name in on:
            exact_on[name].append(exact)
    return {name: bool(there) and all(there) for name, there in exact_on.items()}, all_on_sides, all_exact


def _whole_sphere(face: TopoDS_Face, surface: Geom_SphericalSurface) -> TopoDS_Face:
    """The whole sphere, turned so that its seam and poles keep away from the face.

    OpenCASCADE can go wrong where spheres meet on their seams (cad.md §10.6).
    """
    sphere = surface.Sphere()
    away = gp_Vec(area_and_centre(face)[1], sphere.Location())
    if away.Magnitude() > LINEAR:
        across = gp_Ax2(sphere.Location(), gp_Dir(away)).XDirection()
        sphere.SetPosition(gp_Ax3(sphere.Location(), across, gp_Dir(away)))
    return BRepBuilderAPI_MakeFace(sphere).Face()


def _stretched_freeform(
    surface: Geom_Surface,
    bounds: tuple[float, float, float, float],
    sides: Mapping[str, bool],
    reach: float,
) -> Geom_Surface:
    """An offset surface whose basis goes on as the polynomial that it is, where it is one throughout."""
    assert isinstance(surface, Geom_OffsetSurface)
    basis = GeomConvert.SurfaceToBSplineSurface_s(
        Geom_RectangularTrimmedSurface(surface.BasisSurface(), *bounds, True, True)
    )
    surface_within = Geom_RectangularTrimmedSurface(surface, *bounds, True, True)
    pieces = GeomConvert_BSplineSurfaceToBezierSurface(basis)
    if pieces.NbUPatches() == 1 and pieces.NbVPatches() == 1:
        patch = pieces.Patch(1, 1)
        corner, along_u, along_v = patch.Value(0.0, 0.0), patch.Value(1.0, 0.0), patch.Value(0.0, 1.0)
        # a Bézier patch goes on beyond 0 … 1 as the same polynomial; at most by its own size
        more_u = reach / max(corner.Distance(along_u), reach)
        more_v = reach / max(corner.Distance(along_v), reach)
        patch.Segment(
            -more_u * (not sides["u0"]),
            1.0 + more_u * (not sides["u1"]),
            -more_v * (not sides["v0"]),
            1.0 + more_v * (not sides["v1"]),
        )
        return Geom_OffsetSurface(patch, surface.Offset())
    # where pieces meet without C1 parameters (arcs as rational pieces), an offset cannot be intersected
    smooth = GeomConvert_ApproxSurface(surface_within, _APPROXIMATION, GeomAbs_C1, GeomAbs_C1, 9, 9, 200, 1)
    return smooth.Surface() if smooth.HasResult() else surface_within


def _flat(face: TopoDS_Face, distance: float, reach: float) -> TopoDS_Face | None:
    """A plane in the guise of another surface, moved as a plane; None when it is none."""
    if BRepAdaptor_Surface(face, False).GetType() in _RULES:
        return None
    flat = GeomLib_IsPlanarSurface(BRep_Tool.Surface_s(face), LINEAR)
    if not flat.IsPlanar():
        return None
    plane = flat.Plan()
    axes = plane.Position()
    u0, u1, v0, v1 = BRepTools.UVBounds_s(face)
    outward = outward_normal(face, gp_Pnt2d((u0 + u1) / 2.0, (v0 + v1) / 2.0))
    if outward is None:
        return None
    low, high = quick_box_of(face)
    # the plane's own axes: the rectangle around the face's box, wider by the reach
    across: list[float] = []
    upwards: list[float] = []
    for corner in itertools.product(*zip(low, high, strict=True)):
        from_origin = gp_Vec(plane.Location(), gp_Pnt(*corner))
        across.append(from_origin.Dot(gp_Vec(axes.XDirection())))
        upwards.append(from_origin.Dot(gp_Vec(axes.YDirection())))
    made = BRepBuilderAPI_MakeFace(
        plane.Translated(outward * distance),
        min(across) - reach, max(across) + reach, min(upwards) - reach, max(upwards) + reach,
    )  # fmt: skip
    return made.Face() if made.IsDone() else None
