"""Profiles as both kernels read them: one plane, and a program that puts outlines together in it.

    region = read_region(document, node, source)
    region.plane        # where it lies
    region.steps        # Shape, Shape, Joined(Difference, 2), …: operands before what joins them

A program instead of one result: what grows out of a profile may as well be put together as solids. What
only the exact kernel knows (the plane of a face, an outline that is offset) is asked of the source.
Nothing here recurses, so that profiles may be nested as deep as a program can make them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vcad_kernel.geometry.placement import IDENTITY, Matrix, compose, copies, cross, is_transform, matrix_of
from vcad_kernel.geometry.solid import check_parameters, geometry_error
from vcad_kernel.geometry.sweeps.drawings.reading import drawn_layers
from vcad_kernel.geometry.sweeps.planes import (
    XY,
    Plane,
    carried_plane,
    coplanar,
    matrix_onto,
    moved_plane,
    plane_at,
)
from vcad_kernel.geometry.sweeps.profiles.crossing import contains, holds
from vcad_kernel.geometry.sweeps.profiles.curves import Map, between, carried, reversed_chain
from vcad_kernel.geometry.sweeps.profiles.lettering import set_text
from vcad_kernel.geometry.sweeps.profiles.parametric import fitted_curve
from vcad_kernel.geometry.sweeps.profiles.profile import Profile, check_chain, read_profile
from vcad_kernel.geometry.tolerance import LINEAR, Tessellation
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.arguments import Kind
from vcad_kernel.operations.bodies.booleans import Difference, Intersection, Union
from vcad_kernel.operations.bodies.patterns import CircularPattern, LinearPattern
from vcad_kernel.operations.node import Node, NodeId
from vcad_kernel.operations.planes import FacePlane, On, PlaneAt
from vcad_kernel.operations.profiles.curve_profiles import CurveProfile
from vcad_kernel.operations.profiles.profiles import Region as RegionNode
from vcad_kernel.operations.profiles.sketches import Curves, Outlines, Segment, Sketch2D
from vcad_kernel.operations.solids.imported import DxfFile, SvgFile
from vcad_kernel.operations.solids.text import Lettering

__all__ = [
    "Joined",
    "Piece",
    "Region",
    "Shape",
    "Source",
    "is_bodiless",
    "outline_of",
    "pieces_of",
    "profile_in",
    "read_plane",
    "read_region",
    "refuse_bodiless",
    "separate_pieces",
    "solids_under",
]

_PLAIN = np.eye(2, 3)
_NEAR = 100.0 * LINEAR
"""Millimetres between outlines that clearly lie apart."""


class Source(Protocol):
    """Who knows what follows from solids, and what is in files."""

    def plane(self, document: Document, node: NodeId) -> Plane:
        """The plane of a ``FacePlane``."""

    def content(self, document: Document, node: NodeId) -> bytes:
        """The bytes of the file that a node is read from."""

    def outlines(self, document: Document, node: NodeId) -> tuple[Plane, Outlines]:
        """The outlines of a profile that only the exact kernel builds, and their plane."""

    def fit(self, document: Document, node: NodeId) -> float:
        """How far the outlines of a profile may be off that only the exact kernel builds, mm."""

    def surface(self, document: Document, node: NodeId) -> Any:
        """The surface of a ``Patch``, as a `Surface`."""

    def bores(self, document: Document, node: NodeId) -> Any:
        """Where the holes of a ``DrillTool`` are, as `Bores`."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """One node's outlines, in the coordinates of the region's plane."""

    node: NodeId
    outlines: Outlines


@dataclass(frozen=True, slots=True)
class Joined:
    """The last ``count`` results become one: united, the others cut from the first, or intersected."""

    operation: type[Union | Difference | Intersection]
    count: int


Step: TypeAlias = Shape | Joined


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """A profile, put together in one plane."""

    plane: Plane
    steps: tuple[Step, ...]

    @property
    def alone(self) -> Shape | None:
        """Its outlines, where it is put together of nothing."""
        (first, *others) = self.steps
        return first if not others and isinstance(first, Shape) else None


def is_bodiless(node: Node | type[Node]) -> bool:
    """Whether a node, or nodes of a kind, give no body."""
    return node.GIVES in _BODILESS


def refuse_bodiless(document: Document, node: NodeId) -> NoReturn:
    """TYPE_MISMATCH where a solid is needed. Raises: GeometryError."""
    words = _BODILESS[document.nodes[node].GIVES]
    raise geometry_error(document, node, "TYPE_MISMATCH", f"a solid is expected here, not {words}")


_BODILESS: Mapping[str, str] = {kind.type: kind.words for kind in (Kind.SKETCH, Kind.PATH, Kind.SURFACE)} | {
    "Plane": "a plane"
}
"""What is no body, by the type of its values, in words."""


def solids_under(document: Document, node: NodeId) -> list[NodeId]:
    """The solids on which profiles and planes under a node stand, each once, in order."""
    solids: dict[NodeId, None] = {}
    seen: set[NodeId] = set()
    pending = [*reversed(document.nodes[node].children())]
    while pending:
        here = pending.pop()
        if here in seen:
            continue
        seen.add(here)
        if is_bodiless(document.nodes[here]):
            pending.extend(reversed(document.nodes[here].children()))
        else:
            solids[here] = None
    return [*solids]


def read_region(document: Document, top: NodeId, source: Source) -> Region:
    """The profile of a node.

    Raises: GeometryError PLANES_DIFFER, TYPE_MISMATCH, SKETCH_DEGENERATE, SKETCH_NOT_CLOSED and what the
    source raises.
    """
    reader = _Reader(document, source)
    reader.read_planes(top)
    return Region(reader.planes[top], tuple(reader.steps(top)))


def read_plane(document: Document, node: NodeId, source: Source) -> Plane:
    """The plane of a node that gives one. Raises: GeometryError, and what the source raises."""
    reader = _Reader(document, source)
    reader.read_planes(node)
    return reader.planes[node]


class _Reader:
    def __init__(self, document: Document, source: Source) -> None:
        self._document = document
        self._source = source
        self.planes: dict[NodeId, Plane] = {}
        self._own: dict[NodeId, tuple[Outlines, ...]] = {}
        """The outlines of what is put together of nothing, in the coordinates of its own plane: in layers,
        where some may overlap others."""

    # ------------------------------------------------------------ planes, operands before what uses them

    def read_planes(self, top: NodeId) -> None:
        nodes = self._document.nodes
        pending = [(top, False)]
        while pending:
            here, opened = pending.pop()
            if here in self.planes:
                continue
            if opened:
                self.planes[here] = self._plane(here, nodes[here])
                continue
            if nodes[here].GIVES not in ("Sketch", "Plane"):
                words = _BODILESS.get(nodes[here].GIVES, Kind.SOLID.words)
                message = f"a profile is expected here, not {words}"
                raise geometry_error(self._document, here, "TYPE_MISMATCH", message)
            check_parameters(self._document, here)
            pending.append((here, True))
            if not isinstance(nodes[here], FacePlane):
                below = [child for child in nodes[here].children() if is_bodiless(nodes[child])]
                pending.extend((child, False) for child in reversed(below))

    def _plane(self, here: NodeId, node: Node) -> Plane:
        document, planes = self._document, self.planes
        match node:
            case PlaneAt():
                return plane_at(node)
            case FacePlane():
                return self._source.plane(document, here)
            case On():
                return carried_plane(planes[node.sketch], matrix_onto(planes[node.plane]))
            case RegionNode():
                for outline in node.outlines:
                    check_chain(document, here, outline)
                self._own[here] = (node.outlines,)
                return XY
            case Lettering():
                self._own[here] = set_text(document, here, self._source)
                return XY
            case CurveProfile():
                self._own[here] = (((fitted_curve(document, here)[0],),),)
                return XY
            case SvgFile() | DxfFile():
                self._own[here] = drawn_layers(document, here, self._source)
                return XY
            case Sketch2D():
                return self._sketch(here)
            case Union() | Difference() | Intersection():
                left, right = (planes[child] for child in node.children())
                self._one_plane(here, left, right)
                return left
            case LinearPattern() | CircularPattern():
                (child,) = node.children()
                for place in copies(node):
                    self._one_plane(here, planes[child], carried_plane(planes[child], place))
                return planes[child]
            case _ if is_transform(node):
                (child,) = node.children()
                return moved_plane(planes[child], matrix_of(node))
        plane, outlines = self._source.outlines(document, here)
        self._own[here] = (outlines,)
        return plane

    def _sketch(self, here: NodeId) -> Plane:
        """A sketch of segments, its axes made square and of length 1."""
        profile = read_profile(self._document, here)
        y = np.array(cross(profile.normal.tolist(), profile.x.tolist()))
        change = np.array([[1.0, profile.y @ profile.x, 0.0], [0.0, profile.y @ y, 0.0]])
        self._own[here] = ((_mapped(profile.segments, change),),)
        return Plane(profile.origin, profile.x, y)

    def _one_plane(self, here: NodeId, first: Plane, second: Plane) -> None:
        if coplanar(first, second):
            return
        message = f"the profiles lie in different planes, {_described(first)} and {_described(second)}"
        raise geometry_error(
            self._document,
            here,
            "PLANES_DIFFER",
            message,
            fix="place both on one plane with on, or put together what grows out of them",
        )

    # ------------------------------------------------------------ outlines, in the plane of the whole

    def steps(self, top: NodeId) -> list[Step]:
        document = self._document
        plane = self.planes[top]
        result: list[Step] = []
        pending: list[tuple[NodeId, Matrix] | Joined] = [(top, IDENTITY)]
        while pending:
            item = pending.pop()
            if isinstance(item, Joined):
                result.append(item)
                continue
            here, matrix = item
            node = document.nodes[here]
            if here in self._own:
                change = _within(plane, self.planes[here], matrix)
                layers = self._own[here]
                for outlines in layers:
                    result.append(Shape(here, tuple(_mapped(outline, change) for outline in outlines)))
                if len(layers) > 1:
                    result.append(Joined(Union, len(layers)))
            elif isinstance(node, On):
                pending.append((node.sketch, compose(matrix, matrix_onto(self.planes[node.plane]))))
            elif isinstance(node, LinearPattern | CircularPattern):
                places = copies(node)
                if len(places) > 1:
                    pending.append(Joined(Union, len(places)))
                pending += [(node.child, compose(matrix, place)) for place in reversed(places)]
            elif isinstance(node, Union | Difference | Intersection):
                operands = self._chain(here, _joining(node))
                pending.append(Joined(_joining(node), len(operands)))
                pending += [(operand, matrix) for operand in reversed(operands)]
            else:
                (child,) = node.children()
                pending.append((child, compose(matrix, matrix_of(node))))
        return result

    def _chain(self, top: NodeId, operation: type[Union | Difference | Intersection]) -> list[NodeId]:
        """The operands of nested booleans of one kind, as one list: (a − b) − c is a − b − c."""
        nodes = self._document.nodes
        operands: list[NodeId] = []
        pending = [(top, True)]
        while pending:
            here, opens = pending.pop()
            node = nodes[here]
            if opens and isinstance(node, operation):
                left, right = node.children()
                pending += [(right, operation is not Difference), (left, True)]
            else:
                operands.append(here)
        return operands


def _joining(node: Node) -> type[Union | Difference | Intersection]:
    for operation in (Union, Difference):
        if isinstance(node, operation):
            return operation
    return Intersection


def _described(plane: Plane) -> str:
    (x, y, z), (a, b, c) = plane.origin, plane.normal
    return f"through ({x:g}, {y:g}, {z:g}) with normal ({a:.4g}, {b:.4g}, {c:.4g})"


def _within(plane: Plane, own: Plane, matrix: Matrix) -> Map:
    """From the coordinates of a profile's own plane, carried by a matrix, to those of the whole's."""
    axes = np.vstack([plane.x, plane.y])
    linear = axes @ matrix[:, :3] @ np.column_stack([own.x, own.y])
    offset = axes @ (matrix[:, :3] @ own.origin + matrix[:, 3] - plane.origin)
    return np.column_stack([linear, offset])


def _mapped(outline: Curves, change: Map) -> Curves:
    """A chain of curves carried by a map, its gaps within the tolerance closed."""
    if not np.array_equal(change, _PLAIN):
        outline = tuple(carried(curve, change) for curve in outline)
    starts = [curve.start for curve in outline]
    ends = starts[1:] + starts[:1]
    if all(curve.end == end for curve, end in zip(outline, ends, strict=True)):
        return outline
    return tuple(between(*each) for each in zip(outline, starts, ends, strict=True))


def outline_of(document: Document, node: NodeId, source: Source | None, loft: NodeId) -> Profile:
    """A profile that is one outline, as lofts join them. loft: the node that asks, whose fault it is.

    Raises: GeometryError SKETCH_DEGENERATE unless it is one outline of lines and arcs, and what
    `read_region` does.
    """
    if isinstance(document.nodes[node], Sketch2D):
        return read_profile(document, node)
    assert source is not None
    region = read_region(document, node, source)
    shape = region.alone
    plane, outlines = (region.plane, shape.outlines) if shape is not None else source.outlines(document, node)
    if len(outlines) != 1:
        raise geometry_error(
            document,
            loft,
            "SKETCH_DEGENERATE",
            f"a section must be one outline, and this one has {len(outlines)}",
            argument="sketches",
            fix="loft borders and holes by themselves, and cut the ones out of the others",
        )
    if not all(isinstance(curve, Segment) for curve in outlines[0]):
        raise geometry_error(
            document,
            loft,
            "SKETCH_DEGENERATE",
            "a section must be an outline of lines and arcs, and this one has an ellipse or a spline",
            argument="sketches",
            fix="draw the section with arcs: [arc-to {:radius r} x y]",
        )
    return profile_in(document, node, outlines[0], plane)


def profile_in(document: Document, node: NodeId, outline: Curves, plane: Plane = XY) -> Profile:
    """One outline as what is swept."""
    return Profile(document, node, plane.origin, plane.x, plane.y, plane.normal, outline)


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """One connected piece of a shape."""

    outer: Curves
    holes: tuple[Curves, ...]


def pieces_of(document: Document, shape: Shape, tessellation: Tessellation) -> list[Piece]:
    """The connected pieces of a shape: each an outline counter-clockwise, with its holes clockwise.

    Raises: GeometryError SKETCH_DEGENERATE for outlines that meet themselves.
    """
    polygons = [profile_in(document, shape.node, outline).outline(tessellation) for outline in shape.outlines]
    count = len(polygons)
    around: list[list[int]] = [
        [
            other
            for other in range(count)
            if other != at and holds(polygons[other].points, polygons[at].points)
        ]
        for at in range(count)
    ]
    pieces = []
    for at in range(count):
        if len(around[at]) % 2:
            continue
        holes = [
            other
            for other in range(count)
            if at in around[other] and len(around[other]) == len(around[at]) + 1
        ]
        pieces.append(
            Piece(
                _turned(shape.outlines[at], polygons[at].area < 0.0),
                tuple(_turned(shape.outlines[hole], polygons[hole].area > 0.0) for hole in holes),
            )
        )
    return pieces


def _turned(outline: Curves, against: bool) -> Curves:
    return reversed_chain(outline) if against else outline


def separate_pieces(document: Document, region: Region, tessellation: Tessellation) -> list[Piece] | None:
    """The connected pieces of a profile whose outlines clearly lie apart, or one within another.

    None where some come near each other, and a boolean has to say what they make together.
    Raises: GeometryError, as `pieces_of`.
    """
    stack: list[list[_Spot]] = []
    for step in region.steps:
        if isinstance(step, Shape):
            stack.append(
                [
                    _Spot(document, step, each, tessellation)
                    for each in pieces_of(document, step, tessellation)
                ]
            )
            continue
        first, *others = stack[-step.count :]
        del stack[-step.count :]
        rest = [spot for other in others for spot in other]
        made = None
        if step.operation is Union and _all_apart([*first, *rest]):
            made = [*first, *rest]
        elif step.operation is Difference and _all_apart(rest):
            made = _pierced(first, rest)
        if made is None:
            return None
        stack.append(made)
    (spots,) = stack
    return [spot.piece for spot in spots]


class _Spot:
    """A piece, and where in the plane its outer outline lies."""

    def __init__(self, document: Document, shape: Shape, piece: Piece, tessellation: Tessellation) -> None:
        def polygon(curves: Curves) -> tuple[NDArray[np.float64], float]:
            outline = profile_in(document, shape.node, curves).outline(tessellation)
            return outline.points, outline.deviation

        self.piece = piece
        self.points, self.deviation = polygon(piece.outer)
        self.holes = [polygon(hole) for hole in piece.holes]
        self.low, self.high = self.points.min(axis=0), self.points.max(axis=0)
        self.middle = 0.5 * (self.low + self.high)
        self.radius = float(np.sqrt(((self.points - self.middle) ** 2).sum(axis=1).max()))

    def clears(self, border: NDArray[np.float64], margin: float) -> bool:
        """Whether a closed polygon stays out of the box around this, or of the circle around it."""
        start = border - self.middle
        along = np.concatenate((start[1:], start[:1])) - start
        # of the circle: where each side is nearest
        squares = (along**2).sum(axis=1)
        share = np.clip(-(start * along).sum(axis=1) / np.where(squares > 0.0, squares, 1.0), 0.0, 1.0)
        nearest = ((start + share[:, None] * along) ** 2).sum(axis=1).min()
        if nearest > (self.radius + margin) ** 2:
            return True
        # of the box: sides that lie beyond one of its own, or on one side of all its corners
        half = 0.5 * (self.high - self.low) + margin
        end = start + along
        beyond = (np.minimum(start, end) > half) | (np.maximum(start, end) < -half)
        past = np.abs(along[:, 0] * start[:, 1] - along[:, 1] * start[:, 0]) > np.abs(along) @ half[::-1]
        return bool((beyond.any(axis=1) | past).all())


def _all_apart(spots: Sequence[_Spot]) -> bool:
    """Whether the boxes around some pieces, or the circles around them, all lie apart."""
    if len(spots) < 2:
        return True
    near = _NEAR + 2.0 * max(spot.deviation for spot in spots)
    lows, highs = np.array([spot.low for spot in spots]), np.array([spot.high for spot in spots])
    middles, radii = np.array([spot.middle for spot in spots]), np.array([spot.radius for spot in spots])
    for at in range(1, len(spots)):
        apart = ((lows[:at] > highs[at] + near) | (highs[:at] < lows[at] - near)).any(axis=1)
        if not apart.all():
            away = np.sqrt(((middles[:at] - middles[at]) ** 2).sum(axis=1))
            if not (apart | (away > radii[:at] + radii[at] + near)).all():
                return False
    return True


def _pierced(spots: Sequence[_Spot], tools: Sequence[_Spot]) -> list[_Spot] | None:
    """Pieces with those of some others as holes that lie within them; None where one comes near a border."""
    pierced: list[list[_Spot]] = [[] for _ in spots]
    for tool in tools:
        for spot, new in zip(spots, pierced, strict=True):
            near = _NEAR + tool.deviation + spot.deviation
            if ((tool.low > spot.high + near) | (tool.high < spot.low - near)).any():
                continue
            if not tool.clears(spot.points, near):
                return None
            if not contains(spot.points, tool.middle):
                continue
            # neither across a hole nor around one, and not filled in part itself
            if tool.holes or not all(
                tool.clears(hole, near + off) and not contains(hole, tool.middle) for hole, off in spot.holes
            ):
                return None
            new.append(tool)
    for spot, new in zip(spots, pierced, strict=True):
        more = (reversed_chain(tool.piece.outer) for tool in new)
        spot.piece = Piece(spot.piece.outer, (*spot.piece.holes, *more))
        spot.holes += [(tool.points, tool.deviation) for tool in new]
    return [*spots]
