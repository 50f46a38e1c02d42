"""Extruded curves moved along their normal: the extrusion of a curve at a distance.

That curve is interpolated to within a fifth of the linear tolerance, since an exact offset
surface is slow to intersect. Lengths in millimetres.

Earns its place by `test_moved_sweeps_meet_in_the_concave_corners_of_a_leaning_bar`: an offset surface of
OpenCASCADE ends with its curve, so that it does not reach its neighbour there, and the shell is refused.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeFace
from OCP.collections import HArray1_double, HArray1_gp_Pnt
from OCP.Geom import (
    Geom_Curve,
    Geom_RectangularTrimmedSurface,
    Geom_Surface,
    Geom_SurfaceOfLinearExtrusion,
)
from OCP.GeomAPI import GeomAPI_Interpolate
from OCP.gp import gp_Ax3, gp_Dir, gp_Pln, gp_Pnt, gp_Vec
from OCP.TopoDS import TopoDS_Face

__all__ = ["extrusion_of", "moved_curve", "moved_extrusion"]

_ACCURACY = 2e-7
_FEWEST, _MOST = 17, 513
"""Points through which a moved curve goes."""


def extrusion_of(face: TopoDS_Face) -> Geom_SurfaceOfLinearExtrusion | None:
    """The surface of a face as an extruded curve, in the place of the face; None when it is none."""
    surface: Geom_Surface = BRep_Tool.Surface_s(face)
    while isinstance(surface, Geom_RectangularTrimmedSurface):
        surface = surface.BasisSurface()
    return surface if isinstance(surface, Geom_SurfaceOfLinearExtrusion) else None


def moved_extrusion(
    surface: Geom_SurfaceOfLinearExtrusion,
    along: float,
    bounds: tuple[float, float, float, float],
    sides: Mapping[str, bool],
    reach: float,
) -> list[TopoDS_Face] | None:
    """The faces at ``along`` times the surface's normal; None when the curve cannot be moved well.

    bounds: u and v of the face. sides: which of them are not to be stretched by ``reach``; a
    stretched end of the curve goes on as a strip of its tangent plane.
    """
    low, high, bottom, top = bounds
    # a closed curve has no ends that could be stretched
    closes = surface.BasisCurve().Value(low).Distance(surface.BasisCurve().Value(high)) < 1e-7
    curve = moved_curve(surface.BasisCurve(), gp_Vec(surface.Direction()), along, low, high)
    if curve is None:
        return None
    bottom -= 0.0 if sides["v0"] else reach
    top += 0.0 if sides["v1"] else reach
    swept = Geom_SurfaceOfLinearExtrusion(curve, surface.Direction())
    faces = [BRepBuilderAPI_MakeFace(swept, low, high, bottom, top, 1e-7).Face()]
    for name, at, sign in (("u0", low, -1.0), ("u1", high, 1.0)):
        if closes or sides[name]:
            continue
        start, tangent = gp_Pnt(), gp_Vec()
        curve.D1(at, start, tangent)
        outwards, rise = gp_Dir(tangent * sign), gp_Vec(surface.Direction())
        # the strip's own axes: along the tangent, and square to it within its plane
        square = gp_Dir(rise - gp_Vec(outwards) * rise.Dot(gp_Vec(outwards)))
        axes = gp_Ax3(start, outwards.Crossed(square), outwards)
        low_end = rise * bottom
        heights = sorted((low_end.Dot(gp_Vec(square)), (rise * top).Dot(gp_Vec(square))))
        strip = BRepBuilderAPI_MakeFace(gp_Pln(axes), 0.0, reach, *heights)
        faces.append(strip.Face())
    return faces


def moved_curve(
    curve: Geom_Curve, direction: gp_Vec, along: float, low: float, high: float
) -> Geom_Curve | None:
    """A piece of a curve at ``along`` times its tangent × direction; None when it cannot be moved well."""
    return _Moved(curve, direction, along).interpolated(low, high)


class _Moved:
    """The basis curve of an extrusion at a distance along the extrusion's normal."""

    def __init__(self, curve: Geom_Curve, direction: gp_Vec, along: float) -> None:
        self._curve = curve
        self._direction = direction
        self._along = along

    def at(self, parameter: float) -> gp_Pnt:
        """The moved point."""
        point, tangent = gp_Pnt(), gp_Vec()
        self._curve.D1(parameter, point, tangent)
        normal = tangent.Crossed(self._direction).Normalized()
        return point.Translated(normal * self._along)

    def _slope(self, low: float, high: float, at_end: bool) -> gp_Vec:
        """The derivative at an end, from three points near it (second order)."""
        step = (high - low) * 1e-4 * (-1.0 if at_end else 1.0)
        start = high if at_end else low
        here, near, far = (self.at(start + step * factor) for factor in (0.0, 1.0, 2.0))
        return (gp_Vec(here, near) * 4.0 - gp_Vec(here, far)) / (2.0 * step)

    def interpolated(self, low: float, high: float) -> Geom_Curve | None:
        """The moved curve with the parameters of the old one; None when it is not smooth enough."""
        parameters = np.linspace(low, high, _FEWEST)
        while len(parameters) <= _MOST:
            curve = self._through(parameters)
            if curve is None:
                return None
            # the error is largest about half way between the points that the curve goes through
            between = (parameters[1:] + parameters[:-1]) / 2.0
            misses = [curve.Value(float(at)).Distance(self.at(float(at))) for at in between]
            poor = np.array(misses) >= _ACCURACY
            if not poor.any():
                return curve
            # neighbours too, so that spans of very different lengths do not meet
            wider = poor.copy()
            wider[1:] |= poor[:-1]
            wider[:-1] |= poor[1:]
            parameters = np.sort(np.concatenate([parameters, between[wider]]))
        return None

    def _through(self, parameters: NDArray[np.float64]) -> Geom_Curve | None:
        """A curve that has the moved points of these parameters there, and their slopes at the ends."""
        low, high = float(parameters[0]), float(parameters[-1])
        points, places = HArray1_gp_Pnt(1, len(parameters)), HArray1_double(1, len(parameters))
        for index, parameter in enumerate(parameters, start=1):
            points.SetValue(index, self.at(float(parameter)))
            places.SetValue(index, float(parameter))
        making = GeomAPI_Interpolate(points, places, False, 1e-9)
        making.Load(self._slope(low, high, False), self._slope(low, high, True), False)
        making.Perform()
        return making.Curve() if making.IsDone() else None
