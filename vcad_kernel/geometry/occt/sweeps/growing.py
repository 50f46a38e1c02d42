"""What grows out of profiles as B-reps: prisms and turned bodies of whole faces, with all their holes.

A twist, and a sweep, are made of each outline alone and then put together as solids.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.BRepTools import BRepTools
from OCP.Geom import Geom_BSplineCurve
from OCP.LocOpe import LocOpe_DPrism
from OCP.TopAbs import TopAbs_WIRE
from OCP.TopoDS import TopoDS, TopoDS_Shape, TopoDS_Wire

from vcad_kernel.geometry.occt.booleans.booleans import common, cut, united
from vcad_kernel.geometry.occt.brep import Brep, compound_of, edges_of, faces_of, shape_map
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.insets.wall_limits import largest_working, rounded_down
from vcad_kernel.geometry.occt.measure.boxes import quick_box_of
from vcad_kernel.geometry.occt.measure.parametric.bsplines import numbers_of
from vcad_kernel.geometry.occt.measure.parametric.edge_gaps import end_at_corners
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import is_free_form, places_over
from vcad_kernel.geometry.occt.measure.validity import area_of, is_valid, outward_solid, sound
from vcad_kernel.geometry.occt.sweeps.extruding import extruded_outline, prism_of
from vcad_kernel.geometry.occt.sweeps.fitting import reals
from vcad_kernel.geometry.occt.sweeps.profiles.regions import faces_of_region, outlines_of
from vcad_kernel.geometry.occt.sweeps.profiles.sketches import face_in, segments_of
from vcad_kernel.geometry.occt.sweeps.revolving import turned_outline
from vcad_kernel.geometry.occt.sweeps.sweeping import swept_outline
from vcad_kernel.geometry.occt.transforms import moved, scaled
from vcad_kernel.geometry.placement import Matrix, compose
from vcad_kernel.geometry.sweeps.growing import Growing, Grown, Span, grown_from
from vcad_kernel.geometry.sweeps.planes import XY, matrix_onto
from vcad_kernel.geometry.sweeps.profiles.curves import distances_to_curves
from vcad_kernel.geometry.sweeps.profiles.profile import Profile
from vcad_kernel.geometry.sweeps.profiles.regions import Joined, Region, Shape, pieces_of, profile_in
from vcad_kernel.geometry.tolerance import LINEAR, Tessellation
from vcad_kernel.operations.bodies.booleans import Intersection, Union
from vcad_kernel.operations.profiles.sketches import Curves
from vcad_kernel.operations.solids.growing import Pull
from vcad_kernel.operations.solids.sweeps import Extrude, Revolve

__all__ = ["grown", "prisms"]

_UP = np.array([0.0, 0.0, 1.0])
_TOO_THIN = "the height is too small for a solid"
_SIZES = 48.0, 192.0, 12.0
"""Millimetres; about how large tapered profiles are made, one after the other, until one is sound."""
_LENGTHS = 14.0, 56.0
"""About how long, at each size, the ranges of parameters are as a whole."""
_STATIONS = 12
"""Of an edge, where its distance from the profile is measured."""
_ROOM = 2.0
"""Times what is found: for what lies between the places that are looked at."""


def grown(build: Build, node: Growing, _operands: Operands) -> Brep | None:
    """The body of a node that grows out of one profile; None = of an empty one. node: what it comes to."""
    region = build.region(node.sketch)
    value, place = grown_from(build.document, build.node, node, region.plane)
    if isinstance(node, Pull) and node.taper:
        brep = _tapered(build, region, node.height, node.taper)
        if brep is not None:
            brep = brep.off_by(_taper_error(build, region, brep, node.taper), build.maker)
    elif isinstance(value, Extrude) and not value.twist_angle and value.scale_end in (None, 1.0):
        return _prism(build, region, np.array(value.direction), place)
    else:
        if isinstance(value, Revolve) and region.alone is None:
            # the whole may lie on one side of the axis where its parts do not
            plane, outlines = outlines_of(build, region)
            region = Region(plane, (Shape(build.node, outlines),))
        brep = _of_outlines(build, region, value)
    return None if brep is None else moved(brep, place)


def prisms(build: Build, region: Region, span: Span) -> Brep | None:
    """The prisms over a profile from one height above its plane to another; None over an empty one."""
    start, end = span
    place = compose(matrix_onto(region.plane), np.column_stack([np.eye(3), start * _UP]))
    return _prism(build, region, (end - start) * _UP, place)


def _prism(build: Build, region: Region, along: NDArray[np.float64], place: Matrix) -> Brep | None:
    """What a profile passes over along a vector, both in the coordinates of its plane, put in its place."""
    faces = faces_of_region(build, region)
    if not faces:
        return None
    volume = abs(float(along[2])) * sum(abs(area_of(face)) for face in faces)
    try:
        shapes = [prism_of(face, _UP, along) for face in faces]
    except OCCT_ERRORS as error:
        raise build.fault("INVALID_PARAMETER", _TOO_THIN, failed=False) from error
    shape = shapes[0] if len(shapes) == 1 else compound_of(shapes)
    # checked where it is read by all who come later
    there = moved(Brep.made(shape, build.maker), place).shape
    return sound(build, there, "INVALID_PARAMETER", volume=volume)


def _tapered(build: Build, region: Region, height: float, taper: float) -> Brep | None:
    """Prisms whose sides lean inwards, less those of their holes, whose sides lean outwards."""
    bodies = []
    for face in faces_of_region(build, region):
        outer = BRepTools.OuterWire_s(face)
        wires = shape_map(face, TopAbs_WIRE)
        holes = [TopoDS.Wire(wires.FindKey(at)) for at in range(1, wires.Extent() + 1)]
        holes = [wire for wire in holes if not wire.IsSame(outer)]
        body = _leaning(build, outer, height, taper)
        bodies.append(
            cut(build, body, [_leaning(build, hole, height, -taper) for hole in holes]) if holes else body
        )
    return united(build, [body for body in bodies if body is not None]) if bodies else None


def _taper_error(build: Build, region: Region, brep: Brep, taper: float) -> float:
    """How far sides may be off that OpenCASCADE lays along splines, mm.

    At a height the distance from the border is known.
    """
    places = []
    for face in faces_of(brep.shape):
        if is_free_form(face):
            surface = BRepAdaptor_Surface(face, False)
            places += [surface.Value(u, v).Coord() for u, v in places_over(face)]
            # it is ruled, so most is lost along the border
            for curve in map(BRepAdaptor_Curve, edges_of(face)):
                along = np.linspace(curve.FirstParameter(), curve.LastParameter(), _STATIONS)
                places += [curve.Value(at).Coord() for at in along.tolist()]
    if not places:
        return 0.0
    _, outlines = outlines_of(build, region)
    there = np.array(places)
    apart = distances_to_curves([curve for outline in outlines for curve in outline], there[:, :2])
    lean = math.radians(taper)
    off = np.abs(apart - np.abs(there[:, 2]) * math.tan(abs(lean))) * math.cos(lean)
    return _ROOM * float(off.max())


def _leaning(build: Build, wire: TopoDS_Wire, height: float, taper: float) -> Brep:
    """The prism over the inside of a wire. Raises: GeometryError INVALID_PARAMETER, with what works."""
    shape = _leaned(wire, height, taper)
    if shape is not None:
        return sound(build, shape, "INVALID_PARAMETER")
    largest = largest_working(
        lambda degrees: _leaned(wire, height, math.copysign(degrees, taper)) is not None,
        abs(taper),
        seconds=build.search.wall_seconds,
        trials=build.search.trials,
    )
    node = build.document.nodes[build.node]
    # a hole leans the other way than the profile that it is in
    given = node.taper if isinstance(node, Pull) and node.taper else taper
    works = None if largest is None else math.copysign(rounded_down(largest), given)
    raise build.fault(
        "INVALID_PARAMETER",
        "the sides meet before the whole height is reached" + ("" if works is None else f"; {works:g} works"),
        argument="taper",
        failed=False,
        fix="take a smaller taper or height"
        if works is None
        else f"take a taper of {works:g}, or less height",
        details={"largest_working": works},
    )


def _leaned(wire: TopoDS_Wire, height: float, taper: float) -> TopoDS_Shape | None:
    """None where sides meet below the height.

    LocOpe_DPrism lays sides along splines to 1e-5 mm, whatever their size, and finds their corners at one
    size and speed where it does not at another.
    """
    face = face_in(wire, XY)
    low, high = quick_box_of(face)
    size = max(np.subtract(high, low))
    for wanted, length in itertools.product(_SIZES, _LENGTHS):
        times, slower = (2.0 ** round(math.log2(part / size)) for part in (wanted, length))
        there = scaled(face, times)
        _stretch_parameters(there, slower)
        shape = _leaned_at(there, times * height, taper)
        if shape is not None:
            return scaled(shape, 1.0 / times)
    return None


def _stretch_parameters(face: TopoDS_Shape, times: float) -> None:
    """Splines around a face that has its curves for itself are run along that much more slowly."""
    builder = BRep_Builder()
    for edge in edges_of(face):
        first, last = BRep_Tool.Range_s(edge)
        curve = BRep_Tool.Curve_s(edge, first, last)
        if isinstance(curve, Geom_BSplineCurve):
            curve.SetKnots(reals(times * numbers_of(curve.Knots())))
            builder.Range(edge, times * first, times * last)


def _leaned_at(face: TopoDS_Shape, height: float, taper: float) -> TopoDS_Shape | None:
    """At one size; sound, or None. LocOpe_DPrism counts the height along the sides.

    Of a polygon of odd corners it leaves a side that ends 1e-5 mm beside its corner.
    """
    # towards −z it counts the other way round
    lean = math.radians(math.copysign(taper, taper * height))
    try:
        leant = LocOpe_DPrism(TopoDS.Face(face), height / math.cos(lean), lean).Shape()
        end_at_corners(leant)
        shape = outward_solid(leant)
        low, high = quick_box_of(shape)
    except OCCT_ERRORS:
        return None
    return shape if abs(high[2] - low[2] - abs(height)) <= LINEAR and is_valid(shape) else None


# ---------------------------------------------------------------- outline by outline


def _of_outlines(build: Build, region: Region, value: Grown) -> Brep | None:
    stack: list[Brep | None] = []
    for step in region.steps:
        if isinstance(step, Shape):
            pieces = pieces_of(build.document, step, Tessellation())
            made = [_of_piece(build, step, (piece.outer, *piece.holes), value) for piece in pieces]
            stack.append(united(build, [brep for brep in made if brep is not None]) if made else None)
        else:
            operands = stack[-step.count :]
            del stack[-step.count :]
            stack.append(_joined(build, step, operands))
    (body,) = stack
    return body


def _of_piece(build: Build, shape: Shape, outlines: Sequence[Curves], value: Grown) -> Brep | None:
    outer, *holes = (
        _of_outline(build, profile_in(build.document, shape.node, outline), value) for outline in outlines
    )
    return cut(build, outer, holes) if holes else outer


def _of_outline(build: Build, profile: Profile, value: Grown) -> Brep:
    segments = segments_of(profile, reverse=profile.outline(Tessellation()).area < 0.0)
    if isinstance(value, Extrude):
        return extruded_outline(build, value, profile, segments)
    if isinstance(value, Revolve):
        return turned_outline(build, value, profile, segments)
    return swept_outline(build, value, profile, segments)


def _joined(build: Build, step: Joined, operands: Sequence[Brep | None]) -> Brep | None:
    there = [brep for brep in operands if brep is not None]
    if step.operation is Union:
        return united(build, there) if there else None
    if step.operation is Intersection:
        return common(build, there) if len(there) == len(operands) else None
    first = operands[0]
    if first is None:
        return None
    others = [brep for brep in operands[1:] if brep is not None]
    return cut(build, first, others) if others else first
