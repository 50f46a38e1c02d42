"""Text as a B-rep: straight and parabolic walls, exactly the strokes of the font."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from OCP.BRepAlgoAPI import BRepAlgoAPI_Fuse
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeFace
from OCP.collections import Array1_gp_Pnt, List_TopoDS_Shape
from OCP.Geom import Geom_BezierCurve, Geom_Line
from OCP.TopoDS import TopoDS_Shape, TopoDS_Wire

from vcad_kernel.geometry.occt.brep import Brep, compound_of
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.validity import sound
from vcad_kernel.geometry.occt.sweeps.extruding import prism_of
from vcad_kernel.geometry.occt.sweeps.profiles.sketches import (
    Stretch,
    direction_of,
    face_in,
    point_of,
    wire_along,
)
from vcad_kernel.geometry.sweeps.planes import Plane
from vcad_kernel.geometry.sweeps.profiles.lettering import Contour, Letter, Stroke, letters
from vcad_kernel.operations.node import Vec2
from vcad_kernel.operations.solids.text import Text

__all__ = ["text"]

_PLANE = Plane(np.zeros(3), np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))


def text(build: Build, node: Text, _operands: Operands) -> Brep | None:
    """The letters as one body of many lumps; a text of blanks is the empty solid."""
    pieces = letters(node.text, node.size)
    if not pieces:
        return None
    try:
        solids = [_standing(letter, node.height) for letter in pieces]
        shape = _together(solids, [_span(letter) for letter in pieces])
    except OCCT_ERRORS as error:
        raise build.fault("INVALID_PARAMETER", f"no such letters: {error}", failed=False) from None
    return sound(build, shape, "INVALID_PARAMETER")


def _standing(letter: Letter, height: float) -> TopoDS_Shape:
    maker = BRepBuilderAPI_MakeFace(face_in(_wire(letter.outline), _PLANE))
    for hole in letter.holes:
        maker.Add(_wire(hole))
    up = np.array([0.0, 0.0, 1.0])
    return prism_of(maker.Face(), up, height * up)


def _wire(contour: Contour) -> TopoDS_Wire:
    return wire_along(
        [_stretch(stroke) for stroke in contour], [_PLANE.place(stroke.start) for stroke in contour]
    )


def _stretch(stroke: Stroke) -> Stretch:
    start, end = _PLANE.place(stroke.start), _PLANE.place(stroke.end)
    if stroke.control is None:
        way = end - start
        return Geom_Line(point_of(start), direction_of(way)), 0.0, float(np.linalg.norm(way))
    poles = Array1_gp_Pnt(1, 3)
    for index, pole in enumerate((start, _PLANE.place(stroke.control), end), 1):
        poles.SetValue(index, point_of(pole))
    return Geom_BezierCurve(poles), 0.0, 1.0


def _span(letter: Letter) -> tuple[Vec2, Vec2]:
    points = np.array(
        [point for stroke in letter.outline for point in (stroke.start, stroke.control or stroke.end)]
    )
    low, high = points.min(axis=0), points.max(axis=0)
    return (float(low[0]), float(low[1])), (float(high[0]), float(high[1]))


def _together(solids: Sequence[TopoDS_Shape], spans: Sequence[tuple[Vec2, Vec2]]) -> TopoDS_Shape:
    """One shape: united where letters may touch, side by side otherwise."""
    if len(solids) == 1:
        return solids[0]
    if any(_overlap(a, b) for a, b in itertools.combinations(spans, 2)):
        # a hole's island counts as overlapping here; to unite it is no mistake, only slower
        operation = BRepAlgoAPI_Fuse()
        first, rest = List_TopoDS_Shape(), List_TopoDS_Shape()
        first.Append(solids[0])
        for solid in solids[1:]:
            rest.Append(solid)
        operation.SetArguments(first)
        operation.SetTools(rest)
        operation.Build()
        return operation.Shape()
    return compound_of(solids)


def _overlap(a: tuple[Vec2, Vec2], b: tuple[Vec2, Vec2]) -> bool:
    return all(a[0][axis] <= b[1][axis] and b[0][axis] <= a[1][axis] for axis in (0, 1))
