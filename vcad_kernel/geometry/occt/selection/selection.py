"""Edges and faces chosen by criteria, as measured on a B-rep (cad.md §2.8, modelling.md §4).

Edges are chosen among the sharp ones, which are the edges that a body has for its user: seams and
the borders between faces that continue each other smoothly are none. All given criteria must hold;
``largest`` and ``smallest``, with ties, and then ``nth`` choose among what is left, and ``chain`` adds what
runs on. The order is the body's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final, TypeVar

from OCP.gp import gp_Pnt
from OCP.TopoDS import TopoDS_Edge, TopoDS_Face

from vcad_kernel.errors import GeometryError, candidate_lines
from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.occt.building import Build
from vcad_kernel.geometry.occt.measure.topology.described import candidates
from vcad_kernel.geometry.occt.measure.topology.shared_curves import SharedCurves
from vcad_kernel.geometry.occt.measure.topology.sharp_edges import sharp_edges
from vcad_kernel.geometry.occt.selection.choices import Choices, EdgeChoices, FaceChoices
from vcad_kernel.geometry.occt.transforms import moved
from vcad_kernel.geometry.placement import IDENTITY, compose, is_transform, matrix_of
from vcad_kernel.ir.digest import Digest
from vcad_kernel.operations.features.selections import CRITERIA, Coordinates, Selector

__all__ = ["select_edges", "select_faces"]

_T = TypeVar("_T", TopoDS_Edge, TopoDS_Face)

_NEAR: Final = 1e-6
"""Millimetres within which positions, lengths and radii are the same."""
_TIE: Final = 1e-9
"""Relative difference of sizes that are the same."""
_KEYS: Final = {one.member: f":{one.name}" for one in CRITERIA}
"""A selector's fields as users write them."""


def select_edges(build: Build, brep: Brep, selector: Selector) -> list[TopoDS_Edge]:
    """The sharp edges that a selector takes, in the body's order.

    Warns where a selector with criteria takes all. Raises: GeometryError NO_MATCH if it takes none.
    """
    return _Selection(build, brep).of(EdgeChoices(brep), selector)


def select_faces(build: Build, brep: Brep, selector: Selector) -> list[TopoDS_Face]:
    """The faces that a selector takes; as `select_edges`."""
    return _Selection(build, brep).of(FaceChoices(brep), selector)


class _Sieve:
    """What has passed so far, and which criterion it was that let nothing through."""

    def __init__(self, count: int) -> None:
        self.left = list(range(count))
        self.refused = self.left
        """What the criterion that let nothing through was asked of."""
        self.emptied_by: str | None = None

    def apply(self, name: str, holds: Callable[[int], bool]) -> None:
        if self.left:
            self.refused, self.left = self.left, [item for item in self.left if holds(item)]
            if not self.left:
                self.emptied_by = name

    def keep(self, count: int, size: Callable[[int], float], *, largest: bool) -> None:
        """The ``count`` largest or smallest; whatever is as large as the last of them stays too."""
        if count >= len(self.left):
            return
        sizes = [size(item) if largest else -size(item) for item in self.left]
        last = sorted(sizes, reverse=True)[count - 1]
        spare = _TIE * max(1.0, abs(last))
        self.left = [item for item, value in zip(self.left, sizes, strict=True) if value >= last - spare]


class _Selection:
    """The selecting of one body's edges or faces."""

    def __init__(self, build: Build, brep: Brep) -> None:
        self._build, self._brep = build, brep

    def of(self, things: Choices[_T], selector: Selector) -> list[_T]:
        """What a selector takes. Raises: GeometryError NO_MATCH."""
        sieve = self._sifted(things, selector)
        if not sieve.left:
            raise self._nothing(things, sieve)
        count = len(things.shapes)
        if len(sieve.left) == count > 1 and selector != Selector(selector.target):
            there = "; ".join(candidate_lines(candidates(self._brep, things.shapes)))
            self._build.warn(
                "SELECTS_ALL",
                f"the selection takes all {count} {things.noun}s that there are: {there}. "
                "Write :all if they are meant",
            )
        return [things.shapes[index] for index in sieve.left]

    def _sifted(self, things: Choices[_T], wanted: Selector) -> _Sieve:
        sieve = _Sieve(len(things.shapes))
        for field, holds in self._criteria(things, wanted):
            sieve.apply(_KEYS[field], holds)
        for count, largest in ((wanted.largest, True), (wanted.smallest, False)):
            if count is not None:
                sieve.keep(count, things.size, largest=largest)
        if wanted.nth is not None and wanted.sort_by is not None and sieve.left:
            sieve.left = [self._nth(things, sieve.left, wanted.nth, wanted.sort_by)]
        if wanted.chain:
            sieve.left = sorted(_reached(sieve.left, things.runs_on))
        return sieve

    def _taken(self, things: Choices[_T], wanted: Selector) -> frozenset[int]:
        """What a selector within another takes; nothing is an answer."""
        return frozenset(self._sifted(things, wanted).left)

    def _criteria(self, things: Choices[_T], wanted: Selector) -> Iterator[tuple[str, Callable[[int], bool]]]:
        """What has to hold, by the field that says so; what takes longer comes later."""
        if wanted.kind is not None:
            yield "kind", lambda index: things.kind(index) == wanted.kind
        if wanted.convex is not None:
            yield "convex", lambda index: things.convex(index) is wanted.convex
        if (normal := wanted.normal) is not None:
            yield "normal", lambda index: things.looks(index, normal)
        if (way := wanted.parallel) is not None:
            yield "parallel", lambda index: things.runs_along(index, way)
        if wanted.side is not None:
            outermost = things.on_side(wanted.side)
            yield "side", lambda index: index in outermost
        yield from _placed(wanted, things)
        if (length := wanted.length) is not None:
            yield "length", lambda index: _is_between(things.length(index), *length)
        if (radius := wanted.radius) is not None:
            yield "radius", lambda index: _is_between(things.radius(index), *radius)
        if wanted.inside is not None:
            yield "inside", lambda index: things.is_rim(index) is wanted.inside
        if wanted.outside is not None:
            yield "outside", lambda index: things.is_outline(index) is wanted.outside
        if wanted.adjacent is not None:
            near = self._taken(things.faces, wanted.adjacent)
            yield "adjacent", lambda index: not near.isdisjoint(things.beside(index))
        if wanted.between is not None:
            one, other = (self._taken(things.faces, each) for each in wanted.between)
            yield "between", lambda index: _joins(sorted(things.beside(index)), one, other)
        if wanted.made_by is not None:
            made = _makers_named(self._build, wanted.made_by)
            yield "made_by", lambda index: not made.isdisjoint(things.makers(index))
        if wanted.any_of is not None:
            either = frozenset[int]().union(*(self._taken(things, each) for each in wanted.any_of))
            yield "any_of", lambda index: index in either
        if wanted.all_of is not None:
            each_of = [self._taken(things, each) for each in wanted.all_of]
            yield "all_of", lambda index: all(index in taken for taken in each_of)
        if wanted.none_of is not None:
            refused = self._taken(things, wanted.none_of)
            yield "none_of", lambda index: index not in refused
        if wanted.new is not None:
            before = _edges_before(self._build)
            yield "new", lambda index: (not things.lies_on(index, before)) is wanted.new

    def _nth(self, things: Choices[_T], left: Sequence[int], nth: int, order: str) -> int:
        """One of several, in an order. Raises: GeometryError NO_MATCH beyond its ends."""
        values = {index: things.order(index, order) for index in left}
        ordered = sorted((value, index) for index, value in values.items() if value is not None)
        # what is as near as rounding is in the body's order
        groups: list[list[int]] = []
        last = float("-inf")
        for value, index in ordered:
            if value - last > _NEAR:
                groups.append([])
            groups[-1].append(index)
            last = value
        numbered = [index for group in groups for index in sorted(group)]
        if -len(numbered) <= nth < len(numbered):
            return numbered[nth]
        count = len(numbered)
        said = f"there are {count} to count by :{order}, from 0 to {count - 1}"
        raise self._build.fault(
            "NO_MATCH",
            f"the selection asks for :nth {nth} of its {things.noun}s, and "
            + (said if count > 1 else f"there is {count or 'none'} to count by :{order}"),
            argument="which",
            failed=False,
            details={
                **candidates(self._brep, [things.shapes[index] for index in numbered or left]),
                "candidates": count,
                "criterion": "nth",
            },
        )

    def _nothing(self, things: Choices[_T], sieve: _Sieve) -> GeometryError:
        count, by = len(things.shapes), sieve.emptied_by
        plural = things.noun if count == 1 else f"{things.noun}s"
        if count == 0:
            message = f"the body has no {things.noun} to select"
            return self._build.fault("NO_MATCH", message, argument="which", failed=False)
        last = f" and none of those that are left meets {by}" if by else ""
        there = candidates(self._brep, [things.shapes[index] for index in sieve.refused])
        return self._build.fault(
            "NO_MATCH",
            f"the selector selects nothing: the body has {count} {plural}{last}",
            argument="which",
            failed=False,
            fix=f"loosen or correct {by}" if by else None,
            details={**there, "candidates": count, "criterion": by and by[1:]},
        )


def _placed(wanted: Selector, things: Choices[_T]) -> Iterator[tuple[str, Callable[[int], bool]]]:
    """The criteria on where the middle is."""
    if (at := wanted.at) is not None:
        yield "at", lambda index: _lies(things, index, at, lambda low, high: low <= _NEAR and high >= -_NEAR)
    if (above := wanted.above) is not None:
        yield "above", lambda index: _lies(things, index, above, lambda _, high: high > _NEAR)
    if (below := wanted.below) is not None:
        yield "below", lambda index: _lies(things, index, below, lambda low, _: low < -_NEAR)


def _lies(
    things: Choices[_T], index: int, wanted: Coordinates, holds: Callable[[float, float], bool]
) -> bool:
    """Whether something holds of how far the middle is beyond each of the coordinates, millimetres: between
    two numbers that are the same, or as little and as much as it may be, as far as that is known sooner."""

    def holds_of(low: gp_Pnt, high: gp_Pnt) -> bool:
        # a middle is an integral over the face, whose box tells of most that theirs are elsewhere
        axes = [("xyz".index(axis) + 1, value) for axis, value in wanted]
        return all(holds(low.Coord(axis) - value, high.Coord(axis) - value) for axis, value in axes)

    reach = things.reach(index)
    if reach is not None and not holds_of(*reach):
        return False
    middle = things.middle(index)
    return holds_of(middle, middle)


def _is_between(value: float | None, low: float, high: float) -> bool:
    return value is not None and low - _NEAR <= value <= high + _NEAR


def _joins(faces: Sequence[int], one: Collection[int], other: Collection[int]) -> bool:
    """Whether two of an edge's faces are one of each."""
    return any(a in one and b in other for a in faces for b in faces if a != b)


def _reached(begin: Sequence[int], runs_on: Callable[[int], Collection[int]]) -> set[int]:
    """What is there to begin with, and all that one comes to from there."""
    found, waiting = set(begin), list(begin)
    while waiting:
        for other in runs_on(waiting.pop()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


def _edges_before(build: Build) -> SharedCurves:
    """The sharp edges of what the body's last operation worked on, where the body is now; of none where that
    made the body of nothing, or of profiles."""
    document, node, matrix = build.document, build.selected_from, IDENTITY
    assert node is not None  # a selection is of some node's body
    while is_transform(document.nodes[node]):
        matrix = compose(matrix, matrix_of(document.nodes[node]))
        (node,) = document.nodes[node].children()
    # what is worked on comes first
    subject = next(iter(document.nodes[node].children()), None)
    if subject is None or document.nodes[subject].GIVES != "Solid":
        return SharedCurves(())
    assert build.merged is not None
    before = build.merged(subject)
    if before is None:
        return SharedCurves(())
    return SharedCurves([corner.edge for corner in sharp_edges(moved(before, matrix).shape)])


def _makers_named(build: Build, name: str) -> set[Digest]:
    """Makers that a name stands for: the calls of a function, or all below the forms of that name."""
    document = build.document
    made = {document.digest(node) for node, what in document.nodes.items() if name in what.functions}
    for node, given in document.names.items():
        if given == name:
            made |= {document.digest(below) for below in document.subgraph(node)}
    return made
