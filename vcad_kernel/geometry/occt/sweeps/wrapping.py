"""Profiles laid around cylinders and cones (modelling.md §2).

Both can be unrolled: a point of the profile is one of the unrolled face, and so an angle and a length along
the axis or the slant. Over it the tool grows along the normals of the face. Each border is a spline through
the images of its points, fitted to some 1e-10 of the size.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepClass import BRepClass_FaceClassifier
from OCP.BRepTools import BRepTools
from OCP.Geom import (
    Geom_ConicalSurface,
    Geom_CylindricalSurface,
    Geom_Surface,
)
from OCP.GeomAbs import GeomAbs_Cone, GeomAbs_Cylinder
from OCP.gp import gp_Ax3
from OCP.TopAbs import TopAbs_IN, TopAbs_ON, TopAbs_REVERSED
from OCP.TopoDS import (
    TopoDS_Face,
)

from vcad_kernel.geometry.occt.booleans.booleans import cut, united
from vcad_kernel.geometry.occt.brep import Brep, compound_of
from vcad_kernel.geometry.occt.building import Build, Operands
from vcad_kernel.geometry.occt.measure.topology.described import candidates
from vcad_kernel.geometry.occt.measure.topology.faces_and_edges import kind_of_face
from vcad_kernel.geometry.occt.measure.validity import sound
from vcad_kernel.geometry.occt.patches.slabs import Border, Slab
from vcad_kernel.geometry.occt.selection.selection import select_faces
from vcad_kernel.geometry.occt.sweeps.profiles.regions import outlines_of
from vcad_kernel.geometry.occt.sweeps.profiles.sketches import direction_of, point_of
from vcad_kernel.geometry.sweeps.profiles.curves import carried, places_and_ways, stretches
from vcad_kernel.geometry.sweeps.profiles.regions import Piece, Shape, pieces_of
from vcad_kernel.geometry.tolerance import LINEAR, Tessellation
from vcad_kernel.operations.features.wrapping import WrapOn
from vcad_kernel.operations.profiles.sketches import Curve, Curves

__all__ = ["wrap_on"]

Points = NDArray[np.float64]

_ONE_FACE = 1e-6
"""Millimetres, and radians, within which faces stand on one cylinder or cone."""
_EXACT = 1e-10
"""Relative to the size of the face: how near borders are fitted."""
_FULL = math.pi * (1.0 - 1e-6)
"""How far around from its middle a profile may reach: it must not meet itself."""


@dataclass(frozen=True, slots=True, eq=False)
class _Round:
    """A cylinder or a cone, and where the origin of the profile lies on it."""

    origin: Points
    """(3,): on the axis, at the height of the profile's origin."""
    axis: Points
    """(3,), of length 1: the profile's y, as far as it may be."""
    middle: Points
    """(3,), of length 1: from the axis to the profile's origin."""
    radius: float
    """At the profile's origin."""
    lean: float
    """Radians by which the radius grows along the axis; 0 for a cylinder."""
    low: float
    high: float
    """How far the face reaches along the axis from the origin."""
    spans: tuple[tuple[float, float], ...]
    """Where the face is around the axis, in radians from the origin, turn for turn. No two meet."""
    faces: tuple[TopoDS_Face, ...]

    def unrolled(self, flat: Points) -> Points:
        """(k, 2): angle from the middle, and length along the face, of points (k, 2) of the profile."""
        if self.lean == 0.0:
            return np.column_stack([flat[:, 0] / self.radius, flat[:, 1]])
        # about the tip, which is that of the unrolled face, too
        half = abs(self.lean)
        slant = self.radius / math.sin(half)
        from_tip = slant + self._sense * flat[:, 1]
        turn = np.arctan2(flat[:, 0], from_tip) / math.sin(half)
        return np.column_stack([turn, self._sense * (np.hypot(flat[:, 0], from_tip) - slant)])

    def placed(self, unrolled: Points, height: float) -> Points:
        """(k, 3): points over those of the face, along its normals."""
        turn, along = unrolled[:, :1], unrolled[:, 1:]
        out = np.cos(turn) * self.middle + np.sin(turn) * np.cross(self.axis, self.middle)
        radial = self.radius + along * math.sin(self.lean) + height * math.cos(self.lean)
        axial = along * math.cos(self.lean) - height * math.sin(self.lean)
        return np.asarray(self.origin + radial * out + axial * self.axis)

    def surface(self, height: float) -> Geom_Surface:
        """On which those points lie, at `parameters`."""
        axial = -height * math.sin(self.lean)
        axes = (direction_of(self._sense * self.axis), direction_of(-self.middle))  # the seam lies opposite
        frame = gp_Ax3(point_of(self.origin + axial * self.axis), *axes)
        radius = self.radius + height * math.cos(self.lean)
        if self.lean == 0.0:
            return Geom_CylindricalSurface(frame, radius)
        return Geom_ConicalSurface(frame, abs(self.lean), radius)

    def parameters(self, unrolled: Points) -> Points:
        """(k, 2): those of the surfaces."""
        return np.asarray((math.pi, 0.0) + self._sense * unrolled)

    def holds(self, unrolled: Points) -> bool:
        """Whether points (k, 2) of one piece lie within what the face reaches around."""
        low, high = unrolled[:, 0].min(), unrolled[:, 0].max()
        return any(first - _ONE_FACE <= low and high <= last + _ONE_FACE for first, last in self.spans)

    def said_around(self) -> str:
        """How far the face reaches around, up to half a turn, in words."""
        clipped = [(max(low, -math.pi), min(high, math.pi)) for low, high in self.spans]
        return " and ".join(
            f"from {_degrees(low)} to {_degrees(high)}" for low, high in clipped if low < high
        )

    def bears(self, unrolled: Points) -> bool:
        """Whether any of points (k, 2) lies on the face."""
        return any(
            BRepClass_FaceClassifier(face, point_of(point), LINEAR).State() in (TopAbs_IN, TopAbs_ON)
            for point in self.placed(unrolled, 0.0)
            for face in self.faces
        )

    @property
    def _sense(self) -> float:
        """Half angles of OpenCASCADE's cones are above 0: one that narrows stands on its head."""
        return -1.0 if self.lean < 0.0 else 1.0


def wrap_on(build: Build, node: WrapOn, operands: Operands) -> Brep | None:
    """The body with the profile raised or sunk.

    Raises: GeometryError NO_MATCH, NOT_ROUND, AMBIGUOUS_FACE, INVALID_PARAMETER, WRAP_FAILED.
    """
    body = operands[0]
    if body is None:
        return None
    face = _face(build, body, node)
    pieces = _drawn(build, node)
    if not pieces:
        return body
    _fits(build, node, face, pieces)
    low, high = sorted((0.0, node.height))
    slab = _slab(face, low, high)
    solids = [slab.solid(_borders(face, low, high, piece)) for piece in pieces]
    shape = solids[0] if len(solids) == 1 else compound_of(solids)
    tool = sound(build, shape, node.FAILURE)
    return united(build, [body, tool]) if node.height > 0.0 else cut(build, body, [tool])


# ---------------------------------------------------------------- the face, and what is drawn


def _face(build: Build, body: Brep, node: WrapOn) -> _Round:
    faces = select_faces(build, body, node.face)
    surfaces = [BRepAdaptor_Surface(face, True) for face in faces]
    for face, surface in zip(faces, surfaces, strict=True):
        inside = (face.Orientation() == TopAbs_REVERSED) is _is_direct(surface)
        if surface.GetType() not in (GeomAbs_Cylinder, GeomAbs_Cone) or inside:
            kind = kind_of_face(face)
            raise build.fault(
                "NOT_ROUND",
                "the outside of a cylinder or a cone is meant, and the selection takes "
                + (f"the inside of a {kind}" if inside and kind in ("cylinder", "cone") else f"a {kind}"),
                argument="face",
                failed=False,
                fix="select it, as {:kind :cylinder :largest 1}",
                details=candidates(body, faces),
            )
    rounds = [_round_of(face, surface) for face, surface in zip(faces, surfaces, strict=True)]
    first = rounds[0]
    if not all(_is_same(first, other) for other in rounds[1:]):
        raise build.fault(
            "AMBIGUOUS_FACE",
            f"one cylinder or cone is meant, and the selection takes {len(faces)} faces of several",
            argument="face",
            failed=False,
            fix="say which: by :radius, or by :largest 1",
            details=candidates(body, faces),
        )
    # all about one origin: half way up what they reach together
    ends = [float((side.origin - first.origin) @ first.axis) for side in rounds]
    low = min(end + side.low for end, side in zip(ends, rounds, strict=True))
    high = max(end + side.high for end, side in zip(ends, rounds, strict=True))
    up = 0.5 * (low + high)
    half = 0.5 * (high - low)
    radius = first.radius + up * math.tan(first.lean)
    origin = first.origin + up * first.axis
    spans = _merged([span for side in rounds for span in side.spans])
    return _Round(origin, first.axis, first.middle, radius, first.lean, -half, half, spans, tuple(faces))


def _is_direct(surface: BRepAdaptor_Surface) -> bool:
    """Whether the natural normal of a cylinder or cone points away from its axis."""
    if surface.GetType() == GeomAbs_Cylinder:
        return bool(surface.Cylinder().Direct())
    return surface.GetType() != GeomAbs_Cone or bool(surface.Cone().Direct())


def _round_of(face: TopoDS_Face, surface: BRepAdaptor_Surface) -> _Round:
    """The surface of a face, about the point of its axis where its parameters begin."""
    if surface.GetType() == GeomAbs_Cylinder:
        round_ = surface.Cylinder()
        radius, lean = round_.Radius(), 0.0
    else:
        round_ = surface.Cone()
        radius, lean = round_.RefRadius(), round_.SemiAngle()
    position = round_.Position()
    origin = np.array(position.Location().Coord())
    axis = np.array(position.Direction().Coord())
    begin, end, first, last = BRepTools.UVBounds_s(face)
    low, high = first * math.cos(lean), last * math.cos(lean)
    # upwards, or else along the world's axis to which it is nearest
    rank = np.abs(axis) + np.array([0.0, 1e-9, 2e-9])
    if axis[int(rank.argmax())] < 0.0:
        axis, lean, low, high = -axis, -lean, -high, -low
    upright = abs(axis[2]) > 1.0 - 1e-9
    towards = np.array([0.0, -1.0, 0.0]) if upright else np.array([0.0, 0.0, 1.0])
    middle = towards - (towards @ axis) * axis
    middle /= np.linalg.norm(middle)
    # the parameter's own zero and direction, as angles from the middle about the axis
    x, y = (np.array(way.Coord()) for way in (position.XDirection(), position.YDirection()))
    zero = math.atan2(float(np.cross(middle, x) @ axis), float(middle @ x))
    sense = math.copysign(1.0, float(np.cross(x, y) @ axis))
    spans = (tuple(sorted((zero + sense * begin, zero + sense * end))),)
    return _Round(origin, axis, middle, radius, lean, low, high, spans, (face,))


def _merged(spans: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Spans of angles as those of which no two meet, in each turn in which a profile can meet them."""
    ring = 2.0 * math.pi
    turned = [
        (low + turn * ring, high + turn * ring)
        for low, high in spans
        for turn in range(math.floor((-ring - high) / ring), math.ceil((ring - low) / ring) + 1)
    ]
    merged: list[tuple[float, float]] = []
    for low, high in sorted(turned):
        if merged and low <= merged[-1][1] + _ONE_FACE:
            merged[-1] = merged[-1][0], max(merged[-1][1], high)
        else:
            merged.append((low, high))
    return tuple(merged)


def _is_same(face: _Round, other: _Round) -> bool:
    apart = other.origin - face.origin
    along = float(apart @ face.axis)
    off = float(np.linalg.norm(apart - along * face.axis))
    tilt = float(np.linalg.norm(np.cross(face.axis, other.axis))) + abs(face.lean - other.lean)
    radius = face.radius + along * math.tan(face.lean)
    return max(off, tilt, abs(radius - other.radius)) <= _ONE_FACE


def _drawn(build: Build, node: WrapOn) -> list[Piece]:
    """The pieces of the profile, in x and y of the world. Raises: GeometryError INVALID_PARAMETER."""
    plane, outlines = outlines_of(build, build.region(node.sketch))
    if abs(plane.normal[2]) < 1.0 - 1e-12:
        raise build.fault(
            "INVALID_PARAMETER",
            "k must be drawn on :xy: it is the face that says where it goes",
            argument="k",
            failed=False,
        )
    flat = np.column_stack([plane.x[:2], plane.y[:2], plane.origin[:2]])
    outlines = tuple(tuple(carried(curve, flat) for curve in outline) for outline in outlines)
    return pieces_of(build.document, Shape(node.sketch, outlines), Tessellation())


def _fits(build: Build, node: WrapOn, face: _Round, pieces: Sequence[Piece]) -> None:
    """Whether the profile lies on the face, and what is sunk short of its axis.

    Raises: GeometryError INVALID_PARAMETER.
    """
    borders = [
        face.unrolled(
            np.vstack(
                [
                    places_and_ways(curve, np.linspace(first, last, 33))[0]
                    for outline in (piece.outer, *piece.holes)
                    for curve in outline
                    for first, last in itertools.pairwise(stretches(curve))
                ]
            )
        )
        for piece in pieces
    ]
    on_face = np.vstack(borders)
    heights = on_face[:, 1] * math.cos(face.lean)
    over = max(float(heights.max()) - face.high, face.low - float(heights.min()))
    # where the normals meet, on the axis
    depth = float((face.radius + on_face[:, 1] * math.sin(face.lean)).min()) / math.cos(face.lean)
    argument, said = "k", None
    if over > LINEAR:
        said = (
            f"the profile reaches from {heights.min():.6g} to {heights.max():.6g} along the axis, and the"
            f" face from {face.low:.6g} to {face.high:.6g}"
        )
    elif (far := float(np.abs(on_face[:, 0]).max())) > _FULL:
        said = (
            f"the profile reaches {math.degrees(far):.6g}° around from its middle, where 180° are all"
            f" there is; it must be narrower than {2.0 * math.pi * face.radius:.6g} mm"
        )
    elif -node.height > depth - LINEAR:
        argument = "h"
        said = f"{-node.height:.6g} mm deep is beyond the axis, which lies {depth:.6g} mm under the profile"
    elif not all(face.holds(border) for border in borders):
        said = (
            f"the profile reaches from {_degrees(on_face[:, 0].min())} to {_degrees(on_face[:, 0].max())}"
            f" around from its middle, and the face {face.said_around()}"
        )
    elif not all(face.bears(border) for border in borders):
        said = "a piece of the profile lies where the face has a gap or a hole"
    if said is not None:
        raise build.fault("INVALID_PARAMETER", said, argument=argument, failed=False)


def _degrees(angle: float) -> str:
    return f"{math.degrees(angle):.6g}°"


# ---------------------------------------------------------------- the tool


def _slab(face: _Round, low: float, high: float) -> Slab:
    """What stands on a face, from one height above it to another."""
    size = max(face.radius, face.high - face.low)
    return Slab((face.surface(low), face.surface(high)), high - low, _EXACT * size)


def _borders(face: _Round, low: float, high: float, piece: Piece) -> list[list[Border]]:
    """The outlines of a piece of the profile on both sides."""
    return [
        [Border(_images(face, low, high, curve), first, last) for curve, first, last in _stops(outline)]
        for outline in (piece.outer, *piece.holes)
    ]


def _images(face: _Round, low: float, high: float, curve: Curve) -> Callable[[Points], Points]:
    def images(parameters: Points) -> Points:
        unrolled = face.unrolled(places_and_ways(curve, parameters)[0])
        return np.hstack([face.placed(unrolled, low), face.placed(unrolled, high), face.parameters(unrolled)])

    return images


def _stops(outline: Curves) -> Iterator[tuple[Curve, float, float]]:
    """The smooth stretches of a chain, at least two of them, so that each has two ends."""
    for curve in outline:
        for first, last in itertools.pairwise(stretches(curve)):
            if len(outline) > 1 or len(stretches(curve)) > 2:
                yield curve, first, last
            else:
                middle = 0.5 * (first + last)
                yield curve, first, middle
                yield curve, middle, last
