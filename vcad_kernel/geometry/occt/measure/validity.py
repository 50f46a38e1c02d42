"""What a body measures, quickly and without being fooled, and whether OpenCASCADE finds it sound.

Lengths in millimetres. Volumes are signed: an inside-out body has a negative one. The figures shown
to users are in :mod:`vcad_kernel.geometry.occt.measure.figures`.
"""

from __future__ import annotations

import math
from collections import deque

import numpy as np
from OCP.BRep import BRep_Builder
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeVertex
from OCP.BRepCheck import BRepCheck_Analyzer, BRepCheck_NoError, BRepCheck_Shell
from OCP.BRepGProp import BRepGProp
from OCP.gp import gp_Pnt
from OCP.GProp import GProp_GProps
from OCP.TopAbs import TopAbs_FACE, TopAbs_SHELL, TopAbs_SOLID
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS, TopoDS_Iterator, TopoDS_Shape, TopoDS_Solid

from vcad_kernel.geometry.occt.brep import Brep, ShapeMap, compound_of, shape_map
from vcad_kernel.geometry.occt.building import Build
from vcad_kernel.geometry.occt.failures import OCCT_ERRORS
from vcad_kernel.geometry.occt.measure.boxes import Box, box_of_points, quick_box_of
from vcad_kernel.geometry.occt.measure.extents import box_of
from vcad_kernel.geometry.occt.measure.integration.integrals import plain_figures
from vcad_kernel.geometry.occt.measure.integration.masses import is_even, mass_of
from vcad_kernel.geometry.occt.measure.integration.quadrature import integrated
from vcad_kernel.geometry.occt.measure.topology.boundary_numbers import boundary_numbers
from vcad_kernel.geometry.occt.measure.topology.convex import convex_polyhedron
from vcad_kernel.geometry.tolerance import Tessellation

__all__ = [
    "ROUND",
    "area_of",
    "checked",
    "flaw",
    "is_elementary",
    "is_valid",
    "outward_solid",
    "rough_volume",
    "sound",
    "volume_bounds",
    "volume_of",
]

ROUND = Tessellation(segments=128)
"""Fineness of the meshes that say how large a body must be."""
_NEAR = 0.03
"""Relative: what a mesh of the fineness ``ROUND`` loses, and what the rough volume may be wrong by
(cad.md §10.3)."""
_ROUGHLY = 0.01
"""Relative: what the rough volume is asked for."""
_ASIDE = np.array([0.0173, 0.0237, 0.0311])
"""Parts of a body's size by which integrals are taken from beside its middle."""
_SIDES = 12
"""Edges around each face up to which integrals are adapted to what is measured."""
_MANY = 64
"""Faces from which on it pays to check them in parallel."""
_LOOSE = "its faces do not fit together"
_INSIDE_OUT = "it is inside out"
_REACHES_OUT = "it reaches out of the box it must lie in"


def is_elementary(shape: TopoDS_Shape) -> bool:
    """Whether every face is a piece of a plane, cylinder, cone, sphere or torus."""
    return boundary_numbers(shape).is_elementary


def volume_of(shape: TopoDS_Shape) -> float:
    """Signed volume, mm³; right to 1e-9 of itself."""
    plain = plain_figures(shape)
    return mass_of(shape).volume if plain is None else plain[0]


_ROUGH: deque[tuple[TopoDS_Shape, float]] = deque(maxlen=4)
"""The bodies that were measured roughly last, mm³. Shapes do not change."""


def rough_volume(shape: TopoDS_Shape) -> float:
    """Signed volume, mm³; up to a hundredth wrong where faces or borders are splines."""
    plain = plain_figures(shape)
    if plain is not None:
        return plain[0]
    # asked by whoever builds a body, and when it is checked
    for known, amount in tuple(_ROUGH):
        if known.IsEqual(shape):
            return amount
    amount = _roughly(shape)
    _ROUGH.append((shape, amount))
    return amount


def _roughly(shape: TopoDS_Shape) -> float:
    """Signed volume, mm³, by OpenCASCADE's integrals where they hold."""
    if not is_even(shape):
        sums = integrated(shape, _ROUGHLY)
        return volume_of(shape) if sums is None else sums.volume
    shape = _seen_from_beside(shape)
    # As many nodes of Gauss and Kronrod as it takes measure a spring a hundred times as soon as some for each
    # of its spans. But for each the whole border is looked at, and the end of a gear has hundreds of edges.
    properties = GProp_GProps()
    if all(len(there) <= _SIDES for there in boundary_numbers(shape).sides):
        try:
            error = BRepGProp.VolumePropertiesGK_s(
                shape, properties, _ROUGHLY, False, False, False, False, False
            )
        except OCCT_ERRORS:
            error = -1.0
        amount = float(properties.Mass())
        # of a body that is inside out OpenCASCADE gives the error in mm³
        most = _ROUGHLY * (1.0 if amount >= 0.0 else -amount)
        if 0.0 <= error <= most and math.isfinite(amount):
            return amount
        properties = GProp_GProps()
    BRepGProp.VolumeProperties_s(shape, properties)
    return float(properties.Mass())


def _seen_from_beside(shape: TopoDS_Shape) -> TopoDS_Shape:
    """The body with a corner more, for integrals that are taken from the mean of all corners.

    Each face is integrated to a part of what it makes itself, and a face that is seen edge-on from there
    makes nothing: where all corners lie in one plane, as those of a ring that is cut, no end comes.
    """
    numbers = boundary_numbers(shape)
    places = numbers.stations
    if not len(places):
        return shape
    low, high = places.min(axis=0), places.max(axis=0)
    corners = 1 + 2 * sum(map(len, numbers.sides))
    beside = 0.5 * (low + high) + float((high - low).max()) * corners * _ASIDE
    return compound_of((shape, BRepBuilderAPI_MakeVertex(gp_Pnt(*beside.tolist())).Vertex()))


def volume_bounds(shape: TopoDS_Shape) -> tuple[float, float]:
    """Between what the signed volume lies, mm³, by an integral that takes no longer than OpenCASCADE's own.

    Both are the same where lines and circles bound elementary faces, where that is right; elsewhere it may
    be wrong by ``_NEAR``.
    """
    numbers = boundary_numbers(shape)
    if plain_figures(shape) is not None or (numbers.is_elementary and numbers.curves.is_plain()):
        amount = volume_of(shape)
        return amount, amount
    amount = rough_volume(shape)
    doubt = _NEAR * abs(amount)
    return amount - doubt, amount + doubt


def area_of(shape: TopoDS_Shape) -> float:
    """Area of the whole boundary, mm²; right to 1e-9 of itself."""
    plain = plain_figures(shape)
    return mass_of(shape).area if plain is None else plain[1]


_LATEST: deque[tuple[TopoDS_Shape, bool, ShapeMap]] = deque(maxlen=16)
"""The bodies that were checked last, how that went, and their faces without places. Shapes do not change."""
_UNMOVED = TopLoc_Location()


def is_valid(shape: TopoDS_Shape) -> bool:
    """Whether OpenCASCADE's own check passes: closed wires, edges on their faces, shells in order.

    A convex polyhedron passes without being asked.
    """
    if shape.IsNull():
        return False
    # a body is checked by whoever builds it, by whoever puts it together, and by the node
    for known, valid, _ in tuple(_LATEST):
        if known.IsEqual(shape):
            return valid
    located = shape_map(shape, TopAbs_FACE)
    faces = ShapeMap()
    for index in range(1, located.Extent() + 1):
        faces.Add(located.FindKey(index).Located(_UNMOVED))
    valid = convex_polyhedron(shape) is not None or _passes(shape, faces, located.Extent())
    _LATEST.append((shape, valid, faces))
    return valid


def _passes(shape: TopoDS_Shape, faces: ShapeMap, count: int) -> bool:
    """OpenCASCADE's check of a body, less that of faces which have passed it as those of another body.

    A face is checked with its wires, edges and corners, for itself, wherever it is: the ends of a prism are
    one face in two places. Of a shell it is asked besides whether it is closed and its faces look one way, of
    a solid how its shells lie, if there are several. faces: without their places. count: with them.
    """
    with_curves = True
    sound = [known for _, valid, known in tuple(_LATEST) if valid]
    shells = shape_map(shape, TopAbs_SHELL)
    if shape.ShapeType() == TopAbs_SOLID and shells.Extent() == 1:
        all_faces = [faces.FindKey(index) for index in range(1, faces.Extent() + 1)]
        new = [face for face in all_faces if not any(known.Contains(face) for known in sound)]
        if len(new) < count:
            shell = BRepCheck_Shell(TopoDS.Shell(shells.FindKey(1)))
            return (
                shell.Closed() == BRepCheck_NoError
                and shell.Orientation() == BRepCheck_NoError
                and (not new or BRepCheck_Analyzer(compound_of(new), with_curves).IsValid())
            )
    in_parallel = count >= _MANY
    return bool(BRepCheck_Analyzer(shape, with_curves, in_parallel).IsValid())


def outward_solid(solid: TopoDS_Shape) -> TopoDS_Shape:
    """A solid of one shell with that shell turned so that the volume is positive."""
    amount = rough_volume(solid)
    if amount > 0.0:
        return solid
    builder, turned = BRep_Builder(), TopoDS_Solid()
    builder.MakeSolid(turned)
    shells = TopoDS_Iterator(solid)
    while shells.More():
        builder.Add(turned, shells.Value().Reversed())
        shells.Next()
    _ROUGH.append((turned, -amount))
    return turned


def checked(
    build: Build,
    brep: Brep,
    code: str,
    *,
    volume: tuple[float, float] | None = None,
    box: Box | None = None,
    within: tuple[TopoDS_Shape, TopoDS_Shape] | None = None,
    slack: float = 1e-6,
) -> Brep:
    """The body itself, after it has passed; else the node's error ``code``.

    volume: least and greatest that the operation can possibly give, mm³. box: what must contain it.
    within: what of it is new, and a shape whose box must contain that. slack: relative to the size of the
    numbers compared.
    """
    reason = flaw(brep.shape, volume=volume, box=box, within=within, slack=slack)
    if reason is not None:
        raise _unsound(build, code, reason)
    return brep


def flaw(
    shape: TopoDS_Shape,
    *,
    volume: tuple[float, float] | None = None,
    box: Box | None = None,
    within: tuple[TopoDS_Shape, TopoDS_Shape] | None = None,
    slack: float = 1e-6,
) -> str | None:
    """What is wrong with a body, in words; None when nothing is. Arguments as of :func:`checked`."""
    if not is_valid(shape):
        return _LOOSE
    # where the range is wide, the quick integral tells with all that it may be wrong by
    amount = rough_volume(shape)
    doubt = _NEAR * abs(amount)
    low, high = (0.0, math.inf) if volume is None else volume
    if not max(low, 0.0) + doubt <= amount <= high - doubt:
        amount = volume_of(shape)
    if amount <= 0.0:
        return _INSIDE_OUT
    if volume is not None:
        spare = slack * max(abs(low), amount, abs(high) if math.isfinite(high) else 0.0)
        if not low - spare <= amount <= high + spare:
            return f"its volume is {amount:g} mm³, where {low:g} to {high:g} are possible"
    # the quick box is never too small, so what lies within by it needs no tight one
    if box is not None and not (
        _within(quick_box_of(shape), box, slack, True)
        or _within(box_of(shape), box, slack, is_elementary(shape))
    ):
        return _REACHES_OUT
    if within is not None and not _lies_within(*within, slack):
        return _REACHES_OUT
    return None


def _lies_within(inner: TopoDS_Shape, outer: TopoDS_Shape, slack: float) -> bool:
    """Whether the box of one shape lies in that of another."""
    # a tight box takes as long as all other checks together, and is needed only where one that is too large
    # does not fit into one that is too small
    least = box_of_points(outer)
    if least is not None and _within(quick_box_of(inner), least, slack, True):
        return True
    box, tight = box_of(inner), is_elementary(inner)
    return (least is not None and _within(box, least, slack, True)) or _within(
        box, box_of(outer), slack, tight
    )


def sound(build: Build, shape: TopoDS_Shape, code: str, *, volume: float | None = None) -> Brep:
    """The body as made by the node alone, after quick checks; else the node's error ``code``.

    For bodies that are made of nothing but numbers, where the accurate integrals of :func:`checked`
    would cost more than the making. volume: about what it must have, mm³.
    """
    reason = None
    if not is_valid(shape):
        reason = _LOOSE
    else:
        amount = rough_volume(shape)
        if amount <= 0.0:
            reason = _INSIDE_OUT
        elif volume is not None and abs(amount - volume) > _NEAR * volume:
            reason = f"its volume is {amount:g} mm³ instead of about {volume:g}"
    if reason is not None:
        raise _unsound(build, code, reason)
    return Brep.made(shape, build.maker)


def _unsound(build: Build, code: str, reason: str) -> Exception:
    message = f"the result is not a sound solid: {reason}"
    return build.fault(code, message, failed=code != "INVALID_PARAMETER")


def _within(inner: Box, outer: Box, slack: float, tight: bool) -> bool:
    size = max(high - low for low, high in zip(*outer, strict=True))
    spare = max(slack, 0.0 if tight else 0.01) * size + 1e-6
    return all(
        outer[0][axis] - spare <= inner[0][axis] and inner[1][axis] <= outer[1][axis] + spare
        for axis in range(3)
    )
