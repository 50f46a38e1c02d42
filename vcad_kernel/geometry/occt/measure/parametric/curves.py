"""Curves in space, and borders in the parameters of faces, as functions of whole arrays of parameters.

OpenCASCADE evaluates one point a call, and a call from Python takes longer than the evaluation. Here curves
are read once and stacked by kind: lines and conics, B-splines of one degree. Whatever else there is (offsets,
curves on surfaces) is evaluated by OpenCASCADE, point by point.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from OCP.Adaptor3d import Adaptor3d_Curve
from OCP.BRepAdaptor import BRepAdaptor_Curve2d
from OCP.collections import Array1_double
from OCP.Geom import Geom_BSplineCurve
from OCP.Geom2d import Geom2d_BSplineCurve
from OCP.Geom2dConvert import Geom2dConvert
from OCP.GeomAbs import GeomAbs_CurveType, GeomAbs_Shape
from OCP.GeomConvert import GeomConvert
from OCP.gp import gp_Pnt, gp_Pnt2d, gp_Vec, gp_Vec2d
from OCP.TopoDS import TopoDS_Edge, TopoDS_Face

from vcad_kernel.geometry.occt.measure.parametric.bsplines import EVEN, Array, Bases, Numbers, numbers_of

__all__ = ["Borders", "Curves", "borders_of", "curve_is_even", "intervals"]

_RIGHT_ANGLE = math.pi / 2.0
_SMOOTH = np.empty(0)
_CONICS = frozenset({GeomAbs_CurveType.GeomAbs_Circle, GeomAbs_CurveType.GeomAbs_Ellipse})
_SPLINES = frozenset({GeomAbs_CurveType.GeomAbs_BSplineCurve, GeomAbs_CurveType.GeomAbs_BezierCurve})
_LINE = GeomAbs_CurveType.GeomAbs_Line
_STEP = 1e-9
"""Part of a border below which a piece of it is none."""


class Curves:
    """Curves in the plane or in space, stacked by kind."""

    def __init__(self, curves: Sequence[Adaptor3d_Curve | BRepAdaptor_Curve2d], dimensions: int) -> None:
        self._dimensions = dimensions
        self._group = np.zeros(len(curves), np.intp)
        self._member = np.zeros(len(curves), np.intp)
        self.breaks: list[Array] = [_SMOOTH] * len(curves)
        """Inner ones and ends, ascending; empty = smooth everywhere."""
        self._groups: list[Callable[[Numbers, Array], tuple[Array, Array]]] = []
        simple: list[list[float]] = []
        splines: dict[int, list[tuple[int, Geom_BSplineCurve | Geom2d_BSplineCurve]]] = {}
        for number, curve in enumerate(curves):
            kind = curve.GetType()
            if kind == _LINE:
                line = curve.Line()
                self._member[number] = len(simple)
                none = [0.0] * (2 * dimensions)
                simple.append([*line.Location().Coord(), *line.Direction().Coord(), *none])
            elif kind in _CONICS:
                self._member[number] = len(simple)
                simple.append(_conic(curve, dimensions))
            elif kind in _SPLINES:
                spline = _as_spline(curve, dimensions)
                splines.setdefault(spline.Degree(), []).append((number, spline))
            else:
                self._group[number] = len(self._groups) + 1
                smooth = GeomAbs_Shape.GeomAbs_CN
                self.breaks[number] = intervals(curve.NbIntervals(smooth), partial(curve.Intervals, S=smooth))
                self._groups.append(_pointwise(curve, dimensions))
        for members in splines.values():
            numbers = [number for number, _ in members]
            self._group[numbers] = len(self._groups) + 1
            self._member[numbers] = np.arange(len(numbers))
            at, breaks = _stacked_curves([spline for _, spline in members])
            for number, part in zip(numbers, breaks, strict=True):
                self.breaks[number] = part
            self._groups.append(at)
        self._simple = np.array(simple).reshape(-1, 4, dimensions)

    def at(self, which: Numbers, parameters: Array) -> tuple[Array, Array]:
        """Points and tangents, (…, k), of curves (…) at parameters of the same dimensions."""
        if not self._groups:
            return self._along(which, parameters)
        points = np.empty((*parameters.shape, self._dimensions))
        tangents = np.empty_like(points)
        kinds = self._group[which]
        for kind in np.unique(kinds).tolist():
            mine = kinds == kind
            at = self._groups[kind - 1] if kind else self._along
            number = self._member[which[mine]] if kind else which[mine]
            points[mine], tangents[mine] = at(number, parameters[mine])
        return points, tangents

    def _along(self, which: Numbers, parameters: Array) -> tuple[Array, Array]:
        """Lines, circles and ellipses."""
        origin, direction, major, minor = np.moveaxis(self._simple[self._member[which]], -2, 0)
        cosine, sine = np.cos(parameters)[..., None], np.sin(parameters)[..., None]
        points = origin + parameters[..., None] * direction + cosine * major + sine * minor
        return points, direction + cosine * minor - sine * major


def _conic(curve: Adaptor3d_Curve | BRepAdaptor_Curve2d, dimensions: int) -> list[float]:
    if curve.GetType() == GeomAbs_CurveType.GeomAbs_Circle:
        conic = curve.Circle()
        sizes = conic.Radius(), conic.Radius()
    else:
        conic = curve.Ellipse()
        sizes = conic.MajorRadius(), conic.MinorRadius()
    axes = conic.XAxis().Direction().Coord(), conic.YAxis().Direction().Coord()
    arms = [size * part for size, axis in zip(sizes, axes, strict=True) for part in axis]
    return [*conic.Location().Coord(), *[0.0] * dimensions, *arms]


def _as_spline(
    curve: Adaptor3d_Curve | BRepAdaptor_Curve2d, dimensions: int
) -> Geom_BSplineCurve | Geom2d_BSplineCurve:
    if curve.GetType() == GeomAbs_CurveType.GeomAbs_BSplineCurve:
        return curve.BSpline().Copy()
    convert = Geom2dConvert if dimensions == 2 else GeomConvert
    return convert.CurveToBSplineCurve_s(curve.Bezier())


def _stacked_curves(
    splines: Sequence[Geom_BSplineCurve | Geom2d_BSplineCurve],
) -> tuple[Callable[[Numbers, Array], tuple[Array, Array]], list[Array]]:
    """Curves of one degree, and their breaks."""
    knots, periods, poles = [], [], []
    heavy: list[Array | None] = []
    for spline in splines:
        first, last = spline.FirstParameter(), spline.LastParameter()
        periods.append(last - first if spline.IsPeriodic() else math.inf)
        if spline.IsPeriodic():
            spline.SetNotPeriodic()
        knots.append(numbers_of(spline.KnotSequence()))
        places = np.array([spline.Pole(number).Coord() for number in range(1, spline.NbPoles() + 1)])
        heavy.append(_weights(spline) if spline.IsRational() else None)
        weights = np.ones((len(places), 1)) if heavy[-1] is None else heavy[-1]
        poles.append(np.concatenate([places * weights, weights], axis=1))
    bases = Bases(splines[0].Degree(), knots, periods, heavy)
    starts = np.concatenate([[0], np.cumsum([len(part) for part in poles])[:-1]])
    stacked = np.concatenate(poles)

    def at(which: Numbers, parameters: Array) -> tuple[Array, Array]:
        moved, span, first = bases.spans(which, parameters)
        shares, slopes = bases.values(parameters + moved, span)
        near = stacked[(starts[which] + first)[..., None] + np.arange(bases.degree + 1)]
        point = np.einsum("...k,...kc->...c", shares, near)
        tangent = np.einsum("...k,...kc->...c", slopes, near)
        place = point[..., :-1] / point[..., -1:]
        return place, (tangent[..., :-1] - tangent[..., -1:] * place) / point[..., -1:]

    return at, bases.breaks


def _pointwise(
    curve: Adaptor3d_Curve | BRepAdaptor_Curve2d, dimensions: int
) -> Callable[[Numbers, Array], tuple[Array, Array]]:
    point, tangent = (gp_Pnt2d(), gp_Vec2d()) if dimensions == 2 else (gp_Pnt(), gp_Vec())

    def at(_: Numbers, parameters: Array) -> tuple[Array, Array]:
        there = []
        for parameter in parameters.ravel().tolist():
            curve.D1(parameter, point, tangent)
            there.append((point.Coord(), tangent.Coord()))
        both = np.array(there).reshape(*parameters.shape, 2, dimensions)
        return both[..., 0, :], both[..., 1, :]

    return at


def curve_is_even(curve: Adaptor3d_Curve) -> bool:
    """Whether a curve has no weights that differ by more than `EVEN`."""
    if curve.GetType() not in _SPLINES or not curve.IsRational():
        return True
    weights = _weights(_as_spline(curve, 3))
    return bool(weights.max() <= EVEN * weights.min())


def _weights(spline: Geom_BSplineCurve | Geom2d_BSplineCurve) -> Array:
    """(poles, 1), of a rational one."""
    return np.array([[spline.Weight(number)] for number in range(1, spline.NbPoles() + 1)])


def intervals(count: int, fill: Callable[[Array1_double], None]) -> Array:
    """The ends of that many smooth pieces, ascending, which a curve or a surface fills in."""
    ends = Array1_double(1, count + 1)
    fill(ends)
    return numbers_of(ends)


@dataclass(frozen=True, slots=True)
class Borders:
    """Edges in the parameters of their faces."""

    at: Callable[[Numbers, Array], tuple[Array, Array]]
    """Which (…), and parameters (…) -> places (…, 2) and their derivatives."""
    breaks: list[Array]
    """Parameters of each from the first to the last between which it is smooth, and not long."""
    are_simple: list[bool]
    """Whether each is a line, a circle or an ellipse."""


def borders_of(sides: Sequence[tuple[TopoDS_Edge, TopoDS_Face]]) -> Borders:
    """The curves of edges in faces that are not reversed; of a seam the side is the edge's orientation."""
    adaptors = [BRepAdaptor_Curve2d(edge, face) for edge, face in sides]
    curves = Curves(adaptors, 2)
    breaks, simple = [], []
    for adaptor, inner in zip(adaptors, curves.breaks, strict=True):
        first, last, kind = adaptor.FirstParameter(), adaptor.LastParameter(), adaptor.GetType()
        simple.append(kind == _LINE or kind in _CONICS)
        if kind in _CONICS:
            # no piece longer than a quarter
            count = math.ceil((last - first) / _RIGHT_ANGLE - _STEP)
            breaks.append(np.linspace(first, last, count + 1))
        else:
            spare = _STEP * (last - first)
            within = inner[(inner > first + spare) & (inner < last - spare)]
            breaks.append(np.concatenate([[first], within, [last]]))
    return Borders(curves.at, breaks, simple)
