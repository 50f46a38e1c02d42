"""Edges and faces chosen by criteria, as measured on a B-rep (cad.md §2.8).

Edges are chosen among the sharp ones, which are the edges that a body has for its user: seams and
the borders between faces that continue each other smoothly are none. All given criteria must hold;
``largest`` and ``smallest`` then choose among what is left, with ties. The order is the body's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeAlias, TypeVar

from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.GeomAbs import (
    GeomAbs_Line,
)
from OCP.gp import gp_Dir, gp_Pnt
from OCP.TopAbs import TopAbs_FACE
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Face

from vcad_kernel.geometry.occt.brep import Brep, faces_of, listed, shape_map
from vcad_kernel.geometry.occt.building import Build
from vcad_kernel.geometry.occt.measure.faces_and_edges import (
    kind_of_edge,
    kind_of_face,
    length_of,
    middle_of,
    plane_normal,
    radius_of_edge,
    radius_of_face,
)
from vcad_kernel.geometry.occt.measure.masses import area_and_centre
from vcad_kernel.geometry.occt.measure.sharp_edges import (
    SharpEdge,
    faces_by_edge,
    sharp_edges,
)
from vcad_kernel.ir.digest import Digest
from vcad_kernel.operations.node import Vec3
from vcad_kernel.operations.selections import Coordinates, Selector

__all__ = ["matching_faces", "select_edges", "select_faces"]

_T = TypeVar("_T")
_Criterion: TypeAlias = tuple[str, Callable[[_T], bool]]

_NEAR = 1e-6
"""Millimetres within which positions, lengths and radii are the same."""
_AIMED = 1e-6
"""Radians within which directions are the same."""
_TIE = 1e-9
"""Relative difference of sizes that are the same."""


class _Sieve(Generic[_T]):
    """Items that have passed so far, and which criterion it was that let none through."""

    def __init__(self, items: Sequence[_T]) -> None:
        self.left = list(items)
        self.emptied_by: str | None = None

    def apply(self, name: str, holds: Callable[[_T], bool]) -> None:
        if self.left:
            self.left = [item for item in self.left if holds(item)]
            if not self.left:
                self.emptied_by = name

    def keep(self, count: int, size: Callable[[_T], float], *, largest: bool) -> None:
        """The ``count`` largest or smallest; whatever is as large as the last of them stays too."""
        if count >= len(self.left):
            return
        sizes = [size(item) if largest else -size(item) for item in self.left]
        last = sorted(sizes, reverse=True)[count - 1]
        spare = _TIE * max(1.0, abs(last))
        self.left = [item for item, value in zip(self.left, sizes, strict=True) if value >= last - spare]


def select_edges(build: Build, brep: Brep, selector: Selector) -> list[TopoDS_Edge]:
    """The sharp edges that meet all criteria, in the body's order. Raises: NO_MATCH if none does."""
    corners = sharp_edges(brep.shape)
    sieve = _Sieve(corners)
    for name, holds in _edge_criteria(build, brep, selector):
        sieve.apply(name, holds)
    for count, largest in ((selector.largest, True), (selector.smallest, False)):
        if count is not None:
            sieve.keep(count, lambda corner: length_of(corner.edge), largest=largest)
    if not sieve.left:
        raise _no_match(build, "sharp edge", len(corners), sieve.emptied_by)
    return [corner.edge for corner in sieve.left]


def select_faces(build: Build, brep: Brep, selector: Selector) -> list[TopoDS_Face]:
    """The faces that meet all criteria, in the body's order. Raises: NO_MATCH if none does."""
    sieve = _sifted_faces(build, brep, selector)
    if not sieve.left:
        raise _no_match(build, "face", len(brep.makers), sieve.emptied_by)
    return sieve.left


def matching_faces(build: Build, brep: Brep, selector: Selector) -> list[TopoDS_Face]:
    """As :func:`select_faces`; none is an answer."""
    return _sifted_faces(build, brep, selector).left


def _sifted_faces(build: Build, brep: Brep, selector: Selector) -> _Sieve[TopoDS_Face]:
    sieve = _Sieve(faces_of(brep.shape))
    for name, holds in _face_criteria(build, brep, selector):
        sieve.apply(name, holds)
    for count, largest in ((selector.largest, True), (selector.smallest, False)):
        if count is not None:
            sieve.keep(count, lambda face: area_and_centre(face)[0], largest=largest)
    return sieve


def _no_match(build: Build, noun: str, count: int, emptied_by: str | None) -> Exception:
    plural = noun if count == 1 else f"{noun}s"
    if count == 0:
        return build.fault("NO_MATCH", f"the body has no {noun} to select", argument="which", failed=False)
    last = f" and none of those that are left meets :{emptied_by}" if emptied_by else ""
    return build.fault(
        "NO_MATCH",
        f"the selector selects nothing: the body has {count} {plural}{last}",
        argument="which",
        failed=False,
        fix=f"loosen or correct :{emptied_by}" if emptied_by else None,
        details={"candidates": count, "criterion": emptied_by},
    )


def _edge_criteria(build: Build, brep: Brep, wanted: Selector) -> Iterator[_Criterion[SharpEdge]]:
    if wanted.kind is not None:
        yield "kind", lambda corner: kind_of_edge(corner.edge) == wanted.kind
    if wanted.convex is not None:
        yield "convex", lambda corner: corner.convex is wanted.convex
    if (parallel := wanted.parallel) is not None:
        yield "parallel", lambda corner: _runs_along(corner.edge, parallel)
    placed: Iterator[_Criterion[SharpEdge]] = _placed(wanted, lambda corner: middle_of(corner.edge))
    yield from placed
    if (length := wanted.length) is not None:
        yield "length", lambda corner: _between(length_of(corner.edge), *length)
    if (radius := wanted.radius) is not None:
        yield "radius", lambda corner: _between(radius_of_edge(corner.edge), *radius)
    if (near := wanted.adjacent) is not None:
        numbers = _face_numbers(brep)
        allowed = {numbers(face) for face in matching_faces(build, brep, near)}
        yield "adjacent", lambda corner: any(numbers(face) in allowed for face in corner.faces)
    if wanted.made_by is not None:
        made = _makers_named(build, wanted.made_by)
        number = _face_numbers(brep)
        yield "made-by", lambda corner: any(brep.makers[number(face)] in made for face in corner.faces)


def _face_criteria(build: Build, brep: Brep, wanted: Selector) -> Iterator[_Criterion[TopoDS_Face]]:
    if wanted.kind is not None:
        yield "kind", lambda face: kind_of_face(face) == wanted.kind
    if (normal := wanted.normal) is not None:
        yield "normal", lambda face: _faces_to(face, normal)
    if (parallel := wanted.parallel) is not None:
        yield "parallel", lambda face: _lies_along(face, parallel)
    yield from _placed(wanted, lambda face: area_and_centre(face)[1])
    if (radius := wanted.radius) is not None:
        yield "radius", lambda face: _between(radius_of_face(face), *radius)
    if (near := wanted.adjacent) is not None:
        there = matching_faces(build, brep, near)
        touching = _neighbours(brep, there)
        number = _face_numbers(brep)
        yield "adjacent", lambda face: number(face) in touching
    if wanted.made_by is not None:
        made = _makers_named(build, wanted.made_by)
        numbers = _face_numbers(brep)
        yield "made-by", lambda face: brep.makers[numbers(face)] in made


def _placed(wanted: Selector, middle: Callable[[_T], gp_Pnt]) -> Iterator[_Criterion[_T]]:
    """The criteria on where the middle is, the same for edges and faces."""
    if (at := wanted.at) is not None:
        yield "at", lambda item: all(abs(gap) <= _NEAR for gap in _gaps(middle(item), at))
    if (above := wanted.above) is not None:
        yield "above", lambda item: all(gap > _NEAR for gap in _gaps(middle(item), above))
    if (below := wanted.below) is not None:
        yield "below", lambda item: all(gap < -_NEAR for gap in _gaps(middle(item), below))


def _gaps(point: gp_Pnt, wanted: Coordinates) -> Iterator[float]:
    """How far the point is beyond each of the coordinates, millimetres."""
    have = {"x": point.X(), "y": point.Y(), "z": point.Z()}
    return (have[axis] - value for axis, value in wanted)


def _between(value: float | None, low: float, high: float) -> bool:
    return value is not None and low - _NEAR <= value <= high + _NEAR


def _direction(vector: Vec3) -> gp_Dir | None:
    """The direction of a vector; None of the zero vector, along which nothing runs."""
    return gp_Dir(*vector) if math.hypot(*vector) > 1e-12 else None


def _runs_along(edge: TopoDS_Edge, vector: Vec3) -> bool:
    curve = BRepAdaptor_Curve(edge)
    along = _direction(vector)
    return (
        along is not None
        and curve.GetType() == GeomAbs_Line
        and bool(curve.Line().Direction().IsParallel(along, _AIMED))
    )


def _faces_to(face: TopoDS_Face, vector: Vec3) -> bool:
    wanted, normal = _direction(vector), plane_normal(face)
    return wanted is not None and normal is not None and bool(normal.IsEqual(wanted, _AIMED))


def _lies_along(face: TopoDS_Face, vector: Vec3) -> bool:
    wanted, normal = _direction(vector), plane_normal(face)
    return wanted is not None and normal is not None and bool(normal.IsNormal(wanted, _AIMED))


def _face_numbers(brep: Brep) -> Callable[[TopoDS_Face], int]:
    """What number, from 0, a face has in the body."""
    numbered = shape_map(brep.shape, TopAbs_FACE)
    return lambda face: int(numbered.FindIndex(face)) - 1


def _neighbours(brep: Brep, faces: Sequence[TopoDS_Face]) -> set[int]:
    """Numbers of the faces that share an edge with one of the given; those themselves only if they
    neighbour each other."""
    numbers = _face_numbers(brep)
    given = {numbers(face) for face in faces}
    result: set[int] = set()
    ancestors = faces_by_edge(brep.shape)
    for index in range(1, ancestors.Extent() + 1):
        around = {numbers(TopoDS.Face(face)) for face in listed(ancestors.FindFromIndex(index))}
        for number in around & given:
            result |= around - {number}
    return result


def _makers_named(build: Build, name: str) -> set[Digest]:
    """Makers that a name stands for: the calls of a function, or all below the forms of that name."""
    document = build.document
    made = {document.digest(node) for node, what in document.nodes.items() if name in what.functions}
    for node, given in document.names.items():
        if given == name:
            made |= {document.digest(below) for below in document.subgraph(node)}
    return made
