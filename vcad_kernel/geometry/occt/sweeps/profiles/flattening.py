"""Edges as they lie in the plane z = 0, seen along z: what is a line, circle, ellipse or spline stays one.

Of every other curve it is a spline that is laid along it to nine digits.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.GeomAbs import (
    GeomAbs_BezierCurve,
    GeomAbs_BSplineCurve,
    GeomAbs_Circle,
    GeomAbs_Ellipse,
    GeomAbs_Line,
)
from OCP.GeomConvert import GeomConvert
from OCP.gp import gp_Pnt

from vcad_kernel.geometry.occt.sweeps.fitting import DEGREE, fitted
from vcad_kernel.geometry.sweeps.profiles.curves import carried, extremes
from vcad_kernel.geometry.tolerance import LINEAR
from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.profiles.sketches import Arc, Curve, Line, Spline

__all__ = ["flat", "image_of", "laid", "round_image", "straight_image"]

_FIT = 1e-9
"""Of a curve's size: how near to it a spline is laid that stands for it."""

Points: TypeAlias = NDArray[np.float64]


def image_of(curve: BRepAdaptor_Curve, fits: list[float] | None = None) -> Iterator[Curve]:
    """An edge as it lies in the plane, in the sense of its parameter; nothing of one that stands upright.

    fits: is told how far splines are off that are laid along other curves, mm.
    """
    first, last = curve.FirstParameter(), curve.LastParameter()
    kind = curve.GetType()
    if kind == GeomAbs_Line:
        yield from straight_image([flat(curve.Value(first)), flat(curve.Value(last))])
    elif kind in (GeomAbs_Circle, GeomAbs_Ellipse):
        if kind == GeomAbs_Circle:
            circle = curve.Circle()
            radii = (circle.Radius(), circle.Radius())
        else:
            circle = curve.Ellipse()
            radii = (circle.MajorRadius(), circle.MinorRadius())
        along, across = circle.XAxis().Direction(), circle.YAxis().Direction()
        center = np.array(flat(circle.Location()))
        axes = np.array([[along.X(), across.X()], [along.Y(), across.Y()]]) * radii
        yield from round_image(center, axes, first, last)
    else:
        yield from _spline_image(curve, first, last, fits)


def flat(point: gp_Pnt) -> Vec2:
    """A point as it lies in the plane."""
    return point.X(), point.Y()


def straight_image(points: Sequence[Vec2]) -> Iterator[Curve]:
    """The line between two points, where they are not one."""
    start, end = points
    if math.dist(start, end) > LINEAR:
        yield Line(start, end)


def round_image(center: Points, axes: Points, first: float, last: float) -> Iterator[Curve]:
    """The curve center + axes · (cos t, sin t), in pieces of half a turn at most; a line where it is seen
    edge-on."""

    def at(turn: float) -> Vec2:
        u, v = (center + axes @ (math.cos(turn), math.sin(turn))).tolist()
        return u, v

    _, sizes, back = np.linalg.svd(axes)
    if sizes[1] <= LINEAR * 1e-3:
        # seen edge-on: from end to end, or to where it turns back
        heading = math.atan2(back[0, 1], back[0, 0])
        turns = [first, last, *(heading + half * math.pi for half in range(-4, 5))]
        points = sorted(at(turn) for turn in turns if first <= turn <= last)
        yield from straight_image([points[0], points[-1]])
        return
    count = 2 if last - first > math.pi + 1e-9 else 1
    stops = [first + (last - first) * part / count for part in range(count + 1)]
    change = np.column_stack([axes, center])
    for start, end in itertools.pairwise(stops):
        ends = [(math.cos(turn), math.sin(turn)) for turn in (start, end)]
        if end == stops[-1] and last - first > 2.0 * math.pi - 1e-9:
            ends[1] = (math.cos(first), math.sin(first))
        yield carried(Arc(ends[0], ends[1], (0.0, 0.0), True), change)


def _spline_image(
    curve: BRepAdaptor_Curve, first: float, last: float, fits: list[float] | None
) -> Iterator[Curve]:
    """A spline whose poles are carried onto the plane; of any other curve one that is laid along it."""
    kind = curve.GetType()
    if kind in (GeomAbs_BezierCurve, GeomAbs_BSplineCurve):
        own = curve.Bezier() if kind == GeomAbs_BezierCurve else curve.BSpline()
        spline = GeomConvert.CurveToBSplineCurve_s(own)
        spline.Segment(first, last)
        if spline.IsPeriodic():
            spline.SetNotPeriodic()
        breaks = [spline.Knot(at) for at in range(1, spline.NbKnots() + 1)]
        if not spline.IsRational():
            counts = [spline.Multiplicity(at) for at in range(1, spline.NbKnots() + 1)]
            knots = [knot for knot, count in zip(breaks, counts, strict=True) for _ in range(count)]
            poles = tuple(flat(spline.Pole(at)) for at in range(1, spline.NbPoles() + 1))
            yield from _long(Spline(spline.Degree(), poles, tuple(knots)))
            return
    else:
        breaks = [first, last]
    yield from laid(
        lambda at: np.array([flat(curve.Value(float(parameter))) for parameter in at]), breaks, fits
    )


def laid(
    function: Callable[[Points], Points], breaks: list[float], fits: list[float] | None = None
) -> Iterator[Curve]:
    """A spline along a function of one parameter. fits: is told how far it is off, mm."""
    ends = function(np.array([breaks[0], breaks[-1]]))
    spline = fitted(function, breaks, _FIT * (1.0 + float(np.abs(ends).max())))
    if fits is not None:
        fits.append(spline.error)
    knots = np.repeat(spline.knots, spline.multiplicities)
    poles = tuple((u, v) for u, v in spline.poles.tolist())
    yield from _long(Spline(DEGREE, poles, tuple(knots.tolist())))


def _long(spline: Spline) -> Iterator[Curve]:
    """A spline that has a length in the plane; one that runs along a straight line there as that line."""
    poles = np.array(spline.poles)
    spread = poles - poles.mean(axis=0)
    _, sizes, back = np.linalg.svd(spread, full_matrices=False)
    if sizes[0] <= LINEAR:
        return
    if sizes[1] > LINEAR * 1e-1:
        yield spline
        return
    # from end to end, or to where it turns back
    way = back[0]
    middle = poles.mean(axis=0)
    reached = np.array(extremes(spline, (float(way[0]), float(way[1])))) - float(way @ middle)
    ends = [(middle + far * way).tolist() for far in (reached.min(), reached.max())]
    yield from straight_image([(u, v) for u, v in ends])
